"""A profile as TOML: readable, the same for the same input, and read back as it was."""

from __future__ import annotations

import pytest
import tomli
from msgspec.structs import replace

from compactor_cli.errors import UsageError
from compactor_cli.evaluation.learning.fit import fit
from compactor_cli.evaluation.learning.held_out import Figures, HeldOut, KeptShares, PartFigures
from compactor_cli.evaluation.learning.profile_text import LearnedProfile, profile_text, with_statements
from compactor_cli.features.name_features import SIGNALS, weight_names
from compactor_cli.features.talk import CHAT_SIGNALS, TALK_SIGNALS
from compactor_cli.model.profile import Profile
from compactor_cli.profiles import complete_profile, default_profile, parse_profile
from tests.evaluation.learning.sessions import TOPICS, cases

WEIGHTS = fit(cases(TOPICS[:2]), dict.fromkeys(TOPICS, "store"))
KEPT = (KeptShares(0.1, 0.5, 0.6), KeptShares(0.25, 0.7, 0.80004))
PART = PartFigures(
    4, {"by_session": Figures(0.875, 8, KEPT), "by_source": Figures(None, 0, ()), "mask": Figures(None, 8, KEPT)}
)
ODD = 'a "b" \\ c\n\x7f é 日本'


def taught(**changes):
    values = {
        "weights": WEIGHTS,
        "sources": {"b": 3, ODD: 1},
        "cases": 16,
        "names": 900,
        "penalty": 10.0,
        "held_out": HeldOut(PART, {"b": PART, ODD: PART}, 4),
        "not_held_out": "",
    }
    return LearnedProfile(**{**values, **changes})


def test_a_profile_is_read_back_as_it_was():
    profile = parse_profile(profile_text(taught()), "own.toml")
    assert profile.weights == WEIGHTS
    assert (profile.name, profile.sessions) == ("own.toml", 4)
    assert profile.figures["folds"] == 4
    assert profile.figures["all.by_session.auc"] == 0.875
    assert profile.figures["all.by_session.recall_25"] == 0.8
    assert profile.figures["sources.b.mask.linked_10"] == 0.5


def test_the_document_holds_its_sources_whatever_their_names():
    document = tomli.loads(profile_text(taught()))
    assert document["sources"] == {ODD: 1, "b": 3}
    assert set(document["held_out"]["sources"]) == {ODD, "b"}
    assert "by_source" not in document["held_out"]["all"]  # nothing was measured
    assert tomli.loads(profile_text(taught(sources={"bad \udcff": 1})))["sources"] == {"bad ?": 1}


def test_every_weight_stands_on_a_line_of_its_own_with_what_the_signal_measures():
    lines = profile_text(taught()).splitlines()
    for name in SIGNALS:
        (line,) = [line for line in lines if line.split(" ")[0] == name]
        assert line.endswith(f"# {SIGNALS[name]}")
    assert len({line.index("#") for line in lines if line.split(" ")[0] in SIGNALS}) == 1
    assert sum(" = " in line for line in lines[lines.index("[weights]") :]) == len(weight_names())


def test_without_held_out_figures_the_file_says_why():
    text = profile_text(taught(held_out=None, not_held_out="a single session cannot be held out from itself"))
    assert "# No held-out figures: a single session cannot be held out from itself." in text
    assert parse_profile(text, "own.toml").figures == {}


def test_the_header_tells_how_to_use_it():
    assert "--profile" in profile_text(taught()).split("version =")[0]


def test_the_shipped_profile_was_learned_and_measured():
    profile = default_profile()
    assert set(profile.weights) == set(weight_names())
    assert profile.sessions > 50
    assert profile.figures["all.by_session.linked_25"] > profile.figures["all.mask.linked_25"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("version = 1", "version = 2", "own.toml: version is 2; this program reads profiles of version 1"),
        ("version = 1", "", "own.toml: version is None; this program reads"),
        ("version = 1\n", "version = \n", "own.toml: no TOML: "),
        ("[weights", "[other", "own.toml: no table [weights]"),
        ("[weights]\n", "[weights]\ncharm = 1.0\n", "own.toml: [weights] charm: unknown signal"),
        ("email ", "charm = 1.0\nemail ", "own.toml: [weights] kind.charm: unknown signal"),
    ],
)
def test_what_cannot_be_used_is_named(old, new, words):
    text = profile_text(taught())
    assert old in text
    with pytest.raises(UsageError) as caught:
        parse_profile(text.replace(old, new), "own.toml")
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize("value", ["true", '"1"', "nan", "inf", "1001", "-1e9", "[1]", "2026-03-02"])
def test_a_weight_that_is_no_number_is_named_with_what_is_allowed(value):
    with pytest.raises(UsageError, match=r"own.toml: \[weights\] bias = .*: has to be a number from -1000 to 1000"):
        parse_profile(f"version = 1\n[weights]\nbias = {value}\n", "own.toml")


def test_weights_of_statements_are_read_back_and_written_anew():
    third = {name: round(0.5 + at / 8, 4) for at, name in enumerate(["bias", *CHAT_SIGNALS])}
    first = {name: third[name] for name in ["bias", *TALK_SIGNALS]}
    second = {name: -weight for name, weight in first.items()}
    tables = {"talk": first, "binding": second, "needed": third}
    text = with_statements(profile_text(taught()), tables)
    profile = parse_profile(text, "own.toml")
    assert (profile.talk, profile.binding, profile.needed) == (first, second, third)
    assert profile.weights == WEIGHTS
    assert with_statements(text, tables) == text
    assert parse_profile(with_statements(text, {**tables, "talk": second}), "own.toml").talk == second


def test_a_profile_without_weights_of_statements_has_the_shipped_ones():
    profile = parse_profile(profile_text(taught()), "old.toml")
    shipped = default_profile()
    assert set(shipped.talk) == set(shipped.binding) == {"bias", *TALK_SIGNALS}
    assert set(shipped.needed) == {"bias", *CHAT_SIGNALS}
    assert (profile.talk, profile.binding, profile.needed) == (shipped.talk, shipped.binding, shipped.needed)


def test_a_learned_profile_is_completed_as_its_file_is_read():
    learned = complete_profile(Profile(WEIGHTS))
    read = parse_profile(profile_text(taught()), "own.toml")
    assert (learned.weights, learned.talk, learned.binding, learned.needed) == (
        read.weights,
        read.talk,
        read.binding,
        read.needed,
    )
    assert complete_profile(replace(learned, needed={"bias": 1.0})).needed == {"bias": 1.0}


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ("[talk]\nloud = 1.0\n", r"own.toml: \[talk\] loud: unknown signal"),
        ("[binding]\nlength = true\n", r"own.toml: \[binding\] length = True: has to be a number"),
        ("talk = 3\n", r"own.toml: talk = 3: has to be a table \[talk\]"),
    ],
)
def test_a_wrong_part_for_statements_is_named(tables, said):
    with pytest.raises(UsageError, match=said):
        parse_profile(f"version = 1\n{tables}\n[weights]\nbias = 1.0\n", "own.toml")
