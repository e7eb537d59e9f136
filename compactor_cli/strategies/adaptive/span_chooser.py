"""Chooses what is kept of the words said in a session: what the user typed, and standing instructions."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence

from compactor_cli.features.lines import SessionLines
from compactor_cli.model.planning import PlanInput
from compactor_cli.strategies.adaptive.must_keep import PieceSpan
from compactor_cli.strategies.shared.binding import rule_spans
from compactor_cli.strategies.shared.carried_requests import carrying_on
from compactor_cli.strategies.shared.request_values import echo_rater, learned_rater
from compactor_cli.strategies.shared.requests import LABEL_TOKENS, Request, choose_requests
from compactor_cli.strategies.shared.rooms import BINDING_SHARE, INSTRUCTIONS_SHARE, share_of
from compactor_cli.text.clauses import split_clauses

_RULE_SHARES = (0.3, 0.12)
"""Shares of a small and of a large room for the rules in standing instructions, if these do not fit as a whole."""


class PieceSpanChooser:
    """Chooses among spans of what was said in a session."""

    def __init__(self, inputs: PlanInput, lines: SessionLines, tokens: Callable[[int], int]) -> None:
        """Take the lines of a session. `tokens`: returns the tokens of a line."""
        self._inputs, self._lines, self._tokens = inputs, lines, tokens

    def instructions(self, room: int, spans: Sequence[PieceSpan]) -> Iterator[int]:
        """Yield the lines of standing instructions: all of them if they fit in their share of the room. Otherwise the
        rules come first, list items among them whatever their words, and then, or if there are too many rules, what
        binds most."""
        pieces = self._lines.session.pieces
        rules = [
            PieceSpan(span.piece, span.start + start, span.start + end)
            for span in spans
            for start, end in rule_spans(pieces[span.piece].text[span.start : span.end])
        ]
        binding_tokens = share_of(room, _RULE_SHARES[0], BINDING_SHARE)
        rule_tokens = self._span_tokens(rules)
        if self._span_tokens(spans) > INSTRUCTIONS_SHARE * room and rule_tokens <= share_of(room, *_RULE_SHARES):
            for span in rules:
                yield from self._lines.lines_overlapping(span.piece, span.start, span.end)
            if rule_tokens > binding_tokens:
                return
        yield from self.choose_within(INSTRUCTIONS_SHARE * room, spans, binding=binding_tokens)

    def _span_tokens(self, spans: Iterable[PieceSpan]) -> int:
        """Return the tokens of these spans, with a heading for each piece."""
        lines = {line: s.piece for s in spans for line in self._lines.lines_overlapping(s.piece, s.start, s.end)}
        return sum(map(self._tokens, lines)) + LABEL_TOKENS * len({*lines.values()})

    def choose_within(
        self, room: float, spans: Sequence[PieceSpan], *, binding: float = 0.0, dependent: Container[int] = ()
    ) -> Iterator[int]:
        """Yield the lines of these spans, the newest first: all of them if they fit into `room` tokens, otherwise the
        binding sentences. `binding`: the tokens for binding sentences of instructions if not everything fits.
        `dependent`: messages that say nothing alone, and are dropped first."""
        lines, pieces = self._lines, self._lines.session.pieces
        requests = [Request(index, pieces[span.piece].text[span.start : span.end]) for index, span in enumerate(spans)]
        lines_by_span = [list(lines.lines_overlapping(span.piece, span.start, span.end)) for span in spans]
        needed_tokens = sum(
            self._tokens(line) for span_lines in lines_by_span for line in span_lines
        ) + LABEL_TOKENS * len(lines_by_span)
        if needed_tokens <= room:
            for span_lines in reversed(lines_by_span):
                yield from span_lines
            return
        if dependent:
            spans = [span for span in spans if pieces[span.piece].message not in dependent]
            yield from self.choose_within(room, spans, binding=binding)
            return
        message_indices = [pieces[span.piece].message for span in spans]
        rate = learned_rater(self._inputs.messages, self._inputs.profile.binding if self._inputs.profile else {})
        rate_echo = echo_rater(self._inputs.messages)
        kept = choose_requests(
            requests,
            int(binding or room),
            self._inputs.count,
            carrying_on(
                lambda sentences: rate([(message_indices[index], text) for index, text in sentences]),
                lambda index: self._inputs.messages[message_indices[index]].origin == "summary",
            ),
            places=not binding,
            rate_echo=lambda index, sentences: rate_echo(message_indices[index], sentences),
        )
        for request in reversed(kept):
            span = spans[request.message]
            if request.whole:
                yield from lines_by_span[request.message]
                continue
            clauses = split_clauses(requests[request.message].text)
            for clause in (clauses[index] for index in request.clauses):
                yield from lines.lines_overlapping(span.piece, span.start + clause.start, span.start + clause.end)
