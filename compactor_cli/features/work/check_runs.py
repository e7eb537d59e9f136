"""Track how runs of checks ended; the newest run of each check counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.work.absent_programs import is_absent
from compactor_cli.features.work.calls import NEVER, ToolCall
from compactor_cli.features.work.causes import cause
from compactor_cli.features.work.check_output import (
    Verdict,
    failing_names,
    may_say_nothing_ran,
    named,
    names_all,
    names_in,
    verdict,
)
from compactor_cli.features.work.checks import CheckRun, Scope, check_named, check_of, is_no_code, is_under
from compactor_cli.features.work.endings import ran_too_long
from compactor_cli.features.work.folders import folder_of, within
from compactor_cli.features.work.git_files import past_options, stash_verb
from compactor_cli.features.work.programs import CheckKind
from compactor_cli.model.message import Part
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, word_set

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
_TRIVIAL = word_set(
    "cd echo export source . set pwd true mkdir sleep which printf date env unset ls cat tail head grep"
)
_SAYS_NOTHING = ("go build", "go vet", "tsc", "gcc", "g++", "cc ", "clang", "eslint", "flake8", "javac", "rustc")
_NOTHING_SAID = compiled_later(
    r"\s*(?:\(?(?:bash completed with |tool ran with(?:out)? |command )?(?:no output|output or errors?)[^\n]*)?\s*$",
    re.IGNORECASE,
)
_TRANSPARENT = ("cd", "head", "tail", "cat", "export", "source")
"""Programs that would pass on an error message."""
_STOPS_EARLY = compiled_later(r"\s-(?:x|-exitfirst|-maxfail\S*|-bail\S*|-?fail-?fast\S*)(?:\s|$)")
"""Options that end a run at the first failure."""
_MOST_FOLLOWED = 20
"""Maximum number of failing checks tracked, and of passing ones. Older ones are dropped so that the cost stays
linear."""
_BEFORE_EDITS = " (before the last edits)"
_FAILING = compiled_later(rf"failing: (.+?)(?:: (.+?))?({re.escape(_BEFORE_EDITS)})?$")
_PASSED = compiled_later(rf"passed: (.+?)({re.escape(_BEFORE_EDITS)})?$")
_LONG_AGO = -1_000_000
"""Call number for a pass that was already out of date in an earlier round."""
_ERROR = compiled_later(r"open error: (.+) \((.+)\)$")


class Run(Struct, frozen=True):
    """One run of a check."""

    check: CheckRun
    message: int
    order: int
    """Number of the call; negative for earlier rounds."""
    names: tuple[str, ...] = ()
    said: str = ""
    """What an earlier round said about the run."""
    result: Part | None = None
    known_error: str = ""
    """What went wrong according to an earlier round."""
    mended: bool = False
    """Whether some of the failures have passed since. It is then unknown whether the error belonged to them."""
    passed: int | None = None
    """Number of the last call in which everything that now fails had passed."""
    out_of_date: bool = False
    """Whether an earlier round says that files were changed after the run."""

    @property
    def error(self) -> str:
        """Return the first line that says what went wrong. The output is searched only when the line is needed."""
        if self.mended:
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
        self.passes: dict[Scope, int] = {}
        """Scope of a check -> number of the last call in which it passed, newest last."""
        self._passed_before: set[Scope] = set()
        """The same for passes that were newer than all changes of an earlier round."""
        self.unknown = NEVER
        """Number of the last call with a failed check whose later run did not state its outcome."""
        self._untold: dict[Scope, int] = {}
        """Like `passes`, for checks that did not state their outcome."""

    def failures(self) -> dict[int, tuple[CheckKind, str, int | None]]:
        """Return call number -> (kind, output, number of the last call in which it had passed) of checks that failed
        and have not passed since. If some of the tests passed later, only the rest is given."""
        return {run.order: (run.check.kind, _said(run), run.passed) for run in self.failing.values()}

    def last_pass(self, kind: CheckKind, path: str = "") -> int:
        """Return the number of the last call in which a check of this kind passed, and covered the file if a path is
        given."""
        passes = reversed(self.passes.items())
        return next((order for scope, order in passes if scope.kind == kind and scope.has(path)), NEVER)

    def last_of_others(self, path: str) -> int:
        """Return the number of the last call in which tests passed that were named by their files and are not those
        of this file."""
        passes = reversed(self.passes.items())
        return next((order for scope, order in passes if scope.names_tests and not scope.has(path)), NEVER)

    def last_untold(self, path: str) -> int:
        """Return the number of the last call in which a check of a file did not state its outcome."""
        untold = self._untold.items()
        return max((order for scope, order in untold if scope.names_tests or scope.has(path)), default=NEVER)

    def had_passed(self, kind: CheckKind, path: str) -> bool:
        """Return whether an earlier round saw a check of this kind pass on a file that had been changed before."""
        return any(scope.kind == kind and scope.has(path) for scope in self._passed_before)

    def note(self, call: ToolCall, steps: Sequence[Step], order: int, home: str) -> bool:
        """Record what a call says about checks; return False if it ran none."""
        found = [] if call.failed and is_absent(call.said) else list(_checks(steps, call, home))
        if call.undecided and ran_too_long(call.said):  # an earlier failure is still the newest outcome that is known
            for _, check in found:
                self.passing.pop(_key(check), None)
        if not found or call.undecided or not call.answered:
            return bool(found)
        outcomes = _outcomes(call, steps, found)
        for check, failed in outcomes:
            if failed is False:
                self._passed(Run(check, call.message, order))
            elif failed is None:
                self._unknown(check)
                _take_last(self._untold, check.scope, order)
        broken = [check for check, failed in outcomes if failed]
        names = failing_names(call.said) if broken else ()
        for check in broken:
            own_names = names if check.kind == "tests" else ()
            self._failed(Run(check, call.message, order, own_names, result=call.result))
        return True

    def carry(self, line: str) -> bool:
        """Read a line of an earlier round; return whether it is about a check."""
        failing, passed, error = _FAILING.match(line), _PASSED.match(line), _ERROR.match(line)
        order = -1 - len(self.failing)  # a unique number, so that separate lines stay separate
        if failing:
            for label in failing.group(1).split(" && "):
                check = check_named(label) or CheckRun("tests", label, label)
                said = failing.group(2) or ""
                names = names_in(said) if check.kind == "tests" else ()
                self.failing[label] = Run(check, -1, order, names, said, out_of_date=bool(failing.group(3)))
        elif passed:
            check = check_named(passed.group(1)) or CheckRun("tests", passed.group(1), passed.group(1))
            self.passing[_key(check)] = Run(check, -1, _LONG_AGO if passed.group(2) else -1)
            self._passed_before |= set() if passed.group(2) else {check.scope}
        elif error and (found := check_named(error.group(2))):
            run = self.failing.get(found.label) or Run(found, -1, order)
            self.failing[found.label] = replace(run, known_error=error.group(1))
        else:
            return False
        return True

    def _passed(self, run: Run) -> None:
        _take_last(self.passes, run.check.scope, run.order)
        for key, other in list(self.passing.items()):
            if run.check.repeats(other.check):
                del self.passing[key]
        _take_last(self.passing, _key(run.check), run)
        for label, other in list(self.failing.items()):
            if run.check.covers(other.check, other.names) or run.check.compiles(other.check, _said(other)):
                self._has_passed(label)
                continue
            if other.check.kind != run.check.kind or not other.names:
                continue
            left = tuple(name for name in other.names if not run.check.covers_name(other.check, name))
            if not left:
                self._has_passed(label)
            elif left != other.names:
                self.failing[label] = replace(other, names=left, said="", mended=True)

    def _has_passed(self, label: str) -> None:
        del self.failing[label]
        self.passed_since.update(self.failed_in.pop(label, ()))

    def _unknown(self, check: CheckRun) -> None:
        """Record that the outcome is unknown: earlier results may no longer hold."""
        for label in [label for label, other in self.failing.items() if check.covers(other.check, other.names)]:
            self.unknown = max(self.unknown, self.failing.pop(label).order)
        self.passing.pop(_key(check), None)

    def _failed(self, run: Run) -> None:
        run = replace(run, passed=self._had_passed(run))
        for key, other in list(self.passing.items()):
            same = _runner(other.check) == _runner(run.check)
            if same and (other.check.whole or run.check.whole or other.check.label == run.check.label):
                del self.passing[key]
        before = [label for label, other in self.failing.items() if label != run.check.label and _replaces(run, other)]
        for label in before:  # failures that remain are reported for the newer run
            gone = set(self.failing.pop(label).names).isdisjoint(run.names)
            messages = self.failed_in.pop(label, [])
            self.passed_since.update(messages if gone else ())
            self.failed_in.setdefault(run.check.label, []).extend([] if gone else messages)
        _take_last(self.failing, run.check.label, run)
        self.failed_in.setdefault(run.check.label, []).append(run.message)

    def _had_passed(self, run: Run) -> int | None:
        """Return the number of the last call in which everything passed that fails in this run; negative for earlier
        rounds."""
        passed = [other.order for other in self.passing.values() if other.check.covers(run.check, run.names)]
        passed += [
            other.passed
            for other in self.failing.values()
            if other.passed is not None and other.check.covers(run.check, run.names)
        ]
        return max(passed, default=None)

    def failing_lines(self, changed: Mapping[str, int]) -> Iterator[StateLine]:
        """Yield failing checks, newest first. Checks of one command line that cannot be told apart share a line.
        `changed`: file -> number of the last call that changed it."""
        together: dict[tuple[int, tuple[str, ...]], list[Run]] = {}
        for run in reversed(self.failing.values()):
            together.setdefault((run.order, run.names), []).append(run)
        told: set[tuple[str, str, bool]] = set()
        for runs in together.values():
            label = " && ".join(run.check.label for run in reversed(runs))
            said = runs[0].said or named(runs[0].names) or runs[0].error
            command, folder, _ = label.partition(" (in ")
            # a shell that stays in a folder names it only once
            if said and ((command, said, False) in told or (not folder and (command, said, True) in told)):
                continue
            told.add((command, said, bool(folder)))
            text = f"failing: {label}" + (f": {said}" if said else "")
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
            if not out_of_date or run.check.whole or (run.check.kind, run.check.folder) not in current:
                yield StateLine("check", f"passed: {run.check.label}{_BEFORE_EDITS * out_of_date}", run.message)


def is_out_of_date(line: StateLine) -> bool:
    """Return whether a line says that files were changed after a check."""
    return line.text.endswith(_BEFORE_EDITS)


def _is_out_of_date(run: Run, changed: Mapping[str, int]) -> bool:
    """Return whether files that a check covers were changed after its run."""
    since = (path for path, order in changed.items() if order > max(run.order, -1))
    return run.out_of_date or run.order == _LONG_AGO or any(_looks_at(run.check, path) for path in since)


def _replaces(run: Run, before: Run) -> bool:
    """Return whether a failing test run makes an earlier one obsolete. It must run at least the same tests, and
    either name all of the earlier failures or name every failure of its own."""
    if run.check.kind != "tests" or not run.names or not run.check.repeats(before.check):
        return False
    known = before.names != () and set(before.names) <= set(run.names)
    return known or (not _STOPS_EARLY.search(run.check.label) and names_all(_said(run), run.names))


def _looks_at(check: CheckRun, path: str) -> bool:
    """Return whether a check covers a file: one that it was limited to, or any code file. Tests also run code of
    other folders."""
    within = any(is_under(path, limit) for limit in check.paths)
    return within or (not is_no_code(path) and (not check.paths or check.kind == "tests"))


def _key(check: CheckRun) -> tuple[CheckKind, str]:
    return check.kind, check.label


def _runner(check: CheckRun) -> tuple[CheckKind, str]:
    return check.kind, check.label if check.program == "*" else check.program


def _said(run: Run) -> str:
    if run.mended:
        return " ".join(run.names)
    return run.result.text if run.result else run.said


def _checks(steps: Sequence[Step], call: ToolCall, home: str) -> Iterator[tuple[int, CheckRun]]:
    """Yield (place, check) of the steps that are checks, except checks of the state before the session's changes."""
    folder = folder_of(call, home)
    stashed = False
    for at, step in enumerate(steps):
        if step.words[0] == "git" and (asked := stash_verb(past_options(step.words[1:]))):
            stashed = asked in ("push", "save")
        elif step.words[0] == "cd" and len(step.words) > 1:
            folder = within(folder, step.words[1], home)
        elif not stashed and (check := check_of(step, folder)):
            yield at, check


def _outcomes(
    call: ToolCall, steps: Sequence[Step], found: Sequence[tuple[int, CheckRun]]
) -> list[tuple[CheckRun, bool | None]]:
    """Return the outcome of each check of a command line: from the exit code if it is conclusive, otherwise from the
    output."""
    says = _Says(call.said)
    if call.failed and len(found) > 1 and _chained(steps, found):
        return _broken_chain(found, says_failed={check.kind for _, check in found if says[check.kind].failed})
    result: list[tuple[CheckRun, bool | None]] = []
    for at, check in found:
        kind = check.kind
        if call.failed is not True and _silent(call, steps, at, check) and says[kind].failed is None:
            result.append((check, False))
        elif call.failed is False and _binds(steps, at) and (call.stated or _is_pass(call, says[kind].failed, kind)):
            result.append((check, False if says.has_run(kind) else None))
        elif call.failed and _alone(steps, at):
            result.append((check, True if says.has_run(kind) else None))
        else:
            result.append((check, says[kind].failed))
    return result


def _is_pass(call: ToolCall, says_failed: bool | None, kind: CheckKind) -> bool:
    """Return whether a success that is stated only by the tool's silence is a pass of the check. The output must not
    contradict it, and tests have to print their outcome."""
    return says_failed is False or (says_failed is None and (kind != "tests" or not call.said.strip()))


class _Says(dict[CheckKind, Verdict]):
    """Kind of check -> verdict of the output, computed on access."""

    def __init__(self, said: str) -> None:
        self._said = said

    def __missing__(self, kind: CheckKind) -> Verdict:
        self[kind] = found = verdict(kind, self._said)
        return found

    def has_run(self, kind: CheckKind) -> bool:
        """Return whether the output does not say that nothing was run; cheaper than a full verdict."""
        return not may_say_nothing_ran(kind, self._said) or self[kind].ran


def _take_last(known: dict[_Key, _Value], key: _Key, value: _Value) -> None:
    """Add a value as the newest, and drop the oldest one if there are too many."""
    known.pop(key, None)
    known[key] = value
    if len(known) > _MOST_FOLLOWED:
        del known[next(iter(known))]


def _silent(call: ToolCall, steps: Sequence[Step], at: int, check: CheckRun) -> bool:
    """Return whether a program that only reports problems printed nothing."""
    if not check.label.startswith(_SAYS_NOTHING) or not _NOTHING_SAID.match(call.said):
        return False
    return all(step.words[0] in _TRANSPARENT for step in (*steps[:at], *steps[at + 1 :]))


def _binds(steps: Sequence[Step], at: int) -> bool:
    """Return whether success of the whole command line implies that this step succeeded."""
    if steps[at].after not in ("", "&&") and not (at == len(steps) - 1 and steps[at].after == ";"):
        return any("pipefail" in step.words for step in steps[:at]) and steps[at].after == "|"
    return all(step.after in ("", "&&", "|") for step in steps[at + 1 : -1])


def _alone(steps: Sequence[Step], at: int) -> bool:
    """Return whether a failure of the whole command line can only come from this step."""
    others = (step.words[0] for place, step in enumerate(steps) if place != at)
    return all(program in _TRIVIAL for program in others) and (at == len(steps) - 1 or steps[at].after == "&&")


def _chained(steps: Sequence[Step], found: Sequence[tuple[int, CheckRun]]) -> bool:
    return all(step.after == "&&" for step in steps[found[0][0] : found[-1][0]])


def _broken_chain(found: Sequence[tuple[int, CheckRun]], says_failed: set[str]) -> list[tuple[CheckRun, bool | None]]:
    """Return the outcomes of the checks in a failed `a && b && c`. Suspects are those whose kind the output reports
    as failed; if there are none, all of them."""
    suspects = [at for at, (_, check) in enumerate(found) if check.kind in says_failed] or list(range(len(found)))
    return [
        (check, True if at in suspects else False if at < suspects[0] else None) for at, (_, check) in enumerate(found)
    ]
