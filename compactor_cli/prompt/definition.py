"""A prompt as `prompt.yaml` describes it, and what was chosen of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

Scalar = bool | int | float | str
Given = Literal["text", "file", "tokens", "segments", "transcript", "default"]
"""Where a part comes from: `tokens` is a size alone, `transcript` the system messages of the transcript,
`default` the room that is left for a current message of which nothing is said."""

BEFORE = ("system_prompt", "agent_identity", "actions", "system_llm")
"""Parts before the history, in the order of seed 000."""
AFTER = ("task_prompt", "current_message")
"""Parts behind the history."""
CURRENT_MESSAGE = 50
"""Tokens reserved for a current message that is not given (seed 000)."""


class PromptPart(Struct, frozen=True, kw_only=True):
    """One part: its text, or the tokens that are reserved for it."""

    name: str
    given: Given
    text: str = ""
    reserved: int = 0


class Condition(Struct, frozen=True, kw_only=True):
    """What a segment asks of one name of the context."""

    name: str
    test: Literal["is", "at_least", "at_most", "any"]
    wanted: tuple[Scalar, ...]
    """One value; several for `any`."""


class Segment(Struct, frozen=True, kw_only=True):
    """A piece of the system prompt that is there when its conditions hold and the limit allows."""

    id: str
    text: str
    condensed: str | None = None
    when: tuple[Condition, ...] = ()
    priority: float = 0
    max_tokens: int | None = None


class Prompt(Struct, frozen=True, kw_only=True):
    """All of a `prompt.yaml`."""

    parts: Mapping[str, PromptPart] = field(default_factory=dict)
    residuals: int | str | None = None
    """Size of the residuals, for `budget`: tokens, or a text of that size; None: those of the transcript."""
    context: Mapping[str, Scalar] = field(default_factory=dict)
    segments: tuple[Segment, ...] = ()
    segment_tokens: int | None = None
    condensed: bool = False


class SegmentChoice(Struct, frozen=True, kw_only=True):
    """Whether a segment is in, as what, and why."""

    id: str
    variant: Literal["full", "condensed", "out"]
    reason: str
    text: str = ""
    tokens: int = 0
    """Tokens of what is in; 0 when it is out."""


class Sized(Struct, frozen=True, kw_only=True):
    """A part with what it takes of the total: its message, or the tokens reserved for it."""

    name: str
    given: Given
    tokens: int
    text: str = ""
    reserved: int = 0
    """Of the tokens those for which nothing is written here."""

    @property
    def written(self) -> bool:
        """Return whether a message is written for it."""
        return bool(self.text)
