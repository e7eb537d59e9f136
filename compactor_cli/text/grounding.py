"""Whether the names and quotes of a text occur in the messages that it is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from compactor_cli.model.message import Message
from compactor_cli.text.identifiers import identifiers, unescape

_QUOTED = re.compile(r"`([^`\n]{3,400})`|\"([^\"\n]{4,400})\"|“([^”\n]{4,400})”")
_BLANKS = re.compile(r"\s+")
_ELLIPSIS = re.compile(r"…|\.\.\.+")
_ENDS = " .,;:!?'"
_EITHER = re.compile(r"[A-Za-z]+(?:/[A-Za-z]+)+")


@dataclass(frozen=True)
class Source:
    """What a summary may draw on."""

    messages: Sequence[Message]
    earlier: tuple[str, ...] = ()
    """Texts of earlier summaries."""

    def has(self, words: str) -> bool:
        """Whether the words occur, whatever their case and the blanks between them."""
        return _flat(words) in self._everything

    def was_said(self, words: str) -> bool:
        """Whether the user or the assistant said the words, in prose or in a call."""
        return _flat(words) in self._said

    @cached_property
    def _everything(self) -> str:
        return _flat_all([*self.earlier, *(part.text for m in self.messages for part in m.parts)])

    @cached_property
    def _said(self) -> str:
        said = (
            part.text
            for message in self.messages
            if message.origin != "injected"
            for part in message.parts
            if part.kind == "tool_call" or (part.kind == "text" and message.role != "tool")
        )
        return _flat_all([*self.earlier, *said])


def ungrounded(text: str, source: Source) -> list[str]:
    """Quotes and identifiers of a text that do not occur in its source, in a fixed order."""
    foreign = [quote for quote in _quotes(text) if not all(map(source.has, _pieces(quote)))]
    covered = " ".join(foreign)
    found = sorted(name for name in identifiers(text) if name not in covered and not _occurs(name, source))
    return [*dict.fromkeys(foreign), *found]


def _quotes(text: str) -> Iterable[str]:
    for match in _QUOTED.finditer(text):
        quote = next(group for group in match.groups() if group).strip(_ENDS)
        if len(quote) >= 3 and not quote.isalpha():
            yield quote


def _pieces(quote: str) -> list[str]:
    """A quote with something left out is several."""
    pieces = [piece.strip(_ENDS) for piece in _ELLIPSIS.split(quote)]
    return [piece for piece in pieces if len(piece) >= 3]


def _occurs(name: str, source: Source) -> bool:
    """Whether a name occurs, or is made of what does: a plural, an alternative, a path with its folder."""
    if source.has(name) or (name.endswith("s") and source.has(name[:-1])):
        return True
    if _EITHER.fullmatch(name):  # and/or, client/server: words, and no path
        return all(map(source.has, name.split("/")))
    if not name.startswith(("/", "~")):
        return False
    places = (at for at, letter in enumerate(name) if letter == "/" and at)
    return any(source.has(name[:at]) and source.has(name[at + 1 :]) for at in places)


def _flat(text: str) -> str:
    return _BLANKS.sub(" ", text).strip().lower()


def _flat_all(texts: Iterable[str]) -> str:
    return _flat("\n".join(unescape(text) for text in texts))
