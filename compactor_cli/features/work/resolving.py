"""Apply calls that make up for failed or waiting acts to what is known about a session."""

from __future__ import annotations

from itertools import islice

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.command_keys import is_same_command
from compactor_cli.features.work.effects import WAITS_PREFIX, Effect
from compactor_cli.features.work.retried import names_in_line, resolves
from compactor_cli.features.work.shell_effects import resolved_keys
from compactor_cli.features.work.work_state import WorkState
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.patterns import compiled_later

_MAX_COMPARED = 20
"""Maximum number of recent failures that a corrected attempt is compared with; a retry usually follows soon."""
_MAX_RESULT_CHARS = 2_000
"""Maximum length of a result that is searched; a longer one may contain anything."""
_NOT_YET = compiled_later(
    r"(?i)\b(?:not|no|nothing|unchanged|already|pending|queued|scheduled|waiting|awaiting|submitted|requested|"
    r"requires?|"
    r"needs?|approval|cannot|can't|unable|fail\w*|errors?|reject\w*|den(?:y|ied)|declined|refused|forbidden|ignored|"
    r"skipped|unknown|invalid|dry|would)\b"
)
"""Words in a result that may mean that an act did not take place, or not yet."""


def resolve_by_call(state: WorkState, call: ToolCall) -> None:
    """Remove the failed acts that a call makes up for, when the call itself is not reported in any other way."""
    recent = islice(reversed(state.failed_calls.items()), _MAX_COMPARED)
    resolved = (
        [key for key, failed_call in recent if resolves(failed_call, call)]
        if not _may_not_have_happened(call.output)
        else []
    )
    for key in resolved:
        _resolve(state, key)


def resolve_by_effect(state: WorkState, effect: Effect, call: ToolCall) -> None:
    """Remove the failed acts that an effect makes up for."""
    recent = islice(reversed(state.failed), _MAX_COMPARED)
    resolved = [key for key in recent if not _is_waiting(state, key) and is_same_command(effect.key, key)]
    resolved += [
        key
        for key, failed_call in islice(reversed(state.failed_calls.items()), _MAX_COMPARED)
        if resolves(failed_call, call)
    ]
    resolved += [
        key for name in names_in_line(effect.text) for key in state.waiting.pop(name, ()) if _is_waiting(state, key)
    ]
    for key in (*resolved_keys(effect.key), *resolved):
        _resolve(state, key)


def record_open(state: WorkState, key: str, line: StateLine) -> None:
    """Record the line of an act that did not take place. If it is waiting, it stays until an act that names the same
    thing takes place."""
    state.failed[key] = line
    for name in names_in_line(line.text):
        state.waiting.setdefault(name, {})[key] = None


def _may_not_have_happened(output: str) -> bool:
    return len(output) > _MAX_RESULT_CHARS or _NOT_YET.search(output.replace("_", " ")) is not None


def _is_waiting(state: WorkState, key: str) -> bool:
    return key in state.failed and state.failed[key].text.startswith(WAITS_PREFIX)


def _resolve(state: WorkState, key: str) -> None:
    """Remove a failed act, because it has taken place since."""
    state.failed_calls.pop(key, None)
    line = state.failed.pop(key, None)
    if line is not None and line.message >= 0:
        state.errors.resolved_messages.add(line.message)
