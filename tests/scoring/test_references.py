"""Which part of a long tool output can be referred to."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from compactor_cli.model.message import Message, Part, PartKind
from compactor_cli.scoring.factors import References

NAME = "round_half_up"


def told(*texts: tuple[PartKind, str]) -> list[Message]:
    return [
        Message(at, "", "tool" if kind == "tool_result" else "assistant", (Part(kind, text, 1),), (at,), 1)
        for at, (kind, text) in enumerate(texts)
    ]


def reference_counts(messages: Sequence[Message]) -> list[int]:
    references = References(len(messages))
    for message in messages:
        references.record_message(message)
    return references.counts


def filled(before: int, behind: int) -> str:
    """The name with so many characters before and behind it."""
    return f"{'x ' * before}"[-before:] + NAME + f"{' y' * behind}"[:behind]


HERE = 3_000 - len(NAME)
"""Characters before a name that ends with the first 3000."""


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (filled(HERE, 9_000), True),
        (filled(HERE + 1, 9_000), False),
        (filled(9_000, 1_000 - len(NAME)), True),
        (filled(9_000, 1_001 - len(NAME)), False),
        (filled(HERE + 5, 995), True),  # all of what is no longer than both ends
    ],
)
def test_the_first_3000_characters_of_an_output_and_the_last_1000_can_be_referred_to(text: str, counts: bool) -> None:
    (count, *_) = reference_counts(told(("tool_result", text), ("text", f"See {NAME}.")))
    assert bool(count) is counts


def test_the_whole_of_what_somebody_says_can_be_referred_to() -> None:
    (count, *_) = reference_counts(told(("text", filled(3_100, 9_000)), ("text", f"See {NAME}.")))
    assert count == 1


@pytest.mark.parametrize(("id", "counts"), [("m-1x", True), ("m-1", False), ("", False)])
def test_an_id_of_four_characters_or_more_can_be_named(id: str, counts: bool) -> None:
    first = Message(0, id, "user", (Part("text", "Begin.", 1),), (0,), 1)
    later = Message(1, "", "user", (Part("text", "As m-1x of `m-1` says in src/m-1x.py: `m-1x`.", 1),), (1,), 1)
    (count, _) = reference_counts([first, later])
    assert bool(count) is counts


def test_names_in_any_part_of_a_message_can_be_referred_to() -> None:
    long = filled(HERE + 1, 9_000)
    parts = (Part("text", "Look.", 1), Part("thinking", long, 1), Part("tool_result", long, 1))
    seen = Message(0, "", "assistant", parts, (0,), 1)
    shown = Message(0, "", "assistant", (parts[0], parts[2]), (0,), 1)
    (_, later) = told(("text", ""), ("text", f"See {NAME}."))
    assert reference_counts([seen, later])[0] == 1
    assert reference_counts([shown, later])[0] == 0


def test_what_is_quoted_is_a_name_only_where_somebody_says_it() -> None:
    said = "Call it `north wall` from now on."
    kinds: dict[PartKind, int] = {"text": 1, "tool_result": 0, "thinking": 0}
    for kind, counts in kinds.items():
        found = reference_counts(told((kind, said), ("text", "The `north wall` is up.")))
        assert found == [counts, 0]


def test_identifiers_in_the_arguments_of_a_call_are_read_behind_their_escapes() -> None:
    call = json.dumps({"code": f"begin()\n{NAME}(1)"})
    found = reference_counts(told(("tool_call", call), ("text", f"See {NAME}."), ("text", f"And {NAME}.")))
    assert found == [2, 0, 0]
