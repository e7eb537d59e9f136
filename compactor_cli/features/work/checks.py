"""Checks that were run (tests, builds, linters), and what each of them covers."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from compactor_cli.features.work.programs import (
    FORMATTERS,
    PLATFORMS,
    RUNNERS,
    CheckKind,
    kind_of,
    program_words,
    runs_variants,
    variant_of,
    without_prefixes,
)
from compactor_cli.features.work.secret_words import without_values
from compactor_cli.features.work.usual_tests import is_test_of
from compactor_cli.text.clean import one_line
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later, in_small
from compactor_cli.text.shell import Step, word_set

_SELECTS = word_set("-k -m -run --run -t -p --filter -F --package -testNamePattern --grep -g --tests -w")
"""Options whose value says what a run is limited to."""
_IGNORES = word_set("--ignore --ignore-glob --deselect --exclude --testPathIgnorePatterns")
"""Options whose value says what a run leaves out."""
_PATTERN = compiled_later(r"[*?{$`]|[^/]\[")
"""In a path that the shell, or the program, makes others of; a folder may be called `[id]`."""
_LINE = compiled_later(r"(?::\d+)+$")
_ONLY_TESTING = "-only-testing:"
"""How Xcode is told so."""
GIVEN = (
    *("tests", "test", "testNames", "test_names", "test_name", "testName", "filter", "pattern", "grep", "keyword"),
    *("package", "module", "project", "target", "scheme"),
)
"""Arguments by which tools are told the same: to which tests and parts of a project a run is limited."""
_ASIDE = compiled_later(
    r"-{1,2}(?:count|tb|color|quiet|verbose|silent|no-cov|cache|maxfail|durations|timeout|[vqx]+)\b"
)
_WHOLE = compiled_later(r"^(?:\.|\./\.\.\.|\.\.\.|all|--all|--workspace|tests?/?|src/?|\./)$")
_NO_CODE = (
    *(".md", ".mdx", ".rst", ".txt", ".adoc", "license", "changelog", "readme", ".pt", ".pth", ".ckpt", ".safetensors"),
    *(".onnx", ".h5", ".npy", ".npz", ".pkl", ".pickle", ".joblib", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico"),
    *(".pdf", ".zip", ".gz", ".tgz", ".tar", ".bz2", ".xz", ".7z", ".parquet", ".feather", ".sqlite", ".sqlite3"),
    *(".xls", ".xlsx", ".doc", ".docx", ".ppt", ".pptx", ".mp3", ".mp4", ".wav", ".woff", ".woff2", ".ttf"),
)
"""How the names of files end that are prose, or data."""
_FILE = compiled_later(r"\.\w+(?:::.*)?$")
_TEST = compiled_later(r"test|spec", re.IGNORECASE)
_CONFIGURES = compiled_later(r"\.(?:\w*proj|slnx?|toml|ya?ml|json|cfg|ini|conf|mk|gradle|xml)$|\bconfig\.\w+$")
"""A file that says how checks are run, not which."""
_NO_TARGET = compiled_later(r"[/.]")
"""In what is neither a subcommand nor a target."""
_NAMED = compiled_later(r"[/.:]|test|spec", re.IGNORECASE)
"""In what a run is limited to."""
_PLACE = r"^(?:vet: )?\S+\.[A-Za-z]\w{0,9}(?::\d+:\d+: |\(\d+,\d+\): error )"
_NOT_COMPILED = {
    "go": compiled_later(_PLACE, re.MULTILINE),
    "cargo": compiled_later(r"^error\[E\d+\]", re.MULTILINE),
}
"""Programs that compile anew what they test, and how they say that they could not compile it."""
_LINTED = compiled_later(r"^error: (?!could not compile|aborting due to)|^(?!vet: )\S+\.go:\d+:\d+: ", re.MULTILINE)
"""What a linter thinks of what it could compile."""
_AFTERWARDS = compiled_later(
    r"\bld(?:\.\w+)?: |\blink(?:er|ing)\b|\bundefined (?:reference|symbol)|cannot find -l", re.IGNORECASE
)
"""Of what goes wrong behind compiling, which tests need not do."""
_NARROWER = word_set("--lib --doc --bin --bins --example --examples --test --no-build")
"""Options with which not all is compiled that a build would."""
_WIDTH = 100
"""Longest label of a check."""


class Scope(Struct, frozen=True):
    """What a check looks at, as far as it says."""

    kind: CheckKind
    limits: tuple[str, ...] = ()
    """Files and folders that it was limited to; empty for all."""
    without: tuple[str, ...] = ()
    """Files and folders that it was told to leave out."""

    @property
    def names_tests(self) -> bool:
        """Return whether it is one of tests that were named by their files."""
        return self.kind == "tests" and any(map(_FILE.search, self.limits))

    def has(self, path: str) -> bool:
        """Return whether a check looks at a file: one that it was limited to, or of which tests that were named by
        their files are the usual ones."""
        if any(is_under(path, left) for left in self.without):
            return False
        if not self.limits or any(is_under(path, limit) for limit in self.limits):
            return True
        return self.names_tests and any(is_test_of(limit, path) for limit in self.limits)


class CheckRun(Struct, frozen=True):
    """A check as it was run."""

    kind: CheckKind
    label: str
    """The command, without what stands around it."""
    program: str
    """`*` for a target of a project, which may run any program; with what tells its runs from others of it."""
    folder: str = ""
    """Where it ran, when that is not the main folder of the session."""
    paths: tuple[str, ...] = ()
    """Files and folders that it was limited to; empty for all."""
    selected: tuple[str, ...] = ()
    """Names of tests or packages that it was limited to; empty for all."""
    given: frozenset[str] = frozenset()
    """Variables that it was given before the program, with their values: it may build for another system by them."""
    left_out: frozenset[str] = frozenset()
    """Tests or tasks that it was told to leave out."""
    ignored: tuple[str, ...] = ()
    """Files and folders that it was told to leave out."""

    @property
    def whole(self) -> bool:
        """Return whether it was limited to nothing."""
        return not self.paths and not self.selected and not self.left_out

    @property
    def scope(self) -> Scope:
        """Return what it looks at. Of files that are named to tests, nobody knows what they check where they are none
        of tests; what is built takes in what it names; and of patterns nobody knows what they stand for."""
        limits = tuple(_LINE.sub("", path.partition("::")[0]).removesuffix("...") for path in self.paths)
        if any(map(_PATTERN.search, limits)):
            limits = ()
        files = [path for path in limits if _FILE.search(path)]
        if self.kind == "tests":
            tests = [path for path in files if _TEST.search(path) and not _CONFIGURES.search(path)]
            limits = tuple(path for path in limits if path in tests or path not in files) if tests or not files else ()
        return Scope(self.kind, () if files and self.kind == "build" else limits, self.ignored)

    def covers(self, other: CheckRun, names: tuple[str, ...] = ()) -> bool:
        """Return whether a pass of this check says that the other one, with these failing names, would pass now."""
        if self.label == other.label and self.kind == other.kind:
            return True
        return self._runs_like(other) and self._includes(other.paths or names, other.selected or names)

    def repeats(self, other: CheckRun) -> bool:
        """Return whether this check does all that the other one does: the same program, with its options or more, and
        limited to no less."""
        if self.label == other.label and self.kind == other.kind:
            return True
        return (
            self.kind == other.kind
            and self.program == other.program != "*"
            and self.folder in ("", other.folder)
            and self._includes(other.paths, other.selected)
            and _options(self.label) >= _options(other.label)
            and self.left_out <= other.left_out
        )

    def compiles(self, other: CheckRun, said: str) -> bool:
        """Return whether a pass of these tests says that what the other check could not compile compiles now: the same
        program compiles it for them. `said`: what the other one said."""
        stated = _NOT_COMPILED.get(self.program)
        if stated is None or (self.kind, self.program) != ("tests", other.program) or not stated.search(said):
            return False
        if _AFTERWARDS.search(said) or (other.kind != "build" and _LINTED.search(said)):
            return False
        return (
            self.folder in ("", other.folder)
            and self._includes(other.paths, other.selected)
            and _options(self.label) >= _options(other.label)
            and _NARROWER.isdisjoint(self.label.split())
            and self.given >= other.given
        )

    def covers_name(self, other: CheckRun, name: str) -> bool:
        """Return whether a pass of this check says that this one name, which failed in the other, would pass now."""
        return self._runs_like(other) and self._includes(other.paths or (name,), (name,))

    def _runs_like(self, other: CheckRun) -> bool:
        same = self.program == other.program or "*" in (self.program, other.program)
        same = same or runs_variants(self.label.split(), self.program, other.program)
        more = self.left_out <= other.left_out
        return self.kind == other.kind and same and more and self.folder in ("", other.folder)

    def _includes(self, paths: tuple[str, ...], names: tuple[str, ...]) -> bool:
        within = not self.paths or _all_within(paths, self.paths)  # of paths there are fewer than of names
        return within and (not self.selected or _all_within(names, self.selected))


@lru_cache(maxsize=1024)
def _options(label: str) -> frozenset[str]:
    """Return the options that say what is run, rather than how much is said of it."""
    words = (word for word in label.split() if len(word) > 2 and word.startswith("-") and not _ASIDE.match(word))
    return frozenset(word for word in words if word.partition("=")[0] not in _SELECTS)


@lru_cache(maxsize=4096)  # a session runs the same few checks many times
def _all_within(names: tuple[str, ...], limits: tuple[str, ...]) -> bool:
    """Return whether there are names, and each is within one of the limits."""
    return bool(names) and all(any(_within(name, limit) for limit in limits) for name in names)


def is_under(path: str, limit: str) -> bool:
    """Return whether a file is one that a run was limited to, or stands in a folder that it was limited to."""
    if _cleaned(limit) not in path:  # most are not: known at once
        return False
    return _within(path, limit) or f"/{path}".endswith(f"/{limit.removeprefix('./')}")


def is_no_code(path: str) -> bool:
    """Return whether a file is one that no check looks at, unless it is named: prose, or data that is no text."""
    return in_small(path).removesuffix("\n").endswith(_NO_CODE)


@lru_cache(maxsize=1024)
def _cleaned(limit: str) -> str:
    return limit.removeprefix("./").removesuffix("...").rstrip("/")


@lru_cache(maxsize=8192)
def _within(name: str, limit: str) -> bool:
    name, limit = name.removeprefix("./"), _cleaned(limit)
    return (
        name == limit
        or name.startswith((f"{limit}/", f"{limit}::", f"{limit}.", f"{limit} "))
        or f"/{limit}/" in f"/{name}"
    )


@lru_cache(maxsize=1024)
def check_of(step: Step, folder: str = "") -> CheckRun | None:
    """Return the check that a step of a command line is, if it is one. `folder`: where it runs, if not in the main
    folder."""
    shown = without_prefixes(list(step.words))
    words = program_words(shown)
    if not words or {"--help", "--version", "-h"} & set(words):
        return None
    program = basename(words[0])
    kind = kind_of(program, words[1:])
    if kind is None:
        return None
    target = program in RUNNERS
    shown = without_values(shown)
    said = [basename(shown[0]) if shown[0].startswith("/") else shown[0], *map(_shown, shown[1:])]
    words = program_words(shown)
    label = one_line(" ".join(said), _WIDTH).replace(": ", ":") + (f" (in {folder})" if folder else "")
    variant, rest, left_out = variant_of(program, words[1:])
    rest, ignored = _without_ignored(rest)
    paths, selected = _limits(rest, named=target or program in PLATFORMS or program in FORMATTERS)
    before = step.words[: len(step.words) - len(shown)]  # of `env`
    given = frozenset((*step.given, *(word for word in before if "=" in word)))
    return CheckRun(kind, label, "*" if target else variant, folder, paths, selected, given, left_out, ignored)


def check_named(label: str) -> CheckRun | None:
    """Return the check that a label of an earlier summary names."""
    command, _, folder = label.removesuffix(")").partition(" (in ")
    try:
        words = shlex.split(command)
    except ValueError:  # a quote of it stands for itself
        words = command.split()
    return check_of(Step(tuple(words), ""), folder)


def _without_ignored(rest: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return the arguments of a run without the options that leave out files, and these; one test of a file is none."""
    kept: list[str] = []
    ignored: list[str] = []
    words = iter(rest)
    for word in words:
        name, is_, value = word.partition("=")
        if name in _IGNORES:
            ignored.append(value if is_ else next(words, ""))
        else:
            kept.append(word)
    return kept, tuple(path for path in ignored if path and "::" not in path)


def _limits(rest: Sequence[str], *, named: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what a run is limited to: (paths, names). `named`: the first word is a subcommand or a target."""
    paths: list[str] = []
    selected: list[str] = []
    words = iter(rest)
    for word in words:
        name, _, value = word.partition("=")
        if word.startswith(_ONLY_TESTING):
            selected.append(word.partition(":")[2])
        elif name in _SELECTS or (value and name in GIVEN):
            value = value or next(words, "")
            selected += filter(None, (part.strip("^$() ") for part in re.split(r"\||\bor\b|,", value)))
        elif not word.startswith("-") and word not in ("run", "run-script"):
            if named and not _NO_TARGET.search(word):
                named = False
            elif not _WHOLE.match(word) and _NAMED.search(word):
                paths.append(word)
    return tuple(paths), tuple(selected)


def _shown(word: str) -> str:
    return word if word.split() == [word] else f"'{word}'"
