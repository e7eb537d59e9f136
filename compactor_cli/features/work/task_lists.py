"""The agent's own task list, as its planning tools left it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.ledger import call_arguments
from compactor_cli.features.work.task_tables import TOOL, RowChange, row_changes
from compactor_cli.features.work.task_words import STATUSES, Status, bare, signed_tasks
from compactor_cli.features.work.tool_names import tool_words
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Spot
from compactor_cli.text.clean import one_line
from compactor_cli.text.identifiers import unescape
from compactor_cli.text.json_values import is_scalar, json_or_text
from compactor_cli.text.patterns import compiled_later

_TEXT_KEYS = ("content", "step", "title", "subject", "task", "name", "description", "text", "todo", "label")
_STATUS_KEYS = ("status", "state", "done", "completed", "checked")
_ID_KEYS = ("id", "taskId", "task_id", "todo_id")
_BOXES: dict[str, Status] = {" ": "open", "x": "done", **dict.fromkeys(">~/", "active")}
_DASH = "-"
"""In a box: a task in progress, or a dropped task if another sign stands for progress."""
_BOX = compiled_later(
    r"^[ \t]*(?:[-*+]|\d+[.)])?[ \t]*\[([ xX>~/-]|[A-Za-z][A-Za-z _-]{2,14})\][ \t]+(\S.*)$", re.MULTILINE
)
"""A task after a box, or after a word for its status."""
_LISTED = compiled_later(
    r"^[ \t]*#?(\w+)\.?:?\s+\[(\w+)\]\s+(?!\s)(\S(?:.*?\S)??)(?:[ \t]+\[blocked by[^\]\n]*\])?[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_OF_TASKS = r"todo|task|checklist|aufgabe|t[aâ]che|tarea|tarefa|zadani|задач|g[oö]rev|タスク|任务|待办|할_?일"
_PLANS = compiled_later(rf"{_OF_TASKS}|plan|progress", re.IGNORECASE)
_TASKS = compiled_later(_OF_TASKS, re.IGNORECASE)
"""Words for tasks only; a "plan" may be for a journey or a house."""
_PROSE = (
    "explanation",
    "description",
    "prompt",
    "note",
    "notes",
    "reason",
    "comment",
    "message",
    "thought",
    "question",
)
"""Arguments with text about a list."""
_OTHERS = ("task", "newtask", "agent", "exitplanmode")
"""Tools whose arguments may hold a task list that is not the agent's own: requests to other agents, and proposals."""
_ADDS = frozenset(("add", "append", "insert"))
"""Words in names of tools whose lists are added to the existing one."""
_MADE = compiled_later(r"#(\w+)")
_NUMBERED = compiled_later(r" \(task \w+\)$")
"""The task number in a state line."""
_WORDS = compiled_later(r"\w+")
_WRITTEN = 60
"""Maximum tokens of a result that only says that a list was written."""
_MOST_MEMBERS = 3
"""Maximum number of strings in a task whose members have unknown names."""
_WIDTH = 200
"""Maximum length of a task's text; longer ones are cut."""


class ListedTask(Struct, frozen=True):
    text: str
    status: Status
    message: int
    id: str = ""
    """The number that the tool assigned, if later calls refer to the task by it."""


def outdated_lists(messages: Sequence[Message]) -> frozenset[Spot]:
    """Return (message, part) of each call that wrote a complete task list which a later call replaced."""
    lists = [
        (at, position)
        for at, message in enumerate(messages)
        for position, part in enumerate(message.parts)
        if part.kind == "tool_call" and _is_of_plans(part.name) and _is_whole_list(part)
    ]
    return frozenset(lists[:-1])


def list_calls(messages: Sequence[Message]) -> frozenset[Spot]:
    """Return (message, part) of each call that writes the agent's own task list, or a part of it."""
    return frozenset(
        (at, position)
        for at, message in enumerate(messages)
        for position, part in enumerate(message.parts)
        if part.kind == "tool_call" and _writes_list(part)
    )


def told_words(parts: Iterable[Part]) -> str:
    """Return the words of calls and results, for use in `names_task`."""
    return " ".join(["", *(word for part in parts for word in _WORDS.findall(unescape(part.text))), ""])


def only_keeps_list(messages: Sequence[Message]) -> bool:
    """Return whether an exchange consists only of calls that write the agent's own task list, without any text.
    Their results only confirm that."""
    said = [message for message in messages if message.role == "assistant"]
    calls = [call for message in said for call in message.calls]
    if not calls or any(message.text("text").strip() for message in said):
        return False
    short = all(part.tokens <= _WRITTEN for message in messages for part in message.results)
    return short and all(map(_writes_list, calls))


def _writes_list(call: Part) -> bool:
    name, arguments = bare(call.name.rsplit("__", 1)[-1]), call_arguments(call)
    if name in ("taskcreate", "taskupdate"):
        return True
    if name in _OTHERS or not isinstance(arguments, dict) or not _is_of_plans(call.name):
        return False
    return bool(_first(arguments, _ID_KEYS) and _status(arguments)) or bool(_tasks_of(call))


def names_task(line: str, told: str) -> bool:
    """Return whether an exchange contains the words of a task, given as its state line."""
    return f" {' '.join(_WORDS.findall(_NUMBERED.sub('', line.partition('] ')[2])))} " in told


def _is_whole_list(call: Part) -> bool:
    tasks = _tasks_of(call)
    return bool(tasks) and not _is_part(call.name, call_arguments(call), tasks)


def _tasks_of(call: Part) -> list[ListedTask]:
    arguments = call_arguments(call)
    return list(_in_arguments(call.name, arguments, 0)) if isinstance(arguments, dict) else []


class TaskList:
    """The current task list, updated call by call."""

    def __init__(self, earlier: Iterable[ListedTask] = ()) -> None:
        self.tasks: list[ListedTask] = list(earlier)
        self._numbered: dict[str, int] = {task.id: at for at, task in enumerate(self.tasks) if task.id}

    def note(self, call: ToolCall) -> bool:
        """Record what a call says about tasks; return False if it says nothing."""
        if call.failed or call.undecided or not call.answered:
            return False
        name = bare(call.tool)
        arguments = call.arguments if isinstance(call.arguments, dict) else {}
        if name == "taskcreate":
            return self._create(arguments, call)
        if name == "taskupdate":
            return self._update(arguments, call)
        if name == "tasklist":
            return self._replace(_listed(call))
        if name == TOOL:
            return self._change_rows(";".join(value for value in arguments.values() if isinstance(value, str)), call)
        if name in _OTHERS:
            return False
        if [] in arguments.values() and any(
            value == [] and _is_of_plans(key) and _is_of_plans(call.tool) for key, value in arguments.items()
        ):
            self.tasks, self._numbered = [], {}
            return True
        tasks = list(_in_arguments(call.tool, arguments, call.message))
        if not tasks and _is_of_plans(call.tool) and _status(arguments):
            return self._update(arguments, call)
        if not tasks:
            return False
        return self._merge(tasks) if _is_part(call.tool, arguments, tasks) else self._replace(tasks)

    def _replace(self, tasks: list[ListedTask]) -> bool:
        if not tasks:
            return False
        self.tasks = [task for task in tasks if task.text]
        self._numbered = {task.id: at for at, task in enumerate(self.tasks) if task.id}
        return True

    def _merge(self, tasks: list[ListedTask]) -> bool:
        places = {task.id or task.text: at for at, task in enumerate(self.tasks)}
        for task in tasks:
            at = places.get(task.id or task.text)
            if at is None:
                self.tasks += [task] if task.text else []
            else:
                self.tasks[at] = replace(task, text=task.text or self.tasks[at].text)
        self._numbered = {task.id: at for at, task in enumerate(self.tasks) if task.id}
        return bool(tasks)

    def _change_rows(self, script: str, call: ToolCall) -> bool:
        changes = list(row_changes(script))
        for change in changes:
            if change.adds:
                self._merge([_task(change.values, call.message)])
                continue
            meant = [task for task in self.tasks if _is_meant(task, change)]
            if change.deletes:
                self.tasks = [task for task in self.tasks if task not in meant]
            else:
                self._merge([replace(_task(change.values, call.message), id=task.id) for task in meant])
        self._numbered = {task.id: at for at, task in enumerate(self.tasks) if task.id}
        return bool(changes)

    def _create(self, arguments: dict[str, Any], call: ToolCall) -> bool:
        text = _first(arguments, _TEXT_KEYS[:5])
        made = _MADE.search(call.said)
        if not one_line(text, _WIDTH):
            return False
        task = ListedTask(one_line(text, _WIDTH), "open", call.message, made.group(1) if made else "")
        if task.id in self._numbered:  # an id belongs to one task, so a new list was started
            self.tasks[self._numbered[task.id]] = task
            return True
        if task.id:
            self._numbered[task.id] = len(self.tasks)
        self.tasks.append(task)
        return True

    def _update(self, arguments: dict[str, Any], call: ToolCall) -> bool:
        at = self._numbered.get(_first(arguments, _ID_KEYS))
        if at is None:
            return False
        task = self.tasks[at]
        text, status = _first(arguments, ("subject", "content", "title")), _status(arguments)
        changed = replace(task, text=one_line(text, _WIDTH) if text else task.text, status=status or task.status)
        if changed != task:
            self.tasks[at] = replace(changed, message=call.message)
        return True


def _is_meant(task: ListedTask, change: RowChange) -> bool:
    """Return whether the change affects the task's row."""
    if change.column == "status":
        return any(STATUSES.get(bare(status)) == task.status for status in change.among)
    return not change.column or task.id in change.among


def _is_part(tool: str, arguments: dict[str, Any], tasks: Sequence[ListedTask]) -> bool:
    """Return whether the tasks in a call are only a part of the list, so that the others stay."""
    given = arguments.get("merge") is True or not any(task.text for task in tasks)
    return given or not _ADDS.isdisjoint(tool_words(tool))


def _first(arguments: dict[str, Any], keys: Iterable[str]) -> str:
    found = (arguments[key] for key in keys if is_scalar(arguments.get(key)))
    return next((str(value).strip() for value in found if str(value).strip()), "")


@lru_cache(maxsize=1024)  # a session has few names of tools and arguments
def _is_of_plans(name: str) -> bool:
    """Return whether the name of a tool or an argument refers to tasks or plans."""
    return _PLANS.search(name) is not None


def _status(item: dict[str, Any]) -> Status | None:
    for key in _STATUS_KEYS:
        value = item.get(key)
        if isinstance(value, bool):
            return "done" if value else "open"
        if isinstance(value, str) and (known := STATUSES.get(bare(value))):
            return known
    return None


def _stated(item: dict[str, Any]) -> Status | None:
    """Return the status of a task if the name of the member that states it is unknown."""
    words = [value for value in item.values() if isinstance(value, str)]
    stated = [known for word in words if (known := STATUSES.get(bare(word)))]
    return stated[0] if len(stated) == 1 < len(words) <= _MOST_MEMBERS else None


def _in_arguments(tool: str, arguments: dict[str, Any], message: int) -> Iterator[ListedTask]:
    """Yield the tasks in arguments of a known shape: a list of objects with a text and a status, or a checklist."""
    plans = _is_of_plans(tool)
    for key, value in arguments.items():
        named = plans or _is_of_plans(key)
        listed = json_or_text(value) if isinstance(value, str) and named and value.lstrip().startswith("[{") else value
        if isinstance(listed, list) and listed and all(isinstance(item, dict) for item in listed):
            of_tasks = _TASKS.search(tool) is not None
            if _is_list(listed, named=of_tasks):
                yield from (_task(item, message, named=of_tasks) for item in listed)
                return
        elif key not in _PROSE and named and (tasks := _in_text(_text_of(listed), message)):
            yield from tasks
            return


def _text_of(value: Any) -> str:
    """Return a string, or the joined lines of a list."""
    if isinstance(value, list) and value and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    return value if isinstance(value, str) else ""


def _in_text(text: str, message: int) -> list[ListedTask]:
    """Return the tasks in a text that was passed to a tool or argument named for tasks."""
    boxes = _behind_boxes(text, message) if "[" in text else []
    if boxes or not text:
        return boxes
    return [ListedTask(one_line(task, _WIDTH), status, message) for status, task in signed_tasks(text)]


def _behind_boxes(text: str, message: int) -> list[ListedTask]:
    """Return the tasks of a checklist."""
    found = _BOX.findall(text)
    dash: Status = "dropped" if any(_BOXES.get(box) == "active" for box, _ in found) else "active"
    boxes = {**_BOXES, _DASH: dash}
    told = ((boxes.get(box.lower()) or STATUSES.get(bare(box)), task) for box, task in found)
    return [ListedTask(one_line(task, _WIDTH), status, message) for status, task in told if status]


def _is_list(items: list[dict[str, Any]], *, named: bool) -> bool:
    with_text = all(_text(item, named=named) or _first(item, _ID_KEYS) for item in items)
    with_status = sum(_status(item) is not None for item in items)
    return with_text and (with_status == len(items) or named)


def _task(item: dict[str, Any], message: int, *, named: bool = False) -> ListedTask:
    status = _status(item) or (_stated(item) if named else None) or "open"
    return ListedTask(_text(item, named=named), status, message, _first(item, _ID_KEYS))


def _text(item: dict[str, Any], *, named: bool) -> str:
    """Return the text of a task. `named`: the list is known to be a task list, so that the text may be in a member
    of any name."""
    told = _first(item, _TEXT_KEYS)
    if not told and named:
        known = (*_STATUS_KEYS, *_ID_KEYS)
        others = [value for key, value in item.items() if isinstance(value, str) and key not in known]
        others = [value for value in others if bare(value) not in STATUSES]
        told = max(others, key=len, default="") if len(others) < _MOST_MEMBERS else ""
    return one_line(told, _WIDTH)


def _listed(call: ToolCall) -> list[ListedTask]:
    """Return the tasks in a listing that a tool printed, such as `#1. [completed] Fix rounding`."""
    found = ((number, _status({"status": word}), text) for number, word, text in _LISTED.findall(call.said))
    return [
        ListedTask(one_line(text, _WIDTH), status, call.message, number) for number, status, text in found if status
    ]
