"""What a client saved twice in one message is quoted once."""

from __future__ import annotations

from tests.pipeline.sessions import compact, user
from tests.strategies import work

SAID = "The rounding of the totals is mended, and the branch is pushed. Shall I open the request for it?"


def test_words_that_a_message_has_twice_are_quoted_once() -> None:
    answer = {"role": "assistant", "content": [{"type": "text", "text": SAID}] * 2}
    part = compact([*work.session(12), answer, user("Yes, do.")], strategy="handoff", target_tokens=700)
    assert "\n".join(message.text() for message in part.messages).count(SAID) == 1


def test_of_two_messages_the_same_words_are_two_answers() -> None:
    records = [*work.session(6), *({"role": "assistant", "content": SAID}, user("Not yet. What of row 9?"))]
    part = compact(
        [*records, {"role": "assistant", "content": SAID}, user("Yes, do.")], strategy="handoff", target_tokens=900
    )
    assert "\n".join(message.text() for message in part.messages).count(SAID) == 2
