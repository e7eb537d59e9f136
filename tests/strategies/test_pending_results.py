"""Of the newest result, what is new is shown before what earlier results say, too."""

from __future__ import annotations

import json
import re
from itertools import pairwise

from tests.pipeline.sessions import Json, assistant, compact, result, user
from tests.strategies import work

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


def guarded(name: str, n: int) -> str:
    """A function of which the conditions say nothing new, and what stands under them does."""
    return (
        f"func spawn{name}() {{\n"
        f'\tlogging.Debug(logCtx, "{name} asks for review-{n}", slog.Int("berth_{n}", {n}))\n'
        f"\tif state != nil {{\n"
        f"\t\treturn\n"
        f"\t}}\n"
        f'\tfmt.Fprintf(os.Stderr, "last session ended with {name}_pending, spawning apply_{n}\\n")\n'
        f"}}\n"
    )


def test_conditions_between_chosen_lines_of_code_are_shown() -> None:
    code = "".join(guarded(f"Tide{n}", n) for n in range(60))
    shown = "\n".join(f"{number:>6}→{line}" for number, line in enumerate(code.split("\n"), 1))
    records: list[Json] = [user("Find out why the apply was not spawned."), *work.session(8)[1:]]
    records += [assistant("I look.", ("r9", "Read", {"file_path": "tide.go"})), result("r9", shown)]
    lines = compact(records, strategy="adaptive", target_ratio=0.25).messages[-1].text().split("\n")
    numbers = [int(found[1]) for line in lines if (found := re.match(r" *(\d+)→", line))]
    assert len(numbers) > 30
    gaps = [last - first for first, last in pairwise(numbers) if last - first > 1]
    assert not [gap for gap in gaps if gap <= 3]
    assert sum("if state != nil" in line for line in lines) >= 5
