"""Lines that survive whatever their value: requests, changed files, errors."""

from __future__ import annotations

import json

import pytest

from compactor_cli.signals import musts
from tests.builders import assistant, call, calling, result, user
from tests.signals.sessions import Told


def texts(told, found):
    return [[told.lines.text(line) for line in group] for group in found]


def requests(*records):
    told = Told(*records)
    return texts(told, musts.requests(told.messages, told.lines))


def changed(*records):
    told = Told(*records)
    return texts(told, musts.changed_files(told.evidence.changes, told.lines))


def errors(*outputs):
    records = [user("go")]
    for at, output in enumerate(outputs):
        records += [calling(call(f"c{at}")), result(f"c{at}", output)]
    told = Told(*records)
    return texts(told, musts.errors(told.messages, told.lines))


def edit(id, path):  # `id` is the word of the format
    return calling(call(id, "Edit", json.dumps({"file_path": path, "old_string": "a", "new_string": "b"})))


def test_requests_come_newest_first_with_their_first_lines():
    assert requests(
        user("Fix the parser.\nIt fails.\nSee the log:\nmany lines"),
        assistant("Yes."),
        user("<system-reminder>not a request</system-reminder>"),
        user("Also the writer."),
    ) == [["Also the writer."], ["Fix the parser.", "It fails."]]


def test_a_session_without_requests_has_none():
    assert requests(assistant("I begin."), assistant("I end.")) == []


def test_changed_files_come_newest_first_and_each_once():
    found = changed(
        user("go"), edit("c1", "src/a.py"), result("c1", "ok"), edit("c2", "src/b.py"), result("c2", "ok"),
        edit("c3", "src/a.py"), result("c3", "ok"),
    )  # fmt: skip
    assert [[("a.py" in line, "b.py" in line) for line in group] for group in found] == [
        [(True, False)],
        [(False, True)],
    ]


def test_files_that_are_only_read_are_not_changed():
    assert changed(user("go"), calling(call("c1", "Read", '{"file_path": "a.py"}')), result("c1", "x")) == []


def test_each_changed_file_of_a_patch_has_its_line():
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: src/new.py\n+z\n*** End Patch"
    found = changed(user("go"), calling(call("c1", "apply_patch", json.dumps({"input": patch}))), result("c1", "ok"))
    assert found == [["*** Update File: src/a.py"], ["*** Add File: src/new.py"]]


def test_the_first_error_of_each_result_newest_first_and_each_text_once():
    assert errors(
        "start\nValueError: bad total\nKeyError: other\nexit code: 1",
        "all fine\nexit code: 0",
        "TypeError: no such thing\nexit code: 1",
        "again\nValueError: bad total\nexit code: 1",
    ) == [["ValueError: bad total"], ["TypeError: no such thing"]]


def test_a_long_error_line_is_taken_as_far_as_it_tells_which_one_it_is():
    (found,) = errors(
        "ValueError: " + "the total of this row does not match what the ledger says. " * 12 + "\nexit code: 1"
    )
    assert found[0].startswith("ValueError: the total")
    assert 110 < sum(map(len, found)) < 500


def test_an_error_that_is_indented_or_ends_with_a_carriage_return_is_found():
    assert errors("x\r\n    ValueError: bad total\r\nexit code: 1") == [["ValueError: bad total"]]


@pytest.mark.parametrize("letter", ["E", "F", "ERROR"])
def test_a_line_that_only_begins_like_the_error_is_not_it(letter):
    assert errors(f"{letter}\n======\nERROR: test_x (tests.T)\nboom\nexit code: 1") in (
        [["ERROR: test_x (tests.T)"]],
        [["ERROR"]] if letter == "ERROR" else [],
    )
