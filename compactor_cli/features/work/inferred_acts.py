"""Acts of tools whose names reveal nothing, such as names in other languages, recognized by what the session shows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from compactor_cli.features.work.act_identities import IDENTITY, is_identifying, is_scalar, may_grant_access
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.effects import Effect, act_effect
from compactor_cli.features.work.foreign_verbs import is_foreign_acting_verb, name_parts
from compactor_cli.features.work.json_results import is_undone, result_members, says_failed
from compactor_cli.features.work.result_outcomes import (
    act_outcome,
    argument_values,
    awaits_consent,
    is_changed_count,
    plainly_states_done,
)
from compactor_cli.features.work.tool_names import (
    LOOKING,
    WEAK_VERBS,
    is_acting_verb,
    is_unclear,
    may_be_acting,
    tool_words,
)
from compactor_cli.model.message import Message
from compactor_cli.text.folding import fold
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set
from compactor_cli.text.shorten import is_shortened

_NAME_WITH_DIGIT = compiled_later(r"(?<![\w-])(?=[\w-]*\d)[\w-]{4,40}(?![\w-])")
"""One word with a digit that may be a name."""
_CREATED_NAME = compiled_later(r"(?!\d{4}-\d\d-\d\d)(?!\d+(?:[.,]\d+)?[A-Za-z%]{1,3}$)(?=\D*\d)#?\w[\w-]{3,39}")
"""The name of something created: one word with a digit that is neither a date nor a measure."""
_CREATED_STATES = ("created", "201")
_SUCCESS_STATES = ("ok", "success", "succeeded", "done", *_CREATED_STATES)
_MAX_ACT_RESULT_CHARS = 600
"""Maximum length of results of an act; a tool with a longer one is taken to look something up."""
_MAX_RECORD_CHARS = 2_000
_MAX_CONFIRMATION_CHARS, _MAX_CONFIRMATION_LINES = 300, 6
_MAX_NEW_WORDS = 8
"""Maximum number of words in a confirmation that are not in the call; more words carry information."""
_TASK_BOX = compiled_later(r"\[[ xX>]\]|[☐☑☒▶✅]")
_OTHER_ARGUMENTS = frozenset(
    (
        *("query", "queries", "q", "pattern", "regex", "search", "expression", "question", "prompt", "code", "script"),
        *("sql", "sql_query", "sqlQuery", "sql_statement", "statement", "statements", "ddl", "command", "argv", "args"),
        *("ref", "uid", "element", "element_id", "elementId", "selector", "locator", "xpath", "css", "bid"),
    )
)
"""Arguments with something to look for, with code and statements, which are handled elsewhere, or with an element of
a page."""
_TOKEN = compiled_later(r"[^\W_][\w.@/-]*")
_NUMBER = compiled_later(r"[-+]?[\d.,:%°]+[a-zA-Z%°]{0,3}")
_MARKUP_NAME = compiled_later(r"</?[\w.-]+|[\w.-]+=(?=[\"'])|\"[\w.-]+\"\s*:")
"""Names of tags, attributes and members."""
_TAKES_BACK = compiled_later(r"取消|取り消|キャンセル|削除|撤销|删除|退订|취소|삭제")
"""Names of acts that take back others, in languages without spaces."""
_SETTING_VERBS = word_set("set put write configure mark switch turn tag update change label")


class InferredActs:
    """The calls of a session. What a call returns is compared with everything that was said before."""

    def __init__(self, messages: Sequence[Message] = (), calls: Sequence[ToolCall] = ()) -> None:
        self._messages = messages
        self._calls = calls

    def effects(self, call: ToolCall) -> Iterator[Effect]:
        """Yield the effect of a call if its result, or that of another call of the same tool, shows that the tool
        acts."""
        if not _may_act(call) or not call.answered:
            return
        is_submitted = _has_verb(call.tool) and act_outcome(call).kind == "waits" and awaits_consent(call.output)
        creates = call.tool not in self._repeated_tools and self._creates(call)
        if call.tool in self._acting_tools or is_submitted or creates:
            yield act_effect(call)

    @cached_property
    def _successful(self) -> list[ToolCall]:
        """The calls, other than commands, that did not fail."""
        return [call for call in self._calls if not (call.command or call.failed or call.undecided) and call.answered]

    @cached_property
    def _repeated_tools(self) -> set[str]:
        """The tools that successfully received the same arguments twice; an act is done only once."""
        counts = Counter((call.tool, json.dumps(call.arguments, sort_keys=True)) for call in self._successful)
        return {tool for (tool, _), count in counts.items() if count > 1}

    @cached_property
    def _acting_tools(self) -> frozenset[str]:
        """The tools for which a result confirms an act, and no result looks like that of a look-up."""
        looking = {call.tool for call in self._successful if len(call.output) > _MAX_ACT_RESULT_CHARS}
        excluded = self._repeated_tools | looking
        unclear = (call for call in self._successful if call.tool not in excluded and _may_act(call))
        return frozenset(call.tool for call in unclear if _is_confirmed(call))

    def _creates(self, call: ToolCall) -> bool:
        """Return whether a result is an object that states that the call created or changed what it names, in a form
        that look-ups in this session do not use."""
        output = call.output
        if (
            len(output) > _MAX_RECORD_CHARS
            or not output.lstrip().startswith("{")
            or is_shortened(output)
            or says_failed(output)
            or is_undone(output, ())
        ):
            return False
        members = result_members(output)
        if not _states_success(members):
            return False
        nested = [value for value in members.values() if isinstance(value, dict)]
        all_members = {**(nested[0] if len(nested) == 1 else {}), **members}
        given = set(argument_values(call.arguments))
        is_new = any(text not in given and self._is_new(text, call) for text in _created_names(all_members))
        echoed = {str(value) for value in all_members.values() if is_scalar(value)} & given
        if str(members.get("status", "")).lower() in _CREATED_STATES:
            return is_new or bool(echoed)
        return (is_new or any(map(is_identifying, echoed))) and self._success_is_telling

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


def _may_act(call: ToolCall) -> bool:
    """Return whether neither the name of a tool nor its arguments say what a call that did not fail does."""
    if call.failed or call.undecided or not isinstance(call.arguments, dict):
        return False
    return is_unclear(call.tool, call.arguments) and not _is_other_use(call.arguments)


def _is_other_use(arguments: Mapping[str, Any]) -> bool:
    """Return whether arguments are those of a request that only reads, name something to look for, or are a list of
    tasks or SQL statements."""
    if not _OTHER_ARGUMENTS.isdisjoint(arguments):
        return True
    return any(
        str(value) in ("GET", "HEAD", "OPTIONS")
        or _TASK_BOX.search(str(value))
        or (isinstance(value, list) and any(isinstance(item, dict) for item in value))
        for value in arguments.values()
    )


def _is_confirmed(call: ToolCall) -> bool:
    """Return whether a short result says that the tool acted, and little else. If the tool's name has no verb that
    acts, the result has to confirm in words that do not describe things: an order that "was shipped" may just have
    been looked up."""
    output, given = call.output.strip(), set(map(fold, argument_values(call.arguments)))
    if len(output) > _MAX_CONFIRMATION_CHARS or output.count("\n") >= _MAX_CONFIRMATION_LINES or not given:
        return False
    if not may_be_acting(call.tool) or act_outcome(call).kind != "done":
        return False
    known = {fold(word) for value in given for word in _TOKEN.findall(value)}
    known |= {fold(name) for name in call.arguments} | set(name_parts(call.tool))
    text = _MARKUP_NAME.sub(" ", output) if output[:1] in "{<" else output
    new = [word for word in map(fold, _TOKEN.findall(text)) if word.strip(".-/@") not in known]
    is_object = output[:1] in "{[<"
    is_plain = len(name_parts(call.tool)) == 1 and not _TAKES_BACK.search(call.tool)
    if is_plain and len(given) == 1:  # it may be a kind of thing and its identity
        return not is_object and all(plainly_states_done(word, call.tool, ()) for word in new)
    if _has_verb(call.tool):
        return len(new) <= _MAX_NEW_WORDS and not _has_figures(result_members(output), given)
    if is_object:
        return all(plainly_states_done(word, call.tool, ()) for word in new)
    has_figures = any(map(_NUMBER.fullmatch, new)) and not output[:1].isdigit()
    return not has_figures and len(new) <= _MAX_NEW_WORDS and plainly_states_done(output, call.tool, given)


def _has_figures(members: Mapping[str, Any], given: set[str]) -> bool:
    """Return whether a result has a number that the call did not give, and that neither identifies nor counts what was
    changed."""
    return any(
        type(value) in (int, float)
        and str(value) not in given
        and not (name == "id" or IDENTITY.search(name) or is_changed_count(name, value))
        for name, value in members.items()
    )


def _has_verb(tool: str) -> bool:
    words = tool_words(tool)
    if not WEAK_VERBS.isdisjoint(words) or any(map(is_foreign_acting_verb, name_parts(tool))):
        return True
    return bool(words) and (words[-1] in _SETTING_VERBS or is_acting_verb(words[-1])) and words[-1:] != words[:1]


def _states_success(members: Mapping[str, Any]) -> bool:
    has_state = str(members.get("status", "")).lower() in _SUCCESS_STATES
    return has_state or any(members.get(name) is True for name in ("ok", "success", "succeeded"))


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


def _has_records(value: Any) -> bool:
    """Return whether a result contains a list of objects, at any depth."""
    if isinstance(value, list):
        return any(isinstance(member, dict) or _has_records(member) for member in value)
    return isinstance(value, dict) and any(map(_has_records, value.values()))
