"""Of pages that a browser shows as a tree of nodes, prose stays before links, and nodes without words are nothing."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.adaptive.must_keep import PieceSpan, find_requests
from compactor_cli.text.noise import noisy_lines
from compactor_cli.text.page_trees import is_page_tree, node_in_line, typed_span
from compactor_cli.text.units import line_units
from tests.builders import call, calling_message, user
from tests.builders import result as answers
from tests.features.sessions import Told

ADDRESS = "https://harbor.example.org/news/the-lock-is-opened-again-after-two-years-of-work-on-both-of-its-gates"
PROSE = [
    "The harbor was founded to give small boats a place that is dry at low tide and open at high tide.",
    "Since the year in which the second quay was built we have looked after every boat that came to us.",
    "Our work has three parts: we keep the gates, we teach people to sail, and we count all the birds.",
]


def page(number: int) -> str:
    menu = [f'link "Berth {at} of the quay"  [url: https://harbor.example.org/berth_{at}]' for at in range(60)]
    said = [f'StaticText "{number}: {text}"' for text in PROSE]
    head = ['StaticText "A"', "banner", 'StaticText "•"', 'StaticText "We use biscuits here"']
    return "\n".join(f"[{number * 1000 + at}] {node} " for at, node in enumerate([*head, *menu, *said]))


def test_nodes_that_a_newer_page_shows_are_those_of_the_newer_one() -> None:
    pages = [(calling_message(call(f"c{n}", "open_page", f'{{"n": {n}}}')), answers(f"c{n}", page(n))) for n in (1, 2)]
    told = Told(user("Look."), *(message for each in pages for message in each)).lines.session.pieces
    older, newer = (piece.outdated_lines for piece in told if piece.text.startswith("["))
    assert (len(older), len(newer)) == (64, 0)


def test_a_node_says_something_where_it_has_words_or_can_be_acted_on() -> None:
    nodes = ["[1] banner", '[2] StaticText "•"', "[3] textbox ''", '[4] StaticText "7"', '[5] link "Home"']
    again = ['  [6] StaticText "Home"', '[7] heading "Gates"', '[8] StaticText "Home"', "- listed: as ever"]
    assert noisy_lines("\n".join([*nodes, *again])) == {0, 1, 5}
    assert noisy_lines("[1] banner\n[2] nobody") == frozenset()


@pytest.mark.parametrize(
    "nodes",
    [
        ["StaticText 'Rovers'", "StaticText '2'", "StaticText 'United'", "StaticText '2'"],
        ['StaticText "5"', 'StaticText "/"', 'StaticText "5"'],
        ['row "Ann"', "text: Yes", "text: Yes", 'StaticText "x"'],
        ["StaticText 'Gates'", "alert", "dialog ''", "progressbar"],
    ],
)
def test_equal_texts_signs_and_what_is_there_at_times_say_something(nodes: list[str]) -> None:
    assert noisy_lines("\n".join(f"[{at}] {node}" for at, node in enumerate(nodes))) == frozenset()
    assert noisy_lines("\n".join(f"  - {node} [ref=e{at}]" for at, node in enumerate(nodes))) == frozenset()


def test_what_only_speaks_of_nodes_is_no_page() -> None:
    told = "gate.cpp:7: wx.StaticText()\nStages:\n[build] Passed\n[lint] Broken\n- Makefile\n- img\n- main:\nOK"
    assert not is_page_tree(told)
    assert noisy_lines(told) == frozenset()
    assert is_page_tree(page(1))
    assert is_page_tree('- link "Home" [ref=e1]:\n  - /url: /home\n- link "Gates" [ref=e2]:\n  - /url: /gates')


@pytest.mark.parametrize(
    ("line", "node"),
    [
        ("\t[12] link 'Home', clickable", "link 'Home', clickable"),
        ('uid=1_12 link "Home"', 'link "Home"'),
        ('  - link "Home" [ref=e12]:', 'link "Home":'),
        ("import [12] of it", ""),
    ],
)
def test_a_node_is_told_without_its_number(line: str, node: str) -> None:
    assert node_in_line(line) == node


def test_an_address_stays_with_the_key_before_it() -> None:
    line = f'[793] link "The lock is opened again after two years of work on both gates"  [url: {ADDRESS}]'
    assert [line[start:end] for start, end in line_units(line)][1] == f"[url: {ADDRESS}]"


def pages_with(*below: str) -> list[PieceSpan]:
    """What counts as typed of pages that stand as messages of the user, each with something below it."""
    shown = [user(f"<system-reminder>\n{page(n)}\n=== END ===\n\n{text}") for n, text in enumerate(below, 1)]
    turns = [message for each in shown for message in (calling_message(call("c")), answers("c", "ok"), each)]
    told = Told(user("Tell me what the harbor does."), *turns)
    return [words for words in find_requests(told.messages, told.lines) if words.start]


def test_what_was_typed_below_a_page_is_of_the_user_and_what_stands_below_each_is_not() -> None:
    assert len(pages_with("Boats wait for Ms. Oduya.", "dates in ISO")) == 2
    assert pages_with("What is your next action?", "What is your next action?") == []
    assert pages_with("", "---") == []


def test_typed_words_are_found_below_the_last_node_only() -> None:
    text = f"{page(1)}\n\ndates in ISO\n\nand no links\n"
    start, end = typed_span(text) or (0, 0)
    assert text[start:end] == "dates in ISO\n\nand no links"
    assert typed_span("Tell me of StaticText nodes.\n\nAnd of links.") is None
    assert typed_span(f"Look at this.\n\n{page(1)}") is None
    assert typed_span(page(1) + "\n\n" + "a " * 100_000) is None
