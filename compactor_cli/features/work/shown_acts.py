"""Acts of tools whose names reveal nothing, such as names in other languages, recognized by what the session shows."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from compactor_cli.features.work.act_identities import IDENTITY, is_scalar, may_open, names_itself
from compactor_cli.features.work.call_keys import aim
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.confirmed_acts import confirms, is_submitted, outcome
from compactor_cli.features.work.effects import Effect, act_effect, plain_key, told_values
from compactor_cli.features.work.json_results import result_members, says_failed, says_undone
from compactor_cli.features.work.tool_names import LOOKING, may_act, says_nothing, tool_words
from compactor_cli.model.message import Message
from compactor_cli.model.replies import AGREEMENT
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import ASKS_WITHIN
from compactor_cli.text.shorten import is_shortened

_LONGEST = 2_000
"""Maximum length of a result; longer ones come from look-ups."""
_NAME = compiled_later(r"(?<![\w-])(?=[\w-]*\d)[\w-]{4,40}(?![\w-])")
"""One word with a digit that may be a name."""
_CODE = compiled_later(r"(?!\d{4}-\d\d-\d\d)(?!\d+(?:[.,]\d+)?[A-Za-z%]{1,3}$)(?=\D*\d)#?\w[\w-]{3,39}")
"""The name of something created: one word with a digit that is neither a date nor a measure."""
_CREATED = ("created", "201")
_WELL = ("ok", "success", "succeeded", "done", *_CREATED)
_UN = "un"
_SHORTEST = 3
"""Minimum length of a value, so that finding it in a reply is no coincidence."""
_MOST_NEW = 2
_LONGEST_ACT = 600
"""Maximum length of results of an act; a tool with a longer one is taken to look something up."""
_LISTS_TASKS = compiled_later(r"\[[ xX>]\]|[☐☑☒▶✅]")
_LOOKED_FOR = frozenset(
    (
        *("query", "queries", "q", "pattern", "regex", "search", "expression", "question", "prompt", "code", "script"),
        *("sql", "sql_query", "sqlQuery", "sql_statement", "statement", "statements", "ddl", "command", "argv", "args"),
    )
)
"""Arguments with something to look for, or with code and statements, which are handled elsewhere."""
_WIDTH = 70


class ShownActs:
    """The calls of a session. What a call returns is compared with everything that was said before."""

    def __init__(self, messages: Sequence[Message] = (), calls: Sequence[ToolCall] = ()) -> None:
        self._messages = messages
        self._calls = calls

    def effects(self, call: ToolCall) -> Iterator[Effect]:
        """Yield the effects of a call if its result, or that of another call of the same tool, shows that the tool
        acts."""
        if not isinstance(call.arguments, dict) or not says_nothing(call.tool, call.arguments):
            return
        found, acts = list(self._brought(call)), call.tool in self._acting
        if found and call.answered and outcome(call).kind in ("failed", "waits", "tried"):
            found = []
        if not found and not (call.failed or call.undecided or _is_else(call.arguments)):
            found = [act_effect(call)] if acts or (call.answered and is_submitted(call)) else []
        yield from found

    def _brought(self, call: ToolCall) -> Iterator[Effect]:
        """Yield the effects of a call whose result is an object that contains something new or reports success."""
        members = _plain_members(call)
        if not members or aim(call) or call.tool in self._repeated:
            return
        given = set(_scalars(call.arguments))
        top = {**next(iter(_within(members)), {}), **members}
        brought = [text for text in _codes(top) if text not in given and self._is_new(text, call)]
        echoed = {str(value) for value in top.values() if is_scalar(value)} & given
        if self._states_act(call, members, brought, echoed) or (
            brought and not echoed and self._is_agreed_to(call, members)
        ):
            done = f"{call.tool} {told_values(call.arguments, call.tool, _WIDTH)}".strip()
            told = f" → {', '.join(brought[:_MOST_NEW])}" if brought else ""
            yield Effect(one_line(done + told, 240), plain_key(done), True)

    @cached_property
    def _acting(self) -> frozenset[str]:
        """The tools for which a result confirms an act and no result looks like that of a look-up."""
        answered = [call for call in self._calls if call.answered and not call.command and may_act(call.tool)]
        looking = {
            call.tool for call in answered if not call.failed and (len(call.said) > _LONGEST_ACT or aim(call) != "")
        }
        acting = {
            call.tool
            for call in answered
            if call.tool not in looking
            and not (call.failed or call.undecided)
            and says_nothing(call.tool, call.arguments)
            and not _is_else(call.arguments)
            and confirms(call)
        }
        return frozenset((acting | set(_taking_back(acting, answered))) - self._repeated)

    def _states_act(self, call: ToolCall, members: Mapping[str, Any], brought: list[str], echoed: set[str]) -> bool:
        """Return whether a result states that the call created or changed what it names, in a form that look-ups in
        this session do not use."""
        if not _says_well(members):
            return False
        if str(members.get("status", "")).lower() in _CREATED:
            return bool(brought or echoed)
        known = [text for text in _scalars(call.arguments) if _CODE.fullmatch(text) and not self._is_new(text, call)]
        is_plain = all(value is None or isinstance(value, str | int | float) for value in members.values())
        return bool(brought or any(map(names_itself, echoed)) or (known and is_plain)) and self._only_acts_say_so

    def _is_agreed_to(self, call: ToolCall, members: Mapping[str, Any]) -> bool:
        """Return whether the user agreed to a call. It must follow the user's short reply to a question, not take
        its values from that reply, and return no more records than it was given."""
        at = bisect_left(self._replies, (call.begun, "")) - 1
        reply = self._replies[at][1] if at >= 0 else ""
        if not reply:
            return False
        gives = any(len(text) >= _SHORTEST and text.lower() in reply for text in _scalars(call.arguments))
        most = max((len(held) for held in _lists(call.arguments)), default=0)
        return not gives and all(len(held) <= most for held in _lists_of_records(members))

    @cached_property
    def _replies(self) -> list[tuple[int, str]]:
        """(message, text) for each message of the user; the text is "" unless it is a short reply to a question."""
        found: list[tuple[int, str]] = []
        asked = False
        for message in self._messages:
            if _speaks(message, "assistant"):
                asked = ASKS_WITHIN.search(message.text("text")) is not None
            elif _speaks(message, "user"):
                is_reply = asked and message.tokens <= AGREEMENT
                found.append((message.index, message.text("text").lower() if is_reply else ""))
        return found

    @cached_property
    def _only_acts_say_so(self) -> bool:
        """Whether some results report success while others do not. None of those that do may be a list of records or
        come from a tool that only looks."""
        others = False
        for call in self._calls:
            if call.command or not call.answered or call.failed or call.undecided:
                continue
            members = result_members(call.said)
            if not _says_well(members):
                others = others or call.said.lstrip()[:1] in ("{", "[")
            elif any(_lists_of_records(members)) or not LOOKING.isdisjoint(tool_words(call.tool)):
                return False
        return others

    @cached_property
    def _repeated(self) -> set[str]:
        """The tools that successfully received the same arguments twice; an act is done only once."""
        found = Counter(
            (call.tool, json.dumps(call.arguments, sort_keys=True))
            for call in self._calls
            if call.answered and not call.command and not call.failed and not call.undecided
        )
        return {tool for (tool, _), times in found.items() if times > 1}

    def _is_new(self, text: str, call: ToolCall) -> bool:
        """Return whether nothing before the result of a call contained these names."""
        return all(self._first.get(name, call.message) >= call.message for name in _NAME.findall(text))

    @cached_property
    def _first(self) -> dict[str, int]:
        """Name -> index of the message where it first occurs."""
        found: dict[str, int] = {}
        for message in self._messages:
            for part in message.parts:
                for name in _NAME.findall(part.text):
                    found.setdefault(name, message.index)
        return found


def _taking_back(acting: Iterable[str], calls: Iterable[ToolCall]) -> Iterator[str]:
    """Yield the tools whose name is that of a tool that acted, with the prefix `un`."""
    taken = {(f"{_UN}{words[0]}", *words[1:]) for words in map(tool_words, acting)}
    yield from (call.tool for call in calls if not call.failed and tool_words(call.tool) in taken)


def _is_else(arguments: Any) -> bool:
    """Return whether arguments are those of a request that only reads, name something to look for, or are a list of
    tasks or SQL statements."""
    given = arguments if isinstance(arguments, dict) else {}
    if not _LOOKED_FOR.isdisjoint(given):
        return True
    lists = (value for value in given.values() if isinstance(value, list))
    return any(isinstance(item, dict) for value in lists for item in value) or any(
        str(value) in ("GET", "HEAD", "OPTIONS") or _LISTS_TASKS.search(str(value)) for value in given.values()
    )


def _plain_members(call: ToolCall) -> dict[str, Any]:
    """Return the members of a result that is complete and reports no failure."""
    said = call.said
    if call.command or not call.answered or call.failed or call.undecided or len(said) > _LONGEST:
        return {}
    if not said.lstrip().startswith("{") or is_shortened(said) or says_failed(said) or says_undone(said, ()):
        return {}
    return result_members(said)


def _speaks(message: Message, role: str) -> bool:
    return message.role == role and message.text("text").strip() != ""


def _says_well(members: Mapping[str, Any]) -> bool:
    said = str(members.get("status", "")).lower() in _WELL
    return said or any(members.get(name) is True for name in ("ok", "success", "succeeded"))


def _within(members: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the only object in a record; none if there are several."""
    found = [value for value in members.values() if isinstance(value, dict)]
    return found if len(found) == 1 else []


def _codes(members: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names that a record gives to things."""
    for name, value in members.items():
        text = str(value)
        of_identity = type(value) is int and (name == "id" or IDENTITY.search(name) is not None)
        if (isinstance(value, str) or of_identity) and _CODE.fullmatch(text) and not may_open(name, text):
            yield text


def _scalars(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from _scalars(member)
    elif isinstance(value, list):
        for member in value:
            yield from _scalars(member)
    elif is_scalar(value):
        yield str(value)


def _lists(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, dict):
        for member in value.values():
            yield from _lists(member)
    elif isinstance(value, list):
        yield value
        for member in value:
            yield from _lists(member)


def _lists_of_records(members: Mapping[str, Any]) -> Iterator[list[Any]]:
    return (held for held in _lists(members) if any(isinstance(member, dict) for member in held))
