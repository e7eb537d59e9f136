"""The newest text that the agent wrote for the user, such as a mail or a paragraph: it is spoken of by what changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from compactor_cli.features.lines import SessionLines
from compactor_cli.model.message import Message
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import count_words

_DRAFT = compiled_later(
    r"^(?:>[^\n]*(?:\n|\Z)){2,}"
    r"|^(`{3,}|~{3,})(?:text|txt|markdown|md|e?mail)[ \t]*\n.*?^\1"
    r"|(?<=\n)(?:-{3,}|\*{3,}|_{3,})[ \t]*\n.+?\n(?=(?:-{3,}|\*{3,}|_{3,})[ \t]*(?:\n|\Z))",
    re.MULTILINE | re.DOTALL,
)
"""What agents put apart from what they say about it: quoted, in a block of text, or between two rules."""
_WORDS = 25
"""Words from which on such a text is a draft, and not a line that is quoted."""
_HEADING = compiled_later(r"^#{1,6} ", re.MULTILINE)
"""Parts of an answer between rules have headings."""
_CODE = compiled_later(r"[{}\[\];=<>|\\]")
_SHARE = 0.1
"""Share of the room up to which such a text stays whole."""
_MARKS = 0.02
"""Share of the characters that code has and prose does not, up to which a text is prose."""


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
                return draft if sum(map(cost, draft)) <= _SHARE * room else ()
    return ()


def _drafts(text: str) -> Iterator[tuple[int, int]]:
    for found in _DRAFT.finditer(text):
        body = found.group().replace("\n>", "\n")
        is_prose = len(_CODE.findall(body)) <= _MARKS * len(body) and not _HEADING.search(body)
        if is_prose and count_words(body) >= _WORDS:
            yield found.span()
