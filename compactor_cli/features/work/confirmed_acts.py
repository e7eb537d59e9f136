"""Decide whether the result of a call says that the tool acted, and contains nothing that a look-up would return."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from compactor_cli.features.work.act_identities import IDENTITY, is_scalar, name_words, names_itself
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.foreign_verbs import is_acting_abroad, name_parts
from compactor_cli.features.work.json_results import result_members
from compactor_cli.features.work.result_outcomes import (
    ActOutcome,
    awaits_consent,
    counts_done,
    is_message,
    member_outcome,
    outcome_of,
    says_plainly,
)
from compactor_cli.features.work.tool_names import WEAK_VERBS, is_verb, tool_words
from compactor_cli.text.folded import folded
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_LONGEST, _MOST_LINES = 300, 6
_LONGEST_MESSAGE, _ECHOED = 120, 3
_MOST_NEW = 4
"""Maximum number of words in a result besides those that confirm; more words carry information."""
_TOKEN = compiled_later(r"[^\W_][\w.@/-]*")
_NUMBER = compiled_later(r"[-+]?[\d.,:%°]+[a-zA-Z%°]{0,3}")
_MEASURE = compiled_later(r"\d+(?:[.,]\d+)?[A-Za-z%°]{1,3}")
_NAMES = compiled_later(r"</?[\w.-]+|[\w.-]+=(?=[\"'])|\"[\w.-]+\"\s*:")
"""Names of tags, attributes and members."""
_SETTING = word_set("set put write configure mark switch turn tag update change label")
"""Words in names of tools whose result may be the thing's new state."""
_WHEN = compiled_later(r"(?:^|_)(?:at|time|timestamp|date|on|when|by|ts)$|(?:At|Time|Date|By)$")


def values_of(arguments: Any) -> Iterator[str]:
    """Yield the strings and numbers in arguments, at any depth."""
    if isinstance(arguments, dict):
        for value in arguments.values():
            yield from values_of(value)
    elif isinstance(arguments, list):
        for value in arguments:
            yield from values_of(value)
    elif is_scalar(arguments):
        yield str(arguments)


def outcome(call: ToolCall) -> ActOutcome:
    """Return the outcome that the result of a call states."""
    return outcome_of(call.said, call.tool, values_of(call.arguments))


def confirms(call: ToolCall) -> bool:
    """Return whether the result of a call is short, says that something was done, and brings nothing new. If the
    name of the tool contains a verb that may act, the result may also describe what it made and its state. Otherwise
    the result has to confirm in words that do not describe things: an order that "was shipped" may just have been
    looked up."""
    said = call.said.strip()
    if not isinstance(call.arguments, dict) or len(said) > _LONGEST or said.count("\n") >= _MOST_LINES:
        return False
    given = set(map(folded, values_of(call.arguments)))
    members = result_members(said)
    if not given or (_is_noun(call) and not _says_so(members, said)):
        return False  # the name or the state of a thing
    by_verb, came = _has_verb(call.tool), outcome(call).kind
    if came == "done" and (by_verb or says_plainly(said, call.tool, given)):
        if members:
            return _brings_nothing(members, call.tool, given, by_verb=by_verb)
        return (by_verb or said[:1] not in "[{<") and _says_little(said, call, by_verb=by_verb)
    sets = not _SETTING.isdisjoint(tool_words(call.tool)) and came in ("", "done")
    return sets and len(given) > 1 and _only_echoes(said, call)


def is_submitted(call: ToolCall) -> bool:
    """Return whether a tool with a verb that may act returned that somebody still has to agree."""
    return _has_verb(call.tool) and outcome(call).kind == "waits" and awaits_consent(call.said)


def _is_noun(call: ToolCall) -> bool:
    """Return whether the tool's name is one word and it got one value: that may be a kind of thing and its id."""
    return len(name_parts(call.tool)) == 1 and len(list(values_of(call.arguments))) == 1


def _says_so(members: Mapping[str, Any], said: str) -> bool:
    """Return whether a result is not an object, or has a member whose purpose is to report success."""
    well = any(members.get(name) in (True, "ok", "OK") for name in ("ok", "success", "succeeded", "status", "result"))
    return well or any(counts_done(name, value) for name, value in members.items()) or said[:1] not in "{<["


def _has_verb(tool: str) -> bool:
    words = tool_words(tool)
    if not WEAK_VERBS.isdisjoint(words) or any(map(is_acting_abroad, name_parts(tool))):
        return True
    return bool(words) and (words[-1] in _SETTING or is_verb(words[-1])) and words[-1:] != words[:1]


def _only_echoes(said: str, call: ToolCall) -> bool:
    """Return whether a result is an object with all values of the call and little else."""
    told = folded(said)
    given = [folded(value) for value in values_of(call.arguments)]
    return said[:1] in "{<" and all(value in told for value in given) and len(_new_words(said, call)) <= _MOST_NEW


def _brings_nothing(members: Mapping[str, Any], tool: str, given: set[str], *, by_verb: bool) -> bool:
    own = name_words(tool)
    for name, value in members.items():
        text = folded(str(value))
        if value is None or isinstance(value, bool) or text in given or _WHEN.search(name) or counts_done(name, value):
            continue
        if is_message(name) and isinstance(value, str) and _tells_of(value, tool, given):
            continue
        if isinstance(value, dict) and value and len(members) <= _MOST_NEW:
            if not _brings_nothing(value, tool, given, by_verb=by_verb):
                return False
        elif not by_verb:
            if not isinstance(value, str) or not says_plainly(value, tool, given):
                return False
        elif not (
            IDENTITY.search(name)
            or name == "id"
            or (isinstance(value, str) and names_itself(value) and not _MEASURE.fullmatch(value))
            or member_outcome(name, value, tool, given).kind == "done"
            or (is_scalar(value) and not own.isdisjoint(name_words(name)))
        ):
            return False
    return True


def _tells_of(message: str, tool: str, given: set[str]) -> bool:
    """Return whether a message says that something was done, or repeats a value of the call."""
    text = folded(message)
    echoed = any(len(value) >= _ECHOED and value in text for value in given)
    return len(message) <= _LONGEST_MESSAGE and (echoed or outcome_of(message, tool, given).kind == "done")


def _new_words(said: str, call: ToolCall) -> list[str]:
    """Return the words of a result that do not occur in the call."""
    known = {folded(word) for value in values_of(call.arguments) for word in _TOKEN.findall(value)}
    known |= {folded(name) for name in call.arguments} | set(name_parts(call.tool))
    text = _NAMES.sub(" ", said) if said[:1] in "{<" else said
    return [word for word in map(folded, _TOKEN.findall(text)) if word.strip(".-/@") not in known]


def _says_little(said: str, call: ToolCall, *, by_verb: bool) -> bool:
    """Return whether a result contains few words that do not occur in the call."""
    new = _new_words(said, call)
    numbers = [word for word in new if _NUMBER.fullmatch(word)]
    if not by_verb and _is_noun(call):
        return all(says_plainly(word, call.tool, ()) for word in new)
    return by_verb or (len(new) <= 2 * _MOST_NEW and len(numbers) <= (1 if said[:1].isdigit() else 0))
