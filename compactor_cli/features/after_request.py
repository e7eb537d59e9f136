"""Describe what the agent said and did after a request. A request that was carried out must not look like an open
one."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from compactor_cli.features.work.written_calls import written_calls
from compactor_cli.model.message import Message, Part, is_closing
from compactor_cli.model.talking import is_between_people
from compactor_cli.summary_text.verbatim import ACTED, REPLIED
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later

_MAX_UNPUNCTUATED_WORDS = 3
"""Maximum number of words that need no punctuation at the end: "Done", "All set"."""
_LINE_MARK = compiled_later(r"[-*•#|>`]|\d+[.)]")
"""How lines begin that need none: items, headings, table rows, quotes, code."""
_MAX_TOOL_CHARS = 60
"""Maximum length of a tool's name."""


def is_answered(messages: Sequence[Message], last: int) -> bool:
    """Return whether the agent continued after message `last`, or no answer is expected because people are talking."""
    later_indices = range(last + 1, len(messages))
    agent_continued = any(
        messages[index].role == "assistant" and not is_closing(messages, index) for index in later_indices
    )
    return agent_continued or is_between_people(messages)


def describe_since(new: Sequence[Message], written: Mapping[int, Part]) -> str:
    """Return a sentence about the messages after the request at the end of a summary: that the agent replied, or how
    many calls it made. Return "" if nothing followed. `written`: result of `calls_in_text`."""
    return (
        f"{last_action(new[-1])} {_message_range(new)}." if ends_in_words(new, written) else _calls_since(new, written)
    )


def _message_range(messages: Sequence[Message]) -> str:
    first, last = messages[0].number, messages[-1].number
    return f"[#{first}]" if first == last else f"[#{first}-{last}]"


def last_action(last: Message) -> str:
    """Return REPLIED if the agent's last words are complete, otherwise ACTED. Words without final punctuation, or
    with a final colon or comma, are not complete."""
    lines = last.text("text").rstrip().rsplit("\n", 1)
    end = lines[-1].strip()
    words = end.split()
    is_complete = (
        not end[-1:].isalnum() or _LINE_MARK.match(end) or len(words) <= _MAX_UNPUNCTUATED_WORDS or "://" in words[-1]
    )
    return REPLIED if is_complete and not end.endswith((":", ",", "：", "，", "、")) else ACTED


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
    pairs: list[tuple[int, int]] = []
    first = request = -1
    for index in range(len(messages) - 1, -1, -1):  # backwards: only those answers and messages without words are read
        message = messages[index]
        if message.role == "user" and message.origin == "request":
            first = request = message.index
        elif request < 0 or message.role != "assistant" or message.origin == "summary":
            continue
        elif message.text("text").strip() and not is_closing(messages, index):
            pairs.append((message.index, request))
            request = -1
    return tuple(pair for pair in reversed(pairs) if pair[1] != first)


def _calls_since(messages: Sequence[Message], written: Mapping[int, Part]) -> str:
    """Return the sentence for an agent at work; "" if it only thought."""
    turns = [message for message in messages if message.role == "assistant"]
    spoke = any(message.text("text").strip() for message in turns)
    in_text = ([written[message.index]] if message.index in written else [] for message in turns)
    calls = [call for message, text_calls in zip(turns, in_text, strict=True) for call in (*message.calls, *text_calls)]
    if not calls:
        return f"{ACTED} {_message_range(turns)}." if spoke else ""
    last_name = f", the last {one_line(calls[-1].name, _MAX_TOOL_CHARS)}" if calls[-1].name else ""
    return f"{ACTED} {_message_range(turns)}: {len(calls)} call{'s' * (len(calls) > 1)}{last_name}."
