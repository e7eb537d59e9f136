"""In a chat without tools the newest request, and what the user said before, come before old answers."""

from __future__ import annotations

import pytest

from tests.builders import jsonl
from tests.strategies.test_carrying_on import compact, text_of

RULE = "Never translate the word Masar."
NEWEST = "Approved. Now the next batch, and mind what I told you:\n" + "\n".join(
    f"sch.text_{at} = The {thing} of the school is open until {at + 4} in the afternoon"
    for at, thing in enumerate(("gate", "hall", "library", "garden", "kitchen", "office"))
)
BEFORE = "\n".join(f"acc.text_{at} = Das Konto {name} wurde gelöscht." for at, name in enumerate("ABCDEFGHIJ"))


def chat() -> bytes:
    records = [
        {"role": "user", "content": f"Hello, please translate the texts of our app to German. {RULE} Be brief."},
        {"role": "assistant", "content": "Gladly, send me the first batch."},
    ]
    for batch in range(14):
        keys = [
            f"b{batch}.key_{at} = The {name} of stop {batch}{at}" for at, name in enumerate(("line", "bus", "tram"))
        ]
        records.append({"role": "user", "content": f"Batch {batch}:\n" + "\n".join(keys)})
        said = BEFORE if batch == 13 else "\n".join(line.replace("The", "Die").replace("stop", "Halt") for line in keys)
        records.append({"role": "assistant", "content": said})
    records.append({"role": "user", "content": NEWEST})
    return jsonl(*records)


@pytest.mark.parametrize("target", [260, 280, 300])
def test_the_newest_request_and_a_rule_come_before_the_answer_before_it(target: int) -> None:
    text = text_of(compact(chat(), target_tokens=target))
    assert NEWEST in text
    assert RULE in text


@pytest.mark.parametrize("target", range(300, 460, 20))
def test_what_the_user_said_has_more_of_the_room_than_old_answers(target: int) -> None:
    text = text_of(compact(chat(), target_tokens=target))
    assert text.count("= The") - NEWEST.count("= The") >= (target - 260) // 40 + 2
