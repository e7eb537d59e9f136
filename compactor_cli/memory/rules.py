"""Recognize sentences worth remembering by their words alone (English).

A rule has a category of seed 003, the speakers it applies to, a pattern, and the worth of a matching sentence:
importance (0 to 100) and confidence (0 to 1: how sure the rule is of the category, and that the sentence is worth
remembering). No confidence exceeds 0.6, since words alone do not show what somebody means.

| rule | who | category | importance | confidence | a sentence that it finds |
|---|---|---|---|---|---|
| from now on | user | preference | 80 | 0.6 | From now on, sign off every commit. |
| prefers | user | preference | 75 | 0.6 | I prefer small pull requests. |
| always or never | user | preference | 75 | 0.55 | Always run the linter before a push. |
| must stay so | user | preference | 72 | 0.5 | The keys of the report must stay as documented. |
| asked to remember | user | preference | 75 | 0.5 | Remember to bump the version in setup.cfg. |
| general advice | user | preference | 65 | 0.45 | We should use strong types wherever we can. |
| uses instead | user | correction | 70 | 0.5 | Use pnpm instead of npm. |
| forbids | user | correction | 68 | 0.45 | Don't use localStorage for AI resources. |
| corrects | user | correction | 65 | 0.4 | No, the API is served by nginx. |
| works on | user | observation | 65 | 0.5 | I'm working on a crypto trading app. |
| has | user | fact | 65 | 0.5 | Our database is PostgreSQL 15. |
| is started with | both | fact | 65 | 0.5 | Tests run with `make test`. |
| is set up so | both | fact | 62 | 0.4 | The server listens on port 8080. |
| limit | assistant | fact | 60 | 0.4 | pi-cli does not support custom URLs. |
| decided | both | fact | 65 | 0.45 | We decided to keep `parser.py` for old files. |
| root cause | both | learning | 70 | 0.5 | The root cause was a stale lock in `cache.db`. |
| turned out | both | learning | 68 | 0.45 | It turned out that `os.Stdin` is read twice. |
| works only when | both | learning | 65 | 0.45 | `pytest -n` only works when the database is shared. |
| fixed by | both | learning | 63 | 0.4 | The timeout was fixed by raising `PATIENCE` to 10. |
| is the problem | assistant | learning | 60 | 0.35 | The issue is that `setup()` reads standard input. |
| fails because | assistant | learning | 60 | 0.35 | The build fails because `CC` is not set. |
| behaves so when | assistant | learning | 60 | 0.35 | `load_env()` ignores the file when it is empty. |

Rules about systems require an anchor, which names the subject: a path, code, a version or a product. A sentence that
only matters within the session is rejected, whatever rule it matches (`memory.ephemeral`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from compactor_cli.memory.ephemeral import ANCHOR, DECIDED, Speaker, is_ephemeral, speaks_of_tools, word_pattern
from compactor_cli.memory.habits import ASSISTANT, BOTH, HABITS, LEAST_WORDS, MOST_WORDS, NEEDS_ALL, USER, Rule

_LEAD = r"^(?:[\w ]{3,25}: )?(?:(?:please|and|also|so|but|ok(?:ay)?|no|nope|well|oh|hey)\b[,.:!]? +)*"
_THINGS = (
    r"(?:databases?|db|tests?|test suite|unit tests|integration tests|builds?|servers?|services?|apis?|endpoints?"
    r"|backend|frontend|front end|back end|app(?:lication)?|website|site|cli|projects?|repo(?:sitory|sitories)?"
    r"|monorepo"
    r"|packages?|config(?:uration)?(?: file)?|settings?|logs?|cache|queue|schemas?|migrations?|linter|formatter"
    r"|default branch|main branch|deployments?|pipelines?|ci|docs|documentation|dashboard|proxy|cluster|container"
    r"|images?|columns?|fields?|tables?|library|framework|stack|codebase|compiler|runtime|python|node|java|go|rust)"
)
_THING = rf"(?:(?:the|our|my|this project's|all|its) )(?:[\w.`'/-]+ ){{0,3}}{_THINGS}"
_IS_SO = (
    r"(?:is|are) (?:written|stored|located|hosted|deployed|defined|configured|built|kept|served|managed|generated|based"
    r"|in|on|at)\b|(?:is|are) (?:(?:a|an|the) )?(?-i:[`A-Z/~]|\d+\.\d)|uses |use |runs? (?:on|in|under|at|against)"
    r"|listens? (?:on|at)|lives? (?:in|at|on|under)|needs |requires |targets |supports |follows |defaults? to"
    r"|depends? on"
)

RULES: Mapping[Rule, re.Pattern[str]] = {
    Rule("from now on", "preference", USER, 80, 0.6): word_pattern(
        r"\b(?:(?:from now on|going forward|from here on|as a (?:general )?rule)\b|in (?:the )?future,)"
    ),
    Rule("prefers", "preference", USER, 75, 0.6): word_pattern(
        r"\b(?:I|we)(?:['’]d| would| do)?(?: (?:really|strongly|generally|usually|always|much|also"
        r"|personally))? (?:prefer|rather (?:have|use|see|keep|avoid))\b|\b(?:my|our) preference\b|\b(?:I"
        r"|we) (?:really |generally |usually |always )?(?:(?:like|hate) to (?:keep|have|see|use|avoid)|(?:like"
        r"|want) (?:all|every))\b|\b(?:I|we) (?:don['’]?t|do not) (?:ever )?like to\b"
    ),
    Rule("always or never", "preference", USER, 75, 0.55): word_pattern(
        _LEAD
        + r"(?:always|never)(?: ever)? (?!mind|forget the|works?|worked|seen|saw|heard|had|been|got|\w+ing\b)[a-z]"
        r"|\b(?:you|we) (?:should|must|have to|need to) (?:always|never) [a-z]|\b(?:I|we) (?:always|never) (?:use|run"
        r"|write|put|keep|deploy|test|merge|squash|rebase|want|commit|push|review|format)\b|\bmake sure (?:to |you "
        r"|that you )?(?:always|never)\b|\bmust (?:always|never) |\bshould (?:always|never) "
    ),
    Rule("must stay so", "preference", USER, 72, 0.5, least=5): word_pattern(
        r"\b(?:must|has to|have to|needs? to) (?:keep|stay|remain|not|never|continue)\b|\b(?:nothing"
        r"|no \w+)\b[^.]{0,60} (?:may|must|can|should) \w|\bmust be enough\b|\boff[- ]limits\b"
        r"|\bstandard library only\b|\b(?:no|without) (?:npm|new|external|third[- ]party|further"
        r"|additional) (?:packages?|dependenc(?:y|ies)|librar(?:y|ies))\b"
    ),
    Rule("asked to remember", "preference", USER, 75, 0.5): word_pattern(
        _LEAD + r"(?:(?:(?:please )?remember (?:that|to)|keep in mind|bear in mind|make a note|for future reference"
        r"|don['’]?t forget that)\b|(?:please )?(?:remember|for (?:the|your) record): +\w)"
    ),
    Rule("general advice", "preference", USER, 65, 0.45): word_pattern(
        r"\b(?:we|you) should (?:be )?\w+.*\b(?:wherever|everywhere|whenever|every time|each time|across the (?:code"
        r"|repo|project)|in general|by default)\b|^(?:whenever|every time|each time) (?:you|we|I) \w+.*, \w+"
    ),
    Rule("uses instead", "correction", USER, 70, 0.5): word_pattern(
        _LEAD + r"(?:(?:we|you) (?:should|must|need to|have to) )?(?:use|using|write|run|call|put|keep|name|import"
        r"|install|prefer)\b.*(?:\binstead of\b|\brather than\b|, not\b|\band not\b|\bnot the\b)"
    ),
    Rule("forbids", "correction", USER, 68, 0.45, least=4): word_pattern(
        _LEAD + r"(?:(?:you|we) (?:should(?: not|n['’]?t)|must(?: not|n['’]?t)) (?:ever )?|(?:do not|don['’]?t|stop"
        r"|avoid) (?:ever )?)(?!worry|know|think|have|need|see|bother|mind|forget|care|understand|hesitate|apolog|want"
        r"|get me|make me|tell me|let me|ask me|seem|work|believe|remember|like|really|do (?:it|that|anything)|you |we "
        r"|they |be )[a-z]"
    ),
    Rule("corrects", "correction", USER, 65, 0.4, anchored=True, least=6): word_pattern(
        r"^(?:no|nope|wrong|incorrect|actually|not quite)[,.:]+ +(?!thanks|thank|please|let)(?:the|we|our"
        r"|it['’]s not) .*\b(?:is|are|uses?|runs?|not)\b"
    ),
    Rule("works on", "observation", USER, 65, 0.5, least=5): word_pattern(
        r"\b(?:I|we)(?:['’]m|['’]re| am| are) (?:working on|building|developing|maintaining|migrating|responsible for"
        r"|writing (?:a|an|the|our|my)\b|(?:a|an|the) (?:\w+ ){0,2}(?:developer|engineer|designer|scientist|student"
        r"|maintainer|author|owner|member|manager))\b|\b(?:I|we) (?:work|develop|maintain) (?:on|at|in|with|for|a|an"
        r"|the)\b"
    ),
    Rule("has", "fact", USER, 65, 0.5, anchored=True): word_pattern(
        rf"\b(?:my|our) (?:[\w.-]+ ){{0,2}}{_THINGS} (?:{_IS_SO})|\bwe (?:use|run|deploy|host|target|support"
        rf"|are using|are on) "
    ),
    Rule("is started with", "fact", BOTH, 65, 0.5, anchored=True): word_pattern(
        r"\b(?:tests?|test suite|builds?|linters?|lint|formatter|server|app|docs|migrations?|checks?"
        r"|benchmarks?)(?: (?:are|is|can be|must be))? (?:run|runs|started|built|executed|invoked|generated"
        r"|applied)(?: \w+)? (?:with|by|via|using|through) (?:running )?`"
    ),
    Rule("is set up so", "fact", BOTH, 62, 0.4, anchored=True, least=5): word_pattern(
        rf"^{_THING} (?:(?:only|also|always) )?(?:{_IS_SO})"
    ),
    Rule("limit", "fact", ASSISTANT, 60, 0.4, anchored=True, least=NEEDS_ALL): word_pattern(
        r"^(?:the )?[`A-Z@][\w`.@/()-]*(?: [\w`.-]+){0,3} (?:does not|doesn['’]t|do not|don['’]t|can ?not|can['’]t|only"
        r"|never) (?:support|accept|allow|expose|provide|handle|read|write|load|honou?r|respect|include|send|store"
        r"|preserve|return)s?\b"
    ),
    Rule("decided", "fact", BOTH, 65, 0.45, anchored=True, least=NEEDS_ALL): DECIDED,
    Rule("root cause", "learning", BOTH, 70, 0.5, anchored=True, least=NEEDS_ALL): word_pattern(
        r"\b(?:root cause|culprit|(?:real|actual|underlying) (?:cause|problem|issue|reason))\b.{0,60}?"
        r"(?:\b(?:is|was)\b|:)|^the cause: |\b(?:is|was|were|are) caused by\b"
    ),
    Rule("turned out", "learning", BOTH, 68, 0.45, anchored=True, least=NEEDS_ALL): word_pattern(
        r"\bturn(?:s|ed) out\b(?! (?:well|fine|ok|good|great|nice))"
    ),
    Rule("works only when", "learning", BOTH, 65, 0.45, anchored=True, least=NEEDS_ALL): word_pattern(
        r"\bonly works? (?:when|if|with|on|in|for|from|after|once)\b|\bworks? only (?:when|if|with|on|in|for|from|after"
        r"|once)\b|\b(?:won['’]t|will not|does(?:n['’]t| not)|do(?:n['’]t| not)|can(?:not"
        r"|['’]t)) (?:\w+ ){0,4}(?:unless|without)\b|\bmust be (?:\w+ ){1,4}(?:before|otherwise|or else)\b"
    ),
    Rule("fixed by", "learning", BOTH, 63, 0.4, anchored=True, least=NEEDS_ALL): word_pattern(
        r"\w+ (?:is|was|were|are|got|can be) (?:fixed|solved|resolved|avoided|worked around) by \w+ing\b"
        r"|^the (?:fix|solution|workaround) (?:is|was) to (?:\w+ly )?[a-z]+ "
    ),
    Rule("is the problem", "learning", ASSISTANT, 60, 0.35, anchored=True, least=NEEDS_ALL): word_pattern(
        r"^(?:so )?the (?:[\w`-]+ )?(?:issue|problem|bug|cause|reason) (?:is|was) that\b"
    ),
    Rule("fails because", "learning", ASSISTANT, 60, 0.35, anchored=True, least=NEEDS_ALL): word_pattern(
        r"\b(?:fails?|failed|breaks?|broke|crash(?:es|ed)?|hangs?|hung|refuses?|is (?:empty|wrong|missing|ignored"
        r"|skipped|lost|never \w+)|does(?:n['’]t| not) \w+|did(?:n['’]t| not) \w+) [^.]{0,120}\bbecause\b"
    ),
    Rule("behaves so when", "learning", ASSISTANT, 60, 0.35, anchored=True, least=NEEDS_ALL): word_pattern(
        r"^(?:the |an? )?(?-i:`|[A-Z]\w*[A-Z]|[\w-]+[_/]|\w+\.\w|[A-Z]\w+ [A-Z])[^.]{0,60}? (?:strips?|ignores?|skips?"
        r"|rejects?|drops?|falls? back|overrides?|overwrites?|blocks?|discards?|reuses?|refuses?|requires?|treats?"
        r"|resets?|loses?) .*\b(?:when|if|unless|because|even though)\b"
    ),
}
"""The first matching rule applies; the rules of `memory.habits` follow these."""


def find_rule(sentence: str, speaker: Speaker) -> Rule | None:
    """Return the rule that makes a sentence worth remembering; None if no rule applies."""
    count = len(sentence.split())
    if not LEAST_WORDS <= count <= MOST_WORDS or sentence.endswith(("?", ":", "…", ",", "...")) or "|" in sentence:
        return None
    if is_ephemeral(sentence, speaker) or (speaker == "user" and speaks_of_tools(sentence)):
        return None
    for rule, words in (*RULES.items(), *HABITS.items()):
        if speaker in rule.speakers and count >= rule.least and words.search(sentence):
            return rule if not rule.anchored or ANCHOR.search(sentence) else None
    return None
