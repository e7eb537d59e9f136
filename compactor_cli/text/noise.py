"""Find lines of tool output that say nothing about the work.

These are runs of imports, of passed tests and of steps of a build, progress of transfers, confirmations of edits,
hints of git, and reminders from a harness. Others are a shell tool's report on its own run, marks of earlier rounds,
page nodes without words, and removed lines that added lines repeat.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain

from compactor_cli.text.page_trees import PAGE_SIGNS, nodes_without_words
from compactor_cli.text.patterns import compiled_later

_PASSED_TEST = compiled_later(
    r"(?:(?=([\w@./-]+))\1(?: [\w:-]+)?: +)?"  # the package, if several are tested; without backtracking
    r"(?: *(?:\(pass\)|[✓✔√]) \S.*"  # bun, mocha, jest, vitest
    r"|PASS +\S+.*"
    r"|\S+ PASSED(?: +\[ *\d+%\])?"  # pytest
    r"|test \S.* \.\.\. ok|\S+ \([\w.]+\) \.\.\. ok"  # cargo, unittest
    r"| *--- PASS: \S.*|=== (?:RUN|PAUSE|CONT) +\S+|ok +\t?\S+\t.*"  # go
    r"|\?   +\t?\S+\t\[no test files\]"
    r"|ok \d+ .*|\[ +(?:OK|RUN) +\] .*"  # TAP, googletest
    r"| *\d+/\d+ Test +#\d+: \S.* Passed +[\d.]+ sec"  # ctest
    # cmake, ninja, swift; the last step says that all are done
    r"|\[ *(?!(\d+)/\2\]|100%)\d+(?:/\d+|%)\] +"
    r"(?:Building [A-Z]+ object \S+|Built target \S+|Linking [A-Z]+ [\w ]+ \S+|Compiling \S+(?: \S+)?))"
)
_METER = compiled_later(
    r"\s*% Total +% Received.*|\s*Dload +Upload .*|[\s\d.:kMGTB-]*--:--:--.*"  # curl
    r"|\s*━{3}.*\d.*"  # pip
    r"|(?:remote: )?(?:Enumerating|Counting|Compressing|Receiving|Writing|Unpacking) objects: .*"  # git
    r"|(?:remote: )?Resolving deltas: .*"
    r"|[0-9a-f]{12}: (?:Pull|Wait|Download|Verify|Extract|Already ).*"  # docker
)
_EMPTY_NUMBERED = compiled_later(r" *\d{1,6}[→\t]")
"""An empty line of a file, with its number."""
_CHANGE_CONFIRMED = compiled_later(
    r"\s*(?:Successfully (?:replaced|wrote|written|edited|updated|created|overwrote|modified) .*"
    r"|(?:The )?[Ff]ile \S+ (?:has been )?(?:updated|created|edited|written|modified|overwritten)(?: successfully)?\b.*"
    r"|File (?:updated|created|edited|written|modified)(?: successfully)?(?: (?:at|to|in))?:? \S+\.?"
    r"|Edited (?=\S*[./])\S+"
    r"|Wrote [\d,]+ (?:lines|bytes|characters) to \S+\.?"
    r"|Todos have been (?:modified|updated) successfully.*)"
)
"""How a tool confirms that it changed a file as requested."""
_NOT_SHOWN = compiled_later(r"\W*\d[\d,]* more lines? (?:not shown|omitted|hidden|truncated)\b.*")
"""How tools say that they did not show a whole file."""
_HINT = compiled_later(r'\s*(?:\(use "git [^()]*\)|no changes added to commit \(use "git .*\))\s*')
"""What git status prints about its own commands."""
_FETCHED_REF = compiled_later(
    r"[ *+=-]* (?:[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40}|\[new \w+\]) +(\S+) +-> +[^/\s]+/\1(?: .*)?"
)
"""A ref that git fetched; the line does not say what became of it."""
_PROMPT = compiled_later(r"\s*(?:(?:\([\w.-]+\) )?(?=\S*[A-Za-z~/])[\w@:~/.-]{1,80}[\w~-]\s?\$|\(Open file: n/a\))\s*")
"""A shell prompt that is waiting for a command."""
_PROMPT_PARTS, _MAX_PROMPT_CHARS = ("$", "(Current directory: "), 400
"""Parts of prompts or of the line before them, and characters at the end of a text that are searched for them."""
_SHELL_LOCATION = compiled_later(r"\s*\((?:Open file|Current directory): .*\)\s*")
"""What SWE-agent's shell prints before its prompt."""
_MIN_PASSED = 3
"""Minimum number of consecutive passed tests that are noise; a single one may be what was run."""
_LINE_NUMBER = r"[ \t]*(?:\d{1,6}(?:→|\t|:)[ \t]*)?"
"""What tools put before a line of a file."""
_BLANK = compiled_later(_LINE_NUMBER)
_TOOL_REPORT = compiled_later(
    r"Chunk ID: \w+|Wall time: [\d.]+ seconds|Original token count: \d+|Output:"
    r"|<?shellId: \w+ completed with exit code 0>?|<?command with (?:shell ?)?id: \w+ (?:was )?stopped>?"
    r"|shellId: \w+, pid: \d+, .*\bstatus: completed\b.*|current command: .*"
    r"|(?:…|\[… [\d,]+ (?:lines?|characters)(?: left out)?(?: in all)?(?: · ctx_\w+)?\])"
)
"""What a shell tool prints about its own run, and marks for what an earlier round left out."""
_REMINDER = compiled_later(r"^<system-reminder>.*?</system-reminder>", re.MULTILINE | re.DOTALL)
_IMPORT = compiled_later(
    _LINE_NUMBER + r"(?:import static [\w.*]+;"
    r"|import (?:type )?[\w.*]+(?: as \w+)?(?:, ?[\w.]+(?: as \w+)?)*;?"  # Python, Java, Kotlin, Swift
    r"|from [\w.]+ import [\w ,*]+"
    r"|import (?:[\w*${}, ]+ from )?['\"][^'\"]+['\"];?"  # JavaScript, Go
    r"|(?:const|let|var) [\w{}:, ]+ = require\([^()]+\);?"
    r"|require(?:_relative)? ['\"][^'\"]+['\"]"  # Ruby
    r"|#include [<\"][^>\"]+[>\"]"
    r"|(?:pub )?use [\w:\\]+(?:::\{[^{}]*\}|::\*)?(?: as \w+)?;"  # Rust, PHP
    r"|using (?:static )?[\w.]+;)"  # C#
    r"[ \t]*(?:(?://|#).*)?"
)
_BLANK_MATCH = compiled_later(r"(?:[\w./@~-]+-)?\d+-[ \t]*")
"""An empty line, with its number, in the context of a search result."""
_IMPORT_START = compiled_later(_LINE_NUMBER + r"(?:(?:import|from|const|let|var|#include|pub use|use|using) |require)")
_BRACKETED_IMPORT = compiled_later(
    _LINE_NUMBER + r"(?:(?:import|from [\w.]+ import) \(|import (?:type )?(?:\w+, )?\{|(?:pub )?use [\w:]+::\{)"
)
"""The first line of imports in brackets."""
_IMPORT_HINTS = ("import ", "#include ", "require", ";", "::{")
"""Every import contains one of these."""
_CLOSING_BRACKET = compiled_later(_LINE_NUMBER + r"[)}].*")
_WORD = compiled_later(r"\w+")
_MIN_REPEATED_SHARE = 2 / 3
"""Minimum share of the words of a removed line that the added lines must repeat."""
_NEGATIONS = frozenset(("not", "no", "never", "without", "none", "False", "false", "unless"))
_REJECTED_EDIT_MARK, _ORIGINAL_MARK = "edit would have looked if applied", "original code before your edit"
"""What editors that reject an edit for its syntax print before the edited version of a file, and before the
original."""
_SNIPPET_MARK, _SNIPPET_STARTS = "result of running `cat -n` on a snippet", ("The file ", "File ")
"""What editors print before showing a file around a change, and how that line begins."""
_NUMBERED = compiled_later(r"[ \t]*\d{1,6}[→\t]")
_STEPS = (" Passed ", "] Building ", "] Built ", "] Linking ", "] Compiling ")
"""Parts of a passed test of ctest, and of steps of a build."""
_Finder = Callable[[Sequence[str]], Iterator[int]]
_MAX_BRACKET_LINES = 60
"""Maximum number of lines in brackets; after that, the brackets have another meaning."""


def noisy_lines(text: str) -> frozenset[int]:
    """Return the numbers, from 0, of the physical lines that say nothing about the work. A single import is not
    noise: it may be what was searched for."""
    with_break = f"\n{text}"
    finders: dict[_Finder, None] = {}
    for rare_sign, hinted in _HINTED.items():
        if rare_sign in with_break:
            for hint, find in hinted:
                if hint in with_break:
                    finders[find] = None
    if not finders:
        return frozenset()
    lines = text.split("\n")
    return frozenset(chain.from_iterable(find(lines) for find in finders))


def _passed_tests(lines: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of consecutive passed tests, ignoring blank lines between them."""
    run: list[int] = []
    for number, line in enumerate((*lines, "end")):
        if _PASSED_TEST.fullmatch(line.rstrip()):
            run.append(number)
        elif line.strip():
            if len(run) >= _MIN_PASSED:
                yield from run
            run = []


def _replaced_lines(lines: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of removed lines in a diff of which the added lines below them repeat most words; the added
    lines show what became of them. A removed line with a negation of its own says something else."""
    removed: list[int] = []
    added_words: set[str] = set()
    for number, line in enumerate((*lines, "")):
        if line.startswith("-") and not added_words:
            removed.append(number)
        elif line.startswith("+") and removed:
            added_words.update(_WORD.findall(line))
        else:
            for index in removed if added_words else ():
                words = set(_WORD.findall(lines[index]))
                is_repeated = len(words & added_words) >= _MIN_REPEATED_SHARE * len(words)
                if is_repeated and _NEGATIONS.isdisjoint(words - added_words):
                    yield index
            removed, added_words = [number] if line.startswith("-") else [], set()


def _prompt_lines(lines: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of the last lines with words if they are the prompt of a shell, including an agent's own
    shell."""
    for number in range(len(lines) - 1, -1, -1):
        if _PROMPT.fullmatch(lines[number]):
            yield number
        elif lines[number].strip() and not _SHELL_LOCATION.fullmatch(lines[number]):
            break


def prompt_at_end(text: str) -> frozenset[int]:
    """Return the numbers, from 0, of the physical lines of a prompt at the end of a text."""
    is_there = any(sign in text[-_MAX_PROMPT_CHARS:] for sign in _PROMPT_PARTS)
    return frozenset(_prompt_lines(text.split("\n"))) if is_there else frozenset()


def is_prompt(line: str) -> bool:
    """Return whether a line is a shell prompt, or the line before it that states where the shell is."""
    return _PROMPT.fullmatch(line) is not None or _SHELL_LOCATION.fullmatch(line) is not None


def _reminder_lines(lines: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of the lines of each reminder."""
    text = "\n".join(lines)
    for match in _REMINDER.finditer(text):
        first = text.count("\n", 0, match.start())
        yield from range(first, first + match[0].count("\n") + 1)


def _rejected_edit_lines(lines: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of the lines that show how a rejected edit would have changed a file."""
    shown = False
    for number, line in enumerate(lines):
        if shown and _ORIGINAL_MARK not in line:
            yield number
        shown = _REJECTED_EDIT_MARK in line or (shown and _ORIGINAL_MARK not in line)


def _snippet_lines(lines: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of the lines of a file that an editor shows when it confirms an edit. The call contains the
    change, and the other lines existed before."""
    shown = False
    for number, line in enumerate(lines):
        is_start = _SNIPPET_MARK in line and line.startswith(_SNIPPET_STARTS)
        shown = is_start or (shown and (not line.strip() or _NUMBERED.match(line) is not None))
        if shown:
            yield number


def _matching_lines(pattern: re.Pattern[str], lines: Sequence[str]) -> Iterator[int]:
    return (number for number, line in enumerate(lines) if pattern.fullmatch(line))


def _import_lines(lines: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of consecutive imports."""
    text = "\n".join(lines)
    if not any(map(text.__contains__, _IMPORT_HINTS)):  # "because " ends in "use ", too
        return iter(())
    return chain.from_iterable(run for run in _import_runs(lines) if len(run) > 1)


def _import_runs(lines: Sequence[str]) -> Iterator[list[int]]:
    """Yield runs of line numbers of consecutive imports, ignoring blank lines between them."""
    run: list[int] = []
    lines_to_close = 0
    for number, line in enumerate(lines):
        if lines_to_close:
            lines_to_close = 0 if _CLOSING_BRACKET.fullmatch(line) else lines_to_close - 1
        elif not _IMPORT_START.match(line):
            if run and not _BLANK.fullmatch(line):
                yield run
                run = []
            continue
        elif _BRACKETED_IMPORT.fullmatch(line.rstrip()):
            lines_to_close = _MAX_BRACKET_LINES
        elif not _IMPORT.fullmatch(line.rstrip()):
            yield run
            run = []
            continue
        run.append(number)
    yield run


_FINDERS: tuple[tuple[tuple[str, ...], _Finder], ...] = (
    (
        ("\nok ", " ok ", "... ok", "PASS", "(pass)", "✓", "✔", "√", " OK ", " RUN ", "=== ", "[no test", *_STEPS),
        _passed_tests,
    ),
    (("--:--:--", "━━━", "objects: ", ": Pull"), partial(_matching_lines, _METER)),
    (("\t\n", "→\n"), partial(_matching_lines, _EMPTY_NUMBERED)),
    (("uccessfully", " has been ", "Wrote ", "Edited "), partial(_matching_lines, _CHANGE_CONFIRMED)),
    (
        ("Chunk ID", "Wall time", "Original token", "hellId: ", "<command with", "[… "),
        lambda lines: _matching_lines(_TOOL_REPORT, [*map(str.strip, lines)]),
    ),
    (("-\n",), partial(_matching_lines, _BLANK_MATCH)),
    (('use "git ',), partial(_matching_lines, _HINT)),
    ((" more line",), partial(_matching_lines, _NOT_SHOWN)),
    (("\nFrom ",), partial(_matching_lines, _FETCHED_REF)),
    (("import", "#include", "require", "use ", "using "), _import_lines),
    (("<system-reminder>",), _reminder_lines),
    ((_REJECTED_EDIT_MARK,), _rejected_edit_lines),
    ((_SNIPPET_MARK,), _snippet_lines),
    (_PROMPT_PARTS, _prompt_lines),
    (PAGE_SIGNS, nodes_without_words),
    (("-| ", "@@ "), _replaced_lines),
)
"""(hints, finder): every text with such lines contains one of the hints, after a line break. Most texts contain none
and are not searched further."""
_RARE_SIGNS = '@|<#jqKWCFPRO=[(\t"k'
"""Characters that few texts contain, rarest first. Checking for one character is fifty times as fast as for a word;
the hints above took a fiftieth of the time of a compaction."""
_HINTED: dict[str, list[tuple[str, _Finder]]] = {}
"""Rarest character of a hint -> (hint, finder) pairs."""
for _hints, _find in _FINDERS:
    for _hint in _hints:
        _HINTED.setdefault(next((sign for sign in _RARE_SIGNS if sign in _hint), _hint[0]), []).append((_hint, _find))
