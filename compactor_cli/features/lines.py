"""A session as names and lines: which names occur in which part, and where its lines are.

A line is a physical line of a part's text, or a piece of a long one: the smallest unit that can be selected. A
session has hundreds of thousands of them. They are kept in flat arrays, and only promising lines are examined
closely.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from math import fsum

from compactor_cli.features.call_lines import COMMAND_ARGUMENTS, PATH_ARGUMENTS, short_path
from compactor_cli.features.session_text import SessionPiece, SessionText
from compactor_cli.features.work.endings import is_declined
from compactor_cli.model.injected import WRAPPER_HINTS, is_wrapper, of_local_commands
from compactor_cli.model.replies import reply_span
from compactor_cli.text.argument_values import ArgumentValues, argument_values
from compactor_cli.text.escapes import map_to_readable
from compactor_cli.text.json_values import python_as_json
from compactor_cli.text.line_prefixes import has_words
from compactor_cli.text.noise import noisy_lines, prompt_at_end
from compactor_cli.text.patterns import compiled_later, contains_any
from compactor_cli.text.scopes import Scopes, parent_items
from compactor_cli.text.section_headings import FilesShown, headings_between
from compactor_cli.text.table_headers import Table, find_tables, row_heads
from compactor_cli.text.terms import separate_chunks
from compactor_cli.text.units import JsonMember, Span, clause_spans, json_members, line_units, outer_spans

_COMMANDS = frozenset(COMMAND_ARGUMENTS)
_UNCHANGED = ArgumentValues()
_MAX_PATH = 120
"""Maximum length of a path that is repeated before each part of an edit."""
_MIN_SHARED_CALLS = 3
"""Minimum number of calls that must share an argument for it to be usual; fewer may be retries of one call."""
_MAX_ARGUMENT_CHARS = 140
"""Maximum length of an argument that can be usual."""
_FILE_KEYS = tuple(f'"{key}"' for key in PATH_ARGUMENTS)
"""How arguments begin that name the file of a call."""
_NUMBER_ARGUMENT = compiled_later(r'"[\w-]+"\s*:\s*(?:-?\d[\d.]*|true|false|null)')
"""An argument that is a number or a switch: it is short, and reflects a decision of the agent."""


class SessionLines:
    """The lines of a session in order, with an upper bound of each line's value."""

    def __init__(
        self, session: SessionText, term_value: Callable[[int], float], skip: frozenset[int] = frozenset()
    ) -> None:
        """Read the lines of a session. `term_value` returns the value of a term; messages in `skip` have no lines. A
        line with bound 0 has no value, for example an import among others."""
        self.session = session
        self.piece_of: array[int] = array("i")
        self.starts: array[int] = array("i")
        self.ends: array[int] = array("i")
        self.bounds: array[float] = array("d")
        self.terms: list[tuple[int, ...]] = []
        """Ids of the distinct terms of each line, in order."""
        self.first_of: dict[int, int] = {}
        """Piece -> its first line."""
        self.silent: set[int] = set()
        """Lines that say nothing about the work: noise of tools, arguments shared by many calls, and commands that a
        harness ran without the model."""
        self._tables: dict[int, list[tuple[int, int]]] = {}
        """Piece -> headers of its tables, each with the last line of its table."""
        self.headers: set[int] = set()
        """Lines with the header of a table and no row; they say nothing without a row."""
        self._value_readers: dict[int, ArgumentValues] = {}
        """Piece that is a call -> how to read its arguments."""
        self._contexts: dict[int, tuple[Span, ...]] = {}
        """Line -> spans of its context: the object of a JSON member, or the item around an item."""
        self._files = FilesShown()
        self._scopes: dict[int, Scopes] = {}
        """Piece that is an output -> the definitions around its lines."""
        self._scope_of: dict[int, int] = {}
        self._pieces_of: dict[int, list[int]] = {}
        for number, piece in enumerate(session.pieces):
            self._pieces_of.setdefault(piece.message, []).append(number)
        usual = _UsualArguments()
        local = of_local_commands(["" if piece.is_call else piece.text for piece in session.pieces])
        for number, piece in enumerate(session.pieces):
            if piece.message not in skip:
                self.first_of[number] = len(self.starts)
                self._add(number, piece, (lambda _: 0.0) if number in local else term_value, usual)
                if number in local:
                    self.silent.update(self.piece_lines(number))
            if piece.is_call:
                usual.add(piece.source_json or piece.text)

    def _add(
        self, number: int, piece: SessionPiece, term_value: Callable[[int], float], usual: _UsualArguments
    ) -> None:
        chunked_text = separate_chunks(piece.text)
        first = len(self.starts)
        clauses = piece.line_cut == "clauses"
        apart = piece.line_cut == "apart"
        noise = _noisy_line_numbers(piece.text, speech=piece.is_speech, replied=apart) | piece.outdated_lines
        members = [] if clauses else _members(piece, usual)
        spans = [(member.start, member.end) for member in members]
        spans = spans or list(clause_spans(piece.text) if clauses else line_units(piece.text, apart=apart, noise=noise))
        found_tables = [] if piece.is_speech or piece.is_call or members else find_tables(piece.text)
        spans = _join_header_rules(spans, found_tables) if found_tables else spans
        self._contexts.update(_context_spans(piece, members, spans, first))
        self.starts.extend([start for start, _ in spans])
        self.ends.extend([end for _, end in spans])
        self.piece_of.extend([number] * len(spans))
        silent = {line for line, member in enumerate(members, first) if member.usual}
        silent.update(self._noise_lines(piece.text, noise, first) if noise else ())
        if piece.is_speech and contains_any(piece.text, WRAPPER_HINTS):
            silent.update(line for line, (start, end) in enumerate(spans, first) if is_wrapper(piece.text[start:end]))
        self.silent |= silent
        self._add_tables(number, found_tables, first)
        worthless = silent.union(header for header, _ in self._tables.get(number, ()))
        ids_of = self.session.ids(piece.is_speech).__getitem__
        terms = [
            tuple(dict.fromkeys(chain.from_iterable(map(ids_of, chunked_text[start:end].split()))))
            for start, end in spans
        ]
        for position, term in piece.quoted:
            line = bisect_left(self.starts, position + 1, first) - 1 - first
            if line >= 0 and term not in terms[line]:
                terms[line] = (*terms[line], term)
        self.terms += terms
        self.bounds.extend(
            [
                fsum(map(term_value, line_terms)) if line_terms and line not in worthless else 0.0
                for line, line_terms in enumerate(terms, first)
            ]
        )

    def _add_tables(self, number: int, found_tables: Iterable[Table], first: int) -> None:
        """Record the headers of tables that are separate lines, starting at line `first`."""
        for table in found_tables:
            line = bisect_left(self.starts, table.start, first)
            if line < len(self.starts) and self.ends[line] <= table.rows:
                last = bisect_left(self.starts, table.end, line) - 1
                self._tables.setdefault(number, []).append((line, last))
                self.headers.add(line)

    def _noise_lines(self, text: str, noise: frozenset[int], first: int) -> Iterator[int]:
        """Yield the lines, starting at `first`, that are in physical lines of noise."""
        number = offset = 0
        for line in range(first, len(self.starts)):
            number += text.count("\n", offset, self.starts[line])
            offset = self.starts[line]
            if number in noise:
                yield line

    def __len__(self) -> int:
        return len(self.starts)

    def text(self, line: int) -> str:
        return self.session.pieces[self.piece_of[line]].text[self.starts[line] : self.ends[line]]

    def display_text(self, line: int) -> str:
        """Return a line as it is read; for arguments of a call, only the values."""
        number, start, end = self.piece_of[line], self.starts[line], self.ends[line]
        text = self.session.pieces[number].text
        return self._value_reader(number).readable(text, start, end) or text[start:end]

    def gap_text(self, line: int) -> str:
        """Return the text between a line and the previous one of the same piece, as it is read."""
        number = self.piece_of[line]
        text = self.session.pieces[number].text
        return self._value_reader(number).readable(text, self.ends[line - 1], self.starts[line])

    def is_cut(self, line: int) -> bool:
        """Return whether an argument of a call continues after a line."""
        number = self.piece_of[line]
        return self._value_reader(number).ends_within_value(self.session.pieces[number].text, self.ends[line])

    def _value_reader(self, number: int) -> ArgumentValues:
        """Return how the arguments of a call are read; other pieces are read unchanged."""
        piece = self.session.pieces[number]
        if not piece.is_call:
            return _UNCHANGED
        if number not in self._value_readers:
            place = map_to_readable(piece.source_json) if piece.source_json else None
            self._value_readers[number] = argument_values(piece.source_json or piece.text, place, _COMMANDS)
        return self._value_readers[number]

    def has_words(self, line: int) -> bool:
        """Return whether a line has words. A fence or a bracket alone, or after a line number, has none."""
        return has_words(self.text(line))

    def context(self, line: int, after: int = -1) -> str:
        """Return the context shown before an isolated line, with its gap signs: the object of a JSON member, the
        item around an item, the heading of another section, or the first lines of a table. Return "" if line
        `after`, shown before it, already shows the context."""
        spans, number = self._contexts.get(line), self.piece_of[line]
        follows = after >= 0 and self.piece_of[after] == number
        piece, gap_start = self.session.pieces[number], self.ends[after] if follows else 0
        headings: Sequence[Span] = ()
        if piece.is_speech:
            headings = headings_between(piece.text, gap_start, self.starts[line]) if follows else ()
        elif not piece.is_call:
            headings = self._files.file_line_before(number, piece.text, gap_start, self.starts[line])
        if headings:
            spans = (*headings, *(spans or ()))
        elif spans is None:  # most lines
            return ""
        if follows:
            shown_spans, start, end = self._contexts.get(after, ()), self.starts[after], self.ends[after]
            spans = tuple(span for span in spans if span not in shown_spans and not start <= span[0] < end)
        if piece.is_call:
            return self._call_context(self.piece_of[line], spans, self.starts[line])
        return _lead_shown(piece.text, spans, self.starts[line])

    def follows_call_start(self, line: int) -> bool:
        """Return whether a line of a call is shown after the beginning of the call."""
        return self.piece_at(line).is_call and bool(self._contexts.get(line))

    def _call_context(self, number: int, spans: Sequence[Span], position: int) -> str:
        """Return the values shown before a place in a call, with a gap sign where something between them is left
        out."""
        text, values = self.session.pieces[number].text, self._value_reader(number)
        context_text = ""
        for (start, end), (following, _) in pairwise([*spans, (position, position)]):
            gap = "… " if values.readable(text, end, following).strip() else ""
            context_text += f"{short_path(values.readable(text, start, end).strip())} {gap}"
        return context_text

    def scope(self, line: int) -> int:
        """Return the line of an output that begins the scope of a line, such as its function; -1 if there is none."""
        known = self._scope_of.get(line)
        if known is None:
            known = self._scope_of[line] = self._find_scope(line)
        return known

    def _find_scope(self, line: int) -> int:
        number, piece = self.piece_of[line], self.piece_at(line)
        if piece.is_speech or piece.is_call:
            return -1
        if number not in self._scopes:
            self._scopes[number] = Scopes(piece.text)
        if table_ranges := self._tables.get(number):
            header, last = table_ranges[bisect_left(table_ranges, (line, -1)) - 1]
            if header < line <= last and len(self.text(header).partition("\n")[0]) <= _MAX_ARGUMENT_CHARS:
                return header
        scope_start = self._scopes[number].scope_start(self.starts[line])
        if scope_start < 0:
            return -1
        piece_range = self.piece_lines(number)
        scope_line = bisect_right(self.starts, scope_start, piece_range.start, piece_range.stop) - 1
        return scope_line if piece_range.start <= scope_line != line and scope_line not in self.silent else -1

    def piece_at(self, line: int) -> SessionPiece:
        return self.session.pieces[self.piece_of[line]]

    def message_of(self, line: int) -> int:
        return self.session.pieces[self.piece_of[line]].message

    def is_first(self, line: int) -> bool:
        """Return whether the line begins its piece."""
        return line == 0 or self.piece_of[line - 1] != self.piece_of[line]

    def names_of(self, message: int) -> set[int]:
        """Return the ids of the names in a message, including messages without lines."""
        return {name for number in self._pieces_of.get(message, ()) for name in self.session.pieces[number].names}

    def of_message(self, message: int) -> Iterator[int]:
        """Yield the lines of a message."""
        for number in self._pieces_of.get(message, ()):
            yield from self.piece_lines(number)

    def lines_overlapping(self, number: int, start: int, end: int) -> Iterator[int]:
        """Yield the lines of a piece that overlap a span of its text."""
        for line in self.piece_lines(number):
            if self.starts[line] < end and self.ends[line] > start:
                yield line

    def piece_lines(self, number: int) -> range:
        """Return the lines of a piece."""
        first = self.first_of.get(number)
        if first is None:
            return range(0)
        return range(first, bisect_left(self.piece_of, number + 1, first))


def _members(piece: SessionPiece, usual: _UsualArguments) -> list[JsonMember]:
    """Return the members of a piece that is JSON. For a call, usual members are separate."""
    is_usual = usual.is_usual if piece.is_call else None
    text = piece.source_json or piece.text
    read = text if piece.is_call or piece.is_speech else python_as_json(text)
    place = map_to_readable(text) if piece.source_json else None
    shown = piece.text if place or read is not text else ""
    return json_members(read, named=piece.is_call, usual=is_usual, shown=shown, place=place)


def _context_spans(
    piece: SessionPiece, members: Sequence[JsonMember], spans: Sequence[Span], first: int
) -> Iterator[tuple[int, tuple[Span, ...]]]:
    """Yield the lines of a piece, numbered from `first`, that need context, and the spans of the context."""
    if members:
        for line, member in enumerate(members, first):
            if leads := tuple(span for span in member.leads if not member.start <= span[0] < member.end):
                yield line, leads
    elif piece.is_call:  # the path of the edited file
        path = (0, piece.text.find("\n"))
        if 0 < path[1] <= _MAX_PATH:
            yield from ((line, (path,)) for line, (start, _) in enumerate(spans, first) if start >= path[1])
    elif piece.is_speech:
        parents = {**parent_items(piece.text), **row_heads(piece.text)}
        yield from ((line, (parents[start],)) for line, (start, _) in enumerate(spans, first) if start in parents)


def _lead_shown(text: str, spans: Iterable[Span], position: int) -> str:
    """Return the context before a place in a text, with its gap signs. The header of a table stays on its own lines;
    on the line of a row it would look like cells of that row."""
    context_text = ""
    for start, end in spans:
        lead = text[start:end].strip()
        if lead.startswith("|"):
            gap = "…\n" if text[end:position].strip() else ""
            context_text = f"{context_text.rstrip()}\n{lead}\n{gap}".lstrip()
        else:
            context_text += f"{lead} … "
    return context_text


def _join_header_rules(spans: Sequence[Span], found_tables: Iterable[Table]) -> list[Span]:
    """Return the spans of lines, joining the header of each table with the rule below it."""
    joined: list[Span] = []
    headers = iter([*((table.start, table.rows) for table in found_tables), (sys.maxsize, sys.maxsize)])
    start, rows = next(headers)
    for span in spans:
        while rows <= span[0]:
            start, rows = next(headers)
        if joined and start <= joined[-1][0] and span[1] <= rows:
            joined[-1] = joined[-1][0], span[1]
        else:
            joined.append(span)
    return joined


class _UsualArguments:
    """The arguments that many calls of a session share up to a place, such as the working directory. They say
    nothing about a particular call."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def is_usual(self, argument: str) -> bool:
        """Return whether an argument, including its key, is usual."""
        return self._counts.get(argument, 0) >= _MIN_SHARED_CALLS

    def add(self, arguments: str) -> None:
        """Record the arguments of a call, given as JSON."""
        for start, end in outer_spans(arguments):
            argument = arguments[start:end]
            if (
                len(argument) <= _MAX_ARGUMENT_CHARS
                and not argument.startswith(_FILE_KEYS)
                and not _NUMBER_ARGUMENT.fullmatch(argument)
            ):
                self._counts[argument] += 1


def _noisy_line_numbers(text: str, *, speech: bool, replied: bool) -> frozenset[int]:
    """Return the numbers, from 0, of the physical lines of a text that say nothing about the work. In `speech`, only
    a prompt at the end counts. `replied`: a result that may contain words of the user; if the user refused the call,
    all other lines come from the harness."""
    if speech:
        return prompt_at_end(text)
    noise = noisy_lines(text)
    reply = reply_span(text) if replied and is_declined(text) else None
    if reply is None:
        return noise
    first, last = (text.count("\n", 0, position) for position in reply)
    return noise.union(range(first), range(last + 1, text.count("\n") + 1))
