"""Full text search: the database's own index finds a limited number of candidates, and a pure function ranks them.

FTS5 scans a word's list from the newest row and stops when it has enough. PostgreSQL's GIN index returns all rows of
a word at once, and so does FTS5 for a prefix, which suits rare words. Common words are found among the newest rows,
which are searched first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from compactor_cli.db.database import batches
from compactor_cli.db.tables import TsQuery, memories, memory_sources, memory_tags, memory_vectors
from compactor_cli.memory.conditions import EVERYTHING, Filters
from compactor_cli.memory.queries import (
    Candidate,
    MemoryHit,
    QueryWords,
    SearchTerm,
    make_snippet,
    parse_query,
    rank_candidates,
)
from compactor_cli.memory.stored.memory_rows import load_memories

ALL, ANY = 150, 60
"""Number of newest memories to rank among those that match everything, and about how many of those that match in
part."""
MAX_IMPORTANT = 300
"""Number of most important memories to search as well when more than ALL match everything."""
MAX_CANDIDATES = 2_500
"""Number of newest rows to search without the index."""
MAX_SIFTED = 5_000
"""Number of newest rows from the index to which filters are applied."""

_FTS = sa.table("memories_fts", sa.column("rowid", sa.Integer))
_PLANS = ("enable_seqscan", "jit")
"""Methods that PostgreSQL's planner must not use here, whatever it assumes about word frequencies."""


def filter_condition(filters: Filters) -> sa.ColumnElement[bool]:
    clause: sa.ColumnElement[bool] = sa.true()
    if filters.category:
        clause &= memories.c.category == filters.category
    if filters.tag:
        clause &= sa.exists().where(memory_tags.c.memory == memories.c.id, memory_tags.c.tag == filters.tag)
    if filters.since is not None:
        clause &= memories.c.created >= filters.since
    if filters.until is not None:
        clause &= memories.c.created < filters.until
    if filters.pinned:
        clause &= memories.c.pinned
    if filters.transcripts:
        in_transcript = memory_sources.c.transcript.in_(filters.transcripts)
        clause &= sa.exists().where(memory_sources.c.memory == memories.c.id, in_transcript)
    if filters.least:
        clause &= memories.c.importance >= filters.least
    return clause


def search_memories(
    connection: sa.Connection, query: str, *, limit: int, now: float, filters: Filters = EVERYTHING
) -> list[MemoryHit]:
    """Return the best memories, best first, those that match the whole query before others. Of very many, only the
    newest and the most important are ranked."""
    terms = parse_query(query)
    if not terms or limit < 1:
        return []
    with _index_plans(connection):
        newest = connection.execute(sa.select(sa.func.max(memories.c.id))).scalar() or 0
        rows = _all_terms_rows(connection, terms, max(ALL, limit), filters)
        shares: dict[SearchTerm, float] = {}
        if len(rows) >= max(ALL, limit):
            rows += _important_rows(connection, terms, filters)
        elif len(rows) < limit and len(terms) > 1:
            more, shares = _any_term_rows(connection, terms, max(ANY, limit), newest, filters)
            rows += more
        ranked = rank_candidates(_candidates(connection, rows), terms, shares, now=now, limit=limit)
    by_id = load_memories(connection, [candidate.id for candidate, _ in ranked])
    return [
        MemoryHit(by_id[candidate.id], points, make_snippet(by_id[candidate.id].text, terms))
        for candidate, points in ranked
    ]


@contextmanager
def _index_plans(connection: sa.Connection) -> Iterator[None]:
    """Make PostgreSQL use its indexes within this context, and restore its settings afterwards."""
    if connection.dialect.name != "postgresql":
        yield
        return
    connection.execute(sa.text("SELECT " + ", ".join(f"set_config('{name}', 'off', true)" for name in _PLANS)))
    yield
    connection.execute(sa.text("; ".join(f"SET LOCAL {name} TO DEFAULT" for name in _PLANS)))


def _any_term_rows(
    connection: sa.Connection, terms: Sequence[SearchTerm], max_rows: int, newest: int, filters: Filters
) -> tuple[list[int], dict[SearchTerm, float]]:
    """Return rows that match one of the terms, rarest term first, and the share of all rows that match each term."""
    matching = {term: _all_terms_rows(connection, (term,), max_rows, filters) for term in terms}
    shares = {term: _share(rows, max_rows, newest) for term, rows in matching.items()}
    chosen: dict[int, None] = {}
    for term in sorted(terms, key=shares.__getitem__):
        if len(chosen) < max_rows:
            chosen |= dict.fromkeys(matching[term])
    return list(chosen), shares


def _share(rows: Sequence[int], max_rows: int, newest: int) -> float:
    """Return the share of rows that match a term, estimated from the newest if there are more than `max_rows`."""
    return len(rows) / max(1, newest) if len(rows) < max_rows else max_rows / (newest - rows[-1] + 1)


def _all_terms_rows(
    connection: sa.Connection, terms: Sequence[SearchTerm], max_rows: int, filters: Filters
) -> list[int]:
    if connection.dialect.name == "postgresql":
        match = sa.cast(" & ".join(map(_tsquery, terms)), TsQuery)
        window = (
            sa.select(memory_vectors.c.memory, memory_vectors.c.words)
            .order_by(memory_vectors.c.memory.desc())
            .limit(MAX_CANDIDATES)
        )
        rows = window.subquery()
        ids = _newest(connection, sa.select(rows.c.memory).where(rows.c.words.op("@@")(match)), max_rows, filters)
        if len(ids) == max_rows:
            return ids
        # select first and sort afterwards: with an index on the sort order, all rows would be scanned
        indexed = sa.select(memory_vectors.c.memory).where(memory_vectors.c.words.op("@@")(match)).cte("found")
        return _newest(connection, sa.select(*indexed.prefix_with("MATERIALIZED").c), max_rows, filters)
    if any(term.prefix for term in terms):
        rows = (
            sa.select(memories.c.id, memories.c.terms).order_by(memories.c.id.desc()).limit(MAX_CANDIDATES).subquery()
        )
        by_terms = sa.select(rows.c.id).where(*(_glob(" " + rows.c.terms + " ", term) for term in terms))
        ids = _newest(connection, by_terms, max_rows, filters)
        if len(ids) == max_rows:
            return ids
    said_there = sa.literal_column("memories_fts").op("MATCH")(" AND ".join(map(_fts5, terms)))
    return _newest(connection, sa.select(_FTS.c.rowid).where(said_there), max_rows, filters)


def _newest(connection: sa.Connection, rows: sa.Select[Any], max_rows: int, filters: Filters) -> list[int]:
    (row,) = rows.selected_columns
    if filters != EVERYTHING:
        sifted = rows.order_by(row.desc()).limit(MAX_SIFTED).subquery()
        (row,) = sifted.c
        # a subquery instead of a join, because planners would begin a join with the filters
        rows = sa.select(row).where(sa.select(filter_condition(filters)).where(memories.c.id == row).scalar_subquery())
    return [int(result[0]) for result in connection.execute(rows.order_by(row.desc()).limit(max_rows))]


def _important_rows(connection: sa.Connection, terms: Sequence[SearchTerm], filters: Filters) -> list[int]:
    top = sa.select(memories.c.id, memories.c.terms).order_by(memories.c.importance.desc(), memories.c.id.desc())
    rows = connection.execute(top.where(filter_condition(filters)).limit(MAX_IMPORTANT)).all()
    return [row.id for row in rows if all(term.is_in(words) for words in [QueryWords(row.terms)] for term in terms)]


def _candidates(connection: sa.Connection, rows: Iterable[int]) -> Iterator[Candidate]:
    columns = ("id", "digest", "terms", "importance", "pinned", "created", "used")
    chosen = sa.select(*(memories.c[name] for name in columns))
    for batch in batches(sorted(set(rows))):
        for row in connection.execute(chosen.where(memories.c.id.in_(batch))):
            used = max(row.created, row.used or 0.0)
            yield Candidate(row.id, row.digest, row.terms, row.importance, row.pinned, used)


def _fts5(term: SearchTerm) -> str:
    """Return a search term in FTS5's query syntax. Words consist of letters, digits and marks only."""
    star = "*" if term.prefix else ""
    if term.phrase:
        return f'"{" ".join(term.spellings[0])}"{star}'
    ways = (" AND ".join(f'"{word}"' for word in spelling) + star for spelling in term.spellings)
    return "(" + " OR ".join(f"({spelling})" for spelling in ways) + ")"


def _glob(terms: sa.ColumnElement[str], term: SearchTerm) -> sa.ColumnElement[bool]:
    """Return a search term as a condition on terms with a blank at each end, for use without FTS5's index."""
    star = "*" if term.prefix else " *"
    if term.phrase:
        return terms.op("GLOB")(f"* {' '.join(term.spellings[0])}{star}")
    glob = terms.op("GLOB")
    found = ((glob(f"* {w}{star if w is spelling[-1] else ' *'}") for w in spelling) for spelling in term.spellings)
    return sa.or_(*(sa.and_(*words) for words in found))


def _tsquery(term: SearchTerm) -> str:
    star = ":*" if term.prefix else ""
    operator = " <-> " if term.phrase else " & "
    ways = (operator.join(f"'{word}'" for word in spelling) + star for spelling in term.spellings)
    return "(" + " | ".join(f"({spelling})" for spelling in ways) + ")"
