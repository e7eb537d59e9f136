"""What the agent said that the user may answer yet: an offer behind other questions, whose "yes" says nothing without
it, and the newest text that it wrote for the user, such as a mail or a paragraph."""

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
"""Shares of a small and of a large room, and tokens, that open offers may take."""
_MOST = 2
"""Answers before the last one that are looked at."""
_END = 3
"""Lines, or sentences, at the end of an answer of which one asks."""
_DRAFT = compiled_later(
    r"^(?:>[^\n]*(?:\n|\Z)){2,}"
    r"|^(`{3,}|~{3,})(?:text|txt|markdown|md|e?mail)[ \t]*\n.*?^\1"
    r"|(?<=\n)(?:-{3,}|\*{3,}|_{3,})[ \t]*\n.+?\n(?=(?:-{3,}|\*{3,}|_{3,})[ \t]*(?:\n|\Z))",
    re.MULTILINE | re.DOTALL,
    (">", "```", "~~~", "---", "***", "___"),
)
"""What agents put apart from what they say about it: quoted, in a block of text, or between two rules."""
_WORDS = 25
"""Words from which on such a text is a draft, and not a line that is quoted."""
_HEADING = compiled_later(r"^#{1,6} ", re.MULTILINE)
"""Parts of an answer between rules have headings."""
_CODE = compiled_later(r"[{}\[\];=<>|\\]")
_DRAFT_SHARE = 0.1
"""Share of the room up to which such a text stays whole."""
_MARKS = 0.02
"""Share of the characters that code has and prose does not, up to which a text is prose."""


def open_offers(
    messages: Sequence[Message],
    lines: SessionLines,
    cost: Callable[[int], int],
    stays: Callable[[int], bool],
    room: int,
) -> Sequence[int]:
    """Return what the answers before the last one ask the user to agree to, as long as the user answered with nothing
    but questions and the agent asked again: the line that asks and, where it names nothing, the last one before it that
    does. `stays`: whether a line is there anyway."""
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
    """Return whether the last question of an answer names nothing: it is about what was said before."""
    asking = [clause.text for clause in split_clauses(answer)[-_END:] if ASKS.search(clause.text)]
    return bool(asking) and not names_something(asking[-1])


def _offer(speech: Sequence[int], lines: SessionLines) -> list[int]:
    """Return the lines of an answer that ask for an agreement at its end, and say to what; none where it asks
    nothing."""
    asking = next((line for line in reversed(speech[-_END:]) if ASKS_WITHIN.search(lines.text(line))), None)
    if asking is None:
        return []
    named = next((line for line in reversed(speech) if line <= asking and names_something(lines.text(line))), None)
    return [] if named is None else sorted({named, asking})


def _only_asks(text: str) -> bool:
    """Return whether a reply is nothing but questions: what else it says may decide."""
    clauses = split_clauses(text)
    return bool(clauses) and all(ASKS.search(clause.text) for clause in clauses)


def newest_draft(
    messages: Sequence[Message], lines: SessionLines, cost: Callable[[int], int], room: int
) -> Sequence[int]:
    """Return the lines of the last text that the agent put apart in what it said; none where there is no such text, or
    where it takes too much of the room."""
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
