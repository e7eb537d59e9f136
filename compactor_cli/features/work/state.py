"""The state of a session, computed from calls and results: what is done, what failed, what is open."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import inf

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.work.calls import ToolCall, handles, read_calls
from compactor_cli.features.work.changed_files import ChangedFiles, touched_by
from compactor_cli.features.work.check_runs import is_out_of_date
from compactor_cli.features.work.earlier_rounds import ToldState, earlier_rounds
from compactor_cli.features.work.effects import WAITS, Act, Effect, act_effect, brief_text, is_untold
from compactor_cli.features.work.endings import is_declined
from compactor_cli.features.work.file_checks import FileChecks
from compactor_cli.features.work.folders import main_folder, session_folder, shortening
from compactor_cli.features.work.git_files import stash_verb
from compactor_cli.features.work.git_steps import ended_worktree
from compactor_cli.features.work.in_flight import COMMAND_WIDTH, ends_session, told_in_flight
from compactor_cli.features.work.known_so_far import KnownSoFar, ToldBefore
from compactor_cli.features.work.listed_files import listed_by
from compactor_cli.features.work.open_errors import is_given_up
from compactor_cli.features.work.overtaking import carried_key
from compactor_cli.features.work.page_acts import page_effects
from compactor_cli.features.work.second_tries import keep_open, make_up_for, tried_anew
from compactor_cli.features.work.secret_words import command_without_values
from compactor_cli.features.work.shell_effects import effect_key, shell_effects
from compactor_cli.features.work.shown_acts import ShownActs
from compactor_cli.features.work.sql_effects import tool_sql_effects
from compactor_cli.features.work.task_lists import ListedTask, TaskList
from compactor_cli.features.work.task_words import Status
from compactor_cli.features.work.told_of_calls import without_secret_values
from compactor_cli.features.work.tool_names import acts, commits_elsewhere, only_tries
from compactor_cli.features.work.undoing import with_reverted
from compactor_cli.model.message import NO_RESPONSE, Message
from compactor_cli.model.pairing import Pairing
from compactor_cli.summary_text.state_block import tasks_age, tasks_age_text, unlisted_counts, unlisted_text
from compactor_cli.summary_text.state_line import DECLINED, StateLine, failed_again
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, steps

_MARKS: dict[Status, str] = {"open": " ", "active": ">", "done": "x"}
_STATUS_OF = {mark: status for status, mark in _MARKS.items()}
_TASK_ID = r"[\w-]{1,24}"
"""An id by which later calls may refer to a task; longer ones are not shown."""
_CARRIED_TASK = compiled_later(rf"\[([ >x])\] (.+?)(?: \(task ({_TASK_ID})\))?$")
_IN_FLIGHT = "in flight: "
_RUNNING, _UNFINISHED = "running when last seen: ", "unfinished: "
_CARRIED_RUNNING = compiled_later(rf"{_RUNNING}.+ \((\w+)\)$")
_CARRIED_FAILED = compiled_later(r"(?:failed(?: \d+x)?|declined|unfinished|waits): ((?:\"[^\"]*\"|.)+?)(?:: .+)?$")
_MOST_RUNNING = 3
"""Maximum number of running commands shown, newest first. An older one may have ended without anyone asking."""
_EDIT_OF = "edit of "
_MOST_FILES = 6
"""Number of newest changed files shown before finished tasks, which acts and files report as well."""


def compute_state(messages: Sequence[Message], earlier: Iterable[str] = ()) -> tuple[StateLine, ...]:
    """Return the state at the end of these messages, most valuable lines first. `earlier`: lines, without bullets,
    from the state block of an earlier round's summary; newer facts supersede them."""
    state, calls = _state_after(messages, [tuple(earlier)], ToldState(), "")
    return tuple(without_secret_values(_by_worth(state, calls), state.calls))


def _state_after(
    messages: Sequence[Message],
    rounds: Iterable[Sequence[str]],
    told: ToldState,
    folder: str,
    pairing: Pairing | None = None,
    *,
    every_error: bool = False,
    up_to: float = inf,
) -> tuple[KnownSoFar, int]:
    """Return what is known after these messages, and the number of their calls that an earlier state did not cover.

    `rounds`: state lines of each earlier summary, oldest first. `told`: the position of that state; calls before it
    count only if the block could show them. `folder`: the session's working directory, if known. `pairing`: the
    pairing of the messages, if known. `every_error`: include errors too old to be reported. `up_to`: index of the
    last message whose facts are needed.
    """
    calls = read_calls(messages, pairing)
    before = sum(call.message <= told.last for call in calls)
    home = session_folder(folder, messages) or main_folder(calls)
    state = KnownSoFar(home, files=ChangedFiles(home), calls=calls, told=ToldBefore(calls))
    state.shown = ShownActs(messages, calls)
    for order, call in enumerate(calls[:before], -before):
        if call.answered:
            _note(state, call, order, given_up=False, overtaken=call.message <= told.summary)
    last = messages[-1].index if messages else -1
    _carry(state, rounds, keep_pending=last <= told.last)
    state.command.note(messages, told.last)
    before_spoken = state.tasks_age
    news = calls[before:]
    last_asked = max((order for order, call in enumerate(news) if call.message <= up_to), default=-1)
    rest = iter(enumerate(news))
    for order, call in rest:
        if call.answered:
            given_up = not every_error and is_given_up(order, len(news))
            _note(state, call, order, given_up=given_up)
        elif call.message == last and not ends_session(call.tool):
            state.pending.append(StateLine("pending", _IN_FLIGHT + told_in_flight(call), call.message, open=True))
        if order >= last_asked and order & (order + 1) == 0 and not state.holds(up_to):  # checked at growing intervals
            break
    listed = max((task.message for task in state.tasks.tasks), default=-1)
    told_at = listed if listed >= 0 else told.last
    state.said_since = tuple(m.index for m in messages if m.origin == "request" and told_at < m.index <= up_to)
    state.tasks_age = len(state.said_since) + (before_spoken if listed < 0 else 0)
    if listed >= 0:
        del state.unlisted["task"]
    for _, call in rest:  # the remaining calls only matter for the branch, which refers to no message
        if call.answered and call.command:
            state.branches.note(call, steps(call.command), state.home)
    return state, len(news)


class KnownState(Struct, frozen=True):
    """The state at the end of a session, and the failures that were overcome."""

    lines: tuple[StateLine, ...] = ()
    """Most valuable first."""
    overcome: frozenset[int] = frozenset()
    """Indices of messages with failures that a later call made up for, or with checks that have passed since."""
    said_since: tuple[int, ...] = ()
    """Indices of the user's messages since tasks were listed; they may have changed the plan."""


def session_state(messages: Sequence[Message], folder: str = "") -> tuple[StateLine, ...]:
    """Return the state at the end of a session, including what summaries of earlier rounds say about it. `folder`:
    the session's working directory, if known."""
    state, calls = _state_after(*earlier_rounds(messages), folder)
    return tuple(without_secret_values(_by_worth(state, calls), state.calls))


def known_state(
    messages: Sequence[Message],
    folder: str = "",
    pairing: Pairing | None = None,
    *,
    every_error: bool = True,
    up_to: float = inf,
) -> KnownState:
    """Return the same, with the failures that are over. All checks are included, but without `every_error` only
    errors recent enough to be reported. `pairing`: the pairing of the messages, if known. `up_to`: index of the last
    message whose facts are needed; facts about later ones may be missing or outdated."""
    new, rounds, told = earlier_rounds(messages)
    pairing = pairing if new is messages else None
    state, calls = _state_after(new, rounds, told, folder, pairing, every_error=every_error, up_to=up_to)
    overcome = frozenset(state.errors.made_up_for | state.checks.passed_since)
    lines = tuple(without_secret_values(_by_worth(state, calls), state.calls))
    return KnownState(lines, overcome, state.said_since)


def _carry(state: KnownSoFar, rounds: Iterable[Sequence[str]], *, keep_pending: bool) -> None:
    """Read what earlier summaries report, oldest first."""
    effects = [line for lines in rounds for line in _carry_round(state, lines, keep_pending=keep_pending)]
    for number, line in enumerate(effects, -len(effects)):
        _carry_effect(state, line, number)
    state.commits.carry(effects)


def _carry_round(state: KnownSoFar, lines: Iterable[str], *, keep_pending: bool) -> list[str]:
    """Read what one summary reports, except effects; these are returned in chronological order."""
    tasks: list[ListedTask] = []
    others: list[str] = []
    for line in lines:
        task = _CARRIED_TASK.match(line)
        if unlisted := unlisted_counts(line):
            state.unlisted += unlisted
        elif age := tasks_age(line):
            state.tasks_age = age
        elif task:
            tasks.append(ListedTask(task.group(2), _STATUS_OF[task.group(1)], -1, task.group(3) or ""))
        else:
            others.append(line)
    state.tasks = TaskList(tasks) if tasks else state.tasks
    effects: list[str] = []
    carriers = state.checks, state.errors, state.files, state.branches
    for line in reversed(others):  # newest first in the summary
        if line.startswith(_IN_FLIGHT):
            state.pending += [StateLine("pending", line, -1, open=True)] if keep_pending else []
        elif running := _CARRIED_RUNNING.match(line):
            state.running[running[1]] = StateLine("effect", line, -1, open=True)
        elif not any(known.carry(line) for known in carriers):
            effects.append(line)
    return effects[::-1]


def _carry_effect(state: KnownSoFar, line: str, number: int) -> None:
    if failed := _CARRIED_FAILED.match(line):
        keep_open(state, carried_key(failed.group(1)), StateLine("effect", line, number, open=True))
    elif line.strip() and not state.command.carry(line, number):
        if line.startswith("git commit"):
            state.files.carry_commit()
        if all(known.brief != line for known in state.done.values()):
            _take_place(state, line, number)
            state.doings.carry(line)


def _take_place(state: KnownSoFar, text: str, message: int, act: Act | None = None) -> str:
    """Record that something was done, which may cancel earlier acts, and return its line."""
    if not text:
        return ""
    overtaken, stands = "", act.stands if act else None
    if act:
        act, text, overtaken = state.records.note(act, text)
        stands = None if overtaken else stands  # the line also covers the creation
    brief = brief_text(act) if act else ""
    if brief in state.done and state.done[brief].message < 0:
        del state.done[brief]  # a shortened line from an earlier round
    for over in (text, overtaken, *state.newest.note(text, stands)):
        state.done.pop(over, None)
    state.done[text] = StateLine("effect", text, message, brief=brief)
    return text


def _note(state: KnownSoFar, call: ToolCall, order: int, *, given_up: bool, overtaken: bool = False) -> None:
    """Record what a call did. `given_up`: its errors will not be reported. `overtaken`: only its effects outside the
    session and on files count, because something later reports the rest."""
    changes, read = touched_by(call)
    _note_running(state, call)
    parts = steps(call.command) if call.command else ()
    if parts and not overtaken:
        state.branches.note(call, parts, state.home)
    if not call.failed:
        state.errors.called_well(call, parts)
        state.files.seen.update(read, () if changes else listed_by(call))
    if not overtaken and state.tasks.note(call) and not call.command and not changes:
        return
    stopped = call.undecided and not call.running and call.command != "" and not is_declined(call.said)
    happened = stopped or (not call.undecided and (not call.failed or call.command))
    changed = state.files.note(call, changes, order) if happened else []
    state.doings.deleted((path for path, action in changes if happened and action == "deleted"), state.done)
    if not overtaken:
        _note_declined(state, call, changes)
    effects = list(_effects(call, parts, changes, state))
    for effect in effects:
        if effect.done or not overtaken:
            _note_effect(state, effect, call)
    if not effects and state.tried and not (call.failed or call.undecided or only_tries(call.arguments)):
        tried_anew(state, call)
    if overtaken:
        return
    checked = bool(parts) and state.checks.note(call, parts, order, state.home)
    state.scripts.note(call, parts, order, read, checked=checked)
    looked = bool(read) and not changes and not call.command  # if it did not find the file, nothing is left to do
    if given_up or checked or looked or (effects and call.failed):
        state.errors.mended(changed)
        state.errors.ran(call, parts)
    else:
        named = next((path for path, _ in changes), "")
        state.errors.note(call, parts, changed, named, order)


def _note_running(state: KnownSoFar, call: ToolCall) -> None:
    for number in (call.asked, *handles(call.arguments)) if state.running else ():
        state.running.pop(number, None)
    if call.running:
        text = f"{_RUNNING}{one_line(command_without_values(call.command), COMMAND_WIDTH)} ({call.running})"
        state.running[call.running] = StateLine("effect", text, call.message, open=True)


def _note_declined(state: KnownSoFar, call: ToolCall, changes: Sequence[tuple[str, str]]) -> None:
    """Record changes of files that the user declined, or whose outcome is unknown, until they are made after all."""
    declined = call.undecided and is_declined(call.said)
    unanswered = call.answered and call.said == NO_RESPONSE
    if not (declined or unanswered or state.failed):
        return
    for path, action in changes:
        edit = f"{_EDIT_OF}{path}"
        state.failed.pop(effect_key(edit), None)
        if action == "deleted":
            _forget_edits(state, path)
        if (declined or unanswered) and not call.command:
            said = DECLINED if declined else _UNFINISHED
            state.failed[effect_key(edit)] = StateLine("effect", f"{said}{edit}", call.message, open=True)


def _forget_edits(state: KnownSoFar, deleted: str) -> None:
    """Remove edits that did not take place, if their file was deleted or was in a deleted folder. All forms of its
    path count."""
    for key, line in list(state.failed.items()):
        path = line.text.partition(_EDIT_OF)[2]
        if path and (
            f"/{path}".endswith(f"/{deleted}") or deleted.endswith(f"/{path}") or path.startswith(f"{deleted}/")
        ):
            del state.failed[key]


def _effects(
    call: ToolCall, parts: Sequence[Step], changes: Sequence[tuple[str, str]], state: KnownSoFar
) -> Iterator[Effect]:
    if call.command:
        yield from shell_effects(call, parts)
    elif changes or is_untold(call):
        return
    elif acts(call.tool, call.arguments) or commits_elsewhere(call.arguments):
        yield act_effect(call, lambda name: state.told.has(name, call))
    else:
        yield from tool_sql_effects(call)
        yield from page_effects(call)
        yield from state.shown.effects(call)


def _note_effect(state: KnownSoFar, effect: Effect, call: ToolCall) -> None:
    if effect.unfinished or effect.waits:
        _note_unfinished(state, effect, call)
    elif effect.done:
        effect = with_reverted(effect, state.commits, state.done)
        for old, new in state.commits.renamed(effect.git, call.said).items():
            if (line := state.done.pop(old, None)) is not None:
                state.done[new] = replace(line, text=new)
        for gone in state.commits.note(effect.text, effect.key, effect.git) if effect.git else ():
            state.done.pop(gone, None)
        if not effect.text and effect.git:
            return
        make_up_for(state, effect, call)
        state.ended |= {effect.ends} - {""}
        if stash_verb(effect.git) in ("pop", "apply"):
            state.done = {text: line for text, line in state.done.items() if not text.startswith("git stash")}
            return
        if made := ended_worktree(effect.text, state.done):
            del state.done[made]
            return
        told = _take_place(state, state.doings.take_back(effect, call, state.done), call.message, effect.act)
        if told:
            state.doings.note(told, effect, call)
    else:
        what = effect.text + (f": {effect.reason}" if effect.reason else "")
        state.tried.pop(effect.key, None)
        state.tried[effect.key] = call
        state.asked[effect.key] = frozenset(name for name, _ in effect.given)
        state.failed[effect.key] = failed_again(what, call.message, state.failed.pop(effect.key, None))


def _note_unfinished(state: KnownSoFar, effect: Effect, call: ToolCall) -> None:
    """Record an effect that was declined, is still running, or is waiting for something."""
    if effect.waits:
        text = f"{WAITS}{effect.text}: {effect.waits}"
        keep_open(state, effect.key, StateLine("effect", text, call.message, open=True))
    elif is_declined(call.said):
        state.failed[effect.key] = StateLine("effect", f"{DECLINED}{effect.text}", call.message)
    elif not call.running:
        state.failed[effect.key] = StateLine("effect", f"{_UNFINISHED}{effect.text}", call.message, open=True)


def _by_worth(state: KnownSoFar, order: int) -> Iterator[StateLine]:
    tasks = [_task_line(task) for task in state.tasks.tasks if task.status in _MARKS]
    if state.tasks_age and any(line.open for line in tasks):
        yield StateLine("task", tasks_age_text(state.tasks_age), max(line.message for line in tasks), open=True)
    root = shortening(state.files.new_paths(), state.home)
    yield from (line for line in tasks if line.open)
    yield from reversed(state.pending)
    yield from [*reversed(state.running.values())][:_MOST_RUNNING]
    yield from state.errors.lines(root, order)
    yield from state.checks.error_lines()
    yield from state.checks.failing_lines(state.files.edits())
    still = (line for key, line in state.failed.items() if state.ended.isdisjoint(key.split()[1:]))
    failed = (replace(line, text=line.text.replace(f"{_EDIT_OF}{root}", _EDIT_OF)) for line in still)
    effects = [*reversed(list(failed)), *reversed(state.done.values()), *state.command.lines()]
    yield from sorted(effects, key=lambda line: -line.message)
    yield from state.branches.lines()
    passed = [*state.checks.passing_lines(state.files.edits())]
    yield from (line for line in passed if not is_out_of_date(line))
    checks = FileChecks([path.removeprefix(root) for path in state.files.changes], state.checks, state.scripts, root)
    files = state.files.lines(root, checks)
    yield from islice(files, _MOST_FILES)
    yield from (line for line in tasks if not line.open)
    yield from files
    yield from filter(is_out_of_date, passed)  # the lines of files say more about these
    if state.unlisted:
        yield StateLine("file", unlisted_text(state.unlisted), -1)


def _task_line(task: ListedTask) -> StateLine:
    number = f" (task {task.id})" if re.fullmatch(_TASK_ID, task.id) else ""
    return StateLine("task", f"[{_MARKS[task.status]}] {task.text}{number}", task.message, task.status != "done")
