"""The code blocks of docs/python.md, run as they stand, with the types of the SDKs and without their networks."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from types import SimpleNamespace

import pytest

import compactor_cli as compactor
from tests.builders import ROOT, call, calling_message, clean_environment, jsonl, plain_exchanges, result, system, user
from tests.program import write_program

pytestmark = pytest.mark.one_test_in(2)

PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
SECTIONS = {title: text for title, _, text in (part.partition("\n") for part in re.split(r"^## ", PAGE, flags=re.M))}
RULE = "Never touch importer.py."


def blocks(section, language="python"):
    return re.findall(rf"```{language}\n(.*?)```", SECTIONS[section], re.DOTALL)


def conversation(count=40):
    return [system(), user(f"Mend the report. {RULE}"), *plain_exchanges(count)]


def run_section(section, **names):
    """What the blocks of a section leave behind; `compactor` is known from the first one."""
    space = {"compactor": compactor, **names}
    for block in blocks(section):
        exec(compile(block, f"docs/python.md: {section}", "exec"), space)
    return space


def tokens(messages):
    return compactor.context_state(messages).tokens


FIRST = next(iter(SECTIONS))


def test_the_first_blocks_compact_a_list_of_dicts_and_say_when():
    given = conversation()
    before = json.dumps(given)
    space = run_section(FIRST, messages=given)
    small = space["messages"]
    assert tokens(small) <= 2_000 < tokens(given)
    assert json.dumps(given) == before, "the list that was given is not changed"
    assert any(RULE in message["content"] for message in small)
    same = [message for message in small if any(message is one for one in given)]
    assert len(same) > 1 and small[0] is given[0]


class _Answers:
    """A provider that answers without a network, with the types of its SDK."""

    def __init__(self, answer):
        self.sent, self._answer = [], answer

    def create(self, *, messages, **options):
        self.sent.append(messages)
        return self._answer


def _long(monkeypatch):
    """The context limits of the models are small, so that a short list is over the threshold."""
    state = compactor.context_state
    settings = compactor.Settings(context=compactor.ContextSettings(threshold=5_000))
    monkeypatch.setattr("compactor_cli.api.context_state", lambda messages, **options: state(messages, settings))
    whole = compactor.compact
    monkeypatch.setattr(
        "compactor_cli.api.compact", lambda messages, **options: whole(messages, **{**options, "target_tokens": 2_000})
    )


def test_messages_of_openai_go_in_and_come_out(monkeypatch):
    openai = pytest.importorskip("openai")
    from openai.types.chat import ChatCompletion, ChatCompletionMessage
    from openai.types.chat.chat_completion import Choice

    _long(monkeypatch)
    said = ChatCompletionMessage(role="assistant", content="Done.", refusal=None)
    choice = Choice(index=0, finish_reason="stop", message=said)
    answer = ChatCompletion(id="x", object="chat.completion", created=1, model="gpt-4o", choices=[choice])
    provider = _Answers(answer)
    client = SimpleNamespace(chat=SimpleNamespace(completions=provider))
    monkeypatch.setattr(openai, "OpenAI", lambda: client)
    asks = ChatCompletionMessage.model_validate(calling_message(call("c1")))
    given = [*conversation(), asks, result("c1", "a.py"), ChatCompletionMessage(role="assistant", content="One file.")]
    after = run_section("OpenAI")["turn"](given)
    (sent,) = provider.sent
    assert tokens(sent) <= 2_000 < tokens(given)
    assert after[-1] is answer.choices[0].message
    assert [m for m in sent if m is given[-1]], "what stays is the same object"
    assert tokens(after) > 0, "the objects can be read again"


def test_messages_of_anthropic_go_in_and_come_out(monkeypatch):
    anthropic = pytest.importorskip("anthropic")
    from anthropic.types import TextBlock, ToolUseBlock

    _long(monkeypatch)
    block = TextBlock(type="text", text="Done.", citations=None)
    provider = _Answers(SimpleNamespace(content=[block]))
    monkeypatch.setattr(anthropic, "Anthropic", lambda: SimpleNamespace(messages=provider))
    use = ToolUseBlock(type="tool_use", id="t1", name="Bash", input={"command": "ls"})
    returned = {"type": "tool_result", "tool_use_id": "t1", "content": "a.py"}
    given = [*conversation()[1:], {"role": "assistant", "content": [use]}, {"role": "user", "content": [returned]}]
    after = run_section("Anthropic")["turn"](given)
    (sent,) = provider.sent
    assert tokens(sent) <= 2_000
    assert sent[-2] is given[-2] and sent[-1] is given[-1]
    assert after[-1]["content"] == [block]


def test_messages_of_langchain_go_in_and_come_out():
    pytest.importorskip("langchain_core")
    space = run_section("LangChain and LangGraph")
    human, ai = space["HumanMessage"], space["AIMessage"]
    kinds = {"user": human, "assistant": ai}
    given = [kinds[m["role"]](content=m["content"]) for m in conversation()[1:]]
    small = space["pre_model_hook"]({"messages": given})["llm_input_messages"]
    assert {type(message) for message in small} <= {human, ai}
    assert any(RULE in message.content for message in small)
    assert tokens(small) <= 2_000 < tokens(given)
    anew = compactor.compact(given, compactor.Settings(strategy="handoff"), target_tokens=1_000)
    assert all(type(message).__module__.startswith("langchain_core.messages") for message in anew)
    assert any(all(message is not one for one in given) for message in anew), "there is a summary"


SEED_1 = "Before each step of an agent loop (seed 001's prepareStep)"
SEED_4 = "A middleware with a threshold (seed 004)"


def test_prepare_step_compacts_only_what_is_over_the_threshold():
    prepare = run_section(SEED_1)["prepare_step"]
    short = conversation(2)
    assert prepare(short) is short
    long = conversation(400)
    state = compactor.context_state(long, model="gpt-4")
    after = prepare(long, model="gpt-4")
    assert tokens(after) <= state.limit // 2
    assert prepare(after, model="gpt-4o") is after


def test_prepare_step_goes_on_with_what_it_has_when_it_cannot_compact(capsys, monkeypatch):
    prepare = run_section(SEED_1)["prepare_step"]
    broken = [*conversation(400), {"role": "assistant", "content": "x", "seen": float("nan")}]
    monkeypatch.setattr(
        "compactor_cli.api.context_state", lambda *a, **k: SimpleNamespace(needs_compaction=True, limit=2_000)
    )
    assert prepare(broken) is broken
    assert "not compacted: message 802: cannot be written as JSON" in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("node") is None or os.name == "nt", reason="needs node and a shell")
def test_prepare_step_of_the_ai_sdk_runs_the_command(tmp_path):
    (block,) = blocks(SEED_1, "js")
    (tmp_path / "step.mjs").write_text(block)
    write_program(tmp_path)
    (tmp_path / "run.mjs").write_text(
        'import { readFileSync } from "node:fs";\nimport { compact, prepareStep } from "./step.mjs";\n'
        'const messages = JSON.parse(readFileSync("messages.json"));\n'
        "console.log(JSON.stringify([compact(messages, 2000), (await prepareStep({ messages })).messages]));\n"
    )
    called = {"type": "tool-call", "toolCallId": "c1", "toolName": "ls", "input": {"path": "."}}
    output = {"type": "text", "value": "a.py"}
    answered = {"type": "tool-result", "toolCallId": "c1", "toolName": "ls", "output": output}
    messages = [*conversation(), {"role": "assistant", "content": [called]}, {"role": "tool", "content": [answered]}]
    (tmp_path / "messages.json").write_text(json.dumps(messages))
    env = clean_environment(PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    done = subprocess.run(["node", "run.mjs"], cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
    small, same = json.loads(done.stdout)
    assert same == messages
    assert small[-2:] == messages[-2:]
    assert len(json.dumps(small)) < len(json.dumps(messages)) / 2


def test_the_middleware_begins_anew_with_a_summary_and_the_last_request():
    middleware = run_section(SEED_4)["CompactMiddleware"](threshold=10_000)
    messages = [*conversation(), user("And now the changelog, please.")]
    assert middleware.before_turn(messages) is messages, "nothing was used yet"
    middleware.after_call(SimpleNamespace(prompt_tokens=9_000, completion_tokens=2_000))
    after = middleware.before_turn(messages)
    assert [message["role"] for message in after] == ["system", "user"]
    assert "And now the changelog, please." in after[-1]["content"]
    assert middleware.tokens == tokens(after) <= 4_000
    assert middleware.before_turn(after) is after


def test_files_are_loaded_compacted_and_compared(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "session.jsonl").write_bytes(jsonl(*conversation()))
    space = run_section("Files")
    assert (tmp_path / "small.jsonl").read_bytes() == space["result"].data
    assert {one.category for one in space["survivals"]} >= {"rules", "files"}


def test_every_block_of_the_page_is_run_here():
    sections = {title for title in SECTIONS if "```python" in SECTIONS[title]}
    assert sections == {FIRST, "OpenAI", "Anthropic", "LangChain and LangGraph", SEED_1, SEED_4, "Files"}
