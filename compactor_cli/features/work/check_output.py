"""Read the output of a check: whether it passed or failed, and the names of the failures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec import Struct

from compactor_cli.features.work.programs import CheckKind
from compactor_cli.text.clean import one_line, plain
from compactor_cli.text.line_prefixes import without_prefixes
from compactor_cli.text.patterns import compiled_later

# Patterns for lines, compiled on first use, because most sessions run few kinds of checks. Next to each pattern are
# words of which every match contains one; looking for words is much faster.
_NAME_PATTERNS = (
    (("FAILED", "ERROR"), r"^(?:FAILED|ERROR)[ \t]+(\S+\.\w+(?:::\S+(?:\[[^\]\n]*\])?)?)"),  # pytest
    (("--- FAIL:",), r"^[ \t]*--- FAIL:\s+(\S+)"),  # go
    (("FAIL:", "ERROR:"), r"^(?:FAIL|ERROR):\s+(\w+ \([\w.]+\)|\w+)"),  # unittest
    (("... FAILED",), r"^test (\S+) \.\.\. FAILED"),  # cargo
    (("not ok",), r"^[ \t]*(?:not ok)\s+\d+\s+-?\s*(.+)$"),  # TAP
    # jest, vitest, mocha
    (tuple("●✗✘✕×"), r"^[ \t]*(?:●|[✗✘✕×])\s+(?!Console$)(\S.*?)(?:\s+\(?\d+(?:\.\d+)?\s*m?s\)?)?$"),
    (("rspec ./",), r"^rspec (\./\S+)"),
    (("[ERROR]",), r"^\[ERROR\]\s+([\w.$]+\.\w+):\d+"),  # maven
    ((" FAILED",), r"^(\S+ > .+?) FAILED$"),  # gradle
)
_FALLBACK_NAME_PATTERNS = (
    (("FAIL",), r"^[ \t]*FAIL[ \t]+(\S+)"),  # packages of go, files of jest and vitest
    ((") ",), r"^[ \t]*\d+\) (\S.*?):?$"),  # mocha, playwright, phpunit
)


class _Sign(NamedTuple):
    """A way in which a test runner states the outcome. The text to search has a line break before every line,
    including the first. A pattern that begins with a line break, a letter or a character set is tried at few
    positions."""

    pattern: re.Pattern[str]
    words: tuple[str, ...] = ("",)
    """Every match contains one of them."""
    no: re.Pattern[str] | None = None
    """Matches in lines that contain this pattern do not count."""


def _sign(pattern: str, *words: str, no: str = "") -> _Sign:
    never = compiled_later(no) if no else None
    return _Sign(compiled_later(pattern, re.MULTILINE), words or ("",), never)


_COUNTED_UNIT = (
    r"(?:(?:unit|test) )?(?:tests?|cases?|specs?|examples?|scenarios?|features?|steps?|suites?|files?|targets?|"
    r"assertions?|checks?|subtests?|expectations?|projects?|modules?|packages?) "
)
"""The things that test runners count."""
_COUNT = r"[1-9](?<!\w.)\d*"
_NUMBER = r"[1-9](?<![\w/.:\"'`-].)(?<!\bof .)\d* "
_START = (
    r"\n(?:[^\w\n]*|(?i:error: )|\[info\] |\d\d:\d\d [+~\d -]+: |[ \t]+Testing \S+ )"
    r"(?i:(?:all|some|the|these|following|your|unit|integration|(?:at least )?one(?: or more)?(?: of the)?) )*"
    r"(?i:tests?(?: run)?) "
)
"""How a line begins in which a runner speaks about all tests. With more words before them, the line is about
something else."""
_FAILED_TOTAL = r"(?i:fail(?:s|ed|ing|ures?)?):[ \t]+[1-9]\d*"
_AFTER_COUNT = r"(?=[ \t]*(?:$|[^\w\s]|\d|(?:in|after|of|out|and|with|locally|total)\b))"
"""What follows a count in a total: the end of the line, other counts, or a time."""
_CONDITION_WORDS = r"(?i)\b(?:if|when|until|unless|once|whether|that|because|should|says?|none|hardly|retrying)\b"
"""Words in lines that state a condition, or that describe what a test is about."""
_NO_VERDICT_LINE = compiled_later(
    r"^[ \t]*(?:[✓✔√](?! +\d+ (?:\w+ )?(?i:pass|fail)| Test run)|ok \d|\[ +OK +\]|"
    r"PASS(?:ED)?:?[ \t]+(?!\d)(?!.*[,;|(] ?\d+ (?i:fail))\S)|"
    r"^\S+(?:::| > ).*\bPASSED[ \t]*(?:\[ *\d+%\][ \t]*)?$|\.\.\. (?:ok|PASSED)(?: \([\d.]+m?s\))?[ \t]*$|"
    r"^[ \t]*\d+/\d+ Test +#\d+: .*\bPassed\b|"
    r"^[^\w\n]*(?:\d[\d:.,TZ/+-]*[]\s]+){0,2}\W{0,2}(?:INFO|WARN(?:ING)?|DEBUG|TRACE|NOTICE)\b"
    r"(?!.*(?:BUILD|Build completed|Tests run:))"
)
"""Lines that are not verdicts, whatever they say: reports about one passed test, and log messages below error level."""
_TESTS_FAILED = (
    _sign(
        r"\n(?:(?:FAILED|ERROR)[ \t]+\S+\.\w+|FAIL(?=[\s:])|(?:FAIL|ERROR): \w|FAILED \(|(?:FAILURES|ERRORS)!$|"
        r"(?:#|ℹ) fail [1-9]|//\S+[ \t]+(?:FAILED|TIMEOUT)\b|\[ +FAILED +\]|Result: FAIL|Test suite \S+: FAIL|"
        r"(?:\[error\] )?Failed: Total|make(?:\[\d+\])?: \*\*\*|Traceback \(most recent call last\)|"
        r"ImportError while loading conftest|[ \t]*(?:Test run summary: Failed!|Build failed with [1-9]\d* error)|"
        r"ERROR: (?:file or directory )?not found|[1-9]\d* errors? (?:in [\d.]+m?s\b|occurred outside)|"
        r"=+ .*\b[1-9]\d* errors?\b.*=+$|"
        r"[ \t]*(?:--- FAIL:|[1-9]\d* fail$|not ok\b(?!.*# (?:TODO|SKIP))|Errors[ \t]+[1-9]\d* errors?$)|"
        r"nox > Session \S*tests?\S* failed\b)"
    ),
    _sign(
        rf"{_NUMBER}(?:(?:out )?of \d+ )?(?:{_COUNTED_UNIT})?(?i:failed|failures?|failing|fails)\b", no=_CONDITION_WORDS
    ),
    _sign(
        rf"\n[ \t]*(?:# )?{_FAILED_TOTAL}"
        r"(?=[ \t.,;|)]*(?:$|(?i:pass|skip|err|total|succe|ignor|pend|tests?\b|(?:out )?of \d)))"
    ),
    _sign(
        rf"[,;(|][ \t]*{_FAILED_TOTAL}(?![\d.]*[\w%])",
        no=r"^(?!.*\b(?i:tests?|cases?|assertions?|examples?|specs?|runs?|pass(?:ed|es)?|total|succe\w+|skipped)\b)",
    ),
    _sign(rf"{_START}(?:failed|Failed|FAILED)[ .!:)*]*$", "ailed", "FAILED"),
    _sign(
        r"\n(?:\S+\.\w+::.+|(?:[\w$]+\.)*[A-Z][\w$]* > .+)[ \t]FAILED[ \t]*(?:\[ *\d+%\]|\([\d.]+ ?m?s\))?[ \t]*$",
        "FAILED",
    ),
    _sign(r"\n(?:.*: )?[^\w\n]*(?i:some |these )?(?i:tests?) did not pass(?::|[^\w\n]*$)", "did not pass"),
    _sign(r"\b(?:failures|failed)(?:=|\": ?)[1-9]", "failures=", "failed=", 'failures"', 'failed"'),
    _sign(r"\*\*\*(?:Failed|Exception|Timeout|Not Run)\b", "***"),
    _sign(r"\bTests(?: run)?: .*\bErrors: [1-9]", "Errors: "),
    _sign(r"\d failures?[,/ ]+[1-9]\d* errors?\b", "failure"),
    _sign(r"(?:passed|failed|skipped|warnings?), [1-9]\d* errors? in ", " error"),
    _sign(r"\[ FAIL [1-9]|: FAIL code [1-9]|Status: FAILURE!", " FAIL"),
    _sign(
        r"\.\.\. FAILED$|test result: FAILED|BUILD FAIL|Failed: +[1-9]",
        *("... FAILED", "result: FAILED", "BUILD FAIL", "Failed: "),
    ),
    _sign(
        r"\[(?:build|setup) failed\]|ERR_PNPM_\w*FAIL|ELIFECYCLE|npm (?:ERR!|error)|error\[E\d+\]",
        *(" failed]", "ERR_PNPM_", "ELIFECYCLE", "npm ", "error[E"),
    ),
)
_TESTS_PASSED = (
    _sign(
        r"\n(?:[ \t]*[1-9]\d* pass$|ok[ \t]+\S+[ \t]+(?:\(cached\)|[\d.]+m?s)(?!.*no tests to run)|PASS$|"
        r"OK(?: \(|$)|(?:#|ℹ) pass [1-9]|0 failures, 0 errors|Passed!|Result: PASS|"
        r"\[ +PASSED +\] [1-9]|# PASS: +[1-9]|(?:\[info\] )?Passed: Total [1-9]|Executed ([1-9]\d*) of \1 SUCCESS|"
        r"Ok: +[1-9]|//\S+[ \t]+(?:\(cached\) )?PASSED\b|100% tests passed|"
        r"DONE [1-9]\d* tests(?: in|, \d+ skipped in))"
    ),
    _sign(rf"{_NUMBER}(?:{_COUNTED_UNIT})?(?i:passed|passing|pass)\b{_AFTER_COUNT}", no=_CONDITION_WORDS),
    _sign(
        rf"({_COUNT})(?:/| (?:out )?of )\1 (?:{_COUNTED_UNIT})?(?i:passed|passing|pass)\b{_AFTER_COUNT}",
        *("/", "of "),
        no=_CONDITION_WORDS,
    ),
    _sign(
        rf"{_START}(?i:passed|succeeded|successful)[ .!*]*(?:$|\(\d|\d+/\d)", "ass", "ucce", "PASS", "UCCE", no="[✓✔√]"
    ),
    _sign(rf"{_COUNT} {_COUNTED_UNIT[:-1]}, (?:\d+ assertions?, |with )?0 failures\b", "0 failures"),
    _sign(rf"{_COUNT} (?:success(?:es)? / 0 fail|runs, \d+ assertions, 0 failures, 0 errors)", "0 fail"),
    _sign(r"\bpassed(?:=|\": ?)[1-9]", "passed=", 'passed"'),
    _sign(
        r"\n[ \t]*Test summary: total: [1-9]\d*[,;] failed: 0[,;] succeeded: [1-9]|\nTest run summary: Passed!",
        *("Test summary: ", "Test run summary: "),
    ),
    _sign(rf"({_COUNT}) of \1 test suites? .*passed", " test suite"),
    _sign(r"\[ FAIL 0 .*\bPASS [1-9]", "[ FAIL 0 "),
    _sign(
        r"test result: ok\. [1-9]|BUILD SUCCESS|Failed: +0, Passed: +[1-9]|Status: SUCCESS!|congratulations :\)",
        *("result: ok", "SUCCESS", ", Passed: ", "congratulations"),
    ),
)
_CRASH_SIGNS = (
    _sign(r"Segmentation fault|\bcore dumped|Sanitizer: |\n(?:panic|Fatal Python error|fatal error): "),
    _sign(
        r"\n(?:error: (?:test failed|could not compile|Exited with unexpected signal)|Error: Test failures|"
        r"INTERNALERROR>|!+ KeyboardInterrupt|[^\w\n]*Failed to load )",
        *("error: ", "Test failures", "INTERNALERROR", "KeyboardInterrupt", "Failed to load "),
    ),
    _sign(r"\n[^\w\n]*[1-9]\d* did not run[^\w\n]*$|coverage threshold .* not met", "did not run", " not met"),
    _sign(r"[ \n](?:Killed|Aborted|Terminated|Bus error|Illegal instruction)(?:: \d+)?(?:[^\w\n]*$| {2,})"),
    _sign(r"\b(?i:exit(?:ed)?(?: with)?(?: code| status)?)[ :=]+[1-9]|\btimed out\b|\bNO STATUS\b"),
    _sign(
        rf"[\n,;|(][^\w\n]*[1-9]\d* (?:{_COUNTED_UNIT})?"
        r"(?i:crash(?:ed|es)?|broken|errored|timed out|timeouts?|aborted|not run|unsuccessful)\b"
    ),
    _sign(r"[\n,;|][^\w\n]*[1-9]\d* errors?[ \t]*(?:$|[,;.|)])|\n(?:#|ℹ) cancelled [1-9]", " error", "cancelled"),
    _sign(
        r"[\n,;|(][ \t]*(?:# )?(?i:errors?|timeouts?|crash(?:ed|es)|broken|aborted|not run|unexpected pass|xpass)"
        r":[ \t]+[1-9]\d*(?=[ \t]*(?:$|[,;.|]))"
    ),
    _sign(r"\n[^\w\n]*0 tests? (?:were )?(?:run|ran|executed|found)[^\w\n]*$", "0 test"),
)
"""Signs, after the word for a pass or beside it, that not everything has finished well."""
_AMBIGUOUS_SIGNS = (_sign(r"\b[Tt](?<!\d .)(?<!\b[Nn]o .)(?i:ests?(?: run)? failed)[ .!:)*]*$", no=_CONDITION_WORDS),)
"""Signs that may be about the tests or about something else."""
_FAILED = (  # alternatives that begin a line or a word are grouped; the others are tried at every character
    r"^(?:[ \t]*error(?:\[|:| )|make(?:\[\d+\])?: \*\*\*|[1-9]\d* issues?[:.]|(?:vet|#) \S+.*\n\S+\.go:\d+|"
    r"\S+\.(?:py|go|rs|c|cc|cpp|ts|tsx|js):\d+:\d+: (?:[A-Z]+\d+ |error|undefined)|\[error\]|Traceback \(most)|"
    r"\b(?:error(?:\[\w+\]| TS\d+)|Found [1-9]\d* errors?\b)|:\s*(?:fatal )?error:|"
    r"^[1-9]\d* errors?, \d+ (?:warning|note|info)|\b([1-9]\d*) offenses? detected(?!, \1 offenses? corrected)|"
    r"could not compile|✖ [1-9]\d* problems? \([1-9]|BUILD FAIL|Build FAILED|npm (?:ERR!|error)|ELIFECYCLE|"
    r"would reformat|Code style issues|undefined reference|Failed to compile|ERROR task failed|"
    r"^ninja: build stopped"
)
_FINDING = r"^\S+\.(?:py|go|rs|c|cc|cpp|ts|tsx|js):\d+:\d+: (?!(?i:note|warning|info|help|ok)\b)[^\n]*\([a-z][\w-]*\)$"
"""A linter's finding, with the name of its rule at the end."""
_PASSED = (
    r"(?i)All checks passed|Success: no issues found|"
    r"^(?:\[\S+\] )?0 issues|\b0 errors\b|no (?:lint )?(?:errors|issues|problems)(?: were)?"
    r" found|BUILD SUCCESS|Build succeeded|Compiled successfully|Successfully built|"
    r"^[ \t]*Finished .*(?:dev|release|test|bench)\b|All matched files use Prettier|files? would be left unchanged|"
    r"files? already formatted|"
    r"built in [\d.]+m?s|no offenses detected|Contracts: \d+ kept, 0 broken|Found 0 errors"
)
# Every match contains one of these words. Looking for words is much faster than matching, and the patterns then see
# only the lines that contain one.
_TESTS_FAILED_WORDS = (
    *("FAIL", "fail", "Fail", "ERR", "error[E", " error", "not ok", "ELIFECYCLE", "***", "Traceback"),
    *("not found", "\nImportError while", "Not Run", "Timeout", "TIMEOUT", "did not pass", "Errors"),
)
_TESTS_PASSED_WORDS = (
    *(" pass", "passed=", 'passed"', "\nok", "\nPASS\n", "\nPassed!", "PASSED"),
    *("Passed: ", "\nOK", ": ok. ", "0 fail", "FAIL 0", " summary: ", "SUCCE", "uccessful", "ucceeded", "\nDONE "),
    ": PASS",
    *("# PASS:", "\nOk:", "congratulations :)"),
)
_DOUBT_WORDS = (
    *("fault", "dumped", "Sanitizer: ", "panic: ", "atal", "Killed", "Aborted", "aborted", "Terminated", "Bus error"),
    *("Illegal", "xit", "EXIT", "timed out", "NO STATUS", "rash", "roken", "rror", "ERROR", "imeout", "TIMEOUT"),
    *("ot run", "Not Run", "nsuccessful", "XPASS", "Unexpected", "0 test", "cancelled", "ailed", "FAILED"),
)
_FAILED_WORDS = (
    *("error", "not compile", "✖", "FAIL", "ERR", "ELIFECYCLE", "***", "issue", "reformat", "undefined", "Failed"),
    *(" detected", "Traceback", "build stopped"),
)
_LOCATION = compiled_later(r"\.(?:py|go|rs|c|cc|cpp|ts|tsx|js):[\d\s]")
"""A location in a file. `a.py::test_one` does not match, because an output may contain thousands of these."""
# in lower case for patterns that ignore case
_PASSED_WORDS = (
    *("checks passed", "no issues found", "0 issues", "0 errors", "found", "success", "build succeeded", "finished "),
    *("prettier", "left unchanged", "already formatted", "built in ", "no offenses", "0 broken"),
)
_NOTHING_RUN_WORDS = ("no test", "0 items", "ran 0")
_NOTHING_RUN = compiled_later(
    r"no tests ran|collected 0 items|No tests? (?:files? )?found|no tests to run|Ran 0 tests", re.I
)
_SOME_RAN = compiled_later(r"--- PASS:|\b[1-9]\d* passed|^ok\s+\S+\s+\S+$", re.MULTILINE)
_AND_MORE = compiled_later(r" and \d+ more$")
_MAX_LINE_CHARS = 500
"""Characters of a line that are examined."""
_MAX_NAMES = 6
_MAX_NAME_CHARS = 100


class Verdict(Struct, frozen=True):
    """What an output states by itself."""

    failed: bool | None
    """None if it states neither."""
    has_run: bool = True
    """False if it states that nothing was run."""


def output_verdict(kind: CheckKind, output: str) -> Verdict:
    """Return what the output of a check of this kind states: a failure, a pass, neither, or that nothing was run."""
    text = without_prefixes(plain(output))
    if kind != "tests":
        # go prints the name of a package on the line before
        candidates = text if ".go:" in text else _failure_lines(text)
        if _has_match(_FAILED, candidates) or (kind == "lint" and _has_match(_FINDING, candidates)):
            return Verdict(True)
        return Verdict(False) if _contains_any(text, _PASSED_WORDS) and _has_match(_PASSED, text) else Verdict(None)
    if any(_verdict_matches(text, _TESTS_FAILED_WORDS, _TESTS_FAILED)):
        return Verdict(True)
    if _contains_any(text, _NOTHING_RUN_WORDS) and _NOTHING_RUN.search(text) and not _SOME_RAN.search(text):
        return Verdict(None, has_run=False)
    passed = any(_verdict_matches(text, _TESTS_PASSED_WORDS, _TESTS_PASSED)) and not _in_doubt(text)
    return Verdict(False) if passed else Verdict(None)


def may_say_nothing_ran(kind: CheckKind, output: str) -> bool:
    """Return whether the verdict may be that nothing was run; a quick check."""
    return kind == "tests" and _contains_any(plain(output), _NOTHING_RUN_WORDS)


def verdict_lines(output: str) -> list[str]:
    """Return the lines in which the output of a check states a failure or a pass, in no particular order."""
    text = without_prefixes(plain(output))
    candidates = text.split("\n") if _contains_any(text, _PASSED_WORDS) else []
    lines = [line for line in candidates if _contains_any(line, _PASSED_WORDS) and _has_match(_PASSED, line)]
    for words, signs in ((_TESTS_FAILED_WORDS, _TESTS_FAILED), (_TESTS_PASSED_WORDS, _TESTS_PASSED)):
        lines += [line for _, line in sorted(_verdict_matches(text, words, signs))]
    return lines + [line for line in _failure_lines(text).split("\n") if _has_match(_FAILED, line)]


def _in_doubt(text: str) -> bool:
    """Return whether an output that states a pass reports a crash, or counts that include other outcomes, after it."""
    words = (*_TESTS_PASSED_WORDS, *_DOUBT_WORDS)
    last = max(position for position, _ in _verdict_matches(text, words, _TESTS_PASSED))
    has_crash = any(position >= last for position, _ in _verdict_matches(text, words, _CRASH_SIGNS))
    return has_crash or any(_verdict_matches(text, words, _AMBIGUOUS_SIGNS))


def _has_match(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.MULTILINE) is not None


def _verdict_matches(text: str, words: Iterable[str], signs: Iterable[_Sign]) -> Iterator[tuple[int, str]]:
    """Yield (position, line) of the lines that contain one of the words and one of the signs. Positions give the
    order of the lines; a line with several signs is yielded several times."""
    lines = _lines_with(text, words)
    candidates = f"\n{lines}\n"
    for sign in signs if lines else ():
        match = sign.pattern.search(candidates) if any(map(candidates.__contains__, sign.words)) else None
        while match:
            start, end = candidates.rindex("\n", 0, match.end()) + 1, candidates.index("\n", match.end())
            line = candidates[start:end]
            if not (sign.no and sign.no.search(line)) and not _NO_VERDICT_LINE.search(line):
                yield start, line
            match = sign.pattern.search(candidates, end)


def _contains_any(text: str, words: Iterable[str]) -> bool:
    return any(map(text.lower().__contains__, words))


def _failure_lines(text: str) -> str:
    """Return the lines that may state the failure of a check other than tests."""
    return _lines_with(text, _FAILED_WORDS, _LOCATION)


def _lines_with(text: str, words: Iterable[str], pattern: re.Pattern[str] | None = None) -> str:
    """Return the lines that contain one of the words or match the pattern, in order. For the search, every line,
    including the first and the last, has a line break before and after it."""
    text = f"\n{text}\n"
    lines: dict[int, int] = {}
    for word in words:
        position = text.find(word)
        while position >= 0:
            position += word.startswith("\n")
            end = text.index("\n", position)
            lines[text.rfind("\n", 0, position) + 1] = end
            position = text.find(word, end)
    for match in pattern.finditer(text) if pattern else ():
        lines[text.rfind("\n", 0, match.start()) + 1] = text.index("\n", match.start())
    return "\n".join(_line_start(text, start, lines[start]) for start in sorted(lines))


def _line_start(text: str, start: int, end: int) -> str:
    """Return a line, or only the beginning of a long one: runners write short lines, and patterns are slow on long
    ones."""
    return text[start:end] if end - start <= _MAX_LINE_CHARS else f"{text[start : start + _MAX_LINE_CHARS]}…"


def failing_names(output: str) -> tuple[str, ...]:
    """Return the names of the failed tests, in order and without duplicates."""
    text = without_prefixes(plain(output))
    failing: dict[str, None] = {}
    for patterns in (_NAME_PATTERNS, _FALLBACK_NAME_PATTERNS):
        for words, pattern in patterns if not failing else ():
            if not any(word in text for word in words):
                continue
            names = (one_line(name.strip(" :,"), _MAX_NAME_CHARS) for name in re.findall(pattern, text, re.MULTILINE))
            failing.update((name, None) for name in names if re.search(r"\w", name))
    return tuple(failing)


def named(names: tuple[str, ...]) -> str:
    """Return names on one line. Names of one file follow the file's name, and a count replaces the names left out."""
    shown: list[str] = []
    last = ""
    for name in names[:_MAX_NAMES]:
        file, mark, rest = name.partition("::")
        shown.append(rest if mark and file == last else name)
        last = file
    more = len(names) - _MAX_NAMES
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def parse_names(output: str) -> tuple[str, ...]:
    """Return the names in such a line; `…` stands for names that were left out."""
    text, omitted, _ = output.partition(" and ") if _AND_MORE.search(output) else (output, "", "")
    names: list[str] = []
    file = ""
    for name in filter(None, text.split(", ")):
        full_name = f"{file}::{name}" if file and "::" not in name and "/" not in name else name
        file = full_name.partition("::")[0] if "::" in full_name else ""
        names.append(full_name)
    return (*names, "…") if omitted else tuple(names)
