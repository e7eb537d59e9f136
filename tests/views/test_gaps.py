"""A message of a few words that was cut at its place is found again by what is left of it."""

from __future__ import annotations

import pytest

from compactor_cli import api
from tests.strategies.test_rules_in_small_talk import RULE, chat, compacted


def fate(before: bytes, after: bytes) -> tuple[tuple[int, ...], ...]:
    found, _ = api.diff(api.load(before), api.load(after))
    return found.kept, found.shortened, found.summarized, found.dropped


@pytest.mark.parametrize("ratio", [0.14, 0.15, 0.16])
def test_a_chat_message_that_is_cut_to_its_rule_is_shortened_and_not_gone(ratio: float) -> None:
    part = compacted(chat(), ratio)
    assert any(message.text().endswith(f"… {RULE}") for message in part.messages)
    kept, shortened, _, dropped = fate(chat(), part.data)
    assert shortened == (2,)
    told = part.dispositions
    assert (len(kept), len(shortened), len(dropped)) == (told.kept, told.shortened, told.dropped)


@pytest.mark.parametrize(
    ("text", "shortened"),
    [
        ("Morning! …", (0,)),
        ("… to the door.", (0,)),
        ("Morning! … to the door.", (0,)),
        ("Evening! …", ()),
        ("to the door. … Morning!", ()),
        ("Morning! … The bus", ()),
    ],
)
def test_its_words_stand_there_in_their_order_from_the_beginning_or_to_the_end(
    text: str, shortened: tuple[int, ...]
) -> None:
    before = b'{"role": "user", "content": "Morning! The bus was late, and it rained all the way to the door."}\n'
    more = b'{"role": "assistant", "content": "Oh dear."}\n'
    after = f'{{"role": "user", "content": "{text}"}}\n'.encode()
    assert fate(before + more, after + more)[1] == shortened
