"""Agents without tools write their calls as text; the state of the work is computed from them all the same."""

from __future__ import annotations

import json

import pytest

from compactor_cli.features.work.ledger import compute_ledger
from compactor_cli.features.work.state import compute_state
from tests.builders import assistant, call, calling_message, read_records, result, user

BASH = "```bash\n{}\n```"
PLAIN = "```\n{}\n```"
TAG = "<command>\n{}\n</command>"
EXECUTE = "<execute_bash>\n{}\n</execute_bash>"
FUNCTION = (
    "<function=terminal>\n<parameter=command>{}</parameter>\n<parameter=security_risk>LOW</parameter>\n</function>"
)
FORMS = [BASH, PLAIN, TAG, EXECUTE, FUNCTION]
FAILED_TESTS = "FAILED tests/test_dates.py::test_leap_year\n1 failed, 11 passed"


def session(form, *commands):
    """Records of an agent that writes its commands in a form; `commands` with what they print."""
    acts = ((assistant(f"I look into it.\n\n{form.format(command)}"), user(said)) for command, said in commands)
    return read_records(user("Mend the dates."), *(record for pair in acts for record in pair))


def texts(messages):
    return [line.text for line in compute_state(messages)]


@pytest.mark.parametrize("form", FORMS)
def test_commands_that_are_written_as_text_make_the_state(form):
    messages = session(
        form,
        ("pytest tests/test_dates.py", FAILED_TESTS),
        ("sed -i s/29/28/ src/dates.py", "<returncode>0</returncode>\n<output>\n</output>"),
        ("git push origin main", "To github.com:a/b.git\n   1a2b3c4..5d6e7f8  main -> main"),
    )
    assert texts(messages) == [
        "failing: pytest tests/test_dates.py: tests/test_dates.py::test_leap_year (before the last edits)",
        "git push origin main",
        "edited src/dates.py, unchecked",
    ]
    assert [fact.text for fact in compute_ledger(messages).commands][-1] == "git push origin main"


def test_a_written_command_that_failed_did_nothing():
    messages = session(
        BASH, ("git push", "<returncode>1</returncode>\n<output>\nfatal: no remote\n</output>"), ("ls", "a")
    )
    assert texts(messages) == ["failed: git push: fatal: no remote"]


def test_commands_of_an_editor_name_the_file_that_their_output_shows():
    shown = "[File: /repo/src/dates.py (9 lines total)]\n1:import datetime\n(Open file: /repo/src/dates.py)"
    messages = session(
        PLAIN,
        ("open src/dates.py", shown),
        ("edit 1:1\nimport calendar\nend_of_edit", shown),
        ("create check.py", "[File: /repo/check.py (1 lines total)]"),
        ("rm check.py", "Your command ran successfully and did not produce any output."),
        ("submit flag{1}", "Wrong flag!"),
    )
    assert texts(messages) == [
        "failed: submit (text flag{1}): Wrong flag!",
        "edited /repo/src/dates.py, unchecked",
        "deleted check.py",
    ]


def test_keystrokes_for_a_terminal_are_commands():
    typed = {"analysis": "Empty.", "commands": [{"keystrokes": "printf 1 > one.txt\n"}, {"keystrokes": "rm two.txt\n"}]}
    messages = read_records(
        user("Make one.txt."),
        assistant(json.dumps(typed)),
        user("New Terminal Output:\nroot@box:/app# printf 1 > one.txt"),
    )
    assert texts(messages) == ["wrote one.txt", "deleted two.txt"]


def test_a_block_in_an_answer_to_people_is_no_call():
    advice = assistant("Run this:\n\n```bash\nrm notes.txt\n```")
    caveat = "<local-command-caveat>The user ran commands.</local-command-caveat>"
    assert texts(read_records(user("How?"), advice, user("Thanks."), assistant("Gladly."))) == []
    assert texts(read_records(user("How?"), advice, user(caveat), user("Thanks."))) == []


def test_other_languages_are_no_commands():
    assert texts(session("```json\n{}\n```", ('{"rm": "a.txt"}', "ok"), ("rm b.txt", "ok"))) == []


def test_calls_of_both_kinds_stand_in_order():
    messages = read_records(
        user("Do it."),
        assistant(FUNCTION.format("touch one.txt > log.txt")),
        user("EXECUTION RESULT of [terminal]:\n[The command completed with exit code 0.]"),
        calling_message(call("c1", "bash", json.dumps({"command": "rm log.txt"}))),
        result("c1", "ok"),
    )
    assert texts(messages) == ["created one.txt", "deleted log.txt"]


def test_a_tool_that_types_keystrokes_runs_commands():
    typed = json.dumps({"keystrokes": "printf 'Hello' > hello.py\n", "duration": 0.1})
    said = "New Terminal Output:\n\nroot@x:/app# printf 'Hello' > hello.py\n"
    messages = read_records(user("Write it."), calling_message(call("c1", "bash_command", typed)), result("c1", said))
    assert texts(messages) == ["wrote hello.py, unchecked"]


def test_a_shell_stays_in_the_folder_that_its_last_output_names():
    def said(folder):
        return f"2 failed\n(Open file: n/a)\n(Current directory: {folder})\nbash-$"

    looks = [("ls", said("/w"))] * 3
    messages = session(PLAIN, *looks, ("cd src && pytest -q", said("/w/src")), ("pytest -q", said("/w/src")))
    assert texts(messages) == ["failing: pytest -q (in src)"]
    calls = [("ls", "/w"), ("ls", "/w"), ("ls", "/w"), ("cd src", "/w/src"), ("pytest -q", "/w/src")]
    records = [
        record
        for number, (command, folder) in enumerate(calls)
        for record in (
            calling_message(call(f"c{number}", "terminal", json.dumps({"command": command}))),
            result(f"c{number}", said(folder).replace("(Current", "[Current working").replace(")\n", "]\n")),
        )
    ]
    assert texts(read_records(user("Go."), *records)) == ["failing: pytest -q (in src)"]
