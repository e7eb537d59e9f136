"""Session traces: a head, then messages in camel case."""

from __future__ import annotations

import pytest

from tests.builders import compact, find_faults, load
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded, tried

FILE = CASES / "sts" / "tides.jsonl"
EXAMPLE = REAL / "hf-agent-traces" / "sts-example.jsonl"


def test_messages_are_those_counted_by_hand():
    source = loaded(FILE)
    assert (source.format, find_faults(source)) == ("sts", [])
    found = figures(source)
    assert found["roles"] == {"system": 1, "user": 2, "assistant": 4, "tool": 3}
    assert found["parts"] == {"text": 5, "thinking": 1, "tool_call": 3, "tool_result": 3}
    assert found["requests"] == 2
    assert source.transcripts[0].session_id == "abc"


@pytest.mark.skipif(not EXAMPLE.exists(), reason="the folder of real transcripts is not here")
def test_a_real_trace_is_read():
    source = loaded(EXAMPLE)
    assert source.format == "sts"
    assert figures(source)["roles"] == {"user": 1, "assistant": 2, "tool": 1}
    assert_untouched(EXAMPLE.read_bytes())
    list(compactions(EXAMPLE.read_bytes()))


def test_it_is_compacted_and_stays_itself():
    data = FILE.read_bytes()
    assert_untouched(data)
    outputs = list(compactions(data))
    assert len(outputs) >= tried() // 2
    assert all(out.splitlines()[0] == data.splitlines()[0] for out in outputs)


def test_a_summary_is_a_message_record():
    messages = load(compact(FILE.read_bytes(), target_ratio=0.3, strategy="tiered").data).transcripts[0].messages
    assert any(message.origin == "summary" for message in messages)


def test_the_original_is_restored_to_the_byte(tmp_path):
    assert_restored(FILE, tmp_path)
