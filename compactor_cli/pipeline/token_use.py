"""What the tokens of an output are used for: by speaker, and for newest messages and for marks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from compactor_cli.model.group import Group
from compactor_cli.model.injected import is_instructing
from compactor_cli.model.message import BETWEEN_ID, Message, Origin, PartKind, Role
from compactor_cli.model.plan import Decision
from compactor_cli.model.planning import NEWEST_REASONS
from compactor_cli.model.report import Spent
from compactor_cli.summary_text.excerpts import INSTRUCTIONS, Speaker, bare, speaker_of
from compactor_cli.summary_text.headers import is_recalled, is_state_heading, quotes_lines

_MARKS = "headings and marks"
_AGENT = "agent's words"
_TOLD = "instructions"
_NOTES = "harness's notes"
_EARLIER = "earlier summaries"
_UNCHANGED = "unchanged"
_NAMES = (
    "system",
    "requests",
    _TOLD,
    "memories",
    "state",
    "newest",
    "tool outputs",
    "calls",
    _AGENT,
    _NOTES,
    _EARLIER,
    "summaries",
    _MARKS,
    _UNCHANGED,
)
"""The uses, in the order of tables."""
_PARTS: Mapping[PartKind, str] = {"tool_call": "calls", "tool_result": "tool outputs"}
_SPEAKERS = {"user": "requests", INSTRUCTIONS: _TOLD, "harness": _NOTES, "summary": _EARLIER, "": _AGENT}
_ORIGINS: Mapping[Origin, str] = {"request": "requests", "summary": _EARLIER}
_ROLES: Mapping[Role, str] = {"system": "system", "assistant": _AGENT, "tool": "tool outputs", "user": _NOTES}


def spent(
    messages: Sequence[Message], groups: Sequence[Group], decisions: Iterable[Decision], output: Sequence[Message]
) -> tuple[Spent, ...]:
    """Return the uses of the tokens of `output`; their sum is that of its messages.

    `messages`: the input's messages. The tokens of a summary that quotes lines are split by the length of what it
    quotes.
    """
    new = {i for d in decisions if d.reason.startswith(NEWEST_REASONS) for i in groups[d.group].messages}
    numbered = {message.number: message for message in messages}
    totals = dict.fromkeys(_NAMES, 0)
    for message in output:
        for name, tokens in _of_message(message, numbered, newest=message.index in new):
            totals[name] += tokens
    return tuple(Spent(name, tokens) for name, tokens in totals.items() if tokens)


def unspent(tokens: int) -> tuple[Spent, ...]:
    """Return the use of tokens for an output that equals its input."""
    return (Spent(_UNCHANGED, tokens),) if tokens else ()


def _of_message(message: Message, numbered: Mapping[int, Message], *, newest: bool) -> Iterator[tuple[str, int]]:
    text = message.text("text")
    if message.index < 0 and message.origin == "summary":
        yield from _of_summary(text, message.tokens, numbered)
    elif message.origin in _ORIGINS or message.role == "system" or is_recalled(text) or is_instructing(message):
        yield _written_by(message), message.tokens
    elif message.id == BETWEEN_ID:
        yield _MARKS, message.tokens
    elif newest:
        yield "newest", message.tokens
    else:
        for part in message.parts:
            yield _PARTS.get(part.kind) or _written_by(message), part.tokens
        yield _MARKS, message.tokens - sum(part.tokens for part in message.parts)


def _written_by(message: Message) -> str:
    if is_recalled(message.text("text")):
        return "memories"
    if is_instructing(message):
        return _TOLD
    return _ORIGINS.get(message.origin) or _ROLES[message.role]


def _of_summary(text: str, tokens: int, numbered: Mapping[int, Message]) -> Iterator[tuple[str, int]]:
    """Yield the tokens of a summary by the kind of its lines. A summary with sections counts as a whole."""
    if not quotes_lines(text):
        yield "summaries", tokens
        return
    lengths = {_MARKS: 0}
    kind = _MARKS
    for line in text.split("\n"):
        speaker = speaker_of(line)
        if speaker is not None:
            kind = _said_by(speaker, numbered)
        elif is_state_heading(line):
            kind = "state"
        quoted = len(bare(line))
        lengths[kind] = lengths.get(kind, 0) + quoted + 1
        lengths[_MARKS] += len(line) - quoted
    ends = [tokens * length // sum(lengths.values()) for length in accumulate(lengths.values())]
    for name, start, end in zip(lengths, [0, *ends], ends, strict=False):
        yield name, end - start


def _said_by(speaker: Speaker, numbered: Mapping[int, Message]) -> str:
    if speaker.name == "→":
        return "tool outputs"
    if speaker.message is None:
        return _SPEAKERS.get(speaker.name, "calls")
    message = numbered.get(speaker.message)
    if message is None:  # from an earlier round, which had its own numbers
        return _EARLIER
    if message.role == "tool" and speaker.name == "user":  # the user's reply to a call
        return _SPEAKERS["user"]
    return "calls" if speaker.name and message.role == "assistant" else _written_by(message)
