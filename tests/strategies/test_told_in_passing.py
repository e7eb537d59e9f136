"""What a user tells in passing comes before the long lists that an agent wrote, which it can write again."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from compactor_cli import api
from compactor_cli.strategies.adaptive.small_talk import _weigh_answers
from tests.builders import jsonl
from tests.strategies.test_carrying_on import compact, text_of

NAMES = """
    onions leeks carrots beets turnips lentils chickpeas barley millet buckwheat plums cherries apples pears quinces
    salmon herring mackerel chicken turkey yoghurt quark ricotta feta paprika thyme rosemary cumin fennel dill
    walnuts almonds hazelnuts raisins apricots spinach chard kale cabbage peas beans corn pumpkin potatoes parsnips
"""
FOOD = NAMES.split()


def recipe(turn: int) -> str:
    """Return an answer with many numbers and words that nobody else says."""
    one, two, three, four = (FOOD[(4 * turn + at) % len(FOOD)] for at in range(4))
    return (
        f"1. Peel the {one} and chop them rather finely, that takes {turn + 5} minutes.\n"
        f"2. Warm some oil in a pan, add the {two}, and let it all get soft at low heat.\n"
        f"3. Stir in the {three} with enough stock to cover everything, then simmer for {turn + 12} minutes.\n"
        f"4. Taste it, add a little vinegar, and put the {four} on top before it goes to the table.\n"
        f"5. Leftovers with {one} keep for a few days in the fridge, or for {turn + 1} months when frozen."
    )


TOLD = {
    3: "My sister Nadja comes along most evenings, she gets hives from celery so keep it away from her.",
    7: "We moved to the small flat on Elm Road, there's just a hob and no oven whatsoever.",
    11: "By the way our eldest turned vegetarian at school, he is quite strict about it.",
    15: "My doctor put me on a low salt diet until the spring, sadly.",
}
ASKED = (
    "And what about a soup for the weekend? Something that warms everybody up would be nice, it got so cold here.",
    "Can you tell me how to make a stew of that? I have never made one before, and the children would love it.",
    "How would you cook it in the evening? There is not much time left then, as we are all home rather late.",
)


def chat() -> bytes:
    records = [{"role": "system", "content": "You are a friendly cook."}]
    for turn in range(18):
        asked = ASKED[turn % len(ASKED)]
        records.append({"role": "user", "content": f"{TOLD[turn]} {asked}" if turn in TOLD else asked})
        records.append({"role": "assistant", "content": recipe(turn)})
    records.append({"role": "user", "content": "Now please plan the meals of next week for all of us."})
    return jsonl(*records)


@pytest.mark.parametrize("ratio", [0.2, 0.25])
def test_what_is_told_in_passing_comes_before_the_lists_of_the_agent(ratio: float) -> None:
    text = text_of(compact(chat(), target_ratio=ratio))
    assert [told for told in TOLD.values() if told not in text] == []


def test_answers_are_told_from_each_other_where_all_that_the_user_said_is_in_an_earlier_summary() -> None:
    messages = [
        replace(message, origin="summary") if message.role == "user" else message
        for message in api.load(chat()).transcripts[0].messages
    ]
    assert _weigh_answers(messages, 1_000) > 0
