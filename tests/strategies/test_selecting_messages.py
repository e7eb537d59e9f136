"""What seed 001 calls `selectMessagesToCompact`: which messages of a real session `--strategy rolling` compacts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from compactor_cli.summary_text.headers import covered, is_summary
from tests.builders import ROOT, FinishedRun
from tests.pipeline.sessions import assistant, filler, system, to_bytes, user

pytestmark = pytest.mark.one_test_in(3)

LINES = (ROOT / "sample_transcripts" / "openai-chat.jsonl").read_bytes().splitlines(keepends=True)
SYSTEM, NEXT_SYSTEM = LINES[0], b'{"role": "system", "content": "The user is in Osaka now."}\n'
LARGE = 16
"""A call whose result is large enough to be worth a summary by itself."""
Rolled = Callable[..., list[bytes]]


@pytest.fixture
def rolled(run: Callable[..., FinishedRun], tmp_path: Path) -> Rolled:
    """The lines of a session after `compact --strategy rolling`; `options` go with it."""

    def compact(lines: Sequence[bytes], *options: str, keep_last: int | None = None) -> list[bytes]:
        (tmp_path / "session.jsonl").write_bytes(b"".join(lines))
        number = {} if keep_last is None else {"COMPACTOR_RECENT_MESSAGES": str(keep_last)}
        done = run("compact", "session.jsonl", "--strategy", "rolling", "--quiet", *options, **number)
        assert done.code == 0, done.stderr
        return done.stdout.splitlines(keepends=True)

    return compact


def text_of(line: bytes) -> str:
    return json.loads(line)["content"] or ""


def border_of(lines: Sequence[bytes], keep_last: int) -> int:
    """Where the seed begins what it keeps: it walks back over tool results to their call."""
    border = len(lines) - keep_last
    while json.loads(lines[border])["role"] == "tool":
        border -= 1
    return border


def test_the_system_message_and_the_last_ten_stay_and_a_summary_stands_for_all_others(rolled: Rolled) -> None:
    system, summary, *kept = rolled(LINES)
    assert system == SYSTEM
    assert kept == LINES[-10:]
    assert covered(text_of(summary)) == tuple(range(1, len(LINES) - 10))


# 3, 38 and 39 fall among the results of parallel calls, 51 on the first of three, 4 on a call
@pytest.mark.parametrize("keep_last", [1, 3, 4, 38, 39, 51])
def test_as_many_stay_as_are_set_and_no_result_is_parted_from_its_call(rolled: Rolled, keep_last: int) -> None:
    border = border_of(LINES, keep_last)
    _, summary, *kept = rolled(LINES, keep_last=keep_last)
    assert kept == LINES[border:]
    assert covered(text_of(summary)) == tuple(range(1, border))


def test_the_example_of_fifty_messages_keeps_the_first_and_the_last_ten(rolled: Rolled) -> None:
    exchanges = [record for number in range(22) for record in filler(number)]
    records = [system(), user("Build it."), *exchanges, assistant("All pass."), user("Add more."), *filler(22)]
    fifty = to_bytes(records).splitlines(keepends=True)
    assert len(fifty) == 50
    first, summary, *kept = rolled(fifty)
    assert [first, *kept] == [fifty[0], *fifty[40:]]
    assert covered(text_of(summary)) == tuple(range(1, 40))


def test_with_eleven_messages_there_is_nothing_to_compact(rolled: Rolled) -> None:
    few = [SYSTEM, *LINES[LARGE : LARGE + 10]]
    assert rolled(few) == few


def test_nothing_is_compacted_when_the_border_walks_back_to_the_beginning(rolled: Rolled) -> None:
    """Of twelve messages the second is a result: its call is the first one behind the system message."""
    few = [SYSTEM, *LINES[LARGE : LARGE + 11]]
    assert border_of(few, 10) == 1
    assert rolled(few) == few


def test_one_message_more_is_enough_to_compact(rolled: Rolled) -> None:
    _, summary, *kept = rolled([SYSTEM, *LINES[LARGE : LARGE + 12]])
    assert kept == LINES[LARGE + 2 : LARGE + 12]
    assert covered(text_of(summary)) == (1, 2)


def test_system_messages_stay_wherever_they_stand(rolled: Rolled) -> None:
    out = rolled([*LINES[:50], NEXT_SYSTEM, *LINES[50:]])
    assert out[0] == SYSTEM
    assert NEXT_SYSTEM in out[1:-10]
    assert out[-10:] == LINES[-10:]


@pytest.mark.parametrize("role", ["user", "assistant", "system"])
def test_an_earlier_summary_is_passed_on_to_the_next_and_not_compacted(rolled: Rolled, role: str) -> None:
    first = rolled(LINES[:60], "--summary-role", role)
    system, summary, *kept = rolled([*first, *LINES[60:]], "--summary-role", role)
    assert system == SYSTEM
    assert kept == LINES[-10:]
    text = text_of(summary)
    assert json.loads(summary)["role"] == role
    assert text.startswith("## Session Summary (Compaction Round 2)\n")
    assert text.count("## Session Summary") == 1, "the earlier one is neither quoted nor beside it"
    assert text_of(LINES[1]) in text, "the first request, which the earlier summary carried"
    assert "earlier #22 user: I asked Miriam: they do add one." in text, "what it said word for word"
    assert '- git commit "Fix the ends of month_range' in text, "what it said was done"


def test_an_earlier_summary_with_nothing_new_before_the_border_stays_as_it_was(rolled: Rolled) -> None:
    out = rolled(LINES)
    assert is_summary(text_of(out[1]))
    assert rolled(out) == out
    assert rolled(out, keep_last=len(out)) == out
