"""Evidence: who wrote a name, where it stands first and last, and what it has to do with."""

from __future__ import annotations

import json

from tests.builders import assistant, call, calling_message, result, system, user
from tests.features.sessions import Told


def bash(id, command):  # `id` is the word of the format
    return call(id, "Bash", json.dumps({"command": command}))


def test_a_name_knows_who_wrote_it_and_where():
    told = Told(
        user("Fix parse_line in a.py"),
        assistant("I look at parse_line."),
        calling_message(bash("c1", "grep parse_line a.py")),
        result("c1", "a.py:12: def parse_line():"),
        assistant("Found parse_line; load_rows calls it."),
        user("Good."),
    )
    found = told.of("parse_line")
    assert (found.first, found.last, found.messages) == (0, 4, 5)
    assert (found.user, found.agent, found.prose, found.calls, found.results) == (1, 3, 2, 1, 1)
    assert (found.first_agent, found.last_agent, found.last_result) == (1, 4, 3)
    own = told.of("load_rows")
    assert (own.first, own.first_agent, own.user, own.results) == (4, 4, 0, 0)
    assert told.evidence.last_agent == 4
    assert told.evidence.messages == 6


def test_a_name_of_the_first_or_last_request_is_marked_and_injected_text_is_none():
    told = Told(
        user("Start with a.py"),
        assistant("Yes, then b.py"),
        user("Now c.py"),
        assistant("Done."),
        user("<system-reminder>d.py is open</system-reminder>"),
    )
    assert told.of("a.py").first_request
    assert not told.of("a.py").last_request
    assert told.of("c.py").last_request
    assert not told.of("d.py").last_request
    assert not told.of("b.py").first_request


def test_what_a_harness_shows_is_found_and_not_said_but_its_instructions_are():
    told = Told(
        user("Start with a.py"),
        user("<bash-stdout>b.py holds load_rows</bash-stdout>"),
        user("# AGENTS.md instructions\nNever touch c.py."),
        assistant("Done."),
    )
    found, bound = told.of("load_rows"), told.of("c.py")
    assert (found.user, found.results, found.last_result) == (0, 1, 1)
    assert (bound.user, bound.results) == (1, 0)
    assert [piece.is_speech for piece in told.session.pieces] == [True, False, True, True]


def test_occurrences_are_counted_wherever_they_stand():
    told = Told(user("a.py a.py"), calling_message(call("c1")), result("c1", "a.py\na.py"), assistant("a.py"))
    assert told.of("a.py").occurrences == 5
    assert told.of("a.py").messages == 3


def test_a_quoted_name_does_not_occur_where_the_same_word_stands_in_what_is_said():
    shown = result("c1", 'Look at the "Harbor" first.')
    told = Told(user("go"), calling_message(call("c1")), shown, assistant("The harbor is behind the harbor wall."))
    assert told.of("harbor").occurrences == 1
    assert told.of("harbor").messages == 2


def test_names_in_calls_that_change_files_are_edited_and_reading_is_not_changing():
    edit = json.dumps({"file_path": "src/a.py", "old_string": "old_name", "new_string": "new_name"})
    told = Told(
        user("go"),
        calling_message(call("c1", "Edit", edit)),
        result("c1", "done_now"),
        calling_message(bash("c2", "cat src/b.py")),
        result("c2", "seen_name"),
        calling_message(bash("c3", "sed -i 's/x/y/' src/c.py")),
        result("c3", "ok"),
    )
    assert told.of("src/a.py").edited
    assert told.of("new_name").edited
    assert told.of("src/c.py").edited
    assert not told.of("src/b.py").edited
    assert not told.of("seen_name").edited


def test_names_in_a_plan_are_planned():
    todos = json.dumps({"todos": [{"content": "check load_rows", "status": "pending"}]})
    told = Told(
        user("go"), calling_message(call("c1", "TodoWrite", todos)), result("c1", "ok"), assistant("other_name")
    )
    assert told.of("load_rows").planned
    assert not told.of("other_name").planned


def test_names_on_error_lines_have_failed():
    out = "collected tests/test_a.py\nValueError: bad_total in rounding.py\nexit code: 1"
    told = Told(user("go"), calling_message(call("c1")), result("c1", out))
    assert told.of("rounding.py").failed
    assert told.of("bad_total").failed
    assert not told.of("tests/test_a.py").failed


def test_a_result_that_went_well_has_no_failures():
    out = "12 tests, ValueError: is expected in rounding.py\nexit code: 0"
    assert not Told(user("go"), calling_message(call("c1")), result("c1", out)).of("rounding.py").failed


def test_keys_of_data_and_names_of_tools_are_form():
    told = Told(
        user("go on with order_id and file_path"),
        calling_message(call("c1", "get_order", '{"order_id": "W-1234"}')),
        result("c1", '{"order_id": "W-1234", "payment_kind": "card_9"}'),
        assistant("get_order says card_9"),
    )
    assert told.of("order_id").key
    assert told.of("payment_kind").key
    assert told.of("get_order").key
    assert not told.of("W-1234").key
    assert not told.of("card_9").key


def test_system_messages_are_no_part_of_the_story():
    told = Told(system("Always use tool_a.py"), user("go"), assistant("b.py"))
    assert told.term("tool_a.py") not in told.evidence.mentions
    assert told.value("tool_a.py") == 0


def test_company_and_lines_are_those_of_the_smallest_text():
    told = Told(user("a.py"), assistant("a.py b.py c.py\nd.py"))
    assert (told.of("a.py").fewest_names, told.of("a.py").fewest_lines) == (1, 1)
    assert (told.of("b.py").fewest_names, told.of("b.py").fewest_lines) == (4, 2)


def test_ages_fall_from_old_to_new_within_0_and_1():
    told = Told(system("rules"), *(assistant(f"text {at} " * 20) for at in range(6)))
    ages = told.evidence.ages
    assert list(ages[1:]) == sorted(ages[1:], reverse=True)
    assert all(0 <= age <= 1 for age in ages)


def test_rows_of_a_table_are_alike_and_what_is_not_in_it_is_not():
    rows = "\n".join(f"host-{at:03} is up" for at in range(50))
    told = Told(user("go"), calling_message(call("c1")), result("c1", f"{rows}\nvol-7f3a9c is gone"))
    assert told.of("host-017").similar_names == 50
    assert told.of("vol-7f3a9c").similar_names == 1


def test_a_session_of_the_system_alone_has_no_evidence():
    told = Told(system("rules of a.py"))
    assert told.evidence.mentions == {}
    assert told.evidence.last_agent == -1
