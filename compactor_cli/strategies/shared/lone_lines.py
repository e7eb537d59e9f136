"""Lines of an agent's answers that say nothing alone: a heading, the first row of a table, a question long answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from typing import TYPE_CHECKING

from compactor_cli.features.talk_words import asks
from compactor_cli.model.message import Message
from compactor_cli.summary_text.excerpts import begins_part
from compactor_cli.text.clauses import LEADS_ON, split_clauses
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.section_headings import is_heading
from compactor_cli.text.sentences import count_words

if TYPE_CHECKING:
    from compactor_cli.features.lines import SessionLines

_LONGEST = 80
"""Characters of a line with a colon at its end at most that says no more than that something follows."""
_TELLS = compiled_later(r"\d|[`/\\_=]|\w[.@]\w")
"""What tells a fact in such a line, or in a question: a figure, or the name of a file."""
_FACT = compiled_later(r"(?<![\w`/\\.#-])\d")
"""A figure for itself: what is announced may be named, as a file or a step is, but is not counted."""
_RULE = compiled_later(r"\s*\|?(?=[^\n]*--)[ \t:|-]+")
_NEAR = 2
"""Lines behind such a line among which is what it leads to."""
_FEW_WORDS = 2
"""Words of a question that says nothing without what stands before it."""
_SHORT, _MOST = 7, 3
"""Tokens of a short sentence, with its break, and how many of them stay with one before them, at most."""


def leads_on(lines: SessionLines, line: int) -> bool:
    """Return whether a line says nothing without those that follow: a heading, what ends in a colon, and the first row
    of a table, with the rule below it. A heading with a figure or a name of a file tells that."""
    text = lines.text(line)
    bare = text.strip(" \t*_")
    if bare.endswith(LEADS_ON) or is_heading(text):
        return len(bare) <= _LONGEST and not _TELLS.search(bare)
    if not text.lstrip().startswith("|"):
        return False
    if _RULE.fullmatch(text.rpartition("\n")[2]):
        return True
    follows = line + 1 < len(lines) and lines.piece_of[line + 1] == lines.piece_of[line]
    return follows and _RULE.fullmatch(lines.text(line + 1)) is not None


def only_asks(text: str) -> bool:
    """Return whether a line asks something, and tells no fact by that."""
    return asks(text) and not _TELLS.search(text) and all(asks(clause.text) for clause in split_clauses(text))


def says_nothing(line: int, taken: Set[int], lines: SessionLines, messages: Sequence[Message], there: Set[int]) -> bool:
    """Return whether a line of an agent's answer says nothing beside what is `taken`: it leads to what is not, asks in
    a word or two for that, or asks what the user answered with words that are not. `there`: messages that stay
    whole."""
    message = lines.message(line)
    if messages[message].role != "assistant":
        return False
    if leads_on(lines, line):
        behind = lines.of_piece(lines.piece_of[line])
        near = range(line + 1, min(line + 1 + _NEAR, behind.stop))
        return not any(at in taken and not leads_on(lines, at) for at in near)
    if not only_asks(lines.text(line)):
        return False
    if count_words(lines.text(line)) <= _FEW_WORDS and not lines.is_first(line) and line - 1 not in taken:
        return True  # "Shall I?" asks for what is not there
    answer = _answered_by(message, messages)
    return answer >= 0 and answer not in there and taken.isdisjoint(lines.of_message(answer))


def announces(lines: SessionLines, line: int) -> bool:
    """Return whether a line is a sentence with which a text ends that leads to what is not in it, such as a call: "Let
    me read the tests:". A long one, or one with a figure, tells more than that."""
    piece, text = lines.piece(line), lines.text(line)
    is_last = piece.speech and lines.ends[line] == len(piece.text.rstrip())
    bare = text.strip(" \t*_")
    leads = is_last and bare.endswith(LEADS_ON) and len(bare) <= _LONGEST and not _FACT.search(bare)
    return leads and len([*split_clauses(text)]) == 1


def leads_nowhere(line: int, taken: Set[int], lines: SessionLines) -> bool:
    """Return whether a line of what somebody says leads to what is not `taken`."""
    if not lines.piece(line).speech or not (leads_on(lines, line) or announces(lines, line)):
        return False
    own = lines.of_piece(lines.piece_of[line])
    return not any(at in taken and not leads_on(lines, at) for at in range(line + 1, min(line + 1 + _NEAR, own.stop)))


def _answered_by(message: int, messages: Sequence[Message]) -> int:
    """Return the message of the user that answers one of the agent; -1 where none does."""
    return next((at for at in range(message + 1, len(messages)) if messages[at].origin == "request"), -1)


def said_after(lines: SessionLines, line: int, tokens: Callable[[int], int]) -> Iterator[int]:
    """Yield the short sentences right behind a sentence, up to the next long one, question or line of the text: alone
    it may say the opposite of what was meant, as "The guests want fireworks" does without "No."."""
    text, end = lines.piece(line).text, lines.of_piece(lines.piece_of[line]).stop
    for at in range(line + 1, min(end, line + 1 + _MOST)):
        said = lines.text(at)
        goes_on = "\n" not in text[lines.ends[at - 1] : lines.starts[at]]
        if not goes_on or tokens(at) > _SHORT or asks(said) or begins_part(said):
            return
        yield at


def told_together(
    lines: SessionLines,
    own: Sequence[int],
    tokens: Callable[[int], int],
    goes_on: Callable[[str], bool] | None = None,
) -> Iterator[list[int]]:
    """Yield the lines of what somebody says, each sentence with the short ones behind it, and with those behind these
    that go on from it. `goes_on`: whether a sentence does."""
    told = -1
    for line in own:
        if line > told:
            members = [line, *said_after(lines, line, tokens)]
            while goes_on and members[-1] < own[-1] and goes_on(lines.text(members[-1] + 1)):
                members.append(members[-1] + 1)
            told = members[-1]
            yield members
