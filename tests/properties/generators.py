"""Transcripts for property tests: one abstract conversation, written in the shape of each format.

A conversation is a list of turns in the order in which a harness sees them. `faulty` then adds faults of real files:
results that are missing, repeated, early or distant, and ids that are used again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

FRAGMENTS = (
    "",
    "ok",
    "We decided to keep the parser as it is, because `load_config()` depends on it. ",
    "You must never change the public API of src/billing/rounding.py. ",
    "Error: tool failed with ENOENT in /srv/app/config.yaml line 12. ",
    'Traceback (most recent call last):\n  File "a.py", line 3\nValueError: bad total 12.50\n',
    "The next task is to raise the coverage to 85%. ",
    "exit code 1\nFAILED tests/test_rounding.py::test_half_up - assert 2 == 3\n",
    "exit code: 0\n12 passed in 0.31s\n",
    "line of plain output with nothing in it\n",
    "变更记录：我们决定保留旧的解析器。必须不要修改公共接口。",
    "👩‍👩‍👧‍👦 done 🎉 naïve café ",
    "\x1b[31mred\x1b[0m \x00 \x07 bell \u2028 separator ",
    "lone \ud800 surrogate ",
    'quotes " and \\ backslashes \\n and </tags> ',
    "<system-reminder>The task list is empty. We decided nothing.</system-reminder>",
    "## Session Summary",
    "See https://example.org/a/b?c=1 and ctx_0badf00d. ",
    "[… 3 lines left out · ctx_deadbeef]",
)
TOOLS = ("Bash", "Read", "Edit", "Write", "search")


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call: its id, the tool and the arguments."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn. `result_of`: the call that a tool turn answers."""

    role: str
    text: str
    calls: tuple[Call, ...] = ()
    result_of: str = ""
    failed: bool | None = None
    thinking: str = ""
    image: bool = False


class Conversation(list[Turn]):
    """A list of turns with a short repr, because a failing example may be large."""

    def __repr__(self) -> str:
        return f"Conversation of {len(self)}: {super().__repr__()[:4000]}"


@dataclass(frozen=True, slots=True, repr=False)
class File:
    """A file in one shape."""

    shape: str
    data: bytes

    def __repr__(self) -> str:
        return f"File({self.shape!r}, {len(self.data)} bytes: {self.data[:4000]!r})"


def _texts(most: int) -> st.SearchStrategy[str]:
    piece = st.tuples(st.sampled_from(FRAGMENTS), st.integers(1, most)).map(lambda pair: pair[0] * pair[1])
    return st.lists(piece, min_size=0, max_size=2).map("".join)


_SHORT = _texts(4)
_LONG = _texts(60)


@st.composite
def _arguments(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.integers(0, 4))
    text = draw(_SHORT)
    if kind == 0:
        return {"command": f"sed -i 's/a/b/' src/mod_{draw(st.integers(0, 9))}.py && pytest -q {text[:20]}"}
    if kind == 1:
        return {"file_path": f"src/mod_{draw(st.integers(0, 9))}.py", "old_string": text, "new_string": draw(_LONG)}
    if kind == 2:
        return {"files": [{"path": "README.md"}, {"path": "docs/a b.md"}], "depth": 2**70, "flags": [None, True]}
    return {} if kind == 3 else {"input": draw(_LONG), "nested": {"deep": [text, {"x": text}]}}


@st.composite
def well_formed(draw: st.DrawFn, max_rounds: int = 14) -> Conversation:
    """Draw a conversation without faults: every call except perhaps the last is answered right after it."""
    turns = Conversation()
    used = 0
    if draw(st.booleans()):
        turns.append(Turn("system", draw(_SHORT)))
    if draw(st.integers(0, 9)):
        turns.append(Turn("user", draw(_SHORT) or "Fix the rounding bug."))
    for _ in range(draw(st.integers(1, max_rounds))):
        what = draw(st.integers(0, 9))
        if what < 2:
            turns.append(Turn("user", draw(_SHORT), image=what == 0 and draw(st.integers(0, 3)) == 0))
            continue
        if what < 4:
            turns.append(Turn("assistant", draw(_LONG), thinking=draw(_SHORT)))
            continue
        calls = []
        for _ in range(draw(st.integers(1, 3))):
            used += 1
            calls.append(Call(f"call_{used}", draw(st.sampled_from(TOOLS)), draw(_arguments())))
        turns.append(Turn("assistant", draw(_SHORT), tuple(calls), thinking=draw(_SHORT)))
        for call in calls:
            turns.append(
                Turn("tool", draw(_LONG), result_of=call.id, failed=draw(st.sampled_from((None, True, False))))
            )
    if not any(turn.role != "system" for turn in turns):
        turns.append(Turn("user", "hello"))
    while draw(st.integers(0, 5)) == 0 and turns[-1].role == "tool":
        turns.pop()  # killed while tools were running
    return turns


@st.composite
def faulty(draw: st.DrawFn, max_rounds: int = 12) -> Conversation:
    """Draw a conversation with missing, repeated, early, distant and reused tool ids."""
    turns: list[Turn] = draw(well_formed(max_rounds))
    for _ in range(draw(st.integers(1, 4))):
        results = [at for at, turn in enumerate(turns) if turn.role == "tool"]
        if not results:
            break
        at = draw(st.sampled_from(results))
        what = draw(st.integers(0, 5))
        if what == 0:
            del turns[at]
        elif what == 1:
            turns.insert(draw(st.integers(at, len(turns))), turns[at])
        elif what == 2:
            turns.insert(draw(st.integers(0, len(turns) - 1)), turns.pop(at))
        elif what == 3:  # another turn is between a call and its result
            turns.insert(at, Turn(draw(st.sampled_from(("user", "assistant"))), draw(_SHORT)))
        elif what == 4:  # an id is used for a second call
            other = draw(st.sampled_from(results))
            turns = _rename(turns, turns[at].result_of, turns[other].result_of)
        else:  # the call is missing, or repeated
            holder = next((i for i, t in enumerate(turns) if any(c.id == turns[at].result_of for c in t.calls)), None)
            if holder is not None and draw(st.booleans()):
                calls = tuple(c for c in turns[holder].calls if c.id != turns[at].result_of)
                turns[holder] = replace(turns[holder], calls=calls)
            elif holder is not None:
                turns.insert(draw(st.integers(0, len(turns))), turns[holder])
    if not turns:
        turns.append(Turn("user", "hello"))
    return Conversation(turns)


def _rename(turns: Sequence[Turn], old: str, new: str) -> list[Turn]:
    return [
        replace(
            turn,
            calls=tuple(replace(c, id=new) if c.id == old else c for c in turn.calls),
            result_of=new if turn.result_of == old else turn.result_of,
        )
        for turn in turns
    ]


# -- the shapes


def _time(at: int) -> str:
    return f"2026-03-01T{10 + at // 60 % 12:02d}:{at % 60:02d}:00Z"


def openai_chat(turns: Sequence[Turn]) -> list[Any]:
    return [_openai(turn) for turn in turns]


def _openai(turn: Turn) -> dict[str, Any]:
    if turn.role == "tool":
        return {"role": "tool", "tool_call_id": turn.result_of, "content": turn.text}
    value: dict[str, Any] = {"role": turn.role, "content": turn.text}
    if turn.image:
        value["content"] = [
            {"type": "text", "text": turn.text},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 400}},
        ]
    if turn.calls:
        value["content"] = turn.text or None
        value["tool_calls"] = [
            {
                "id": c.id,
                "type": "function",
                "function": {"name": c.name, "arguments": json.dumps(c.arguments, ensure_ascii=False)},
            }
            for c in turn.calls
        ]
    return value


def conversations(turns: Sequence[Turn]) -> list[Any]:
    middle = len(turns) // 2
    halves = [turns] if middle < 2 else [turns[:middle], turns[middle:]]
    return [{"id": at, "messages": openai_chat(half), "tools": []} for at, half in enumerate(halves)]


def anthropic(turns: Sequence[Turn]) -> list[Any]:
    """Write consecutive results into one user message. The system prompt is a message."""
    out: list[Any] = []
    for turn in turns:
        if turn.role == "tool":
            block: dict[str, Any] = {"type": "tool_result", "tool_use_id": turn.result_of, "content": turn.text}
            if turn.failed is not None:
                block["is_error"] = turn.failed
            last = out[-1]["content"] if out and out[-1]["role"] == "user" else None
            if isinstance(last, list) and all(b["type"] == "tool_result" for b in last):
                last.append(block)
            else:
                out.append({"role": "user", "content": [block]})
            continue
        content: list[Any] = []
        if turn.thinking:
            content.append({"type": "thinking", "thinking": turn.thinking, "signature": "c2ln"})
        if turn.text:
            content.append({"type": "text", "text": turn.text})
        if turn.image:
            source = {"type": "base64", "media_type": "image/png", "data": "A" * 400}
            content.append({"type": "image", "source": source})
        content += [{"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments} for c in turn.calls]
        body = content if turn.image or turn.role == "assistant" else turn.text
        out.append({"role": turn.role, "content": body})
    return out


def ai_sdk(turns: Sequence[Turn]) -> list[Any]:
    out: list[Any] = []
    for turn in turns:
        if turn.role == "tool":
            part = {"type": "tool-result", "toolCallId": turn.result_of, "toolName": "t", "result": turn.text}
            out.append({"role": "tool", "content": [part]})
        elif turn.calls:
            parts: list[Any] = [{"type": "text", "text": turn.text}] if turn.text else []
            parts += [
                {"type": "tool-call", "toolCallId": c.id, "toolName": c.name, "args": c.arguments} for c in turn.calls
            ]
            out.append({"role": "assistant", "content": parts})
        else:
            out.append({"role": turn.role, "content": turn.text})
    return out


def claude_code(turns: Sequence[Turn]) -> list[Any]:
    """Spread assistant turns over records with one message id, and repeat results in toolUseResult."""
    out: list[Any] = [{"type": "file-history-snapshot", "messageId": "none", "snapshot": {}}]
    parent: str | None = None

    def add(kind: str, message: dict[str, Any], at: int, **more: Any) -> None:
        nonlocal parent
        uuid = f"00000000-0000-4000-8000-{len(out):012d}"
        envelope = {"parentUuid": parent, "isSidechain": False, "sessionId": "s1", "cwd": "/w", "version": "2.0"}
        out.append({**envelope, "type": kind, "message": message, "uuid": uuid, "timestamp": _time(at), **more})
        parent = uuid

    for at, turn in enumerate(turns):
        if turn.role in ("user", "system"):  # the system prompt is not saved in this format
            add("user", {"role": "user", "content": turn.text}, at)
        elif turn.role == "tool":
            block: dict[str, Any] = {"tool_use_id": turn.result_of, "type": "tool_result", "content": turn.text}
            if turn.failed is not None:
                block["is_error"] = turn.failed
            add("user", {"role": "user", "content": [block]}, at, toolUseResult={"stdout": turn.text, "stderr": ""})
        else:
            blocks: list[Any] = []
            if turn.thinking:
                blocks.append({"type": "thinking", "thinking": turn.thinking, "signature": "c2ln"})
            if turn.text or not turn.calls:
                blocks.append({"type": "text", "text": turn.text})
            blocks += [{"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments} for c in turn.calls]
            for block in blocks:
                message = {"id": f"msg_{at}", "type": "message", "role": "assistant", "content": [block]}
                add("assistant", message, at)
            if turn.calls and at % 3 == 0:
                out.append({"type": "progress", "toolUseID": turn.calls[0].id, "data": {"n": at}})
    return out


def codex(turns: Sequence[Turn]) -> list[Any]:
    out: list[Any] = [{"timestamp": _time(0), "type": "session_meta", "payload": {"id": "s1", "cwd": "/w"}}]

    def item(at: int, **payload: Any) -> None:
        out.append({"timestamp": _time(at), "type": "response_item", "payload": payload})

    for at, turn in enumerate(turns):
        if turn.role == "tool":
            item(at, type="function_call_output", call_id=turn.result_of, output=turn.text)
            continue
        if turn.thinking:
            item(at, type="reasoning", summary=[], encrypted_content="gAAA")
        kind = "output_text" if turn.role == "assistant" else "input_text"
        role = "developer" if turn.role == "system" else turn.role
        if turn.text or not turn.calls:
            item(at, type="message", role=role, content=[{"type": kind, "text": turn.text}])
        if turn.role == "user":
            out.append(
                {"timestamp": _time(at), "type": "event_msg", "payload": {"type": "user_message", "message": turn.text}}
            )
        for c in turn.calls:
            arguments = json.dumps(c.arguments, ensure_ascii=False)
            item(at, type="function_call", name=c.name, arguments=arguments, call_id=c.id)
    return out


SHAPES: dict[str, Callable[[Sequence[Turn]], list[Any]]] = {
    "openai-chat": openai_chat,
    "conversations": conversations,
    "anthropic": anthropic,
    "ai-sdk": ai_sdk,
    "claude-code": claude_code,
    "codex": codex,
}


def to_bytes(records: Sequence[Any], *, ascii_only: bool = False, newline: bytes = b"\n", final: bool = True) -> bytes:
    """Return JSONL as a harness might write it. Lone surrogates are escaped, because they are not valid UTF-8."""
    lines = []
    for record in records:
        text = json.dumps(record, ensure_ascii=ascii_only)
        try:
            lines.append(text.encode())
        except UnicodeEncodeError:
            lines.append(json.dumps(record).encode())
    return newline.join(lines) + (newline if final else b"")


@st.composite
def files(draw: st.DrawFn, conversation: st.SearchStrategy[Conversation]) -> File:
    """Draw a file with one of these conversations."""
    shape = draw(st.sampled_from(sorted(SHAPES)))
    data = to_bytes(
        SHAPES[shape](draw(conversation)),
        ascii_only=draw(st.booleans()),
        newline=draw(st.sampled_from((b"\n", b"\n", b"\r\n"))),
        final=draw(st.booleans()),
    )
    return File(shape, data)


def conversations_of(turns: st.SearchStrategy[Conversation]) -> st.SearchStrategy[Conversation]:
    """Draw conversations with more than the system prompt, which not every shape saves."""
    return turns.filter(lambda given: any(turn.text and turn.role != "system" for turn in given))


def long_conversation(exchanges: int) -> list[Turn]:
    """Return a session that has all four tiers, decisions, errors, and large and small outputs."""
    turns = [
        Turn("system", "You fix bugs."),
        Turn("user", "Fix the rounding bug in src/billing/rounding.py. Never touch the API."),
    ]
    for n in range(exchanges):
        call = Call(
            f"call_{n}", TOOLS[n % 4], {"file_path": f"src/billing/part{n % 9}.py", "command": f"pytest -k part{n}"}
        )
        said = "We decided to round half up. " if n % 9 == 4 else f"Next I look at part{n}. "
        output = f"ValueError: bad total {n}.50\nexit code 1" if n % 7 == 3 else f"value_{n} = {n}\n" * (5 + n % 40)
        turns.append(Turn("assistant", said, (call,), thinking=f"thought {n}" if n % 3 else ""))
        turns.append(Turn("tool", output, result_of=call.id, failed=n % 7 == 3))
        if n % 12 == 11:
            turns.append(Turn("user", f"Now also look at part{n + 1}, but do not edit part{n - 1}."))
            turns.append(Turn("user", "<system-reminder>Your task list is empty.</system-reminder>"))
    return [*turns, Turn("user", "Write the changelog."), Turn("assistant", "I write it now.")]
