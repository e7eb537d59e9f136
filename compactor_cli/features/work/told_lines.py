"""Lines of the state without what opens something, whatever they stand on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.secret_arguments import secrets_of
from compactor_cli.features.work.secret_words import hidden
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.secret_values import without_secrets


def without_secret_values(lines: Iterable[StateLine], calls: Sequence[ToolCall]) -> Iterator[StateLine]:
    """Yield lines with `…` in place of values of secrets, of those too that the calls were given that they stand on:
    their results may say them again."""
    standing: dict[int, list[ToolCall]] = {}
    for call in calls:
        standing.setdefault(call.message, []).append(call)
    known: dict[int, list[str]] = {}
    for line in lines:
        if line.kind == "file":
            yield line
            continue
        at = line.message
        if at not in known:
            given = (secrets_of(call.tool, call.arguments, call.command) for call in standing.get(at, ()))
            known[at] = [value for values in given for value in values]
        text = _told(line.text, known[at])
        brief = text if line.brief == line.text else _told(line.brief, known[at])
        yield line if (text, brief) == (line.text, line.brief) else replace(line, text=text, brief=brief)


def _told(text: str, values: Sequence[str]) -> str:
    text = without_secrets(text)
    return hidden(text, values) if values and text else text
