"""`compactor assemble` as a process: files, reports, words, exit codes; and `budget` with the same prompt."""

from __future__ import annotations

import hashlib
import json
import shutil

import pytest

from tests.builders import ROOT, jsonl, load, run_process, values_of
from tests.cli.test_json_contracts import BUDGET, SHA, assert_shape

pytestmark = pytest.mark.one_test_in(2)

CHARS = ("--tokenizer", "chars")
PROMPT = """\
system_prompt: {file: system.md}
agent_identity: I am the architect.
actions: 40
system_llm: {text: The user is in a hurry.}
task_prompt: Fix the rounding bug.
current_message: Go on.
context: {error_occurred: false, agents: 3}
segment_tokens: 30
segments:
  - {id: core, text: Work step by step., priority: 5}
  - {id: errors, text: Find the cause first., when: {error_occurred: true}}
  - {id: team, text: "%s", condensed: Say who goes on., when: {agents: {at_least: 2}}}
""" % ("Say which agent should go on. " * 6)
PART = {"name": str, "given": str, "tokens": int, "reserved": int, "written": bool}
ASSEMBLE = {
    "input": SHA,
    "output": SHA,
    "total": int,
    "safety_margin": int,
    "reserved": int,
    "tokens": int,
    "remaining": int,
    "fits": bool,
    "parts": [PART],
    "segments": [{"id": str, "in": bool, "variant": str, "tokens": int, "reason": str}],
    "segment_tokens": {"limit": (int, type(None)), "used": int},
    "history": {
        "input": {"messages": int, "tokens": int},
        "output": {"messages": int, "tokens": int},
        "target_tokens": int,
        "fits": bool,
        "strategy": str,
        "summarizer": str,
        "ratio": (int, float),
        "round": int,
        "residuals": {"count": int, "tokens": int},
        "tiers": [{"tier": int, "messages": int, "tokens_before": int, "tokens_after": int}],
        "dispositions": {"kept": int, "shortened": int, "summarized": int, "dropped": int},
        "repairs": [{"kind": str, "index": int}],
        "survival": dict,
    },
    "warnings": [str],
    "notes": list,
}


@pytest.fixture
def prompt(tmp_path, session):
    (tmp_path / "system.md").write_text("You are careful.\n")
    path = tmp_path / "prompt.yaml"
    path.write_text(PROMPT)
    return path


def test_the_messages_of_a_prompt_are_written_in_their_order(run, prompt, tmp_path):
    done = run("assemble", "session.jsonl", "--prompt", "prompt.yaml", "--total", 2000, "-o", "out.jsonl", *CHARS)
    assert (done.code, done.stdout) == (0, b"")
    values = values_of((tmp_path / "out.jsonl").read_bytes())
    assert [(v["role"], v["content"]) for v in values[:3]] == [
        ("system", "You are careful.\n\nWork step by step.\n\nSay who goes on."),
        ("system", "I am the architect."),
        ("system", "The user is in a hurry."),
    ]
    assert [(v["role"], v["content"]) for v in values[-2:]] == [("user", "Fix the rounding bug."), ("user", "Go on.")]
    assert load((tmp_path / "out.jsonl").read_bytes()).tokens <= 2000 - 40 - 100
    assert run("inspect", "out.jsonl", "--faults", *CHARS).code == 0


def test_the_prompt_goes_to_standard_output_and_words_to_standard_error(run, prompt, session):
    command = ["assemble", "-", "--prompt", "prompt.yaml", "--total", 2000, *CHARS]
    done = run(*command, input=session.read_bytes())
    assert done.code == 0
    assert values_of(done.stdout)[-1] == {"role": "user", "content": "Go on."}
    for words in ("Prompt of 2,000 tokens", "history", "condition error_occurred is false", "written to standard"):
        assert words in done.stderr
    quiet = run(*command, "--quiet", input=session.read_bytes())
    assert (quiet.stdout, quiet.stderr) == (done.stdout, "")


def test_a_dry_run_prints_the_tables_and_writes_nothing(run, prompt, tmp_path):
    done = run(
        *("assemble", "session.jsonl", "--prompt", "prompt.yaml", "--total", 2000, "-o", "out.jsonl", "--dry-run"),
        *CHARS,
    )
    assert done.code == 0
    assert "Prompt of 2,000 tokens" in done.text
    assert not (tmp_path / "out.jsonl").exists()


def test_the_report_has_its_keys_and_its_figures_agree(run, prompt, tmp_path):
    command = ["assemble", "session.jsonl", "--prompt", "prompt.yaml", "--total", 2000, *CHARS]
    value = run(*command, "-o", "out.jsonl", "--json", "--report", "report.json").json
    assert value == json.loads((tmp_path / "report.json").read_text())
    assert_shape(value, ASSEMBLE)
    out = (tmp_path / "out.jsonl").read_bytes()
    assert value["output"]["sha256"] == hashlib.sha256(out).hexdigest()
    assert (value["output"]["messages"], value["output"]["tokens"]) == (len(values_of(out)), load(out).tokens)
    assert value["tokens"] == value["output"]["tokens"] + 40 == value["total"] - value["remaining"]
    assert (value["reserved"], value["fits"], value["warnings"]) == (40, True, [])
    assert value["tokens"] == sum(p["tokens"] for p in value["parts"]) + value["history"]["output"]["tokens"]
    taken = sum(part["tokens"] for part in value["parts"])
    assert value["history"]["target_tokens"] == 2000 - 100 - taken
    assert [part["name"] for part in value["parts"]] == [
        *("system_prompt", "agent_identity", "actions", "system_llm", "task_prompt", "current_message")
    ]
    assert [(s["id"], s["variant"]) for s in value["segments"]] == [
        *(("core", "full"), ("errors", "out"), ("team", "condensed"))
    ]
    dry = run(*command, "--json", "--dry-run").json
    assert dry["plan"]
    assert dry["output"]["sha256"] == value["output"]["sha256"]


def test_budget_and_assemble_agree_about_the_same_prompt(run, prompt):
    command = ["session.jsonl", "--prompt", "prompt.yaml", "--total", 2000, "--json", *CHARS]
    budget, value = run("budget", *command).json, run("assemble", *command, "--dry-run").json
    assert_shape(budget, BUDGET)
    assert {part["name"]: part["tokens"] for part in value["parts"]} == {
        name: tokens for name, tokens in budget["allocated"].items() if name[:4] != "tier" and name != "residuals"
    }
    assert (budget["segments"], budget["segment_tokens"]) == (value["segments"], value["segment_tokens"])
    assert budget["safety_margin"] == value["safety_margin"]
    (prompt.parent / "prompt.yaml").write_text("task_prompt: Fix it.\n")
    budget, value = run("budget", *command).json, run("assemble", *command, "--dry-run").json
    tokens = {part["name"]: (part["given"], part["tokens"]) for part in value["parts"]}
    assert tokens["system_prompt"] == ("transcript", budget["allocated"]["system_prompt"])
    assert tokens["current_message"] == ("default", 50) == ("default", budget["allocated"]["current_message"])
    assert "segments" not in budget


def test_the_context_of_one_run_comes_before_that_of_the_file(run, prompt):
    command = ["budget", "session.jsonl", "--prompt", "prompt.yaml", "--total", 2000, "--json", *CHARS]
    segments = run(*command, "--context", "error_occurred=true", "--context", "agents=1").json["segments"]
    assert [(s["id"], s["in"]) for s in segments] == [("core", True), ("errors", True), ("team", False)]
    assert segments[2]["reason"] == "condition agents is 1, not at least 2"


def test_the_safety_margin_is_a_setting(run, prompt):
    command = ["session.jsonl", "--prompt", "prompt.yaml", "--total", 2000, "--json", *CHARS]
    for name in ("budget", "assemble"):
        extra = ["--dry-run"] if name == "assemble" else []
        value = run(name, *command, *extra, COMPACTOR_BUDGET_SAFETY_MARGIN="250").json
        assert value["safety_margin"] == 250, name
    assert value["history"]["target_tokens"] == 1750 - sum(part["tokens"] for part in value["parts"])


def test_options_of_compact_reach_the_history(run, prompt, tmp_path):
    command = ["assemble", "session.jsonl", "--prompt", "prompt.yaml", "--total", 1800, *CHARS]
    tiered = run(*command, "--strategy", "tiered", "--dry-run", "--json").json
    assert tiered["history"]["strategy"] == "tiered"
    kept = run(*command, "--keep-last", 3, "--quiet").stdout
    original = (tmp_path / "session.jsonl").read_bytes().splitlines()
    assert kept.splitlines()[-5:-2] == original[-3:]


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--total", 150], 4, "system prompt"),
        (["--total", 2000, "--json"], 2, "-o"),
        (["--total", 2000, "--context", "broken"], 2, "NAME=VALUE"),
        (["--total", 2000, "--keep", "("], 2, "regular expression"),
        (["--total", 0], 2, "--total"),
    ],
)
def test_what_cannot_be_done_writes_nothing_and_says_why(run, prompt, tmp_path, options, code, words):
    out = [] if "--json" in options else ["-o", "out.jsonl"]
    done = run("assemble", "session.jsonl", "--prompt", "prompt.yaml", *options, *out, *CHARS)
    assert (done.code, done.stdout) == (code, b"")
    assert words in done.stderr
    assert not (tmp_path / "out.jsonl").exists()
    assert "Traceback" not in done.stderr


@pytest.mark.drawn(4)
@pytest.mark.parametrize("command", ["assemble", "budget"])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("task_prompt: 1\nfoo: 2\n", "prompt.yaml:2: foo: unknown key; known: system_prompt, "),
        ("system_prompt: {file: no.md}\n", "prompt.yaml:1: system_prompt: file 'no.md' cannot be read: No such file"),
        ("system_prompt: {file: latin.md}\n", "prompt.yaml:1: system_prompt: file 'latin.md' is not UTF-8"),
        ("segments:\n- {id: a}\n", "prompt.yaml:2: segments[0]: "),
        (None, "prompt.yaml: cannot be read: No such file"),
    ],
)
def test_a_prompt_that_cannot_be_read_names_file_line_and_place(run, prompt, tmp_path, command, text, words):
    (tmp_path / "latin.md").write_bytes(b"caf\xe9")
    prompt.unlink()
    if text is not None:
        prompt.write_text(text)
    done = run(command, "session.jsonl", "--prompt", "prompt.yaml", "--total", 2000, *CHARS)
    assert (done.code, done.stdout) == (3, b"")
    assert done.stderr.startswith(f"error: {words}")


def test_a_file_of_several_conversations_is_refused(run, prompt, tmp_path):
    shutil.copy(ROOT / "sample_transcripts/conversations.jsonl", tmp_path)
    done = run("assemble", "conversations.jsonl", "--prompt", "prompt.yaml", "--total", 2000, *CHARS)
    assert (done.code, done.stdout) == (2, b"")
    assert "4 conversations" in done.stderr


def test_one_conversation_of_such_a_file_stays_a_conversation(run, prompt, tmp_path):
    line = (ROOT / "sample_transcripts/conversations.jsonl").read_bytes().splitlines(keepends=True)[1]
    (tmp_path / "one.jsonl").write_bytes(line)
    done = run("assemble", "one.jsonl", "--prompt", "prompt.yaml", "--total", 900, *CHARS)
    assert done.code == 0, done.stderr
    [value] = values_of(done.stdout)
    assert value["messages"][-1] == {"role": "user", "content": "Go on."}
    assert done.stdout.endswith(b"}\n")


def test_repairs_are_told(run, prompt, tmp_path):
    records = values_of((tmp_path / "session.jsonl").read_bytes())
    at = next(index for index, record in enumerate(records) if record.get("tool_calls"))
    (tmp_path / "open.jsonl").write_bytes(jsonl(*records[: at + 2]))
    done = run("assemble", "open.jsonl", "--prompt", "prompt.yaml", "--total", 9000, "-o", "out.jsonl", *CHARS)
    assert "assistant_turn" in done.stderr
    values = values_of((tmp_path / "out.jsonl").read_bytes())
    assert values[-3] == {"role": "assistant", "content": "Understood."}


def test_the_sample_prompt_fits_the_sample_session(tmp_path):
    folder = ROOT / "sample_transcripts"
    command = ["assemble", folder / "openai-chat.jsonl", "--prompt", folder / "prompt.yaml", "--total", 4000]
    done = run_process(*command, "-o", "out.jsonl", "--json", cwd=tmp_path)
    assert done.code == 0, done.stderr
    assert {segment["variant"] for segment in done.json["segments"]} == {"full", "condensed", "out"}
