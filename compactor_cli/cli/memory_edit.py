"""`compactor memory add`, `pin`, `unpin` and `forget`: single memories changed."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from compactor_cli.cli import options
from compactor_cli.cli.memory_log import NOTHING, IdsArgument, Log, now, open_log, print_json
from compactor_cli.errors import InputError, UsageError
from compactor_cli.model.memories import CATEGORIES, Memory
from compactor_cli.render.console import counted

TextArgument = Annotated[
    str, typer.Argument(metavar="TEXT", help="What to remember; - reads standard input, one memory a line.")
]
CategoryOption = Annotated[
    str, typer.Option("--category", metavar="NAME", help=f"What it is: {', '.join(CATEGORIES)}.")
]
ImportanceOption = Annotated[
    float, typer.Option("--importance", min=0, max=100, metavar="POINTS", help="How important it is, 0 to 100.")
]
TagsOption = Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag; may be repeated.")]
PinOption = Annotated[bool, typer.Option("--pin", help="It never fades.")]


def add(
    text: TextArgument,
    category: CategoryOption = "fact",
    importance: ImportanceOption = 70.0,
    tag: TagsOption = None,
    pinned: PinOption = False,
    database: options.DatabaseOption = "",
    config: options.ConfigOption = "",
    json: options.JsonOption = False,
    quiet: options.QuietOption = False,
    debug: options.DebugOption = False,
) -> None:
    """Remember something; prints its id. What is known already gets the new tags and is as fresh as new.

    \b
    Examples:
      compactor memory add "The user prefers tabs." --category preference --pin
      compactor memory add "Deploys are on Tuesdays." --tag team --importance 90
      cat notes.txt | compactor memory add - --category observation
    """
    from compactor_cli.memory.exchange import memory_json
    from compactor_cli.memory.merging import checked

    log = open_log(database, config, quiet=quiet)
    at = now()
    said = [
        checked(
            Memory(
                text=line,
                category=category,
                importance=importance,
                confidence=1.0,
                tags=tuple(tag or ()),
                created=at,
                pinned=pinned,
            )
        )
        for line in _lines(text)
    ]
    if not said:
        log.tell("there was nothing to remember")
        return
    from compactor_cli.store.memories import add as remember

    with log.made() as there, there.write() as connection:
        added = remember(connection, said, at)
    if json:
        print_json({"new": [memory_json(one) for one in added.new], "known": [memory_json(m) for m in added.known]})
    else:
        for one in dict.fromkeys(memory.id for memory in said):
            typer.echo(one)
    known = f", {counted(len(added.known), 'memory was', 'memories were')} known already" if added.known else ""
    log.tell(f"remembered {counted(len(added.new), 'new memory', 'new memories')}{known}")


def pin(
    ids: IdsArgument,
    database: options.DatabaseOption = "",
    config: options.ConfigOption = "",
    json: options.JsonOption = False,
    quiet: options.QuietOption = False,
    debug: options.DebugOption = False,
) -> None:
    """Keep memories from fading; search prefers them.

    \b
    Examples:
      compactor memory pin mem_0123456789ab
    """
    _pin(open_log(database, config, quiet=quiet), ids, pinned=True, json=json)


def unpin(
    ids: IdsArgument,
    database: options.DatabaseOption = "",
    config: options.ConfigOption = "",
    json: options.JsonOption = False,
    quiet: options.QuietOption = False,
    debug: options.DebugOption = False,
) -> None:
    """Let memories fade again.

    \b
    Examples:
      compactor memory unpin mem_0123456789ab
    """
    _pin(open_log(database, config, quiet=quiet), ids, pinned=False, json=json)


def forget(
    ids: IdsArgument,
    database: options.DatabaseOption = "",
    config: options.ConfigOption = "",
    json: options.JsonOption = False,
    quiet: options.QuietOption = False,
    debug: options.DebugOption = False,
) -> None:
    """Remove memories for good: their text and their words leave the database's files as well.

    With an unknown id nothing is removed. Of PostgreSQL's write-ahead log and backups the server is in charge.

    \b
    Examples:
      compactor memory forget mem_0123456789ab
      compactor memory forget 0123 4567
    """
    from compactor_cli.memory.exchange import memory_json

    log = open_log(database, config, quiet=quiet)
    with log.existing() as there:
        if there is None:
            raise UsageError(f"there is no memory {ids[0]}: {NOTHING}")
        from compactor_cli.store.memory_changes import TABLES
        from compactor_cli.store.memory_changes import forget as remove
        from compactor_cli.store.removal import scrub

        with there.write() as connection:
            gone = remove(connection, ids)
        scrub(there, TABLES)
    if json:
        print_json([memory_json(one) for one in gone])
    for one in gone:
        log.tell(f"forgotten: {one.id}  {' '.join(one.text.split())[:100]}")


def _pin(log: Log, ids: list[str], *, pinned: bool, json: bool) -> None:
    from compactor_cli.memory.exchange import memory_json

    with log.existing() as there:
        if there is None:
            raise UsageError(f"there is no memory {ids[0]}: {NOTHING}")
        from compactor_cli.store.memories import get
        from compactor_cli.store.memories import pin as mark

        with there.write() as connection:
            mark(connection, [get(connection, name) for name in ids], pinned=pinned)
            after = [get(connection, name) for name in ids]
    if json:
        print_json([memory_json(one) for one in after])
    for one in after:
        log.tell(f"{'pinned' if pinned else 'no longer pinned'}: {one.id}  {' '.join(one.text.split())[:100]}")


def _lines(text: str) -> list[str]:
    """The texts to remember."""
    if text != "-":
        return [text]
    data = sys.stdin.buffer.read()
    try:
        return [line.strip() for line in data.decode("utf-8-sig").split("\n") if line.strip()]
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"not UTF-8: {error.reason}", path="-", line=line) from None
