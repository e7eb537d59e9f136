"""Two simple baselines that appear in every table to put the other figures into perspective."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from compactor_cli.model.message import Message, Part
from compactor_cli.pipeline.groups import form_groups
from compactor_cli.tokens.base import TokenCounter

_MIN_MASKED_TOKENS = 60
"""Maximum characters of an output that is not longer than its replacement."""
_MAX_CHARS_PER_TOKEN = 16


def keep_last(messages: Sequence[Message], target: int, counter: TokenCounter) -> list[Message]:
    """Return the system messages and the newest groups that fit, and the end of the first that does not."""
    system = [message for message in messages if message.role == "system"]
    remaining_tokens = target - sum(message.tokens for message in system)
    kept_indexes: set[int] = set()
    note: list[Message] = []
    for group in sorted(form_groups(messages), key=lambda group: group.messages[-1], reverse=True):
        members = [messages[index] for index in group.messages if messages[index].role != "system"]
        cost = sum(message.tokens for message in members)
        if cost > remaining_tokens:
            note = _group_tail(members, remaining_tokens, counter)
            break
        kept_indexes.update(group.messages)
        remaining_tokens -= cost
    body = [message for index, message in enumerate(messages) if index in kept_indexes and message.role != "system"]
    return [*system, *note, *body]


def mask_outputs(messages: Sequence[Message], target: int, counter: TokenCounter) -> list[Message]:
    """Return the messages with the oldest tool outputs replaced by notes until the rest fits."""
    out = list(messages)
    total = sum(message.tokens for message in out)
    for index, message in enumerate(messages):
        if total <= target:
            return out
        parts = tuple(_mask_part(part, counter) for part in message.parts)
        saved = sum(part.tokens for part in message.parts) - sum(part.tokens for part in parts)
        if saved > 0:
            out[index] = replace(message, parts=parts, tokens=message.tokens - saved)
            total -= saved
    return out if total <= target else keep_last(out, target, counter)


def _mask_part(part: Part, counter: TokenCounter) -> Part:
    if part.kind != "tool_result" or (len(part.text) <= _MIN_MASKED_TOKENS and not part.images):
        return part
    text = f"[old tool output omitted: {len(part.text)} characters]"
    return replace(part, text=text, tokens=counter.count(text), images=0)


def _group_tail(members: Sequence[Message], token_budget: int, counter: TokenCounter) -> list[Message]:
    """Return a message with the end of a group's text in at most `token_budget` tokens, if any fits."""
    token_budget -= counter.per_message
    if token_budget <= 0:
        return []
    text = "\n".join(part.text for message in members for part in message.parts)[-_MAX_CHARS_PER_TOKEN * token_budget :]
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if counter.count(text[-middle:]) <= token_budget:
            low = middle
        else:
            high = middle - 1
    tokens = counter.count(text[len(text) - low :])
    part = Part("text", text[len(text) - low :], tokens)
    return [Message(-1, "", "user", (part,), (), tokens + counter.per_message)] if low else []


BASELINES = {"keep_last": keep_last, "mask": mask_outputs}
