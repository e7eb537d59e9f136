"""Apply calls that make up for failed or waiting acts to what is known about a session."""

from __future__ import annotations

from itertools import islice

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.effects import WAITS, Effect
from compactor_cli.features.work.known_so_far import KnownSoFar
from compactor_cli.features.work.overtaking import corrects
from compactor_cli.features.work.retried import is_made_up_for, names_in
from compactor_cli.features.work.shell_effects import made_up_for
from compactor_cli.features.work.standing import leaves_open
from compactor_cli.summary_text.state_line import StateLine

_MOST_TRIED = 20
"""Maximum number of recent failures that a corrected attempt is compared with; a retry usually follows soon."""


def tried_anew(state: KnownSoFar, call: ToolCall) -> None:
    """Remove the failed acts that a call makes up for, when the call itself is not reported in any other way."""
    newest = islice(reversed(state.tried.items()), _MOST_TRIED)
    over = [key for key, tried in newest if is_made_up_for(tried, call)] if not leaves_open(call.said) else []
    for key in over:
        _is_over(state, key)


def make_up_for(state: KnownSoFar, effect: Effect, call: ToolCall) -> None:
    """Remove the failed acts that an effect makes up for."""
    failed = islice(reversed(state.failed.items()), _MOST_TRIED)
    other = ((key, line.text) for key, line in failed if not line.text.startswith(WAITS))
    over = [key for key, text in other if corrects(effect, key, text, state.asked.get(key, ()))]
    over += [key for key, tried in islice(reversed(state.tried.items()), _MOST_TRIED) if is_made_up_for(tried, call)]
    over += [key for name in names_in(effect.text) for key in state.waiting.pop(name, ()) if _waits(state, key)]
    for key in (*made_up_for(effect.key), *over):
        _is_over(state, key)


def keep_open(state: KnownSoFar, key: str, line: StateLine) -> None:
    """Record the line of an act that did not take place. If it is waiting, it stays until an act that names the same
    thing takes place."""
    state.failed[key] = line
    for name in names_in(line.text):
        state.waiting.setdefault(name, {})[key] = None


def _waits(state: KnownSoFar, key: str) -> bool:
    return key in state.failed and state.failed[key].text.startswith(WAITS)


def _is_over(state: KnownSoFar, key: str) -> None:
    """Remove a failed act, because it has taken place since."""
    state.tried.pop(key, None)
    line = state.failed.pop(key, None)
    if line is not None and line.message >= 0:
        state.errors.made_up_for.add(line.message)
