"""Requests for summaries: what stands in them, and that they fit the model."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from compactor_cli.asking.port import Turn
from compactor_cli.summaries.outline import model_outline, outline_of
from compactor_cli.summaries.prompting import (
    PromptPiece,
    directive,
    group_merges,
    message_budget,
    model_request,
    prompt,
    split_stretches,
)
from tests.builders import assistant, plain_exchanges, read_records, user
from tests.drawing import example_count
from tests.summaries.texts import chars

KINDS = ("session", "handoff", "tier1", "tier2", "tier3", "batch", "topic")
MESSAGES = read_records(*plain_exchanges(10))


def piece(**more):
    given = {
        "what": "summary of messages 0-19",
        "kind": "session",
        "titles": ("Completed Work", "Pending Work"),
        "messages": MESSAGES,
        "earlier": (),
        "target_tokens": 300,
        "replaced_tokens": 4_000,
    }
    return PromptPiece(**{**given, **more})


def tokens(asked):
    """Of a whole request, with its answer."""
    return chars(asked.system) + sum(chars(turn.text) for turn in asked.turns) + asked.max_tokens


# one request


def test_a_request_begins_and_ends_with_the_user():
    asked = model_request(piece(), [Turn("assistant", "a"), Turn("user", "b")], "")
    assert [turn.role for turn in asked.turns] == ["user", "assistant", "user", "user"]
    assert asked.turns[0].text == "The conversation to summarize begins here."
    assert asked.turns[-1].text == directive(piece())
    assert (asked.purpose, asked.system, asked.schema) == ("summary of messages 0-19", prompt("system"), None)


@pytest.mark.parametrize("own", ["{persona} {{x}} %s $x", " \n", "日本"])
def test_a_prompt_of_ones_own_is_the_system_field_as_it_is(own):
    assert model_request(piece(), [], own).system == own


def test_each_earlier_summary_is_a_system_turn_before_the_conversation():
    asked = model_request(piece(earlier=("One.", "Two </summary> <message>.")), [Turn("user", "a")], "")
    assert asked.turns[:2] == (
        Turn("system", "Previous summary of conversation:\n<summary>\nOne.\n</summary>"),
        Turn("system", "Previous summary of conversation:\n<summary>\nTwo &lt;/summary> &lt;message>.\n</summary>"),
    )
    assert [turn.role for turn in asked.turns[2:]] == ["user", "user", "user"]


def test_there_is_room_for_the_answer():
    asked = model_request(piece(target_tokens=300), [], "")
    assert asked.max_tokens > piece(target_tokens=300).limit > 300


def test_no_text_is_taken_for_a_template():
    odd = "{persona} {0} {{x}} %s %(y)d $x ${z} \\1"
    asked = model_request(piece(earlier=(odd,)), [Turn("user", odd)], odd)
    assert asked.system == odd
    assert odd in asked.turns[0].text
    assert asked.turns[2].text == odd
    assert "{" not in asked.turns[-1].text


# the directive


@pytest.mark.parametrize("kind", KINDS)
def test_a_directive_says_what_to_preserve_condense_prioritize_and_remove(kind):
    text = directive(piece(kind=kind))
    places = [text.index(f"\n{word}: ") for word in ("Preserve", "Condense", "Prioritize", "Remove")]
    assert places == sorted(places)
    assert text.startswith("The conversation ends here.")
    assert "Write at most 300 tokens, about 210 words." in text


def test_the_headings_are_listed_in_their_order():
    assert directive(piece()).count("### ") == 2
    assert "\n### Completed Work\n### Pending Work\n" in directive(piece())


def test_without_headings_none_are_asked_for():
    assert "### " not in directive(piece(kind="batch", titles=()))
    assert "bullets without headings" in directive(piece(kind="batch", titles=()))


def test_nothing_is_said_of_headings_that_are_not_wanted():
    text = directive(piece())
    assert 'Under "Completed Work":' in text
    assert "Original Task" not in text
    assert "Current State" not in text


@pytest.mark.parametrize(
    ("form", "kind", "tier"),
    [("session", "session", 1), ("handoff", "handoff", 1), ("summary", "session", 1)]
    + [("tiers", f"tier{tier}", tier) for tier in (1, 2, 3)],
)
def test_every_heading_of_a_form_is_explained_and_no_other(form, kind, tier):
    titles = [h.title for h in model_outline(outline_of(form, tier)).headings if not h.sections]
    assert titles
    explained = [line[7 : line.index('":')] for line in prompt(kind).splitlines() if line.startswith('Under "')]
    assert set(titles) <= set(explained)
    if form != "summary":
        assert explained == titles


def test_the_reason_of_a_rejection_is_said_once_and_cannot_close_anything():
    text = directive(piece(), rejected='it names what does not occur: "</summary><message>"')
    assert text.count("An earlier answer was not accepted: ") == 1
    assert "&lt;/summary>&lt;message>" in text
    assert text.endswith("Write it again without that fault.")
    assert "not accepted" not in directive(piece())


def test_merging_is_said_when_stretches_are_put_together():
    assert "Put them together into one summary" in directive(piece(), merging=True)
    assert "Put them together" not in directive(piece())


def test_what_is_to_become_of_an_earlier_summary_is_said_only_where_there_is_one():
    assert "Yours takes its place" in directive(piece(earlier=("One.",)))
    assert "repeat nothing of it" in directive(piece(earlier=("One.",), replaces_earlier=False))
    assert "summary of earlier messages" not in directive(piece())


# stretches


def test_what_fits_is_one_request():
    (own,) = split_stretches(piece(), 128_000, "")
    assert len(own.turns) == len(own.messages) == len(MESSAGES)


@pytest.mark.parametrize("context", [2_000, 3_000, 5_000])
def test_what_does_not_fit_is_several_and_nothing_is_lost(context):
    one = piece(messages=read_records(*plain_exchanges(40)))
    found = split_stretches(one, context, "")
    assert len(found) > 1
    joined = [turn.text for own in found for turn in own.turns]
    (whole,) = split_stretches(one, 1_000_000, "")
    assert joined == [turn.text for turn in whole.turns]
    assert all(tokens(model_request(one, own.turns, "")) <= context for own in found)


def test_a_message_larger_than_the_model_is_cut_inside_its_marks():
    one = piece(messages=read_records(user("a " * 3_000), assistant("b"), user("c")))
    found = split_stretches(one, 2_000, "")
    assert all(tokens(model_request(one, own.turns, "")) <= 2_000 for own in found)
    text = found[0].turns[0].text
    assert text.startswith('<message number="0" from="user">\n')
    assert text.endswith("\n</message>")
    assert "left out" in text


@pytest.mark.parametrize("context", [0, 100, 500])
def test_a_model_without_room_is_not_asked(context):
    assert split_stretches(piece(), context, "") == []
    assert split_stretches(piece(), 128_000, "x " * 500_000) == []


def test_messages_without_a_word_are_not_asked_about():
    assert split_stretches(piece(messages=read_records(user(""), assistant(" "))), 128_000, "") == []


@pytest.mark.parametrize("batches", [1, 2, 3, 7, 100])
def test_batches_are_stretches_however_short_they_are(batches):
    found = split_stretches(piece(batches=batches), 128_000, "")
    assert len(found) <= batches
    assert [message for own in found for message in own.messages] == list(MESSAGES)
    assert len(found) >= min(batches, len(MESSAGES)) / 2


def test_room_is_less_with_a_long_prompt_or_an_earlier_summary():
    free = message_budget(piece(), 8_000, "")
    assert 0 < message_budget(piece(), 8_000, "x " * 2_000) < free
    assert 0 < message_budget(piece(earlier=("y " * 1_000,)), 8_000, "") < free


# merging


def test_summaries_of_stretches_are_turns_of_the_user_in_their_order():
    (own,) = group_merges(piece(), ["One.", "Two </summary>.", "Three."], 128_000, "")
    assert [turn.role for turn in own] == ["user"] * 3
    assert own[1].text == '<summary stretch="2">\nTwo &lt;/summary>.\n</summary>'


@given(sizes=st.lists(st.integers(1, 400), min_size=2, max_size=40), context=st.integers(1_500, 6_000))
@settings(max_examples=example_count(40))
def test_merging_always_comes_to_its_end(sizes, context):
    one = piece()
    texts = ["x " * size for size in sizes]
    for _ in range(40):
        found = group_merges(one, texts, context, "")
        assert sum(map(len, found)) == len(texts)
        assert len(found) < len(texts)
        if len(found) == 1:
            return
        texts = ["y " * 300] * len(found)
    pytest.fail("it did not")


def test_the_piece_says_how_long_its_text_may_be():
    assert replace(piece(), target_tokens=800).limit == 1_000
