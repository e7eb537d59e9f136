"""Whether the result of a call of a tool that may act says that it did, and nothing that a look-up would."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from compactor_cli.features.work.act_identities import IDENTITY, is_scalar, name_words
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.foreign_verbs import is_acting_abroad, name_parts
from compactor_cli.features.work.json_results import result_members
from compactor_cli.features.work.result_outcomes import Outcome, outcome_of
from compactor_cli.features.work.tool_names import WEAK_VERBS, tool_words
from compactor_cli.text.folded import folded
from compactor_cli.text.patterns import compiled_later

_LONGEST, _MOST_LINES = 300, 3
_MOST_NEW = 4
"""Words of a result beside those that confirm; more tell something."""
_TOKEN = compiled_later(r"[^\W_][\w.@/-]*")
_NUMBER = compiled_later(r"[-+]?[\d.,:%°]+[a-zA-Z%°]{0,3}")
_WHEN = compiled_later(r"(?:^|_)(?:at|time|timestamp|date|on|when|by|ts)$|(?:At|Time|Date|By)$")


def values_of(arguments: Any) -> Iterator[str]:
    """Yield the words and numbers of arguments, of whatever depth."""
    if isinstance(arguments, dict):
        for value in arguments.values():
            yield from values_of(value)
    elif isinstance(arguments, list):
        for value in arguments:
            yield from values_of(value)
    elif is_scalar(arguments):
        yield str(arguments)


def outcome(call: ToolCall) -> Outcome:
    """Return what the result of a call says of how it came out."""
    return outcome_of(call.said, call.tool, values_of(call.arguments))


def confirms(call: ToolCall) -> bool:
    """Return whether the result of a call is short and says that something was done, and brings nothing new; what it
    made may have a name where the tool is called by a verb that may act."""
    said = call.said.strip()
    if not isinstance(call.arguments, dict) or len(said) > _LONGEST or said.count("\n") >= _MOST_LINES:
        return False
    if not any(values_of(call.arguments)) or outcome(call).kind != "done":
        return False
    may_name = not WEAK_VERBS.isdisjoint(tool_words(call.tool)) or any(map(is_acting_abroad, name_parts(call.tool)))
    if members := result_members(said):
        return _brings_nothing(members, call, may_name=may_name)
    return said[:1] not in "[{<" and _says_little(said, call, may_name=may_name)


def _brings_nothing(members: Mapping[str, Any], call: ToolCall, *, may_name: bool) -> bool:
    given = set(map(folded, values_of(call.arguments)))
    own = name_words(call.tool)
    for name, value in members.items():
        if value is None or isinstance(value, bool) or folded(str(value)) in given or _WHEN.search(name):
            continue
        of_itself = may_name and (IDENTITY.search(name) is not None or name == "id")
        if isinstance(value, dict) and value and len(members) <= _MOST_NEW:
            if not _brings_nothing(value, call, may_name=may_name):
                return False
        elif not of_itself:
            told = isinstance(value, str) and outcome_of(value, call.tool, given).kind == "done"
            if not told and not (may_name and not own.isdisjoint(name_words(name))):
                return False
    return True


def _says_little(said: str, call: ToolCall, *, may_name: bool) -> bool:
    """Return whether the words of a result are those of the call, or few more."""
    known = {folded(word) for value in values_of(call.arguments) for word in _TOKEN.findall(value)}
    known |= {folded(name) for name in call.arguments} | set(name_parts(call.tool))
    new = [word for word in map(folded, _TOKEN.findall(said)) if word.strip(".-/@") not in known]
    numbers = [word for word in new if _NUMBER.fullmatch(word)]
    return may_name or (len(new) <= 2 * _MOST_NEW and len(numbers) <= (1 if said[:1].isdigit() else 0))
