"""A round of one strategy on the output of another: what the user said is carried on by all that carry it at all."""

from __future__ import annotations

import re
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from compactor_cli import api
from compactor_cli.model.report import Compaction
from compactor_cli.settings import Settings
from tests.pipeline.sessions import assistant, result, to_bytes, user

SAMPLE = Path(__file__).parents[2] / "sample_transcripts" / "openai-chat.jsonl"
CARRY = ("adaptive", "rolling", "handoff", "hybrid", "summarize")
SHORT = 25
"""Characters below which a sentence of a request, such as a nod, need not stay."""


def compact(data: bytes, **settings: Any) -> Compaction:
    source = api.load(data, "session.jsonl", tokenizer="o200k_base")
    (part,) = api.compact(source, Settings(**settings), tokenizer="o200k_base").parts
    return part


@cache
def sentences() -> list[str]:
    """Those of all requests in the sample."""
    (told,) = api.load(SAMPLE.read_bytes(), "session.jsonl", tokenizer="o200k_base").transcripts
    said = (re.split(r"(?<=[.?!])\s+", m.text("text")) for m in told.messages if m.origin == "request")
    return [" ".join(sentence.split()) for sentence in chain.from_iterable(said) if len(sentence) > SHORT]


def lost(part: Compaction) -> list[str]:
    text = " ".join(" ".join(m.text() for m in part.messages).split())
    return [sentence for sentence in sentences() if sentence not in text]


def later() -> bytes:
    """What comes after the first round: work without a new request of weight."""
    records = []
    for at in range(14):
        found = "\n".join(f"src/part_{at}.py:{n}: value_{n} = lookup(table_{at}, {n})" for n in range(40))
        records += [assistant(f"I look at part {at}.", (f"l{at}", "Read", {"file_path": f"src/part_{at}.py"}))]
        records += [result(f"l{at}", found)]
    return to_bytes([*records, user("Go on, please.")])


@cache
def first_round(strategy: str) -> Compaction:
    return compact(SAMPLE.read_bytes(), strategy=strategy, target_ratio=0.25)


@pytest.mark.drawn(9)
@pytest.mark.parametrize("second", CARRY)
@pytest.mark.parametrize("first", CARRY)
def test_no_request_that_the_first_round_kept_is_lost_by_the_second(first: str, second: str) -> None:
    once = first_round(first)
    assert not lost(once)
    twice = compact(once.data + later(), strategy=second, target_tokens=2_600)
    assert twice.round == 2
    assert twice.tokens <= 2_600
    assert not lost(twice)


@pytest.mark.parametrize("strategy", ["rolling", "handoff"])
def test_the_report_and_files_of_an_earlier_summary_make_way_for_what_was_done_since(strategy: str) -> None:
    once = compact(SAMPLE.read_bytes(), strategy=strategy, target_ratio=0.25)
    text = "\n".join(m.text() for m in compact(once.data + later(), strategy="adaptive", target_tokens=2_600).messages)
    assert "src/part_13.py" in text
    assert "### " not in text, "headings of the earlier summary are no lines of the session"
    assert len(re.findall(r"^earlier #\d+ user: ", text, re.MULTILINE)) > 8
