"""What an output keeps: presence, and presence that still means something."""

from __future__ import annotations

import pytest

from compactor_cli.evaluation.retention.cases import EvaluatedSession, prepare
from compactor_cli.evaluation.retention.future_references import need_survival
from tests.builders import system, user
from tests.evaluation.retention.sessions import transcript, work


@pytest.fixture(scope="module")
def case():
    (found,) = prepare([EvaluatedSession("a", transcript(*work("harbour")))], [0.7]).cases
    return found


def messages(*records):
    return transcript(*records).messages


def test_everything_kept_is_everything(case):
    kept = need_survival(case.needs, case.front.messages, case.front.messages)
    assert (kept.recall, kept.linked) == (1, 1)
    assert kept.old_half in (None, 1)


def test_nothing_kept_is_nothing(case):
    kept = need_survival(case.needs, case.front.messages, ())
    assert (kept.recall, kept.linked) == (0, 0)


def test_a_bare_list_of_names_is_recalled_but_not_linked(case):
    names = " ".join(need.name for need in case.needs)
    kept = need_survival(case.needs, case.front.messages, messages(system(), user(names)))
    assert kept.recall == 1
    assert kept.linked < 0.5


def test_a_sentence_that_was_cut_around_the_name_is_linked(case):
    rate = next(need for need in case.needs if need.name == "harbour_rate")
    kept = need_survival(
        [rate], case.front.messages, messages(user("error in round_harbour, called with harbour_rate"))
    )
    assert (kept.recall, kept.linked) == (1, 1)
    other = need_survival([rate], case.front.messages, messages(user("harbour_rate: some new value of the invoices")))
    assert (other.recall, other.linked) == (1, 0)


def test_rare_needs_weigh_more(case):
    first, second, *_ = case.needs
    light = [type(first)(n.name, n.age, n.messages, n.among, w) for n, w in ((first, 3.0), (second, 1.0))]
    assert need_survival(light, case.front.messages, messages(user(first.name))).recall == 0.75


def test_the_older_half_is_told_apart(case):
    need = case.needs[0]
    old = [type(need)("old_name", 0.2, 1, (), 1.0), type(need)("new_name", 0.9, 1, (), 1.0)]
    kept = need_survival(old, (), messages(user("new_name")))
    assert (kept.recall, kept.old_half) == (0.5, 0)
    assert need_survival(old[1:], (), messages(user("new_name"))).old_half is None


def test_a_summary_in_a_new_system_message_counts_and_the_known_one_does_not(case):
    name = case.needs[0].name
    added = need_survival(case.needs[:1], case.front.messages, messages(system(), system(f"Summary: {name}")))
    assert added.recall == 1
    fronts = messages(system(f"Known: {name}"))
    assert need_survival(case.needs[:1], fronts, fronts).recall == 0
