"""Renders messages that stay in place with some of their lines: valid, in order, with gaps marked."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from itertools import accumulate, islice, pairwise

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.work.causes import cause_line
from compactor_cli.features.work.endings import existed_before, has_failed
from compactor_cli.features.work.ledger import failure_line
from compactor_cli.features.work.short_results import outcome_line
from compactor_cli.model.group import Group
from compactor_cli.model.message import LEGACY_ID, Message, Part
from compactor_cli.model.pairing import Pairing
from compactor_cli.model.plan import Decision, Edit
from compactor_cli.model.replies import reply_to
from compactor_cli.strategies.adaptive.cut_calls import CallCutter, changes
from compactor_cli.strategies.adaptive.must_keep import picked_lines
from compactor_cli.strategies.shared.lone_lines import is_lead_in
from compactor_cli.strategies.shared.relevant_lines import RelevantLines
from compactor_cli.text.json_values import looks_like_json, plain_members
from compactor_cli.text.line_prefixes import NUMBER_PATTERN, has_number, indent_at, is_numbered
from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shorten import IMAGE_NOTE, TOTAL_SUFFIX, text_reference

_MIN_NAMED_TOKENS = 400
"""Tokens of a result from which on the mark of what is left out names the original."""
_MARK_TOKENS = 12
"""Tokens of the mark of what is left out."""
_PADDING = compiled_later(rf"^[ \t]+(?={NUMBER_PATTERN})", re.MULTILINE)
"""Blanks that make line numbers equally wide."""
_FRAME = compiled_later(r'(?:"[^"\n]*"\s*:\s*(?=[{\[])|[{}\[\],\s]+)+')
"""Lines of JSON that only open and close something, without a value."""
_RECORDS_START = "[{"
_MAX_LINE_CHARS = 120
"""Maximum characters of the lines that a result shows if none was chosen."""
_TEXT_RESULT_TOKENS = 150
"""Maximum tokens of a small result in a text of the role user, like the limit for the agent's own words."""
_MAX_ERROR_CHARS = 300
"""Maximum characters of an error line that a result shows whatever was chosen of it."""
_MAX_RELEVANT_LINES = 3
"""Maximum number of lines to consider among those that hold what a result was asked for."""
SMALL_TOKENS = 48
"""Maximum tokens of a part that is not worth cutting."""


class InPlaceRenderer:
    """Renders groups with the chosen lines of their parts. Each text is counted once."""

    def __init__(
        self, messages: Sequence[Message], lines: SessionLines, count: Callable[[str], int], pairing: Pairing
    ) -> None:
        self._messages = messages
        self._lines = lines
        self._count = count
        self._piece_numbers = {(p.message, p.part): number for number, p in enumerate(lines.session.pieces)}
        self._rendered: dict[tuple[int, int, tuple[int, ...], int], tuple[str, int]] = {}
        self._outcomes: dict[int, tuple[Sequence[int], bool]] = {}
        self._numbered: dict[int, bool] = {}
        """Piece -> whether its lines begin with their numbers."""
        self.brief = False
        """Whether marks only say that something is left out."""
        self._note_tokens = 0
        self._kept_answers: dict[tuple[int, int], Sequence[int]] = {}
        self._defaults: dict[int, Sequence[int]] = {}
        self._relevant = RelevantLines(messages, pairing)
        self._call_cutter = CallCutter(count)

    def render(
        self,
        group: Group,
        taken_lines: Collection[int],
        reason: str,
        whole_limit: int = SMALL_TOKENS,
    ) -> Decision:
        """Return the group with only the lines in `taken_lines`.

        Parts that cannot be cut, and small ones, stay whole: results up to `SMALL_TOKENS`, or a higher limit for
        those in text form, and what the agent wrote up to `whole_limit` tokens."""
        edits = []
        saved = 0
        for index in group.messages:
            for position, part in enumerate(self._messages[index].parts):
                limit = whole_limit
                if self._is_result(index, part):
                    limit = SMALL_TOKENS if part.kind == "tool_result" else min(whole_limit, _TEXT_RESULT_TOKENS)
                text, tokens = self._render_part(index, position, part, taken_lines, limit)
                if tokens < part.tokens:
                    edits.append(Edit(index, position, text, tokens))
                    saved += part.tokens - tokens
        return Decision.with_edits(group, edits, saved, reason)

    def _is_result(self, index: int, part: Part) -> bool:
        """Return whether a part is the result of a tool. Formats without a role for results put it in a text of the
        role user."""
        return part.kind == "tool_result" or self._messages[index].origin == "injected"

    def _render_part(
        self, index: int, position: int, part: Part, taken_lines: Collection[int], limit: int
    ) -> tuple[str, int]:
        if part.place is None or part.edited or part.tokens <= limit:
            return part.text, part.tokens
        if part.kind == "image":
            self._note_tokens = self._note_tokens or self._count(IMAGE_NOTE)
            return IMAGE_NOTE, self._note_tokens
        number = self._piece_numbers.get((index, position))
        if number is None:
            return part.text, part.tokens
        all_lines = self._lines.piece_lines(number)
        chosen = self._without_lone_headers([line for line in all_lines if line in taken_lines])
        if limit > SMALL_TOKENS and part.kind == "text" and self._messages[index].role == "assistant":
            if (number, limit) not in self._kept_answers:  # groups are rendered for each plan that is tried
                self._kept_answers[number, limit] = self._choose_answer_lines(index, all_lines, limit - _MARK_TOKENS)
            chosen = tuple(sorted({*chosen, *self._kept_answers[number, limit]}))
        if self._is_result(index, part):
            if number not in self._outcomes:
                self._outcomes[number] = self._outcome_lines(part, number)
            outcome, is_known = self._outcomes[number]
            chosen = tuple(sorted({*chosen, *outcome, *(() if is_known else self._missing_defaults(number, chosen))}))
        if len(chosen) == len(all_lines) and not part.images and not self._is_page(number):
            return part.text, part.tokens
        newest = limit if part.kind == "tool_call" and limit > SMALL_TOKENS else 0
        key = (index, position, chosen, newest)
        if key not in self._rendered:
            if part.kind == "tool_call":
                wanted = (*map(self._lines.text, chosen), *(changes(part, newest) if newest else ()))
                self._rendered[key] = self._call_cutter.cut(part, wanted, SMALL_TOKENS)
            else:
                text = self._render_text(part, number, chosen, all_lines)
                self._rendered[key] = text, self._count(text)
        return self._rendered[key]

    def _outcome_lines(self, part: Part, number: int) -> tuple[Sequence[int], bool]:
        """Return the lines of a result that say how its call ended, and whether that is known.

        Without its cause, a failed call would look successful. Otherwise the lines are the last error, such as the one
        that ended the job of a log, and what else the result says about that job."""
        text = self._lines.session.pieces[number].text
        failed = has_failed(part)
        outcome = (cause_line(text, allow_locations=True) or failure_line(text)) if failed else outcome_line(text)
        if not failed and not outcome and existed_before(text):  # otherwise a changed file would look new
            outcome = text.lstrip().partition("\n")[0].rstrip()
        if found := self._find_line(number, outcome):
            return found, True
        if not failed and looks_like_json(text) and (plain := self._plain_member_lines(number, text)):
            return (*plain, *self._default_lines(number)), True
        errors = (line for line in reversed(result_errors(text, part.failed)) if len(line) <= _MAX_ERROR_CHARS)
        if found := self._find_line(number, next(errors, "")):
            return (*found, *self._default_lines(number)), True
        return (), False

    def _without_lone_headers(self, chosen: Sequence[int]) -> tuple[int, ...]:
        """Return the lines without table headers whose rows are all missing: the room may end between them."""
        if self._lines.headers.isdisjoint(chosen):
            return tuple(chosen)
        followed = {line for line, after in pairwise(chosen) if self._lines.scope(after) == line}
        return tuple(line for line in chosen if line not in self._lines.headers or line in followed)

    def _plain_member_lines(self, number: int, text: str) -> Sequence[int]:
        """Return the lines of a JSON result with its own members, such as totals."""
        plain = [line for span in plain_members(text) for line in self._lines.lines_overlapping(number, *span)]
        return self._within_line_size([*dict.fromkeys(plain)])

    def _find_line(self, number: int, wording: str) -> Sequence[int]:
        """Return, in a tuple, the line of a result that contains this text."""
        start = self._lines.session.pieces[number].text.find(wording) if wording else -1
        return () if start < 0 else tuple(self._lines.lines_overlapping(number, start, start + len(wording)))[:1]

    def _default_lines(self, number: int) -> Sequence[int]:
        """Return the lines that a result shows if none was chosen: what was asked for, or else its last line, or the
        densest one if that says nothing. The answer is cached for all plans that are tried."""
        if number not in self._defaults:
            self._defaults[number] = self._find_default_lines(number)
        return self._defaults[number]

    def _find_default_lines(self, number: int) -> Sequence[int]:
        text = self._lines.session.pieces[number].text
        if relevant := self._within_line_size(self.relevant_lines(number)[:_MAX_RELEVANT_LINES]):
            return relevant
        lines, bounds = self._lines.piece_lines(number), self._lines.bounds
        telling = [line for line in lines if bounds[line] > 0 and len(self._lines.text(line)) <= _MAX_LINE_CHARS]
        if looks_like_json(text):  # a record begins with what it is about
            record = text.find(_RECORDS_START)  # records say more than the text before their list
            after_record = [line for line in lines if self._lines.starts[line] > record >= 0]
            values = (line for line in after_record or telling if not _FRAME.fullmatch(self._lines.text(line)))
            return self._within_line_size([*islice(values, _MAX_RELEVANT_LINES)])
        best = sorted(telling, key=lambda line: (line != lines[-1], -bounds[line]))
        return best[:1]

    def relevant_lines(self, number: int) -> list[int]:
        """Return the lines of a result that hold what it was asked for, the most telling first."""
        return self._relevant.in_piece(number, self._lines)

    def _missing_defaults(self, number: int, chosen: Collection[int]) -> Sequence[int]:
        """Return the default lines of a result that it shows next to the chosen ones.

        If lines are chosen, only a JSON list of records gets one: a record with what was asked for, or the first
        record, unless one of these is chosen already."""
        text = self._lines.session.pieces[number].text
        if chosen and not (_RECORDS_START in text and looks_like_json(text)):
            return ()
        defaults = self._default_lines(number)
        if not chosen:
            return defaults
        relevant = [line for line in self.relevant_lines(number) if line in defaults] or defaults
        return relevant[:1] if set(relevant).isdisjoint(chosen) else ()

    def _within_line_size(self, lines: Sequence[int]) -> Sequence[int]:
        """Return, in order, the first of these lines that together are no longer than a line."""
        sizes = accumulate(self._lines.ends[line] - self._lines.starts[line] for line in lines)
        return tuple(sorted(line for line, size in zip(lines, sizes, strict=True) if size <= _MAX_LINE_CHARS))

    def _choose_answer_lines(self, index: int, lines: range, room: int) -> Sequence[int]:
        """Return lines of the agent's answer that fit into `room` tokens: what the user picks from it, and its ends."""
        picked = picked_lines(reply_to(self._messages, index), self._lines, lines)
        sizes = accumulate(self._count(self._lines.text(line)) + 1 for line in picked)
        fitting = [(line, size) for line, size in zip(picked, sizes, strict=True) if size <= room - 2 * _MARK_TOKENS]
        tokens_left = room - fitting[-1][1] if fitting else room
        ends = self._end_lines(lines, tokens_left // 2, 0 if fitting else tokens_left)
        return tuple({*(line for line, _ in fitting), *ends})

    def _end_lines(self, lines: range, room: int, shared_room: int) -> Sequence[int]:
        """Return the lines at the ends of a text.

        These are the last line, the first one if both fit into `shared_room` tokens, then lines before the last that
        fit into `room`, and more first lines while everything fits into `shared_room`. An answer begins with what was
        found and ends with a question to the user. An agent without calls writes what it does at the end."""
        costs = [self._count(self._lines.text(line)) + 1 for line in lines]
        keeps_first = len(lines) > 1 and costs[-1] + costs[0] <= shared_room
        start, end = int(keeps_first), len(lines)
        used_tokens, max_tokens = (costs[0], min(shared_room, costs[0] + room)) if keeps_first else (0, room)
        for index in range(len(lines) - 1, start - 1, -1):
            if end < len(lines) and used_tokens + costs[index] > max_tokens:
                break
            used_tokens, end = used_tokens + costs[index], index
        while start < end and used_tokens + costs[start] <= shared_room:
            used_tokens, start = used_tokens + costs[start], start + 1
        while 0 < start < end and is_lead_in(self._lines, lines[start - 1]):
            start -= 1
        return *lines[:start], *lines[end:]

    def _render_text(self, part: Part, number: int, chosen: Sequence[int], all_lines: range) -> str:
        """Return the chosen lines of a text or an output. The first gap says how much is left out in all, unless that
        is a few words. Between numbered lines, the numbers show further gaps."""
        lines, text = self._lines, self._lines.session.pieces[number].text
        pieces: list[str] = []
        if number not in self._numbered:
            self._numbered[number] = part.kind == "tool_result" and is_numbered(text)
        numbered = self._numbered[number]
        offset, next_line, is_marked = 0, all_lines.start, self.brief or part.tokens <= SMALL_TOKENS
        for line in (*chosen, all_lines.stop):
            is_end = line == all_lines.stop
            start = len(text) if is_end else lines.starts[line]
            gap = text[offset:start]
            if line == next_line:
                unsaid = is_end and not is_marked and self._is_page(number)  # its tags are left out
                pieces.append(
                    f"\n{self._first_mark(part, text, chosen, all_lines)}" if unsaid else "" if is_end else gap
                )
            else:
                numbers_show = numbered and is_marked and not is_end and next_line > all_lines.start
                if numbers_show and has_number(lines.text(next_line - 1)) and has_number(lines.text(line)):
                    mark = ""
                else:
                    mark = "…" if is_marked else self._first_mark(part, text, chosen, all_lines)
                inline = "\n" not in gap
                pieces.append(f" {mark} " if inline else f"\n{mark}\n" if mark else "\n")
                is_marked = True
                if not is_end:
                    pieces.append(lines.context(line, next_line - 1))
            if not is_end:
                offset, next_line = lines.ends[line], line + 1
                at_gap = start and "".join(pieces[-2:]).endswith("\n")
                pieces.append(f"{_sign(text, start) if at_gap else ''}{text[start:offset]}")
        joined = _PADDING.sub("", "".join(pieces)) if numbered else "".join(pieces)
        stripped = joined.lstrip("\n ")
        joined = f"{_sign(joined, len(joined) - len(stripped))}{stripped.rstrip()}"
        return f"{joined}\n{IMAGE_NOTE}" if part.images else joined

    def _is_page(self, number: int) -> bool:
        """Return whether a piece has only the lines that a page shows."""
        return self._lines.session.pieces[number].line_cut == "page"

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
        amount += f" left out{TOTAL_SUFFIX if _count_gaps(chosen, all_lines) > 1 else ''}"
        return f"[… {amount} · {text_reference(part.text)}]" if _needs_reference(part) else f"[… {amount}]"


def _sign(text: str, start: int) -> str:
    """Return a single blank before the first word of a line. In git's status output, it says that nothing is staged."""
    return " " if indent_at(text, start) == " " else ""


def _count_gaps(chosen: Sequence[int], all_lines: range) -> int:
    """Return the number of places where lines are left out."""
    return sum(
        line != before
        for line, before in zip((*chosen, all_lines.stop), (all_lines.start, *(n + 1 for n in chosen)), strict=True)
    )


def _needs_reference(part: Part) -> bool:
    """Return whether a mark is worth the tokens of the original's name. A small result can also be found by the id of
    its call, if it has one."""
    return part.kind != "tool_result" or part.tokens >= _MIN_NAMED_TOKENS or part.call_id.startswith(LEGACY_ID)
