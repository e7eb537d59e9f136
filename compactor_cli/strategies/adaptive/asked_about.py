"""The exercise in hand: what the agent of a chat asks at the end of a paragraph is nothing without its figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from operator import itemgetter

from compactor_cli.features.followed import answers_before_turns
from compactor_cli.features.lines import SessionLines
from compactor_cli.model.message import Message
from compactor_cli.strategies.adaptive.must_keep import ASKS_WITHIN, speech_of
from compactor_cli.strategies.shared.rooms import share_of
from compactor_cli.text.later_figures import figures_of
from compactor_cli.text.patterns import compiled_later

_SHARES = (0.4, 0.1)
"""Shares of a small and of a large room for what is asked."""
_LONGEST = 600
"""Characters of a paragraph up to which it is what its last sentence asks about; a longer text is only ended by it."""
_MOST = 3
"""Newest answers that are looked at."""
_SEVERAL = 2
"""Figures of a paragraph that a reply works with."""
_BREAK = compiled_later(r"\n[ \t]*\n")


def exercises(
    messages: Sequence[Message],
    lines: SessionLines,
    cost: Callable[[int], int],
    stays: Callable[[int], bool],
    room: int,
) -> Iterator[int]:
    """Yield the paragraphs with which the newest answers end in a question, where the reply to it works with their
    figures: later replies may go on with it. `stays`: whether a line is there anyway."""
    left = share_of(room, *_SHARES)
    turns = sorted(answers_before_turns(messages), key=itemgetter(1), reverse=True)
    for index, reply in islice(turns, _MOST):
        asked = _asked_about(speech_of(lines, index), lines)
        text = " ".join(map(lines.text, asked))
        shared = figures_of(text) & figures_of(messages[reply].text("text"))
        used = sum(map(cost, asked))
        if len(shared) >= _SEVERAL and used <= left and not all(map(stays, asked)):
            left -= used
            yield from asked


def _asked_about(speech: Sequence[int], lines: SessionLines) -> Sequence[int]:
    """Return the lines of the last paragraph of an answer, where that ends with a question and is not long."""
    if not speech or not ASKS_WITHIN.search(lines.text(speech[-1])):
        return ()
    text = lines.piece(speech[-1]).text
    begin = len(speech) - 1
    while begin and not _BREAK.search(text, lines.ends[speech[begin - 1]], lines.starts[speech[begin]]):
        begin -= 1
    is_long = lines.ends[speech[-1]] - lines.starts[speech[begin]] > _LONGEST
    return () if is_long else speech[begin:]
