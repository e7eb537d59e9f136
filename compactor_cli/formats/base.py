"""What every format provides, and helpers that formats share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple, Protocol, runtime_checkable

from msgspec import Struct, field
from msgspec.structs import replace

from compactor_cli.formats.jsonl import FileRecords, ReadRecord
from compactor_cli.formats.values import arguments_place, as_text, block_text, body, edit_value, is_image
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


class Format:
    """One way of saving a conversation, and the base of the formats."""

    name: str
    title: str
    """What files it covers, in a few words, for lists."""
    generic = False
    """Whether it belongs to no particular agent or tool; a file of its documents is called `conversations`."""
    lists: tuple[ListPath, ...] = ()
    """Where documents hold its records; the first path that fits is used. Empty if it only has one record per line."""
    own_documents = False
    """Whether `read` gets, from a list of documents, the document that holds the records, not the list."""
    adjacent_results = True
    """Whether results must directly follow their call (otherwise only ids pair them)."""
    alternates = False
    """Whether its API rejects two turns in a row with the same role, even if one of them holds tool results."""
    summary_role: Role = "user"
    summary_roles: tuple[Role, ...] = ("user", "assistant")
    """Roles that the format's API accepts for a message in the middle; `summary_role` is the default."""
    parent_path: Path | None = None
    """Where a record names its parent; None in formats without such links."""
    tip_path: Path | None = None
    """Where a record outside any chain names the last record of a chain; None if no record does."""
    children_path: Path | None = None
    """Where a record lists its children; None in formats without such lists."""
    number_path: Path | None = None
    """Where each record gives its number, counted from 1 without gaps; None in formats without numbers."""
    boundary_is_message = False
    """Whether a record that replaces all earlier history is itself a message, so that nothing can precede it."""
    usage_words: tuple[bytes, ...] = ()
    """Byte strings, one of which occurs in every record with a provider's token count; empty if no record has a
    count."""

    def recognize(self, value: Any) -> float:
        """Return how certainly a record is in this format: 0 not at all, 1 without doubt."""
        raise NotImplementedError

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        """Return the messages of the records, and which other records go with which message. `document`: the JSON
        value that contains the records; None when each record has its own line."""
        raise NotImplementedError

    def new_record(self, message: Message, around: Around) -> Any:
        """Return the JSON value of a record for a message that was not in the input."""
        raise NotImplementedError

    def usage(self, value: Any) -> int | None:
        """Return the provider's token count of the context as stated in a record: everything sent, cached or not,
        plus the answer. None if the record has no count."""
        return None

    def counts(self, value: Any) -> list[Path]:
        """Return the paths of the numbers that make up a record's count, for agents that decide by the newest count
        when to compact. Left unchanged, these numbers would make the agent compact a freshly compacted session
        again."""
        return []

    def edits(self, raw: bytes, edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
        """Return path -> JSON text for the changes that give a record's parts their new texts. `raw`: the record's
        bytes."""
        return {part.place.path: edit_value(part, text) for part, text in edited if part.place}

    def unfold(self, data: Content, records: Sequence[ReadRecord], separator: bytes) -> FileRecords | None:
        """Return a file with a list in a record split into records, joined by `separator`; None without a list."""
        return None

    def counted(self, document: Any, path: Path, messages: Sequence[Message]) -> tuple[int, int] | None:
        """Return the last message that a count outside the records covers, and its tokens. `path`: to the list."""
        return None


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

    def text(self, text: Any, record: int, path: Path) -> list[Part]:
        """Return a text with its place; nothing for an empty text, or for a value of another kind."""
        return [self.part("text", text, Place(record, path))] if isinstance(text, str) and text else []

    def block(self, block: Any, record: int, path: Path, picture: str = "block:text") -> Part:
        """Return a content block that is a picture, or has a text; any other is kept as it is."""
        if is_image(block):
            return self.image(Place(record, path, picture))
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            return self.part("text", block["text"], Place(record, (*path, "text")))
        return self.part("other", block_text(block))

    def call(self, arguments: Any, record: int, path: Path, *, name: str, call_id: str) -> Part:
        """Return a call whose arguments are at `path`, saved as a string or as JSON."""
        place = arguments_place(arguments, record, path)
        return self.part("tool_call", as_text(arguments), place, name=name, call_id=call_id)

    def result(
        self, holder: dict[str, Any], record: int, path: Path, *, call_id: str, name: str = "", failed: Any = None
    ) -> Part:
        """Return a result whose body is at `path`, in an object. Without a body there is no place for a new text."""
        text, images, place = body(holder.get(str(path[-1])), path, record)
        own_place, failed = place if path[-1] in holder else None, failed if isinstance(failed, bool) else None
        return self.part("tool_result", text, own_place, name=name, call_id=call_id, failed=failed, images=images)

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


def fit(format: Format, values: Sequence[Any]) -> float:
    """Return how well a format recognizes the records, from 0 to 1."""
    return sum(format.recognize(value) for value in values) / max(1, len(values))
