"""Computed facts as lines: what a summary says of files, commands and errors is read back by the next round."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.features.work.ledger import ACTIONS
from compactor_cli.features.work.masked_calls import CallMasker
from compactor_cli.features.work.state import known_state
from compactor_cli.model.message import Message
from compactor_cli.summaries.facts import Fact, collect_facts, parse_fact, shown_command
from compactor_cli.summaries.outline import cells, row
from tests.pipeline.sessions import Json, assistant, result, transcript, user
from tests.properties.profile import examples

# one line, as names and commands stand in a summary
TEXT = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), min_size=1, max_size=60).filter(
    lambda text: text == text.strip() and len(text.splitlines()) == 1
)
NUMBERS = st.lists(st.integers(0, 900), max_size=6)
COUNTS = st.dictionaries(st.sampled_from(ACTIONS), st.integers(1, 30), min_size=1)
FILES = st.builds(
    lambda about, counts, messages: Fact("Files", about, counts, messages=messages), TEXT, COUNTS, NUMBERS
)
OTHERS = st.builds(
    lambda section, about, times, outcome, since, messages: Fact(
        section, about, {"": times}, outcome, since and outcome != "ok", messages=messages
    ),
    st.sampled_from(["Commands", "Errors"]),
    TEXT,
    st.integers(1, 30),
    st.sampled_from(["", "ok", "failed"]),
    st.booleans(),
    NUMBERS,
)


@examples(300)
@given(st.one_of(FILES, OTHERS))
def test_what_a_line_says_is_read_back(fact: Fact) -> None:
    read = parse_fact(fact.section, f"{fact.text} {fact.where}".rstrip())
    assert read is not None
    assert (read.section, read.subject, read.outcome) == (fact.section, fact.subject, fact.outcome)
    assert read.passed_since == fact.passed_since
    assert read.counts == fact.counts
    assert read.text == fact.text
    assert read.where.startswith("[earlier #" if fact.messages else "")


@examples(200)
@given(st.one_of(FILES, OTHERS), st.lists(NUMBERS, min_size=1, max_size=4))
def test_it_remembers_where_it_first_came_up_however_many_rounds_there_are(fact: Fact, more: list[list[int]]) -> None:
    for messages in more:
        known = parse_fact(fact.section, f"{fact.text} {fact.where}".rstrip())
        assert known is not None
        assert known.earlier_numbers == (fact.earlier_numbers or ", ".join(fact.where[2:-1].split(", ")))
        known.messages = messages
        fact = known


@examples(200)
@given(st.lists(st.text(st.characters(exclude_categories=["C", "Zl", "Zp"])), min_size=1, max_size=4))
def test_the_cells_of_a_table_are_read_back(said: list[str]) -> None:
    said = [f"`{text}`" for text in said]
    assert cells(row(said)) == said


@pytest.mark.parametrize(
    ("section", "line", "said"),
    [
        ("Files", "`src/a.py` edited 3x, read [earlier #4] [#12, #15]", "`src/a.py` edited 3x, read"),
        ("Files", "`src/a|b.py` created [#12]", "`src/a|b.py` created"),
        ("Commands", "`pytest -q` (4x, last ok) [#16]", "`pytest -q` (4x, last ok)"),
        ("Commands", "`echo `date`` (last failed) [#16]", "`echo `date`` (last failed)"),
        ("Commands", "`ls` [#1]", "`ls`"),
        ("Errors", "`KeyError: 'x'` (2x) [#9]", "`KeyError: 'x'` (2x)"),
        ("Errors", "`E   [#3] is no number` [#9]", "`E   [#3] is no number`"),
    ],
)
def test_lines_such_as_these_are_facts(section: str, line: str, said: str) -> None:
    fact = parse_fact(section, line)
    assert fact is not None
    assert fact.text == said


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ("Files", "`src/a.py` looked at [#3]"),
        ("Files", '"We decided." [#4]'),
        ("Decisions", "`src/a.py` edited [#3]"),
        ("Commands", "pytest -q [#3]"),
    ],
)
def test_other_lines_are_none(section: str, line: str) -> None:
    assert parse_fact(section, line) is None


# -- rounds put together

WORK: list[Json] = [
    user("Go."),
    assistant(None, ("e1", "Edit", {"file_path": "src/a.py", "old_string": "x", "new_string": "y"})),
    result("e1", "ok"),
    assistant(None, ("r1", "Read", {"file_path": "src/b.py"})),
    result("r1", "text"),
    assistant(None, ("t1", "Bash", {"command": "pytest -q"})),
    result("t1", "KeyError: 'x'\nexit code: 1"),
]


def facts_in(
    messages: Sequence[Message], earlier: Iterable[tuple[str, str]], resolved: Set[int] = frozenset()
) -> list[Fact]:
    return collect_facts(messages, CallMasker(messages), earlier, resolved)


@pytest.mark.parametrize(
    ("earlier", "told"),
    [
        ("read [#3]", {"read": 1, "edited": 1}),
        ("edited 2x, read [#3]", {"read": 1, "edited": 3}),
        ("created, read [#3]", {"read": 1, "created": 2}),
        ("deleted [#3]", {"deleted": 1, "created": 1}),
        ("", {"created": 1}),
    ],
)
def test_a_file_of_an_earlier_round_that_is_written_again_was_there(earlier: str, told: dict[str, int]) -> None:
    write = ("w", "Write", {"file_path": "docs/quays.md", "content": "The quay opens at high tide."})
    messages = transcript([user("Write it."), assistant(None, write), result("w", "ok")]).messages
    (fact,) = facts_in(messages, [("Files", f"`docs/quays.md` {earlier}")] if earlier else [])
    assert fact.counts == told


def by_name(earlier: list[tuple[str, str]]) -> dict[tuple[str, str], Fact]:
    return {(fact.section, fact.subject): fact for fact in facts_in(transcript(WORK).messages, earlier)}


def test_facts_of_this_round_are_computed_from_calls_and_results() -> None:
    found = by_name([])
    assert found["Files", "src/a.py"].text == "`src/a.py` edited"
    assert found["Files", "src/b.py"].only_read
    assert found["Commands", "pytest -q"].text == "`pytest -q` (last failed)"
    assert found["Errors", "KeyError: 'x'"].where == "[#6]"


def test_a_command_is_the_same_however_much_of_its_output_is_shown() -> None:
    shown = ["make lint", "make lint 2>&1 | tail -20", "make lint 2>&1|head -n 5", "make lint 2>/dev/null"]
    other = "make lint 2>&1 | grep -c warning"
    records = [record for at, line in enumerate([*shown, other]) for record in _run(f"c{at}", line, "exit code: 0")]
    found = [fact.text for fact in facts_in(transcript(records).messages, []) if fact.section == "Commands"]
    assert found == ["`make lint` (4x, last ok)", f"`{other}`"], (
        "what a filter shows says nothing of how the check ended"
    )


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "cat > fix.py <<'EOF'\nimport tax\nfor rate in tax.rates:\n    rate.fix()\nEOF\npython fix.py --all",
            "cat > fix.py <<'EOF' import tax … python fix.py --all",
        ),
        (
            "git commit -m \"$(cat <<'EOF'\nRates are rounded half up\n\nAs the law has it.\nEOF\n)\" && git push",
            "git commit -m \"$(cat <<'EOF' Rates are rounded half up … )\" && git push",
        ),
        ("python - <<PY\nprint(1)\nPY\nmake", "python - <<PY print(1) PY make"),
        ("cat >> tax.py <<EOF\nrate = 1\nbase = 2", "cat >> tax.py <<EOF rate = 1 base = 2"),
    ],
    ids=["a script", "a message", "one line", "cut off"],
)
def test_of_a_text_in_a_command_the_first_line_is_told(line: str, told: str) -> None:
    assert shown_command(line) == told


def test_commands_that_only_look_are_not_told_and_what_they_miss_is_an_error_only_where_they_say_so() -> None:
    records = [
        *_run("c1", "grep -rn TAX src | head -3", "Exit code 1"),
        *_run("c2", "cat src/tax.py", "cat: src/tax.py: No such file or directory\nexit code: 1"),
        *_run("c3", "make tax", "Exit code 2"),
        *_run("c4", "gh pr checks 7", "Pages pass 0\nLint pending 0\nExit code 8"),
        *_run("c5", "rm tax.py", "The user doesn't want to proceed with this tool use. Cannot we keep it?"),
    ]
    found = facts_in(transcript(records).messages, [])
    commands = [fact.text for fact in found if fact.section == "Commands"]
    assert commands == ["`make tax` (last failed)"]
    assert [fact.subject for fact in found if fact.section == "Errors"] == [
        "cat: src/tax.py: No such file or directory"
    ]


def _run(call: str, command: str, output: str) -> list[Json]:
    return [assistant(None, (call, "Bash", {"command": command})), result(call, output)]


def test_counts_of_two_rounds_are_added_and_the_newer_outcome_counts() -> None:
    found = by_name(
        [
            ("Files", "`src/a.py` created, edited 2x [#3, #5]"),
            ("Commands", "`pytest -q` (3x, last ok) [#7]"),
            ("Errors", "`KeyError: 'x'` (2x) [#8]"),
        ]
    )
    assert found["Files", "src/a.py"].text == "`src/a.py` created, edited 3x"
    assert found["Files", "src/a.py"].where == "[earlier #3, #5] [#1]"
    assert found["Commands", "pytest -q"].text == "`pytest -q` (4x, last failed)"
    assert found["Errors", "KeyError: 'x'"].text == "`KeyError: 'x'` (3x)"
    assert len(found) == 4


def test_what_only_an_earlier_round_knew_comes_first_and_stays() -> None:
    earlier = [("Files", "`src/old.py` deleted [#3]"), ("Commands", "`make` [#4]")]
    found = list(by_name(earlier).values())
    assert [fact.text for fact in found[:2]] == ["`src/old.py` deleted", "`make`"]
    assert [fact.where for fact in found[:2]] == ["[earlier #3]", "[earlier #4]"]


def test_the_same_line_of_two_summaries_is_added_up() -> None:
    line = "`src/old.py` edited 2x [#3]"
    assert by_name([("Files", line), ("Files", line)])["Files", "src/old.py"].text == "`src/old.py` edited 4x"


def test_the_same_words_may_be_a_file_and_a_command() -> None:
    found = by_name([("Files", "`make` read [#3]"), ("Commands", "`make` (last ok) [#4]")])
    assert found["Files", "make"].only_read
    assert found["Commands", "make"].outcome == "ok"


def run(number: int, command: str, output: str) -> list[Json]:
    return [assistant(None, (f"r{number}", "bash", {"command": command})), result(f"r{number}", output)]


def on_file(number: int, tool: str, path: str) -> list[Json]:
    edit = {"file_path": path, "old_string": f"a{number}", "new_string": f"b{number}"}
    arguments = edit if tool == "Edit" else {"file_path": path}
    return [assistant(None, (f"e{number}", tool, arguments)), result(f"e{number}", "The file has been updated.")]


def told_of(*calls: list[Json]) -> dict[str, str]:
    records = [user("Mend it."), *(record for call in calls for record in call)]
    messages = transcript(records).messages
    return {fact.subject: fact.text for fact in facts_in(messages, (), known_state(messages).resolved)}


FAILED = "Exit code 1\nE   AssertionError: assert 106 == 108\n=== 1 failed, 20 passed in 0.31s ==="
PASSED = "Exit code 0\n=== 21 passed in 0.29s ==="


def test_what_failed_and_passed_later_is_told_so() -> None:
    told = told_of(run(1, "python -m pytest -q", FAILED), run(2, "python -m pytest -q --tb=short", PASSED))
    assert told["E AssertionError: assert 106 == 108"].endswith("` (passed since)")
    assert told["python -m pytest -q"].endswith("` (last failed, passed since)")
    told = told_of(run(1, "python -m pytest -q", PASSED), run(2, "python -m pytest -q --tb=short", FAILED))
    assert told["E AssertionError: assert 106 == 108"].endswith("108`"), "it passed before, not since"
    assert told["python -m pytest -q --tb=short"].endswith("` (last failed)")


def test_each_time_it_failed_it_has_passed_since() -> None:
    """What failed twice before it passed is over with both of its errors."""
    other = FAILED.replace("106 == 108", "7 == 9")
    told = told_of(*(run(n, "python -m pytest -q", output) for n, output in enumerate((FAILED, other, PASSED))))
    assert all(told[f"E AssertionError: assert {sums}"].endswith("(passed since)") for sums in ("106 == 108", "7 == 9"))


@pytest.mark.parametrize("names", [("/w/stock/money.py", "stock/money.py"), ("stock/money.py", "/w/stock/money.py")])
def test_a_file_is_one_row_whether_it_is_named_from_the_root_or_from_a_folder(names: tuple[str, str]) -> None:
    told = told_of(*(on_file(n, "Edit", path) for n, path in enumerate((*names, names[0]))))
    assert told == {names[0]: f"`{names[0]}` edited 3x"}


def test_files_of_the_same_name_in_two_folders_stay_apart() -> None:
    paths = ("/a/x/money.py", "/a/y/money.py", "money.py")
    assert list(told_of(*(on_file(n, "Read", path) for n, path in enumerate(paths)))) == list(paths)


def test_of_several_failures_in_one_message_none_is_said_to_be_over() -> None:
    """Nobody knows here which of them the later call made up for."""
    edit = {"file_path": "src/a.py", "old_string": "a", "new_string": "b"}
    both = assistant(None, ("e1", "Edit", edit), ("r1", "bash", {"command": "make deploy"}))
    denied = "Exit code 1\nE   DeployError: permission denied for the server"
    missing = "Exit code 1\nError: old_string was not found in the file"
    told = told_of([both, result("e1", missing), result("r1", denied)], on_file(2, "Edit", "src/a.py"))
    assert told["make deploy"].endswith("` (last failed)")
    assert not any("passed since" in text for about, text in told.items() if "Deploy" in about)


def test_files_at_the_root_and_in_folders_stay_apart() -> None:
    paths = ("README.md", "/repo/docs/README.md", "/repo/pkg/README.md", "docs/README.md")
    told = told_of(*(on_file(n, "Edit", path) for n, path in enumerate(paths)))
    assert told["/repo/docs/README.md"].endswith("` edited 2x")
    assert list(told) == list(paths[:3])
