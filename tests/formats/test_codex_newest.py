"""Codex, as its versions since 0.150 write: records with numbers, items that repeat others for display, what other
agents say, and what a message is made of."""

from __future__ import annotations

import pytest

from compactor_cli.resuming.emit import appended
from tests.builders import codex_event, codex_meta, codex_says, compact, jsonl, load, prose, values_of


def numbered(*records):
    """A paginated rollout: its records are counted."""
    head = codex_meta(history_mode="paginated", session_id="codex-1", cwd="/work")
    return jsonl(*({"timestamp": r["timestamp"], "ordinal": n, **r} for n, r in enumerate([head, *records])))


def exchanges(count):
    for at in range(count):
        yield codex_says("user", f"Request {at}: {prose(f'request {at}', 3)}")
        yield codex_says("assistant", f"Answer {at}: {prose(f'answer {at}', 8)}")


def ordinals(data):
    return [value.get("ordinal") for value in values_of(data)]


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "handoff", "tiered"])
def test_every_record_of_a_numbered_rollout_has_a_number_also_the_last(strategy):
    data = numbered(*exchanges(12), codex_event(type="task_complete", turn_id="t"))
    out = ordinals(compact(data, target_ratio=0.3, strategy=strategy).data)
    assert len(out) < len(ordinals(data))
    assert None not in out
    assert out == sorted(out)


def test_what_is_appended_to_a_numbered_rollout_is_counted_on():
    data = numbered(*exchanges(12), codex_event(type="token_count", info={"last_token_usage": {"input_tokens": 90}}))
    made = appended(load(data), load(compact(data, target_ratio=0.3).data))
    assert ordinals(made) == list(range(len(ordinals(data)) + 2))
    assert [value["type"] for value in values_of(made)[-2:]] == ["compacted", "event_msg"]


def test_a_replaced_history_that_is_the_last_record_stays_numbered():
    items = [record["payload"] for record in exchanges(12)]
    compacted = {"timestamp": "2026-03-02T09:00:02Z", "type": "compacted", "payload": {"replacement_history": items}}
    out = compact(numbered(*exchanges(2), compacted), target_ratio=0.3).data
    assert None not in ordinals(out)


def test_a_rollout_without_numbers_gets_none():
    out = compact(jsonl(codex_meta(), *exchanges(12)), target_ratio=0.3).data
    assert set(ordinals(out)) == {None}
