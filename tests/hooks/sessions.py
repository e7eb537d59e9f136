"""A session of Claude Code before and after its own compaction, and its hooks' payloads as documented."""

from __future__ import annotations

import json

from tests.builders import ClaudeSession, prose, text_block, tool_use

RULE = "Never touch the file importer.py."
REQUEST = "Please make the nightly report skip cancelled orders."
TASK = "write the migration for cancelled orders"
LATER_RULE = "Always run the linter before you commit."


def working_session() -> ClaudeSession:
    """Return a session that is about to be compacted: a rule, work done, a failing check and an open task."""
    session = ClaudeSession()
    session.add_answer(f"{REQUEST} {RULE}")
    todos = [
        {"content": "read the report", "status": "completed", "activeForm": "Reading"},
        {"content": TASK, "status": "in_progress", "activeForm": "Writing"},
    ]
    session.add_call(tool_use("t1", "TodoWrite", todos=todos))
    session.add_result("t1", "Todos have been modified successfully.")
    session.add_call(tool_use("t2", "Edit", file_path="/srv/app/report.py", old_string="a", new_string="b"))
    session.add_result("t2", "The file /srv/app/report.py has been updated.")
    session.add_call(tool_use("t3", "Bash", command="pytest tests/test_report.py"))
    session.add_result("t3", "E   AssertionError: 3 != 4\n1 failed in 0.2s", is_error=True)
    session.exchanges(6)
    return session


def compaction_records(session: ClaudeSession, summary: str) -> ClaudeSession:
    """Return what Claude Code adds when it compacts: a boundary and its summary."""
    session.add(
        "system",
        parentUuid=None,
        subtype="compact_boundary",
        content="Conversation compacted",
        compactMetadata={"trigger": "auto", "preTokens": 155_000},
    )
    session.add_answer(
        f"This session is being continued from a previous conversation that ran out of context. {summary}",
        isCompactSummary=True,
    )
    return session


def hook_payload(event: str, transcript: object, **extra: object) -> bytes:
    """Return a payload as Claude Code passes it to a hook."""
    value = {
        "session_id": "session-1",
        "transcript_path": str(transcript),
        "cwd": "/home/sam/work",
        "hook_event_name": event,
        **extra,
    }
    return json.dumps(value).encode()


def pre_compact_payload(transcript: object) -> bytes:
    return hook_payload("PreCompact", transcript, trigger="auto", custom_instructions="")


def session_start_payload(transcript: object, source: str = "compact") -> bytes:
    return hook_payload("SessionStart", transcript, source=source, model="claude-sonnet-4-5")


def restored_text(stdout: bytes) -> str:
    """Return the additional context in a hook's output."""
    output = json.loads(stdout)["hookSpecificOutput"]
    assert output.keys() == {"hookEventName", "additionalContext"}
    assert output["hookEventName"] == "SessionStart"
    return str(output["additionalContext"])


def later_records(session: ClaudeSession) -> None:
    """Return the work that follows."""
    session.add_answer(f"{LATER_RULE} {prose('the next part', 2)}")
    session.add_call(text_block("I will."))
