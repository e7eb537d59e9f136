"""Quick reading of session files: only lines of interest are parsed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct

from compactor_cli.agents.base import About, Figure, FoundSession
from compactor_cli.formats.values import inner, word
from compactor_cli.model.injected import origin_of

WHOLE = 32 * 1024 * 1024
"""Maximum bytes of a file that is read completely; of a larger one, only both ends are read."""
_END = 1024 * 1024
_MAX_TRIED = 400
"""Maximum lines to parse at either end in search of something."""
_TITLE = 400
"""Maximum characters of a title or request."""
BYTES_A_TOKEN = 6
"""Bytes of a session file per token: the median of four real Codex sessions, which contain each text about once.
Formats with more repetition have their own figure."""
_IDE = re.compile(r"\s*<(ide_\w+)>.*?</\1>\s*", re.DOTALL)
"""What an editor inserts before the user's words."""

T = TypeVar("T")
Picked: TypeAlias = tuple[Callable[[dict[str, Any]], T | None], bytes]
"""What to pick from a record, and what is in the lines of such records."""


class JsonLines(Struct, frozen=True):
    """The lines of a JSONL file."""

    head: list[bytes]
    tail: list[bytes]
    """The last lines; the same as `head` if the file was read completely."""
    size: int

    @property
    def is_whole_file(self) -> bool:
        return self.size <= WHOLE

    def about(
        self,
        asked: Picked[str],
        is_message: Callable[[bytes], bool],
        used: Picked[Figure] | None = None,
        *,
        id: str = "",
        project: str = "",
        title: str = "",
    ) -> About:
        """Return what the lines show. `asked` and `used` pick the first request and the last count of tokens."""
        tokens = self.last_picked(*used) if used else None
        request = self.first_picked(*asked) or ""
        # of a file that was not read completely, the number of messages is unknown
        messages = Figure(sum(map(is_message, self.head)), "estimated") if self.is_whole_file else None
        return About(id, project, title, request, messages, tokens or estimated(self.size))

    def first_picked(self, pick: Callable[[dict[str, Any]], T | None], marker: bytes = b"") -> T | None:
        """Return the first non-None result of `pick` over the records whose line contains `marker`."""
        return _pick(self.head, pick, marker)

    def first_word(self, key: str) -> str:
        return self.first_picked(lambda value: word(value, key) or None, f'"{key}"'.encode()) or ""

    def last_picked(self, pick: Callable[[dict[str, Any]], T | None], marker: bytes = b"") -> T | None:
        """Return the same, searching from the end."""
        return _pick(reversed(self.tail), pick, marker)


def lines_of(session: FoundSession) -> JsonLines:
    """Return the lines of a file, or of both its ends if it is large. Raises OSError."""
    with session.path.open("rb") as file:
        if session.size <= WHOLE:
            lines = file.read().split(b"\n")
            return JsonLines(lines, lines, session.size)
        head = file.read(_END).split(b"\n")[:-1]
        file.seek(-_END, 2)
        return JsonLines(head, file.read().split(b"\n")[1:], session.size)


def marked(width: int, *kinds: bytes) -> Callable[[bytes], bool]:
    """Return what tells messages from other lines: one of these words within so many bytes."""
    return lambda line: any(kind in line[:width] for kind in kinds)


def _pick(lines: Iterable[bytes], pick: Callable[[dict[str, Any]], T | None], marker: bytes) -> T | None:
    for line in islice((line for line in lines if marker in line), _MAX_TRIED):
        value = parse_line(line)
        if isinstance(value, dict) and (picked := pick(value)) is not None:
            return picked
    return None


def asked(key: str, kind: str, *path: str, unless: str = "") -> Picked[str]:
    """Return what picks a request from records whose member `key` is `kind`, and whose member `unless` is empty. The
    request is at `path`."""

    def pick(value: dict[str, Any]) -> str | None:
        is_typed = value.get(key) == kind and not (unless and value.get(unless))
        return request(inner(value, *path[:-1]).get(path[-1])) if is_typed else None

    return pick, f'"{kind}"'.encode()


def asked_inside(name: str) -> Picked[str]:
    """Return what picks a request from records with a message, which has a role and a content, as their member."""
    pick, marker = asked("role", "user", "content")
    return lambda value: pick(inner(value, name)), marker


def used(marker: str, *path: str) -> Picked[Figure]:
    """Return what picks the provider's count, which is at `path`, from records with this word."""
    return lambda value: recorded(to_int(inner(value, *path[:-1]).get(path[-1]))), f'"{marker}"'.encode()


def parse_line(text: bytes) -> Any:
    """Return the JSON value of a text; None if it is invalid."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def document(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file; empty if the file is missing, damaged, too large or something else."""
    try:
        value = parse_line(path.read_bytes()) if path.stat().st_size <= WHOLE else None
    except OSError:
        return {}
    return value if isinstance(value, dict) else {}


def text_of(content: Any) -> str:
    """Return the text of a message's content: a string, or a list of blocks or parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return text_of(content.get("text") or content.get("content"))
    if isinstance(content, list):
        return "\n".join(filter(None, (text_of(block) for block in content if not isinstance(block, list))))
    return ""


def request(content: Any) -> str | None:
    """Return the beginning of a text if it is a user request; None for text inserted by a harness."""
    text = text_of(content).strip()
    while match := _IDE.match(text):
        text = text[match.end() :]
    return text[:_TITLE] if text and origin_of(text[: 16 * _TITLE]) == "request" else None


def objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects in a list; none if the value is not a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def first_request(messages: Iterable[dict[str, Any]]) -> str:
    """Return the user's first request among messages with a role and a content."""
    return next(filter(None, map(asked("role", "user", "content")[0], messages)), "")


def to_int(value: Any) -> int:
    """Return a count from a record; 0 if it is not a positive integer."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def recorded(tokens: int) -> Figure | None:
    """Return a provider's count; None if it is 0."""
    return Figure(tokens, "recorded") if tokens > 0 else None


def estimated(size: int, bytes_a_token: int = BYTES_A_TOKEN) -> Figure | None:
    """Return an estimate of the tokens from a file's size; None if the file is too small."""
    return Figure(size // bytes_a_token, "estimated") if size >= bytes_a_token else None


def tokens_or_size(figures: Iterable[Figure | None], session: FoundSession) -> Figure | None:
    """Return the first recorded figure, or else an estimate from the file's size."""
    return next(filter(None, figures), None) or estimated(session.size)
