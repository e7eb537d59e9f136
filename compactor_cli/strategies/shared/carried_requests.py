"""The words that a summary repeats verbatim: what the user said, and the standing instructions that a harness inserted.
They come from the messages that the summary replaces and from earlier summaries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from compactor_cli.model.group import Group
from compactor_cli.model.injected import is_instructing, is_instructions
from compactor_cli.model.message import Message
from compactor_cli.model.plan import Decision, Edit, Quote
from compactor_cli.model.planning import DECIDED, FIRST_REQUEST, LAST_REQUEST, PlanInput
from compactor_cli.model.replies import reply_in
from compactor_cli.model.talking import is_interjection, people_talk, telling_requests
from compactor_cli.strategies.shared.abridged import LEFT_OUT, KeptRequest, marked
from compactor_cli.strategies.shared.chats import is_working_chat
from compactor_cli.strategies.shared.request_values import Rate, rate_by, rate_needed, taken_up_in
from compactor_cli.strategies.shared.requests import HEADING, REQUEST_CUT, Request, choose_requests
from compactor_cli.strategies.shared.rooms import BINDING_SHARE, INSTRUCTIONS_SHARE
from compactor_cli.strategies.shared.time_order import can_move
from compactor_cli.summary_text.excerpts import INSTRUCTIONS, user_named
from compactor_cli.summary_text.headers import quotes_lines
from compactor_cli.summary_text.reading import quoted_words
from compactor_cli.summary_text.verbatim import Kind, carried, earlier_label, label_of, speaker_in

SHARE = 0.45
"""Share of the room for the words of the user."""
_SMALL_SHARE, _SMALL = 0.65, 300
"""Their share of a small room, and the most tokens that this share gives: in larger rooms the usual one gives more."""
_OPENING = 12
"""Maximum number of lines with which a text says that it holds standing instructions."""
_REQUEST = "request of the user"
_LEAST_SAVED = 0.25
"""Minimum share of a request that a cut has to save. Otherwise the cut request says less in almost as many tokens,
because its mark takes some of them."""
_MARK = 20
"""Maximum tokens of that mark. A cut that saves more than this is always worth it."""
_KEPT_BEFORE = 0.8
"""Minimum value of what an earlier round kept, because it was chosen before."""


def request_room(room: int) -> int:
    """Return the tokens for the words of the user."""
    return max(int(SHARE * room), min(int(_SMALL_SHARE * room), _SMALL))


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


def repeatable(inputs: PlanInput, fixed: Collection[int]) -> Repeatable:
    """Return the user's words and the standing instructions that may be repeated, except those in groups that stay
    anyway (`fixed`)."""
    earlier: list[tuple[str, str]] = []
    new: list[Request] = []
    standing: list[Request] = []
    first_stays = last_stays = False
    begins: Request | None = None
    """The first request, if it is a separate message before what earlier rounds summarized."""
    newest = next((m.index for m in reversed(telling_requests(inputs.messages))), -1)
    for group in inputs.groups:
        for message in (inputs.messages[i] for i in group.messages):
            if group.index in fixed:
                reason = inputs.protected.get(group.index)
                stays = reason == DECIDED and message.origin == "request"
                first_stays = first_stays or reason == FIRST_REQUEST or (stays and not (earlier or new))
                last_stays = last_stays or reason == LAST_REQUEST or (stays and message.index == newest)
            elif message.origin == "summary":
                repeats = _carried(message)
                first_stays = first_stays or bool(earlier and repeats)
                earlier += repeats
            elif is_instructing(message):
                standing += [Request(message.index, message.text("text"))] if can_move(message) else []
            else:
                text = message.text("text") if message.origin == "request" and can_move(message) else reply_in(message)
                new += [Request(message.index, text)] if text.strip() else []
                begins = new[0] if new and not earlier else begins
    old = [(number - len(earlier), label, text) for number, (label, text) in enumerate(earlier)]
    by_speaker = {
        speaker: [Request(number, text) for number, label, text in old if speaker_in(label) == speaker]
        for speaker in ("user", INSTRUCTIONS)
    }
    requests = by_speaker["user"] + new
    instructions = by_speaker[INSTRUCTIONS] + standing
    known = {request.message for request in (*requests, *instructions)}
    numbers = {request.message: inputs.messages[request.message].number for request in (*new, *standing)}
    labels = {number: label for number, label, _ in old}
    labels |= {
        request.message: label_of(numbers[request.message], user_named(inputs.messages[request.message].speaker))
        for request in new
    }
    labels |= {request.message: label_of(numbers[request.message], INSTRUCTIONS) for request in standing}
    talk = people_talk(inputs.messages)
    if talk:
        requests = [request for request in requests if not is_interjection(request.text)] or requests
    opening = begins if begins in requests else next(iter(requests), None)
    return Repeatable(
        requests=tuple(requests),
        instructions=tuple(instructions),
        labels=labels,
        others=tuple((number, Quote("turn", None, text, label)) for number, label, text in old if number not in known),
        first=opening.message if opening and not (first_stays or talk) else None,
        last=requests[-1].message if requests and not last_stays else None,
        numbers=numbers,
    )


def _carried(summary: Message) -> list[tuple[str, str]]:
    """Return the (label, text) pairs that an earlier summary repeats, in its order."""
    text = summary.text("text")
    repeats = carried(text)
    pairs = [(earlier_label(label), words) for label, words in repeats.turns]
    if quotes_lines(text):
        quoted = [words for speaker in ("user", INSTRUCTIONS) for words in quoted_words(text, speaker)]
        pairs += [(earlier_label(words.label), words.text) for words in sorted(quoted, key=lambda words: words.start)]
    if repeats.first:
        pairs.insert(0, ("earlier user", repeats.first))
    if repeats.last and repeats.last != repeats.first:
        pairs.append(("earlier user", repeats.last))
    return pairs


def choose(inputs: PlanInput, words: Repeatable, room: int, *, fills: bool = False) -> dict[int, KeptRequest]:
    """Return what is kept of the requests in `room` tokens, by their numbers. `fills`: as in `choose_requests`."""
    rate = None
    if inputs.profile is not None and is_working_chat(inputs.messages):
        rate = rate_needed(inputs.messages, inputs.profile.needed)
    elif inputs.profile is not None:
        rate = rate_by(inputs.messages, inputs.profile.talk)
    return _chosen(inputs, words.requests, room, rate, awaits=words.last is not None, fills=fills)


def choose_instructions(inputs: PlanInput, words: Repeatable, room: int) -> dict[int, KeptRequest]:
    """Return what is kept of standing instructions in their share of a room, by the numbers of their messages."""
    rate = rate_by(inputs.messages, inputs.profile.binding) if inputs.profile is not None else None
    whole = sum(inputs.count(told.text) + HEADING for told in words.instructions) <= int(INSTRUCTIONS_SHARE * room)
    share = INSTRUCTIONS_SHARE if whole else BINDING_SHARE
    return _chosen(inputs, words.instructions, int(share * room), rate, places=False)


def _chosen(
    inputs: PlanInput,
    requests: Sequence[Request],
    room: int,
    rate: Rate | None,
    *,
    places: bool = True,
    awaits: bool = False,
    fills: bool = False,
) -> dict[int, KeptRequest]:
    rated = carrying_on(rate, lambda message: message < 0) if rate else None
    taken_up = taken_up_in(inputs.messages)
    chosen = choose_requests(
        requests, room, inputs.count, rated, places=places, taken_up=taken_up, awaits=awaits, fills=fills
    )
    return {request.message: request for request in chosen}


def carrying_on(rate: Rate, is_carried: Callable[[int], bool]) -> Rate:
    """Return a rating function that gives sentences kept by an earlier round at least `_KEPT_BEFORE`. `is_carried`:
    returns whether the request with a number comes from such a round."""

    def rated(sentences: Sequence[tuple[int, str]]) -> list[float]:
        values = rate(sentences)
        told = zip(values, sentences, strict=True)
        return [max(value, _KEPT_BEFORE) if is_carried(request) else value for value, (request, _) in told]

    return rated


def quotes_of(words: Repeatable, chosen: Mapping[int, KeptRequest], *, ends: bool) -> tuple[Quote, ...]:
    """Return the quotes that a summary repeats, in time order. `ends`: the newest request has a separate place in
    it."""
    last = words.last if ends else None
    numbered: list[tuple[int, Quote]] = list(words.others)
    for number, kept in chosen.items():
        message = number if number >= 0 else None
        kind: Kind = "only" if number == last == words.first else "turn"
        if kind == "turn" and number in (words.first, last):
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
    told = tuple(Request(at, part.text) for at, (_, part) in parts.items())
    kept = choose_instructions(inputs, replace(NO_WORDS, instructions=told), room)
    found: list[Decision] = []
    for group in groups:
        at = group.messages[0]
        if at in kept:
            number, part = parts[at]
            stays = replace(kept[at], text=_opened(part.text, kept[at].text))
            decision = _as_far_as_kept(inputs, group, stays, number)
            found += [decision] if decision else []
    return found


def _opened(text: str, kept: str) -> str:
    """Return the kept text of standing instructions below the lines that say that they are instructions."""
    lines = text.split("\n")
    opening = next((head for n in range(1, _OPENING + 1) if is_instructions(head := "\n".join(lines[:n]))), "")
    if kept.startswith(opening):
        return kept
    return "\n".join([opening, *([] if kept.startswith(LEFT_OUT) else [LEFT_OUT]), kept])


def in_place(inputs: PlanInput, group: Group, kept: KeptRequest | None) -> Decision | None:
    """Return the decision on a request that is kept in place. Return None when it cannot be cut there, or when nothing
    of it is kept."""
    if kept is None or len(group.messages) > 1:
        return None
    texts = [i for i, part in enumerate(inputs.messages[group.messages[0]].parts) if part.text.strip()]
    decision = _as_far_as_kept(inputs, group, kept, texts[0]) if kept.whole or len(texts) == 1 else None
    if decision is not None and group.tokens - decision.tokens < min(_LEAST_SAVED * group.tokens, _MARK):
        return Decision.whole(group, _REQUEST)
    return decision


def _as_far_as_kept(inputs: PlanInput, group: Group, kept: KeptRequest, i: int) -> Decision | None:
    """Return the decision on a message with part `i` cut to what is kept of it, or None if that saves no tokens."""
    if kept.whole:
        return Decision.whole(group, _REQUEST)
    part = inputs.messages[group.messages[0]].parts[i]
    if part.place is None:
        return None
    text = marked(kept, part.text)
    edit = Edit(group.messages[0], i, text, inputs.count(text))
    tokens = group.tokens - part.tokens + edit.tokens
    if tokens >= group.tokens:
        return None
    return Decision(group.index, "shortened", tokens, REQUEST_CUT, (edit,))
