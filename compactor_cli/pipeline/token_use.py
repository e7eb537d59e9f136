"""What the tokens of an output are used for: by speaker, and for newest messages and for marks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from compactor_cli.model.group import Group
from compactor_cli.model.injected import has_instructions
from compactor_cli.model.message import BETWEEN_ID, Message, Origin, PartKind, Role
from compactor_cli.model.plan import Decision
from compactor_cli.model.planning import NEWEST_REASONS
from compactor_cli.model.report import Spent
from compactor_cli.summary_text.excerpts import INSTRUCTIONS, Speaker, bare, speaker_of
from compactor_cli.summary_text.headers import is_recalled, is_state_heading, quotes_lines

_MARKS_USE = "headings and marks"
_AGENT_USE = "agent's words"
_INSTRUCTIONS_USE = "instructions"
_HARNESS_USE = "harness's notes"
_EARLIER_USE = "earlier summaries"
_USES = (
    "system",
    "requests",
    _INSTRUCTIONS_USE,
    "memories",
    "state",
    "newest",
    "tool outputs",
    "calls",
    _AGENT_USE,
    _HARNESS_USE,
    _EARLIER_USE,
    "summaries",
    _MARKS_USE,
)
_PART_USES: Mapping[PartKind, str] = {"tool_call": "calls", "tool_result": "tool outputs"}
_SPEAKER_USES = {
    "user": "requests",
    INSTRUCTIONS: _INSTRUCTIONS_USE,
    "harness": _HARNESS_USE,
    "summary": _EARLIER_USE,
    "": _AGENT_USE,
}
_ORIGIN_USES: Mapping[Origin, str] = {"request": "requests", "summary": _EARLIER_USE}
_ROLE_USES: Mapping[Role, str] = {
    "system": "system",
    "assistant": _AGENT_USE,
    "tool": "tool outputs",
    "user": _HARNESS_USE,
}


def spent_by_use(
    messages: Sequence[Message], groups: Sequence[Group], decisions: Iterable[Decision], output: Sequence[Message]
) -> tuple[Spent, ...]:
    """Return the uses of the tokens of `output`; their sum is that of its messages. `messages`: the input's messages.
    The tokens of a summary that quotes lines are split by the length of what it quotes."""
    newest_indices = {i for d in decisions if d.reason.startswith(NEWEST_REASONS) for i in groups[d.group].messages}
    by_number = {message.number: message for message in messages}
    totals = dict.fromkeys(_USES, 0)
    for message in output:
        for name, tokens in _message_uses(message, by_number, is_newest=message.index in newest_indices):
            totals[name] += tokens
    return tuple(Spent(name, tokens) for name, tokens in totals.items() if tokens)


def _message_uses(message: Message, by_number: Mapping[int, Message], *, is_newest: bool) -> Iterator[tuple[str, int]]:
    text = message.text("text")
    if message.index < 0 and message.origin == "summary":
        yield from _summary_uses(text, message.tokens, by_number)
    elif message.origin in _ORIGIN_USES or message.role == "system" or is_recalled(text) or has_instructions(message):
        yield _writer_use(message), message.tokens
    elif message.id == BETWEEN_ID:
        yield _MARKS_USE, message.tokens
    elif is_newest:
        yield "newest", message.tokens
    else:
        for part in message.parts:
            yield _PART_USES.get(part.kind) or _writer_use(message), part.tokens
        yield _MARKS_USE, message.tokens - sum(part.tokens for part in message.parts)


def _writer_use(message: Message) -> str:
    if is_recalled(message.text("text")):
        return "memories"
    if has_instructions(message):
        return _INSTRUCTIONS_USE
    return _ORIGIN_USES.get(message.origin) or _ROLE_USES[message.role]


def _summary_uses(text: str, tokens: int, by_number: Mapping[int, Message]) -> Iterator[tuple[str, int]]:
    """Yield the tokens of a summary by the kind of its lines. A summary with sections counts as a whole."""
    if not quotes_lines(text):
        yield "summaries", tokens
        return
    lengths = {_MARKS_USE: 0}
    kind = _MARKS_USE
    for line in text.split("\n"):
        speaker = speaker_of(line)
        if speaker is not None:
            kind = _speaker_use(speaker, by_number)
        elif is_state_heading(line):
            kind = "state"
        quoted_length = len(bare(line))
        lengths[kind] = lengths.get(kind, 0) + quoted_length + 1
        lengths[_MARKS_USE] += len(line) - quoted_length
    ends = [tokens * length // sum(lengths.values()) for length in accumulate(lengths.values())]
    for name, start, end in zip(lengths, [0, *ends], ends, strict=False):
        yield name, end - start


def _speaker_use(speaker: Speaker, by_number: Mapping[int, Message]) -> str:
    if speaker.name == "→":
        return "tool outputs"
    if speaker.message is None:
        return _SPEAKER_USES.get(speaker.name, "calls")
    message = by_number.get(speaker.message)
    if message is None:  # from an earlier round, which had its own numbers
        return _EARLIER_USE
    if message.role == "tool" and speaker.name == "user":  # the user's reply to a call
        return _SPEAKER_USES["user"]
    return "calls" if speaker.name and message.role == "assistant" else _writer_use(message)
