"""Check whether the names and quotes of a text occur in the messages that it is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from msgspec import Struct

from compactor_cli.model.message import Message
from compactor_cli.text.identifiers import identifiers, unescape

_QUOTE = re.compile(r"`([^`\n]*)`|\"([^\"\n]*)\"|“([^”\n]*)”")
_BLANKS = re.compile(r"\s+")
_ELLIPSIS = re.compile(r"…|\.\.\.+")
_END_CHARS = " .,;:!?'"
_MIN_QUOTE_CHARS = 3
_WORD_PAIR = re.compile(r"[a-z]+/[a-z]+|[A-Z]+/[A-Z]+")
_COUNTED = re.compile(r"100%|\d+(?:st|nd|rd|th)|\d+-[a-z]+|[a-z]+-\d+|\d+(?:\.\d+)?/\d+(?:\.\d+)?")
"""Numbers in words that the summary may coin: a 20-line helper, the 3rd attempt, 48/48."""
_LINE_SUFFIX = re.compile(r"(?::\d+(?:[:-]\d+)?|#L\d+(?:-L?\d+)?)$")
_CALL_SUFFIX = re.compile(r"\([^()]*\)$")
_MEMBER = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\.(?:\w{5,}|\w*[_A-Z]\w*)")


class Grounding(Struct, frozen=True, dict=True):
    """The sources of a summary."""

    messages: Sequence[Message]
    earlier: tuple[str, ...] = ()

    def contains(self, words: str) -> bool:
        """Return whether the words occur, ignoring case and differences in white space."""
        return _normalize(words) in self._all_text

    def was_said(self, words: str) -> bool:
        """Return whether the user or the assistant said the words, in prose or in a call."""
        return _normalize(words) in self._said_text

    @cached_property
    def _all_text(self) -> str:
        return _normalize_all([*self.earlier, *(part.text for message in self.messages for part in message.parts)])

    @cached_property
    def _said_text(self) -> str:
        texts = (
            part.text
            for message in self.messages
            if message.origin != "injected"
            for part in message.parts
            if part.kind == "tool_call" or (part.kind == "text" and message.role != "tool")
        )
        return _normalize_all([*self.earlier, *texts])


def ungrounded(text: str, source: Grounding) -> list[str]:
    """Return the quotes and identifiers of a text that do not occur in its source, in a fixed order."""
    foreign = [quote for quote in _quotes(text) if not _quote_occurs(quote, source)]
    covered = " ".join(foreign)
    names = sorted(name for name in identifiers(text) if name not in covered and not _name_occurs(name, source))
    return [*dict.fromkeys(foreign), *names]


def _quotes(text: str) -> Iterable[str]:
    for match in _QUOTE.finditer(text):
        quote = next(group for group in match.groups() if group is not None).strip(_END_CHARS)
        if len(quote) >= _MIN_QUOTE_CHARS and not quote.isalpha():
            yield quote


def _quote_occurs(quote: str, source: Grounding) -> bool:
    """Return whether a quote occurs, in pieces if it has an ellipsis, or as a name in another spelling."""
    pieces = [piece.strip(_END_CHARS) for piece in _ELLIPSIS.split(quote)]
    if all(source.contains(piece) for piece in pieces if len(piece) >= _MIN_QUOTE_CHARS):
        return True
    return " " not in quote and _name_occurs(quote, source)


def _name_occurs(name: str, source: Grounding) -> bool:
    """Return whether a name occurs, or is formed from one that does, such as a plural, a call or a member."""
    for spelling in dict.fromkeys((name, _LINE_SUFFIX.sub("", _CALL_SUFFIX.sub("", name)).removeprefix("./"))):
        if (
            source.contains(spelling)
            or (spelling.endswith("s") and source.contains(spelling[:-1]))
            or _WORD_PAIR.fullmatch(spelling)
            or _COUNTED.fullmatch(spelling)
        ):
            return True
        if _MEMBER.fullmatch(spelling):
            return all(map(source.contains, spelling.split(".")))
        if spelling.startswith(("/", "~")):
            slashes = (index for index, letter in enumerate(spelling) if letter == "/" and index)
            if any(source.contains(spelling[:index]) and source.contains(spelling[index + 1 :]) for index in slashes):
                return True
    return False


def _normalize(text: str) -> str:
    return _BLANKS.sub(" ", text).strip().lower()


def _normalize_all(texts: Iterable[str]) -> str:
    return _normalize("\n".join(unescape(text) for text in texts))
