"""The words of what somebody says, in any script, and lists of words that help to tell what is said.

Nothing depends on the lists: what is said in a language that is not in them is judged by its form, and by what its
words do in the conversation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from unicodedata import normalize

from msgspec import Struct

from compactor_cli.text.patterns import compiled_later

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts that are written without blanks between words."""
_RUN = compiled_later(rf"([{_UNSPACED}]+)|[^\W_{_UNSPACED}]+")
_ASCII_WORD = compiled_later(r"[^\W_]+")
_UNSPACED_RUN = compiled_later(f"[{_UNSPACED}]+")
_NOT = compiled_later(r"n['’]t\b")
_MARKS = "?？؟;՞፧⁇‽⸮"
_ENDS_ASKING = compiled_later(rf"(?:[{_MARKS}]|か[。．]?|[吗呢][。．]?)[^\w{_MARKS}。．]*\Z")
_CHEER = compiled_later(
    r"[!！]|[\u2600-\u27bf\U0001f300-\U0001faff]|[:;]-?[)(DP]|\b(?:a?ha(?:ha)+|(?:ja){2,}|lo+l|w{3,}|x+d)\b", re.I
)
_INNER_NAME = compiled_later(r"(?<=[\w,;)'’] )[^\W\d_]\w+")
_CODE = compiled_later(
    r"\w+(?:[_/@\\#=]\w+)+|\w*\d[^\W\d]\w*|\w*[^\W\d_]\d\w*|\w+(?:\.\w+)+|[^\W\d_]*[a-z][A-Z]\w*|\b[A-Z]{3,}\b|--\w"
)
_CODE_RUN = compiled_later(r"[\w/@\\#=.-]+")
"""What the characters of such a name stand in."""
_NUMBER = compiled_later(
    r"\d+(?:[.,:/-]\d+)*|[一二三四五六七八九十百千万两半]+(?=[个個天日月年点點時时次人元円块条字分])"
)


class Cue(Struct, frozen=True):
    """Words that help to tell what is said."""

    words: frozenset[str]
    inside: re.Pattern[str] | None = None
    """What helps in scripts without blanks, or is more than a word."""
    in_ascii: bool = True
    """Whether a text in ASCII can have that inside."""

    def count_inside(self, text: str) -> int:
        """Return how many different ones there are in a text that are no words of their own."""
        if self.inside is None or (not self.in_ascii and text.isascii()):
            return 0
        return len(set(self.inside.findall(text)))


def _cue(words: str, inside: str = "") -> Cue:
    in_ascii = any(character.isascii() and character.isalnum() for character in inside)
    return Cue(frozenset(words.split()), compiled_later(inside) if inside else None, in_ascii)


CUES = {
    "first_person": _cue(
        "i me my mine myself we us our ours ich mich mir mein meine meinen meiner wir uns unser unsere yo mi mis mí "
        "nosotros nuestro nuestra je j moi mon ma mes nous notre nos io mio mia noi nostro eu meu minha nós nosso ik "
        "mij mijn wij ons onze я мне меня мой моя мы наш 저 제 저는 나는 내 우리",
        "[我咱俺]|私|僕|自分",
    ),
    "second_person": _cue(
        "you your yours yourself u du dich dir dein deine sie ihr ihnen ihre tú tu tus te ti usted ustedes toi vous "
        "votre vos voi você vocês seu jij je jouw ты тебя вы вас ваш",
        "[你您]|あなた|君",
    ),
    "time": _cue(
        "january february march april may june july august september october november december jan feb mar apr jun "
        "jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday today tomorrow "
        "yesterday tonight week weeks weekend month months year years day days morning evening hour hours minutes "
        "ago last next since until spring summer autumn winter noon midnight am pm o'clock januar februar märz mai "
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
        "nie bez 안 않 없이 말고",
        "[不别勿未没無]|禁止|ない|ません|なく|ずに",
    ),
    "duty": _cue(
        "must always only should shall please ensure require requires required need needs avoid unless until before "
        "except most least limit maximum minimum forbidden allowed allergic rule rules policy deadline budget cap "
        "strictly instead rather prefer muss müssen musst immer nur soll sollen bitte darf dürfen höchstens mindestens "
        "bevor verboten stets statt debe deben siempre solo sólo favor antes máximo mínimo prohibido hay obligatorio "
        "doit doivent dois toujours uniquement seulement faut avant interdit veuillez obligatoire plutôt deve devono "
        "sempre soltanto prima vietato apenas sempre moet moeten altijd alleen alstublieft должен всегда только",
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
    "image": _cue(
        "image photo picture pic pics photos pictures screenshot bild foto fotos imagen captura",
        "[图圖照]片|写真|画像|<image",
    ),
}
"""What is told -> words of several languages for it. They help where they are known, and are not needed."""


class CueCounter:
    """Counts the different words of each cue; every word is looked up once, however many cues there are."""

    def __init__(self, cues: Mapping[str, Cue]) -> None:
        self._cues = cues
        self._places: dict[str, list[int]] = {}
        for index, cue in enumerate(cues.values()):
            for word in cue.words:
                self._places.setdefault(word, []).append(index)

    def count(self, text: str, words: Iterable[str]) -> dict[str, int]:
        """Return cue -> how many of it there are in a text in lower case. `words`: its words, each once."""
        counts = [cue.count_inside(text) for cue in self._cues.values()]
        for word in words:
            for index in self._places.get(word, ()):
                counts[index] += 1
        return dict(zip(self._cues, counts, strict=True))


def words(text: str) -> list[str]:
    """Return the words in lower case; overlapping pairs of characters where a script has no blanks."""
    parted = _NOT.sub(" not", text.lower())
    return _ASCII_WORD.findall(parted) if parted.isascii() else list(_words(parted))


def _words(text: str) -> Iterator[str]:
    for match in _RUN.finditer(text):
        run = match[1]
        if run is None:
            yield match[0]
        elif len(run) < 3:
            yield run
        else:
            yield from map("".join, pairwise(run))


def word_lengths(words: Iterable[str]) -> list[int]:
    """Return the letters of each word in a script with blanks; Korean syllables count as what they are made of."""
    return [
        len(word) if word.isascii() else len(normalize("NFD", word))
        for word in words
        if not word.isdigit() and _UNSPACED_RUN.match(word) is None
    ]


def characters_without_blanks(text: str) -> int:
    """Count the characters of scripts without blanks."""
    return 0 if text.isascii() else sum(len(run) for run in _UNSPACED_RUN.findall(text))


def asks(text: str) -> bool:
    """Return whether a text ends with a question, in any script."""
    return _ENDS_ASKING.search(text) is not None


def questions(text: str) -> int:
    """Count the question marks of any script."""
    return sum(map(text.count, _MARKS))


def cheers(text: str) -> int:
    """Count exclamation marks, pictographs and laughter."""
    return len(_CHEER.findall(text))


def inner_names(text: str) -> int:
    """Count the words with a capital that do not begin a sentence."""
    return sum(name[0].isupper() for name in _INNER_NAME.findall(text))


def codes(text: str) -> int:
    """Count names that are no words: `snake_case`, paths, addresses, `A17`, abbreviations."""
    runs = _CODE_RUN.findall(text)
    # most are plain words, which are none
    return sum(len(_CODE.findall(run)) for run in runs if not (run.isalpha() and (run.islower() or run.istitle())))


def numbers(text: str) -> int:
    """Count the numbers, in figures or in Chinese characters before what is counted."""
    return len(_NUMBER.findall(text))
