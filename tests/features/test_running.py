"""The state of a session: what was still running, what is in flight, and the shells of several agents."""

from typing import Any

import pytest

from tests.features.working import FAILS, Session

BACKGROUND = "Command running in background with ID: b12cd"
COPILOT = "<command with shellId: 27 is still running after 30 seconds. Use read_bash to read more output.>"
CODEX = "Process running with session ID 69824\n"


@pytest.mark.parametrize(
    ("command", "said", "number"),
    [("npm run dev", BACKGROUND, "b12cd"), ("npm test", COPILOT, "27"), ("bun run build", CODEX, "69824")],
)
def test_a_command_that_did_not_end_is_running_and_no_check_has_passed(command, said, number):
    session = Session().edits("src/a.ts").runs(command, said)
    assert session.texts() == [f"running when last seen: {command} ({number})", "edited src/a.ts, unchecked"]


def test_a_command_that_ended_runs_no_longer_and_says_how_it_ended():
    session = Session().edits("src/a.ts").runs("npm test", COPILOT)
    session.calls("read_bash", "Tests: 1 failed, 4 passed\n<shellId: 27 completed with exit code 1>", shellId="27")
    assert [text for text in session.texts() if "running" in text] == []
    assert session.texts("check") == ["failing: npm test"]
    stopped = Session().runs("npm run dev", BACKGROUND).calls("KillShell", "Successfully killed", shell_id="b12cd")
    assert stopped.texts() == []


def test_of_many_running_commands_the_newest_are_told_and_a_later_round_knows_them():
    session = Session()
    for number in range(5):
        session.runs(f"npm run part{number}", f"running in background with ID: b{number}")
    lines = session.texts()
    assert lines == [f"running when last seen: npm run part{number} (b{number})" for number in (4, 3, 2)]
    later = Session().calls("BashOutput", "part 3 is done\nexit code: 0", bash_id="b3")
    assert later.texts(earlier=lines) == [lines[0], lines[2]]


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("Edit", {"replace_all": False, "file_path": "src/a.py", "old_string": "a"}, "Edit src/a.py"),
        ("Grep", {"pattern": "tax", "path": "src"}, "Grep tax src"),
        ("str_replace_editor", {"command": "create", "path": "a.py"}, "str_replace_editor create a.py"),
        ("wait", {"seconds": 5}, "wait 5"),
    ],
)
def test_what_is_in_flight_is_told_by_what_it_is_about(tool, arguments, told):
    assert Session().calls(tool, None, **arguments).texts() == [f"in flight: {told}"]


def test_commands_in_a_list_and_under_other_names_are_commands():
    failed = '{"query":"npm test","result":"Tests: 1 failed, 2 passed","success":false}'
    session = Session().calls("run_commands", failed, commands=["npm test"])
    session.calls("run_commands", '{"result":"pushed","success":true}', commands=['git commit -m "Fix it"', "git push"])
    assert session.texts() == ["failing: npm test", "git push", 'git commit "Fix it"']
    other = Session().calls("run_command", FAILS + "Tests: 1 failed", CommandLine="npm test", Cwd="/work/shop")
    assert other.texts() == ["failing: npm test"]
    assert Session().calls("write_to_file", TargetFile="/work/shop/a.md").texts() == ["wrote /work/shop/a.md"]


@pytest.mark.parametrize("said", ["\nEXECUTION TIMED OUT", "The command timed out after 120 seconds"])
def test_a_script_that_timed_out_has_not_run(said):
    session = Session().calls("Write", file_path="a.py", content="x").runs("python a.py", said)
    assert session.texts("file") == ["wrote a.py"], "nor does anybody know that it was not looked at"


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        (
            "book_flight",
            {"user_id": "mia", "flights": [{"flight": "HAT1", "date": "5/2"}]},
            "book_flight mia (flights HAT1 5/2)",
        ),
        ("search_flight", {"origin": "DEN", "destination": "LAS"}, "search_flight (origin DEN, destination LAS)"),
        ("find_text", {"query": "DEN", "glob": "*.py"}, "find_text DEN"),
        (
            "ask_question",
            {"question": "Which of these? " * 5, "kind": "text"},
            "ask_question " + ("Which of these? " * 5).strip(),
        ),
    ],
)
def test_what_is_in_flight_is_told_with_what_tells_it_from_others(
    tool: str, arguments: dict[str, Any], told: str
) -> None:
    assert Session().calls(tool, None, **arguments).texts() == [f"in flight: {told}"]


@pytest.mark.parametrize("tool", ["finish", "task_done", "complete_task", "attempt_completion", "final_answer"])
def test_what_ends_the_session_awaits_no_answer(tool: str) -> None:
    assert Session().calls(tool, None, result="Done.").texts() == []
