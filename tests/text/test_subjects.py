"""Sentences on the same subject."""

from __future__ import annotations

from compactor_cli.text.subjects import later_on_subject


def test_words_that_say_nothing_are_no_subject() -> None:
    assert later_on_subject(["Unlock that one, but leave that of Bart.", "Apply that one."]) == [(), ()]
    assert later_on_subject(["Unlock the lock of Bart.", "Leave the lock of Bart."]) == [(1,), ()]
