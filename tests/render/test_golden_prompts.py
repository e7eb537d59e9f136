"""The tables of `assemble` and of `budget --prompt`, word for word; see test_golden.py."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from tests.render.test_golden import CHARS, GOLDEN, WIDTHS, shown

PROMPT = """\
system_prompt: You are careful.
agent_identity: I am the architect.
actions: 40
system_llm: {text: The user is in a hurry.}
task_prompt: Fix the rounding bug.
context: {error_occurred: false, agents: 3}
segment_tokens: 40
segments:
  - {id: core-framework, text: Work step by step., priority: 5}
  - {id: error-handling, text: Find the cause first., when: {error_occurred: true}}
  - {id: collaboration, text: "AGENTS", condensed: Say who goes on., when: {agents: {at_least: 2}}}
  - {id: history-of-the-project, text: "HISTORY", priority: -1}
"""
TEXTS = {"AGENTS": "Say which agent should go on. " * 6, "HISTORY": "It began long ago. " * 20}
COMMANDS = {
    "assemble": ["assemble", "session.jsonl", "--prompt", "prompt.yaml", "--total", "1500", "-o", "out.jsonl"],
    "assemble-dry": ["assemble", "session.jsonl", "--prompt", "prompt.yaml", "--total", "9000", "--dry-run"],
    "budget-prompt": ["budget", "session.jsonl", "--prompt", "prompt.yaml", "--total", "2000"],
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", COMMANDS)
def test_what_people_read_of_a_prompt(run, session, tmp_path, golden, name, width):
    prompt = PROMPT
    for word, text in TEXTS.items():
        prompt = prompt.replace(word, text)
    (tmp_path / "prompt.yaml").write_text(prompt)
    done = run(*COMMANDS[name], *CHARS, COLUMNS=str(width))
    assert done.code == 0, done.stderr
    text = shown(done)
    assert "\x1b" not in text
    assert [line for line in text.splitlines() if cell_len(line) > width] == []
    golden(GOLDEN / f"{name}-{width}.txt", text)
