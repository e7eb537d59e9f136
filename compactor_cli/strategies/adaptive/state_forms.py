"""Shorter forms of state lines: with fewer details, and several acts or files of one verb in one line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from compactor_cli.features.work.changed_files import EARLIER_LINE
from compactor_cli.features.work.effects import WAITS_PREFIX
from compactor_cli.summary_text.state_line import StateLine, failed_times, fewer, join
from compactor_cli.text.patterns import compiled_later

_PLAIN = compiled_later(r"[^\s{},\"']+")
_ACT = compiled_later(r"((?:[\w.-]+ ){1,3})((?=\S*[\d@])[\w@./+#-]+)")
"""The verb of an act, and the id of what it was done to."""


def forms(line: StateLine) -> Iterator[StateLine]:
    """Yield a state line, and shorter forms of one about something outside the session: with short details only, such
    as an amount, then with what was done to what, and why it failed. Without its object, a line would look like any
    other. A line about several things is shortened by the oldest ones."""
    yield line
    if line.brief:
        yield replace(line, text=line.brief)
    short, _, details = line.text.partition(" (")
    _, failed, reason = details.rpartition("): ")
    if line.kind == "effect" and details and " " not in failed_times(short)[1].removeprefix(WAITS_PREFIX):
        if ", " in details:  # the name of a tool alone does not say what it did
            yield replace(line, text=f"{short} ({details.partition(', ')[0]}){failed[1:] and f': {reason}'}")
    elif line.kind == "effect" and details:
        if failed:
            yield replace(line, text=f"{short}: {reason}")
        elif ", " in details:  # the first detail says which thing of several it is
            yield replace(line, text=f"{short} ({details.partition(', ')[0]})")
        yield replace(line, text=short)
    shorter = fewer(line)
    while shorter:
        yield shorter
        shorter = fewer(shorter)


def joined(lines: Sequence[StateLine]) -> list[StateLine]:
    """Return the lines with those of one verb, about different things, in one line at the place of the first. What a
    line says besides the verb, the thing and a check is left out. An act stays apart if another verb was applied to the
    same thing: its line could then come before that one."""
    verbs = _verbs_of(lines)
    together: dict[tuple[str, str, str], list[tuple[StateLine, str]]] = defaultdict(list)
    place: dict[int, tuple[str, str, str]] = {}
    for index, line in enumerate(lines):
        verb, thing, tail = _parts(line)
        if thing and len(verbs.get(thing, ())) <= 1:
            place[index] = line.kind, verb, tail
            together[place[index]].append((line, thing))
    found: list[StateLine] = []
    for index, line in enumerate(lines):
        alike = together.get(place[index], []) if index in place else []
        if len(alike) > 1:
            found += [_one_line(*place[index], alike)] if alike[0][0] is line else []
        else:
            found.append(line)
    return found


def _one_line(kind: str, verb: str, tail: str, alike: Sequence[tuple[StateLine, str]]) -> StateLine:
    newest, things = alike[0][0], [thing for _, thing in alike]
    if kind == "effect":  # in time order, like lines of acts
        return replace(newest, text=join(verb, things[::-1], tail), brief="")
    first, last = min(things), max(things)
    alike_to = next(
        (index for index, pair in enumerate(zip(first, last, strict=False)) if len({*pair}) > 1), len(first)
    )
    folder = first[: first.rfind("/", 0, alike_to) + 1]
    return replace(newest, text=join(verb + folder, [thing.removeprefix(folder) for thing in things], tail))


def _parts(line: StateLine) -> tuple[str, str, str]:
    """Return the verb, the thing, and what a check said; ("", "", "") for a line that stays apart."""
    if line.kind == "file" and (match := EARLIER_LINE.match(line.text)) and _PLAIN.fullmatch(match[2]):
        return f"{match[1]} ", match[2], f", {match[5]}" if match[5] else ""
    short = line.text.partition(" (")[0]
    if line.kind == "effect" and not line.open and (match := _ACT.fullmatch(short)):
        return match[1], match[2], ""
    return "", "", ""


def _verbs_of(lines: Sequence[StateLine]) -> Mapping[str, set[str]]:
    """Return the verbs of the acts whose lines contain a word, for each word."""
    verbs: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        if line.kind == "effect":
            for word in line.text.replace("(", " ").replace(")", " ").replace(",", " ").split():
                verbs[word].add(_parts(line)[0] or line.text)
    return verbs
