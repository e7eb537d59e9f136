"""The plain methods that stand in every table."""

from __future__ import annotations

import pytest

from compactor_cli.evaluation.retention.baselines import BASELINES, keep_last, mask_outputs
from compactor_cli.tokens import make_counter
from tests.builders import ROOT, call, calling_message, jsonl, listing_output, load, result, system, user

COUNTER = make_counter("chars").counter
SAMPLES = sorted((ROOT / "sample_transcripts").glob("*.jsonl"))


def size(messages):
    return sum(message.tokens for message in messages)


def exchange(n):
    return [user(f"Request {n}"), calling_message(call(f"c{n}")), result(f"c{n}", listing_output(f"output {n}", 30))]


MESSAGES = load(jsonl(system(), *(record for n in range(6) for record in exchange(n)))).transcripts[0].messages


@pytest.mark.parametrize("name", BASELINES)
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_every_format_fits_every_target_that_has_room_for_the_system_messages(name, path):
    for transcript in load(path.read_bytes()).transcripts:
        fixed = size(m for m in transcript.messages if m.role == "system")
        for share in (0, 0.1, 0.5, 1):
            target = fixed + int(share * (transcript.tokens - fixed))
            output = BASELINES[name](transcript.messages, target, COUNTER)
            assert size(output) <= target
            assert all(m.tokens == COUNTER.per_message + sum(p.tokens for p in m.parts) for m in output)


def test_keep_last_keeps_the_newest_groups_whole_and_the_end_of_the_one_before():
    target = size(MESSAGES[:1]) + size(MESSAGES[-3:]) + 60
    output = keep_last(MESSAGES, target, COUNTER)
    assert output[0] == MESSAGES[0]
    assert tuple(output[-3:]) == MESSAGES[-3:]
    (tail,) = output[1:-3]
    assert MESSAGES[-4].parts[0].text.endswith(tail.parts[0].text[-40:])
    assert target - size(output) <= 1


def test_mask_replaces_old_outputs_first_and_keeps_what_was_said():
    output = mask_outputs(MESSAGES, int(0.6 * size(MESSAGES)), COUNTER)
    masked = [m.text().startswith("[old tool output omitted") for m in output if m.role == "tool"]
    assert masked == sorted(masked, reverse=True)
    assert True in masked
    assert False in masked
    assert [m.text() for m in output if m.role == "user"] == [m.text() for m in MESSAGES if m.role == "user"]


def test_mask_drops_the_oldest_when_masking_is_not_enough():
    target = size(MESSAGES) // 10
    assert size(mask_outputs(MESSAGES, target, COUNTER)) <= target


def test_what_fits_is_left_alone():
    assert mask_outputs(MESSAGES, size(MESSAGES), COUNTER) == list(MESSAGES)
    assert keep_last(MESSAGES, size(MESSAGES), COUNTER) == list(MESSAGES)
