"""Pictures that requests come with leave room to words, and the newest request keeps what it asks of."""

from __future__ import annotations

import pytest

from compactor_cli.model.message import Message
from compactor_cli.model.report import Compaction
from compactor_cli.text.shorten import IMAGE_NOTE
from tests.pipeline.sessions import Json, compact, filler, user

PICTURE: Json = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
FIRST, LAST = "Mend the left foot of the stand.", "What is wrong in this one?"
STRATEGIES = ("adaptive", "tiered", "rolling", "handoff")


def shown(text: str, pictures: int = 1) -> Json:
    return {"role": "user", "content": [{"type": "text", "text": text}, *[PICTURE] * pictures]}


def compacted(first: Json, last: Json, target: int, strategy: str = "adaptive") -> Compaction:
    records = [first, *(record for number in range(60) for record in filler(number)), last]
    return compact(records, strategy=strategy, target_tokens=target)


def pictures(message: Message) -> int:
    return sum(part.images for part in message.parts)


def begins(part: Compaction, text: str) -> Message:
    (message,) = (m for m in part.messages if m.role == "user" and m.text("text").startswith(text))
    return message


PICTURE_TOKENS = compacted(shown(FIRST), user(LAST), 99_999).messages[0].parts[1].tokens


@pytest.mark.drawn(1)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_picture_of_the_first_request_leaves_most_of_the_room_to_words(strategy: str) -> None:
    tight = compacted(shown(FIRST), user(LAST), 2 * PICTURE_TOKENS, strategy)
    message = begins(tight, FIRST)
    assert (pictures(message), message.parts[1].text) == (0, IMAGE_NOTE)
    assert sum(m.tokens for m in tight.messages) > 1.4 * PICTURE_TOKENS, "what the picture leaves is used"
    assert pictures(begins(compacted(shown(FIRST), user(LAST), 4 * PICTURE_TOKENS, strategy), FIRST)) == 1


@pytest.mark.parametrize("strategy", STRATEGIES[:3])
def test_the_newest_request_keeps_its_picture_in_a_smaller_room(strategy: str) -> None:
    part = compacted(shown(FIRST), shown(LAST), 2 * PICTURE_TOKENS, strategy)
    assert [pictures(begins(part, text)) for text in (FIRST, LAST)] == [0, 1]
    part = compacted(shown(FIRST), shown(LAST), PICTURE_TOKENS + 400, strategy)
    assert [pictures(begins(part, text)) for text in (FIRST, LAST)] == [0, 0]


@pytest.mark.parametrize(("share", "stay"), [(0.7, [1, 1]), (0.3, [0, 1])])
def test_pictures_stay_where_half_of_the_words_have_room_beside_them(share: float, stay: list[int]) -> None:
    records = [shown(FIRST), *(record for number in range(24) for record in filler(number)), shown(LAST)]
    words = sum(m.tokens for m in compact(records, target_tokens=99_999).messages) - 2 * PICTURE_TOKENS
    part = compact(records, strategy="adaptive", target_tokens=2 * PICTURE_TOKENS + int(share * words))
    assert [pictures(begins(part, text)) for text in (FIRST, LAST)] == stay


def test_of_several_pictures_the_last_ones_stay_that_have_room() -> None:
    message = begins(compacted(user(FIRST), shown(LAST, 4), 4 * PICTURE_TOKENS), LAST)
    assert [part.text == IMAGE_NOTE for part in message.parts[1:]] == [True, True, False, False]


PLACES = ("porch", "cellar", "attic", "kitchen", "garage", "garden", "hallway", "pantry", "stable", "barn")


def screen(number: int) -> list[Json]:
    """Return a call and its result: a text that says the same as the others, and a picture."""
    rows = "\n".join(f"The light of the {place} is off, and nobody is there." for place in PLACES * 2)
    call = {"id": f"c{number}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": [{"type": "text", "text": rows}, PICTURE]},
    ]


@pytest.mark.parametrize("target", [500, 600, 900])
def test_words_that_a_picture_comes_with_have_the_room_that_it_does_not_fit_in(target: int) -> None:
    records = [user("Where is a light on?"), *(record for number in range(4) for record in screen(number))]
    part = compact(records, strategy="adaptive", target_tokens=target)
    assert sum(pictures(m) for m in part.messages) == 0
    assert sum(m.tokens for m in part.messages) > 0.85 * target


def test_a_request_that_is_all_there_is_keeps_its_picture() -> None:
    part = compact([shown(FIRST)], strategy="adaptive", target_tokens=PICTURE_TOKENS + 60)
    assert pictures(part.messages[0]) == 1


def test_a_picture_that_a_pattern_keeps_stays() -> None:
    records = [shown(FIRST), *(record for number in range(60) for record in filler(number)), user(LAST)]
    part = compact(records, strategy="adaptive", target_tokens=2 * PICTURE_TOKENS, keep=("left foot",))
    assert pictures(begins(part, FIRST)) == 1
