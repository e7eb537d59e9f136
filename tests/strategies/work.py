"""A session as coding agents save it: requests, files read and changed, tests that fail and pass."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.pipeline.sessions import Json, assistant, result, system, user

AREAS = ("billing", "parser", "ledger", "export", "search", "webhook", "report", "quota", "cache", "mailer")
SYSTEM = "You are a careful engineer. Never push to main. Keep answers short."
FIRST = "The nightly job writes wrong totals. Find out why and mend it, module by module."
LAST = "Now write the changelog entry for what we did."


def request(number: int) -> str:
    area = AREAS[number % len(AREAS)]
    return f"Now mend {area}_{number} too: customers say order W-{40_000 + number} is off.\nKeep its API as it is."


def changed_file(number: int) -> str:
    return f"src/{AREAS[number % len(AREAS)]}/module_{number}.py"


def error(number: int) -> str:
    return f"AssertionError: total_{number} is {number}.50, expected {number}.25"


def source(number: int, lines: int = 70) -> str:
    """Return a file as a tool shows it."""
    area = AREAS[number % len(AREAS)]
    body = "\n".join(
        f"{at:5}→    row_{at} = load_{area}_{at % 13}(path, limit={at * 7})  # step {at} of the {area}"
        for at in range(2, lines)
    )
    return f"    1→def compute_{area}_{number}(path, limit):\n{body}"


def failing(number: int) -> str:
    """Return the output of a failing test run."""
    passed = "\n".join(f"tests/test_module_{number}.py::test_case_{at} PASSED" for at in range(30))
    return f"{passed}\n{error(number)}\nFAILED tests/test_module_{number}.py::test_total\nexit code: 1"


def task(number: int) -> Iterator[Json]:
    """Return the messages that fix one module: about 2,000 tokens."""
    path, area = changed_file(number), AREAS[number % len(AREAS)]
    run = {"command": f"pytest -q tests/test_module_{number}.py"}
    edit = {
        "file_path": path,
        "old_string": f"return round(total_{number}, 2)",
        "new_string": f"return quantize(total_{number}, places={number})",
    }
    yield user(request(number))
    yield assistant(f"I read {path} first.", (f"r{number}", "Read", {"file_path": path}))
    yield result(f"r{number}", source(number))
    yield assistant(None, (f"t{number}", "Bash", run))
    yield result(f"t{number}", failing(number))
    yield assistant(f"The rounding in compute_{area}_{number} is wrong.", (f"e{number}", "Edit", edit))
    yield result(f"e{number}", f"The file {path} has been updated.")
    yield assistant(None, (f"u{number}", "Bash", run))
    yield result(f"u{number}", "31 passed in 0.52s\nexit code: 0")
    yield assistant(f"Mended: compute_{area}_{number} now quantizes its total.")


def session(tasks: int = 20, *, end: bool = True) -> list[Json]:
    """Return a session with about 2,000 tokens per task."""
    records = [system(SYSTEM), user(FIRST)]
    for number in range(tasks):
        records += task(number)
    return [*records, user(LAST), assistant("I write it.")] if end else records


def claude_session(tasks: int = 6) -> bytes:
    """Return the same session in Anthropic's form, with thinking blocks."""
    out: list[Json] = []
    for record in session(tasks)[1:]:
        blocks: list[Json] = []
        if record["role"] == "assistant":
            thought = f"I think about {record['content'] or 'the next call'}, step {len(out)}."
            blocks.append({"type": "thinking", "thinking": thought, "signature": f"c2ln{len(out)}"})
        if record["role"] == "tool":
            blocks.append({"type": "tool_result", "tool_use_id": record["tool_call_id"], "content": record["content"]})
        elif record["content"]:
            blocks.append({"type": "text", "text": record["content"]})
        for call in record.get("tool_calls", ()):
            given = json.loads(call["function"]["arguments"])
            blocks.append({"type": "tool_use", "id": call["id"], "name": call["function"]["name"], "input": given})
        out.append({"role": "user" if record["role"] == "tool" else record["role"], "content": blocks})
    return "".join(json.dumps(value) + "\n" for value in out).encode()
