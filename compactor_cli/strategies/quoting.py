"""Chosen lines -> the summaries that quote them, with what they cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from compactor_cli.model.group import Group
from compactor_cli.model.plan import Decision, SummarySlot
from compactor_cli.model.planning import PlanInput
from compactor_cli.signals.lines import Lines
from compactor_cli.signals.selection import Choice
from compactor_cli.text.clean import plain
from compactor_cli.text.excerpts import GAP, Excerpt, bare, earlier_heading, heading, legend, quote
from compactor_cli.text.headers import Base, header

_SEGMENT = 400
"""Tokens of quoted lines that are worth a summary of their own, at their own place."""
_SPARE = 6
"""Tokens that a summary may need beyond its text as planned: overhead, and a reference of other digits."""


class Quoter:
    """Plans summaries. `based`: one of them says what the transcript was compacted from."""

    def __init__(self, given: PlanInput, lines: Lines, *, based: bool) -> None:
        self._given = given
        self._lines = lines
        self._base = Base(sum(m.tokens for m in given.messages), given.target or 0) if based else None

    def frame(self, groups: Sequence[Group]) -> int:
        """Tokens of the heading of a summary that stands for these groups, at most."""
        return self._given.count(self._head(groups)) + _SPARE

    def slots(
        self, quoted: Sequence[Group], chosen: Mapping[int, Sequence[Choice]], decisions: Mapping[int, Decision]
    ) -> list[SummarySlot]:
        """Summaries for the stretches between groups that stay; a small one joins the one before it."""
        segments: list[list[Group]] = []
        sizes: list[int] = []
        for group in quoted:
            size = sum(choice.cost for choice in chosen.get(group.index, ()))
            if not segments or (sizes[-1] >= _SEGMENT and _parted(segments[-1][-1], group, decisions)):
                segments.append([group])
                sizes.append(size)
            else:
                segments[-1].append(group)
                sizes[-1] += size
        if len(segments) > 1 and sizes[-1] < _SEGMENT:
            segments[-2:] = [segments[-2] + segments[-1]]
        return [self._slot(segment, chosen) for segment in segments]

    def _slot(self, groups: Sequence[Group], chosen: Mapping[int, Sequence[Choice]]) -> SummarySlot:
        choices = sorted((c for g in groups for c in chosen.get(g.index, ())), key=lambda c: c.line)
        excerpts = tuple(self.excerpts(choices))
        text = f"{self._head(groups)}{legend(excerpts)}\n{quote(excerpts)}"
        tiers = [tier for group in groups for tier in self._given.tiers_of(group)]
        # it stands where the first group stood that it quotes
        first = next((g.index for g in groups if chosen.get(g.index)), groups[0].index)
        return SummarySlot(
            max(tiers, default=3),
            tuple(sorted((g.index for g in groups), key=lambda index: (index < first, index))),
            self._given.count(text) + _SPARE,
            excerpts,
            self._base is not None,
        )

    def _head(self, groups: Iterable[Group]) -> str:
        """The beginning of a summary as it will be written, with a reference of about as many tokens."""
        covers = [i for g in groups for i in g.messages]
        return f"{header(10, covers, short=True, tokens=0, reference='ctx_0a1b2c3d', base=self._base)}\n"

    def excerpts(self, choices: Sequence[Choice]) -> Iterator[Excerpt]:
        """Chosen lines, in their order, as they are quoted."""
        lines, before, piece, head = self._lines, -2, None, ""
        for choice in choices:
            own, line = lines.piece(choice.line), choice.line
            begins, parted = own is not piece, False
            earlier = self._given.messages[own.message].origin == "summary"
            text = " ".join(plain(lines.text(line)).split("\n"))
            if earlier:
                now = earlier_heading(own.text, lines.starts[line])
                parted = text.startswith(GAP)
                begins, head, text = begins or now != head, now, bare(text)
            elif begins:
                head = heading(own.message, self._speaker(own.message, own.part))
            joint = "gap"
            if begins:
                joint = "heading" if lines.is_first(line) or (earlier and not parted) else "middle"
            elif line == before + 1 and not parted:
                between = own.text[lines.ends[before] : lines.starts[line]]
                joint = "line" if "\n" in between else "same"
                text = between + text if joint == "same" else text
            yield Excerpt(head, text, joint, choice.value)
            before, piece = line, own

    def _speaker(self, message: int, part: int) -> str:
        found = self._given.messages[message]
        kind = found.parts[part].kind
        if kind == "tool_call":
            return "".join(found.parts[part].name.replace(":", ".").split())[:60] or "call"
        if kind == "tool_result" or found.role == "tool":
            return "→"
        return "" if found.role == "assistant" else found.role


def _parted(last: Group, group: Group, decisions: Mapping[int, Decision]) -> bool:
    """Whether something stays between two groups."""
    between = range(last.index + 1, group.index)
    return any(index in decisions and decisions[index].tokens for index in between)
