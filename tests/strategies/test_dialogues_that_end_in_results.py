"""In a dialogue that ends with a result, the words of the user get their whole share of a small room."""

from __future__ import annotations

import json

from tests.builders import assistant, call, calling_message, jsonl, result, user
from tests.strategies.test_rules_in_small_talk import compacted

SAID = (
    "Get me a desk lamp for my daughter. Warm white only, she gets headaches. Nothing above 60 euros with shipping.",
    "Not replaceable is a no for me, I don't want to throw a lamp away because of a bulb. E27 or E14 socket please.",
    "Berg it is. In brass. And the bulb. Ship it to Mira Tolland, Kastanjelaan 14, 3584 Utrecht.",
    "Ten cents, that's fine, take brass with the Lumo. 60.10 is my limit then.",
    "Oh sorry, wrong card, that one is for the bookshop. It's NL-GIFT-3310-5526.",
    "Pick-up point then, she can fetch it on Saturday. Tell me before you press the last button.",
)


def steps(turn: int) -> list[dict[str, object]]:
    """Return the steps of an agent after a request."""
    found: list[dict[str, object]] = []
    for step in range(5):
        name = f"c{turn}_{step}"
        page = f"[{11 + turn}] link 'Halden lamp {turn}{step}' [21] combobox 'Colour' [22] button 'Add to cart'"
        asked = call(name, "click", json.dumps({"element": 20 + step}))
        found += [calling_message(asked), result(name, f"{page} [{30 + step}] link 'Next'")]
    return found


def test_what_the_user_said_fills_its_share_beside_the_newest_result() -> None:
    records: list[dict[str, object]] = []
    for turn, text in enumerate(SAID):
        records += [user(text), *steps(turn), assistant(f"That was step {turn}. Shall I go on?")]
    text = "\n".join(message.text() for message in compacted(jsonl(*records[:-1]), 0.2).messages)
    lost = [said for said in SAID if said not in text]
    assert lost == []
