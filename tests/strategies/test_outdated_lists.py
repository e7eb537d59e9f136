"""Of the agent's own task list the newest is what holds: an older one is not quoted, nor one that the state tells."""

from __future__ import annotations

from typing import Any

import pytest

from compactor_cli.strategies.adaptive import building
from tests.pipeline.sessions import Json, assistant, compact, long_session, result

LISTS = (
    ("Replace the parser of parser_v2.py", "Run check_totals.sh", "Publish release-notes.md"),
    ("Keep the parser, mend lexer_v3.py", "Run check_tokens.sh", "Tag v4.2.0-rc1"),
)


def written(call_id: str, number: int) -> list[Json]:
    todos = [{"content": text, "status": "pending"} for text in LISTS[number]]
    arguments: dict[str, Any] = {"todos": todos}
    return [assistant(None, (call_id, "TodoWrite", arguments)), result(call_id, "Todos have been modified")]


def quoted(lists: int) -> str:
    """What the summary quotes of a session whose task list was written some times among the older messages."""
    records = long_session(8)[:-2]
    for at in range(lists):
        records += written(f"todo{at}", at)
    records += long_session(30)[2:]
    part = compact(records, target_tokens=1_400, strategy="adaptive")
    return "\n".join(m.text() for m in part.messages if m.origin == "summary")


def test_a_list_of_tasks_that_the_state_tells_is_not_quoted_beside_it() -> None:
    for count in (1, 2):
        told = quoted(count)
        assert [text for text in LISTS[count - 1] if f"- [ ] {text}" not in told] == []
        assert "TodoWrite: " not in told


def test_where_the_state_has_no_room_for_all_tasks_the_newest_list_is_quoted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(building, "_STATE_SHARES", (0.01, 0.01))
    assert "#18 TodoWrite: " in quoted(1)
    both = quoted(2)
    assert "#18 TodoWrite: " not in both
    assert "#20 TodoWrite: " in both
