"""The JSON that scripts may rely on: keys may be added, never renamed; token figures are integers."""

from __future__ import annotations

import hashlib
import json

import pytest

from tests.builders import call, calling_message, jsonl, plain_exchanges, result, user

CHARS = ("--tokenizer", "chars")
NUMBER = (int, float)

TRANSCRIPT = {"path": str, "format": str, "messages": int, "tokens": int, "counter": str}
SHA = {**TRANSCRIPT, "sha256": str}

SCORE = {
    "transcript": TRANSCRIPT,
    "messages": [
        {
            "index": int,
            "id": str,
            "role": str,
            "tokens": int,
            "score": NUMBER,
            "raw_score": NUMBER,
            "factors": [{"name": str, "points": NUMBER}],
            "residual": bool,
            "demoted": bool,
            "tier": (int, type(None)),
        }
    ],
    "residuals": {"count": int, "limit": int, "demoted": int},
}
BUDGET = {
    "total": int,
    "safety_margin": int,
    "allocated": dict.fromkeys(
        [
            "system_prompt",
            "agent_identity",
            "residuals",
            "tier0",
            "tier1",
            "tier2",
            "tier3",
            "task_prompt",
            "actions",
            "system_llm",
            "current_message",
        ],
        int,
    ),
    "remaining": int,
    "utilization_percent": NUMBER,
}
COMPACT = {
    "input": SHA,
    "output": SHA,
    "strategy": str,
    "summarizer": str,
    "target_tokens": (int, type(None)),
    "fits": bool,
    "ratio": NUMBER,
    "round": int,
    "residuals": {"count": int, "tokens": int},
    "tiers": [{"tier": int, "messages": int, "tokens_before": int, "tokens_after": int}],
    "spent": [{"name": str, "tokens": int}],
    "dispositions": {"kept": int, "shortened": int, "summarized": int, "dropped": int},
    "repairs": [{"kind": str, "index": int}],
    "reference": (str, type(None)),
    "first_changed_index": (int, type(None)),
    "prefix_tokens_kept": int,
    "cache": {"hits": int, "misses": int},
    "stages": [{"stage": str, "seconds": NUMBER}],
    "warnings": [str],
}
INSPECT = {
    "transcript": TRANSCRIPT,
    "context": {
        "limit": int,
        "threshold": int,
        "percent_used": NUMBER,
        "warning": bool,
        "needs_compaction": bool,
    },
    "roles": dict,
    "tools": dict,
    "tiers": list,
    "residuals": dict,
    "rounds": list,
    "heaviest": list,
    "faults": [{"kind": str, "index": int, "detail": str}],
}
SURVIVAL = {"kept": int, "total": int, "percent": NUMBER}
DIFF = {
    "before": TRANSCRIPT,
    "after": TRANSCRIPT,
    "tokens": {"before": int, "after": int, "saved": int, "saved_percent": NUMBER},
    "messages": dict.fromkeys(["kept", "shortened", "summarized", "dropped", "added"], int),
    "survival": dict.fromkeys(
        [
            "user_requests",
            "rules",
            "instructions",
            "corrections",
            "constraints",
            "decisions",
            "effects",
            "open_items",
            "errors",
            "files",
            "identifiers",
        ],
        SURVIVAL,
    ),
    "faults": list,
    "lost": list,
}


def assert_shape(value, shape, path="$"):
    """Every key of the shape is there with its type; more keys are allowed."""
    if isinstance(shape, dict):
        assert isinstance(value, dict), f"{path} is {value!r}"
        for key, inner in shape.items():
            assert key in value, f"{path}.{key} is missing"
            assert_shape(value[key], inner, f"{path}.{key}")
    elif isinstance(shape, list):
        assert isinstance(value, list), f"{path} is {value!r}"
        for at, item in enumerate(value):
            assert_shape(item, shape[0], f"{path}[{at}]")
    else:
        assert isinstance(value, shape), f"{path} is {value!r}"
        assert not isinstance(value, bool) or shape is bool or bool in (shape if isinstance(shape, tuple) else ())


def only_json(done):
    """Standard output is one line of JSON and nothing else."""
    assert done.text.count("\n") == 1
    return done.json


def test_score(run, session):
    value = only_json(run("score", session.name, "--json", *CHARS))
    assert_shape(value, SCORE)
    assert value["transcript"] == {
        "path": "session.jsonl",
        "format": "openai-chat",
        "messages": 35,
        "tokens": 3600,
        "counter": "chars",
    }
    assert [m["index"] for m in value["messages"]] == list(range(35))
    assert sum(m["tokens"] for m in value["messages"]) == 3600
    system, *rest = value["messages"]
    assert system["tier"] is None
    for message in rest:
        assert (message["tier"] is None) == message["residual"]
        assert message["raw_score"] == sum(factor["points"] for factor in message["factors"])
        assert message["score"] == max(0, min(100, message["raw_score"]))
    residuals = value["residuals"]
    assert residuals["count"] == sum(m["residual"] for m in value["messages"]) <= residuals["limit"] == 7
    assert residuals["demoted"] == sum(m["demoted"] for m in value["messages"])


def test_score_of_the_highest_only(run, session):
    everything = run("score", session.name, "--json", *CHARS).json["messages"]
    top = run("score", session.name, "--json", "--top", 5, *CHARS).json["messages"]
    assert len(top) == 5
    assert min(m["raw_score"] for m in top) >= sorted(m["raw_score"] for m in everything)[-5]
    assert [m["index"] for m in top] == sorted(m["index"] for m in top)


def test_budget(run, session):
    value = only_json(run("budget", session.name, "--total", 8000, "--json", *CHARS))
    assert_shape(value, BUDGET)
    assert value["total"] == 8000
    assert value["remaining"] == 8000 - sum(value["allocated"].values())


def test_budget_of_seed_000(run, session, tmp_path):
    sizes = "system_prompt: 500\nagent_identity: 200\ntask_prompt: 150\nactions: 100\nsystem_llm: 50\n"
    (tmp_path / "prompt.yaml").write_text(sizes + "current_message: 50\nresiduals: 400\n")
    value = run("budget", session.name, "--total", 4000, "--prompt", "prompt.yaml", "--json", *CHARS).json
    assert_shape(value, BUDGET)
    allocated = value["allocated"]
    assert (allocated["system_prompt"], allocated["residuals"], allocated["current_message"]) == (500, 400, 50)


def test_compact_on_standard_output_and_as_a_report(run, session, tmp_path):
    options = ["--target-tokens", 900, "-o", "out.jsonl", "--report", "report.json", "--json", *CHARS]
    value = only_json(run("compact", session.name, *options))
    assert_shape(value, COMPACT)
    assert value == json.loads((tmp_path / "report.json").read_text())
    out = (tmp_path / "out.jsonl").read_bytes()
    assert value["input"]["sha256"] == hashlib.sha256(session.read_bytes()).hexdigest()
    assert value["output"]["sha256"] == hashlib.sha256(out).hexdigest()
    assert value["output"]["messages"] == len(out.splitlines())
    assert value["output"]["tokens"] <= value["target_tokens"] == 900
    assert value["fits"] is True
    assert value["ratio"] == pytest.approx(value["output"]["tokens"] / 3600, abs=1e-3)
    assert (value["strategy"], value["summarizer"], value["round"]) == ("adaptive", "extractive", 1)
    assert sum(value["dispositions"].values()) == 35
    assert sum(line["tokens"] for line in value["spent"]) == value["output"]["tokens"]
    assert {"system", "requests", "newest", "tool outputs"} <= {line["name"] for line in value["spent"]}
    assert [tier["tier"] for tier in value["tiers"]] == [0, 1, 2, 3]
    assert value["reference"].startswith("ctx_")
    assert len(value["reference"]) == 12
    assert 0 < value["first_changed_index"] < 35
    scores = run("score", session.name, "--json", *CHARS).json["messages"]
    assert value["prefix_tokens_kept"] == sum(m["tokens"] for m in scores[: value["first_changed_index"]])


def test_compact_without_anything_to_do(run, session):
    value = run("compact", session.name, "--target-tokens", 5000, "-o", "out.jsonl", "--json", *CHARS).json
    assert_shape({**value, "strategy": "", "summarizer": ""}, COMPACT)
    assert value["input"]["sha256"] == value["output"]["sha256"]
    assert (value["ratio"], value["fits"], value["first_changed_index"], value["reference"]) == (1.0, True, None, None)
    assert value["dispositions"] == {"kept": 35, "shortened": 0, "summarized": 0, "dropped": 0}


def test_seconds_are_the_only_part_that_differs_between_two_runs(run, session):
    def report():
        value = run("compact", session.name, "--target-ratio", 0.4, "-o", "out.jsonl", "--json", *CHARS).json
        assert value.pop("stages")
        return value

    assert report() == report()


def test_compact_tells_of_repairs(run, tmp_path):
    data = jsonl(user("go"), calling_message(call("a")), user("?"), result("nobody", "x"), *plain_exchanges(10))
    (tmp_path / "in.jsonl").write_bytes(data)
    value = run("compact", "in.jsonl", "--target-ratio", 0.6, "-o", "out.jsonl", "--json", *CHARS).json
    assert_shape(value, COMPACT)
    assert [(note["kind"], note["index"]) for note in value["repairs"]] == [
        ("synthetic_result", 1),
        ("removed_result", 3),
    ]
    (warning,) = [each for each in value["warnings"] if "without a call" in each]
    assert warning.startswith("1 tool result without a call removed (")
    assert "convert keeps them as text" in warning
    assert run("inspect", "out.jsonl", "--faults", *CHARS).code == 0


def test_several_files_are_one_object_a_line(run, tmp_path, session):
    (tmp_path / "two.jsonl").write_bytes(jsonl(*plain_exchanges(10)))
    names = [session.name, "two.jsonl"]
    done = run("compact", *names, "--out-dir", "out", "--target-ratio", 0.5, "--json", "--report", "r.jsonl", *CHARS)
    values = [json.loads(line) for line in done.text.splitlines()]
    assert [value["input"]["path"] for value in values] == names
    for value in values:
        assert_shape(value, COMPACT)
    assert (tmp_path / "r.jsonl").read_text() == done.text


def test_inspect(run, session):
    value = only_json(run("inspect", session.name, "--json", *CHARS))
    assert_shape(value, INSPECT)
    context = value["context"]
    assert (context["limit"], context["threshold"], context["needs_compaction"]) == (128_000, 93_600, False)
    assert set(value["roles"]) == {"system", "user", "assistant", "tool"}
    assert sum(role["tokens"] for role in value["roles"].values()) == 3600
    assert set(value["tools"]) == {"list_files", "read_file", "search", "run_command", "edit_file"}
    assert value["heaviest"][0]["tokens"] == max(m["tokens"] for m in value["heaviest"])
    assert value["faults"] == []


def test_inspect_of_one_message(run, session):
    value = only_json(run("inspect", session.name, "--message", 3, "--json", *CHARS))
    assert (value["index"], value["role"], value["lines"]) == (3, "tool", [4])
    assert value["parts"][0]["text"].startswith("kawa/__init__.py")
    assert run("inspect", session.name, "--message", 35, *CHARS).code == 2


def test_inspect_names_earlier_rounds(run, session):
    run("compact", session.name, "--target-tokens", 900, "-o", "out.jsonl", *CHARS)
    rounds = run("inspect", "out.jsonl", "--json", *CHARS).json["rounds"]
    assert rounds
    assert {entry["round"] for entry in rounds} == {1}


def test_diff(run, session, tmp_path):
    report = run("compact", session.name, "--target-tokens", 1500, "-o", "out.jsonl", "--json", *CHARS).json
    value = only_json(run("diff", session.name, "out.jsonl", "--json", *CHARS))
    assert_shape(value, DIFF)
    assert value["tokens"]["before"] - value["tokens"]["after"] == value["tokens"]["saved"]
    assert value["after"]["tokens"] == report["output"]["tokens"]
    assert {name: value["messages"][name] for name in report["dispositions"]} == report["dispositions"]
    kept = report["dispositions"]["kept"] + report["dispositions"]["shortened"]
    assert value["messages"]["added"] == report["output"]["messages"] - kept
    for survival in value["survival"].values():
        assert 0 <= survival["kept"] <= survival["total"]
        assert 0 <= survival["percent"] <= 100


def test_diff_of_a_file_with_itself(run, session):
    value = run("diff", session.name, session.name, "--json", *CHARS).json
    assert value["tokens"]["saved"] == 0
    assert value["messages"] == {"kept": 35, "shortened": 0, "summarized": 0, "dropped": 0, "added": 0}
    assert {survival["percent"] for survival in value["survival"].values()} == {100}
    assert value["lost"] == []


def test_the_counter_is_named_as_it_counted(run, session):
    assert run("score", session.name, "--json").json["transcript"]["counter"] == "o200k_base"
    value = run("inspect", session.name, "--model", "claude-x", "--json")
    assert value.json["transcript"]["counter"] == "o200k_base (approximate for claude-x)"
    assert "claude-x" in value.stderr, "its context limit is not known"
