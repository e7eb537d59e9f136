"""Benchmark questions: repeatable, answerable from their evidence, and not announced by cue words."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.questions import main

_CUES = re.compile(r"\b(decid\w+|never|remember|important|always|must|promise|forget|needs?)\b", re.IGNORECASE)


@pytest.fixture
def dialogue(tmp_path: Path) -> Path:
    path = tmp_path / "dialogue.jsonl"
    lines = [{"role": "user", "name": "Ann", "content": f"Mm - hmm , that {{pause}} is line {n} ."} for n in range(90)]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def _made(dialogue: Path, *options: str) -> list[dict[str, Any]]:
    output = dialogue.with_name("out.jsonl")
    main([str(dialogue), "-o", str(output), "--conversations", "12", *options])
    return [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]


def test_the_same_seed_gives_the_same_conversations(dialogue: Path) -> None:
    assert _made(dialogue) == _made(dialogue)
    assert _made(dialogue) != _made(dialogue, "--seed", "1")


def test_size_roles_and_questions_are_as_asked(dialogue: Path) -> None:
    for talk in _made(dialogue, "--messages", "120", "--facts", "10"):
        assert [each["role"] for each in talk["messages"]] == ["user", "assistant"] * 60
        assert len(talk["qas"]) == 10
        kinds = {each["category"] for each in talk["qas"]}
        assert kinds == {"invented", "ordinary", "number", "answer", "long", "update"}


def test_evidence_holds_the_answer_and_no_cue_word(dialogue: Path) -> None:
    for talk in _made(dialogue):
        for asked in talk["qas"]:
            told = " ".join(talk["messages"][index]["content"] for index in asked["evidence"]).lower()
            answer = set(re.findall(r"\w+", asked["answer"].lower())) - {"a", "an", "the"}
            assert answer
            assert all(word in told for word in answer), asked
            assert not _CUES.search(told)
            assert not re.search(r"[{}|()]", told + asked["question"])


def test_noise_is_cleaned(dialogue: Path) -> None:
    talk = _made(dialogue, "--facts", "1", "--distractors", "0", "--words", "1")[0]
    assert sum("Mm-hmm, that is line" in each["content"] for each in talk["messages"]) > 250
