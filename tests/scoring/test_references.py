"""Which part of a long tool output can be referred to."""

from __future__ import annotations

import json

import pytest

from compactor_cli.model.message import Message, Part
from compactor_cli.scoring.references import reference_counts

NAME = "round_half_up"


def told(*texts: tuple[str, str]) -> list[Message]:
    return [
        Message(at, "", "tool" if kind == "tool_result" else "assistant", (Part(kind, text, 1),), (at,), 1)
        for at, (kind, text) in enumerate(texts)
    ]


def filled(before: int, behind: int) -> str:
    return f"{'x ' * (before // 2)}{NAME} {'y ' * (behind // 2)}"


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (filled(2_900, 9_000), True),
        (filled(3_100, 9_000), False),
        (filled(9_000, 1_100), False),
        (filled(9_000, 900), True),
        (filled(3_100, 800), True),
    ],
)
def test_the_first_3000_characters_of_an_output_and_the_last_1000_can_be_referred_to(text: str, counts: bool) -> None:
    (count, *_) = reference_counts(told(("tool_result", text), ("text", f"See {NAME}.")))
    assert bool(count) is counts


def test_the_whole_of_what_somebody_says_can_be_referred_to() -> None:
    (count, *_) = reference_counts(told(("text", filled(3_100, 9_000)), ("text", f"See {NAME}.")))
    assert count == 1


def test_identifiers_in_the_arguments_of_a_call_are_read_behind_their_escapes() -> None:
    call = json.dumps({"code": f"begin()\n{NAME}(1)"})
    found = reference_counts(told(("tool_call", call), ("text", f"See {NAME}."), ("text", f"And {NAME}.")))
    assert found == [2, 0, 0]
