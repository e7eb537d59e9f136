"""`compactor memory add`, `pin`, `unpin` and `forget`: single memories changed."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from compactor_cli.cli.databases import existing_database, made_database
from compactor_cli.cli.files import read_bytes
from compactor_cli.cli.memory_log import IdsOptions, open_log
from compactor_cli.cli.options import CommandOptions
from compactor_cli.cli.streams import print_json
from compactor_cli.cli.typed_options import takes
from compactor_cli.configuration.layers import Layer
from compactor_cli.errors import InputError, UsageError
from compactor_cli.model.memory import CATEGORIES, Memory
from compactor_cli.render.console import counted
from compactor_cli.settings.frozen import frozen


@frozen(frozen=True, kw_only=True)
class AddOptions(CommandOptions):
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="What to remember; - reads standard input, one memory a line.")
    ]
    category: Annotated[
        str, typer.Option("--category", metavar="NAME", help=f"What it is: {', '.join(CATEGORIES)}.")
    ] = "fact"
    importance: Annotated[
        float, typer.Option("--importance", min=0, max=100, metavar="POINTS", help="How important it is, 0 to 100.")
    ] = 70.0
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag; may be repeated.")] = None
    pinned: Annotated[bool, typer.Option("--pin", help="It never fades.")] = False


@takes("memory add")
def add(args: AddOptions, overrides: Layer) -> None:
    """Remember something; prints its id. What is known already gets the new tags and is as fresh as new.

    \b
    Examples:
      compactor memory add "The user prefers tabs." --category preference --pin
      compactor memory add "Deploys are on Tuesdays." --tag team --importance 90
      cat notes.txt | compactor memory add - --category observation
    """
    from compactor_cli.memory.exchange import memory_json
    from compactor_cli.memory.merging import checked

    log = open_log(args, overrides)
    now = time.time()
    memories = [
        checked(
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
        for line in _lines(args.text)
    ]
    if not memories:
        log.tell("there was nothing to remember")
        return
    from compactor_cli.memory.stored.memories import add as remember

    with made_database(log.url) as database, database.write() as connection:
        added = remember(connection, memories, now)
    if args.json:
        print_json({"new": [memory_json(entry) for entry in added.new], "known": [memory_json(m) for m in added.known]})
    else:
        for entry in dict.fromkeys(memory.id for memory in memories):
            typer.echo(entry)
    known = f", {counted(len(added.known), 'memory was', 'memories were')} known already" if added.known else ""
    log.tell(f"remembered {counted(len(added.new), 'new memory', 'new memories')}{known}")


@takes("memory pin")
def pin(args: IdsOptions, overrides: Layer) -> None:
    """Keep memories from fading; search prefers them.

    \b
    Examples:
      compactor memory pin mem_0123456789ab
    """
    _pin(args, overrides, pinned=True)


@takes("memory unpin")
def unpin(args: IdsOptions, overrides: Layer) -> None:
    """Let memories fade again.

    \b
    Examples:
      compactor memory unpin mem_0123456789ab
    """
    _pin(args, overrides, pinned=False)


@takes("memory forget")
def forget(args: IdsOptions, overrides: Layer) -> None:
    """Remove memories for good: their text and their words leave the database's files as well.

    With an unknown id nothing is removed. Of PostgreSQL's write-ahead log and backups the server is in charge.

    \b
    Examples:
      compactor memory forget mem_0123456789ab
      compactor memory forget 0123 4567
    """
    from compactor_cli.memory.exchange import memory_json

    log = open_log(args, overrides)
    with existing_database(log.url) as database:
        if database is None:
            raise UsageError(f"there is no memory {args.ids[0]}: {log.nothing}")
        from compactor_cli.db.removal import scrub
        from compactor_cli.memory.stored.memory_changes import TABLES
        from compactor_cli.memory.stored.memory_changes import forget as remove

        with database.write() as connection:
            gone = remove(connection, args.ids)
        scrub(database, TABLES)
    if args.json:
        print_json([memory_json(entry) for entry in gone])
    for entry in gone:
        log.tell(f"forgotten: {entry.id}  {' '.join(entry.text.split())[:100]}")


def _pin(args: IdsOptions, overrides: Layer, *, pinned: bool) -> None:
    from compactor_cli.memory.exchange import memory_json

    log = open_log(args, overrides)
    with existing_database(log.url) as database:
        if database is None:
            raise UsageError(f"there is no memory {args.ids[0]}: {log.nothing}")
        from compactor_cli.memory.stored.memories import get
        from compactor_cli.memory.stored.memories import pin as mark

        with database.write() as connection:
            mark(connection, [get(connection, name) for name in args.ids], pinned=pinned)
            after = [get(connection, name) for name in args.ids]
    if args.json:
        print_json([memory_json(entry) for entry in after])
    for entry in after:
        log.tell(f"{'pinned' if pinned else 'no longer pinned'}: {entry.id}  {' '.join(entry.text.split())[:100]}")


def _lines(text: str) -> list[str]:
    """Return the texts to remember."""
    if text != "-":
        return [text]
    data = read_bytes("-")
    try:
        return [line.strip() for line in data.decode("utf-8-sig").split("\n") if line.strip()]
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"not UTF-8: {error.reason}", path="-", line=line) from None
