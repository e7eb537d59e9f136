"""The state of the work at the end of a session: the newest calls, what the agent did about the last request if the
summary ends with it, and the agent's last words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from compactor_cli.features.after_request import (
    answers_before_turns,
    calls_in_text,
    describe_since,
    ends_in_words,
    last_action,
    since_message,
)
from compactor_cli.features.call_lines import changed_lines, short_path
from compactor_cli.features.work.calls import id_arguments
from compactor_cli.features.work.ledger import call_arguments, call_text
from compactor_cli.features.work.masked_calls import mask_call_text
from compactor_cli.features.work.open_errors import failure_kind
from compactor_cli.features.work.short_results import short_result
from compactor_cli.features.work.tool_names import tool_words
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import answered_calls
from compactor_cli.model.plan import Quote
from compactor_cli.model.planning import SummaryRequest
from compactor_cli.model.replies import MAX_ANSWER_TOKENS
from compactor_cli.summaries.items import SummaryItem, order_of
from compactor_cli.summaries.statement_choice import (
    CLOSING_SENTENCES,
    all_statements,
    closing_sentences,
    joined_sentences,
)
from compactor_cli.summary_text.excerpts import harmless, heading
from compactor_cli.summary_text.verbatim import carried, earlier_since
from compactor_cli.text.argument_values import argument_values
from compactor_cli.text.clean import one_line
from compactor_cli.text.picked_items import picked_items
from compactor_cli.text.sentences import QUESTION_END

_MAX_OPENING_CHARS, _MAX_END_CHARS = 160, 400
_ANSWERED_BONUS = 8.0
_MAX_SEARCHED_MESSAGES, _MAX_CALLS = 40, 2
_WAITING_WORDS = frozenset(("wait", "poll", "output"))
"""Words in the names of tools that wait for a command."""
_MAX_CALL_CHARS, _MAX_CAUSE_CHARS = 160, 100


def describe_after_request(request: SummaryRequest) -> str:
    """Return the description of what followed the request at the end of a summary; empty if nothing did."""
    last_quote = next((quote for quote in request.slot.quotes if quote.kind in ("last", "only")), None)
    if last_quote is None or request.is_answered:
        return ""
    summaries = [message for message in request.messages if message.origin == "summary"]
    request_index = last_quote.message if last_quote.message is not None else summaries[-1].index if summaries else -1
    new_messages = since_message(request.messages, request_index)
    if any(message.role == "assistant" for message in new_messages):
        return _describe_since(new_messages, calls_in_text(request.messages))
    if last_quote.message is None and summaries:
        return earlier_since(carried(summaries[-1].text("text")).since)
    return ""


def answered_words(messages: Sequence[Message], quotes: Sequence[Quote]) -> list[SummaryItem]:
    """Return what the agent said that the short request at the end of a summary picks from or answers."""
    request_index = next((quote.message for quote in quotes if quote.kind in ("last", "only")), None)
    if request_index is None:
        return []
    turns = {request: answer for answer, request in answers_before_turns(messages)}
    by_index = {message.index: message for message in messages}
    if request_index not in turns or by_index[request_index].tokens > MAX_ANSWER_TOKENS:
        return []
    answer = by_index[turns[request_index]]
    text = answer.text("text")
    reply = by_index[request_index].text("text")
    picked_items_text = [text[start:end] for start, end in picked_items(text, reply)]
    closing = closing_sentences(text)
    question = joined_sentences(closing, text) if any(map(QUESTION_END.search, closing)) else ""
    answered = harmless(one_line(" … ".join(picked_items_text) or question, _MAX_END_CHARS))
    item_text = f'"{harmless(one_line(reply, _MAX_OPENING_CHARS))}" answers: "{answered}"'
    item = SummaryItem("In progress", item_text, (answer.number,), order_of(answer, 0), _ANSWERED_BONUS)
    return [item] if answered else []


def _describe_since(new: Sequence[Message], written: Mapping[int, Part]) -> str:
    """Return the description of the messages after the request, with the agent's last words if it ended with them."""
    since = describe_since(new, written)
    last = next((message for message in reversed(new) if message.role == "assistant"), None)
    if last is None or not since or last.index in written or not ends_in_words(new, written):
        return since
    last_words = _final_words(last)
    return f"{last_action(last)}:\n{heading(last.number, '')}{last_words}" if last_words else since


def _final_words(message: Message) -> str:
    """Return the agent's conclusion or question on one line: its opening, and its last sentences."""
    text = message.text("text")
    texts = all_statements(text)
    closing = texts[-CLOSING_SENTENCES:]
    ending = joined_sentences(closing, text)
    if len(ending) > _MAX_END_CHARS:
        ending = texts[-1]
    opening = one_line(texts[0], _MAX_OPENING_CHARS) if len(texts) > len(closing) else ""
    if opening and opening != one_line(texts[0], len(texts[0]) + 1):  # the opening was cut; cut it back to a whole word
        opening = (opening.rpartition(" ")[0] or opening.removesuffix("…")).rstrip()
    opening += " … " * bool(opening)
    return harmless(f"{opening}{one_line(ending, _MAX_END_CHARS)}") if texts else ""


def newest_calls(messages: Sequence[Message]) -> list[SummaryItem]:
    """Return the newest calls as the current state of the work, with their outcome if it is short."""
    calls = [
        (message, call, result)
        for message, call, _, result in answered_calls(messages[-_MAX_SEARCHED_MESSAGES:])
        if call.text.strip() and not _only_waits(call)
    ]
    items: dict[str, SummaryItem] = {}  # calls with the same text are listed once, as the newest
    for message, call, result in reversed(calls):
        text = mask_call_text(call, f"{_call_words(call)} ({call.name}{_outcome_text(call, result)})")
        items.setdefault(text, SummaryItem("In progress", text, (message.number,), order_of(message, 999)))
        if len(items) == _MAX_CALLS:
            break
    return [*items.values()][::-1]


def _call_words(call: Part) -> str:
    """Return what a call does: the command that it runs, or its first argument. If the other arguments are numbers
    and switches they are added; otherwise all arguments are shown as `key=value`. For a file change with long
    arguments, return the file's path. Text in backquotes is verbatim."""
    text, arguments = call_text(call), call_arguments(call)
    if len(text) > _MAX_CALL_CHARS and (path := next((path for path, _ in changed_lines(call)), "")):
        return _as_code(short_path(path))
    if text != call.text or not isinstance(arguments, dict) or not arguments:
        return _as_code(text)
    first, *others = arguments.items()
    if (
        not isinstance(first[1], str)
        or not first[1].strip()
        or not all(isinstance(value, int | float) for _, value in others)
    ):
        values = argument_values(text).readable(text, 0, len(text))
        return _as_code(text) if values == text else one_line(harmless(values), _MAX_CALL_CHARS).replace("`", "'")
    values = "".join(f", {key} {json.dumps(value)}" for key, value in others)
    return f"{_as_code(first[1])}{one_line(harmless(values), _MAX_CALL_CHARS)}"


def _as_code(text: str) -> str:
    return f"`{one_line(harmless(text), _MAX_CALL_CHARS)}`"


def _outcome_text(call: Part, result: Part | None) -> str:
    """Return the outcome of a call, to follow its name: a status, and the result if it takes only a few words."""
    if result is None:
        return ""
    misfortune_word = failure_kind(call, result)
    short_text = short_result(call, result, failed=misfortune_word == "failed", width=_MAX_CAUSE_CHARS)
    short_text = harmless(short_text).replace("`", "'")  # they would mark code after a call in backquotes
    if short_text:
        return f" {misfortune_word}: {short_text}" if misfortune_word else f" → {short_text}"
    return f" {misfortune_word}".rstrip()


def _only_waits(call: Part) -> bool:
    """Return whether a call only checks for more output of a running command, without sending it any input."""
    arguments = call_arguments(call)
    numbers = {*id_arguments(arguments)}
    if not any(numbers):
        return False
    texts = [value for value in arguments.values() if isinstance(value, str) and value not in numbers]
    return not any(texts) and (bool(texts) or not _WAITING_WORDS.isdisjoint(tool_words(call.name)))
