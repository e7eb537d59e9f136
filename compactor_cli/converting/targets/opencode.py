"""Convert to opencode sessions for `opencode import`; a call and its result form one part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from compactor_cli.converting import fitting
from compactor_cli.converting.base import Attribute, Home, Target, WriteContext, digest, first_time, millis, times
from compactor_cli.converting.message_content import Conversation, Item, SpeakerTurn
from compactor_cli.formats.opencode_records import NO_TOKENS

_AGENT = "build"
_MODEL = {"providerID": "unknown", "modelID": "unknown"}
_VERSION = "1.2.0"
_TITLE = 60


class ToOpenCode(Target):
    name = "opencode"
    purpose = "a session that opencode can import and resume"
    closes = True
    holds = frozenset[Attribute](("time", "failed", "injected"))

    def fit(self, turns: fitting.Turns) -> fitting.Turns:
        return fitting.fit_for_agent(turns, 64, 128)

    def records(self, conversation: Conversation, context: WriteContext) -> Iterable[Any]:
        session = _session_id(conversation)
        start = millis(first_time(conversation, context))
        results = {item.link: item for turn, item in conversation.items() if item.kind == "result"}
        messages: list[dict[str, Any]] = []
        request_id, time_ms = "", 0
        for turn, time in zip(conversation.turns, times(conversation, context), strict=True):
            if turn.role == "tool":
                continue
            time_ms = max(time_ms, millis(time))  # the agent sorts by time
            message_place = _Place(session, len(messages), time_ms, context.key)
            request_id = message_place.message if turn.role == "user" else request_id
            info = _assistant_info(turn, time_ms, request_id, conversation.cwd)
            info = _user_info(time_ms) if turn.role == "user" else info
            parts = [part for item in turn.items for part in message_place.parts(turn, item, results)]
            messages.append({"info": {"id": message_place.message, "sessionID": session, **info}, "parts": parts})
        info = {
            "id": session,
            "slug": "converted",
            "projectID": "global",
            "directory": conversation.cwd,
            "title": _title(conversation),
            "version": _VERSION,
            "time": {"created": start, "updated": max(start, time_ms)},
        }
        return [{"info": info, "messages": messages}]

    def file_name(self, conversation: Conversation, context: WriteContext) -> str:
        return f"{_session_id(conversation)}.json"

    def home(self, conversation: Conversation, context: WriteContext) -> Home | None:
        name = self.file_name(conversation, context)
        return Home(name, f"opencode import {name} && opencode -s {_session_id(conversation)}")


def _session_id(conversation: Conversation) -> str:
    return f"ses_{digest(conversation.session_id)[:26]}"


def _title(conversation: Conversation) -> str:
    """Return the beginning of the first request as the title."""
    requests = (item.text for turn, item in conversation.items() if turn.origin == "request" and item.kind == "text")
    return " ".join(next(requests, "").split())[:_TITLE] or "Converted session"


def _user_info(time_ms: int) -> dict[str, Any]:
    return {"role": "user", "time": {"created": time_ms}, "agent": _AGENT, "model": _MODEL}


def _assistant_info(turn: SpeakerTurn, time_ms: int, parent: str, cwd: str) -> dict[str, Any]:
    calls = any(item.kind == "call" for item in turn.items)
    return {
        "role": "assistant",
        "time": {"created": time_ms, "completed": time_ms},
        "parentID": parent,
        **_MODEL,
        "mode": _AGENT,
        "agent": _AGENT,
        "path": {"cwd": cwd, "root": cwd},
        "cost": 0,
        "tokens": NO_TOKENS,
        "finish": "tool-calls" if calls else "stop",
    }


@dataclass(slots=True)
class _Place:
    """A message and the ids in it, which ascend because the agent sorts by them."""

    session: str
    number: int
    time_ms: int
    key: str
    count: int = 0

    @property
    def message(self) -> str:
        return f"msg_{self.number:012x}{digest(self.key, 'message', self.number)[:14]}"

    def part(self, type: str, **rest: Any) -> dict[str, Any]:
        self.count += 1
        part_id = f"prt_{self.number:06x}{self.count:06x}{digest(self.key, 'part', self.number, self.count)[:14]}"
        return {"id": part_id, "sessionID": self.session, "messageID": self.message, "type": type, **rest}

    def parts(self, turn: SpeakerTurn, item: Item, results: Mapping[int, Item]) -> Iterator[dict[str, Any]]:
        time = {"start": self.time_ms, "end": self.time_ms}
        if item.kind == "call":
            yield self.part("tool", callID=item.call_id, tool=item.name, state=self._state(item, results[item.link]))
        elif item.kind == "thinking":
            yield self.part("reasoning", text=item.text, time=time)
        elif item.kind == "text":
            typed = {"synthetic": True} if turn.origin == "injected" else {}
            yield self.part("text", text=item.text, **typed)
        if item.kind != "call":
            yield from self._files(item)

    def _files(self, item: Item) -> list[dict[str, Any]]:
        return [self.part("file", mime=p.media_type, url=p.address) for p in item.pictures]

    def _state(self, call: Item, result: Item) -> dict[str, Any]:
        """Return how a call ended. An error cannot hold pictures, so one with pictures becomes a failed command."""
        time = {"start": self.time_ms, "end": self.time_ms}
        if result.failed and not result.pictures:
            return {"status": "error", "input": fitting.arguments(call), "error": result.text, "time": time}
        ended = {"exit": 1} if result.failed else {}
        state = {
            "status": "completed",
            "input": fitting.arguments(call),
            "output": result.text,
            "title": call.name,
            "metadata": ended,
            "time": time,
        }
        return {**state, "attachments": self._files(result)} if result.pictures else state
