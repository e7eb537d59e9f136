"""Compare two transcripts: what each message became."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.model.message import LEGACY_ID, Message, Part
from compactor_cli.summary_text.headers import CUT_OFF, covered, left_out
from compactor_cli.text.json_values import leaves, parse_json
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shorten import IMAGE_NOTE, text_reference

_REFERENCE = compiled_later(r"ctx_[0-9a-f]{8}")
_GAP = compiled_later(r"(?:^|\s)…(?:\s|$)")


class Fate(Struct, frozen=True):
    """What happened to the messages of the first transcript, and the number of messages added in the second."""

    kept: tuple[int, ...]
    shortened: tuple[int, ...]
    summarized: tuple[int, ...]
    dropped: tuple[int, ...]
    added: int


class Matches(Struct, frozen=True):
    """The paired messages of two transcripts."""

    fate: Fate
    pairs: dict[int, int]
    stands_for: dict[int, tuple[int, ...]]
    """Position of a summary in the second transcript -> numbers of the messages that it stands for."""


def matches(before: Sequence[Message], after: Sequence[Message]) -> Matches:
    """Match the messages of two transcripts. Equal messages are matched first. Shortened ones are then matched by
    call ids, by the references in their marks, or by the remaining words. Summaries name the messages that they
    stand for."""
    before, after = [*map(_without_mark, before)], [*map(_without_mark, after)]
    earlier = {message.text() for message in before if message.origin == "summary"}
    known_references = {*earlier, *map(text_reference, earlier)}
    summaries = {
        index: numbers
        for index, message in enumerate(after)
        if (numbers := _summarized_numbers(message, known_references))
    }
    summarized = {number for numbers in summaries.values() for number in numbers}
    stands_for = {index for index, message in enumerate(before) if message.number in summarized}
    # among equal messages, those that no summary stands for are the kept ones
    in_turn = sorted(range(len(before)), key=lambda index: (index in stands_for, index))
    kept_pairs, unmatched = _take_matches(after, range(len(after)), _index(before, in_turn, _message_key))
    unkept = [index for index in in_turn if index not in kept_pairs]
    by_call = _index(before, unkept, _calls)
    shortened, unmatched = _take_matches(after, unmatched, _index(before, unkept, _imageless))
    by_reference: dict[_Key, deque[int]] = defaultdict(deque)
    for index in unkept:
        for text in {text for part in before[index].parts for text in _cut_texts(part)}:
            by_reference[before[index].role, text_reference(text)].append(index)
    added = 0
    for hit in unmatched:
        match = None
        if hit not in summaries:
            match = _match(after[hit], by_call, by_reference, shortened)
            if match is None:
                match = _with_gaps(after[hit], before, (index for index in unkept if index not in shortened))
        if match is None:
            added += 1
        else:
            shortened[match] = hit
    missing = set(range(len(before))) - kept_pairs.keys() - shortened.keys()
    kinds = (kept_pairs, shortened, missing & stands_for, missing - stands_for)
    kept, short, summed, dropped = (tuple(sorted(indexes)) for indexes in kinds)
    fate = Fate(kept, short, summed, dropped, added)
    return Matches(fate, kept_pairs | shortened, summaries)


def _without_mark(message: Message) -> Message:
    """Return a message without the mark that states what all rounds removed."""
    mark = left_out(message.parts[0].text) if message.parts and message.parts[0].kind == "text" else None
    if mark is None:
        return message
    return replace(message, parts=(replace(message.parts[0], text=mark.text), *message.parts[1:]))


def _summarized_numbers(message: Message, earlier: Collection[str]) -> tuple[int, ...]:
    """Return the messages that a new summary stands for. One that only says what was cut off stands for none."""
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


def _take_matches(
    messages: Sequence[Message], places: Sequence[int], index: dict[_Key, deque[int]]
) -> tuple[dict[int, int], list[int]]:
    """Return position in the index -> matching position, using each entry once, and the positions without a match."""
    pairs: dict[int, int] = {}
    unmatched: list[int] = []
    for position in places:
        waiting = index.get(_message_key(messages[position]))
        if waiting:
            pairs[waiting.popleft()] = position
        else:
            unmatched.append(position)
    return pairs, unmatched


def _message_key(message: Message) -> _Key:
    return message.role, tuple(_part_key(part) for part in message.parts)


def _part_key(part: Part) -> _Key:
    # some formats repeat the tool's name in a result, and added results may have one where others do not
    return part.kind, part.name if part.kind == "tool_call" else "", _call_id(part), part.text


def _call_id(part: Part) -> str:
    return "" if part.call_id.startswith(LEGACY_ID) else part.call_id


def _imageless(message: Message) -> _Key:
    """Return the key of a message with its pictures replaced by their note; empty if it has none."""
    if not any(p.images for p in message.parts):
        return ()
    return message.role, tuple(_imageless_part(p) if p.images else _part_key(p) for p in message.parts)


def _imageless_part(part: Part) -> _Key:
    if part.kind == "image":
        return "text", "", "", IMAGE_NOTE
    return part.kind, "", _call_id(part), f"{part.text}\n{IMAGE_NOTE}".strip()


def _calls(message: Message) -> _Key:
    return tuple((p.kind, p.call_id) for p in message.parts if _call_id(p))


def _cut_texts(part: Part) -> Iterator[str]:
    """Yield the texts of a part that may have been cut, and the strings in a call's arguments."""
    if part.text:
        yield part.text
    if part.kind == "tool_call":
        try:
            yield from (leaf for leaf in leaves(parse_json(part.text)) if isinstance(leaf, str))
        except ValueError:
            return


def _with_gaps(message: Message, before: Sequence[Message], indices: Iterable[int]) -> int | None:
    """Return the first message of the same role that has the words of this one, with other text only at gaps."""
    pieces = [piece.strip() for piece in _GAP.split(message.text())]
    if len(pieces) < 2 or not any(pieces):
        return None
    alike = (index for index in indices if before[index].role == message.role)
    return next((index for index in alike if _has_pieces(before[index].text().strip(), pieces)), None)


def _has_pieces(text: str, pieces: Sequence[str]) -> bool:
    """Return whether a text begins with the first piece, ends with the last, and has the others between."""
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
    matched: Collection[int],
) -> int | None:
    references = ((message.role, name) for part in message.parts for name in _REFERENCE.findall(part.text))
    for waiting in chain([by_call.get(_calls(message))], map(by_reference.get, references)):
        while waiting:
            index = waiting.popleft()
            if index not in matched:
                return index
    return None
