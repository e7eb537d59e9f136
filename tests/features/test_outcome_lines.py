"""The line of a command's output that says how it came out, and that a result cut at its place keeps it."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.ledger import failure_line
from compactor_cli.features.work.short_results import outcome_line
from tests.pipeline.sessions import assistant, compact, result, user

CASES = {
    "ok  \texample.org/cli\t1.9s\nok  \texample.org/web\t2.0s\n[test] $ go test ./...": "ok  \texample.org/web\t2.0s",
    "[main 45ffe0a] Release v0.8.0\n 3 files changed, 8 insertions(+)\n create mode 100644 a.ts": (
        "[main 45ffe0a] Release v0.8.0"
    ),
    "bun test v1.2\n\n 667 pass\n 0 fail\nRan 667 tests across 3 files.\nnote: cannot read git ls-tree": "667 pass",
    "0 issues.\n[lint] $ golangci-lint run ./...": "0 issues.",
    "To example.org:a/b.git\n   1a2b3c4..5d6e7f8  main -> main": "1a2b3c4..5d6e7f8  main -> main",
    "FAILED tests/a.py::test_b\n=== 1 failed, 3 passed in 2.10s ===": "=== 1 failed, 3 passed in 2.10s ===",
    "Creating the request\nhttps://github.com/a/b/pull/17\n": "https://github.com/a/b/pull/17",
    "All checks passed!\n": "All checks passed!",
    "On branch main\nAll conflicts fixed but you are still merging.\n\nChanges to be committed:\n\tmodified: a.py": (
        "All conflicts fixed but you are still merging."
    ),
    "On branch main\nnothing to commit, working tree clean": "nothing to commit, working tree clean",
    "On branch main\nChanges not staged for commit:\n\tmodified:   a.py\n\tmodified:   b.py\n\n"
    'no changes added to commit (use "git add" and/or "git commit -a")': "modified:   b.py",
    "From b.example\n   1a2b3c4..5d6e7f8  main -> origin/main\nRebasing (1/1)\rSuccessfully rebased and updated x.": (
        "Rebasing (1/1)\rSuccessfully rebased and updated x."
    ),
    "Pages\tpass\t0\thttps://a.example/1\nBuild\tpending\t0\thttps://a.example/2\nLint\tpass\t3s\thttps://c.example": (
        "Build\tpending\t0\thttps://a.example/2"
    ),
    f"[{'feature/a-long-name-of-a-branch' * 2} 45ffe0a1] Merge remote-tracking branch 'origin/{'another' * 10}'": (
        f"[{'feature/a-long-name-of-a-branch' * 2} 45ffe0a1] Merge remote-tracking branch 'origin/{'another' * 10}'"
    ),
    f"3 passed in 0.1s\n[main abc1234] {'m' * 400}": "3 passed in 0.1s",
    "src/a.py\nsrc/b.py\nREADME.md": "",
    "": "",
}


@pytest.mark.parametrize("output", CASES)
def test_it_is_what_sums_up_or_was_made(output: str) -> None:
    assert outcome_line(output) == CASES[output]


@pytest.mark.parametrize("state", ["pending", "fail"])
def test_a_command_that_failed_for_a_check_of_several_says_which(state: str) -> None:
    rows = [
        f"{name}\t{state if name == 'Build' else 'pass'}\t0\thttps://a.example/{name}" for name in ("Pages", "Build")
    ]
    assert failure_line("\n".join(["Process exited with code 8", "Output:", *rows])) == rows[1]


@pytest.mark.parametrize("outcome", ["=== 3 passed in 2.10s ===", "[main 45ffe0a] Release v0.8.0"])
@pytest.mark.parametrize("target", [500, 700])
def test_a_result_that_is_cut_keeps_it(outcome: str, target: int) -> None:
    rows = "\n".join(f"row {n} of region_{n * 7} went to table_{n * 31}" for n in range(60))
    records = [user("Please release it.")]
    for n in range(8):
        records += [assistant(f"I look at part {n}.", f"c{n}"), result(f"c{n}", rows.replace("row", f"part {n}"))]
    run = assistant("Now all of it.", ("last", "bash", {"command": "make release"}))
    records += [run, result("last", f"{rows}\n{outcome}\n{rows}")]
    kept = compact(records, target_tokens=target, strategy="adaptive").messages[-1].text()
    assert outcome in kept
    assert "left out" in kept
