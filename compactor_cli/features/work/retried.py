"""Decide whether a call did what an earlier call of the same tool had failed to do, with the mistake corrected."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from compactor_cli.features.work.act_identities import names_itself
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.sql_effects import sql_of
from compactor_cli.features.work.sql_statements import sql_changes
from compactor_cli.features.work.tool_names import tool_words
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_ASIDE = frozenset(("description", "explanation", "thought", "reasoning", "reason", "why", "justification", "timeout"))
"""Arguments that give a reason or a time limit; they may differ in the next attempt."""
_HEAD = 600
"""Characters at the start of a result that state what was wrong."""
_SHORTEST, _SHORTEST_NAME = 3, 4
"""Minimum lengths of a value and of an argument's name, so that finding them in a message is no coincidence."""
_MONTH = (
    r"(?:jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|m[aä]rz|apr(?:il)?|ma[yi]|june?|juni|july?|juli|aug(?:ust)?|"
    r"sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?|janvier|f[eé]vrier|mars|avril|juin|juillet|ao[uû]t|"
    r"septembre|octobre|novembre|d[eé]cembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|"
    r"noviembre|diciembre|janeiro|fevereiro|mar[cç]o|maio|junho|julho|setembro|outubro|novembro|dezembro|gennaio|"
    r"febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|января|февраля|марта|апреля|мая|июня|июля|августа|"
    r"сентября|октября|ноября|декабря)\.?"
)
"""Names of months in the more common languages."""
_DAY_IN_WORDS = compiled_later(
    rf"\d{{1,2}}(?:st|nd|rd|th|º|\.)?(?: (?:de|of|di))? {_MONTH}(?:,? (?:de )?\d{{4}})?|"
    rf"{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|(?:\d{{4}} ?[年년] ?)?\d{{1,2}} ?[月월] ?\d{{1,2}} ?[日일]|"
    r"\d{1,2}(?:[:h.]\d{2})? ?(?:[ap]\.?m\.?|h|uhr|[時点시])",
    re.IGNORECASE,
)
"""A date or a time in words."""
_WHEN = compiled_later(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d?:\d\d.*)?|\d\d?:\d\d(?::\d\d)?|\d\d?[./]\d\d?(?:[./]\d{2,4})?\.?|"
    r"\d\d?[時时点시](?: ?\d\d?[分분])?"
)
_LITERAL = compiled_later(r"'[^']*'|(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_IDENTITY = compiled_later(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[^\W\d_])[\w-]{4,40}(?![\w-])")
_OF_ANYTHING = word_set("name number type code value status state account order item user request message date time")
"""Words that an error may use for something other than the argument whose name ends in them."""
_MOST = 200
"""Maximum number of arguments of a call that are compared."""


def names_in(line: str) -> list[str]:
    """Return the names in the line of an act, such as `TR-1001`."""
    return _IDENTITY.findall(line)


def is_made_up_for(failed: ToolCall, done: ToolCall) -> bool:
    """Return whether a call did what another call of its tool had failed to do. Everything that identifies the
    object must be the same, except for what the error names and for dates, times and numbers."""
    if failed.command or done.command:
        return False  # commands are compared by what they ask for
    if failed.tool != done.tool or not isinstance(failed.arguments, dict) or not isinstance(done.arguments, dict):
        return False
    if sql := sql_of(failed.tool, failed.arguments):
        other = sql_of(done.tool, done.arguments)
        elsewhere = _beside(failed.arguments, sql) != _beside(done.arguments, other)
        return (not elsewhere and _makes_same(sql, other)) or _puts_in(sql, other, failed.said[:_HEAD].lower())
    before, now = _told(failed.arguments), _told(done.arguments)
    said = failed.said[:_HEAD].lower()
    same = [value for name, values in before.items() if now.get(name) == values for value in values]
    differing = [name for name, values in before.items() if now.get(name) != values]
    is_meant = any(names_itself(value) and not _is_when(value) for value in same)
    offered = False
    for name in differing:
        old, new = before[name] - now.get(name, frozenset()), now.get(name, frozenset()) - before[name]
        if new and all(_is_in(value, said) for value in new):
            offered = True  # what the error suggested instead
        elif old and all(_is_in(value, said) for value in old):
            if not is_meant:
                return False  # a different thing than the one that does not exist
        elif not _is_named(name, said) and not (is_meant and new and all(map(_is_free, old | new))):
            return False
    return is_meant or offered or (bool(same) and not any(map(names_itself, frozenset().union(*before.values()))))


def is_done_again(label: str, said: str, done: ToolCall) -> bool:
    """Return whether a call did what an earlier round reported as failed. Only the tool, the shown arguments and the
    error are known of that call."""
    tool, _, told = label.partition(" ")
    if tool != done.tool or told.endswith("…") or not isinstance(done.arguments, dict):
        return False
    values = {word for held in _told(done.arguments).values() for value in held for word in value.split()}
    same = [word for word in told.split() if word in values]
    others = [word for word in told.split() if word not in values]
    return any(map(names_itself, same)) and all(_is_free(word) or _is_in(word, said.lower()) for word in others)


def _beside(arguments: dict[str, Any], sql: str) -> dict[str, frozenset[str]]:
    """Return the arguments other than the SQL statements, such as the database."""
    return {name: values for name, values in _told(arguments).items() if not all(value in sql for value in values)}


def _makes_same(failed: str, done: str) -> bool:
    """Return whether SQL statements create what others failed to create, or change the same parts, in any way."""
    before, now = sql_changes(failed), sql_changes(done)
    return (
        bool(before)
        and not any(change.rows for change in before)
        and {change.key for change in before} <= {change.key for change in now}
    )


def _puts_in(failed: str, done: str, said: str) -> bool:
    """Return whether SQL statements insert rows into the tables into which others failed to insert them. Only values
    that the error names may differ."""
    before, now = sql_changes(failed), sql_changes(done)
    if not before or any(change.verb != "insert" for change in (*before, *now)):
        return False
    values, others = set(_LITERAL.findall(failed)), set(_LITERAL.findall(done))
    wrong = [value.strip("'") for value in values - others]
    same = {change.names for change in before} == {change.names for change in now} and not values.isdisjoint(others)
    return same and bool(wrong) and all(re.search(rf"(?<!\w){re.escape(value.lower())}(?!\w)", said) for value in wrong)


def _told(arguments: dict[str, Any]) -> dict[str, frozenset[str]]:
    """Return name -> values of arguments; members of an object are listed under their own names."""
    found: dict[str, frozenset[str]] = {}
    for name, value in list(arguments.items())[:_MOST]:
        if name in _ASIDE:
            continue
        members = value if isinstance(value, dict) and value else {name: value}
        for key, member in members.items():
            if held := frozenset(_values(member)):
                found[key] = found.get(key, frozenset()) | held
    return found


def _values(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from _values(member)
    elif isinstance(value, list):
        for member in value[:_MOST]:
            yield from _values(member)
    elif value is not None:
        yield str(value).lower() if isinstance(value, bool) else str(value)


def _is_in(value: str, said: str) -> bool:
    """Return whether a value occurs in a message as a separate word."""
    if len(value) < _SHORTEST or value.lower() not in said:
        return False
    return re.search(rf"(?<!\w){re.escape(value.lower())}(?!\w)", said) is not None


def _is_named(name: str, said: str) -> bool:
    """Return whether a message names an argument: by its name, by the words of its name, or by the last word if that
    is specific, such as the `iban` of `to_iban`."""
    words = tool_words(name)
    last = "".join(words[1:][-1:])
    spoken = (name, " ".join(words), last if len(last) >= _SHORTEST_NAME and last not in _OF_ANYTHING else "")
    return len(name) >= _SHORTEST_NAME and any(_is_in(each, said) for each in spoken)


def _is_free(value: str) -> bool:
    """Return whether a value may differ when the same thing is meant: a date, a time or a number."""
    return _is_when(value) or re.fullmatch(r"\d{1,3}(?:[.,]\d+)?|\d+[.,]\d+", value) is not None


def _is_when(value: str) -> bool:
    return _WHEN.fullmatch(value) is not None or _DAY_IN_WORDS.fullmatch(value) is not None
