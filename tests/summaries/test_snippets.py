"""The last change of each file, as a summary shows it: what was restored is no change any more."""

from __future__ import annotations

import json

import pytest

from compactor_cli.summaries.sections import code_items
from compactor_cli.summaries.snippets import last_changes, shown_last
from tests.builders import assistant, call, calling_message, read_records, result, user


def did(*calls):
    """The messages of calls, each of which went well: an edit of a file, or a command."""
    records = []
    for number, asked in enumerate(calls):
        edits = not asked.startswith("git ")
        edit = {"file_path": asked, "old_string": f"a = {number}", "new_string": f"b = {number}"}
        arguments = json.dumps(edit if edits else {"command": asked})
        records += [
            calling_message(call(f"c{number}", "Edit" if edits else "Bash", arguments)),
            result(f"c{number}", "done"),
        ]
    return read_records(*records)


def changed(*calls):
    return [snippet.path for snippet in last_changes(did(*calls))]


def test_each_file_that_was_changed_stands_there_with_its_last_change():
    (other, twice) = last_changes(did("src/one.py", "src/two.py", "src/one.py"))
    assert (other.path, twice.path) == ("src/two.py", "src/one.py")
    assert "b = 2" in twice.block
    assert "b = 0" not in twice.block


@pytest.mark.parametrize(
    "command", ["git checkout -- src/one.py", "git restore src/one.py", "git -C . restore src/one.py"]
)
def test_a_file_that_was_restored_no_longer_stands_among_them(command):
    assert changed("src/one.py", "src/two.py", command) == ["src/two.py"]
    assert changed("src/one.py", command, "src/two.py", "src/one.py") == ["src/two.py", "src/one.py"], "changed since"


@pytest.mark.parametrize(
    ("command", "left"),
    [
        ("git restore src", ["README.md"]),
        ("git checkout -- .", []),
        ("git restore --staged src/one.py", ["src/one.py", "src/two.py", "README.md"]),
        ("git checkout main", ["src/one.py", "src/two.py", "README.md"]),
        ("git status -- src/one.py", ["src/one.py", "src/two.py", "README.md"]),
    ],
)
def test_a_folder_takes_all_in_it_along_and_other_commands_nothing(command, left):
    assert changed("src/one.py", "src/two.py", "README.md", command) == left


def test_a_command_that_failed_restores_nothing():
    messages = read_records(
        calling_message(call("c1", "Edit", '{"file_path": "a.py", "old_string": "a", "new_string": "b"}')),
        result("c1", "done"),
        calling_message(call("c2", "Bash", '{"command": "git restore a.py"}')),
        result("c2", "error: pathspec 'a.py' did not match any file(s) known to git"),
    )
    assert [snippet.path for snippet in last_changes(messages)] == ["a.py"]


@pytest.mark.parametrize("command", ["echo 'c = 1' >> src/one.py", "cat > src/one.py <<'E'\nc = 1\nE"])
def test_a_change_that_a_command_overtook_is_not_called_the_last(command):
    messages = did("src/one.py", "src/two.py", f"git status; {command}")
    assert {snippet.path: snippet.is_outdated for snippet in last_changes(messages)} == {
        "src/one.py": True,
        "src/two.py": False,
    }
    labels = [item.text for item in code_items(messages)]
    assert labels == ["earlier change of `src/one.py`", "newest change of `src/two.py`"]
    assert not any(snippet.is_outdated for snippet in last_changes(did(f"git status; {command}", "src/one.py")))


def test_a_change_that_was_overtaken_is_not_the_last_one_in_later_rounds():
    summary = (
        "## Session Summary (Compaction Round 1)\nStands for messages 1-9 (100 tokens; ctx_0a1b2c3d).\n"
        "### 4. Files and Code Changes\n"
        "- earlier change of `src/one.py` [#5]\n  ```\n  +| a = 1\n  ```\n"
        "- last change of `src/two.py` [#6]\n  ```\n  +| b = 1\n  ```\n"
        "- last change of `src/three.py` [#7]\n  ```\n  +| c = 1\n  ```"
    )
    asked = call("c1", "Bash", json.dumps({"command": "echo 'b = 2' >> src/two.py"}))
    messages = read_records(user(summary), calling_message(asked), result("c1", "done"))
    assert [item.text for item in code_items(messages)] == [
        "earlier change of `src/one.py` [earlier #5]",
        "earlier change of `src/two.py` [earlier #6]",
        "last change of `src/three.py` [earlier #7]",
    ]


@pytest.mark.parametrize(
    ("since", "shown"),
    [
        ([], True),
        ([user("Apply it.")], True),
        ([user("Apply it."), assistant("I look at it first.")], True),
        ([user("Apply it."), assistant("Done."), user("Now the docs, please.")], False),
        ([user("Apply it."), assistant("Done."), user("Now the docs."), assistant("Here they are.")], False),
    ],
)
def test_code_that_was_shown_before_an_older_request_is_not_active(since, shown):
    code = "So:\n\n```python\nprint(high_water)\n```"
    messages = read_records(user("Show me how."), assistant(code), *since)
    assert (shown_last(messages) is not None) == shown
