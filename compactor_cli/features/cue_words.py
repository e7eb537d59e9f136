"""Lists of words that help to recognize what is being said.

They are optional. Statements in other languages are judged by their form, and by how their words are used in the
conversation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate

from msgspec import Struct

from compactor_cli.text.marks import find_words
from compactor_cli.text.patterns import compiled_later

_MAX_OPENING_WORDS = 3
"""Maximum number of words in an opening."""
_ORDER_PREFIXES = frozenset(
    {"please", "and", "but", "so", "also", "then", "just", "do", "not", "never", "always", "only", "bitte", "por"}
    | {"favor", "no", "nunca", "siempre", "ne", "toujours", "jamais"}
)
"""Words that may precede the verb of an order."""
_WORD = compiled_later(r"[^\W\d_]+(?![\w-]*\()(?!-\w)")
"""A separate word: neither `no-op` nor `sin(x)` contains a negation."""
_FORBIDDEN = compiled_later(
    r"n['’]t\b|\b(?:forbidden|prohibited|banned|not allowed|refuse|refrain|avoid|deny|verboten|prohibido|interdit\w*"
    r"|vietato|proibido|запрещено|нельзя)\b"
)
_LACKS = compiled_later(
    r"\b(?:has|have|had|is|are|was|were|exists?|there) (?:no|not|none|non)\b|\bif not\b|\bwithout\b"
)
"""Phrases that describe something by what it lacks, or say when; a sentence with one may still forbid something."""
_CAPITALS = compiled_later(r"(?<![^\W_])[^\W\d_a-z]{3,}(?![^\W_])")
_FORBIDS_POINTS, _DUTY_POINTS, _CAPITALS_POINTS = 15, 5, 10
"""Points of a sentence that forbids something or states an exception, of one that states a duty, and extra points
for capitals: `ALWAYS call Finish`."""


class Cue(Struct, frozen=True):
    """Words that help to recognize what is being said."""

    words: frozenset[str]
    pattern: re.Pattern[str] | None = None
    """A pattern for scripts without spaces, or for more than one word."""
    in_ascii: bool = True
    """Whether that pattern can match in ASCII text."""
    openings: frozenset[str] = frozenset()
    """Openings of one to three words; preceding courtesies and negations are skipped."""

    def count_inside(self, text: str) -> int:
        """Return how many different matches of `pattern` a text contains."""
        if self.pattern is None or (not self.in_ascii and text.isascii()):
            return 0
        return len(set(self.pattern.findall(text)))


def _cue(words: str, pattern: str = "") -> Cue:
    in_ascii = any(character.isascii() and character.isalnum() for character in pattern)
    return Cue(frozenset(words.split()), compiled_later(pattern) if pattern else None, in_ascii)


def _opening_cue(openings: str) -> Cue:
    """Return a cue for statements that begin with one of the openings. They are separated by spaces; `_` stands for
    a space."""
    return Cue(frozenset(), openings=frozenset(each.replace("_", " ") for each in openings.split()))


CUES = {
    "first_person": _cue(
        "i me my mine myself we us our ours ich mich mir mein meine meinen meiner wir uns unser unsere yo mi mis mí "
        "nosotros nuestro nuestra je j moi mon ma mes nous notre nos io mio mia noi nostro eu meu minha nós nosso ik "
        "mij mijn wij ons onze я мне меня мой моя мы наш 저 제 저는 나는 내 우리 "
        "मैं मुझे मेरा मेरी मेरे हम हमें हमारा हमारी हमारे أنا نحن لي لنا عندي",
        "[我咱俺]|私|僕|自分",
    ),
    "second_person": _cue(
        "you your yours yourself u du dich dir dein deine sie ihr ihnen ihre tú tu tus te ti usted ustedes toi vous "
        "votre vos voi você vocês seu jij je jouw ты тебя вы вас ваш आप तुम आपका आपकी आपके तुम्हारा तुम्हारी أنت "
        "أنتم لك لكم",
        "[你您]|あなた|君",
    ),
    "time": _cue(
        "january february march april may june july august september october november december jan feb mar apr jun "
        "jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday today tomorrow "
        "yesterday tonight week weeks weekend month months year years day days morning evening hour hours minutes "
        "ago last next since until spring summer autumn winter noon midnight am pm januar februar märz mai "
        "juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag heute morgen gestern "
        "woche wochen monat jahr uhr seit bis tag tage enero febrero marzo abril mayo junio julio agosto septiembre "
        "octubre noviembre diciembre lunes martes miércoles jueves viernes sábado domingo hoy mañana ayer semana mes "
        "año hasta desde día días horas janvier février mars avril juin juillet août septembre octobre novembre "
        "décembre lundi mardi mercredi jeudi vendredi samedi dimanche demain hier semaine mois année jour jours "
        "heures depuis jusqu",
        "[年月]|星期|周[一二三四五六日末]|今天|明天|昨天|今日|明日|昨日|曜日|午前|午後|上午|下午|小时|時間|分钟",
    ),
    "fact": _cue(
        "got bought went moved started took made gave told saw came met found joined booked sold won lost broke built "
        "wrote read left began grew taught signed ordered adopted visited finished named called lives works plays "
        "studies costs born married hired quit named collects keeps likes loves hates prefers wants allergic favorite "
        "favourite habe hat wurde gekauft heißt wohnt arbeitet kostet fue compré llama vive trabaja cuesta tiene été "
        "acheté appelle habite travaille coûte s'appelle",
        "了|叫|住在|买|ました|という|住んで",
    ),
    "negation": _cue(
        "not never no none nobody nothing neither nor without cannot nicht nichts kein keine keinen keinem keiner nie "
        "niemals niemand ohne weder nunca jamás sin ningún ninguna nadie nada tampoco ne pas jamais aucun aucune sans "
        "rien personne non mai senza nessun niente não nem sem nenhum niet geen nooit zonder не нет никогда без ничего "
        "nie bez 안 않 없이 말고 नहीं मत न बिना कभी لا ليس ليست لن لم ألا دون بدون değil asla tidak jangan tanpa",
        "[不别勿未没無]|禁止|ない|ません|なく|ずに",
    ),
    "duty": _cue(
        "must always only should shall please ensure require requires required need needs avoid unless until before "
        "except most least limit maximum minimum forbidden allowed allergic rule rules policy deadline budget cap "
        "strictly absolutely instead rather prefer limits frozen locked closed private secret confidential protected "
        "reserved banned mandatory obligatory approval approve approves permission decides responsible muss müssen "
        "musst immer nur soll sollen bitte darf dürfen höchstens mindestens bevor verboten stets statt debe deben "
        "siempre solo sólo favor antes máximo mínimo prohibido hay obligatorio doit doivent dois toujours uniquement "
        "seulement faut avant interdit veuillez obligatoire plutôt deve devono sempre soltanto prima vietato apenas "
        "sempre moet moeten altijd alleen alstublieft должен всегда только हमेशा ज़रूर अवश्य चाहिए केवल सिर्फ़ "
        "सिर्फ कृपया "
        "يجب دائما دائماً فقط رجاء رجاءً ممنوع zawsze tylko musi lütfen mutlaka sadece yalnızca harus selalu "
        "hanya wajib",
        "必须|必須|应该|應該|只能|只要|只用|请|請|务必|最多|至少|以内|之前|以前|不得|必ず|ください|だけ|まで|べき|常に|以上|以下|一律",
    ),
    "scope": _cue(
        "all every each any both everything anything everybody anybody whatever whoever whenever wherever anywhere if "
        "unless once when while during within between above below under over more less than beyond outside per first "
        "then same other else off out alle alles jede jeder jedes jeden sobald wenn falls während zwischen über unter "
        "mehr weniger als außer todo toda todos todas cada cualquier cuando mientras entre encima debajo más menos "
        "tout toute tous toutes chaque quand pendant moins dessus dessous hors si ogni tutto tutti quando mentre tra "
        "più meno alle elke ieder als wanneer boven onder meer minder dan все каждый если когда больше меньше",
        "[每各全凡]|所有|超过|超過|如果|之外|すべて|全て|毎|場合|とき|超え|より|以外",
    ),
    "past": _cue(
        "was were had did said went got took made came saw felt thought knew left found told kept became happened "
        "looked wanted tried asked used seemed started stopped watched played talked walked worked war waren hatte "
        "hatten gab ging kam sah sagte fand wurde gewesen gemacht era fue fui estaba estuve había hizo hice dijo vi "
        "était étaient avait fait dit allé vu eu suis ai ho è stato was waren had ging был была было были",
        "了[。，！]|过[。，了]|ました|でした|だった|かった",
    ),
    "hedge": _cue(
        "think guess maybe perhaps probably feel feels seem seems seemed bit little kind sort somehow quite almost "
        "suppose wonder actually pretty vielleicht glaube wohl etwas irgendwie halt quizás "
        "creo parece poco casi quizá peut être crois peu presque forse "
        "credo poco misschien denk beetje может думаю кажется",
        "可能|觉得|也许|大概|有点|吧|かも|思い|思う|たぶん|ちょっと|ね[。！]?$",
    ),
    "courtesy": _cue(
        "thanks thank hi hello hey bye goodbye welcome sorry great nice cool ok okay yes yeah yep yup sure haha lol "
        "wow awesome amazing lovely glad congrats congratulations cheers hope enjoy "
        "sounds exactly agree proud happy understood um uh hmm mm mhm huh oh well anyway danke "
        "hallo schön toll super ja genau gern gracias hola vale claro bueno genial jaja merci bonjour "
        "salut oui accord parfait grazie ciao bene obrigado oi bom dank leuk спасибо привет хорошо да",
        "谢谢|謝謝|你好|您好|哈哈|好的|好呀|好啊|嗯|哎|不错|ありがと|こんにち|おはよう|はい|なるほど|いいね|そうです|ですね|よろし",
    ),
    "recent": _cue(
        "yesterday today tonight just lately again finally now currently already back still yet ago morning afternoon "
        "evening weekend last this earlier recently soon later moment heute gestern gerade eben wieder endlich schon "
        "noch jetzt neulich hoy ayer ahora otra vez acabo ya todavía aujourd hier maintenant encore viens déjà",
        "刚|今天|昨天|又|已经|さっき|今日|昨日|また",
    ),
    "feeling": _cue(
        "weird funny strange bad good terrible fun interesting boring odd loud quiet tired hungry sad awkward typical "
        "sweet slow fast surprised laugh laughed worth nearly so such too very really honestly truly easy wrong "
        "true crazy scary silly huge tiny cold hot warm pretty beautiful pleasant wonderful favorite annoying happy "
        "sehr so zu echt wirklich komisch müde schlimm lang muy tan demasiado raro cansado largo dura très trop si "
        "vraiment drôle fatigué long",
        "太|真|很|とても|すごく",
    ),
    "order": _opening_cue(
        "use put keep leave write name call log return cache pin wrap treat sort check mark split draw speak address "
        "begin start end stop count stick serve avoid skip sign round answer reply respond ask send mention add "
        "remove delete drop rename replace move copy touch change edit modify rewrite refactor format indent quote "
        "cite list include exclude omit limit cap set run test build deploy push merge commit release install import "
        "export store save print show display report translate spell prefer assume suggest recommend offer book buy "
        "pay spend choose select enable disable apply verify review restore schedule order cook charge refund cancel "
        "confirm notify share publish post upload expose mock raise throw handle validate escape document explain "
        "describe summarize shorten capitalize follow match respect ensure make stay refer pretend mind spare hide "
        "lock close open benutze benutz verwende verwenden schreib schreibe schreiben lass nutze halte halt nenne "
        "nenn frag frage ändere ändert lösche runde rund antworte usa utiliza escribe deja pon evita pregunta llama "
        "responde borres cambies toques utilise utilisez écris écrivez laisse laissez mets mettez évite évitez "
        "demande demandez réponds répondez garde gardez appelle appelez touche touchez change changez supprime "
        "supprimez"
    ),
    "chat": _opening_cue(
        "tell_me_more tell_me_about go_on go_ahead keep_going give_me_a give_me_an give_me_one hold_on wait forget_it "
        "never_mind do_not_worry let_s let_me come_on believe_me trust_me say_that say_it look_at guess_what "
        "think_about take_your take_care have_fun have_a imagine can_you could_you would_you do_you did_you are_you "
        "is_that is_it is_this what why who where how erzähl warte cuéntame espera raconte attends"
    ),
    "image": _cue(
        "image photo picture pic pics photos pictures screenshot bild foto fotos imagen captura",
        "[图圖照]片|写真|画像|<image",
    ),
}
"""Meaning -> words for it in several languages. They help if the language is known, but are not required."""


class CueCounter:
    """Counts the different words of each cue. Each word is looked up only once, however many cues there are."""

    def __init__(self, cues: Mapping[str, Cue]) -> None:
        self._cues = cues
        self._word_cues: dict[str, list[int]] = {}
        self._opening_cues: dict[str, list[int]] = {}
        for index, cue in enumerate(cues.values()):
            for word in cue.words:
                self._word_cues.setdefault(word, []).append(index)
            for opening in cue.openings:
                self._opening_cues.setdefault(opening, []).append(index)

    def count(self, text: str, words: Sequence[str]) -> dict[str, int]:
        """Return cue -> number of its matches in a lower-case text. `words`: the text's distinct words, in order."""
        counts = [cue.count_inside(text) for cue in self._cues.values()]
        for word in words:
            for index in self._word_cues.get(word, ()):
                counts[index] += 1
        for opening in _openings(words):
            for index in self._opening_cues.get(opening, ()):
                counts[index] = 1
        return dict(zip(self._cues, counts, strict=True))


def _openings(words: Sequence[str]) -> Iterator[str]:
    """Yield the openings of a statement, of one to three words, both from its first word and from where the verb of
    an order may be."""
    first = next((index for index, word in enumerate(words) if word not in _ORDER_PREFIXES), 0)
    for start in {0, first}:
        yield from accumulate(words[start : start + _MAX_OPENING_WORDS], "{} {}".format)


@cache
def _counter() -> CueCounter:
    return CueCounter({"negation": CUES["negation"], "duty": CUES["duty"]})


def rule_points(sentence: str) -> float:
    """Return the points of a sentence for what it forbids or demands. Prohibitions are the first to get lost when
    only facts are kept."""
    is_forbidding, is_duty = _rule_kinds(sentence)
    is_rule = is_forbidding or is_duty
    return (
        _FORBIDS_POINTS * is_forbidding
        + _DUTY_POINTS * is_duty
        + (_CAPITALS_POINTS if is_rule and _is_shouted(sentence) else 0)
    )


def _is_shouted(sentence: str) -> bool:
    """Return whether a sentence that is not all in capitals has a word of duty or negation in capitals."""
    if sentence.isupper():
        return False
    words = (word.lower() for word in _CAPITALS.findall(sentence) if word.isupper())
    return any(word in CUES["duty"].words or word in CUES["negation"].words for word in words)


def _rule_kinds(sentence: str) -> tuple[bool, bool]:
    """Return whether a sentence forbids something, and whether it states a duty."""
    lowered = sentence.lower()
    without_lacks = _LACKS.sub(" ", lowered)
    counts = _count_rule_words(lowered)
    negation = (counts if without_lacks == lowered else _count_rule_words(without_lacks))["negation"]
    return negation > 0 or _FORBIDDEN.search(lowered) is not None, counts["duty"] > 0


def _count_rule_words(lowered: str) -> dict[str, int]:
    return _counter().count(lowered, [*dict.fromkeys(find_words(_WORD, lowered))])
