"""Decide whether a call did what an earlier call of the same tool had failed to do, with the mistake corrected."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from compactor_cli.features.work.act_identities import is_identifying
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.sql_effects import sql_script
from compactor_cli.features.work.sql_statements import sql_changes
from compactor_cli.features.work.tool_names import tool_words
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_IRRELEVANT_ARGUMENTS = frozenset(
    ("description", "explanation", "thought", "reasoning", "reason", "why", "justification", "timeout")
)
"""Arguments that give a reason or a time limit; they may differ in the next attempt."""
_HEAD_CHARS = 600
"""Characters at the start of a result that state what was wrong."""
_MIN_VALUE_CHARS, _MIN_NAME_CHARS = 3, 4
"""Minimum lengths of a value and of an argument's name, so that finding them in a message is no coincidence."""
_DATE_OR_TIME = compiled_later(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d?:\d\d.*)?|\d\d?:\d\d(?::\d\d)?|\d\d?[./]\d\d?(?:[./]\d{2,4})?\.?|"
    r"\d\d?[時时点시](?: ?\d\d?[分분])?|\d\d?(?::\d\d)? ?[ap]m|\d\d? ?[月월] ?\d\d? ?[日일]"
)
_LITERAL = compiled_later(r"'[^']*'|(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_IDENTITY = compiled_later(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[^\W\d_])[\w-]{4,40}(?![\w-])")
_GENERIC_WORDS = word_set("name number type code value status state account order item user request message date time")
"""Words that an error may use for something other than the argument whose name ends in them."""
_MAX_VALUES = 200
"""Maximum number of arguments of a call that are compared."""


def names_in_line(line: str) -> list[str]:
    """Return the names in the line of an act, such as `TR-1001`."""
    return _IDENTITY.findall(line)


def resolves(failed: ToolCall, done: ToolCall) -> bool:
    """Return whether a call did what another call of its tool had failed to do. Everything that identifies the
    object must be the same, except for what the error names and for dates, times and numbers."""
    if failed.command or done.command:
        return False  # commands are compared by what they ask for
    if failed.tool != done.tool or not isinstance(failed.arguments, dict) or not isinstance(done.arguments, dict):
        return False
    if failed_sql := sql_script(failed.tool, failed.arguments):
        done_sql = sql_script(done.tool, done.arguments)
        return _inserts_corrected(failed_sql, done_sql, failed.output[:_HEAD_CHARS].lower())
    failed_values, done_values = _flat_values(failed.arguments), _flat_values(done.arguments)
    output = failed.output[:_HEAD_CHARS].lower()
    same_values = [
        value for name, values in failed_values.items() if done_values.get(name) == values for value in values
    ]
    changed_names = [name for name, values in failed_values.items() if done_values.get(name) != values]
    names_object = any(is_identifying(value) and not _is_date_or_time(value) for value in same_values)
    is_suggested = False
    for name in changed_names:
        old, new = (
            failed_values[name] - done_values.get(name, frozenset()),
            done_values.get(name, frozenset()) - failed_values[name],
        )
        if new and all(_is_word_in(value, output) for value in new):
            is_suggested = True  # what the error suggested instead
        elif old and all(_is_word_in(value, output) for value in old):
            if not names_object:
                return False  # a different thing than the one that does not exist
        elif not _names_argument(name, output) and not (names_object and new and all(map(_may_differ, old | new))):
            return False
    return (
        names_object
        or is_suggested
        or (bool(same_values) and not any(map(is_identifying, frozenset().union(*failed_values.values()))))
    )


def resolves_earlier(label: str, message: str, done: ToolCall) -> bool:
    """Return whether a call did what an earlier round reported as failed. Only the tool, the shown arguments and the
    error are known of that call."""
    tool, _, arguments_text = label.partition(" ")
    if tool != done.tool or arguments_text.endswith("…") or not isinstance(done.arguments, dict):
        return False
    values = {
        word
        for argument_values in _flat_values(done.arguments).values()
        for value in argument_values
        for word in value.split()
    }
    same_words = [word for word in arguments_text.split() if word in values]
    other_words = [word for word in arguments_text.split() if word not in values]
    return any(map(is_identifying, same_words)) and all(
        _may_differ(word) or _is_word_in(word, message.lower()) for word in other_words
    )


def _inserts_corrected(failed: str, done: str, output: str) -> bool:
    """Return whether SQL statements insert rows into the tables into which others failed to insert them. Only values
    that the error names may differ."""
    failed_changes, done_changes = sql_changes(failed), sql_changes(done)
    if not failed_changes or any(change.verb != "insert" for change in (*failed_changes, *done_changes)):
        return False
    failed_literals, done_literals = set(_LITERAL.findall(failed)), set(_LITERAL.findall(done))
    wrong_values = [value.strip("'") for value in failed_literals - done_literals]
    same_tables = {change.names for change in failed_changes} == {
        change.names for change in done_changes
    } and not failed_literals.isdisjoint(done_literals)
    return (
        same_tables
        and bool(wrong_values)
        and all(re.search(rf"(?<!\w){re.escape(value.lower())}(?!\w)", output) for value in wrong_values)
    )


def _flat_values(arguments: dict[str, Any]) -> dict[str, frozenset[str]]:
    """Return name -> values of arguments; members of an object are listed under their own names."""
    values_by_name: dict[str, frozenset[str]] = {}
    for name, value in list(arguments.items())[:_MAX_VALUES]:
        if name in _IRRELEVANT_ARGUMENTS:
            continue
        members = value if isinstance(value, dict) and value else {name: value}
        for key, member in members.items():
            if texts := frozenset(_iter_values(member)):
                values_by_name[key] = values_by_name.get(key, frozenset()) | texts
    return values_by_name


def _iter_values(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from _iter_values(member)
    elif isinstance(value, list):
        for member in value[:_MAX_VALUES]:
            yield from _iter_values(member)
    elif value is not None:
        yield str(value).lower() if isinstance(value, bool) else str(value)


def _is_word_in(value: str, message: str) -> bool:
    """Return whether a value occurs in a message as a separate word."""
    if len(value) < _MIN_VALUE_CHARS or value.lower() not in message:
        return False
    return re.search(rf"(?<!\w){re.escape(value.lower())}(?!\w)", message) is not None


def _names_argument(name: str, message: str) -> bool:
    """Return whether a message names an argument: by its name, by the words of its name, or by the last word if that
    is specific, such as the `iban` of `to_iban`."""
    words = tool_words(name)
    last = "".join(words[1:][-1:])
    forms = (name, " ".join(words), last if len(last) >= _MIN_NAME_CHARS and last not in _GENERIC_WORDS else "")
    return len(name) >= _MIN_NAME_CHARS and any(_is_word_in(each, message) for each in forms)


def _may_differ(value: str) -> bool:
    """Return whether a value may differ when the same thing is meant: a date, a time or a number."""
    return _is_date_or_time(value) or re.fullmatch(r"\d{1,3}(?:[.,]\d+)?|\d+[.,]\d+", value) is not None


def _is_date_or_time(value: str) -> bool:
    return _DATE_OR_TIME.fullmatch(value) is not None
