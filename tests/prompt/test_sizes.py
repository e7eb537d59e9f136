"""What each part takes: a text its message, a size what it says; the segments belong to the system prompt."""

from __future__ import annotations

from compactor_cli.prompt.segments import choose_segments, fixed_parts, size_parts
from tests.prompt.yamls import count_words, prompt


def sizes(text, system_tokens=7):
    wanted = prompt(text)
    return size_parts(wanted, choose_segments(wanted, count_words), count_words, 10, system_tokens)


def told(text):
    return [(part.name, part.given, part.tokens, part.written) for part in sizes(text)]


def test_parts_stand_in_the_order_of_seed_000_whatever_that_of_the_file():
    text = "current_message: a\ntask_prompt: a b\nsystem_llm: 5\nactions: a\nagent_identity: 9\nsystem_prompt: a b c\n"
    assert told(text) == [
        ("system_prompt", "text", 13, True),
        ("agent_identity", "tokens", 9, False),
        ("actions", "text", 11, True),
        ("system_llm", "tokens", 5, False),
        ("task_prompt", "text", 12, True),
        ("current_message", "text", 11, True),
    ]


def test_of_the_current_message_fifty_tokens_are_reserved_when_nothing_is_said_of_it():
    assert told("actions: 1") == [
        ("system_prompt", "transcript", 7, False),
        ("actions", "tokens", 1, False),
        ("current_message", "default", 50, False),
    ]
    assert told("current_message: ''")[-1] == ("current_message", "text", 0, False)
    assert told("current_message: 0")[-1] == ("current_message", "tokens", 0, False)


def test_segments_that_are_in_replace_the_system_messages_of_the_transcript():
    assert told("segments: [{id: a, text: a b}]")[0] == ("system_prompt", "segments", 12, True)
    out = "segments: [{id: a, text: a b, when: {c: true}}]"
    assert told(out)[0] == ("system_prompt", "transcript", 7, False)
    assert sizes(out, system_tokens=0)[0].name == "current_message"


def test_a_reserved_system_prompt_and_segments_add_up():
    part = sizes("system_prompt: 100\nsegments: [{id: a, text: a b}]")[0]
    assert (part.tokens, part.reserved, part.text) == (112, 100, "a b")


def test_a_text_of_blanks_is_no_message():
    assert told("actions: '  '")[1] == ("actions", "text", 0, False)


def test_the_sizes_are_the_fixed_parts_of_a_budget():
    fixed = fixed_parts(sizes("task_prompt: a b c\nagent_identity: 20"))
    assert (fixed.system_prompt, fixed.agent_identity, fixed.task_prompt, fixed.current_message) == (7, 20, 13, 50)
    assert fixed.total == 90
