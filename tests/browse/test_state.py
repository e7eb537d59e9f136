"""Decisions as values: groups, taking back, many at once; lines that fit a terminal."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from compactor_cli.browse.rows import safe_line, wrap_line
from compactor_cli.browse.view_state import History, State, decide, decide_all, groups_of
from compactor_cli.model.decisions import Aim, MessageKey
from tests.builders import assistant, call, calling_message, jsonl, load, result, system, user

SESSION = load(
    jsonl(
        system(),
        user("a"),
        calling_message(call("c1"), call("c2")),
        result("c1", "x"),
        result("c2", "y"),
        assistant("z"),
    )
)
GROUPS = groups_of(SESSION)


def at(*numbers):
    return [MessageKey(0, number) for number in numbers]


def test_a_decision_on_a_message_is_one_on_its_group_and_the_last_one_holds():
    state = decide(State(), GROUPS, MessageKey(0, 3), "keep")
    assert state.choices == {MessageKey(0, 3): "keep"}
    assert {GROUPS.choice(state.choices, spot) for spot in at(2, 3, 4)} == {"keep"}
    assert GROUPS.choice(state.choices, MessageKey(0, 5)) is None
    state = decide(state, GROUPS, MessageKey(0, 2), "drop")
    assert state.choices == {MessageKey(0, 2): "drop"}
    assert decide(state, GROUPS, MessageKey(0, 4), "drop").choices == {}  # the same again


def test_many_are_decided_on_at_once_but_for_what_cannot_be_dropped():
    state = decide_all(State(), GROUPS, at(0, 1, 2, 3, 4, 5), "drop")
    assert state.choices == dict.fromkeys(at(1, 2, 5), "drop")
    assert decide_all(state, GROUPS, at(0, 1, 2, 3, 4, 5), "drop").choices == {}
    mixed = decide_all(decide(State(), GROUPS, MessageKey(0, 4), "keep"), GROUPS, at(2, 3, 5), "drop")
    assert mixed.choices == dict.fromkeys(at(2, 5), "drop")


def test_changes_are_taken_back_and_made_again():
    first, second = State(), State(choices={MessageKey(0, 1): "keep"})
    history = History([first])
    assert not history.undo()
    assert history.add(second)
    assert not history.add(second)
    assert (history.now, history.is_saved) == (second, False)
    assert history.undo()
    assert (history.now, history.is_saved) == (first, True)
    assert history.redo()
    assert not history.redo()
    history.saved = second
    assert history.is_saved
    assert history.add(State(Aim(900)))
    assert not history.is_saved


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", [""]),
        ("short", ["short"]),
        ("the quick brown fox jumps", ["the quick", "brown fox", "jumps"]),
        ("abcdefghijklmnop", ["abcdefghij", "klmnop"]),
        ("変更記録我々は旧い", ["変更記録我", "々は旧い"]),
    ],
)
def test_lines_are_wrapped_by_cells_at_blanks(text, pieces):
    assert list(wrap_line(text, 10)) == pieces


@pytest.mark.parametrize("width", [1, 2, 7])
def test_every_character_of_a_line_is_shown_however_narrow_the_terminal_is(width):
    text = "a 変更 bb  👩‍👩 ccc" * 5
    pieces = list(wrap_line(text, width))
    assert "".join(pieces).replace(" ", "") == text.replace(" ", "")
    assert all(cell_len(piece) <= max(2, width) for piece in pieces)


def test_nothing_in_a_line_commands_a_terminal():
    assert safe_line("plain") == "plain"
    assert safe_line("\x1b[31m\x07\u202e\ud800") == "\\u001b[31m\\u0007\\u202e\\ud800"
    assert safe_line("a\tb") == "a   b"
