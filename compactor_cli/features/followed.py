"""Describe what the agent said and did after a request. A request that was carried out must not look like an open
one."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from compactor_cli.features.work.written_calls import written_calls
from compactor_cli.model.message import Message, Part, is_closing
from compactor_cli.model.talking import people_talk
from compactor_cli.summary_text.verbatim import ACTED, REPLIED
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later

_FEW_WORDS = 3
"""Maximum number of words that need no punctuation at the end: "Done", "All set"."""
_ITEM = compiled_later(r"[-*•#|>`]|\d+[.)]")
"""How lines begin that need none: items, headings, table rows, quotes, code."""
_TOOL = 60
"""Maximum length of a tool's name."""


def is_answered(messages: Sequence[Message], last: int) -> bool:
    """Return whether the agent continued after message `last`, or no answer is expected because people are talking."""
    behind = range(last + 1, len(messages))
    said = any(messages[at].role == "assistant" and not is_closing(messages, at) for at in behind)
    return said or people_talk(messages)


def said_since(new: Sequence[Message], written: Mapping[int, Part]) -> str:
    """Return a sentence on the messages after the request at the end of a summary: that the agent replied, or how
    many calls it made. Return "" if nothing followed. `written`: result of `calls_in_text`."""
    return f"{did(new[-1])} {_numbers(new)}." if ends_in_words(new, written) else _calls_since(new, written)


def _numbers(messages: Sequence[Message]) -> str:
    first, last = messages[0].number, messages[-1].number
    return f"[#{first}]" if first == last else f"[#{first}-{last}]"


def did(last: Message) -> str:
    """Return REPLIED if the agent's last words are complete, otherwise ACTED. Words without final punctuation, or
    with a final colon or comma, are not complete."""
    lines = last.text("text").rstrip().rsplit("\n", 1)
    end = lines[-1].strip()
    words = end.split()
    closed = not end[-1:].isalnum() or _ITEM.match(end) or len(words) <= _FEW_WORDS or "://" in words[-1]
    return REPLIED if closed and not end.endswith((":", ",", "：", "，", "、")) else ACTED


def since_message(messages: Sequence[Message], request: int) -> list[Message]:
    """Return what users and agents said and did after a message."""
    return [m for m in messages if m.index > request and m.origin not in ("injected", "summary")]


def calls_in_text(messages: Sequence[Message]) -> dict[int, Part]:
    """Return message index -> call, for calls that agents wrote as text and that were answered."""
    return {answer.index - 1: call for call, _, answer in written_calls(messages)}


def ends_in_words(messages: Sequence[Message], written: Container[int] = ()) -> bool:
    """Return whether the last message is from the agent and has words but no call. `written`: messages with calls
    that are written as text."""
    if not messages:
        return False
    newest = messages[-1]
    calls = newest.calls or newest.index in written
    return newest.role == "assistant" and not calls and bool(newest.text("text").strip())


def answers_before_turns(messages: Sequence[Message]) -> tuple[tuple[int, int], ...]:
    """Return, for every request but the first, (index of the assistant's message before it, index of the request)."""
    found: list[tuple[int, int]] = []
    first = request = -1
    for at in range(len(messages) - 1, -1, -1):  # backwards: only those answers and messages without words are read
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
    """Return the sentence for an agent at work; "" if it only thought."""
    turns = [message for message in messages if message.role == "assistant"]
    spoke = any(message.text("text").strip() for message in turns)
    in_text = ([written[message.index]] if message.index in written else [] for message in turns)
    calls = [call for message, also in zip(turns, in_text, strict=True) for call in (*message.calls, *also)]
    if not calls:
        return f"{ACTED} {_numbers(turns)}." if spoke else ""
    named = f", the last {one_line(calls[-1].name, _TOOL)}" if calls[-1].name else ""
    return f"{ACTED} {_numbers(turns)}: {len(calls)} call{'s' * (len(calls) > 1)}{named}."
