"""The ledger: which files were touched, which commands ran and how they ended, which errors came."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compactor_cli.features.work.ledger import Ledger, call_actions, compute_ledger, file_actions
from compactor_cli.model.message import Part
from tests.pipeline.sessions import Json, assistant, result, transcript, user


def ledger(records: list[Json]) -> Ledger:
    return compute_ledger(transcript(records).messages)


def actions(tool: str, arguments: Any) -> set[tuple[str, str]]:
    return set(file_actions(tool, arguments))


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("Read", {"path": "a.py"}, {("a.py", "read")}),
        ("read_file", {"target_file": "src/a.py"}, {("src/a.py", "read")}),
        ("Edit", {"file_path": "/w/a.py", "old_string": "x", "new_string": "y"}, {("/w/a.py", "edited")}),
        ("Write", {"file_path": "new.md", "content": "# T"}, {("new.md", "created")}),
        ("Read", {"path": "file:///w/a.py"}, {("file:///w/a.py", "read")}),
        ("upload_new", {"path": "s3://bucket/a.py"}, set()),
        ("NotebookEdit", {"notebook_path": "n.ipynb", "new_source": "1"}, {("n.ipynb", "edited")}),
        ("delete_file", {"target_file": "old.py"}, {("old.py", "deleted")}),
        ("read_files", {"files": [{"path": "a.py"}, {"path": "b c.py"}]}, {("a.py", "read"), ("b c.py", "read")}),
        ("str_replace_editor", {"command": "create", "path": "a.py", "file_text": "x"}, {("a.py", "created")}),
        ("str_replace_editor", {"command": "view", "path": "a.py"}, {("a.py", "read")}),
        ("str_replace_editor", {"command": "str_replace", "path": "a.py", "old_str": "x"}, {("a.py", "edited")}),
    ],
)
def test_paths_come_from_the_arguments(tool: str, arguments: Json, expected: set[tuple[str, str]]) -> None:
    assert actions(tool, arguments) == expected


PATCH = """*** Begin Patch
*** Add File: src/new.py
+x = 1
*** Update File: src/old.py
@@
-y
+z
*** Delete File: docs/gone.md
*** End Patch"""


@pytest.mark.parametrize("arguments", [PATCH, {"input": PATCH}, {"patch": PATCH}, {"command": ["apply_patch", PATCH]}])
def test_patch_headers_say_what_was_added_updated_and_deleted(arguments: Any) -> None:
    assert actions("apply_patch", arguments) == {
        ("src/new.py", "created"),
        ("src/old.py", "edited"),
        ("docs/gone.md", "deleted"),
    }


DIFF = """diff --git a/src/a.py b/src/a.py
--- a/src/a.py
+++ b/src/a.py
@@ -1 +1 @@
-1
+2
"""


def test_a_unified_diff_names_the_edited_file() -> None:
    assert actions("git_apply", {"diff": DIFF}) == {("src/a.py", "edited")}


def test_a_unified_diff_that_adds_or_deletes_a_file_says_so() -> None:
    added = "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+1\n"
    deleted = "--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"
    assert actions("git_apply", {"diff": added}) == {("new.py", "created")}
    assert actions("git_apply", {"diff": deleted}) == {("old.py", "deleted")}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("echo 1 > out.txt", {("out.txt", "edited")}),
        ("make >> build.log 2>&1", {("build.log", "edited")}),
        ("sed -i 's/a/b/' src/a.py", {("src/a.py", "edited")}),
        ('sed -i.bak "s/a/b/g" src/a.py', {("src/a.py", "edited")}),
        ("git mv old.py new.py", {("old.py", "deleted"), ("new.py", "created")}),
        ("mv a.txt b.txt", {("a.txt", "deleted"), ("b.txt", "created")}),
        ("rm -f junk.log", {("junk.log", "deleted")}),
        ("git rm src/old.py", {("src/old.py", "deleted")}),
        ("cat src/a.py", {("src/a.py", "read")}),
        ("head -n 5 notes.md", {("notes.md", "read")}),
        ("pytest -q 2>/dev/null", set()),
        ("ls -la", set()),
        ("sed -i s/a/b/ a.py b.py", {("a.py", "edited"), ("b.py", "edited")}),
        (
            "mv a.py b.py lib/",
            {("a.py", "deleted"), ("b.py", "deleted"), ("lib/a.py", "created"), ("lib/b.py", "created")},
        ),
        ("git reset --hard && git clean -fd && git stash", {(".", "restored")}),
        ("git checkout -f -- a.py", {("a.py", "restored")}),
        ("git checkout -- a.py src/", {("a.py", "restored"), ("src/", "restored")}),
        ("git checkout main && git checkout release/1.2", set()),
        ("git add . && git commit -m x", set()),
        ("cat > doc.md <<EOF\nrm old.py > log.txt\nEOF", {("doc.md", "edited")}),
        ("echo 'a -> b.txt'", set()),
        ("python -c 'print(3 > 2.5)'", set()),
    ],
)
def test_shell_commands_say_which_files_they_touch(command: str, expected: set[tuple[str, str]]) -> None:
    assert actions("Bash", {"command": command}) == expected


def test_a_copied_file_is_still_there() -> None:
    found = actions("Bash", {"command": "cp a.txt b.txt"})
    assert ("b.txt", "created") in found
    assert found <= {("b.txt", "created"), ("a.txt", "read")}


def test_text_that_only_speaks_of_a_command_touches_nothing() -> None:
    assert actions("Write", {"file_path": "doc.md", "content": "Run `rm old.py` and > out.txt"}) == {
        ("doc.md", "created")
    }


def _run(call_id: str, command: str, output: str) -> list[Json]:
    return [assistant(None, (call_id, "Bash", {"command": command})), result(call_id, output)]


def test_commands_say_how_they_ended() -> None:
    found = ledger(
        [
            *_run("c1", "make", "exit code: 0"),
            *_run("c2", "pytest", "E   ValueError: bad\nexit code: 1"),
            *_run("c3", "ls", "a.py"),
            assistant(None, ("c4", "Bash", {"command": "sleep 9"})),
        ]
    )
    assert [(c.text, c.message, c.failed) for c in found.commands] == [
        ("make", 0, False),
        ("pytest", 2, True),
        ("ls", 4, None),
        ("sleep 9", 6, None),
    ]


def test_what_failed_is_said_where_no_line_states_an_error() -> None:
    output = "Exit code: 1\nResolving dependencies\nChecking formatting...\n[warn] Code style issues found in a.mdx\n"
    (found,) = ledger(_run("c1", "make check", output)).commands
    assert found.error == "[warn] Code style issues found in a.mdx"


def test_a_reused_call_id_pairs_each_command_with_its_own_result() -> None:
    found = ledger([*_run("same", "make", "exit code: 0"), *_run("same", "pytest", "exit code: 1")])
    assert [(c.text, c.failed) for c in found.commands] == [("make", False), ("pytest", True)]


def test_an_error_that_comes_again_is_counted_once_with_all_its_messages() -> None:
    failed = "ValueError: bad total 12.50\nexit code: 1"
    records = [*_run("a", "pytest", failed), user("again"), *_run("b", "pytest", failed), *_run("c", "ls", "x")]
    assert ledger(records).errors == (("ValueError: bad total 12.50", (1, 4)),)


def test_files_remember_each_action_and_its_message() -> None:
    records = [
        assistant(None, ("a", "Read", {"path": "a.py"})),
        result("a"),
        assistant(None, ("b", "Edit", {"path": "a.py", "old_string": "x"}), ("c", "Edit", {"path": "a.py"})),
        result("b"),
        result("c"),
    ]
    assert ledger(records).files["a.py"].actions == {"read": [0], "edited": [2, 2]}


REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected."


@pytest.mark.parametrize("said", [REFUSED, "<tool_use_error>String to replace not found in file.</tool_use_error>"])
def test_an_edit_that_did_not_happen_is_no_action(said: str) -> None:
    change = {"file_path": "a.py", "old_string": "x", "new_string": "y"}
    records = [user("Go."), assistant(None, ("c1", "Edit", change)), result("c1", said)]
    records += [assistant(None, ("c2", "Read", {"path": "a.py"})), result("c2", "x = 1")]
    assert {path: set(fact.actions) for path, fact in ledger(records).files.items()} == {"a.py": {"read"}}


def test_an_editor_with_one_open_file_changes_that_file() -> None:
    """Its calls do not name it; the result does, where the edit took place."""
    change = {"replacement_text": "x = 1", "start_line": 3, "end_line": 3}
    refused = "Your proposed edit has introduced new syntax error(s).\n[File: /repo/b.py (9 lines total)]"
    records = [user("Go."), assistant(None, ("c1", "edit", change))]
    records += [result("c1", "File updated.\n[File: /repo/a.py (9 lines total)]\n3:x = 1")]
    records += [assistant(None, ("c2", "edit", change)), result("c2", refused)]
    assert {path: set(fact.actions) for path, fact in ledger(records).files.items()} == {"/repo/a.py": {"edited"}}


def test_what_a_call_does_to_files_is_found_once_for_all_that_ask():
    call = Part("tool_call", json.dumps({"file_path": "/w/a.py", "new_string": "x", "old_string": "y"}), 9, name="Edit")
    assert call_actions(call) is call_actions(Part("tool_call", call.text, 9, name="Edit"))
    assert [*call_actions(call)] == [("/w/a.py", "edited")]
    path = '{"file_path": "/w/a.py"}'
    assert [*call_actions(Part("tool_call", path, 9, name="Read"))] == [("/w/a.py", "read")]
    assert [*call_actions(Part("tool_call", path, 9, name="Write"))] == [("/w/a.py", "created")]
