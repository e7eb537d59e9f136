"""Recognize a harness's instructions about commands, tools and answers. They are not the user's wishes, whatever
their role."""

from __future__ import annotations

import re
from itertools import islice

_PROTOCOL = re.compile(
    r"\b(?:your|every|each|the) (?:response|reply|answer|turn|message)s?\b.{0,30}\b(?:must|should|has to|needs? to"
    r"|contains?|begins?|starts?|ends?|consists?|format)\b|\b(?:one|1|single|more than one|multiple"
    r"|several) (?:\w+ )?(?:commands?|actions?|tools?|tool calls?|function calls?)\b|\btool (?:calls?|use|results?"
    r"|outputs?)\b|\bfunction calls?\b|\b(?:tools?|commands?|functions?)(?: that are| which are)? (?:available|provided"
    r"|supplied|given) to you\b|\binteractive (?:session )?(?:commands?|tools?)\b|\bfeedback (?:after|before"
    r"|from) (?:each|every|the|a)\b|\bwait for (?:the )?(?:feedback|results?|outputs?|responses?"
    r"|confirmation)\b.{0,30}\b(?:commands?|tools?|calls?|actions?)\b|\bif (?:you run )?a command\b|\b(?:commands?"
    r"|actions?) (?:that|which) (?:produces?|prints?|outputs?)\b|\b(?:use|run|call|with|running) the `?(?:submit|finish"
    r"|exit|done)`?\b|\b(?:special interface|terminal session|(?:currently )?open file|current working directory)\b"
    r"|\bfinal answer\b|\b(?:tags?|format|code block|template) (?:given|described|shown|specified|above|below)\b"
    r"|\b(?:thought|reasoning|discussion) (?:section|block|step|field)\b|\basking (?:the user )?for permission\b",
    re.IGNORECASE,
)
_MIN_PROTOCOL_SENTENCES = 2
"""Number of sentences about commands and tools that make a message a briefing by the harness."""


def speaks_of_tools(sentence: str) -> bool:
    """Return whether a sentence tells a model how to use commands and tools, or how to format its answers."""
    return _PROTOCOL.search(sentence) is not None


def is_briefing(text: str) -> bool:
    """Return whether a message briefs a model on its session, so that nothing in it is the user's own wish."""
    return len(list(islice(_PROTOCOL.finditer(text), _MIN_PROTOCOL_SENTENCES))) == _MIN_PROTOCOL_SENTENCES
