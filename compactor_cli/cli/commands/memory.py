"""`compactor memory`: view the memory log, and change single memories."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from compactor_cli.cli.commands.memory_upkeep import consolidate, decay, export, take_in
from compactor_cli.cli.databases import create_database, existing_database
from compactor_cli.cli.files import read_bytes
from compactor_cli.cli.memory_log import FilterOptions, IdsOptions, Log, filters_of, open_log
from compactor_cli.cli.options import CommandOptions, option, switch
from compactor_cli.cli.streams import print_json
from compactor_cli.cli.typed_options import takes_options
from compactor_cli.configuration.layers import Layer
from compactor_cli.errors import ExitCode, InputError, UsageError, meant
from compactor_cli.memory.conditions import ORDERS
from compactor_cli.memory.exchange import memory_json
from compactor_cli.memory.merging import check_memory
from compactor_cli.model.memory import CATEGORIES, Memory
from compactor_cli.render.console import count_phrase, make_console
from compactor_cli.render.memories import hit_json, hit_table, memory_page, memory_table
from compactor_cli.settings.frozen import frozen

if TYPE_CHECKING:
    from compactor_cli.db.database import Database

MAX_LIMIT = 1_000_000_000
"""The largest limit that databases accept."""


@frozen(frozen=True, kw_only=True)
class ListOptions(FilterOptions):
    order: str = option("NAME", "Sort by newest (default), oldest or importance.", "newest")
    limit: int = option("N", "Most memories to list; 0 for all.", 20, min=0, max=MAX_LIMIT)


@frozen(frozen=True, kw_only=True)
class SearchOptions(FilterOptions):
    query: Annotated[
        list[str], typer.Argument(metavar="QUERY...", help='Words, "phrases" in quotes, and prefixes* of words.')
    ]
    limit: int = option("N", "Most memories to show.", 10, min=1, max=MAX_LIMIT)
    use: bool = switch("Count this search as a use of the memories found, so that they fade later.")


memory = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)


@memory.callback()
def about() -> None:
    """Read and change the memory log: facts worth knowing beyond the session they came from.

    It is in the database that --database or the setting database_url names; `compactor config` shows which.

    \b
    Examples:
      compactor memory add "The user prefers tabs." --category preference
      compactor memory list --day today
      compactor memory search read timeout
    """


@memory.command("list", short_help="List memories.")
@takes_options("memory list")
def listing(args: ListOptions, overrides: Layer) -> None:
    """List memories, the newest first. Days and times are local; ★ marks pinned ones.

    \b
    Examples:
      compactor memory list
      compactor memory list --day yesterday --limit 0
      compactor memory list --category preference --order importance
      compactor memory list --tag smart-extracted --json
    """
    log = open_log(args, overrides)
    if args.order not in ORDERS:
        raise UsageError(f"--order {args.order!r} is unknown{meant(args.order, ORDERS)}; use {', '.join(ORDERS)}")
    filters = filters_of(args)
    with existing_database(log.url) as database:
        if database is None:
            memories, total = [], 0
        else:
            from compactor_cli.memory.stored.memories import count_memories, list_memories

            with database.read() as connection:
                memories = list_memories(connection, filters, limit=args.limit or None, order=args.order)
                total = count_memories(connection, filters)
    if args.json:
        print_json([memory_json(entry) for entry in memories])
    elif memories:
        console = make_console(sys.stdout)
        title = f"Memories of {args.day}" if args.day else "Memories"
        console.print(memory_table(console, memories, title, clock=bool(args.day)))
    if database is None:
        log.tell(log.nothing)
    elif not memories:
        log.tell("no memory matches")
    elif total > len(memories):
        log.tell(f"{len(memories):,} of {total:,}; --limit 0 shows all")


@memory.command("search", short_help="Find memories by their words.")
@takes_options("memory search")
def search(args: SearchOptions, overrides: Layer) -> None:
    """Find memories by their words, the best match first. Memories with all of the words come before the others.

    Case, accents and plurals do not matter; read_timeout and readTimeout are the same. A search only counts as
    a use of the memories with --use. Exit code 1: nothing was found.

    \b
    Examples:
      compactor memory search read timeout
      compactor memory search '"before the commit" test*' --category preference
      compactor memory search database --limit 3 --json
    """
    log = open_log(args, overrides)
    words = " ".join(args.query)
    filters = filters_of(args)
    now = time.time()
    with existing_database(log.url) as database:
        hits = []
        if database is not None:
            from compactor_cli.memory.stored.memories import mark_used, search_memories

            with database.read() as connection:
                hits = search_memories(connection, words, limit=args.limit, now=now, filters=filters)
            if args.use and hits:
                with database.write() as connection:
                    mark_used(connection, [hit.memory for hit in hits], now)
    if args.json:
        print_json([hit_json(hit) for hit in hits])
    elif hits:
        console = make_console(sys.stdout)
        console.print(hit_table(console, hits, count_phrase(len(hits), "memory", "memories")))
    if not hits:
        log.tell(log.nothing if database is None else "no memory was found")
        raise typer.Exit(int(ExitCode.NO))


@memory.command("show", short_help="Show memories in full, with their sources.")
@takes_options("memory show")
def show(args: IdsOptions, overrides: Layer) -> None:
    """Show memories in full: text, tags, when they were added and used, and where they were said.

    \b
    Examples:
      compactor memory show mem_0123456789ab
      compactor memory show 0123 --json
    """
    with _open_log_with(args, overrides) as (_, database):
        from compactor_cli.memory.stored.memories import get_memory

        with database.read() as connection:
            memories = [get_memory(connection, name) for name in args.ids]
    if args.json:
        print_json([memory_json(entry) for entry in memories])
        return
    console = make_console(sys.stdout)
    for number, entry in enumerate(memories):
        if number:
            console.print()
        for line in memory_page(entry):
            console.print(line)


@frozen(frozen=True, kw_only=True)
class AddOptions(CommandOptions):
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="Text to remember; - reads standard input, one memory a line.")
    ]
    category: str = option("NAME", f"Kind of memory: {', '.join(CATEGORIES)}.", "fact")
    importance: float = option("POINTS", "Importance, 0 to 100.", 70.0, min=0, max=100)
    tag: list[str] | None = option("TAG", "Tag; may be repeated.", None)
    pinned: bool = switch("Never let it fade.", "--pin")


@memory.command("add", short_help="Remember something.")
@takes_options("memory add")
def add(args: AddOptions, overrides: Layer) -> None:
    """Add a memory and print its id. A memory that exists gets the new tags and counts as fresh.

    \b
    Examples:
      compactor memory add "The user prefers tabs." --category preference --pin
      compactor memory add "Deploys are on Tuesdays." --tag team --importance 90
      cat notes.txt | compactor memory add - --category observation
    """
    log = open_log(args, overrides)
    now = time.time()
    memories = [
        check_memory(
            Memory(
                text=line,
                category=args.category,
                importance=args.importance,
                confidence=1.0,
                tags=tuple(args.tag or ()),
                created=now,
                pinned=args.pinned,
            )
        )
        for line in _input_texts(args.text)
    ]
    if not memories:
        log.tell("nothing to remember was found")
        return
    from compactor_cli.memory.stored.memories import add_memories as remember

    with create_database(log.url) as database, database.write() as connection:
        added = remember(connection, memories, now)
    if args.json:
        print_json({"new": [memory_json(entry) for entry in added.new], "known": [memory_json(m) for m in added.known]})
    else:
        for entry in dict.fromkeys(memory.id for memory in memories):
            typer.echo(entry)
    known_note = (
        f", {count_phrase(len(added.known), 'memory was', 'memories were')} already known" if added.known else ""
    )
    log.tell(f"remembered {count_phrase(len(added.new), 'new memory', 'new memories')}{known_note}")


@memory.command("pin", short_help="Keep memories from fading.")
@takes_options("memory pin")
def pin(args: IdsOptions, overrides: Layer) -> None:
    """Keep memories from fading; search prefers them.

    \b
    Examples:
      compactor memory pin mem_0123456789ab
    """
    _set_pinned(args, overrides, pinned=True)


@memory.command("unpin", short_help="Let memories fade again.")
@takes_options("memory unpin")
def unpin(args: IdsOptions, overrides: Layer) -> None:
    """Let memories fade again.

    \b
    Examples:
      compactor memory unpin mem_0123456789ab
    """
    _set_pinned(args, overrides, pinned=False)


@memory.command("forget", short_help="Remove memories for good.")
@takes_options("memory forget")
def forget(args: IdsOptions, overrides: Layer) -> None:
    """Remove memories for good: their text and index entries are erased from the database's files, too.

    If an id is unknown, nothing is removed. PostgreSQL's write-ahead log and backups are up to its server.

    \b
    Examples:
      compactor memory forget mem_0123456789ab
      compactor memory forget 0123 4567
    """
    with _open_log_with(args, overrides) as (log, database):
        from compactor_cli.db.removal import scrub
        from compactor_cli.memory.stored.memories import TABLES, forget_memories

        with database.write() as connection:
            removed = forget_memories(connection, args.ids)
        scrub(database, TABLES)
    if args.json:
        print_json([memory_json(entry) for entry in removed])
    for entry in removed:
        log.tell(f"forgotten: {entry.id}  {' '.join(entry.text.split())[:100]}")


@contextmanager
def _open_log_with(args: IdsOptions, overrides: Layer) -> Iterator[tuple[Log, Database]]:
    """Yield the log and its database. Raises UsageError if nothing was ever stored."""
    log = open_log(args, overrides)
    with existing_database(log.url) as database:
        if database is None:
            raise UsageError(f"memory {args.ids[0]} does not exist: {log.nothing}")
        yield log, database


def _set_pinned(args: IdsOptions, overrides: Layer, *, pinned: bool) -> None:
    with _open_log_with(args, overrides) as (log, database):
        from compactor_cli.memory.stored.memories import get_memory, set_pinned

        with database.write() as connection:
            set_pinned(connection, [get_memory(connection, name) for name in args.ids], pinned=pinned)
            after = [get_memory(connection, name) for name in args.ids]
    if args.json:
        print_json([memory_json(entry) for entry in after])
    for entry in after:
        log.tell(f"{'pinned' if pinned else 'no longer pinned'}: {entry.id}  {' '.join(entry.text.split())[:100]}")


def _input_texts(text: str) -> list[str]:
    if text != "-":
        return [text]
    data = read_bytes("-")
    try:
        return [line.strip() for line in data.decode("utf-8-sig").split("\n") if line.strip()]
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"not UTF-8: {error.reason}", path="-", line=line) from None


memory.command("decay", short_help="Lower the importance of unused memories.")(decay)
memory.command("consolidate", short_help="Merge memories that say the same.")(consolidate)
memory.command("export", short_help="Export memories as JSONL.")(export)
memory.command("import", short_help="Import exported memories.")(take_in)
