"""Statements of the user that replace earlier ones: the last one holds, and the older is useless without it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.talk_words import is_question
from compactor_cli.strategies.adaptive.must_keep import PieceSpan
from compactor_cli.strategies.shared.lone_lines import short_followers
from compactor_cli.text.subjects import later_replacements

_MAX_REQUEST_CHARS = 150
"""Maximum characters of a request that says one thing."""


def newer_first(
    ranked: Iterable[int], newer_of: Mapping[int, Sequence[int]], lines: SessionLines, tokens: Callable[[int], int]
) -> Iterator[int]:
    """Yield lines in their order. Before each sentence come those that replace it (`newer_of`), with the sentences that
    belong to these, each of them once."""
    seen = set[int]()
    for line in ranked:
        found = with_newer([line], newer_of, seen)
        seen |= found
        for newer in sorted(found - {line}, reverse=True):
            yield newer
            yield from short_followers(lines, newer, tokens)
        yield line


def find_corrected(spans: Iterable[PieceSpan], lines: SessionLines) -> dict[int, list[int]]:
    """Map lines of short requests to lines of later ones that may replace them."""
    requests = [(span, lines.session.pieces[span.piece].text[span.start : span.end]) for span in spans]
    requests = [(span, text) for span, text in requests if len(text) <= _MAX_REQUEST_CHARS and not is_question(text)]
    span_lines = [[*lines.lines_overlapping(span.piece, span.start, span.end)] for span, _ in requests]
    later = later_replacements([text for _, text in requests])
    return {
        line: [*chain.from_iterable(span_lines[later_index] for later_index in later[index])]
        for index, old_lines in enumerate(span_lines)
        for line in old_lines
    }


def with_newer(lines: Iterable[int], newer_of: Mapping[int, Sequence[int]], known: Set[int] = frozenset()) -> set[int]:
    """Return sentences together with the later ones that replace them, and those that replace these. Leave out
    sentences that are `known`, and those reached only through them."""
    found, pending = set[int](), [*lines]
    while pending:
        line = pending.pop()
        if line not in found and line not in known:
            found.add(line)
            pending += newer_of.get(line, ())
    return found
