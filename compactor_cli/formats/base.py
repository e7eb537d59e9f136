"""What every format provides, and the helpers that formats share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple, Protocol, runtime_checkable

from msgspec import Struct, field
from msgspec.structs import replace

from compactor_cli.formats import jsonedit
from compactor_cli.formats.jsonl import ReadRecord
from compactor_cli.model.content import Content, HeldText
from compactor_cli.model.message import HeldPart, Message, Origin, Part, PartKind, Path, Place, Role
from compactor_cli.model.transcript import Link, Transcript


class Counter(Protocol):
    """Counts the tokens of a text; `per_message` is the overhead of a message, `per_image` fixed."""

    per_message: int
    per_image: int

    def count(self, text: str) -> int: ...


class Uncounted:
    """Counts nothing, for what is read without being measured."""

    per_message = 0
    per_image = 0

    def count(self, text: str) -> int:
        return 0


@runtime_checkable
class HoldingCounter(Counter, Protocol):
    """A counter for content that is too large for memory."""

    def hold(self, text: str) -> str | HeldText:
        """Return what a part has for its text."""


_TOKENS: Callable[[Part], int] = attrgetter("tokens")

EACH = "*"
"""A step of a path that means every element of a list."""


class ListPath(NamedTuple):
    """Where a JSON document holds the records of a conversation."""

    path: Path
    """From the document to the list; a step may be EACH. Lists of such documents need no path of their own."""
    systems: tuple[str, ...] = ()
    """Members beside the list that may hold a system prompt. It is read as `{"role": "system", "content": ...}`."""
    beside: tuple[str, ...] = ()
    """Members that stand beside the list in documents of this format and of no other: they tell the format, where the
    records alone look like those of others."""
    pick: Callable[[Any], Iterable[Path]] | None = None
    """Finds the lists of a document, where that takes more than a path."""
    picked: tuple[str, ...] = ()
    """Members of which a document that is an object has one where that finds any."""
    by_id: bool = False
    """It is no list but an object, whose members are the records, each under its `id`."""


class Format(Protocol):
    """One way to save a conversation."""

    name: str
    title: str
    """What files it is, in a few words: for lists."""
    generic: bool
    """No agent's or tool's own: a file of its documents is called `conversations`."""
    lists: tuple[ListPath, ...]
    """Where documents hold its records, the first that fits; empty when it is only ever a record a line."""
    own_documents: bool
    """Of a list of documents, `read` is given the one that holds the records, not the list."""
    adjacent_results: bool
    """Results must stand right behind their call (otherwise ids alone pair them)."""
    alternates: bool
    """Its API refuses two turns of a role in a row, also where a tool's results are one of them."""
    summary_role: Role
    summary_roles: tuple[Role, ...]
    """Roles that the format's API accepts for a message in the middle; `summary_role` is the default."""
    parent_path: Path | None
    """Where a record names its parent; None in formats without such links."""
    tip_path: Path | None
    """Where a record that is no part of a chain names the last record of one; None where none does."""
    children_path: Path | None
    """Where a record lists those that name it as their parent; None in formats without such lists."""
    number_path: Path | None
    """Where each record says which one it is, from 1 without a gap; None in formats that do not count."""
    boundary_is_message: bool
    """A record that replaces all history before it is a message itself, so nothing can stand before it."""

    def recognize(self, value: Any) -> float:
        """Return how surely a record is of this format: 0 not at all, 1 without doubt."""

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        """Return messages of the records, and which other records go with which message. `document`: the JSON value
        that the records stand in, None where each has a line of its own."""

    def new_record(self, message: Message, around: Around) -> Any:
        """Return JSON value of a record for a message that was not in the input."""

    usage_words: tuple[bytes, ...]
    """Bytes of which one stands in every record with a provider's count; empty where none has any."""

    def usage(self, value: Any) -> int | None:
        """Return tokens of the context that a record says the provider counted: all that was sent, cached or not, and
        the answer. None for a record that does not say."""

    def counts(self, value: Any) -> list[Path]:
        """Return where a record holds the numbers that make up its count, in formats whose agent compacts by the newest
        one: kept as they are, they would have it compact a session again that has just been compacted."""

    def edits(self, raw: bytes, edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
        """Return JSON texts to put at paths of a record (its bytes are `raw`) so that its parts have the new texts."""


@runtime_checkable
class Unfolds(Protocol):
    """A format in which a record may hold a list of what would be records elsewhere."""

    def unfold(
        self, data: Content, records: Sequence[ReadRecord], separator: bytes
    ) -> tuple[Content, list[ReadRecord]] | None:
        """Return the bytes and records of a file with such a list taken apart, `separator` between its records; None
        where there is none. To the agent they mean the same."""


@runtime_checkable
class CountsAround(Protocol):
    """A format whose documents may hold the provider's count around a list of records instead of in one."""

    def counted(self, document: Any, path: Path, messages: Sequence[Message]) -> tuple[int, int] | None:
        """Return the index of the last message that the newest count holds, and its tokens. `path`: to the list in the
        document."""


class Around(Struct, frozen=True):
    """What a new record may need to know of its place."""

    transcript: Transcript
    template: dict[str, Any]
    """The nearest message record of the input: an envelope to imitate; empty where it is no object."""
    parent: str
    """Id of the record written before it in the main chain, or empty."""
    key: str
    """64 hex digits computed from what the record stands for: a source of ids."""


class Reading(Struct):
    """What a format made of the records."""

    messages: list[Message] = field(default_factory=list)
    owners: dict[int, int] = field(default_factory=dict)
    links: list[Link | None] = field(default_factory=list)
    copies: set[int] = field(default_factory=set)
    outside: set[int] | None = None
    """None where the format does not tell."""
    session_id: str = ""
    way: Sequence[int] = ()
    """Of a tree, the records from the root to the leaf."""
    way_last: bool = False
    """The way is written behind other branches: once the leaf named around the records is gone, the last one is it."""
    other_roles: Sequence[tuple[int, str, str]] = ()
    """Record, role and meaning of each message whose role is none of the format's API."""


class Builder(Struct):
    """Collects messages with their token counts while a format reads records."""

    counter: Counter
    messages: list[Message] = field(default_factory=list)
    _short: dict[str, int] = field(default_factory=dict)
    _hold: Callable[[str], str | HeldText] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.counter, HoldingCounter):
            self._hold = self.counter.hold

    def count(self, text: str) -> int:
        """Return tokens of a text; short ones, such as tool names, are counted once and remembered."""
        if len(text) > 64:
            return self.counter.count(text)
        tokens = self._short.get(text)
        if tokens is None:
            tokens = self._short[text] = self.counter.count(text)
        return tokens

    def part(
        self,
        kind: PartKind,
        text: str,
        place: Place | None = None,
        *,
        name: str = "",
        call_id: str = "",
        failed: bool | None = None,
        images: int = 0,
    ) -> Part:
        """Return a part with its tokens; of a call the name counts too, images have a fixed cost."""
        tokens = self.count(text) + images * self.counter.per_image
        if kind == "tool_call":
            tokens += self.count(name)
        held = self._hold(text) if self._hold is not None else text
        if isinstance(held, str):
            return Part(kind, text, tokens, place, name, call_id, failed, images)
        return HeldPart(
            kind,
            held,  # type: ignore[arg-type]
            tokens,
            place,
            name,
            call_id,
            failed,
            images,
        )

    def image(self, place: Place | None = None) -> Part:
        return Part("image", "", self.counter.per_image, place, images=1)

    def add(
        self,
        role: Role,
        parts: Iterable[Part],
        records: tuple[int, ...],
        *,
        id: str = "",
        timestamp: float | None = None,
        origin: Origin = "other",
        turn: int | None = None,
        pinned: bool = False,
    ) -> int:
        """Append a message and return its index."""
        index, parts = len(self.messages), tuple(parts)
        tokens = self.counter.per_message + sum(map(_TOKENS, parts))
        if origin == "summary" and any(part.kind != "text" for part in parts):
            origin = "other"  # a summary is text and nothing else; this only quotes one
        self.messages.append(
            Message(index, id or f"m{index}", role, parts, records, tokens, timestamp, origin, turn, pinned)
        )
        return index

    def extend(self, index: int, parts: Iterable[Part], record: int) -> None:
        """Add more parts for a message that is spread over several records."""
        message, parts = self.messages[index], tuple(parts)
        self.messages[index] = replace(
            message,
            parts=message.parts + parts,
            records=(*message.records, record),
            tokens=message.tokens + sum(p.tokens for p in parts),
        )


def as_text(value: Any) -> str:
    """Return a string as it is, anything else as compact JSON; None is empty."""
    if isinstance(value, str):
        return value
    return "" if value is None else jsonedit.dump(value)


def uuid_text(key: str, *, version: int = 4, variant: str = "8") -> str:
    """Return hex digits as a UUID that says which version it is of."""
    return f"{key[:8]}-{key[8:12]}-{version}{key[13:16]}-{variant}{key[17:20]}-{key[20:32]}"


def word(value: Any, key: str) -> str:
    """Return a member that names something: its string, or an empty one when it is anything else."""
    text = value.get(key) if isinstance(value, dict) else None
    return text if isinstance(text, str) else ""


def block_kinds(content: Any) -> set[str]:
    """Return the `type`s of a list of content blocks."""
    return {word(block, "type") for block in content if isinstance(block, dict)} if isinstance(content, list) else set()


def is_image(block: Any) -> bool:
    """Return whether a content block is a picture, whatever the format calls it."""
    return word(block, "type") in ("image", "image_url", "input_image")


def body(value: Any, path: Path, record: int) -> tuple[str, int, Place]:
    """Return text, number of pictures and place of a tool result's body: a string, or a list of blocks."""
    if isinstance(value, list):
        images = sum(1 for block in value if is_image(block))
        texts = [block_text(block) for block in value if not is_image(block)]
        kind = next((word(b, "type") for b in value if isinstance(b, dict) and "text" in b and word(b, "type")), "text")
        return "\n".join(t for t in texts if t), images, Place(record, path, kind)
    return as_text(value), 0, Place(record, path)


def block_text(block: Any) -> str:
    """Return what a model reads of a content block; data of files and sounds is left out."""
    if isinstance(block, str):
        return block
    if isinstance(block, dict):
        for key in ("text", "thinking", "refusal", "content"):
            if isinstance(block.get(key), str):
                return str(block[key])
        return jsonedit.dump(without_data(block))
    return as_text(block)


def without_data(value: Any) -> Any:
    """Return a value with long strings without white space (base64) replaced by their length."""
    if isinstance(value, str):
        opaque = len(value) > 256 and not any(c in value for c in " \n\t")
        return f"<{len(value)} characters of data>" if opaque else value
    if isinstance(value, list):
        return [without_data(item) for item in value]
    if isinstance(value, dict):
        return {key: without_data(item) for key, item in value.items()}
    return value


def edit_value(part: Part, text: str) -> str:
    """Return JSON text that holds a part's new text at its place."""
    assert part.place is not None
    encoding = part.place.encoding
    if encoding == "json":
        return text
    if encoding == "string":
        return jsonedit.encode(text)
    if encoding.startswith("block:"):
        return jsonedit.encode({"type": encoding[6:], "text": text})
    return jsonedit.encode([{"type": encoding, "text": text}])


def fit(format: Format, values: Sequence[Any]) -> float:
    """Return how well a format recognises records, 0 to 1."""
    return sum(format.recognize(value) for value in values) / max(1, len(values))


class PlainEdits:
    """For formats whose records hold each text once and have no links between records."""

    generic = False
    lists: tuple[ListPath, ...] = ()
    own_documents = False
    adjacent_results = True
    alternates = False
    summary_role: Role = "user"
    summary_roles: tuple[Role, ...] = ("user", "assistant", "system")
    parent_path: Path | None = None
    tip_path: Path | None = None
    children_path: Path | None = None
    number_path: Path | None = None
    boundary_is_message = False
    usage_words: tuple[bytes, ...] = ()

    def usage(self, value: Any) -> int | None:
        return None

    def counts(self, value: Any) -> list[Path]:
        return []

    def edits(self, raw: bytes, edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
        return {part.place.path: edit_value(part, text) for part, text in edited if part.place}


def sum_of(counts: Any, *names: str) -> int | None:
    """Return the sum of the numbers that have these names; None where there are none, or they come to nothing."""
    if not isinstance(counts, dict):
        return None
    known = [counts[name] for name in names if isinstance(counts.get(name), int) and counts[name] > 0]
    return sum(known) or None


def numbers_in(counts: Any, path: Path, *names: str) -> list[Path]:
    """Return where an object that stands at `path` has numbers: under these names, or under any."""
    if not isinstance(counts, dict):
        return []
    kinds = {name: type(value) for name, value in counts.items() if not names or name in names}
    return [(*path, name) for name, kind in kinds.items() if kind is int]


def arguments_place(value: Any, record: int, path: Path) -> Place | None:
    """Return where arguments of a call stand, by what is saved there: a string, which may hold JSON or any text, or
    JSON that stays JSON when it is shortened. None for what cannot be shortened."""
    if isinstance(value, str):
        return Place(record, path)
    return Place(record, path, "json") if isinstance(value, (dict, list)) else None


def tool_arguments(value: Any) -> str:
    """Return arguments of a call as JSON text, whether saved as a string or as an object."""
    return value if isinstance(value, str) else as_text(value)
