"""What the user said comes before the newest answer, as far as it has room in its share."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from compactor_cli import api
from compactor_cli.errors import BudgetError
from compactor_cli.settings import Settings
from tests.builders import assistant, call, calling_message, compact, jsonl, result, user
from tests.formats.roundtrip import REAL

TOPICS = ("bridges", "canals", "tunnels", "harbors")
RULES = (
    "Every length in meters and nothing else.",
    "Signor Bassi has to see it before the printer does.",
    "Pas plus de deux exemples par réponse.",
)


def answer(topic: str) -> str:
    return " ".join(
        (
            f"The oldest {topic} of this kind were built of timber, and most of them are gone.",
            *(f"Those of part {n} have been repaired several times, as {topic} of that age need it." for n in range(9)),
            f"In all, {topic} last about as long as somebody looks after them.",
        )
    )


CHAT = [
    turn
    for topic, rule in zip(TOPICS, (*RULES, ""), strict=True)
    for turn in (
        *((user(rule), assistant("Understood.")) if rule else ()),
        user(f"How are {topic} built, and what do they need?"),
        assistant(answer(topic)),
    )
]


def messages(records: list[dict[str, object]], target: int) -> list[str]:
    lines = compact(jsonl(*records), strategy="adaptive", target_tokens=target).data.decode().splitlines()
    return [json.dumps(json.loads(line), ensure_ascii=False) for line in lines]


@pytest.mark.parametrize("target", range(260, 420, 40))
def test_in_a_chat_all_that_the_user_said_stands_beside_head_and_end_of_the_answer(target: int) -> None:
    """Before, the newest answer was whole, and rules and questions were gone."""
    kept = messages(CHAT, target)
    text = "\n".join(kept)
    assert all(rule in text for rule in RULES)
    assert all(f"How are {topic} built" in text for topic in TOPICS)
    assert "The oldest harbors" in kept[-1]
    assert "In all, harbors last" in text


def test_an_answer_that_has_room_beside_them_stays_whole() -> None:
    assert answer("harbors") in messages(CHAT, 640)[-1]


BOOKED = (
    "The cabin is booked. Here are the details:\n\n- Cabin: Larch 12\n- From: 2026-07-03\n- To: 2026-07-10\n"
    "- Guests: 5\n- Beds: 6\n- Deposit: 80, by card\n- Cleaning: included\n- Key: at the kiosk by the lake\n\n"
    "Tell me when there is anything else that I can do for you today, and enjoy your days by the lake."
)


def dialogue(last: str, thanks: str) -> list[dict[str, object]]:
    return [
        user("Hello, I need a cabin at the lake in July, for a week, with room for all of us and a stove."),
        assistant("Gladly. From which day on, and for how many?"),
        user(f"From the 3rd on. {RULES[1]}"),
        assistant("I look for what is free then."),
        calling_message(call("c1", "find_cabins", json.dumps({"from": "2026-07-03"}))),
        result("c1", json.dumps([{"cabin": f"Larch {n}", "beds": n % 7, "fee": 40 + n} for n in range(60)])),
        assistant("Larch 12 and Larch 19 are free, both with a stove. Which one do you like?"),
        user(RULES[0]),
        user("brb, the doorbell"),
        user("Larch 12 please."),
        calling_message(call("c2", "book_cabin", json.dumps({"cabin": "Larch 12", "from": "2026-07-03"}))),
        result("c2", json.dumps({"booking": "B-7120", "status": "confirmed"})),
        assistant(last),
        user(thanks),
    ]


@pytest.mark.parametrize("target", (140, 150, 160))
def test_a_report_that_asks_nothing_leaves_the_users_words_their_share(target: int) -> None:
    text = "\n".join(messages(dialogue(BOOKED, "Thank you, that is all."), target))
    assert RULES[0] in text
    assert RULES[1] in text


@pytest.mark.parametrize("target", (220, 240))
def test_one_that_asks_what_is_answered_stays_where_it_takes_most_of_a_small_room(target: int) -> None:
    asks = BOOKED.replace("Tell me when there is anything else", "Shall I order firewood, or is there anything else?")
    assert json.dumps(asks)[1:-1] in "\n".join(messages(dialogue(asks, "Yes, that is all."), target))


CHATS = REAL / "sharegpt" / "glaive_toolcall_en_first80.json"


@pytest.mark.skipif(not CHATS.exists(), reason="the sample sessions are not here")
def test_lines_that_are_taken_back_leave_an_output_within_its_target() -> None:
    """Of one chat, the plan without them was 8 tokens larger than the room."""
    source = api.load(CHATS.read_bytes(), str(CHATS), tokenizer="chars")
    alone = replace(source, transcripts=source.transcripts[37:38], joints=(b"", b""))
    (part,) = api.compact(alone, Settings(target_ratio=0.1)).parts
    assert part.messages[-1].text().startswith("That") and part.tokens <= 74
    with pytest.raises(BudgetError, match="smallest valid output has"):
        api.compact(alone, Settings(target_tokens=5))
