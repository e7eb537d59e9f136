"""The parts of a session as they are read, and the terms in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Literal

from msgspec import Struct, field

from compactor_cli.features.call_lines import COMMAND_ARGUMENTS, PATH_ARGUMENTS, call_lines, result_lines
from compactor_cli.features.outdated_lines import OutdatedLines
from compactor_cli.features.work.ledger import call_arguments
from compactor_cli.model.injected import is_injected_output
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Pairing, PartIndex, pair_calls
from compactor_cli.model.replies import reply_span, reply_to
from compactor_cli.summary_text.reading import readable
from compactor_cli.text.clean import without_colours
from compactor_cli.text.json_values import on_one_line, without_blanks
from compactor_cli.text.markup import is_page, page_lines, texts_of_page
from compactor_cli.text.page_trees import is_page_tree, node_in_line
from compactor_cli.text.picked_items import rejected_items
from compactor_cli.text.terms import chunk_terms, quoted_terms, separate_chunks

LineCut = Literal["together", "apart", "clauses", "page"]
_READ_KINDS = ("text", "tool_call", "tool_result")
"""Kinds of parts that are read."""


class ChunkTerms(dict[str, tuple[int, ...]]):
    """Chunk -> ids of its terms; known chunks need no function call."""

    def __init__(self, id_of: Callable[[str, str], int], query_words: frozenset[str], *, words: bool) -> None:
        self._id_of = id_of
        self._query_words = query_words
        self._words = words

    def __missing__(self, chunk: str) -> tuple[int, ...]:
        ids: list[int] = []
        for text, kind in chunk_terms(chunk):
            if self._words or kind != "word" or text in self._query_words:
                ids.append(self._id_of(text, kind))
        self[chunk] = terms = tuple(ids)
        return terms


class SessionPiece(Struct, frozen=True):
    """One part of a message, as it was read."""

    message: int
    part: int
    text: str
    """The text of the part, with escapes resolved for a call and for a result that is JSON around lines."""
    tokens: int
    is_speech: bool
    """Whether it was spoken: its words count, not only its names."""
    is_call: bool
    """Whether it is the text of a call."""
    line_cut: LineCut
    """How it is cut into lines: short neighbours together; physical lines, as each may have its own mark; the
    sentences of a request; or the lines that a page shows."""
    names: tuple[int, ...]
    """Ids of its distinct names."""
    quoted: tuple[tuple[int, int], ...]
    """(position, id) of each quoted name."""
    source_json: str = ""
    """The JSON that `text` was read from, if they differ."""
    outdated_lines: frozenset[int] = frozenset()
    """Its obsolete physical lines, from 0: removed from their file by a later call, options that the user passed
    over, or shown again on a newer page."""


class SessionText(Struct):
    """The parts of a session and the terms in them.

    Ids of names count up from 0: name `i` is `names[i]`, of kind `kinds[i]`. Ids of words count down from -1.
    """

    query_words: frozenset[str] = frozenset()
    """Words that count wherever they occur."""
    pieces: list[SessionPiece] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    texts_with_word: Counter[int] = field(default_factory=Counter)
    """Word -> number of texts that contain it."""
    counts: Counter[str] = field(default_factory=Counter)
    """Chunk -> number of its occurrences."""
    _ids: dict[str, int] = field(default_factory=dict)
    _speech_terms: dict[str, tuple[int, ...]] = field(default_factory=dict)
    _data_terms: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._speech_terms = ChunkTerms(self._id_of, self.query_words, words=True)
        self._data_terms = ChunkTerms(self._id_of, self.query_words, words=False)

    def _id_of(self, text: str, kind: str) -> int:
        """Return the id of a term. A known term keeps its first kind."""
        known = self._ids.get(text)
        if known is not None:
            return known
        if kind == "word":
            self.words.append(text)
            self._ids[text] = -len(self.words)
            return -len(self.words)
        self._ids[text] = len(self.names)
        self.names.append(text)
        self.kinds.append(kind)
        return len(self.names) - 1

    def find_id(self, name: str) -> int | None:
        """Return the id of a term; None if the session does not contain it."""
        return self._ids.get(name)

    def occurrences(self) -> dict[int, int]:
        """Return term id -> number of occurrences, not counting quoted names."""
        found: dict[int, int] = {}
        for chunk, count in self.counts.items():
            for term in self._data_terms[chunk]:
                found[term] = found.get(term, 0) + count
        return found

    def terms_in(self, text: str, *, speech: bool) -> Iterator[int]:
        """Yield the ids of all terms in a text, in order and with repetitions, except quoted names."""
        return chain.from_iterable(map(self.ids(speech).__getitem__, separate_chunks(text).split()))

    def ids(self, speech: bool) -> dict[str, tuple[int, ...]]:
        """Return chunk -> ids of its terms, for speech or for data."""
        return self._speech_terms if speech else self._data_terms

    def add_part(
        self,
        location: tuple[int, int],
        text: str,
        tokens: int,
        *,
        speech: bool,
        call: bool = False,
        cut: LineCut = "together",
        escaped: str = "",
        outdated: frozenset[int] = frozenset(),
    ) -> None:
        """Add one part, with the fields of SessionPiece. `location`: (message, place of the part in it)."""
        ids = self.ids(speech)
        chunks = separate_chunks(text).split()
        self.counts.update(chunks)
        terms = dict.fromkeys(chain.from_iterable(map(ids.__getitem__, dict.fromkeys(chunks))))
        shown = texts_of_page(text) if cut == "page" else ()
        quoted = tuple(sorted([(at, self._id_of(name, "quoted")) for at, name in chain(quoted_terms(text), shown)]))
        terms.update({term: None for _, term in quoted})
        if speech:
            self.texts_with_word.update([term for term in terms if term < 0])
        names = tuple([term for term in terms if term >= 0])
        self.pieces.append(SessionPiece(*location, text, tokens, speech, call, cut, names, quoted, escaped, outdated))


def read_session(
    messages: Sequence[Message],
    reach: int | None = None,
    query: str = "",
    *,
    quoted_only: bool = False,
    pairing: Pairing | None = None,
) -> SessionText:
    """Read texts, calls and results; thinking and images have no lines. Words count where people and the agent speak;
    calls and results contribute only names.

    Of messages more than `reach` tokens back, only requests, calls and failures are read. Words of `query` count
    everywhere. `quoted_only`: of earlier summaries, read only the lines that they quote. `pairing`: the pairing of
    the messages, if known.
    """
    session = SessionText(frozenset(text for chunk in separate_chunks(query).split() for text, _ in chunk_terms(chunk)))
    first_index = 0 if reach is None else _first_within_reach(messages, reach)
    pairing = pairing or pair_calls(messages)
    replaced, repeated = OutdatedLines(messages, pairing, first_index), _repeated_nodes(messages)
    for index, message in enumerate(messages):
        for position, part in enumerate(message.parts):
            if not part.text or part.kind not in _READ_KINDS:
                continue
            if index < first_index and not (
                part.kind == "tool_call" or part.failed or message.origin in ("request", "summary")
            ):
                continue
            json = part.text if part.kind == "text" else without_blanks(without_colours(part.text))
            text = _readable_text(part, json)
            if message.origin == "summary":  # its heading and state are not part of what it quotes
                text = readable(text, quoted_only=quoted_only)
            speech = part.kind == "text" and message.role != "tool" and not is_injected_output(message)
            if part.kind != "text":
                outdated = replaced.outdated_in((index, position), part, text)
            else:
                outdated = (
                    _unchosen_lines(text, reply_to(messages, index)) if message.role == "assistant" else frozenset()
                )
            cut = _line_cut(message, part, text, speech=speech)
            escaped = json if text is not json and _is_plain_form(text, json) else ""
            if part.kind == "tool_result" and not (outdated or escaped or cut == "apart"):
                text = on_one_line(text)
                page = page_lines(text)
                if is_page(page, text) and not _is_source(messages, pairing.call_of.get((index, position))):
                    text, cut = page, "page"
                elif text is json:
                    outdated = repeated.get((index, position), frozenset())
            session.add_part(
                (index, position),
                text,
                part.tokens,
                speech=speech,
                call=part.kind == "tool_call",
                cut=cut,
                escaped=escaped,
                outdated=outdated,
            )
    return session


def _readable_text(part: Part, json: str) -> str:
    """Return the text of a part as it is read. `json`: the part's text without JSON whitespace."""
    if part.kind == "tool_call":
        return call_lines(part, json)
    return result_lines(json) if part.kind == "tool_result" else part.text


def _line_cut(message: Message, part: Part, text: str, *, speech: bool) -> LineCut:
    """Return how a part is cut into lines."""
    if message.origin == "summary" or (part.kind == "tool_result" and reply_span(text) is not None):
        return "apart"
    return "clauses" if message.origin == "request" and speech else "together"


def _is_plain_form(text: str, json: str) -> bool:
    """Return whether a text is the readable form of the JSON of a call or result, rather than the changes that a
    call makes to a file."""
    return "\\" in json and text[:1] in ("{", "[") and text[:1] == json[:1]


def _unchosen_lines(answer: str, reply: str) -> frozenset[int]:
    """Return the physical lines of an answer with the options that the user's reply does not choose."""
    numbers: set[int] = set()
    for start, end in rejected_items(answer, reply):
        first = answer.count("\n", 0, start)
        numbers.update(range(first, first + answer.count("\n", start, end) + 1))
    return frozenset(numbers)


def _is_source(messages: Sequence[Message], call: PartIndex | None) -> bool:
    """Return whether a call runs a command or concerns a file: markup in its result may have to be edited."""
    arguments = call_arguments(messages[call[0]].parts[call[1]]) if call else None
    return isinstance(arguments, dict) and not arguments.keys().isdisjoint((*COMMAND_ARGUMENTS, *PATH_ARGUMENTS))


def _repeated_nodes(messages: Sequence[Message]) -> dict[PartIndex, frozenset[int]]:
    """Return, for each result that is a page as a tree of nodes, the physical lines, from 0, with nodes that a newer
    page shows again. Their numbers are no longer valid."""
    pages = [  # a large file reads them from disk, which is fast only in order
        ((message.index, position), [*map(node_in_line, part.text.split("\n"))])
        for message in messages
        for position, part in enumerate(message.parts)
        if part.kind == "tool_result" and is_page_tree(part.text)
    ]
    newer: set[str] = set()
    repeated: dict[PartIndex, frozenset[int]] = {}
    for page, nodes in reversed(pages):
        repeated[page] = frozenset(number for number, node in enumerate(nodes) if node in newer and node)
        newer.update(nodes)
    return repeated


def _first_within_reach(messages: Sequence[Message], reach: int) -> int:
    """Return the first message from which everything is read."""
    for index in range(len(messages) - 1, -1, -1):
        reach -= messages[index].tokens
        if reach < 0:
            return index
    return 0
