"""The measure run with methods of the tests: scores, failures, differences."""

from __future__ import annotations

import itertools

import pytest

from compactor_cli.evaluation.retention.cases import EvaluatedSession, prepare
from compactor_cli.evaluation.retention.measure import Method, NoOutputError, evaluate
from compactor_cli.model.message import Message, Part
from tests.builders import assistant, user
from tests.evaluation.retention.sessions import transcript, work

TOPICS = ("harbour", "lagoon", "cedar", "ember", "juniper")


def sessions(*topics):
    return [EvaluatedSession(topic, transcript(*work(topic))) for topic in topics]


def note(text):
    return Message(-1, "", "user", (Part("text", text, 1),), (), 5)


def everything(front, target):
    """Knows all, and claims that it is small."""
    return [note(message.text()) for message in front.messages]


def nothing(front, target):
    return []


def refuses(front, target):
    raise NoOutputError("no idea")


def too_large(front, target):
    return front.messages


METHODS = [
    Method("everything", "strategy", everything),
    Method("nothing", "strategy", nothing),
    Method("refuses", "against", refuses),
    Method("too_large", "against", too_large),
]


def run(ratios=(0.5,), **options):
    return evaluate(prepare(sessions(*TOPICS[:3]), [0.5, 0.75]), METHODS, ratios, **options)


def test_every_method_has_a_row_at_every_ratio_in_the_order_given():
    result = run((0.5, 0.25))
    names = [(row.ratio, row.method) for row in result.rows]
    assert names == [(ratio, method.name) for ratio in (0.5, 0.25) for method in METHODS]
    assert (result.sessions, result.cases) == (3, 6)
    assert result.needs >= 3 * result.cases


def test_scores_are_between_nothing_and_everything():
    first, second, *_ = run().rows
    assert (first.recall.mean, first.over, first.failed) == (1, 0, 0)
    assert (second.recall.mean, second.linked.mean, second.size) == (0, 0, 0)


def test_a_failure_scores_0_and_its_reason_is_told():
    row = run().rows[2]
    assert (row.recall.mean, row.linked.mean, row.failed, row.over, row.size) == (0, 0, 6, 0, None)
    assert row.failures == (("no idea", 6),)


def test_an_output_over_its_target_scores_0_and_its_size_is_told():
    row = run().rows[3]
    assert (row.recall.mean, row.linked.mean, row.over, row.failed) == (0, 0, 6, 0)
    assert row.size > 1


def test_the_first_method_is_compared_with_each_other_one():
    result = run()
    assert [(d.first, d.other) for d in result.differences] == [("everything", m.name) for m in METHODS[1:]]
    assert all(d.recall.mean == 1 and d.recall.low == 1 for d in result.differences)


def test_the_clock_and_the_progress_are_those_passed_in():
    clock = itertools.count()
    steps: list[str] = []
    result = run(clock=lambda: next(clock), progress=steps.append)
    assert {row.seconds for row in result.rows} == {1}
    assert len(steps) == 6 * len(METHODS)


def test_the_same_sessions_give_the_same_result():
    assert run() == run()


@pytest.mark.parametrize("count", [1, 4, 5])
def test_rare_needs_weigh_more_with_few_sessions_and_with_many(count):
    found = sessions(*TOPICS[:count])
    shared = [*work("onyx"), assistant("Also 'shared phrase' of 4 and common_name.")]
    shared[1] = user(f"{shared[1]['content']} Mind common_name and common_name2.")
    shared[3] = {**shared[3], "content": shared[3]["content"] + " common_name"}
    everywhere = [EvaluatedSession(s.name, transcript(*work(s.name), assistant("common_name"))) for s in found]
    case = prepare([EvaluatedSession("onyx", transcript(*shared)), *everywhere[1:]], [0.7]).cases[0]
    weights = {need.name: need.weight for need in case.needs}
    assert weights["common_name"] < weights["ONYX-4711"]
    assert min(weights.values()) >= 0.1


def test_what_is_too_short_is_skipped_with_the_reason():
    short = EvaluatedSession("short", transcript(user("a load_all"), assistant("b"), user("c"), assistant("load_all")))
    plain = EvaluatedSession("plain", transcript(*(user("nothing but words " * 60) for _ in range(20))))
    single = EvaluatedSession("single", transcript(user("only one")))
    found = prepare([short, plain, single], [0.5])
    assert found.cases == ()
    reasons = {name: reason for name, _, reason in found.skipped}
    assert "fewer than 1,000" in reasons["short"]
    assert reasons["plain"] == "0 needed identifiers, fewer than 3"
    assert reasons["single"] == "no legal place to cut"
    assert evaluate(found, METHODS, [0.5]).rows == ()


def test_two_cuts_at_one_place_are_one_case():
    found = prepare(sessions("harbour"), [0.7, 0.7001])
    assert len(found.cases) == 1
    assert [(s.cut, s.reason) for s in found.skipped] == [(0.7001, "the same place as an earlier cut")]
