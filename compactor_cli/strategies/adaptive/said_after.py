"""Short sentences of the user that stay with the one before them: they may answer, refuse or limit it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.talk_words import asks
from compactor_cli.summary_text.excerpts import begins_part

_SHORT, _MOST = 7, 3
"""Tokens of a short sentence, with its break, and how many of them stay with one before them, at most."""


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
