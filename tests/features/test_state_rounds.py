"""The block in a summary, and the state over several rounds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from compactor_cli.features.work.state import compute_state
from compactor_cli.summary_text.state_block import state_lines, state_text, unlisted_counts, unlisted_text
from compactor_cli.summary_text.state_line import StateLine
from tests.builders import load
from tests.features.working import FAILS, Session

TRANSCRIPTS = Path(__file__).resolve().parents[3] / "shared" / "transcripts"

COMMITTED = re.compile(r"^\[[\w/.-]+ ([0-9a-f]{7,10})\] (.*)\n \d+ files? changed", re.MULTILINE)

AMENDED = {"805f7b2c"}
"""Commits that a later one replaced."""

words = st.text(alphabet="abcXYZ019 .:/-_()[]#'\"x>,&|é令", min_size=1, max_size=30).map(
    lambda text: " ".join(text.split())
)
kinds = st.sampled_from(["task", "error", "effect", "check", "file", "pending"])
lines = st.lists(st.builds(StateLine, kinds, words, st.integers(-1, 50), st.booleans()), max_size=8)

STEPS = [
    lambda s: s.edits("/w/src/a.py"),
    lambda s: s.edits("/w/src/b.py", "<tool_use_error>String to replace not found.</tool_use_error>"),
    lambda s: s.runs("rm /w/src/b.py"),
    lambda s: s.calls("Write", "created", file_path="/w/src/a.py", content="x"),
    lambda s: s.runs("cd /w && pytest -q", "3 passed"),
    lambda s: s.runs("cd /w && pytest -q", "E  KeyError: 'a'\nFAILED t/test_a.py::x\nFAILED t/test_b.py::y\n2 failed"),
    lambda s: s.runs("pytest -q t/test_a.py", "1 passed"),
    lambda s: s.runs("ruff check . && mypy .", FAILS + "Found 1 error"),
    lambda s: s.runs("mypy .", "Success: no issues found"),
    lambda s: s.runs("make build | tail -1", "…"),
    lambda s: s.runs("make build", FAILS + "a.c:1:2: error: no"),
    lambda s: s.runs("python run.py", FAILS + "ValueError: no: way (here)"),
    lambda s: s.runs("python run.py", "fine"),
    lambda s: s.runs('git commit -m "Fix: all (of it)"', "[main 1a2b3c4] Fix"),
    lambda s: s.runs('git commit --amend -m "Fix: more"', "[main 5d6e7f8] Fix: more"),
    lambda s: s.runs("git reset --soft HEAD~1"),
    lambda s: s.runs("git reset HEAD~2", "Unstaged changes after reset:"),
    lambda s: s.runs("git push", FAILS + " ! [rejected] main -> main"),
    lambda s: s.runs("git push", "  1..2 main -> main"),
    lambda s: s.calls("book_reservation", "Error: payment: no", user_id="mia", cabin="economy"),
    lambda s: s.calls("book_reservation", '{"reservation_id": "K1"}', user_id="mia", cabin="economy"),
    lambda s: s.calls("update_seats", "Error: full: no", reservation_id="K1", seats=["1A", "1B"]),
    lambda s: s.calls("update_seats", "{}", reservation_id="K1", seats=["2A", "2B"]),
    lambda s: s.runs("gh pr edit 7 --title x", FAILS + "GraphQL: no"),
    lambda s: s.runs("gh api -X PATCH repos/o/r/pulls/7 -f title=x", "{}"),
    lambda s: s.runs("bd update av-1 --status done --append-notes 'a note that is too long to be told whole'", "ok"),
    lambda s: s.calls("TodoWrite", todos=[{"content": "Fix (it)", "status": "pending"}]),
    lambda s: s.calls("TodoWrite", todos=[{"content": "Fix (it)", "status": "completed"}]),
    lambda s: s.calls("TaskCreate", "Task #1 created", subject="Look"),
    lambda s: s.calls("TaskUpdate", "Updated task #1", taskId="1", status="completed"),
    lambda s: s.asks("And now?").answers("Well."),
]  # fmt: skip
work = st.lists(st.sampled_from(STEPS), min_size=1, max_size=14)


def test_the_block_has_its_marks_at_the_first_column():
    session = Session().runs("pytest -q", "2 passed").runs('git commit -m "Fix"', "[main 1a2b3c4] Fix")
    session.calls("TodoWrite", todos=[{"content": "Ship", "status": "pending"}]).edits("src/a.py")
    assert state_text(session.state()) == (
        "State at the end:\n- [ ] Ship\n- passed: pytest -q (before the last edits)\n"
        '- git commit "Fix" (1a2b3c4)\n- edited src/a.py, unchecked'
    )


def test_nothing_to_say_is_no_block():
    assert state_text([]) == ""
    assert state_lines("") == ()


@given(lines, words)
def test_what_is_written_is_read_back(given_lines, around):
    text = state_text(given_lines)
    read_back = state_lines(f"## Session Summary\n- {around}\n{text}\n\n- {around}")
    assert sorted(read_back) == sorted(line.text for line in given_lines)


@given(work)
def test_a_state_that_nothing_followed_stays_as_it_is(steps):
    session = Session()
    for step in steps:
        step(session)
    texts = [line.text for line in session.state()]
    carried = compute_state((), state_lines(state_text(session.state())))
    assert [line.text for line in carried] == texts
    assert all(line.message < 0 for line in carried)


@given(work, work)
@example([STEPS[0], STEPS[10]], [STEPS[9]])  # edited, a check failed, and then it did not say how it ended
@example([STEPS[28], STEPS[29], STEPS[28]], [STEPS[29]])  # a number that was given to a second task
@example([STEPS[0], STEPS[5]], [STEPS[6]])  # edited, two tests failed, and the one of that file passed
@example([STEPS[5], STEPS[0], STEPS[10]], [STEPS[9]])  # a build failed after the edit, a test before it
@example([STEPS[0], STEPS[5], STEPS[10]], [STEPS[9]])  # both failed after it
@example([STEPS[4], STEPS[0]], [STEPS[8]])  # a pass before the edit, and one of another kind behind it
@example([STEPS[0], STEPS[4]], [STEPS[8]])  # tests passed behind the edit, and then a linter
@example([STEPS[3], STEPS[4], STEPS[7]], [STEPS[8]])  # and then a linter that had failed before
@example([STEPS[0], STEPS[8], STEPS[10]], [STEPS[9]])  # a pass that a failed check of another kind had hidden
@example([STEPS[6], STEPS[3]], [STEPS[9]])  # a pass of one file, and then another file was written
@example([STEPS[0], STEPS[6], STEPS[10]], [STEPS[9]])  # a hidden pass of one file only: less is said
def test_two_rounds_say_what_one_says(first, second):
    """But for the order among lines of the same worth, for errors that only one round knows to be given up, and for the
    pass of a check that a failed one of another kind had hidden, where the state does not tell that it was of all."""
    before, after, whole = (Session().runs("cd /w && ls", "src") for _ in range(3))
    for step in first:
        step(before), step(whole)
    for step in second:
        step(after), step(whole)
    del after.records[0]  # the user does not speak again
    two = {line.text for line in after.state(state_lines(state_text(before.state())))}
    one = {line.text for line in whole.state()}
    hidden = {line for line in one - two if line.endswith(" passed after") and line.rpartition(", ")[0] in two}
    assert two - {line.rpartition(", ")[0] for line in hidden} == one - hidden


def test_newer_facts_overtake_older_ones():
    earlier = (
        "[ ] Ship",
        "open error: KeyError: 'a' (pytest -q)",
        "open error: ValueError: b (python run.py)",
        "open error: String to replace not found. (edit of src/b.py)",
        "failed: git push: ! [rejected]",
        "failing: pytest -q: tests/test_a.py::test_x, test_y",
        "[x] Fix",
        "edited src/a.py 3x, unchecked",
        "created src/c.py, edited 2x, unchecked",
    )
    session = Session().calls("TodoWrite", todos=[{"content": "Rest", "status": "pending"}])
    session.runs("python run.py", "fine").edits("src/b.py").edits("src/a.py").runs("pytest -q", "9 passed")
    session.runs("git push", "  1..2 main -> main")
    assert session.texts(earlier=earlier) == [
        "[ ] Rest",
        "git push",
        "passed: pytest -q",
        "edited src/a.py 4x, tests passed after",
        "edited src/b.py, tests passed after",
        "created src/c.py, edited 2x, tests passed after",
    ]


def test_a_file_named_from_the_root_is_the_one_of_an_earlier_round():
    session = Session().edits("/home/sam/work/src/a.py")
    assert session.texts(earlier=["edited src/a.py 3x, unchecked"]) == ["edited src/a.py 4x, unchecked"]


def test_a_task_of_an_earlier_round_is_done_by_its_number():
    session = Session().calls("TaskUpdate", "Updated task #2", taskId="2", status="completed")
    assert session.texts(earlier=["[>] Fix (task 2)", "[ ] Test (task 3)"]) == ["[ ] Test (task 3)", "[x] Fix (task 2)"]


def test_what_was_in_flight_is_not_any_more():
    earlier = ("in flight: Bash make test",)
    assert [line.text for line in compute_state((), earlier)] == list(earlier)
    assert Session().answers("It passed.").texts(earlier=earlier) == []


@pytest.mark.drawn(3)
@pytest.mark.skipif(not TRANSCRIPTS.is_dir(), reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("name", ["openai-long", "claude-code", "codex"])
def test_every_commit_of_real_sessions_is_said_and_states_stay_as_they_are(name):
    commits = 0
    for path in sorted((TRANSCRIPTS / name).rglob("*.jsonl")):
        for transcript in load(path.read_bytes()).transcripts:
            state = compute_state(transcript.messages)
            texts = [line.text for line in state]
            assert [line.text for line in compute_state((), state_lines(state_text(state)))] == texts, path.name
            results = [part.text for message in transcript.messages for part in message.results]
            made_anew = max((at for at, text in enumerate(results) if "Successfully rebased" in text), default=-1)
            found = {(*found, at) for at, text in enumerate(results) for found in COMMITTED.findall(text)}
            for made, title, at in {each for each in found if each[0] not in AMENDED}:
                said = [text for text in texts if text.startswith("git commit") and title[:40] in text]
                commits += 1
                assert said, (path.name, made)
                assert at < made_anew or any(f"({made})" in text for text in said), (path.name, made)
    assert commits


@given(st.dictionaries(st.sampled_from(["task", "pending", "error", "check", "effect", "file"]), st.integers(1, 900)))
def test_what_has_no_room_is_counted_and_read_back(counts):
    assert unlisted_counts(unlisted_text(counts)) == counts


def test_what_earlier_rounds_had_no_room_for_is_still_counted():
    earlier = ["edited src/a.py", "not listed: 2 more checks, 7 more changed files", "not listed: 1 more changed file"]
    texts = Session().edits("src/b.py").texts(earlier=earlier)
    assert texts[-1] == "not listed: 2 more checks, 8 more changed files"
    assert not any(line.startswith("not listed") for line in texts[:-1])
