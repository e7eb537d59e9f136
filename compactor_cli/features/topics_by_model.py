"""Topics of a session as a model sees them, from digests of its stretches (seed 003)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from compactor_cli.asking.answers import Answered, Question, RejectedError, ask_checked, estimate, read_json
from compactor_cli.asking.fence import fenced
from compactor_cli.asking.port import LanguageModel, ModelRequest, Turn
from compactor_cli.asking.prompt_files import prompt as read_prompt
from compactor_cli.features.topics import MOST, TITLE, cut_stretches, entitled, find_topics
from compactor_cli.features.work.ledger import call_actions
from compactor_cli.model.group import Group
from compactor_cli.model.message import Message
from compactor_cli.model.planning import Topic
from compactor_cli.text.clean import one_line
from compactor_cli.text.sentences import sentences

_prompt = partial(read_prompt, "compactor_cli.features")

_DIGESTS = (300, 200, 120, 60)
"""Characters of a digest; the first that fits the model is taken."""
_ANSWER, _STRETCH_ANSWER = 500, 8
"""Tokens of an answer: around the numbers of stretches, and for each of them."""
_SEARCHED, _TELLING = 600, 40
"""Characters of an answer that are searched for how it begins, and as many as its first sentences need."""

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


class _Sorted(Struct, frozen=True):
    """A topic as the model gave it; stretches are counted from 0."""

    title: str
    importance: float
    stretches: tuple[int, ...]


class ModelTopics:
    """Called as `find_topics` is, and does as it does where the model fails. A session is asked for once.

    Raises ModelError when falling back is not allowed.
    """

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._known: dict[str, Answered[tuple[_Sorted, ...]]] = {}

    def __call__(self, messages: Sequence[Message], groups: Sequence[Group]) -> tuple[Topic, ...]:
        """At most five topics in the order in which they came up; none for a session too short to sort, or
        about one thing."""
        stretches = cut_stretches(messages, groups)
        if len(stretches) < 2:
            return find_topics(messages, groups)
        found = self._sorted(messages, stretches).value
        if found is None:
            return find_topics(messages, groups)
        return tuple(_topic(one, stretches, messages) for one in found) if len(found) > 1 else ()

    def _sorted(self, messages: Sequence[Message], stretches: Sequence[list[Group]]) -> Answered[tuple[_Sorted, ...]]:
        request = _request(messages, stretches, self._model.context_limit)
        key = request.turns[-1].text
        if key not in self._known:
            (found,) = ask_checked(self._model, [Question(request, partial(_read_topics, stretches=len(stretches)))])
            if found.value is None:
                self._model.give_up("topics", found.why)
            self._known[key] = found
        return self._known[key]


def _topic(one: _Sorted, stretches: Sequence[list[Group]], messages: Sequence[Message]) -> Topic:
    groups = sorted((g for at in one.stretches for g in stretches[at]), key=lambda g: g.index)
    return Topic(entitled(one.title, groups, messages), tuple(g.index for g in groups), one.importance)


def _request(messages: Sequence[Message], stretches: Sequence[list[Group]], limit: int) -> ModelRequest:
    """The digests, as long as the model can take them; the shortest ones when it can take none."""
    system, directive = _prompt("topics"), _prompt("directive")
    most = _ANSWER + _STRETCH_ANSWER * len(stretches)
    room = limit - most - estimate(system + directive)
    data = ""
    for width in _DIGESTS:
        data = "\n".join(
            fenced("summary", _digest(messages, own, width), stretch=at) for at, own in enumerate(stretches, 1)
        )
        if estimate(data) <= room:
            break
    return ModelRequest("topics", system, (Turn("user", f"{data}\n\n{directive}"),), most, _SCHEMA)


def _digest(messages: Sequence[Message], groups: Sequence[Group], width: int) -> str:
    """Return what was asked first, how the answers begin, and the files that were touched; the tools where that is
    all."""
    own = [messages[i] for g in groups for i in g.messages]
    asked = next((m.text("text") for m in own if m.origin == "request"), "")
    answers = [text for m in own if m.role == "assistant" and m.origin == "other" and (text := m.text("text").strip())]
    # the last one tells what came of it
    begun = dict.fromkeys(map(_begin, answers[:1] + answers[1:][-1:]))
    touched = [_short(path) for m in own for call in m.calls for path, _ in call_actions(call)]
    tools = [call.name for m in own for call in m.calls]
    lines = (
        ("asked", asked, width // 2),
        ("answered", " | ".join(one_line(text, width // 5) for text in begun), width // 2),
        ("files", ", ".join(dict.fromkeys(touched)), width // 4),
        ("tools", "" if touched else ", ".join(dict.fromkeys(tools)), width // 4),
    )
    return "\n".join(f"{name}: {one_line(text, room)}" for name, text, room in lines if text.strip())


def _begin(text: str) -> str:
    """The first sentences of an answer: as many as it takes to say something."""
    begun = ""
    for sentence in sentences(text[:_SEARCHED]):
        begun = f"{begun} {sentence}".strip()
        if len(begun) >= _TELLING:
            break
    return begun


def _short(path: str) -> str:
    """The name of a file and of its folder."""
    return "/".join(path.replace("\\", "/").rsplit("/", 2)[-2:])


def _read_topics(text: str, *, stretches: int) -> tuple[_Sorted, ...]:
    """The topics in the order in which they came up, the most important one with 1. Raises RejectedError
    unless each stretch is in one of them, and titles and importance can be used."""
    entries = read_json(text, _SCHEMA)["topics"]
    if not 1 <= len(entries) <= MOST:
        raise RejectedError(f"there are {len(entries)} topics; there have to be 1 to {MOST}")
    given = sorted(int(number) for entry in entries for number in entry["stretches"])
    if given != list(range(1, stretches + 1)):
        raise RejectedError(f"the stretches are not each of the numbers 1 to {stretches} exactly once")
    if not all(entry["stretches"] for entry in entries):
        raise RejectedError("a topic has no stretches")
    if not all(0 <= entry["importance"] <= 1 for entry in entries):
        raise RejectedError("an importance is not between 0 and 1")
    heaviest = max(entry["importance"] for entry in entries)
    if not heaviest:
        raise RejectedError("no topic has any importance")
    found = [
        _Sorted(
            _clean_title(entry["title"]),
            round(entry["importance"] / heaviest, 3),
            tuple(sorted(int(number) - 1 for number in entry["stretches"])),
        )
        for entry in entries
    ]
    return tuple(sorted(found, key=lambda topic: topic.stretches))


def _clean_title(title: str) -> str:
    """A title on one line without marks of headings, so that it cannot be taken for anything else."""
    clean = one_line(title.replace("#", " "), TITLE).strip(" *_`\"'")
    clean = clean[len("topic:") :].strip() if clean.lower().startswith("topic:") else clean
    if not any(map(str.isalnum, clean)):
        raise RejectedError("a topic has no title")
    return clean
