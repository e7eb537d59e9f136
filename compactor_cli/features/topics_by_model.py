"""Find the topics of a session with a model, from digests of its stretches (seed 003)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from compactor_cli.asking.answers import CheckedAnswer, Question, RejectedError, ask_checked, estimate_tokens, read_json
from compactor_cli.asking.fence import fenced
from compactor_cli.asking.port import LanguageModel, ModelRequest, Turn
from compactor_cli.asking.prompt_files import read_prompt_file as read_prompt
from compactor_cli.features.topics import MAX_TITLE_CHARS, MAX_TOPICS, cut_stretches, find_topics, topic_heading
from compactor_cli.features.work.ledger import call_actions
from compactor_cli.model.group import Group
from compactor_cli.model.message import Message
from compactor_cli.model.planning import Topic
from compactor_cli.text.clean import one_line
from compactor_cli.text.sentences import split_sentences

_prompt = partial(read_prompt, "compactor_cli.features")

_DIGEST_CHARS = (300, 200, 120, 60)
"""Lengths of a digest; the first that fits the model is used."""
_ANSWER_TOKENS, _STRETCH_ANSWER_TOKENS = 500, 8
"""Tokens of an answer: a constant part, and the part for each stretch."""
_SEARCHED_CHARS, _MIN_BEGINNING_CHARS = 600, 40
"""Characters of an answer that are searched for its first sentences, and the minimum length of these."""

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["topics"],
    "properties": {
        "topics": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["title", "importance", "stretches"],
                "properties": {
                    "title": {"type": "string"},
                    "importance": {"type": "number"},
                    "stretches": {"type": "array", "items": {"type": "integer"}},
                },
            },
        }
    },
}


class _RawTopic(Struct, frozen=True):
    """A topic as returned by the model; stretches are numbered from 0."""

    title: str
    importance: float
    stretches: tuple[int, ...]


class ModelTopics:
    """Has the interface of `find_topics`, and falls back to it if the model fails. The model is asked once per session.

    Raises ModelError when fallback is not allowed.
    """

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._answers: dict[str, CheckedAnswer[tuple[_RawTopic, ...]]] = {}

    def __call__(self, messages: Sequence[Message], groups: Sequence[Group]) -> tuple[Topic, ...]:
        """Return at most five topics in the order in which they came up; none for a session that is too short or has
        only one topic."""
        stretches = cut_stretches(messages, groups)
        if len(stretches) < 2:
            return find_topics(messages, groups)
        topics = self._ask_topics(messages, stretches).value
        if topics is None:
            return find_topics(messages, groups)
        return tuple(_topic(topic, stretches, messages) for topic in topics) if len(topics) > 1 else ()

    def _ask_topics(
        self, messages: Sequence[Message], stretches: Sequence[list[Group]]
    ) -> CheckedAnswer[tuple[_RawTopic, ...]]:
        request = _request(messages, stretches, self._model.context_limit)
        key = request.turns[-1].text
        if key not in self._answers:
            (answer,) = ask_checked(self._model, [Question(request, partial(_read_topics, stretches=len(stretches)))])
            if answer.value is None:
                self._model.give_up("topics", answer.why)
            self._answers[key] = answer
        return self._answers[key]


def _topic(topic: _RawTopic, stretches: Sequence[list[Group]], messages: Sequence[Message]) -> Topic:
    groups = sorted((g for i in topic.stretches for g in stretches[i]), key=lambda g: g.index)
    return Topic(topic_heading(topic.title, groups, messages), tuple(g.index for g in groups), topic.importance)


def _request(messages: Sequence[Message], stretches: Sequence[list[Group]], limit: int) -> ModelRequest:
    """Return the request with the longest digests that fit the model; with the shortest ones if none fit."""
    system, directive = _prompt("topics"), _prompt("directive")
    answer_tokens = _ANSWER_TOKENS + _STRETCH_ANSWER_TOKENS * len(stretches)
    data_tokens = limit - answer_tokens - estimate_tokens(system + directive)
    data = ""
    for width in _DIGEST_CHARS:
        data = "\n".join(
            fenced("summary", _digest(messages, stretch, width), stretch=i) for i, stretch in enumerate(stretches, 1)
        )
        if estimate_tokens(data) <= data_tokens:
            break
    return ModelRequest("topics", system, (Turn("user", f"{data}\n\n{directive}"),), answer_tokens, _SCHEMA)


def _digest(messages: Sequence[Message], groups: Sequence[Group], width: int) -> str:
    """Return the first request, the beginnings of answers, and the touched files of a stretch; if no files were
    touched, the tools."""
    members = [messages[i] for g in groups for i in g.messages]
    request = next((m.text("text") for m in members if m.origin == "request"), "")
    answers = [
        text for m in members if m.role == "assistant" and m.origin == "other" and (text := m.text("text").strip())
    ]
    # the last one states the outcome
    beginnings = dict.fromkeys(map(_beginning, answers[:1] + answers[1:][-1:]))
    touched = [_short_path(path) for m in members for call in m.calls for path, _ in call_actions(call)]
    tools = [call.name for m in members for call in m.calls]
    lines = (
        ("asked", request, width // 2),
        ("answered", " | ".join(one_line(text, width // 5) for text in beginnings), width // 2),
        ("files", ", ".join(dict.fromkeys(touched)), width // 4),
        ("tools", "" if touched else ", ".join(dict.fromkeys(tools)), width // 4),
    )
    return "\n".join(f"{name}: {one_line(text, max_chars)}" for name, text, max_chars in lines if text.strip())


def _beginning(text: str) -> str:
    """Return the first sentences of an answer, up to a minimum length."""
    beginning = ""
    for sentence in split_sentences(text[:_SEARCHED_CHARS]):
        beginning = f"{beginning} {sentence}".strip()
        if len(beginning) >= _MIN_BEGINNING_CHARS:
            break
    return beginning


def _short_path(path: str) -> str:
    """Return the last part of a path and its folder."""
    return "/".join(path.replace("\\", "/").rsplit("/", 2)[-2:])


def _read_topics(text: str, *, stretches: int) -> tuple[_RawTopic, ...]:
    """Return the topics in the order in which they came up, with the highest importance scaled to 1. Raises
    RejectedError unless each stretch is in exactly one topic, and titles and importance are valid."""
    entries = read_json(text, _SCHEMA)["topics"]
    if not 1 <= len(entries) <= MAX_TOPICS:
        raise RejectedError(f"there are {len(entries)} topics; there have to be 1 to {MAX_TOPICS}")
    numbers = sorted(int(number) for entry in entries for number in entry["stretches"])
    if numbers != list(range(1, stretches + 1)):
        raise RejectedError(f"the stretches are not each of the numbers 1 to {stretches} exactly once")
    if not all(entry["stretches"] for entry in entries):
        raise RejectedError("a topic has no stretches")
    if not all(0 <= entry["importance"] <= 1 for entry in entries):
        raise RejectedError("an importance is not between 0 and 1")
    heaviest = max(entry["importance"] for entry in entries)
    if not heaviest:
        raise RejectedError("no topic has any importance")
    topics = [
        _RawTopic(
            _clean_title(entry["title"]),
            round(entry["importance"] / heaviest, 3),
            tuple(sorted(int(number) - 1 for number in entry["stretches"])),
        )
        for entry in entries
    ]
    return tuple(sorted(topics, key=lambda topic: topic.stretches))


def _clean_title(title: str) -> str:
    """Return a title on one line without heading marks, so that it cannot be mistaken for anything else."""
    clean = one_line(title.replace("#", " "), MAX_TITLE_CHARS).strip(" *_`\"'")
    clean = clean[len("topic:") :].strip() if clean.lower().startswith("topic:") else clean
    if not any(map(str.isalnum, clean)):
        raise RejectedError("a topic has no title")
    return clean
