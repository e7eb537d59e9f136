"""A prompt as described by `prompt.yaml`, and what was chosen from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

Scalar = bool | int | float | str
Given = Literal["text", "file", "tokens", "segments", "transcript", "default"]
"""How a part is given. `tokens`: only a size. `transcript`: the transcript's system messages. `default`: tokens kept
free for a current message that is not given."""

BEFORE = ("system_prompt", "agent_identity", "actions", "system_llm")
"""Parts before the history, in the order of seed 000."""
AFTER = ("task_prompt", "current_message")
"""Parts after the history."""
CURRENT_MESSAGE = 50
"""Tokens reserved for a current message that is not given (seed 000)."""


class PromptPart(Struct, frozen=True, kw_only=True):
    """One part: its text, or the number of tokens reserved for it."""

    name: str
    given: Given
    text: str = ""
    reserved: int = 0


class Condition(Struct, frozen=True, kw_only=True):
    """A condition of a segment on one name of the context."""

    name: str
    test: Literal["is", "at_least", "at_most", "any"]
    wanted: tuple[Scalar, ...]
    """One value, or several for `any`."""


class Segment(Struct, frozen=True, kw_only=True):
    """A piece of the system prompt, included when its conditions hold and the limit allows."""

    id: str
    text: str
    condensed: str | None = None
    when: tuple[Condition, ...] = ()
    priority: float = 0
    max_tokens: int | None = None


class Prompt(Struct, frozen=True, kw_only=True):
    """The contents of a `prompt.yaml`."""

    parts: Mapping[str, PromptPart] = field(default_factory=dict)
    residuals: int | str | None = None
    """Size of the residuals for `budget`: tokens, or a text of that size. None: the transcript's residuals."""
    context: Mapping[str, Scalar] = field(default_factory=dict)
    segments: tuple[Segment, ...] = ()
    segment_tokens: int | None = None
    condensed: bool = False


class SegmentChoice(Struct, frozen=True, kw_only=True):
    """Whether and in which variant a segment is included, and why."""

    id: str
    variant: Literal["full", "condensed", "out"]
    reason: str
    text: str = ""
    tokens: int = 0
    """Tokens of the included text; 0 if it is left out."""


class Sized(Struct, frozen=True, kw_only=True):
    """A part with its share of the total: the tokens of its message, or the reserved ones."""

    name: str
    given: Given
    tokens: int
    text: str = ""
    reserved: int = 0
    """The part of `tokens` for which nothing is written here."""

    @property
    def written(self) -> bool:
        """Return whether a message is written for this part."""
        return bool(self.text)
