"""What the agent of a chat noted down of several messages: what the users decided stands there once, in few words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, takewhile

from msgspec import Struct

from compactor_cli.features.cue_words import CUES
from compactor_cli.features.lines import SessionLines
from compactor_cli.features.talk_words import words
from compactor_cli.model.message import Message
from compactor_cli.strategies.adaptive.must_keep import ASKS_WITHIN, names_something, speech_of, within
from compactor_cli.strategies.shared.binding import turns_away
from compactor_cli.strategies.shared.rooms import share_of
from compactor_cli.text.clauses import split_clauses
from compactor_cli.text.identifiers import identifiers
from compactor_cli.text.later_figures import figures_of

_SHARES = (0.35, 0.25)
"""Shares of a small and of a large room for recaps."""
_SEVERAL = 2
"""Messages of which an answer notes something down that no answer did before it, to be a recap of them."""
_SHORT = 2
"""Characters of a figure that says little alone."""
_BRIEF = 120
"""Tokens of a recap of which all that names something stays; of a longer one what it notes down."""
_NEGATIONS = CUES["negation"].words | {"nein", "nope", "nah"}
_REFUSED = 1
"""Words of a reply among which one refuses."""


class _Recap(Struct, frozen=True):
    message: int
    noted: frozenset[str]
    """Figures and names of what the users said, which no answer had before."""
    messages: int
    """How many messages these are of."""


def recaps_within(
    room: int, messages: Sequence[Message], lines: SessionLines, cost: Callable[[int], int]
) -> Iterator[int]:
    """Yield the lines of recaps that fit in their share of a room."""
    return chain.from_iterable(within(share_of(room, *_SHARES), recaps(messages, lines), lines, cost))


def recaps(messages: Sequence[Message], lines: SessionLines) -> Iterator[list[int]]:
    """Yield the lines of an answer that note down figures or names of several messages of users before it, unless one
    of the next refuses it; those first that note down many messages, and late ones, which may correct the others."""
    found = (recap for recap in _recaps(messages) if not _is_refused(messages, recap.message))
    for recap in sorted(found, key=lambda recap: -recap.messages * recap.message):
        telling = [line for line in speech_of(lines, recap.message) if not ASKS_WITHIN.search(lines.text(line))]
        noting = [line for line in telling if not recap.noted.isdisjoint(_values(lines.text(line)))]
        if noting and messages[recap.message].tokens <= _BRIEF:
            noting = [line for line in telling if names_something(lines.text(line))]
        yield noting


def _recaps(messages: Sequence[Message]) -> Iterator[_Recap]:
    """Yield the answers that note down something of several messages."""
    first: dict[str, int] = {}
    """Value -> the message of a user that told it first."""
    known = set[str]()
    for message in messages:
        text = message.text("text")
        if message.origin == "request":
            for value in _values(text) - known:
                first.setdefault(value, message.index)
        elif message.role == "assistant":
            said = _values(text)
            noted = frozenset(value for value in said - known if value in first)
            told = {first[value] for value in noted}
            if len(told) >= _SEVERAL:
                yield _Recap(message.index, noted, len(told))
            known |= said


def _values(text: str) -> set[str]:
    """Return the figures of a text that say something alone, and its names."""
    figures = (figure for figure in figures_of(text) if len(figure) >= _SHORT)
    return {*figures, *(name.lower() for name in identifiers(text))}


def _is_refused(messages: Sequence[Message], recap: int) -> bool:
    """Return whether one of the next messages of users, before the next answer, says no, or turns away from it."""
    replies = takewhile(lambda message: message.role != "assistant", messages[recap + 1 :])
    return any(_refuses(reply.text("text")) for reply in replies if reply.origin == "request")


def _refuses(text: str) -> bool:
    opening = words(text.partition(":")[2] or text)[:_REFUSED]
    return not _NEGATIONS.isdisjoint(opening) or any(turns_away(clause.text) for clause in split_clauses(text))
