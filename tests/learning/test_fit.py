"""Weights: what is needed gets more, and nothing else in the data changes that."""

from __future__ import annotations

import math
from array import array
from dataclasses import replace

import pytest

from compactor_cli.learning.examples import Case
from compactor_cli.learning.fit import auc, fit
from compactor_cli.model.profile import Profile
from compactor_cli.signals.evidence import gather
from compactor_cli.signals.lines import read_session
from compactor_cli.signals.signals import Weigher, weight_names
from tests.learning.sessions import TOPICS, cases, code, errand, messages_of

ALL = cases()
SAME = dict.fromkeys(TOPICS, "store")


def toy(labels, values):
    """A case with one signal that is not constant."""
    names = weight_names()
    rows = array("d")
    for value in values:
        rows.extend(1.0 if name == "bias" else value if name == "agent" else 0.0 for name in names)
    return Case("toy", rows, bytes(labels))


def test_a_kind_of_names_that_is_always_needed_later_gets_a_higher_weight():
    weights = fit(ALL, SAME)
    assert weights["kind.code"] > weights["kind.number"]
    assert weights["kind.code"] > 0


def test_values_of_names_of_a_new_session_follow():
    weigher = Weigher(Profile(fit([case for case in ALL if case.session != "kelp"], SAME)))
    messages = messages_of(*errand("kelp"))[:12]
    session = read_session(messages)
    evidence = gather(messages, session)

    def value(name):
        term = session.find(name)
        return weigher.value(name, session.kinds[term], evidence.mentions[term], evidence)

    assert value(code("kelp", 0)) > 0.5 > value("20000")


def test_every_weight_is_there_finite_and_rounded_as_in_files():
    weights = fit(ALL, SAME)
    assert list(weights) == weight_names()
    assert all(math.isfinite(value) and value == round(value, 4) for value in weights.values())
    assert "-0.0" not in map(str, weights.values())


def test_a_larger_penalty_makes_smaller_weights():
    small, large = fit(ALL, SAME, penalty=1), fit(ALL, SAME, penalty=10_000)
    assert sum(abs(v) for k, v in large.items() if k != "bias") < sum(abs(v) for k, v in small.items() if k != "bias")


def test_the_order_of_cases_does_not_matter():
    assert fit(ALL[::-1], SAME) == fit(ALL, SAME)


def test_sources_count_alike_however_many_sessions_they_have():
    for_it, against_it = toy([1, 0] * 600, [1.0, 0.0] * 600), toy([0, 1] * 600, [1.0, 0.0] * 600)
    many = [replace(for_it, session=f"s{at}") for at in range(9)]
    sources = {**{case.session: "many" for case in many}, "toy": "one"}
    assert fit([*many, against_it], sources)["agent"] == pytest.approx(0, abs=0.001)
    assert fit([*many, against_it], dict.fromkeys(sources, "all"))["agent"] > 1


def test_a_source_with_a_handful_of_names_counts_little():
    for_it = toy([1, 0] * 600, [1.0, 0.0] * 600)
    few = replace(toy([0, 1] * 5, [1.0, 0.0] * 5), session="few")
    assert fit([for_it, few], {"toy": "many", "few": "few"})["agent"] > 2


@pytest.mark.parametrize("labels", [[1] * 60, [0] * 60, [1] + [0] * 59])
def test_labels_of_one_sort_give_finite_weights(labels):
    weights = fit([toy(labels, [at / 60 for at in range(60)])], {"toy": "toy"})
    assert all(math.isfinite(value) and abs(value) <= 1000 for value in weights.values())


@pytest.mark.parametrize(
    ("labels", "values", "expected"),
    [
        ([1, 1, 0, 0], [4, 3, 2, 1], 1.0),
        ([0, 0, 1, 1], [4, 3, 2, 1], 0.0),
        ([1, 0, 1, 0], [4, 3, 2, 1], 0.75),
        ([1, 0, 1, 0], [1, 1, 1, 1], 0.5),
        ([1, 0, 0], [2, 2, 1], 0.75),
        ([1, 1], [1, 2], None),
        ([0, 0], [1, 2], None),
    ],
)
def test_auc_is_the_share_of_pairs_in_the_right_order(labels, values, expected):
    assert auc(toy(labels, values), {"agent": 1.0}) == expected
