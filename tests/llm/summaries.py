"""Answers that a well-behaved model gives to a request for a summary: the headings that are asked for, with bullets."""

from __future__ import annotations

import re

_HEADING = re.compile(r"^### (.+)$", re.MULTILINE)


def directive(received):
    """The last message of a request: what to do."""
    last = received.body["messages"][-1]["content"]
    text = last if isinstance(last, str) else "\n".join(block["text"] for block in last)
    return text[text.rindex("The conversation ends here.") :]


def headings(received):
    return _HEADING.findall(directive(received))


def summary(received, said="The work went on as it was asked for."):
    """A text that names nothing, so it is true of every conversation."""
    titles = headings(received)
    return "\n".join(f"### {title}\n- {said}" for title in titles) if titles else f"- {said}"
