"""What turns away from what was said or planned before: only words that decide do, not those that tell of a change."""

from __future__ import annotations

import re

from compactor_cli.text.patterns import compiled_later

_NOW = (
    r"(?:let['’]?s|don['’]?t|do not|please|make (?:it|that)|I['’]?(?:d| would)? (?:rather|like|prefer|want(?:ed)?|was"
    r" looking)"
    r"|(?:I|we)['’]?(?: wi)?ll|we (?:want|should|prefer)"
    r"|(?:use|change|keep|go|take|put|drop|remove|leave|do|switch|cancel|book|add)"
    r" (?:it|that|this|the|them|an?|with|back|to|only|my|all|for|no)\b)"
)
"""With what somebody says what is to be done."""
_BEFORE = r"(?:^|[.!:;,—–-]\s+)(?:(?:ok(?:ay)?|so|no|oh|but|and|well|hmm*|wait|yes|then|right)\b[,.!]*\s+)*"
_SPACED = compiled_later(
    rf"{_BEFORE}actually[,:]?\s+(?:no\b|never mind|{_NOW})|\bno,? actually\b(?=[,.\s]+(?:no|{_NOW}))"
    rf"|(?:{_BEFORE}|\band\s+){_NOW}[^.;]{{0,120}}?\binstead\b(?! of\b)|{_BEFORE}instead,?\s+{_NOW}"
    r"|^(?:no,\s+\w|let['’]?s\b|I['’]d rather\b)[^.;]{0,120}?\binstead of\b"
    r"|\bon second thoughts?\b|(?<!\ba )(?<!\bthe )(?<!\bany )\bchange of plans?\b"
    rf"|{_BEFORE}(?:scrap|forget) (?:that|it|this)(?=\s*(?:[,.;:!—–-]|$)|\s+(?:and|let|we|I|use)\b)"
    rf"|{_BEFORE}(?:(?:let['’]?s )?(?:go|switch|revert|roll) )?back to (?:[^\s,.;]+ ){{0,6}}?(?:first|original|previous"
    r"|earlier|initial|old|plan|option|variant|idea|approach)\b(?! (?:page|screen|step|line|folder|directory|tab|branch"
    r"|commit|version of))"
    rf"|\b(?:I|we)(?:['’]ve| have)? changed (?:my|our) minds?\b|{_BEFORE}no,? wait\b(?! (?:time|for|until)\b)"
    r"|\b(?:lieber|bitte|lass(?:t)? uns|nimm|nehmen wir|wir nehmen|machen wir|wir machen|mach|ich (?:will|möchte"
    r"|nehme))\b[^.;]{0,80}\bstattdessen\b|\bstattdessen (?:bitte|nimm|nehmen wir|machen wir|mach|lieber)\b"
    r"|\bdoch lieber\b|\b(?:wir|ich) (?:nehmen?|machen?|will|wollen|möchten?)\b[^.;]{0,60}\bdoch nicht\b"
    r"|\b(?:mir|uns) (?:es |das )?anders überlegt|\b(?:es|das) (?:mir|uns) anders überlegt"
    r"|^(?:(?:ok|also|so|kleine|neue)[ ,]+)*planänderung\b"
    r"|^(?:(?:ok|gut|nein|also|doch)[ ,]+)*zurück zu[mr]? (?:alt|erst|ursprüng|vorherig|plan|variante|option|idee)"
    r"|(?:^|[,;.:]\s+)(?:(?:no|pues|bueno)[, ]+)*mejor no\b|(?<!\bun )(?<!\bel )\bcambio de planes?\b"
    r"|\bpensándolo bien\b"
    r"|^(?:no, (?:usa|pon|usemos)|mejor|vamos a|usemos)\b[^.;]{0,80}\ben (?:vez|lugar) de\b"
    r"|\b(?:prends|prenons|prenez|on va|faisons|fais|faites|mets|mettons|utilis(?:e|ons|ez)|je (?:veux|préfère"
    r"|voudrais))\b[^.;]{0,60}\b(?:plutôt|à la place\b(?! d))"
    r"|\bfinalement,? (?:non\b|je (?:veux|préfère|voudrais|prends)|on (?:va|prend|fait|garde|part)\b|prends|prenons"
    r"|gard(?:e|ons)|fais|faisons|utilis(?:e|ons|ez))|(?<!\bun )(?<!\ble )\bchangement de plan\b"
    r"|\b(?:facciamo|usiamo|prendiamo|usa|prendi|voglio|vorrei|preferisco|meglio)\b[^.;]{0,60}\binvece\b(?! di)"
    r"|\banzi,? (?:no\b|facciamo|usiamo|prendiamo|usa|prendi|voglio|vorrei|preferisco|meglio|fai)\b"
    r"|(?:^|\b(?:я|мы)\s+(?:уже )?)передумал[аи]?\b|\b(?:давай(?:те)?|лучше)\b[^.;]{0,60}\bвместо\b",
    re.IGNORECASE,
)
_UNSPACED = compiled_later(
    r"换(?:个|成|一)?个?(?:方案|办法|法子|做法)|(?:还是|不如|那就|算了)[^，。；]{0,6}换成"
    r"|(?:^|[，。；：！]|还是|那就|那|就|咱们|我们)改(?:用|走)(?!什么|的|了)"
    r"|(?:^|[，。；：！])(?:那|还是|那就|唉)?算了吧?(?=[，。；！\s]|$)"
    r"|(?:^|[，。；：！\s]|[我先就都也们])不(?:用|要|做|改|想|需要)(?!紧)[^，。；\s]{0,6}(?<![忘错丢坏漏乱掉误])了(?=[，。；！]|$)"
    r"|やっぱり[^。]{0,40}(?:して(?!い)|てください|にする|にします|やめ|たい|お願い|方がいい|ほうがいい)"
    r"|代わりに[^。]{0,40}(?:て(?:ください|[。！]?$)|お願い|にします|にする)|やめて(?:ください|[。、！]|$)",
)
_HINT_WORDS = (
    "actually instead second change scrap forget back mind wait statt doch überlegt planänderung zurück "
    "mejor planes pensándolo vez lugar plutôt place finalement invece anzi вместо передумал "
    "换 改用 改走 算了 不 やっぱり 代わりに やめて"
)
_HINTS = tuple(_HINT_WORDS.split())
"""One of them is in every such sentence: looking for them takes a small part of the time."""


def turns_away(text: str) -> bool:
    """Return whether a sentence decides against what was said or planned before it."""
    low = text.lower()
    if not any(hint in low for hint in _HINTS):
        return False
    return _SPACED.search(text) is not None or (not text.isascii() and _UNSPACED.search(text) is not None)
