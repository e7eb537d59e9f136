"""Turns chosen lines into the summaries that quote them, with their tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import groupby, pairwise, zip_longest
from typing import Literal

from msgspec.structs import replace

from compactor_cli.features.call_lines import call_label, short_path
from compactor_cli.features.lines import SessionLines
from compactor_cli.features.session_text import SessionPiece
from compactor_cli.features.work.masked_calls import CallMasker, concerns_code
from compactor_cli.features.work.open_errors import failure_kind
from compactor_cli.features.work.short_results import is_few_words, short_result
from compactor_cli.features.work.written_calls import written_calls
from compactor_cli.model.group import Group
from compactor_cli.model.injected import is_instructions
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Pairing, PartIndex
from compactor_cli.model.plan import SummarySlot
from compactor_cli.model.replies import reply_span
from compactor_cli.strategies.shared.around_quotes import (
    at_margin,
    begins_reply,
    goes_on,
    indented,
    is_reply,
    unnumbered,
)
from compactor_cli.strategies.shared.selection import ChosenLine
from compactor_cli.summary_text.excerpts import (
    GAP,
    INSTRUCTIONS,
    Excerpt,
    bare,
    files_of_lines,
    heading,
    legend,
    quote,
    user_named,
)
from compactor_cli.summary_text.headers import Base, lines_header, lines_mark
from compactor_cli.summary_text.reading import heading_at
from compactor_cli.summary_text.state_line import PASSED_SINCE, tells
from compactor_cli.summary_text.verbatim import CarriedSpan, carried_spans
from compactor_cli.text.clean import plain
from compactor_cli.text.line_prefixes import has_ascending_numbers, has_number, indent_at, line_numbers
from compactor_cli.text.patterns import compiled_later

MIN_MARK_TOKENS = 24
"""Tokens of quoted lines that justify a summary with a mark as its heading."""
_MIN_SHORT_TOKENS = 72
"""Tokens that justify a heading in words: it takes at most a tenth of the summary."""
_MIN_NAMED_TOKENS = 150
"""Tokens that justify a heading with a reference to what the summary stands for."""
_MIN_FULL_TOKENS = 280
"""Tokens that justify a heading that says what the transcript was compacted from."""
_SPARE_TOKENS = 6
"""Tokens that a summary may need beyond its planned text: overhead, and a reference with other digits."""
_CLOSING_LINES = compiled_later(r"(?:[ \t]*[)\]}][)\]};, \t]*\n)+(?=.*\w)")
"""Lines that only close something, with words after them."""
_ARGUMENT = compiled_later(r"^[\w-]+=")
_MAX_CAUSE_CHARS = 120


Level = Literal["mark", "short", "named", "full"]


class Quoter:
    """Plans summaries. `resolved`: messages with failures that a later call made up for. `base`: what the transcript
    was compacted from, if one summary has to say so; with `needs_base` even a short one does, and with `brief` a short
    one says it in its mark. `failures`: failures that the state lists, which are not repeated beside calls."""

    def __init__(
        self,
        messages: Sequence[Message],
        lines: SessionLines,
        count: Callable[[str], int],
        pairing: Pairing,
        resolved: Set[int] = frozenset(),
        *,
        base: Base | None = None,
    ) -> None:
        self._messages = messages
        self._lines = lines
        self._count = count
        self._base = base
        self.needs_base = self.brief = False
        self.failures: tuple[str, ...] = ()
        self._resolved = resolved
        self._call_of = pairing.call_of
        self._masker = CallMasker(messages, pairing)
        self._code: dict[PartIndex, bool] = {}
        self._carried: dict[PartIndex, list[CarriedSpan]] = {}
        self._files: dict[PartIndex, dict[int, str]] = {}
        self._result_of = {call: result for result, call in self._call_of.items()}
        self._label_of: dict[PartIndex, str] = {}
        self._outcomes: dict[PartIndex, str] = {}
        self._short_outcomes: dict[PartIndex, str] = {}
        self._partners: dict[int, frozenset[PartIndex]] = {}
        self._excerpts: dict[
            tuple[tuple[ChosenLine, ...], frozenset[PartIndex], frozenset[PartIndex]], tuple[Excerpt, ...]
        ] = {}
        """Chosen lines of a message, the quoted parts that belong to it, and the calls right above their results -> its
        quotes. Most of the plans that are tried quote most messages in the same way."""
        self._text_calls = {answer.index: (call, result) for call, result, answer in written_calls(messages)}
        self._slots: dict[tuple[object, ...], SummarySlot] = {}
        """What a summary is planned from -> the summary: most of it is the same in most of the plans that are tried."""

    def plan(
        self,
        groups: Sequence[Group],
        chosen: Mapping[int, Sequence[ChosenLine]],
        state: str = "",
        *,
        names_base: bool = False,
    ) -> SummarySlot:
        """Plan the summary of some groups. It is placed where the first group that it quotes was."""
        choices = sorted((c for g in groups for c in chosen.get(g.index, ())), key=lambda c: c.line)
        first = next((g.index for g in groups if chosen.get(g.index)), groups[-1].index)
        key = (*(g.index for g in groups), first, state, names_base, self.needs_base, *choices)
        if key not in self._slots:
            self._slots[key] = self._make_slot(groups, choices, state, first, names_base=names_base)
        return self._slots[key]

    def _make_slot(
        self, groups: Sequence[Group], choices: Sequence[ChosenLine], state: str, first: int, *, names_base: bool
    ) -> SummarySlot:
        excerpts = tuple(self.excerpts(choices))
        quoted = sum(c.cost for c in choices) + len(state) // 4
        level: Level = "named" if quoted >= _MIN_NAMED_TOKENS else "short" if quoted >= _MIN_SHORT_TOKENS else "mark"
        base = self._base if names_base and (quoted >= _MIN_FULL_TOKENS or self.needs_base) else None
        if base is not None:
            level = "mark" if self.brief and quoted < _MIN_NAMED_TOKENS else "full"
        texts = (self._heading(groups, level, base), f"{legend(excerpts)}{quote(excerpts)}" if excerpts else "", state)
        return SummarySlot(
            3,
            tuple(sorted((g.index for g in groups), key=lambda index: (index < first, index))),
            self._count("\n".join(filter(None, texts))) + _SPARE_TOKENS,
            excerpts,
            base is not None,
            heading=level,
            state=state,
        )

    def _heading(self, groups: Iterable[Group], level: Level, base: Base | None) -> str:
        """Return the beginning of a summary as it will be written, with a dummy reference of about as many tokens."""
        messages = [i for g in groups for i in g.messages]
        if level == "mark":
            return lines_mark(messages, round=10, base=base)
        reference = "" if level == "short" else "ctx_0a1b2c3d"
        return lines_header(messages, round=10, reference=reference, base=base)

    def excerpts(self, choices: Sequence[ChosenLine]) -> Iterator[Excerpt]:
        """Yield the quotes of chosen lines, in their order."""
        spots = self._spots(choices)
        quoted = frozenset(spots)
        if following := {location for location in quoted if self._follows_call(location, quoted)}:
            quoted -= following
            choices = self._without_results(choices, following)
            spots = self._spots(choices)
        above = frozenset(call for call, location in pairwise(spots) if self._call_of.get(location) == call)
        if twice := self._repeated(choices, spots, above):
            quoted -= twice
            choices = [choice for choice, location in zip(choices, spots, strict=True) if location not in twice]
        for message, run in groupby(choices, key=lambda choice: self._lines.message_of(choice.line)):
            of_message = tuple(run)
            beside = self._partner_parts(message)
            key = of_message, quoted & beside, above & beside
            if key not in self._excerpts:
                self._excerpts[key] = tuple(self._excerpts_of(*key))
            yield from self._excerpts[key]

    def _partner_parts(self, message: int) -> frozenset[PartIndex]:
        """Return the parts of other messages that affect how a message is quoted: its calls, or its results."""
        known = self._partners.get(message)
        if known is None:
            spots = [(message, part) for part in range(len(self._messages[message].parts))]
            partners = [of[spot] for of in (self._call_of, self._result_of) for spot in spots if spot in of]
            if message in self._text_calls:
                partners += [(message - 1, part) for part in range(len(self._messages[message - 1].parts))]
            known = self._partners[message] = frozenset(partners)
        return known

    def _spots(self, choices: Iterable[ChosenLine]) -> list[PartIndex]:
        pieces = (self._lines.piece_at(choice.line) for choice in choices)
        return [(piece.message, piece.part) for piece in pieces]

    def _repeated(
        self, choices: Iterable[ChosenLine], spots: Sequence[PartIndex], above: Set[PartIndex]
    ) -> set[PartIndex]:
        """Return the quoted calls of which the labels of their results say all that is quoted. Results right below
        their calls (`above`) have no label."""
        results = self._call_of.keys() & set(spots)
        calls = {self._call_of[result] for result in results}.intersection(spots) - above
        lines = zip(choices, spots, strict=True) if calls else ()
        return calls.difference(spot for choice, spot in lines if spot in calls and not self._labels(spot, choice.line))

    def _labels(self, call: PartIndex, line: int) -> bool:
        """Return whether the label of a call's result contains a line of the call."""
        value = _ARGUMENT.sub("", self._lines.display_text(line).strip())
        return f" {short_path(value)} " in f"{self._label(call)} "

    def _label(self, call: PartIndex) -> str:
        """Return the label of a call's result. It is cached for all plans that are tried."""
        if call not in self._label_of:
            self._label_of[call] = call_label(self._part(call))
        return self._label_of[call]

    def _excerpts_of(
        self, choices: Sequence[ChosenLine], quoted: Set[PartIndex], above: Set[PartIndex]
    ) -> Iterator[Excerpt]:
        """Yield the quotes of chosen lines of one message. `quoted`: the parts that belong to it and are quoted too.
        `above`: the calls among them that stand right above their results."""
        lines, last_line, last_piece, margin = self._lines, -2, None, 0
        head, head_at = "", -1
        values = self._line_values(choices)
        for choice, following in zip_longest(choices, choices[1:]):
            piece, line = lines.piece_at(choice.line), choice.line
            is_first, after_gap = piece is not last_piece, False
            in_summary = self._messages[piece.message].origin == "summary"
            text = plain(lines.display_text(line))
            indent = indent_at(piece.text, lines.starts[line])
            if in_summary:
                last_head_at = head_at
                head, head_at = self._heading_at((piece.message, piece.part), lines.starts[line])
                after_gap = text.startswith(GAP)
                is_first = is_first or head_at != last_head_at
                text = bare(text) if at_margin(piece.text, lines.starts[line]) else text
                text = self._file_at((piece.message, piece.part), lines.starts[line]) + text
            else:
                if is_first:
                    number = self._messages[piece.message].number
                    head = heading(number, self._speaker(piece, lines.ends[line], quoted, above))
                if self._part((piece.message, piece.part)).kind == "tool_result":
                    indent, text = unnumbered(indent, text)
            indent = indent[1:] if in_summary else indent  # in a summary, everything but marks is indented by a blank
            joint = "gap"
            if is_first:
                is_whole = (
                    lines.is_first(line) or (in_summary and not after_gap) or begins_reply(piece, lines.starts[line])
                )
                is_whole = is_whole or lines.follows_call_start(line)
                joint = "heading" if is_whole else "middle"
            elif line == last_line + 1 and not after_gap and not self._skips_numbers(line):
                joint = "same" if self._continues_line(line) else "line"
                text = lines.gap_text(line) + text if joint == "same" else indent[margin:] + text
            if joint in ("gap", "middle") and not piece.is_speech and (closing := _CLOSING_LINES.match(text)):
                text = text[closing.end() :]  # it closes something that is not shown
                indent, text = indented(text)
            if joint != "same":
                margin = min(margin, len(indent)) if joint == "line" else len(indent)
                text = re.sub(rf"\n[ \t]{{1,{margin}}}", "\n", text) if margin and "\n" in text else text
            if joint in ("gap", "middle") or (is_first and lines.follows_call_start(line)):
                text = plain(lines.context(line, last_line)) + text
            is_last = following is None or lines.piece_at(following.line) is not piece
            if is_last and not in_summary and goes_on(piece, lines.starts[line], lines.ends[line]):
                text = f"{text} {GAP}".rstrip()
            elif is_last and piece.is_call:
                text = f"{text} {GAP}".rstrip() if lines.is_cut(line) else text
                text += self._short_result((piece.message, piece.part), quoted)
            yield Excerpt(head, self._quoted_text(line, text), joint, values[line])
            last_line, last_piece = line, piece

    def _quoted_text(self, line: int, text: str) -> str:
        """Return a line as it is quoted: speech word for word, calls and results without secrets."""
        piece = self._lines.piece_at(line)
        message = self._messages[piece.message]
        is_speech = piece.is_speech or message.origin == "summary" or is_reply(piece, self._lines.ends[line])
        is_code = not is_speech and self._is_code((piece.message, piece.part))
        return text if is_speech else self._masker.mask(text, message.number, code=is_code)

    def _is_code(self, location: PartIndex) -> bool:
        """Return whether a part is of a call that reads or writes files. The answer is cached for all of its lines."""
        if location not in self._code:
            part = self._part(self._call_of.get(location, location))
            self._code[location] = part.kind == "tool_call" and concerns_code(part)
        return self._code[location]

    def _line_values(self, choices: Sequence[ChosenLine]) -> dict[int, float]:
        """Map each line to its value. A line that says what others are in is worth as much as the best of them.
        Otherwise these would end up below something else when room is short."""
        values = {choice.line: choice.value for choice in choices}
        for choice in choices:
            scope = self._lines.scope(choice.line)
            while scope in values:
                values[scope] = max(values[scope], choice.value)
                scope = self._lines.scope(scope)
        return values

    def _skips_numbers(self, line: int) -> bool:
        """Return whether the line numbers of a file show that lines between this line and the one before are missing,
        because an earlier round left them out."""
        piece, text = self._lines.piece_at(line), self._lines.text(line)
        if piece.is_speech or piece.is_call or not has_number(text) or not has_ascending_numbers(piece.text):
            return False
        last_number = line_numbers(self._lines.text(line - 1))[-1:]
        return bool(last_number) and line_numbers(text)[0] > last_number[0] + 1

    def _continues_line(self, line: int) -> bool:
        """Return whether a line continues the physical line that the line before it begins."""
        lines = self._lines
        in_same_piece = lines.piece_at(line) is lines.piece_at(line - 1)
        return in_same_piece and "\n" not in lines.piece_at(line).text[lines.ends[line - 1] : lines.starts[line]]

    def _heading_at(self, location: PartIndex, start: int) -> tuple[str, int]:
        """Return the heading above a line of an earlier summary, and its position. A summary is parsed only once."""
        text = self._part(location).text
        if location not in self._carried:
            self._carried[location] = carried_spans(text)
        return heading_at(text, start, self._carried[location])

    def _file_at(self, location: PartIndex, start: int) -> str:
        """Return the file of a found line that an earlier summary names only before the first line found in it."""
        text = self._part(location).text
        if location not in self._files:
            self._files[location] = files_of_lines(text)
        margin = text.rfind("\n", 0, start) + 1
        return "" if text[margin:start].strip() else self._files[location].get(margin, "")

    def _part(self, location: PartIndex) -> Part:
        return self._messages[location[0]].parts[location[1]]

    def _outcome(self, call: PartIndex, result: PartIndex) -> str:
        """Return how a call ended that did not do what it says. The answer is cached for all plans that are tried."""
        if call not in self._outcomes:
            outcome = failure_kind(self._part(call), self._part(result))
            is_resolved = outcome == "failed" and not self._resolved.isdisjoint((call[0], result[0]))
            self._outcomes[call] = f"{outcome}, {PASSED_SINCE}" if is_resolved else outcome
        return self._outcomes[call]

    def _without_results(self, choices: Sequence[ChosenLine], following: Set[PartIndex]) -> list[ChosenLine]:
        """Return the lines without those of results that are shown after their calls; the calls take over their
        value."""
        locations = self._spots(choices)
        call_values: dict[PartIndex, float] = {}
        for choice, location in zip(choices, locations, strict=True):
            if location in following:
                call_values[self._call_of[location]] = max(choice.value, call_values.get(self._call_of[location], 0.0))
        return [
            replace(choice, value=max(choice.value, call_values.get(location, 0.0)))
            for choice, location in zip(choices, locations, strict=True)
            if location not in following
        ]

    def _follows_call(self, location: PartIndex, quoted: Set[PartIndex]) -> bool:
        """Return whether a result is a few words to be shown after its call, which is quoted too. As a separate line,
        it could be left out when room is short."""
        call, result = self._call_of.get(location), self._part(location)
        if call is None or call not in quoted or not is_few_words(result) or reply_span(result.text) is not None:
            return False
        return bool(self._short_outcome(call, location))

    def _short_result(self, call: PartIndex, quoted: Set[PartIndex]) -> str:
        """Return the short result to show after a call if nothing else of the result is quoted: a few words, or the
        line that says how a command ended."""
        result = self._result_of.get(call)
        outcome = self._short_outcome(call, result) if result is not None and result not in quoted else ""
        return f" → {outcome}" if outcome else ""

    def _short_outcome(self, call: PartIndex, result: PartIndex) -> str:
        """Return the few words of a call's result. The answer is cached for all plans that are tried."""
        if result not in self._short_outcomes:
            failed = self._outcome(call, result).startswith("failed")
            outcome = short_result(self._part(call), self._part(result), failed=failed, width=_MAX_CAUSE_CHARS)
            self._short_outcomes[result] = "" if any(tells(line, outcome) for line in self.failures) else plain(outcome)
        return self._short_outcomes[result]

    def _speaker(self, piece: SessionPiece, end: int, quoted: Set[PartIndex], above: Set[PartIndex]) -> str:
        """Return the speaker of what ends at `end`. For a result, return its call, unless that is right above."""
        message = self._messages[piece.message]
        part = message.parts[piece.part]
        if part.kind == "tool_call":
            name = " ".join(part.name.replace(":", ".").replace("→", " ").split())[:60] or "call"
            answer = self._result_of.get((piece.message, piece.part))
            # otherwise the call would look successful; the next round may leave out its result
            outcome = self._outcome((piece.message, piece.part), answer) if answer is not None else ""
            return f"{name} {outcome}" if outcome else name
        if part.kind == "tool_result" or message.role == "tool":
            if is_reply(piece, end):
                return "user"
            call = self._call_of.get((piece.message, piece.part))
            if call is None or call in above:
                return "→"
            outcome = self._outcome(call, (piece.message, piece.part))
            return f"{self._label(call)} {outcome}".rstrip() + " →"
        if text_call := self._text_calls.get(piece.message):
            is_quoted = any(index == piece.message - 1 for index, _ in quoted)
            label = "" if is_quoted else call_label(text_call[0])
            return f"{label} {failure_kind(*text_call)} →".replace("  ", " ").lstrip()
        if message.origin == "injected":
            return INSTRUCTIONS if is_instructions(piece.text) else "harness"
        if message.role == "user":
            return user_named(message.speaker)
        return "" if message.role == "assistant" else message.role
