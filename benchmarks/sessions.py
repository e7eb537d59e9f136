"""Generate sessions for benchmarks: OpenAI-chat transcripts of an agent at work, the same for the same size.

About four fifths of the tokens are in tool results, as in saved sessions of coding agents. The texts are made of words,
identifiers and code-like lines. Nothing is copied from real data.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

_SEED = 20_260_301
_WORDS, _STEMS, _TAILS, _FOLDERS = (
    text.split()
    for text in (
        "the a of to and in for with from that this not when where after before because still only every other same "
        "value result order queue cache batch window retry limit client server table column index query report parser "
        "token stream buffer worker thread signal handler schema field record line path folder module package version "
        "gives returns reads writes opens closes checks keeps drops counts sorts merges splits waits expects passes "
        "empty missing wrong stale slow large small first last next previous unique nested parallel broken current "
        "invoice customer payment currency discount shipment warehouse account session request response header rate",
        "order cache parse retry batch index token limit merge route stock price audit fetch flush lease",
        "handler total worker window config result client buffer policy reader writer report state error",
        "core api store jobs web text rules money ship tests",
    )
)
_OPENERS = (
    "Let me look at",
    "The failure comes from",
    "I decided to change",
    "Next I will run the tests for",
    "That confirms it:",
    "Now I'll update",
)
_REQUESTS = (
    "Please fix {0} in {1}. It must keep working with {2}.",
    "Why does {0} return the wrong value? Look into {1} first.",
    "Add a test for {0} in {1}, and never change {2}.",
    "The report of {0} is slow; make it faster without touching {1}.",
)


class _Writer:
    """Makes words, identifiers and lines from one random source."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._names: list[str] = []

    def name(self) -> str:
        """Return an identifier. Most have occurred before, as in a session about one program."""
        draw = self._random
        if self._names and draw.random() < 0.8:
            return draw.choice(self._names[-400:])
        self._names.append(f"{draw.choice(_STEMS)}_{draw.choice(_TAILS)}_{len(self._names) % 10_000}")
        return self._names[-1]

    def word(self) -> str:
        return self._random.choice(_WORDS)

    def path(self) -> str:
        draw = self._random
        return f"src/{draw.choice(_FOLDERS)}/{draw.choice(_STEMS)}_{draw.choice(_TAILS)}.py"

    def prose(self, size: int) -> str:
        draw, out, length = self._random, [], 0
        while length < size:
            words = draw.choices(_WORDS, k=draw.randint(6, 18))
            if draw.random() < 0.35:
                words[draw.randrange(len(words))] = f"`{self.name()}`"
            sentence = " ".join(words).capitalize() + "."
            out.append(sentence)
            length += len(sentence) + 1
        return " ".join(out)

    def code_line(self) -> str:
        draw, indent = self._random, "    " * self._random.randint(0, 3)
        kind = draw.randrange(6)
        if kind == 0:
            return f"{indent}def {self.name()}(self, {self.word()}: int = {draw.randrange(5000)}) -> None:"
        if kind == 1:
            return f"{indent}if {self.word()} is None or len({self.word()}) > {draw.randrange(900)}:"
        if kind == 2:
            return f"{indent}# {' '.join(draw.choices(_WORDS, k=8))}"
        if kind == 3:
            return f'{indent}raise ValueError(f"{self.word()} {{{self.word()}}} is not {self.word()}")'
        if kind == 4:
            return ""
        return f"{indent}{self.word()} = self.{self.word()}({self.word()}, {self.name()}[{draw.randrange(90)}])"

    def lines(self, size: int, kind: str) -> str:
        draw, length = self._random, 0
        out: list[str] = []
        path = self.path()
        while length < size:
            if kind == "code":
                line = f"{len(out) + 1:5d}\t{self.code_line()}"
            elif kind == "search":
                line = f"{self.path()}:{draw.randrange(1, 900)}:{self.code_line()}"
            elif kind == "log":
                moment = f"2026-03-01T{draw.randrange(24):02d}:{draw.randrange(60):02d}:{draw.randrange(60):02d}Z"
                line = f"{moment} INFO {self.name()} {' '.join(draw.choices(_WORDS, k=6))} id={draw.getrandbits(48):x}"
            else:
                line = f"{path}::test_{self.name()} PASSED [{draw.randrange(100):3d}%]"
            out.append(line)
            length += len(line) + 1
        return "\n".join(out)


def write_session(path: Path, messages: int) -> None:
    """Write a session of `messages` messages, line by line."""
    with path.open("w", encoding="utf-8") as file:
        for message in _session(messages):
            file.write(json.dumps(message, ensure_ascii=False) + "\n")


def _session(messages: int) -> Iterator[dict[str, Any]]:
    random = Random(_SEED)
    writer = _Writer(random)
    yield {"role": "system", "content": "You are a careful engineer. Never edit generated files. " + writer.prose(600)}
    messages_left, clock = messages - 1, 1_772_000_000
    while messages_left > 0:
        clock += random.randint(30, 600)
        yield {"role": "user", "content": _request(random, writer), "timestamp": clock}
        messages_left -= 1
        for _ in range(random.randint(4, 16)):
            if messages_left < 3:
                break
            clock += random.randint(2, 40)
            yield from _exchange(random, writer, clock)
            messages_left -= 2
        if messages_left > 0:
            clock += random.randint(2, 20)
            yield {"role": "assistant", "content": writer.prose(random.randint(150, 700)), "timestamp": clock}
            messages_left -= 1


def _request(random: Random, writer: _Writer) -> str:
    text = random.choice(_REQUESTS).format(f"`{writer.name()}`", writer.path(), f"`{writer.name()}`")
    return f"{text} {writer.prose(random.randint(40, 400))}" if random.random() < 0.6 else text


def _exchange(random: Random, writer: _Writer, clock: int) -> Iterator[dict[str, Any]]:
    call_id = f"call_{random.getrandbits(64):016x}"
    kind = random.choices(("code", "search", "tests", "log", "edit"), weights=(30, 20, 20, 10, 20))[0]
    remark = f"{random.choice(_OPENERS)} `{writer.name()}`. {writer.prose(60)}" if random.random() < 0.4 else None
    name, arguments = _call(random, writer, kind)
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": call_id, "type": "function", "function": function}
    yield {"role": "assistant", "content": remark, "tool_calls": [call], "timestamp": clock}
    result = {"role": "tool", "tool_call_id": call_id, "content": _result(random, writer, kind), "timestamp": clock + 1}
    yield result


def _call(random: Random, writer: _Writer, kind: str) -> tuple[str, dict[str, Any]]:
    if kind == "code":
        return "read_file", {"path": writer.path(), "offset": random.randrange(900)}
    if kind == "search":
        return "bash", {"command": f"grep -rn {writer.name()} src/{random.choice(_FOLDERS)}"}
    if kind == "edit":
        old, new = writer.lines(120, "code"), writer.lines(160, "code")
        return "edit_file", {"path": writer.path(), "old_string": old, "new_string": new}
    if kind == "log":
        return "bash", {"command": f"tail -n {random.randrange(20, 200)} var/{writer.name()}.log"}
    return "bash", {"command": f"python -m pytest tests/{random.choice(_FOLDERS)} -q -k {writer.name()}"}


def _result(random: Random, writer: _Writer, kind: str) -> str:
    if kind == "edit":
        return f"The file {writer.path()} has been updated."
    size = int(min(60_000, random.lognormvariate(6.0, 2.0)))  # as measured: half below 400 characters, a long tail
    body = writer.prose(size) if random.random() < 0.15 else writer.lines(size, kind)
    if kind == "tests":
        failed = random.random() < 0.3
        error = f"\nE   AssertionError: {writer.name()} == {random.randrange(900)}\n1 failed" if failed else "\nok"
        return f"{body}{error}\nexit code: {int(failed)}"
    return body
