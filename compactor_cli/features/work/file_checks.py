"""What is known of changed files: whether a check passed or failed after the change, or a script ran."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct, field

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.check_runs import CheckRuns
from compactor_cli.features.work.programs import SCRIPT_RUNNER, without_prefixes
from compactor_cli.text.ends import both_ends
from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step

FAILED = "check failed after"
LABEL = rf"check passed after|{FAILED}|(?:\S+ )?(?:ran|failed) after|unchecked"
"""Pattern of what is said of a file."""
_HEAD, _TAIL = 2_000, 6_000
"""Characters at the ends of the output of a failed check in which the names of files are looked for."""
_WORD = compiled_later(r"\w+(?:[.-]\w+)*")
_FILE = compiled_later(r"[\w.@+-]*(?:/[\w.@+-]+)+\.\w+")
"""A path with a folder."""
_TEST_OF = compiled_later(r"^tests?_|_tests?$|[._-](?:test|spec)s?$")
"""What the name of a test has besides the name of what it tests."""
_PROSE = compiled_later(r"(?:\.(?:md|mdx|rst|txt|adoc)|/?LICENSE|/?CHANGELOG|/?README)$", re.IGNORECASE)
"""Files that no check looks at."""


class _Failure(Struct, frozen=True):
    """A check that fails: the number of the call, and what in its output may name files."""

    order: int
    words: frozenset[str]
    paths: dict[str, list[str]]
    """Last part of a path -> the paths that end so."""
    names_of: dict[str, set[str]]
    """Name by which one may speak of a file -> the last parts of paths that it stands for."""

    def names(self, path: str) -> bool:
        """Return whether it speaks of a file; one of the same name in another folder is another file."""
        own, stems = path.rsplit("/", 1)[-1], _stems(path)
        return (
            not self.words.isdisjoint(stems)
            or any(_may_be(said, path) for said in self.paths.get(own, ()))
            or any(name != own for stem in stems for name in self.names_of.get(stem, ()))
        )


class ScriptRuns(Struct):
    """Scripts that the session ran, by the last part of their path, with the number of the call and whether it went
    well; the newest last."""

    runs: dict[str, tuple[int, bool]] = field(default_factory=dict)

    def note(self, call: ToolCall, steps: Sequence[Step], order: int) -> None:
        """Take over a call that has ended."""
        if call.undecided or not call.answered:
            return
        for script in map(_script, steps):
            if script:
                failed = call.failed if call.failed is not None else bool(result_errors(call.said, None, limit=1))
                self.runs.pop(script, None)
                self.runs[script] = order, not failed


class FileChecks:
    """What checks and scripts say of the files that a session changed."""

    def __init__(self, paths: Iterable[str], checks: CheckRuns, scripts: ScriptRuns) -> None:
        """Take the paths that were changed, and the checks and scripts that ran."""
        failures = [_failure(order, said) for order, said in checks.failures().items()]
        changed = list(paths)
        self._names = {path.rsplit("/", 1)[-1] for path in changed}
        self._of_some = [failure for failure in failures if any(map(failure.names, changed))]
        # an output that names none of the files may be about any of them
        self._of_any = max((f.order for f in failures if f not in self._of_some), default=-1)
        self._carried = any(failure.order < 0 for failure in failures)
        self._checks, self._runs = checks, scripts.runs
        self._newest = next((script for script in reversed(scripts.runs) if script in self._names), "")

    def of(self, path: str, order: int, earlier: str) -> str:
        """Return what is known of a file whose last change was the call with this number; empty where a check that
        failed after it speaks of other files, and of prose. `earlier`: what an earlier round said, where the last
        change was before this one."""
        if _PROSE.search(path):
            return ""
        newer = [f for f in self._of_some if f.order > order or (f.order < 0 and earlier == FAILED)]
        passed = self._checks.last_pass
        named = any(failure.names(path) for failure in newer)
        still = order < 0 and earlier == FAILED and passed < 0 and self._carried
        if named or still or self._of_any > max(order, passed):
            return FAILED
        if passed > order:
            return "check passed after"
        unchecked = earlier if order < 0 and earlier != FAILED else "unchecked" if order >= 0 else ""
        return next(self._ran(path, order), "" if newer or self._checks.unknown > order else unchecked)

    def _ran(self, path: str, order: int) -> Iterator[str]:
        """Yield how the file ran after its last change, or a script that the session wrote."""
        own = path.rsplit("/", 1)[-1]
        for script in (own, self._newest):
            at, well = self._runs.get(script, (-1, True))
            if at > order:
                named = "" if script == own else f"{script} "
                yield f"{named}{'ran' if well else 'failed'} after"


def _failure(order: int, said: str) -> _Failure:
    """Return a check that failed, with what its output says."""
    text = both_ends(said, _HEAD, _TAIL)
    paths: dict[str, list[str]] = {}
    names_of: dict[str, set[str]] = {}
    for path in dict.fromkeys(_FILE.findall(text)) if "/" in text else ():
        name = path.rsplit("/", 1)[-1]
        paths.setdefault(name, []).append(path)
        for stem in _stems(path):
            names_of.setdefault(stem, set()).add(name)
    words = set(_WORD.findall(_FILE.sub(" ", text) if paths else text))
    words |= {word.split(".", 1)[0] for word in words if "." in word}
    tested = {_TEST_OF.sub("", word) for word in words if "test" in word or "spec" in word}
    return _Failure(order, frozenset(words | tested), paths, names_of)


def _may_be(said: str, path: str) -> bool:
    """Return whether a path in an output may be that of a file: one of them ends with the other."""
    one, other = f"/{said.lstrip('./')}", f"/{path.lstrip('/')}"
    return one.endswith(other) or other.endswith(one)


@lru_cache(maxsize=4096)
def _stems(path: str) -> frozenset[str]:
    """Return the names by which an output may speak of a file: with its ending, without, and without what makes it a
    test."""
    name = path.rsplit("/", 1)[-1]
    stem = name.split(".", 1)[0] or name
    return frozenset({name, stem, _TEST_OF.sub("", stem)})


def _script(step: Step) -> str:
    """Return the last part of the path of the script that a step runs; empty when it runs none."""
    words = without_prefixes(list(step.words))
    if not words:
        return ""
    program = words[0].rsplit("/", 1)[-1]
    if SCRIPT_RUNNER.fullmatch(program):
        script = next((word for word in words[1:] if not word.startswith("-")), "")
        options = words[1 : words.index(script)] if script else ()
        return "" if {"-c", "-e", "-m", "--eval", "-p"} & set(options) else script.rsplit("/", 1)[-1]
    return program if "/" in words[0] else ""
