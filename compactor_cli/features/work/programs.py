"""Programs that check: test runners, build tools, linters, and programs that run them."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from typing import Literal

from msgspec.structs import replace

from compactor_cli.features.work.tool_names import tool_words
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, operands, word_set

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
"""Programs that check only with certain options."""
RUNNERS = word_set("make gmake just task mise npm pnpm yarn bun composer invoke rake turbo nx lerna moon hatch pdm")
"""Programs that run the targets of a project."""
PLATFORMS = word_set(
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
_WITH_TIME = ("timeout", "gtimeout")
_ONLY_SHOWS = ("-v", "-V")
"""Options with which `command` only shows where a program is."""
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
"""Programs that check, or that run such programs."""
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
"""Patterns of names of targets, most conclusive first."""
_STARTING = word_set("run execute exec start launch all project")
_BY_NAME: tuple[tuple[CheckKind, frozenset[str]], ...] = (
    ("tests", word_set("test tests unit integration e2e")),
    ("build", word_set("build compile")),
    ("lint", word_set("lint linter linters typecheck type types check checks")),
)
"""Words that make up names such as `run_tests`."""
_SUBCOMMANDS: dict[str, CheckKind] = {
    **dict.fromkeys(word_set("test nextest spec integration-test verify"), "tests"),
    **dict.fromkeys(word_set("build check compile package assemble install"), "build"),
    **dict.fromkeys(word_set("vet clippy analyze lint credo"), "lint"),
}
_GRADLE = ("gradle", "gradlew")
_GRADLE_LEAVES_OUT = word_set("-x --exclude-task")
_GRADLE_TELLING = word_set("-P --project-prop --project-dir -b --build-file")
"""Options of Gradle whose values say what is built, and from what."""
_GRADLE_VALUED = _GRADLE_LEAVES_OUT | _GRADLE_TELLING | word_set("--tests -p -I --init-script -g -c")
"""Options of Gradle that take a value: an excluded task, a test, a path."""
_TASK_BEGINS: dict[str, CheckKind] = {
    **dict.fromkeys(word_set("assemble compile build"), "build"),
    **dict.fromkeys(word_set("lint detekt ktlint checkstyle spotbugs pmd"), "lint"),
    "test": "tests",
}
"""First words of tasks that are named after a build variant."""
_TASK_ENDS: dict[str, CheckKind] = {"test": "tests", "tests": "tests", "check": "lint"}
_ON_DEVICES = ("connected", "device")
_NO_TASK = word_set(
    "clean install uninstall generate list process copy skip disable print prepare package merge update publish "
    "download start stop create delete init wrapper bundle jar classes sources environment report show record upload "
    "apply fix format"
)
"""Words in names of tasks that check nothing: they prepare tests, show information, or change files."""
_XCODE_TELLING = word_set(
    "-scheme -project -workspace -target -configuration -destination -sdk -arch -testPlan -toolchain -xcconfig"
)
"""Options of Xcode whose values say what is built, from what, and for what."""
_XCODE_VALUED = _XCODE_TELLING | word_set(
    "-derivedDataPath -resultBundlePath -archivePath -jobs -only-testing -skip-testing"
)
_XCODE_BUILDS = word_set("build-for-testing analyze archive docbuild install")
"""Actions of Xcode that go beyond building."""
_XCODE_SETTING = compiled_later(r"[A-Z][A-Z\d_]*=")
_XCODE_ASIDE = word_set(
    "-list -version -showsdks -showBuildSettings -showdestinations -showTestPlans -exportArchive -create-xcframework "
    "-resolvePackageDependencies -exportLocalizations -importLocalizations -dry-run"
)
"""Options with which Xcode builds nothing, or only packages what is built."""
_TOOLCHAIN = compiled_later(r"\+[A-Za-z\d][\w.-]*")


def without_prefixes(words: list[str]) -> list[str]:
    """Return words without programs that only say how another one is run."""
    while words and words[0] in _PREFIXES and not (words[0] == "command" and words[1:2] and words[1] in _ONLY_SHOWS):
        words = _past_options(words[1:], _PREFIXES[words[0]])[words[0] in _WITH_TIME :]
    return words


def plain_steps(line: Sequence[Step]) -> Sequence[Step]:
    """Return steps without these prefixes; a step with nothing else is kept."""
    if not any(step.words[0] in _PREFIXES for step in line):
        return line
    plain = (tuple(without_prefixes(list(step.words))) for step in line)
    return [replace(step, words=words or step.words) for step, words in zip(line, plain, strict=True)]


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


def _past_options(words: list[str], valued: Container[str] = ()) -> list[str]:
    at = 0
    while at < len(words) and (words[at].startswith("-") or re.match(r"[A-Za-z_]\w*=", words[at])):
        at += 2 if words[at] in valued else 1
    return words[at:]


def kind_of(program: str, rest: Sequence[str]) -> CheckKind | None:
    """Return the kind of check that a program with these arguments runs, or None."""
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


def variant_of(program: str, rest: Sequence[str]) -> tuple[str, list[str], frozenset[str]]:
    """Return (variant, other arguments, what is left out). The variant is the program with everything that
    distinguishes some of its runs from all others: a toolchain, a scheme and a destination, or tasks for a build
    variant."""
    if program == "xcodebuild":
        given = _with_values(rest, _XCODE_VALUED)
        told = [f"{option}={value}" for option, value in given if option in _XCODE_TELLING]
        told += [word for option, word in given if not option and (word in _XCODE_BUILDS or _XCODE_SETTING.match(word))]
        others = [f"{option}:{value}" for option, value in given if option == "-only-testing"]
        left_out = [value for option, value in given if option == "-skip-testing"]
    elif program in _GRADLE:
        given = _with_values(rest, _GRADLE_VALUED)
        told = [f"-P={value}" for option, value in given if option in _GRADLE_TELLING]
        told += [f":{word.lstrip(':')}" for option, word in given if not option and _is_of_variant(word)]
        aside = _GRADLE_LEAVES_OUT | _GRADLE_TELLING
        kept = [pair for pair in given if pair[0] not in aside and (pair[0] or not _is_of_variant(pair[1]))]
        others = [word for pair in kept for word in pair if word]
        kinds = {_gradle_kind(word) for option, word in given if not option}
        named = [value for option, value in given if option in _GRADLE_LEAVES_OUT]
        left_out = [task for task in named if not kinds <= {"tests", None} or _gradle_kind(task) != "lint"]
    else:
        told = list(filter(None, [_toolchain(program, rest)]))
        others, left_out = list(rest[len(told) :]), []
    return " ".join([program, *sorted(told)]), others, frozenset(left_out)


def _with_values(rest: Iterable[str], valued: Container[str]) -> list[tuple[str, str]]:
    """Return (option, value) pairs, in which the value may be empty, and other words as ("", word). `valued`:
    options whose value is a separate word or is attached to them: `-scheme Quay`, `-xtest`."""
    found: list[tuple[str, str]] = []
    words = iter(rest)
    for word in words:
        joined = next((sign for sign in ":=" if word.partition(sign)[0] in valued and sign in word), "")
        if word in valued:
            found.append((word, next(words, "")))
        elif joined:
            found.append((word.partition(joined)[0], word.partition(joined)[2]))
        elif word[:2] in valued:
            found.append((word[:2], word[2:]))
        else:
            found.append((word, "") if word.startswith("-") else ("", word))
    return found


def _toolchain(program: str, rest: Sequence[str]) -> str:
    """Return the word that selects a toolchain for a program: `cargo +nightly`."""
    return rest[0] if rest and program not in RUNNERS and _TOOLCHAIN.fullmatch(rest[0]) else ""


def runs_variants(words: Sequence[str], ours: str, variant: str) -> bool:
    """Return whether a command runs the Gradle tasks of a variant, either directly or through the tasks for all
    variants, as `assemble` runs `assembleRelease`. `ours`: the variant of the command itself."""
    (program, *told), (our_program, *ours_told) = variant.split(), ours.split()
    if program not in _GRADLE or program != our_program:
        return False
    settings, ours_set = ([word for word in each if not word.startswith(":")] for each in (told, ours_told))
    tasks = [word for word in told if word.startswith(":")]
    asked = operands(words, _GRADLE_VALUED)
    return tasks != [] and settings == ours_set and all(any(_runs_task(word, task) for word in asked) for task in tasks)


def _runs_task(word: str, task: str) -> bool:
    name = task.rsplit(":", 1)[-1]
    return f":{word.lstrip(':')}" == task or word == name or (word != "" and word == _task_for_all(name))


def _task_for_all(name: str) -> str:
    """Return the Gradle task that runs a variant's task together with those of the other variants; "" if there is
    none."""
    words = tool_words(name)
    if words[:1] == ("assemble",) and "test" not in words:
        return "assemble"
    return "test" if words[:1] == ("test",) and words[-2:] == ("unit", "test") else ""


def _is_of_variant(word: str) -> bool:
    return _goal_kind(word) is None and _gradle_kind(word) is not None


def _goal_kind(word: str) -> CheckKind | None:
    return _SUBCOMMANDS.get(word.rsplit(":", 1)[-1])


def _gradle_kind(word: str) -> CheckKind | None:
    """Return the kind of check that a Gradle task runs; its name may have several words: `testDebugUnitTest`."""
    if kind := _goal_kind(word):
        return kind
    name = word.rsplit(":", 1)[-1]
    words = tool_words(name)
    if len(words) < 2 or not name.isalnum() or not _NO_TASK.isdisjoint(words):
        return None
    if words[-1] == "check" and words[0] in _ON_DEVICES:
        return "tests"
    return _TASK_BEGINS.get(words[0]) or _TASK_ENDS.get(words[-1])


def _kind_by_xcode(rest: Sequence[str]) -> CheckKind | None:
    """Return the kind of check that a run of Xcode is."""
    asked = set(operands(rest, _XCODE_VALUED))
    if not _XCODE_ASIDE.isdisjoint(rest):
        return None
    if not asked.isdisjoint(("test", "test-without-building")):
        return "tests"
    return "build" if "clean" not in asked or not asked.isdisjoint(("build", *_XCODE_BUILDS)) else None


def kind_by_name(name: str) -> CheckKind | None:
    """Return the kind of check that a tool or program runs, judging by its name of two or more words: `run_tests`."""
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
    if program in _GRADLE and not {"-m", "--dry-run"}.isdisjoint(rest):
        return None
    if program in ("mvn", "mvnw", *_GRADLE):
        tasks = operands(rest, _GRADLE_VALUED) if program in _GRADLE else plain
        kinds = [kind for word in tasks if (kind := _gradle_kind(word) if program in _GRADLE else _goal_kind(word))]
        if program in _GRADLE and "check" in tasks:
            return "tests"
        return "tests" if "tests" in kinds else kinds[-1] if kinds else None
    if program in ("mix", "dart", "flutter", "deno", "zig") and first == "build" and "test" in plain:
        return "tests"
    return _SUBCOMMANDS.get(first)
