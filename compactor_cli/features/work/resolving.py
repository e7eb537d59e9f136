"""Apply acts that make up for failed or waiting ones to what is known about a session."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from compactor_cli.features.work.effects import WAITS_PREFIX, Effect
from compactor_cli.features.work.shell_effects import resolved_keys
from compactor_cli.features.work.step_tables import PUBLISHERS
from compactor_cli.features.work.work_state import WorkState
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.patterns import compiled_later

_MAX_COMPARED = 20
"""Maximum number of recent failures that a corrected attempt is compared with; a retry usually follows soon."""
_IDENTITY = compiled_later(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[^\W\d_])[\w-]{4,40}(?![\w-])")
"""A name in the line of an act, such as `TR-1001`."""
_INSERT, _WHERE = " insert into ", " where "
_WORD = compiled_later(r"\w+")
_MAY_DIFFER = compiled_later(
    r"--?[a-zA-Z][\w-]*(?:=(?:[\d.,:]+[a-z%]{0,3}|true|false))?|[\w.-]+=[\d.,:]+[a-z%]{0,3}|\d+(?:m?s|[mhd%]|[KMG]i?B?)"
)
"""An option without a name, or an amount, which may differ in the next attempt."""
_OPTIONAL_OBJECT = (
    *("git push", "gh pr create", "gh issue create", "gh release create"),
    *(f"{program} publish" for program in sorted(PUBLISHERS)),
)
"""Beginnings of keys of commands that may not name what they act on."""


def resolve_by_effect(state: WorkState, effect: Effect) -> None:
    """Remove the failed acts that an effect makes up for, and those that waited for something about the same thing."""
    recent = islice(reversed(state.failed), _MAX_COMPARED)
    resolved = [
        key
        for key in recent
        if not _is_waiting(state, key) and _is_same_command(effect.key, key, state.failed[key].text)
    ]
    resolved += [
        key for name in _IDENTITY.findall(effect.text) for key in state.waiting.pop(name, ()) if _is_waiting(state, key)
    ]
    for key in (*resolved_keys(effect.key), *resolved):
        line = state.failed.pop(key, None)
        if line is not None and line.message >= 0:
            state.errors.resolved_messages.add(line.message)


def record_open(state: WorkState, key: str, line: StateLine) -> None:
    """Record the line of an act that did not take place. If it is waiting, it stays until an act that names the same
    thing takes place."""
    state.failed[key] = line
    for name in _IDENTITY.findall(line.text):
        state.waiting.setdefault(name, {})[key] = None


def _is_same_command(done: str, failed: str, failure: str) -> bool:
    """Return whether one command did what another failed to do, judged by their keys: it has all words of the other
    one, except for switches, amounts and what the failure names in inserted rows, or it may not name its object, and
    does not."""
    if done.split()[:1] != failed.split()[:1]:
        return False
    if _INSERT in done and _INSERT in failed:
        missing = Counter(_WORD.findall(failed)) - Counter(_WORD.findall(done))
        return missing.keys() <= set(_WORD.findall(failure.lower().rpartition(": ")[2]))
    if _WHERE in failed:
        return False  # a statement with more words may change fewer rows
    missing = Counter(failed.split()) - Counter(done.split())
    return all(map(_MAY_DIFFER.fullmatch, missing)) or (done in _OPTIONAL_OBJECT and failed.startswith(f"{done} "))


def _is_waiting(state: WorkState, key: str) -> bool:
    return key in state.failed and state.failed[key].text.startswith(WAITS_PREFIX)
