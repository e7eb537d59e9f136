"""Arrange turns in the order that every API accepts: calls, then their results, then everything else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.converting.message_content import Item, SpeakerTurn
from compactor_cli.model.injected import DETACHED_RESULT

NO_RESULT = "[No result: the session that this was converted from holds none for this call]"


def arrange(turns: Iterable[SpeakerTurn], *, close: bool = False) -> tuple[SpeakerTurn, ...]:
    """Return the turns with each result after its call, in the order of the calls. A result without a call
    becomes user text, and a call without a result gets one that says so. Calls at the very end are work in flight
    and stay open unless `close` is true."""
    walk = _Walk()
    for turn in turns:
        walk.add(turn)
    return tuple(_with_answers(walk.turns, walk.answers, close=close))


class _Answer(Struct, frozen=True):
    turn: SpeakerTurn
    item: Item


class _Walk:
    """Takes the results out of the turns, and joins the pieces of the assistant's turns."""

    def __init__(self) -> None:
        self.turns: list[SpeakerTurn] = []
        self.answers: dict[int, _Answer] = {}
        self._heard = True
        """Whether a result has arrived since the assistant last spoke."""

    def add(self, turn: SpeakerTurn) -> None:
        if turn.role != "tool":
            if turn.role == "assistant" and not self._heard and self._continues(turn):
                last = self.turns[-1]
                self.turns[-1] = replace(last, items=last.items + turn.items)
            else:
                self.turns.append(turn)
            self._heard = turn.role != "assistant"
            return
        self._heard = True
        stray = [item for item in turn.items if not self._take(turn, item)]
        if stray:
            texts = tuple(detached_item(item) for item in stray)
            self.turns.append(replace(turn, role="user", items=texts, origin="injected", group=None))

    def _take(self, turn: SpeakerTurn, item: Item) -> bool:
        if item.link < 0 or item.link in self.answers:
            return False
        self.answers[item.link] = _Answer(turn, item)
        return True

    def _continues(self, turn: SpeakerTurn) -> bool:
        """Return whether the turn continues the last one, by the format or because that one has open calls."""
        last = self.turns[-1]
        same = turn.group is not None and turn.group == last.group
        return same or any(item.kind == "call" for item in last.items)


def detached_item(item: Item) -> Item:
    """Return a result without a call as text."""
    text = f"{DETACHED_RESULT}\n{item.text}"
    return Item("text", text, item.locations, pictures=item.pictures)


def _with_answers(turns: Sequence[SpeakerTurn], answers: dict[int, _Answer], *, close: bool) -> Iterator[SpeakerTurn]:
    last = max((index for index, turn in enumerate(turns) if turn.role != "tool"), default=-1)
    for index, turn in enumerate(turns):
        yield turn
        for call in turn.items:
            if call.kind != "call":
                continue
            answer = answers.get(call.link)
            if answer is not None:
                yield replace(answer.turn, items=(answer.item,), origin="other", author="", group=None)
            elif close or index != last:
                item = Item("result", NO_RESULT, (), call.name, call.call_id, call.link, failed=True)
                yield SpeakerTurn("tool", (item,), turn.time)
