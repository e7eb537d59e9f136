"""Parts of Google's API, which several targets write."""

from __future__ import annotations

from typing import Any

from compactor_cli.converting import fitting
from compactor_cli.converting.message_content import Item


def fit_parts(turns: fitting.Turns) -> fitting.Turns:
    """Return turns in the form that the API accepts: no system messages, nothing empty, only user pictures with
    data, object arguments, assistant turns merged, and the user first."""
    turns = fitting.system_as_user(fitting.drop_lead(turns), lead=False)
    turns = fitting.drop_seals(fitting.other_as_text(turns))
    turns = fitting.move_pictures_after(fitting.drop_pictures(turns, fitting.is_input_data))
    turns = fitting.begin_with_user(fitting.merge_neighbours(fitting.drop_empty(turns), "assistant"))
    turns = fitting.order_items(turns, "thinking", "text", "call")
    return fitting.wrap_arguments(fitting.limit_calls(turns, 64, 128))


def parts(item: Item) -> list[dict[str, Any]]:
    """Return the parts for an item other than a result."""
    if item.kind == "call":
        return [{"functionCall": {"id": item.call_id, "name": item.name, "args": fitting.arguments(item)}}]
    if item.kind == "thinking":
        return [{"text": item.text, "thought": True}]
    text = [{"text": item.text}] if item.kind == "text" else []
    return text + [{"inlineData": {"mimeType": p.media_type, "data": p.data}} for p in item.pictures]


def response(item: Item) -> dict[str, Any]:
    """Return a result in the form in which agents pass it to the API."""
    output = {"error" if item.failed else "output": item.text}
    return {"functionResponse": {"id": item.call_id, "name": item.name, "response": output}}
