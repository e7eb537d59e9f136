"""The newest calls of some messages, as the work stands."""

from __future__ import annotations

import json
from collections.abc import Sequence

from compactor_cli.features.call_lines import changed_lines, short_path
from compactor_cli.features.work.calls import handles
from compactor_cli.features.work.ledger import call_arguments, call_text
from compactor_cli.features.work.open_errors import misfortune
from compactor_cli.features.work.short_results import short_result
from compactor_cli.features.work.told_of_calls import told_of_call
from compactor_cli.features.work.tool_names import tool_words
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import answered_calls
from compactor_cli.summaries.items import SummaryItem, order_of
from compactor_cli.summary_text.excerpts import harmless
from compactor_cli.text.argument_values import argument_values
from compactor_cli.text.clean import one_line

_NEWEST, _LAST = 40, 2
"""Messages that are searched for the newest calls, and how many of those are named."""
_WAITS = frozenset(("wait", "poll", "output"))
"""Words in the names of tools with which an agent waits for a command."""
_CALL_WIDTH, _CAUSE_WIDTH = 160, 100


def newest_calls(messages: Sequence[Message]) -> list[SummaryItem]:
    """Return the newest calls, as the work stands: their arguments, the tool, and what they came to where that is a few
    words, such as why they failed. Those that only wait for a running command say nothing of it."""
    calls = [
        (message, call, result)
        for message, call, _, result in answered_calls(messages[-_NEWEST:])
        if call.text.strip() and not _only_waits(call)
    ]
    items: dict[str, SummaryItem] = {}  # calls that read alike are told once, as of the newest
    for message, call, result in reversed(calls):
        text = told_of_call(call, f"{_words_of(call)} ({call.name}{_how_it_ended(call, result)})")
        items.setdefault(text, SummaryItem("In progress", text, (message.number,), order_of(message, 999)))
        if len(items) == _LAST:
            break
    return [*items.values()][::-1]


def _words_of(call: Part) -> str:
    """Return what a call does: the command that it runs, or its first argument and, where these are numbers and
    switches, the others, or all as `key=value`; of one that changes a file, where its arguments are long, which file
    it is. What stands in backquotes is word for word."""
    text, arguments = call_text(call), call_arguments(call)
    if len(text) > _CALL_WIDTH and (path := next((path for path, _ in changed_lines(call)), "")):
        return _as_code(short_path(path))
    if text != call.text or not isinstance(arguments, dict) or not arguments:
        return _as_code(text)
    first, *others = arguments.items()
    if not isinstance(first[1], str) or not first[1].strip() or not all(_is_plain(value) for _, value in others):
        told = argument_values(text).shown(text, 0, len(text))
        return _as_code(text) if told == text else one_line(harmless(told), _CALL_WIDTH).replace("`", "'")
    told = "".join(f", {key} {json.dumps(value)}" for key, value in others)
    return f"{_as_code(first[1])}{one_line(harmless(told), _CALL_WIDTH)}"


def _as_code(text: str) -> str:
    return f"`{one_line(harmless(text), _CALL_WIDTH)}`"


def _is_plain(value: object) -> bool:
    return isinstance(value, int | float)


def _how_it_ended(call: Part, result: Part | None) -> str:
    """Return what is said of how a call ended, behind its name: what it came to where that is a few words."""
    if result is None:
        return ""
    ended = misfortune(call, result)
    said = short_result(call, result, failed=ended == "failed", width=_CAUSE_WIDTH)
    said = harmless(said).replace("`", "'")  # behind a call that stands in backquotes, they would mark code
    if said:
        return f" {ended}: {said}" if ended else f" → {said}"
    return f" {ended}".rstrip()


def _only_waits(call: Part) -> bool:
    """Return whether a call only looks whether a running command has said more: it gives it nothing to read."""
    arguments = call_arguments(call)
    numbers = {*handles(arguments)}
    if not any(numbers):
        return False
    texts = [value for value in arguments.values() if isinstance(value, str) and value not in numbers]
    return not any(texts) and (bool(texts) or not _WAITS.isdisjoint(tool_words(call.name)))
