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
_SHARE = 4
_OVERHEAD = 4
"""Tokens of a message besides its texts."""


def _counter() -> Callable[[Message], int]:
    encode = import_module("tiktoken").get_encoding("o200k_base").encode_ordinary

    def count(message: Message) -> int:
        texts = [message["content"] or ""]
        for call in message.get("tool_calls", ()):
            texts += [call["function"]["name"], call["function"]["arguments"]]
        return _OVERHEAD + sum(len(encode(text)) for text in texts)

    return count


def langchain(messages: list[Message]) -> list[Message]:
    """Use `trim_messages` of langchain-core: keep the system message and the newest messages that fit."""
    tools = import_module("langchain_core.messages")
    count = _counter()
    known: dict[str, int] = {}

    def tokens(trimmed: list[Any]) -> int:
        """Return the known counts. langchain asks for the same messages many times, and counting them each time would
        take minutes."""
        return sum(known[message.id] for message in trimmed)

    read = []
    for at, message in enumerate(messages):
        (made,) = tools.convert_to_messages([{**message, "content": message["content"] or ""}])
        made.id = str(at)
        known[made.id] = count(message)
        read.append(made)
    kept = tools.trim_messages(
        read, max_tokens=sum(known.values()) // _SHARE, token_counter=tokens, include_system=True, strategy="last"
    )
    return [messages[int(made.id)] for made in kept]


def ctx_compact(messages: list[Message]) -> list[Message]:
    """Use ctx-compact: keep the head and the tail, and drop whole groups from the middle."""
    compact = import_module("ctx_compact").compact
    count = _counter()
    known = {id(message): count(message) for message in messages}
    target = sum(known.values()) // _SHARE
    kept = compact(messages, max_tokens=target, count_tokens=lambda message: known[id(message)]).messages
    return list(kept)


def cutctx(messages: list[Message]) -> list[Message]:
    """Use cutctx: mask old results, then drop the oldest messages."""
    tools = import_module("cutctx")
    count = _counter()
    turns = []
    for at, message in enumerate(messages):
        calls = message.get("tool_calls") or [{}]
        call = message.get("tool_call_id") or calls[0].get("id")
        role = tools.Role(message["role"])
        turns.append(tools.TranscriptTurn(str(at), role, message["content"] or "", count(message), tool_call_id=call))
    transcript = tools.Transcript(tuple(turns))
    target = sum(turn.token_estimate for turn in turns) // _SHARE
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
    kept = PEERS[name](messages)
    lines = [json.dumps(message, ensure_ascii=False).encode() + b"\n" for message in kept]
    Path(target).write_bytes(b"".join(lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
