"""Of the newest result, what is new is shown before what earlier results say, too."""

from __future__ import annotations

import json

from tests.pipeline.sessions import Json, assistant, compact, result, user

HEAD = "".join(
    f'<link rel="stylesheet" href="/static/theme_{n}.css" media="screen" data-part="layout-{n}"/>\n' for n in range(12)
)


def page(name: str) -> str:
    rows = "".join(f"<tr><td>{name}_user_{n}</td><td>uid {3000 + n} of the {name} group</td></tr>\n" for n in range(12))
    return f"<html><head>\n{HEAD}</head><body><table>\n{rows}</table></body></html>"


def test_what_is_new_in_the_newest_result_comes_before_the_page_around_it() -> None:
    records: list[Json] = [user("Find out which users the server has.")]
    for n, name in enumerate(("guest", "staff", "admin")):
        records += [
            assistant(f"I ask for the next group, {n}.", (f"c{n}", "fetch", {"url": f"http://shop/users?of={n}"})),
            result(f"c{n}", page(name)),
        ]
    part = compact(records, strategy="adaptive", target_ratio=0.3)
    shown = part.messages[-1].text()
    assert shown.count("admin_user_") >= 3
    assert "stylesheet" not in shown


REFUSED = """Your proposed edit has introduced new syntax error(s). Please read this error message and retry.

ERRORS:
- F821 undefined name 'binascii'

This is how your edit would have looked if applied
-------------------------------------------------
"""


def test_that_a_call_failed_is_told_though_the_failure_before_it_began_so_too() -> None:
    records: list[Json] = [user("Decrypt the message.")]
    for n in range(3):
        code = "\n".join(f"{at}:    key_{at} = shift(cipher_{at}, {at * n})" for at in range(60))
        edit = {"file": "decrypt.py", "line": n}
        records += [assistant(f"I edit line {n}.", (f"c{n}", "edit", edit)), result(f"c{n}", REFUSED + code)]
    part = compact(records, strategy="adaptive", target_ratio=0.25)
    assert "has introduced new syntax error(s)" in part.messages[-1].text()


def test_names_of_earlier_requests_are_looked_for_in_the_newest_result() -> None:
    records: list[Json] = [user("My flight HAT039 is late. Can you look it up?"), assistant("Who are you?")]
    records += [user("I am ethan_2396.")]
    for n in range(3):
        legs = [{"from": f"C{at}", "to": f"D{at}", "flight": f"HAT{n}{at:02}", "price": 90 + at} for at in range(20)]
        legs[13]["flight"] = "HAT039" if n == 2 else "HAT777"
        records += [assistant("", (f"c{n}", "get", {"id": f"RES{n}"})), result(f"c{n}", json.dumps({"legs": legs}))]
    part = compact(records, strategy="adaptive", target_ratio=0.2)
    assert "HAT039" in part.messages[-1].text()
