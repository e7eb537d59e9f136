"""What is known about changed files: whether a check passed or failed after the change, or a script ran."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct, field

from compactor_cli.features.work.calls import NO_CALL, ToolCall
from compactor_cli.features.work.check_runs import CheckRuns
from compactor_cli.features.work.checks import is_not_code
from compactor_cli.features.work.endings import is_declined
from compactor_cli.features.work.programs import SCRIPT_RUNNER, CheckKind, without_prefixes
from compactor_cli.features.work.usual_tests import TEST_AFFIX
from compactor_cli.text.clean import both_ends
from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, word_set

_KINDS: tuple[CheckKind, ...] = ("tests", "build", "lint")
"""Kinds of checks, most conclusive first."""
_PASSED, _FAILED, _FAILED_LATER = " passed after", " failed after", " passed after, failed later"
"""In the last case, something done in between may be the cause."""
_OTHER_TESTS_PASSED = f"other tests{_PASSED}"
"""For tests that were named by their files and do not belong to this file; they may still run its code."""
_ANY_KIND = rf"(?:{'|'.join(_KINDS)})"
LABEL = (
    rf"(?:check|{_ANY_KIND}){_PASSED}|{_OTHER_TESTS_PASSED}|check{_FAILED}|"
    rf"{_ANY_KIND}(?: and {_ANY_KIND})*(?:{_FAILED}|{_FAILED_LATER})|"
    r"(?:\S+ )?(?:ran|failed) after|unchecked"
)
"""Pattern of the label for a file."""
_HEAD_CHARS, _TAIL_CHARS = 2_000, 6_000
"""Characters at each end of a failed check's output that are searched for names of files."""
_WORD = compiled_later(r"\w+(?:[.-]\w+)*")
_PATH_WITH_FOLDER = compiled_later(r"(?<![\w.@+-])([\w.@+-]*(?:/[\w.@+-]+)+\.\w+)")
"""A path with a folder."""
_SHOWERS = word_set("cat head tail less more bat nl grep egrep fgrep rg ag sed awk wc diff cmp jq xxd od strings stat")
"""Programs that show the contents of the files they are given."""
_NEUTRAL_PROGRAMS = _SHOWERS | word_set(
    "cd pushd popd pwd ls tree find fd du df mkdir rmdir rm cp mv ln touch chmod chown echo printf export unset set "
    "source . sleep wait true false : which type date env ps kill exit clear git gh"
)
"""Programs that cannot have detected a problem with a changed file."""
_IN_PLACE_OPTION = compiled_later(r"-[nErsuzpl0-7]*i|--in-place")
"""Options with which a stream editor writes to the files it is given."""
_IN_PLACE_EDITORS = word_set("sed gsed perl ruby yq")
"""Programs that have such an option."""
_OPAQUE_PROGRAMS = word_set(
    "wc stat scp sftp ftp rsync rclone tar zip unzip gzip gunzip bzip2 xz zstd 7z install dd tee curl wget aws s3cmd "
    "gsutil gcloud az docker podman kubectl ssh dos2unix unix2dos truncate split code vim nvim vi nano emacs open "
    "xdg-open mail md5sum sha1sum sha256sum cksum shasum basename dirname realpath readlink test ["
)
"""Programs that take a file without examining its content: they count, copy, pack or open it."""
_FOLDER_PROGRAMS = word_set("cd pushd popd")
_GIT_SHOWING_VERBS = frozenset(("diff", "show", "blame"))
_LINE_LOCATION = compiled_later(r"[\w@+-]\.\w{1,6}(?::\d+|\(\d+,\d+\))")
"""A line number in a file, as checkers write it."""


class _Files:
    """Changed files, indexed by the names that an output may use for them."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.by_name: defaultdict[str, list[str]] = defaultdict(list)
        """Last part of a path -> the paths."""
        self.by_word: defaultdict[str, list[str]] = defaultdict(list)
        """Name that may also be an ordinary word of an output -> the paths."""
        self.by_other_name: defaultdict[str, list[str]] = defaultdict(list)
        """Any other name -> the paths."""
        for path in paths:
            self.by_name[basename(path)].append(path)
            for stem in _file_names(path):
                (self.by_word if _is_plain(stem) else self.by_other_name)[stem].append(path)


class _Failure(Struct, frozen=True):
    """A failing check: the number of its call, and the names of files that its output may contain."""

    call_number: int
    kind: CheckKind
    words: frozenset[str]
    name_parts: frozenset[str]
    """Words that are part of names of files or tests. An ordinary word refers to a file only if it is among these."""
    last_pass: int | None
    """Number of the last call in which everything that now fails had passed; negative for earlier rounds."""
    has_locations: bool
    """Whether the output gives the lines where something is wrong. If it names none of the files, it is not about
    them."""
    paths: dict[str, list[str]]
    """Last part of a path -> the paths that end in it."""
    names_by_stem: dict[str, set[str]]
    """Name that may be used for a file -> the last parts of paths that it stands for."""

    def concerned_files(self, files: _Files) -> frozenset[str]:
        """Return the files that the output is about. A file with the same name in another folder is not one of them."""
        plain = (path for stem in self.name_parts & files.by_word.keys() for path in files.by_word[stem])
        marked = (path for stem in self.words & files.by_other_name.keys() for path in files.by_other_name[stem])
        named_paths = (
            path
            for name in self.paths.keys() & files.by_name.keys()
            for path in files.by_name[name]
            if any(_may_name(shown_path, path) for shown_path in self.paths[name])
        )
        same_names = (
            path
            for stem, names in self.names_by_stem.items()
            for path in (*files.by_word.get(stem, ()), *files.by_other_name.get(stem, ()))
            if names != {basename(path)}
        )
        return frozenset(itertools.chain(plain, marked, named_paths, same_names))


class ScriptRuns(Struct):
    """Scripts that the session ran: last part of the path -> (number of the call, whether it succeeded), newest
    last. Also records other calls that may have shown something about a file."""

    runs: dict[str, tuple[int, bool]] = field(default_factory=dict)
    last_other: int = NO_CALL
    """Number of the last call that ran anything else that may have tested any file, such as another script."""
    last_shown: dict[str, int] = field(default_factory=dict)
    """Last part of a path -> number of the last call that showed such a file."""
    examined_after_change: dict[str, int] = field(default_factory=dict)
    """Path as commands name it -> number of the last call that examined the file after the step that changed it."""

    def record_call(
        self, call: ToolCall, steps: Sequence[Step], call_number: int, read: Iterable[str], *, ran_check: bool
    ) -> None:
        """Record a call. `read`: the files that it read; `ran_check`: whether it ran a check, which is recorded
        elsewhere."""
        self.last_shown.update((basename(path), call_number) for path in read)
        changed: set[str] = set()
        connector = ""
        for step in () if ran_check or call.running_id or (call.undecided and is_declined(call.output)) else steps:
            program = basename(step.words[0])
            is_showing = program in _SHOWERS or (
                program == "git" and not _GIT_SHOWING_VERBS.isdisjoint(step.words[1:4])
            )
            names = [basename(word) for word in step.words[1:] if "." in word]
            if program not in _NEUTRAL_PROGRAMS:
                self.last_other = call_number
            elif is_showing:
                self.last_shown.update(dict.fromkeys(names, call_number))
            named_paths = {word.removeprefix("./") for word in step.words[1:]}
            plain_program = basename((without_prefixes(list(step.words)) or [program])[0])
            edits_in_place = plain_program in _IN_PLACE_EDITORS and any(map(_IN_PLACE_OPTION.match, step.words[1:]))
            may_examine = plain_program in _SHOWERS or plain_program not in _NEUTRAL_PROGRAMS or is_showing
            if may_examine and plain_program not in _OPAQUE_PROGRAMS and not edits_in_place and connector != "||":
                self.examined_after_change.update(dict.fromkeys(named_paths & changed, call_number))
            changed = set() if program in _FOLDER_PROGRAMS else changed  # from there, paths refer to other files
            changed.update(path.removeprefix("./") for path in step.writes)
            changed |= named_paths if edits_in_place else set()
            connector = step.operator
        if call.undecided or not call.answered:
            return
        for script in map(_script_name, steps):
            if script:
                failed = call.failed if call.failed is not None else bool(result_errors(call.output, None, limit=1))
                self.runs.pop(script, None)
                self.runs[script] = call_number, not failed


class FileChecks:
    """What checks and scripts say about the files that a session changed."""

    def __init__(self, paths: Iterable[str], checks: CheckRuns, scripts: ScriptRuns, root: str = "") -> None:
        """Take the paths that were changed, and the checks and scripts that ran. `root` is cut from the paths."""
        self._root = root
        failures = [_failure(order, *check) for order, check in checks.failures().items()]
        files = _Files(paths)
        concerned = [(failure, failure.concerned_files(files)) for failure in failures]
        self._by_files = [(failure, paths) for failure, paths in concerned if paths]
        # an output that names none of the files may be about any of them
        self._unattributed = [failure for failure, paths in concerned if not paths and not failure.has_locations]
        self._earlier_kinds = {failure.kind for failure in failures if failure.call_number < 0}
        self._checks, self._runs, self._scripts = checks, scripts.runs, scripts
        self._newest_script = next((script for script in reversed(scripts.runs) if script in files.by_name), "")

    def check_label(self, path: str, call_number: int, earlier_label: str) -> str:
        """Return what is known about a file whose last change was made by call `call_number`. Return "" for prose, and
        if a later failed check is about other files. `earlier_label`: the label from an earlier round, for changes made
        before this one."""
        if is_not_code(path):
            return ""
        passes = {kind: self._checks.last_pass(kind, path) for kind in _KINDS}
        others = self._checks.last_other_pass(path)
        failed_before = _kinds_failed_in(earlier_label) if call_number < 0 else frozenset()
        newer = [
            s
            for s in self._by_files
            if s[0].call_number > call_number or (s[0].call_number < 0 and s[0].kind in failed_before)
        ]
        failures = [failure for failure, named in newer if path in named]
        failures += [
            failure
            for failure in self._unattributed
            if failure.call_number > max(call_number, others, *passes.values())
        ]
        failed = {failure.kind for failure in failures}
        if max(others, *passes.values()) < 0:
            failed |= failed_before & self._earlier_kinds
        passed_before = {earlier_label.removesuffix(_PASSED)} if call_number < 0 else set()
        passed_before |= {kind for kind in _KINDS if call_number < 0 and self._checks.passed_earlier(kind, path)}
        if failed:
            failed_later = failed_before if earlier_label.endswith(_FAILED_LATER) else frozenset()
            had_passed = (
                failure.kind in failed_later or _had_passed(failure, call_number, passed_before) for failure in failures
            )
            label = _FAILED_LATER if all(had_passed) and (failures or failed_later) else _FAILED
            return " and ".join(kind for kind in _KINDS if kind in failed) + label
        passed = [kind + _PASSED for kind in _KINDS if passes[kind] > call_number or kind in passed_before]
        if others > call_number or (call_number < 0 and earlier_label == _OTHER_TESTS_PASSED):
            passed = [*(label for label in passed if label.startswith("tests")), _OTHER_TESTS_PASSED]
        if passed:
            return passed[0]
        unchecked = earlier_label if call_number < 0 and not failed_before else "unchecked" if call_number >= 0 else ""
        shown = self._scripts.last_shown.get(basename(path), NO_CALL)
        last_examined = max(
            self._checks.last_unknown, self._checks.last_unstated(path), self._scripts.last_other, shown
        )
        examined = (self._scripts.examined_after_change.get(name, NO_CALL) for name in (path, f"{self._root}{path}"))
        is_examined = last_examined > call_number or call_number in examined
        return next(self._run_outcomes(path, call_number), "" if newer or is_examined else unchecked)

    def _run_outcomes(self, path: str, call_number: int) -> Iterator[str]:
        """Yield the outcome of running the file itself after its last change, or else of the session's newest
        script."""
        file_name = basename(path)
        for script in (file_name, self._newest_script):
            run_number, succeeded = self._runs.get(script, (NO_CALL, True))
            if run_number > call_number:
                prefix = "" if script == file_name else f"{script} "
                yield f"{prefix}{'ran' if succeeded else 'failed'} after"


def _had_passed(failure: _Failure, call_number: int, passed_before: Collection[str]) -> bool:
    """Return whether everything that now fails had passed after the change of a file by call `call_number`.
    `passed_before`: kinds of checks that had passed after it in an earlier round."""
    if failure.last_pass is None:
        return False
    return (
        failure.last_pass > call_number if call_number >= 0 else failure.last_pass >= 0 or failure.kind in passed_before
    )


def _kinds_failed_in(label: str) -> frozenset[CheckKind]:
    """Return the kinds of checks that failed according to an earlier round's label for a file."""
    ending = next((ending for ending in (_FAILED_LATER, _FAILED) if label.endswith(ending)), "")
    words = label.removesuffix(ending).split() if ending else []
    return frozenset(_KINDS) if words == ["check"] else frozenset(kind for kind in _KINDS if kind in words)


def _failure(call_number: int, kind: CheckKind, output: str, last_pass: int | None) -> _Failure:
    """Return a failed check with the names in its output."""
    text = both_ends(output, _HEAD_CHARS, _TAIL_CHARS)
    has_locations = kind != "tests" and _LINE_LOCATION.search(text) is not None
    paths: dict[str, list[str]] = {}
    names_by_stem: dict[str, set[str]] = {}
    parts = _PATH_WITH_FOLDER.split(text) if "/" in text else [text]  # text between paths, and paths, in turn
    for path in dict.fromkeys(parts[1::2]):
        name = basename(path)
        paths.setdefault(name, []).append(path)
        # a problem in a test is not a problem in the code that it tests
        for stem in () if has_locations else _file_names(path):
            names_by_stem.setdefault(stem, set()).add(name)
    words = set(_WORD.findall(" ".join(parts[::2])))
    name_parts = {word.split(".", 1)[0] for word in words if "." in word}
    tests = () if has_locations else words | name_parts
    name_parts |= {TEST_AFFIX.sub("", word) for word in tests if "test" in word or "spec" in word}
    return _Failure(
        call_number,
        kind,
        frozenset(words | name_parts),
        frozenset(name_parts),
        last_pass,
        has_locations,
        paths,
        names_by_stem,
    )


def _is_plain(stem: str) -> bool:
    """Return whether a name may be an ordinary word of an output."""
    return stem.isalpha() and stem.islower()


def _may_name(output_path: str, path: str) -> bool:
    """Return whether a path in an output may be that of a file: one must end with the other."""
    said_path, own_path = f"/{output_path.lstrip('./')}", f"/{path.lstrip('/')}"
    return said_path.endswith(own_path) or own_path.endswith(said_path)


def _script_name(step: Step) -> str:
    """Return the last part of the path of the script that a step runs; "" if it runs none."""
    words = without_prefixes(list(step.words))
    if not words:
        return ""
    program = basename(words[0])
    if SCRIPT_RUNNER.fullmatch(program):
        script = next((word for word in words[1:] if not word.startswith("-")), "")
        options = words[1 : words.index(script)] if script else ()
        return "" if {"-c", "-e", "-m", "--eval", "-p"} & set(options) else basename(script)
    return program if "/" in words[0] else ""


@lru_cache(maxsize=4096)
def _file_names(path: str) -> frozenset[str]:
    """Return the names that an output may use for a file: with its extension, without it, and without the part that
    marks a test."""
    name = basename(path)
    stem = name.split(".", 1)[0] or name
    return frozenset({name, stem, TEST_AFFIX.sub("", stem)})
