"""What can be quoted alone: whole lines and whole sentences, as far as they are not too long."""

from __future__ import annotations

import pytest

from compactor_cli.text.units import line_units

SIGNATURE = (
    "func (s *Store) writeSessionToFolder(ctx context.Context, o WriteOptions, entries map[string]Entry) error {"
)
FOUND = "packages/agent/src/modes/interactive/components/conflict_reporter.go-92-\tTokenUsage *agent.TokenUsage"
PROSE = (
    "Interactive programs have no terminal here (e.g. an editor that waits for keys, or a debugger with a prompt of "
    "its own), and are stopped after a minute. Write a script for each of them instead, and run that script."
)


def units(text: str) -> list[str]:
    return [text[start:end] for start, end in line_units(text)]


@pytest.mark.parametrize("line", [SIGNATURE, FOUND])
def test_a_line_of_code_is_quoted_whole_and_not_its_tail_alone(line: str) -> None:
    assert units(f"first line of the file\n{line}\n\treturn nil") == ["first line of the file", line, "return nil"]


def test_a_line_that_a_search_found_is_as_long_as_what_stands_behind_its_place() -> None:
    path = "packages/" + "a-long-folder/" * 10 + "store.go"
    found = f"{path}:92:\tSessionID string // of it"
    assert units(found) == [found]
    assert len(units(f"{path}:92:\t{'call(argument, other), ' * 20}")) > 1


def test_a_very_long_line_is_cut() -> None:
    pieces = units("call(argument_one, argument_two), " * 20)
    assert len(pieces) > 3
    assert max(map(len, pieces)) <= 220


def test_a_point_that_goes_on_in_small_letters_ends_no_sentence() -> None:
    assert units(f"{PROSE} {PROSE}") == [
        part for _ in range(2) for part in (PROSE.partition(" Write")[0], f"Write{PROSE.partition(' Write')[2]}")
    ]
