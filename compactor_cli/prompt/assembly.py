"""Prompt assembly (seed 000): system, identity, actions, system insight, history, task, current message.

The history is compacted to what the other parts leave of the total. The parts become messages around it, in the
transcript's format. They have no records in the transcript, so the stage that writes a compaction writes them as
well.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.errors import BudgetError, UsageError
from compactor_cli.formats import FORMATS, jsonedit
from compactor_cli.formats.base import Format
from compactor_cli.formats.loading import load
from compactor_cli.model.group import Group
from compactor_cli.model.message import Marks, Message, Part, Role
from compactor_cli.model.plan import keep_all
from compactor_cli.model.report import Compaction
from compactor_cli.model.transcript import Link, Transcript
from compactor_cli.pipeline.assemble import assemble
from compactor_cli.pipeline.one_compaction import Tools
from compactor_cli.pipeline.run import compact
from compactor_cli.pipeline.verify import faults
from compactor_cli.prompt.definition import AFTER, Sized
from compactor_cli.settings import Settings

_REMOVED = -1
"""Owner of records that belong to a message outside the history."""
_NOT_WRITTEN = "(before the parts of the prompt)"


class Prompted(Struct, frozen=True):
    """A prompt as it is written, and the history in it."""

    data: bytes
    messages: tuple[Message, ...]
    """The messages as read back from `data`."""
    parts: tuple[Sized, ...]
    before: Transcript
    """What was compacted: the transcript, without its system messages if the prompt has its own."""
    history: Compaction
    reserved: int
    """Tokens kept free for parts that are given only as a size."""
    total: int
    safety_margin: int

    @property
    def tokens(self) -> int:
        """Return the tokens of the messages plus the reserved ones."""
        return sum(message.tokens for message in self.messages) + self.reserved

    @property
    def system_tokens(self) -> int:
        """Return the tokens of the transcript's own system messages in the history."""
        return sum(message.tokens for message in self.history.messages if message.is_system_prompt)


def assemble_prompt(
    transcript: Transcript, parts: Sequence[Sized], tools: Tools, settings: Settings, total: int
) -> Prompted:
    """Return a prompt of at most `total` tokens. Raises BudgetError when the parts leave too little for the history,
    and UsageError when the format has no place for a part."""
    replaced = any(part.name == "system_prompt" and part.given != "transcript" for part in parts)
    history_source = _without_system(transcript) if replaced else transcript
    _check_boundary(history_source, parts, tools.format)
    margin = settings.budget.safety_margin
    history = _compact(history_source, parts, tools, settings, total)
    body = _compact_history(history_source, history, tools, replaced)
    data, expected = _add_parts(body, [part for part in parts if part.written], tools, replaced)
    messages = _read_compacted(data, history_source, tools).messages if expected else ()
    reserved = sum(part.reserved for part in parts)
    result = Prompted(data, messages, tuple(parts), history_source, history, reserved, total, margin)
    _verify(result, expected, history, tools.format)
    return result


def _compact_history(transcript: Transcript, history: Compaction, tools: Tools, replaced: bool) -> Transcript:
    """Return the compacted history as a transcript."""
    if not history.changed:
        return transcript
    if not history.messages:  # nothing to read: the remaining records hold no messages
        return replace(transcript, messages=(), owners=dict.fromkeys(transcript.owners, _REMOVED))
    body = _read_compacted(history.data, transcript, tools)
    return _without_system(body) if replaced else body


def _read_compacted(data: bytes, transcript: Transcript, tools: Tools) -> Transcript:
    return load(data, transcript.path, tools.counter, format=transcript.format).transcripts[0]


def _without_system(transcript: Transcript) -> Transcript:
    """Return the transcript without its system messages. A summary under the role system stays as history."""
    kept_messages = [message for message in transcript.messages if not message.is_system_prompt]
    if len(kept_messages) == len(transcript.messages):
        return transcript
    new_index = {message.index: index for index, message in enumerate(kept_messages)}
    owners = {record: new_index.get(owner, _REMOVED) for record, owner in transcript.owners.items()}
    messages = tuple(replace(message, index=index) for index, message in enumerate(kept_messages))
    return replace(transcript, messages=messages, owners=owners)


def _check_boundary(transcript: Transcript, parts: Sequence[Sized], format: Format) -> None:
    first = next((message for message in transcript.messages if not message.is_system_prompt), None)
    before = [part.name for part in parts if part.written and part.name not in AFTER]
    if before and first is not None and first.pinned and format.boundary_is_message:
        other_formats = ", ".join(
            name for name, other_format in FORMATS.items() if not other_format.boundary_is_message
        )
        raise UsageError(
            f"{transcript.path}: line {transcript.records[first.records[0]].line} replaces all history before it, so "
            f"{before[0]} cannot come before it in a {format.name} file; give only task_prompt and current_message, "
            f"or a session that was not compacted by its own tool (or one in: {other_formats})"
        )


def _compact(
    transcript: Transcript, parts: Sequence[Sized], tools: Tools, settings: Settings, total: int
) -> Compaction:
    """Return the history compacted to what the parts and the safety margin leave."""
    margin = settings.budget.safety_margin
    names = {part.name: part.name.replace("_", " ") for part in parts} | {"system_llm": "system insight"}
    fixed = [(names[part.name], part.tokens) for part in parts if part.given != "transcript" and part.tokens]
    fixed.append(("safety margin", margin))
    fixed_tokens = sum(tokens for _, tokens in fixed)
    history_tokens = total - fixed_tokens
    settings = dataclasses.replace(settings, target_tokens=max(0, history_tokens), target_ratio=None)
    try:
        history = compact(transcript, tools, settings, closed=True)
    except BudgetError as error:
        items = (*fixed, *((f"history: {item}", tokens) for item, tokens in error.items))
        raise BudgetError(total, fixed_tokens + error.floor, items, option="--total") from None
    if history_tokens < 0:
        raise BudgetError(total, fixed_tokens, tuple(fixed), option="--total")
    return history


def _add_parts(body: Transcript, parts: Sequence[Sized], tools: Tools, replaced: bool) -> tuple[bytes, list[str]]:
    """Return the bytes of the history with the parts around it, and the message texts that must be read back from
    them."""
    top = next((piece for piece in body.layout.pieces if isinstance(piece, int)), None)
    texts = []
    if top is not None and replaced:
        texts = [part.text for part in parts if part.name == "system_prompt"]
        body = _with_top_prompt(body, top, texts[0] if texts else "")
        parts = [part for part in parts if part.name != "system_prompt"]
    head = next((position for position, m in enumerate(body.messages) if not m.is_system_prompt), len(body.messages))
    first = body.messages[head].records[0] if head < len(body.messages) else len(body.records)
    before = [_part_message(part, first - 1, tools) for part in parts if part.name not in AFTER]
    after = [_part_message(part, len(body.records), tools) for part in parts if part.name in AFTER]
    messages = [*body.messages[:head], *before, *body.messages[head:], *after]
    numbered = tuple(replace(message, index=index) for index, message in enumerate(messages))
    surrounded = replace(
        body,
        messages=numbered,
        owners={record: owner + len(before) if owner >= head else owner for record, owner in body.owners.items()},
        links=_body_links(body, first) if before else body.links,
    )
    groups = [Group(message.index, (message.index,), message.tokens) for message in numbered]
    data = assemble(surrounded, groups, keep_all(groups, "part of the prompt"), (), tools.format).data
    return data, texts + [message.text() for message in messages]


def _with_top_prompt(body: Transcript, top: int, text: str) -> Transcript:
    """Return the transcript with another top-level system prompt; an empty one stands for none."""
    value = jsonedit.dump(text).encode("utf-8")
    pieces = tuple(value if piece == top and isinstance(piece, int) else piece for piece in body.layout.pieces)
    return replace(body, layout=replace(body.layout, pieces=pieces))


def _part_message(part: Sized, after: int, tools: Tools) -> Message:
    per_message = tools.counter.per_message
    role: Role = "user" if part.name in AFTER or "system" not in tools.format.summary_roles else "system"
    kind = "task" if part.name == "task_prompt" else "conversation"
    text = Part("text", part.text, part.tokens - per_message - part.reserved)
    return Message(
        index=-1,
        id=f"prompt:{part.name}",
        role=role,
        parts=(text,),
        records=(),
        tokens=per_message + text.tokens,
        marks=Marks(type=kind),
        after=after,
    )


def _body_links(body: Transcript, first: int) -> tuple[Link | None, ...]:
    """Return the links with the first message of the history, if it was a root, following the parts before it."""
    link = body.links[first] if first < len(body.links) else None
    if link is None or link.parent:
        return body.links
    return (*body.links[:first], link._replace(parent=_NOT_WRITTEN), *body.links[first + 1 :])


def _verify(result: Prompted, expected: Sequence[str], history: Compaction, format: Format) -> None:
    """Check the invariants of every prompt. A violation is a bug of this program, so nothing is written."""
    texts = [message.text() for message in result.messages]
    if texts != list(expected):
        raise AssertionError(f"{len(texts)} messages are read again instead of {len(expected)}, or others")
    if result.tokens + result.safety_margin > result.total:
        raise AssertionError(f"the prompt has {result.tokens} tokens and a margin, the total is {result.total}")
    kinds = [
        Counter(fault.kind for fault in faults(messages, adjacent_results=format.adjacent_results))
        for messages in (result.messages, history.messages)
    ]
    if kinds[0] - kinds[1]:
        raise AssertionError(f"the prompt has faults that its history does not have: {sorted(kinds[0] - kinds[1])}")
