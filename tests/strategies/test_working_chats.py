"""In chats where an agent works by talking, what was decided stays, and what it proposed and explained goes."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.shared.chats import is_working_chat
from tests.builders import assistant, call, calling_message, jsonl, read_records, result, user
from tests.strategies.test_carrying_on import compact, text_of

TALKED = (
    (
        "hi, i want to build a shed behind the house. we can only work on weekends, my brother in law helps",
        "Great project! There are four usual kinds:\n\n- **Pent roof**: cheapest, 900 to 1,400, one slope, "
        "good against a wall\n- **Apex roof**: 1,200 to 2,100, more headroom, looks like a small house\n- "
        "**Log cabin**: from 2,800, with 28 mm walls it can be used in winter\n- **Metal**: 450 to 800, "
        "quick to build, but it drums in the rain and sweats in spring\n\nAll need a level base: slabs, a "
        "timber frame on posts, or concrete of 10 cm. How large should it be?",
    ),
    (
        "the second kind but without windows. about three by two metres",
        "A good choice. For 3 x 2 m you need roughly:\n\n| Part | Amount | Price |\n|---|---|---|\n| Joists "
        "45 x 95 | 11 | 130 |\n| Boards 19 mm | 38 | 410 |\n| Felt shingles | 9 packs | 170 |\n| Screws 5 x "
        "70 | 2 boxes | 44 |\n\nLarch lasts 15 to 20 years without paint, spruce 6 to 9, Douglas fir about "
        "12. Pressure-treated pine is the usual compromise.",
    ),
    (
        "larch then. oh and the neighbours' dog digs, so the fence side needs something in the ground. "
        "lovely weather today btw",
        "Larch it is. Against digging people use:\n\n1. Wire mesh, 40 cm deep, 60 a roll\n2. Paving slabs on"
        " edge, 4 to 6 each\n3. A strip of gravel 30 cm wide\n\nMesh lasts longest when it is stainless; "
        "galvanized mesh rusts after 8 years or so.",
    ),
    (
        "slabs. we have a pile of old ones. how do i paint a door",
        "Sand it with 120 grit, then 180, wipe it down, prime it, and give it two thin coats with a foam "
        "roller, each dried for 6 hours at 18 degrees or more. Take the handle off, and tape the hinges. "
        "A gloss paint of 0.75 l is enough for both sides.",
    ),
    (
        "thanks. the base: hm concrete was my first thought, but the lime tree's roots are there, so posts",
        "Posts spare the roots. Ground screws of 65 cm carry 500 kg each, take 10 minutes by hand, and "
        "cost 16 to 22. Post anchors in point foundations of 30 x 30 x 80 cm carry more, but every hole "
        "may meet a root. For your size 6 points are usual.",
    ),
    (
        "screws sound good. and the door has to be wide enough for the cargo bike, it's 88",
        "Then plan a clear width of 100 cm: with 88 for the bike and some room for hands. Double doors of"
        " 2 x 60 cm are lighter, single doors of 110 cm need three hinges and a diagonal brace, otherwise"
        " they sag after the first winter.",
    ),
)
DECIDED = (
    "only work on weekends",
    "second kind but without windows",
    "larch then",
    "roots are there",
    "cargo bike, it's 88",
)
ASKED = "ok write the shopping list and a plan for the weekends"


def chat(answers: int = 1000) -> list[dict[str, object]]:
    """A chat with answers of at most so many characters."""
    said = [record for asked, told in TALKED for record in (user(asked), assistant(told[:answers]))]
    return [*said, user(ASKED)]


@pytest.mark.parametrize(
    ("strategy", "ratio", "decided"),
    [
        *(("adaptive", 0.25, 3), ("adaptive", 0.4, 4), ("adaptive", 0.45, 5)),
        *(("rolling", 0.4, 4), ("rolling", 0.45, 5), ("handoff", 0.42, 5)),
    ],
)
def test_what_was_decided_stays(strategy: str, ratio: float, decided: int) -> None:
    text = text_of(compact(jsonl(*chat()), target_ratio=ratio, strategy=strategy))
    assert sum(words in text for words in DECIDED) >= decided
    assert ASKED in text


@pytest.mark.parametrize("strategy", ["adaptive", "rolling"])
@pytest.mark.parametrize(
    "opening", ["hey, planning a shed, any tips for a beginner?", "ciao! devo costruire una casetta, hai idee?"]
)
def test_what_the_first_request_is_about_stays(strategy: str, opening: str) -> None:
    records = [user(opening), assistant(TALKED[3][1]), *chat()]
    assert opening in text_of(compact(jsonl(*records), target_ratio=0.3, strategy=strategy))


QUESTIONS = (
    "which kinds of sheds are there?",
    "how do you work out the amount of wood?",
    "the mango juice for me, then",
    "what keeps a dog from digging under a fence?",
    "how is a door painted?",
    "what are the usual footings?",
)


@pytest.mark.parametrize("strategy", ["adaptive", "rolling"])
@pytest.mark.parametrize("ratio", [0.3, 0.5])
def test_all_that_the_user_said_stays_where_it_has_room_in_its_share(strategy: str, ratio: float) -> None:
    answers = [f"{answer} {answer}" for _, answer in TALKED]
    said = zip(QUESTIONS, answers, strict=True)
    records = [record for asked, answer in said for record in (user(asked), assistant(answer))]
    text = text_of(compact(jsonl(*records), target_ratio=ratio, strategy=strategy))
    assert all(words in text for words in QUESTIONS)


LATER = (
    "On Friday at 7.12 we go by train from platform 4 to Lindau and change in Ulm for the boat. Actually no, we would"
    " rather all go with the car of my sister then. The dog comes along this time, and the neighbours water the plants."
)


@pytest.mark.parametrize("ratio", [0.2, 0.25, 0.3, 0.35, 0.4])
def test_a_sentence_stays_only_with_the_one_that_takes_it_back(ratio: float) -> None:
    records = [*chat()[:6], user(LATER), assistant(TALKED[3][1]), *chat()[6:]]
    text = text_of(compact(jsonl(*records), target_ratio=ratio))
    assert "we go by train" in text
    assert "rather all go with the car" in text


def test_an_agent_works_by_talking_where_its_answers_are_long() -> None:
    looked = [calling_message(call("c1", "find", "{}")), result("c1", "ten sheds")]
    assert is_working_chat(read_records(jsonl(*chat())))
    assert not is_working_chat(read_records(jsonl(*chat(answers=60))))
    printed = [user(ASKED), *(each for _, told in TALKED for each in (assistant(told), user(f"{told}\n{told}")))]
    assert not is_working_chat(read_records(jsonl(*printed)))
    assert not is_working_chat(read_records(jsonl(*chat()[:1], *looked, *chat()[1:])))
    assert not is_working_chat(read_records(jsonl(*(record for record in chat() if record["role"] == "user"))))
