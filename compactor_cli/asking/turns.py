"""Messages of a transcript as turns of a model request: data between delimiters, in their own roles.

Calls and results are sent as text, so that no provider rejects them. A result is a user turn, since it comes from
outside the model. Thinking and pictures are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from msgspec import Struct

from compactor_cli.asking.fence import escape, fenced
from compactor_cli.asking.port import Speaker, Turn
from compactor_cli.model.message import Message, Part
from compactor_cli.text.clean import plain
from compactor_cli.text.shorten import shorten_output, shorten_prose

T = TypeVar("T")


class CharLimits(Struct, frozen=True):
    """Maximum characters of each kind of text; longer texts are cut in the middle, with a mark."""

    text: int = 6_000
    arguments: int = 1_000
    output: int = 2_000


def make_turns(messages: Sequence[Message], cuts: CharLimits | None = None) -> list[Turn]:
    """Return one turn for each message that has content. With `cuts`, long texts are shortened."""
    turns = []
    for message in messages:
        body = "\n".join(filter(None, (_part_text(part, cuts) for part in message.parts)))
        if body:
            role: Speaker = "assistant" if message.role == "assistant" else "user"
            turns.append(Turn(role, _message_text(message, body)))
    return turns


def merge_turns(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Return the turns with neighbours of the same role merged."""
    out: list[Turn] = []
    for turn in turns:
        if out and out[-1].role == turn.role:
            out[-1] = Turn(turn.role, f"{out[-1].text}\n\n{turn.text}")
        else:
            out.append(turn)
    return tuple(out)


def pack(
    items: Iterable[T], size_of: Callable[[T], int], capacity: int, *, least: int = 1, most: int | None = None
) -> list[list[T]]:
    """Return the items in order in as few groups as their sizes allow. A group has at least `least` items, whatever
    their sizes, and at most `most`; the last one may have fewer."""
    groups: list[list[T]] = []
    used = 0
    for item in items:
        size = size_of(item)
        if not groups or len(groups[-1]) == most or (used + size > capacity and len(groups[-1]) >= least):
            groups.append([])
            used = 0
        groups[-1].append(item)
        used += size
    return groups


def _message_text(message: Message, body: str) -> str:
    speaker = "tool" if message.results else message.role
    return f'<message number="{message.number}" from="{speaker}">\n{body}\n</message>'


def _part_text(part: Part, cuts: CharLimits | None) -> str:
    text = plain(part.text)
    if part.kind == "text":
        return escape(_cut_middle(text, cuts.text if cuts else 0)).strip()
    if part.kind == "tool_call":
        return fenced("call", _cut_middle(text, cuts.arguments if cuts else 0), tool=part.name)
    if part.kind == "tool_result":
        if cuts and len(text) > cuts.output:
            text = shorten_output(text, len(text), cuts.output, len, part.failed).text
        return fenced("result", text, tool=part.name, failed="true" if part.failed else "")
    return ""


def _cut_middle(text: str, limit: int) -> str:
    return text if not limit or len(text) <= limit else shorten_prose(text, len(text), limit, len).text
