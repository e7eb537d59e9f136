"""Lines of an agent's answer that say nothing alone: headings, first rows of tables, questions answered long ago."""

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
"""Maximum length in characters of a line with a colon at its end that only says that something follows."""
_TELLS = compiled_later(r"\d|[`/\\_=]|\w[.@]\w")
"""Signs of a fact in such a line or in a question: a figure, or a file name."""
_FACT = compiled_later(r"(?<![\w`/\\.#-])\d")
"""A figure that is not part of a name. An announcement may name a file or a numbered step, but it counts nothing."""
_RULE = compiled_later(r"\s*\|?(?=[^\n]*--)[ \t:|-]+")
_NEAR = 2
"""Number of lines behind such a line in which to look for what it introduces."""
_FEW_WORDS = 2
"""Maximum number of words of a question that says nothing without the text before it."""
_SHORT, _MOST = 7, 3
"""Maximum tokens of a short sentence, line break included, and how many such sentences stay with the one before
them."""


def leads_on(lines: SessionLines, line: int) -> bool:
    """Return whether a line says nothing without the lines that follow: a heading, a line that ends in a colon, or the
    first row of a table with the rule below it. A heading with a figure or a file name does say something."""
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
    """Return whether a line only asks, and contains no fact."""
    return asks(text) and not _TELLS.search(text) and all(asks(clause.text) for clause in split_clauses(text))


def says_nothing(line: int, taken: Set[int], lines: SessionLines, messages: Sequence[Message], there: Set[int]) -> bool:
    """Return whether a line of an agent's answer says nothing without lines that are not `taken`.

    That is a line that introduces such lines, a question of a word or two that needs the line before it, or a question
    that the user answered in words that are gone. `there`: messages that stay whole."""
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
        return True  # "Shall I?" asks about something that is missing
    answer = _answered_by(message, messages)
    return answer >= 0 and answer not in there and taken.isdisjoint(lines.of_message(answer))


def announces(lines: SessionLines, line: int) -> bool:
    """Return whether a line is the last sentence of a text and announces something outside of it, such as a call: "Let
    me read the tests:". A long sentence, or one with a figure, says more than that."""
    piece, text = lines.piece(line), lines.text(line)
    is_last = piece.speech and lines.ends[line] == len(piece.text.rstrip())
    bare = text.strip(" \t*_")
    leads = is_last and bare.endswith(LEADS_ON) and len(bare) <= _LONGEST and not _FACT.search(bare)
    return leads and len([*split_clauses(text)]) == 1


def leads_nowhere(line: int, taken: Set[int], lines: SessionLines) -> bool:
    """Return whether a line of somebody's text introduces lines that are not `taken`."""
    if not lines.piece(line).speech or not (leads_on(lines, line) or announces(lines, line)):
        return False
    own = lines.of_piece(lines.piece_of[line])
    return not any(at in taken and not leads_on(lines, at) for at in range(line + 1, min(line + 1 + _NEAR, own.stop)))


def _answered_by(message: int, messages: Sequence[Message]) -> int:
    """Return the number of the user's message that answers a message of the agent, or -1 if there is none."""
    return next((at for at in range(message + 1, len(messages)) if messages[at].origin == "request"), -1)


def said_after(lines: SessionLines, line: int, tokens: Callable[[int], int]) -> Iterator[int]:
    """Yield the short sentences right behind a sentence, up to the next long sentence, question or line break. Without
    them a sentence may say the opposite of what was meant, as "The guests want fireworks" does without "No."."""
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
    """Yield the lines of somebody's text in bundles: each sentence with the short ones behind it, and with those behind
    them that continue it. `goes_on`: returns whether a sentence continues the one before it."""
    told = -1
    for line in own:
        if line > told:
            members = [line, *said_after(lines, line, tokens)]
            while goes_on and members[-1] < own[-1] and goes_on(lines.text(members[-1] + 1)):
                members.append(members[-1] + 1)
            told = members[-1]
            yield members
