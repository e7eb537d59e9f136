"""Tells orders and bans from statements with the same words: "Never push" is an order, "It never stops" is not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from compactor_cli.features.cue_words import CUES, CueCounter
from compactor_cli.features.talk_words import words
from compactor_cli.text.patterns import compiled_later, lower_for_search

_PART_BORDERS = compiled_later(
    r"[,;:.!?](?:\s+|$)|\(|(?<=\s)[—–-]\s+|[，；：、。！？]\s*|\s(?:but|aber|sondern|pero|mais|ma|mas)\s",
    re.IGNORECASE,
)
"""The borders between parts of a sentence, each of which may be an order."""
_LEAD_WORDS = compiled_later(
    r"[\W_]*(?:\d{1,2}[.)]\s+)?(?:(?:and|but|also|so|then|ok|okay|well|oh|btw|by the way|und|aber|dann|also|ach"
    r"|übrigens|y|por cierto|et|au fait|e|a proposito|и|кстати)\s+)*",
    re.IGNORECASE,
)
"""Words and numbers with which such a part may begin."""
_PLEASE = compiled_later(
    r"\b(?:please|pls|bitte|por favor|porfa|s['’]il (?:te|vous) pla[iî]t|svp|merci de|per favore|пожалуйста)\b|请|請",
    re.IGNORECASE,
)
_PLEASE_WORDS = (
    r"(?:please|pls|bitte|por favor|porfa|s['’]il (?:te|vous) pla[iî]t|svp|stp|per favore|пожалуйста)(?![^\W_])"
)
_NEGATIONS = frozenset(
    (
        *("no", "kein", "keine", "keiner", "keinen", "keinem", "ohne", "sin", "sem", "pas", "nessun", "nessuno"),
        *("nessuna", "senza", "без"),
    )
)
"""One of these words is in every part that `_NEGATED_NOUN` matches."""
_NEGATED_NOUN = compiled_later(
    rf"(?P<asked>{_PLEASE_WORDS}\s+)?"
    r"(?:(?:no|kein(?:e[nmr]?)?|ohne|sin|sem|pas de|nessun[oa]?|senza|без)\s+|pas d['’])"
    r"(?!(?:problem\w*|worr\w+|needs?|idea|way|doubt|rush|hurry|thanks?|thank|one|longer|more|sorry|wait|not|such"
    r"|difference|chance|clue|luck|response|reply|answer|news|ahnung|angst|sorgen?|stress|mich|dich|uns|duda|"
    r"dudas|embargo|idée|soucis?|acc[eè]s"
    r"|понятия|проблем)(?![^\W_]))"
    rf"(?P<what>[^\W\d_][\w-]*(?:\s+(?!{_PLEASE_WORDS})[\w-]+){{0,4}}?)"
    rf"(?:(?P<end>\s+{_PLEASE_WORDS})|(?P<ever>\s+ever))?\W*",
    re.IGNORECASE,
)
"""A part that only names what there must be none of. It is a ban only if it asks for that, or for ever."""
_SPANISH_NO = compiled_later(r"(?:por favor\s+)?no\s.*\bpor(?:fa| favor)\W*$|por favor\s+no\s", re.IGNORECASE)
"""Not a ban: "no" negates a verb here."""
_ONLY_PLEASE = compiled_later(rf"\W*{_PLEASE_WORDS}\W*", re.IGNORECASE)
_EVER = compiled_later(r"\W*(?:ever|at all|never ever)\W*", re.IGNORECASE)
_PLURAL = compiled_later(r"[\w-]+(?:[^\W\dsuè_]s|aux|e[nr]|[eè]mes)", re.IGNORECASE)
"""A plural, as in most bans. A singular is rather a complaint: "no internet here please"."""
_REPORT_WORDS = compiled_later(r"\s(?:\w+ed|found|left|named|called|such|for|to|on|in|at)(?![^\W_])", re.IGNORECASE)
"""Words that make the part a report of what went wrong."""
_LIMIT_WORDS = compiled_later(
    r"\b(?:never|always|only|do not|don['’]?t|nie|niemals|immer|nur|jamais|toujours|nunca|siempre|jamás|solo|sólo"
    r"|sempre|mai|никогда|всегда)\b",
    re.IGNORECASE,
)
_STATEMENT_WORDS = compiled_later(
    r"\b(?:I|we|he|she|it|this|that|these|those|they|there|who|which|what|why|how|if|whether|files?|ich|wir|er|es"
    r"|das|man|je|j['’]\w*|il|elle|ça|on|nous|yo|lo|io|eu|я|мы|он|она|они|оно|это)\b"
    r"|\b(?:is|are|was|were|has|had|does|did|will|would|can|could|ist|sind|war|hat|est|sont|es|está|è)\b",
    re.IGNORECASE,
)
"""Words before such a limit that make the part a statement."""
_NO_VERB = (
    r"(?:the|an?|this|that|these|those|my|our|in|on|at|of|good|nice|null|empty|true|false|wrong|same|mind|seen|"
    r"been|had|saw"
    r"|heard|again|ever|once|knew|got|did|done|went|gone|thought|more|as|so|\w+ing|\w*(?<![eb])ed|\w*(?<!s)s)\b"
)
_NO_BAN = (
    r"(?:know|think|worry|care|see|remember|mind|believe|get|understand|have|need|like|want|hesitate|recall|bother|even"
    r"|really|actually|you(?! dare))\b"
)
_ORDER_BEGINNINGS = compiled_later(
    rf"(?:please\s+)?(?:(?:never|always)\s+(?!{_NO_VERB})[a-z]{{2,}}|(?:do not|don['’]?t)\s+(?!{_NO_BAN})[a-z]{{2,}})"
    r"|only (?!(?:one|two|three|half|some|if|when|in|for|on|at|after|by|because|an?|the"
    r"|saw|got|had|did|found|made|came|took|went|heard|knew|just|happened|ran|wrote|put|read|kept|left|gave|said|sent"
    r"|have|see|want|need|know|\w+ed)\b)[a-z]{2,}(?<!s)"
    r" (?:the|my|our|an?|this|what|from|to|in|with|it|them)\b"
    r"|(?:(?:since|as|because) )?I (?:do not|don['’]?t) want \w"
    r"|you (?:must|mustn['’]?t|may not)\b(?!\s+(?:admit|be \w+ing|have|say))"
    r"|(?:du|ihr|sie) (?:musst|müsst|müssen|darfst|dürft|dürfen)\b"
    r"|(?:niemals|nie|immer|nur)\s+(?!wieder\b|mehr\b|noch\b|ein)"
    r"(?!(?:.*\s)?(?:ab|an|auf|aus|ein|fertig|los|mit|vor|weg|zu)?ge(?!h|b|n|w[iö]|statt|rat|fähr)\w{3,}en\b)"
    r"\w+.*(?:en|n)\W*$"
    r"|(?!leider|bisher|noch|fast|schon|auch|heute|hier|aber|und|oder|doch|denn|wohl|"
    r"eben)[^\W\d_]{2,}(?<!t)(?<!s)(?<!er)"
    r"(?<!en)(?<!ung) (?:niemals|nie|nur|immer)\b"
    r"|(?:ne\s+|n['’])(?!(?:sai|peu|voi|march|fonctionn|hésit|veu|va\b))\w+\s+(?:\w+\s+)?(?:pas|jamais|rien|plus)\b"
    r"|(?:toujours|jamais)\s+(?:\w{2,}(?:er|ir)|\w+dre|\w*mettre|faire|lire|écrire)\b"
    r"|(?:tu dois|vous devez|il (?:ne )?faut(?: pas)?)\b(?!\s+(?:que j|dire|croire))|\w+ez\s+(?:toujours|jamais)\b"
    r"|(?:nunca|jamás)\s+(?:(?:me|l[aoe]s?|te)\s+)*(?!más|antes|después|vas)\w+[ea]s\b"
    r"|(?:tienes|tiene|hay) que\b(?! ver)"
    r"|non \w+(?:are|ere|ire|rl[aoei])\b.*\bmai\b|mai \w+(?:are|ere|ire|rl[aoei])\b"
    r"|(?:devi|dovete)\s+(?:sempre|solo)\b"
    r"|никогда не (?!\w+л[аи]?\b)\w+(?:й|йте|и|ите|ь|ьте)\b|всегда \w+(?:йте|ите|ьте)\b|нельзя \w+ть\b",
    re.IGNORECASE,
)
"""The beginnings of orders and bans."""
_NO_ORDER = compiled_later(rf"(?:never|always)\s+{_NO_VERB}|(?:do not|don['’]?t)\s+{_NO_BAN}", re.IGNORECASE)
_RULE_OF_THING = compiled_later(
    r"(?P<subject>.*?)\b(?:must(?:n['’]?t)?\b"
    r"(?!\s+(?:have|admit|say|be (?:the|an?|because|due|some\w*|at|down|off|wrong)\b))"
    r"|(?:is|are) (?:strictly |absolutely )?(?:forbidden|prohibited|mandatory|strictly required)\b"
    r"|(?:darf|dürfen) (?:\w+ ){0,3}?(?:nicht|nur|kein\w*|nie|niemals)\b|müssen\b|muss\b(?!.*\b(?:liegen|sein)\W*$)"
    r"|(?:doit|doivent)\b|(?:est|sont) (?:strictement )?interdite?s?\b|(?<=\w\s)(?:debe|deben|deve|devono|devem)\b)",
    re.IGNORECASE,
)
"""What must or must not be the case, with the thing that it applies to before it."""
_ERROR_MESSAGE = compiled_later(r"\b(?:error|exception|warning|failed|fehler|erreur)\b|\b[45]\d\d\b", re.IGNORECASE)
"""An error message of a program. It says that something is required, but requires nothing."""
_UNSPACED_ORDERS = compiled_later(
    r"(?<!\w)(?:也|就|都|你|您|请|千万|所以|但是?)*(?:不要(?!紧)|不得|不许|不准|别(?![的人处名致克墅针扭处])(?=[\u4e00-\u9fff])"
    r"|(?:绝对不能|只能)(?!.*了\W*$)|务必|禁止)|(?<![特区性类级个告分差鉴识辨派])别(?=[动碰改删写用加发推提再把给让])|[请都](?:不要|别|务必)|[请你](?:只能|不能)|"
    r"(?:严禁|禁止|不得|务必)"
    r"|^(?![我他她它]).*必须|必ず.*(?:ください|こと|て|しろ|せよ)[。！]*$|てはいけない|(?:ない|絶対に.*)で(?:ください|ね|。|！|$)"
)
_ADDRESSED = compiled_later(r"(?:(?:you|always|let['’]?s|just|only|du|tu)\s+)*", re.IGNORECASE)
_ASKS_HOW = compiled_later(
    r"\b(?:tell|explain|describe|show|say|know|see|clarify)\b.*\b(?:what|how|why|whether|which|when|where|if)\b",
    re.IGNORECASE,
)
"""Phrases that ask once about what holds from now on."""
_NOUN_FIRST = compiled_later(
    r"(?:address|answer|book|build|cache|call|change|check|commit|copy|deploy|display|edit|export|import|install|"
    r"log|mark"
    r"|merge|name|notice|order|post|print|push|refund|release|reply|report|restore|review|run|schedule|stay|store|test"
    r"|upload|use)\s+(?:#?\d[\w.]*\s+)?(?:\w+(?<!s)s\b(?=\s+\S)|is|are|was|were|will|has|had|can|may)(?![^\W_])",
    re.IGNORECASE,
)
"""A word that may be an imperative, but is the subject of the verb after it: "build takes"."""
_VERBS = CueCounter({"order": CUES["order"]})
_FROM_NOW = compiled_later(
    r"(?<![^\W_])(?:from (?:now|here|this point|today) on(?:wards?)?|from here on out|henceforth|until further notice"
    r"|until (?:I|we) (?:say|tell you) otherwise|for the (?:rest|remainder) of (?:the|this|our)"
    r" (?:sessions?|chat|conversation|talk|work|project|task|run|time|days?|week|month|year|night|evening"
    r"|afternoon|trip)"
    r"|ab (?:jetzt|sofort)|von (?:nun|jetzt) an|bis auf weiteres|künftig|zukünftig"
    r"|a partir de (?:ahora|agora)|de (?:ahora|agora) en? (?:adelante|diante)|desde ahora|hasta nuevo aviso"
    r"|até novo aviso"
    r"|daqui (?:para|pra) (?:a )?frente|désormais|dorénavant|à partir de maintenant|jusqu['’]à nouvel ordre"
    r"|d['’]?a?\s?ora in (?:poi|avanti)|fino a nuovo avviso|vanaf nu|voortaan|od teraz"
    r"|отныне|впредь|с этого момента|с этих пор)(?![^\W_])",
    re.IGNORECASE,
    (
        *("from now", "from here", "from this", "from today", "henceforth", "until further", "until i", "until we"),
        *("for the re", "ab jetzt", "ab sofort", "von nun", "von jetzt", "bis auf weiteres", "künftig", "partir de"),
        *("de ahora", "de agora", "desde ahora", "hasta nuevo", "até novo", "daqui p", "désormais", "dorénavant"),
        *("jusqu", "ora in ", "fino a nuovo", "vanaf nu", "voortaan", "od teraz", "отныне", "впредь"),
        *("с этого", "с этих"),
    ),
)
_FROM_NOW_UNSPACED = compiled_later(
    r"(?:从现|從現)在(?:起|开始|開始)[，,]?(?:请|只|别|不要|不准|不得|一律|都用|用)"
    r"|(?:今後|これから)は(?!.*(?:教えて|どう)).*(?:て|ください|こと)[。！]*$"
)
_MAX_NEAR_CHARS = 300
"""Maximum characters to read on either side of words such as "from now on"."""
_BAN_UNTIL = compiled_later(
    r"no [^\W\d_][\w-]*(?: [\w-]+){0,6}? (?:(?:until|unless|before) (?:I|we) (?:say|tell|ok|okay|approve"
    r"|confirm|agree|allow)|without (?:asking|telling) (?:me|us)"
    r"|without (?:my|our) (?:ok|okay|approval|consent|permission|word|go))(?![^\W_])"
    r"|no more than (?:\d+|one|two|three|four|five|six|ten) (?:short )?(?:sentences?|words|lines|bullets|points"
    r"|paragraphs?|characters)\W*$",
    re.IGNORECASE,
    (" until ", " unless ", " before ", " without ", "no more than "),
)


def is_order(text: str) -> bool:
    """Return whether a sentence says to do something always, or never."""
    is_error = _ERROR_MESSAGE.search(text) is not None
    return any(_is_order_part(part, is_error) for part in _split_parts(text))


def is_standing_order(text: str) -> bool:
    """Return whether a sentence orders or forbids something from now on, or bans something until somebody agrees."""
    return (
        _is_order_from_now(text)
        or (not text.isascii() and _FROM_NOW_UNSPACED.search(text) is not None)
        or any(_BAN_UNTIL.match(part) for part in _split_parts(text))
    )


def _is_order_from_now(text: str) -> bool:
    span = _FROM_NOW.search(text)
    if span is None:
        return False
    sides = text[max(0, span.start() - _MAX_NEAR_CHARS) : span.start()], text[span.end() : span.end() + _MAX_NEAR_CHARS]
    before, after = ([*_split_parts(side)] for side in sides)
    if before and _STATEMENT_WORDS.search(before[-1]):
        after = []
    return any(map(_tells_to_do, [*before[-1:], *(after[:1] if before else after)]))


def _tells_to_do(part: str) -> bool:
    """Return whether a part of a sentence that holds from now on has an imperative verb or bans something."""
    if _ASKS_HOW.search(part) or _NOUN_FIRST.match(part):
        return False
    without_address = part[_ADDRESSED.match(part).end() :]  # type: ignore[union-attr]
    return (
        _is_order_part(part, is_error=False)
        or _PLEASE.search(part) is not None
        or _VERBS.count(without_address.lower(), words(without_address))["order"] > 0
        or _is_bare_ban(part, "ever")
    )


def is_bare_ban(text: str) -> bool:
    """Return whether a part of a sentence only says what there must be none of: "No tables, please"."""
    parts = [*_split_parts(text)]
    return any(_is_bare_ban(part, next_part) for part, next_part in pairwise([*parts, ""]))


def _is_bare_ban(part: str, next_part: str) -> bool:
    negated = None if _NEGATIONS.isdisjoint(lower_for_search(part).split()) else _NEGATED_NOUN.fullmatch(part)
    if negated is None or _SPANISH_NO.match(f"{part} {next_part}"):
        return False
    noun_phrase = negated["what"]
    if negated["asked"] or _ONLY_PLEASE.fullmatch(next_part):
        return not _REPORT_WORDS.search(noun_phrase)
    nouns = noun_phrase.split()
    is_plural = _PLURAL.fullmatch(nouns[-1]) is not None and not _REPORT_WORDS.search(noun_phrase)
    if negated["end"]:
        return is_plural or (len(nouns) == 1 and part[:2].lower() == "no")
    return is_plural and (_EVER.fullmatch(next_part) is not None or (negated["ever"] is not None and len(nouns) > 1))


def _split_parts(text: str) -> Iterator[str]:
    for part in _PART_BORDERS.split(text):
        if stripped := part[_LEAD_WORDS.match(part).end() :].strip():  # type: ignore[union-attr]
            yield stripped


def _is_order_part(part: str, is_error: bool) -> bool:
    if _ORDER_BEGINNINGS.match(part) or (not part.isascii() and _UNSPACED_ORDERS.search(part)):
        return True
    of_thing = _RULE_OF_THING.match(part)
    if of_thing is not None:
        subject = of_thing["subject"]
        return bool(subject.strip()) and not _STATEMENT_WORDS.search(subject) and not is_error
    limit = _LIMIT_WORDS.search(part)
    if limit is None or _STATEMENT_WORDS.search(part, 0, limit.start()):
        return False
    return _PLEASE.search(part) is not None or (
        _VERBS.count(part.lower(), words(part))["order"] > 0 and not _NO_ORDER.match(part)
    )
