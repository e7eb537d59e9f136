"""What the agent did about the last request with which a summary ends: a request that is carried out must not look like
one that is yet to be."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.model.message import Message
from compactor_cli.model.planning import SummaryRequest
from compactor_cli.summaries.told import all_statements, leads_once
from compactor_cli.summary_text.excerpts import harmless, heading
from compactor_cli.summary_text.verbatim import ACTED, REPLIED, carried, earlier_since
from compactor_cli.text.clean import one_line

_OPENING, _END, _TOOL = 160, 400, 60
"""Characters of the first sentence of the agent's last words, of the last ones, and of the name of a tool."""
_SAID_LAST = 2
"""Sentences at their end that say what the work has come to, or what the agent asks."""


def since_last_request(request: SummaryRequest, *, words: bool) -> str:
    """Return what is said of what followed the request with which a summary ends; empty where nothing did, or where
    that stands behind the summary. `words`: it repeats what the agent said last."""
    last = next((quote for quote in request.slot.quotes if quote.kind in ("last", "only")), None)
    if last is None or request.answered:
        return ""
    summaries = [message for message in request.messages if message.origin == "summary"]
    asked = last.message if last.message is not None else summaries[-1].index if summaries else -1
    new = [m for m in request.messages if m.index > asked and m.origin not in ("injected", "summary")]
    turns = [message for message in new if message.role == "assistant"]
    if turns:
        return _said(new[-1], words=words) or _acted(turns)
    if last.message is None and summaries:
        return earlier_since(carried(summaries[-1].text("text")).since)
    return ""


def _said(newest: Message, *, words: bool) -> str:
    """Return what is said where the agent's words end everything; else nothing."""
    if newest.role != "assistant" or newest.calls or not newest.text("text").strip():
        return ""
    said = _final_words(newest) if words else ""
    return f"{REPLIED}:\n{heading(newest.number, '')}{said}" if said else f"{REPLIED} [#{newest.number}]."


def _acted(turns: Sequence[Message]) -> str:
    """Return what is said where the agent was at work; nothing where it only thought."""
    calls = [call for message in turns for call in message.calls]
    if not calls:
        return ""
    numbers = sorted(message.number for message in turns)
    named = f", the last {one_line(calls[-1].name, _TOOL)}" if calls[-1].name else ""
    count = f"{len(calls)} call{'s' * (len(calls) > 1)}"
    return f"{ACTED} {_between(numbers[0], numbers[-1])}: {count}{named}."


def _between(first: int, last: int) -> str:
    return f"[#{first}]" if first == last else f"[#{first}-{last}]"


def _final_words(message: Message) -> str:
    """Return what the agent came to, or what it asks, in one line: how it begins, and its last sentences."""
    said = all_statements(message.text("text"))
    end = " ".join(leads_once(said[-_SAID_LAST:]))
    if len(end) > _END:
        end = said[-1]
    opening = f"{one_line(said[0], _OPENING)} … " if len(said) > _SAID_LAST else ""
    return harmless(f"{opening}{one_line(end, _END)}") if said else ""
