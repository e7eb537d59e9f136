"""What the next round knows of the state, whichever strategy wrote the summary."""

from __future__ import annotations

import time
from typing import Any

import pytest

from compactor_cli.features.work.earlier_rounds import files_in_state, files_under_headings
from compactor_cli.features.work.state import session_state
from compactor_cli.summary_text.headers import is_state_heading, messages_to_state, state_heading
from compactor_cli.summary_text.verbatim import block
from tests.pipeline.sessions import assistant, compact, filler, user
from tests.strategies import work

EVERY = pytest.mark.parametrize("strategy", ["summarize", "rolling", "handoff", "hybrid", "tiered", "adaptive"])
CHANGED = {work.changed_file(number) for number in range(4)}


def _session() -> list[Any]:
    behind = [record for number in range(8) for record in filler(number)]
    return [*work.session(4, end=False), *behind, user("And now?"), assistant("All is told above.")]


def _changed(messages: Any) -> set[str]:
    said = [line.text for line in session_state(messages) if line.kind == "file"]
    return {name for name in CHANGED if any(name in text for text in said)}


@EVERY
def test_the_next_round_knows_the_changed_files(strategy: str) -> None:
    once = compact(_session(), strategy=strategy, target_ratio=0.5)
    assert any(message.origin == "summary" for message in once.messages)
    assert _changed(once.messages) == CHANGED


@EVERY
def test_the_next_round_knows_what_was_done_elsewhere(strategy: str) -> None:
    calls: list[Any] = [
        {"id": "m1", "type": "function", "function": {"name": "send_mail", "arguments": '{"to": "anna@x.org"}'}}
    ]
    sent: list[Any] = [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "m1", "content": "sent"},
    ]
    first, *rest = _session()
    once = compact([first, *sent, *rest], strategy=strategy, target_ratio=0.5)
    assert "send_mail anna@x.org" in [line.text for line in session_state(once.messages)]


def test_a_list_of_files_takes_over_those_that_only_the_state_told() -> None:
    first = compact(_session(), strategy="adaptive", target_ratio=0.5)
    texts = [message.text("text") for message in first.messages if message.origin == "summary"]
    records = [user("Mend it."), *(user(text) for text in texts), *_session()[-18:]]
    then = compact(records, strategy="handoff", target_ratio=0.7)
    assert _changed(then.messages) == CHANGED


_SUMMARY = """## Session Summary (Compaction Round 1)
Stands for messages 2-81 (7,929 tokens; ctx_b5eb01fc).
### Files
{}
### Lines of the session
#4 bash: ls"""


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("- `src/a.py` edited 3x, read [#4, #9]", "edited src/a.py 3x"),
        ("- `src/a.py` created, edited 2x [earlier #4] [#9]", "created src/a.py, edited 2x"),
        ("- `src/a.py` edited 2x, restored, read [#4]", "restored src/a.py"),
        ("- `src/a.py` restored, edited [#4]", "edited src/a.py"),
        ("| `src/a.py` | edited 2x | + x = 1 [#4] |", "edited src/a.py 2x"),
        ("- `src/a.py` edited 2x · as asked [it is] [#4]", "edited src/a.py 2x"),
        ("- `src/a.py` read 2x [#4]", ""),
        ("- `src/a.py` edited [#4] by hand [#5]", ""),
        ("- `src/` restored [#4]", ""),
        ("- `/tmp/a.py` edited [#4]", ""),
        ("- `git push` edited [#4]", ""),
        ("- `src/a.py` edited by hand [#4]", ""),
        ("- `src/a.py` edited", ""),
        ("- `pytest -q` (2x, last ok) [#4]", ""),
        ('- "`src/a.py` edited 2x" [#4]', ""),
    ],
)
def test_a_line_about_a_changed_file_is_read_back(line: str, told: str) -> None:
    assert [said for _, said in files_under_headings(_SUMMARY.format(line))] == ([told] if told else [])


def test_what_the_user_pasted_into_a_request_changed_no_file() -> None:
    pasted = block("Original Task", "first", 1, "Look:\n- `src/a.py` edited 3x [#4]")
    text = _SUMMARY.replace("### Files\n{}", f"{pasted}\n### Files\n- `b.py` edited [#5]")
    assert list(files_under_headings(text)) == [("b.py", "edited b.py")]


def test_the_state_tells_its_files_as_a_list_does() -> None:
    text = "State at the end:\n- created a.py, edited 2x, unchecked\n- edited b.py 3x\n- git commit -m edited c.py 2x"
    assert list(files_in_state(text)) == [("a.py", "created, edited 2x"), ("b.py", "edited 3x")]


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ("edited 3x", "deleted", "deleted a.py"),
        ("edited 3x", "edited 2x", "edited a.py 5x"),
        ("created, edited 2x", "edited", "created a.py, edited 3x"),
        ("deleted", "created", "created a.py"),
        ("edited 3x", "restored", "restored a.py"),
        ("restored", "edited", "edited a.py"),
    ],
)
def test_of_two_summaries_the_newer_one_is_believed(first: str, second: str, told: str) -> None:
    texts = [_SUMMARY.format(f"- `a.py` {done} [#4]") for done in (first, second)]
    messages = compact([user("Mend it."), *map(user, texts), assistant("Done.")], target_ratio=1.0).messages
    assert [message.origin for message in messages].count("summary") == len(texts)
    assert [line.text for line in session_state(messages)] == [told]


def test_what_a_state_counts_is_not_counted_again() -> None:
    listed = _SUMMARY.format("- `a.py` edited 3x [#4]")
    texts = [listed, f"{_SUMMARY.format('- `b.py` edited [#9]')}\n\nState at the end:\n- edited a.py 4x"]
    messages = compact([user("Mend it."), *map(user, texts), assistant("Done.")], target_ratio=1.0).messages
    assert sorted(line.text for line in session_state(messages)) == ["edited a.py 4x", "edited b.py"]


def test_what_a_state_counts_of_a_later_summary_is_not_counted_again() -> None:
    first = f"{_SUMMARY.format('- `b.py` edited [#9]')}\n\n{state_heading(1)}\n- edited a.py 4x"
    texts = [first, _SUMMARY.format("- `a.py` edited 3x [#4]")]
    messages = compact([user("Mend it."), *map(user, texts), assistant("Done.")], target_ratio=1.0).messages
    assert sorted(line.text for line in session_state(messages)) == ["edited a.py 4x", "edited b.py"]


def test_lines_without_an_end_are_read_at_once() -> None:
    text = _SUMMARY.format("- `a`" + " edited" * 9_000 + " [#4" * 9_000 + "\n- `a`" + " [#4" * 100_000 + "x")
    begun = time.process_time()
    assert list(files_under_headings(text)) == []
    assert time.process_time() - begun < 1


@pytest.mark.parametrize(
    ("heading", "later"),
    [
        *((state_heading(later), later) for later in (0, 1, 7)),
        ("State at the end, the 7 messages below included:", 7),
        ("State at the end, the message below included:", 1),
        ("State, 7 messages on:", 7),
        ("State:", 0),
    ],
)
def test_headings_of_the_state_are_read_also_those_of_earlier_versions(heading: str, later: int) -> None:
    assert is_state_heading(heading)
    assert messages_to_state(heading) == later
    assert not is_state_heading(f"{heading} it is")
