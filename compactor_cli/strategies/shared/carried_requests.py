"""The words that a summary repeats verbatim: what the user said, and the standing instructions that a harness inserted.
They come from the messages that the summary replaces and from earlier summaries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from compactor_cli.model.group import Group
from compactor_cli.model.injected import has_instructions, is_instructions
from compactor_cli.model.message import Message
from compactor_cli.model.plan import Decision, Edit, Quote
from compactor_cli.model.planning import DECIDED, FIRST_REQUEST, LAST_REQUEST, PlanInput
from compactor_cli.model.replies import reply_in
from compactor_cli.model.talking import is_between_people, is_interjection, substantial_requests
from compactor_cli.strategies.shared.chats import is_working_chat
from compactor_cli.strategies.shared.kept_requests import ELLIPSIS, KeptRequest, with_cut_mark
from compactor_cli.strategies.shared.request_values import SentenceRater, echo_rater, learned_rater, needed_rater
from compactor_cli.strategies.shared.requests import LABEL_TOKENS, REQUEST_CUT, Request, choose_requests
from compactor_cli.strategies.shared.rooms import BINDING_SHARE, INSTRUCTIONS_SHARE
from compactor_cli.strategies.shared.time_order import can_move
from compactor_cli.summary_text.excerpts import INSTRUCTIONS, user_named
from compactor_cli.summary_text.headers import quotes_lines
from compactor_cli.summary_text.reading import quoted_words
from compactor_cli.summary_text.verbatim import Kind, carried, earlier_label, label_of, speaker_in

REQUEST_SHARE = 0.45
"""Share of the room for the words of the user."""
_SMALL_SHARE, _MAX_SMALL_TOKENS = 0.65, 300
"""Their share of a small room, and the most tokens that this share gives: in larger rooms the usual one gives more."""
_MAX_OPENING_LINES = 12
"""Maximum number of lines with which a text says that it holds standing instructions."""
_REQUEST_REASON = "request of the user"
_MIN_SAVED_SHARE = 0.25
"""Minimum share of a request that a cut has to save. Otherwise the cut request says less in almost as many tokens,
because its mark takes some of them."""
_MAX_MARK_TOKENS = 20
"""Maximum tokens of that mark. A cut that saves more than this is always worth it."""
_MIN_CARRIED_VALUE = 0.8
"""Minimum value of what an earlier round kept, because it was chosen before."""


def request_room(room: int) -> int:
    """Return the tokens for the words of the user."""
    return max(int(REQUEST_SHARE * room), min(int(_SMALL_SHARE * room), _MAX_SMALL_TOKENS))


class Repeatable(Struct, frozen=True):
    """All words that a summary may repeat, in time order. Those of earlier rounds have negative numbers."""

    requests: tuple[Request, ...]
    instructions: tuple[Request, ...]
    """What a harness inserted for the agent to follow, such as AGENTS.md."""
    labels: Mapping[int, str]
    """Number -> the label before it when it is repeated as a turn."""
    others: tuple[tuple[int, Quote], ...]
    """Other messages that earlier summaries repeat. They stay as they are."""
    first: int | None
    """Number of the request that the session began with, unless it stays at its place, or people only talk: the first
    words of a meeting are no task."""
    last: int | None
    """Number of the newest request, unless it stays at its place."""
    numbers: Mapping[int, int] = field(default_factory=dict)
    """Number -> the number of its message in the input."""


NO_WORDS = Repeatable((), (), {}, (), None, None)


def find_repeatable(inputs: PlanInput, fixed: Collection[int]) -> Repeatable:
    """Return the user's words and the standing instructions that may be repeated, except those in groups that stay
    anyway (`fixed`)."""
    earlier: list[tuple[str, str]] = []
    new_requests: list[Request] = []
    new_instructions: list[Request] = []
    first_stays = last_stays = False
    first_request: Request | None = None
    """The first request, if it is a separate message before what earlier rounds summarized."""
    newest = next((m.index for m in reversed(substantial_requests(inputs.messages))), -1)
    for group in inputs.groups:
        for message in (inputs.messages[i] for i in group.messages):
            if group.index in fixed:
                reason = inputs.protected.get(group.index)
                stays = reason == DECIDED and message.origin == "request"
                first_stays = first_stays or reason == FIRST_REQUEST or (stays and not (earlier or new_requests))
                last_stays = last_stays or reason == LAST_REQUEST or (stays and message.index == newest)
            elif message.origin == "summary":
                turns = _carried_turns(message)
                first_stays = first_stays or bool(earlier and turns)
                earlier += turns
            elif has_instructions(message):
                new_instructions += [Request(message.index, message.text("text"))] if can_move(message) else []
            else:
                text = message.text("text") if message.origin == "request" and can_move(message) else reply_in(message)
                new_requests += [Request(message.index, text)] if text.strip() else []
                first_request = new_requests[0] if new_requests and not earlier else first_request
    earlier_turns = [(number - len(earlier), label, text) for number, (label, text) in enumerate(earlier)]
    by_speaker = {
        speaker: [Request(number, text) for number, label, text in earlier_turns if speaker_in(label) == speaker]
        for speaker in ("user", INSTRUCTIONS)
    }
    requests = by_speaker["user"] + new_requests
    instructions = by_speaker[INSTRUCTIONS] + new_instructions
    known = {request.message for request in (*requests, *instructions)}
    numbers = {
        request.message: inputs.messages[request.message].number for request in (*new_requests, *new_instructions)
    }
    labels = {number: label for number, label, _ in earlier_turns}
    labels |= {
        request.message: label_of(numbers[request.message], user_named(inputs.messages[request.message].speaker))
        for request in new_requests
    }
    labels |= {request.message: label_of(numbers[request.message], INSTRUCTIONS) for request in new_instructions}
    talk = is_between_people(inputs.messages)
    if talk:
        requests = [request for request in requests if not is_interjection(request.text)] or requests
    opening = first_request if first_request in requests else next(iter(requests), None)
    return Repeatable(
        requests=tuple(requests),
        instructions=tuple(instructions),
        labels=labels,
        others=tuple(
            (number, Quote("turn", None, text, label)) for number, label, text in earlier_turns if number not in known
        ),
        first=opening.message if opening and not (first_stays or talk) else None,
        last=requests[-1].message if requests and not last_stays else None,
        numbers=numbers,
    )


def _carried_turns(summary: Message) -> list[tuple[str, str]]:
    """Return the (label, text) pairs that an earlier summary repeats, in its order."""
    text = summary.text("text")
    turns = carried(text)
    pairs = [(earlier_label(label), words) for label, words in turns.turns]
    if quotes_lines(text):
        quoted = [words for speaker in ("user", INSTRUCTIONS) for words in quoted_words(text, speaker)]
        pairs += [(earlier_label(words.label), words.text) for words in sorted(quoted, key=lambda words: words.start)]
    if turns.first:
        pairs.insert(0, ("earlier user", turns.first))
    if turns.last and turns.last != turns.first:
        pairs.append(("earlier user", turns.last))
    return pairs


def choose_repeated(inputs: PlanInput, words: Repeatable, room: int, *, fills: bool = False) -> dict[int, KeptRequest]:
    """Return what is kept of the requests in `room` tokens, by their numbers. `fills`: as in `choose_requests`."""
    rate = None
    if inputs.profile is not None and is_working_chat(inputs.messages):
        rate = needed_rater(inputs.messages, inputs.profile.needed)
    elif inputs.profile is not None:
        rate = learned_rater(inputs.messages, inputs.profile.talk)
    return _choose_kept(inputs, words.requests, room, rate, awaits=words.last is not None, fills=fills)


def choose_instructions(inputs: PlanInput, words: Repeatable, room: int) -> dict[int, KeptRequest]:
    """Return what is kept of standing instructions in their share of a room, by the numbers of their messages."""
    rate = learned_rater(inputs.messages, inputs.profile.binding) if inputs.profile is not None else None
    fits_whole = sum(inputs.count(instruction.text) + LABEL_TOKENS for instruction in words.instructions) <= int(
        INSTRUCTIONS_SHARE * room
    )
    share = INSTRUCTIONS_SHARE if fits_whole else BINDING_SHARE
    return _choose_kept(inputs, words.instructions, int(share * room), rate, places=False)


def _choose_kept(
    inputs: PlanInput,
    requests: Sequence[Request],
    room: int,
    rate: SentenceRater | None,
    *,
    places: bool = True,
    awaits: bool = False,
    fills: bool = False,
) -> dict[int, KeptRequest]:
    rated = carrying_on(rate, lambda message: message < 0) if rate else None
    taken_up = echo_rater(inputs.messages)
    chosen = choose_requests(
        requests, room, inputs.count, rated, places=places, rate_echo=taken_up, awaits=awaits, fills=fills
    )
    return {request.message: request for request in chosen}


def carrying_on(rate: SentenceRater, is_carried: Callable[[int], bool]) -> SentenceRater:
    """Return a rating function that gives sentences kept by an earlier round at least `_MIN_CARRIED_VALUE`.
    `is_carried`: returns whether the request with a number comes from such a round."""

    def rated(sentences: Sequence[tuple[int, str]]) -> list[float]:
        values = rate(sentences)
        pairs = zip(values, sentences, strict=True)
        return [max(value, _MIN_CARRIED_VALUE) if is_carried(request) else value for value, (request, _) in pairs]

    return rated


def make_quotes(words: Repeatable, chosen: Mapping[int, KeptRequest], *, ends_with_request: bool) -> tuple[Quote, ...]:
    """Return the quotes that a summary repeats, in time order. `ends_with_request`: the newest request has a separate
    place in it."""
    last_number = words.last if ends_with_request else None
    numbered: list[tuple[int, Quote]] = list(words.others)
    for number, kept in chosen.items():
        message = number if number >= 0 else None
        kind: Kind = "only" if number == last_number == words.first else "turn"
        if kind == "turn" and number in (words.first, last_number):
            kind = "first" if number == words.first else "last"
        label = words.labels[number] if kind == "turn" else ""
        numbered.append((number, Quote(kind, message, kept.text, label, words.numbers.get(number))))
    return tuple(quote for _, quote in sorted(numbered, key=lambda pair: pair[0]))


def instructions_in_place(inputs: PlanInput, groups: Sequence[Group], room: int) -> list[Decision]:
    """Return what is kept of messages with standing instructions at their places, in their share of the room. Other
    parts of these messages, such as the date, stay too."""
    parts = {
        group.messages[0]: (number, part)
        for group in groups
        if len(group.messages) == 1
        for number, part in enumerate(inputs.messages[group.messages[0]].parts)
        if is_instructions(part.text)
    }
    instructions = tuple(Request(message, part.text) for message, (_, part) in parts.items())
    kept = choose_instructions(inputs, replace(NO_WORDS, instructions=instructions), room)
    decisions: list[Decision] = []
    for group in groups:
        message = group.messages[0]
        if message in kept:
            number, part = parts[message]
            shown = replace(kept[message], text=_with_opening(part.text, kept[message].text))
            decision = _cut_to_kept(inputs, group, shown, number)
            decisions += [decision] if decision else []
    return decisions


def _with_opening(text: str, kept: str) -> str:
    """Return the kept text of standing instructions below the lines that say that they are instructions."""
    lines = text.split("\n")
    opening = next(
        (head for n in range(1, _MAX_OPENING_LINES + 1) if is_instructions(head := "\n".join(lines[:n]))), ""
    )
    if kept.startswith(opening):
        return kept
    return "\n".join([opening, *([] if kept.startswith(ELLIPSIS) else [ELLIPSIS]), kept])


def keep_in_place(inputs: PlanInput, group: Group, kept: KeptRequest | None) -> Decision | None:
    """Return the decision on a request that is kept in place. Return None when it cannot be cut there, or when nothing
    of it is kept."""
    if kept is None or len(group.messages) > 1:
        return None
    text_positions = [i for i, part in enumerate(inputs.messages[group.messages[0]].parts) if part.text.strip()]
    decision = _cut_to_kept(inputs, group, kept, text_positions[0]) if kept.whole or len(text_positions) == 1 else None
    if decision is not None and group.tokens - decision.tokens < min(_MIN_SAVED_SHARE * group.tokens, _MAX_MARK_TOKENS):
        return Decision.whole(group, _REQUEST_REASON)
    return decision


def _cut_to_kept(inputs: PlanInput, group: Group, kept: KeptRequest, position: int) -> Decision | None:
    """Return the decision on a message with part `position` cut to what is kept of it, or None if that saves no
    tokens."""
    if kept.whole:
        return Decision.whole(group, _REQUEST_REASON)
    part = inputs.messages[group.messages[0]].parts[position]
    if part.place is None:
        return None
    text = with_cut_mark(kept, part.text)
    edit = Edit(group.messages[0], position, text, inputs.count(text))
    tokens = group.tokens - part.tokens + edit.tokens
    if tokens >= group.tokens:
        return None
    return Decision(group.index, "shortened", tokens, REQUEST_CUT, (edit,))
