"""What is read of pages that are written in one line."""

from __future__ import annotations

import pytest

from compactor_cli.text.markup import page_lines

MENU = "".join(
    f'<div class="css-1x9 price_4kd" data-testid="node-{n}"><a href="/x/9{n}?ref=2c0e0a{n}" aria-label="Part {n}">'
    f'<span class="u-flex row_hT7s css-9c4">Menu {n}</span></a><svg width="16"><path d="M8 3h4v{n}z"/></svg></div>'
    for n in range(6)
)


def lines(markup: str) -> list[str]:
    shown = page_lines(markup).split("\n")
    assert all(line in markup for line in shown)
    return shown


def test_a_page_in_one_line_is_read_by_its_texts_and_what_its_tags_say() -> None:
    shown = lines(f'<html><body>{MENU}<div class="r"><h4>Tern Inn</h4>no steps, 18:30</div>{MENU}</body></html>')
    assert shown[:4] == ['aria-label="Part 0"', "Menu 0", 'aria-label="Part 1"', "Menu 1"]
    assert {"<h4>Tern Inn", "no steps, 18:30"} < set(shown)
    assert not any("node-" in line or "2c0e0a" in line or "M8" in line for line in shown)


def test_the_cells_of_a_row_stand_on_one_line_and_other_rows_on_others() -> None:
    rows = "".join(f'<tr class="r{n}"><td>IC 92{n}</td><td class="px-4">09:{n}8</td></tr>' for n in range(9))
    assert lines(f"<table>{rows}</table>") == [f'<td>IC 92{n}</td><td class="px-4">09:{n}8' for n in range(9)]


def test_short_tags_with_values_and_links_stay_with_their_text() -> None:
    button, link = '<button data-rate="R-771">Book', '<a href="/stays/harbour-side/rooms/h-2207">Tern Inn'
    shown = lines(f'<div>{MENU}{button}</button><p class="x">{link}</a></p></div>')
    assert {button, link} < set(shown)


def test_attributes_of_xml_are_data() -> None:
    cases = [f'<testcase name="test_tide{n}" time="0.0{n}" file="tests/test_tides.py">ok {n}' for n in range(8)]
    assert lines(f"<testsuite>{'</testcase>'.join(cases)}</testcase></testsuite>")[1:] == cases[1:]


def test_a_sign_in_a_value_does_not_end_a_tag_and_scripts_are_not_shown_but_data_is() -> None:
    page = f'<div>{MENU}<i class="[&>svg]:size-4">Open</i><script>track("a</b>")</script>'
    shown = lines(f'{page}<script type="application/json">{{"rooms":2}}</script></div>')
    assert "Open" in shown
    assert not any("svg" in line or "track" in line for line in shown)
    assert any('{"rooms":2}' in line for line in shown)


@pytest.mark.parametrize(
    "text",
    [
        "template<class T> Map<String,List<Map<String,List<X>>>> f(a)" + "; x = a><b && c</d/>1" * 30,
        MENU.replace('aria-label="Part', 'onClick={() => go("Part'),
        MENU.replace("Menu", "{{ menu }}"),
        "+" + MENU,
        MENU[:300],
        "\n".join(["<ul>", *(f"<li><b>item {n}</b></li>" for n in range(90)), "</ul>"]),
        '{"html":"' + MENU.replace('"', '\\"') + '"}',
    ],
)
def test_sources_diffs_and_pages_with_line_breaks_are_read_as_they_stand(text: str) -> None:
    assert page_lines(text) == text


def test_an_attribute_that_is_never_closed_is_read_in_one_pass():
    page = f"<div>{'<p>tern</p>' * 9}<div title='{'a' * 200_000}>{'<b>gull</b>' * 900}"
    assert "<p>tern" in page_lines(page)
