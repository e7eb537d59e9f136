"""Of what was said, the lines that are kept word for word: all of them, or the sentences that bind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from compactor_cli.features.lines import SessionLines
from compactor_cli.model.planning import PlanInput
from compactor_cli.strategies.adaptive.must_keep import UserWords
from compactor_cli.strategies.shared.requests import Request, choose_requests, rate_by
from compactor_cli.strategies.shared.selection import HEADING
from compactor_cli.text.clauses import split_clauses


class Words:
    """Chooses among spans of what was said in a session."""

    def __init__(self, given: PlanInput, lines: SessionLines, tokens: Callable[[int], int]) -> None:
        """`tokens`: those of a line."""
        self._given, self._lines, self._tokens = given, lines, tokens

    def within(self, room: float, said: Sequence[UserWords]) -> Iterator[int]:
        """Yield lines of what was said, the newest first: all of it in `room` tokens, else the sentences that bind."""
        lines, pieces = self._lines, self._lines.session.pieces
        texts = [Request(at, pieces[each.piece].text[each.start : each.end]) for at, each in enumerate(said)]
        lines_of = [list(lines.overlapping(each.piece, each.start, each.end)) for each in said]
        needed = sum(self._tokens(line) for own in lines_of for line in own) + HEADING * len(lines_of)
        if needed <= room:
            for own in reversed(lines_of):
                yield from own
            return
        numbers = [pieces[each.piece].message for each in said]
        rate = rate_by(self._given.messages, self._given.profile.binding if self._given.profile else {})
        kept = choose_requests(
            texts,
            int(room),
            self._given.count,
            lambda sentences: rate([(numbers[at], text) for at, text in sentences]),
        )
        for asked in reversed(kept):
            each = said[asked.message]
            if asked.whole:
                yield from lines_of[asked.message]
                continue
            clauses = split_clauses(texts[asked.message].text)
            for clause in (clauses[at] for at in asked.clauses):
                yield from lines.overlapping(each.piece, each.start + clause.start, each.start + clause.end)
