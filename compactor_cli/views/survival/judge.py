"""The judge: determines what of the first transcript is still present in the second.

It reads both transcripts independently: sentences and lines of requests, calls with results, the agent's list. It
shares no patterns with the strategies and summarizers, so that it does not share their blind spots. Presence is not
use: a model may still overlook what survives.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from compactor_cli.model.message import Message
from compactor_cli.views.survival.corrections import Correction, corrections, is_kept
from compactor_cli.views.survival.ended_calls import find_calls, find_errors
from compactor_cli.views.survival.judged_sentences import (
    Unit,
    asked_lines,
    instruction_units,
    request_units,
    text_units,
)
from compactor_cli.views.survival.normal_form import is_short
from compactor_cli.views.survival.open_items import open_items
from compactor_cli.views.survival.outside_effects import find_effects
from compactor_cli.views.survival.phrases import DECISION, LIMIT, RULE
from compactor_cli.views.survival.reader import Places, find_in_messages, find_keys, read_transcript
from compactor_cli.views.survival.result import CATEGORIES, Survival
from compactor_cli.views.survival.shown import ShownActions, named_paths

_Lost = list[tuple[int, str]]
_CHUNK = re.compile(r"[\w/~.-][\w./:@%+=~-]{2,118}[\w%]", re.ASCII)
_NAME = re.compile(
    r"[\w./@%+~-]*[/_@][\w./@%+~-]*"  # paths, addresses, joined words
    r"|[A-Za-z][\w-]*(?:\.\w+)+"  # module.name, file.ext
    r"|[a-z]+(?:[A-Z][a-z0-9]*)+|(?:[A-Z][a-z0-9]+){2,}"  # camelCase, PascalCase
    r"|(?=[\w-]*\d)(?=[\w-]*[A-Za-z])\w[\w-]*"  # ids, dates, numbers with units
    r"|\d+(?:\.\d+)+(?:%|[A-Za-z]+)?|\d+%"
    r"|--[A-Za-z][\w-]+|E(?:NO[A-Z]+|ACCES|EXIST|PERM|PIPE|CONN[A-Z]+|ADDR[A-Z]+|TIMEDOUT|INVAL|ISDIR|AGAIN|"
    r"BUSY)|SIG[A-Z]{3,}",
    re.ASCII,
)
_ESCAPED = re.compile(r"\\+[nrt\"'/]")
_BEFORE_NAME = re.compile(r"^(?:\.+(?!/)|-(?!-)|--+(?![A-Za-z]))")


def judge_survival(before: Sequence[Message], after: Sequence[Message]) -> tuple[Survival, ...]:
    """Return how much of each category survives. The cost is linear in both transcripts."""
    requested = request_units(before)
    changed = corrections(requested)
    acts = find_calls(before)
    effects_before = find_effects(acts)
    undone = open_items(before, acts, requested)
    failures = find_errors(before)
    kinds = {
        "rules": _binding_units(requested, RULE),
        "instructions": instruction_units(before),
        "constraints": _binding_units(requested, LIMIT),
        "decisions": [*_decisions(before, requested)],
    }
    reading = read_transcript(after)
    keys = {key for unit in (*requested, *kinds["decisions"], *kinds["instructions"]) for key in unit.keys}
    cut = {key for key in failures if not is_short(key)}
    cut |= {unit.key for item in undone if item.cut for unit in item.units}
    keys |= {key for item in undone for unit in item.units for key in unit.keys}
    places = find_keys({*keys, *failures}, reading, cut)
    shown_after = ShownActions(
        effects_before, find_calls(after), reading, {unit.key for unit in requested} | asked_lines(before)
    )
    files = list(dict.fromkeys(effect.main for effect in reversed(effects_before) if effect.kind == "file"))
    mentioned = named_paths(files, reading)
    message_of_file = {effect.main: effect.message for effect in effects_before if effect.kind == "file"}
    names, remaining = find_identifiers(before), find_identifiers(after)
    judged = {
        "user_requests": (len(requested), _lost_requests(requested, places)),
        **{name: (len(units_of_kind), _lost_units(units_of_kind, places)) for name, units_of_kind in kinds.items()},
        "corrections": (len(changed), _lost_corrections(changed, places, before)),
        "effects": (
            len(effects_before),
            [(effect.message, str(effect)) for effect in effects_before if not shown_after.is_done(effect)],
        ),
        "open_items": (len(undone), [(item.message, item.text) for item in undone if not item.is_kept(places)]),
        "errors": (len(failures), [line for key, line in failures.items() if key not in places]),
        "files": (len(files), [(message_of_file[path], path) for path in files if path not in mentioned]),
        "identifiers": (len(names), [(-1, name) for name in sorted(names) if name not in remaining]),
    }
    totals = ((name, *judged[name]) for name in CATEGORIES)
    return tuple(Survival(name, total - len(lost), total, tuple(lost)) for name, total, lost in totals)


def _binding_units(requested: Iterable[Unit], pattern: re.Pattern[str]) -> list[Unit]:
    """Return the sentences with binding words; questions do not bind."""
    return [unit for unit in requested if unit.prose and not unit.asks and pattern.search(unit.key)]


def _decisions(messages: Sequence[Message], requested: Iterable[Unit]) -> Iterator[Unit]:
    """Yield the sentences of the user and the assistant that state a decision."""
    answers = (m for m in messages if m.role == "assistant" and m.origin != "summary")
    of_agent = (unit for message in answers for unit in text_units(message.index, message.text("text")))
    yield from (unit for unit in (*requested, *of_agent) if unit.prose and DECISION.search(unit.key))


def _lost_requests(requested: Sequence[Unit], places: Places) -> _Lost:
    """Return the missing sentences; of a repeated one, as many as are present count as kept, newest first."""
    remaining = {unit.key: len(places.get(unit.key, ())) for unit in requested}
    lost = []
    for unit in reversed(requested):
        if any(key in places for key in unit.among):
            continue
        if remaining[unit.key] == 0:
            lost.append((unit.message, unit.text))
        else:
            remaining[unit.key] -= 1
    return lost[::-1]


def _lost_units(expected: Iterable[Unit], places: Places) -> _Lost:
    return [(unit.message, unit.text) for unit in expected if unit.last(places) < 0]


def _lost_corrections(changed: Sequence[Correction], after: Places, before: Sequence[Message]) -> _Lost:
    lost = [change for change in changed if not is_kept(change, after, {})]
    turned = [change for change in lost if change.newer.last(after) >= 0]
    keys = {key for change in turned for unit in (change.newer, change.older) if unit is not None for key in unit.keys}
    # sentences in this order in the first transcript were not reordered by the second
    places = find_in_messages(before, keys) if keys else {}
    return [(change.newer.message, change.newer.text) for change in lost if not is_kept(change, after, places)]


def find_identifiers(messages: Iterable[Message]) -> dict[str, int]:
    """Return the distinct identifiers -> first message that names each."""
    chunks: dict[str, int] = {}
    for message in messages:
        for part in message.parts:
            text = _ESCAPED.sub(" ", part.text) if "\\" in part.text else part.text
            for chunk in set(_CHUNK.findall(text)):
                chunks.setdefault(chunk, message.index)
    first_messages: dict[str, int] = {}
    for chunk, index in chunks.items():
        for name in _names(chunk):
            first_messages.setdefault(name, index)
    return first_messages


def _names(chunk: str) -> list[str]:
    pieces = [chunk] if "://" in chunk else re.split(r"[:=]+", chunk)
    names = (_BEFORE_NAME.sub("", piece).rstrip(".-+@/") for piece in pieces)
    return [name for name in names if len(name) > 3 and ("://" in name or _NAME.fullmatch(name))]
