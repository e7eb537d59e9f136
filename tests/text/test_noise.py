"""Runs of imports and what a shell tool prints of its own run are told from lines that say something."""

from __future__ import annotations

import pytest

from compactor_cli.text.noise import noisy_lines, prompt_at_end

RUNS = {
    "Python": "import os\nimport re as regex\n\nfrom pathlib import Path\nfrom a.b import (\n    c,\n    d,\n)\nX = y",
    "Go": 'import (\n\t"errors"\n\t"os"\n\n\tid "example.org/m/id"\n)\n\nfunc main() {',
    "JavaScript": "import { a, b } from './a.js';\nimport type { T } from 't';\nconst fs = require('fs');\nlet x = 1;",
    "of several lines": "import {\n  a,\n  b,\n} from './a.js';\nlet x = 1;",
    "C": '#include <stdio.h>\n#include "own.h" // ours\nint main(void) {',
    "Rust": "use std::fs;\nuse crate::a::{b, c};\npub use d::*;\nfn main() {",
    "Java": "import java.util.List;\nimport static org.junit.Assert.*;\n\npublic class A {",
    "with numbers": "     1→import os\n     2→\n     3→import re\n     4→\n     5→class A:",
}


@pytest.mark.parametrize("name", RUNS)
def test_imports_one_below_the_other_are_noise_and_what_follows_is_not(name: str) -> None:
    lines = RUNS[name].split("\n")
    noisy = noisy_lines(RUNS[name])
    said = [number for number, line in enumerate(lines) if line.strip(" \t0123456789→")]
    assert noisy >= set(said[:-1])
    assert said[-1] not in noisy


@pytest.mark.parametrize(
    "text",
    [
        "import os\n\nX = 1",
        "def f():\n    import os\n    return os.name",
        "We import the data first.\nThen we use it.",
        'names = [\n    "a",\n    "b",\n]  # no import',
        "src/a.py:3:import os\nsrc/b.py:9:import os",
        "",
    ],
)
def test_one_import_alone_and_other_lines_are_no_noise(text: str) -> None:
    assert noisy_lines(text) == frozenset()


def test_empty_lines_around_what_a_search_found_are_noise() -> None:
    found = (
        "src/a.go-264-\nsrc/a.go-265-\tx := 1\nsrc/a.go:266:\tfind(x)\nsrc/a.go-267-\n--\n301-\n302:\tfind(y)\nnone-\n"
    )
    assert noisy_lines(found) == {0, 3, 5}


def test_what_a_shell_tool_prints_of_its_own_run_is_noise_and_how_it_ended_is_not() -> None:
    text = (
        "Chunk ID: ddb807\nWall time: 0.8816 seconds\nProcess exited with code 1\nOriginal token count: 12\nOutput:\nno"
    )
    assert noisy_lines(text) == {0, 1, 3, 4}


SHELLS = """shellId: 30 was already stopped via stop_bash.

Active shell sessions:
  shellId: 0, pid: 1848554, mode: sync, status: completed, elapsed: 322s, commands: 1, unread output: no
    current command: cat hooks/entire.json
  shellId: 4, pid: 1849266, mode: async, status: running, elapsed: 12s, commands: 1, unread output: yes"""


def test_what_a_shell_tool_says_of_commands_that_ended_well_is_noise() -> None:
    assert noisy_lines("3 harbors\n<shellId: 20 completed with exit code 0>") == {1}
    assert noisy_lines("<command with id: 22 stopped>") == {0}
    assert noisy_lines(SHELLS) == {3, 4}


UPDATED = "The file /work/a.go has been updated. Here's the result of running `cat -n` on a snippet of the edited file:"
ECHO = "    12\tdef rate(kind):\n\n    14\t    return 3"


def test_what_an_editor_shows_of_the_file_around_its_edit_is_noise() -> None:
    assert noisy_lines(f"{UPDATED}\n{ECHO}\nReview the changes.\n{ECHO}") == {0, 1, 2, 3}


@pytest.mark.parametrize(
    "text",
    [
        ECHO,
        f"It printed the result of running `cat -n` on a snippet:\n{ECHO}",
        f"     3\t# the result of running `cat -n` on a snippet\n{ECHO}",
        f"src/a.py:7: The file, the result of running `cat -n` on a snippet\n{ECHO}",
        f"Here's the result of running `cat -n` on /work/a.go:\n{ECHO}",
        f"File not found: /work/a.go\n{ECHO}",
        "Edited by Kim",
        "Edited",
        "Edited a.go and left b.go as it is",
        "Last edited a.go",
        "Edited 3 files",
    ],
)
def test_other_lines_of_a_file_are_none(text: str) -> None:
    assert noisy_lines(text) == frozenset()


@pytest.mark.parametrize(
    "line",
    [
        "<shellId: 20 completed with exit code 1>",
        "<shellId: 20 completed with exit code 0> 3 harbors",
        "<command with shellId: 22 is still running after 30 seconds>",
        "<command with id: 22 stopped by signal 9>",
        "The command with id: 22 stopped the pump",
        "current command: cat hooks/entire.json",  # of no list of shells
        "hellId: 3, pid: 7, status: completed",
        "shellId: 4, pid: 7, mode: async, status: running",
        "shellId: 4",
        "the shellId: 20 completed with exit code 0",
    ],
)
def test_what_only_looks_like_that_is_none(line: str) -> None:
    assert noisy_lines(line) == frozenset()


def test_what_a_harness_reminds_the_agent_of_is_noise_and_a_file_that_speaks_of_reminders_is_none() -> None:
    reminder = "<system-reminder>\nWhenever you read a file, think of Malware.\n</system-reminder>"
    text = f"1\tdef total():\n2\t    return 7\n\n{reminder}\n"
    assert noisy_lines(text) == {3, 4, 5}
    assert noisy_lines(f"{reminder}\nrow 1\n{reminder}") == {0, 1, 2, 4, 5, 6}
    assert noisy_lines("7\t<system-reminder>\n8\tand so on\n9\t</system-reminder>") == frozenset()
    assert noisy_lines("<system-reminder>\nwithout an end") == frozenset()


@pytest.mark.parametrize(
    ("text", "noise"),
    [
        ("src/a.py\n-| return int(value / base)\n+| return int(round(value / base))", {1}),
        ("-| def parse_day(text: str) -> date:\n+| def parse_date(text: str) -> date:", {0}),
        ("-| return parse(first, second, third)\n+| raise ValueError(first)", set()),
        ("@@ -1,4 +1,3 @@\n same\n-  x = f(y)\n-  z = g(q)\n+  x = f(y, 2)\n same", {2}),
        ("-| gone = 1\n rest\n+| gone = 1, 2", set()),
        ("- buy milk\n+ buy milk and bread", set()),
    ],
)
def test_a_removed_line_says_nothing_beside_added_ones_that_have_most_of_its_words(text: str, noise: set[int]) -> None:
    assert noisy_lines(text) == noise


@pytest.mark.parametrize(
    "line",
    [
        "Successfully replaced text in src/a.ts. Changed 452 characters to 175 characters.",
        "Successfully wrote 210 bytes to src/a.ts",
        "The file src/a.go has been updated successfully.",
        "Edited /work/src/a.go",
        "Edited a.go",
        "File created successfully at: /work/a.py",
        "Wrote 12 lines to /work/a.py",
        "Todos have been modified successfully. Ensure that you continue to use the todo list",
    ],
)
def test_that_a_change_was_made_as_the_call_says_is_noise_and_what_stands_under_it_is_not(line: str) -> None:
    assert noisy_lines(f"{line}\n    12\tdef rate(kind):\nThe file is gone.\n3 rows successfully imported") == {0}


@pytest.mark.parametrize(
    "line",
    [
        "... (257 more lines not shown. Use offset=180 to continue reading)",
        "(1,460 more lines hidden)",
        "[12 more lines omitted]",
        "…1 more line truncated",
    ],
)
def test_that_not_all_of_a_file_is_shown_is_noise(line: str) -> None:
    assert noisy_lines(f"const a = 1\n{line}\nThere are 3 more lines above the fold.") == {1}


PASSED = {
    "pytest": "tests/a.py::test_{n} PASSED   [ {n}%]",
    "unittest": "test_{n} (tests.a.Parsing) ... ok",
    "cargo": "test parser::tests::case_{n} ... ok",
    "go": "--- PASS: TestCase{n} (0.00s)",
    "go packages": "ok  \texample.org/m/pkg{n}\t0.01{n}s",
    "go packages without tests": "?   \texample.org/m/pkg{n}\t[no test files]",
    "bun in a workspace": "@agentv/core test: (pass) parse > case {n} [1.00ms]",
    "jest": "  ✓ parses case {n} ({n} ms)",
    "vitest files": " ✓ test/case{n}.test.ts (4 tests) 12ms",
    "jest files": "PASS src/case{n}.test.ts",
    "TAP": "ok {n} - parses case {n}",
    "googletest": "[       OK ] Parser.Case{n} (0 ms)",
}


@pytest.mark.parametrize("runner", PASSED)
def test_tests_that_passed_one_below_the_other_are_noise_and_one_that_failed_is_not(runner: str) -> None:
    passed = [PASSED[runner].format(n=number) for number in range(1, 5)]
    text = "\n".join(["collected 5 items", *passed[:2], "", *passed[2:], "FAILED case 5: boom", "4 passed, 1 failed"])
    assert noisy_lines(text) == {1, 2, 4, 5}


@pytest.mark.parametrize("runner", PASSED)
def test_one_or_two_tests_that_passed_may_be_what_was_run(runner: str) -> None:
    assert not noisy_lines("\n".join(PASSED[runner].format(n=number) for number in range(2)))


def test_what_only_speaks_of_passing_is_no_noise() -> None:
    said = [
        "all tests pass now",
        "ok, then the parser",
        "PASSED means that it ran",
        "✓",
        "passphrase: hunter",
        "RUN echo a",
    ]
    assert not noisy_lines("\n".join(said))


METERS = {
    "curl": "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n"
    "                                 Dload  Upload   Total   Spent    Left  Speed\n"
    "  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0\n"
    "100  1033    0   705  100   328   6633   3086 --:--:-- --:--:-- --:--:-- 10029\n"
    "<h1>Perl File Upload</h1>",
    "pip": "   ━━━━━━━━━━╺━━━━━━━━━━ 1.2/2.4 MB 5.6 MB/s eta 0:00:01\nSuccessfully installed rich-13.7.1",
    "git": "remote: Enumerating objects: 42, done.\nReceiving objects: 100% (42/42), 9.10 KiB, done.\n"
    "Resolving deltas: 100% (3/3), done.\nfatal: reference is not a tree: 1a2b3c4",
    "cat -n": "    104\t\n    105\t\n    106\tdef f():",
    "docker": "a3ed95caeb02: Pulling fs layer\na3ed95caeb02: Download complete\na3ed95caeb02: Pull complete\n"
    "Digest: sha256:9f1b2c",
}


@pytest.mark.parametrize("tool", METERS)
def test_how_far_a_transfer_is_and_blank_lines_are_noise_and_what_follows_is_not(tool: str) -> None:
    lines = METERS[tool].split("\n")
    assert noisy_lines(METERS[tool]) == set(range(len(lines) - 1))


def test_hints_of_git_are_noise_and_what_it_says_of_files_and_branches_is_not() -> None:
    status = (
        "On branch main\nYour branch is up to date with 'origin/main'.\n\nChanges not staged for commit:\n"
        '  (use "git add <file>..." to update what will be committed)\n'
        '  (use "git restore <file>..." to discard changes in working directory)\n\tmodified:   src/a.py\n\n'
        'no changes added to commit (use "git add" and/or "git commit -a")'
    )
    assert {status.split("\n")[at].strip()[:12] for at in noisy_lines(status)} == {
        '(use "git ad',
        '(use "git re',
        "no changes a",
    }
    assert not noisy_lines('nothing added to commit but untracked files present (use "git add" to track)')


def test_what_git_fetched_is_noise_and_what_it_pushed_is_not() -> None:
    fetched = (
        "From example.org:a/b\n   02776a6b..39174035  ann/fix -> origin/ann/fix\n * [new branch]  x  -> origin/x\n"
        "Successfully rebased and updated refs/heads/ann/fix."
    )
    assert noisy_lines(fetched) == {1, 2}
    assert not noisy_lines("From here:\nTo example.org:a/b\n   02776a6b..39174035  ann/fix -> ann/fix")


def test_what_speaks_of_objects_and_times_is_no_noise() -> None:
    assert not noisy_lines(
        "I count the objects: three of them.\nThe meeting is at --:--:-- as the clock stood.\na ━━━ b"
    )


MARKS = [
    "[… 79 lines left out]",
    "[… 1 line left out · ctx_467dbd21]",
    "[… 1,234 characters left out · ctx_467dbd21]",
    "[… 12 lines · ctx_467dbd21]",
    "…",
]


@pytest.mark.parametrize("mark", MARKS)
def test_marks_of_an_earlier_round_are_noise(mark):
    assert noisy_lines(f"{MARKS[0]}\ndef tides():\n{mark}\n    return 3") == {0, 2}


def test_words_around_a_mark_are_no_noise():
    assert noisy_lines("[… 79 lines left out] and so on\n[… several lines left out]") == frozenset()


def test_what_a_refused_edit_would_have_made_of_a_file_is_noise_and_what_the_file_is_and_why_is_not() -> None:
    """As SWE-agent's and OpenHands' editors say it."""
    said = [
        "[Your proposed edit has introduced new syntax error(s).]",
        "ERRORS: - E999 IndentationError: unexpected indent",
        "[This is how your edit would have looked if applied]",
        "1|def rounded(amount):",
        "2|        return round(amount, 3)",
        "[This is the original code before your edit]",
        "1|def rounded(amount):",
        "2|    return round(amount)",
    ]
    assert noisy_lines("\n".join(said)) == {3, 4}


@pytest.mark.parametrize("prompt", ["bash-$", "(venv) kim@shop:~/cart$ ", "root@box:/srv $"])
def test_the_prompt_at_the_end_of_an_output_is_noise(prompt: str) -> None:
    assert noisy_lines(f"inflating: cart.img\n{prompt}\n") == {1}


@pytest.mark.parametrize("output", ["costs 12 $", "bash-$\n3 passed", "echo $HOME", "x = '$'"])
def test_other_lines_with_the_sign_of_a_prompt_are_none(output: str) -> None:
    assert noisy_lines(output) == frozenset()


def test_of_a_prompt_that_says_where_it_is_the_place_is_none() -> None:
    where = "(Open file: n/a)\n(Current directory: /srv/cart)\nbash-$"
    assert noisy_lines(f"3 passed\n{where}") == {1, 3}
    assert prompt_at_end(f"Solve the task.\n{where}") == {1, 3}
    assert noisy_lines(f"3 passed\n{where.replace('n/a', '/srv/a.py')}") == {3}
    assert prompt_at_end("It costs 12 $ a month.\nNever more.") == frozenset()


def test_steps_of_a_build_and_passed_tests_of_ctest_say_nothing_but_what_ends_them_does() -> None:
    steps = [f"[{n:>4}/1182] Building CXX object src/f{n}.o" for n in range(1, 5)]
    failed = "FAILED: src/simd.o"
    last = "[1182/1182] Linking CXX executable tides"
    assert noisy_lines("\n".join([*steps, failed, last])) == set(range(4))
    tests = [f"  {n}/9 Test #{n}: t_{n} ........   Passed    0.11 sec" for n in range(1, 9)]
    assert noisy_lines("\n".join([*tests, " 9/9 Test #9: t_9 ...***Failed    3.40 sec"])) == set(range(8))
    for work in (
        "Fix the {n}. tide",
        "Checking host web-{n}: it expires in {n} days",
        "Processing invoice {n}: declined",
    ):
        assert noisy_lines("\n".join(f"[{n}/30] {work.format(n=n)}" for n in range(1, 9))) == frozenset()
