"""Extract the content of a transcript."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from compactor_cli.converting.message_content import Conversation, Item, ItemKind, Picture, Seal, SpeakerTurn
from compactor_cli.formats.copies import find_at
from compactor_cli.model.message import Message, Part, Role
from compactor_cli.model.pairing import pair_calls
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
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,", re.ASCII)
_TYPES = ("media_type", "mimeType", "mime_type", "mediaType", "mime")
_HOLDERS = ("source", "image_url", "image", "url", "inlineData", "inline_data", "fileData", "file_data", "file", "data")
"""Members of a block that hold a picture, ordered from the outermost to the one nearest the data."""
_ADDRESSES = ("url", "fileUri", "file_uri", "uri")
_DEPTH = 4


class Taken(Struct, frozen=True):
    """The content of a transcript, and how much of the transcript is not part of it."""

    conversation: Conversation
    records: Mapping[str, int] = field(default_factory=dict)
    """Kind -> number of records that are not messages."""
    members: tuple[str, ...] = ()
    """Members of the document other than its messages."""
    usage: int = 0
    """Number of records with provider counts."""


def take_conversation(transcript: Transcript) -> Taken:
    """Read the content of a transcript from its messages; records supply only what messages lack."""
    values = _Values(transcript)
    links, names = _links(transcript.messages)
    turns: list[SpeakerTurn] = []
    for message in transcript.messages:
        turns += _turns(message, values, links, names)
    members = _document_members(transcript)
    conversation = Conversation(tuple(turns), transcript.session_id, transcript.folder, transcript.format)
    no_messages = [index for index in range(len(transcript.records)) if index not in transcript.message_records]
    spoken = {record for message in transcript.messages for record in message.records}
    return Taken(
        conversation,
        dict(Counter(_record_kind(values[index]) for index in no_messages)),
        tuple(key for key in members if key not in ("messages", "system")),
        sum(_has_usage(values[index]) for index in sorted(spoken)),
    )


class _Values:
    """Parsed records, one at a time: most are not needed, and all of a large file would take much memory."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._record, self._value = -1, None

    def __getitem__(self, record: int) -> Any:
        if record != self._record:
            self._record, self._value = record, json.loads(self._transcript.raw(record))
        return self._value


def _links(messages: Sequence[Message]) -> tuple[dict[tuple[int, int], int], dict[int, str]]:
    """Return (message, part) of each call and result -> number of the call, and number of the call -> tool name."""
    pairing = pair_calls(messages)
    calls = [(m, n) for m, message in enumerate(messages) for n, p in enumerate(message.parts) if p.kind == "tool_call"]
    links = {location: number for number, location in enumerate(calls)}
    names = {number: messages[index].parts[position].name for number, (index, position) in enumerate(calls)}
    return links | {result: links[call] for result, call in pairing.call_of.items()}, names


def _turns(
    message: Message, values: _Values, links: Mapping[tuple[int, int], int], names: Mapping[int, str]
) -> Iterator[SpeakerTurn]:
    """Yield a turn for each run of parts by one speaker; a message without parts becomes a turn without items."""
    thoughts = _thoughts(message, values)
    author = _author(message, values)
    spoken: list[tuple[Role, Item]] = []
    for position, part in enumerate(message.parts):
        location = (message.index, position)
        item = Item(_KINDS[part.kind], part.text, (location,), part.name, part.call_id, failed=part.failed)
        if part.kind == "thinking":
            item = replace(item, seal=_seal(part, thoughts))
        elif part.kind in ("tool_call", "tool_result"):
            link = links.get(location, -1)
            item = replace(item, link=link, name=part.name or names.get(link, ""))
        if part.images:
            item = replace(item, pictures=tuple(_pictures(part, values, location)))
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


def _pictures(part: Part, values: _Values, location: tuple[int, int]) -> Iterator[Picture]:
    """Yield the pictures of a part. A picture whose data cannot be found at the part's place is empty."""
    pictures: list[Picture] = []
    if part.place is not None:
        record, path = values[part.place.record], part.place.path
        single = picture_in(find_at(record, path)) if part.kind == "image" else None
        pictures = [single] if single else list(pictures_in(find_at(record, path)))
        if len(pictures) < part.images and path:  # next to the text
            pictures = list(pictures_in(find_at(record, path[:-1])))
    pictures += [Picture()] * (part.images - len(pictures))
    for index, picture in enumerate(pictures[: part.images]):
        yield picture._replace(location=location, number=index)


def _thoughts(message: Message, values: _Values) -> list[Thought]:
    if not any(part.kind == "thinking" for part in message.parts):
        return []
    return [thought for record in sorted(set(message.records)) for thought in thoughts_in(values[record])]


def _seal(part: Part, thoughts: list[Thought]) -> Seal | None:
    """Return the seal of the next thought with this text, and remove the thought."""
    index = next((index for index, thought in enumerate(thoughts) if thought.text == part.text), None)
    return None if index is None else thoughts.pop(index).seal


def _author(message: Message, values: _Values) -> str:
    """Return the speaker's name under a role that several speakers share; empty if there is none."""
    if message.role not in ("user", "assistant", "system") or len(message.records) != 1:
        return ""
    value = values[message.records[0]]
    has_name = isinstance(value, dict) and "role" in value and isinstance(value.get("name"), str)
    return str(value["name"]) if has_name else ""


def _document_members(transcript: Transcript) -> dict[str, Any]:
    """Return the members of the document around the records, without these; empty if each record has its own line."""
    pieces = transcript.layout.pieces
    if len(pieces) < 3:
        return {}
    text = b"".join(piece if isinstance(piece, bytes) else b"" if piece is None else b"null" for piece in pieces)
    wrapper = transcript.layout.wrapper
    text = wrapper.before + b"null" + wrapper.after if wrapper else text
    try:
        value = json.loads(text.strip(b" \t\r\n,\xef\xbb\xbf"))
    except ValueError:  # one of several conversations in a document
        return {}
    return value if isinstance(value, dict) else {}


def _record_kind(value: Any) -> str:
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


class Thought(NamedTuple):
    """A thought as stored in a record."""

    text: str
    seal: Seal | None


def thoughts_in(value: Any) -> Iterator[Thought]:
    if isinstance(value, list):
        for item in value:
            yield from thoughts_in(item)
    elif isinstance(value, dict):
        thought = _thought(value)
        if thought is not None:
            yield thought
            return
        for item in value.values():
            if isinstance(item, (dict, list)):
                yield from thoughts_in(item)


def _thought(block: dict[str, Any]) -> Thought | None:
    kind = block.get("type")
    if kind == "thinking" and isinstance(block.get("thinking"), str):
        signature = block.get("signature")
        sealed = isinstance(signature, str) and signature
        return Thought(block["thinking"], Seal("anthropic", str(signature)) if sealed else None)
    if kind == "redacted_thinking" and isinstance(block.get("data"), str):
        return Thought("", Seal("anthropic", block["data"], redacted=True))
    if kind == "reasoning" and isinstance(block.get("summary"), list):
        encrypted = block.get("encrypted_content")
        texts = [part.get("text") for part in block["summary"] if isinstance(part, dict)]
        text = "\n".join(text for text in texts if isinstance(text, str))
        return Thought(text, Seal("openai", encrypted) if isinstance(encrypted, str) and encrypted else None)
    return None


def picture_in(value: Any, media_type: str = "") -> Picture | None:
    """Return the picture in a block; None if it has neither data nor an address."""
    if isinstance(value, str):
        return _picture_from_address(value, media_type)
    if not isinstance(value, dict):
        return None
    stated_type = next((value[key] for key in _TYPES if isinstance(value.get(key), str)), media_type)
    for key in _HOLDERS:
        inner = picture_in(value[key], stated_type) if key in value else None
        if inner is not None:
            return inner
    return next((Picture(stated_type, url=value[key]) for key in _ADDRESSES if _is_url(value.get(key))), None)


def pictures_in(value: Any, depth: int = _DEPTH) -> Iterator[Picture]:
    if isinstance(value, list) and depth:
        for item in value:
            yield from pictures_in(item, depth - 1)
    elif isinstance(value, dict):
        picture = picture_in(value) if "text" not in value else None
        if picture is not None:
            yield picture
        elif depth:
            for item in value.values():
                yield from pictures_in(item, depth - 1) if isinstance(item, (dict, list)) else ()


def _picture_from_address(text: str, media_type: str) -> Picture | None:
    match = _DATA_URL.match(text)
    if match:
        return Picture(match[1], text[match.end() :])
    if _is_url(text):
        return Picture(media_type, url=text)
    return Picture(media_type, text) if media_type.startswith("image/") and _is_base64(text) else None


def _is_url(value: Any) -> bool:
    return isinstance(value, str) and value.startswith(("http://", "https://", "gs://"))


def _is_base64(text: str) -> bool:
    return len(text) >= 4 and re.fullmatch(r"[A-Za-z0-9+/_=-]+", text[:400]) is not None
