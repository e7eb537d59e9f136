"""The state of a session, computed from calls and results: what is done, what failed, what is open."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import inf

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.work.calls import ToolCall, id_arguments, read_calls
from compactor_cli.features.work.changed_files import ChangedFiles, touched_by
from compactor_cli.features.work.check_runs import is_out_of_date
from compactor_cli.features.work.earlier_rounds import EarlierState, split_earlier_rounds
from compactor_cli.features.work.effects import WAITS_PREFIX, Effect, act_effect, is_outcome_lost
from compactor_cli.features.work.endings import is_declined
from compactor_cli.features.work.file_checks import FileChecks, may_check_files
from compactor_cli.features.work.folders import find_main_folder, prefix_to_cut, session_folder
from compactor_cli.features.work.git_files import stash_subcommand
from compactor_cli.features.work.git_steps import REBASED
from compactor_cli.features.work.in_flight import MAX_COMMAND_CHARS, describe_call, ends_session
from compactor_cli.features.work.inferred_acts import InferredActs
from compactor_cli.features.work.listed_files import paths_listed_by
from compactor_cli.features.work.masked_calls import mask_state_lines
from compactor_cli.features.work.open_errors import is_abandoned
from compactor_cli.features.work.page_acts import page_effects
from compactor_cli.features.work.resolving import record_open, resolve_by_effect
from compactor_cli.features.work.secret_words import mask_command
from compactor_cli.features.work.shell_effects import effect_key, shell_effects
from compactor_cli.features.work.sql_effects import tool_sql_effects
from compactor_cli.features.work.task_lists import ListedTask, TaskList
from compactor_cli.features.work.task_words import Status
from compactor_cli.features.work.tool_names import is_acting, is_action_name, is_remote_commit
from compactor_cli.features.work.work_state import WorkState
from compactor_cli.model.message import NO_RESPONSE, Message
from compactor_cli.model.pairing import Pairing
from compactor_cli.summary_text.state_block import tasks_age, tasks_age_text, unlisted_counts, unlisted_text
from compactor_cli.summary_text.state_line import DECLINED, StateLine, failed_again
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, parse_steps

_MARKS: dict[Status, str] = {"open": " ", "active": ">", "done": "x"}
_STATUSES = {mark: status for status, mark in _MARKS.items()}
_TASK_ID = r"[\w-]{1,24}"
"""An id by which later calls may refer to a task; longer ones are not shown."""
_EARLIER_TASK = compiled_later(rf"\[([ >x])\] (.+?)(?: \(task ({_TASK_ID})\))?$")
_IN_FLIGHT_PREFIX = "in flight: "
_OLD_BRANCH_PREFIX = "on branch "
"""Prefix of a line that older summaries have."""
_RUNNING_PREFIX, _UNFINISHED_PREFIX = "running when last seen: ", "unfinished: "
_EARLIER_RUNNING = compiled_later(rf"{_RUNNING_PREFIX}.+ \((\w+)\)$")
_EARLIER_FAILED = compiled_later(r"(?:failed(?: \d+x)?|declined|unfinished|waits): ((?:\"[^\"]*\"|.)+?)(?:: .+)?$")
_MAX_RUNNING = 3
"""Maximum number of running commands shown, newest first. An older one may have ended without anyone asking."""
_EDIT_LABEL = "edit of "
_MAX_FIRST_FILES = 6
"""Number of newest changed files shown before finished tasks, which acts and files report as well."""


def compute_state(messages: Sequence[Message], earlier: Iterable[str] = ()) -> tuple[StateLine, ...]:
    """Return the state at the end of these messages, most valuable lines first. `earlier`: lines, without bullets,
    from the state block of an earlier round's summary; newer facts supersede them."""
    state, calls = _build_state(messages, [tuple(earlier)], EarlierState(), "")
    return tuple(mask_state_lines(_ordered_lines(state, calls), state.calls))


def _build_state(
    messages: Sequence[Message],
    rounds: Iterable[Sequence[str]],
    earlier_state: EarlierState,
    folder: str,
    pairing: Pairing | None = None,
    *,
    every_error: bool = False,
    up_to: float = inf,
) -> tuple[WorkState, int]:
    """Return what is known after these messages, and the number of their calls that an earlier state did not cover.

    `rounds`: state lines of each earlier summary, oldest first. `earlier_state`: the position of the newest of these
    states. Calls that it covers are read as well, because it left out facts that are still visible in the messages.
    `folder`: the session's working directory, if known. `pairing`: the pairing of the messages, if known.
    `every_error`: include errors too old to be reported. `up_to`: index of the last message whose facts are needed.
    """
    calls = read_calls(messages, pairing)
    covered_count = sum(call.message <= earlier_state.last_covered for call in calls)
    main_folder = session_folder(folder, messages) or find_main_folder(calls)
    state = WorkState(main_folder, files=ChangedFiles(main_folder), calls=calls)
    state.shown = InferredActs(messages, calls)
    for call_number, call in enumerate(calls[:covered_count], -covered_count):
        if call.answered:
            _record_call(state, call, call_number, abandoned=False, superseded=call.message <= earlier_state.summary)
    last = messages[-1].index if messages else -1
    _read_earlier_rounds(state, rounds, keep_pending=last <= earlier_state.last_covered)
    state.command.record_messages(messages, earlier_state.last_covered)
    earlier_age = state.requests_since_tasks
    new_calls = calls[covered_count:]
    last_needed = max((call_number for call_number, call in enumerate(new_calls) if call.message <= up_to), default=-1)
    for call_number, call in enumerate(new_calls):
        if call.answered:
            is_abandoned_now = not every_error and is_abandoned(call_number, len(new_calls))
            _record_call(state, call, call_number, abandoned=is_abandoned_now)
        elif call.message == last and not ends_session(call.tool):
            state.pending.append(StateLine("pending", _IN_FLIGHT_PREFIX + describe_call(call), call.message, open=True))
        # checked at growing intervals
        if call_number >= last_needed and call_number & (call_number + 1) == 0 and not state.has_facts_up_to(up_to):
            break
    tasks_message = max((task.message for task in state.tasks.tasks), default=-1)
    tasks_known_at = tasks_message if tasks_message >= 0 else earlier_state.last_covered
    state.messages_since_tasks = tuple(
        m.index for m in messages if m.origin == "request" and tasks_known_at < m.index <= up_to
    )
    state.requests_since_tasks = len(state.messages_since_tasks) + (earlier_age if tasks_message < 0 else 0)
    if tasks_message >= 0:
        del state.unlisted["task"]
    return state, len(new_calls)


class KnownState(Struct, frozen=True):
    """The state at the end of a session, and the failures that were overcome."""

    lines: tuple[StateLine, ...] = ()
    """Most valuable first."""
    resolved: frozenset[int] = frozenset()
    """Indices of messages with failures that a later call made up for, or with checks that have passed since."""
    messages_since_tasks: tuple[int, ...] = ()
    """Indices of the user's messages since tasks were listed; they may have changed the plan."""


def session_state(messages: Sequence[Message], folder: str = "") -> tuple[StateLine, ...]:
    """Return the state at the end of a session, including what summaries of earlier rounds say about it. `folder`:
    the session's working directory, if known."""
    state, calls = _build_state(*split_earlier_rounds(messages), folder)
    return tuple(mask_state_lines(_ordered_lines(state, calls), state.calls))


def known_state(
    messages: Sequence[Message],
    folder: str = "",
    pairing: Pairing | None = None,
    *,
    every_error: bool = True,
    up_to: float = inf,
) -> KnownState:
    """Return the state of `session_state`, with the failures that are over. All checks are included, but without
    `every_error` only errors recent enough to be reported. `pairing`: the pairing of the messages, if known.
    `up_to`: index of the last message whose facts are needed; facts about later ones may be missing or outdated."""
    new_messages, rounds, earlier_state = split_earlier_rounds(messages)
    pairing = pairing if new_messages is messages else None
    state, calls = _build_state(
        new_messages, rounds, earlier_state, folder, pairing, every_error=every_error, up_to=up_to
    )
    resolved = frozenset(state.errors.resolved_messages | state.checks.passed_since)
    lines = tuple(mask_state_lines(_ordered_lines(state, calls), state.calls))
    return KnownState(lines, resolved, state.messages_since_tasks)


def _read_earlier_rounds(state: WorkState, rounds: Iterable[Sequence[str]], *, keep_pending: bool) -> None:
    """Read what earlier summaries report, oldest first."""
    effects = [line for lines in rounds for line in _read_earlier_round(state, lines, keep_pending=keep_pending)]
    for number, line in enumerate(effects, -len(effects)):
        _read_earlier_effect(state, line, number)
    state.commits.add_earlier_lines(effects)


def _read_earlier_round(state: WorkState, lines: Iterable[str], *, keep_pending: bool) -> list[str]:
    """Read what one summary reports, except effects; these are returned in chronological order."""
    tasks: list[ListedTask] = []
    others: list[str] = []
    for line in lines:
        task = _EARLIER_TASK.match(line)
        if unlisted := unlisted_counts(line):
            state.unlisted += unlisted
        elif age := tasks_age(line):
            state.requests_since_tasks = age
        elif task:
            tasks.append(ListedTask(task.group(2), _STATUSES[task.group(1)], -1, task.group(3) or ""))
        else:
            others.append(line)
    state.tasks = TaskList(tasks) if tasks else state.tasks
    effects: list[str] = []
    readers = state.checks, state.errors, state.files
    for line in reversed(others):  # newest first in the summary
        if line.startswith(_OLD_BRANCH_PREFIX):
            continue
        if line.startswith(_IN_FLIGHT_PREFIX):
            state.pending += [StateLine("pending", line, -1, open=True)] if keep_pending else []
        elif running := _EARLIER_RUNNING.match(line):
            state.running[running[1]] = StateLine("effect", line, -1, open=True)
        elif not any(reader.read_earlier_line(line) for reader in readers):
            effects.append(line)
    return effects[::-1]


def _read_earlier_effect(state: WorkState, line: str, number: int) -> None:
    if failed := _EARLIER_FAILED.match(line):
        record_open(state, _earlier_effect_key(failed.group(1)), StateLine("effect", line, number, open=True))
    elif line.strip() and not state.command.read_earlier_line(line, number):
        if line.startswith("git commit"):
            state.files.read_earlier_commit()
        if all(effect_line.brief != line for effect_line in state.done.values()):
            _record_done(state, line, number)


def _earlier_effect_key(line: str) -> str:
    """Return the key of an effect that an earlier round reported as failed. For an act that no tool name identifies,
    it is the whole text."""
    act_key = effect_key(line)
    arguments_text = act_key.partition(" ")[2]
    has_only_details = line.startswith(f"{act_key} (") and (not arguments_text or is_action_name(arguments_text))
    return line if has_only_details else act_key


def _record_done(state: WorkState, text: str, message: int, brief: str = "") -> None:
    if not text:
        return
    if brief in state.done and state.done[brief].message < 0:
        del state.done[brief]  # a shortened line from an earlier round
    state.done.pop(text, None)
    state.done[text] = StateLine("effect", text, message, brief=brief)


def _record_call(
    state: WorkState, call: ToolCall, call_number: int, *, abandoned: bool, superseded: bool = False
) -> None:
    """Record what a call did. `abandoned`: its errors will not be reported. `superseded`: only its effects outside the
    session and on files count, because something later reports the rest."""
    changes, read_paths = touched_by(call)
    _record_running(state, call)
    line_steps = parse_steps(call.command) if call.command else ()
    if not call.failed:
        state.errors.record_correct_call(call, line_steps)
        state.files.seen.update(read_paths, () if changes else paths_listed_by(call))
    if not superseded and state.tasks.record_call(call) and not call.command and not changes:
        return
    was_stopped = call.undecided and not call.running_id and call.command != "" and not is_declined(call.output)
    took_place = was_stopped or (not call.undecided and (not call.failed or call.command))
    changed = state.files.record_call(call, changes, call_number) if took_place else []
    if not superseded:
        _record_declined(state, call, changes)
    effects = list(_call_effects(call, line_steps, changes, state))
    for effect in effects:
        if effect.done or not superseded:
            _record_effect(state, effect, call)
    if superseded:
        return
    ran_check = bool(line_steps) and state.checks.record_call(call, line_steps, call_number, state.main_folder)
    if not ran_check and may_check_files(call, line_steps):
        state.last_other_run = call_number
    # if it did not find the file, nothing is left to do
    only_read = bool(read_paths) and not changes and not call.command
    if abandoned or ran_check or only_read or (effects and call.failed):
        state.errors.record_changes(changed)
        state.errors.record_success(call, line_steps)
    else:
        first_path = next((path for path, _ in changes), "")
        state.errors.record_call(call, line_steps, changed, first_path, call_number)


def _record_running(state: WorkState, call: ToolCall) -> None:
    for number in (call.polled_id, *id_arguments(call.arguments)) if state.running else ():
        state.running.pop(number, None)
    if call.running_id:
        text = f"{_RUNNING_PREFIX}{one_line(mask_command(call.command), MAX_COMMAND_CHARS)} ({call.running_id})"
        state.running[call.running_id] = StateLine("effect", text, call.message, open=True)


def _record_declined(state: WorkState, call: ToolCall, changes: Sequence[tuple[str, str]]) -> None:
    """Record changes of files that the user declined, or whose outcome is unknown, until they are made after all."""
    declined = call.undecided and is_declined(call.output)
    unanswered = call.answered and call.output == NO_RESPONSE
    if not (declined or unanswered or state.failed):
        return
    for path, action in changes:
        edit = f"{_EDIT_LABEL}{path}"
        state.failed.pop(effect_key(edit), None)
        if action == "deleted":
            _forget_edits(state, path)
        if (declined or unanswered) and not call.command:
            prefix = DECLINED if declined else _UNFINISHED_PREFIX
            state.failed[effect_key(edit)] = StateLine("effect", f"{prefix}{edit}", call.message, open=True)


def _forget_edits(state: WorkState, deleted: str) -> None:
    """Remove edits that did not take place, if their file was deleted or was in a deleted folder. All forms of its
    path count."""
    for key, line in list(state.failed.items()):
        path = line.text.partition(_EDIT_LABEL)[2]
        if path and (
            f"/{path}".endswith(f"/{deleted}") or deleted.endswith(f"/{path}") or path.startswith(f"{deleted}/")
        ):
            del state.failed[key]


def _call_effects(
    call: ToolCall, line_steps: Sequence[Step], changes: Sequence[tuple[str, str]], state: WorkState
) -> Iterator[Effect]:
    if call.command:
        yield from shell_effects(call, line_steps)
    elif changes or is_outcome_lost(call):
        return
    elif is_acting(call.tool, call.arguments) or is_remote_commit(call.arguments):
        yield act_effect(call)
    else:
        yield from tool_sql_effects(call)
        yield from page_effects(call)
        yield from state.shown.effects(call)


def _record_effect(state: WorkState, effect: Effect, call: ToolCall) -> None:
    if effect.is_unfinished or effect.waiting_for:
        _record_unfinished(state, effect, call)
    elif effect.done:
        effect = _name_reverted(state, effect)
        is_rebase = effect.git[:1] in (("rebase",), ("pull",)) and REBASED in call.output
        for old_text, new_text in state.commits.forget_hashes(state.done).items() if is_rebase else ():
            if (line := state.done.pop(old_text, None)) is not None:
                state.done[new_text] = replace(line, text=new_text)
        for discarded in state.commits.record_command(effect.text, effect.key, effect.git) if effect.git else ():
            state.done.pop(discarded, None)
        if not effect.text and effect.git:
            return
        resolve_by_effect(state, effect)
        state.ended |= {effect.ended_identity} - {""}
        if stash_subcommand(effect.git) in ("pop", "apply"):
            state.done = {text: line for text, line in state.done.items() if not text.startswith("git stash")}
            return
        _record_done(state, effect.text, call.message, effect.brief)
    else:
        failure_text = effect.text + (f": {effect.reason}" if effect.reason else "")
        state.failed[effect.key] = failed_again(failure_text, call.message, state.failed.pop(effect.key, None))


def _name_reverted(state: WorkState, effect: Effect) -> Effect:
    """Return an effect; a git revert is labelled with the commits that it undoes, and their lines are removed."""
    reverted = state.commits.lines_reverted(effect.git) if effect.git else []
    for text in reverted:
        state.done.pop(text, None)
    titles = (text.partition('"')[2].rpartition('"')[0] for text in reverted)
    quoted_titles = ", ".join(f'"{title}"' for title in titles if title)
    return replace(effect, text=f"{effect.text} ({quoted_titles})") if quoted_titles else effect


def _record_unfinished(state: WorkState, effect: Effect, call: ToolCall) -> None:
    """Record an effect that was declined, is still running, or is waiting for something."""
    if effect.waiting_for:
        text = f"{WAITS_PREFIX}{effect.text}: {effect.waiting_for}"
        record_open(state, effect.key, StateLine("effect", text, call.message, open=True))
    elif is_declined(call.output):
        state.failed[effect.key] = StateLine("effect", f"{DECLINED}{effect.text}", call.message)
    elif not call.running_id:
        state.failed[effect.key] = StateLine("effect", f"{_UNFINISHED_PREFIX}{effect.text}", call.message, open=True)


def _ordered_lines(state: WorkState, call_count: int) -> Iterator[StateLine]:
    tasks = [_task_line(task) for task in state.tasks.tasks if task.status in _MARKS]
    if state.requests_since_tasks and any(line.open for line in tasks):
        yield StateLine(
            "task", tasks_age_text(state.requests_since_tasks), max(line.message for line in tasks), open=True
        )
    root = prefix_to_cut(state.files.new_paths(), state.main_folder)
    yield from (line for line in tasks if line.open)
    yield from reversed(state.pending)
    yield from [*reversed(state.running.values())][:_MAX_RUNNING]
    yield from state.errors.state_lines(root, call_count)
    yield from state.checks.error_lines()
    yield from state.checks.failing_lines(state.files.edits_to_check())
    still_failed = (line for key, line in state.failed.items() if state.ended.isdisjoint(key.split()[1:]))
    failed = (replace(line, text=line.text.replace(f"{_EDIT_LABEL}{root}", _EDIT_LABEL)) for line in still_failed)
    effects = [*reversed(list(failed)), *reversed(state.done.values()), *state.command.state_lines()]
    yield from sorted(effects, key=lambda line: -line.message)
    passed_lines = [*state.checks.passing_lines(state.files.edits_to_check())]
    yield from (line for line in passed_lines if not is_out_of_date(line))
    checks = FileChecks([path.removeprefix(root) for path in state.files.changes], state.checks, state.last_other_run)
    files = state.files.state_lines(root, checks)
    yield from islice(files, _MAX_FIRST_FILES)
    yield from (line for line in tasks if not line.open)
    yield from files
    yield from filter(is_out_of_date, passed_lines)  # the lines of files say more about these
    if state.unlisted:
        yield StateLine("file", unlisted_text(state.unlisted), -1)


def _task_line(task: ListedTask) -> StateLine:
    suffix = f" (task {task.id})" if re.fullmatch(_TASK_ID, task.id) else ""
    return StateLine("task", f"[{_MARKS[task.status]}] {task.text}{suffix}", task.message, task.status != "done")
