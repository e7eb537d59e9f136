"""Programs that check: test runners, build tools, linters, and programs that run them."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from itertools import pairwise
from typing import Literal

from msgspec.structs import replace

from compactor_cli.features.work.tool_names import tool_words
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, operands, word_set

CheckKind = Literal["tests", "build", "lint"]

_TEST_RUNNERS = word_set(
    "pytest py.test unittest tox nox vitest jest mocha ava karma rspec phpunit pest ctest gotestsum nosetests "
    "behave bats busted prove nextest minitest playwright cypress"
)
_LINTERS = word_set(
    "flake8 pylint mypy pyright basedpyright ty eslint oxlint golangci-lint staticcheck revive rubocop shellcheck "
    "hadolint stylelint markdownlint yamllint ktlint swiftlint phpstan psalm pre-commit detekt checkstyle "
    "lint-imports bandit vulture codespell typos tflint ansible-lint clippy clang-tidy cpplint xo standard knip "
    "actionlint"
)
_BUILDS = word_set(
    "tsc tsgo ninja webpack rollup esbuild tsup javac rustc gcc g++ clang clang++ cc c++ msbuild xcodebuild "
    "py_compile compileall python-build"
)
FORMATTER_PROGRAMS = word_set("prettier black isort gofmt ruff biome rustfmt yapf clang-format dprint")
"""Programs that check only with certain options."""
TARGET_RUNNERS = word_set(
    "make gmake just task mise npm pnpm yarn bun composer invoke rake turbo nx lerna moon hatch pdm"
)
"""Programs that run the targets of a project."""
PLATFORM_PROGRAMS = word_set(
    "go cargo dotnet mvn mvnw gradle gradlew swift flutter dart mix deno zig bazel sbt lein stack cabal rails "
    "cmake docker next vite"
)
"""Programs with many functions, selected by a subcommand."""

_PREFIXES = {
    "sudo": word_set("-u -g -h -p --user --group"),
    "nice": word_set("-n"),
    "env": word_set("-u -C --unset --chdir"),
    "stdbuf": word_set("-i -o -e"),
    **dict.fromkeys(("timeout", "gtimeout"), word_set("-k -s --kill-after --signal")),
    **dict.fromkeys(("nohup", "command", "time"), frozenset[str]()),
}
"""Programs that only say how another one is run, with their options whose value is a separate word."""
HARMLESS_PROGRAMS = word_set(
    "cd echo export source . set pwd true mkdir sleep which printf date env unset ls cat tail head grep"
)
"""Programs that hardly ever fail."""
_TIME_LIMITERS = ("timeout", "gtimeout")
_SHOWING_OPTIONS = ("-v", "-V")
"""Options with which `command` only shows where a program is."""
_STARTERS = word_set("npx bunx uvx pnpx xvfb-run")
_ENVIRONMENTS = word_set("uv poetry pipenv rye pdm hatch conda")
"""Programs whose `run` starts a program; that of others starts a target."""
_PACKAGE_MANAGERS = word_set("npm pnpm yarn bun bundle mise")
_PYTHON_PROGRAM = compiled_later(r"python[\d.]*|py")
SCRIPT_RUNNER = compiled_later(r"python[\d.]*|py|node|deno|bun|tsx|ts-node|ruby|perl|php|lua|julia|Rscript|bash|sh|zsh")
"""Programs that run a script."""
_TEST_FILE = compiled_later(r"(?:^|/)(?:test_\w+|\w+_test|\w+[.-](?:test|spec))\.(?:py|js|ts|mjs|rb|php|sh|lua)$")
_CHECKING_PROGRAMS = _TEST_RUNNERS | _LINTERS | _BUILDS | FORMATTER_PROGRAMS | PLATFORM_PROGRAMS
_TARGET_PATTERNS: tuple[tuple[CheckKind, re.Pattern[str]], ...] = (
    (
        "lint",
        compiled_later(
            r"lint|type-?check|tsc|(?:format|fmt)[:-]check|check[:-](?:format|types?|lint|fmt)|vet$|^types$"
        ),
    ),
    ("tests", compiled_later(r"(?:^|[:._-])(?:unit|e2e|spec|tests?|ci|integration|coverage)(?:$|[:._-])")),
    ("build", compiled_later(r"(?:^|[:._-])(?:build|compile|dist|bundle|all)(?:$|[:._-])")),
    ("lint", compiled_later(r"(?:^|[:._-])(?:check|verify|validate|clippy)(?:$|[:._-])")),
)
"""Patterns of names of targets, most conclusive first."""
_STARTING_WORDS = word_set("run execute exec start launch all project")
_NAME_WORDS: tuple[tuple[CheckKind, frozenset[str]], ...] = (
    ("tests", word_set("test tests unit integration e2e")),
    ("build", word_set("build compile")),
    ("lint", word_set("lint linter linters typecheck type types check checks")),
)
"""Words that make up names such as `run_tests`."""
_SUBCOMMAND_KINDS: dict[str, CheckKind] = {
    **dict.fromkeys(word_set("test nextest spec integration-test verify"), "tests"),
    **dict.fromkeys(word_set("build check compile package assemble install"), "build"),
    **dict.fromkeys(word_set("vet clippy analyze lint credo"), "lint"),
}
_GRADLE_PROGRAMS = ("gradle", "gradlew")
_TOOLCHAIN_MARK = "+"
"""Begins a word that selects a toolchain: `cargo +nightly`."""
_VARIANT_TASK = compiled_later(r"test[A-Z]\w*UnitTest|assemble[A-Z]\w*(?<!Test)")
"""Tasks for one variant that `test` and `assemble` run."""
_VARIANT_PROGRAMS = (*_GRADLE_PROGRAMS, "xcodebuild")
_FIRST_TASK_WORDS: dict[str, CheckKind] = {
    **dict.fromkeys(word_set("assemble compile build"), "build"),
    **dict.fromkeys(word_set("lint detekt ktlint checkstyle spotbugs pmd"), "lint"),
    "test": "tests",
}
"""First words of tasks that are named after a build variant."""
_LAST_TASK_WORDS: dict[str, CheckKind] = {"test": "tests", "tests": "tests", "check": "lint"}
_DEVICE_WORDS = ("connected", "device")
_NO_CHECK_WORDS = word_set(
    "clean install uninstall generate list process copy skip disable print prepare package merge update publish "
    "download start stop create delete init wrapper bundle jar classes sources environment report show record upload "
    "apply fix format"
)
"""Words in names of tasks that check nothing: they prepare tests, show information, or change files."""


def without_prefixes(words: list[str]) -> list[str]:
    """Return words without programs that only say how another one is run."""
    while (
        words and words[0] in _PREFIXES and not (words[0] == "command" and words[1:2] and words[1] in _SHOWING_OPTIONS)
    ):
        words = _skip_options(words[1:], _PREFIXES[words[0]])[words[0] in _TIME_LIMITERS :]
    return words


def plain_steps(line: Sequence[Step]) -> Sequence[Step]:
    """Return steps without these prefixes; a step with nothing else is kept."""
    if not any(step.words[0] in _PREFIXES for step in line):
        return line
    plain = (tuple(without_prefixes(list(step.words))) for step in line)
    return [replace(step, words=words or step.words) for step, words in zip(line, plain, strict=True)]


def started_program_words(words: list[str]) -> list[str]:
    """Return the program that is meant and its arguments, without what only starts it."""
    while len(words) > 1:
        program, second = basename(words[0]), words[1]
        if program in _STARTERS:
            words = _skip_options(words[1:])
        elif (program in _ENVIRONMENTS and second == "run") or (
            program in _PACKAGE_MANAGERS and second in ("exec", "x", "dlx", "--")
        ):
            words = _skip_options(words[2:])
        elif program in _PACKAGE_MANAGERS and second in _CHECKING_PROGRAMS:
            words = words[1:]
        elif _PYTHON_PROGRAM.fullmatch(program) and second == "-m":
            words = ["python-build" if words[2:3] == ["build"] else "".join(words[2:3]), *words[3:]]
        elif SCRIPT_RUNNER.fullmatch(program) and _TEST_FILE.search(second):
            words = ["test-file", *words[1:]]
        else:
            break
    return words


def _skip_options(words: list[str], value_options: Container[str] = ()) -> list[str]:
    index = 0
    while index < len(words) and (words[index].startswith("-") or re.match(r"[A-Za-z_]\w*=", words[index])):
        index += 2 if words[index] in value_options else 1
    return words[index:]


def check_kind(program: str, rest: Sequence[str]) -> CheckKind | None:
    """Return the kind of check that a program with these arguments runs, or None."""
    rest = rest[1:] if rest[:1] and rest[0].startswith(_TOOLCHAIN_MARK) else rest
    operand_words = [word for word in rest if not word.startswith("-")]
    first = operand_words[0] if operand_words else ""
    if program == "test-file" or program in _TEST_RUNNERS:
        return None if program == "playwright" and first != "test" else "tests"
    if program in _LINTERS:
        return "lint"
    if program in FORMATTER_PROGRAMS:
        return _formatter_kind(program, first, rest)
    if program in ("tsc", "tsgo"):
        return "lint" if "--noEmit" in rest else "build"
    if program == "xcodebuild":
        return "tests" if "test" in rest else None if "-list" in rest else "build"
    if program in _BUILDS:
        return "build"
    if program in ("node", "bun") and "--test" in rest:
        return "tests"
    if _PYTHON_PROGRAM.fullmatch(program) and first.endswith("manage.py") and "test" in operand_words:
        return "tests"
    if program in ("manage.py", "artisan", "rails") and first == "test":
        return "tests"
    if program in TARGET_RUNNERS:
        return _target_kind(program, operand_words)
    if program in PLATFORM_PROGRAMS:
        return _platform_kind(program, first, operand_words, rest)
    return check_kind_by_name(program)


def variant_of(program: str, rest: Sequence[str]) -> str:
    """Return the program with what distinguishes some of its runs from all others: a toolchain, or, for programs that
    build variants, all names and settings."""
    if program not in _VARIANT_PROGRAMS:
        return " ".join([program, *(word for word in rest[:1] if word.startswith(_TOOLCHAIN_MARK))])
    is_shown = [before != "--tests" and (word[:2] != "--" or "=" in word) for before, word in pairwise(["", *rest])]
    named = [word for word, shown in zip(rest, is_shown, strict=True) if shown and word not in ("-q", "-quiet")]
    return " ".join([program, *sorted(named)])


def runs_variant(own: str, other: str) -> bool:
    """Return whether a run of one variant runs the other one, too: the same one, or its tasks for Gradle, of which
    `test` runs `testDebugUnitTest`."""
    if own == other:
        return True
    program, *own_tasks = own.split(" ")
    other_program, *tasks = other.split(" ")
    is_gradle = program == other_program and program in _GRADLE_PROGRAMS
    return is_gradle and len(own_tasks) == len(tasks) and all(map(_runs_task, own_tasks, tasks))


def _runs_task(own: str, task: str) -> bool:
    is_variant = own in ("test", "assemble") and task.startswith(own) and _VARIANT_TASK.fullmatch(task)
    return own == task or bool(is_variant)


def _goal_kind(word: str) -> CheckKind | None:
    return _SUBCOMMAND_KINDS.get(word.rsplit(":", 1)[-1])


def _gradle_kind(word: str) -> CheckKind | None:
    """Return the kind of check that a Gradle task runs; its name may have several words: `testDebugUnitTest`."""
    if kind := _goal_kind(word):
        return kind
    name = word.rsplit(":", 1)[-1]
    words = tool_words(name)
    if len(words) < 2 or not name.isalnum() or not _NO_CHECK_WORDS.isdisjoint(words):
        return None
    if words[-1] == "check" and words[0] in _DEVICE_WORDS:
        return "tests"
    return _FIRST_TASK_WORDS.get(words[0]) or _LAST_TASK_WORDS.get(words[-1])


def check_kind_by_name(name: str) -> CheckKind | None:
    """Return the kind of check that a tool or program runs, judging by its name of two or more words: `run_tests`."""
    words = tool_words(name)
    own_words = [word for word in words if word not in _STARTING_WORDS]
    if len(words) < 2 or not own_words:
        return None
    return next((kind for kind, names in _NAME_WORDS if names.issuperset(own_words)), None)


def _formatter_kind(program: str, first: str, rest: Sequence[str]) -> CheckKind | None:
    checking_options = {"--check", "-c", "--list-different", "-l", "--diff", "--check-only", "--dry-run"} & set(rest)
    if program == "ruff" and first == "check":
        return "lint"
    if program == "biome" and first in ("check", "lint", "ci"):
        return "lint"
    return "lint" if checking_options else None


def _target_kind(program: str, operand_words: Sequence[str]) -> CheckKind | None:
    words = [word for word in operand_words if word not in ("run", "run-script", "workspace", "affected")]
    if not words:
        return "build" if program in ("make", "gmake") else None
    if program in ("npm", "pnpm", "yarn", "bun") and words[0] in ("t", "tst"):
        return "tests"
    for kind, pattern in _TARGET_PATTERNS:
        if pattern.search(words[0]) and not (kind == "lint" and re.search(r"fix", words[0])):
            return kind
    return None


def _platform_kind(program: str, first: str, plain: Sequence[str], rest: Sequence[str]) -> CheckKind | None:
    if program == "cargo" and first == "fmt":
        return "lint" if "--check" in rest else None
    if (program == "go" and first in ("install", "package", "check")) or (program == "docker" and first != "build"):
        return None
    if program == "cargo" and first in ("install", "package"):
        return None
    if program == "cmake":
        return "build" if "--build" in rest else None
    if program in _GRADLE_PROGRAMS and not {"-m", "--dry-run"}.isdisjoint(rest):
        return None
    if program in ("mvn", "mvnw", *_GRADLE_PROGRAMS):
        is_gradle = program in _GRADLE_PROGRAMS
        tasks = operands(rest, ("-x", "--exclude-task", "--tests", "-P", "-p")) if is_gradle else plain
        kinds = [kind for word in tasks if (kind := (_gradle_kind if is_gradle else _goal_kind)(word))]
        if is_gradle and "check" in tasks:
            return "tests"
        return "tests" if "tests" in kinds else kinds[-1] if kinds else None
    if program in ("mix", "dart", "flutter", "deno", "zig") and first == "build" and "test" in plain:
        return "tests"
    return _SUBCOMMAND_KINDS.get(first)
