"""Detect sentences that matter only within the session: actions, guesses, and a harness's instructions."""

from __future__ import annotations

import re
from itertools import islice
from typing import Literal

Speaker = Literal["user", "assistant"]


def word_pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_TEMPORARY = word_pattern(
    r"\b(?:currently|at the moment|yet|still|today|tonight|tomorrow|yesterday|so far|already|again|next|for the moment"
    r"|until (?:I|we|you)|for now|this time|last time|earlier|previous(?:ly)?|just (?:now|got|saw|did|ran|tried|added"
    r"|made|fixed|merged)|later|meanwhile|first,?|afterwards|recent(?:ly)?|your (?:changes?|suggestion|proposal|answer"
    r"|last|plan)|my (?:last|next|changes?))\b|\b(?<!from )now(?! on)\b|\b(?:phase|step|task|option|approach|item|part"
    r"|question|finding|bug|fix|issue|round|section|chunk|message|turn|priority|case) #?(?:\d+|[A-C]\b)|\blines? \d+"
    r"|\.\w{1,5}:\d+|\b(?=[a-f]*\d)[0-9a-f]{7,40}\b|\b(?:the|your|my|last|latest) (?:PR|MR|pull request|commit|branch"
    r"|diff|conversation|screenshot|output|failing|failure)\b|\b(?:it seems|seems? (?:to|like)|maybe|perhaps|probably"
    r"|might|could|(?:it|this|that|there|which) may be|I (?:guess|suspect|wonder)|not sure|likely|appears? to"
    r"|looks like|let['’]s|let me|lets)\b|\bthen\b|\w [.,](?: |$)|\{\w+\}|\b\d\d?:\d\d\b|\b(?:uh|um|hmm|huh|yeah|mm)\b"
)
"""Words of sentences that concern the session itself, or that the speaker is unsure about."""
_WISH = word_pattern(
    r"\b(?:I|we)(?:['’]d| would)(?: \w+){0,2} (?:prefer|rather|like)\b"
    r"|\b(?:prefer|like) to (?:pay|book|fly|order|buy)\b"
)
"""A momentary wish; a lasting preference is stated unconditionally."""
_QUESTION = word_pattern(
    r"^(?:so |and |but )?(?:is|are|does|do|did|can|could|would|will|should|why|how|isn['’]?t) (?:it|we|i|you|they|the"
    r"|there|this|that|an?)\b|\b(?:would|is|are|does|do|did|can|could|should)n['’]?t (?:it|we|they|that|you|there)\b"
)
"""How a user's questions begin, with or without a question mark."""
_UNSURE = word_pattern(
    r"\b(?:should|would|shall|I (?:think|believe|expect)|assum\w+|(?:is|are) (?:failing|passing|running|working|done"
    r"|ready))\b"
)
"""Further words that show that an assistant is unsure or only reports."""
_PLAN = word_pattern(
    r"^(?:I|I['’](?:ll|m|ve|d)|let|now|next|then|here|okay|ok|good|great|perfect|done|yes|wait|hmm|looking|checking"
    r"|running|we (?:can|could|need)|you(?:['’]re| are)? (?:absolutely )?right|if you|would you|do you|can you"
    r"|could you|both|found|see|also,? I|so I|but I)\b"
)
"""How an assistant's sentences about its own actions begin."""
DECIDED = word_pattern(
    r"\b(?:I|we|it was) (?:have |had )?(?:decided|agreed|chosen|chose|settled on|opted)\b|^decision: "
    r"|\bwas chosen (?:because|since|over|for)\b|\b(?:is|are) (?:deliberately|intentionally|on purpose|by design)\b"
)
"""A decision, which an assistant may state as its own."""

ANCHOR = re.compile(
    r"`[^`]+`|(?<![\w])[\w.-]*/[\w./-]+|\b\w+\.(?:py|go|ts|js|rs|java|md|ya?ml|toml|json|sql|sh|cfg|ini|env|txt|db)\b"
    r"|\b[a-z]+_[a-z_]+\b|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w*|\b[A-Z]{2,}\w*_\w+|\b\w+\(\)|\bv?\d+\.\d+|\bport \d+"
    r"|(?<=[a-z,] )[A-Z][\w.+#-]+(?: \d+)?|--?\w[\w-]+=|\b[A-Z]{2,}\b"
)
"""Matches names: code, a path, a file, an identifier, a version, a port, a product within a sentence."""
_FIRST_PERSON = re.compile(r"\b(?:I|me|my|mine|we|us|our|ours|I['’]\w+|[Ww]e['’]\w+|[Mm]y|[Ww]e|[Oo]ur)\b")


def is_ephemeral(sentence: str, speaker: Speaker) -> bool:
    """Return whether a sentence is uncertain or no longer applies after the session."""
    if _TEMPORARY.search(sentence):
        return True
    if speaker == "user":
        return bool(_QUESTION.search(sentence) or _WISH.search(sentence))
    of_itself = (is_first_person(sentence) or _PLAN.match(sentence)) and not DECIDED.search(sentence)
    return bool(of_itself or _UNSURE.search(sentence))


def is_first_person(sentence: str) -> bool:
    """Return whether the speaker refers to himself or herself."""
    return _FIRST_PERSON.search(sentence) is not None


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
