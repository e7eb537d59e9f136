"""Ways to damage a file of records. Each takes its lines and returns others."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

Path = tuple[Any, ...]
Mutation = Callable[[Random, list[bytes], Sequence[bytes]], list[bytes]]

DEPTHS = (3, 40, 150, 299, 300, 301, 480, 700, 950, 990, 3000)


def nested(depth: int) -> str:
    """Return JSON text nested to a number of levels."""
    return '{"a":[' * (depth // 2) + "1" + "]}" * (depth // 2)


def _value(random: Random) -> str:
    """Return the JSON text of a value that does not belong where it is put."""
    return random.choice(
        (
            "null",
            "true",
            "0",
            "-1",
            "1e400",
            "NaN",
            "-Infinity",
            "12345678901234567890123",
            "9" * 5000,
            '""',
            '" "',
            "[]",
            "{}",
            "[null]",
            '[[],{},"x",7]',
            '{"type":"text"}',
            '[{"type":"text","text":null}]',
            '[{"type":null}]',
            '[{"type":"tool_use"},{"type":"tool_result"}]',
            r'"lone \ud800 surrogate \udfff"',
            r'"\u0000\u001b[31m\u202e\u200b"',
            '"## Session Summary of #1-9\\n#1 user: hello"',
            '"## Session Summary (Compaction Round 99999999999999999999)"',
            '"<system-reminder>x"',
            '"2026-13-45T99:99:99Z"',
            '"2026-01-01T00:00:00+99:99"',
            json.dumps("x" * 20_000),
            json.dumps("word and more " * 3000),
            json.dumps("line\n" * 3000),
            json.dumps("變更" * 4000, ensure_ascii=False),
            json.dumps(nested(random.choice(DEPTHS))),
            nested(random.choice(DEPTHS)),
        )
    )


def _places(value: Any, path: Path = (), depth: int = 0) -> Iterator[Path]:
    """Yield every place in a value except its root."""
    members: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in members:
        yield (*path, key)
        if depth < 8:
            yield from _places(inner, (*path, key), depth + 1)


def _holder(value: Any, path: Path) -> Any:
    for key in path[:-1]:
        value = value[key]
    return value


def _edit(random: Random, line: bytes, change: Callable[[Random, Any, Any], str]) -> bytes:
    """Return a record with one place changed. `change`: takes the container and the key, and returns the new JSON
    text."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return line
    places = list(_places(value))
    if not places:
        return line
    path = random.choice(places)
    mark = "\x00here\x00"
    holder = _holder(value, path)
    text = change(random, holder, path[-1])
    if text:
        holder[path[-1]] = mark
    try:
        return json.dumps(value).replace(json.dumps(mark), text).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        return line


def _retype(random: Random, holder: Any, key: Any) -> str:
    return _value(random)


def _delete(random: Random, holder: Any, key: Any) -> str:
    del holder[key]
    return ""


def _rename(random: Random, holder: Any, key: Any) -> str:
    if isinstance(holder, dict):
        holder[random.choice(("role", "type", "content", "id", "text", "payload", "message", "uuid", ""))] = holder.pop(
            key
        )
    return ""


def _copied(random: Random, holder: Any, key: Any) -> str:
    """Return the value of another member."""
    try:
        return json.dumps(random.choice(list(holder.values()) if isinstance(holder, dict) else holder))
    except RecursionError:
        return "null"


def _somewhere(change: Callable[[Random, Any, Any], str]) -> Mutation:
    def mutate(random: Random, lines: list[bytes], others: Sequence[bytes]) -> list[bytes]:
        at = random.randrange(len(lines))
        return [*lines[:at], _edit(random, lines[at], change), *lines[at + 1 :]]

    return mutate


def _everywhere(random: Random, lines: list[bytes], others: Sequence[bytes]) -> list[bytes]:
    """Damage about one record in ten in the same way."""
    return [_edit(random, line, _retype) if random.random() < 0.1 else line for line in lines]


def _drop(random: Random, lines: list[bytes], others: Sequence[bytes]) -> list[bytes]:
    gone = random.choice((0.02, 0.1, 0.5, 0.95))
    return [line for line in lines if random.random() > gone]


def _repeat(random: Random, lines: list[bytes], others: Sequence[bytes]) -> list[bytes]:
    at = random.randrange(len(lines))
    stretch = lines[at : at + random.randint(1, 5)]
    to = random.randrange(len(lines))
    return [*lines[:to], *stretch * random.randint(1, 3), *lines[to:]]


def _shuffle(random: Random, lines: list[bytes], others: Sequence[bytes]) -> list[bytes]:
    at, size = random.randrange(len(lines)), random.choice((2, 5, 20, len(lines)))
    part = lines[at : at + size]
    random.shuffle(part)
    return [*lines[:at], *part, *lines[at + size :]]


def _truncate(random: Random, lines: list[bytes], others: Sequence[bytes]) -> list[bytes]:
    """Cut the file anywhere, as a killed writer leaves it."""
    at = random.randrange(len(lines))
    return [*lines[:at], lines[at][: random.randrange(len(lines[at]) + 1)]]


def _mix(random: Random, lines: list[bytes], others: Sequence[bytes]) -> list[bytes]:
    """Insert records of another file, mostly of another format."""
    at = random.randrange(len(lines) + 1)
    start = random.randrange(len(others))
    return [*lines[:at], *others[start : start + random.randint(1, 6)], *lines[at:]]


def _bytes(random: Random, lines: list[bytes], others: Sequence[bytes]) -> list[bytes]:
    """Change a few bytes."""
    at = random.randrange(len(lines))
    line = bytearray(lines[at])
    for _ in range(random.randint(1, 3)):
        if line:
            line[random.randrange(len(line))] = random.choice(b'\x00\x1b\x80\xff{}[]",:\\0a\r\n')
    return [*lines[:at], bytes(line), *lines[at + 1 :]]


def _glue(random: Random, lines: list[bytes], others: Sequence[bytes]) -> list[bytes]:
    at = random.randrange(len(lines))
    return [*lines[:at], b"".join(lines[at : at + 2]), *lines[at + 2 :]]


MUTATIONS: dict[str, Mutation] = {
    "drop": _drop,
    "repeat": _repeat,
    "shuffle": _shuffle,
    "truncate": _truncate,
    "mix": _mix,
    "bytes": _bytes,
    "glue": _glue,
    "retype": _somewhere(_retype),
    "delete": _somewhere(_delete),
    "rename": _somewhere(_rename),
    "copy": _somewhere(_copied),
    "everywhere": _everywhere,
}
_WEIGHTS = (1, 2, 2, 1, 1, 1, 1, 8, 3, 3, 3, 2)


def mutate(random: Random, data: bytes, other: bytes) -> tuple[str, bytes]:
    """Return what was done to a file, and the result. `other`: a file to take records from."""
    lines, others = _lines(random, data), _lines(random, other)
    names = random.choices(list(MUTATIONS), _WEIGHTS, k=random.choice((1, 1, 2, 3)))
    for name in names:
        if lines:
            lines = MUTATIONS[name](random, lines, others)
    if random.random() < 0.5:
        return "+".join(names), b"\n".join(lines)
    return "+".join(names), b"\n".join(lines) + b"\n"


def _lines(random: Random, data: bytes, most: int = 60) -> list[bytes]:
    """Return the records of a file, or a part of a long one. A single JSON document is written with one value per line,
    so that changed lines can still be JSON."""
    lines = data.splitlines()
    try:
        value = json.loads(data) if len(lines) > 1 else None
    except ValueError:
        value = None
    if isinstance(value, (dict, list)):
        lines = [json.dumps(value).encode()]
    if len(lines) <= most:
        return lines or [b"{}"]
    at = random.choice((0, random.randrange(len(lines) - most)))
    return lines[at : at + most]
