"""A system prompt that an earlier round cut makes as much room for the session as one that was never cut."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compactor_cli import api
from compactor_cli.pipeline.one_compaction import stated_base
from compactor_cli.settings import Settings
from tests.builders import assistant, jsonl, user

_PROMPT = "\n".join(
    f"- Rule {n}: an agent of desk {n} must ask for the ticket number {n * 37} before it changes booking class {n}."
    for n in range(60)
)


def _part(number: int) -> list[dict[str, Any]]:
    talk = []
    for step in range(number * 6, number * 6 + 6):
        talk += [
            user(
                f"My seat on flight LH{400 + step} has to be {step + 3}C, and the meal for it costs {step + 11} euros."
            ),
            assistant(
                f"I looked up flight LH{400 + step}. Seat {step + 3}C is free, and I have noted the meal beside it. "
                "The gate opens an hour before; you will get a mail when anything of it is changed by the airline."
            ),
        ]
    return talk


def _rounds(strategy: str) -> list[list[dict[str, Any]]]:
    """Return the outputs of three rounds, and of one that has all."""
    settings, prompt = Settings(target_tokens=900, strategy=strategy), [{"role": "system", "content": _PROMPT}]
    outputs: list[list[dict[str, Any]]] = []
    for number in range(3):
        outputs.append(_compacted([*(outputs[-1] if outputs else prompt), *_part(number)], settings))
    whole = [*prompt, *(message for number in range(3) for message in _part(number))]
    return [*outputs, _compacted(whole, settings)]


def _compacted(messages: list[dict[str, Any]], settings: Settings) -> list[dict[str, Any]]:
    (part,) = api.compact(api.load(jsonl(*messages)), settings).parts
    return [json.loads(line) for line in bytes(part.data).splitlines()]


def _tokens(messages: list[dict[str, Any]], role: str) -> int:
    (transcript,) = api.load(jsonl(*messages)).transcripts
    return sum(message.tokens for message in transcript.messages if message.role == role)


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "handoff", "hybrid"])
def test_a_prompt_that_was_cut_is_cut_again_where_the_session_needs_room(strategy: str) -> None:
    first, _, last, once = _rounds(strategy)
    assert 0.5 * _tokens(first, "system") < _tokens(last, "system") <= _tokens(first, "system")
    assert _tokens(last, "system") <= 1.08 * _tokens(once, "system")


@pytest.mark.drawn(1)
@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "handoff"])
@pytest.mark.parametrize("ratio", [0.1, 0.25])
def test_where_only_the_prompt_was_cut_it_says_what_the_rounds_took_away(strategy: str, ratio: float) -> None:
    """Without it, a quarter of a quarter of the session was left in the second round."""
    output: list[dict[str, Any]] = [{"role": "system", "content": _PROMPT}]
    said = sum(m.tokens for m in api.load(jsonl(*output)).transcripts[0].messages)
    for number in range(4):
        added = _part(number)[:4]
        said += sum(m.tokens for m in api.load(jsonl(*added)).transcripts[0].messages)
        (part,) = api.compact(api.load(jsonl(*output, *added)), Settings(target_ratio=ratio, strategy=strategy)).parts
        output = [json.loads(line) for line in bytes(part.data).splitlines()]
        known = stated_base(part.messages, part.tokens)
        assert known is not None
        assert 0.95 * said <= known.tokens <= 1.01 * said
        assert output[0]["content"].startswith("- Rule 0")
        assert 0.7 * ratio * said <= part.tokens <= ratio * said
        assert sum("[…" in message["content"] for message in output) <= 1
