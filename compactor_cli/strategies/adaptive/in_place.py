"""Renders messages that stay in place with some of their lines: valid, in order, with gaps marked."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from itertools import accumulate, islice, pairwise

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.work.causes import cause_line
from compactor_cli.features.work.endings import has_failed, was_there_before
from compactor_cli.features.work.ledger import failure_line
from compactor_cli.features.work.short_results import outcome_line
from compactor_cli.model.group import Group
from compactor_cli.model.message import LEGACY_ID, Message, Part
from compactor_cli.model.pairing import Pairing
from compactor_cli.model.plan import Decision, Edit
from compactor_cli.model.replies import reply_to
from compactor_cli.strategies.adaptive.cut_calls import CallCutter, changes
from compactor_cli.strategies.adaptive.must_keep import picked_lines
from compactor_cli.strategies.shared.asked import Asked
from compactor_cli.strategies.shared.lone_lines import leads_on
from compactor_cli.text.json_values import begins_as_json
from compactor_cli.text.line_prefixes import NUMBERED, has_number, indent_at, is_numbered
from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shorten import IMAGE_NOTE, IN_ALL, text_reference
from compactor_cli.text.telling_members import failed_records, plain_members

_NAMED = 400
"""Tokens of a result from which on the mark of what is left out names the original."""
_MARK = 12
"""Tokens of the mark of what is left out."""
_PADDING = compiled_later(rf"^[ \t]+(?={NUMBERED})", re.MULTILINE)
"""Blanks that make line numbers equally wide."""
_FRAME = compiled_later(r'(?:"[^"\n]*"\s*:\s*(?=[{\[])|[{}\[\],\s]+)+')
"""Lines of JSON that only open and close something, without a value."""
_RECORDS = "[{"
_LINE = 120
"""Maximum characters of the lines that a result shows if none was chosen."""
_RESULT_AS_TEXT = 150
"""Maximum tokens of a small result in a text of the role user, like the limit for the agent's own words."""
_ERROR = 300
"""Maximum characters of an error line that a result shows whatever was chosen of it."""
_ASKED = 3
"""Maximum number of lines to consider among those that hold what a result was asked for."""
SMALL = 48
"""Maximum tokens of a part that is not worth cutting."""


class InPlaceRenderer:
    """Renders groups with the chosen lines of their parts. Each text is counted once."""

    def __init__(
        self, messages: Sequence[Message], lines: SessionLines, count: Callable[[str], int], pairing: Pairing
    ) -> None:
        self._messages = messages
        self._lines = lines
        self._count = count
        self._piece = {(p.message, p.part): number for number, p in enumerate(lines.session.pieces)}
        self._done: dict[tuple[int, int, tuple[int, ...], int, int], tuple[str, int]] = {}
        self._telling: dict[int, tuple[Sequence[int], bool]] = {}
        self._numbered: dict[int, bool] = {}
        """Piece -> whether its lines begin with their numbers."""
        self.brief = False
        """Whether marks only say that something is left out."""
        self._note = 0
        self._said: dict[tuple[int, int], Sequence[int]] = {}
        self._otherwise: dict[int, Sequence[int]] = {}
        self._asked = Asked(messages, pairing, goes_on=True)
        self._calls = CallCutter(count)

    def render(
        self, group: Group, taken: Collection[int], reason: str, whole: int = SMALL, *, ends: int = 0
    ) -> Decision:
        """Return the group with only the lines in `taken`.

        Parts that cannot be cut, and small ones, stay whole: results up to `SMALL` tokens, or a higher limit for those
        in text form, and what the agent wrote up to `whole` tokens. `ends`: tokens for the head and tail of longer
        calls."""
        edits = []
        saved = 0
        for index in group.messages:
            for position, part in enumerate(self._messages[index].parts):
                small = whole
                if self._is_result(index, part):
                    small = SMALL if part.kind == "tool_result" else min(whole, _RESULT_AS_TEXT)
                text, tokens = self._part(index, position, part, taken, small, ends=ends)
                if tokens < part.tokens:
                    edits.append(Edit(index, position, text, tokens))
                    saved += part.tokens - tokens
        return Decision.with_edits(group, edits, saved, reason)

    def _is_result(self, index: int, part: Part) -> bool:
        """Return whether a part is the result of a tool. Formats without a role for results put it in a text of the
        role user."""
        return part.kind == "tool_result" or self._messages[index].origin == "injected"

    def _part(
        self, index: int, position: int, part: Part, taken: Collection[int], small: int, *, ends: int
    ) -> tuple[str, int]:
        if part.place is None or part.edited or part.tokens <= small:
            return part.text, part.tokens
        if part.kind == "image":
            self._note = self._note or self._count(IMAGE_NOTE)
            return IMAGE_NOTE, self._note
        number = self._piece.get((index, position))
        if number is None:
            return part.text, part.tokens
        all_lines = self._lines.of_piece(number)
        chosen = self._without_lone_headers([line for line in all_lines if line in taken])
        if small > SMALL and part.kind == "text" and self._messages[index].role == "assistant":
            if (number, small) not in self._said:  # groups are rendered for each plan that is tried
                self._said[number, small] = self._of_answer(index, all_lines, small - _MARK)
            chosen = tuple(sorted({*chosen, *self._said[number, small]}))
        if self._is_result(index, part):
            if number not in self._telling:
                self._telling[number] = self._telling_line(part, number)
            outcome, is_known = self._telling[number]
            chosen = tuple(sorted({*chosen, *outcome, *(() if is_known else self._lacking(number, chosen))}))
        if len(chosen) == len(all_lines) and not part.images and not self._is_page(number):
            return part.text, part.tokens
        newest = small if part.kind == "tool_call" and small > SMALL else 0
        key = (index, position, chosen, newest, ends)
        if key not in self._done:
            if part.kind == "tool_call":
                wanted = (*map(self._lines.text, chosen), *(changes(part, newest) if newest else ()))
                self._done[key] = self._calls.cut(part, wanted, SMALL, number=number, room=ends if newest else 0)
            else:
                text = self._text(part, number, chosen, all_lines)
                self._done[key] = text, self._count(text)
        return self._done[key]

    def _telling_line(self, part: Part, number: int) -> tuple[Sequence[int], bool]:
        """Return the lines of a result that say how its call ended, and whether that is known.

        Without its cause, a failed call would look successful. Otherwise the lines are the last error, such as the one
        that ended the job of a log, and what else the result says about that job."""
        text = self._lines.session.pieces[number].text
        failed = has_failed(part)
        said = (cause_line(text, places=True) or failure_line(text)) if failed else outcome_line(text)
        if not failed and not said and was_there_before(text):  # otherwise a changed file would look new
            said = text.lstrip().partition("\n")[0].rstrip()
        if told := self._line_of(number, said):
            return told, True
        if not failed and begins_as_json(text) and (stands := self._stands(number, text)):
            return (*stands, *self._lines_otherwise(number)), True
        errors = (line for line in reversed(result_errors(text, part.failed)) if len(line) <= _ERROR)
        if told := self._line_of(number, next(errors, "")):
            return (*told, *self._lines_otherwise(number)), True
        return (), False

    def _without_lone_headers(self, chosen: Sequence[int]) -> tuple[int, ...]:
        """Return the lines without table headers whose rows are all missing: the room may end between them."""
        if self._lines.headers.isdisjoint(chosen):
            return tuple(chosen)
        followed = {line for line, after in pairwise(chosen) if self._lines.scope(after) == line}
        return tuple(line for line in chosen if line not in self._lines.headers or line in followed)

    def _stands(self, number: int, text: str) -> Sequence[int]:
        """Return the lines of a JSON result that say how things stand."""
        found = [line for span in failed_records(text) for line in self._lines.overlapping(number, *span)]
        plain = [line for span in plain_members(text) for line in self._lines.overlapping(number, *span)]
        return tuple(sorted({*found, *self._of_line_size([*dict.fromkeys(plain)])}))

    def _line_of(self, number: int, said: str) -> Sequence[int]:
        """Return, in a tuple, the line of a result that contains this text."""
        start = self._lines.session.pieces[number].text.find(said) if said else -1
        return () if start < 0 else tuple(self._lines.overlapping(number, start, start + len(said)))[:1]

    def _lines_otherwise(self, number: int) -> Sequence[int]:
        """Return the lines that a result shows if none was chosen: what was asked for, or else its last line, or the
        densest one if that says nothing. The answer is cached for all plans that are tried."""
        if number not in self._otherwise:
            self._otherwise[number] = self._find_otherwise(number)
        return self._otherwise[number]

    def _find_otherwise(self, number: int) -> Sequence[int]:
        text = self._lines.session.pieces[number].text
        if asked := self._asked_lines(number):
            return asked
        lines, bounds = self._lines.of_piece(number), self._lines.bounds
        telling = [line for line in lines if bounds[line] > 0 and len(self._lines.text(line)) <= _LINE]
        if begins_as_json(text):  # a record begins with what it is about
            record = text.find(_RECORDS)  # records say more than the text before their list
            behind = [line for line in lines if self._lines.starts[line] > record >= 0]
            values = (line for line in behind or telling if not _FRAME.fullmatch(self._lines.text(line)))
            return self._of_line_size([*islice(values, _ASKED)])
        best = sorted(telling, key=lambda line: (line != lines[-1], -bounds[line]))
        return best[:1]

    def asked_for(self, number: int) -> list[int]:
        """Return the lines of a result that hold what it was asked for, the most telling first."""
        return self._asked.in_piece(number, self._lines)

    def _lacking(self, number: int, chosen: Collection[int]) -> Sequence[int]:
        """Return the default lines of a result that it shows next to the chosen ones.

        If lines are chosen, only a JSON list of records gets one: a record with what was asked for, or the first
        record, unless one of these is chosen already."""
        text = self._lines.session.pieces[number].text
        if chosen and not (_RECORDS in text and begins_as_json(text)):
            return ()
        otherwise = self._lines_otherwise(number)
        if not chosen:
            return otherwise
        asked = [line for line in self.asked_for(number) if line in otherwise] or otherwise
        return asked[:1] if set(asked).isdisjoint(chosen) else ()

    def _asked_lines(self, number: int) -> Sequence[int]:
        """Return a few lines of a result, the first of which holds what was asked for."""
        return self._of_line_size(self.asked_for(number)[:_ASKED])

    def _of_line_size(self, lines: Sequence[int]) -> Sequence[int]:
        """Return, in order, the first of these lines that together are no longer than a line."""
        sizes = accumulate(self._lines.ends[line] - self._lines.starts[line] for line in lines)
        return tuple(sorted(line for line, size in zip(lines, sizes, strict=True) if size <= _LINE))

    def _of_answer(self, index: int, lines: range, room: int) -> Sequence[int]:
        """Return lines of the agent's answer that fit into `room` tokens: what the user picks from it, and its ends."""
        picked = picked_lines(reply_to(self._messages, index), self._lines, lines)
        sizes = accumulate(self._count(self._lines.text(line)) + 1 for line in picked)
        fitting = [(line, size) for line, size in zip(picked, sizes, strict=True) if size <= room - 2 * _MARK]
        left = room - fitting[-1][1] if fitting else room
        ends = self._ends(lines, left // 2, 0 if fitting else left)
        return tuple({*(line for line, _ in fitting), *ends})

    def _ends(self, lines: range, room: int, both: int) -> Sequence[int]:
        """Return the lines at the ends of a text.

        These are the last line, the first one if both fit into `both` tokens, then lines before the last that fit into
        `room`, and more first lines while everything fits into `both`. An answer begins with what was found and ends
        with a question to the user. An agent without calls writes what it does at the end."""
        costs = [self._count(self._lines.text(line)) + 1 for line in lines]
        begins = len(lines) > 1 and costs[-1] + costs[0] <= both
        start, end = int(begins), len(lines)
        used, most = (costs[0], min(both, costs[0] + room)) if begins else (0, room)
        for at in range(len(lines) - 1, start - 1, -1):
            if end < len(lines) and used + costs[at] > most:
                break
            used, end = used + costs[at], at
        while start < end and used + costs[start] <= both:
            used, start = used + costs[start], start + 1
        while 0 < start < end and leads_on(self._lines, lines[start - 1]):
            start -= 1
        return *lines[:start], *lines[end:]

    def _text(self, part: Part, number: int, chosen: Sequence[int], all_lines: range) -> str:
        """Return the chosen lines of a text or an output. The first gap says how much is left out in all, unless that
        is a few words. Between numbered lines, the numbers show further gaps."""
        lines, text = self._lines, self._lines.session.pieces[number].text
        pieces: list[str] = []
        if number not in self._numbered:
            self._numbered[number] = part.kind == "tool_result" and is_numbered(text)
        numbered = self._numbered[number]
        offset, before, marked = 0, all_lines.start, self.brief or part.tokens <= SMALL
        for line in (*chosen, all_lines.stop):
            last = line == all_lines.stop
            start = len(text) if last else lines.starts[line]
            gap = text[offset:start]
            if line == before:
                unsaid = last and not marked and self._is_page(number)  # its tags are left out
                pieces.append(f"\n{self._first_mark(part, text, chosen, all_lines)}" if unsaid else "" if last else gap)
            else:
                shows = numbered and marked and not last and before > all_lines.start
                if shows and has_number(lines.text(before - 1)) and has_number(lines.text(line)):
                    mark = ""
                else:
                    mark = "…" if marked else self._first_mark(part, text, chosen, all_lines)
                inline = "\n" not in gap
                pieces.append(f" {mark} " if inline else f"\n{mark}\n" if mark else "\n")
                marked = True
                if not last:
                    pieces.append(lines.lead(line, before - 1))
            if not last:
                offset, before = lines.ends[line], line + 1
                at_gap = start and "".join(pieces[-2:]).endswith("\n")
                pieces.append(f"{_sign(text, start) if at_gap else ''}{text[start:offset]}")
        joined = _PADDING.sub("", "".join(pieces)) if numbered else "".join(pieces)
        first = joined.lstrip("\n ")
        joined = f"{_sign(joined, len(joined) - len(first))}{first.rstrip()}"
        return f"{joined}\n{IMAGE_NOTE}" if part.images else joined

    def _is_page(self, number: int) -> bool:
        """Return whether a piece has only the lines that a page shows."""
        return self._lines.session.pieces[number].cut == "page"

    def _first_mark(self, part: Part, text: str, chosen: Sequence[int], all_lines: range) -> str:
        """Return the mark that says how much is left out in all, and where the original is."""
        kept = [(self._lines.starts[n], self._lines.ends[n]) for n in chosen]
        # kept pieces are in order: a physical line is counted once, however many pieces of it are kept
        offset, kept_lines = 0, 0
        for index, (start, end) in enumerate(kept):
            kept_lines += (not index or "\n" in text[offset:start]) + text.count("\n", start, end)
            offset = end
        if self._is_page(self._lines.piece_of[all_lines.start]):
            text, kept_lines = part.text, part.text.count("\n") + 1
        left_out = text.count("\n") + 1 - kept_lines
        amount = f"{left_out:,} line{'s' * (left_out > 1)}"
        if left_out < 2:
            amount = f"{len(text) - sum(end - start for start, end in kept):,} characters"
        amount += f" left out{IN_ALL if _gaps(chosen, all_lines) > 1 else ''}"
        return f"[… {amount} · {text_reference(part.text)}]" if _needs_name(part) else f"[… {amount}]"


def _sign(text: str, start: int) -> str:
    """Return a single blank before the first word of a line. In git's status output, it says that nothing is staged."""
    return " " if indent_at(text, start) == " " else ""


def _gaps(chosen: Sequence[int], all_lines: range) -> int:
    """Return the number of places where lines are left out."""
    return sum(
        line != before
        for line, before in zip((*chosen, all_lines.stop), (all_lines.start, *(n + 1 for n in chosen)), strict=True)
    )


def _needs_name(part: Part) -> bool:
    """Return whether a mark is worth the tokens of the original's name. A small result can also be found by the id of
    its call, if it has one."""
    return part.kind != "tool_result" or part.tokens >= _NAMED or part.call_id.startswith(LEGACY_ID)
