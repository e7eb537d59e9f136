"""What is known about changed files: whether a check passed or failed after the change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.check_runs import CheckRuns
from compactor_cli.features.work.checks import file_stem, is_marked_test, is_not_code
from compactor_cli.features.work.endings import is_declined
from compactor_cli.features.work.programs import CheckKind
from compactor_cli.text.clean import both_ends
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, word_set

_KINDS: tuple[CheckKind, ...] = ("tests", "build", "lint")
"""Kinds of checks, most conclusive first."""
_PASSED, _FAILED = " passed after", " failed after"
_OTHER_TESTS_PASSED = f"other tests{_PASSED}"
"""For tests that were named by their files and do not belong to this file; they may still run its code."""
_ANY_KIND = rf"(?:{'|'.join(_KINDS)})"
LABEL = (
    rf"{_ANY_KIND}{_PASSED}|{_OTHER_TESTS_PASSED}|"
    rf"{_ANY_KIND}(?: and {_ANY_KIND})*{_FAILED}|(?:\S+ )?(?:ran|failed) after|unchecked"
)
"""Pattern of the label for a file."""
_HEAD_CHARS, _TAIL_CHARS = 2_000, 6_000
"""Characters at each end of a failed check's output that are searched for names of files."""
_FILE_IN_OUTPUT = compiled_later(r"(?<![\w.@+/-])[\w.@+/-]*\w\.[A-Za-z]\w*")
"""A file, with or without its folder."""
_NEUTRAL_PROGRAMS = word_set(
    "cd pushd popd pwd ls tree find fd du df mkdir rmdir rm cp mv ln touch chmod chown echo printf export unset set "
    "source . sleep wait true false : which type date env ps kill exit clear git gh cat head tail less more bat nl "
    "grep egrep fgrep rg ag sed awk wc diff cmp jq xxd od strings stat"
)
"""Programs that cannot have detected a problem with a changed file."""
_LINE_LOCATION = compiled_later(r"[\w@+-]\.\w{1,6}(?::\d+|\(\d+,\d+\))")
"""A line number in a file, as checkers write it."""


class _Failure(Struct, frozen=True):
    """A failing check: the number of its call, and the files that its output names."""

    call_number: int
    kind: CheckKind
    has_locations: bool
    """Whether the output gives the lines where something is wrong. It then says nothing about other files."""
    named: dict[str, list[str]]
    """Name without what marks a test -> the paths in the output."""

    def concerns(self, path: str) -> bool:
        """Return whether the output is about a file or its test. A file with the same name in another folder is not
        meant. A problem that a linter found in a test is not a problem in the code that it tests."""
        for shown in self.named.get(file_stem(path), ()):
            shown_path, own_path = f"/{shown.lstrip('./')}", f"/{path.lstrip('/')}"
            if basename(shown) != basename(path):
                is_meant = not (self.has_locations and is_marked_test(shown))
            else:
                is_meant = shown_path.endswith(own_path) or own_path.endswith(shown_path)
            if is_meant:
                return True
        return False


def may_check_files(call: ToolCall, steps: Sequence[Step]) -> bool:
    """Return whether a call that is no check ran a program that may have detected a problem with a changed file."""
    was_run = not (call.running_id or (call.undecided and is_declined(call.output)))
    return was_run and any(basename(step.words[0]) not in _NEUTRAL_PROGRAMS for step in steps)


class FileChecks:
    """What checks say about the files that a session changed."""

    def __init__(self, paths: Iterable[str], checks: CheckRuns, last_other: int) -> None:
        """Take the paths that were changed, the checks that ran, and the number of the last call that ran anything
        else that may have tested any file, such as a script."""
        paths = list(paths)
        failures = [_failure(order, *check) for order, check in checks.failures().items()]
        self._attributed = [failure for failure in failures if any(map(failure.concerns, paths))]
        # an output that names none of the files may be about any of them
        self._unattributed = [
            failure for failure in failures if failure not in self._attributed and not failure.has_locations
        ]
        self._earlier_kinds = {failure.kind for failure in failures if failure.call_number < 0}
        self._checks, self._last_other = checks, last_other

    def check_label(self, path: str, call_number: int, earlier_label: str) -> str:
        """Return what is known about a file whose last change was made by call `call_number`. Return "" for prose, and
        if a later failed check is about other files. `earlier_label`: the label from an earlier round, for changes made
        before this one."""
        if is_not_code(path):
            return ""
        passes = {kind: self._checks.last_pass(kind, path) for kind in _KINDS}
        others = self._checks.last_other_pass(path)
        earlier_label = earlier_label if call_number < 0 else ""
        words = earlier_label.split() if earlier_label.endswith(_FAILED) else []
        failed_before = {kind for kind in _KINDS if kind in words}
        newer = [
            failure
            for failure in self._attributed
            if failure.call_number > call_number or (failure.call_number < 0 and failure.kind in failed_before)
        ]
        last_pass = max(others, *passes.values())
        failed = {failure.kind for failure in newer if failure.concerns(path)}
        failed |= {other.kind for other in self._unattributed if other.call_number > max(call_number, last_pass)}
        failed |= failed_before & self._earlier_kinds if last_pass < 0 else set()
        if failed:
            return " and ".join(kind for kind in _KINDS if kind in failed) + _FAILED
        passed_before = {earlier_label.removesuffix(_PASSED)}
        passed_before |= {kind for kind in _KINDS if call_number < 0 and self._checks.passed_earlier(kind, path)}
        passed = [kind for kind in _KINDS if passes[kind] > call_number or kind in passed_before]
        if (others > call_number or earlier_label == _OTHER_TESTS_PASSED) and passed[:1] != ["tests"]:
            return _OTHER_TESTS_PASSED
        if passed:
            return passed[0] + _PASSED
        untold = (order for scope, order in self._checks.untold.items() if scope.names_tests or scope.covers_file(path))
        if newer or max([self._last_other, *untold]) > call_number:
            return ""
        return "unchecked" if call_number >= 0 else "" if failed_before else earlier_label


def _failure(call_number: int, kind: CheckKind, output: str) -> _Failure:
    """Return a failed check with the names of files in its output."""
    text = both_ends(output, _HEAD_CHARS, _TAIL_CHARS)
    named: dict[str, list[str]] = {}
    for shown in dict.fromkeys(_FILE_IN_OUTPUT.findall(text)):
        named.setdefault(file_stem(shown), []).append(shown)
    return _Failure(call_number, kind, kind != "tests" and _LINE_LOCATION.search(text) is not None, named)
