"""OpenAI chat completions, one message per line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from compactor_cli.formats.anthropic_blocks import BLOCK_TYPES
from compactor_cli.formats.base import EACH, Around, Builder, Counter, Format, ListPath, Reading
from compactor_cli.formats.call_ids import CallIds
from compactor_cli.formats.chat import ROLES, mark_outputs, message_parts, name_speakers, new_message, origin_in_chat
from compactor_cli.formats.foreign_calls import are_foreign
from compactor_cli.formats.roles import RESULT, Meaning, answers_named, make_talk, meaning
from compactor_cli.formats.runs import RUN_LISTS, counted_in_run
from compactor_cli.formats.values import block_kinds, inner, sum_of, word
from compactor_cli.model.message import LEGACY_ID, Message, Part, Place, Role
from compactor_cli.text.times import parse_time

_OURS_ALONE = ("tool_calls", "tool_call_id", "tool_call_ids", "function_call", "reasoning_content", "refusal")
_WITHOUT_OURS = frozenset(_OURS_ALONE).isdisjoint
_LIKE_A_REQUEST = 0.3
"""Recognition of a request under a role unknown to the API; low enough never to outweigh another format."""
_AI = "ai"
_OF_TRAJECTORIES = {"system_prompt", "mask"}
"""The role and extra keys that SWE-agent trajectories use in data sets."""


class OpenAIChat(Format):
    name = "openai-chat"
    title = "OpenAI chat completions: messages, requests, rows of data sets"
    summary_roles = ("user", "assistant", "system")
    generic = True
    lists = (
        *(ListPath((key,)) for key in ("messages", "history", "conversations", "conversation", "trajectory")),
        ListPath(("body", "messages")),
        ListPath(("samples", EACH, "messages")),
        ListPath(()),
        *RUN_LISTS,
    )

    usage_words = (b'"prompt_tokens"',)

    def recognize(self, value: Any) -> float:
        role = word(value, "role")
        if _text_key(value) and (role in ROLES or role == _AI) and _OF_TRAJECTORIES & value.keys():
            return 0.9
        if (meant_role := meaning(value)) is not None:
            return _LIKE_A_REQUEST if meant_role.asks else 0.0  # a message counts only if somebody asks in it
        if role not in ROLES or "content" not in value:
            # a message without content may be all that is left of a session
            role_only_fit = 0.3 if role in ROLES and len(value) == 1 else 0.0
            return 0.9 if role in ROLES and any(value.get(key) for key in _OURS_ALONE) else role_only_fit
        content = value["content"]
        if "toolCalls" in value:
            return 0.0
        if not _WITHOUT_OURS(value) or role in ("system", "developer", "function"):
            return 1.0
        if isinstance(content, list):
            kinds = block_kinds(content)
            if kinds & BLOCK_TYPES or kinds & {"tool-call", "tool-result"} or are_foreign(kinds):
                return 0.0
            return 0.9 if kinds & {"image_url", "input_audio", "refusal"} else 0.7
        return 0.8 if content is None or isinstance(content, str) else 0.3

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build, legacy, spoken = Builder(counter), CallIds(), False
        names: dict[int, str] = {}
        other_roles: list[tuple[int, str, str]] = []
        talking: bool | None = None
        answered_names: frozenset[str] = frozenset()
        waiting: list[Part] = []
        noted = 0  # number of messages already accounted for in `waiting`
        for record, value in enumerate(values):
            key = _text_key(value)
            role = "assistant" if key and word(value, "role") == _AI else ROLES.get(word(value, "role"))
            meant_role = meaning(value) if role is None and talking is not False else None
            if meant_role is not None and talking is None:  # determined only when needed, because it reads all records
                talking, answered_names = make_talk(values), answers_named(values)
                meant_role = meant_role if talking else None
            answered = None
            if meant_role is not None and meant_role.is_output:
                for message in build.messages[noted:]:
                    waiting = _open_calls(waiting, message.role, message.parts)
                noted = len(build.messages)
                answered = _answered_call(waiting, value, answered_names)
            if meant_role is not None:
                meant_role = meant_role if answered is None else RESULT
                role = meant_role.role
                other_roles.append((record, value["role"], meant_role.words))
            if role is None:
                continue  # not a message: passed through
            if key and role != "tool" and not value.get("tool_calls"):
                parts = [build.part("text", value[key], Place(record, (key,)))] if value[key] else []
            else:
                parts = message_parts(build, value, role, record, legacy)
            if answered is not None:
                legacy.close(answered.call_id, answered.name)
                parts = [replace(parts[0], name=parts[0].name or answered.name, call_id=answered.call_id)]
            spoken = spoken or role == "assistant"
            origin = origin_in_chat(role, value, parts, answering=spoken)
            if origin == "request" and meant_role is not None and not meant_role.is_request:
                origin = "injected"
            time, turn = parse_time(value.get("timestamp") or value.get("created_at")), _caller(build, meant_role)
            index = build.add(role, parts, (record,), id=word(value, "id"), timestamp=time, origin=origin, turn=turn)
            if role == "user" and (name := word(value, "name").strip()):
                names[index] = name
        name_speakers(build, names)
        return Reading(mark_outputs(build.messages), other_roles=other_roles)

    def usage(self, value: Any) -> int | None:
        """Return the record's own count, or that of the API reply saved next to an answer (mini-swe-agent)."""
        usages = (holder.get("usage") for holder in (value, inner(value, "extra", "response")))
        counts = (sum_of(usage, "prompt_tokens", "completion_tokens") for usage in usages)
        return next(filter(None, counts), None)

    counted = staticmethod(counted_in_run)

    def new_record(self, message: Message, around: Around) -> Any:
        template = around.template if _text_key(around.template) else {}
        if flags := _OF_TRAJECTORIES & template.keys():  # they identify the format when this record stands alone
            role = _AI if message.role == "assistant" else message.role
            key = "system_prompt" if role == "system" else "text"
            return {"role": role, **dict.fromkeys(sorted(flags)), key: message.parts[0].text}
        return new_message(message)


def _open_calls(open_calls: Sequence[Part], role: Role, parts: Sequence[Part]) -> list[Part]:
    """Return the calls still waiting for a result after a message with this role and these parts, oldest first.
    `open_calls`: the calls that were waiting before it."""
    if role == "tool":
        answers = {part.call_id for part in parts}
        return [call for call in open_calls if call.call_id not in answers]
    return [part for part in parts if part.kind == "tool_call"]


def _answered_call(waiting: Sequence[Part], value: Any, answered_names: frozenset[str]) -> Part | None:
    """Return the call that a tool output without a call id answers: the oldest of its name, or else the oldest.
    `answered_names`: calls that have a result of their own, from `answers_named`."""
    calls = [call for call in waiting if call.call_id not in answered_names]
    of_name = [call for call in calls if call.name == word(value, "name")]
    unnamed_calls = [call for call in calls if f"{LEGACY_ID}{call.name}" not in answered_names]
    return next(iter((*of_name, *unnamed_calls)), None)


def _caller(build: Builder, meant_role: Meaning | None) -> int | None:
    """Return the turn that the next message joins: the output of an action written as text stays or goes with the
    action."""
    last = build.messages[-1] if build.messages else None
    if meant_role is None or not meant_role.is_output or last is None:
        return None
    if last.turn is not None or last.role != "assistant" or last.origin == "summary" or last.calls:
        return last.turn
    build.messages[-1] = replace(last, turn=last.index)
    return last.index


def _text_key(value: Any) -> str:
    """Return the key under which a trajectory row (SWE-agent as a data set) has its text instead of `content`; else
    empty."""
    if not isinstance(value, dict) or "content" in value:
        return ""
    return next((key for key in ("text", "system_prompt") if isinstance(value.get(key), str)), "")
