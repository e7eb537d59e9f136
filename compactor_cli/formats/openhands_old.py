"""Events of OpenHands 0.x: an action, and the observation that it caused.

With `tool_call_metadata`, the record holds the model's own answer, which is sent again; `args` repeats it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from compactor_cli.formats import jsonedit
from compactor_cli.formats.base import Builder
from compactor_cli.formats.copies import equal_copies, shortened_copies, shortened_texts, value_at
from compactor_cli.formats.openhands_views import SentView
from compactor_cli.formats.values import as_text, edit_value, inner, listed, objects, sum_of, word
from compactor_cli.model.injected import origin_of_parts
from compactor_cli.model.message import LEGACY_ID, Origin, Part, Path, Place, Role
from compactor_cli.text.times import parse_time

_ACTIONS = frozenset(
    (
        *("run", "run_ipython", "read", "write", "edit", "browse", "browse_interactive", "call_tool_mcp", "delegate"),
        *("message", "finish", "reject", "think", "task_tracking", "recall", "system", "summarize", "loop_recovery"),
        *("condensation", "condensation_request", "null", "change_agent_state"),
    )
)
_SILENT = frozenset(("recall", "condensation_request", "reject", "null", "change_agent_state", "loop_recovery"))
"""Actions that are not sent."""
_UNSEEN = frozenset(("null", "agent_state_changed", "loop_detection"))
"""Observations that are not sent."""
_ABOUT = frozenset(
    (
        *("id", "timestamp", "source", "message", "action", "timeout", "thought", "confirmation_state", "is_confirmed"),
        *("action_risk", "security_risk", "keep_prompt", "kernel_init_code", "hidden", "blocking", "is_static"),
        *("is_input", "cwd", "translated_ipython_code", "impl_source"),
    )
)
"""Members that are not arguments of an action."""
_RECALLED_KEYS = ("repo_instructions", "additional_agent_instructions", "conversation_instructions")


def recognize(value: dict[str, Any]) -> float:
    action, observation = word(value, "action"), word(value, "observation")
    if bool(action) == bool(observation) or "role" in value or ("observation" in value and "action" in value):
        return 0.0
    if value.get("source") in ("agent", "user", "environment") and isinstance(value.get("id"), int):
        return 1.0 if "args" in value or "content" in value or "extras" in value else 0.0
    if action:
        return 0.8 if action in _ACTIONS and not {"args", "reward", "state"} & value.keys() else 0.0
    return 0.8 if isinstance(value.get("content"), str) and "reward" not in value else 0.0


def read(build: Builder, values: Sequence[Any], view: SentView) -> None:
    """Add the messages of the events that the model gets."""
    calls = _Calls()
    for record, value in enumerate(values):
        if record in view.hidden or not isinstance(value, dict):
            continue
        if word(value, "observation"):
            role, origin, parts = _observation(build, value, record, calls)
        elif word(value, "action"):
            role, origin, parts = _action(build, value, record, calls)
        else:
            continue
        response = as_text(_response(value).get("id")) if role == "assistant" else ""
        if response and response in calls.answers:
            build.extend(calls.answers[response], [p for p in parts if p.kind == "tool_call"], record)
        elif parts:
            name = f"event {value['id']}" if isinstance(value.get("id"), int) else ""
            time, pinned = parse_time(value.get("timestamp")), record in view.pinned
            index = build.add(role, parts, (record,), id=name, timestamp=time, origin=origin, pinned=pinned)
            calls.answers |= {response: index} if response else {}


class _Calls:
    """The calls so far: call ids by event, open calls, and messages by the model's answer."""

    def __init__(self) -> None:
        self.by_event: dict[str, str] = {}
        self.open_calls: list[str] = []
        self.answers: dict[str, int] = {}

    def answer_id(self, value: dict[str, Any]) -> str:
        """Return the id of the call that an observation answers, or an empty string."""
        call_id = _metadata_id(value)
        if call_id not in self.open_calls:
            call_id = self.by_event.get(as_text(value.get("cause")), "")
        if not call_id and "cause" not in value and "id" not in value and self.open_calls:
            call_id = self.open_calls[0]  # events without ids are in order
        if call_id in self.open_calls:
            self.open_calls.remove(call_id)
        return call_id


def _args(value: dict[str, Any]) -> tuple[dict[str, Any], Path]:
    """Return the arguments of an action and their path. In the first versions, they are in the event itself."""
    args = value.get("args")
    return (args, ("args",)) if isinstance(args, dict) else (value, ())


def _response(value: dict[str, Any]) -> dict[str, Any]:
    return inner(value, "tool_call_metadata", "model_response")


def _metadata_id(value: dict[str, Any]) -> str:
    return word(value.get("tool_call_metadata"), "tool_call_id")


def _answer(value: dict[str, Any]) -> dict[str, Any]:
    """Return the model's message; empty if there is none."""
    choices = listed(_response(value).get("choices"))
    return inner(choices[0], "message") if choices else {}


_MESSAGE: Path = ("tool_call_metadata", "model_response", "choices", 0, "message")


def _action(build: Builder, value: dict[str, Any], record: int, calls: _Calls) -> tuple[Role, Origin, list[Part]]:
    kind, (args, base) = value["action"], _args(value)
    if kind in _SILENT:
        return "user", "other", []
    if kind == "condensation":
        place = Place(record, (*base, "summary"))
        return "user", "summary", [build.part("text", as_text(args.get("summary")), place)]
    if kind == "system":
        return "system", "other", build.text(args.get("content"), record, (*base, "content"))
    if kind == "message":
        return _message(build, value, record)
    if value.get("source") == "user" and not _metadata_id(value):
        text = f"User executed the command:\n{as_text(args.get('command'))}" if kind == "run" else as_text(value)
        return "user", "injected", [build.part("text", text)] if kind != "finish" else []
    if kind == "finish":
        return "assistant", "other", _finish(build, value, record)
    return "assistant", "other", _call(build, value, record, calls)


def _message(build: Builder, value: dict[str, Any], record: int) -> tuple[Role, Origin, list[Part]]:
    args, base = _args(value)
    # events of the first versions do not name their author, but only the agent waits for a response
    asks = args.get("wait_for_response") is True
    role: Role = "assistant" if value.get("source", "agent" if asks else "user") == "agent" else "user"
    parts = build.text(args.get("content"), record, (*base, "content"))
    for key in ("image_urls", "images_urls"):
        parts += [build.image() for _ in args[key]] if isinstance(args.get(key), list) else []
    return role, origin_of_parts(parts, by_user=role == "user"), parts


def _text_parts(build: Builder, value: dict[str, Any], record: int) -> list[Part]:
    """Return what the model said along with a call: the content of its answer, or the thought."""
    answer = _answer(value)
    if answer:
        return build.text(answer.get("content"), record, (*_MESSAGE, "content"))
    args, base = _args(value)
    thought = args.get("thought")
    if isinstance(thought, dict):
        return build.text(thought.get("text"), record, (*base, "thought", "text"))
    return build.text(thought, record, (*base, "thought"))


def _finish(build: Builder, value: dict[str, Any], record: int) -> list[Part]:
    """Return the agent's final message, which is not a call: its thought and what it told the user."""
    args, base = _args(value)
    parts = _text_parts(build, value, record)
    for path in ((*base, "thought"), (*base, "final_thought")):
        text = args.get(str(path[-1]))
        if isinstance(text, str) and text not in {part.text for part in parts}:
            parts += build.text(text, record, path)
    return parts


def _call(build: Builder, value: dict[str, Any], record: int, calls: _Calls) -> list[Part]:
    call_id = _metadata_id(value) or f"{LEGACY_ID}{record}"
    calls.open_calls.append(call_id)
    if "id" in value:
        calls.by_event[as_text(value["id"])] = call_id
    parts = _text_parts(build, value, record)
    tools = listed(_answer(value).get("tool_calls"))
    for index, tool in enumerate(tools):
        if word(tool, "id") == call_id and isinstance(tool.get("function"), dict):
            arguments = tool["function"].get("arguments")
            # each action of an answer with several calls repeats them all; the agent uses the last action
            single = len(tools) == 1 and isinstance(arguments, str)
            place = Place(record, (*_MESSAGE, "tool_calls", index, "function", "arguments")) if single else None
            parts = parts if single else [p if p.place is None else build.part(p.kind, p.text) for p in parts]
            name = word(tool["function"], "name")
            return [*parts, build.part("tool_call", as_text(arguments), place, name=name, call_id=call_id)]
    own_arguments = _own_arguments(value)
    name = word(value.get("tool_call_metadata"), "function_name") or value["action"]
    place = Place(record, _args(value)[1], "json")
    return [*parts, build.part("tool_call", jsonedit.dump(own_arguments), place, name=name, call_id=call_id)]


def _own_arguments(value: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of an action without an answer of the model."""
    args, _ = _args(value)
    return {key: argument for key, argument in args.items() if key not in _ABOUT and argument}


def _observation(build: Builder, value: dict[str, Any], record: int, calls: _Calls) -> tuple[Role, Origin, list[Part]]:
    kind = value["observation"]
    if kind in _UNSEEN:
        return "user", "other", []
    if kind == "recall":
        return "user", "injected", _recalled_parts(build, value, record)
    call_id = calls.answer_id(value)
    content = value.get("content")
    place = Place(record, ("content",)) if isinstance(content, str) else None
    if not call_id:
        return "user", "injected", [build.part("text", as_text(content), place)] if content else []
    extras = inner(value, "extras")
    failed, images = _is_failed(value, extras), len(listed(extras.get("image_urls")))
    result = build.part("tool_result", as_text(content), place, call_id=call_id, failed=failed, images=images)
    return "tool", "other", [result]


def _is_failed(value: dict[str, Any], extras: dict[str, Any]) -> bool | None:
    """Return whether an action failed: it did not happen, or ended with a nonzero exit code. None if unknown."""
    if value["observation"] in ("error", "user_rejected"):
        return True
    holders = (inner(extras, "metadata"), extras, value)
    code = next((holder["exit_code"] for holder in holders if isinstance(holder.get("exit_code"), int)), None)
    if code is not None:
        return None if code < 0 else code != 0
    success = value.get("success")
    return not success if isinstance(success, bool) else None


def _recalled_parts(build: Builder, value: dict[str, Any], record: int) -> list[Part]:
    """Return what the agent tells the model about its environment and what it knows."""
    extras = inner(value, "extras")
    known_keys = ("repo_name", "repo_directory", "date", "working_dir")
    recalled_texts = [f"{key}: {extras[key]}" for key in known_keys if extras.get(key)]
    parts = [build.part("text", "\n".join(recalled_texts))] if recalled_texts else []
    for key in _RECALLED_KEYS:
        parts += build.text(extras.get(key), record, ("extras", key))
    for index, fact in objects(extras.get("microagent_knowledge")):
        parts += build.text(fact.get("content"), record, ("extras", "microagent_knowledge", index, "content"))
    return parts


def usage(value: dict[str, Any]) -> int | None:
    """Return the provider's token count for the answer that an action came from."""
    if not word(value, "action"):
        return None
    return sum_of(_response(value).get("usage"), "prompt_tokens", "completion_tokens")


def edits(value: dict[str, Any], edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
    """Return the changes to a record, including the copies of its texts in `args`, `message` and `extras`."""
    changes: dict[Path, str] = {}
    for part, text in edited:
        if part.place is None:
            continue
        path = part.place.path
        if part.kind == "tool_result":
            changes[path] = edit_value(part, text)
            for key, copy in inner(value, "extras").items():
                if isinstance(copy, str):
                    changes |= shortened_copies(copy, ("extras", key), text)
            continue
        if part.place.encoding == "json":
            changes |= _changed_arguments(value_at(value, path), path, text)
            texts = shortened_texts(_own_arguments(value), text)
        else:
            old_text = as_text(value_at(value, path))
            changes[path] = edit_value(part, text)
            texts = shortened_texts(old_text, text) if part.kind == "tool_call" else {old_text: text}
        for key in ("args", "message"):
            changes = equal_copies(value.get(key), (key,), texts) | changes
    return changes


def _changed_arguments(args: dict[str, Any], path: Path, text: str) -> dict[Path, str]:
    new = json.loads(text)
    return {(*path, key): jsonedit.dump(value) for key, value in new.items() if key in args and args[key] != value}
