"""Claude Code: records that are there again, as some resumed sessions repeat them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import ClaudeSession, compact, jsonl, load, text_block, values_of
from tests.prompt.test_assembly import assembled

SAMPLE = Path(__file__).parents[2] / "sample_transcripts" / "claude-code.jsonl"
WAYS = {
    "each at once": lambda lines: [again for line in lines for again in (line, line)],
    "the end": lambda lines: lines + lines[-12:],
    "from the middle on": lambda lines: lines[: len(lines) // 2] + lines[len(lines) // 2 - 8 :],
    "the beginning": lambda lines: lines + lines[:12],
    "all": lambda lines: lines + lines,
}


def texts_of(data):
    return [(m.role, m.text()) for m in load(data).transcripts[0].messages]


@pytest.mark.parametrize("behind", [4, 12, 20])
def test_records_that_a_resumed_session_repeats_count_once(behind):
    session = ClaudeSession()
    session.exchanges(10)
    data = jsonl(*session.records[:behind], *session.records[:4], *session.records[behind:])
    assert texts_of(data) == texts_of(session.data)
    assert compact(data, target_tokens=10**9).data == data
    for ratio in (0.7, 0.3):
        values = values_of(compact(data, target_ratio=ratio).data)
        # the agent takes the last record of an id
        by_id = {value["uuid"]: value for value in values}
        way, at = [], values[-1]
        while at is not None:
            way.append(at["uuid"])
            at = by_id.get(at["parentUuid"])
        if behind < 20:
            assert set(way) == set(by_id), "all that is kept is on the way to the root"


@pytest.mark.parametrize("way", WAYS)
def test_an_output_of_repeated_records_is_read_as_it_was_counted(way):
    lines = SAMPLE.read_bytes().splitlines(keepends=True)
    data = b"".join(WAYS[way](lines))
    for ratio in (0.9, 0.5, 0.25):
        plain, again = (compact(given, target_ratio=ratio) for given in (b"".join(lines), data))
        assert texts_of(again.data) == texts_of(plain.data)
        assert load(again.data).tokens == sum(message.tokens for message in again.parts[0].messages)


@pytest.mark.parametrize("way", WAYS)
def test_repeated_records_stand_behind_the_parts_of_a_prompt(way):
    data = b"".join(WAYS[way](SAMPLE.read_bytes().splitlines(keepends=True)))
    texts = {"system_prompt": "You fix bugs.", "task_prompt": "Say what is open."}
    for total in (100_000, 6_000):
        assert load(assembled(data, texts, total).data).tokens


def test_the_order_is_that_in_which_records_continue_from_each_other():
    session = ClaudeSession()
    session.exchanges(6)
    first, second, *others = session.records
    assert texts_of(jsonl(first, second, *others, second)) == texts_of(session.data)
    assert texts_of(jsonl(first, *others, second, first)) == texts_of(jsonl(first, *others, second))


def test_the_same_words_with_another_count_of_tokens_count_once():
    session = ClaudeSession()
    session.add_answer("Go.")
    answer = session.add_call(text_block("Yes."))
    answer["message"]["usage"] = {"input_tokens": 9, "output_tokens": 2}
    again = {**answer, "message": {**answer["message"], "usage": {"input_tokens": 4, "output_tokens": 1}}}
    assert texts_of(jsonl(*session.records, again)) == texts_of(session.data)
    corrected = {**answer, "message": {**answer["message"], "content": [text_block("No.")]}}
    assert texts_of(jsonl(*session.records, corrected)) != texts_of(session.data)


def test_what_a_sidechain_repeats_of_the_main_chain_stays_in_that():
    session = ClaudeSession()
    session.exchanges(4)
    copies = [{**record, "isSidechain": True} for record in session.records[:4]]
    found = load(jsonl(*session.records, *copies)).transcripts[0].messages
    assert [m.text() for m in found if m.origin == "request"] == [
        m.text() for m in load(session.data).transcripts[0].messages if m.origin == "request"
    ]
