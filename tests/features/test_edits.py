"""Which calls changed a file, by what they are to do and what their results say."""

from __future__ import annotations

from typing import Any

import pytest

from compactor_cli.features.work.ledger import compute_ledger
from tests.features.working import Session

REFUSALS = [
    "Ran into [Errno 2] No such file or directory: '/w/a.py' while trying to write to /w/a.py",
    "No match found",
    "[No exact match found in /w/a.py for\n```\nx\n```]",
    "Multiple matches found",
    "The tool execution failed with the following error:\nThe SEARCH block does not match anything.",
    "You must read file /w/a.py before overwriting it. Use the Read tool first",
    "Text not found in the displayed window",
    "No changes made. The new text is the old one.",
    "<system>ERROR: No replacements were made. The old string was not found in the file.</system>",
    "File already exists: a.py. Use the tool for edits.",
    "Invalid `path` parameter: a.py. The path should be an absolute path.",
]
SUCCESSES = [
    "The file /w/a.py has been updated successfully. (it is current in your context, no need to read it back)",
    "File updated. Please review the changes and make sure that they did not fail.",
    "The file src/not found/error.py has been edited.",
    "Edit applied. No errors.",
    "1\traise KeyError('not found')",
    "Successfully replaced 2 occurrences; no matches are left.",
    "",
]


@pytest.mark.parametrize("said", REFUSALS)
def test_an_edit_that_its_result_refuses_is_an_error_and_changes_nothing(said: str) -> None:
    session = Session().calls(
        "str_replace_editor", said, command="str_replace", path="/w/a.py", old_str="x", new_str="y"
    )
    (text,) = session.texts()
    assert text.startswith("open error: ")
    assert text.endswith(" (edit of /w/a.py)")
    assert compute_ledger(session.messages).files == {}


@pytest.mark.parametrize("said", SUCCESSES)
def test_an_edit_took_place_where_its_result_does_not_refuse_it(said: str) -> None:
    assert Session().edits("/w/a.py", said).texts() == ["edited /w/a.py, unchecked"]


def test_what_is_not_about_a_file_is_not_refused() -> None:
    said = "Fare rules: seats must be chosen, meals cannot be changed."
    assert Session().calls("update_booking", said, booking_id="B1").texts() == ["update_booking B1"]


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("edit_file_by_replace(\n'/w/a.py',\nto_replace='x',\nnew_content='y')", ["edited /w/a.py, unchecked"]),
        ("print(create_file(path='a.py', text='x'))", ["created a.py, unchecked"]),
        ("result = delete_file('a.py')", ["deleted a.py"]),
        ("with open('a.py', 'w') as file:\n    file.write(text)", ["wrote a.py, unchecked"]),
        ("text = open('a.py').read()\nopen('a.py', 'w').write(text + 'x')", ["edited a.py, unchecked"]),
        ("open_file('/w/a.py')", []),
        ("text = text.replace('a.py', 'b.py')\ninsert_into('words', 1)", []),
        ("create_file(name)", []),
    ],
)
def test_code_in_place_of_calls_says_which_files_it_changes(code: str, told: list[str]) -> None:
    assert Session().calls("run_ipython", "ok", code=code).texts() == told


def test_code_whose_result_refuses_its_edit_changes_nothing() -> None:
    code = "edit_file_by_replace('/w/a.py', to_replace='x', new_content='y')"
    said = "[No exact match found in /w/a.py for\n```\nimport os\nconsole.error('Error', error);\n```]"
    session = Session().calls("run_ipython", said, code=code)
    assert session.texts() == ["open error: [No exact match found in /w/a.py for (edit of /w/a.py)"]
    assert session.calls("run_ipython", "[File updated.]", code=code).texts() == ["edited /w/a.py, unchecked"]


def test_code_of_a_shell_is_a_command() -> None:
    session = Session().calls("execute", "1 passed", language="bash", code="pytest -q > out.log")
    assert session.texts("file") == ["wrote out.log, unchecked"]
    assert Session().calls("execute", "1 passed", language="python", code="pytest -q").texts() == []


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("edit_file", {"path": "a.py", "mode": "create"}, ["created a.py, unchecked"]),
        ("edit_file", {"path": "a.py", "mode": "overwrite"}, ["edited a.py, unchecked"]),
        ("WriteFile", {"path": "a.py", "content": "x", "mode": "append"}, ["edited a.py, unchecked"]),
        ("text_editor", {"path": "a.py", "command": "write", "file_text": "x"}, ["created a.py, unchecked"]),
        ("file_manager", {"path": "a.py", "action": "delete"}, ["deleted a.py"]),
        ("edit_file", {"path": "a.py", "edits": [{"oldText": "x"}], "dryRun": True}, []),
        ("move_file", {"source": "a.py", "destination": "src/b.py"}, ["created src/b.py, unchecked", "deleted a.py"]),
        ("copy_file", {"src": "a.py", "dst": "b.py"}, ["created b.py, unchecked"]),
        ("create_directory", {"path": "src/new"}, []),
        ("apply_diff", {"path": "a.py", "diff": "<<<<<<< SEARCH"}, ["edited a.py, unchecked"]),
    ],
)
def test_tools_of_several_uses_say_in_their_arguments_what_they_do(
    tool: str, arguments: dict[str, Any], told: list[str]
) -> None:
    assert Session().calls(tool, "Done.", **arguments).texts() == told


def test_a_diff_that_did_not_apply_is_an_error() -> None:
    session = Session().calls("apply_diff", "Unable to apply diff to file: a.py", path="a.py", diff="<<<<<<< SEARCH")
    assert session.texts() == ["open error: Unable to apply diff to file: a.py (edit of a.py)"]


def test_a_tool_that_writes_files_may_say_that_the_file_was_there():
    for said in ("Successfully overwrote file: /w/a.py.", "The file /w/a.py has been updated."):
        session = Session().calls("write_file", said, path="/w/a.py", content="x")
        assert session.texts() == ["edited /w/a.py, unchecked"]
        assert [*compute_ledger(session.messages).files["/w/a.py"].actions] == ["edited"]
    created = Session().calls("write_file", "The file /w/a.py has been created.", path="/w/a.py", content="x")
    assert [*compute_ledger(created.messages).files["/w/a.py"].actions] == ["created"]


def test_a_call_may_change_several_files() -> None:
    replaced = [{"filePath": path, "oldString": "x", "newString": "y"} for path in ("a.py", "b.py")]
    session = Session().calls("multi_replace_string_in_file", "The files were edited.", replacements=replaced)
    assert session.texts() == ["edited b.py, unchecked", "edited a.py, unchecked"]
    session = Session().calls("edit_file", "Edited.", path="a.py", edits=[{"oldText": "x", "newText": "y"}])
    assert session.texts() == ["edited a.py, unchecked"]
