"""Rules that no word such as "never" tells of: what is to be done from now on, and what may not be until somebody says
so."""

from __future__ import annotations

import re

from compactor_cli.text.patterns import compiled_later

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
_UNSPACED = compiled_later(
    r"(?:从现|從現)在(?:起|开始|開始)[，,]?(?:请|只|别|不要|不准|不得|一律|都用|用)"
    r"|(?:今後|これから)は(?!.*(?:教えて|どう)).*(?:て|ください|こと)[。！]*$"
)
_NEAR = 300
"""Characters beside such words that are looked at."""
_BANS = compiled_later(
    r"no [^\W\d_][\w-]*(?: [\w-]+){0,6}? (?:(?:until|unless|before) (?:I|we) (?:say|tell|ok|okay|approve"
    r"|confirm|agree|allow)|without (?:asking|telling) (?:me|us)"
    r"|without (?:my|our) (?:ok|okay|approval|consent|permission|word|go))(?![^\W_])"
    r"|no more than (?:\d+|one|two|three|four|five|six|ten) (?:short )?(?:sentences?|words|lines|bullets|points"
    r"|paragraphs?|characters)\W*$",
    re.IGNORECASE,
    (" until ", " unless ", " before ", " without ", "no more than "),
)


def beside_from_now(text: str) -> tuple[str, str] | None:
    """Return what a sentence says before and behind words such as "from now on", the nearest of it; nothing where it
    has none."""
    span = _FROM_NOW.search(text)
    if span is None:
        return None
    return text[max(0, span.start() - _NEAR) : span.start()], text[span.end() : span.end() + _NEAR]


def rules_from_now(text: str) -> bool:
    """Return whether a sentence of a script without blanks says what is to be done from now on."""
    return not text.isascii() and _UNSPACED.search(text) is not None


def bans(part: str) -> bool:
    """Return whether a part of a sentence says what may not be until somebody agrees, or of what there may not be
    more."""
    return _BANS.match(part) is not None
