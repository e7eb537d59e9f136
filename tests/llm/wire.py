"""Read what a provider received, in one form for both protocols."""

from __future__ import annotations

import json
import re

MESSAGE = re.compile(r'<message number="(\d+)" from="(user|assistant|tool|system)">\n(.*?)\n</message>', re.DOTALL)
SUMMARY = re.compile(r"\APrevious summary of conversation:\n<summary>\n(.*)\n</summary>\Z", re.DOTALL)


def message_text(content):
    """Return the text of a message, given as a string or as blocks."""
    if isinstance(content, str):
        return content
    assert all(block["type"] == "text" for block in content), content
    return "\n".join(block["text"] for block in content)


def turns(received):
    """Return (role, text) of each message, without Anthropic's system field."""
    return [(each["role"], message_text(each["content"])) for each in received.body["messages"]]


def system_texts(received):
    """Return all system texts in order."""
    field = received.body.get("system") or []
    field = [field] if isinstance(field, str) else [block["text"] for block in field]
    return field + [text for role, text in turns(received) if role == "system"]


def spoken_messages(received):
    """Return (role, text) of the messages that are not system messages."""
    return [turn for turn in turns(received) if turn[0] != "system"]


def shown_messages(received):
    """Return (role, number, from, text) of the transcript's messages that a request shows."""
    return [
        (role, int(number), by, body)
        for role, text in spoken_messages(received)
        for number, by, body in MESSAGE.findall(text)
    ]


def earlier_summaries(received):
    """Return the texts of the earlier summaries in a request."""
    return [match[1] for text in system_texts(received) if (match := SUMMARY.match(text))]


def records(data):
    return [json.loads(line) for line in data.splitlines() if line.strip()]


def written_summaries(data):
    """Return the texts of the summaries in a transcript."""
    texts = [message_text(record["content"]) for record in records(data) if record.get("content")]
    return [text for text in texts if text.startswith("## Session Summary")]
