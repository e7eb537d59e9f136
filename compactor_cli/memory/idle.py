"""Words of a query that do not show what it is about (English, German, French, Spanish).

The list omits words that have a meaning in another of these languages or in the field: `die`, `son`, `der`.
"""

from __future__ import annotations

_ENGLISH = """
a about above after again all also am an and any anything are aren as at be because been before being below both but by
can cannot could couldn d did didn do does doesn doing don during each either else every few for from further get gets
give given go going got had hadn has hasn have haven having he her here hers him his how i if in into is isn it its
itself just know let ll m make many may me might mine more most much must my need needs no nor not now of off on once
one only onto or other our ours out over own per please really re s same shall she should shouldn show so some such t
tell than that the their theirs them then there these they thing things this those through to too under until up upon us
use used uses using ve very want was wasn we were weren what whatever when where whether which while who whom whose why
will with within without won would wouldn yes yet you your yours
"""
_GERMAN = """
aber als auch auf aus bei beim bitte bin bist das dass dem den denn dich doch du durch ein eine einem einen
einer eines er euch für gibt haben habt hier ich ihm ihn ihr ihre im ist ja kann kein keine können mein mich mir
nach nicht noch nur ob oder ohne sehr sein seine sich sie sind soll sollte über um und uns unser unsere unter vom von
vor wann wären warum weil welche welcher welches wenn wer werden wie wieso wir wird wo zu zum zur
"""
_FRENCH = """
au aux avec ce ceci cela celle celui ces cet cette comme dans de du elle elles en et être il ils je la le les
leur leurs lui ma mais mes moi mon ne nos notre nous où ou pas pourquoi quand que quel quelle quelles quels qui
quoi sa sans ses si sont ta tes toi tu un une vos votre vous
"""
_SPANISH = """
al como cual cuál cuando cuándo del donde dónde el ella ellas ellos esa ese eso está están este esto hay la las
lo los mi mis muy nos nosotros nuestra nuestro o para pero por porque qué que quien quién se según si sobre
su sus también te tiene todo tu un una usa usamos y ya yo
"""


def _normalized(words: str) -> frozenset[str]:
    """Return the words as `memory.search_terms` normalizes them."""
    return frozenset(words.translate(str.maketrans("äöüáéíóúêèàûùôîçñ", "aouaeioueeauuoicn")).split())


IDLE_WORDS = _normalized(_ENGLISH + _GERMAN + _FRENCH + _SPANISH)
"""The normalized words."""
