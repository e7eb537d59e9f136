"""What the agent said that the user may still answer: an offer before other questions, without which a "yes" says
nothing, and the newest text that it wrote for the user, such as a mail or a paragraph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from operator import itemgetter

from compactor_cli.features.after_request import answers_before_turns
from compactor_cli.features.lines import SessionLines
from compactor_cli.model.message import Message
from compactor_cli.strategies.adaptive.must_keep import names_something, speech_of
from compactor_cli.strategies.shared.rooms import share_of
from compactor_cli.text.clauses import split_clauses
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import INNER_QUESTION, QUESTION_END, count_words

_OFFER_SHARES, _MAX_OFFER_TOKENS = (0.3, 0.1), 300
"""Shares of a small and of a large room, and the maximum tokens, for open offers."""
_MAX_ANSWERS = 2
"""Number of answers before the last one to examine."""
_END_LINES = 3
"""Number of lines or sentences at the end of an answer in which to look for a question."""
_DRAFT = compiled_later(
    r"^(?:>[^\n]*(?:\n|\Z)){2,}"
    r"|^(`{3,}|~{3,})(?:text|txt|markdown|md|e?mail)[ \t]*\n.*?^\1"
    r"|(?<=\n)(?:-{3,}|\*{3,}|_{3,})[ \t]*\n.+?\n(?=(?:-{3,}|\*{3,}|_{3,})[ \t]*(?:\n|\Z))",
    re.MULTILINE | re.DOTALL,
    (">", "```", "~~~", "---", "***", "___"),
)
"""Text that an agent sets apart from its comments: quoted, in a code block, or between two rules."""
_MIN_DRAFT_WORDS = 25
"""Minimum number of words of a draft; a shorter text is just a quoted line."""
_HEADING = compiled_later(r"^#{1,6} ", re.MULTILINE)
"""Sections of an answer between rules have headings, drafts do not."""
_CODE_CHARS = compiled_later(r"[{}\[\];=<>|\\]")
_DRAFT_SHARE = 0.1
"""Share of the room up to which such a text stays whole."""
_MAX_CODE_SHARE = 0.02
"""Maximum share of characters typical of code in a text that is prose."""


def open_offers(
    messages: Sequence[Message],
    lines: SessionLines,
    cost: Callable[[int], int],
    is_kept: Callable[[int], bool],
    room: int,
) -> Sequence[int]:
    """Return the lines in which answers before the last one ask the user to agree to something.

    They count as long as the user replied only with questions and the agent asked again. For each answer these are the
    line that asks and, if it names nothing, the last line before it that does. `is_kept`: returns whether a line is
    kept anyway."""
    turns = sorted(answers_before_turns(messages), key=itemgetter(1), reverse=True)
    tokens_left = min(_MAX_OFFER_TOKENS, share_of(room, *_OFFER_SHARES))
    offer_lines: list[int] = []
    for (next_answer, _), (index, request) in islice(pairwise(turns), _MAX_ANSWERS):
        if not (_only_asks(messages[request].text("text")) and _asks_again(messages[next_answer].text("text"))):
            break
        offer = [line for line in _find_offer(speech_of(lines, index), lines) if not is_kept(line)]
        offer_tokens = sum(map(cost, offer))
        if offer_tokens <= tokens_left:
            offer_lines += offer
            tokens_left -= offer_tokens
    return sorted(offer_lines)


def _asks_again(answer: str) -> bool:
    """Return whether the last question of an answer names nothing, and so refers to something said before."""
    questions = [clause.text for clause in split_clauses(answer)[-_END_LINES:] if QUESTION_END.search(clause.text)]
    return bool(questions) and not names_something(questions[-1])


def _find_offer(speech: Sequence[int], lines: SessionLines) -> list[int]:
    """Return the lines at the end of an answer that ask for agreement, and the line that says to what. Return an empty
    list if it asks nothing."""
    question = next((line for line in reversed(speech[-_END_LINES:]) if INNER_QUESTION.search(lines.text(line))), None)
    if question is None:
        return []
    named_line = next(
        (line for line in reversed(speech) if line <= question and names_something(lines.text(line))), None
    )
    return [] if named_line is None else sorted({named_line, question})


def _only_asks(text: str) -> bool:
    """Return whether a reply consists only of questions. Anything else in it may be a decision."""
    clauses = split_clauses(text)
    return bool(clauses) and all(QUESTION_END.search(clause.text) for clause in clauses)


def newest_draft(
    messages: Sequence[Message], lines: SessionLines, cost: Callable[[int], int], room: int
) -> Sequence[int]:
    """Return the lines of the newest text that the agent set apart, or an empty sequence if there is none or it takes
    too much of the room."""
    for number in sorted(lines.first_of, reverse=True):
        piece = lines.session.pieces[number]
        message = messages[piece.message]
        if message.role == "assistant" and message.origin != "summary" and piece.is_speech:
            for start, end in reversed([*_drafts(piece.text)]):
                draft = [line for line in lines.lines_overlapping(number, start, end) if line not in lines.silent]
                return draft if sum(map(cost, draft)) <= _DRAFT_SHARE * room else ()
    return ()


def _drafts(text: str) -> Iterator[tuple[int, int]]:
    for found in _DRAFT.finditer(text):
        body = found.group().replace("\n>", "\n")
        is_prose = len(_CODE_CHARS.findall(body)) <= _MAX_CODE_SHARE * len(body) and not _HEADING.search(body)
        if is_prose and count_words(body) >= _MIN_DRAFT_WORDS:
            yield found.span()
