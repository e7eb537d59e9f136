"""Language models for tests: one in memory with scripted answers, and the real asker with a scripted provider."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from compactor_cli.asking.port import ModelAnswer, ModelRequest
from compactor_cli.errors import ModelError
from compactor_cli.llm.asker import Asker
from compactor_cli.llm.litellm_client import LitellmClient
from compactor_cli.settings import LlmSettings
from tests.llm.server import Provider

MakeAsker = Callable[[str], Asker]
"""Makes the real asker for a model, which asks the provider on loopback."""
AnswerRequest = Callable[[ModelRequest], ModelAnswer | str]


class ScriptedModel:
    """A model that gives scripted answers in order, and repeats the last one. An answer may be a function of the
    request. A string stands for an answer that ended by itself."""

    name = "scripted"

    def __init__(
        self, *answers: ModelAnswer | str | AnswerRequest, context_limit: int = 128_000, strict: bool = False
    ) -> None:
        self.context_limit = context_limit
        self.rounds: list[tuple[ModelRequest, ...]] = []
        self.given_up: list[tuple[str, str]] = []
        self._answers, self._strict = answers, strict

    @property
    def requests(self) -> list[ModelRequest]:
        return [request for asked in self.rounds for request in asked]

    def ask(self, requests: Sequence[ModelRequest]) -> tuple[ModelAnswer, ...]:
        first = len(self.requests)
        self.rounds.append(tuple(requests))
        return tuple(self._answer(first + at, request) for at, request in enumerate(requests))

    def _answer(self, number: int, request: ModelRequest) -> ModelAnswer:
        scripted = self._answers[min(number, len(self._answers) - 1)]
        said = scripted if isinstance(scripted, (str, ModelAnswer)) else scripted(request)
        return ModelAnswer(said) if isinstance(said, str) else said

    def give_up(self, what: str, why: str, *, failed: bool = True) -> None:
        self.given_up.append((what, why))
        if self._strict:
            raise ModelError(f"{what}: {why}")


def request_text(request: ModelRequest) -> str:
    """Return the whole text of a request."""
    return "\n".join((request.system, *(turn.text for turn in request.turns)))


def tagged_texts(text: str, name: str, key: str) -> dict[int, str]:
    """Return number -> text of the elements `<name key="number" ...>` in a request."""
    found = re.findall(rf'<{name} {key}="(\d+)"[^>]*>\n(.*?)\n</{name}>', text, re.DOTALL)
    return {int(number): body for number, body in found}


@pytest.fixture
def connected(provider: Provider, loaded_litellm: Any) -> MakeAsker:
    """Return a function that makes real askers of the provider."""

    def connect(name: str) -> Asker:
        settings = LlmSettings(api_base=provider.api_base(name), backoff=0.01, retries=1)
        return Asker(name, settings, count=len, say=lambda line: None, send=LitellmClient(name, settings))

    return connect
