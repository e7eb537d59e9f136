"""Two transcripts side by side: which messages became what."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.model.message import LEGACY_ID, Message, Part
from compactor_cli.summary_text.headers import CUT_OFF, covered, left_out
from compactor_cli.text.json_values import parse_json
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shorten import IMAGE_NOTE, text_reference

_REFERENCE = compiled_later(r"ctx_[0-9a-f]{8}")
_GAP = compiled_later(r"(?:^|\s)…(?:\s|$)")


class Fate(Struct, frozen=True):
    """What became of the messages: indices of the first transcript, and how many the second has more."""

    kept: tuple[int, ...]
    shortened: tuple[int, ...]
    summarized: tuple[int, ...]
    dropped: tuple[int, ...]
    added: int


class Matches(Struct, frozen=True):
    """The messages of two transcripts in pairs."""

    fate: Fate
    pairs: dict[int, int]
    """Position in the first transcript -> position in the second."""
    stands_for: dict[int, tuple[int, ...]]
    """Position of a summary in the second transcript -> numbers of the messages that it stands for."""


def matches(before: Sequence[Message], after: Sequence[Message]) -> Matches:
    """Match the messages of two transcripts: equal ones, then shortened ones by call ids, by the references that their
    marks carry, and those of a few words by what is left of them; summaries name what they stand for."""
    before, after = [*map(_without_mark, before)], [*map(_without_mark, after)]
    earlier = {message.text() for message in before if message.origin == "summary"}
    known = {*earlier, *map(text_reference, earlier)}
    summaries = {index: numbers for index, message in enumerate(after) if (numbers := _stands_for(message, known))}
    named = {number for numbers in summaries.values() for number in numbers}
    stands_for = {index for index, message in enumerate(before) if message.number in named}
    # of equal messages the ones that no summary stands for are the ones that were kept
    in_turn = sorted(range(len(before)), key=lambda index: (index in stands_for, index))
    kept, rest = _take(after, range(len(after)), _index(before, in_turn, _key))
    left = [index for index in in_turn if index not in kept]
    by_call = _index(before, left, _calls)
    shortened, rest = _take(after, rest, _index(before, left, _imageless))
    by_reference: dict[_Key, deque[int]] = defaultdict(deque)
    for index in left:
        for text in {text for part in before[index].parts for text in _texts(part)}:
            by_reference[before[index].role, text_reference(text)].append(index)
    added = 0
    for place in rest:
        match = None
        if place not in summaries:
            match = _match(after[place], by_call, by_reference, shortened)
            if match is None:
                match = _with_gaps(after[place], before, (index for index in left if index not in shortened))
        if match is None:
            added += 1
        else:
            shortened[match] = place
    gone = set(range(len(before))) - kept.keys() - shortened.keys()
    fate = Fate(
        tuple(sorted(kept)),
        tuple(sorted(shortened)),
        tuple(sorted(gone & stands_for)),
        tuple(sorted(gone - stands_for)),
        added,
    )
    return Matches(fate, kept | shortened, summaries)


def _without_mark(message: Message) -> Message:
    """Return a message without the mark that says what all rounds took away."""
    mark = left_out(message.parts[0].text) if message.parts and message.parts[0].kind == "text" else None
    if mark is None:
        return message
    return replace(message, parts=(replace(message.parts[0], text=mark.text), *message.parts[1:]))


def _stands_for(message: Message, earlier: Collection[str]) -> tuple[int, ...]:
    """Return messages that a summary replaces; none for any other message, and for a summary of an earlier round:
    one that was there before (`earlier` has their texts and references), whole or cut. One that only says what
    was cut off stands for nothing."""
    if message.origin != "summary":
        return ()
    text = message.text()
    if text.endswith(CUT_OFF) or text in earlier or any(name in earlier for name in _REFERENCE.findall(text)):
        return ()
    return covered(message.text("text"))


_Key = tuple[object, ...]


def _index(messages: Sequence[Message], order: Sequence[int], key: Callable[[Message], _Key]) -> dict[_Key, deque[int]]:
    index: dict[_Key, deque[int]] = defaultdict(deque)
    for position in order:
        if key(messages[position]):
            index[key(messages[position])].append(position)
    return index


def _take(
    messages: Sequence[Message], places: Sequence[int], index: dict[_Key, deque[int]]
) -> tuple[dict[int, int], list[int]]:
    """Return positions found in the index, each once, with those of the messages there, and the places of the messages
    that were not found."""
    pairs: dict[int, int] = {}
    rest: list[int] = []
    for place in places:
        waiting = index.get(_key(messages[place]))
        if waiting:
            pairs[waiting.popleft()] = place
        else:
            rest.append(place)
    return pairs, rest


def _key(message: Message) -> _Key:
    return message.role, tuple(_part_key(part) for part in message.parts)


def _part_key(part: Part) -> _Key:
    # some formats repeat the tool's name in the result, and an added result may have it where others have not
    return part.kind, part.name if part.kind == "tool_call" else "", _call_id(part), part.text


def _call_id(part: Part) -> str:
    return "" if part.call_id.startswith(LEGACY_ID) else part.call_id


def _imageless(message: Message) -> _Key:
    """Return the key of a message with its pictures replaced by the note that says so; empty without pictures."""
    if not any(p.images for p in message.parts):
        return ()
    return message.role, tuple(_imageless_part(p) if p.images else _part_key(p) for p in message.parts)


def _imageless_part(part: Part) -> _Key:
    if part.kind == "image":
        return "text", "", "", IMAGE_NOTE
    return part.kind, "", _call_id(part), f"{part.text}\n{IMAGE_NOTE}".strip()


def _calls(message: Message) -> _Key:
    return tuple((p.kind, p.call_id) for p in message.parts if _call_id(p))


def _texts(part: Part) -> Iterator[str]:
    """Yield a part's text and, of a call, the strings in its arguments: whatever may have been cut."""
    if part.text:
        yield part.text
    if part.kind == "tool_call":
        try:
            yield from _strings(parse_json(part.text))
        except ValueError:
            return


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _with_gaps(message: Message, before: Sequence[Message], indices: Iterable[int]) -> int | None:
    """Return the first message of the same role that has the words of this one in their order, with something between
    them where it has a mark of a gap; None where it has none, or no message does."""
    pieces = [piece.strip() for piece in _GAP.split(message.text())]
    if len(pieces) < 2 or not any(pieces):
        return None
    alike = (index for index in indices if before[index].role == message.role)
    return next((index for index in alike if _holds(before[index].text().strip(), pieces)), None)


def _holds(text: str, pieces: Sequence[str]) -> bool:
    """Return whether a text begins and ends with the first and the last piece, and has the others between them."""
    end = 0
    for piece in pieces:
        start = text.find(piece, end)
        if start < 0:
            return False
        end = start + len(piece)
    return text.startswith(pieces[0]) and text.endswith(pieces[-1])


def _match(
    message: Message,
    by_call: dict[_Key, deque[int]],
    by_reference: dict[_Key, deque[int]],
    taken: Collection[int],
) -> int | None:
    waiting = by_call.get(_calls(message))
    while waiting:
        index = waiting.popleft()
        if index not in taken:
            return index
    for part in message.parts:
        for name in _REFERENCE.findall(part.text):
            waiting = by_reference.get((message.role, name))
            while waiting:
                index = waiting.popleft()
                if index not in taken:
                    return index
    return None
