"""The rest of a list: items that a reply does not name, but refers to, as in "R3 no, post the rest"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from compactor_cli.text.patterns import compiled_later

_REST_WORDS = compiled_later(
    r"(?<![^\W_])(?:"
    r"(?:[Tt]he|[Aa]ll) (?:rest|other(?= ones\b)|others|remaining(?: (?:ones|items|points)|(?=\W*(?:$|[.,;:!\n]))))"
    r"|[Ee]verything else|[Aa]ll else"
    r"|(?:(?<=^)|(?<=[.,;:!)] )|(?<=\band )|(?<=\bbut )|(?<=\n))[Rr]est"
    r"|(?:[Dd]e[nr] )[Rr]est|(?:[Dd]ie|[Aa]lle) (?:anderen|übrigen|restlichen)|[Aa]lles andere"
    r"|[Ee]l resto|[Ll][oa]s (?:demás|otr[oa]s)|[Ll]o demás"
    r"|[Ll]e reste|[Ll]es autres|[Ii]l resto|[Gg]li altri|[Ll]e altre"
    r"|[Oo] rest(?:o|ante)|[Oo]s (?:outros|demais)|[Aa]s (?:outras|demais)|[Оо]стальн(?:ые|ых|ое))(?![^\W_])"
    r"(?! (?:(?:with|via|on|from|to) (?:my|the|your)|of|say|said|think|thought|in the|der|des|von|de|del|du|dell)\b)"
    r"|剩下的?|其余的?|其他的(?!话)|残り(?:は|の|も|を|全)",
    words=(
        *("rest", " other", " remaining", "thing else", "all else", " andere", " übrigen", " demás", " otr", " autres"),
        *(" altri", " altre", " outr", " demais", "стальн", "剩下", "其余", "其他的", "残り"),
    ),
)
_NEGATED_BEFORE = compiled_later(
    r"(?:n['’]t|(?<![^\W_])(?:skip|forget|ignore|drop|omit|without|not|never|(?:leave|cut)(?: out)?|keep"
    r"|hold(?:ing)? off|(?:what|how) about|care about|than|nicht|ohne|lass|vergiss|ignorier\w*|no|sin|deja|olvida"
    r"|ignora|salta|pas|sans|laisse|oublie|senza|lascia|non|sem|deixa|esqueça))"
    r"(?: (?!(?:and|but|then|und|aber|y|pero|et|mais|e|ma)[ ])[^\W\d_]+){0,4} $|[不别][^\s，,。]{0,3}$",
    re.IGNORECASE,
)
"""What precedes a mention of the rest if nothing is to be done with it."""
_NEGATED_AFTER = compiled_later(
    r"(?: ones)?(?:[,:;–—-]|\s){1,4}(?:(?:is|are|was|were|has|have|had|looks?|stays?|remains?|ist|sind"
    r"|war(?:en)?|bleib(?:t|en)|están?|son|est|sont|è|sono)(?! (?:to|yes|next|wanted|needed|zu)\b)"
    r"|can stay|no(?:t|n)?|none|nicht|nein|lass|pas|não|fine|ok(?:ay)?|good|as (?:is|it is|they are)|the same|out"
    r"|unchanged|untouched|said|says|saw|think|gut|egal|bien"
    r"|api|endpoints?|calls?|clients?|services?|requests?|routes?|interface)(?![\w'’-])"
    r"|[^\s，,。]{0,2}[不别]",
    re.IGNORECASE,
)
"""What follows it in that case, or gives the word another meaning."""
_SENTENCE = compiled_later(r"[^.!?。！？\n]*([?？])?")
_REQUEST_WORDS = compiled_later(r"(?<![^\W_])(?:please|(?:can|could|would|will) you)(?![^\W_])", re.IGNORECASE)
"""What a question contains that is a request."""
_CHARS_BEFORE = 40
"""Characters before it that are examined."""
_ITEM_CODE = r"[A-Z]{1,4}-?\d{1,4}[a-z]?"
_CODED_LINE = compiled_later(
    rf"^[ \t]*((?:[-*•|]|#{{1,6}}|\d{{1,2}}[.)])[ \t]+)?(?:\*\*|__)?\(?"
    rf"({_ITEM_CODE}(?:[ \t]{{0,2}}(?:[,/&+]|and(?=[ \t]))[ \t]{{0,2}}{_ITEM_CODE}){{0,30}})\)?"
    r"(?:\*\*|__|(?=[:：]|(?(1)[ \t]+\S|[ \t]+[–—-][ \t])))",
    re.MULTILINE,
)
"""The line that begins an item with one or several codes: `- R2, R13: fixed`."""
_CODE_WORD = compiled_later(rf"(?<![\w-]){_ITEM_CODE}(?![\w-])")
_CODE_LETTERS = compiled_later(r"[A-Z]+")
_MIN_ITEMS = 3
"""Minimum number of items with codes of one kind that form a list."""
_MAX_REPLY_CHARS = 1_200
"""Maximum length of a reply that may refer to a list."""


def wants_rest(reply: str) -> bool:
    """Return whether a reply asks for something to be done with the items that it does not name."""
    return len(reply) <= _MAX_REPLY_CHARS and any(_is_wanted(reply, rest) for rest in _REST_WORDS.finditer(reply))


def _is_wanted(reply: str, rest: re.Match[str]) -> bool:
    if _NEGATED_BEFORE.search(reply[max(0, rest.start() - _CHARS_BEFORE) : rest.start()]) or _NEGATED_AFTER.match(
        reply, rest.end()
    ):
        return False
    sentence = _SENTENCE.match(reply, rest.end())
    return sentence is None or sentence[1] is None or _REQUEST_WORDS.search(reply) is not None


def coded_items(answer: str, reply: str) -> list[tuple[int, int]]:
    """Return the spans of the items in a list with codes, each with the lines below it, if a reply names one of them
    and refers to the rest."""
    return [*_coded_spans(answer, reply)]


def _coded_spans(answer: str, reply: str) -> Iterator[tuple[int, int]]:
    if not wants_rest(reply):
        return
    named_codes = {*_CODE_WORD.findall(reply)}
    kinds = {_code_kind(code) for code in named_codes}
    item_lines = [*_CODED_LINE.finditer(answer)] if named_codes else []
    codes = [_CODE_WORD.findall(item[2]) for item in item_lines]
    has_kind = [not kinds.isdisjoint(map(_code_kind, item_codes)) for item_codes in codes]
    if sum(has_kind) < _MIN_ITEMS or named_codes.isdisjoint(chain.from_iterable(codes)):
        return
    starts = [item.start() for item in item_lines]
    for start, end, is_of_kind in zip(starts, [*starts[1:], len(answer)], has_kind, strict=True):
        text = answer[start:end]
        text = text.partition("\n\n")[0] if end == len(answer) else text
        if is_of_kind:
            yield start, start + len(text.rstrip())


def _code_kind(code: str) -> str:
    return _CODE_LETTERS.match(code)[0]  # type: ignore[index]
