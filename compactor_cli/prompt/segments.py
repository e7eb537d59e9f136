"""Choose which segments to include (seed 000), by their conditions, then by priority within the token limit, and
compute the size of each part of a prompt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from compactor_cli.model.budget import FixedParts
from compactor_cli.prompt.definition import (
    AFTER,
    BEFORE,
    CURRENT_MESSAGE,
    Condition,
    Given,
    Prompt,
    PromptPart,
    Scalar,
    Segment,
    SegmentChoice,
    Sized,
)

SEPARATOR = "\n\n"
"""Separates segments from each other and from the system prompt."""

Count = Callable[[str], int]


def choose_segments(prompt: Prompt, count: Count) -> tuple[SegmentChoice, ...]:
    """Return a choice for each segment, in the order of the file.

    Segments are served from the highest priority down; among equals, the first in the file comes first. A segment is
    included with its full text, else its condensed one, else not at all. The limit applies to the sum of the
    included texts.
    """
    context = {"condensed": prompt.condensed, **prompt.context}
    condensed = context["condensed"] is True
    remaining_tokens = prompt.segment_tokens
    chosen: dict[str, SegmentChoice] = {}
    for segment in sorted(prompt.segments, key=lambda known: -known.priority):
        choice = _choose_segment(segment, context, remaining_tokens, count, condensed)
        chosen[segment.id] = choice
        remaining_tokens = remaining_tokens - choice.tokens if remaining_tokens is not None else None
    return tuple(chosen[segment.id] for segment in prompt.segments)


def join_segments(system_prompt: str, choices: tuple[SegmentChoice, ...]) -> str:
    """Return the system prompt followed by the included segments, in the order of the file."""
    texts = (system_prompt, *(choice.text for choice in choices))
    return SEPARATOR.join(text.strip("\n") for text in texts if text.strip()) if any(texts[1:]) else system_prompt


def _choose_segment(
    segment: Segment, context: Mapping[str, Scalar], remaining_tokens: int | None, count: Count, condensed: bool
) -> SegmentChoice:
    for condition in segment.when:
        if not _is_met(condition, context):
            return SegmentChoice(
                id=segment.id, variant="out", reason=f"condition {_failure_phrase(condition, context)}"
            )
    variants: list[tuple[Literal["full", "condensed"], str]] = []
    if not condensed or segment.condensed is None:
        variants.append(("full", segment.text))
    if segment.condensed is not None:
        variants.append(("condensed", segment.condensed))
    reasons: list[str] = []
    for variant, text in variants:
        tokens = count(text)
        lack = _lack_reason(segment, tokens, remaining_tokens)
        if not lack:
            fits = "its conditions hold" if segment.when else "has no conditions"
            if variant == "condensed":
                fits = f"in full, {reasons[0]}" if reasons else "condensed mode"
            return SegmentChoice(id=segment.id, variant=variant, reason=fits, text=text, tokens=tokens)
        reasons.append(f"condensed, {lack}" if reasons else lack)
    return SegmentChoice(id=segment.id, variant="out", reason="; ".join(reasons))


def _lack_reason(segment: Segment, tokens: int, remaining_tokens: int | None) -> str:
    """Return why a text of this many tokens does not fit; empty if it fits."""
    if segment.max_tokens is not None and tokens > segment.max_tokens:
        return f"no room: needs {tokens:,} of its {segment.max_tokens:,} tokens"
    if remaining_tokens is not None and tokens > remaining_tokens:
        return f"no room: needs {tokens:,} of {remaining_tokens:,} tokens left"
    return ""


def _is_met(condition: Condition, context: Mapping[str, Scalar]) -> bool:
    value = context.get(condition.name)
    if value is None:
        return False
    if condition.test in ("is", "any"):
        return any(_is_equal(value, wanted) for wanted in condition.wanted)
    bound = condition.wanted[0]
    if isinstance(value, (bool, str)) or isinstance(bound, (bool, str)):
        return False
    return value >= bound if condition.test == "at_least" else value <= bound


def _is_equal(value: Scalar, wanted: Scalar) -> bool:
    """Return whether two values are equal; true is not equal to 1."""
    return isinstance(value, bool) == isinstance(wanted, bool) and value == wanted


def _failure_phrase(condition: Condition, context: Mapping[str, Scalar]) -> str:
    """Return a failed condition in words."""
    if condition.name not in context:
        return f"{condition.name} is not in the context"
    value = context[condition.name]
    if condition.test == "is" and isinstance(value, bool) and isinstance(condition.wanted[0], bool):
        return f"{condition.name} is {_value_text(value)}"
    alternatives = ", ".join(_value_text(known) for known in condition.wanted)
    words = {"is": "", "at_least": "at least ", "at_most": "at most ", "any": "one of "}[condition.test]
    return f"{condition.name} is {_value_text(value)}, not {words}{alternatives}"


def _value_text(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


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
