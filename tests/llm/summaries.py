"""Answers of a well-behaved model to a request for a summary: the requested headings, with bullets."""

from __future__ import annotations

import json
import re

_HEADING = re.compile(r"^### (.+)$", re.MULTILINE)
_STRETCH = re.compile(r'<summary stretch="(\d+)">')


def directive(received):
    """Return the last message of a request, which says what to do."""
    last = received.body["messages"][-1]["content"]
    text = last if isinstance(last, str) else "\n".join(block["text"] for block in last)
    return text[text.rindex("The conversation ends here.") :]


def headings(received):
    return _HEADING.findall(directive(received))


def true_summary(received, statement="The work went on as it was asked for."):
    """Return a text that names nothing, so that it is true of every conversation."""
    titles = headings(received)
    return "\n".join(f"### {title}\n- {statement}" for title in titles) if titles else f"- {statement}"


def answer_request(received, titles=("The first half", "The second half")):
    """Return a summary, or the requested topics: the conversation, cut into as many parts as there are titles."""
    if "The conversation ends here." in received.text:
        return true_summary(received)
    stretches = list(map(int, _STRETCH.findall(received.text)))
    size = -(-len(stretches) // len(titles))
    topics = [
        {"title": title, "importance": 1.0 - at / 10, "stretches": stretches[at * size : (at + 1) * size]}
        for at, title in enumerate(titles)
    ]
    return json.dumps({"topics": topics})
