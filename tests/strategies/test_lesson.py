"""In a lesson the rules of the pupil stay before what the tutor says over and over, and so does the newest question."""

from __future__ import annotations

import pytest

from tests.builders import assistant, jsonl, user
from tests.strategies.test_rules_in_small_talk import compacted

SYSTEM = {
    "role": "system",
    "content": (
        "You are a patient maths tutor for a 15-year-old. Never give the final answer of an exercise "
        "before the student has tried. Keep replies under 120 words."
    ),
}
RULE = "we are NOT allowed to use the abc formula in the test"
QUESTION = "hang on is it allowed to skip lines if i did the same one before?"
TURNS = (
    "hi i have a test on friday about quadratic equations and i don't get the formula at all",
    "Hi! Then let's start where you are. What do you know already: could you solve x² = 49?",
    "yes 7. oh and -7",
    "Exactly, two solutions. And x² + 6x = 0?",
    "no idea. divide by x? then x = -6",
    "Dividing by x loses a solution, because x might be 0. Try to take x out of both terms as a factor.",
    "x(x+6)=0 so x=0 or x=-6!",
    "Perfect. That's called factoring. Next: x² + 6x + 5 = 0. Look for two numbers that multiply to 5 and add to 6.",
    "5 and 1. so (x+5)(x+1)=0 and x=-5, x=-1",
    "Right! Now what if no nice numbers exist, like x² + 6x + 4 = 0?",
    (
        "that's where i get lost. my teacher says complete the square but we are NOT allowed to use the "
        "abc formula in the test, only completing the square. and we have to write every step on its own "
        "line or lose points"
    ),
    (
        "Good to know: only completing the square, each step on its own line. For x² + 6x + 4 = 0, move "
        "the 4 first. What do you get?"
    ),
    "x² + 6x = -4",
    "Now half of 6 is 3, and 3² = 9. Add 9 on both sides. What's on the left as a square?",
    "(x+3)² = 5",
    "Yes. And then?",
    "x+3 = √5 so x = √5 - 3",
    "One thing is missing: a square has two roots.",
    "±√5. x = -3 ± √5",
    "Great. Try one alone: x² - 10x + 7 = 0.",
    "x² - 10x = -7\nx² - 10x + 25 = 18\n(x-5)² = 18\nx = 5 ± √18",
    "Correct. √18 can be made simpler: 18 = 9·2. What is √18 then?",
    "3√2. do i have to simplify? my teacher (ms. okafor) says leave decimals out completely, never round",
    (
        "Then write x = 5 ± 3√2; simplified roots are safe, decimals are not allowed. Next, one with a "
        "number in front: 2x² + 12x - 8 = 0. What would you do first?"
    ),
    "hmm. half of 12 is 6, 36. 2x² +12x + 36 = 44?",
    "Careful. With a 2 in front of x² the square doesn't close. Try to divide the whole equation by 2 first.",
    "x² + 6x - 4 = 0\nx² + 6x = 4\nx² + 6x + 9 = 13\n(x+3)² = 13\nx = -3 ± √13",
    (
        "All correct, and each step on its own line. You are getting quick. What about x² + 5x + 1 = 0? "
        "Half of 5 isn't whole."
    ),
    "2.5. but no decimals...",
    "Use a fraction: 5/2. Its square is 25/4.",
    "x² + 5x = -1\nx² + 5x + 25/4 = 21/4\n(x+5/2)² = 21/4\nx = -5/2 ± √21/2",
    "Excellent. That was the hardest kind. One more idea: when is there no solution at all?",
    "when the right side is negative? like (x+1)² = -3",
    "Exactly. Try x² + 2x + 4 = 0.",
    "(x+1)² = -3 so no solution. cool",
)
"""What pupil and tutor say in turns. The tutor's sentences share words with each other, and replace nothing."""


def lesson(*newest: str) -> bytes:
    turns = [(assistant if at % 2 else user)(text) for at, text in enumerate(TURNS)]
    return jsonl(SYSTEM, *turns, *([assistant("Right. Try x² - 8x + 3 = 0."), *map(user, newest)] if newest else []))


def kept(data: bytes, ratio: float) -> str:
    return "\n".join(message.text() for message in compacted(data, ratio).messages)


@pytest.mark.parametrize("ratio", [0.3, 0.4])
def test_a_rule_said_once_stays_before_a_chain_of_similar_answers(ratio: float) -> None:
    assert RULE in kept(lesson(), ratio)


def test_the_question_at_the_end_of_a_long_message_stays_in_a_small_room() -> None:
    solved = "\n".join(f"{n}) x² - {n * 2}x = -3\nx = {n} ± √{n * n - 3}" for n in range(4, 8))
    assert kept(lesson(f"{solved}\n{QUESTION}"), 0.13).endswith(QUESTION)
