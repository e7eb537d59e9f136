"""Back and forth between formats loses nothing that both can hold."""

from __future__ import annotations

from itertools import groupby, permutations
from typing import Any

import pytest
from hypothesis import given

from compactor_cli.converting import TARGETS
from compactor_cli.converting.fitting import WRAPPED
from compactor_cli.converting.taking import take_conversation
from tests.converting.builders import READABLE, conversations, convert_one, read_again, spoken_texts, write_and_read
from tests.properties.profile import examples

# what a format has no place for, as the providers' and agents' documentation says; written here once more so that a
# target which drops too much is found
NO_SYSTEM = {"claude-code", "gemini-cli", "pi", "qwen", "opencode"}
NO_PLAIN_THINKING = {"anthropic", "claude-code", "codex", "sharegpt"}
NO_EMPTY_TEXT = {"anthropic", "claude-code", "gemini-cli", "qwen", "pi", "opencode", "atif", "sharegpt"}
NO_PICTURES = {"sharegpt", "atif"}
NO_PICTURES_IN_RESULTS = {"openai-chat", "sharegpt", "atif", "gemini-cli", "qwen"}
OBJECTS = {"anthropic", "claude-code", "gemini-cli", "qwen", "pi", "opencode", "atif"}
"""Arguments that are no object are put into one."""
PUT_BEFORE = ("[Shown:]", "[The user:]")
"""Gemini CLI sends no message of the user without words and none that begins with a slash: these words stand first."""
THINKING_FIRST = {"gemini-cli", "qwen"}
"""What the model thought in an answer stands before what it said."""
ONE_BY_ONE = {"sharegpt"}
"""Parallel calls stand one after the other."""


def common(said, *formats):
    """What all of the formats can hold of what is said. Texts that one joins are compared as one."""
    kept: list[list[Any]] = []
    behind_result = False
    for role, kind, *rest in thinking_first(said) if THINKING_FIRST & set(formats) else said:
        if kind == "text":
            rest[0] = unmarked(rest[0])
        if kind == "text" and not rest[0].strip():
            continue
        behind_result = kind == "result" or (behind_result and kind == "picture")
        if behind_result and kind == "picture" and NO_PICTURES_IN_RESULTS & set(formats):
            continue  # moved there out of the results
        within = {
            "system": not NO_SYSTEM & set(formats) or role != "system",
            "thinking": kind != "thinking" or not NO_PLAIN_THINKING & set(formats),
            "pictures": kind != "picture" or not NO_PICTURES & set(formats),
        }
        if not all(within.values()) or (kind in ("text", "thinking") and not rest[0].strip()):
            continue
        if kind == "call" and OBJECTS & set(formats) and not isinstance(rest[1], dict):
            rest[1] = {WRAPPED: rest[1] if isinstance(rest[1], str) else None}
        if kind == "call" and isinstance(rest[1], dict) and set(rest[1]) == {WRAPPED}:
            rest[1] = WRAPPED  # as text or as its value: one format keeps it as it was
        if kind == "result":
            del rest[-2:]  # pictures are compared below
        if kind == "thinking":
            rest[0] = " ".join(rest[0].split())  # several may have been joined by blank lines, also without a word
        if kind in ("text", "thinking") and kept and kept[-1][:2] == [role, kind]:
            kept[-1][2] += (" " if kind == "thinking" else "\n\n") + rest[0]
        else:
            kept.append([role, kind, *rest])
    return one_by_one(kept) if ONE_BY_ONE & set(formats) else kept


def unmarked(text):
    """A text without the words that were put before it, also where another format joined them."""
    return next((text.removeprefix(mark).removeprefix("\n\n") for mark in PUT_BEFORE if text.startswith(mark)), text)


def thinking_first(said):
    """In each answer, and in answers that follow one another, thinking before text and calls."""
    runs = [list(run) for _, run in groupby(said, key=lambda item: item[0] == "assistant")]
    return [
        item for run in runs for item in sorted(run, key=lambda item: item[0] == "assistant" and item[1] != "thinking")
    ]


def one_by_one(said):
    """Each call with its result behind it; between messages calls and results are in the order of the calls."""

    def number(item):
        return item[3] if item[1] == "result" else item[4]

    ordered = []
    for tools, run in groupby(said, key=lambda item: item[1] in ("call", "result")):
        items = list(run)
        ordered += sorted(items, key=number) if tools else items
    return ordered


def pictures(said, *formats):
    """Pictures of results that all formats hold there."""
    if NO_PICTURES_IN_RESULTS & set(formats):
        return []
    return [rest[-1] for _, kind, *rest in said if kind == "result"]


@pytest.mark.drawn(23)
@pytest.mark.parametrize(("first", "second"), list(permutations(READABLE, 2)))
@examples(25)
@given(conversation=conversations())
def test_back_and_forth_loses_nothing_that_both_can_hold(first, second, conversation):
    source = write_and_read(conversation, first)
    before = spoken_texts(take_conversation(source.transcripts[0]).conversation)
    there = convert_one(source, second)
    back = convert_one(write_and_read(read_again(there), second), first)
    both = (first, second)
    assert common(spoken_texts(read_again(there)), *both) == common(before, *both)
    assert common(spoken_texts(read_again(back)), *both) == common(before, *both)
    assert pictures(spoken_texts(read_again(back)), *both) == pictures(before, *both)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("name", READABLE)
@examples(40)
@given(conversation=conversations())
def test_a_format_holds_what_was_drawn(name, conversation):
    found = spoken_texts(take_conversation(write_and_read(conversation, name).transcripts[0]).conversation)
    assert common(found, name) == common(spoken_texts(conversation), name)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("name", sorted(TARGETS))
@examples(10)
@given(conversation=conversations())
def test_the_same_input_gives_the_same_bytes(name, conversation):
    source = write_and_read(conversation, "openai-chat")
    one, two = convert_one(source, name), convert_one(source, name)
    assert (one.data, one.losses) == (two.data, two.losses)
