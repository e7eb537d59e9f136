"""Of the definitions that an agent writes as text, the last one of a name holds, unless the user turned it down."""

from __future__ import annotations

import pytest

from compactor_cli.features.session_text import read_session
from compactor_cli.features.written_code import WrittenCode
from tests.builders import assistant, read, user
from tests.features.sessions import Told

OLD = "def tally(rows):\n    return sum(row.count for row in rows)"
NEW = "def tally(rows, limit):\n    return min(limit, sum(row.count for row in rows))"


def block(code: str, language: str = "python") -> str:
    return f"```{language}\n{code}\n```"


def holding(*records: dict[str, object]) -> list[tuple[str, int]]:
    return [(one.name, one.spot[0]) for one in WrittenCode(Told(*records).messages).newest]


def rewritten(old: str, new: str) -> list[tuple[str, int]]:
    return holding(user("Write it."), assistant(old), user("Now with a limit."), assistant(new))


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        (block(OLD), block(NEW), "tally"),
        (block(OLD), block(f"import sys\n\n{NEW}\n\nprint(tally([], 3))"), "tally"),
        (f"In `a.py`:\n\n{block(OLD)}", f"The whole function again:\n\n{block(NEW)}", "tally"),
        (
            block("export const tally = (rows) => {\n  return 1;\n};", "js"),
            block("export function tally(rows) {\n  return 2;\n}", "js"),
            "tally",
        ),
        (block("fn tally() -> u8 {\n    1\n}", "rust"), block("pub fn tally() -> u8 {\n    2\n}", "rust"), "tally"),
        (block("func tally() int {\n\treturn 1\n}", "go"), block("func tally() int {\n\treturn 2\n}", "go"), "tally"),
        (block("LIMIT = 5000   # more than any flat can use in a quarter of an hour"), block("LIMIT = 50"), "LIMIT"),
        (
            block("CREATE TABLE fares (id int,\n  price int\n);", "sql"),
            block("CREATE TABLE fares (id int,\n  cents int\n);", "sql"),
            "fares",
        ),
        (block("tally() {\n  wc -l\n}", "sh"), block("tally() {\n  wc -w\n}", "sh"), "tally"),
        (block(f"@cache\n{OLD}"), block(f"@cache\n{NEW}"), "tally"),
    ],
)
def test_the_last_definition_of_a_name_holds(old: str, new: str, name: str) -> None:
    assert rewritten(old, new) == [(name, 3)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (block(OLD + "\n    # of all" * 20), block(NEW)),  # much shorter: perhaps a part
        (block(OLD), block("def tally(rows, limit):\n    ...\n    return min(limit, found)")),
        (block(OLD), block("def tally(rows, limit):\n    # rest of it unchanged\n    return min(limit, found)")),
        (block(OLD), block("function tally(rows) {\n  return rows.map((row) => row.count);\n}", "js")),
        (f"In `gate.py`:\n{block(OLD)}", f"In `fare.py`:\n{block(NEW)}"),
        (block(OLD), block(NEW.replace("tally", "tally_all"))),
        (block(OLD), block("class Gate:\n" + "\n".join(f"    {line}" for line in NEW.split("\n")))),
        (block(OLD), NEW),  # no block
        (block(OLD), block("tally = 5")),
        (block(OLD), "Here is how `def tally(rows, limit)` would look."),
    ],
)
def test_what_is_no_new_definition_of_it_replaces_none(old: str, new: str) -> None:
    assert ("tally", 1) in rewritten(old, new)


def test_two_forms_in_one_answer_both_hold() -> None:
    both = f"Either\n\n{block(OLD)}\n\nor\n\n{block(NEW)}"
    assert holding(user("Write it."), assistant(both)) == [("tally", 1), ("tally", 1)]


def test_what_the_user_pastes_is_no_definition() -> None:
    assert holding(user("Write it."), assistant(block(OLD)), user(block(NEW)), assistant("I see."))[0][1] == 1


@pytest.mark.parametrize(
    "reply",
    [
        "No estimates! forget tally. Just put it in a list.",
        "Please drop `tally`, it is not needed",
        "scrap the tally function and count by hand",
        "vergiss tally, das brauchen wir nicht",
    ],
)
def test_what_the_user_turns_down_does_not_hold(reply: str) -> None:
    assert not holding(user("Write it."), assistant(block(OLD)), user(reply), assistant("Understood."))


@pytest.mark.parametrize(
    "reply",
    [
        "don't forget tally in the tests",
        "Never drop tally!",
        "remove tally from the import line",
        "forget tally's second argument",
        "drop tally_all",
        "delete the rows that tally returns",
        "I forget what tally does",
        "tally is fine, forget the rest",
        "vergiss nicht tally zu testen",
        "drop tally rows",
    ],
)
def test_other_words_turn_nothing_down(reply: str) -> None:
    assert holding(user("Write it."), assistant(block(OLD)), user(reply), assistant("Understood.")) == [("tally", 1)]


def test_lines_of_what_does_not_hold_say_nothing() -> None:
    told = Told(
        user("Write it."),
        assistant(f"It counts:\n\n{block(OLD)}\n\nIt takes any rows."),
        user("Now with a limit."),
        assistant(block(NEW)),
    )
    silent = " ".join(told.lines.text(line) for line in sorted(told.lines.silent))
    assert "sum(row.count for row in rows)" in silent
    assert "min(limit" not in silent
    assert "It takes any rows." not in silent


def test_a_text_without_blocks_has_no_lines_that_do_not_hold() -> None:
    messages = read('{"role": "user", "content": "Hi"}', '{"role": "assistant", "content": "Hello"}')
    assert all(not piece.outdated for piece in read_session(messages).pieces)
