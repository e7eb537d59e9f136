"""Calls that make up for what had failed, or waited, in what is known of a session."""

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
"""Failures, the newest, that may be made up for by something put right: who tries again does so soon."""


def tried_anew(state: KnownSoFar, call: ToolCall) -> None:
    """Forget the acts that had failed and that a call makes up for, which nothing else is told of."""
    newest = islice(reversed(state.tried.items()), _MOST_TRIED)
    over = [key for key, tried in newest if is_made_up_for(tried, call)] if not leaves_open(call.said) else []
    for key in over:
        _is_over(state, key)


def make_up_for(state: KnownSoFar, effect: Effect, call: ToolCall) -> None:
    """Forget the acts that had failed and that an effect makes up for."""
    failed = islice(reversed(state.failed.items()), _MOST_TRIED)
    other = ((key, line.text) for key, line in failed if not line.text.startswith(WAITS))
    over = [key for key, text in other if corrects(effect, key, text, state.asked.get(key, ()))]
    over += [key for key, tried in islice(reversed(state.tried.items()), _MOST_TRIED) if is_made_up_for(tried, call)]
    over += [key for name in names_in(effect.text) for key in state.waiting.pop(name, ()) if _waits(state, key)]
    for key in (*made_up_for(effect.key), *over):
        _is_over(state, key)


def keep_open(state: KnownSoFar, key: str, line: StateLine) -> None:
    """Take over the line of an act that did not take place; where it waits, until one that names the same does."""
    state.failed[key] = line
    for name in names_in(line.text):
        state.waiting.setdefault(name, {})[key] = None


def _waits(state: KnownSoFar, key: str) -> bool:
    return key in state.failed and state.failed[key].text.startswith(WAITS)


def _is_over(state: KnownSoFar, key: str) -> None:
    """Forget an act that failed: it took place since."""
    state.tried.pop(key, None)
    line = state.failed.pop(key, None)
    if line is not None and line.message >= 0:
        state.errors.made_up_for.add(line.message)
