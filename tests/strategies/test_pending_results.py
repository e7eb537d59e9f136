"""Of the newest result, what is new is shown before what earlier results say, too."""

from __future__ import annotations

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
