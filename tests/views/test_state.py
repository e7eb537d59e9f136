"""What was done and what is open: calls with their results, lines that say so, the agent's list."""

from __future__ import annotations

from typing import Any

import pytest

from tests.pipeline.sessions import Json, assistant, result, user
from tests.views.sessions import edit, judged, lost, tool

CANCEL = tool("cancel_reservation", '{"status": "cancelled"}', reservation_id="JG7FMM")
COMMIT = tool("Bash", "[main fa66f66] Fix the ends", command='git add -A && git commit -q -m "Fix the ends of months"')


def shown(done: list[Json], after: list[Json]) -> bool:
    """Whether an output shows the one effect of a session as done."""
    found = judged([user("Do it."), *done, assistant("Fine.")], after)["effects"]
    assert found.total == 1
    return found.kept == 1


@pytest.mark.parametrize(
    ("done", "line", "expected"),
    [
        (edit("/home/u/src/tills/days.py"), "- `src/tills/days.py` edited (3x) [#4]", True),
        (edit("/home/u/src/tills/days.py"), "#4 Edit: /home/u/src/tills/days.py", True),
        (edit("/home/u/src/tills/days.py"), "Files changed:\n- days.py", True),
        (edit("/home/u/src/tills/days.py"), "### Pending\n- days.py edited", False),
        (edit("/home/u/src/tills/days.py"), "The file src/tills/days.py was read.", False),
        (edit("/home/u/src/tills/days.py"), "I will edit src/tills/days.py.", False),
        (edit("/home/u/src/tills/days.py"), "tests/tills/days.py was edited.", False),
        (tool("Bash", "", command="cat > out/a.txt <<EOF\nrm b.txt\nEOF"), "#4 Bash: cat > out/a.txt", True),
        (tool("Bash", "", command="cat > out/a.txt <<EOF\nrm b.txt\nEOF"), "#4 Bash: cat out/a.txt", False),
        (tool("Bash", "", command="rm pkg/eval/a.py"), "- deleted pkg/eval", True),
        (tool("Bash", "", command="rm pkg/eval/a.py"), "- edited pkg/eval", False),
        (edit("pkg/eval/a.py"), "- deleted pkg/eval", False),
        (CANCEL, "JG7FMM has been cancelled.", True),
        (CANCEL, '#52 cancel_reservation: {"reservation_id": "JG7FMM"}', True),
        (CANCEL, "Shall JG7FMM be cancelled?", False),
        (CANCEL, "The user wants JG7FMM cancelled.", False),
        (CANCEL, "LQ940Q has been cancelled.", False),
        (CANCEL, "The bookings are JG7FMM and LQ940Q.", False),
        (COMMIT, "Committed: Fix the ends of months", True),
        (COMMIT, '#47 Bash: git add -A && git commit -q -m "Fix the ends of months"', True),
        (COMMIT, "#48 → [main fa66f66] Fix the ends of months", True),
        (COMMIT, "Fix the ends of months", False),
        (tool("Bash", "ok", command="git push origin main"), "The branch main was pushed.", True),
        (tool("Bash", "ok", command="git push origin main"), "The branch main has to be pushed, please.", False),
        (tool("Bash", "ok", command="gh pr create --title 'Ends of months'"), "Opened a PR: Ends of months", True),
    ],
)
def test_a_line_shows_an_effect_by_its_verb_or_tool_and_what_it_was_done_to(
    done: list[Json], line: str, expected: bool
) -> None:
    assert shown(done, [assistant(line)]) is expected


def test_a_call_with_a_masked_result_shows_what_it_did_and_one_without_any_does_not() -> None:
    call, answer = CANCEL
    assert shown(CANCEL, [call, {**answer, "content": "[… 22 characters left out · ctx_00000000]"}])
    assert not shown(CANCEL, [call])
    assert not shown(CANCEL, [answer])


def test_a_call_whose_arguments_were_cut_shows_what_they_still_name() -> None:
    cut = tool("cancel_reservation", "ok", reservation_id="JG7FMM", reason="[… 90 characters left out]")
    assert shown(CANCEL, cut)
    assert not shown(CANCEL, tool("cancel_reservation", "ok", reservation_id="[… left out]"))


@pytest.mark.parametrize(
    "said",
    ["I see JG7FMM as cancelled", "I see JG7FMM as cancelled. The other one stays.", "JG7FMM: cancelled\nGo on."],
)
def test_what_the_user_says_is_no_evidence_that_it_was_done(said: str) -> None:
    before = [user(said), *CANCEL]
    for after in ([user(said)], [assistant("\n".join(f"#0 user: {line}" for line in said.split("\n")))]):
        assert lost(before, after, "effects") == ["cancel_reservation: JG7FMM"]
    assert lost(before, [user(said), assistant("JG7FMM has been cancelled.")], "effects") == []


@pytest.mark.parametrize(
    "call",
    [
        edit("a.py", "<tool_use_error>String to replace not found</tool_use_error>"),
        tool("Bash", "Exit code: 1\nrejected", command="git push"),
        tool("Bash", "ok", command="git push --dry-run"),
        tool("Bash", "ok", command="git status && grep 'rm a.py' notes.md > /dev/null"),
        tool("Read", "text", file_path="a.py"),
        tool("str_replace_based_edit_tool", "text", path="a.py", command="view"),
        tool("get_order_details", "{}", order_id="1"),
        tool("TodoWrite", "ok", todos=[{"content": "x", "status": "pending"}]),
    ],
)
def test_what_failed_only_looked_or_is_a_note_has_no_effect(call: list[Json]) -> None:
    found = judged([user("Do it."), *call], [])
    assert (found["effects"].total, found["files"].total) == (0, 0)


@pytest.mark.parametrize(
    ("call", "effects"),
    [
        (tool("Write", "ok", file_path="a.py", content="x"), ["Write: a.py"]),
        (
            tool("apply_patch", "Done", input="*** Begin Patch\n*** Add File: b.py\n+x\n*** End Patch"),
            ["apply_patch: b.py"],
        ),
        (tool("Bash", "", command="sed -i 's/a/b/' x/y.py; mv q.txt z.txt"), ["Bash: x/y.py", "Bash: z.txt"]),
        (tool("mcp__mail__send_email", "sent", to="ada@example.org", body="Hi"), ["send_email: ada@example.org"]),
        (tool("book_reservation", '{"reservation_id": "HATHAT"}', user_id="mia"), ["book_reservation: HATHAT"]),
        (tool("Bash", "ok", command="npm publish"), ["npm publish"]),
    ],
)
def test_effects_are_read_from_calls(call: list[Json], effects: list[str]) -> None:
    assert lost([user("Do it."), *call], [], "effects") == effects


def test_the_same_thing_done_twice_is_one_effect_at_its_last_place() -> None:
    before = [user("Do it."), *edit("a.py", id="c1"), *edit("a.py", id="c2")]
    assert judged(before, [])["effects"].lost == ((3, "Edit: a.py"),)


def test_a_changed_file_survives_where_it_is_named_as_itself() -> None:
    before = [user("Do it."), *edit("/w/src/index.ts", id="c1"), *edit("/w/lib/index.ts", id="c2")]
    assert lost(before, [assistant("See src/index.ts.")], "files") == ["/w/lib/index.ts"]
    assert lost(before, [assistant("See index.ts.")], "files") == ["/w/src/index.ts", "/w/lib/index.ts"][::-1]


def todo(**status: str) -> dict[str, Any]:
    return {"todos": [{"content": f"{name} the parser", "status": state} for name, state in status.items()]}


def test_unfinished_items_of_the_last_list_are_open() -> None:
    before = [
        user("Go."),
        *tool("TodoWrite", "ok", "t1", **todo(Read="pending", Mend="pending", Test="pending")),
        *tool("TodoWrite", "ok", "t2", **todo(Read="completed", Mend="in_progress", Test="pending")),
        assistant("On it."),
    ]
    assert lost(before, [assistant("On it.")], "open_items") == ["Mend the parser", "Test the parser"]
    assert lost(before, [assistant("- [ ] Test the parser (pending)")], "open_items") == ["Mend the parser"]
    assert judged(before, before)["open_items"].percent == 100


def test_tasks_that_are_made_and_closed_one_by_one_are_open_until_then() -> None:
    before = [
        user("Go."),
        *tool("TaskCreate", "Task #1 created successfully: Mend the parser", "t1", subject="Mend the parser"),
        *tool("TaskCreate", "Task #2 created successfully: Test the parser", "t2", subject="Test the parser"),
        *tool("TaskUpdate", "Updated task #1 status", "t3", taskId="1", status="completed"),
        assistant("On it."),
    ]
    assert lost(before, [], "open_items") == ["Test the parser"]


def test_a_last_request_without_an_answer_is_open() -> None:
    asked = user("Now write the changelog. Keep it below ten lines.")
    before = [user("Mend it."), assistant("Mended."), asked]
    assert judged(before, [asked])["open_items"].percent == 100
    cut = user("Now write the changelog.")
    assert judged(before, [cut])["open_items"].lost == ((2, "Now write the changelog."),)
    assert judged([*before, assistant("Here.")], [])["open_items"].total == 0


def test_a_call_in_flight_is_open_and_one_that_was_left_behind_is_not() -> None:
    flying = assistant("Two more.", ("c1", "Bash", {"command": "make verify-all"}), ("c2", "Bash", {"command": "ls"}))
    before = [user("Go."), flying, result("c2", "a.py")]
    assert lost(before, [user("Go.")], "open_items") == ["Bash: make verify-all"]
    assert lost(before, [flying], "open_items") == []
    assert judged([*before, user("Never mind."), assistant("Fine.")], [])["open_items"].total == 0
