"""Rules that no word such as "never" tells of: what holds from now on, bans of a thing, and verbs behind a "not"."""

from __future__ import annotations

import re

from compactor_cli.text.patterns import compiled_later

_SURE = (
    r"from (?:now|here|this point|today) on(?:wards?)?|from here on out|henceforth|until further notice"
    r"|until (?:I|we) (?:say|tell you) otherwise|for the (?:rest|remainder) of (?:the|this|our)"
    r" (?:sessions?|chat|conversation|talk|work|project|task|run|time|days?|week|month|year|night|evening"
    r"|afternoon|trip)"
    r"|ab (?:jetzt|sofort)|von (?:nun|jetzt) an|bis auf weiteres|künftig|zukünftig"
    r"|a partir de (?:ahora|agora)|de (?:ahora|agora) en? (?:adelante|diante)|desde ahora|hasta nuevo aviso"
    r"|até novo aviso"
    r"|daqui (?:para|pra) (?:a )?frente|désormais|dorénavant|à partir de maintenant|jusqu['’]à nouvel ordre"
    r"|d['’]?a?\s?ora in (?:poi|avanti)|fino a nuovo avviso|vanaf nu|voortaan|od teraz"
    r"|отныне|впредь|с этого момента|с этих пор"
)
_PERHAPS = (
    r"in (?:the )?future|going forward|in zukunft|en el futuro|en lo sucesivo|à l['’]avenir|in futuro|no futuro"
    r"|в будущем"
)
"""Words of plans and forecasts, too."""
_SPAN = compiled_later(rf"(?<![^\W_])(?:{_SURE})(?![^\W_])", re.IGNORECASE)
_UNSPACED = compiled_later(
    "从现在(?:起|开始)|從現在(?:起|開始)|今后|今後|从今以后|これからは|以后(?=都|请|不|别|每|只|一律)"
)
_TOLD = compiled_later(
    r"(?:(?:and|but|so|und|aber|y|pero|et|mais|e|ma)\s+)?(?:it|that|this|there|everything|all (?:is|of)|they|he|she"
    r"|(?:läuft|ist|war|wird|geht|funktioniert)\b|es|alles|ça|c['’]est|(?:todo|tout|tutto|tudo|всё) (?:va"
    r"|march|func|fonc|funz|работ)\w*)(?![^\W_])",
    re.IGNORECASE,
)
"""How what is behind such a word begins that tells how things are."""
_AIMS = compiled_later(
    r"\b(?:must|should|shall|needs? to|ha(?:s|ve) to|only|never|always|no(?:t)?|don['’]?t|please|want|goes?"
    r"|nicht|kein\w*"
    r"|nur|soll\w*|muss|bitte|debe\w*|solo|sólo|ne|pas|doit)\b",
    re.IGNORECASE,
)
_ASKED_LATER = compiled_later(
    rf"(?:^|[.,;:!]\s+)(?:(?:and|but|so|und|y|et|e)\s+)?(?:{_PERHAPS})[,:]\s+(?:please\s+|bitte\s+|por favor\s+)?"
    r"(?!(?:the|an?|this|that|these|those|it|I|we|you|he|she|they|there|our|my|all|some|more|der|die|das"
    r"|ein\w*|ich|wir|es"
    r"|man|el|la|los|las|un\w*|le|les|il|on|je|nous|io|noi|o|os|as|eu|nós|я|мы)(?![^\W_]))"
    r"(?![^.;]{0,60}\b(?:will|would|may|might|could|can|should be|is|are|was|were|wird|werden|kann|könnte|ist"
    r"|será|podría"
    r"|sera|pourra|sarà|potrà)\b)[^\W\d_]{2,}"
    rf"|(?:^|[.,;:!]\s+)(?:(?:and|but|so|also|und|y|et|e)\s+)?(?:please|bitte|por favor|per favore|merci de)\b[^.;!?]*"
    rf"\b(?:{_PERHAPS})\W*$",
    re.IGNORECASE,
)
"""Something to do in future: "in future, refund first", "please ask in future"."""

_FEWER = compiled_later(
    r"no more than (?:\d+|one|two|three|four|five|six|ten)\b(?! of\b)(?!.*\b(?:\w+ed|were|was|did|found|left)\b)"
    r"|no [^\W\d_][\w-]*(?: [\w-]+){0,2}? (?:may|must|shall|should|is to|are to)\b(?! (?:be (?:the|due)|have))"
    r"|no (?!(?:luck|output|errors?|response|replies|reply|connection|effect|difference|results?|ways?|ideas?|problems?"
    r"|issues?|logs?|data|access|internet|warnings?|signs?|trace|match(?:es)?|need|hits?|support|chance|point|one|good"
    r"|success|progress|answers?|sound|picture|sense|change|go|longer|more|such|doubt|news|money|time|wonder)\b)"
    r"[^\W\d_][\w-]*(?: (?!(?:found|left|there|here|at|was|were|is|are|\w+ed)\b)[\w-]+){0,2}?"
    r"(?: (?:starts|runs|goes|gets|leaves|ships|merges|lands|enters|happens)(?: [\w-]+){0,5}?)?"
    r" (?:without|until|unless) (?!it\b|this\b|that\b|these\b|any of\b)[^\W\d_]",
    re.IGNORECASE,
)
"""What there may be none of, or not more: "no job starts on a target without a key"."""

_ES = (
    r"(?:(?<![^\W_])(?:el|los|del|una|que|por|para|nada|nunca|hasta|ningún|ninguna|pero|cuando|sin|ni"
    r"|lo|al)(?![^\W_])|[áéíóúñ])"
)
"""Words that no English sentence with such a word in it has."""
_NO_TU = (
    r"(?:tienes|puedes|sabes|ves|eres|estás|has|quieres|entiendes|crees|dices|das|vas|vienes|debías|estas|esas|todas"
    r"|más|menos|antes|después|otras|ambas|muchas|ellas|unas|pocas|primeras|últimas|nuevas|viejas|demás|mismas"
    r"|las|les|nos|es|entonces|veces|tras|atrás|además"
    r"|mes|tres|seis|hoy|\w+(?:iones|dades|ías|abas|arás|erás|irás|aras|ieras|rías))(?![^\W_])"
)
_SPANISH = compiled_later(
    rf"no\s+(?:(?:(?:me|te|se|nos)\s+(?:l[oae]s?\s+)?|l[oa]s?\s+|les?\s+)(?!{_NO_TU})\w{{2,}}(?:[ae]s|[áé]is)(?![^\W_])"
    rf"|(?!{_NO_TU})[^\W\d_]{{2,}}(?:[ae]s|[áé]is)\s+(?=.*{_ES}))",
    re.IGNORECASE,
)
_PORTUGUESE = compiled_later(
    r"não\s+(?:(?:me|te|o|a|lhe|se)\s+)?(?:apague|use|mexa|toque|mude|altere|envie|mande|faça|crie|remova|execute|rode"
    r"|suba|publique|escreva|esqueça|misture|inclua|adicione|coloque|ponha|diga|peça|responda|traduza|invente|instale"
    r"|edite|modifique|exclua|delete|copie|mostre|chame|corrija|quebre)m?(?![^\W_])",
    re.IGNORECASE,
)
_ITALIAN = compiled_later(
    r"non\s+(?!(?:avere|essere|potere|sapere|riuscire|dovere|volere|parlare d)(?![^\W_]))"
    r"[^\W\d_]{2,}(?:[aei]re|[aei]r(?:lo|la|li|le|mi|ci|ti|si|ne))(?![^\W_])(?!.*(?:\bè\b|\bsarebbe\b))",
    re.IGNORECASE,
)
_FRENCH = compiled_later(
    r"n(?:e\s+|['’])(?!(?:avez|aviez|êtes|savez|pouvez|voulez|voyez)(?![^\W_]))"
    r"(?:(?:me|m['’]|le|la|l['’]|les|y|en)\s*)?(?:[^\W\d_]{2,}ez|touche|change|modifie|supprime|efface|utilise"
    r"|ajoute|envoie|crée|commence|lance|fais|mets|dis|écris|prends|oublie)\s+(?:[^\W\d_]+\s+)?(?:pas|rien|plus|jamais)"
    r"(?![^\W_])",
    re.IGNORECASE,
)
_GERMAN = compiled_later(
    r"(?:bitte\s+)?(?:änder|lösch|fass|nimm|mach|schreib|nutz|benutz|verwend|schick|send|rühr|überschreib"
    r"|entfern|verschieb|starte?"
    r"|bau|leg|nenn|vergiss|frag|committe?|pushe?|installier|veröffentlich|buch|bestell|lass)e?(?:n sie)?\s+"
    r"(?:(?!(?:ich|wir|er|es|das war)(?![^\W_]))[\w./-]+\s+){0,6}?(?:nicht|nichts|kein(?:e[nmrs]?)?)(?![^\W_])"
    r"(?!\s*(?:nur|mehr nötig))",
    re.IGNORECASE,
)
_BANS: tuple[re.Pattern[str], ...] = (_FEWER, _SPANISH, _PORTUGUESE, _ITALIAN, _FRENCH, _GERMAN)


def holds_on(text: str) -> bool:
    """Return whether a sentence says of something that it holds from now on, and not how things are from then on."""
    for span in _SPAN.finditer(text):
        behind = text[span.end() :].strip(" ,:;.!–—-")
        says = bool(behind) or len(text[: span.start()].split()) > 1
        if says and (not _TOLD.match(behind or text) or _AIMS.search(text)):
            return True
    return _ASKED_LATER.search(text) is not None or (not text.isascii() and _UNSPACED.search(text) is not None)


def bans(part: str) -> bool:
    """Return whether a part of a sentence begins as a ban."""
    return any(pattern.match(part) for pattern in _BANS)
