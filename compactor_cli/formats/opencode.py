"""opencode sessions: `{info, messages: [{info, parts}]}` as exported, the list that its server sends, or one message
per line.

A tool part is a call and its result. A finished compaction is a user message with a `compaction` part and the
summary that answers it. It replaces all history before its `tail_start_id`; the replaced records pass through.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from compactor_cli.formats import jsonedit
from compactor_cli.formats.base import Around, Builder, Counter, Format, ListPath, Reading
from compactor_cli.formats.copies import shortened_copies
from compactor_cli.formats.opencode_records import new_message
from compactor_cli.formats.turns import add_request
from compactor_cli.formats.values import as_text, inner, listed, numbers_in, objects, sum_of, word
from compactor_cli.model.injected import origin_of, origin_of_parts
from compactor_cli.model.message import Message, Part, Path, Place
from compactor_cli.model.transcript import Link
from compactor_cli.text.times import parse_time

CLEARED_RESULT = "[Old tool result content cleared]"
INTERRUPTED_RESULT = "[Tool execution was interrupted]"
"""What the model gets instead of a result."""
_UNFINISHED_STATES = ("pending", "running", "error")
"""Statuses of a call without output. Older versions use statuses other than `completed` for finished calls."""
_QUESTION = "What did we do so far?"
"""What the model gets for a compaction part."""
_SUBTASK = "The following tool was executed by the user"
_UNSENT_FILES = ("text/plain", "application/x-directory")
"""Kinds of files whose text is in a separate part."""


class OpenCode(Format):
    name = "opencode"
    title = "opencode exports, messages of its server, its database and storage"
    lists = (ListPath(("messages",)), ListPath(()))
    tip_path = ("info", "parentID")
    boundary_is_message = True

    def recognize(self, value: Any) -> float:
        info = value.get("info") if isinstance(value, dict) else None
        if word(info, "role") not in ("user", "assistant") or not isinstance(value.get("parts"), list):
            return 0.0
        return 1.0 if word(info, "id") and word(info, "sessionID") else 0.0

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build = Builder(counter)
        context = _context(values)
        last = max((record for record, value in enumerate(values) if self.recognize(value)), default=-1)
        for record in range(context.start, len(values)):
            value = values[record]
            if not self.recognize(value) or record == context.answer:
                continue
            if record == context.boundary:
                _read_boundary(build, values, context)
            elif value["info"]["role"] == "user":
                _read_user(build, value, record, pinned=record == context.tail)
            elif _is_sent(value):
                _read_assistant(build, value, record, pinned=record == context.tail, newest=record == last)
        # answers name their request; a removed request is replaced by one that remains
        is_user = [self.recognize(v) and word(v["info"], "role") == "user" for v in values]
        links = [Link(v["info"]["id"], "") if is_sent else None for v, is_sent in zip(values, is_user, strict=True)]
        session = next((v["info"]["sessionID"] for v in values if self.recognize(v)), "")
        outside = {index for index in range(context.start) if self.recognize(values[index])}
        return Reading(build.messages, links=links, outside=outside, session_id=session)

    def new_record(self, message: Message, around: Around) -> Any:
        return new_message("assistant" if message.role == "assistant" else "user", message, around)

    usage_words = (b'"tokens"',)

    def usage(self, value: Any) -> int | None:
        info = value.get("info")
        if not isinstance(info, dict) or info.get("summary") is True:
            return None  # the count of a summary covers the history that it replaces
        steps = [part.get("tokens") for part in _parts_of(value) if part.get("type") == "step-finish"]
        counts = next((tokens for tokens in reversed(steps) if sum_of(tokens, "input", "output")), info.get("tokens"))
        if not isinstance(counts, dict):
            return None
        cached = sum_of(counts.get("cache"), "read", "write") or 0
        answered = sum_of(counts, "input", "output")
        return sum_of(counts, "total") or (answered + cached if answered else None)

    def counts(self, value: Any) -> list[Path]:
        holders: list[tuple[Any, Path]] = [(value.get("info"), ("info", "tokens"))]
        holders += [(part, ("parts", n, "tokens")) for n, part in objects(value.get("parts"))]
        paths: list[Path] = []
        for holder, path in holders:
            tokens = inner(holder, "tokens")
            paths += [*numbers_in(tokens, path), *numbers_in(tokens.get("cache"), (*path, "cache"))]
        return paths

    def edits(self, raw: bytes, edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
        changes: dict[Path, str] = {}
        value = json.loads(raw)
        for part, text in edited:
            if part.place is None:
                continue
            path = part.place.path
            if part.place.encoding.startswith("block:"):
                changes[path] = jsonedit.dump(_as_text_part(value["parts"][path[1]], text))
                continue
            changes |= super().edits(raw, [(part, text)])
            if part.kind == "tool_result":
                changes |= _copies(value["parts"][path[1]], path, text)
        return changes


class _Context(NamedTuple):
    """The records that the model sees: those from `start` on."""

    start: int
    boundary: int = -1
    """The request for the summary that replaces the records before it; -1 if there is none."""
    answer: int = -1
    """The summary."""
    tail: int = -1
    """The first message before the boundary that is kept along with the summary."""


def _context(values: Sequence[Any]) -> _Context:
    """Search backwards for the newest finished compaction, as the agent does."""
    completed: dict[str, int] = {}
    ids = {word(v.get("info"), "id"): index for index, v in enumerate(values) if isinstance(v, dict)}
    for record in range(len(values) - 1, -1, -1):
        info = values[record].get("info") if isinstance(values[record], dict) else None
        if not isinstance(info, dict):
            continue
        part = next((p for p in _parts_of(values[record]) if p.get("type") == "compaction"), None)
        if info.get("role") == "user" and word(info, "id") in completed and part is not None:
            answer = completed[word(info, "id")]
            tail = part.get("tail_start_id")
            if not tail:
                return _Context(record, record, answer)
            start = ids.get(str(tail), record)
            return _Context(start, record, answer, start) if start < record else _Context(0, record, answer)
        is_done = info.get("summary") is True and info.get("finish") and not info.get("error")
        if info.get("role") == "assistant" and is_done:
            completed[as_text(info.get("parentID"))] = record
    return _Context(0)


def _parts_of(value: Any) -> list[dict[str, Any]]:
    return [part for _, part in objects(value.get("parts") if isinstance(value, dict) else None)]


def _time(value: Any) -> float | None:
    return parse_time(inner(value, "info", "time").get("created"))


def _is_sent(value: Any) -> bool:
    """Return whether the model gets an answer. A failed one is not sent, unless it was aborted and has content."""
    error = value["info"].get("error")
    if not error:
        return True
    has_content = any(part.get("type") not in ("step-start", "reasoning") for part in _parts_of(value))
    return word(error, "name") == "MessageAbortedError" and has_content


def _read_boundary(build: Builder, values: Sequence[Any], context: _Context) -> None:
    """Read the request for the summary and the summary as one message: neither makes sense alone."""
    answer = values[context.answer]
    parts = [build.part("text", _QUESTION)]
    parts += [part for step in _steps(build, answer, context.answer) for part in step.parts if part.kind == "text"]
    records, name = (context.boundary, context.answer), answer["info"]["id"]
    build.add("assistant", parts, records, id=name, timestamp=_time(answer), origin="summary", pinned=True)


def _read_user(build: Builder, value: Any, record: int, *, pinned: bool) -> None:
    request_parts: list[Part] = []
    more_parts: list[Part] = []
    typed: list[str] = []
    for index, part in enumerate(value["parts"]):
        kind = word(part, "type")
        path: Path = ("parts", index)
        if kind == "text" and not part.get("ignored"):
            text = as_text(part.get("text"))
            parts = more_parts if part.get("synthetic") else request_parts
            parts.append(build.part("text", text, Place(record, (*path, "text"))))
            typed += [] if part.get("synthetic") else [text]
        elif kind == "file" and part.get("mime") not in _UNSENT_FILES:
            if word(part, "mime").startswith("image/"):
                request_parts.append(build.image(Place(record, path, "block:text")))
            else:
                request_parts.append(build.part("other", word(part, "filename") or word(part, "mime")))
        elif kind in ("compaction", "subtask"):
            request_parts.append(build.part("text", _QUESTION if kind == "compaction" else _SUBTASK))
    origin = origin_of("\n".join(typed))
    if origin == "other":  # nothing typed: the agent's own words, or only files
        request_parts, more_parts = [*request_parts, *more_parts], []
        origin = "request" if all(part.kind != "text" for part in request_parts) else "injected"
    if request_parts:  # otherwise nothing is sent
        name, time = value["info"]["id"], _time(value)
        add_request(build, request_parts, more_parts, (record,), id=name, timestamp=time, origin=origin, pinned=pinned)


class _Step(NamedTuple):
    """One answer of the model, and the results of its calls."""

    parts: list[Part]
    seen: list[Part]


def _read_assistant(build: Builder, value: Any, record: int, *, pinned: bool, newest: bool) -> None:
    steps = [step for step in _steps(build, value, record) if step.parts]
    name, time = value["info"]["id"], _time(value)
    for number, step in enumerate(steps):
        own_id, pin = f"{name}/{number}" if number else name, pinned and number == 0
        origin = origin_of_parts(step.parts, by_user=False)
        build.add("assistant", step.parts, (record,), id=own_id, timestamp=time, origin=origin, turn=record, pinned=pin)
        running = newest and number == len(steps) - 1
        seen = [part for part in step.seen if not (running and part.text == INTERRUPTED_RESULT and part.place is None)]
        if seen:
            build.add("tool", seen, (record,), id=f"{own_id}/results", timestamp=time, turn=record)


def _steps(build: Builder, value: Any, record: int) -> Iterator[_Step]:
    """Yield the answers in a message of the agent; each begins with a `step-start` part."""
    step = _Step([], [])
    for index, part in enumerate(value["parts"]):
        kind = word(part, "type")
        if kind == "step-start" and step.parts:
            yield step
            step = _Step([], [])
        elif kind == "text":
            step.parts.extend(build.text(as_text(part.get("text")), record, ("parts", index, "text")))
        elif kind == "reasoning":
            step.parts.append(build.part("thinking", as_text(part.get("text"))))
        elif kind == "tool":
            call, result = _tool(build, part, record, index)
            step.parts.append(call)
            step.seen.append(result)
    yield step


def _tool(build: Builder, part: dict[str, Any], record: int, index: int) -> tuple[Part, Part]:
    state = inner(part, "state")
    path: Path = ("parts", index, "state")
    name, call_id = word(part, "tool"), word(part, "callID")
    call = build.call(state.get("input"), record, (*path, "input"), name=name, call_id=call_id)
    text, key, failed = _output(state, name)
    text_place = Place(record, (*path, *key)) if key else None
    files = listed(state.get("attachments")) if text != CLEARED_RESULT else []
    images = sum(word(file, "mime").startswith("image/") for file in files)
    return call, build.part("tool_result", text, text_place, name=name, call_id=call_id, failed=failed, images=images)


def _output(state: dict[str, Any], name: str) -> tuple[str, Path, bool]:
    """Return what the model gets as a call's result, its path in the state, and whether it reports a failure."""
    metadata = inner(state, "metadata")
    status = state.get("status")
    if status == "completed" or (status not in _UNFINISHED_STATES and isinstance(state.get("output"), str)):
        failed = name == "invalid" or metadata.get("exit") not in (None, 0)
        if inner(state, "time").get("compacted"):
            return CLEARED_RESULT, (), failed
        return as_text(state.get("output")), ("output",) if isinstance(state.get("output"), str) else (), failed
    if status == "error":
        if metadata.get("interrupted") is True and isinstance(metadata.get("output"), str):
            return metadata["output"], ("metadata", "output"), True
        return as_text(state.get("error")), ("error",) if isinstance(state.get("error"), str) else (), True
    return INTERRUPTED_RESULT, (), True


def _copies(part: dict[str, Any], path: Path, text: str) -> dict[Path, str]:
    """Return the changes to `metadata`, which repeats outputs for display."""
    metadata = part["state"].get("metadata")
    if not isinstance(metadata, dict) or path[-1] != "output" or "metadata" in path:
        return {}
    return shortened_copies(metadata, ("parts", path[1], "state", "metadata"), text, jsonedit.dump({}))


def _as_text_part(part: dict[str, Any], text: str) -> dict[str, Any]:
    """Return a text part with the ids of a picture's part, to replace the picture."""
    ids = ("id", "sessionID", "messageID")
    return {**{key: value for key, value in part.items() if key in ids}, "type": "text", "text": text}
