"""What the agent said that the user may still answer: an offer before other questions, without which a "yes" says
nothing, and the newest text that it wrote for the user, such as a mail or a paragraph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from operator import itemgetter

from compactor_cli.features.followed import answers_before_turns
from compactor_cli.features.lines import SessionLines
from compactor_cli.model.message import Message
from compactor_cli.strategies.adaptive.must_keep import names_something, speech_of
from compactor_cli.strategies.shared.rooms import share_of
from compactor_cli.text.clauses import split_clauses
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import ASKS, ASKS_WITHIN, count_words

_SHARES, _LONGEST = (0.3, 0.1), 300
"""Shares of a small and of a large room, and the maximum tokens, for open offers."""
_MOST = 2
"""Number of answers before the last one to examine."""
_END = 3
"""Number of lines or sentences at the end of an answer in which to look for a question."""
_DRAFT = compiled_later(
    r"^(?:>[^\n]*(?:\n|\Z)){2,}"
    r"|^(`{3,}|~{3,})(?:text|txt|markdown|md|e?mail)[ \t]*\n.*?^\1"
    r"|(?<=\n)(?:-{3,}|\*{3,}|_{3,})[ \t]*\n.+?\n(?=(?:-{3,}|\*{3,}|_{3,})[ \t]*(?:\n|\Z))",
    re.MULTILINE | re.DOTALL,
    (">", "```", "~~~", "---", "***", "___"),
)
"""Text that an agent sets apart from its comments: quoted, in a code block, or between two rules."""
_WORDS = 25
"""Minimum number of words of a draft; a shorter text is just a quoted line."""
_HEADING = compiled_later(r"^#{1,6} ", re.MULTILINE)
"""Sections of an answer between rules have headings, drafts do not."""
_CODE = compiled_later(r"[{}\[\];=<>|\\]")
_DRAFT_SHARE = 0.1
"""Share of the room up to which such a text stays whole."""
_MARKS = 0.02
"""Maximum share of characters typical of code in a text that is prose."""


def open_offers(
    messages: Sequence[Message],
    lines: SessionLines,
    cost: Callable[[int], int],
    stays: Callable[[int], bool],
    room: int,
) -> Sequence[int]:
    """Return the lines of the answers before the last one that ask the user to agree to something.

    They count as long as the user answered only with questions and the agent asked again. For each answer these are the
    line that asks and, if it names nothing, the last line before it that does. `stays`: returns whether a line is kept
    anyway."""
    turns = sorted(answers_before_turns(messages), key=itemgetter(1), reverse=True)
    left = min(_LONGEST, share_of(room, *_SHARES))
    found: list[int] = []
    for (again, _), (index, request) in islice(pairwise(turns), _MOST):
        if not (_only_asks(messages[request].text("text")) and _asks_again(messages[again].text("text"))):
            break
        offer = [line for line in _offer(speech_of(lines, index), lines) if not stays(line)]
        used = sum(map(cost, offer))
        if used <= left:
            found += offer
            left -= used
    return sorted(found)


def _asks_again(answer: str) -> bool:
    """Return whether the last question of an answer names nothing, and so refers to something said before."""
    asking = [clause.text for clause in split_clauses(answer)[-_END:] if ASKS.search(clause.text)]
    return bool(asking) and not names_something(asking[-1])


def _offer(speech: Sequence[int], lines: SessionLines) -> list[int]:
    """Return the lines at the end of an answer that ask for agreement, and the line that says to what. Return an empty
    list if it asks nothing."""
    asking = next((line for line in reversed(speech[-_END:]) if ASKS_WITHIN.search(lines.text(line))), None)
    if asking is None:
        return []
    named = next((line for line in reversed(speech) if line <= asking and names_something(lines.text(line))), None)
    return [] if named is None else sorted({named, asking})


def _only_asks(text: str) -> bool:
    """Return whether a reply consists only of questions. Anything else in it may be a decision."""
    clauses = split_clauses(text)
    return bool(clauses) and all(ASKS.search(clause.text) for clause in clauses)


def newest_draft(
    messages: Sequence[Message], lines: SessionLines, cost: Callable[[int], int], room: int
) -> Sequence[int]:
    """Return the lines of the newest text that the agent set apart, or an empty sequence if there is none or it takes
    too much of the room."""
    for number in sorted(lines.first_of, reverse=True):
        piece = lines.session.pieces[number]
        message = messages[piece.message]
        if message.role == "assistant" and message.origin != "summary" and piece.speech:
            for start, end in reversed([*_drafts(piece.text)]):
                draft = [line for line in lines.overlapping(number, start, end) if line not in lines.silent]
                return draft if sum(map(cost, draft)) <= _DRAFT_SHARE * room else ()
    return ()


def _drafts(text: str) -> Iterator[tuple[int, int]]:
    for found in _DRAFT.finditer(text):
        body = found.group().replace("\n>", "\n")
        is_prose = len(_CODE.findall(body)) <= _MARKS * len(body) and not _HEADING.search(body)
        if is_prose and count_words(body) >= _WORDS:
            yield found.span()
