"""The state of a session: tasks, errors, effects, files, and what is pending."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.features.after_request import answers_before_turns
from compactor_cli.features.work.state import compute_state
from compactor_cli.model.message import NO_RESPONSE
from tests.builders import (
    ClaudeSession,
    assistant,
    call,
    calling_message,
    read_records,
    result,
    text_block,
    tool_use,
    user,
)
from tests.features.working import FAILS, Session

KEYS = ("command", "cmd", "path", "file_path", "todos", "plan", "status", "content", "taskId", "subject", "id", "title")
TOOLS = ("bash", "Edit", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "update_plan", "create_issue", "think")
SAID = (
    "",
    "Error: no",
    '{"success": false}',
    "Task #1 created",
    "#1. [pending] x",
    "Process running with session ID 3",
)
TODOS = [
    {"content": "Fix rounding", "status": "completed", "activeForm": "Fixing"},
    {"content": "Add the tests", "status": "in_progress", "activeForm": "Adding"},
    {"content": "Update the changelog", "status": "pending", "activeForm": "Updating"},
    {"content": "Rewrite it in Rust", "status": "cancelled", "activeForm": "Rewriting"},
]
OPEN_FIRST = ["[>] Add the tests", "[ ] Update the changelog", "[x] Fix rounding"]

PLANS: dict[str, dict[str, Any]] = {
    "TodoWrite": {"todos": TODOS},
    "update_plan": {
        "explanation": "Next",
        "plan": [{"step": item["content"], "status": item["status"]} for item in TODOS],
    },
    "manage_todo_list": {
        "operation": "write",
        "todoList": [
            {"id": at, "title": item["content"], "status": item["status"].replace("_", "-")}
            for at, item in enumerate(TODOS)
        ],
    },
    "write_todos": {"todos": [{"description": item["content"], "status": item["status"]} for item in TODOS]},
    "task_tracker": {
        "command": "plan",
        "task_list": [
            {"title": "Fix rounding", "status": "done"},
            {"title": "Add the tests", "status": "in_progress"},
            {"title": "Update the changelog", "status": "todo"},
        ],
    },
    "TodoWrite as a text": {
        "todos": "1. [completed] Fix rounding\n2. [in_progress] Add the tests\n3. [pending] Update the changelog"
    },
    "update_todo_list": {"todos": "[x] Fix rounding\n[-] Add the tests\n[ ] Update the changelog"},
    "todo": {"todos": json.dumps(TODOS)},
    "update_progress": {"task_progress": "- [x] Fix rounding\n- [>] Add the tests\n- [ ] Update the changelog"},
}


def without_numbers(texts):
    return [text.partition(" (task ")[0] for text in texts]


@pytest.mark.parametrize("tool", PLANS)
def test_the_task_list_is_said_word_for_word_with_what_is_open_first(tool):
    assert without_numbers(Session().calls(tool, "Updated", **PLANS[tool]).texts("task")) == OPEN_FIRST


def test_only_the_last_list_counts():
    session = (
        Session().calls("TodoWrite", todos=TODOS).calls("TodoWrite", todos=[{"content": "Ship", "status": "pending"}])
    )
    assert session.texts("task") == ["[ ] Ship"]


def test_tasks_are_followed_by_their_numbers():
    session = Session()
    session.calls("TaskCreate", "Task #1 created successfully: Fix", subject="Fix", description="…")
    session.calls("TaskCreate", "Task #2 created successfully: Test", subject="Test", description="…")
    session.calls("TaskCreate", "Task #3 created successfully: Drop", subject="Drop", description="…")
    session.calls("TaskUpdate", "Updated task #1 status", taskId="1", status="completed")
    session.calls("TaskUpdate", "Updated task #2 status", taskId="2", status="in_progress")
    session.calls("TaskUpdate", "Deleted", taskId="3", status="deleted")
    assert session.texts() == ["[>] Test (task 2)", "[x] Fix (task 1)"]


def test_a_listing_of_tasks_replaces_the_list():
    session = Session().calls("TaskList", "#1. [completed] Fix\n#2. [pending] Test [blocked by #1]")
    assert session.texts() == ["[ ] Test (task 2)", "[x] Fix (task 1)"]


def test_a_list_that_is_merged_keeps_the_other_tasks():
    session = Session().calls("todo_write", merge=False, todos=[{"id": "a", "content": "Fix", "status": "pending"}])
    session.calls("todo_write", merge=True, todos=[{"id": "b", "content": "Test", "status": "pending"}])
    session.calls("todo_write", merge=True, todos=[{"id": "a", "status": "completed"}])
    assert without_numbers(session.texts()) == ["[ ] Test", "[x] Fix"]


def test_a_list_of_numbers_and_states_changes_those_tasks_only():
    session = Session().calls("create_todo_list", todos=[{"id": at, "content": at, "status": "pending"} for at in "ab"])
    session.calls("update_todo_list", updates=[{"id": "a", "status": "completed"}])
    assert session.texts() == ["[ ] b (task b)", "[x] a (task a)"]
    assert session.calls("todo_update", id="b", status="in_progress").texts("task")[0] == "[>] b (task b)"


def test_what_is_added_to_a_list_leaves_the_rest():
    session = Session().calls("TodoWrite", todos=[{"content": "Fix", "status": "completed"}])
    session.calls("add_tasks", tasks=[{"name": "Test", "description": "Write them first."}])
    assert session.texts("task") == ["[ ] Test", "[x] Fix"]


def test_a_dash_is_of_what_was_dropped_where_something_else_is_of_what_is_at_work():
    session = Session().calls("update_plan", plan="- [/] Fix\n- [-] Rewrite\n- [note] not a task\n- [ ] Test")
    assert session.texts("task") == ["[>] Fix", "[ ] Test"]


def test_tasks_may_be_rows_of_a_table():
    rows = "('fix-it', 'Fixing it''s rounding', 'a, (b)'), ('test', 'Testing; all', ''), ('docs', 'Writing', '')"
    session = Session().calls(
        "sql",
        "3 rows inserted",
        description="Plan",
        query=f"INSERT INTO todos (id, title, description) VALUES {rows}; -- x\nINSERT INTO todo_deps VALUES ('a', '')",
    )
    assert session.texts() == [
        "[ ] Fixing it's rounding (task fix-it)",
        "[ ] Testing; all (task test)",
        "[ ] Writing (task docs)",
    ]
    session.calls("sql", "1 row", query="UPDATE todos SET status = 'done', updated_at = now() WHERE id IN ('fix-it')")
    session.calls(
        "sql",
        "1 row",
        query="UPDATE todos SET status = 'in_progress' WHERE id = 'test'; DELETE FROM todos WHERE id = 'docs'",
    )
    session.calls("sql", "a", query="SELECT * FROM todos WHERE status = 'done'")
    session.calls("sql", "Error: locked", query="DELETE FROM todos")
    session.calls("execute_sql", "ok", query="DELETE FROM todos")
    assert session.texts("task") == ["[>] Testing; all (task test)", "[x] Fixing it's rounding (task fix-it)"]
    assert Session().calls("sql", "ok", query="UPDATE todos SET status = 'done' WHERE status = 'in_progress'").texts(
        "task", session.texts("task")
    ) == ["[x] Testing; all (task test)", "[x] Fixing it's rounding (task fix-it)"]
    assert session.calls("sql", "2 rows", query="DELETE FROM todos").texts("task") == []


def test_an_emptied_list_is_empty():
    assert Session().calls("TodoWrite", todos=TODOS).calls("TodoWrite", todos=[]).texts() == []


def test_progress_may_come_with_any_call():
    session = Session().calls(
        "execute_command", "exit code: 0", command="pytest", task_progress="- [x] Fix\n- [ ] Ship"
    )
    assert session.texts() == ["[ ] Ship", "passed: pytest", "[x] Fix"]


def test_what_another_agent_is_asked_is_no_list_of_this_one():
    assert Session().calls("Task", "Done.", prompt="Do this:\n- [ ] One\n- [ ] Two").texts("task") == []


def test_a_plan_that_was_refused_is_no_plan():
    assert Session().calls("TodoWrite", "<tool_use_error>Invalid input</tool_use_error>", todos=TODOS).texts() == []


def test_long_tasks_are_cut():
    (text,) = Session().calls("TodoWrite", todos=[{"content": "long " * 80, "status": "pending"}]).texts()
    assert text.endswith("…") and len(text) == 204


# files


def test_paths_are_shortened_as_far_up_as_calls_name_them():
    session = (
        Session().calls("read_file", "x", path="shop/tests/test_a.py").edits("/home/sam/work/shop/tests/test_a.py")
    )
    assert session.texts() == ["edited shop/tests/test_a.py, unchecked"]


def test_a_file_is_said_once_with_its_last_action_and_whether_a_check_passed():
    session = Session().edits("src/a.py").edits("src/a.py").runs("pytest -q", "3 passed").edits("src/b.py")
    assert session.texts("file") == ["edited src/b.py, unchecked", "edited src/a.py 2x, tests passed after"]


def test_a_file_whose_check_fails_says_so_until_one_passes():
    session = Session().calls("Write", "File created", file_path="a.py", content="x").runs("pytest -q", "1 failed")
    assert session.texts("file") == ["created a.py, tests failed after"]
    assert session.runs("pytest -q", "1 passed").texts("file") == ["created a.py, tests passed after"]


def test_each_file_of_a_patch_has_its_line_and_files_that_are_only_read_have_none():
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: src/new.py\n+z\n*** End Patch"
    session = Session().calls("Read", "x", file_path="src/b.py").calls("apply_patch", input=patch)
    assert session.texts() == ["created src/new.py, unchecked", "edited src/a.py, unchecked"]


def test_a_failed_edit_changes_nothing_and_is_open_until_the_file_is_changed():
    session = Session().edits("src/a.py", "<tool_use_error>String to replace not found.</tool_use_error>")
    assert session.texts() == ["open error: String to replace not found. (edit of src/a.py)"]
    assert session.edits("src/a.py").texts() == ["edited src/a.py, unchecked"]


def test_paths_are_said_from_the_folder_where_commands_run():
    session = Session().runs("cd /home/sam/work && ls", "src")
    session.edits("/home/sam/work/src/a.py").edits("/etc/hosts").runs("rm /home/sam/work/src/old.py")
    assert session.texts("file") == ["edited /etc/hosts, unchecked", "edited src/a.py, unchecked", "deleted src/old.py"]


def test_without_commands_paths_keep_their_last_two_parts():
    session = Session().edits("/home/sam/work/src/a.py").edits("/home/sam/work/src/b.py")
    assert session.texts("file") == ["edited src/b.py, unchecked", "edited src/a.py, unchecked"]


# effects


@pytest.mark.parametrize(
    ("command", "said", "expected"),
    [
        ('git commit -m "Fix rounding"', "[main 1a2b3c4] Fix rounding", 'git commit "Fix rounding" (1a2b3c4)'),
        ("git commit --amend --no-edit", "[main 1a2b3c4] Fix it", 'git commit --amend "Fix it" (1a2b3c4)'),
        ("git add . && git commit -qm Fix && git push", "", 'git commit "Fix"'),
        ("git commit -m 'Add \"x\"' | cat", "[main 1a2b3c4] Add", 'git commit "Add "x"" (1a2b3c4)'),
        ("git push origin main", "To x\n   1..2  main -> main", "git push origin main"),
        ("git -C /w tag v1.2.0", "", "git tag v1.2.0"),
        ('gh pr create --title "Fix it" --body b', "https://github.com/o/r/pull/7", ('gh pr create "Fix it" → '
            'https://github.com/o/r/pull/7')),
        ("gh issue close 12 --comment done", "✓ Closed", "gh issue close 12"),
        ("npm publish --access public", "+ p@1.0.0", "npm publish"),
        ("kubectl apply -f k8s/", "configured", "kubectl apply -f k8s/"),
        ("bd create 'Freeze fixtures' --type task", "Created issue av-19n", "bd create Freeze fixtures --type task"),
        ("linear issue close ENG-7", "Closed", "linear issue close ENG-7"),
        ("curl -X POST https://api.example.com/v1 -d '{}'", "{}", "curl POST https://api.example.com/v1"),
    ],
)  # fmt: skip
def test_commands_that_act_are_said_with_what_they_act_on(command, said, expected):
    assert expected in Session().runs(command, said).texts("effect")


@pytest.mark.parametrize(
    "command",
    ["git status", "git log --oneline", "git checkout main", "git push --dry-run", "gh pr view 7", "git tag --list",
     "curl https://example.com", "curl -X POST http://localhost:8000/x", "npm run build", "echo git push",
     "bd list", "python create.py close", "./scripts/run.sh deploy", "npm create vite@latest", "grep -rn create src"],
)  # fmt: skip
def test_commands_that_look_are_no_effects(command):
    assert Session().runs(command, "fine").texts("effect") == []


def test_tools_that_act_are_said_with_the_id_of_their_call_or_of_their_result():
    session = Session()
    session.calls(
        "book_reservation", '{"reservation_id": "K1NW8N", "cabin": "economy"}', user_id="mia_1", cabin="economy"
    )
    session.calls("cancel_reservation", '{"status": "cancelled"}', reservation_id="ABC123")
    session.calls("get_reservation_details", "{}", reservation_id="ABC123")
    assert session.texts() == ["cancel_reservation ABC123", "book_reservation K1NW8N (cabin economy)"]


def test_an_effect_that_failed_is_open_until_it_succeeds():
    session = Session().calls("cancel_reservation", "Error: flight already departed", reservation_id="ABC123")
    (line,) = session.state()
    assert line.text == "failed: cancel_reservation ABC123: Error: flight already departed"
    assert line.open
    assert session.calls("cancel_reservation", "{}", reservation_id="ABC123").texts() == ["cancel_reservation ABC123"]


def test_a_push_that_was_rejected_is_failed_even_when_the_exit_code_is_hidden():
    session = Session().runs("git push | tail -3", " ! [rejected]  main -> main (fetch first)\nerror: failed to push")
    assert session.texts() == ["failed: git push: ! [rejected] main -> main (fetch first)"]
    assert session.runs("git pull --rebase && git push", "   1..2  main -> main").texts() == ["git push"]


def test_a_merge_with_conflicts_is_concluded_by_the_commit():
    session = Session().runs("git merge dev", FAILS + "CONFLICT (content): Merge conflict in a.py")
    assert session.texts() == ["failed: git merge dev: CONFLICT (content): Merge conflict in a.py"]
    assert session.runs("git commit --no-edit", "[main 1a2b3c4] Merge dev").texts() == [
        'git commit "Merge dev" (1a2b3c4)'
    ]


def test_of_a_chain_that_failed_only_what_the_output_shows_is_said():
    session = Session().runs(
        'git commit -m "Fix" && git push && npm publish', FAILS + "[main 1a2b3c4] Fix\nsome failure"
    )
    assert session.texts("effect") == ['git commit "Fix" (1a2b3c4)']


@pytest.mark.parametrize(
    "said",
    [
        "The user doesn't want to proceed with this tool use.",
        "[Operation Cancelled] Reason: User denied execution.",
        "The tool call is rejected by the user. Please follow the new instructions.",
        "<system>ERROR: The tool call is rejected by the user.</system>",
        "exec command rejected by user",
        "The user has declined to run this tool.",
        "The user chose to skip the tool call.",
        "Error: User cancelled operation",
        "Denied by preToolUse hook from hooks.json",
        "Canceled by the user",
        "was rejected by the user",
        "has been declined by user",
        "Reason: rejected by the user",
    ],
)
def test_what_the_user_declined_is_said_so(said):
    assert Session().runs("git push", said).texts() == ["declined: git push"]
    assert Session().edits("a.py", said).texts() == ["declined: edit of a.py"]


@pytest.mark.parametrize(
    "said",
    [
        "The user mia cancelled B1.",
        "B1 was cancelled by the user.",
        "Declined offers: none",
        "Is B1 cancelled by the user?",
    ],
)
def test_what_is_said_of_people_is_not_declined(said):
    assert Session().calls("cancel_booking", said, booking_id="B1").texts() == ["cancel_booking B1"]


@pytest.mark.parametrize(
    "said",
    [
        "Command timed out after 120000ms",
        "Counting objects\n[The command has no new output after 30 seconds. You may wait longer.]\n[Exit code -1]",
        "Command is still running in the user's terminal.",
        "Error: command timed out after 60s",
        "aborted by user after 95.2s",
    ],
)
def test_what_did_not_come_to_its_end_is_neither_done_nor_declined(said):
    session = Session().runs("sed -i s/a/b/ a.py && git push", said)
    assert session.texts() == ["unfinished: git push", "edited a.py, unchecked"]
    assert Session().texts(earlier=session.texts()) == session.texts()
    assert session.runs("git push", "a..b main -> main").texts("effect") == ["git push"]
    assert Session().runs("pytest -q", said).texts() == []


def test_of_what_was_stopped_what_its_output_shows_is_done():
    session = Session().runs("git commit -m Fix && git push", "[main 1a2b3c4] Fix\nCommand timed out after 60s")
    assert session.texts() == ["unfinished: git push", 'git commit "Fix" (1a2b3c4)']


def test_keys_for_a_running_program_are_no_command():
    session = Session().runs("python app.py", "[The command has no new output after 10 seconds.]")
    assert session.calls("execute_bash", "^C\n[exit code 130]", command="C-c", is_input="true").texts() == []


# errors


def test_an_error_is_open_while_no_later_run_of_its_kind_passed():
    session = Session().runs("python reproduce.py", FAILS + "Traceback (most recent call last):\n  x\nKeyError: 'a'")
    assert session.texts() == ["open error: KeyError: 'a' (python reproduce.py)"]
    session.runs("python other.py", "fine")
    assert session.texts() == ["open error: KeyError: 'a' (python reproduce.py)"]
    assert session.runs("python reproduce.py --fast", "fine").texts() == []


RAISES = "Traceback (most recent call last):\n  Cell 4, line 1\nKeyError: 'harbor'"


def test_an_error_in_a_cell_is_open_until_a_cell_of_the_same_tool_runs_well_also_in_a_later_round():
    session = Session().calls("python", RAISES, code="tides['harbor']").calls("notes", "fine", code="x")
    assert session.texts() == ["open error: KeyError: 'harbor' (code of python)"]
    mended = Session().calls("python", "3.2", code="tides['harbors']")
    assert mended.texts(earlier=session.texts()) == []
    assert session.calls("python", "3.2", code="tides['harbors']").texts() == []


def test_the_error_of_a_failing_check_goes_with_it():
    said = "E       KeyError: 'a'\nFAILED tests/test_a.py::test_x\n1 failed"
    session = Session().runs("pytest -q", said)
    assert session.texts() == ["open error: KeyError: 'a' (pytest -q)", "failing: pytest -q: tests/test_a.py::test_x"]
    assert session.runs("pytest -q", "1 passed").texts() == ["passed: pytest -q"]


@pytest.mark.parametrize(
    "command", ["ls nothing", "grep -r x .", "git log nothing", "python -c 'import x'", "gh pr view 9"]
)
def test_looking_around_breaks_nothing(command):
    assert Session().runs(command, FAILS + "Error: nothing here").texts() == []


def test_a_program_of_the_project_may_be_called_like_one_that_looks():
    assert Session().runs("./test", f"{FAILS}Error: no").texts() == ["open error: Error: no (./test)"]
    assert Session().runs("/usr/bin/test -f a.py", f"{FAILS}Error: no").texts() == []


def test_of_several_programs_the_one_that_is_missing_is_told():
    session = Session().runs("cd /w && ponyc a.pony && ./build/a", f"{FAILS}bash: ponyc: command not found")
    assert session.texts() == ["open error: bash: ponyc: command not found (ponyc a.pony)"]
    assert session.runs("bin/ponyc a.pony", "Done").texts() == []


def test_an_error_that_many_calls_passed_over_was_given_up():
    session = Session().runs("python reproduce.py", FAILS + "KeyError: 'a'")
    for _ in range(50):
        session.runs("ls", "a.py")
    assert session.texts() == []


def test_an_error_that_is_indented_or_ends_with_a_carriage_return_is_found():
    session = Session().runs("python build.py", "x\r\n    ValueError: bad total\r\nexit code: 1")
    assert session.texts() == ["open error: ValueError: bad total (python build.py)"]


@pytest.mark.parametrize("letter", ["E", "F"])
def test_a_line_that_only_begins_like_the_error_is_not_it(letter):
    session = Session().runs("make release", f"{FAILS}{letter}\n======\nERROR: test_x (tests.T)\nboom")
    assert session.texts() == ["open error: ERROR: test_x (tests.T) (make release)"]


def test_a_long_error_is_said_as_far_as_it_tells_which_one_it_is():
    said = "ValueError: " + "the total of this row does not match what the ledger says. " * 12
    (text,) = Session().runs("make release", FAILS + said).texts()
    assert text.startswith("open error: ValueError: the total of this row does not match what the ledger says.")
    assert len(text) < 250


# pending


def test_a_call_in_flight_is_pending():
    (line,) = Session().runs("make test", None, tool="Bash").state()
    assert (line.kind, line.text, line.open) == ("pending", "in flight: Bash make test", True)


def test_a_call_that_never_got_its_result_is_not_in_flight_later():
    assert Session().runs("make deploy", None).asks("Never mind.").answers("Fine.").texts() == []


def test_an_intention_that_was_carried_out_is_nowhere():
    session = Session().answers("I'll fix the rounding in src/a.py, then push.").edits("src/a.py")
    session.runs("git push", "   1..2  main -> main").answers("Let me know. Next I will look at the tests.")
    assert session.texts() == ["git push", "edited src/a.py, unchecked"]


def test_finishing_is_not_pending():
    assert Session().calls("finish", None, message="All done.").texts() == []


# all of it


def test_lines_stand_in_the_order_of_worth():
    session = Session().calls("TodoWrite", todos=TODOS).edits("src/a.py").runs("ruff check .", "All checks passed!")
    session.runs("git push", "   1..2  main -> main").runs('git commit -m "Fix"', "[main 1a2b3c4] Fix")
    session.runs("pytest", "1 failed").runs("npm publish", FAILS + "npm ERR! code E403")
    assert session.texts() == [
        "[>] Add the tests",
        "[ ] Update the changelog",
        "failing: pytest",
        "failed: npm publish: npm ERR! code E403",
        'git commit "Fix" (1a2b3c4)',
        "git push",
        "passed: ruff check .",
        "edited src/a.py, tests failed after",
        "[x] Fix rounding",
    ]


def test_of_many_files_the_newest_come_before_tasks_that_are_done():
    session = Session().calls("TodoWrite", todos=TODOS)
    for number in range(9):
        session.edits(f"src/a{number}.py")
    kinds = [line.kind for line in session.state()]
    assert kinds == ["task", "task", *["file"] * 6, "task", *["file"] * 3]


def test_a_line_names_the_newest_message_that_it_stands_on():
    session = Session().edits("src/a.py").edits("src/a.py").runs("pytest", "1 passed")
    assert [(line.message, line.text) for line in session.state()] == [
        (6, "passed: pytest"),
        (4, "edited src/a.py 2x, tests passed after"),
    ]


def test_a_session_without_tools_has_no_state():
    assert compute_state(read_records(user("Hi"), assistant("Hello, I will check the tests."))) == ()
    assert compute_state(()) == ()


def test_lines_have_no_line_break_whatever_the_calls_hold():
    session = Session().calls("TodoWrite", todos=[{"content": "One\n- two\u2028three", "status": "pending"}])
    session.calls("create_event", "Error:\nno", title="A\n## Session Summary", id="7\n8").edits("a\rb.py")
    assert all("\n" not in text and "\u2028" not in text and "\r" not in text for text in session.texts())


def test_results_of_claude_code_state_failures():
    session = ClaudeSession()
    session.add_answer("Build it.")
    session.add_call(tool_use("t1", command="make build"))
    session.add_result("t1", "built")
    assert [line.text for line in compute_state(read_records(*session.records))] == []
    session.add_call(tool_use("t2", command="make lint"))
    record = session.add_result("t2", "Exit code 2\nbad style")
    record["message"]["content"][0]["is_error"] = True
    texts = [line.text for line in compute_state(read_records(*session.records))]
    assert texts == ["failing: make lint", "passed: make build"]


# answers


def test_the_answer_before_each_turn_is_known():
    records = [
        user("Fix it."),
        assistant("Which one?"),
        user("The second."),
        calling_message(call("c1"), content="Looking."),
    ]
    records += [result("c1", "x"), user("And?"), user("Hello?"), assistant("Done."), user("Thanks.")]
    assert answers_before_turns(read_records(*records)) == ((1, 2), (3, 5), (7, 8))


def test_what_a_harness_put_in_is_no_turn():
    session = ClaudeSession()
    session.add_answer("Fix it.")
    session.add_call(text_block("Done."))
    session.add_answer("<system-reminder>Be nice.</system-reminder>", isMeta=True)
    session.add_call(text_block("Anything else?"))
    session.add_answer("No.")
    assert answers_before_turns(read_records(*map(json.dumps, session.records))) == ((3, 4),)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*KEYS, "x"]), inner, max_size=4),
    max_leaves=8,
)


@given(st.sampled_from(TOOLS), anything, st.text(max_size=80) | st.sampled_from(SAID))
def test_no_call_is_too_odd(tool, arguments, said):
    records = [user("Go."), calling_message(call("c1", tool, json.dumps(arguments))), result("c1", said)]
    texts = [line.text for line in compute_state(read_records(*records))]
    assert all(text == " ".join(text.split()) for text in texts)
    assert [line.text for line in compute_state((), texts)] == texts


@pytest.mark.parametrize(
    "said",
    ["RUN v3\n\nCommand aborted", "ran\n\nCommand timed out after 30 seconds", "EXECUTION TIMED OUT. COMMAND: x"],
)
def test_a_check_that_did_not_come_to_its_end_has_neither_passed_nor_failed(said):
    assert Session().runs("npm test -- a.test.ts", said).texts() == []
    assert Session().runs("npm test -- a.test.ts", "12 passed").texts() == ["passed: npm test -- a.test.ts"]


def test_a_look_into_a_folder_without_git_is_no_open_error():
    assert Session().runs("git -C /srv/site rev-parse HEAD", f"{FAILS}fatal: not a git repository").texts() == []
    assert Session().runs("git -C /srv/site merge topic", f"{FAILS}fatal: not a git repository").texts() != []


@pytest.mark.parametrize(
    "command",
    ["git checkout -- src/a.py", "git checkout src/a.py", "git restore src/a.py", "git checkout src/", "git restore ."],
)
def test_a_change_that_was_taken_back_stands_no_more(command):
    session = Session().edits("/w/src/a.py").edits("/w/src/a.py").runs(f"cd /w && {command}")
    assert session.texts() == ["restored src/a.py"]
    assert Session().texts(earlier=session.texts()) == ["restored src/a.py"]
    assert session.edits("/w/src/a.py").texts() == ["edited src/a.py, unchecked"]


@pytest.mark.parametrize(
    "command",
    ["git checkout main", "git checkout -b fix/a", "git checkout release/2.x", "git restore --staged src/a.py"],
)
def test_another_branch_takes_no_change_back(command):
    assert Session().edits("/w/src/a.py").runs(f"cd /w && {command}").texts("file") == ["edited src/a.py, unchecked"]


def test_an_edit_that_the_user_refused_is_said_until_it_is_made():
    refused = "The user doesn't want to proceed with this tool use. The tool use was rejected"
    session = Session().runs("cd /w && ls", "src").edits("/w/src/a.py", refused)
    assert session.texts() == ["declined: edit of src/a.py"]
    assert Session().texts(earlier=session.texts()) == ["declined: edit of src/a.py"]
    assert Session().edits("src/a.py").texts("effect", earlier=session.texts()) == []
    assert session.edits("/w/src/a.py").texts() == ["edited src/a.py, unchecked"]


def test_an_open_error_is_given_up_though_rounds_are_short():
    error = ["open error: fatal: no such ref (git merge topic)"]
    session = Session()
    for n in range(25):
        session.calls("Read", "text", file_path=f"/w/{n}.py")
        assert session.texts("error", earlier=error) == (error if n < 20 else [])


def test_an_edit_without_a_result_is_unfinished_until_the_file_is_changed() -> None:
    session = Session().edits("src/cart.py", NO_RESPONSE)
    assert session.texts() == ["unfinished: edit of src/cart.py"]
    assert compute_state(Session().messages, session.texts())[0].text == "unfinished: edit of src/cart.py"
    assert session.edits("src/cart.py").texts() == ["edited src/cart.py, unchecked"]


@pytest.mark.parametrize(
    "command", ["rm src/cart.py", "rm -f src/cart.py && ls src", "rm -rf src", "rm /work/shop/src/cart.py"]
)
def test_a_file_that_was_deleted_since_has_no_unfinished_edit(command: str) -> None:
    session = Session().edits("src/cart.py", NO_RESPONSE)
    assert "unfinished: edit of src/cart.py" in session.texts()
    assert "unfinished: edit of src/cart.py" not in session.runs(command).texts()
    assert "unfinished: edit of src/cart.py" in Session().edits("src/cart.py", NO_RESPONSE).runs("rm a.py").texts()
