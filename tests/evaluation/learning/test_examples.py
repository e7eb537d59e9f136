"""What is an example: which names, which of them were needed, and where sessions are cut."""

from __future__ import annotations

import pytest

from compactor_cli.evaluation.learning.examples import CUTS, cases_of, needed_names, opening_of
from compactor_cli.evaluation.retention.cases import cut_position
from compactor_cli.features.evidence import gather_evidence
from compactor_cli.features.name_features import weight_names
from compactor_cli.features.session_text import read_session
from tests.builders import assistant, call, calling_message, listing_output, prose, result, system, user
from tests.evaluation.learning.sessions import code, errand, messages_of


def needed(front, rest):
    messages = messages_of(*front, *rest)
    before, after = messages[: len(front)], messages[len(front) :]
    session = read_session(before)
    return {session.names[term] for term in needed_names(session, gather_evidence(before, session), after)}


def test_needed_is_what_the_agent_writes_again():
    front = [user("Mend src/app/totals.py, not src/app/main.py."), assistant("I look at it.")]
    assert needed(front, [assistant("I change src/app/totals.py now.")]) == {"src/app/totals.py", "totals.py"}


def test_what_somebody_says_again_first_is_not_needed():
    front = [user("Mend src/app/totals.py."), assistant("I look at it.")]
    told = [user("In totals_of, of src/app/totals.py, please."), assistant("I change src/app/totals.py.")]
    assert needed(front, told) == set()
    after = [assistant("I change src/app/totals.py."), user("Yes, src/app/totals.py.")]
    assert needed(front, after) == {"src/app/totals.py", "totals.py"}


def test_what_a_tool_says_again_first_is_not_needed():
    front = [user("Mend src/app/totals.py, see issue_4711."), assistant("I look at it.")]
    rest = [
        calling_message(call("c1", "shell", '{"command": "ls"}')),
        result("c1", "src/app/totals.py"),
        assistant("I change src/app/totals.py for issue_4711."),
    ]
    assert needed(front, rest) == {"issue_4711"}


def test_names_of_tools_and_keys_of_data_are_no_needs():
    front = [
        user("Please use read_file for file_path README.md."),
        calling_message(call("c1", "read_file", '{"file_path": "README.md"}')),
        result("c1", "# Title"),
    ]
    rest = [calling_message(call("c2", "read_file", '{"file_path": "README.md"}')), result("c2", "# Title")]
    assert needed(front, rest) == {"README.md", "readme.md"}  # in quotes, case does not count


def test_what_is_new_is_not_needed_of_the_front():
    assert needed([user("Begin."), assistant("Yes.")], [assistant("I make src/new.py.")]) == set()


def test_a_session_gives_a_case_for_each_cut_with_a_row_for_each_name():
    messages = messages_of(*errand("harbour"))
    cases = list(cases_of("harbour", messages))
    assert len(cases) == len(CUTS)
    for case in cases:
        assert case.session == "harbour"
        assert len(case.rows) == len(case.needed) * len(weight_names())
        assert 3 <= case.needs < len(case.needed)


def test_names_of_system_messages_are_no_examples():
    records = list(errand("harbour"))
    plain = next(cases_of("harbour", messages_of(*records)))
    told = next(cases_of("harbour", messages_of(system(f"Stock of {code('harbour', 0)}."), *records[1:])))
    assert (len(plain.needed) - len(told.needed), plain.needs - told.needs) == (1, 1)


@pytest.mark.parametrize("share", [0.05, 0.2, *CUTS, 0.9])
def test_a_cut_does_not_part_a_call_from_its_results(share):
    records = [user(prose("task"))]
    for at in range(4):
        records.append(calling_message(call(f"a{at}"), call(f"b{at}")))
        records += [result(f"b{at}", listing_output(f"b{at}")), result(f"a{at}", listing_output(f"a{at}"))]
    messages = messages_of(*records, assistant(prose("end", 60)), assistant("Done."))
    cut = cut_position(messages, share)
    assert cut is not None
    calls = {part.call_id for m in messages[:cut] for part in m.parts if part.kind == "tool_call"}
    results = {part.call_id for m in messages[:cut] for part in m.parts if part.kind == "tool_result"}
    assert calls == results


@pytest.mark.parametrize(
    "records",
    [
        [],
        [user("hello"), assistant("hello")],
        [user(prose("a", 100)), assistant(prose("b", 100)), user(prose("c", 100))],  # names nothing
        [user(f"Mend a_b.py, c_d.py and e_f.py. {prose('a', 10)}"), assistant("a_b.py, c_d.py and e_f.py")],  # small
    ],
)
def test_what_is_too_short_or_needs_nothing_gives_no_case(records):
    assert list(cases_of("short", messages_of(*records) if records else ())) == []


def test_one_place_is_not_used_for_two_cuts():
    wanted = "src/a_b.py, src/c_d.py and src/e_f.py"
    records = [user(f"Mend {wanted}. {prose('a', 600)}"), assistant(prose("b", 3)), user("Go on."), assistant(wanted)]
    assert len(list(cases_of("one", messages_of(*records)))) == 1


def test_sessions_on_the_same_work_are_known_by_their_first_request():
    assert opening_of(messages_of(*errand("cedar"))).startswith("Please check the stock of the cedar store")
    assert opening_of(messages_of(user("hi"), assistant("Hello."))) == ""
