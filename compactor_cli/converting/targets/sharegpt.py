"""Convert to ShareGPT rows for training tools: `{"conversations": [{from, value}]}`, one conversation per line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from msgspec.structs import replace

from compactor_cli.converting import fitting
from compactor_cli.converting.base import Target, WriteContext
from compactor_cli.converting.message_content import Conversation, Item, SpeakerTurn
from compactor_cli.formats import jsonedit

_FROM = {"system": "system", "user": "human", "assistant": "gpt", "tool": "observation"}


class ToShareGPT(Target):
    name = "sharegpt"
    purpose = "rows of human, gpt, function_call and observation for training tools, one per line"
    many = True

    def fit(self, turns: fitting.Turns) -> fitting.Turns:
        turns = fitting.other_as_text(fitting.system_as_user(turns, lead=True))
        turns = fitting.drop_empty(fitting.drop_pictures(fitting.drop_thoughts(turns)))
        turns = fitting.begin_with_user(fitting.merge_neighbours(turns, "system", "user", "assistant"))
        turns = fitting.merge_kind(turns, "text", "system", "user", "assistant")
        turns = fitting.drop_ids(fitting.order_items(turns, "text", "call"))
        return tuple(_merge_rows(turns))

    def records(self, conversation: Conversation, context: WriteContext) -> Iterable[Any]:
        return [{"conversations": list(_rows(conversation))}]


def _merge_rows(turns: fitting.Turns) -> Iterator[SpeakerTurn]:
    """Yield each call followed by its result. Rows must alternate, so parallel calls are listed one after the other."""
    results = {turn.items[0].link: turn for turn in turns if turn.role == "tool"}
    for turn in turns:
        calls = [item for item in turn.items if item.kind == "call"]
        if turn.role == "tool":
            continue
        if not calls:
            yield turn
            continue
        items = tuple(item for item in turn.items if item.kind != "call")
        if items:
            yield replace(turn, items=items)
        for item in calls:
            yield replace(turn, items=(item,))
            if item.link in results:
                yield results[item.link]


def _rows(conversation: Conversation) -> Iterator[dict[str, Any]]:
    for calling, group in groupby(conversation.turns, key=lambda turn: turn.items[0].kind == "call"):
        if not calling:
            yield from ({"from": _FROM[turn.role], "value": turn.items[0].text} for turn in group)
            continue
        calls = [_call(turn.items[0]) for turn in group]
        yield {"from": "function_call", "value": jsonedit.dump(calls[0] if len(calls) == 1 else calls)}


def _call(item: Item) -> dict[str, Any]:
    value = fitting.arguments(item)
    return {"name": item.name, "arguments": item.text if isinstance(value, str) else value}
