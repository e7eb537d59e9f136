"""What a provider received, in one form for both protocols, and its parts."""

from __future__ import annotations

import json
import re

MESSAGE = re.compile(r'<message number="(\d+)" from="(user|assistant|tool|system)">\n(.*?)\n</message>', re.DOTALL)
SUMMARY = re.compile(r"\APrevious summary of conversation:\n<summary>\n(.*)\n</summary>\Z", re.DOTALL)


def plain(content):
    """The text of a message, whether it is a text or blocks of text."""
    if isinstance(content, str):
        return content
    assert all(block["type"] == "text" for block in content), content
    return "\n".join(block["text"] for block in content)


def turns(received):
    """(role, text) of each message, without the system field of Anthropic."""
    return [(each["role"], plain(each["content"])) for each in received.body["messages"]]


def systems(received):
    """The texts of all that is system, in their order."""
    field = received.body.get("system") or []
    field = [field] if isinstance(field, str) else [block["text"] for block in field]
    return field + [text for role, text in turns(received) if role == "system"]


def said(received):
    """(role, text) of what is not system."""
    return [turn for turn in turns(received) if turn[0] != "system"]


def shown(received):
    """(role, number, from, text) of the messages of the transcript that a request shows."""
    return [
        (role, int(number), by, body) for role, text in said(received) for number, by, body in MESSAGE.findall(text)
    ]


def earlier(received):
    """The texts of the earlier summaries of a request."""
    return [match[1] for text in systems(received) if (match := SUMMARY.match(text))]


def records(data):
    return [json.loads(line) for line in data.splitlines() if line.strip()]


def written(data):
    """The texts of the summaries in a transcript."""
    texts = [plain(record["content"]) for record in records(data) if record.get("content")]
    return [text for text in texts if text.startswith("## Session Summary")]
