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

from compactor_cli.memory.ephemeral import word_pattern
from compactor_cli.memory.rule import ASSISTANT, BOTH, NEEDS_ALL, USER, Rule

_NOT_ABOUT = (
    r"^(?:and |also |but |so )?(?!(?:I|we|you|he|she|they|it|its|this|that|these|those|there|here|what|who|which"
    r"|where|when"
    r"|why|how|then|now|next|let|can|could|would|please|if|one|consider|add|go|use|try|make|check|run|set|see|do"
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
    r"(?:does not|doesn['’]t|do not|don['’]t|can ?not|can['’]t|must(?: not)?|never|only|always|needs?|requires?"
    r"|rejects|ignores|drops"
    r"|skips|strips|reads|keeps|returns|runs|counts|closes|clears|fails|has no|have no|treats|wins|breaks"
    r"|expects?|means|groups|parses|truncates|floors|rounds|overrides|overwrites|blocks|discards|reuses"
    r"|refuses"
    r"|resets|loses|falls back|defaults|targets|hits|sends|adds|sorts|merges|caches|accepts?|stores|reports"
    r"|(?:is|are) (?:read|run|called|parsed|cleared|dropped|ignored|reused|generated|refreshed|printed|kept|closed"
    r"|answered"
    r"|skipped|encoded|cached|sorted|evaluated|loaded|set|sent|uploaded|restated))\b"
)
_BOUND_CLAUSE = (
    r"(?:because|so|unless|otherwise|even though|although|which|whose|until|before|after|under|above|below|over"
    r"|without|not"
    r"|never|only|no|cannot|instead|twice|once|and not|but|as well|rather than|even|than|must|within|when|while)\b"
)
"""Words that state a limit or a reason; descriptions of code lack them."""

HABITS: tuple[Rule, ...] = (
    Rule(
        "holds for all",
        "preference",
        USER,
        word_pattern(
            r"^(?:every|each|all|any|anything|nothing|nobody|no one|none|whoever|whenever)\b(?! (?:good|done|right"
            r"|set|of (?:this|that|it)|idea))"
            r".*\b(?:must|have to|has to|needs?|may|can(?:not|['’]t)?|should|is|are|goes|go|uses?|gets?|comes?"
            r"|approves?"
            r"|starts?|ends?|belongs?)\b"
        ),
        68,
        0.4,
        least=5,
    ),
    Rule(
        "has to be so",
        "preference",
        USER,
        word_pattern(
            _SUBJECT + r"(?:must|have to|has to|can ?not|can['’]t|may (?:not|only|never)|should (?:not|never|only)"
            r"|shouldn['’]t|needs? (?:a|an|the|to)|wins? over|matters?|beats?|takes? precedence|forbids?)\b"
            r"|^you need my\b|\bwithout asking me\b|\bneeds my (?:approval|ok|consent)\b"
            r"|^(?:we|I) (?:can ?not|can['’]t) (?:use|have|ship|store|log|change|break|accept|deploy)\b"
        ),
        66,
        0.4,
    ),
    Rule(
        "holds always",
        "preference",
        USER,
        word_pattern(
            r"\b(?:is|are|comes?|goes?|come from|I|we|they|users?|customers?) (?:\w+ ){0,2}?(?:always|never|only) "
            r"(?!(?:just|one|wanted|had|been|did|got|saw|seen|heard|known|thought|\w+ed)\b)[a-z]"
            r"|\balways (?:comes?|goes?|uses?|has|have|runs?|gets?)\b|\b\w+s? (?:\w+ )*(?:everywhere|no matter what)\b"
            r"|, (?:and )?(?:never|no) (?!(?:mind|thanks|problem|worries|idea|need)\b)[\w ]+\.?$"
        ),
        66,
        0.4,
    ),
    Rule(
        "likes",
        "preference",
        USER,
        word_pattern(
            r"\bI (?:really |generally |also )?(?:(?:hate|dislike|love|can['’]t stand) (?!(?:this|that|it|the|how"
            r"|to say)\b)"
            r"|like (?!(?:this|that|it|the|your|how|to \w+ (?:the|a|my)|what)\b))[a-z]"
            r"|\bI (?:don['’]t|do not|won['’]t|never) (?:accept|want|use|eat|drink|fly|take|read|allow"
            r"|trust) (?!(?:this|that|it|to)\b)[a-z]"
            r"|\bI only (?!(?:want|need|see|get|have|just)\b)[a-z]+ "
            r"|^(?:my|our) (?:\w+ ){1,2}(?:likes?|dislikes?|hates?|insists?|prefers?|wants?|requires?|forbids?)\b"
            r"|\b(?:reviewers?|boss|customers?|users|clients?) (?:insists?|dislikes?|hates?|prefers?)\b"
        ),
        66,
        0.4,
    ),
    Rule(
        "keeps to",
        "preference",
        USER,
        word_pattern(
            r"^(?:please )?(?:prefer [a-z]|keep (?:[\w-]+ ){1,3}(?:short|small|under|simple|below|minimal|sorted"
            r"|flat|in English)\b"
            r"|use [\w.`/-]+(?: [\w-]+){0,2} for (?:all|any|every|everything|anything|new)\b|answer (?:me )?in [A-Z]"
            r"|(?:report|document|label|quote|prefix|name|sign|translate) (?:every|all|any|each)\b|stop \w+ing\b"
            r"|(?:write|answer|speak|reply) (?:\w+ )?in (?-i:[A-Z])\w+)"
            r"|\bleave (?:it|them|that) alone\b"
        ),
        64,
        0.4,
    ),
    Rule(
        "who one is",
        "observation",
        USER,
        word_pattern(
            r"\b(?:I|we)(?:['’]m| am|['’]re| are) (?:the only|all|alone|maintaining|a team|a company|based in"
            r"|on call|part of)\b"
            r"|^(?:I|we) (?:study|teach|own|lead|manage|represent|speak|live|travel)\b|\bnone of us\b"
            r"|\b(?:I|we) (?:have|hold) (?:a|an|two|three|\d+) (?:[\w-]+ ){0,3}(?:membership|subscription"
            r"|licen[cs]es?|allergy"
            r"|certificate|degree|status|seats?|customers|offices|teams?)\b"
            r"|^my (?:\w+ ){0,2}(?:name|id|number|email|time zone|timezone|language|account|role|job|team) (?:is"
            r"|are) (?!not\b)"
        ),
        64,
        0.45,
    ),
    Rule(
        "what we do",
        "fact",
        USER,
        word_pattern(
            r"\bwe (?:\w+ly )?(?:write|pay|ship|release|store|keep|follow|squash|rebase|review|name|call|support"
            r"|deploy|host|sell"
            r"|serve|track|sign|test|log|version|build|document|measure) (?!(?:this|that|it)\b)[\w`]"
            r"|\bwe(?:['’]re| are) migrating\b|\bthat['’]s how we\b"
            r"|^releases? (?:go|goes|are)\b|\bthere is no (?-i:[A-Z])\w+ here\b"
        ),
        62,
        0.4,
        least=5,
    ),
    Rule(
        "is where",
        "fact",
        USER,
        word_pattern(
            rf"{_SUBJECT}(?:{_PRESENT_IS} {_KEPT}"
            r"|(?:lives?|goes|go|comes?|belongs?|depends?|arrives?|runs?|meets?|stays?|exports?|works?) "
            r"(?:in|at|under|to|from|on|out|as|after|before|until|with|quarterly|weekly|daily|monthly)\b)"
        ),
        62,
        0.35,
    ),
    Rule(
        "measures",
        "fact",
        BOTH,
        word_pattern(
            _SUBJECT
            + r"(?:has|have) (?:only |at most |at least |a hard timeout of )?\d+|"
            + _SUBJECT
            + r"is the (?:oldest|newest|only|last|minimum|maximum|lowest|highest|smallest"
            r"|largest) (?:\w+ ){1,2}(?:that|which|we)\b"
        ),
        61,
        0.35,
        anchored=True,
        least=5,
    ),
    Rule(
        "place",
        "fact",
        ASSISTANT,
        word_pattern(
            rf"{_SUBJECT}(?:is|are) (?:stored|kept|located|hosted|generated|read|written|configured|defined"
            rf"|documented|done|built)"
            r" (?:under|in|at|from|by|with|to)\b"
        ),
        60,
        0.35,
        anchored=True,
        least=NEEDS_ALL,
    ),
    Rule(
        "limits itself",
        "learning",
        ASSISTANT,
        word_pattern(
            rf"{_SUBJECT}{_BEHAVES}.*\b{_BOUND_CLAUSE}|{_SUBJECT}(?:[\w`'’./-]+ ){{0,4}}(?:, so|, because|, which)\b"
        ),
        60,
        0.35,
        anchored=True,
        least=NEEDS_ALL,
    ),
    Rule(
        "comes from",
        "learning",
        ASSISTANT,
        word_pattern(
            r"\b(?:comes?|came|stems?|stemmed|results?|resulted) from\b.*\b(?:which|because|since|that|on|in)\b"
        ),
        62,
        0.35,
        anchored=True,
        least=NEEDS_ALL,
    ),
)
