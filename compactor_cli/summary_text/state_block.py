"""The state block of a summary: writing it and reading it back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from compactor_cli.summary_text.headers import is_state_heading, messages_to_state, state_heading
from compactor_cli.summary_text.state_line import Kind, StateLine, count_things, fewer, parted
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
_COUNT = compiled_later(rf"(\d+) more ({'|'.join(_COUNTED.values())})s?(?:, |$)")
_COUNTS = compiled_later(rf"(?:{_UNLISTED})?(?:\d+ more (?:{'|'.join(_COUNTED.values())})s?(?:, |$))+")
COUNTS_FILES = 100
_IN_FILES: tuple[Kind, ...] = ("file", "check")


def state_text(lines: Iterable[StateLine], later: int = 0) -> str:
    """Return the state block of a summary for lines in order of value; empty if there are none. Effects outside the
    session are in time order, because one may undo another. `later`: number of messages after the summary that the
    state includes."""
    listed = list(lines)
    if not listed:
        return ""
    effects = (line for line in reversed(listed) if line.kind == "effect")
    others = (line for line in listed if line.kind != "effect")
    ordered = sorted([*effects, *others], key=lambda line: _ORDER.index(line.kind))
    return "\n".join([state_heading(later), *(f"- {line.text}" for line in ordered)])


def with_whole_list(lines: Sequence[StateLine], is_told: Callable[[StateLine], bool]) -> tuple[StateLine, ...]:
    """Return the lines that `is_told` chooses. A task list is included whole, or missing tasks would seem done."""
    told = [(line, is_told(line)) for line in lines]
    listed = any(line.kind == "task" and tells for line, tells in told)
    return tuple(line for line, tells in told if tells or (listed and line.kind == "task"))


def tasks_age_text(spoken: int) -> str:
    """Return the line before tasks that are older than the last `spoken` user messages."""
    return f"tasks, {spoken} user {'message' if spoken == 1 else 'messages'} ago:"


def tasks_age(line: str) -> int:
    """Return how many messages the user wrote since the tasks after this line were listed; 0 for any other line."""
    match = _TASKS_AGE.match(line)
    return int(match[1]) if match else 0


def without_tasks(lines: Sequence[StateLine]) -> tuple[StateLine, ...]:
    """Return the lines with an unfinished task list replaced by a count of its tasks."""
    if not any(line.kind == "task" and line.open for line in lines):
        return tuple(lines)
    kept = [line for line in lines if line.kind != "task" and not unlisted_counts(line.text)]
    counts: Counter[Kind] = Counter(line.kind for line in lines if line.kind == "task" and not tasks_age(line.text))
    for line in lines:
        counts += unlisted_counts(line.text)
    return (*kept, StateLine("file", unlisted_text(counts), -1)) if counts else tuple(kept)


def state_lines(text: str) -> tuple[str, ...]:
    """Return the lines of all state blocks in a text, without bullets, one for each thing."""
    lines = (line for start, end in state_spans(text) for line in text[start:end].split("\n"))
    return tuple(told for line in lines if line.startswith("- ") for told in parted(line[2:]))


def holds_after(text: str) -> int:
    """Return how many messages after a summary its last state block includes."""
    headings = [line for line in text.split("\n") if is_state_heading(line)]
    return messages_to_state(headings[-1]) if headings else 0


def unlisted_text(counts: Mapping[Kind, int]) -> str:
    """Return the line that says how many facts of each kind do not fit in the block."""
    shown_counts = ((counts[kind], _COUNTED[kind]) for kind in _ORDER if counts.get(kind))
    more = (f"{count} more {name}{'s' * (count > 1 and name != 'pending')}" for count, name in shown_counts)
    return _UNLISTED + ", ".join(more)


def rest_lines(
    taken: list[StateLine], left_out: Counter[Kind], left: float, cost: Callable[[str], int], *, small: bool
) -> Iterator[StateLine]:
    """Yield the line that counts the facts that do not fit, because the listed facts would otherwise pass for all.
    To make it fit, lines of least value are moved out of `taken`. Yield nothing if it does not fit even alone.
    `left`: remaining tokens. `cost`: tokens of a line. `small`: there is hardly space for more than one line, so
    files and checks are not counted."""
    while counts := {kind: count for kind, count in left_out.items() if not (small and kind in _IN_FILES)}:
        text = unlisted_text(counts).removeprefix(_UNLISTED if small else "")
        if cost(text) <= left:
            yield StateLine("file", text, -1)
            return
        if not taken:
            return
        line = taken.pop()
        shorter = fewer(line)
        taken += [shorter] if shorter else []
        gone = count_things(line) - (count_things(shorter) if shorter else 0)
        left_out[line.kind] += 0 if tasks_age(line.text) else gone
        left += cost(line.text) - (cost(shorter.text) if shorter else 0)


def unlisted_counts(line: str) -> Counter[Kind]:
    """Return the counts in such a line; empty for any other line."""
    if not _COUNTS.fullmatch(line):
        return Counter()
    kinds = {name: kind for kind, name in _COUNTED.items()}
    return Counter({kinds[name]: int(count) for count, name in _COUNT.findall(line)})


def state_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of the state blocks in a text."""
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
