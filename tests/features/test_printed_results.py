"""Results as they are printed: pages in one line, Python values, and colours."""

from __future__ import annotations

from typing import Any

import pytest

from compactor_cli.model.group import Group
from compactor_cli.model.pairing import pair_calls
from compactor_cli.strategies.adaptive.in_place import InPlaceRenderer
from tests.builders import call, calling_message, result, user
from tests.features.sessions import Told
from tests.text.test_markup import MENU
from tests.text.test_python_values import SHOW

PAGE = f'<html><body>{MENU}<div class="r"><h4>Tern Inn</h4>no steps, 18:30</div>{MENU}</body></html>'


OPEN = call("c1", "open_page", '{"url": "https://tern.example/rooms"}')


def told(output: str, source: dict[str, Any] = OPEN) -> Told:
    return Told(user("Look it up."), calling_message(source), result("c1", output))


def test_what_stands_between_tags_is_a_name_and_what_addresses_an_element_is_none() -> None:
    page = told(PAGE)
    assert page.lines.bounds[page.line("<h4>Tern Inn")] > 0
    assert {"tern inn", "menu 3"} <= set(page.session.names)
    assert not {"node-3", "css-1x9", "price_4kd", "2c0e0a3"} & set(page.session.names)
    written = told(PAGE.replace("><", ">\n<"))
    assert "price_4kd" in written.session.names


@pytest.mark.parametrize("source", [call("c1", "read_file", '{"path": "a.html"}'), call("c1")])
def test_markup_that_may_have_to_be_edited_is_no_page(source: dict[str, Any]) -> None:
    assert "price_4kd" in told(PAGE, source).session.names


def test_a_page_that_is_kept_by_its_lines_says_that_its_tags_are_left_out() -> None:
    page = told(PAGE)
    group = Group(1, (1, 2), sum(page.messages[i].tokens for i in (1, 2)))
    renderer = InPlaceRenderer(page.messages, page.lines, len, pair_calls(page.messages))
    (edit,) = renderer.render(group, {*page.lines.of_message(2)}, "").edits
    *lines, mark = edit.text.split("\n")
    assert "<h4>Tern Inn" in lines
    assert mark.startswith(
        f"[… {len(PAGE) - sum(map(len, page.texts[-len(page.lines.piece_lines(2)) :])):,} characters"
    )


def test_the_keys_of_a_python_value_are_form_and_its_members_are_lines() -> None:
    value = told(SHOW.replace("audios", "audioTracks"))
    assert "'type': 'series', 'title': 'Tern Summer'" in value.texts
    assert value.of("audiotracks").key
    assert not value.of("tern summer").key


def test_a_line_in_colour_is_the_line_without_it() -> None:
    steps = [f"\x1b[2m2027-03-04T05:4{n}:49Z\x1b[0m \x1b[32mINFO\x1b[0m [web-{n}] flushed {n}" for n in range(6)]
    log = told("\n".join([*steps, "\x1b[31;1m2027-03-04T05:50:49Z ERROR\x1b[0m [web-7d9f] connection refused"]))
    assert log.texts[-1] == "2027-03-04T05:50:49Z ERROR [web-7d9f] connection refused"
    assert [line for line, bound in enumerate(log.lines.bounds) if bound > 0][-1:] == [len(log.lines) - 1]
