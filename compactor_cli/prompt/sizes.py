"""Compute the size of each part of a prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from compactor_cli.model.budget import FixedParts
from compactor_cli.prompt.definition import (
    AFTER,
    BEFORE,
    CURRENT_MESSAGE,
    Given,
    Prompt,
    PromptPart,
    SegmentChoice,
    Sized,
)
from compactor_cli.prompt.segments import join_segments

Count = Callable[[str], int]


def size_parts(
    prompt: Prompt, choices: tuple[SegmentChoice, ...], count: Count, per_message: int, system_tokens: int
) -> tuple[Sized, ...]:
    """Return the given parts in the order of seed 000, with their sizes.

    A text becomes a message and includes a message's overhead. For a size in tokens nothing is written.
    `system_tokens`: size of the transcript's own system messages, which are used if the prompt gives none.
    """
    sized = []
    for name in (*BEFORE, *AFTER):
        part = prompt.parts.get(name)
        if name == "system_prompt":
            sized.append(_system_part(part, choices, count, per_message, system_tokens))
        elif part is not None:
            sized.append(_make_sized(name, part.given, part.text, part.reserved, count, per_message))
        elif name == "current_message":
            sized.append(Sized(name=name, given="default", tokens=CURRENT_MESSAGE, reserved=CURRENT_MESSAGE))
    return tuple(part for part in sized if part is not None)


def fixed_parts(parts: Sequence[Sized]) -> FixedParts:
    """Return the parts as the fixed parts of a budget."""
    return FixedParts(**{part.name: part.tokens for part in parts})


def _system_part(
    part: PromptPart | None,
    choices: tuple[SegmentChoice, ...],
    count: Count,
    per_message: int,
    system_tokens: int,
) -> Sized | None:
    name = "system_prompt"
    if part is None and not any(choice.text for choice in choices):
        return Sized(name=name, given="transcript", tokens=system_tokens) if system_tokens else None
    text = join_segments(part.text if part else "", choices)
    return _make_sized(name, part.given if part else "segments", text, part.reserved if part else 0, count, per_message)


def _make_sized(name: str, given: Given, text: str, reserved: int, count: Count, per_message: int) -> Sized:
    if not text.strip():
        return Sized(name=name, given=given, tokens=reserved, reserved=reserved)
    tokens = reserved + per_message + count(text)
    return Sized(name=name, given=given, tokens=tokens, text=text, reserved=reserved)
