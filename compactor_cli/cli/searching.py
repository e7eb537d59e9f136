"""`compactor restore --search`: messages in the archive, found by words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from compactor_cli.archive.search import MessageHit, best, hits, words_of
from compactor_cli.cli.lookup import read_again
from compactor_cli.cli.session import Session
from compactor_cli.cli.streams import print_json
from compactor_cli.errors import InputError, NotKeptError, UsageError

if TYPE_CHECKING:
    from compactor_cli.db.database import Database
    from compactor_cli.model.archived import Archived

_HITS = 10
_STATES = 50
"""States that are looked into, the newest ones."""


def search(session: Session, kept: Database, query: str, among: Sequence[Archived] | None, *, json: bool) -> None:
    """Print the messages that have the words of a query; `among` some compactions, or all. Raises NotKeptError when
    there are none."""
    from compactor_cli.archive.stored import archive
    from compactor_cli.render.archive import hits_table

    words = words_of(query)
    if not words:
        raise UsageError("--search: no words; write what to look for")
    if among is None:
        with kept.read() as connection:
            among = archive.newest(connection, _STATES)
    found = best((hit for archived in among for hit in _in(session, kept, archived, words)), _HITS)
    if json:
        print_json({"query": query, "hits": [asdict(hit) for hit in found]})
    elif found:
        session.out.print(hits_table(session.out, found))
    if not found:
        raise NotKeptError(f"--search {query!r}: no archived message has any of the words")


def _in(session: Session, kept: Database, archived: Archived, words: Sequence[str]) -> Iterator[MessageHit]:
    """The messages of one state. One that is not there any more, or cannot be read, is said and passed over."""
    from compactor_cli.archive.stored import archive

    if not archived.kept:
        return
    with kept.read() as connection:
        manifest = archive.manifest(connection, archived.id)
        data = archive.restore(connection, archived.id, None)
    try:
        source = read_again(data, archived.input.path, archived.format)
    except InputError as error:
        session.say(f"note: compaction {archived.id} is passed over: {error}")
        return
    for number, transcript in enumerate(source.transcripts):
        entries = [entry for entry in manifest.removed if entry.conversation == number and len(entry.messages) == 1]
        references = {entry.messages[0]: entry.reference for entry in reversed(entries)}
        yield from hits(transcript.messages, words, references, archived.input.path, archived.id)
