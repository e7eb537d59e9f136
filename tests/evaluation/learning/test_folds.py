"""Which sessions are held out together."""

from __future__ import annotations

from collections import Counter

from compactor_cli.evaluation.learning.examples import Lesson
from compactor_cli.evaluation.learning.held_out import folds_by_session, folds_by_source

MANY = [Lesson(f"{source}/{at}.jsonl", source, "") for source, count in (("a", 10), ("b", 3)) for at in range(count)]


def test_every_session_has_a_fold_and_every_source_is_spread():
    folds = folds_by_session(MANY, 5, 0)
    assert set(folds) == {lesson.name for lesson in MANY}
    assert Counter(folds[lesson.name] for lesson in MANY if lesson.source == "a") == dict.fromkeys(range(5), 2)
    assert len({folds[lesson.name] for lesson in MANY if lesson.source == "b"}) == 3


def test_the_order_of_the_sessions_does_not_matter_and_the_seed_does():
    assert folds_by_session(MANY[::-1], 5, 0) == folds_by_session(MANY, 5, 0)
    assert folds_by_session(MANY, 5, 1) != folds_by_session(MANY, 5, 0)


def test_sessions_that_open_alike_stay_together():
    copies = [lesson._replace(opening="Mend the same thing") for lesson in MANY[:4]]
    folds = folds_by_session([*copies, *MANY[4:]], 5, 0)
    assert len({folds[lesson.name] for lesson in copies}) == 1


def test_nothing_can_be_held_out_of_one_session_or_one_source():
    assert folds_by_session(MANY[:1], 5, 0) == {}
    assert folds_by_session([lesson._replace(opening="alike") for lesson in MANY[:3]], 5, 0) == {}
    assert folds_by_source(MANY[:10], 10, 0) == {}


def test_two_sessions_make_two_folds():
    assert sorted(folds_by_session(MANY[:2], 5, 0).values()) == [0, 1]


def test_a_source_is_held_out_whole():
    folds = folds_by_source(MANY, 10, 0)
    assert len({folds[lesson.name] for lesson in MANY[:10]}) == len({folds[lesson.name] for lesson in MANY[10:]}) == 1
    assert len(set(folds.values())) == 2


def test_of_many_sources_several_are_held_out_together():
    lessons = [Lesson(f"{at}/s.jsonl", str(at), "") for at in range(25)]
    assert Counter(Counter(folds_by_source(lessons, 10, 0).values()).values()) == {2: 5, 3: 5}
