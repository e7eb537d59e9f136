"""What every format provides, and helpers that formats share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple, Protocol, runtime_checkable

from msgspec import Struct, field
from msgspec.structs import replace

from compactor_cli.formats import jsonedit
from compactor_cli.formats.jsonl import ReadRecord
from compactor_cli.model.content import Content, FileText
from compactor_cli.model.message import FilePart, Message, Origin, Part, PartKind, Path, Place, Role
from compactor_cli.model.transcript import Link, Transcript


class Counter(Protocol):
    """Counts the tokens of a text. `per_message` is the overhead of a message, `per_image` the fixed cost of an
    image."""

    per_message: int
    per_image: int

    def count(self, text: str) -> int: ...


class Uncounted:
    """Counts nothing; for reading without measuring."""

    per_message = 0
    per_image = 0

    def count(self, text: str) -> int:
        return 0


@runtime_checkable
class HoldingCounter(Counter, Protocol):
    """A counter for content that is too large for memory."""

    def hold(self, text: str) -> str | FileText:
        """Return what a part stores as its text."""


_TOKENS: Callable[[Part], int] = attrgetter("tokens")

EACH = "*"
"""A path step that matches every element of a list."""


class ListPath(NamedTuple):
    """Where a JSON document holds the records of a conversation."""

    path: Path
    """Path from the document to the list; a step may be EACH. Lists of such documents need no path of their own."""
    systems: tuple[str, ...] = ()
    """Members next to the list that may hold a system prompt. It is read as `{"role": "system", "content": ...}`."""
    beside: tuple[str, ...] = ()
    """Members next to the list that occur only in documents of this format. They identify the format when the
    records alone look like those of other formats."""
    pick: Callable[[Any], Iterable[Path]] | None = None
    """Finds the lists of a document, for formats where a path is not enough."""
    picked: tuple[str, ...] = ()
    """An object must have one of these members for `pick` to find anything in it."""
    by_id: bool = False
    """Whether the records are the members of an object, each under its `id`, instead of a list."""


class Format(Protocol):
    """One way of saving a conversation."""

    name: str
    title: str
    """What files it covers, in a few words, for lists."""
    generic: bool
    """Whether it belongs to no particular agent or tool; a file of its documents is called `conversations`."""
    lists: tuple[ListPath, ...]
    """Where documents hold its records; the first path that fits is used. Empty if it only has one record per line."""
    own_documents: bool
    """Whether `read` gets, from a list of documents, the document that holds the records, not the list."""
    adjacent_results: bool
    """Whether results must directly follow their call (otherwise only ids pair them)."""
    alternates: bool
    """Whether its API rejects two turns in a row with the same role, even if one of them holds tool results."""
    summary_role: Role
    summary_roles: tuple[Role, ...]
    """Roles that the format's API accepts for a message in the middle; `summary_role` is the default."""
    parent_path: Path | None
    """Where a record names its parent; None in formats without such links."""
    tip_path: Path | None
    """Where a record outside any chain names the last record of a chain; None if no record does."""
    children_path: Path | None
    """Where a record lists its children; None in formats without such lists."""
    number_path: Path | None
    """Where each record gives its number, counted from 1 without gaps; None in formats without numbers."""
    boundary_is_message: bool
    """Whether a record that replaces all earlier history is itself a message, so that nothing can precede it."""

    def recognize(self, value: Any) -> float:
        """Return how certainly a record is in this format: 0 not at all, 1 without doubt."""

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        """Return the messages of the records, and which other records go with which message. `document`: the JSON
        value that contains the records; None when each record has its own line."""

    def new_record(self, message: Message, around: Around) -> Any:
        """Return the JSON value of a record for a message that was not in the input."""

    usage_words: tuple[bytes, ...]
    """Byte strings, one of which occurs in every record with a provider's token count; empty if no record has a
    count."""

    def usage(self, value: Any) -> int | None:
        """Return the provider's token count of the context as stated in a record: everything sent, cached or not,
        plus the answer. None if the record has no count."""

    def counts(self, value: Any) -> list[Path]:
        """Return the paths of the numbers that make up a record's count, for agents that decide by the newest count
        when to compact. Left unchanged, these numbers would make the agent compact a freshly compacted session
        again."""

    def edits(self, raw: bytes, edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
        """Return path -> JSON text for the changes that give a record's parts their new texts. `raw`: the record's
        bytes."""


@runtime_checkable
class Unfolds(Protocol):
    """A format in which one record may hold a list of what would otherwise be separate records."""

    def unfold(
        self, data: Content, records: Sequence[ReadRecord], separator: bytes
    ) -> tuple[Content, list[ReadRecord]] | None:
        """Return the bytes and records of a file with such a list split into records, joined by `separator`; None if
        there is no list. Both forms mean the same to the agent."""


@runtime_checkable
class CountsAround(Protocol):
    """A format whose documents may hold the provider's count outside the list of records."""

    def counted(self, document: Any, path: Path, messages: Sequence[Message]) -> tuple[int, int] | None:
        """Return the index of the last message that the newest count covers, and the tokens. `path`: from the
        document to the list."""


class Around(Struct, frozen=True):
    """What a new record may need to know about its surroundings."""

    transcript: Transcript
    template: dict[str, Any]
    """The nearest message record of the input, used as a template for the envelope; empty if it is not an object."""
    parent: str
    """Id of the record written before it in the main chain, or empty."""
    key: str
    """64 hex digits computed from what the record stands for; ids are derived from it."""


class Reading(Struct):
    """What a format read from the records."""

    messages: list[Message] = field(default_factory=list)
    owners: dict[int, int] = field(default_factory=dict)
    links: list[Link | None] = field(default_factory=list)
    copies: set[int] = field(default_factory=set)
    outside: set[int] | None = None
    """None if the format does not say."""
    session_id: str = ""
    branch: Sequence[int] = ()
    """For a tree: the records from the root to the leaf."""
    branch_last: bool = False
    """Whether the way is written after other branches, so that its last record becomes the leaf if the one named
    outside the records is gone."""
    other_roles: Sequence[tuple[int, str, str]] = ()
    """Record, role and meaning of each message whose role the format's API does not know."""


class Builder(Struct):
    """Collects messages with their token counts while a format reads records."""

    counter: Counter
    messages: list[Message] = field(default_factory=list)
    _short: dict[str, int] = field(default_factory=dict)
    _hold: Callable[[str], str | FileText] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.counter, HoldingCounter):
            self._hold = self.counter.hold

    def count(self, text: str) -> int:
        """Return the tokens of a text. Counts of short texts, such as tool names, are cached."""
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
        """Return a part with its tokens. For a call the name counts too; images have a fixed cost."""
        tokens = self.count(text) + images * self.counter.per_image
        if kind == "tool_call":
            tokens += self.count(name)
        stored = self._hold(text) if self._hold is not None else text
        if isinstance(stored, str):
            return Part(kind, text, tokens, place, name, call_id, failed, images)
        return FilePart(
            kind,
            stored,  # type: ignore[arg-type]
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
            origin = "other"  # a summary consists of text only, so this message merely quotes one
        self.messages.append(
            Message(index, id or f"m{index}", role, parts, records, tokens, timestamp, origin, turn, pinned)
        )
        return index

    def extend(self, index: int, parts: Iterable[Part], record: int) -> None:
        """Add parts to a message that spans several records."""
        message, parts = self.messages[index], tuple(parts)
        self.messages[index] = replace(
            message,
            parts=message.parts + parts,
            records=(*message.records, record),
            tokens=message.tokens + sum(p.tokens for p in parts),
        )


def as_text(value: Any) -> str:
    """Return a string unchanged, None as an empty string, and anything else as compact JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else jsonedit.dump(value)


def uuid_text(key: str, *, version: int = 4, variant: str = "8") -> str:
    """Return hex digits in the form of a UUID with this version and variant."""
    return f"{key[:8]}-{key[8:12]}-{version}{key[13:16]}-{variant}{key[17:20]}-{key[20:32]}"


def word(value: Any, key: str) -> str:
    """Return the string at `key`; empty if there is none or `value` is not an object."""
    text = value.get(key) if isinstance(value, dict) else None
    return text if isinstance(text, str) else ""


def block_kinds(content: Any) -> set[str]:
    """Return the set of `type`s in a list of content blocks."""
    return {word(block, "type") for block in content if isinstance(block, dict)} if isinstance(content, list) else set()


def is_image(block: Any) -> bool:
    """Return whether a content block is a picture, under any format's name for it."""
    named = word(block, "type") in ("image", "image_url", "input_image", "image-data", "image-url")
    return named or word(block, "mediaType").startswith("image/")


def body(value: Any, path: Path, record: int) -> tuple[str, int, Place]:
    """Return the text, the number of pictures and the place of a tool result's body: a string or a list of blocks."""
    if isinstance(value, list):
        images = sum(1 for block in value if is_image(block))
        texts = [block_text(block) for block in value if not is_image(block)]
        kind = next((word(b, "type") for b in value if isinstance(b, dict) and "text" in b and word(b, "type")), "text")
        return "\n".join(t for t in texts if t), images, Place(record, path, kind)
    return as_text(value), 0, Place(record, path)


def block_text(block: Any) -> str:
    """Return what a model reads of a content block, without the data of files and sounds."""
    if isinstance(block, str):
        return block
    if isinstance(block, dict):
        for key in ("text", "thinking", "refusal", "content"):
            if isinstance(block.get(key), str):
                return str(block[key])
        return jsonedit.dump(without_data(block))
    return as_text(block)


def without_data(value: Any) -> Any:
    """Return a value in which long strings without white space (base64) are replaced by their length."""
    if isinstance(value, str):
        opaque = len(value) > 256 and not any(c in value for c in " \n\t")
        return f"<{len(value)} characters of data>" if opaque else value
    if isinstance(value, list):
        return [without_data(item) for item in value]
    if isinstance(value, dict):
        return {key: without_data(item) for key, item in value.items()}
    return value


def edit_value(part: Part, text: str) -> str:
    """Return the JSON text that holds a part's new text at its place."""
    assert part.place is not None
    key, _, kind = part.place.encoding.partition(":")
    if key == "json":
        return text
    if key == "string":
        return jsonedit.encode(text)
    if kind:
        return jsonedit.encode({"type": kind, "text" if key == "block" else key: text})
    return jsonedit.encode([{"type": key, "text": text}])


def fit(format: Format, values: Sequence[Any]) -> float:
    """Return how well a format recognizes the records, from 0 to 1."""
    return sum(format.recognize(value) for value in values) / max(1, len(values))


class PlainEdits:
    """Base of formats whose records hold each text once and do not link to each other."""

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
    """Return the sum of the positive integers under these names; None if there are none."""
    if not isinstance(counts, dict):
        return None
    present = [counts[name] for name in names if isinstance(counts.get(name), int) and counts[name] > 0]
    return sum(present) or None


def numbers_in(counts: Any, path: Path, *names: str) -> list[Path]:
    """Return the paths of the integers in an object at `path`: those under `names`, or all if no name is given."""
    if not isinstance(counts, dict):
        return []
    kinds = {name: type(value) for name, value in counts.items() if not names or name in names}
    return [(*path, name) for name, kind in kinds.items() if kind is int]


def arguments_place(value: Any, record: int, path: Path) -> Place | None:
    """Return the place of a call's arguments, depending on how they are saved: a string (JSON or any text), or JSON
    that stays JSON when shortened. None for arguments that cannot be shortened."""
    if isinstance(value, str):
        return Place(record, path)
    return Place(record, path, "json") if isinstance(value, (dict, list)) else None


def tool_arguments(value: Any) -> str:
    """Return a call's arguments as JSON text, whether they are saved as a string or as an object."""
    return value if isinstance(value, str) else as_text(value)
