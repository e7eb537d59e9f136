"""A rule within a message of small talk stays where the message has no room; what fills a room drives out no quote."""

from __future__ import annotations

import json

import pytest

from benchmarks.dialogues import with_rules
from compactor_cli import api
from compactor_cli.model.report import Compaction
from compactor_cli.settings import Settings
from compactor_cli.summary_text.headers import left_out
from tests.builders import jsonl
from tests.strategies.test_carrying_on import RED_LINE, compact, small_talk, text_of

TALK = (
    (
        "Morning! The bus was late again, and then it rained all the way to the door.",
        "Oh dear, I hope you are dry by now!",
    ),
    ("Yes, tea helped. My brother called and we laughed so much.", "Brothers can be like that, can't they?"),
    (
        "I watched half of a film about penguins and fell asleep on the sofa.",
        "Penguins are a good reason to fall asleep happily.",
    ),
    ("Somebody here whistles the same three notes, it is driving us mad.", "Maybe it is the start of a great song."),
    ("I think I will bake something tonight, if I can find the tin.", "That sounds cosy. Enjoy the smell of it!"),
    ("The cat has taken my chair, so I am standing now.", "Cats always win, that much is certain."),
    ("Well, the sun came out a little, that was nice.", "A little sun can change a whole afternoon."),
    ("Anyway, I should get on. Talk later!", "Talk later, and have a good one!"),
)
RULE = "Receipts above 300 euros go to Marta, never by post."
"""The end of the user's second turn."""


def chat() -> bytes:
    turns = [(f"{said} {RULE}" if at == 1 else said, answer) for at, (said, answer) in enumerate(TALK)]
    return jsonl(
        *(
            {"role": role, "content": text}
            for turn in turns
            for role, text in zip(("user", "assistant"), turn, strict=True)
        )
    )


def compacted(data: bytes, ratio: float) -> Compaction:
    (part,) = api.compact(
        api.load(data, tokenizer="o200k_base"), Settings(target_ratio=ratio), tokenizer="o200k_base"
    ).parts
    return part


@pytest.mark.parametrize("ratio", [0.14, 0.15, 0.16])
def test_a_rule_stays_without_the_small_talk_around_it(ratio: float) -> None:
    text = "\n".join(message.text() for message in compacted(chat(), ratio).messages)
    assert RULE in text
    assert "we laughed so much" not in text


def test_a_fact_stays_without_the_small_talk_around_it() -> None:
    """It binds nothing: a sentence that tells something stands alone, too."""
    fact = "My daughter was born deaf in one ear."
    records = [json.loads(line) for line in chat().splitlines()]
    for record in records:
        record["content"] = record["content"].replace(RULE, fact)
    text = "\n".join(message.text() for message in compacted(jsonl(*records), 0.14).messages)
    assert fact in text
    assert "we laughed so much" not in text


@pytest.mark.parametrize(("seed", "ratio"), [(9, 0.125), (61, 0.125), (109, 0.25)])
def test_to_fill_the_room_no_quote_is_given_up(seed: int, ratio: float) -> None:
    """A message that stays whole is no line of the summary, and the others may not be worth one."""
    chat = with_rules(f"s{seed}", seed, lambda line: True)
    part = compacted(jsonl(*chat["messages"]), ratio)
    assert part.target is not None
    assert part.tokens > 0.6 * part.target


def test_a_rule_that_is_not_worth_a_summary_has_its_message_before_small_talk_has_the_room() -> None:
    records = small_talk(20, seed=5)
    records[8]["content"] = f"{RED_LINE} That is a hard red line for this project."
    assert RED_LINE in text_of(compact(jsonl(*records), target_ratio=0.25))


def test_in_a_small_room_what_the_user_says_comes_before_answers() -> None:
    """Where answers count as much, 16 of the 27 rules stay."""
    kept = []
    for seed in (0, 18, 23, 45, 74, 101, 117):
        chat = with_rules(f"s{seed}", seed, lambda line: True)
        text = "\n".join(message.text() for message in compacted(jsonl(*chat["messages"]), 0.25).messages)
        kept += [rule["text"].rstrip(".") in text for rule in chat["told"]]
    assert len(kept) == 27
    assert sum(kept) >= 21


@pytest.mark.parametrize("language", ["ja", "zh"])
def test_rules_stay_in_chats_of_a_script_without_blanks(language: str) -> None:
    """Where their words are not counted, such chats pass for work, and less than half of the rules stay."""
    kept = []
    for seed in range(12):
        chat = with_rules(f"s{seed}", seed, lambda line: True, languages=(language,))
        text = "\n".join(message.text() for message in compacted(jsonl(*chat["messages"]), 0.25).messages)
        kept += [rule["text"].rstrip(".!。")[1:] in text for rule in chat["told"]]
    assert sum(kept) > 0.85 * len(kept) > 20


def test_small_talk_says_what_it_was_compacted_from_in_a_mark_without_a_summary() -> None:
    """A heading would cost more than a tenth of the few lines below it, which can stand at their places; and a second
    run has to know the ratio's base."""
    outputs = marked = 0
    for seed in range(60):
        part = compacted(jsonl(*with_rules(f"s{seed}", seed, lambda line: True)["messages"]), 0.25)
        if part.target is None or not 60 <= part.target <= 300:
            continue
        outputs += 1
        assert not any(m.text().startswith(("[#", "## ")) for m in part.messages)
        if not any(left_out(m.text()) for m in part.messages):
            continue  # whole messages stay as they are
        marked += 1
        again = compacted(jsonl(*({"role": m.role, "content": m.text()} for m in part.messages)), 0.25)
        assert [m.text() for m in again.messages] == [m.text() for m in part.messages]
    assert outputs > 30
    assert marked > 0.7 * outputs


GARDEN = (
    "I would so much like to know what you think of the garden behind our house, where the roses grow and the cats "
    "sleep all day long while we sit and talk about nothing at all, as we did before."
)


@pytest.mark.parametrize("target", [220, 280, 300])
def test_a_greeting_is_not_quoted_without_what_it_opens(target: int) -> None:
    records = []
    for part in ("tree", "wall", "pond", "gate", "path", "hedge", "shed", "swing"):
        records.append({"role": "user", "content": f"Hi there! {GARDEN} And of the {part} too."})
        records.append(
            {"role": "assistant", "content": f"That sounds lovely. {GARDEN.replace('I would', 'You would')}"}
        )
    records.append({"role": "user", "content": "What was it that I wanted to know from you at first?"})
    source = api.load(jsonl(*records), tokenizer="o200k_base")
    settings = Settings(strategy="handoff", target_tokens=target)
    text = "\n".join(m.text() for m in api.compact(source, settings, tokenizer="o200k_base").parts[0].messages)
    assert "Hi there! …" not in text
    assert "garden behind our house" in text
