"""What the agent said before a request and did about it: one that is carried out must not look like one that is yet to
be."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from compactor_cli.features.work.written_calls import written_calls
from compactor_cli.model.message import Message, Part, is_closing
from compactor_cli.model.talking import people_talk
from compactor_cli.summary_text.verbatim import ACTED, REPLIED
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later

_FEW_WORDS = 3
"""Words that need no mark at their end: "Done", "All set"."""
_ITEM = compiled_later(r"[-*•#|>`]|\d+[.)]")
"""How lines begin that need none: items, headings, rows of tables, quotes, code."""
_TOOL = 60
"""Characters of the name of a tool."""


def is_answered(messages: Sequence[Message], last: int) -> bool:
    """Return whether the agent went on behind the message `last`, or nobody is there of whom an answer is awaited."""
    behind = range(last + 1, len(messages))
    said = any(messages[at].role == "assistant" and not is_closing(messages, at) for at in behind)
    return said or people_talk(messages)


def said_since(new: Sequence[Message], written: Mapping[int, Part]) -> str:
    """Return what a summary that ends with a request says of the messages that followed it, without the agent's words:
    that it replied, or how many calls it made. Empty where nothing followed. `written`: as `calls_in_text` has it."""
    return f"{did(new[-1])} {_numbers(new)}." if ends_in_words(new, written) else _calls_since(new, written)


def _numbers(messages: Sequence[Message]) -> str:
    first, last = messages[0].number, messages[-1].number
    return f"[#{first}]" if first == last else f"[#{first}-{last}]"


def did(last: Message) -> str:
    """Return that the agent replied in its last words; where they have no end, or a colon or comma there, that it
    acted."""
    lines = last.text("text").rstrip().rsplit("\n", 1)
    end = lines[-1].strip()
    words = end.split()
    closed = not end[-1:].isalnum() or _ITEM.match(end) or len(words) <= _FEW_WORDS or "://" in words[-1]
    return REPLIED if closed and not end.endswith((":", ",", "：", "，", "、")) else ACTED


def since_message(messages: Sequence[Message], request: int) -> list[Message]:
    """Return what users and agents said and did behind a message."""
    return [m for m in messages if m.index > request and m.origin not in ("injected", "summary")]


def calls_in_text(messages: Sequence[Message]) -> dict[int, Part]:
    """Return the calls that agents wrote as text and that were answered, by the index of the message."""
    return {answer.index - 1: call for call, _, answer in written_calls(messages)}


def ends_in_words(messages: Sequence[Message], written: Container[int] = ()) -> bool:
    """Return whether the agent's words end everything, and it calls nothing. `written`: messages with calls that are
    written as text."""
    if not messages:
        return False
    newest = messages[-1]
    calls = newest.calls or newest.index in written
    return newest.role == "assistant" and not calls and bool(newest.text("text").strip())


def answers_before_turns(messages: Sequence[Message]) -> tuple[tuple[int, int], ...]:
    """Return (index of the assistant's message that it answers, index of the request), for every request but the
    first."""
    found: list[tuple[int, int]] = []
    first = request = -1
    for at in range(len(messages) - 1, -1, -1):  # so only the answers are read, and what holds no words
        message = messages[at]
        if message.role == "user" and message.origin == "request":
            first = request = message.index
        elif request < 0 or message.role != "assistant" or message.origin == "summary":
            continue
        elif message.text("text").strip() and not is_closing(messages, at):
            found.append((message.index, request))
            request = -1
    return tuple(pair for pair in reversed(found) if pair[1] != first)


def _calls_since(messages: Sequence[Message], written: Mapping[int, Part]) -> str:
    """Return what is said where the agent was at work; empty where it only thought."""
    turns = [message for message in messages if message.role == "assistant"]
    spoke = any(message.text("text").strip() for message in turns)
    in_text = ([written[message.index]] if message.index in written else [] for message in turns)
    calls = [call for message, also in zip(turns, in_text, strict=True) for call in (*message.calls, *also)]
    if not calls:
        return f"{ACTED} {_numbers(turns)}." if spoke else ""
    named = f", the last {one_line(calls[-1].name, _TOOL)}" if calls[-1].name else ""
    return f"{ACTED} {_numbers(turns)}: {len(calls)} call{'s' * (len(calls) > 1)}{named}."
