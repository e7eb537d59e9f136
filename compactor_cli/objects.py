"""Convert messages in memory (dicts or SDK objects) to JSON lines that formats read, and back."""

from __future__ import annotations

import json
import sys
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from compactor_cli.errors import InputError

_LANGCHAIN = "langchain_core.messages"
_CLASSES = {"human": "HumanMessage", "ai": "AIMessage", "system": "SystemMessage", "tool": "ToolMessage"}


def to_lines(messages: Sequence[Any]) -> list[bytes]:
    """Return each message as a line of JSON. Dicts are used as they are, SDK objects at any depth through
    `model_dump`. Raises InputError for anything else."""
    return [_line(message, number) for number, message in enumerate(messages)]


def as_list(messages: Any) -> list[Any]:
    """Return an iterable of messages as a list. Raises InputError if it is not one."""
    if isinstance(messages, Iterable) and not isinstance(messages, (str, bytes, Mapping)):
        return list(messages)
    raise InputError(f"a {type(messages).__name__}, not a list of messages", path="messages")


def from_lines(lines: Iterable[bytes], messages: Sequence[Any], before: Sequence[bytes]) -> list[Any]:
    """Return the messages for lines. `before`: the original lines of `messages`. For an unchanged line, the original
    object is returned. Others become dicts, or LangChain messages if the input had these."""
    waiting: dict[bytes, deque[Any]] = defaultdict(deque)
    for line, message in zip(before, messages, strict=True):
        waiting[line].append(message)
    langchain = sys.modules.get(_LANGCHAIN) if any(map(_is_langchain, messages)) else None
    return [
        waiting[line].popleft() if waiting.get(line) else _rebuild_message(json.loads(line), langchain)
        for line in lines
    ]


def _line(message: Any, number: int) -> bytes:
    if not isinstance(message, Mapping) and not hasattr(message, "model_dump"):
        raise InputError(
            f"a {type(message).__name__}, not a message; pass dicts, or objects of an SDK that have model_dump",
            path=f"message {number}",
        )
    try:
        # lone surrogates stay escaped, so that the line is valid UTF-8 whatever the messages contain
        return json.dumps(_dump_object(message), default=_dump_object, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"cannot be written as JSON: {error}", path=f"message {number}") from None


def _dump_object(value: Any) -> Any:
    """Return a JSON value for an object."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (tuple, set, frozenset)):
        return list(value)
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude_none=True)
    raise TypeError(f"a {type(value).__name__}")


def _is_langchain(message: Any) -> bool:
    return any(kind.__module__.startswith(_LANGCHAIN) for kind in type(message).__mro__)


def _rebuild_message(value: Any, langchain: Any) -> Any:
    """Return a changed or new message."""
    name = _CLASSES.get(value.get("type", "")) if langchain is not None else None
    return getattr(langchain, name).model_validate(value) if name else value
