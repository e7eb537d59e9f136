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
_OPTIONAL_OBJECT = (
    *("git push", "gh pr create", "gh issue create", "gh release create"),
    *(f"{program} publish" for program in sorted(PUBLISHERS)),
)
"""Beginnings of keys of commands that may not name what they act on."""


def resolve_by_effect(state: WorkState, effect: Effect) -> None:
    """Remove the failed acts that an effect makes up for, and those that waited for something about the same thing."""
    recent = islice(reversed(state.failed), _MAX_COMPARED)
    resolved = [key for key in recent if not _is_waiting(state, key) and _is_same_command(effect.key, key)]
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


def _is_same_command(done: str, failed: str) -> bool:
    """Return whether one command did what another failed to do, judged by their keys: it has all words of the other
    one, or it is one that may not name its object, and does not."""
    words, failed_words = done.split(), failed.split()
    has_all_words = words[:1] == failed_words[:1] and Counter(failed_words) <= Counter(words)
    return has_all_words or (done in _OPTIONAL_OBJECT and failed.startswith(f"{done} "))


def _is_waiting(state: WorkState, key: str) -> bool:
    return key in state.failed and state.failed[key].text.startswith(WAITS_PREFIX)
