"""Dialogues to learn from: repeatable, with what is told at its place, and lines set apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import talk
from benchmarks.dialogues import UNSEEN, among_requests, fold_of, of_friends, with_rules
from compactor_cli.features.wording import shipped_wordings
from compactor_cli.profiles import parse_profile

EVERYTHING = bool


def test_the_same_seed_gives_the_same_conversations() -> None:
    assert with_rules("a", 0, EVERYTHING) == with_rules("a", 0, EVERYTHING)
    assert with_rules("a", 0, EVERYTHING) != with_rules("a", 1, EVERYTHING)
    assert of_friends("a", 0, EVERYTHING) == of_friends("a", 0, EVERYTHING)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("languages", [("en",), ("zh",), UNSEEN])
def test_what_is_told_stands_in_a_message_of_the_user(languages: tuple[str, ...]) -> None:
    told = 0
    for number in range(40):
        item = with_rules(f"rules-{number}", 0, EVERYTHING, languages)
        for each in item["told"]:
            message = item["messages"][each["message"]]
            assert message["role"] == "user"
            assert each["text"].lower().rstrip(".!。") in message["content"].lower()
            told += 1
        talked = talk.by_sentence(item, shipped_wordings())
        assert any(talked.needed) == bool(item["told"])
    assert told > 40


def test_lines_of_the_other_half_are_never_said() -> None:
    said = [
        {each["text"] for n in range(60) for each in with_rules(f"r{n}", n, keep, ("de",))["told"]}
        for keep in (lambda line: fold_of(line, 2) == 0, lambda line: fold_of(line, 2) == 1)
    ]
    assert said[0]
    assert said[1]
    assert not said[0] & said[1]


def test_requests_stay_in_their_order_around_the_rules() -> None:
    texts = [f"Request {number}." for number in range(12)]
    item = among_requests("a", texts, 0, EVERYTHING, ("en",))
    said = [each["content"] for each in item["messages"]]
    assert [text for text in said if text in texts] == texts
    assert len(said) == len(texts) + len(item["told"])
    assert {each["role"] for each in item["messages"]} == {"user"}


@pytest.mark.everything
def test_weights_are_learned_and_written_into_a_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("numpy")
    for folder in ("qmsum", "tau-bench", "openai-long"):
        (tmp_path / folder).mkdir()
    for number in range(4):
        lines = [{"role": "user", "content": f"that is item {n} of what we talk of , okay ?"} for n in range(900)]
        _write(tmp_path / "qmsum" / f"meeting{number}.jsonl", lines)
    for number in range(6):
        lines = [{"role": "user", "content": f"Please book seat {n}. I am in a hurry."} for n in range(5)]
        _write(tmp_path / "tau-bench" / f"task{number}.jsonl", lines)
    monkeypatch.setattr(talk, "CONVERSATIONS", {"rules": 12, "friends": 2, "questions": 2})
    profile = tmp_path / "own.toml"
    profile.write_text("version = 1\n[weights]\nbias = 0.5\n", encoding="utf-8")
    assert talk.main([str(tmp_path), "--seeds", "1", "--profile", str(profile)]) == 0
    learned = parse_profile(profile.read_text("utf-8"), "own.toml")
    assert learned.binding["asks"] < 0
    assert learned.talk != learned.binding
    assert learned.needed["agent"] < 0
    table = capsys.readouterr().out
    assert "questions 10%" in table
    kept = {name: _row(table, name) for name in ("both", "`needed`")}
    assert kept["`needed`"]["chats 25%"] > kept["both"]["chats 25%"] + 0.1
    assert all(f"| {row} |" in table for row in ("`talk`", "`binding`", "both", "tf-idf", "chance"))


def _row(table: str, name: str) -> dict[str, float]:
    """The figures of a row by their columns."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    found = (dict(zip(lines[0][1:], line[1:], strict=True)) for line in lines if line[0] == name)
    return {column: float(cell) for column, cell in next(found).items() if cell}


def _write(path: Path, lines: list[dict[str, str]]) -> None:
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
