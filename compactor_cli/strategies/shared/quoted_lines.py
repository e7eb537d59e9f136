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
from compactor_cli.features.work.open_errors import misfortune
from compactor_cli.features.work.short_results import is_few_words, short_result
from compactor_cli.features.work.told_of_calls import ToldOfCalls, shows_code
from compactor_cli.features.work.written_calls import written_calls
from compactor_cli.model.group import Group
from compactor_cli.model.injected import is_instructions
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Pairing, Spot
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
from compactor_cli.text.line_prefixes import ascends, has_number, indent_at, numbers
from compactor_cli.text.patterns import compiled_later

MARK = 24
"""Tokens of quoted lines that justify a summary with a mark as its heading."""
_SHORT = 72
"""Tokens that justify a heading in words: it takes at most a tenth of the summary."""
_NAMED = 150
"""Tokens that justify a heading with a reference to what the summary stands for."""
_FULL = 280
"""Tokens that justify a heading that says what the transcript was compacted from."""
_SPARE = 6
"""Tokens that a summary may need beyond its planned text: overhead, and a reference with other digits."""
_SIGNS = compiled_later(r"(?:[ \t]*[)\]}][)\]};, \t]*\n)+(?=.*\w)")
"""Lines that only close something, with words after them."""
_ARGUMENT = compiled_later(r"^[\w-]+=")
_CAUSE_WIDTH = 120


Level = Literal["mark", "short", "named", "full"]


class Quoter:
    """Plans summaries. `overcome`: messages with failures that a later call made up for. `base`: what the transcript
    was compacted from, if one summary has to say so; with `needs_base` even a short one does, and with `brief` a short
    one says it in its mark. `failures`: failures that the state lists, which are not repeated beside calls."""

    def __init__(
        self,
        messages: Sequence[Message],
        lines: SessionLines,
        count: Callable[[str], int],
        pairing: Pairing,
        overcome: Set[int] = frozenset(),
        *,
        base: Base | None = None,
    ) -> None:
        self._messages = messages
        self._lines = lines
        self._count = count
        self._base = base
        self.needs_base = self.brief = False
        self.failures: tuple[str, ...] = ()
        self._overcome = overcome
        self._call_of = pairing.answers
        self._told_of = ToldOfCalls(messages, pairing)
        self._code: dict[Spot, bool] = {}
        self._carried: dict[Spot, list[CarriedSpan]] = {}
        self._files: dict[Spot, dict[int, str]] = {}
        self._result_of = {call: result for result, call in self._call_of.items()}
        self._label_of: dict[Spot, str] = {}
        self._outcomes: dict[Spot, str] = {}
        self._came_out: dict[Spot, str] = {}
        self._partners: dict[int, frozenset[Spot]] = {}
        self._excerpts: dict[tuple[tuple[ChosenLine, ...], frozenset[Spot], frozenset[Spot]], tuple[Excerpt, ...]] = {}
        """Chosen lines of a message, the quoted parts that belong to it, and the calls right above their results -> its
        quotes. Most of the plans that are tried quote most messages in the same way."""
        self._written = {answer.index: (call, result) for call, result, answer in written_calls(messages)}
        self._slots: dict[tuple[object, ...], SummarySlot] = {}
        """What a summary is planned from -> the summary: most of it is the same in most of the plans that are tried."""

    def slot(
        self,
        groups: Sequence[Group],
        chosen: Mapping[int, Sequence[ChosenLine]],
        state: str = "",
        *,
        based: bool = False,
    ) -> SummarySlot:
        """Plan the summary of some groups. It is placed where the first group that it quotes was."""
        choices = sorted((c for g in groups for c in chosen.get(g.index, ())), key=lambda c: c.line)
        first = next((g.index for g in groups if chosen.get(g.index)), groups[-1].index)
        key = (*(g.index for g in groups), first, state, based, self.needs_base, *choices)
        if key not in self._slots:
            self._slots[key] = self._planned(groups, choices, state, first, based=based)
        return self._slots[key]

    def _planned(
        self, groups: Sequence[Group], choices: Sequence[ChosenLine], state: str, first: int, *, based: bool
    ) -> SummarySlot:
        excerpts = tuple(self.excerpts(choices))
        quoted = sum(c.cost for c in choices) + len(state) // 4
        level: Level = "named" if quoted >= _NAMED else "short" if quoted >= _SHORT else "mark"
        base = self._base if based and (quoted >= _FULL or self.needs_base) else None
        if base is not None:
            level = "mark" if self.brief and quoted < _NAMED else "full"
        texts = (self._head(groups, level, base), f"{legend(excerpts)}{quote(excerpts)}" if excerpts else "", state)
        return SummarySlot(
            3,
            tuple(sorted((g.index for g in groups), key=lambda index: (index < first, index))),
            self._count("\n".join(filter(None, texts))) + _SPARE,
            excerpts,
            base is not None,
            heading=level,
            state=state,
        )

    def _head(self, groups: Iterable[Group], level: Level, base: Base | None) -> str:
        """Return the beginning of a summary as it will be written, with a dummy reference of about as many tokens."""
        covers = [i for g in groups for i in g.messages]
        if level == "mark":
            return lines_mark(covers, round=10, base=base)
        reference = "" if level == "short" else "ctx_0a1b2c3d"
        return lines_header(covers, round=10, reference=reference, base=base)

    def excerpts(self, choices: Sequence[ChosenLine]) -> Iterator[Excerpt]:
        """Yield the quotes of chosen lines, in their order."""
        spots = self._spots(choices)
        quoted = frozenset(spots)
        if behind := {spot for spot in quoted if self._stands_behind(spot, quoted)}:
            quoted -= behind
            choices = self._without(choices, behind)
            spots = self._spots(choices)
        above = frozenset(call for call, spot in pairwise(spots) if self._call_of.get(spot) == call)
        if twice := self._repeated(choices, spots, above):
            quoted -= twice
            choices = [choice for choice, spot in zip(choices, spots, strict=True) if spot not in twice]
        for message, run in groupby(choices, key=lambda choice: self._lines.message(choice.line)):
            of_message = tuple(run)
            beside = self._beside(message)
            key = of_message, quoted & beside, above & beside
            if key not in self._excerpts:
                self._excerpts[key] = tuple(self._excerpts_of(*key))
            yield from self._excerpts[key]

    def _beside(self, message: int) -> frozenset[Spot]:
        """Return the parts of other messages that affect how a message is quoted: its calls, or its results."""
        known = self._partners.get(message)
        if known is None:
            spots = [(message, part) for part in range(len(self._messages[message].parts))]
            partners = [of[spot] for of in (self._call_of, self._result_of) for spot in spots if spot in of]
            if message in self._written:
                partners += [(message - 1, part) for part in range(len(self._messages[message - 1].parts))]
            known = self._partners[message] = frozenset(partners)
        return known

    def _spots(self, choices: Iterable[ChosenLine]) -> list[Spot]:
        pieces = (self._lines.piece(choice.line) for choice in choices)
        return [(piece.message, piece.part) for piece in pieces]

    def _repeated(self, choices: Iterable[ChosenLine], spots: Sequence[Spot], above: Set[Spot]) -> set[Spot]:
        """Return the quoted calls of which the labels of their results say all that is quoted. Results right below
        their calls (`above`) have no label."""
        results = self._call_of.keys() & set(spots)
        calls = {self._call_of[result] for result in results}.intersection(spots) - above
        lines = zip(choices, spots, strict=True) if calls else ()
        return calls.difference(spot for choice, spot in lines if spot in calls and not self._labels(spot, choice.line))

    def _labels(self, call: Spot, line: int) -> bool:
        """Return whether the label of a call's result contains a line of the call."""
        value = _ARGUMENT.sub("", self._lines.shown(line).strip())
        return f" {short_path(value)} " in f"{self._label(call)} "

    def _label(self, call: Spot) -> str:
        """Return the label of a call's result. It is cached for all plans that are tried."""
        if call not in self._label_of:
            self._label_of[call] = call_label(self._part(call))
        return self._label_of[call]

    def _excerpts_of(self, choices: Sequence[ChosenLine], quoted: Set[Spot], above: Set[Spot]) -> Iterator[Excerpt]:
        """Yield the quotes of chosen lines of one message. `quoted`: the parts that belong to it and are quoted too.
        `above`: the calls among them that stand right above their results."""
        lines, last_line, last_piece, margin = self._lines, -2, None, 0
        head, head_at = "", -1
        worth = self._worth(choices)
        for choice, following in zip_longest(choices, choices[1:]):
            piece, line = lines.piece(choice.line), choice.line
            begins, parted = piece is not last_piece, False
            earlier = self._messages[piece.message].origin == "summary"
            text = plain(lines.shown(line))
            indent = indent_at(piece.text, lines.starts[line])
            if earlier:
                known = head_at
                head, head_at = self._heading_at((piece.message, piece.part), lines.starts[line])
                parted = text.startswith(GAP)
                begins = begins or head_at != known
                text = bare(text) if at_margin(piece.text, lines.starts[line]) else text
                text = self._file_at((piece.message, piece.part), lines.starts[line]) + text
            else:
                if begins:
                    number = self._messages[piece.message].number
                    head = heading(number, self._speaker(piece, lines.ends[line], quoted, above))
                if self._part((piece.message, piece.part)).kind == "tool_result":
                    indent, text = unnumbered(indent, text)
            indent = indent[1:] if earlier else indent  # in a summary, everything but marks is indented by a blank
            joint = "gap"
            if begins:
                whole = lines.is_first(line) or (earlier and not parted) or begins_reply(piece, lines.starts[line])
                whole = whole or lines.begins_call(line)
                joint = "heading" if whole else "middle"
            elif line == last_line + 1 and not parted and not self._jumps(line):
                joint = "same" if self._is_of_line(line) else "line"
                text = lines.between(line) + text if joint == "same" else indent[margin:] + text
            if joint in ("gap", "middle") and not piece.speech and (signs := _SIGNS.match(text)):
                text = text[signs.end() :]  # it closes something that is not shown
                indent, text = indented(text)
            if joint != "same":
                margin = min(margin, len(indent)) if joint == "line" else len(indent)
                text = re.sub(rf"\n[ \t]{{1,{margin}}}", "\n", text) if margin and "\n" in text else text
            if joint in ("gap", "middle") or (begins and lines.begins_call(line)):
                text = plain(lines.lead(line, last_line)) + text
            ends = following is None or lines.piece(following.line) is not piece
            if ends and not earlier and goes_on(piece, lines.starts[line], lines.ends[line]):
                text = f"{text} {GAP}".rstrip()
            elif ends and piece.call:
                text = f"{text} {GAP}".rstrip() if lines.is_cut(line) else text
                text += self._short_result((piece.message, piece.part), quoted)
            yield Excerpt(head, self._told(line, text), joint, worth[line])
            last_line, last_piece = line, piece

    def _told(self, line: int, text: str) -> str:
        """Return a line as it is quoted: speech word for word, calls and results without secrets."""
        piece = self._lines.piece(line)
        message = self._messages[piece.message]
        says = piece.speech or message.origin == "summary" or is_reply(piece, self._lines.ends[line])
        code = not says and self._is_code((piece.message, piece.part))
        return text if says else self._told_of.told(text, message.number, code=code)

    def _is_code(self, spot: Spot) -> bool:
        """Return whether a part is of a call that reads or writes files. The answer is cached for all of its lines."""
        if spot not in self._code:
            part = self._part(self._call_of.get(spot, spot))
            self._code[spot] = part.kind == "tool_call" and shows_code(part)
        return self._code[spot]

    def _worth(self, choices: Sequence[ChosenLine]) -> dict[int, float]:
        """Map each line to its value. A line that says what others are in is worth as much as the best of them.
        Otherwise these would end up below something else when room is short."""
        worth = {choice.line: choice.value for choice in choices}
        for choice in choices:
            scope = self._lines.scope(choice.line)
            while scope in worth:
                worth[scope] = max(worth[scope], choice.value)
                scope = self._lines.scope(scope)
        return worth

    def _jumps(self, line: int) -> bool:
        """Return whether the line numbers of a file show that lines between this line and the one before are missing,
        because an earlier round left them out."""
        piece, text = self._lines.piece(line), self._lines.text(line)
        if piece.speech or piece.call or not has_number(text) or not ascends(piece.text):
            return False
        last = numbers(self._lines.text(line - 1))[-1:]
        return bool(last) and numbers(text)[0] > last[0] + 1

    def _is_of_line(self, line: int) -> bool:
        """Return whether a line continues the physical line that the line before it begins."""
        lines = self._lines
        same = lines.piece(line) is lines.piece(line - 1)
        return same and "\n" not in lines.piece(line).text[lines.ends[line - 1] : lines.starts[line]]

    def _heading_at(self, spot: Spot, start: int) -> tuple[str, int]:
        """Return the heading above a line of an earlier summary, and its position. A summary is parsed only once."""
        text = self._part(spot).text
        if spot not in self._carried:
            self._carried[spot] = carried_spans(text)
        return heading_at(text, start, self._carried[spot])

    def _file_at(self, spot: Spot, start: int) -> str:
        """Return the file of a found line that an earlier summary names only before the first line found in it."""
        text = self._part(spot).text
        if spot not in self._files:
            self._files[spot] = files_of_lines(text)
        margin = text.rfind("\n", 0, start) + 1
        return "" if text[margin:start].strip() else self._files[spot].get(margin, "")

    def _part(self, spot: Spot) -> Part:
        return self._messages[spot[0]].parts[spot[1]]

    def _outcome(self, call: Spot, result: Spot) -> str:
        """Return how a call ended that did not do what it says. The answer is cached for all plans that are tried."""
        if call not in self._outcomes:
            outcome = misfortune(self._part(call), self._part(result))
            over = outcome == "failed" and not self._overcome.isdisjoint((call[0], result[0]))
            self._outcomes[call] = f"{outcome}, {PASSED_SINCE}" if over else outcome
        return self._outcomes[call]

    def _without(self, choices: Sequence[ChosenLine], behind: Set[Spot]) -> list[ChosenLine]:
        """Return the lines without those of results that are shown after their calls; the calls take over their
        value."""
        spots = self._spots(choices)
        worth: dict[Spot, float] = {}
        for choice, spot in zip(choices, spots, strict=True):
            if spot in behind:
                worth[self._call_of[spot]] = max(choice.value, worth.get(self._call_of[spot], 0.0))
        return [
            replace(choice, value=max(choice.value, worth.get(spot, 0.0)))
            for choice, spot in zip(choices, spots, strict=True)
            if spot not in behind
        ]

    def _stands_behind(self, spot: Spot, quoted: Set[Spot]) -> bool:
        """Return whether a result is a few words to be shown after its call, which is quoted too. As a separate line,
        it could be left out when room is short."""
        call, result = self._call_of.get(spot), self._part(spot)
        if call is None or call not in quoted or not is_few_words(result) or reply_span(result.text) is not None:
            return False
        return bool(self._came_to(call, spot))

    def _short_result(self, call: Spot, quoted: Set[Spot]) -> str:
        """Return the short result to show after a call if nothing else of the result is quoted: a few words, or the
        line that says how a command ended."""
        spot = self._result_of.get(call)
        said = self._came_to(call, spot) if spot is not None and spot not in quoted else ""
        return f" → {said}" if said else ""

    def _came_to(self, call: Spot, result: Spot) -> str:
        """Return the few words of a call's result. The answer is cached for all plans that are tried."""
        if result not in self._came_out:
            failed = self._outcome(call, result).startswith("failed")
            said = short_result(self._part(call), self._part(result), failed=failed, width=_CAUSE_WIDTH)
            self._came_out[result] = "" if any(tells(line, said) for line in self.failures) else plain(said)
        return self._came_out[result]

    def _speaker(self, piece: SessionPiece, end: int, quoted: Set[Spot], above: Set[Spot]) -> str:
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
        if written := self._written.get(piece.message):
            is_quoted = any(index == piece.message - 1 for index, _ in quoted)
            label = "" if is_quoted else call_label(written[0])
            return f"{label} {misfortune(*written)} →".replace("  ", " ").lstrip()
        if message.origin == "injected":
            return INSTRUCTIONS if is_instructions(piece.text) else "harness"
        if message.role == "user":
            return user_named(message.speaker)
        return "" if message.role == "assistant" else message.role
