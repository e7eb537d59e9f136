"""Choose which segments to include (seed 000): by their conditions, then by priority within the token limit."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from compactor_cli.prompt.definition import Condition, Prompt, Scalar, Segment, SegmentChoice

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
    prefer_condensed = condensed and segment.condensed is not None
    reasons = []
    if not prefer_condensed:
        tokens = count(segment.text)
        lack = _lack_reason(segment, tokens, remaining_tokens)
        if not lack:
            reason = "its conditions hold" if segment.when else "has no conditions"
            return SegmentChoice(id=segment.id, variant="full", reason=reason, text=segment.text, tokens=tokens)
        reasons.append(lack)
    if segment.condensed is not None:
        tokens = count(segment.condensed)
        lack = _lack_reason(segment, tokens, remaining_tokens)
        if not lack:
            reason = f"in full, {reasons[0]}" if reasons else "condensed mode"
            return SegmentChoice(
                id=segment.id, variant="condensed", reason=reason, text=segment.condensed, tokens=tokens
            )
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
