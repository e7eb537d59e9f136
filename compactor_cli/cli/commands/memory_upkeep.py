"""`compactor memory decay`, `consolidate`, `export` and `import`: commands on the whole log."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from compactor_cli.cli.databases import create_database, existing_database
from compactor_cli.cli.files import is_file, is_remote, load_store, read_bytes, write_bytes
from compactor_cli.cli.memory_log import KindOptions, filters_of, open_log, time_of
from compactor_cli.cli.options import CommandOptions, OutOption, option, switch
from compactor_cli.cli.streams import print_json
from compactor_cli.cli.typed_options import takes_options
from compactor_cli.configuration.layers import Layer
from compactor_cli.errors import NotKeptError
from compactor_cli.memory.exchange import line_of, read_lines
from compactor_cli.memory.merging import check_half_life
from compactor_cli.render.console import count_phrase, make_console
from compactor_cli.render.memories import fade_json, fade_table, merge_json, merge_table
from compactor_cli.settings.frozen import frozen

MAX_SHOWN = 20


@frozen(frozen=True, kw_only=True)
class ConsolidateOptions(CommandOptions):
    dry_run: bool = switch("Show what would change, and change nothing.")


@frozen(frozen=True, kw_only=True)
class DecayOptions(ConsolidateOptions):
    now: str = option("TIME", "Time up to which it fades; default: the time of this run.", "")


@frozen(frozen=True, kw_only=True)
class ExportOptions(KindOptions):
    out: OutOption = "-"


@frozen(frozen=True, kw_only=True)
class ImportOptions(CommandOptions):
    file: Annotated[str, typer.Argument(metavar="FILE", help="What export wrote; - is standard input.")]


@takes_options("memory decay")
def decay(args: DecayOptions, overrides: Layer) -> None:
    """Lower the importance of unused memories, by half for each half-life. Pinned memories keep theirs.

    Time counts from when a memory was added, used or last faded, so it does not matter how often you run this.

    \b
    Examples:
      compactor memory decay --dry-run
      compactor memory decay --half-life 30
      compactor memory decay --now 2026-12-31 --dry-run
    """
    log = open_log(args, overrides)
    days = check_half_life(log.configured.settings.memory.half_life_days)
    now = time_of(args.now)
    changes = []
    with existing_database(log.url) as database:
        if database is not None:
            from compactor_cli.memory.stored.memories import decay_memories as fade

            with database.read() if args.dry_run else database.write() as connection:
                changes = fade(connection, now, days, dry_run=args.dry_run)
    if args.json:
        print_json([fade_json(change) for change in changes])
    elif changes and args.dry_run:
        console = make_console(sys.stdout)
        largest = sorted(changes, key=lambda change: change.after.importance - change.before.importance)[:MAX_SHOWN]
        title = f"{len(largest):,} of {len(changes):,} that would fade, largest loss first"
        console.print(fade_table(console, largest, title))
    if database is None:
        log.tell(log.nothing)
    else:
        log.tell(f"{count_phrase(len(changes), 'memory', 'memories')} {'would fade' if args.dry_run else 'faded'}")


@takes_options("memory consolidate")
def consolidate(args: ConsolidateOptions, overrides: Layer) -> None:
    """Merge memories that say the same: the one with the most words stays, with the sources of all.

    They must have the same words in the same order. Only white space, the first capital, a stop at the end, backticks
    and the words the, please, actually and indeed may differ.

    \b
    Examples:
      compactor memory consolidate --dry-run
      compactor memory consolidate --json
    """
    log = open_log(args, overrides)
    merges = []
    with existing_database(log.url) as database:
        if database is not None:
            from compactor_cli.memory.stored.memories import merge_memories as join

            days = log.configured.settings.memory.half_life_days
            with database.read() if args.dry_run else database.write() as connection:
                merges = join(connection, days, dry_run=args.dry_run)
    if args.json:
        print_json([merge_json(merge) for merge in merges])
    elif merges and args.dry_run:
        console = make_console(sys.stdout)
        title = (
            f"{min(MAX_SHOWN, len(merges)):,} of {count_phrase(len(merges), 'memory', 'memories')} that would "
            f"absorb others"
        )
        console.print(merge_table(console, merges[:MAX_SHOWN], title))
    if database is None:
        log.tell(log.nothing)
        return
    merged_count = sum(len(merge.others) for merge in merges)
    into = count_phrase(len(merges), "other", "others")
    log.tell(f"{count_phrase(merged_count, 'memory', 'memories')} {'would go' if args.dry_run else 'went'} into {into}")


@takes_options("memory export")
def export(args: ExportOptions, overrides: Layer) -> None:
    """Export memories as JSONL, one a line, the oldest first; the same memories always give the same bytes.

    An existing file is never emptied: if there is nothing to export, it stays and the exit code is 1.

    \b
    Examples:
      compactor memory export -o memories.jsonl
      compactor memory export --category preference | compactor memory import - --database postgresql://u@host/db
    """
    from compactor_cli.cli.outputs import check_outputs, find_files_read
    from compactor_cli.db.place import sqlite_file

    log = open_log(args, overrides)
    check_outputs(find_files_read(log.configured), {"-o": [args.out]})
    filters = filters_of(args)
    memories = []
    with existing_database(log.url) as database:
        if database is not None:
            from compactor_cli.memory.stored.memories import list_memories

            with database.read() as connection:
                memories = list_memories(connection, filters, order="oldest")
    if not memories and _is_nonempty_file(args.out):
        raise NotKeptError(
            f"{args.out}: there is nothing to export, so the file is left unchanged; delete it if you do not need it"
        )
    database_file = sqlite_file(log.url)
    inputs = [] if database_file is None else [str(database_file)]
    write_bytes(args.out, "".join(map(line_of, memories)).encode(), inputs=inputs)
    if args.json and args.out != "-":
        print_json({"exported": len(memories), "path": args.out})
    log.tell(log.nothing if database is None else f"exported {count_phrase(len(memories), 'memory', 'memories')}")


def _is_nonempty_file(path: str) -> bool:
    if is_remote(path):
        return bool(load_store().exists(path))
    return path != "-" and is_file(path) and Path(path).stat().st_size > 0


@takes_options("memory import")
def take_in(args: ImportOptions, overrides: Layer) -> None:
    """Import exported memories. Either all of them are stored or, if a line is wrong, none.

    Known memories are not stored twice, so importing the same file again changes nothing.

    \b
    Examples:
      compactor memory import memories.jsonl
      compactor memory export | compactor memory import - --database postgresql://u@host/db
    """
    log = open_log(args, overrides)
    lines = list(read_lines(read_bytes(args.file), args.file))
    new_count = known_count = 0
    if lines:
        from compactor_cli.memory.stored.memories import import_memories as store

        with create_database(log.url) as database, database.write() as connection:
            added = store(connection, lines)
        new_count, known_count = len(added.new), len(added.known)
    if args.json:
        print_json({"new": new_count, "known": known_count})
    log.tell(f"imported {count_phrase(new_count, 'new memory', 'new memories')}; {known_count:,} already known")
