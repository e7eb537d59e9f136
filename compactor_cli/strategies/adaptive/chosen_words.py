"""Chooses what is kept of the words said in a session: what the user typed, and standing instructions."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence

from compactor_cli.features.lines import SessionLines
from compactor_cli.model.planning import PlanInput
from compactor_cli.strategies.adaptive.must_keep import UserWords
from compactor_cli.strategies.shared.binding import rules_in
from compactor_cli.strategies.shared.carried_requests import carrying_on
from compactor_cli.strategies.shared.request_values import rate_by, taken_up_in
from compactor_cli.strategies.shared.requests import HEADING, Request, choose_requests
from compactor_cli.strategies.shared.rooms import BINDING_SHARE, INSTRUCTIONS_SHARE, share_of
from compactor_cli.text.clauses import split_clauses

_RULING = (0.3, 0.12)
"""Shares of a small and of a large room for the rules in standing instructions, if these do not fit as a whole."""


class Words:
    """Chooses among spans of what was said in a session."""

    def __init__(self, inputs: PlanInput, lines: SessionLines, tokens: Callable[[int], int]) -> None:
        """Take the lines of a session. `tokens`: returns the tokens of a line."""
        self._inputs, self._lines, self._tokens = inputs, lines, tokens

    def standing(self, room: int, spans: Sequence[UserWords]) -> Iterator[int]:
        """Yield the lines of standing instructions: all of them if they fit in their share of the room. Otherwise the
        rules come first, list items among them whatever their words, and then, or if there are too many rules, what
        binds most."""
        pieces = self._lines.session.pieces
        ruling = [
            UserWords(span.piece, span.start + start, span.start + end)
            for span in spans
            for start, end in rules_in(pieces[span.piece].text[span.start : span.end])
        ]
        binding = share_of(room, _RULING[0], BINDING_SHARE)
        needed = self._needed(ruling)
        if self._needed(spans) > INSTRUCTIONS_SHARE * room and needed <= share_of(room, *_RULING):
            for span in ruling:
                yield from self._lines.overlapping(span.piece, span.start, span.end)
            if needed > binding:
                return
        yield from self.within(INSTRUCTIONS_SHARE * room, spans, binding=binding)

    def _needed(self, spans: Iterable[UserWords]) -> int:
        """Return the tokens of these spans, with a heading for each piece."""
        lines = {line: s.piece for s in spans for line in self._lines.overlapping(s.piece, s.start, s.end)}
        return sum(map(self._tokens, lines)) + HEADING * len({*lines.values()})

    def within(
        self, room: float, spans: Sequence[UserWords], *, binding: float = 0.0, bare: Container[int] = ()
    ) -> Iterator[int]:
        """Yield the lines of these spans, the newest first: all of them if they fit into `room` tokens, otherwise the
        binding sentences. `binding`: the tokens for binding sentences of instructions if not everything fits. `bare`:
        messages that say nothing alone, and are dropped first."""
        lines, pieces = self._lines, self._lines.session.pieces
        texts = [Request(index, pieces[span.piece].text[span.start : span.end]) for index, span in enumerate(spans)]
        lines_of = [list(lines.overlapping(span.piece, span.start, span.end)) for span in spans]
        needed = sum(self._tokens(line) for span_lines in lines_of for line in span_lines) + HEADING * len(lines_of)
        if needed <= room:
            for span_lines in reversed(lines_of):
                yield from span_lines
            return
        if bare:
            spans = [span for span in spans if pieces[span.piece].message not in bare]
            yield from self.within(room, spans, binding=binding)
            return
        numbers = [pieces[span.piece].message for span in spans]
        rate = rate_by(self._inputs.messages, self._inputs.profile.binding if self._inputs.profile else {})
        taken_up = taken_up_in(self._inputs.messages)
        kept = choose_requests(
            texts,
            int(binding or room),
            self._inputs.count,
            carrying_on(
                lambda sentences: rate([(numbers[index], text) for index, text in sentences]),
                lambda index: self._inputs.messages[numbers[index]].origin == "summary",
            ),
            places=not binding,
            taken_up=lambda index, sentences: taken_up(numbers[index], sentences),
        )
        for request in reversed(kept):
            span = spans[request.message]
            if request.whole:
                yield from lines_of[request.message]
                continue
            clauses = split_clauses(texts[request.message].text)
            for clause in (clauses[index] for index in request.clauses):
                yield from lines.overlapping(span.piece, span.start + clause.start, span.start + clause.end)
