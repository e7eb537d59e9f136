"""Words by which the judge recognises kinds of sentences, in several languages.

This works by patterns only: a binding sentence without one of these words is judged only as a sentence of a request.
The patterns are not shared with the code that chooses and summarizes.
"""

from __future__ import annotations

import re


def _any(*words: str) -> re.Pattern[str]:
    """Return a pattern that matches any of these expressions, as whole words in scripts with spaces."""
    spaced = "|".join(word for word in words if word.isascii() or not _UNSPACED.search(word))
    joined = "|".join(word for word in words if not word.isascii() and _UNSPACED.search(word))
    return re.compile("|".join(filter(None, (rf"(?<!\w)(?:{spaced})(?!\w)", joined))))


_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

_PROHIBITIONS = (
    "never|(?<!\\bi )(?:do not|don't|dont|cannot|can't)|must not|mustn't|should not|shouldn't|may not|not allowed",
    "nothing|nobody|no one|avoid|refrain|forbid(?:den)?|prohibit(?:ed)?|off[- ]limits|hands off|leave .{1,40} alone",
    "without|except|out of the question|no (?:more|new|other|further)|unless|stay away|keep out|red line|frozen",
    "under no|no longer|no \\w+ (?:anywhere|at all|ever|please)",
    "nie|niemals|nicht|kein(?:e[nmrs]?)?|ohne|verboten|vermeide[nt]?|auf keinen fall",
    "nunca|jamás|ningún|ninguna|sin|evit[ae]r?|prohibid[oa]|no (?:debe|debes|toques|borres|cambies|uses|hagas|pongas)",
    "jamais|ne .{1,40} pas|n'\\w+ pas|aucune?|sans|évite[rz]?|interdit|tel(?:le)?s? quel(?:le)?s?",
    "mai|non (?:deve|devi|usare|toccare|cambiare)|senza|evita(?:re)?|vietato",
    "não|nunca|sem|evit[ae]r?|proibido",
    "nooit|niet|geen|zonder|vermijd",
    "никогда|нельзя|не|без|запрещено|избегай(?:те)?",
    "不要|不得|不能|不可|不准|别|禁止|切勿|勿|绝不|从不",
    "ないで|しないこと|せずに|避けて",
    "지 ?마|금지|절대",
)
_LIMITS = (
    "must|always|have to|has to|needs? to be|required?|requirement|only|exactly|at most|at least|up to|maximum|minimum",
    "no (?:more|less|later|earlier) than|max|min|limit(?:ed)?|budget|deadline|ceiling|floor|stays?|remains?|keep",
    "ensure|make sure|mandatory|strictly|from now on|every time|each time|whenever|by default|backwards? compatible",
    "supposed to|muss|müssen|immer|nur|höchstens|mindestens|maximal|minimal|obergrenze|untergrenze|grenze",
    "vor jede[rmsn]?|ab jetzt|bleibt|bleiben|stets",
    "siempre|debe[ns]?|solo|sólo|solamente|máximo|mínimo|como mucho|al menos|a partir de ahora|límite",
    "toujours|doit|doivent|seulement|uniquement|au maximum|au plus|au moins|désormais|limite|reste",
    "sempre|deve|devono|solo|soltanto|al massimo|almeno|entro|d'ora in poi|limite",
    "somente|apenas|no máximo|pelo menos|a partir de agora",
    "altijd|moet|alleen|hoogstens|minstens|voortaan",
    "всегда|должен|должна|должно|должны|только|не более|не менее|максимум|минимум",
    "必须|必須|总是|總是|一律|只能|只用|仅|最多|最少|至少|不超过|以内|上限|下限|今后|从现在起|保持|务必",
    "必ず|常に|だけ|のみ|以下|以上|絶対|今後",
    "반드시|항상|이하|이상",
    "[<>]=?\\s?\\d[\\w.]*",
)
_PREFERENCES = (
    "prefer(?:s|red|ably|ence)?|rather|i (?:like|love|hate|dislike)",
    "better than|suits? me|favou?r|stick (?:to|with)|style|convention|we (?:say|use|call|write|name)|how we do",
    "call (?:it|the|this|them)|named?|naming|format(?:ted)?|plain text|short(?:er)? (?:answers?|sentences|replies)",
    "lieber|bevorzuge[nt]?|am liebsten",
    "prefier[oae]n?|preferible|mejor que|formato|me gusta",
    "préfère|préférable|plutôt",
    "preferisc[oe]|meglio",
    "prefir[oa]|melhor",
    "liever",
    "предпочита\\w+|лучше",
    "最好|希望|偏好|喜欢|宁可|优先|格式",
    "好んで|ほうがいい|方がいい|お願い|してほしい|して欲しい",
    "형식|좋겠|부탁",
)
_APPROVALS = (
    "ask (?:me|us|first|before|\\w+ \\w+ before)|approv\\w+|permission|confirm(?:ed)? (?:with|by)|sign(?:s|ed)? off",
    "go[- ]ahead|said yes|my (?:yes|ok)|waits? for|decides?|is mine to|belongs? to|in charge|responsible|agreed",
    "tell me (?:before|first)|check with|we promised|merges into",
    "frag(?:e|en|t)? .{0,30}vorher|gefragt|freigabe|genehmig\\w+|zustimm\\w+|gehört|entscheidet",
    "pregunt\\w+|aprob\\w+|permiso|autoriz\\w+|consult\\w+",
    "demand\\w+ .{0,20}avant|approuv\\w+|autoris\\w+|accord",
    "chied\\w+|approv\\w+|permesso|autorizz\\w+",
    "pergunt\\w+|aprov\\w+|permissão",
    "vraag .{0,20}eerst|toestemming|goedkeur\\w+",
    "спрос\\w+|разреш\\w+|соглас\\w+|одобр\\w+",
    "批准|同意|先问|征得|确认|许可|允许|審批",
    "許可|承認|確認して|聞いてから",
    "승인|허락|동의",
)

PROHIBITION = _any(*_PROHIBITIONS)
LIMIT = _any(*_PROHIBITIONS, *_LIMITS)
RULE = _any(*_PROHIBITIONS, *_LIMITS, *_PREFERENCES, *_APPROVALS)
"""Everything binding, including preferences, formats, and who has to agree."""

DECISION = _any(
    "decid(?:e|ed|es|ing)|decision|chose|chosen|choos(?:e|ing)|settled? on|opt(?:ed|ing)? for|went with",
    "go(?:ing)? with|agreed|concluded?|conclusion|we(?:'ll| will) (?:use|keep|take)|instead of|rather than|root cause",
    "turned out|the reason|trade-?off|resolved|determined",
    "entschieden|beschlossen|einig|stattdessen|ursache|wir nehmen",
    "decidi\\w+|acordamos|elegi\\w+|en lugar de|en vez de",
    "décid\\w+|convenu|choisi\\w*|au lieu de|plutôt que",
    "deciso|scelto|invece di",
    "decidimos|escolh\\w+|em vez de",
    "besloten|gekozen",
    "решил\\w*|выбрал\\w*|вместо",
    "决定|選擇|选择了|改用|结论|决策",
    "決め|決定|結論|採用",
    "결정|선택",
)

TAKES_BACK = _any(
    "actually|instead|after all|on second thoughts?|change of plan|changed my mind|i was wrong|i meant|i mixed|mistake",
    "correction|scrap (?:that|the)|scratch that|never ?mind|not what i|no longer|make that",
    "undo|revert|(?:was|is|that's|the) wrong|sorry|is (?:now|blocked|taken)|they moved|better (?:use|take)|rather than",
    "ignore (?:that|what|my)",
    "doch(?: nicht| lieber)?|stattdessen|lieber|korrektur|vergiss|falsch",
    "mejor|en realidad|me equivoqué|olvida|en vez de|en lugar de|corrección|perdón",
    "finalement|en fait|plutôt|au lieu de|je me suis trompée?|oublie|pardon",
    "anzi|invece|in realtà|ho sbagliato|dimentica",
    "na verdade|em vez de|melhor|me enganei|esqueça",
    "toch|eigenlijk|in plaats van|vergeet",
    "лучше|вместо|забудь|ошибся|ошиблась|на самом деле",
    "改成|改为|不对|不是|算了|还是|弄错|更正|取消|别用",
    "やっぱり|やはり|ではなく|じゃなくて|訂正|間違え|変更",
    "취소|아니|대신|정정",
)
REFUSES = re.compile(
    r"(?:no|nope|nein|non|não|nee|нет|いいえ|いや|아니요?)\s*[,.:;!，、。–—-]|(?:stop|forget|halt|arrête|alto|стоп)\b"
)

_COMMON = """
    about after again also and any are because been before but can could did does done don down each for from had has
    have here how into its just let like made make more most much must need new not now off one only other our out over
    please same see should some still such take than that the their them then there these they thing this those too
    use used very want was way well were what when where which while who why will with would you your
    instead actually sorry
    der die das den dem des ein eine einen und oder aber nicht ist sind war wird mit von für auf aus bei nach wie auch
    les des une est sont dans pour avec sur pas que qui mais nous vous los las una por para con del está como pero
"""
COMMON = frozenset(_COMMON.split())
