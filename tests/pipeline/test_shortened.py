"""What is kept whole wherever a target allows it, and had to be shortened, is a warning."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.sessions import Json, assistant, compact, long_session, system, to_bytes, user

STRATEGIES = ("tiered", "rolling", "ranked", "hybrid", "summarize", "truncate", "handoff", "adaptive")
RULES = " ".join(f"Rule {n} of the house is to count {n} twice." for n in range(120))
ASKED = " ".join(f"Also write line {n} of the sum." for n in range(120))


def large(*, prompt: bool = False, asking: bool = False) -> list[Json]:
    records = long_session(30)
    if prompt:
        records[0] = system(RULES)
    if asking:
        records[-2] = user(ASKED)
    return records


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_system_prompt_that_had_to_be_shortened_is_a_warning(strategy: str) -> None:
    part = compact(large(prompt=True), strategy=strategy, target_tokens=900)
    assert part.messages[0].tokens < part.before.messages[0].tokens
    (warning,) = [w for w in part.warnings if w.startswith("the system prompt")]
    before, after = part.before.messages[0].tokens, part.messages[0].tokens
    sizes = f"{before:,} to {after:,} tokens"
    assert warning == f"the system prompt (message 0) was shortened from {sizes}: a larger target keeps it whole"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_system_prompt_that_has_to_be_shortened_leaves_room_to_the_session(strategy: str) -> None:
    command = "git add totals.py src/ledger/rounding.py tests/test_rounding.py && git commit -m 'round at the end'"
    records = [*large(prompt=True), assistant("I commit it.", ("open", "Bash", {"command": command}))]
    part = compact(records, strategy=strategy, target_tokens=900)
    system, *others = part.messages
    said = sum(message.tokens for message in part.before.messages[1:])
    assert 400 < system.tokens <= 900 - 0.08 * said
    assert sum(message.tokens for message in others) > 0.6 * (900 - system.tokens), "what is gained is used"
    assert command in others[-1].text(), "work in flight is whole"
    requests = [m.text() for m in part.before.messages if m.origin == "request"]
    assert requests[0] in "\n".join(m.text() for m in others)
    assert requests[-1] in "\n".join(m.text() for m in others)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_last_request_that_had_to_be_shortened_is_a_warning(strategy: str) -> None:
    part = compact(large(asking=True), strategy=strategy, target_tokens=700)
    assert ASKED not in "\n".join(m.text() for m in part.messages)
    (warning,) = [w for w in part.warnings if w.startswith("the user's last request")]
    sizes = r"[\d,]+ to [\d,]+ (?:tokens|characters)"
    words = rf"the user's last request \(message 62\) was shortened from {sizes}: a larger target keeps it whole"
    assert re.fullmatch(words, warning)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_stays_whole_is_no_warning(strategy: str) -> None:
    part = compact(large(prompt=True, asking=True), strategy=strategy, target_tokens=4_000)
    text = "\n".join(m.text() for m in part.messages)
    assert RULES in text
    assert ASKED in text
    assert not [w for w in part.warnings if "shortened" in w]


def test_a_last_request_that_the_summary_repeats_whole_is_no_warning() -> None:
    part = compact(long_session(30), strategy="handoff", target_tokens=700)
    assert "Now write the sum to out.txt." in "\n".join(m.text() for m in part.messages if m.origin == "summary")
    assert not [w for w in part.warnings if "shortened" in w]


def test_the_warning_is_in_the_report_and_on_standard_error(tmp_path: Path, run: Any) -> None:
    (tmp_path / "s.jsonl").write_bytes(to_bytes(large(prompt=True)))
    done = run("compact", "s.jsonl", "--target-tokens", "900", "-o", "out.jsonl", "--report", "report.json")
    assert done.code == 0
    assert "the system prompt (message 0) was shortened from" in " ".join(done.stderr.split())
    (warning,) = json.loads((tmp_path / "report.json").read_text())["warnings"]
    assert warning.startswith("the system prompt (message 0) was shortened from")
