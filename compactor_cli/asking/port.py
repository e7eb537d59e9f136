"""Requests to a language model and its answers. Callers are passed the object that asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from msgspec import Struct

Speaker = Literal["system", "user", "assistant"]
Finish = Literal["stop", "length", "tool", "other"]


class Turn(NamedTuple):
    """One message of a request."""

    role: Speaker
    text: str


class ModelRequest(Struct, frozen=True):
    """One request: a system prompt, and messages with roles of their own."""

    purpose: str
    """What the request is for, in words for people: `summary of messages 3-40`."""
    system: str
    """The system prompt. Anthropic gets it merged with system turns; OpenAI gets everything in sequence."""
    turns: tuple[Turn, ...]
    max_tokens: int
    """Maximum tokens of the answer."""
    schema: Mapping[str, Any] | None = None
    """JSON schema of the answer; None for free text."""


class ModelAnswer(Struct, frozen=True):
    """The model's answer, or the reason why there is none."""

    text: str = ""
    finish: Finish = "stop"
    """`length`: cut off at the limit. `tool`: the model called a tool."""
    prompt_tokens: int | None = None
    """Tokens of the request as counted by the provider; None if it gives no count."""
    completion_tokens: int | None = None
    failure: str = ""
    """Why there is no answer, in words for people; empty if there is one."""
    final: bool = False
    """For a failure: whether every further request would fail for the same reason, such as a wrong key."""
    billed: bool = False
    """For a failure: whether it may be billed, because the request was sent but no answer arrived."""


class LanguageModel(Protocol):
    """Answers requests. It caches, retries, and respects limits on time and cost; anything else ends as a failure."""

    name: str
    context_limit: int
    """Maximum tokens of request and answer together."""

    def ask(self, requests: Sequence[ModelRequest]) -> tuple[ModelAnswer, ...]:
        """Return one answer per request, in order; several are asked at the same time."""

    def give_up(self, what: str, why: str, *, failed: bool = True) -> None:
        """Record that `what` is done without the model. Raises ModelError if that is not allowed, unless `failed` is
        False because the model was never asked."""
