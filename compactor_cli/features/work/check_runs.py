"""Track how runs of checks ended; the newest run of each check counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.work.calls import NO_CALL, ToolCall
from compactor_cli.features.work.causes import cause
from compactor_cli.features.work.check_output import (
    Verdict,
    failing_names,
    may_say_nothing_ran,
    named,
    output_verdict,
    parse_names,
)
from compactor_cli.features.work.checks import CheckRun, CheckScope, find_check, is_not_code, is_under, parse_label
from compactor_cli.features.work.endings import ran_too_long
from compactor_cli.features.work.folders import folder_of, within
from compactor_cli.features.work.git_files import stash_subcommand, without_global_options
from compactor_cli.features.work.programs import HARMLESS_PROGRAMS, CheckKind
from compactor_cli.model.message import Part
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
_SILENT_CHECKS = ("go build", "go vet", "tsc", "gcc", "g++", "cc ", "clang", "eslint", "flake8", "javac", "rustc")
_NO_OUTPUT = compiled_later(
    r"\s*(?:\(?(?:bash completed with |tool ran with(?:out)? |command )?(?:no output|output or errors?)[^\n]*)?\s*$",
    re.IGNORECASE,
)
_PASSING_PROGRAMS = ("cd", "head", "tail", "cat", "export", "source")
"""Programs that would pass on an error message."""
_NOT_FOUND = compiled_later(
    r"(?:^|: )[\w./+-]+: (?:command not found|not found$)|\b[Nn]o task \S+ found|[Mm]issing script:|"
    r"No module named '?(?:pytest|mypy|ruff|black|flake8|pylint|tox|nox|unittest|coverage|build)\b|"
    r"exit(?:ed)?(?: with)?(?: code| status)?:? 127\b|is not recognized as an internal|No rule to make target",
    re.MULTILINE,
)
"""How a shell or a task runner reports that a program or target does not exist, so that nothing was checked."""
_TAIL_CHARS = 1_000
"""Characters at the end of an output that are searched for such a report."""
_STOP_OPTIONS = compiled_later(r"\s-(?:x|-exitfirst|-maxfail\S*|-bail\S*|-?fail-?fast\S*)(?:\s|$)")
"""Options that end a run at the first failure."""
_MAX_TRACKED = 20
"""Maximum number of failing checks tracked, and of passing ones. Older ones are dropped so that the cost stays
linear."""
_BEFORE_EDITS = " (before the last edits)"
_FAILING = compiled_later(rf"failing: (.+?)(?:: (.+?))?({re.escape(_BEFORE_EDITS)})?$")
_PASSED = compiled_later(rf"passed: (.+?)({re.escape(_BEFORE_EDITS)})?$")
_OUTDATED = -1_000_000
"""Call number for a pass that was already out of date in an earlier round."""
_ERROR = compiled_later(r"open error: (.+) \((.+)\)$")


class Run(Struct, frozen=True):
    """One run of a check."""

    check: CheckRun
    message: int
    call_number: int
    """Number of the call; negative for earlier rounds."""
    names: tuple[str, ...] = ()
    earlier_text: str = ""
    """What an earlier round said about the run."""
    result: Part | None = None
    known_error: str = ""
    """What went wrong according to an earlier round."""
    is_partly_fixed: bool = False
    """Whether some of the failures have passed since. It is then unknown whether the error belonged to them."""
    out_of_date: bool = False
    """Whether an earlier round says that files were changed after the run."""

    @property
    def error(self) -> str:
        """Return the first line that says what went wrong. The output is searched only when the line is needed."""
        if self.is_partly_fixed:
            return ""
        return self.known_error if self.result is None else cause(self.result.text, self.check.kind)


class CheckRuns:
    """The last outcome of each check, updated run by run."""

    def __init__(self) -> None:
        self.failing: dict[str, Run] = {}
        self.passed_since: set[int] = set()
        """Messages in which checks failed that have passed since."""
        self.failed_in: dict[str, list[int]] = {}
        """Label of a check -> messages in which it failed since its last pass."""
        self.passing: dict[tuple[CheckKind, str], Run] = {}
        self.passes: dict[CheckScope, int] = {}
        """Scope of a check -> number of the last call in which it passed, newest last."""
        self._passed_before: set[CheckScope] = set()
        """The same for passes that were newer than all changes of an earlier round."""
        self.untold: dict[CheckScope, int] = {}
        """Like `passes`, for checks that did not state their outcome."""

    def failures(self) -> dict[int, tuple[CheckKind, str]]:
        """Return call number -> (kind, output) of checks that failed and have not passed since. If some of the tests
        passed later, only the rest is given."""
        return {run.call_number: (run.check.kind, _run_output(run)) for run in self.failing.values()}

    def last_pass(self, kind: CheckKind, path: str = "") -> int:
        """Return the number of the last call in which a check of this kind passed, and covered the file if a path is
        given."""
        passes = reversed(self.passes.items())
        return next((order for scope, order in passes if scope.kind == kind and scope.covers_file(path)), NO_CALL)

    def passed_earlier(self, kind: CheckKind, path: str) -> bool:
        """Return whether an earlier round saw a check of this kind pass on a file that had been changed before."""
        return any(scope.kind == kind and scope.covers_file(path) for scope in self._passed_before)

    def last_other_pass(self, path: str) -> int:
        """Return the number of the last call in which tests passed that were named by their files and are not those
        of this file."""
        passes = reversed(self.passes.items())
        return next((order for scope, order in passes if scope.names_tests and not scope.covers_file(path)), NO_CALL)

    def record_call(self, call: ToolCall, steps: Sequence[Step], call_number: int, main_folder: str) -> bool:
        """Record what a call says about checks; return False if it ran none."""
        is_missing = call.failed and _NOT_FOUND.search(call.output[-_TAIL_CHARS:])
        found = [] if is_missing else list(_iter_checks(steps, call, main_folder))
        if call.undecided and ran_too_long(call.output):  # an earlier failure is still the newest outcome that is known
            for _, check in found:
                self.passing.pop(_key(check), None)
        if not found or call.undecided or not call.answered:
            return bool(found)
        outcomes = _outcomes(call, steps, found)
        for check, failed in outcomes:
            if failed is False:
                self._record_pass(Run(check, call.message, call_number))
            elif failed is None:
                self._record_unknown(check)
                _set_newest(self.untold, check.scope, call_number)
        broken = [check for check, failed in outcomes if failed]
        names = failing_names(call.output) if broken else ()
        for check in broken:
            own_names = names if check.kind == "tests" else ()
            self._record_failure(Run(check, call.message, call_number, own_names, result=call.result))
        return True

    def read_earlier_line(self, line: str) -> bool:
        """Read a line of an earlier round; return whether it is about a check."""
        failing, passed, error = _FAILING.match(line), _PASSED.match(line), _ERROR.match(line)
        call_number = -1 - len(self.failing)  # a unique number, so that separate lines stay separate
        if failing:
            for label in failing.group(1).split(" && "):
                check = parse_label(label) or CheckRun("tests", label, label)
                said = failing.group(2) or ""
                names = parse_names(said) if check.kind == "tests" else ()
                self.failing[label] = Run(check, -1, call_number, names, said, out_of_date=bool(failing.group(3)))
        elif passed:
            check = parse_label(passed.group(1)) or CheckRun("tests", passed.group(1), passed.group(1))
            self.passing[_key(check)] = Run(check, -1, _OUTDATED if passed.group(2) else -1)
            self._passed_before |= set() if passed.group(2) else {check.scope}
        elif error and (found := parse_label(error.group(2))):
            run = self.failing.get(found.label) or Run(found, -1, call_number)
            self.failing[found.label] = replace(run, known_error=error.group(1))
        else:
            return False
        return True

    def _record_pass(self, run: Run) -> None:
        _set_newest(self.passes, run.check.scope, run.call_number)
        for key, other in list(self.passing.items()):
            if run.check.includes_run(other.check):
                del self.passing[key]
        _set_newest(self.passing, _key(run.check), run)
        for label, other in list(self.failing.items()):
            if run.check.covers(other.check, other.names):
                self._resolve_failure(label)
                continue
            if other.check.kind != run.check.kind or not other.names:
                continue
            remaining = tuple(name for name in other.names if not run.check.covers_name(other.check, name))
            if not remaining:
                self._resolve_failure(label)
            elif remaining != other.names:
                self.failing[label] = replace(other, names=remaining, earlier_text="", is_partly_fixed=True)

    def _resolve_failure(self, label: str) -> None:
        del self.failing[label]
        self.passed_since.update(self.failed_in.pop(label, ()))

    def _record_unknown(self, check: CheckRun) -> None:
        """Record that the outcome is unknown: earlier results may no longer hold."""
        for label, other in list(self.failing.items()):
            if check.kind == other.check.kind and check.covers(other.check, other.names):
                del self.failing[label]
        self.passing.pop(_key(check), None)

    def _record_failure(self, run: Run) -> None:
        for key, other in list(self.passing.items()):
            same = _runner(other.check) == _runner(run.check)
            if same and (other.check.is_unlimited or run.check.is_unlimited or other.check.label == run.check.label):
                del self.passing[key]
        before = [label for label, other in self.failing.items() if label != run.check.label and _replaces(run, other)]
        for label in before:  # failures that remain are reported for the newer run
            gone = set(self.failing.pop(label).names).isdisjoint(run.names)
            messages = self.failed_in.pop(label, [])
            self.passed_since.update(messages if gone else ())
            self.failed_in.setdefault(run.check.label, []).extend([] if gone else messages)
        _set_newest(self.failing, run.check.label, run)
        self.failed_in.setdefault(run.check.label, []).append(run.message)

    def failing_lines(self, changed: Mapping[str, int]) -> Iterator[StateLine]:
        """Yield failing checks, newest first. Checks of one command line that cannot be told apart share a line.
        `changed`: file -> number of the last call that changed it."""
        runs_by_failure: dict[tuple[int, tuple[str, ...]], list[Run]] = {}
        for run in reversed(self.failing.values()):
            runs_by_failure.setdefault((run.call_number, run.names), []).append(run)
        for runs in runs_by_failure.values():
            label = " && ".join(run.check.label for run in reversed(runs))
            failure = runs[0].earlier_text or named(runs[0].names) or runs[0].error
            text = f"failing: {label}" + (f": {failure}" if failure else "")
            since = _BEFORE_EDITS * any(_is_out_of_date(run, changed) for run in runs)
            yield StateLine("check", text + since, runs[0].message, open=True)

    def error_lines(self) -> Iterator[StateLine]:
        """Yield the errors of failing checks whose line contains only names."""
        for run in reversed(self.failing.values()):
            if run.names and run.error and not any(name in run.error for name in run.names):
                yield StateLine("error", f"open error: {run.error} ({run.check.label})", run.message, open=True)

    def passing_lines(self, changed: Mapping[str, int]) -> Iterator[StateLine]:
        """Yield passing checks, newest first. A partial check that is out of date is left out if a check of its kind
        in the same folder is up to date. `changed`: file -> number of the last call that changed it."""
        runs = [(run, _is_out_of_date(run, changed)) for run in reversed(self.passing.values())]
        current = {(run.check.kind, run.check.folder) for run, out_of_date in runs if not out_of_date}
        for run, out_of_date in runs:
            if not out_of_date or run.check.is_unlimited or (run.check.kind, run.check.folder) not in current:
                yield StateLine("check", f"passed: {run.check.label}{_BEFORE_EDITS * out_of_date}", run.message)


def is_out_of_date(line: StateLine) -> bool:
    """Return whether a line says that files were changed after a check."""
    return line.text.endswith(_BEFORE_EDITS)


def _is_out_of_date(run: Run, changed: Mapping[str, int]) -> bool:
    """Return whether files that a check covers were changed after its run."""
    since = (path for path, order in changed.items() if order > max(run.call_number, -1))
    return run.out_of_date or run.call_number == _OUTDATED or any(_looks_at(run.check, path) for path in since)


def _replaces(run: Run, before: Run) -> bool:
    """Return whether a failing test run makes an earlier one obsolete. It must name its failures and run at least
    the same tests, without stopping at the first failure."""
    is_whole = run.check.kind == "tests" and run.names != () and not _STOP_OPTIONS.search(run.check.label)
    return is_whole and run.check.includes_run(before.check)


def _looks_at(check: CheckRun, path: str) -> bool:
    """Return whether a check covers a file: one that it was limited to, or any code file. Tests also run code of
    other folders."""
    is_limited_to = any(is_under(path, limit) for limit in check.paths)
    return is_limited_to or (not is_not_code(path) and (not check.paths or check.kind == "tests"))


def _key(check: CheckRun) -> tuple[CheckKind, str]:
    return check.kind, check.label


def _runner(check: CheckRun) -> tuple[CheckKind, str]:
    return check.kind, check.label if check.program == "*" else check.program


def _run_output(run: Run) -> str:
    if run.is_partly_fixed:
        return " ".join(run.names)
    return run.result.text if run.result else run.earlier_text


def _iter_checks(steps: Sequence[Step], call: ToolCall, main_folder: str) -> Iterator[tuple[int, CheckRun]]:
    """Yield (place, check) of the steps that are checks, except checks of the state before the session's changes."""
    folder = folder_of(call, main_folder)
    stashed = False
    for i, step in enumerate(steps):
        if step.words[0] == "git" and (stash_action := stash_subcommand(without_global_options(step.words[1:]))):
            stashed = stash_action in ("push", "save")
        elif step.words[0] == "cd" and len(step.words) > 1:
            folder = within(folder, step.words[1], main_folder)
        elif not stashed and (check := find_check(step, folder)):
            yield i, check


def _outcomes(
    call: ToolCall, steps: Sequence[Step], found: Sequence[tuple[int, CheckRun]]
) -> list[tuple[CheckRun, bool | None]]:
    """Return the outcome of each check of a command line: from the exit code if it is conclusive, otherwise from the
    output."""
    says = _Verdicts(call.output)
    result: list[tuple[CheckRun, bool | None]] = []
    for i, check in found:
        kind = check.kind
        if call.failed is not True and _is_silent(call, steps, i, check) and says[kind].failed is None:
            result.append((check, False))
        elif call.failed is False and _is_proof(steps, i) and (call.stated or _is_pass(call, says[kind].failed, kind)):
            result.append((check, False if says.has_run(kind) else None))
        elif call.failed and _fails_alone(steps, i):
            result.append((check, True if says.has_run(kind) else None))
        else:
            result.append((check, says[kind].failed))
    return result


def _is_pass(call: ToolCall, says_failed: bool | None, kind: CheckKind) -> bool:
    """Return whether a success that is stated only by the tool's silence is a pass of the check. The output must not
    contradict it; and if tests print anything, they have to print their outcome."""
    return says_failed is False or (says_failed is None and (kind != "tests" or not call.output.strip()))


class _Verdicts(dict[CheckKind, Verdict]):
    """Kind of check -> verdict of the output, computed on access."""

    def __init__(self, output: str) -> None:
        self._said = output

    def __missing__(self, kind: CheckKind) -> Verdict:
        self[kind] = stated = output_verdict(kind, self._said)
        return stated

    def has_run(self, kind: CheckKind) -> bool:
        """Return whether the output does not say that nothing was run; cheaper than a full verdict."""
        return not may_say_nothing_ran(kind, self._said) or self[kind].has_run


def _set_newest(known: dict[_Key, _Value], key: _Key, value: _Value) -> None:
    """Add a value as the newest, and drop the oldest one if there are too many."""
    known.pop(key, None)
    known[key] = value
    if len(known) > _MAX_TRACKED:
        del known[next(iter(known))]


def _is_silent(call: ToolCall, steps: Sequence[Step], i: int, check: CheckRun) -> bool:
    """Return whether a program that only reports problems printed nothing."""
    if not check.label.startswith(_SILENT_CHECKS) or not _NO_OUTPUT.match(call.output):
        return False
    return all(step.words[0] in _PASSING_PROGRAMS for step in (*steps[:i], *steps[i + 1 :]))


def _is_proof(steps: Sequence[Step], i: int) -> bool:
    """Return whether success of the whole command line implies that this step succeeded."""
    if steps[i].operator not in ("", "&&") and not (i == len(steps) - 1 and steps[i].operator == ";"):
        return any("pipefail" in step.words for step in steps[:i]) and steps[i].operator == "|"
    return all(step.operator in ("", "&&", "|") for step in steps[i + 1 : -1])


def _fails_alone(steps: Sequence[Step], i: int) -> bool:
    """Return whether a failure of the whole command line can only come from this step."""
    others = (step.words[0] for other, step in enumerate(steps) if other != i)
    return all(program in HARMLESS_PROGRAMS for program in others) and (
        i == len(steps) - 1 or steps[i].operator == "&&"
    )
