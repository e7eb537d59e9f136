"""Convert to requests for Anthropic's API: `{"system", "messages"}`, one conversation per line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from compactor_cli.converting import fitting
from compactor_cli.converting.base import Attribute, Target, WriteContext
from compactor_cli.converting.blocks import blocks, fit_blocks
from compactor_cli.converting.message_content import Conversation, Item


class ToAnthropic(Target):
    name = "anthropic"
    purpose = "requests for Anthropic's API, with the system prompt next to the messages, one per line"
    many = True
    holds = frozenset[Attribute](("failed",))

    def fit(self, turns: fitting.Turns) -> fitting.Turns:
        turns = fit_blocks(fitting.system_as_user(turns, lead=True))
        return fitting.merge_neighbours(turns, "system", "user")

    def records(self, conversation: Conversation, context: WriteContext) -> Iterable[Any]:
        return [_request(conversation)]


def _request(conversation: Conversation) -> dict[str, Any]:
    turns = conversation.turns
    system = [item for turn in turns if turn.role == "system" for item in turn.items]
    messages = [
        {"role": role, "content": _content([item for turn in group for item in turn.items])}
        for role, group in groupby(
            (turn for turn in turns if turn.role != "system"),
            key=lambda turn: "assistant" if turn.role == "assistant" else "user",
        )
    ]
    value = {"system": _content(system)} if system else {}
    return {**value, "messages": messages}


def _content(items: Sequence[Item]) -> Any:
    """Return a plain string for a single text, otherwise blocks."""
    if len(items) == 1 and items[0].kind == "text" and not items[0].pictures:
        return items[0].text
    return blocks(items)
