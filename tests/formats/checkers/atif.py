"""What the format's own validator refuses, written from the rules of the `atif` package (1.8.0)."""

from __future__ import annotations

_ROOT = {
    *("schema_version", "session_id", "trajectory_id", "agent", "steps", "notes", "final_metrics"),
    *("continued_trajectory_ref", "extra", "subagent_trajectories"),
}
_STEP = {
    *("step_id", "timestamp", "source", "model_name", "reasoning_effort", "message", "reasoning_content"),
    *("tool_calls", "observation", "metrics", "extra", "llm_call_count", "is_copied_context"),
}
_AGENT_ONLY = ("model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics")


def check_trajectory(value):
    """Fails where the validator would raise an error."""
    assert set(value) <= _ROOT
    assert isinstance(value["agent"], dict)
    check_steps(value["steps"])
    for sub in value.get("subagent_trajectories") or ():
        assert sub["trajectory_id"]
        check_trajectory(sub)


def check_steps(steps):
    assert [step["step_id"] for step in steps] == list(range(1, len(steps) + 1))
    for step in steps:
        _check_step(step)


def _check_step(step):
    assert set(step) <= _STEP
    assert step["source"] in ("system", "user", "agent")
    _check_content(step["message"])
    if step["source"] != "agent":
        assert all(step.get(key) is None for key in _AGENT_ONLY)
    if step["source"] == "agent" and step.get("llm_call_count") == 0:
        assert step.get("metrics") is None
        assert step.get("reasoning_content") is None
    calls = step.get("tool_calls")
    for call in calls or ():
        assert set(call) <= {"tool_call_id", "function_name", "arguments", "extra"}
        assert isinstance(call["arguments"], dict)
    for result in (step.get("observation") or {"results": []})["results"]:
        assert set(result) <= {"source_call_id", "content", "subagent_trajectory_ref", "extra"}
        if result.get("content") is not None:
            _check_content(result["content"])
        if calls is not None and result.get("source_call_id") is not None:
            assert result["source_call_id"] in {call["tool_call_id"] for call in calls}


def _check_content(content):
    if isinstance(content, str):
        return
    assert isinstance(content, list)
    for part in content:
        assert set(part) <= {"type", "text", "source"}
        assert part["type"] in ("text", "image", "audio")
        assert isinstance(part["text"], str) if part["type"] == "text" else part["source"]["path"]
