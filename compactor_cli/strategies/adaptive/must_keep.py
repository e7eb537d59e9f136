"""What comes before the most valuable lines: the user's requests, the text right before them, and the state of work."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import dropwhile, groupby

from msgspec import Struct

from compactor_cli.features.after_request import answers_before_turns
from compactor_cli.features.lines import SessionLines
from compactor_cli.features.work.calls import runs_command
from compactor_cli.features.work.endings import has_failed
from compactor_cli.features.work.ledger import call_arguments
from compactor_cli.features.work.sql_effects import sql_script
from compactor_cli.features.work.sql_statements import sql_changes
from compactor_cli.features.work.tool_names import is_acting
from compactor_cli.model.injected import is_agent_summary, is_instructions, local_commands
from compactor_cli.model.message import Message
from compactor_cli.model.pairing import Pairing, PartIndex
from compactor_cli.model.replies import MAX_ANSWER_TOKENS, reply_span
from compactor_cli.model.talking import substantial_requests
from compactor_cli.strategies.adaptive.state_forms import forms, joined
from compactor_cli.strategies.shared.rooms import agent_summary_share, is_followed
from compactor_cli.summary_text.excerpts import INSTRUCTIONS
from compactor_cli.summary_text.reading import earlier_words
from compactor_cli.summary_text.state_block import COUNTS_FILES, rest_lines, unlisted_counts, with_whole_list
from compactor_cli.summary_text.state_line import Kind, StateLine, count_things, failed_times
from compactor_cli.text.account_parts import ranked_paragraphs
from compactor_cli.text.chosen import NEVER
from compactor_cli.text.clauses import LEAD_ENDS
from compactor_cli.text.identifiers import identifiers
from compactor_cli.text.page_trees import typed_span
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.picked_items import picked_items
from compactor_cli.text.sentences import INNER_QUESTION, ITEM_MARK

_MAX_SHORT_TOKENS = 12
"""Maximum tokens of a user's message of few words."""
_MAX_ASKING_TOKENS = 150
"""Tokens of a message up to which a question in it is asked by its user."""
_MAX_AGREED_LINES = 40
"""Maximum number of lines of such an answer if it does not fit as a whole."""
_END_LINES = 2
"""Number of lines at the end of the agent's text that say what the user answers."""
BULLET_TOKENS = 2
"""Tokens of a line of the state besides its text."""
_MAX_DETAIL_SHARE = 0.4
"""Share of the room for the state up to which a failure is shown with all details if a shorter line says why."""
_PLAIN_FORMS = 2
"""Number of forms of a state line that do not say why something failed: with all details, and with none."""
_THINKS = compiled_later(r"(?:^|[_-])(?:think|thought|reason|reflect)", re.IGNORECASE)
"""Names of tools that an agent only thinks with."""

_COURTESY = compiled_later(
    r"\b(?:let me know|feel free|(?:anything|something) else|(?:further|more|other) (?:assistance|help|questions)"
    r"|happy to (?:help|assist)|here to (?:help|assist)|thank you for)\b",
    re.IGNORECASE,
    (
        *("let me know", "feel free", "thing else", "assistance", "r help", "e help", "r questions", "e questions"),
        *("happy to ", "here to ", "thank you for"),
    ),
)
"""Parts of polite closing sentences, which do not add to an answer."""


class PieceSpan(Struct, frozen=True):
    """Words of the user, or words kept like them, as a span of a piece."""

    piece: int
    start: int
    end: int


def find_requests(messages: Sequence[Message], lines: SessionLines) -> Iterator[PieceSpan]:
    """Yield what the user asked, in order, including answers to calls, words below a page, and quotes in a summary."""
    telling = {message.index for message in substantial_requests(messages)}
    below = _typed_below_pages(messages, lines)
    for number in sorted(lines.first_of):
        piece = lines.session.pieces[number]
        message = messages[piece.message]
        if message.index in telling and piece.is_speech:
            yield PieceSpan(number, 0, len(piece.text))
        elif message.parts[piece.part].kind == "tool_result" and (words := reply_span(piece.text)):
            yield PieceSpan(number, *words)
        elif message.origin == "summary":
            yield from _quoted_spans(message, piece.part, number, "user")
        elif number in below:
            yield PieceSpan(number, *below[number])


def _typed_below_pages(messages: Sequence[Message], lines: SessionLines) -> dict[int, tuple[int, int]]:
    """Return the spans of words typed below a page that a harness shows, by piece. Words found below several pages come
    from the harness itself."""
    pieces = lines.session.pieces
    pages = (number for number in lines.first_of if messages[pieces[number].message].origin == "injected")
    spans = {number: span for number in pages if (span := typed_span(pieces[number].text))}
    texts = {number: pieces[number].text[start:end] for number, (start, end) in spans.items()}
    counts = Counter(texts.values())
    return {number: span for number, span in spans.items() if counts[texts[number]] == 1}


def find_instructions(messages: Sequence[Message], lines: SessionLines) -> Iterator[PieceSpan]:
    """Yield standing instructions that a harness inserted, such as those of CLAUDE.md, and their quotes in earlier
    summaries."""
    for number in sorted(lines.first_of):
        piece = lines.session.pieces[number]
        message = messages[piece.message]
        if message.origin == "injected" and piece.is_speech and is_instructions(piece.text):
            yield PieceSpan(number, 0, len(piece.text))
        elif message.origin == "summary":
            yield from _quoted_spans(message, piece.part, number, INSTRUCTIONS)


def agent_summary_spans(messages: Sequence[Message], lines: SessionLines) -> tuple[list[PieceSpan], float]:
    """Return the paragraphs of the newest summary that an agent had written of its session, and its share of the room.
    The most important paragraphs come last; of the others, the last ones say where the work stood."""
    for number in sorted(lines.first_of, reverse=True):
        piece = lines.session.pieces[number]
        if messages[piece.message].origin == "injected" and piece.is_speech and is_agent_summary(piece.text):
            ranks = ranked_paragraphs(piece.text, is_followed=is_followed(messages, piece.message))
            ranked_spans = sorted((-rank, *span) for span, rank in ranks if rank != NEVER)
            return [PieceSpan(number, *span) for _, *span in ranked_spans], agent_summary_share(messages, piece.message)
    return [], 0.0


def _quoted_spans(message: Message, part: int, number: int, speaker: str) -> Iterator[PieceSpan]:
    """Yield what a summary quotes of a speaker word for word."""
    for words in earlier_words(message.parts[part].text, speaker):
        yield PieceSpan(number, words.start, words.end)


def fit_answers(
    budget: float, answers: Iterable[list[int]], lines: SessionLines, cost: Callable[[int], int]
) -> Iterator[list[int]]:
    """Yield the lines of answers that fit into `budget` tokens. Lines between the first and the last are dropped first,
    then the last, and a question at the very end only as a last resort. `cost`: tokens that a line adds to earlier
    ones."""
    for answer in answers:
        costs = [*map(cost, answer)]
        asks = [INNER_QUESTION.search(lines.text(line)) is not None for line in answer]
        end = len(answer) - 1
        drop_order = sorted(range(len(answer)), key=lambda i: (asks[i], i in (0, end) and not asks[i], not i, i))
        left, used = set(range(len(answer))), sum(costs)
        for i in drop_order if used > budget else ():
            left.discard(i)
            used -= costs[i]
            if used <= budget:
                break
        budget -= used
        gone = {answer[i] for i in range(len(answer)) if i not in left}
        # a label says nothing without what it introduces
        labels = {
            i for i in left if answer[i] + 1 in gone and not asks[i] and lines.text(answer[i]).endswith(LEAD_ENDS)
        }
        yield [answer[i] for i in sorted(left - labels)]


def answers(messages: Sequence[Message], lines: SessionLines) -> Iterator[list[int]]:
    """Yield the lines of the agent's text before each request that the request depends on: the first line, which
    answers the previous request, the last line, and before it the lines with names that the request repeats, such as an
    accepted offer, or else the line before. The newest request comes first, then requests of few words, which say
    nothing without the answer, and then the others, each from the newest."""
    turns = answers_before_turns(messages)

    def sort_key(turn: tuple[int, int]) -> tuple[bool, bool, int]:
        return turn != turns[-1], messages[turn[1]].tokens > _MAX_SHORT_TOKENS, -turn[1]

    for index, request in sorted(turns, key=sort_key):
        if speech := speech_of(lines, index):
            end = _closing_line(speech, lines)
            if picked_lines(messages[request].text("text"), lines, speech):  # it stays with the reply
                yield [end]
                continue
            others = [line for line in speech if line != end]
            before = [line for line in others if line < end][1 - _END_LINES :]
            yield sorted({*_opening(speech, lines), *(_repeated_lines(lines, request, others, end) or before), end})


def request_context(
    messages: Sequence[Message], lines: SessionLines, stays: Callable[[int], bool]
) -> Iterator[list[int]]:
    """Yield the beginning of the agent's answer to the newest request if that asks something: without it, the request
    would look unanswered. Then yield the items that requests pick from what was said before them, the newest first.
    `stays`: returns whether something of a request is kept: "(1), please" says nothing without its item."""
    yield _answer_opening(messages, lines)
    for index, request in sorted(answers_before_turns(messages), key=lambda turn: -turn[1]):
        if stays(request) and (picked := picked_lines(messages[request].text("text"), lines, speech_of(lines, index))):
            yield picked


def _answer_opening(messages: Sequence[Message], lines: SessionLines) -> list[int]:
    """Return the first line of the agent's text after the newest request if the request asks something and the line
    names something. Long requests are skipped, because questions in them belong to forms or pasted text."""
    newest = max((m.index for m in messages if m.role == "user" and m.origin == "request"), default=-1)
    if (
        newest < 0
        or messages[newest].tokens > _MAX_ASKING_TOKENS
        or not INNER_QUESTION.search(messages[newest].text("text"))
    ):
        return []
    speeches = (speech_of(lines, m.index) for m in messages if m.index > newest and m.role == "assistant")
    opening = list(_opening(next(filter(None, speeches), []), lines))
    return opening if any(names_something(lines.text(line)) for line in opening) else []


def agreed_parts(messages: Sequence[Message], lines: SessionLines) -> Iterator[tuple[Sequence[int], bool]]:
    """Yield parts of the agent's text before the newest request, and whether the request picks them: the whole text if
    the request is short enough to agree to it, then what it picks, and then less and less of the text."""
    index, request = max(answers_before_turns(messages), key=lambda turn: turn[1], default=(-1, -1))
    if request < 0:
        return
    speech, reply = speech_of(lines, index), messages[request]
    agrees = reply.tokens <= MAX_ANSWER_TOKENS
    if agrees and speech:
        yield speech, False
    if picked := picked_lines(reply.text("text"), lines, speech):
        yield picked, True
    if agrees:
        yield from ((part_lines, False) for part_lines in _shorter_answers(speech, lines) if part_lines)


def picked_lines(reply: str, lines: SessionLines, answer: Iterable[int]) -> list[int]:
    """Return the lines of an answer that belong to items which a reply picks by number."""
    found: list[int] = []
    for number, piece_lines in groupby(answer, key=lines.piece_of.__getitem__):
        spans = picked_items(lines.session.pieces[number].text, reply)
        picked = {line for span in spans for line in lines.lines_overlapping(number, *span)}
        found += [line for line in piece_lines if line in picked]
    return found


def failed_call_lines(
    state: Sequence[StateLine], messages: Sequence[Message], lines: SessionLines, pairing: Pairing
) -> list[int]:
    """Return the lines of the newest call that acts outside the session and failed for good: it has to be made again,
    with other arguments."""
    failed = [line.message for line in state if line.kind == "effect" and line.open and failed_times(line.text)[0]]
    newest = max(failed, default=-1)
    calls = {
        call
        for (index, part), call in pairing.call_of.items()
        if messages[index].index == newest and has_failed(messages[index].parts[part]) and _may_act(messages, call)
    }
    found = (line for i in sorted({i for i, _ in calls}) for line in lines.of_message(messages[i].index))
    return [line for line in found if (lines.piece_at(line).message, lines.piece_at(line).part) in calls]


def _may_act(messages: Sequence[Message], location: PartIndex) -> bool:
    """Return whether a call is of a tool that acts outside the session, runs a command, or changes a database."""
    call = messages[location[0]].parts[location[1]]
    arguments = call_arguments(call)
    return is_acting(call.name, arguments) or runs_command(call) or bool(sql_changes(sql_script(call.name, arguments)))


def conclusion_lines(messages: Sequence[Message], lines: SessionLines) -> list[int]:
    """Return the first line and the end of the agent's text after all else, or of its thought if a tool notes that."""
    local = local_commands(messages)
    last = next((message for message in reversed(messages) if not (message.results or message.index in local)), None)
    if last is None or last.role != "assistant" or last.origin == "summary":
        return []
    if last.calls:
        return list(lines.of_message(last.index))[-1:] if all(_THINKS.search(call.name) for call in last.calls) else []
    speech = speech_of(lines, last.index)
    return [*speech[:-_END_LINES][:1], *speech[-_END_LINES:]]


def _opening(speech: Sequence[int], lines: SessionLines) -> Sequence[int]:
    """Return the first line of an answer, with the next one if the first only introduces it. Return an empty sequence
    for a courtesy."""
    if not speech or _is_courtesy(lines.text(speech[0])):
        return []
    return speech[: 2 if lines.text(speech[0]).endswith(LEAD_ENDS) else 1]


def _closing_line(speech: Sequence[int], lines: SessionLines) -> int:
    """Return the line that an answer leads up to: its last line. If courtesies follow it, return the one before them,
    or the question before the list that ends there."""
    lines_before = list(dropwhile(lambda line: _is_courtesy(lines.text(line)), reversed(speech)))
    if len(lines_before) in (0, len(speech)):
        return speech[-1]
    for line in lines_before:
        text = lines.text(line).rstrip()
        if INNER_QUESTION.search(text):
            return line
        if not ITEM_MARK.match(text) and not text.endswith(LEAD_ENDS):
            break
    return lines_before[0]


def _is_courtesy(text: str) -> bool:
    """Return whether a line is only a courtesy: it asks nothing, and names nothing."""
    return _COURTESY.search(text) is not None and not INNER_QUESTION.search(text) and not names_something(text)


def names_something(text: str) -> bool:
    """Return whether a text contains a number or a name."""
    return any(map(str.isdigit, text)) or bool(identifiers(text))


def speech_of(lines: SessionLines, message: int) -> list[int]:
    """Return the lines of a message's text that say something."""
    message_lines = (line for line in lines.of_message(message) if line not in lines.silent)
    return [line for line in message_lines if lines.piece_at(line).is_speech and lines.has_words(line)]


def fit_state(
    room: float, state: Sequence[StateLine], count: Callable[[str], int], is_seen: Callable[[StateLine], bool]
) -> tuple[StateLine, ...]:
    """Return the state lines that fit into `room` tokens, without those that the reader sees anyway. The task list is
    left out only if all of its tasks are seen. A line that does not fit is skipped. That something took place comes
    before details of anything else, because a reader would otherwise do it again. The last line counts those that do
    not fit, unless it would be the only one."""
    lines = with_whole_list(state, lambda line: not is_seen(line))
    costly = [_with_costs(line, count) for line in lines]
    is_crowded = sum(costs[0][1] for costs in costly) > room
    if sum(costs[-1][1] for costs in costly) > room:
        lines = tuple(joined(lines))
        costly = [_with_costs(line, count) for line in lines]
    least = [_least_cost(costs) for costs in costly]
    reserved = sum(cost for line, cost in zip(lines, least, strict=True) if line.kind == "effect")
    kept: list[StateLine] = []
    left_out: Counter[Kind] = Counter()
    left = room
    for line, costs, shortest in zip(lines, costly, least, strict=True):
        if counted := unlisted_counts(line.text):
            left_out += counted
            continue
        reserved -= shortest if line.kind == "effect" else 0
        # why it failed says more than its purpose, and the amounts of all acts more than the text of one
        is_long = line.open and len(costs) > _PLAIN_FORMS and costs[0][1] > _MAX_DETAIL_SHARE * room
        allowed = costs[1:] if is_long or (is_crowded and line.brief) else costs
        fitting = ((form, cost) for form, cost in allowed if cost <= (left if cost <= shortest else left - reserved))
        if fitted := next(fitting, None):
            kept.append(fitted[0])
            left -= fitted[1]
        left_out[line.kind] += count_things(line) - (count_things(fitted[0]) if fitted else 0)
    if left_out := +left_out:
        small = room < COUNTS_FILES
        first = kept[:1]
        kept += [*rest_lines(kept, left_out, left, lambda text: count(text) + BULLET_TOKENS, small=small)]
        if len(kept) == 1 and unlisted_counts(kept[0].text):
            return tuple(first)  # "1 more action" alone tells nothing
    elif is_crowded:
        whole = {costs[1][0].text: costs for line, costs in zip(lines, costly, strict=True) if line.brief}
        kept = list(_restore_details(kept, whole, left))
    return tuple(kept)


def _with_costs(line: StateLine, count: Callable[[str], int]) -> list[tuple[StateLine, int]]:
    return [(form, count(form.text) + BULLET_TOKENS) for form in forms(line)]


def _least_cost(costs: Sequence[tuple[StateLine, int]]) -> int:
    """Return the tokens of the shortest form that still names every thing that the line is about."""
    things = count_things(costs[0][0])
    return next(cost for form, cost in reversed(costs) if count_things(form) == things)


def _restore_details(
    kept: Iterable[StateLine], whole: Mapping[str, Sequence[tuple[StateLine, int]]], left: float
) -> Iterator[StateLine]:
    """Yield state lines with all details as long as these fit into what is left. `whole`: the forms, with their costs,
    of lines that have short details only."""
    for line in kept:
        (full, cost), (_, brief_cost) = whole[line.text][:2] if line.text in whole else ((line, 0), (line, 0))
        fits = cost - brief_cost <= left
        left -= cost - brief_cost if fits else 0
        yield full if fits else line


def _shorter_answers(answer: Sequence[int], lines: SessionLines) -> Iterator[Sequence[int]]:
    """Yield less and less of an answer that was agreed to: without an end that only asks for agreement, then the lines
    that name something, and of these fewer and fewer of the last ones."""
    if answer and not names_something(lines.text(answer[-1])):
        answer = answer[:-1]
        yield answer
    named = [line for line in answer if names_something(lines.text(line))]
    yield from (named[first:] for first in range(max(0, len(named) - _MAX_AGREED_LINES), len(named)))


def _repeated_lines(lines: SessionLines, request: int, earlier: Sequence[int], end: int) -> list[int]:
    """Return the lines of an answer that contain names of the request after it which the answer's end lacks."""
    missing_names = lines.names_of(request).difference(lines.terms[end])
    found: list[int] = []
    for line in earlier:
        if not missing_names.isdisjoint(terms := lines.terms[line]):
            missing_names.difference_update(terms)
            found.append(line)
    return found[-_END_LINES:]
