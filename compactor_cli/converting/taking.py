"""A transcript -> what it says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from compactor_cli.converting.message_content import Conversation, Item, ItemKind, Picture, Seal, SpeakerTurn
from compactor_cli.converting.pictures import picture_in, pictures_in
from compactor_cli.converting.seals import Thought, thoughts_in
from compactor_cli.formats.copies import found_at
from compactor_cli.model.message import Message, Part, Role
from compactor_cli.model.pairing import pair
from compactor_cli.model.transcript import Transcript

_KINDS: dict[str, ItemKind] = {
    "text": "text",
    "thinking": "thinking",
    "tool_call": "call",
    "tool_result": "result",
    "image": "picture",
    "other": "other",
}
_USAGE = ("usage", "usageMetadata", "usage_metadata", "tokens", "metrics", "token_count")


class Taken(Struct, frozen=True):
    """What was taken from a transcript, and how much of it is no part of what was said."""

    conversation: Conversation
    records: Mapping[str, int] = field(default_factory=dict)
    """Records that are no messages, by their kind."""
    members: tuple[str, ...] = ()
    """Members of the document beside its messages."""
    usage: int = 0
    """Records with counts of a provider."""


def take(transcript: Transcript) -> Taken:
    """Read what a transcript says out of its messages; from records only what messages do not hold."""
    values = _Values(transcript)
    links, names = _links(transcript.messages)
    turns: list[SpeakerTurn] = []
    for message in transcript.messages:
        turns += _turns(message, values, links, names)
    around = _around(transcript)
    conversation = Conversation(tuple(turns), transcript.session_id, transcript.folder, transcript.format)
    no_messages = [index for index in range(len(transcript.records)) if index not in transcript.message_records]
    spoken = {record for message in transcript.messages for record in message.records}
    return Taken(
        conversation,
        dict(Counter(_record_kind(values[index]) for index in no_messages)),
        tuple(key for key in around if key not in ("messages", "system")),
        sum(_has_usage(values[index]) for index in sorted(spoken)),
    )


class _Values:
    """Parsed records, one at a time: most are not needed, and all of a large file would take much memory."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._at, self._value = -1, None

    def __getitem__(self, record: int) -> Any:
        if record != self._at:
            self._at, self._value = record, json.loads(self._transcript.raw(record))
        return self._value


def _links(messages: Sequence[Message]) -> tuple[dict[tuple[int, int], int], dict[int, str]]:
    """Place of each call and result -> number of the call; number of a call -> its tool."""
    pairing = pair(messages)
    calls = [
        (m, n) for m, message in enumerate(messages) for n, part in enumerate(message.parts) if part.kind == "tool_call"
    ]
    links = {spot: number for number, spot in enumerate(calls)}
    names = {number: messages[index].parts[position].name for number, (index, position) in enumerate(calls)}
    return links | {result: links[call] for result, call in pairing.answers.items()}, names


def _turns(
    message: Message, values: _Values, links: Mapping[tuple[int, int], int], names: Mapping[int, str]
) -> Iterator[SpeakerTurn]:
    """Yield a turn for each run of parts with one speaker; a message without parts is a turn without items."""
    thoughts = _thoughts(message, values)
    author = _author(message, values)
    spoken: list[tuple[Role, Item]] = []
    for position, part in enumerate(message.parts):
        spot = (message.index, position)
        item = Item(_KINDS[part.kind], part.text, (spot,), part.name, part.call_id, failed=part.failed)
        if part.kind == "thinking":
            item = replace(item, seal=_seal(part, thoughts))
        elif part.kind in ("tool_call", "tool_result"):
            link = links.get(spot, -1)
            item = replace(item, link=link, name=part.name or names.get(link, ""))
        if part.images:
            item = replace(item, pictures=tuple(_pictures(part, values, spot)))
        spoken.append((_speaker(message.role, part), item))
    if not spoken:
        yield SpeakerTurn(message.role, (), message.timestamp, message.origin, author, message.turn)
    for role, run in groupby(spoken, key=lambda pair: pair[0]):
        items = tuple(item for _, item in run)
        yield SpeakerTurn(role, items, message.timestamp, message.origin, author, message.turn)


def _speaker(role: Role, part: Part) -> Role:
    if part.kind == "tool_result":
        return "tool"
    if part.kind in ("tool_call", "thinking"):
        return "assistant"
    return "user" if role == "tool" else role


def _pictures(part: Part, values: _Values, spot: tuple[int, int]) -> Iterator[Picture]:
    """Yield the pictures of a part; one whose data are not found where the part stands holds nothing."""
    pictures: list[Picture] = []
    if part.place is not None:
        record, path = values[part.place.record], part.place.path
        single = picture_in(found_at(record, path)) if part.kind == "image" else None
        pictures = [single] if single else list(pictures_in(found_at(record, path)))
        if len(pictures) < part.images and path:  # beside the text
            pictures = list(pictures_in(found_at(record, path[:-1])))
    pictures += [Picture()] * (part.images - len(pictures))
    for index, picture in enumerate(pictures[: part.images]):
        yield picture._replace(spot=spot, number=index)


def _thoughts(message: Message, values: _Values) -> list[Thought]:
    if not any(part.kind == "thinking" for part in message.parts):
        return []
    return [thought for record in sorted(set(message.records)) for thought in thoughts_in(values[record])]


def _seal(part: Part, thoughts: list[Thought]) -> Seal | None:
    """Return the seal of the next thought with this text."""
    index = next((index for index, thought in enumerate(thoughts) if thought.text == part.text), None)
    return None if index is None else thoughts.pop(index).seal


def _author(message: Message, values: _Values) -> str:
    """Return who speaks under a role that several share."""
    if message.role not in ("user", "assistant", "system") or len(message.records) != 1:
        return ""
    value = values[message.records[0]]
    named = isinstance(value, dict) and "role" in value and isinstance(value.get("name"), str)
    return str(value["name"]) if named else ""


def _around(transcript: Transcript) -> dict[str, Any]:
    """Return the members of the document that the records stand in, without them; none where each has a line of its
    own."""
    pieces = transcript.layout.pieces
    if len(pieces) < 3:
        return {}
    text = b"".join(piece if isinstance(piece, bytes) else b"" if piece is None else b"null" for piece in pieces)
    wrapper = transcript.layout.wrapper
    text = wrapper.before + b"null" + wrapper.after if wrapper else text
    try:
        value = json.loads(text.strip(b" \t\r\n,\xef\xbb\xbf"))
    except ValueError:  # one conversation among others of a document
        return {}
    return value if isinstance(value, dict) else {}


def _record_kind(value: Any) -> str:
    """Return what a record that is no message calls itself."""
    if not isinstance(value, dict):
        return "other"
    payload = value.get("payload")
    inner = payload.get("type") if isinstance(payload, dict) else value.get("subtype")
    words = [word for word in (value.get("type"), inner) if isinstance(word, str)]
    return "/".join(words) or "other"


def _has_usage(value: Any, depth: int = 2) -> bool:
    if not isinstance(value, dict):
        return False
    if any(isinstance(value.get(key), dict) for key in _USAGE):
        return True
    return depth > 1 and any(_has_usage(item, depth - 1) for item in value.values())
