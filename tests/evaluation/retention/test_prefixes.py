"""Where sessions are cut, and that a front is a transcript of its own."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from compactor_cli.evaluation.retention.cases import cut_position, front_bytes, front_target, front_transcript
from compactor_cli.model.message import system_tokens
from tests.builders import (
    ROOT,
    assistant,
    call,
    calling_message,
    codex_event,
    codex_exchanges,
    codex_says,
    find_faults,
    jsonl,
    listing_output,
    load,
    result,
    system,
    user,
)

SAMPLES = sorted((ROOT / "sample_transcripts").glob("*.jsonl"))


def test_a_cut_never_stands_between_a_call_and_its_results():
    records = [
        user("a " * 50),
        calling_message(call("c1"), call("c2")),
        result("c1", "b " * 99),
        result("c2", "d"),
        user("e"),
    ]
    messages = load(jsonl(*records, assistant("f"))).transcripts[0].messages
    assert {cut_position(messages, share / 20) for share in range(1, 20)} <= {1, 4, 5}
    assert cut_position(messages, 0.6) == 4


def test_system_messages_are_no_part_of_the_share():
    records = [system("long words " * 500), *(user(f"say {n} " * 20) for n in range(10))]
    messages = load(jsonl(*records)).transcripts[0].messages
    assert cut_position(messages, 0.5) == 6


@pytest.mark.parametrize(
    "records", [[user("only one")], [system("a"), user("b")], [calling_message(call("c")), result("c", "d")]]
)
def test_without_a_legal_place_there_is_no_cut(records):
    assert cut_position(load(jsonl(*records)).transcripts[0].messages, 0.5) is None


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("share", [0.3, 0.5, 0.75])
def test_a_front_is_the_session_as_it_would_have_been_saved_then(path: Path, share):
    source = load(path.read_bytes())
    for transcript in source.transcripts:
        cut = cut_position(transcript.messages, share)
        if cut is None:
            continue
        front = front_transcript(transcript, cut)
        again = load(front_bytes(front), format=source.format)
        texts = [(m.role, m.text()) for m in again.transcripts[0].messages]
        assert texts == [(m.role, m.text()) for m in front.messages]
        assert again.tokens == front.tokens
        assert {fault.kind for fault in find_faults(again)} <= {fault.kind for fault in find_faults(source)}
        assert (
            system_tokens(front.messages)
            < front_target(front, 0.1)
            < front_target(front, 0.5)
            < front_target(front, 1)
            == front.tokens
        )


def test_copies_for_display_go_with_their_message():
    records = list(codex_exchanges(8))
    # the event that repeats a message may stand before it
    records += [
        codex_event(type="agent_message", message="secret_of_later"),
        codex_says("assistant", "secret_of_later"),
    ]
    transcript = load(jsonl(*records)).transcripts[0]
    for cut in range(1, len(transcript.messages)):
        data = front_bytes(front_transcript(transcript, cut))
        later = [m.text() for m in transcript.messages[cut:]]
        assert [text for text in later if text.encode() in data] == []
        # the event of the first request is no copy: a list of threads shows it
        for message in transcript.messages[1:cut]:
            assert data.count(message.text().encode()) == (2 if "Request" in message.text() else 1) or (
                "Answer" in message.text()
            )


def test_cuts_grow_with_their_share():
    records = [
        record
        for n in range(20)
        for record in (user(f"{n} {listing_output('a', 9)}"), assistant(listing_output("b", 5)))
    ]
    messages = load(jsonl(*records)).transcripts[0].messages
    cuts = [cut_position(messages, share / 10) for share in range(1, 10)]
    assert all(a is not None and b is not None and a < b for a, b in pairwise(cuts))
