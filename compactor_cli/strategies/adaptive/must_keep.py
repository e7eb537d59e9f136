"""What comes before the lines of most value: what the user asked, what was said right before, the state of the work."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import dropwhile, groupby

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.followed import answers_before_turns
from compactor_cli.features.lines import SessionLines
from compactor_cli.features.work.calls import runs_command
from compactor_cli.features.work.effects import WAITS
from compactor_cli.features.work.endings import has_failed
from compactor_cli.features.work.ledger import call_arguments
from compactor_cli.features.work.sql_effects import sql_of
from compactor_cli.features.work.sql_statements import sql_changes
from compactor_cli.features.work.tool_names import acts
from compactor_cli.model.injected import is_account, is_instructions
from compactor_cli.model.message import Message
from compactor_cli.model.pairing import Pairing, Spot
from compactor_cli.model.replies import AGREEMENT, reply_span
from compactor_cli.model.talking import telling_requests
from compactor_cli.strategies.adaptive.below_pages import typed_below_pages
from compactor_cli.strategies.adaptive.corrected_answers import corrections
from compactor_cli.strategies.shared.rooms import account_share, is_followed
from compactor_cli.summary_text.excerpts import INSTRUCTIONS
from compactor_cli.summary_text.reading import earlier_words
from compactor_cli.summary_text.state_block import COUNTS_FILES, rest_lines, unlisted_counts, with_whole_list
from compactor_cli.summary_text.state_line import Kind, StateLine, failed_times
from compactor_cli.text.account_parts import ranked_paragraphs
from compactor_cli.text.chosen import NEVER
from compactor_cli.text.clauses import LEADS_ON
from compactor_cli.text.identifiers import identifiers
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.picked_items import picked_items
from compactor_cli.text.sentences import ASKS_WITHIN, BULLET

_FEW_WORDS = 12
"""Tokens up to which a message of the user has few words."""
_SAID = 150
"""Tokens of a message up to which a question in it is one of its user."""
_MOST_AGREED = 40
"""Lines at most of such an answer, where it has no room as a whole."""
_END = 2
"""Lines at the end of what the agent said that tell what the user answers."""
BULLET_TOKENS = 2
"""Tokens of a line of the state beside its text."""
_DETAILED = 0.4
"""Share of the room for the state up to which a failure is told with all details, where a shorter line says why."""
_COUNT_ALONE = ("effect", "pending")
"""Kinds of which a count alone says something: that it took place, or is awaited. "1 more errors" says of none what."""
_BARE = 2
"""Forms of a line of the state without those that say why it failed: with all details, and with none."""
_THINKS = compiled_later(r"(?:^|[_-])(?:think|thought|reason|reflect)", re.IGNORECASE)
"""Names of tools with which an agent does nothing but think."""

_COURTESY = compiled_later(
    r"\b(?:let me know|feel free|(?:anything|something) else|(?:further|more|other) (?:assistance|help|questions)"
    r"|happy to (?:help|assist)|here to (?:help|assist)|thank you for)\b",
    re.IGNORECASE,
    (
        *("let me know", "feel free", "thing else", "assistance", "r help", "e help", "r questions", "e questions"),
        *("happy to ", "here to ", "thank you for"),
    ),
)
"""Parts of sentences with which answers end, and which say nothing of what is answered."""


class UserWords(Struct, frozen=True):
    """Words of the user, or what is kept like them, as a span of a piece."""

    piece: int
    start: int
    end: int


def requests(messages: Sequence[Message], lines: SessionLines) -> Iterator[UserWords]:
    """Yield what the user asked, in order; also in answer to a call, below a page, and what a summary quotes of it."""
    telling = {message.index for message in telling_requests(messages)}
    below = typed_below_pages(messages, lines)
    for number in sorted(lines.first_of):
        piece = lines.session.pieces[number]
        message = messages[piece.message]
        if message.index in telling and piece.speech:
            yield UserWords(number, 0, len(piece.text))
        elif message.parts[piece.part].kind == "tool_result" and (words := reply_span(piece.text)):
            yield UserWords(number, *words)
        elif message.origin == "summary":
            yield from _quoted(message, piece.part, number, "user")
        elif number in below:
            yield UserWords(number, *below[number])


def instructions(messages: Sequence[Message], lines: SessionLines) -> Iterator[UserWords]:
    """Yield standing instructions that a harness put in, such as those of CLAUDE.md; also what an earlier summary
    quotes of them."""
    for number in sorted(lines.first_of):
        piece = lines.session.pieces[number]
        message = messages[piece.message]
        if message.origin == "injected" and piece.speech and is_instructions(piece.text):
            yield UserWords(number, 0, len(piece.text))
        elif message.origin == "summary":
            yield from _quoted(message, piece.part, number, INSTRUCTIONS)


def account(messages: Sequence[Message], lines: SessionLines) -> tuple[list[UserWords], float]:
    """Return what the newest summary says that an agent had written of its session, paragraph by paragraph, those last
    that come first, and its share of the room: of the others, the last ones tell where the work stood."""
    for number in sorted(lines.first_of, reverse=True):
        piece = lines.session.pieces[number]
        if messages[piece.message].origin == "injected" and piece.speech and is_account(piece.text):
            ranks = ranked_paragraphs(piece.text, followed=is_followed(messages, piece.message))
            told = sorted((-rank, *span) for span, rank in ranks if rank != NEVER)
            return [UserWords(number, *span) for _, *span in told], account_share(messages, piece.message)
    return [], 0.0


def _quoted(message: Message, part: int, number: int, speaker: str) -> Iterator[UserWords]:
    """Yield what a summary has word for word of a speaker."""
    for words in earlier_words(message.parts[part].text, speaker):
        yield UserWords(number, words.start, words.end)


def within(
    room: float, answers: Iterable[list[int]], lines: SessionLines, cost: Callable[[int], int]
) -> Iterator[list[int]]:
    """Yield the lines of answers that fit in `room` tokens; those between the first and the last make way first, then
    the last one, and a line that asks at the very end. `cost`: tokens of a line beside those yielded before."""
    for answer in answers:
        costs = [*map(cost, answer)]
        asks = [ASKS_WITHIN.search(lines.text(line)) is not None for line in answer]
        last = len(answer) - 1
        leaving = sorted(range(len(answer)), key=lambda at: (asks[at], at in (0, last) and not asks[at], not at, at))
        left, used = set(range(len(answer))), sum(costs)
        for at in leaving if used > room else ():
            left.discard(at)
            used -= costs[at]
            if used <= room:
                break
        room -= used
        gone = {answer[at] for at in range(len(answer)) if at not in left}
        # a label says nothing without what it leads to
        labels = {
            at for at in left if answer[at] + 1 in gone and not asks[at] and lines.text(answer[at]).endswith(LEADS_ON)
        }
        yield [answer[at] for at in sorted(left - labels)]


def answers(messages: Sequence[Message], lines: SessionLines) -> Iterator[list[int]]:
    """Yield of what the agent said before each request its first line, which answers what it was asked, and its last
    one, and before that the items of a list that the request picks, the lines with names that it says again, such as
    the offer that it accepts, or the line before. First before the newest request, then before requests of few words,
    which say nothing without it, and of these and the others before the newest first. What speaks later of most of
    the figures of one, and so may correct it, comes right behind it."""
    told = [*_answers(messages, lines)]
    corrected = corrections(messages, lines, told, lambda message: speech_of(lines, message))
    for number, answer in enumerate(told):
        yield answer
        if number in corrected:
            yield corrected[number]


def _answers(messages: Sequence[Message], lines: SessionLines) -> Iterator[list[int]]:
    turns = answers_before_turns(messages)

    def place(turn: tuple[int, int]) -> tuple[bool, bool, int]:
        return turn != turns[-1], messages[turn[1]].tokens > _FEW_WORDS, -turn[1]

    for index, request in sorted(turns, key=place):
        if speech := speech_of(lines, index):
            end = _end_of(speech, lines)
            others = [line for line in speech if line != end]
            before = [line for line in others if line < end][1 - _END :]
            if picked_lines(messages[request].text("text"), lines, speech):  # it stays with the reply
                yield [end]
                continue
            told = *_opening(speech, lines), *(_said_again(lines, request, others, end) or before)
            yield sorted({*told, end})


def beside_requests(
    messages: Sequence[Message], lines: SessionLines, stays: Callable[[int], bool]
) -> Iterator[list[int]]:
    """Yield how the agent began to answer the newest request, where that asks, as it would pass for one that nobody
    answered; then the items that requests pick of what was said before them, of the newest ones first. `stays`:
    whether something of a request is kept: "(1), please" says nothing without it."""
    yield _answered_since(messages, lines)
    for index, request in sorted(answers_before_turns(messages), key=lambda turn: -turn[1]):
        if stays(request) and (picked := picked_lines(messages[request].text("text"), lines, speech_of(lines, index))):
            yield picked


def _answered_since(messages: Sequence[Message], lines: SessionLines) -> list[int]:
    """Return the line with which the agent begins what it says behind the newest request, where that asks among other
    things, and the line tells something: in long requests, questions are of forms, and of what was pasted."""
    newest = max((m.index for m in messages if m.role == "user" and m.origin == "request"), default=-1)
    if newest < 0 or messages[newest].tokens > _SAID or not ASKS_WITHIN.search(messages[newest].text("text")):
        return []
    said = (speech_of(lines, m.index) for m in messages if m.index > newest and m.role == "assistant")
    opening = list(_opening(next(filter(None, said), []), lines))
    return opening if any(names_something(lines.text(line)) for line in opening) else []


def agreed_to(messages: Sequence[Message], lines: SessionLines) -> Iterator[tuple[Sequence[int], bool]]:
    """Yield what may stay of what the agent said before the newest request, and whether the request picks it: all of
    it where the request has so few words that it agrees to it, what it picks, and then less and less of all."""
    index, request = max(answers_before_turns(messages), key=lambda turn: turn[1], default=(-1, -1))
    if request < 0:
        return
    speech, reply = speech_of(lines, index), messages[request]
    agrees = reply.tokens <= AGREEMENT
    if agrees and speech:
        yield speech, False
    if picked := picked_lines(reply.text("text"), lines, speech):
        yield picked, True
    if agrees:
        yield from ((some, False) for some in _shortened(speech, lines) if some)


def picked_lines(reply: str, lines: SessionLines, answer: Iterable[int]) -> list[int]:
    """Return those lines of an answer that are of the items that a reply picks by their numbers."""
    found: list[int] = []
    for number, own in groupby(answer, key=lines.piece_of.__getitem__):
        spans = picked_items(lines.session.pieces[number].text, reply)
        picked = {line for span in spans for line in lines.overlapping(number, *span)}
        found += [line for line in own if line in picked]
    return found


def failed_call(
    state: Sequence[StateLine], messages: Sequence[Message], lines: SessionLines, pairing: Pairing
) -> list[int]:
    """Return the lines of the newest call that acts outside the session and failed for good: it has to be made again,
    with other arguments."""
    failed = [line.message for line in state if line.kind == "effect" and line.open and failed_times(line.text)[0]]
    newest = max(failed, default=-1)
    calls = {
        call
        for (at, part), call in pairing.answers.items()
        if messages[at].index == newest and has_failed(messages[at].parts[part]) and _may_act(messages, call)
    }
    found = (line for at in sorted({at for at, _ in calls}) for line in lines.of_message(messages[at].index))
    return [line for line in found if (lines.piece(line).message, lines.piece(line).part) in calls]


def _may_act(messages: Sequence[Message], spot: Spot) -> bool:
    """Return whether a call is of a tool that acts outside the session, runs a command, or changes a database."""
    call = messages[spot[0]].parts[spot[1]]
    arguments = call_arguments(call)
    return acts(call.name, arguments) or runs_command(call) or bool(sql_changes(sql_of(call.name, arguments)))


def conclusion(messages: Sequence[Message], lines: SessionLines) -> list[int]:
    """Return the first line and the end of what the agent said, or the end of what it thought by a tool for that,
    behind all requests and other calls."""
    last = next((message for message in reversed(messages) if not message.results), None)
    if last is None or last.role != "assistant" or last.origin == "summary":
        return []
    if last.calls:
        return list(lines.of_message(last.index))[-1:] if all(_THINKS.search(call.name) for call in last.calls) else []
    speech = speech_of(lines, last.index)
    return [*speech[:-_END][:1], *speech[-_END:]]


def _opening(speech: Sequence[int], lines: SessionLines) -> Sequence[int]:
    """Return the line with which an answer begins, with the next one where it only leads to that; none for a
    courtesy."""
    if not speech or _is_courtesy(lines.text(speech[0])):
        return []
    return speech[: 2 if lines.text(speech[0]).endswith(LEADS_ON) else 1]


def _end_of(speech: Sequence[int], lines: SessionLines) -> int:
    """Return the line that an answer comes to: its last one; where courtesies end it, the one before them, or what asks
    before the list that this is the end of."""
    told = list(dropwhile(lambda line: _is_courtesy(lines.text(line)), reversed(speech)))
    if len(told) in (0, len(speech)):
        return speech[-1]
    for line in told:
        text = lines.text(line).rstrip()
        if ASKS_WITHIN.search(text):
            return line
        if not BULLET.match(text) and not text.endswith(LEADS_ON):
            break
    return told[0]


def _is_courtesy(text: str) -> bool:
    """Return whether a line says nothing but a courtesy: it asks nothing, and names nothing."""
    return _COURTESY.search(text) is not None and not ASKS_WITHIN.search(text) and not names_something(text)


def names_something(text: str) -> bool:
    """Return whether a text has a number or a name in it."""
    return any(map(str.isdigit, text)) or bool(identifiers(text))


def speech_of(lines: SessionLines, message: int) -> list[int]:
    """Return the lines that say something of the words of a message."""
    own = (line for line in lines.of_message(message) if line not in lines.silent)
    return [line for line in own if lines.piece(line).speech and lines.has_words(line)]


def state_within(
    room: float, state: Sequence[StateLine], count: Callable[[str], int], is_seen: Callable[[StateLine], bool]
) -> tuple[StateLine, ...]:
    """Return the lines of the state of the work that fit in `room` tokens, but those that the reader sees anyway, of
    tasks only where all are seen; one that does not fit costs no other. That something took place comes before the
    details of what did: a reader would do it again. The last line counts those that do not fit."""
    lines = with_whole_list(state, lambda line: not is_seen(line))
    forms = [[(form, count(form.text) + BULLET_TOKENS) for form in _forms(line)] for line in lines]
    crowded = sum(costs[0][1] for costs in forms) > room
    reserved = sum(costs[-1][1] for line, costs in zip(lines, forms, strict=True) if line.kind == "effect")
    taken: list[StateLine] = []
    left_out: Counter[Kind] = Counter()
    left = room
    for line, costs in zip(lines, forms, strict=True):
        if counted := unlisted_counts(line.text):
            left_out += counted
            continue
        shortest = costs[-1][1]
        reserved -= shortest if line.kind == "effect" else 0
        # why it failed tells more than what it was to do, and amounts of all acts more than a text of one
        long = line.open and len(costs) > _BARE and costs[0][1] > _DETAILED * room
        told = costs[1:] if long or (crowded and line.brief) else costs
        fitting = ((form, cost) for form, cost in told if cost <= (left if cost == shortest else left - reserved))
        if fits := next(fitting, None):
            taken.append(fits[0])
            left -= fits[1]
        else:
            left_out[line.kind] += 1
    if left_out:
        small = room < COUNTS_FILES
        taken += [*rest_lines(taken, left_out, left, lambda text: count(text) + BULLET_TOKENS, small=small)]
        counts = unlisted_counts(taken[0].text) if len(taken) == 1 else None
        if counts and counts.keys().isdisjoint(_COUNT_ALONE):
            return ()
    elif crowded:
        whole = {costs[1][0].text: costs for line, costs in zip(lines, forms, strict=True) if line.brief}
        taken = list(_detailed(taken, whole, left))
    return tuple(taken)


def _detailed(
    taken: Iterable[StateLine], whole: Mapping[str, Sequence[tuple[StateLine, int]]], left: float
) -> Iterator[StateLine]:
    """Yield lines of the state with all details as far as these fit in what is left. `whole`: forms and their costs of
    those that are told with short details only."""
    for line in taken:
        (full, cost), (_, brief_cost) = whole[line.text][:2] if line.text in whole else ((line, 0), (line, 0))
        fits = cost - brief_cost <= left
        left -= cost - brief_cost if fits else 0
        yield full if fits else line


def _forms(line: StateLine) -> Iterator[StateLine]:
    """Yield a line of the state, and of something that took place outside the session, or was to, shorter ones for
    where there is no room for all details: with short ones only, such as an amount, then what was done to what, and why
    it failed, if it did. Without what it was
    done to, one would be like the other."""
    yield line
    if line.brief:
        yield replace(line, text=line.brief)
    short, _, details = line.text.partition(" (")
    _, failed, reason = details.rpartition("): ")
    if line.kind == "effect" and details and " " not in failed_times(short)[1].removeprefix(WAITS):
        if ", " in details:  # by the name of a tool alone nobody knows what it did
            yield replace(line, text=f"{short} ({details.partition(', ')[0]}){failed[1:] and f': {reason}'}")
    elif line.kind == "effect" and details:
        if failed:
            yield replace(line, text=f"{short}: {reason}")
        elif ", " in details:  # what a thing is among several comes first
            yield replace(line, text=f"{short} ({details.partition(', ')[0]})")
        yield replace(line, text=short)


def _shortened(answer: Sequence[int], lines: SessionLines) -> Iterator[Sequence[int]]:
    """Yield an answer that was agreed to with less and less of it: without the end that only asks for it, then the
    lines that name something, of these the last ones."""
    if answer and not names_something(lines.text(answer[-1])):
        answer = answer[:-1]
        yield answer
    named = [line for line in answer if names_something(lines.text(line))]
    yield from (named[first:] for first in range(max(0, len(named) - _MOST_AGREED), len(named)))


def _said_again(lines: SessionLines, request: int, earlier: Sequence[int], end: int) -> list[int]:
    """Return the lines of an answer that tell of names in the request behind it which its end does not have."""
    wanted = lines.names_of(request).difference(lines.terms[end])
    found: list[int] = []
    for line in earlier:
        if not wanted.isdisjoint(terms := lines.terms[line]):
            wanted.difference_update(terms)
            found.append(line)
    return found[-_END:]
