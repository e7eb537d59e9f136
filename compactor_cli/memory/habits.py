"""Further rules, for general statements that no signal word introduces.

| rule | who | category | importance | confidence | a sentence that it finds |
|---|---|---|---|---|---|
| holds for all | user | preference | 68 | 0.4 | Every log line needs the name of the tenant. |
| has to be so | user | preference | 66 | 0.4 | Migrations have to be reversible. |
| holds always | user | preference | 66 | 0.4 | Timestamps are UTC everywhere. |
| likes | user | preference | 66 | 0.4 | I hate mocks, use the real server. |
| keeps to | user | preference | 64 | 0.4 | Prefer composition over inheritance. |
| who one is | user | observation | 64 | 0.45 | We are a team of three. |
| what we do | user | fact | 62 | 0.4 | We write British English in the interface. |
| is where | user | fact | 62 | 0.35 | Figures are in thousands of euros. |
| measures | both | fact | 61 | 0.35 | The CI machines have 2 cores. |
| place | assistant | fact | 60 | 0.35 | State files are stored under `.harbor/sessions`. |
| limits itself | assistant | learning | 60 | 0.35 | S3 rejects parts that are under 5 MB. |
| comes from | assistant | learning | 62 | 0.35 | The leak came from `lru_cache` on a method. |
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from compactor_cli.memory.ephemeral import Speaker, word_pattern

LEAST_WORDS, MOST_WORDS = 4, 60
NEEDS_ALL = 6
"""Minimum number of words in a statement about a cause."""


class Rule(Struct, frozen=True):
    """Conditions on a sentence with certain words, and what a matching sentence is worth."""

    name: str
    category: str
    speakers: tuple[Speaker, ...]
    importance: float
    confidence: float
    anchored: bool = False
    """Whether the sentence must name something: a path, code, a version, a product."""
    least: int = LEAST_WORDS


USER: tuple[Speaker, ...] = ("user",)
ASSISTANT: tuple[Speaker, ...] = ("assistant",)
BOTH: tuple[Speaker, ...] = ("user", "assistant")


_NOT_ABOUT = (
    r"^(?:and |also |but |so )?(?!(?:I|we|you|he|she|they|it|its|this|that|these|those|there|here|what|who|which|where"
    r"|when|why|how|then|now|next|let|can|could|would|please|if|one|consider|add|go|use|try|make|check|run|set|see|do"
    r"|combine|replace|remove|upgrade|change|everything looks|all (?:tests|checks|good|done|set))\b)"
)
_SUBJECT = _NOT_ABOUT + r"(?:(?!(?:I|we|you|he|she|it|they|I['’]\w+)\b)[\w`'’./@:+-]+,? ){1,7}?"
"""The subject of a sentence: not a pronoun, and not something just pointed at."""
_PRESENT_IS = r"(?:is|are)(?: (?:all|both|only|always|never|not|also|usually))?"
_KEPT = (
    r"(?:called|named|spelled|documented|stored|written|kept|read|done|hosted|served|generated|given|measured|encoded"
    r"|deployed|managed|signed|versioned|reviewed|built|released|owned|formatted|configured|tracked|paid"
    r"|in [\w`]+s\b|in the \w+(?: and\b|\.?$)|for \w+ing\b|errors\b|on (?-i:[A-Z])\w+)"
)
_BEHAVES = (
    r"(?:does not|doesn['’]t|do not|don['’]t|can ?not|can['’]t|must(?: not)?|never|only|always|needs?|requires?|rejects"
    r"|ignores|drops|skips|strips|reads|keeps|returns|runs|counts|closes|clears|fails|has no|have no|treats|wins|breaks"
    r"|expects?|means|groups|parses|truncates|floors|rounds|overrides|overwrites|blocks|discards|reuses|refuses|resets"
    r"|loses|falls back|defaults|targets|hits|sends|adds|sorts|merges|caches|accepts?|stores|reports|(?:is|are) (?:read"
    r"|run|called|parsed|cleared|dropped|ignored|reused|generated|refreshed|printed|kept|closed|answered|skipped"
    r"|encoded|cached|sorted|evaluated|loaded|set|sent|uploaded|restated))\b"
)
_BOUND_CLAUSE = (
    r"(?:because|so|unless|otherwise|even though|although|which|whose|until|before|after|under|above|below|over|without"
    r"|not|never|only|no|cannot|instead|twice|once|and not|but|as well|rather than|even|than|must|within|when|while)\b"
)
"""Words that state a limit or a reason; descriptions of code lack them."""

HABITS: Mapping[Rule, re.Pattern[str]] = {
    Rule("holds for all", "preference", USER, 68, 0.4, least=5): word_pattern(
        r"^(?:every|each|all|any|anything|nothing|nobody|no one|none|whoever|whenever)\b(?! (?:good|done|right|set"
        r"|of (?:this|that|it)|idea)).*\b(?:must|have to|has to|needs?|may|can(?:not|['’]t)?|should|is|are|goes|go"
        r"|uses?|gets?|comes?|approves?|starts?|ends?|belongs?)\b"
    ),
    Rule("has to be so", "preference", USER, 66, 0.4): word_pattern(
        _SUBJECT + r"(?:must|have to|has to|can ?not|can['’]t|may (?:not|only|never)|should (?:not|never|only)"
        r"|shouldn['’]t|needs? (?:a|an|the|to)|wins? over|matters?|beats?|takes? precedence|forbids?)\b"
        r"|^you need my\b|\bwithout asking me\b|\bneeds my (?:approval|ok|consent)\b"
        r"|^(?:we|I) (?:can ?not|can['’]t) (?:use|have|ship|store|log|change|break|accept|deploy)\b"
    ),
    Rule("holds always", "preference", USER, 66, 0.4): word_pattern(
        r"\b(?:is|are|comes?|goes?|come from|I|we|they|users?|customers?) (?:\w+ ){0,2}?(?:always|never|only) "
        r"(?!(?:just|one|wanted|had|been|did|got|saw|seen|heard|known|thought|\w+ed)\b)[a-z]"
        r"|\balways (?:comes?|goes?|uses?|has|have|runs?|gets?)\b|\b\w+s? (?:\w+ )*(?:everywhere|no matter what)\b"
        r"|, (?:and )?(?:never|no) (?!(?:mind|thanks|problem|worries|idea|need)\b)[\w ]+\.?$"
    ),
    Rule("likes", "preference", USER, 66, 0.4): word_pattern(
        r"\bI (?:really |generally |also )?(?:(?:hate|dislike|love|can['’]t stand) (?!(?:this|that|it|the|how"
        r"|to say)\b)|like (?!(?:this|that|it|the|your|how|to \w+ (?:the|a|my)|what)\b))[a-z]|\bI (?:don['’]t|do not"
        r"|won['’]t|never) (?:accept|want|use|eat|drink|fly|take|read|allow|trust) (?!(?:this|that|it|to)\b)[a-z]"
        r"|\bI only (?!(?:want|need|see|get|have|just)\b)[a-z]+ |^(?:my|our) (?:\w+ ){1,2}(?:likes?|dislikes?|hates?"
        r"|insists?|prefers?|wants?|requires?|forbids?)\b|\b(?:reviewers?|boss|customers?|users|clients?) (?:insists?"
        r"|dislikes?|hates?|prefers?)\b"
    ),
    Rule("keeps to", "preference", USER, 64, 0.4): word_pattern(
        r"^(?:please )?(?:prefer [a-z]|keep (?:[\w-]+ ){1,3}(?:short|small|under|simple|below|minimal|sorted|flat"
        r"|in English)\b|use [\w.`/-]+(?: [\w-]+){0,2} for (?:all|any|every|everything|anything|new)\b"
        r"|answer (?:me )?in [A-Z]|(?:report|document|label|quote|prefix|name|sign|translate) (?:every|all|any|each)\b"
        r"|stop \w+ing\b|(?:write|answer|speak|reply) (?:\w+ )?in (?-i:[A-Z])\w+)|\bleave (?:it|them|that) alone\b"
    ),
    Rule("who one is", "observation", USER, 64, 0.45): word_pattern(
        r"\b(?:I|we)(?:['’]m| am|['’]re| are) (?:the only|all|alone|maintaining|a team|a company|based in|on call"
        r"|part of)\b|^(?:I|we) (?:study|teach|own|lead|manage|represent|speak|live|travel)\b|\bnone of us\b|\b(?:I"
        r"|we) (?:have|hold) (?:a|an|two|three|\d+) (?:[\w-]+ ){0,3}(?:membership|subscription|licen[cs]es?|allergy"
        r"|certificate|degree|status|seats?|customers|offices|teams?)\b|^my (?:\w+ ){0,2}(?:name|id|number|email"
        r"|time zone|timezone|language|account|role|job|team) (?:is|are) (?!not\b)"
    ),
    Rule("what we do", "fact", USER, 62, 0.4, least=5): word_pattern(
        r"\bwe (?:\w+ly )?(?:write|pay|ship|release|store|keep|follow|squash|rebase|review|name|call|support|deploy"
        r"|host|sell|serve|track|sign|test|log|version|build|document|measure) (?!(?:this|that|it)\b)[\w`]"
        r"|\bwe(?:['’]re| are) migrating\b|\bthat['’]s how we\b|^releases? (?:go|goes|are)\b"
        r"|\bthere is no (?-i:[A-Z])\w+ here\b"
    ),
    Rule("is where", "fact", USER, 62, 0.35): word_pattern(
        rf"{_SUBJECT}(?:{_PRESENT_IS} {_KEPT}"
        r"|(?:lives?|goes|go|comes?|belongs?|depends?|arrives?|runs?|meets?|stays?|exports?|works?) "
        r"(?:in|at|under|to|from|on|out|as|after|before|until|with|quarterly|weekly|daily|monthly)\b)"
    ),
    Rule("measures", "fact", BOTH, 61, 0.35, anchored=True, least=5): word_pattern(
        _SUBJECT
        + r"(?:has|have) (?:only |at most |at least |a hard timeout of )?\d+|"
        + _SUBJECT
        + r"is the (?:oldest|newest|only|last|minimum|maximum|lowest|highest|smallest"
        r"|largest) (?:\w+ ){1,2}(?:that|which|we)\b"
    ),
    Rule("place", "fact", ASSISTANT, 60, 0.35, anchored=True, least=NEEDS_ALL): word_pattern(
        rf"{_SUBJECT}(?:is|are) (?:stored|kept|located|hosted|generated|read|written|configured|defined"
        rf"|documented|done|built)"
        r" (?:under|in|at|from|by|with|to)\b"
    ),
    Rule("limits itself", "learning", ASSISTANT, 60, 0.35, anchored=True, least=NEEDS_ALL): word_pattern(
        rf"{_SUBJECT}{_BEHAVES}.*\b{_BOUND_CLAUSE}|{_SUBJECT}(?:[\w`'’./-]+ ){{0,4}}(?:, so|, because|, which)\b"
    ),
    Rule("comes from", "learning", ASSISTANT, 62, 0.35, anchored=True, least=NEEDS_ALL): word_pattern(
        r"\b(?:comes?|came|stems?|stemmed|results?|resulted) from\b.*\b(?:which|because|since|that|on|in)\b"
    ),
}
