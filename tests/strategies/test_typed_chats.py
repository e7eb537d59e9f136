"""What people type in short lines is small talk with a few things to remember, whatever names are in it."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.adaptive.conversation import is_small_talk
from tests.builders import assistant, jsonl, read_records, user
from tests.strategies.test_rules_in_small_talk import compacted

RULE = "Branch names carry the ticket number."
CHANNEL = [
    "kestrel: welcome to old_tom and pixel_bart, spawn village is full again",
    "hazel_nut: lol my ping was at 240 all evening",
    "TheRealGus: did you see the build with the whale, that took 200 hours",
    f"kestrel: {RULE}",
    "old_tom: Grubbo moved to Canada and has a baby now",
    "hazel_nut: good night from rainy Bergen, 6 degrees here",
    "TheRealGus: nobody told me that the goose was real",
    "pixel_bart: brb, the cat is on snake_case.md again",
]


def text_of_channel(ratio: float) -> str:
    part = compacted(jsonl(*map(user, CHANNEL)), ratio)
    return "\n".join(message.text() for message in part.messages)


@pytest.mark.parametrize("ratio", [0.35, 0.4, 0.5])
def test_a_rule_stays_in_a_channel_full_of_names(ratio: float) -> None:
    assert RULE in text_of_channel(ratio)


LONG = "The page shows the price of part 12 twice, which it should not, as customers take it for another part. " * 12


@pytest.mark.parametrize(
    ("said", "small"),
    [
        ([user("Lovely weather."), assistant("It is, yes."), user("Bye!")], True),
        ([user(LONG), assistant("I see."), user("Bye!")], False),
        ([user("Lovely weather."), assistant(LONG), user("Bye!")], False),
        ([user("key_1 = line\nkey_2 = bus\nkey_3 = tram\nkey_4 = boat"), assistant("Done."), user("Bye!")], False),
        ([user("How is it going?"), assistant("Well."), user("Run `ls`.")], True),
    ],
)
def test_small_talk_is_typed_in_short_lines(said: list[dict[str, object]], small: bool) -> None:
    assert is_small_talk(read_records(*said)) is small


TOLD = "The parcel arrives on Wednesday between 9 and 12."
PASSING = (
    "You are doing really well with all of this.",
    "That sounds like a long day, take it easy tonight.",
    "Plants like that forgive nearly everything.",
    "It is a lovely colour, and it goes with anything.",
)


def chat_with_answers() -> bytes:
    asked = (
        "I sat on the balcony and watched the pigeons for a while.",
        "Somebody played the trumpet next door, not badly at all.",
        "My plants look at me as if it was my fault.",
        "I nearly bought a yellow chair today.",
    )
    answers = (PASSING[0], f"{PASSING[1]} {TOLD}", *PASSING[2:])
    said = [record for pair in zip(asked, answers, strict=True) for record in (user(pair[0]), assistant(pair[1]))]
    return jsonl(*said, user("Good night then!"))


@pytest.mark.parametrize("ratio", [0.3, 0.4])
def test_what_an_agent_tells_stays_before_what_people_say_in_passing(ratio: float) -> None:
    text = "\n".join(message.text() for message in compacted(chat_with_answers(), ratio).messages)
    assert TOLD in text


PROMPT = " ".join(f"Bookings of kind {n} are changed at desk {n * 3}." for n in range(100))
DESK = [
    (
        "Hello! I have a seat from Lyon back to Turin on Sunday, and I hope to change it to a later train. If that "
        "cannot be done, could I have the earliest one on Monday?",
        "I can change your seat. For that I need your customer number and the number of the booking.",
    ),
    ("Bills go to ledger@tarn.example, the address of the shop bounces.", "Noted, bills go to ledger@tarn.example."),
    ("I have no number with me. Is there anything else I can give you?", "The booking of 12 May has a number, too."),
    ("Alright, I look into my mail then. Thank you.", "You are welcome! Write again once you have it, I am here."),
    ("You must ask Tobias before a stranger joins.", "I ask Tobias before anybody else joins this thread."),
    (
        "If there is no later train, I might give the seat back, as I feel unwell. Would that be an option?",
        "Seats are given back until 18:00 of the day before, and with insurance number 44 until the train leaves.",
    ),
]


def test_what_was_typed_comes_before_answers_where_a_prompt_was_cut_for_it() -> None:
    """A dialogue of a desk without calls, whose user's words are more than their share but for the cut prompt."""
    said = [turn for asked, answer in DESK for turn in (user(asked), assistant(answer))]
    part = compacted(jsonl({"role": "system", "content": PROMPT}, *said, user("Thank you, bye!")), 0.25)
    text = "\n".join(message.text() for message in part.messages)
    assert [asked for asked, _ in DESK if asked not in text] == []
