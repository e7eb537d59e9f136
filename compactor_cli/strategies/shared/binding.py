"""Sentences of the user that hold for everything that follows, judged by their words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from compactor_cli.features.cue_words import CUES
from compactor_cli.features.talk_words import words
from compactor_cli.model.injected import is_wrapper
from compactor_cli.text.clauses import FENCE, LEAD_ENDS, Clause, is_in_item
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import QUESTION_END

_CODE_WEIGHT, _STATEMENT_WEIGHT = 0.5, 0.75
"""Weights of a line of code in instructions, and of a sentence without a word that orders or forbids. Headings, and
what a harness says around instructions, weigh nothing."""
_HEADING_LINE = compiled_later(r"\s*(?:#{1,6}\s.*|//.*|(?:[-*+]\s+)?\*\*[^*]+\*\*:?\s*)$")
_RULE_WORDS = compiled_later(
    r"\b(?:never|always|must|do not|don['’]?t|cannot|can['’]?t|ha(?:s|ve) to|only|required?|forbidden"
    r"|prohibited|mandatory"
    r"|niemals|nie|immer|muss|müssen|darf|dürfen|nur|jamais|toujours|doit|doivent|ne pas|interdit|nunca|siempre|jamás"
    r"|debe|deben|tiene que|hay que|il (?:ne )?faut|solo|sólo|sempre|deve|devono|devem|mai)\b"
    r"|必须|禁止|不要|不得|不许|不准|不能|只能|务必"
    r"|别(?=(?-i:[\u4e00-\u9fff]))(?![的人处名致])"  # compiling takes three times as long where their case is looked up
    r"|必ず|してはいけない|しないで|никогда|всегда|нельзя",
    re.IGNORECASE,
    (
        *("never", "always", "must", "do not", "don't", "don’t", "dont", "can", "has to", "have to", "only", "require"),
        *("forbidden", "prohibited", "mandatory", "nie", "immer", "muss", "müssen", "darf", "dürfen", "nur", "jamais"),
        *("toujours", "doi", "ne pas", "interdit", "nunca", "siempre", "jamás", "debe", "tiene que", "hay que"),
        *("il ", "sol", "sól", "sempre", "deve", "devono", "mai"),
        *("必", "禁止", "不", "只能", "务必", "别", "してはいけない", "しないで", "никогда", "всегда", "нельзя"),
    ),
)
_LINE = compiled_later(r"(?m)^.*\S.*$")
_INNER_END = compiled_later(r"(?<=[^\W_]{2}[.!?])\s+|(?<=\d[.!?])\s+|(?<=[)\"'”’][.!?])\s+")
"""The border between sentences that were read as one. Points inside an abbreviation do not match."""
_RULE_CUES = CUES["negation"], CUES["duty"]
_WISH = (
    r"(?:let['’]?s|don['’]?t|do not|please|make (?:it|that)|I['’]?(?:d| would)? (?:rather|like|prefer|want(?:ed)?|was"
    r" looking)"
    r"|(?:I|we)['’]?(?: wi)?ll|we (?:want|should|prefer)"
    r"|(?:use|change|keep|go|take|put|drop|remove|leave|do|switch|cancel|book|add)"
    r" (?:it|that|this|the|them|an?|with|back|to|only|my|all|for|no)\b)"
)
"""Phrases with which somebody says what is to be done."""
_LEAD_WORDS = r"(?:^|[.!:;,—–-]\s+)(?:(?:ok(?:ay)?|so|no|oh|but|and|well|hmm*|wait|yes|then|right)\b[,.!]*\s+)*"
_REVERSALS = compiled_later(
    rf"{_LEAD_WORDS}actually[,:]?\s+(?:no\b|never mind|{_WISH})|\bno,? actually\b(?=[,.\s]+(?:no|{_WISH}))"
    rf"|(?:{_LEAD_WORDS}|\band\s+){_WISH}[^.;]{{0,120}}?\binstead\b(?! of\b)|{_LEAD_WORDS}instead,?\s+{_WISH}"
    r"|^(?:no,\s+\w|let['’]?s\b|I['’]d rather\b)[^.;]{0,120}?\binstead of\b"
    r"|\bon second thoughts?\b|(?<!\ba )(?<!\bthe )(?<!\bany )\bchange of plans?\b"
    rf"|{_LEAD_WORDS}(?:scrap|forget) (?:that|it|this)(?=\s*(?:[,.;:!—–-]|$)|\s+(?:and|let|we|I|use)\b)"
    rf"|{_LEAD_WORDS}(?:(?:let['’]?s )?(?:go|switch|revert|roll) )?back to (?:[^\s,.;]+ "
    rf"){{0,6}}?(?:first|original|previous"
    r"|earlier|initial|old|plan|option|variant|idea|approach)\b(?! (?:page|screen|step|line|folder|directory|tab|branch"
    r"|commit|version of))"
    rf"|\b(?:I|we)(?:['’]ve| have)? changed (?:my|our) minds?\b|{_LEAD_WORDS}no,? wait\b(?! (?:time|for|until)\b)"
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
_UNSPACED_REVERSALS = compiled_later(
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
"""Every sentence that `_REVERSALS` or `_UNSPACED_REVERSALS` matches contains one of these words. Looking for them first
takes a small part of the time."""


_SUBJECTS = compiled_later(
    r"\b(?:I|we|he|she|it|this|that|these|those|they|there|who|which|what|why|how|if|whether|files?|ich|wir|er|es|das"
    r"|man|je|il|elle|ça|on|nous|yo|lo|io|eu|я|мы|он|она|они|оно|это)\b"
    r"|\b(?:is|are|was|were|has|had|does|did|will|would|can|could|ist|sind|war|hat|est|sont|es|está|è)\b",
    re.IGNORECASE,
)
"""Words before a rule word that make a part of a sentence a statement: "It never stops"."""
_PART_BORDERS = compiled_later(
    r"[,;:.!?](?:\s+|$)|\(|(?<=\s)[—–-]\s+|[，；：、。！？]\s*|\s(?:but|aber|sondern|pero|mais|ma|mas)\s", re.IGNORECASE
)
_FROM_NOW = compiled_later(
    r"\b(?:from now on|henceforth|until further notice|for the rest of (?:the|this) (?:session|chat|work|task|project)"
    r"|ab (?:jetzt|sofort)|bis auf weiteres|(?:a|de) (?:partir de )?(?:ahora|agora)|désormais|dorénavant"
    r"|d['’]?ora in (?:poi|avanti)|отныне|впредь)\b|从现在起|(?:今後|これから)は",
    re.IGNORECASE,
)


_PLEASE = r"(?:please|pls|bitte|por favor|per favore|s['’]il (?:te|vous) pla[iî]t|svp)"
_BARE_BANS = compiled_later(
    rf"\b{_PLEASE} (?:no|keine?[nmr]?|ohne|sin|sem|nessun[oa]?|pas de) |\bI (?:do not|don['’]?t) want \w"
    r"|\b(?:no|keine?[nr]?|ohne|sin|sem|pas de)(?! (?:problem|souci|response)) (?:[\w-]+ ){0,3}"
    rf"(?:[\w-]*(?:[^\W\dsuè_]s|aux|en)(?:,? {_PLEASE}|, ever)|(?<=\bno )[\w-]+,? (?:please|pls))(?=\W*(?:$|[.;!]))"
    r"|\bno (?:[\w-]+ ){1,7}(?:(?:until|unless|before) (?:I|we) (?:say|tell|ok|approve|agree)"
    r"|without (?:asking|telling|my|our))\b|\bno more than \w+ (?:sentences?|words|lines|points|paragraphs?)\b",
    re.IGNORECASE,
    ("no ", "kein", "ohne ", "sin ", "sem ", "nessun", "pas d", " want "),
)
"""Bans that only name what there must be none of: "No tables, please", "no merge without my ok"."""


def is_reversal(clause: Clause) -> bool:
    """Return whether a sentence decides against what was said or planned before it."""
    return reverses_course(_statement_text(clause))


def find_changes_of_mind(sentences: Sequence[tuple[int, Clause]]) -> tuple[set[int], set[int]]:
    """Return the indices of sentences before a change of mind in the same request, except orders, and the indices of
    the sentences that announce the change. `sentences`: each with the number of its request."""
    before, changes = set[int](), set[int]()
    for _, group in groupby(range(len(sentences)), lambda index: sentences[index][0]):
        members = list(group)
        if reversals := [index for index in members if is_reversal(sentences[index][1])]:
            changes.add(reversals[-1])
            before |= {index for index in members if index < reversals[-1] and not is_directive(sentences[index][1])}
    return before, changes


def is_directive(clause: Clause) -> bool:
    """Return whether a sentence, judged by its words, orders or forbids something. Questions, pasted text and
    statements about something do not."""
    text = _statement_text(clause)
    if _BARE_BANS.search(text):
        return True
    if not _RULE_WORDS.search(text) and not _FROM_NOW.search(text):
        return False
    return any(map(_orders, _PART_BORDERS.split(text)))


def _orders(part: str) -> bool:
    rule = _RULE_WORDS.search(part) or _FROM_NOW.search(part)
    return rule is not None and not _SUBJECTS.search(part, 0, rule.start())


def may_be_rule(clause: Clause) -> bool:
    """Return whether a sentence contains a word that forbids, demands or limits something."""
    text = _statement_text(clause)
    sentence_words = set(words(text))
    return any(not cue.words.isdisjoint(sentence_words) or cue.count_inside(text) for cue in _RULE_CUES)


def _statement_text(clause: Clause) -> str:
    """Return the parts of a sentence that ask nothing, or an empty string for pasted text. The words before a question
    are often a sentence of their own, as in "never restart worker 3. why does it hang?"."""
    if clause.origin not in ("asked", "title"):
        return ""
    if not QUESTION_END.search(clause.text):
        return clause.text
    return " ".join(part for part in _INNER_END.split(clause.text) if not QUESTION_END.search(part))


def instruction_weights(sentences: Iterable[str]) -> Iterator[float]:
    """Yield the weight of each sentence of instructions. A sentence that only says what others are about binds
    nobody."""
    in_code = False
    for text in sentences:
        if FENCE.match(text):
            in_code = not in_code
            yield 0.0
        elif in_code:
            yield _CODE_WEIGHT
        elif _HEADING_LINE.match(text) or is_wrapper(text):
            yield 0.0
        else:
            yield 1.0 if _RULE_WORDS.search(text) else _STATEMENT_WEIGHT


def rule_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of rules in instructions: list items with their continuation lines and the lines that introduce
    them, and sentences that order or forbid. A heading that forbids applies to the items under it."""
    lead_ins: list[tuple[int, int]] = []
    in_code = item_continues = False
    for found in _LINE.finditer(text):
        line, span = found[0], found.span()
        if FENCE.match(line):
            in_code, item_continues = not in_code, False
        elif in_code:
            continue
        elif is_wrapper(line):
            lead_ins, item_continues = [], False
        elif _HEADING_LINE.match(line):
            lead_ins, item_continues = [span] if _RULE_WORDS.search(line) else [], False
        elif is_in_item(text, span[0]) or (item_continues and line[0].isspace()):
            yield from lead_ins
            yield span
            lead_ins, item_continues = [], True
        elif line.rstrip().endswith(LEAD_ENDS):
            lead_ins, item_continues = [*lead_ins[:1], span], False
        else:
            item_continues = False
            if _RULE_WORDS.search(line):
                yield span


def reverses_course(text: str) -> bool:
    """Return whether a text decides against what was said or planned before it."""
    lowered = text.lower()
    if not any(hint in lowered for hint in _HINTS):
        return False
    return _REVERSALS.search(text) is not None or (not text.isascii() and _UNSPACED_REVERSALS.search(text) is not None)
