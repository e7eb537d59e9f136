"""Checks that were run (tests, builds, linters), and what each of them covers."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from compactor_cli.features.work.programs import (
    FORMATTER_PROGRAMS,
    PLATFORM_PROGRAMS,
    TARGET_RUNNERS,
    CheckKind,
    check_kind,
    runs_variant,
    started_program_words,
    variant_of,
    without_prefixes,
)
from compactor_cli.features.work.secret_words import mask_words
from compactor_cli.text.clean import one_line
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later, lower_for_search
from compactor_cli.text.shell import Step, word_set

_SELECTING_OPTIONS = word_set("-k -m -run --run -t -p --filter -F --package -testNamePattern --grep -g --tests -w")
"""Options whose value limits a run."""
_IGNORING_OPTIONS = word_set("--ignore --ignore-glob --deselect --exclude --testPathIgnorePatterns")
"""Options whose value is left out of a run."""
_SHELL_PATTERN = compiled_later(r"[*?{$`]|[^/]\[")
"""Characters in a path that the shell or the program expands. A folder may be called `[id]`."""
_LINE_SUFFIX = compiled_later(r"(?::\d+)+$")
LIMIT_ARGUMENTS = (
    *("tests", "test", "testNames", "test_names", "test_name", "testName", "filter", "pattern", "grep", "keyword"),
    *("package", "module", "project", "target", "scheme"),
)
"""Arguments of tools that limit a run to certain tests or parts of a project."""
_OUTPUT_OPTION = compiled_later(
    r"-{1,2}(?:count|tb|color|quiet|verbose|silent|no-cov|cache|maxfail|durations|timeout|[vqx]+)\b"
)
_WHOLE_PROJECT = compiled_later(r"^(?:\.|\./\.\.\.|\.\.\.|all|--all|--workspace|tests?/?|src/?|\./)$")
_NO_CODE_SUFFIXES = (
    *(".md", ".mdx", ".rst", ".txt", ".adoc", "license", "changelog", "readme", ".pt", ".pth", ".ckpt", ".safetensors"),
    *(".onnx", ".h5", ".npy", ".npz", ".pkl", ".pickle", ".joblib", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico"),
    *(".pdf", ".zip", ".gz", ".tgz", ".tar", ".bz2", ".xz", ".7z", ".parquet", ".feather", ".sqlite", ".sqlite3"),
    *(".xls", ".xlsx", ".doc", ".docx", ".ppt", ".pptx", ".mp3", ".mp4", ".wav", ".woff", ".woff2", ".ttf"),
)
"""Endings of names of files with prose or data."""
_FILE_SUFFIX = compiled_later(r"\.\w+(?:::.*)?$")
_MARKED_TEST = compiled_later(r"^tests?_|_tests?$")
_TEST_AFFIX = compiled_later(r"^tests?_|_tests?$|[._-](?:test|spec)s?$")
"""The part of a test's name besides the name of what it tests."""
_TEST_NAME = compiled_later(r"test|spec", re.IGNORECASE)
_CONFIG_FILE = compiled_later(r"\.(?:\w*proj|slnx?|toml|ya?ml|json|cfg|ini|conf|mk|gradle|xml)$|\bconfig\.\w+$")
"""A file that configures how checks are run, not which ones."""
_NOT_A_TARGET = compiled_later(r"[/.]")
"""What neither a subcommand nor a target contains."""
_LIMIT_NAME = compiled_later(r"[/.:]|test|spec", re.IGNORECASE)
"""What names of limits contain."""
_COMPILING_TESTERS = ("go", "cargo")
"""Programs that build what they test: a pass of the tests shows that it builds."""
_MAX_LABEL = 100
"""Maximum length of a check's label."""


class CheckScope(Struct, frozen=True):
    """What a check covers, as far as it is stated."""

    kind: CheckKind
    limits: tuple[str, ...] = ()
    """Files and folders that it was limited to; empty for all."""

    @property
    def names_tests(self) -> bool:
        """Return whether these are tests that were named by their files."""
        return self.kind == "tests" and any(map(_FILE_SUFFIX.search, self.limits))

    def covers_file(self, path: str) -> bool:
        """Return whether a check covers a file. It does if it was limited to the file, or to tests named like it."""
        if not self.limits or any(is_under(path, limit) for limit in self.limits):
            return True
        return self.names_tests and any(file_stem(limit) == file_stem(path) for limit in self.limits)


class CheckRun(Struct, frozen=True):
    """A check as it was run."""

    kind: CheckKind
    label: str
    """The command without its surroundings."""
    program: str
    """The program, with whatever distinguishes its kinds of runs; `*` for a target of a project, which may run any
    program."""
    folder: str = ""
    """The folder where it ran, if that is not the session's main folder."""
    paths: tuple[str, ...] = ()
    """Files and folders that it was limited to; empty for all."""
    selected_names: tuple[str, ...] = ()
    """Names of tests or packages that it was limited to; empty for all."""

    @property
    def is_unlimited(self) -> bool:
        """Return whether it was not limited to anything."""
        return not self.paths and not self.selected_names

    @property
    def scope(self) -> CheckScope:
        """Return what the check covers. There are no limits if one of them is a pattern, whose matches are unknown,
        or if a build names files, since it also includes what they need. For tests, files that are not tests are
        ignored, because it is unknown what tests them. Without test files, there are then no limits."""
        limits = tuple(_LINE_SUFFIX.sub("", path.partition("::")[0]).removesuffix("...") for path in self.paths)
        if any(map(_SHELL_PATTERN.search, limits)):
            limits = ()
        files = [path for path in limits if _FILE_SUFFIX.search(path)]
        if self.kind == "tests":
            tests = [path for path in files if _TEST_NAME.search(path) and not _CONFIG_FILE.search(path)]
            limits = tuple(path for path in limits if path in tests or path not in files) if tests or not files else ()
        return CheckScope(self.kind, () if files and self.kind == "build" else limits)

    def covers(self, other: CheckRun, names: tuple[str, ...] = ()) -> bool:
        """Return whether a pass of this check implies that the other one, with these failing names, would pass now."""
        if self.label == other.label and self.kind == other.kind:
            return True
        if (self.kind, other.kind) == ("tests", "build") and self.program == other.program in _COMPILING_TESTERS:
            return self._does_as_much(other)
        return self._runs_like(other) and self._includes(other.paths or names, other.selected_names or names)

    def includes_run(self, other: CheckRun) -> bool:
        """Return whether this check does everything that the other one does: it runs the same program with at least
        the same options, and is not limited further."""
        if self.label == other.label and self.kind == other.kind:
            return True
        return self.kind == other.kind and self.program == other.program != "*" and self._does_as_much(other)

    def _does_as_much(self, other: CheckRun) -> bool:
        is_included = self.folder in ("", other.folder) and self._includes(other.paths, other.selected_names)
        return is_included and _options(self.label) >= _options(other.label)

    def covers_name(self, other: CheckRun, name: str) -> bool:
        """Return whether a pass of this check implies that this one name, which failed in the other check, would
        pass now."""
        return self._runs_like(other) and self._includes(other.paths or (name,), (name,))

    def _runs_like(self, other: CheckRun) -> bool:
        is_same_program = "*" in (self.program, other.program) or runs_variant(self.program, other.program)
        return self.kind == other.kind and is_same_program and self.folder in ("", other.folder)

    def _includes(self, paths: tuple[str, ...], names: tuple[str, ...]) -> bool:
        within = not self.paths or _all_within(paths, self.paths)  # there are fewer paths than names
        return within and (not self.selected_names or _all_within(names, self.selected_names))


@lru_cache(maxsize=1024)
def _options(label: str) -> frozenset[str]:
    """Return the options that affect what is run, rather than how much is printed."""
    words = (
        word for word in label.split() if len(word) > 2 and word.startswith("-") and not _OUTPUT_OPTION.match(word)
    )
    return frozenset(word for word in words if word.partition("=")[0] not in _SELECTING_OPTIONS)


@lru_cache(maxsize=4096)  # a session runs the same few checks many times
def _all_within(names: tuple[str, ...], limits: tuple[str, ...]) -> bool:
    """Return whether there are names, and each of them is within one of the limits."""
    return bool(names) and all(any(_within(name, limit) for limit in limits) for name in names)


def is_under(path: str, limit: str) -> bool:
    """Return whether a file is one that a run was limited to, or is in a folder that it was limited to."""
    if _clean_limit(limit) not in path:  # rules out most paths quickly
        return False
    return _within(path, limit) or f"/{path}".endswith(f"/{limit.removeprefix('./')}")


@lru_cache(maxsize=8192)
def file_stem(path: str) -> str:
    """Return the name that a file shares with its tests: without folders, extensions and the mark of a test. A module
    such as `tests.test_a.TestB` counts as a file."""
    parts = basename(path).split(".")
    return _TEST_AFFIX.sub("", next(filter(_MARKED_TEST.search, parts), parts[0] or basename(path)))


def is_marked_test(path: str) -> bool:
    """Return whether the name of a file marks it as a test."""
    return file_stem(path) != basename(path).split(".", 1)[0]


def is_not_code(path: str) -> bool:
    """Return whether checks ignore a file unless they name it, because it is prose or binary data."""
    return lower_for_search(path).removesuffix("\n").endswith(_NO_CODE_SUFFIXES)


@lru_cache(maxsize=1024)
def _clean_limit(limit: str) -> str:
    return limit.removeprefix("./").removesuffix("...").rstrip("/")


@lru_cache(maxsize=8192)
def _within(name: str, limit: str) -> bool:
    name, limit = name.removeprefix("./"), _clean_limit(limit)
    return (
        name == limit
        or name.startswith((f"{limit}/", f"{limit}::", f"{limit}.", f"{limit} "))
        or f"/{limit}/" in f"/{name}"
    )


@lru_cache(maxsize=1024)
def find_check(step: Step, folder: str = "") -> CheckRun | None:
    """Return the check that a step of a command line runs, or None. `folder`: where it runs, if not in the main
    folder."""
    shown_words = without_prefixes(list(step.words))
    words = started_program_words(shown_words)
    if not words or {"--help", "--version", "-h"} & set(words):
        return None
    program = basename(words[0])
    kind = check_kind(program, words[1:])
    if kind is None:
        return None
    is_target = program in TARGET_RUNNERS
    shown_words = mask_words(shown_words)
    label_words = [
        basename(shown_words[0]) if shown_words[0].startswith("/") else shown_words[0],
        *map(_quote_word, shown_words[1:]),
    ]
    words = started_program_words(shown_words)
    label = one_line(" ".join(label_words), _MAX_LABEL).replace(": ", ":") + (f" (in {folder})" if folder else "")
    paths, selected = _find_limits(
        words[1:], named=is_target or program in PLATFORM_PROGRAMS or program in FORMATTER_PROGRAMS
    )
    variant = "*" if is_target else variant_of(program, words[1:])
    return CheckRun(kind, label, variant, folder, paths, selected)


def parse_label(label: str) -> CheckRun | None:
    """Return the check that a label in an earlier summary names."""
    command, _, folder = label.removesuffix(")").partition(" (in ")
    try:
        words = shlex.split(command)
    except ValueError:  # an unbalanced quote stands for itself
        words = command.split()
    return find_check(Step(tuple(words), ""), folder)


def _find_limits(rest: Sequence[str], *, named: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what a run is limited to: (paths, names). `named`: the first word is a subcommand or a target."""
    paths: list[str] = []
    selected: list[str] = []
    words = iter(rest)
    for word in words:
        name, _, value = word.partition("=")
        if word in _IGNORING_OPTIONS:
            next(words, "")
        elif name in _SELECTING_OPTIONS or (value and name in LIMIT_ARGUMENTS):
            value = value or next(words, "")
            selected += filter(None, (part.strip("^$() ") for part in re.split(r"\||\bor\b|,", value)))
        elif not word.startswith(("-", "+")) and word not in ("run", "run-script"):
            if named and not _NOT_A_TARGET.search(word):
                named = False
            elif not _WHOLE_PROJECT.match(word) and _LIMIT_NAME.search(word):
                paths.append(word)
    return tuple(paths), tuple(selected)


def _quote_word(word: str) -> str:
    return word if word.split() == [word] else f"'{word}'"
