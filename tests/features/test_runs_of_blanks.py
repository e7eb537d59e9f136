"""What a harness put together, with a run of blanks or very many sentences in it: it is read in linear time, or these
tests take hours."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.task_tables import row_changes
from compactor_cli.formats import antigravity
from compactor_cli.model.replies import reply_span
from compactor_cli.strategies.shared.request_values import echo_rater
from tests.builders import assistant, jsonl, load, user
from tests.features.working import Session

RUNS = pytest.mark.parametrize("blanks", [" " * 100_000, "\n" * 100_000, " \n\t" * 30_000])


@RUNS
def test_the_words_with_which_a_call_was_refused(blanks):
    refused = "The user denied this operation and provided the following feedback:\n"
    text = f"{refused}<feedback>{blanks}use{blanks}pnpm{blanks}</feedback>"
    assert (span := reply_span(text))
    assert text[slice(*span)] == f"use{blanks}pnpm"
    assert reply_span(f"{refused}<feedback>{blanks}use{blanks}pnpm{blanks}") is not None


@RUNS
def test_a_list_of_tasks(blanks):
    line = blanks.replace("\n", " ")
    session = Session().calls("TaskList", f"#1. [pending] Test{line}[blocked by #2]\n#2. [pending] Fix x{line}\n")
    assert session.texts() == ["[ ] Test (task 1)", "[ ] Fix x (task 2)"]


@RUNS
def test_a_table_of_tasks(blanks):
    [change] = row_changes(f"UPDATE todos SET status = 'done'{blanks}, note = 'a'{blanks}WHERE id = 'fix'")
    assert (change.values["status"], change.selected_values) == ("done", ("fix",))
    [change] = row_changes(f"UPDATE todos SET status = 'done'{blanks}, note = 'a'")
    assert (change.values["status"], change.column) == ("done", "")


@RUNS
def test_what_was_typed_in_antigravity(blanks):
    typed = f"<USER_REQUEST>{blanks}Draw the{blanks}map.{blanks}</USER_REQUEST> <ADDITIONAL_METADATA>x"
    parts = antigravity._split_request({"type": "USER_INPUT", "content": typed})
    assert parts and parts[1] == f"Draw the{blanks}map."
    assert antigravity._split_request({"type": "USER_INPUT", "content": typed.replace("</USER_REQUEST>", "")}) is None


def test_the_sentences_of_a_request():
    messages = load(jsonl(user("No."), assistant("The mast stands."))).transcripts[0].messages
    values = echo_rater(messages)(0, ["The mast leans."] + ["No."] * 200_000)
    assert len(values) == 200_001
    assert values[0] > values[1]
