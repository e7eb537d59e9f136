"""Numbers of messages are those of the input, whatever a repair has added to it or taken out."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from compactor_cli import api
from compactor_cli.summary_text.headers import covered
from tests.pipeline.sessions import Json, assistant, compact, load, result, to_bytes, user


def _cut_short() -> list[Json]:
    """A session in which calls went unanswered early on, so that repair adds results, and one result has no call."""
    records: list[Json] = [user("Please mend src/sums.py. Never touch src/api.py.")]
    for n in range(6):
        records += [assistant(f"Trying {n}.", (f"lost_{n}", "Read", {"path": f"lost{n}.py"})), user("Go on.")]
    records.append(result("nobody", "an answer to nothing"))
    for n in range(40):
        records += [
            assistant(
                f"We decided on step{n} of src/part{n}.py because of it.",
                (f"c{n}", "Read", {"path": f"src/part{n}.py"}),
            ),
            result(f"c{n}", f"the body of part{n}\n" * 12),
        ]
    return [*records, user("Now finish step39."), assistant("I am on it.")]


STRATEGIES = ("tiered", "rolling", "ranked", "hybrid", "summarize", "handoff", "adaptive")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_repair_adds_does_not_shift_the_numbers_of_messages(strategy: str) -> None:
    records = _cut_short()
    part = compact(records, strategy=strategy, target_ratio=0.35)
    assert sum(note.kind == "synthetic_result" for note in part.repairs) == 6
    text = "\n".join(m.text() for m in part.messages if m.origin == "summary")
    named = re.findall(r"step(\d+)\D[^\n]*\[#(\d+)\]|#(\d+): We decided on step(\d+)\D", text)
    assert named
    for step, at, marked, own in named:
        said = records[int(at or marked)]["content"]
        assert f"step{step or own} of" in said
    assert max(covered(m.text())[-1] for m in part.messages if m.origin == "summary") < len(records)


def test_what_is_read_of_files_is_named_by_the_numbers_of_the_input() -> None:
    records = _cut_short()
    part = compact(records, strategy="rolling", target_ratio=0.35)
    text = "\n".join(m.text() for m in part.messages if m.origin == "summary")
    rows = re.findall(r"`src/part(\d+)\.py` \| read \|[^\n]*\[#(\d+)\]", text)
    assert rows
    assert all(f"step{n} of" in records[int(at)]["content"] for n, at in rows)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_plan_and_first_change_are_in_the_numbers_of_the_input(strategy: str) -> None:
    part = compact(_cut_short(), strategy=strategy, target_ratio=0.35)
    assert part.plan is not None
    numbers = [part.repaired.messages[i].number for group in part.groups for i in group.messages]
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(len(part.before.messages))) - {13}
    assert part.first_changed_index is not None
    whole = {m.number for m in part.messages if m.index >= 0 and m in part.before.messages}
    assert part.first_changed_index not in whole


def test_a_dry_run_names_messages_by_their_numbers_in_the_input(tmp_path: Path, run: Any) -> None:
    (tmp_path / "s.jsonl").write_bytes(to_bytes(_cut_short()))
    done = run("compact", "s.jsonl", "--target-ratio", "0.35", "--dry-run", "--json")
    decisions = json.loads(done.stdout)["plan"]
    named = [n for decision in decisions for n in decision["messages"]]
    assert named == sorted(set(range(len(_cut_short()))) - {13})
    table = run("compact", "s.jsonl", "--target-ratio", "0.35", "--dry-run", COLUMNS="160").stdout.decode()
    assert "\n92-93 " in table
    assert "\n95 " in table
    assert "\n96" not in table


def test_diff_tells_the_same_fates_as_the_report_in_the_numbers_of_the_input() -> None:
    source = load(_cut_short())
    result = api.compact(source, api.Settings(strategy="tiered", target_ratio=0.35), tokenizer="chars")
    fate, _ = api.diff(source, api.load(result.data, format="openai-chat", tokenizer="chars"))
    dispositions = result.parts[0].dispositions
    assert len(fate.summarized) == dispositions.summarized
    assert fate.dropped == (13,)
    assert {*fate.kept, *fate.shortened, *fate.summarized, 13} == set(range(len(_cut_short())))
