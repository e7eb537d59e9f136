"""Find what is open at the end of a transcript: items of the agent's list, an unanswered request, calls in flight."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from compactor_cli.model.message import Message
from compactor_cli.views.survival.ended_calls import Call
from compactor_cli.views.survival.judged_sentences import Unit, text_units
from compactor_cli.views.survival.normal_form import normal_form
from compactor_cli.views.survival.outside_effects import main_argument
from compactor_cli.views.survival.reader import Places

_DONE = re.compile(r"completed?|done|finished|cancell?ed|deleted|closed|skipped|resolved", re.IGNORECASE)
_TEXTS = ("content", "step", "subject", "title", "task", "text", "description", "name")
_NUMBER = re.compile(r"#?(\d+)")
_NEW_TASK = re.compile(r"task_?create|create_?task|add_?(?:todo|task)", re.IGNORECASE)
_TASK_CHANGE = re.compile(r"task_?update|update_?(?:task|todo)", re.IGNORECASE)


class OpenItem(Struct, frozen=True):
    """Something open, and the sentences that must be present for it to count as kept."""

    message: int
    text: str
    units: tuple[Unit, ...]
    cut: bool = False

    def is_kept(self, places: Places) -> bool:
        return all(unit.last(places) >= 0 for unit in self.units)


def open_items(messages: Sequence[Message], calls: Sequence[Call], requests: Sequence[Unit]) -> list[OpenItem]:
    """Return what is open at the end, in order: list items, the request, calls."""
    items = (*_last_list(calls), *_open_tasks(calls), *_unanswered(messages, requests), *_in_flight(messages, calls))
    return [item for item in items if item.units]


def _item(message: int, text: str) -> OpenItem:
    return OpenItem(message, text, tuple(text_units(message, text)))


def _last_list(calls: Sequence[Call]) -> Iterator[OpenItem]:
    """Yield the unfinished items of the newest call whose arguments contain a list of items with a status."""
    for call in reversed(calls):
        for value in call.arguments.values():
            items = [item for item in value if _has_status(item)] if isinstance(value, list) else []
            if items:
                for item in items:
                    text = _text_of(item)
                    if text and not _DONE.match(str(item["status"])):
                        yield _item(call.message, text)
                return


def _has_status(item: object) -> bool:
    return isinstance(item, dict) and isinstance(item.get("status"), str) and bool(_text_of(item))


def _text_of(item: Mapping[str, object]) -> str:
    return next((text for key in _TEXTS if isinstance(text := item.get(key), str) and text), "")


def _open_tasks(calls: Sequence[Call]) -> Iterator[OpenItem]:
    """Yield the unfinished tasks of an agent that adds and changes tasks one by one."""
    tasks: dict[str, tuple[int, str]] = {}
    for call in calls:
        if _NEW_TASK.fullmatch(call.name):
            number = _NUMBER.search(call.answer or "")
            tasks[number[1] if number else str(len(tasks) + 1)] = (call.message, _text_of(call.arguments))
        elif _TASK_CHANGE.fullmatch(call.name):
            number = _NUMBER.search(str(call.arguments.get("taskId", call.arguments.get("task_id", ""))))
            status = str(call.arguments.get("status", ""))
            if number and _DONE.match(status):
                tasks.pop(number[1], None)
    yield from (_item(message, text) for message, text in tasks.values())


def _unanswered(messages: Sequence[Message], requests: Sequence[Unit]) -> Iterator[OpenItem]:
    """Yield the last request if no assistant message follows it."""
    last = next((m for m in reversed(messages) if m.role == "assistant" or m.origin == "request"), None)
    if last is not None and last.origin == "request":
        last_units = [unit for unit in requests if unit.message == last.index]
        if last_units:
            yield OpenItem(last.index, last_units[0].text, tuple(last_units))


def _in_flight(messages: Sequence[Message], calls: Sequence[Call]) -> Iterator[OpenItem]:
    """Yield calls without a result after which nobody has spoken."""
    spoken = [m.index for m in messages if m.origin == "request" or m.role == "assistant"]
    for call in calls:
        if call.answer is None and spoken and call.message == spoken[-1]:
            main = main_argument(call)
            unit = Unit(call.message, main, normal_form(main))
            yield OpenItem(call.message, f"{call.name}: {main}", (unit,) if unit.key else (), cut=True)
