"""What Codex sends when it resumes a rollout, written from the rules of its recorder and of its reconstruction of the
history."""

from __future__ import annotations

_TURNS = ("<environment_context>", "<permissions", "# AGENTS.md", "Another language model", "<turn_aborted>")
"""Begin texts under the role user that are no turns of the user."""


def resumed(records):
    """The items of the history, and the id of the thread."""
    metas = [record["payload"] for record in records if record["type"] == "session_meta"]
    assert metas, "no session_meta"
    events = [record["payload"] for record in records if record["type"] == "event_msg"]
    assert any(event["type"] == "user_message" for event in events), "the list of threads does not show it"
    history = []
    for record in records:
        payload = record["payload"]
        if record["type"] == "compacted":
            assert "replacement_history" in payload
            history = list(payload["replacement_history"])
        elif record["type"] == "response_item" and payload["type"] != "ghost_snapshot":
            history.append(payload)
        elif record["type"] == "event_msg" and payload["type"] == "thread_rolled_back":
            history = _rolled_back(history, payload["num_turns"])
    return metas[0]["id"], history


def _rolled_back(history, count):
    turns = [at for at, item in enumerate(history) if _is_turn(item)]
    return history[: turns[max(0, len(turns) - count)]] if turns else history


def _is_turn(item):
    if item["type"] != "message" or item["role"] != "user":
        return False
    return not "".join(block.get("text", "") for block in item["content"]).startswith(_TURNS)


def check_history(items):
    """Every output has a call before it. Returns the calls that are not answered."""
    open_calls = set()
    for item in items:
        if item["type"].endswith("_call") and item.get("call_id"):
            open_calls.add(item["call_id"])
        elif item["type"].endswith("_output"):
            assert item["call_id"] in open_calls, f"{item['call_id']} has no open call"
            open_calls.remove(item["call_id"])
    return open_calls
