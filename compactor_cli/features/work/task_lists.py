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
from compactor_cli.features.work.task_tables import SQL_TOOL, RowChange, row_changes
from compactor_cli.features.work.task_words import STATUSES, Status, listed_tasks, normalize_name
from compactor_cli.features.work.tool_names import tool_words
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import PartIndex
from compactor_cli.text.clean import one_line
from compactor_cli.text.identifiers import unescape
from compactor_cli.text.json_values import is_scalar, json_or_text
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_TEXT_KEYS = ("content", "step", "title", "subject", "task", "name", "description", "text", "todo", "label")
_STATUS_KEYS = ("status", "state", "done", "completed", "checked")
_ID_KEYS = ("id", "taskId", "task_id", "todo_id")
_BOX_STATUSES: dict[str, Status] = {" ": "open", "x": "done", **dict.fromkeys(">~/", "active")}
_AMBIGUOUS_BOX = "-"
"""In a box: a task in progress, or a dropped task if another sign stands for progress."""
_BOX_LINE = compiled_later(
    r"^[ \t]*(?:[-*+]|\d+[.)])?[ \t]*\[([ xX>~/-]|[A-Za-z][A-Za-z _-]{2,14})\][ \t]+(\S.*)$", re.MULTILINE
)
"""A task after a box, or after a word for its status."""
_PRINTED_TASK = compiled_later(
    r"^[ \t]*#?(\w+)\.?:?\s+\[(\w+)\]\s+(?!\s)(\S(?:.*?\S)??)(?:[ \t]+\[blocked by[^\]\n]*\])?[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_TASK_WORDS = r"todo|task|checklist|aufgabe|t[aâ]che|tarea|tarefa|zadani|задач|g[oö]rev|タスク|任务|待办|할_?일"
_PLAN_NAME = compiled_later(rf"{_TASK_WORDS}|plan|progress", re.IGNORECASE)
_TASK_NAME = compiled_later(_TASK_WORDS, re.IGNORECASE)
"""Words for tasks only; a "plan" may be for a journey or a house."""
_PROSE_KEYS = word_set("explanation description prompt note notes reason comment message thought question")
"""Arguments with text about a list."""
_DELEGATING_TOOLS = ("task", "newtask", "agent", "exitplanmode")
"""Tools whose arguments may hold a task list that is not the agent's own: requests to other agents, and proposals."""
_ADDING_WORDS = frozenset(("add", "append", "insert"))
"""Words in names of tools whose lists are added to the existing one."""
_TASK_NUMBER = compiled_later(r"#(\w+)")
_NUMBER_SUFFIX = compiled_later(r" \(task \w+\)$")
"""The task number in a state line."""
_WORDS = compiled_later(r"\w+")
_MAX_CONFIRMATION_TOKENS = 60
"""Maximum tokens of a result that only says that a list was written."""
_MAX_MEMBERS = 3
"""Maximum number of strings in a task whose members have unknown names."""
_MAX_TASK_CHARS = 200
"""Maximum length of a task's text; longer ones are cut."""


class ListedTask(Struct, frozen=True):
    text: str
    status: Status
    message: int
    id: str = ""
    """The number that the tool assigned, if later calls refer to the task by it."""


def outdated_lists(messages: Sequence[Message]) -> frozenset[PartIndex]:
    """Return (message, part) of each call that wrote a complete task list which a later call replaced."""
    lists = [
        (index, part_index)
        for index, message in enumerate(messages)
        for part_index, part in enumerate(message.parts)
        if part.kind == "tool_call" and _names_plan(part.name) and _writes_whole_list(part)
    ]
    return frozenset(lists[:-1])


def list_calls(messages: Sequence[Message]) -> frozenset[PartIndex]:
    """Return (message, part) of each call that writes the agent's own task list, or a part of it."""
    return frozenset(
        (index, part_index)
        for index, message in enumerate(messages)
        for part_index, part in enumerate(message.parts)
        if part.kind == "tool_call" and _writes_list(part)
    )


def words_of_parts(parts: Iterable[Part]) -> str:
    """Return the words of calls and results, for use in `names_task`."""
    return " ".join(["", *(word for part in parts for word in _WORDS.findall(unescape(part.text))), ""])


def only_updates_list(messages: Sequence[Message]) -> bool:
    """Return whether an exchange consists only of calls that write the agent's own task list, without any text.
    Their results only confirm that."""
    agent_messages = [message for message in messages if message.role == "assistant"]
    calls = [call for message in agent_messages for call in message.calls]
    if not calls or any(message.text("text").strip() for message in agent_messages):
        return False
    only_confirmations = all(
        part.tokens <= _MAX_CONFIRMATION_TOKENS for message in messages for part in message.results
    )
    return only_confirmations and all(map(_writes_list, calls))


def _writes_list(call: Part) -> bool:
    name, arguments = normalize_name(call.name.rsplit("__", 1)[-1]), call_arguments(call)
    if name in ("taskcreate", "taskupdate"):
        return True
    if name in _DELEGATING_TOOLS or not isinstance(arguments, dict) or not _names_plan(call.name):
        return False
    return bool(_first_text(arguments, _ID_KEYS) and _status(arguments)) or bool(_tasks_in_call(call))


def names_task(line: str, words: str) -> bool:
    """Return whether an exchange contains the words of a task, given as its state line."""
    return f" {' '.join(_WORDS.findall(_NUMBER_SUFFIX.sub('', line.partition('] ')[2])))} " in words


def _writes_whole_list(call: Part) -> bool:
    tasks = _tasks_in_call(call)
    return bool(tasks) and not _is_partial(call.name, call_arguments(call), tasks)


def _tasks_in_call(call: Part) -> list[ListedTask]:
    arguments = call_arguments(call)
    return list(_tasks_in_arguments(call.name, arguments, 0)) if isinstance(arguments, dict) else []


class TaskList:
    """The current task list, updated call by call."""

    def __init__(self, earlier: Iterable[ListedTask] = ()) -> None:
        self.tasks: list[ListedTask] = list(earlier)
        self._index_by_id: dict[str, int] = {task.id: index for index, task in enumerate(self.tasks) if task.id}

    def record_call(self, call: ToolCall) -> bool:
        """Record what a call says about tasks; return False if it says nothing."""
        if call.failed or call.undecided or not call.answered:
            return False
        name = normalize_name(call.tool)
        arguments = call.arguments if isinstance(call.arguments, dict) else {}
        if name == "taskcreate":
            return self._create(arguments, call)
        if name == "taskupdate":
            return self._update(arguments, call)
        if name == "tasklist":
            return self._replace(_printed_tasks(call))
        if name == SQL_TOOL:
            return self._change_rows(";".join(value for value in arguments.values() if isinstance(value, str)), call)
        if name in _DELEGATING_TOOLS:
            return False
        if [] in arguments.values() and any(
            value == [] and _names_plan(key) and _names_plan(call.tool) for key, value in arguments.items()
        ):
            self.tasks, self._index_by_id = [], {}
            return True
        tasks = list(_tasks_in_arguments(call.tool, arguments, call.message))
        if not tasks and _names_plan(call.tool) and _status(arguments):
            return self._update(arguments, call)
        if not tasks:
            return False
        return self._merge(tasks) if _is_partial(call.tool, arguments, tasks) else self._replace(tasks)

    def _replace(self, tasks: list[ListedTask]) -> bool:
        if not tasks:
            return False
        self.tasks = [task for task in tasks if task.text]
        self._index_by_id = {task.id: index for index, task in enumerate(self.tasks) if task.id}
        return True

    def _merge(self, tasks: list[ListedTask]) -> bool:
        indices = {task.id or task.text: index for index, task in enumerate(self.tasks)}
        for task in tasks:
            index = indices.get(task.id or task.text)
            if index is None:
                self.tasks += [task] if task.text else []
            else:
                self.tasks[index] = replace(task, text=task.text or self.tasks[index].text)
        self._index_by_id = {task.id: index for index, task in enumerate(self.tasks) if task.id}
        return bool(tasks)

    def _change_rows(self, script: str, call: ToolCall) -> bool:
        changes = list(row_changes(script))
        for change in changes:
            if change.adds:
                self._merge([_make_task(change.values, call.message)])
                continue
            affected = [task for task in self.tasks if _is_affected(task, change)]
            if change.deletes:
                self.tasks = [task for task in self.tasks if task not in affected]
            else:
                self._merge([replace(_make_task(change.values, call.message), id=task.id) for task in affected])
        self._index_by_id = {task.id: index for index, task in enumerate(self.tasks) if task.id}
        return bool(changes)

    def _create(self, arguments: dict[str, Any], call: ToolCall) -> bool:
        text = _first_text(arguments, _TEXT_KEYS[:5])
        number = _TASK_NUMBER.search(call.output)
        if not one_line(text, _MAX_TASK_CHARS):
            return False
        task = ListedTask(one_line(text, _MAX_TASK_CHARS), "open", call.message, number.group(1) if number else "")
        if task.id in self._index_by_id:  # an id belongs to one task, so a new list was started
            self.tasks[self._index_by_id[task.id]] = task
            return True
        if task.id:
            self._index_by_id[task.id] = len(self.tasks)
        self.tasks.append(task)
        return True

    def _update(self, arguments: dict[str, Any], call: ToolCall) -> bool:
        index = self._index_by_id.get(_first_text(arguments, _ID_KEYS))
        if index is None:
            return False
        task = self.tasks[index]
        text, status = _first_text(arguments, ("subject", "content", "title")), _status(arguments)
        changed = replace(
            task, text=one_line(text, _MAX_TASK_CHARS) if text else task.text, status=status or task.status
        )
        if changed != task:
            self.tasks[index] = replace(changed, message=call.message)
        return True


def _is_affected(task: ListedTask, change: RowChange) -> bool:
    """Return whether the change affects the task's row."""
    if change.column == "status":
        return any(STATUSES.get(normalize_name(status)) == task.status for status in change.selected_values)
    return not change.column or task.id in change.selected_values


def _is_partial(tool: str, arguments: dict[str, Any], tasks: Sequence[ListedTask]) -> bool:
    """Return whether the tasks in a call are only a part of the list, so that the others stay."""
    is_merge = arguments.get("merge") is True or not any(task.text for task in tasks)
    return is_merge or not _ADDING_WORDS.isdisjoint(tool_words(tool))


def _first_text(arguments: dict[str, Any], keys: Iterable[str]) -> str:
    values = (arguments[key] for key in keys if is_scalar(arguments.get(key)))
    return next((str(value).strip() for value in values if str(value).strip()), "")


@lru_cache(maxsize=1024)  # a session has few names of tools and arguments
def _names_plan(name: str) -> bool:
    """Return whether the name of a tool or an argument refers to tasks or plans."""
    return _PLAN_NAME.search(name) is not None


def _status(item: dict[str, Any]) -> Status | None:
    for key in _STATUS_KEYS:
        value = item.get(key)
        if isinstance(value, bool):
            return "done" if value else "open"
        if isinstance(value, str) and (status := STATUSES.get(normalize_name(value))):
            return status
    return None


def _guess_status(item: dict[str, Any]) -> Status | None:
    """Return the status of a task if the name of the member that states it is unknown."""
    words = [value for value in item.values() if isinstance(value, str)]
    statuses = [status for word in words if (status := STATUSES.get(normalize_name(word)))]
    return statuses[0] if len(statuses) == 1 < len(words) <= _MAX_MEMBERS else None


def _tasks_in_arguments(tool: str, arguments: dict[str, Any], message: int) -> Iterator[ListedTask]:
    """Yield the tasks in arguments of a known shape: a list of objects with a text and a status, or a checklist."""
    is_plan_tool = _names_plan(tool)
    for key, value in arguments.items():
        is_plan_argument = is_plan_tool or _names_plan(key)
        items = (
            json_or_text(value)
            if isinstance(value, str) and is_plan_argument and value.lstrip().startswith("[{")
            else value
        )
        if isinstance(items, list) and items and all(isinstance(item, dict) for item in items):
            is_task_tool = _TASK_NAME.search(tool) is not None
            if _is_task_list(items, named=is_task_tool):
                yield from (_make_task(item, message, named=is_task_tool) for item in items)
                return
        elif key not in _PROSE_KEYS and is_plan_argument and (tasks := _tasks_in_text(items, message)):
            yield from tasks
            return


def _tasks_in_text(value: Any, message: int) -> list[ListedTask]:
    """Return the tasks in a text, or in a list of lines, that was passed to a tool or argument named for tasks."""
    text = "\n".join(line for line in value if isinstance(line, str)) if isinstance(value, list) else value
    if not isinstance(text, str):
        return []
    box_lines = _BOX_LINE.findall(text) if "[" in text else []
    dash: Status = "dropped" if any(_BOX_STATUSES.get(box) == "active" for box, _ in box_lines) else "active"
    boxes = {**_BOX_STATUSES, _AMBIGUOUS_BOX: dash}
    tasks = ((boxes.get(box.lower()) or STATUSES.get(normalize_name(box)), task) for box, task in box_lines)
    found = [(status, task) for status, task in tasks if status] or listed_tasks(text)
    return [ListedTask(one_line(task, _MAX_TASK_CHARS), status, message) for status, task in found]


def _is_task_list(items: list[dict[str, Any]], *, named: bool) -> bool:
    with_text = all(_task_text(item, named=named) or _first_text(item, _ID_KEYS) for item in items)
    with_status = sum(_status(item) is not None for item in items)
    return with_text and (with_status == len(items) or named)


def _make_task(item: dict[str, Any], message: int, *, named: bool = False) -> ListedTask:
    status = _status(item) or (_guess_status(item) if named else None) or "open"
    return ListedTask(_task_text(item, named=named), status, message, _first_text(item, _ID_KEYS))


def _task_text(item: dict[str, Any], *, named: bool) -> str:
    """Return the text of a task. `named`: the list is known to be a task list, so that the text may be in a member
    of any name."""
    text = _first_text(item, _TEXT_KEYS)
    if not text and named:
        known_keys = (*_STATUS_KEYS, *_ID_KEYS)
        others = [value for key, value in item.items() if isinstance(value, str) and key not in known_keys]
        others = [value for value in others if normalize_name(value) not in STATUSES]
        text = max(others, key=len, default="") if len(others) < _MAX_MEMBERS else ""
    return one_line(text, _MAX_TASK_CHARS)


def _printed_tasks(call: ToolCall) -> list[ListedTask]:
    """Return the tasks in a listing that a tool printed, such as `#1. [completed] Fix rounding`."""
    tasks = ((number, _status({"status": word}), text) for number, word, text in _PRINTED_TASK.findall(call.output))
    return [
        ListedTask(one_line(text, _MAX_TASK_CHARS), status, call.message, number)
        for number, status, text in tasks
        if status
    ]
