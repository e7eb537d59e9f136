"""The counter counts what tiktoken counts, whatever library does it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmarks.usual_letters import _USUAL, usual_part
from compactor_cli import tokens
from compactor_cli.tokens import make_counter, splintr_encoder
from compactor_cli.tokens.base import ExactCounter
from compactor_cli.tokens.splintr_encoder import USUAL_FILE, splintr_count
from compactor_cli.tokens.vocabulary import ENCODINGS, cache_folder, tiktoken_count
from tests.drawing import example_count

SAMPLES = Path(__file__).resolve().parents[2] / "sample_transcripts"
ODD = [
    *("<|endoftext|>", "<|fim_prefix|>", "<|im_start|>", "'s", "'LL", "'\u017f", "\r\n", "\n\n", "   ", "\t"),
    *("\u00a0", "\u3000", "\u2028", "\u200b", "\ufeff", "e\u0301", "\u01c5", "\u02b0", "\u2167", "\u0130", "\u212a"),
    *("漢字かな", "한국어", "עברית", "हिन्दी", "👩‍👩‍👧‍👦", "🇩🇪", "\x00", "\x85", "\U0010ffff", "\ud800", "\ue000"),
]


@pytest.fixture(scope="module")
def counters():
    """Encoding -> the counter that is used, and tiktoken's."""
    return {name: (make_counter(name).counter, theirs(name)) for name in ENCODINGS}


def theirs(name):
    folder = cache_folder(name)
    assert folder is not None
    return ExactCounter(name, tiktoken_count(name, folder))


def assert_same(counters, texts):
    for name, (used, reference) in counters.items():
        different = [text for text in texts if used.count(text) != reference.count(text)]
        assert not different, (name, ascii(different[:5]))


TEXTS = st.lists(st.one_of(st.sampled_from(ODD), st.text(st.characters(), max_size=20))).map("".join)


@given(text=TEXTS)
@example(text=" I'\u017fU")
@example(text=" " * 100_001)
@settings(max_examples=example_count(300))
def test_any_text_counts_as_tiktoken_counts_it(counters, text):
    assert_same(counters, [text])


def test_strings_of_all_of_unicode_count_as_tiktoken_counts_them(counters):
    rng = random.Random(20)
    planes = [(32, 127), (0x80, 0x3000), (0x3000, 0xD800), (0xE000, 0x10000), (0x10000, 0x110000)]

    def piece():
        return rng.choice(ODD) if rng.random() < 0.3 else chr(rng.randrange(*rng.choice(planes)))

    assert_same(counters, ["".join(piece() for _ in range(rng.randrange(1, 30))) for _ in range(example_count(20_000))])


def test_strings_of_usual_letters_count_as_tiktoken_counts_them(counters):
    rng = random.Random(21)
    spans = [(32, 127), (0x80, 0x180), (0x2000, 0x3000), (0xF000, 0x10000), (0x10000, 0x40000)]

    def piece():
        return " " if rng.random() < 0.1 else chr(rng.randrange(*rng.choices(spans, (30, 5, 5, 1, 1))[0]))

    texts = ["".join(piece() for _ in range(rng.randrange(1, 30))) for _ in range(example_count(20_000))]
    assert not any(map(splintr_encoder._RARE_LETTER.search, texts))
    assert_same(counters, texts)


def test_only_texts_with_letters_that_few_have_are_counted_by_the_whole_vocabulary(monkeypatch):
    assert Path(tokens.__file__).with_name(USUAL_FILE).read_bytes() == usual_part()
    whole = []

    def loaded(made_by, name):
        whole.append(name)
        return made_by.from_pretrained(name)

    monkeypatch.setattr(splintr_encoder, "_full_tokenizer", loaded)
    count = splintr_count("o200k_base", public=True)
    assert count is not None
    assert [*map(count, ("Grüße, žluťoučký → 👩‍👩‍👧 ⚠️\ufeff", "don’t"))] == [23, 2] and not whole
    assert count("漢字") == 2 and count("слово \ud800") and len(whole) == 3  # the lone surrogate is counted anew


def test_letters_that_are_not_seldom_have_usual_bytes_only():
    usual = [letter for letter in map(chr, range(0x110000)) if not splintr_encoder._RARE_LETTER.search(letter)]
    assert len(usual) > 200_000 and _USUAL.issuperset("".join(usual).encode())


def test_the_samples_count_as_tiktoken_counts_them(counters):
    texts = [line for path in SAMPLES.glob("*.jsonl") for line in path.read_text().splitlines()]
    strings = [value for text in texts for value in _strings(json.loads(text))]
    assert len(strings) > 1000
    assert_same(counters, strings)


def _strings(value):
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _strings(inner)
