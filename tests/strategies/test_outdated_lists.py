"""Of the agent's own task list the newest is what holds: an older one is not quoted beside it."""

from __future__ import annotations

from typing import Any

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


def test_a_list_that_was_written_anew_is_not_quoted_and_the_newest_may_be() -> None:
    assert "#18 TodoWrite: " in quoted(1)
    both = quoted(2)
    assert "#18 TodoWrite: " not in both
    assert "#20 TodoWrite: " in both
