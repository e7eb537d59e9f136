"""Lines that a summary quotes besides what it says: those that the rest of the session is most likely to need."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from compactor_cli.features.evidence import gather
from compactor_cli.features.followed import ends_in_words
from compactor_cli.features.lines import SessionLines
from compactor_cli.features.session_text import read_session
from compactor_cli.features.term_scores import TermScores
from compactor_cli.model.group import Group
from compactor_cli.model.message import Message
from compactor_cli.model.planning import PlanInput
from compactor_cli.strategies.shared.asked import Asked
from compactor_cli.strategies.shared.chats import chat_lines, is_working_chat
from compactor_cli.strategies.shared.lone_lines import announces, leads_nowhere
from compactor_cli.strategies.shared.pending_results import take_pending
from compactor_cli.strategies.shared.quoted_lines import Quoter
from compactor_cli.strategies.shared.rooms import DETAIL, LARGE_ROOM
from compactor_cli.strategies.shared.selection import Selector, densest
from compactor_cli.summary_text.excerpts import LEGEND, Excerpt

REACH = 500_000
"""Tokens back to which every line is looked at, several times what models hold; of what is older, only
requests, calls and failures."""
_BEGINNING = 150
"""Tokens of each of the newest messages that are quoted for being new."""
_ANSWER_SHARE = 0.75
"""Share of what is for the newest messages that an answer may take with which everything ends."""
_LEAST = 60
"""Tokens below which it is not worth the heading."""


def quoted_details(
    inputs: PlanInput, covered: Sequence[Group], room: int, aside: Collection[int] = (), newest: int = 0
) -> tuple[tuple[Excerpt, ...], int]:
    """Return the best lines of these groups in about `room` tokens, and what is left of it. Messages in `aside` are
    repeated anyway. `newest`: tokens for the beginnings of the newest messages, whatever their value."""
    room = min(room, DETAIL) - inputs.count(LEGEND)
    if room < _LEAST or inputs.profile is None:
        return (), 0
    session = read_session(inputs.messages, REACH, inputs.settings.query, quoted_only=True, pairing=inputs.pairing)
    evidence = gather(inputs.messages, session)
    values = TermScores(session, evidence, inputs.profile)
    inside = {i for group in covered for i in group.messages} - set(aside)
    outside = frozenset(m.index for m in inputs.messages if m.index not in inside)
    lines = SessionLines(session, values.of, outside)
    known = {name for piece in session.pieces if piece.message in outside for name in piece.names}
    selector = Selector(lines, values.of, inputs.count, sorted(known), scoped=room > LARGE_ROOM)
    said = [m for m in inputs.messages if m.origin != "request"]
    answer = said[-1].index if ends_in_words(said) else -1
    stay: set[int] = set()
    if newest:
        asked_for = partial(Asked(inputs.messages, inputs.pairing).in_piece, lines=lines)
        took = take_pending([*_pending(lines, inputs.messages)], lines, selector, asked_for, room)
        room, newest, stay = room - took, max(0, newest - took), {*selector.taken}
    room -= _take_newest(selector, lines, newest, leaving=True, answer=answer)
    stay |= {line for line in selector.taken if lines.message(line) == answer}
    if is_working_chat(inputs.messages):
        left = room
        for line in chat_lines(inputs.messages, lines, selector.tokens, room, inputs.profile):
            left -= selector.take(line) if selector.cost(line) <= left else 0
    else:
        left = selector.fill(densest(lines, room), room)
    left -= _take_newest(selector, lines, left) if newest else 0
    best = max((choice.value for choice in selector.taken.values()), default=0.0)
    # what is to be answered, and what the work came to, is not the first to make way for the rest of the summary,
    # though all its names are known
    telling = (c for c in selector.taken.values() if not leads_nowhere(c.line, selector.taken.keys(), lines))
    kept = (replace(choice, value=best) if choice.line in stay else choice for choice in telling)
    chosen = sorted(kept, key=lambda choice: choice.line)
    return tuple(Quoter(inputs.messages, lines, inputs.count, inputs.pairing).excerpts(chosen)), left


def _pending(lines: SessionLines, messages: Sequence[Message]) -> Iterator[int]:
    """Yield the lines of the results that the agent answers next."""
    shown = sorted(lines.first_of)
    pieces = [lines.session.pieces[number] for number in shown]
    last = max((piece.message for piece in pieces if messages[piece.message].role == "assistant"), default=-1)
    for number, piece in zip(shown, pieces, strict=True):
        if piece.message > last >= 0 and messages[piece.message].parts[piece.part].kind == "tool_result":
            yield from (line for line in lines.of_piece(number) if line not in lines.silent)


def _take_newest(selector: Selector, lines: SessionLines, room: int, *, leaving: bool = False, answer: int = -1) -> int:
    """Take the first lines of the newest texts, calls and results, without those that say nothing; returns their
    tokens. `leaving`: what would be for those is left to other lines. `answer`: the message with which everything ends,
    of which more is taken: it is what the work came to."""
    used = passed = 0
    for number in sorted(lines.first_of, reverse=True):
        piece_tokens = 0
        is_answer = lines.session.pieces[number].message == answer
        most = max(_BEGINNING, _ANSWER_SHARE * room) if is_answer else _BEGINNING
        for line in lines.of_piece(number):
            if line in selector.taken or (line in lines.silent and not leaving) or announces(lines, line):
                continue
            cost = selector.cost(line)
            if used + passed + cost > room:
                return used
            piece_tokens += cost
            if piece_tokens > most:
                break
            if line in lines.silent:
                passed += cost
            else:
                used += selector.take(line)
    return used
