"""Answers that the user counts stay with the questions that the agent counted."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.adaptive.must_keep import request_context
from tests.builders import assistant, user
from tests.features.sessions import Told

ASKED = "1. What becomes of rows without a date? 2. Are closed ones taken? 3. And the twins, are they merged?"
QUESTIONS = f"The old tables are read.\n\n{ASKED}\n\nApart from these everything is ready, the scripts as well."
ANSWERS = "1. NULL. 2. No, never. 3. Keep them apart, that is done by hand later."


@pytest.mark.parametrize("stays", [True, False])
def test_the_questions_stay_with_answers_that_are_counted_as_they_are(stays: bool) -> None:
    told = Told(user("Move the ledger."), assistant(QUESTIONS), user(ANSWERS), assistant("Good."), user("Go on."))
    found = request_context(told.messages, told.lines, lambda _: stays)
    text = "\n".join(told.lines.text(line) for lines in found for line in lines)
    assert text.replace("\n", " ") == (ASKED if stays else "")
