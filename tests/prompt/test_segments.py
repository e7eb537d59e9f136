"""Which segments are in: conditions, priority, variants, limits, and the reason that is told."""

from __future__ import annotations

import pytest

from compactor_cli.prompt.segments import choose_segments, join_segments
from tests.prompt.yamls import chosen_segments, count_words, prompt

SEED = """
context:
  has_control_loop_tools: true
  is_multi_agent_channel: true
  has_error_occurred: false
  is_mxp_enabled: true
  condensed_mode: {condensed}
  channel_agent_count: 5
segment_tokens: 2500
segments:
  - {id: core-framework, file: core.md, priority: 100}
  - {id: orpar-cycle, file: orpar.md, when: {has_control_loop_tools: true}, priority: 80}
  - {id: collaboration-patterns, file: collaboration.md, priority: 60,
     when: {is_multi_agent_channel: true, channel_agent_count: {at_least: 2}}}
  - {id: tool-guidelines-full, file: full.md, when: {condensed_mode: false}, priority: 50}
  - {id: tool-guidelines-condensed, file: short.md, when: {condensed_mode: true}, priority: 50}
  - {id: error-handling, file: errors.md, when: {has_error_occurred: true}, priority: 70}
  - {id: mxp-protocol, file: mxp.md, when: {is_mxp_enabled: true}, priority: 40}
"""
FILES = {
    name: " ".join([name] * size)
    for name, size in {
        "core": 700,
        "orpar": 500,
        "collaboration": 400,
        "full": 600,
        "short": 120,
        "errors": 300,
        "mxp": 250,
    }.items()
}


def seed(condensed):
    return SEED.replace("{condensed}", condensed)


def test_the_third_example_of_seed_000():
    choices = chosen_segments(seed("false"), **FILES)
    assert [name for name, (variant, _, _) in choices.items() if variant == "full"] == [
        "core-framework",
        "orpar-cycle",
        "collaboration-patterns",
        "tool-guidelines-full",
        "mxp-protocol",
    ]
    assert choices["error-handling"] == ("out", 0, "condition has_error_occurred is false")
    assert choices["tool-guidelines-condensed"] == ("out", 0, "condition condensed_mode is false")
    assert sum(tokens for _, tokens, _ in choices.values()) <= 2500


def test_the_third_example_of_seed_000_in_condensed_mode():
    choices = chosen_segments(seed("true"), **FILES)
    assert choices["tool-guidelines-full"][0] == "out"
    assert choices["tool-guidelines-condensed"][:2] == ("full", 120)


def test_the_guidelines_of_the_example_may_be_one_segment_with_two_variants():
    text = seed("false").split("  - {id: tool-guidelines-full")[0]
    text += "  - {id: tool-guidelines, file: full.md, condensed: {file: short.md}}\n"
    assert chosen_segments(text, **FILES)["tool-guidelines"] == ("full", 600, "has no conditions")
    assert chosen_segments("condensed: true" + text, **FILES)["tool-guidelines"] == ("condensed", 120, "condensed mode")
    tight = text.replace("segment_tokens: 2500", "segment_tokens: 2000")
    reason = "in full, no room: needs 600 of 400 tokens left"
    assert chosen_segments(tight, **FILES)["tool-guidelines"] == ("condensed", 120, reason)


def one(when, context):
    text = f"context: {context}\nsegments: [{{id: a, text: words, when: {when}}}]"
    variant, _, reason = chosen_segments(text)["a"]
    return "in" if variant == "full" else reason


@pytest.mark.parametrize(
    ("when", "context", "expected"),
    [
        ("{a: true}", "{a: true}", "in"),
        ("{a: false}", "{a: false}", "in"),
        ("{a: false}", "{a: true}", "condition a is true"),
        ("{a: 1}", "{a: true}", "condition a is true, not 1"),
        ("{a: 1}", "{a: 1.0}", "in"),
        ("{a: plan}", "{a: build}", "condition a is build, not plan"),
        ("{a: true}", "{}", "condition a is not in the context"),
        ("{a: false}", "{}", "condition a is not in the context"),
        ("{a: {at_least: 2}}", "{a: 2}", "in"),
        ("{a: {at_least: 2}}", "{a: 1}", "condition a is 1, not at least 2"),
        ("{a: {at_most: 2}}", "{a: 3}", "condition a is 3, not at most 2"),
        ("{a: {at_least: 2, at_most: 4}}", "{a: 5}", "condition a is 5, not at most 4"),
        ("{a: {at_least: 2}}", "{a: many}", "condition a is many, not at least 2"),
        ("{a: {at_least: 1}}", "{a: true}", "condition a is true, not at least 1"),
        ("{a: {any: [x, y]}}", "{a: y}", "in"),
        ("{a: {any: [x, 2]}}", "{a: z}", "condition a is z, not one of x, 2"),
        ("{a: true, b: true}", "{a: true, b: false}", "condition b is false"),
        ("{}", "{}", "in"),
        ("{condensed: false}", "{}", "in"),
    ],
)
def test_conditions(when, context, expected):
    assert one(when, context) == expected


def test_the_highest_priority_is_served_first_and_the_order_of_the_file_stays():
    text = """
segment_tokens: 5
segments:
  - {id: low, text: one two three, priority: -1}
  - {id: first, text: one two}
  - {id: second, text: one two}
  - {id: high, text: one two three, priority: 2.5}
"""
    assert chosen_segments(text) == {
        "low": ("out", 0, "no room: needs 3 of 0 tokens left"),
        "first": ("full", 2, "has no conditions"),
        "second": ("out", 0, "no room: needs 2 of 0 tokens left"),
        "high": ("full", 3, "has no conditions"),
    }
    assert (
        join_segments("Be kind.\n", choose_segments(prompt(text), count_words))
        == "Be kind.\n\none two\n\none two three"
    )


def test_what_has_no_room_leaves_it_to_the_next():
    text = "segment_tokens: 3\nsegments: [{id: a, text: a b c d, priority: 9}, {id: b, text: a b c}]"
    assert chosen_segments(text)["a"][0] == "out"
    assert chosen_segments(text)["b"][0] == "full"


def test_a_segment_has_a_limit_of_its_own():
    text = "segments: [{id: a, text: a b c d, condensed: a b, max_tokens: 3}]"
    assert chosen_segments(text)["a"] == ("condensed", 2, "in full, no room: needs 4 of its 3 tokens")
    reason = "no room: needs 4 of its 1 tokens; condensed, no room: needs 2 of its 1 tokens"
    assert chosen_segments(text.replace("max_tokens: 3", "max_tokens: 1"))["a"] == ("out", 0, reason)


def test_condensed_mode_takes_the_full_text_where_there_is_no_other():
    text = "condensed: true\nsegments: [{id: a, text: a b}, {id: b, text: a b c, condensed: a}]"
    assert {name: choice[:2] for name, choice in chosen_segments(text).items()} == {
        "a": ("full", 2),
        "b": ("condensed", 1),
    }
    by_context = "context: {condensed: true}\nsegments: [{id: b, text: a b c, condensed: a}]"
    assert chosen_segments(by_context)["b"][0] == "condensed"


def test_without_segments_the_system_prompt_is_as_it_was_given():
    assert join_segments("Be kind.\n", ()) == "Be kind.\n"
    out = choose_segments(prompt("segments: [{id: a, text: b, when: {c: true}}]"), count_words)
    assert join_segments("Be kind.\n", out) == "Be kind.\n"
