"""What is asked of a language model, and what comes back. Whoever does the asking is passed in."""

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
    """What it is for, in words for people: `summary of messages 3-40`."""
    system: str
    """The system field; Anthropic gets system turns merged with it, OpenAI gets all in sequence."""
    turns: tuple[Turn, ...]
    max_tokens: int
    """Tokens that the answer may have."""
    schema: Mapping[str, Any] | None = None
    """JSON schema of the answer; None: free text."""


class ModelAnswer(Struct, frozen=True):
    """What came back, or why nothing did."""

    text: str = ""
    finish: Finish = "stop"
    """`length`: cut off at the limit. `tool`: it called a tool."""
    prompt_tokens: int | None = None
    """Tokens of the request as the provider counts them; None when it does not say."""
    completion_tokens: int | None = None
    failure: str = ""
    """Why there is no answer, in words for people; empty when there is one."""
    final: bool = False
    """Of a failure: whatever else is asked fails for the same reason, such as a wrong key."""
    billed: bool = False
    """Of a failure: it may be paid for all the same, as it was sent and nothing came back."""


class LanguageModel(Protocol):
    """Answers requests. It caches, retries and keeps to limits of time and cost; what it cannot get is a failure."""

    name: str
    context_limit: int
    """Tokens of request and answer together."""

    def ask(self, requests: Sequence[ModelRequest]) -> tuple[ModelAnswer, ...]:
        """Return one answer a request, in their order; several are asked at the same time."""

    def give_up(self, what: str, why: str, *, failed: bool = True) -> None:
        """Take note that `what` is done without the model. Raises ModelError when that is not allowed, but not
        where the model has not `failed` and was not asked at all."""
