"""Signals: a profile's weights move the value of a name, and say why it is worth what it is."""

from __future__ import annotations

import json
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.features.name_features import (
    BY_CLASS,
    CLASSES,
    NAME_KINDS,
    SIGNALS,
    Weigher,
    expanded,
    signals_of,
    weight_names,
)
from compactor_cli.model.profile import Profile
from compactor_cli.profiles import default_profile
from tests.builders import assistant, call, calling_message, result, user
from tests.features.sessions import Told
from tests.properties.profile import examples


def story():
    """A session in which every signal but `unread` has some name that it holds for."""
    edit = json.dumps({"file_path": "src/a.py", "old_string": "old_name", "new_string": "new_name"})
    todos = json.dumps({"todos": [{"content": "check load_rows"}]})
    return Told(
        user("Fix parse_line in src/a.py for order W-48213"),
        assistant("First parse_line, then own_idea."),
        calling_message(call("c1", "TodoWrite", todos), call("c2", "Edit", edit)),
        result("c1", "ok"),
        result("c2", "ValueError: bad_total 129.95 at 2024-05-01\nexit code: 1"),
        assistant("See example.org/docs or --max-depth and bad_total."),
        user("And 'left half' of mail@example.org, E0308, 4711, W-48214."),
        assistant("camelCase and os.path.join of file.py"),
        user("Then last_name"),
        calling_message(call("c3", "Read", '{"file_path": "b.py"}')),
        result("c3", "unread_name\nEND"),
    )


STORY = story()
MENTIONED = [(STORY.session.names[t], STORY.session.kinds[t], found) for t, found in STORY.evidence.mentions.items()]


def value(weights, name, kind, found):
    return Weigher(Profile(weights)).value(name, kind, found, STORY.evidence)


def test_the_story_has_every_kind_of_name_and_every_signal():
    assert {kind for _, kind, _ in MENTIONED} >= set(NAME_KINDS) - {"url"}
    rows = [signals_of(name, found, STORY.evidence) for name, _, found in MENTIONED]
    silent = [signal for at, signal in enumerate(SIGNALS) if not any(row[at] for row in rows)]
    assert silent == []


@pytest.mark.parametrize("signal", SIGNALS)
def test_a_weight_moves_the_value_of_the_names_that_have_the_signal(signal):
    at = list(SIGNALS).index(signal)
    for name, kind, found in MENTIONED:
        has = signals_of(name, found, STORY.evidence)[at]
        assert has >= 0
        values = [value({signal: weight, "bias": 0.3}, name, kind, found) for weight in (-2.0, -0.5, 0.0, 0.5, 2.0)]
        assert all(0 < v < 1 for v in values)
        if has:
            assert values == sorted(values)
            assert values[0] < values[2] < values[-1]
        else:
            assert len(set(values)) == 1


@pytest.mark.parametrize("name", [n for n in weight_names() if "." in n and not n.startswith("kind.")])
def test_a_weight_of_a_class_moves_names_of_that_class_only(name):
    signal, own = name.split(".")
    at = list(SIGNALS).index(signal)
    for text, kind, found in MENTIONED:
        moved = value({name: 1.0}, text, kind, found) != value({}, text, kind, found)
        assert moved == (kind in CLASSES[own] and signals_of(text, found, STORY.evidence)[at] != 0)


@pytest.mark.parametrize("kind", NAME_KINDS)
def test_a_weight_of_a_kind_moves_names_of_that_kind_only(kind):
    for name, own, found in MENTIONED:
        assert (value({f"kind.{kind}": 1.0}, name, own, found) > 0.6) == (own == kind)


def test_every_kind_has_one_class_and_names_of_weights_are_unique():
    assert sorted(kind for kinds in CLASSES.values() for kind in kinds) == sorted(NAME_KINDS)
    assert len(set(weight_names())) == len(weight_names()) == 1 + len(NAME_KINDS) + len(SIGNALS) + 5 * len(BY_CLASS)


def test_without_any_weight_a_name_is_as_likely_as_not():
    name, kind, found = MENTIONED[0]
    assert value({}, name, kind, found) == 0.5


@pytest.mark.parametrize("weight", [1000.0, -1000.0])
def test_weights_without_measure_stay_within_0_and_1(weight):
    for name, kind, found in MENTIONED:
        assert 0 <= value(dict.fromkeys(weight_names(), weight), name, kind, found) <= 1


@examples(100)
@given(st.lists(st.floats(-3, 3), min_size=len(weight_names()), max_size=len(weight_names())))
def test_an_expanded_row_times_the_weights_is_what_the_weigher_says(numbers):
    weights = dict(zip(weight_names(), numbers, strict=True))
    for name, kind, found in MENTIONED:
        row = expanded(kind, signals_of(name, found, STORY.evidence))
        points = sum(map(float.__mul__, numbers, row))
        expected = 1 / (1 + exp(-max(-30.0, min(30.0, points))))
        assert value(weights, name, kind, found) == pytest.approx(expected, abs=1e-9)


def test_reasons_name_the_strongest_signals_that_speak_for_a_name():
    name, kind, found = next(m for m in MENTIONED if m[0] == "src/a.py")
    weigher = Weigher(Profile({"edited": 3.0, "first_request": 2.0, "agent": 1.0, "asked": -9.0}))
    assert weigher.reasons(name, kind, found, STORY.evidence) == ["edited", "first_request"]
    assert weigher.reasons(name, kind, found, STORY.evidence, limit=3) == ["edited", "first_request", "agent"]
    assert Weigher(Profile({"edited": -1.0})).reasons(name, kind, found, STORY.evidence) == []


def test_the_default_profile_knows_its_signals():
    weights = default_profile().weights
    assert set(weights) <= set(weight_names())
    assert len(weights) > 0.9 * len(weight_names())
