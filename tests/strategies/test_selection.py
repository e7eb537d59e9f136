"""Selection: most value for the tokens, never over the room, nothing paid for twice."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.strategies.shared.selection import Selector
from tests.builders import WORDS, assistant, user
from tests.features.sessions import Told
from tests.properties.profile import examples
from tests.summaries.texts import chars

NAMES = [f"{word}_{at}.py" for at, word in enumerate(WORDS)]
LINES = st.lists(
    st.lists(st.sampled_from((*NAMES, *WORDS)), min_size=1, max_size=8).map(" ".join), min_size=1, max_size=9
)
SESSIONS = st.lists(LINES.map("\n".join), min_size=1, max_size=6)


def told(texts, worth=lambda term: 1.0):
    return Told(user("go"), *map(assistant, texts), worth=worth)


def selector(story, worth=lambda term: 1.0 if term >= 0 else 0.0, covered=()):
    return Selector(story.lines, worth, chars, covered)


def chosen(story, room, worth=lambda term: 1.0 if term >= 0 else 0.0, covered=()):
    own = selector(story, worth, covered)
    own.fill(range(len(story.lines)), room)
    return [story.lines.text(line) for line in sorted(own.taken)]


@examples(150)
@given(SESSIONS, st.integers(-5, 200))
def test_never_more_than_the_room_is_given_out(texts, room):
    story = told(texts)
    own = selector(story)
    left = own.fill(range(len(story.lines)), room)
    assert left == room - sum(choice.cost for choice in own.taken.values())
    assert left >= 0 or (room < 0 and not own.taken)
    # counted another way: each line with a line break, each message with a heading
    lines = sum(chars(story.lines.text(line)) + 1 for line in own.taken)
    assert lines <= sum(choice.cost for choice in own.taken.values())


@examples(100)
@given(SESSIONS, st.integers(10, 200), st.integers(0, 99))
def test_the_order_of_candidates_does_not_matter(texts, room, seed):
    story = told(texts)
    order = list(range(len(story.lines)))
    first, second = selector(story), selector(story)
    first.fill(order, room)
    Random(seed).shuffle(order)
    second.fill(order, room)
    assert list(first.taken.items()) == list(second.taken.items())


@examples(100)
@given(SESSIONS, st.integers(10, 200))
def test_every_choice_adds_value_and_room_without_end_takes_all_that_do(texts, room):
    story = told(texts)
    own = selector(story)
    own.fill(range(len(story.lines)), room)
    assert all(choice.value > 0 for choice in own.taken.values())
    everything = selector(story)
    everything.fill(range(len(story.lines)), 10**6)
    found = {term for line in everything.taken for term in story.lines.terms[line] if term >= 0}
    assert found == {term for line in range(len(story.lines)) for term in story.lines.terms[line] if term >= 0}


@examples(150)
@given(SESSIONS, st.integers(10, 200))
def test_what_a_line_adds_is_kept_up_to_date_as_others_are_taken(texts, room):
    """Lines that are looked at from the start add what they would if they were looked at when it is their turn."""
    story = told(texts)
    early, late = selector(story), selector(story)
    early.fill(range(len(story.lines)), room)
    for line in early.taken:
        late.take(line)
    assert [choice.value for choice in early.taken.values()] == pytest.approx(
        [choice.value for choice in late.taken.values()]
    )


@examples(150)
@given(SESSIONS)
def test_what_comes_first_is_the_line_of_which_most_is_to_be_expected_for_its_tokens(texts):
    story = told(texts)

    def density(line):
        alone = selector(story)
        cost = alone.take(line)
        known = sum(alone._term_levels.values())  # how far each name is understood; each is worth 1
        names = sum(term >= 0 for term in story.lines.terms[line])
        return (known + 0.2 * (names - known)) / cost

    own = selector(story)
    own.fill(range(len(story.lines)), 10**6)
    densities = [density(line) for line in range(len(story.lines)) if story.lines.bounds[line] > 0]
    first = next(iter(own.taken), None)
    assert (density(first) if first is not None else 0.0) == pytest.approx(max(densities, default=0.0))


def test_the_line_with_more_value_for_its_tokens_comes_first():
    story = told(["a_long_line of many words that say nothing at all about main.py", "parser.py lexer.py"])
    assert chosen(story, 14) == ["parser.py lexer.py"]


def test_what_is_covered_already_adds_nothing():
    story = told(["open main.py", "nothing more", "see parser.py"])
    covered = [story.session.find_id("main.py")]
    kept = chosen(story, 1000, covered=covered)
    assert "see parser.py" in kept
    assert "open main.py" not in kept
    assert chosen(story, 1000, covered=[*covered, story.session.find_id("parser.py")]) == []


def test_a_name_that_was_taken_is_not_paid_for_again():
    story = told(["open main.py and look", "nothing more", "open main.py and write", "nothing at all", "and parser.py"])
    kept = chosen(story, 1000)
    assert sum("main.py" in line for line in kept) == 1
    assert "and parser.py" in kept


def test_the_message_beside_is_context_as_a_call_is_of_its_result():
    story = told(["open main.py of the project here", "open main.py of the project there", "and parser.py"])
    assert "open main.py of the project there" in chosen(story, 1000), "it says what parser.py stands beside"


def test_a_line_that_explains_a_chosen_one_is_worth_more_than_another_of_its_kind():
    near = "so says the plan of the day that was written down by all who were there and saw"
    far = "so says the note of the day that was written down by all who were there and saw"
    story = told([f"main.py\n{near} near.py", f"nothing at all\n{far} near.py"])
    own = selector(story)
    own.take(story.line("main.py"))
    own.fill(range(len(story.lines)), 25)
    assert [story.lines.text(line) for line in own.taken] == ["main.py", f"{near} near.py"]


def test_context_counts_only_for_neighbours():
    story = told(["main.py\nthe words that stand right behind it\nand some that stand further on"])
    own = selector(story)
    own.take(0)
    alone = Told(user("go"), assistant("main.py"))
    single = selector(alone)
    single.take(1)
    assert own.taken[0].value < single.taken[1].value, "a name without its context is worth less than one that has none"


def test_taking_is_unconditional_and_happens_once():
    story = told(["nothing of worth"])
    own = selector(story, worth=lambda term: 0.0)
    assert own.take(0) > 0
    assert own.take(0) == 0
    assert list(own.taken) == [0]


def test_the_first_line_of_a_message_pays_for_its_heading():
    behind = " and then so many words that the two lines stay two"
    story = told([f"one_a.py{behind}\ntwo_b.py{behind}"])
    own = selector(story)
    one, two = story.line("one_a.py"), story.line("two_b.py")
    assert own.cost(one) == own.cost(two)
    before = own.cost(two)
    own.take(one)
    assert own.cost(two) < before


@pytest.mark.parametrize("room", [-100, 0, 1, 5])
def test_no_room_takes_nothing(room):
    assert chosen(told(["main.py"]), room) == []


def test_what_is_too_large_does_not_stop_what_is_small():
    story = told([" ".join(NAMES), "x_y.py"])
    assert chosen(story, 12) == ["x_y.py"]


def test_neighbours_that_explain_each_other_come_before_a_line_that_is_worth_more_than_each_alone():
    """What stands around a path of a list are other paths: none is worth much alone."""
    paths = [f"commands/integration/of/the/{word}/{word}_state_of_one_session.go" for word in WORDS[:3]]
    other = "the rest is in main.py"
    story = told([other, "\n".join(paths)])
    worth = {story.session.find_id(name): 1.0 for name in paths} | {story.session.find_id("main.py"): 0.25}
    assert other not in chosen(story, 44, worth=lambda term: worth.get(term, 0.0))
    assert chosen(story, 44, worth=lambda term: worth.get(term, 0.0)) == paths[:2]
