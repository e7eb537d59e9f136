"""What a reply answers one by one, by the numbers of the questions."""

from __future__ import annotations

import pytest

from compactor_cli.text.answered_items import answered_spans
from compactor_cli.text.picked_items import picked_items

ASKED = "Open questions: 1. What becomes of rows without a date? 2. Are deleted ones taken? 3. Merge doubles or not?"
LISTED = "Before I begin:\n1. Which city?\n2. **Which day**, and until when?\n\nI wait for that."
FOUND = "1. The cache was stale. 2. The event came twice. Both are mended."


def told(answer, reply):
    spans = answered_spans(answer, reply)
    assert not spans or picked_items(answer, reply) == spans
    return [answer[start:end] for start, end in spans]


def test_a_reply_that_counts_answers_brings_the_questions() -> None:
    questions = ["1. What becomes of rows without a date?", "2. Are deleted ones taken?", "3. Merge doubles or not?"]
    assert told(ASKED, "1. NULL. 2. No, they stay away. 3. Keep them apart, never merge them.") == questions
    assert told(ASKED, "1) NULL\n2) No") == questions


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        (FOUND, "1. Good. 2. Now mend the third one as well."),
        (ASKED, "1. NULL."),
        (ASKED, "Version 1.2 is fine, and 2.0 is not."),
        (ASKED, "2. No. 3. Keep them apart."),
        (ASKED, "Before that, please do the following: 1. Run the tests. 2. Write them up."),
        (ASKED, "1. a 2. b 3. c 4. d"),
        (ASKED, "On the 1. of May and the 2. of June."),
        ("Shall I go on?", "1. Yes. 2. Keep the names."),
        ("It took 1. 5 or 2. 5 hours. Shall I go on?", "Yes, 1. and 2. are fine."),
        (ASKED, ""),
        (LISTED, "1. Lisbon 2. Monday"),
        (ASKED, "10. October, 11. November"),
    ],
)
def test_other_numbers_bring_none(answer, reply) -> None:
    assert told(answer, reply) == []


def test_a_long_reply_that_begins_with_a_letter_names_others_behind_it() -> None:
    answer = "Options: (A) mark each event as sent; (B) make it idempotent; (C) delete the key, so it is built again."
    long = f"C. Deleting is idempotent. A is a good idea too, but separately. {'And keep the names as they are. ' * 8}"
    assert [answer[start:end] for start, end in picked_items(answer, long)] == [
        "(A) mark each event as sent",
        "(C) delete the key, so it is built again.",
    ]
    assert picked_items(answer, f"Good. A is a fine idea. {'And keep the names as they are. ' * 8}") == []
