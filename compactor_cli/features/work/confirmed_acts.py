"""Decide whether the result of a call says that the tool acted, and contains nothing that a look-up would return."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from compactor_cli.features.work.act_identities import IDENTITY, is_identifying, is_scalar, name_words
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.foreign_verbs import is_foreign_acting_verb, name_parts
from compactor_cli.features.work.json_results import result_members
from compactor_cli.features.work.result_outcomes import (
    ActOutcome,
    awaits_consent,
    is_changed_count,
    is_message,
    member_outcome,
    plainly_states_done,
    result_outcome,
)
from compactor_cli.features.work.tool_names import WEAK_VERBS, is_acting_verb, tool_words
from compactor_cli.text.folding import fold
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_MAX_RESULT_CHARS, _MAX_RESULT_LINES = 300, 6
_MAX_MESSAGE_CHARS, _MIN_ECHO_CHARS = 120, 3
_MAX_NEW_WORDS = 4
"""Maximum number of words in a result besides those that confirm; more words carry information."""
_TOKEN = compiled_later(r"[^\W_][\w.@/-]*")
_NUMBER = compiled_later(r"[-+]?[\d.,:%°]+[a-zA-Z%°]{0,3}")
_MEASURE = compiled_later(r"\d+(?:[.,]\d+)?[A-Za-z%°]{1,3}")
_MARKUP_NAME = compiled_later(r"</?[\w.-]+|[\w.-]+=(?=[\"'])|\"[\w.-]+\"\s*:")
"""Names of tags, attributes and members."""
_SETTING_VERBS = word_set("set put write configure mark switch turn tag update change label")
"""Words in names of tools whose result may be the thing's new state."""
_TIME_MEMBER = compiled_later(r"(?:^|_)(?:at|time|timestamp|date|on|when|by|ts)$|(?:At|Time|Date|By)$")


def argument_values(arguments: Any) -> Iterator[str]:
    """Yield the strings and numbers in arguments, at any depth."""
    if isinstance(arguments, dict):
        for value in arguments.values():
            yield from argument_values(value)
    elif isinstance(arguments, list):
        for value in arguments:
            yield from argument_values(value)
    elif is_scalar(arguments):
        yield str(arguments)


def act_outcome(call: ToolCall) -> ActOutcome:
    """Return the outcome that the result of a call states."""
    return result_outcome(call.output, call.tool, argument_values(call.arguments))


def is_confirmed(call: ToolCall) -> bool:
    """Return whether the result of a call is short, says that something was done, and brings nothing new. If the
    name of the tool contains a verb that may act, the result may also describe what it made and its state. Otherwise
    the result has to confirm in words that do not describe things: an order that "was shipped" may just have been
    looked up."""
    output = call.output.strip()
    if (
        not isinstance(call.arguments, dict)
        or len(output) > _MAX_RESULT_CHARS
        or output.count("\n") >= _MAX_RESULT_LINES
    ):
        return False
    given_values = set(map(fold, argument_values(call.arguments)))
    members = result_members(output)
    if not given_values or (_may_be_lookup(call) and not _has_success_member(members, output)):
        return False  # the name or the state of a thing
    has_verb, outcome_kind = _has_verb(call.tool), act_outcome(call).kind
    if outcome_kind == "done" and (has_verb or plainly_states_done(output, call.tool, given_values)):
        if members:
            return _adds_nothing(members, call.tool, given_values, has_verb=has_verb)
        return (has_verb or output[:1] not in "[{<") and _has_few_new_words(output, call, has_verb=has_verb)
    is_setter = not _SETTING_VERBS.isdisjoint(tool_words(call.tool)) and outcome_kind in ("", "done")
    return is_setter and len(given_values) > 1 and _is_echo(output, call)


def is_submitted(call: ToolCall) -> bool:
    """Return whether a tool with a verb that may act returned that somebody still has to agree."""
    return _has_verb(call.tool) and act_outcome(call).kind == "waits" and awaits_consent(call.output)


def _may_be_lookup(call: ToolCall) -> bool:
    """Return whether the tool's name is one word and it got one value: that may be a kind of thing and its id."""
    return len(name_parts(call.tool)) == 1 and len(list(argument_values(call.arguments))) == 1


def _has_success_member(members: Mapping[str, Any], output: str) -> bool:
    """Return whether a result is not an object, or has a member whose purpose is to report success."""
    has_success = any(
        members.get(name) in (True, "ok", "OK") for name in ("ok", "success", "succeeded", "status", "result")
    )
    return (
        has_success or any(is_changed_count(name, value) for name, value in members.items()) or output[:1] not in "{<["
    )


def _has_verb(tool: str) -> bool:
    words = tool_words(tool)
    if not WEAK_VERBS.isdisjoint(words) or any(map(is_foreign_acting_verb, name_parts(tool))):
        return True
    return bool(words) and (words[-1] in _SETTING_VERBS or is_acting_verb(words[-1])) and words[-1:] != words[:1]


def _is_echo(output: str, call: ToolCall) -> bool:
    """Return whether a result is an object with all values of the call and little else."""
    folded_output = fold(output)
    given_values = [fold(value) for value in argument_values(call.arguments)]
    return (
        output[:1] in "{<"
        and all(value in folded_output for value in given_values)
        and len(_new_words(output, call)) <= _MAX_NEW_WORDS
    )


def _adds_nothing(members: Mapping[str, Any], tool: str, given_values: set[str], *, has_verb: bool) -> bool:
    tool_name_words = name_words(tool)
    for name, value in members.items():
        text = fold(str(value))
        if (
            value is None
            or isinstance(value, bool)
            or text in given_values
            or _TIME_MEMBER.search(name)
            or is_changed_count(name, value)
        ):
            continue
        if is_message(name) and isinstance(value, str) and _is_confirmation(value, tool, given_values):
            continue
        if isinstance(value, dict) and value and len(members) <= _MAX_NEW_WORDS:
            if not _adds_nothing(value, tool, given_values, has_verb=has_verb):
                return False
        elif not has_verb:
            if not isinstance(value, str) or not plainly_states_done(value, tool, given_values):
                return False
        elif not (
            IDENTITY.search(name)
            or name == "id"
            or (isinstance(value, str) and is_identifying(value) and not _MEASURE.fullmatch(value))
            or member_outcome(name, value, tool, given_values).kind == "done"
            or (is_scalar(value) and not tool_name_words.isdisjoint(name_words(name)))
        ):
            return False
    return True


def _is_confirmation(message: str, tool: str, given_values: set[str]) -> bool:
    """Return whether a message says that something was done, or repeats a value of the call."""
    text = fold(message)
    has_echo = any(len(value) >= _MIN_ECHO_CHARS and value in text for value in given_values)
    return len(message) <= _MAX_MESSAGE_CHARS and (
        has_echo or result_outcome(message, tool, given_values).kind == "done"
    )


def _new_words(output: str, call: ToolCall) -> list[str]:
    """Return the words of a result that do not occur in the call."""
    known_words = {fold(word) for value in argument_values(call.arguments) for word in _TOKEN.findall(value)}
    known_words |= {fold(name) for name in call.arguments} | set(name_parts(call.tool))
    text = _MARKUP_NAME.sub(" ", output) if output[:1] in "{<" else output
    return [word for word in map(fold, _TOKEN.findall(text)) if word.strip(".-/@") not in known_words]


def _has_few_new_words(output: str, call: ToolCall, *, has_verb: bool) -> bool:
    """Return whether a result contains few words that do not occur in the call."""
    new_words = _new_words(output, call)
    numbers = [word for word in new_words if _NUMBER.fullmatch(word)]
    if not has_verb and _may_be_lookup(call):
        return all(plainly_states_done(word, call.tool, ()) for word in new_words)
    return has_verb or (len(new_words) <= 2 * _MAX_NEW_WORDS and len(numbers) <= (1 if output[:1].isdigit() else 0))
