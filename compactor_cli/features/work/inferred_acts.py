"""Acts of tools whose names reveal nothing, such as names in other languages, recognized by what the session shows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from compactor_cli.features.work.act_identities import IDENTITY, is_identifying, is_scalar, may_grant_access
from compactor_cli.features.work.call_keys import pointer_key
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.confirmed_acts import act_outcome, is_confirmed, is_submitted
from compactor_cli.features.work.effects import Effect, act_effect, fitting_values, plain_key
from compactor_cli.features.work.json_results import is_undone, result_members, says_failed
from compactor_cli.features.work.tool_names import LOOKING, is_unclear, may_be_acting, tool_words
from compactor_cli.model.message import Message
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shorten import is_shortened

_MAX_RESULT_CHARS = 2_000
"""Maximum length of a result; longer ones come from look-ups."""
_NAME_WITH_DIGIT = compiled_later(r"(?<![\w-])(?=[\w-]*\d)[\w-]{4,40}(?![\w-])")
"""One word with a digit that may be a name."""
_CREATED_NAME = compiled_later(r"(?!\d{4}-\d\d-\d\d)(?!\d+(?:[.,]\d+)?[A-Za-z%]{1,3}$)(?=\D*\d)#?\w[\w-]{3,39}")
"""The name of something created: one word with a digit that is neither a date nor a measure."""
_CREATED_STATES = ("created", "201")
_SUCCESS_STATES = ("ok", "success", "succeeded", "done", *_CREATED_STATES)
_MAX_NEW_SHOWN = 2
_MAX_ACT_RESULT_CHARS = 600
"""Maximum length of results of an act; a tool with a longer one is taken to look something up."""
_TASK_BOX = compiled_later(r"\[[ xX>]\]|[☐☑☒▶✅]")
_SEARCH_ARGUMENTS = frozenset(
    (
        *("query", "queries", "q", "pattern", "regex", "search", "expression", "question", "prompt", "code", "script"),
        *("sql", "sql_query", "sqlQuery", "sql_statement", "statement", "statements", "ddl", "command", "argv", "args"),
    )
)
"""Arguments with something to look for, or with code and statements, which are handled elsewhere."""
_MAX_VALUES_CHARS = 70


class InferredActs:
    """The calls of a session. What a call returns is compared with everything that was said before."""

    def __init__(self, messages: Sequence[Message] = (), calls: Sequence[ToolCall] = ()) -> None:
        self._messages = messages
        self._calls = calls

    def effects(self, call: ToolCall) -> Iterator[Effect]:
        """Yield the effects of a call if its result, or that of another call of the same tool, shows that the tool
        acts."""
        if not isinstance(call.arguments, dict) or not is_unclear(call.tool, call.arguments):
            return
        brought_effects, is_acting = list(self._new_effects(call)), call.tool in self._acting_tools
        if brought_effects and call.answered and act_outcome(call).kind in ("failed", "waits", "tried"):
            brought_effects = []
        if not brought_effects and not (call.failed or call.undecided or _is_other_use(call.arguments)):
            brought_effects = [act_effect(call)] if is_acting or (call.answered and is_submitted(call)) else []
        yield from brought_effects

    def _new_effects(self, call: ToolCall) -> Iterator[Effect]:
        """Yield the effects of a call whose result is an object that contains something new or reports success."""
        members = _plain_members(call)
        if not members or pointer_key(call) or call.tool in self._repeated_tools:
            return
        arguments = set(_iter_scalars(call.arguments))
        all_members = {**next(iter(_nested_objects(members)), {}), **members}
        new_names = [text for text in _created_names(all_members) if text not in arguments and self._is_new(text, call)]
        echoed_values = {str(value) for value in all_members.values() if is_scalar(value)} & arguments
        if self._states_act(call, members, new_names, echoed_values):
            act_line = f"{call.tool} {fitting_values(call.arguments, call.tool, _MAX_VALUES_CHARS)}".strip()
            new_names_text = f" → {', '.join(new_names[:_MAX_NEW_SHOWN])}" if new_names else ""
            yield Effect(one_line(act_line + new_names_text, 240), plain_key(act_line), True)

    @cached_property
    def _acting_tools(self) -> frozenset[str]:
        """The tools for which a result confirms an act and no result looks like that of a look-up."""
        answered = [call for call in self._calls if call.answered and not call.command and may_be_acting(call.tool)]
        look_up_tools = {
            call.tool
            for call in answered
            if not call.failed and (len(call.output) > _MAX_ACT_RESULT_CHARS or pointer_key(call) != "")
        }
        confirming = {
            call.tool
            for call in answered
            if call.tool not in look_up_tools
            and not (call.failed or call.undecided)
            and is_unclear(call.tool, call.arguments)
            and not _is_other_use(call.arguments)
            and is_confirmed(call)
        }
        return frozenset(confirming - self._repeated_tools)

    def _states_act(
        self, call: ToolCall, members: Mapping[str, Any], new_names: list[str], echoed_values: set[str]
    ) -> bool:
        """Return whether a result states that the call created or changed what it names, in a form that look-ups in
        this session do not use."""
        if not _states_success(members):
            return False
        if str(members.get("status", "")).lower() in _CREATED_STATES:
            return bool(new_names or echoed_values)
        known_names = [
            text
            for text in _iter_scalars(call.arguments)
            if _CREATED_NAME.fullmatch(text) and not self._is_new(text, call)
        ]
        is_plain = all(value is None or isinstance(value, str | int | float) for value in members.values())
        return (
            bool(new_names or any(map(is_identifying, echoed_values)) or (known_names and is_plain))
            and self._success_is_telling
        )

    @cached_property
    def _success_is_telling(self) -> bool:
        """Whether some results report success while others do not. None of those that do may be a list of records or
        come from a tool that only looks."""
        has_others = False
        for call in self._calls:
            if call.command or not call.answered or call.failed or call.undecided:
                continue
            members = result_members(call.output)
            if not _states_success(members):
                has_others = has_others or call.output.lstrip()[:1] in ("{", "[")
            elif _has_records(members) or not LOOKING.isdisjoint(tool_words(call.tool)):
                return False
        return has_others

    @cached_property
    def _repeated_tools(self) -> set[str]:
        """The tools that successfully received the same arguments twice; an act is done only once."""
        call_counts = Counter(
            (call.tool, json.dumps(call.arguments, sort_keys=True))
            for call in self._calls
            if call.answered and not call.command and not call.failed and not call.undecided
        )
        return {tool for (tool, _), count in call_counts.items() if count > 1}

    def _is_new(self, text: str, call: ToolCall) -> bool:
        """Return whether nothing before the result of a call contained these names."""
        return all(
            self._first_messages.get(name, call.message) >= call.message for name in _NAME_WITH_DIGIT.findall(text)
        )

    @cached_property
    def _first_messages(self) -> dict[str, int]:
        """Name -> index of the message where it first occurs."""
        first: dict[str, int] = {}
        for message in self._messages:
            for part in message.parts:
                for name in _NAME_WITH_DIGIT.findall(part.text):
                    first.setdefault(name, message.index)
        return first


def _is_other_use(arguments: Any) -> bool:
    """Return whether arguments are those of a request that only reads, name something to look for, or are a list of
    tasks or SQL statements."""
    argument_map = arguments if isinstance(arguments, dict) else {}
    if not _SEARCH_ARGUMENTS.isdisjoint(argument_map):
        return True
    lists = (value for value in argument_map.values() if isinstance(value, list))
    return any(isinstance(item, dict) for value in lists for item in value) or any(
        str(value) in ("GET", "HEAD", "OPTIONS") or _TASK_BOX.search(str(value)) for value in argument_map.values()
    )


def _plain_members(call: ToolCall) -> dict[str, Any]:
    """Return the members of a result that is complete and reports no failure."""
    output = call.output
    if call.command or not call.answered or call.failed or call.undecided or len(output) > _MAX_RESULT_CHARS:
        return {}
    if not output.lstrip().startswith("{") or is_shortened(output) or says_failed(output) or is_undone(output, ()):
        return {}
    return result_members(output)


def _states_success(members: Mapping[str, Any]) -> bool:
    has_state = str(members.get("status", "")).lower() in _SUCCESS_STATES
    return has_state or any(members.get(name) is True for name in ("ok", "success", "succeeded"))


def _nested_objects(members: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the only object in a record; none if there are several."""
    objects = [value for value in members.values() if isinstance(value, dict)]
    return objects if len(objects) == 1 else []


def _created_names(members: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names that a record gives to things."""
    for name, value in members.items():
        text = str(value)
        is_identity = type(value) is int and (name == "id" or IDENTITY.search(name) is not None)
        if (
            (isinstance(value, str) or is_identity)
            and _CREATED_NAME.fullmatch(text)
            and not may_grant_access(name, text)
        ):
            yield text


def _iter_scalars(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from _iter_scalars(member)
    elif isinstance(value, list):
        for member in value:
            yield from _iter_scalars(member)
    elif is_scalar(value):
        yield str(value)


def _has_records(value: Any) -> bool:
    """Return whether a result contains a list of objects, at any depth."""
    if isinstance(value, list):
        return any(isinstance(member, dict) or _has_records(member) for member in value)
    return isinstance(value, dict) and any(map(_has_records, value.values()))
