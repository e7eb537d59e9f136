"""Lines of an agent's answer that say nothing alone: headings, first rows of tables, questions answered long ago."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from typing import TYPE_CHECKING

from compactor_cli.features.talk_words import is_question
from compactor_cli.model.message import Message
from compactor_cli.summary_text.excerpts import speaker_of
from compactor_cli.text.clauses import LEAD_ENDS, split_clauses
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.section_headings import is_heading
from compactor_cli.text.sentences import count_words

if TYPE_CHECKING:
    from compactor_cli.features.lines import SessionLines

_MAX_LEAD_CHARS = 80
"""Maximum length in characters of a line with a colon at its end that only says that something follows."""
_FACT_SIGNS = compiled_later(r"\d|[`/\\_=]|\w[.@]\w")
"""Signs of a fact in such a line or in a question: a figure, or a file name."""
_COUNT = compiled_later(r"(?<![\w`/\\.#-])\d")
"""A figure that is not part of a name. An announcement may name a file or a numbered step, but it counts nothing."""
_TABLE_RULE = compiled_later(r"\s*\|?(?=[^\n]*--)[ \t:|-]+")
_LINES_AHEAD = 2
"""Number of lines after such a line in which to look for what it introduces."""
_MAX_QUESTION_WORDS = 2
"""Maximum number of words of a question that says nothing without the text before it."""
_SHORT_TOKENS, _MAX_FOLLOWERS = 7, 3
"""Maximum tokens of a short sentence, line break included, and how many such sentences stay with the one before
them."""


def is_lead_in(lines: SessionLines, line: int) -> bool:
    """Return whether a line says nothing without the lines that follow: a heading, a line that ends in a colon, or the
    first row of a table with the rule below it. A heading with a figure or a file name does say something."""
    text = lines.text(line)
    stripped = text.strip(" \t*_")
    if stripped.endswith(LEAD_ENDS) or is_heading(text):
        return len(stripped) <= _MAX_LEAD_CHARS and not _FACT_SIGNS.search(stripped)
    if not text.lstrip().startswith("|"):
        return False
    if _TABLE_RULE.fullmatch(text.rpartition("\n")[2]):
        return True
    has_next = line + 1 < len(lines) and lines.piece_of[line + 1] == lines.piece_of[line]
    return has_next and _TABLE_RULE.fullmatch(lines.text(line + 1)) is not None


def only_asks(text: str) -> bool:
    """Return whether a line only asks, and contains no fact."""
    return (
        is_question(text)
        and not _FACT_SIGNS.search(text)
        and all(is_question(clause.text) for clause in split_clauses(text))
    )


def is_dangling(
    line: int, taken: Set[int], lines: SessionLines, messages: Sequence[Message], whole_messages: Set[int]
) -> bool:
    """Return whether a line of an agent's answer says nothing without lines that are not `taken`.

    That is a line that introduces such lines, a question of a word or two that needs the line before it, or a question
    that the user answered in words that are gone. `whole_messages`: messages that stay whole."""
    message = lines.message_of(line)
    if messages[message].role != "assistant":
        return False
    if is_lead_in(lines, line):
        piece_lines = lines.piece_lines(lines.piece_of[line])
        next_lines = range(line + 1, min(line + 1 + _LINES_AHEAD, piece_lines.stop))
        return not any(other in taken and not is_lead_in(lines, other) for other in next_lines)
    if not only_asks(lines.text(line)):
        return False
    if count_words(lines.text(line)) <= _MAX_QUESTION_WORDS and not lines.is_first(line) and line - 1 not in taken:
        return True  # "Shall I?" asks about something that is missing
    answer = _answered_by(message, messages)
    return answer >= 0 and answer not in whole_messages and taken.isdisjoint(lines.of_message(answer))


def announces_call(lines: SessionLines, line: int) -> bool:
    """Return whether a line is the last sentence of a text and announces something outside of it, such as a call: "Let
    me read the tests:". A long sentence, or one with a figure, says more than that."""
    piece, text = lines.piece_at(line), lines.text(line)
    is_last = piece.is_speech and lines.ends[line] == len(piece.text.rstrip())
    stripped = text.strip(" \t*_")
    leads_out = (
        is_last and stripped.endswith(LEAD_ENDS) and len(stripped) <= _MAX_LEAD_CHARS and not _COUNT.search(stripped)
    )
    return leads_out and len([*split_clauses(text)]) == 1


def is_dangling_lead_in(line: int, taken: Set[int], lines: SessionLines) -> bool:
    """Return whether a line of somebody's text introduces lines that are not `taken`."""
    if not lines.piece_at(line).is_speech or not (is_lead_in(lines, line) or announces_call(lines, line)):
        return False
    piece_lines = lines.piece_lines(lines.piece_of[line])
    return not any(
        other in taken and not is_lead_in(lines, other)
        for other in range(line + 1, min(line + 1 + _LINES_AHEAD, piece_lines.stop))
    )


def _answered_by(message: int, messages: Sequence[Message]) -> int:
    """Return the number of the user's message that answers a message of the agent, or -1 if there is none."""
    return next((later for later in range(message + 1, len(messages)) if messages[later].origin == "request"), -1)


def short_followers(lines: SessionLines, line: int, tokens: Callable[[int], int]) -> Iterator[int]:
    """Yield the short sentences right after a sentence, up to the next long sentence, question or line break. Without
    them a sentence may say the opposite of what was meant, as "The guests want fireworks" does without "No."."""
    text, end = lines.piece_at(line).text, lines.piece_lines(lines.piece_of[line]).stop
    for follower in range(line + 1, min(end, line + 1 + _MAX_FOLLOWERS)):
        follower_text = lines.text(follower)
        same_line = "\n" not in text[lines.ends[follower - 1] : lines.starts[follower]]
        if not same_line or tokens(follower) > _SHORT_TOKENS or is_question(follower_text) or speaker_of(follower_text):
            return
        yield follower


def bundle_sentences(
    lines: SessionLines,
    text_lines: Sequence[int],
    tokens: Callable[[int], int],
    continues: Callable[[str], bool] | None = None,
) -> Iterator[list[int]]:
    """Yield the lines of somebody's text in bundles: each sentence with the short ones after it, and with those after
    them that continue it. `continues`: returns whether a sentence continues the one before it."""
    last_line = -1
    for line in text_lines:
        if line > last_line:
            members = [line, *short_followers(lines, line, tokens)]
            while continues and members[-1] < text_lines[-1] and continues(lines.text(members[-1] + 1)):
                members.append(members[-1] + 1)
            last_line = members[-1]
            yield members
