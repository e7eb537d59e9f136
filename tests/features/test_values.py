"""Values: what names and words are worth, in talk and in work."""

from __future__ import annotations

import pytest

from compactor_cli.model.profile import Profile
from tests.builders import assistant, call, calling_message, listing_output, prose, result, system, user
from tests.features.sessions import Told


def talk(*more):
    records = []
    for at in range(12):
        records += [user(f"And what about that, {at}?"), assistant(prose(f"matter {at}", 5).replace("number", "piece"))]
    return [*records, *map(assistant, more)]


def work(*more):
    records = [user("Fix it.")]
    for at in range(12):
        records += [calling_message(call(f"c{at}")), result(f"c{at}", listing_output(f"part_{at}", 30))]
    return [*records, *map(assistant, more)]


def test_rare_words_are_worth_something_where_people_talk():
    told = Told(*talk("The heron nests at the weir."))
    assert told.value("heron") > 0
    assert told.value("heron") > told.value("piece")


def test_words_are_worth_next_to_nothing_where_tools_are_at_work():
    told = Told(*work("The heron nests at the weir."))
    assert told.value("heron") < 0.02 * Told(*talk("The heron nests at the weir.")).value("heron")


def test_a_name_is_worth_more_than_a_word():
    told = Told(*talk("The heron of nest_17 sits there."))
    assert told.value("nest_17") > told.value("heron")


def test_what_only_system_messages_say_is_worth_nothing():
    told = Told(system("Mind rule_book.py"), *talk())
    assert told.value("rule_book.py") == 0


def test_values_are_those_of_the_profile():
    records = [*work("See notes.py"), user("Also wanted.py")]
    plain = Told(*records, profile=Profile({}))
    assert plain.value("notes.py") == plain.value("wanted.py") == 0.5
    asked = Told(*records, profile=Profile({"asked": 4.0, "bias": -2.0}))
    assert asked.value("wanted.py") > 0.5 > asked.value("notes.py")


def test_an_explanation_names_the_most_valuable_with_their_signals():
    records = [user("Fix wanted.py"), assistant("I see wanted.py and other.py")]
    told = Told(*records, profile=Profile({"first_request": 3.0, "bias": -1.0}))
    ids = [told.term(name) for name in ("other.py", "wanted.py")]
    assert told.values.explain(ids) == ("wanted.py (first_request)", "other.py ()")
    assert told.values.explain(ids, limit=1) == ("wanted.py (first_request)",)
    assert told.values.explain([]) == ()


@pytest.mark.parametrize("records", [[user("a")], [user("")], [system("x")], [user("one two three")]])
def test_tiny_sessions_have_values_too(records):
    told = Told(*records)
    assert all(0 <= told.values.of(term) <= 1 for term in range(-len(told.session.words), len(told.session.names)))
