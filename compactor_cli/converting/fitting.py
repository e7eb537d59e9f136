"""Steps that make turns fit a target, the first of which arranges them: calls, then results, then all else. Each takes
turns and returns turns, recording nothing: `losses.py` determines the losses by comparing input and output."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from compactor_cli.converting.base import digest
from compactor_cli.converting.message_content import Item, Picture, SpeakerTurn
from compactor_cli.formats import jsonedit
from compactor_cli.model.injected import DETACHED_RESULT
from compactor_cli.model.message import Role
from compactor_cli.text.json_values import MAX_DEPTH, is_nested_too_deeply

Turns = tuple[SpeakerTurn, ...]
BEGINNING = "[The conversation begins with the assistant.]"
"""Inserted as a user turn where an API requires the user to speak first."""
_BETWEEN = "\n\n"
WRAPPED = "input"
"""Member that holds arguments that are not a JSON object, where a target requires one."""
_MAX_DEPTH = MAX_DEPTH - 20
"""Maximum nesting of arguments. A record adds a few levels and must still be readable."""


def keep_items(turns: Turns, keep: Callable[[SpeakerTurn, Item], bool]) -> Turns:
    """Return the turns with only the items that a target can hold. Turns that lose all their items are dropped."""
    kept = [replace(turn, items=tuple(item for item in turn.items if keep(turn, item))) for turn in turns]
    return tuple(new for old, new in zip(turns, kept, strict=True) if new.items or not old.items)


def drop_empty(turns: Turns) -> Turns:
    """Return the turns without blank texts, and without turns that say nothing."""
    kept = keep_items(turns, lambda _, item: item.kind != "text" or bool(item.text.strip()))
    return tuple(turn for turn in kept if turn.items)


def drop_thoughts(turns: Turns, family: str = "") -> Turns:
    """Return the turns without thoughts, except those sealed by the provider of this family."""
    return keep_items(turns, lambda _, item: item.kind != "thinking" or bool(item.seal and item.seal.family == family))


def drop_seals(turns: Turns) -> Turns:
    """Return the turns with thoughts as plain text; thoughts that consist only of a seal are dropped."""
    with_text = keep_items(turns, lambda _, item: item.kind != "thinking" or bool(item.text))
    return _change_items(with_text, lambda item: replace(item, seal=None))


def other_as_text(turns: Turns) -> Turns:
    """Return the turns with format-specific content as the text that the model reads."""
    return _change_items(turns, lambda item: replace(item, kind="text") if item.kind == "other" else item)


def drop_pictures(turns: Turns, holds: Callable[[SpeakerTurn, Item, Picture], bool] = lambda *_: False) -> Turns:
    """Return the turns without pictures that a target cannot hold; pictures without data are always dropped."""
    fitted = [
        replace(
            turn,
            items=tuple(
                replace(item, pictures=tuple(p for p in item.pictures if p.address and holds(turn, item, p)))
                for item in turn.items
            ),
        )
        for turn in turns
    ]
    return keep_items(tuple(fitted), lambda _, item: item.kind != "picture" or bool(item.pictures))


def is_input(turn: SpeakerTurn, item: Item, picture: Picture) -> bool:
    """Return whether a picture is part of the model's input: the user's words, or a result."""
    return turn.role in ("user", "tool")


def is_input_data(turn: SpeakerTurn, item: Item, picture: Picture) -> bool:
    """Return whether a picture is part of the input and includes its data, not only an address."""
    return is_input(turn, item, picture) and bool(picture.data)


def move_pictures_after(turns: Turns) -> Turns:
    """Return the turns with pictures of results moved to a user turn after all results of the same calls."""
    out: list[SpeakerTurn] = []
    waiting: list[Item] = []
    for index, turn in enumerate(turns):
        if turn.role != "tool":
            out.append(turn)
            continue
        for item in turn.items:
            waiting += [Item("picture", pictures=(p,)) for p in item.pictures]
        out.append(replace(turn, items=tuple(replace(item, pictures=()) for item in turn.items)))
        if waiting and (index + 1 == len(turns) or turns[index + 1].role != "tool"):
            out.append(SpeakerTurn("user", tuple(waiting), turn.time, "injected"))
            waiting = []
    return tuple(out)


def system_as_user(turns: Turns, *, lead: bool) -> Turns:
    """Return the turns with system messages as reminders under the role user, except a leading one if `lead`."""
    out: list[SpeakerTurn] = []
    for turn in turns:
        is_lead = lead and turn.role == "system"
        lead = is_lead
        if turn.role != "system" or is_lead:
            out.append(turn)
        else:
            out.append(replace(turn, role="user", origin="injected", items=tuple(map(_reminder, turn.items))))
    return tuple(out)


def _reminder(item: Item) -> Item:
    if item.kind != "text":
        return item
    return replace(item, text=f"<system-reminder>\n{item.text}\n</system-reminder>")


def drop_lead(turns: Turns) -> Turns:
    """Return the turns without the system prompt, since an agent has its own."""
    start = next((index for index, turn in enumerate(turns) if turn.role != "system"), len(turns))
    return turns[start:]


def merge_neighbours(turns: Turns, *roles: Role) -> Turns:
    """Return the turns with neighbours of the same role merged, for these roles."""
    out: list[SpeakerTurn] = []
    for turn in turns:
        if out and turn.role in roles and out[-1].role == turn.role:
            out[-1] = replace(out[-1], items=out[-1].items + turn.items)
        else:
            out.append(turn)
    return tuple(out)


def begin_with_user(turns: Turns) -> Turns:
    """Return the turns, with a user turn inserted if the assistant begins the conversation."""
    first = next((index for index, turn in enumerate(turns) if turn.role != "system"), None)
    if first is None or turns[first].role == "user":
        return turns
    opening_turn = SpeakerTurn("user", (Item("text", BEGINNING),), turns[first].time, "injected")
    return (*turns[:first], opening_turn, *turns[first:])


def order_items(turns: Turns, *kinds: str) -> Turns:
    rank = {kind: index for index, kind in enumerate(kinds)}

    def sort(turn: SpeakerTurn) -> SpeakerTurn:
        return replace(turn, items=tuple(sorted(turn.items, key=lambda item: rank.get(item.kind, 0))))

    return tuple(sort(turn) if turn.role == "assistant" else turn for turn in turns)


def merge_kind(turns: Turns, kind: str, *roles: Role) -> Turns:
    """Return the turns in which, for these roles, items of one kind are merged at the position of the first."""
    return tuple(_merge_items(turn, kind) if turn.role in roles else turn for turn in turns)


def _merge_items(turn: SpeakerTurn, kind: str) -> SpeakerTurn:
    pieces = [item for item in turn.items if item.kind == kind]
    if len(pieces) < 2:
        return turn
    merged = join(pieces)
    items = (merged if item is pieces[0] else item for item in turn.items if item is pieces[0] or item.kind != kind)
    return replace(turn, items=tuple(items))


def join(pieces: Sequence[Item]) -> Item:
    locations = tuple(location for item in pieces for location in item.locations)
    return replace(pieces[0], text=_BETWEEN.join(item.text for item in pieces), locations=locations, seal=None)


def limit_calls(turns: Turns, max_name: int, max_id: int) -> Turns:
    """Return the turns with tool names and a unique id for each call, both of letters, digits, `_` and `-`."""

    def fit(item: Item) -> Item:
        if item.kind not in ("call", "result"):
            return item
        return replace(item, name=re.sub(r"[^A-Za-z0-9_-]", "_", item.name)[:max_name] or "tool")

    turns = _change_items(turns, fit)
    fine = re.compile(rf"[A-Za-z0-9_-]{{1,{max_id}}}")
    ids: dict[int, str] = {}
    used: set[str] = set()
    for turn in turns:
        for item in turn.items:
            if item.kind == "call":
                good = fine.fullmatch(item.call_id) is not None and item.call_id not in used
                ids[item.link] = item.call_id if good else f"call_{digest(item.link, item.name, item.text)[:24]}"
                used.add(ids[item.link])
    return _change_items(turns, lambda item: replace(item, call_id=ids[item.link]) if item.link in ids else item)


def wrap_arguments(turns: Turns) -> Turns:
    def fit(item: Item) -> Item:
        if item.kind != "call" or isinstance(arguments(item), dict):
            return item
        return replace(item, text=jsonedit.dump({WRAPPED: item.text}))

    return _change_items(turns, fit)


def arguments(item: Item) -> Any:
    """Return the value of a call's arguments; the text itself if it is not JSON or too deeply nested."""
    if not item.text.strip():
        return {}
    try:
        value = json.loads(item.text)
    except (ValueError, RecursionError):
        return item.text
    if is_nested_too_deeply(item.text, value, _MAX_DEPTH):
        return item.text
    return {} if value is None else value


def _change_items(turns: Turns, change: Callable[[Item], Item]) -> Turns:
    return tuple(replace(turn, items=tuple(map(change, turn.items))) for turn in turns)


def drop_ids(turns: Turns) -> Turns:
    return _change_items(turns, lambda item: replace(item, call_id=""))


def fit_for_agent(turns: Turns, name: int, call_id: int) -> Turns:
    """Return turns for agents with their own system prompt and any provider, with names and ids so long at most."""
    turns = system_as_user(drop_lead(turns), lead=False)
    turns = drop_seals(other_as_text(turns))
    turns = drop_empty(drop_pictures(turns, is_input_data))
    return wrap_arguments(limit_calls(begin_with_user(turns), name, call_id))


NO_RESULT = "[No result: the session that this was converted from holds none for this call]"


def arrange(turns: Iterable[SpeakerTurn], *, close: bool = False) -> tuple[SpeakerTurn, ...]:
    """Return the turns with each result after its call, in the order of the calls. A result without a call
    becomes user text, and a call without a result gets one that says so. Calls at the very end are work in flight
    and stay open unless `close` is true."""
    walk = _Walk()
    for turn in turns:
        walk.add(turn)
    return tuple(_with_answers(walk.turns, walk.answers, close=close))


class _Walk:
    """Takes the results out of the turns, and joins the pieces of the assistant's turns."""

    def __init__(self) -> None:
        self.turns: list[SpeakerTurn] = []
        self.answers: dict[int, tuple[SpeakerTurn, Item]] = {}
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
        self.answers[item.link] = turn, item
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


def _with_answers(
    turns: Sequence[SpeakerTurn], answers: dict[int, tuple[SpeakerTurn, Item]], *, close: bool
) -> Iterator[SpeakerTurn]:
    last = max((index for index, turn in enumerate(turns) if turn.role != "tool"), default=-1)
    for index, turn in enumerate(turns):
        yield turn
        for call in turn.items:
            if call.kind != "call":
                continue
            if call.link in answers:
                answer, result = answers[call.link]
                yield replace(answer, items=(result,), origin="other", author="", group=None)
            elif close or index != last:
                item = Item("result", NO_RESULT, (), call.name, call.call_id, call.link, failed=True)
                yield SpeakerTurn("tool", (item,), turn.time)
