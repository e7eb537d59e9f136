"""What the rest of a session needed from its front."""

from __future__ import annotations

import pytest

from compactor_cli.evaluation.retention.future_references import Story
from compactor_cli.evaluation.retention.search_index import Haystack
from tests.builders import (
    assistant,
    call,
    calling_message,
    compact,
    jsonl,
    plain_exchanges,
    result,
    system,
    user,
    values_of,
)
from tests.evaluation.retention.sessions import needed, transcript, work

TOLD = user("The totals of Northwind are in ledger_2024.csv; use parse_amounts for them.")


def test_what_the_agent_writes_again_was_needed():
    assert needed([TOLD], [assistant("I call parse_amounts.")]) == ["parse_amounts"]


def test_arguments_of_calls_are_written_by_the_agent_too():
    rest = [calling_message(call("c1", "read", '{"path": "ledger_2024.csv"}')), result("c1", "1;2;3")]
    assert needed([TOLD], rest) == ["ledger_2024.csv"]


@pytest.mark.parametrize("given", [user("Now parse_amounts, please."), result("c1", "parse_amounts: ok")])
def test_what_is_given_again_before_the_agent_writes_it_was_not_needed(given):
    before = [] if given["role"] == "user" else [calling_message(call("c1", "run", "{}"))]
    assert needed([TOLD], [*before, given, assistant("I call parse_amounts.")]) == []


def test_what_is_given_only_after_the_first_use_was_needed():
    assert needed([TOLD], [assistant("I call parse_amounts."), user("parse_amounts it is.")]) == ["parse_amounts"]


def test_what_nobody_said_before_was_not_needed():
    assert needed([TOLD], [assistant("I add write_report.")]) == []


def test_what_only_the_user_says_later_was_not_needed():
    assert needed([TOLD], [user("Is parse_amounts done?"), assistant("Yes.")]) == []


def test_what_a_system_message_says_is_always_there():
    front = [system("Always call parse_amounts."), TOLD]
    assert needed(front, [assistant("I call parse_amounts on ledger_2024.csv.")]) == ["ledger_2024.csv"]


def test_words_of_tool_schemas_are_not_needed():
    calls = calling_message(call("toolu_01AbC", "read_file", '{"file_path": "ledger_2024.csv", "line_limit": 3}'))
    front = [TOLD, calls, result("toolu_01AbC", '{"row_count": 3}')]
    later = calling_message(call("c2", "read_file", '{"file_path": "x", "line_limit": 4}'))
    said = assistant("read_file with file_path and line_limit gave row_count for toolu_01AbC and parse_amounts")
    assert needed(front, [later, result("c2", "no"), said]) == ["parse_amounts"]


def test_a_piece_of_another_need_is_not_counted_beside_it():
    front = [user("See src/app/totals.py and also totals.py and round_up.")]
    assert needed(front, [assistant("I edit src/app/totals.py with round_up.")]) == ["round_up", "src/app/totals.py"]


def test_a_piece_counts_where_the_whole_was_not_told():
    assert needed([user("See totals.py.")], [assistant("I edit src/app/totals.py.")]) == ["totals.py"]


def test_parts_of_longer_words_are_no_mention():
    front = [user("my_parse_amounts and parse_amounts2 and 12,500 and 1250.75")]
    assert needed(front, [assistant("parse_amounts 1250 2500 500")]) == []


def test_numbers_are_the_same_with_and_without_separators():
    assert needed([user("They paid 12,500 once.")], [assistant("12500 it was.")]) == ["12500"]


def test_summaries_tell_the_agent_and_are_not_its_words():
    written = compact(jsonl(TOLD, *plain_exchanges(12)), target_ratio=0.5, summary_role="assistant").data
    summary = next(value for value in values_of(written) if "Session Summary" in str(value["content"]))
    summary["content"] += "\nparse_amounts was used."
    rest = [summary, assistant("I call parse_amounts on ledger_2024.csv.")]
    assert transcript(TOLD, *rest).messages[1].origin == "summary"
    assert needed([TOLD], rest) == ["ledger_2024.csv"]


def test_age_says_where_the_front_named_it_last():
    filler = [user("words and more words " * 50), assistant("and some other words " * 50)]
    front = [user("first_name second_name"), *filler, user("second_name"), assistant("Yes.")]
    needs = Story(transcript(*front, assistant("first_name second_name")).messages).needs(len(front))
    ages = {need.name: need.age for need in needs}
    assert ages["first_name"] < 0.1
    assert 0.9 < ages["second_name"] <= 1
    assert {need.name: need.messages for need in needs} == {"first_name": 1, "second_name": 2}


def test_a_story_answers_for_several_cuts():
    messages = transcript(*work("harbour")).messages
    story = Story(messages)
    early = {need.name for need in story.needs(5)}
    late = {need.name for need in story.needs(10)}
    assert {"src/harbour/totals.py", "round_harbour", "HARBOUR-4711"} <= early
    assert late == {"harbour_rate"}


def test_neighbours_of_a_need_are_never_taken_from_the_rest():
    front = [user("the value alpha_beta")]
    needs = Story(transcript(*front, assistant("gamma delta alpha_beta")).messages).needs(1)
    assert [need.among for need in needs] == [(frozenset(),)]


def test_a_haystack_finds_whole_words_only_and_not_across_pieces():
    haystack = Haystack(["use --dry-run  with\nsrc/a_b.py", "tail a_b.py", "src/", "a_b.py --dry-running"])
    assert [hit.piece for hit in haystack.find("a_b.py")] == [0, 1, 3]
    assert [hit.piece for hit in haystack.find("src/a_b.py")] == [0]
    assert [hit.piece for hit in haystack.find("--dry-run")] == [0]
    assert [hit.piece for hit in haystack.find("with src/a_b.py")] == [0]
    assert haystack.find("missing") == []
