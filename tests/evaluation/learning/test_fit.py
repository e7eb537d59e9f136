"""Weights: what is needed gets more, and nothing else in the data changes that."""

from __future__ import annotations

import math
from array import array

import pytest
from msgspec.structs import replace

from compactor_cli.evaluation.learning.examples import TrainingCase
from compactor_cli.evaluation.learning.fit import auc, fit
from compactor_cli.features.evidence import gather_evidence
from compactor_cli.features.name_features import Weigher, weight_names
from compactor_cli.features.session_text import read_session
from compactor_cli.model.profile import Profile
from tests.evaluation.learning.sessions import TOPICS, cases, code, errand, messages_of

pytestmark = pytest.mark.one_test_in(2)

SAME = dict.fromkeys(TOPICS, "store")


def toy(labels, values):
    """A case with one signal that is not constant."""
    names = weight_names()
    rows = array("d")
    for value in values:
        rows.extend(1.0 if name == "bias" else value if name == "agent" else 0.0 for name in names)
    return TrainingCase("toy", rows, bytes(labels))


def test_a_kind_of_names_that_is_always_needed_later_gets_a_higher_weight():
    weights = fit(cases(), SAME)
    assert weights["kind.code"] > weights["kind.number"]
    assert weights["kind.code"] > 0


def test_values_of_names_of_a_new_session_follow():
    weigher = Weigher(Profile(fit([case for case in cases() if case.session != "kelp"], SAME)))
    messages = messages_of(*errand("kelp"))[:12]
    session = read_session(messages)
    evidence = gather_evidence(messages, session)

    def value(name):
        term = session.find_id(name)
        assert term is not None
        return weigher.value(name, session.kinds[term], evidence.mentions[term], evidence)

    assert value(code("kelp", 0)) > 0.5 > value("20000")


def test_every_weight_is_there_finite_and_rounded_as_in_files():
    weights = fit(cases(), SAME)
    assert list(weights) == weight_names()
    assert all(math.isfinite(value) and value == round(value, 4) for value in weights.values())
    assert "-0.0" not in map(str, weights.values())


def test_a_larger_penalty_makes_smaller_weights():
    small, large = fit(cases(), SAME, penalty=1), fit(cases(), SAME, penalty=10_000)
    assert sum(abs(v) for k, v in large.items() if k != "bias") < sum(abs(v) for k, v in small.items() if k != "bias")


def test_the_order_of_cases_does_not_matter():
    assert fit(cases()[::-1], SAME) == fit(cases(), SAME)


def sessions_of(source, count, labels):
    """Cases of so many sessions in which the signal says the same, and their sources."""
    cases = [replace(toy(labels * 200, [1.0, 0.0] * 200), session=f"{source}{at}") for at in range(count)]
    return cases, {case.session: source for case in cases}


def test_sources_count_alike_however_many_sessions_they_have():
    many, sources = sessions_of("many", 20, [1, 0])
    against, others = sessions_of("against", 5, [0, 1])
    assert fit([*many, *against], {**sources, **others})["agent"] == pytest.approx(0, abs=0.001)
    assert fit([*many, *against], dict.fromkeys({**sources, **others}, "all"))["agent"] > 1


def test_a_source_with_few_sessions_counts_less():
    many, sources = sessions_of("many", 5, [1, 0])
    few, others = sessions_of("few", 1, [0, 1])
    assert fit([*many, *few], {**sources, **others})["agent"] > 1


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
