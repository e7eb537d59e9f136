"""What agents of chats define in blocks of code that they write as text: of one name, the last definition holds."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import takewhile

from msgspec import Struct

from compactor_cli.model.message import Message
from compactor_cli.model.pairing import Spot
from compactor_cli.text.patterns import compiled_later

_BLOCK = compiled_later(
    r"^(?P<fence>`{3,}|~{3,})[ \t]*(?P<language>[\w+#.-]*)[^\n]*\n(?P<code>.*?)^(?P=fence)", re.M | re.S
)
_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|static|async|pub(?:\([^)\n]*\))?|unsafe|inline|abstract|final"
    r"|override|extern|internal|sealed|data|create(?: or replace)?)\s+)*"
)
_DEFINES = compiled_later(
    rf"{_MODIFIERS}(?:def|class|function\*?|func|fn|fun|interface|struct|trait|enum|record|object|module|table|view"
    rf"|procedure|type)\s+(?:if not exists\s+)?(?:\([^)\n]*\)\s*)?(?P<name>[\w.$-]*\w)"
    rf"|{_MODIFIERS}(?:const|let|var|val)\s+(?P<assigned>\w+)[^=\n]*=\s*(?:async\b\s*)?(?:function\b|\(|\w+\s*=>)"
    r"|(?P<constant>[A-Z][A-Z0-9_]+)\s*(?::[^=\n]+)?=(?!=)|(?P<shell>[\w-]+)\s*\(\)\s*\{",
    re.IGNORECASE,
)
"""A line without indentation that begins a definition."""
_CONSTANT = compiled_later(r"[A-Z][A-Z0-9_]+")
_GOES_ON = compiled_later(r"[ \t)\]}]|\{?\s*$|end\b")
"""Lines that go on with a definition."""
_DECORATES = compiled_later(r"@|#\[")
_LEFT_OUT = compiled_later(
    r"^\s*(?:#|//|--|/\*)?\s*(?:\.\.\.|…)|\b(?:unchanged|as before|same as|rest of)\b", re.M | re.I
)
"""What stands in code for what is not shown: such a definition does not hold alone."""
_FILE = compiled_later(r"[\w./-]*\w\.[A-Za-z]\w{0,4}\b")
_NEARLY = 0.4
"""Share of the characters of an older definition that a newer one has at least, to stand for it."""
_DROPS = (
    r"(?:forget|scrap|drop|discard|ditch|remove|delete|undo|revert|kill|lose|vergiss|verwirf|streich|oublie|supprime"
    r"|olvida|quita|elimina|dimentica|togli|esquece|remova)\s+(?:(?:the|your|that|about|das|die|den|la|le|el|il|o)\s+)*"
)
_NOT = r"(?<!n't )(?<!n’t )(?<!not )(?<!never )(?<!nicht )"
_ALL_OF_IT = (
    r"`?(?:\(\))?(?:\s+(?:again|please|entirely|completely|altogether|then|for now|function|class|method|idea))*"
    r"\s*(?:[.,;:!?)]|$|\s(?:and|we|it|just|und|et|y|e)\b|[—–-])"
)


class Definition(Struct, frozen=True):
    """A definition in a block of code."""

    name: str
    spot: Spot
    first: int
    """The physical line of its text that it begins with, from 0."""
    last: int
    size: int
    """Its characters."""
    language: str
    file: str
    """The file that is named before the block; empty where none is."""
    whole: bool
    """Whether nothing of it is left out."""


class WrittenCode:
    """The definitions of a session, and which of them hold."""

    def __init__(self, messages: Sequence[Message]) -> None:
        """Read the blocks of code in what agents say."""
        self._messages = messages
        self.newest: list[Definition] = []
        """Those that hold, in their order."""
        self._outdated: dict[Spot, set[int]] = defaultdict(set)
        self.gone: set[int] = set()
        """Messages of which no definition holds."""
        by_name: dict[str, list[Definition]] = defaultdict(list)
        for definition in _definitions(messages):
            by_name[definition.name].append(definition)
        holding = set[int]()
        for definition in (one for all_of_it in by_name.values() for one in all_of_it):
            if self._is_dropped(definition) or any(_replaces(o, definition) for o in by_name[definition.name]):
                self._outdated[definition.spot].update(range(definition.first, definition.last + 1))
                self.gone.add(definition.spot[0])
            else:
                self.newest.append(definition)
                holding.add(definition.spot[0])
        self.newest.sort(key=lambda one: (one.spot, one.first))
        self.gone -= holding

    def outdated(self, spot: Spot) -> frozenset[int]:
        """Return the physical lines of a text that define what was defined anew later, or what the user turned down."""
        return frozenset(self._outdated.get(spot, ()))

    def _is_dropped(self, definition: Definition) -> bool:
        """Return whether the user says in reply that what was defined is to go."""
        replies = takewhile(lambda m: m.role != "assistant", self._messages[definition.spot[0] + 1 :])
        said = [m.text("text") for m in replies if m.origin == "request" and definition.name in m.text("text")]
        dropped = rf"{_NOT}\b{_DROPS}`?{re.escape(definition.name)}{_ALL_OF_IT}"
        return any(re.search(dropped, text, re.IGNORECASE) for text in said)


def _replaces(newer: Definition, older: Definition) -> bool:
    """Return whether a later definition of a name stands for an older one: not where it is of another file or language,
    where something of it is left out, or where it is much shorter, and perhaps a part."""
    same = all(not one or not other or one == other for one, other in _places(newer, older))
    is_long = newer.size >= _NEARLY * older.size or _CONSTANT.fullmatch(newer.name) is not None
    return newer.spot[0] > older.spot[0] and same and newer.whole and is_long


def _places(newer: Definition, older: Definition) -> tuple[tuple[str, str], ...]:
    return (newer.language, older.language), (newer.file, older.file)


def _definitions(messages: Sequence[Message]) -> Iterator[Definition]:
    for message in messages:
        if message.role != "assistant" or message.origin == "summary":
            continue
        for position, part in enumerate(message.parts):
            if part.kind == "text" and ("```" in part.text or "~~~" in part.text):
                for block in _BLOCK.finditer(part.text):
                    yield from _in_block(part.text, block, (message.index, position))


def _in_block(text: str, block: re.Match[str], spot: Spot) -> Iterator[Definition]:
    lines = block["code"].split("\n")[:-1]
    offset = text.count("\n", 0, block.start("code"))
    before = text[: block.start()].rstrip().rpartition("\n")[2]
    files = _FILE.findall(before) or _FILE.findall(lines[0] if lines and lines[0][:1] in "#/-<" else "")
    at = 0
    while at < len(lines):
        first = at
        while at < len(lines) - 1 and _DECORATES.match(lines[at]):
            at += 1
        found = _DEFINES.match(lines[at])
        name = _name(found) if found else ""
        at += 1
        while name and at < len(lines) and _GOES_ON.match(lines[at]):
            at += 1
        if name:
            code = "\n".join(lines[first:at]).rstrip()
            last = first + code.count("\n")
            file = files[-1] if files else ""
            whole = not _LEFT_OUT.search(code)
            yield Definition(
                name, spot, offset + first, offset + last, len(code), block["language"].lower(), file, whole
            )


def _name(found: re.Match[str]) -> str:
    """Return the name that a line defines; a constant is one in capitals."""
    if constant := found["constant"]:
        return constant if _CONSTANT.fullmatch(constant) else ""
    return found["name"] or found["assigned"] or found["shell"] or ""
