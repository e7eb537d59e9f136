"""Programs that check: runners of tests, builders, linters, and what runs them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from compactor_cli.features.work.acting_tools import tool_words
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import operands, word_set

CheckKind = Literal["tests", "build", "lint"]

_TESTS = word_set(
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
FORMATTERS = word_set("prettier black isort gofmt ruff biome rustfmt yapf clang-format dprint")
"""Programs that check only when they are told so."""
RUNNERS = word_set("make gmake just task mise npm pnpm yarn bun composer invoke rake turbo nx lerna moon hatch pdm")
"""Programs that run what a project calls its targets."""
PLATFORMS = word_set(
    "go cargo dotnet mvn mvnw gradle gradlew swift flutter dart mix deno zig bazel sbt lein stack cabal rails "
    "cmake docker next vite"
)
"""Programs that do many things, each by a subcommand."""

_PREFIXES = word_set("sudo env nice nohup command time stdbuf")
_STARTERS = word_set("npx bunx uvx pnpx xvfb-run")
_ENVIRONMENTS = word_set("uv poetry pipenv rye pdm hatch conda")
"""Programs whose `run` starts a program; that of others starts a target."""
_PACKAGE_MANAGERS = word_set("npm pnpm yarn bun bundle mise")
_PYTHON = compiled_later(r"python[\d.]*|py")
SCRIPT_RUNNER = compiled_later(r"python[\d.]*|py|node|deno|bun|tsx|ts-node|ruby|perl|php|lua|julia|Rscript|bash|sh|zsh")
"""Programs that run a script."""
_TEST_FILE = compiled_later(r"(?:^|/)(?:test_\w+|\w+_test|\w+[.-](?:test|spec))\.(?:py|js|ts|mjs|rb|php|sh|lua)$")
_PROGRAMS = _TESTS | _LINTERS | _BUILDS | FORMATTERS | PLATFORMS
CHECKERS = _PROGRAMS | RUNNERS
"""Programs that check, or run what does."""
_TARGETS: tuple[tuple[CheckKind, re.Pattern[str]], ...] = (
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
"""What the names of targets say, the plainest first."""
_STARTING = word_set("run execute exec start launch all project")
_BY_NAME: tuple[tuple[CheckKind, frozenset[str]], ...] = (
    ("tests", word_set("test tests unit integration e2e")),
    ("build", word_set("build compile")),
    ("lint", word_set("lint linter linters typecheck type types check checks")),
)
"""Words of which names such as `run_tests` are made."""
_SUBCOMMANDS: dict[str, CheckKind] = {
    **dict.fromkeys(word_set("test nextest spec integration-test verify"), "tests"),
    **dict.fromkeys(word_set("build check compile package assemble install"), "build"),
    **dict.fromkeys(word_set("vet clippy analyze lint credo"), "lint"),
}
_GRADLE = ("gradle", "gradlew")
_GRADLE_VALUED = word_set("-x --exclude-task --tests -p --project-dir -b --build-file -I --init-script -g -c")
"""Options of Gradle with a value behind them: a task that is not run, a test, a place."""
_TASK_BEGINS: dict[str, CheckKind] = {
    **dict.fromkeys(word_set("assemble compile build"), "build"),
    **dict.fromkeys(word_set("lint detekt ktlint checkstyle spotbugs pmd"), "lint"),
    "test": "tests",
}
"""First words of tasks that are called after a variant of what is built."""
_TASK_ENDS: dict[str, CheckKind] = {"test": "tests", "tests": "tests", "check": "lint"}
_ON_DEVICES = ("connected", "device")
_NO_TASK = word_set(
    "clean install uninstall generate list process copy skip disable print prepare package merge update publish "
    "download start stop create delete init wrapper bundle jar classes sources environment report show record upload "
    "apply fix format"
)
"""Words of tasks that check nothing: they make what tests need, say what there is, change files."""
_XCODE_VALUED = word_set(
    "-scheme -project -workspace -target -configuration -destination -sdk -arch -derivedDataPath -resultBundlePath "
    "-testPlan -archivePath -toolchain -xcconfig -jobs"
)
_XCODE_ASIDE = word_set("-list -version -showsdks -showBuildSettings -showdestinations -exportArchive clean")
_TOOLCHAIN = compiled_later(r"\+[A-Za-z\d][\w.-]*")


def without_prefixes(words: list[str]) -> list[str]:
    """Return words without programs that say only how another one is run."""
    while words:
        if words[0] in _PREFIXES:
            words = _past_options(words[1:])
        elif words[0] in ("timeout", "gtimeout"):
            words = _past_options(words[1:])[1:]
        else:
            break
    return words


def program_words(words: list[str]) -> list[str]:
    """Return the program that is meant and its arguments, without what only starts it."""
    while len(words) > 1:
        program, second = basename(words[0]), words[1]
        if program in _STARTERS:
            words = _past_options(words[1:])
        elif (program in _ENVIRONMENTS and second == "run") or (
            program in _PACKAGE_MANAGERS and second in ("exec", "x", "dlx", "--")
        ):
            words = _past_options(words[2:])
        elif program in _PACKAGE_MANAGERS and second in _PROGRAMS:
            words = words[1:]
        elif _PYTHON.fullmatch(program) and second == "-m":
            words = ["python-build" if words[2:3] == ["build"] else "".join(words[2:3]), *words[3:]]
        elif SCRIPT_RUNNER.fullmatch(program) and _TEST_FILE.search(second):
            words = ["test-file", *words[1:]]
        else:
            break
    return words


def _past_options(words: list[str]) -> list[str]:
    at = 0
    while at < len(words) and (words[at].startswith("-") or re.match(r"[A-Za-z_]\w*=", words[at])):
        at += 1
    return words[at:]


def kind_of(program: str, rest: Sequence[str]) -> CheckKind | None:
    """Return the kind of check that a program with these arguments is, if it is one."""
    rest = rest[1:] if _toolchain(program, rest) else rest
    plain = [word for word in rest if not word.startswith("-")]
    first = plain[0] if plain else ""
    if program == "test-file" or program in _TESTS:
        return None if program == "playwright" and first != "test" else "tests"
    if program in _LINTERS:
        return "lint"
    if program in FORMATTERS:
        return _formatter_kind(program, first, rest)
    if program in ("tsc", "tsgo"):
        return "lint" if "--noEmit" in rest else "build"
    if program == "xcodebuild":
        return _kind_by_xcode(rest)
    if program in _BUILDS:
        return "build"
    if program in ("node", "bun") and "--test" in rest:
        return "tests"
    if _PYTHON.fullmatch(program) and first.endswith("manage.py") and "test" in plain:
        return "tests"
    if program in ("manage.py", "artisan", "rails") and first == "test":
        return "tests"
    if program in RUNNERS:
        return _target_kind(program, plain)
    if program in PLATFORMS:
        return _platform_kind(program, first, plain, rest)
    return kind_by_name(program)


def variant_of(program: str, rest: Sequence[str]) -> tuple[str, list[str]]:
    """Return a program with what tells some of its runs from all others (a toolchain, a scheme, tasks for a variant of
    what is built), and its other arguments."""
    told = list(filter(None, [_toolchain(program, rest)]))
    if program == "xcodebuild":
        told = [word for before, word in pairwise(rest) if before == "-scheme"]
    elif program in _GRADLE:
        told = [word for word in operands(rest, _GRADLE_VALUED) if _is_of_variant(word)]
    others = [word for word in rest if word not in told and (program != "xcodebuild" or word.startswith("-"))]
    return " ".join([program, *sorted(f":{word.lstrip(':')}" if program in _GRADLE else word for word in told)]), others


def _toolchain(program: str, rest: Sequence[str]) -> str:
    """Return the word that says by which toolchain a program is run: `cargo +nightly`."""
    return rest[0] if rest and program not in RUNNERS and _TOOLCHAIN.fullmatch(rest[0]) else ""


def runs_variants(words: Sequence[str], variant: str) -> bool:
    """Return whether a command runs the tasks of a variant: they themselves, or the tasks for all variants, as
    `assemble` does `assembleRelease`."""
    tasks = variant.split()[1:]
    return tasks != [] and all(any(_runs_task(word, task) for word in words) for task in tasks)


def _runs_task(word: str, task: str) -> bool:
    name = task.rsplit(":", 1)[-1]
    return f":{word.lstrip(':')}" == task or word in (name, tool_words(name)[0])


def _is_of_variant(word: str) -> bool:
    name = word.rsplit(":", 1)[-1]
    return name not in _SUBCOMMANDS and _task_kind("gradle", name) is not None


def _task_kind(program: str, name: str) -> CheckKind | None:
    """Return the kind of check that a task of Gradle is whose name has several words: `testDebugUnitTest`."""
    words = tool_words(name)
    if program not in _GRADLE or len(words) < 2 or not name.isalnum() or not _NO_TASK.isdisjoint(words):
        return None
    if words[-1] == "check" and words[0] in _ON_DEVICES:
        return "tests"
    return _TASK_BEGINS.get(words[0]) or _TASK_ENDS.get(words[-1])


def _kind_by_xcode(rest: Sequence[str]) -> CheckKind | None:
    """Return the kind of check that a run of Xcode is."""
    asked = set(operands(rest, _XCODE_VALUED))
    if not asked.isdisjoint(("test", "test-without-building")):
        return "tests"
    return "build" if _XCODE_ASIDE.isdisjoint((*rest, *asked)) else None


def kind_by_name(name: str) -> CheckKind | None:
    """Return the kind of check that a tool or a program is by its name, of two words or more: `run_tests`."""
    words = tool_words(name)
    telling = [word for word in words if word not in _STARTING]
    if len(words) < 2 or not telling:
        return None
    return next((kind for kind, names in _BY_NAME if names.issuperset(telling)), None)


def _formatter_kind(program: str, first: str, rest: Sequence[str]) -> CheckKind | None:
    asked = {"--check", "-c", "--list-different", "-l", "--diff", "--check-only", "--dry-run"} & set(rest)
    if program == "ruff" and first == "check":
        return "lint"
    if program == "biome" and first in ("check", "lint", "ci"):
        return "lint"
    return "lint" if asked else None


def _target_kind(program: str, plain: Sequence[str]) -> CheckKind | None:
    words = [word for word in plain if word not in ("run", "run-script", "workspace", "affected")]
    if not words:
        return "build" if program in ("make", "gmake") else None
    if program in ("npm", "pnpm", "yarn", "bun") and words[0] in ("t", "tst"):
        return "tests"
    for kind, pattern in _TARGETS:
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
    if program in ("mvn", "mvnw", *_GRADLE):
        tasks = operands(rest, _GRADLE_VALUED) if program in _GRADLE else plain
        named = (word.rsplit(":", 1)[-1] for word in tasks)
        kinds = [kind for name in named if (kind := _SUBCOMMANDS.get(name) or _task_kind(program, name))]
        if program in _GRADLE and "check" in tasks:
            return "tests"
        return "tests" if "tests" in kinds else kinds[-1] if kinds else None
    if program in ("mix", "dart", "flutter", "deno", "zig") and first == "build" and "test" in plain:
        return "tests"
    return _SUBCOMMANDS.get(first)
