"""How the work stands at the end of a session: the newest calls, and what the agent did about the last request with
which a summary ends, with the words that it said last."""

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
"""Characters of the first sentence of the agent's last words, or of one before calls, and of the last ones."""
_SILENT = 2
"""Turns with calls and no words behind those words at most: what more of them did is something else."""
_SURE = 8.0
"""What makes what a request answers worth more than most of what is said."""
_NEWEST, _LAST = 40, 2
"""Messages that are searched for the newest calls, and how many of those are named."""
_WAITS = frozenset(("wait", "poll", "output"))
"""Words in the names of tools with which an agent waits for a command."""
_CALL_WIDTH, _CAUSE_WIDTH = 160, 100


def since_last_request(request: SummaryRequest) -> str:
    """Return what is said of what followed the request with which a summary ends; empty where nothing did, or where
    that stands behind the summary."""
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
    """Return what the agent said before the request with which a summary ends, where that has so few words that it says
    little without it: what it picks of it, else the end, if that asks something."""
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
    """Return what is said of messages behind the request, with the agent's last words among them."""
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
    """Return the last sentence of what the agent said before its calls; empty where it is long."""
    said = all_statements(message.text("text"))[-1:]
    return harmless(said[0]) if said and len(said[0]) <= _OPENING and "\n" not in said[0] else ""


def _final_words(message: Message) -> str:
    """Return what the agent came to, or what it asks, in one line: how it begins, and its last sentences."""
    said = all_statements(message.text("text"))
    last = last_said(message.text("text"))
    end = " ".join(leads_once(last))
    if len(end) > _END:
        end = said[-1]
    opening = one_line(said[0], _OPENING) if len(said) > len(last) else ""
    if opening and opening != one_line(said[0], len(said[0]) + 1):  # it was cut, but not inside of a word
        opening = (opening.rpartition(" ")[0] or opening.removesuffix("…")).rstrip()
    opening += " … " * bool(opening)
    return harmless(f"{opening}{one_line(end, _END)}") if said else ""


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
