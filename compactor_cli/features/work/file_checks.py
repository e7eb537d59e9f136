"""What is known about changed files: whether a check passed or failed after the change, or a script ran."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct, field

from compactor_cli.features.work.calls import NEVER, ToolCall
from compactor_cli.features.work.check_runs import CheckRuns
from compactor_cli.features.work.checks import is_no_code
from compactor_cli.features.work.endings import is_declined
from compactor_cli.features.work.programs import SCRIPT_RUNNER, CheckKind, without_prefixes
from compactor_cli.features.work.usual_tests import TEST_OF
from compactor_cli.text.clean import both_ends
from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, word_set

_KINDS: tuple[CheckKind, ...] = ("tests", "build", "lint")
"""Kinds of checks, most conclusive first."""
_PASSED, _FAILED, _FAILED_LATER = " passed after", " failed after", " passed after, failed later"
"""In the last case, something done in between may be the cause."""
_OTHERS_PASSED = f"other tests{_PASSED}"
"""For tests that were named by their files and do not belong to this file; they may still run its code."""
_ANY_KIND = rf"(?:{'|'.join(_KINDS)})"
LABEL = (
    rf"(?:check|{_ANY_KIND}){_PASSED}|{_OTHERS_PASSED}|check{_FAILED}|"
    rf"{_ANY_KIND}(?: and {_ANY_KIND})*(?:{_FAILED}|{_FAILED_LATER})|"
    r"(?:\S+ )?(?:ran|failed) after|unchecked"
)
"""Pattern of the label for a file."""
_HEAD, _TAIL = 2_000, 6_000
"""Characters at each end of a failed check's output that are searched for names of files."""
_WORD = compiled_later(r"\w+(?:[.-]\w+)*")
_FILE = compiled_later(r"(?<![\w.@+-])([\w.@+-]*(?:/[\w.@+-]+)+\.\w+)")
"""A path with a folder."""
_SHOWS = word_set("cat head tail less more bat nl grep egrep fgrep rg ag sed awk wc diff cmp jq xxd od strings stat")
"""Programs that show the contents of the files they are given."""
_QUIET = _SHOWS | word_set(
    "cd pushd popd pwd ls tree find fd du df mkdir rmdir rm cp mv ln touch chmod chown echo printf export unset set "
    "source . sleep wait true false : which type date env ps kill exit clear git gh"
)
"""Programs that cannot have detected a problem with a changed file."""
_IN_PLACE = compiled_later(r"-[nErsuzpl0-7]*i|--in-place")
"""Options with which a stream editor writes to the files it is given."""
_EDITS = word_set("sed gsed perl ruby yq")
"""Programs that have such an option."""
_LOOKS_NOT = word_set(
    "wc stat scp sftp ftp rsync rclone tar zip unzip gzip gunzip bzip2 xz zstd 7z install dd tee curl wget aws s3cmd "
    "gsutil gcloud az docker podman kubectl ssh dos2unix unix2dos truncate split code vim nvim vi nano emacs open "
    "xdg-open mail md5sum sha1sum sha256sum cksum shasum basename dirname realpath readlink test ["
)
"""Programs that take a file without examining its content: they count, copy, pack or open it."""
_GOES = word_set("cd pushd popd")
_GIT_SHOWS = frozenset(("diff", "show", "blame"))
_PLACE = compiled_later(r"[\w@+-]\.\w{1,6}(?::\d+|\(\d+,\d+\))")
"""A line number in a file, as checkers write it."""


class _Files:
    """Changed files, indexed by the names that an output may use for them."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.named: defaultdict[str, list[str]] = defaultdict(list)
        """Last part of a path -> the paths."""
        self.plain: defaultdict[str, list[str]] = defaultdict(list)
        """Name that may also be an ordinary word of an output -> the paths."""
        self.marked: defaultdict[str, list[str]] = defaultdict(list)
        """Any other name -> the paths."""
        for path in paths:
            self.named[basename(path)].append(path)
            for stem in _stems(path):
                (self.plain if _is_plain(stem) else self.marked)[stem].append(path)


class _Failure(Struct, frozen=True):
    """A failing check: the number of its call, and the names of files that its output may contain."""

    order: int
    kind: CheckKind
    words: frozenset[str]
    spoken: frozenset[str]
    """Words that are part of names of files or tests. An ordinary word refers to a file only if it is among these."""
    passed: int | None
    """Number of the last call in which everything that now fails had passed; negative for earlier rounds."""
    elsewhere: bool
    """Whether the output gives the lines where something is wrong. If it names none of the files, it is not about
    them."""
    paths: dict[str, list[str]]
    """Last part of a path -> the paths that end in it."""
    names_of: dict[str, set[str]]
    """Name that may be used for a file -> the last parts of paths that it stands for."""

    def named(self, files: _Files) -> frozenset[str]:
        """Return the files that the output is about. A file with the same name in another folder is not one of them."""
        plain = (path for stem in self.spoken & files.plain.keys() for path in files.plain[stem])
        marked = (path for stem in self.words & files.marked.keys() for path in files.marked[stem])
        said = (
            path
            for name in self.paths.keys() & files.named.keys()
            for path in files.named[name]
            if any(_may_be(said, path) for said in self.paths[name])
        )
        alike = (
            path
            for stem, names in self.names_of.items()
            for path in (*files.plain.get(stem, ()), *files.marked.get(stem, ()))
            if names != {basename(path)}
        )
        return frozenset(itertools.chain(plain, marked, said, alike))


class ScriptRuns(Struct):
    """Scripts that the session ran: last part of the path -> (number of the call, whether it succeeded), newest
    last. Also records other calls that may have shown something about a file."""

    runs: dict[str, tuple[int, bool]] = field(default_factory=dict)
    other: int = NEVER
    """Number of the last call that ran anything else that may have tested any file, such as another script."""
    shown: dict[str, int] = field(default_factory=dict)
    """Last part of a path -> number of the last call that showed such a file."""
    behind: dict[str, int] = field(default_factory=dict)
    """Path as commands name it -> number of the last call that examined the file after the step that changed it."""

    def note(self, call: ToolCall, steps: Sequence[Step], order: int, read: Iterable[str], *, checked: bool) -> None:
        """Record a call. `read`: the files that it read; `checked`: whether it ran a check, which is recorded
        elsewhere."""
        self.shown.update((basename(path), order) for path in read)
        changed: set[str] = set()
        joined = ""
        for step in () if checked or call.running or (call.undecided and is_declined(call.said)) else steps:
            program = basename(step.words[0])
            shows = program in _SHOWS or (program == "git" and not _GIT_SHOWS.isdisjoint(step.words[1:4]))
            names = [basename(word) for word in step.words[1:] if "." in word]
            if program not in _QUIET:
                self.other = order
            elif shows:
                self.shown.update(dict.fromkeys(names, order))
            named = {word.removeprefix("./") for word in step.words[1:]}
            plain = basename((without_prefixes(list(step.words)) or [program])[0])
            edits = plain in _EDITS and any(map(_IN_PLACE.match, step.words[1:]))
            looks = plain in _SHOWS or plain not in _QUIET or shows
            if looks and plain not in _LOOKS_NOT and not edits and joined != "||":
                self.behind.update(dict.fromkeys(named & changed, order))
            changed = set() if program in _GOES else changed  # from there, paths refer to other files
            changed.update(path.removeprefix("./") for path in step.writes)
            changed |= named if edits else set()
            joined = step.after
        if call.undecided or not call.answered:
            return
        for script in map(_script, steps):
            if script:
                failed = call.failed if call.failed is not None else bool(result_errors(call.said, None, limit=1))
                self.runs.pop(script, None)
                self.runs[script] = order, not failed


class FileChecks:
    """What checks and scripts say about the files that a session changed."""

    def __init__(self, paths: Iterable[str], checks: CheckRuns, scripts: ScriptRuns, root: str = "") -> None:
        """Take the paths that were changed, and the checks and scripts that ran. `root` is cut from the paths."""
        self._root = root
        failures = [_failure(order, *check) for order, check in checks.failures().items()]
        files = _Files(paths)
        named = [(failure, failure.named(files)) for failure in failures]
        self._of_some = [(failure, paths) for failure, paths in named if paths]
        # an output that names none of the files may be about any of them
        self._of_any = [failure for failure, paths in named if not paths and not failure.elsewhere]
        self._carried = {failure.kind for failure in failures if failure.order < 0}
        self._checks, self._runs, self._scripts = checks, scripts.runs, scripts
        self._newest = next((script for script in reversed(scripts.runs) if script in files.named), "")

    def of(self, path: str, order: int, earlier: str) -> str:
        """Return what is known about a file whose last change was made by call `order`. Return "" for prose, and if
        a later failed check is about other files. `earlier`: the label from an earlier round, for changes made
        before this one."""
        if is_no_code(path):
            return ""
        passes = {kind: self._checks.last_pass(kind, path) for kind in _KINDS}
        others = self._checks.last_of_others(path)
        failed_before = _failed_in(earlier) if order < 0 else frozenset()
        newer = [s for s in self._of_some if s[0].order > order or (s[0].order < 0 and s[0].kind in failed_before)]
        concerning = [failure for failure, named in newer if path in named]
        concerning += [failure for failure in self._of_any if failure.order > max(order, others, *passes.values())]
        failed = {failure.kind for failure in concerning}
        if max(others, *passes.values()) < 0:
            failed |= failed_before & self._carried
        before = {earlier.removesuffix(_PASSED)} if order < 0 else set()
        before |= {kind for kind in _KINDS if order < 0 and self._checks.had_passed(kind, path)}
        if failed:
            later = failed_before if earlier.endswith(_FAILED_LATER) else frozenset()
            had = (failure.kind in later or _had_passed(failure, order, before) for failure in concerning)
            label = _FAILED_LATER if all(had) and (concerning or later) else _FAILED
            return " and ".join(kind for kind in _KINDS if kind in failed) + label
        passed = [kind + _PASSED for kind in _KINDS if passes[kind] > order or kind in before]
        if others > order or (order < 0 and earlier == _OTHERS_PASSED):
            passed = [*(label for label in passed if label.startswith("tests")), _OTHERS_PASSED]
        if passed:
            return passed[0]
        unchecked = earlier if order < 0 and not failed_before else "unchecked" if order >= 0 else ""
        shown = self._scripts.shown.get(basename(path), NEVER)
        looked_at = max(self._checks.unknown, self._checks.last_untold(path), self._scripts.other, shown)
        behind = (self._scripts.behind.get(name, NEVER) for name in (path, f"{self._root}{path}"))
        looked = looked_at > order or order in behind
        return next(self._ran(path, order), "" if newer or looked else unchecked)

    def _ran(self, path: str, order: int) -> Iterator[str]:
        """Yield the outcome of running the file itself after its last change, or else of the session's newest
        script."""
        own = basename(path)
        for script in (own, self._newest):
            at, well = self._runs.get(script, (NEVER, True))
            if at > order:
                named = "" if script == own else f"{script} "
                yield f"{named}{'ran' if well else 'failed'} after"


def _had_passed(failure: _Failure, order: int, before: Collection[str]) -> bool:
    """Return whether everything that now fails had passed after the change of a file by call `order`. `before`:
    kinds of checks that had passed after it in an earlier round."""
    if failure.passed is None:
        return False
    return failure.passed > order if order >= 0 else failure.passed >= 0 or failure.kind in before


def _failed_in(label: str) -> frozenset[CheckKind]:
    """Return the kinds of checks that failed according to an earlier round's label for a file."""
    ending = next((ending for ending in (_FAILED_LATER, _FAILED) if label.endswith(ending)), "")
    words = label.removesuffix(ending).split() if ending else []
    return frozenset(_KINDS) if words == ["check"] else frozenset(kind for kind in _KINDS if kind in words)


def _failure(order: int, kind: CheckKind, said: str, passed: int | None) -> _Failure:
    """Return a failed check with the names in its output."""
    text = both_ends(said, _HEAD, _TAIL)
    elsewhere = kind != "tests" and _PLACE.search(text) is not None
    paths: dict[str, list[str]] = {}
    names_of: dict[str, set[str]] = {}
    parts = _FILE.split(text) if "/" in text else [text]  # text between paths, and paths, in turn
    for path in dict.fromkeys(parts[1::2]):
        name = basename(path)
        paths.setdefault(name, []).append(path)
        for stem in () if elsewhere else _stems(path):  # a problem in a test is not a problem in the code that it tests
            names_of.setdefault(stem, set()).add(name)
    words = set(_WORD.findall(" ".join(parts[::2])))
    spoken = {word.split(".", 1)[0] for word in words if "." in word}
    tests = () if elsewhere else words | spoken
    spoken |= {TEST_OF.sub("", word) for word in tests if "test" in word or "spec" in word}
    return _Failure(order, kind, frozenset(words | spoken), frozenset(spoken), passed, elsewhere, paths, names_of)


def _is_plain(stem: str) -> bool:
    """Return whether a name may be an ordinary word of an output."""
    return stem.isalpha() and stem.islower()


def _may_be(said: str, path: str) -> bool:
    """Return whether a path in an output may be that of a file: one must end with the other."""
    said_path, own_path = f"/{said.lstrip('./')}", f"/{path.lstrip('/')}"
    return said_path.endswith(own_path) or own_path.endswith(said_path)


def _script(step: Step) -> str:
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
def _stems(path: str) -> frozenset[str]:
    """Return the names that an output may use for a file: with its extension, without it, and without the part that
    marks a test."""
    name = basename(path)
    stem = name.split(".", 1)[0] or name
    return frozenset({name, stem, TEST_OF.sub("", stem)})
