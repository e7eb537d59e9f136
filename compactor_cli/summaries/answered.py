"""The state of the work at the end of a session: the newest calls, what the agent did about the last request if the
summary ends with it, and the agent's last words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from compactor_cli.features.call_lines import changed_lines, short_path
from compactor_cli.features.followed import (
    answers_before_turns,
    calls_in_text,
    did,
    ends_in_words,
    said_since,
    since_message,
)
from compactor_cli.features.work.calls import handles
from compactor_cli.features.work.ledger import call_arguments, call_text
from compactor_cli.features.work.open_errors import misfortune
from compactor_cli.features.work.short_results import short_result
from compactor_cli.features.work.told_of_calls import told_of_call
from compactor_cli.features.work.tool_names import tool_words
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import answered_calls
from compactor_cli.model.plan import Quote
from compactor_cli.model.planning import SummaryRequest
from compactor_cli.model.replies import AGREEMENT
from compactor_cli.summaries.items import SummaryItem, order_of
from compactor_cli.summaries.told import all_statements, last_said, leads_once
from compactor_cli.summary_text.excerpts import harmless, heading
from compactor_cli.summary_text.verbatim import carried, earlier_since
from compactor_cli.text.argument_values import argument_values
from compactor_cli.text.clean import one_line
from compactor_cli.text.picked_items import picked_items
from compactor_cli.text.sentences import ASKS

_OPENING, _END = 160, 400
"""Maximum characters of the first sentence of the agent's last words (or of a sentence before calls), and of the
last sentences."""
_SILENT = 2
"""Maximum number of turns with calls but no text after those words. If there are more, the words are about something
else."""
_SURE = 8.0
"""Bonus that ranks what a request answers above most other statements."""
_NEWEST, _LAST = 40, 2
"""Number of messages to search for the newest calls, and number of calls to name."""
_WAITS = frozenset(("wait", "poll", "output"))
"""Words in the names of tools that wait for a command."""
_CALL_WIDTH, _CAUSE_WIDTH = 160, 100


def since_last_request(request: SummaryRequest) -> str:
    """Return the description of what followed the request at the end of a summary. Empty if nothing followed, or if
    what followed is after the summary."""
    last = next((quote for quote in request.slot.quotes if quote.kind in ("last", "only")), None)
    if last is None or request.answered:
        return ""
    summaries = [message for message in request.messages if message.origin == "summary"]
    asked = last.message if last.message is not None else summaries[-1].index if summaries else -1
    new = since_message(request.messages, asked)
    if any(message.role == "assistant" for message in new):
        return _since(new, calls_in_text(request.messages))
    if last.message is None and summaries:
        return earlier_since(carried(summaries[-1].text("text")).since)
    return ""


def before_last_request(messages: Sequence[Message], quotes: Sequence[Quote]) -> list[SummaryItem]:
    """Return what the agent said before the request at the end of a summary, if the request is so short that it
    needs it. This is what the request picks from the agent's words, otherwise the end of these words if it asks
    something."""
    asked = next((quote.message for quote in quotes if quote.kind in ("last", "only")), None)
    if asked is None:
        return []
    turns = {request: answer for answer, request in answers_before_turns(messages)}
    by_index = {message.index: message for message in messages}
    if asked not in turns or by_index[asked].tokens > AGREEMENT:
        return []
    answer = by_index[turns[asked]]
    text = answer.text("text")
    reply = by_index[asked].text("text")
    picked = [text[start:end] for start, end in picked_items(text, reply)]
    last = last_said(text)
    asked_of = " ".join(leads_once(last)) if any(map(ASKS.search, last)) else ""
    said = harmless(one_line(" … ".join(picked) or asked_of, _END))
    told = f'"{harmless(one_line(reply, _OPENING))}" answers: "{said}"'
    item = SummaryItem("In progress", told, (answer.number,), order_of(answer, 0), _SURE)
    return [item] if said else []


def _since(new: Sequence[Message], written: Mapping[int, Part]) -> str:
    """Return the description of the messages after the request, including the agent's last words."""
    since = said_since(new, written)
    turns = [message for message in new if message.role == "assistant"][-_SILENT - 1 :]
    spoke = next((message for message in reversed(turns) if message.text("text").strip()), None)
    if spoke is None or not since or spoke.index in written:
        return since
    ended = ends_in_words(new, written)
    said = _final_words(spoke) if ended else _announced(spoke)
    if not said:
        return since
    since = did(spoke) if ended else f"{since.removesuffix('.')}, and said last"
    return f"{since}:\n{heading(spoke.number, '')}{said}"


def _announced(message: Message) -> str:
    """Return the last sentence of what the agent said before its calls; empty if it is long."""
    said = all_statements(message.text("text"))[-1:]
    return harmless(said[0]) if said and len(said[0]) <= _OPENING and "\n" not in said[0] else ""


def _final_words(message: Message) -> str:
    """Return the agent's conclusion or question on one line: its opening, and its last sentences."""
    said = all_statements(message.text("text"))
    last = last_said(message.text("text"))
    end = " ".join(leads_once(last))
    if len(end) > _END:
        end = said[-1]
    opening = one_line(said[0], _OPENING) if len(said) > len(last) else ""
    if opening and opening != one_line(said[0], len(said[0]) + 1):  # the opening was cut; cut it back to a whole word
        opening = (opening.rpartition(" ")[0] or opening.removesuffix("…")).rstrip()
    opening += " … " * bool(opening)
    return harmless(f"{opening}{one_line(end, _END)}") if said else ""


def newest_calls(messages: Sequence[Message]) -> list[SummaryItem]:
    """Return the newest calls as the current state of the work. Each has its arguments, the tool, and its outcome if
    that is short, such as why it failed. Calls that only wait for a running command are left out."""
    calls = [
        (message, call, result)
        for message, call, _, result in answered_calls(messages[-_NEWEST:])
        if call.text.strip() and not _only_waits(call)
    ]
    items: dict[str, SummaryItem] = {}  # calls with the same text are listed once, as the newest
    for message, call, result in reversed(calls):
        text = told_of_call(call, f"{_words_of(call)} ({call.name}{_how_it_ended(call, result)})")
        items.setdefault(text, SummaryItem("In progress", text, (message.number,), order_of(message, 999)))
        if len(items) == _LAST:
            break
    return [*items.values()][::-1]


def _words_of(call: Part) -> str:
    """Return what a call does: the command that it runs, or its first argument. If the other arguments are numbers
    and switches they are added; otherwise all arguments are shown as `key=value`. For a file change with long
    arguments, return the file's path. Text in backquotes is verbatim."""
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
    """Return the outcome of a call, to follow its name: a status such as `failed`, and the result if it takes only a
    few words."""
    if result is None:
        return ""
    ended = misfortune(call, result)
    said = short_result(call, result, failed=ended == "failed", width=_CAUSE_WIDTH)
    said = harmless(said).replace("`", "'")  # they would mark code after a call in backquotes
    if said:
        return f" {ended}: {said}" if ended else f" → {said}"
    return f" {ended}".rstrip()


def _only_waits(call: Part) -> bool:
    """Return whether a call only checks for more output of a running command, without sending it any input."""
    arguments = call_arguments(call)
    numbers = {*handles(arguments)}
    if not any(numbers):
        return False
    texts = [value for value in arguments.values() if isinstance(value, str) and value not in numbers]
    return not any(texts) and (bool(texts) or not _WAITS.isdisjoint(tool_words(call.name)))
