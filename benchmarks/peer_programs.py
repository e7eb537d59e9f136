"""`python peer_programs.py NAME IN OUT`: compact a session with another program.

Each one reads the lines, counts tokens with tiktoken's o200k_base, reduces the session to a quarter of its tokens, and
writes the messages. It runs in a separate environment (`make bench-peers`) and shares no code with the package.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

Message = dict[str, Any]
_TARGET_DIVISOR = 4
_TOKENS_PER_MESSAGE = 4
"""Tokens of a message besides its texts."""


def _counter() -> Callable[[Message], int]:
    encode = import_module("tiktoken").get_encoding("o200k_base").encode_ordinary

    def count(message: Message) -> int:
        texts = [message["content"] or ""]
        for call in message.get("tool_calls", ()):
            texts += [call["function"]["name"], call["function"]["arguments"]]
        return _TOKENS_PER_MESSAGE + sum(len(encode(text)) for text in texts)

    return count


def langchain(messages: list[Message]) -> list[Message]:
    """Use `trim_messages` of langchain-core: keep the system message and the newest messages that fit."""
    tools = import_module("langchain_core.messages")
    count = _counter()
    known_counts: dict[str, int] = {}

    def tokens(trimmed: list[Any]) -> int:
        """Return the known counts. langchain asks for the same messages many times, and counting them each time would
        take minutes."""
        return sum(known_counts[message.id] for message in trimmed)

    read = []
    for index, message in enumerate(messages):
        (converted,) = tools.convert_to_messages([{**message, "content": message["content"] or ""}])
        converted.id = str(index)
        known_counts[converted.id] = count(message)
        read.append(converted)
    kept_messages = tools.trim_messages(
        read,
        max_tokens=sum(known_counts.values()) // _TARGET_DIVISOR,
        token_counter=tokens,
        include_system=True,
        strategy="last",
    )
    return [messages[int(converted.id)] for converted in kept_messages]


def ctx_compact(messages: list[Message]) -> list[Message]:
    """Use ctx-compact: keep the head and the tail, and drop whole groups from the middle."""
    compact = import_module("ctx_compact").compact
    count = _counter()
    known_counts = {id(message): count(message) for message in messages}
    target = sum(known_counts.values()) // _TARGET_DIVISOR
    kept_messages = compact(
        messages, max_tokens=target, count_tokens=lambda message: known_counts[id(message)]
    ).messages
    return list(kept_messages)


def cutctx(messages: list[Message]) -> list[Message]:
    """Use cutctx: mask old results, then drop the oldest messages."""
    tools = import_module("cutctx")
    count = _counter()
    turns = []
    for index, message in enumerate(messages):
        calls = message.get("tool_calls") or [{}]
        call = message.get("tool_call_id") or calls[0].get("id")
        role = tools.Role(message["role"])
        turns.append(
            tools.TranscriptTurn(str(index), role, message["content"] or "", count(message), tool_call_id=call)
        )
    transcript = tools.Transcript(tuple(turns))
    target = sum(turn.token_estimate for turn in turns) // _TARGET_DIVISOR
    policy = tools.PolicyChain((tools.ObservationMaskingPolicy(), tools.DropOldestPolicy()))
    plan = policy.decide(transcript, tools.CompactionBudget(max_tokens=target))
    view = tools.CompactionExecutor().apply(transcript, plan)
    return [{**messages[int(turn.turn_id)], "content": turn.content} for turn in view.transcript.turns]


def headroom(messages: list[Message]) -> list[Message]:
    """Use headroom with its default settings; it has no option for a target."""
    return list(import_module("headroom").compress(messages, model="gpt-4o").messages)


PEERS: dict[str, Callable[[list[Message]], list[Message]]] = {
    "langchain trim_messages": langchain,
    "ctx-compact": ctx_compact,
    "cutctx": cutctx,
    "headroom": headroom,
}


def main(name: str, source: str, target: str) -> None:
    messages = [json.loads(line) for line in Path(source).read_bytes().splitlines()]
    kept_messages = PEERS[name](messages)
    lines = [json.dumps(message, ensure_ascii=False).encode() + b"\n" for message in kept_messages]
    Path(target).write_bytes(b"".join(lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
