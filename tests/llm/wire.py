"""Read what a provider received, in one form for both protocols."""

from __future__ import annotations

import json
import re

MESSAGE = re.compile(r'<message number="(\d+)" from="(user|assistant|tool|system)">\n(.*?)\n</message>', re.DOTALL)
SUMMARY = re.compile(r"\APrevious summary of conversation:\n<summary>\n(.*)\n</summary>\Z", re.DOTALL)


def plain(content):
    """Return the text of a message, given as a string or as blocks."""
    if isinstance(content, str):
        return content
    assert all(block["type"] == "text" for block in content), content
    return "\n".join(block["text"] for block in content)


def turns(received):
    """Return (role, text) of each message, without Anthropic's system field."""
    return [(each["role"], plain(each["content"])) for each in received.body["messages"]]


def systems(received):
    """Return all system texts in order."""
    field = received.body.get("system") or []
    field = [field] if isinstance(field, str) else [block["text"] for block in field]
    return field + [text for role, text in turns(received) if role == "system"]


def said(received):
    """Return (role, text) of the messages that are not system messages."""
    return [turn for turn in turns(received) if turn[0] != "system"]


def shown(received):
    """Return (role, number, from, text) of the transcript's messages that a request shows."""
    return [
        (role, int(number), by, body) for role, text in said(received) for number, by, body in MESSAGE.findall(text)
    ]


def earlier(received):
    """Return the texts of the earlier summaries in a request."""
    return [match[1] for text in systems(received) if (match := SUMMARY.match(text))]


def records(data):
    return [json.loads(line) for line in data.splitlines() if line.strip()]


def written(data):
    """Return the texts of the summaries in a transcript."""
    texts = [plain(record["content"]) for record in records(data) if record.get("content")]
    return [text for text in texts if text.startswith("## Session Summary")]
