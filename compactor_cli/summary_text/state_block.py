"""The block of a summary that says the state, written and read back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from compactor_cli.summary_text.headers import is_state_heading, messages_to_state, state_heading
from compactor_cli.summary_text.state_line import Kind, StateLine
from compactor_cli.text.patterns import compiled_later

_ORDER: tuple[Kind, ...] = ("task", "pending", "error", "check", "effect", "file")
_UNLISTED = "not listed: "
_COUNTED: dict[Kind, str] = {
    "task": "task",
    "pending": "pending",
    "error": "error",
    "check": "check",
    "effect": "action",
    "file": "changed file",
}
_TASKS_AGE = compiled_later(r"tasks, (\d+) user messages? ago:$")
"""Before tasks that were listed before the user spoke again, who may have said otherwise."""
_COUNT = compiled_later(rf"(\d+) more ({'|'.join(_COUNTED.values())})s?(?:, |$)")
_COUNTS = compiled_later(rf"(?:{_UNLISTED})?(?:\d+ more (?:{'|'.join(_COUNTED.values())})s?(?:, |$))+")
COUNTS_FILES = 100
"""Tokens of room from which on the state counts the changed files and checks, too, that it has no room for."""
_IN_FILES: tuple[Kind, ...] = ("file", "check")
"""What can be seen in files, and run again."""


def state_text(lines: Iterable[StateLine], later: int = 0) -> str:
    """Write the block of a summary, of lines in the order of worth; empty when there are none. What was done outside
    the session stands in the order of time: one act may take back another. `later`: messages behind the summary after
    which the state holds."""
    listed = list(lines)
    if not listed:
        return ""
    effects = (line for line in reversed(listed) if line.kind == "effect")
    others = (line for line in listed if line.kind != "effect")
    ordered = sorted([*effects, *others], key=lambda line: _ORDER.index(line.kind))
    return "\n".join([state_heading(later), *(f"- {line.text}" for line in ordered)])


def with_whole_list(lines: Sequence[StateLine], is_told: Callable[[StateLine], bool]) -> tuple[StateLine, ...]:
    """Return the lines that are told. A list of tasks is told whole where a line of it is, or those that are missing
    would pass for ones that do not exist."""
    told = [is_told(line) for line in lines]
    listed = any(line.kind == "task" and tells for line, tells in zip(lines, told, strict=True))
    return tuple(line for line, tells in zip(lines, told, strict=True) if tells or (listed and line.kind == "task"))


def tasks_age_text(spoken: int) -> str:
    """Return the line before tasks since which the user spoke so often."""
    return f"tasks, {spoken} user {'message' if spoken == 1 else 'messages'} ago:"


def tasks_age(line: str) -> int:
    """Return how often the user spoke since the tasks behind such a line were listed; 0 for any other line."""
    match = _TASKS_AGE.match(line)
    return int(match[1]) if match else 0


def without_tasks(lines: Sequence[StateLine]) -> tuple[StateLine, ...]:
    """Return lines without a list of tasks of which some are open: the count of what is not listed tells of it."""
    if not any(line.kind == "task" and line.open for line in lines):
        return tuple(lines)
    kept = [line for line in lines if line.kind != "task" and not unlisted_counts(line.text)]
    counts: Counter[Kind] = Counter(line.kind for line in lines if line.kind == "task" and not tasks_age(line.text))
    for line in lines:
        counts += unlisted_counts(line.text)
    return (*kept, StateLine("file", unlisted_text(counts), -1)) if counts else tuple(kept)


def state_lines(text: str) -> tuple[str, ...]:
    """Return the lines of all such blocks in a text, without bullets."""
    lines = (line for start, end in state_spans(text) for line in text[start:end].split("\n"))
    return tuple(line[2:] for line in lines if line.startswith("- "))


def holds_after(text: str) -> int:
    """Return after how many messages behind a summary the last state holds that stands in it."""
    headings = [line for line in text.split("\n") if is_state_heading(line)]
    return messages_to_state(headings[-1]) if headings else 0


def unlisted_text(counts: Mapping[Kind, int]) -> str:
    """Write the line that says how many facts of each kind have no room in the block."""
    told = ((counts[kind], _COUNTED[kind]) for kind in _ORDER if counts.get(kind))
    more = (f"{count} more {name}{'s' * (count > 1 and name != 'pending')}" for count, name in told)
    return _UNLISTED + ", ".join(more)


def rest_lines(
    taken: list[StateLine], left_out: Counter[Kind], left: float, cost: Callable[[str], int], *, small: bool
) -> Iterator[StateLine]:
    """Yield the line that counts what has no room, for which the lines of least worth leave `taken`: what is listed
    would pass for all there is; none where nothing is listed, and that has no room either. `left`: tokens that are
    left; `cost`: those of a line; `small`: there is hardly room for more than one, and files are not counted."""
    while told := {kind: count for kind, count in left_out.items() if not (small and kind in _IN_FILES)}:
        text = unlisted_text(told).removeprefix(_UNLISTED if small else "")
        if cost(text) <= left:
            yield StateLine("file", text, -1)
            return
        if not taken:
            return
        line = taken.pop()
        left_out[line.kind] += not tasks_age(line.text)
        left += cost(line.text)


def unlisted_counts(line: str) -> Counter[Kind]:
    """Return what such a line says; empty for any other line."""
    if not _COUNTS.fullmatch(line):
        return Counter()
    kinds = {name: kind for kind, name in _COUNTED.items()}
    return Counter({kinds[name]: int(count) for count, name in _COUNT.findall(line)})


def state_spans(text: str) -> list[tuple[int, int]]:
    """Return where such blocks stand in a text."""
    spans: list[tuple[int, int]] = []
    start, inside = 0, False
    for line in text.split("\n"):
        end = start + len(line)
        if is_state_heading(line):
            inside = True
            spans.append((start, end))
        elif inside and line.startswith("- "):
            spans[-1] = spans[-1][0], end
        else:
            inside = False
        start = end + 1
    return spans
