"""The user's own words inside a tool result: why a call was refused, or how a question was answered.

Harnesses give such words to the agent as the result of the call. The recognised openings are those of Claude Code,
Cline, opencode and Copilot CLI. A result that merely contains such a sentence further down is data.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compactor_cli.model.message import Message
from compactor_cli.text.patterns import compiled_later, contains_any

MAX_ANSWER_TOKENS = 24
"""Maximum tokens of a user message that counts as an answer to what the agent said just before."""
_OPENING = compiled_later(
    r"\s*(?:\[[^\]\n]{1,80}\][^\n]{0,20}\n)?(?:the |your )?(?:user|tool use|questions?|operation)\b"
    r"[^\n:]{0,160}\b(?:want|reject|den[iy]|declin|refus|cancel|answer|feedback|said|repl|respon)",
    re.IGNORECASE,
)
_OPENING_CHARS = 140
_OPENING_WORDS = ("user", "tool use", "question", "operation")
"""At least one of these occurs within `_OPENING_CHARS` characters, leading blanks aside. Checking this first is
faster."""
_USER_SAID = compiled_later(
    r"\b(?:user (?:said|says|wrote|replied|responded)|(?:following |user'?s? )?(?:feedback|reason)"
    r"(?: for the rejection)?|answered(?: your questions?)?)\s*:\s*",
    re.IGNORECASE,
)
_TAGGED = compiled_later(r"<(feedback|answer|user_message)>\s*(?!\s)((?:\S(?:.*?\S)??)??)\s*</\1>", re.DOTALL)
_AFTER_REPLY = compiled_later(
    r"^[ \t]*Note: The user's next message|\.? ?You can now continue with the user's answers", re.MULTILINE
)
_MAX_REPLY_START = 800
"""The user's words begin within this many characters of the start of a result."""


def reply_to(messages: Sequence[Message], answer: int) -> str:
    """Return what the user said directly after a message; empty if the next message is not a user request."""
    next_messages = messages[answer + 1 : answer + 2]
    return next_messages[0].text("text") if next_messages and next_messages[0].origin == "request" else ""


def reply_in(message: Message) -> str:
    """Return the user's words in the tool results of a message; empty when there are none."""
    texts = (part.text for part in message.parts if part.kind == "tool_result")
    return "\n".join(text[span[0] : span[1]] for text in texts if (span := reply_span(text)))


def reply_span(text: str) -> tuple[int, int] | None:
    """Return the span of the user's words in a tool result; None when it contains none."""
    if not contains_any(text.lstrip()[:_OPENING_CHARS], _OPENING_WORDS) or not _OPENING.match(text):
        return None
    tagged = _TAGGED.search(text)
    if tagged and tagged[2]:
        return tagged.span(2)
    introduction = _USER_SAID.search(text, 0, _MAX_REPLY_START)
    if introduction is None:
        return None
    closing = _AFTER_REPLY.search(text, introduction.end())
    end = len(text[: closing.start() if closing else len(text)].rstrip())
    return (introduction.end(), end) if end > introduction.end() else None
