"""Steps that make turns fit a target. Each takes turns and returns turns, recording nothing: `losses.py` determines
the losses by comparing input and output."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from compactor_cli.converting.message_content import Item, Picture, SpeakerTurn
from compactor_cli.converting.stable import digest
from compactor_cli.formats import jsonedit
from compactor_cli.model.message import Role
from compactor_cli.text.json_values import MAX_DEPTH, nested_too_deeply

Turns = tuple[SpeakerTurn, ...]
BEGINNING = "[The conversation begins with the assistant.]"
"""Inserted as a user turn where an API requires the user to speak first."""
_BETWEEN = "\n\n"
WRAPPED = "input"
"""Member that holds arguments that are not a JSON object, where a target requires one."""
_DEEPEST = MAX_DEPTH - 20
"""Maximum nesting of arguments. A record adds a few levels and must still be readable."""


def only(turns: Turns, keep: Callable[[SpeakerTurn, Item], bool]) -> Turns:
    """Return the turns with only the items that a target can hold. Turns that lose all their items are dropped."""
    kept = [replace(turn, items=tuple(item for item in turn.items if keep(turn, item))) for turn in turns]
    return tuple(new for old, new in zip(turns, kept, strict=True) if new.items or not old.items)


def without_empty(turns: Turns) -> Turns:
    """Return the turns without blank texts, and without turns that say nothing."""
    kept = only(turns, lambda _, item: item.kind != "text" or bool(item.text.strip()))
    return tuple(turn for turn in kept if turn.items)


def without_thoughts(turns: Turns, family: str = "") -> Turns:
    """Return the turns without thoughts, except those sealed by the provider of this family."""
    return only(turns, lambda _, item: item.kind != "thinking" or bool(item.seal and item.seal.family == family))


def without_seals(turns: Turns) -> Turns:
    """Return the turns with thoughts as plain text; thoughts that consist only of a seal are dropped."""
    opened = only(turns, lambda _, item: item.kind != "thinking" or bool(item.text))
    return _each(opened, lambda item: replace(item, seal=None))


def other_as_text(turns: Turns) -> Turns:
    """Return the turns with format-specific content as the text that the model reads."""
    return _each(turns, lambda item: replace(item, kind="text") if item.kind == "other" else item)


def without_pictures(turns: Turns, holds: Callable[[SpeakerTurn, Item, Picture], bool] = lambda *_: False) -> Turns:
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
    return only(tuple(fitted), lambda _, item: item.kind != "picture" or bool(item.pictures))


def is_input(turn: SpeakerTurn, item: Item, picture: Picture) -> bool:
    """Return whether a picture is part of the model's input: the user's words, or a result."""
    return turn.role in ("user", "tool")


def is_input_data(turn: SpeakerTurn, item: Item, picture: Picture) -> bool:
    """Return whether a picture is part of the input and includes its data, not only an address."""
    return is_input(turn, item, picture) and bool(picture.data)


def pictures_behind(turns: Turns) -> Turns:
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
    """Return the turns with system messages turned into reminders, which a harness sends under the role user.
    `lead`: those at the very beginning stay unchanged."""
    out: list[SpeakerTurn] = []
    for turn in turns:
        leads = lead and turn.role == "system"
        lead = leads
        if turn.role != "system" or leads:
            out.append(turn)
        else:
            out.append(replace(turn, role="user", origin="injected", items=tuple(map(_reminder, turn.items))))
    return tuple(out)


def _reminder(item: Item) -> Item:
    if item.kind != "text":
        return item
    return replace(item, text=f"<system-reminder>\n{item.text}\n</system-reminder>")


def without_lead(turns: Turns) -> Turns:
    """Return the turns without the system prompt, since an agent has its own."""
    begin = next((index for index, turn in enumerate(turns) if turn.role != "system"), len(turns))
    return turns[begin:]


def joined(turns: Turns, *roles: Role) -> Turns:
    """Return the turns with neighbours of the same role merged, for these roles."""
    out: list[SpeakerTurn] = []
    for turn in turns:
        if out and turn.role in roles and out[-1].role == turn.role:
            out[-1] = replace(out[-1], items=out[-1].items + turn.items)
        else:
            out.append(turn)
    return tuple(out)


def begun_by_user(turns: Turns) -> Turns:
    """Return the turns, with a user turn inserted if the assistant begins the conversation."""
    first = next((index for index, turn in enumerate(turns) if turn.role != "system"), None)
    if first is None or turns[first].role == "user":
        return turns
    begun = SpeakerTurn("user", (Item("text", BEGINNING),), turns[first].time, "injected")
    return (*turns[:first], begun, *turns[first:])


def ordered(turns: Turns, *kinds: str) -> Turns:
    """Return the turns with the items of assistant turns sorted by kind."""
    rank = {kind: index for index, kind in enumerate(kinds)}

    def sort(turn: SpeakerTurn) -> SpeakerTurn:
        return replace(turn, items=tuple(sorted(turn.items, key=lambda item: rank.get(item.kind, 0))))

    return tuple(sort(turn) if turn.role == "assistant" else turn for turn in turns)


def with_one(turns: Turns, kind: str, *roles: Role) -> Turns:
    """Return the turns in which, for these roles, items of one kind are merged at the position of the first."""
    return tuple(_with_one(turn, kind) if turn.role in roles else turn for turn in turns)


def _with_one(turn: SpeakerTurn, kind: str) -> SpeakerTurn:
    pieces = [item for item in turn.items if item.kind == kind]
    if len(pieces) < 2:
        return turn
    whole = join(pieces)
    items = (whole if item is pieces[0] else item for item in turn.items if item is pieces[0] or item.kind != kind)
    return replace(turn, items=tuple(items))


def join(pieces: Sequence[Item]) -> Item:
    """Return several texts as one, separated by empty lines."""
    spots = tuple(spot for item in pieces for spot in item.spots)
    return replace(pieces[0], text=_BETWEEN.join(item.text for item in pieces), spots=spots, seal=None)


def with_names(turns: Turns, most: int) -> Turns:
    """Return the turns with tool names limited to letters, digits, `_` and `-`, and to `most` characters."""

    def fit(item: Item) -> Item:
        if item.kind not in ("call", "result"):
            return item
        return replace(item, name=re.sub(r"[^A-Za-z0-9_-]", "_", item.name)[:most] or "tool")

    return _each(turns, fit)


def with_ids(turns: Turns, most: int) -> Turns:
    """Return the turns with a unique id for each call, limited to letters, digits, `_` and `-`, and to `most`
    characters."""
    fine = re.compile(rf"[A-Za-z0-9_-]{{1,{most}}}")
    ids: dict[int, str] = {}
    used: set[str] = set()
    for turn in turns:
        for item in turn.items:
            if item.kind == "call":
                good = fine.fullmatch(item.call_id) is not None and item.call_id not in used
                ids[item.link] = item.call_id if good else f"call_{digest(item.link, item.name, item.text)[:24]}"
                used.add(ids[item.link])
    return _each(turns, lambda item: replace(item, call_id=ids[item.link]) if item.link in ids else item)


def with_objects(turns: Turns) -> Turns:
    """Return the turns with all arguments as JSON objects."""

    def fit(item: Item) -> Item:
        if item.kind != "call" or isinstance(arguments(item), dict):
            return item
        return replace(item, text=jsonedit.dump({WRAPPED: item.text}))

    return _each(turns, fit)


def arguments(item: Item) -> Any:
    """Return the value of a call's arguments: an empty object for blank text, and the text itself if it is not JSON
    or too deeply nested for a readable record."""
    if not item.text.strip():
        return {}
    try:
        value = json.loads(item.text)
    except (ValueError, RecursionError):
        return item.text
    if nested_too_deeply(item.text, value, _DEEPEST):
        return item.text
    return {} if value is None else value


def _each(turns: Turns, change: Callable[[Item], Item]) -> Turns:
    return tuple(replace(turn, items=tuple(map(change, turn.items))) for turn in turns)


def without_ids(turns: Turns) -> Turns:
    """Return the turns without call ids; results follow their calls."""
    return _each(turns, lambda item: replace(item, call_id=""))


def for_an_agent(turns: Turns, name: int, call_id: int) -> Turns:
    """Return turns in the form that agents store which have their own system prompt and work with any provider.
    `name` and `call_id`: maximum characters of these."""
    turns = system_as_user(without_lead(turns), lead=False)
    turns = without_seals(other_as_text(turns))
    turns = without_empty(without_pictures(turns, is_input_data))
    return with_objects(with_ids(with_names(begun_by_user(turns), name), call_id))
