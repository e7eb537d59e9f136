"""Token counters: the arithmetic of seed 001, encodings by name and by model, vocabularies on disk only."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

from compactor_cli.errors import UsageError
from compactor_cli.tokens import make_counter
from compactor_cli.tokens.base import IMAGE_TOKENS
from compactor_cli.tokens.models import OPEN_VOCABULARIES, model_facts
from tests.builders import assistant, clean_environment, jsonl, load, user

pytestmark = pytest.mark.one_test_in(3)


@pytest.fixture(scope="module")
def o200k():
    return make_counter().counter


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("x" * 400, 100)])
def test_the_character_counter_takes_four_characters_a_token_and_rounds_up(text, tokens):
    assert make_counter("chars").counter.count(text) == tokens


def test_messages_count_as_seed_001_adds_them_up():
    # estimateMessagesTokens: 2 a role, texts, names and arguments of calls, results
    call = {"type": "tool-call", "toolCallId": "c", "toolName": "read_file", "args": {"path": "a.py"}}
    done = {"type": "tool-result", "toolCallId": "c", "toolName": "read_file", "result": {"ok": True}}
    data = jsonl(
        {"role": "system", "content": "Be brief."},  # 2 + ceil(9/4) = 5
        user("Read a.py please"),  # 2 + 4 = 6
        assistant([{"type": "text", "text": "Sure"}, call]),  # 2 + 1 + ceil(9/4) + ceil(15/4) = 10
        {"role": "tool", "content": [done]},  # 2 + ceil(11/4) = 5
    )
    messages = load(data).transcripts[0].messages
    assert [m.tokens for m in messages] == [5, 6, 10, 5]
    assert load(data).tokens == 26


def test_the_default_is_o200k_and_its_counts_are_exact(o200k):
    assert (o200k.name, o200k.approximate) == ("o200k_base", False)
    assert [o200k.count(text) for text in ("", "hello world", "tiktoken is great!")] == [0, 2, 6]
    assert o200k.count("川田太郎") >= 3, "not characters / 4"


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        ("gpt-4o", "o200k_base"),
        ("openai/gpt-4o-mini", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-3.5-turbo", "cl100k_base"),
    ],
)
def test_the_encoding_follows_the_model(model, encoding):
    counter = make_counter(model=model).counter
    assert (counter.name, counter.approximate) == (encoding, False)


@pytest.mark.parametrize("model", ["claude-3-5-sonnet-20240620", "anthropic/claude-x", "gemini/gemini-2.0-flash"])
def test_a_model_without_a_public_tokenizer_is_counted_approximately_and_says_so(model):
    counter = make_counter(model=model).counter
    assert counter.approximate
    assert counter.name == f"o200k_base (approximate for {model})"


def test_a_named_tokenizer_wins_over_the_model():
    assert make_counter("cl100k_base", "gpt-4o").counter.name == "cl100k_base"
    assert make_counter("chars", "gpt-4o").counter.name == "chars"


def test_an_unknown_tokenizer_names_the_known_ones():
    with pytest.raises(UsageError, match=r"o200k_base, cl100k_base, llama3, .*, chars, probe"):
        make_counter("p50k_bass")


@pytest.mark.drawn(3)
@pytest.mark.parametrize(
    ("model", "vocabulary"),
    [
        ("qwen3-32b", "qwen3"),
        ("openrouter/qwen/qwen2.5-coder-32b-instruct", "qwen3"),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama3"),
        ("meta_llama-3-8b", "llama3"),
        ("deepseek/deepseek-chat", "deepseek_v3"),
        ("google/gemma-3-27b-it", "gemma3"),
        ("glm-4.5-air", "glm4"),
        ("moonshotai/Kimi-K2-Instruct", "kimi_k2"),
        ("gpt-oss-120b", "o200k_base (approximate for gpt-oss-120b)"),
        ("qwen3.5-9b", "o200k_base (approximate for qwen3.5-9b)"),
        ("deepseek-r1-distill-llama-8b", "o200k_base (approximate for deepseek-r1-distill-llama-8b)"),
    ],
)
def test_an_open_model_is_counted_by_its_own_vocabulary_where_that_is_known(model, vocabulary):
    counter = make_counter(model=model).counter
    assert counter.name == vocabulary
    assert counter.approximate == ("approximate" in vocabulary)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("vocabulary", OPEN_VOCABULARIES)
def test_a_vocabulary_of_an_open_model_counts_text_and_no_boundaries(vocabulary):
    counter = make_counter(vocabulary).counter
    assert counter.count("") == 0
    assert counter.count("hello") <= 2, "no token for the beginning of a text"
    assert 4 <= counter.count("def main(arguments):") <= 7


def test_a_vocabulary_is_made_ready_once_for_all_counters(monkeypatch):
    splintr, made = pytest.importorskip("splintr"), []

    class Counted:
        @staticmethod
        def from_pretrained(name):
            made.append(name)
            return splintr_tokenizer.from_pretrained(name)

        @staticmethod
        def from_bytes(data, pattern):
            made.append("o200k_base")
            return splintr_tokenizer.from_bytes(data, pattern)

    splintr_tokenizer = splintr.Tokenizer
    monkeypatch.setattr(splintr, "Tokenizer", Counted)
    assert [make_counter(name).counter.count("unheard-of") for name in ("", "o200k_base", "cl100k_base")]
    assert made == ["o200k_base", "cl100k_base"]


def test_without_splintr_an_open_model_is_counted_approximately():
    name, approximate, _, warning, _ = probe(NO_SPLINTR, model="qwen3-32b")
    assert (name, approximate, warning) == ("o200k_base (approximate for qwen3-32b)", True, "")


@pytest.mark.parametrize(
    ("model", "limit", "known"),
    [
        ("gpt-4o", 128_000, True),
        ("gpt-4", 8_192, True),
        ("claude-3-haiku-20240307", 200_000, True),
        ("openai/gpt-4o", 128_000, True),
        ("no-such-model", 128_000, False),
        ("", 128_000, False),
    ],
)
def test_context_limits_are_those_of_seed_001(model, limit, known):
    facts = model_facts(model)
    assert (facts.context_limit, facts.known) == (limit, known)


@pytest.mark.drawn(4)
@pytest.mark.parametrize("character", [" ", "a", "\n", "川", "=", "\ud800", "😀", "\t"])
def test_a_run_of_a_million_equal_characters_is_counted_within_seconds(o200k, character):
    started = time.process_time()
    tokens = o200k.count(character * 1_000_000)
    assert time.process_time() - started < 5
    assert 0 < tokens <= 4_000_000


def test_words_that_look_like_control_tokens_are_text(o200k):
    assert o200k.count("<|endoftext|>") > 1


def test_images_have_one_fixed_cost_in_every_counter(o200k):
    assert make_counter("chars").counter.per_image == o200k.per_image == IMAGE_TOKENS


PROBE = """
import json, sys, tempfile
{before}
from compactor_cli.tokens import make_counter
choice = make_counter("", {model!r})
print(json.dumps([choice.counter.name, choice.counter.approximate, choice.counter.count("x" * 41), choice.warning,
                  "litellm" in sys.modules and sys.modules["litellm"] is not None]))
"""


NO_SPLINTR = "sys.modules['splintr'] = None"


def probe(before="", model="", **variables):
    """Choose a counter in a new process, and say what came of it."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(before=before, model=model)],
        capture_output=True,
        env=clean_environment(**variables),
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_a_missing_vocabulary_is_reported_and_characters_are_counted_instead():
    name, approximate, tokens, warning, _ = probe(f"{NO_SPLINTR}; sys.modules['litellm'] = None")
    assert (name, approximate, tokens) == ("chars (no vocabulary for o200k_base)", True, 11)
    assert "o200k_base" in warning


def test_a_missing_vocabulary_of_a_model_names_that_one():
    name, *_ = probe(f"{NO_SPLINTR}; sys.modules['litellm'] = None", model="gpt-4")
    assert name == "chars (no vocabulary for cl100k_base)"


def test_counting_needs_neither_litellm_itself_nor_a_network():
    no_network = "import socket\ndef refuse(*a, **k): raise OSError('no network')\nsocket.socket.connect = refuse\n"
    assert probe(no_network)[:1] + probe(no_network)[3:] == ["o200k_base", "", False]


def test_without_splintr_tiktoken_counts_the_same(o200k):
    name, approximate, tokens, warning, _ = probe(NO_SPLINTR)
    assert (name, approximate, tokens, warning) == ("o200k_base", False, o200k.count("x" * 41), "")


def test_with_splintr_no_vocabulary_has_to_be_on_the_machine():
    assert probe("sys.modules['litellm'] = None")[:4] == probe(NO_SPLINTR)[:4]


def test_an_unusable_cache_folder_in_the_environment_is_passed_over(tmp_path):
    for folder in (tmp_path, tmp_path / "missing"):
        assert probe(NO_SPLINTR, TIKTOKEN_CACHE_DIR=str(folder))[0] == "o200k_base"


def test_a_damaged_vocabulary_does_not_reach_for_the_network(tmp_path):
    # tiktoken deletes a file whose hash is wrong and downloads it again
    from compactor_cli.tokens.vocabulary import cache_folder

    folder = cache_folder("o200k_base")
    assert folder is not None
    original = next(iter(folder.glob("fb374d419588a4632f3f557e76b4b70aebbca790")))
    damaged = tmp_path / original.name
    damaged.write_bytes(original.read_bytes()[:1000])
    no_network = "import socket\ndef refuse(*a, **k): raise OSError('no network')\nsocket.getaddrinfo = refuse\n"
    name, _, tokens, _, _ = probe(f"{NO_SPLINTR}\n{no_network}", TIKTOKEN_CACHE_DIR=str(tmp_path))
    assert tokens > 0
    assert name
