"""The rest of a list: items that a reply does not name, but speaks of, as in "R3 no, post the rest"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from compactor_cli.text.patterns import compiled_later

_REST = compiled_later(
    r"(?<![^\W_])(?:"
    r"(?:[Tt]he|[Aa]ll) (?:rest|others?(?= ones?\b)|others|remaining(?: ones?)?)|[Ee]verything else|[Aa]ll else"
    r"|(?:(?<=^)|(?<=[.,;:!)] )|(?<=\band )|(?<=\bbut )|(?<=\n))[Rr]est"
    r"|(?:[Dd]e[nr] )[Rr]est|(?:[Dd]ie|[Aa]lle) (?:anderen|übrigen|restlichen)|[Aa]lles andere"
    r"|[Ee]l resto|[Ll][oa]s (?:demás|otr[oa]s)|[Ll]o demás"
    r"|[Ll]e reste|[Ll]es autres|[Ii]l resto|[Gg]li altri|[Ll]e altre"
    r"|[Oo] rest(?:o|ante)|[Oo]s (?:outros|demais)|[Aa]s (?:outras|demais)|[Оо]стальн(?:ые|ых|ое))(?![^\W_])"
    r"(?! (?:of|say|said|think|thought|in the|der|des|von|de|del|du|dell)\b)"
    r"|剩下的?|其余的?|其他的(?!话)|残り(?:は|の|も|を|全)",
)
_NOT_IT = compiled_later(
    r"(?<![^\W_])(?:skip|forget|ignore|drop|omit|without|not|never|n['’]t|(?:leave|cut) out|nicht|ohne"
    r"|vergiss|ignorier\w*|no|sin"
    r"|olvida|ignora|salta|pas|sans|oublie|senza|non|sem|esqueça)(?: [^\W\d_]+){0,2} $|[不别][^\s，,。]{0,3}$",
    re.IGNORECASE,
)
"""What stands before the rest where nothing is to be done about it."""
_BEFORE = 40
"""Characters that are looked at for that."""
_CODE = r"[A-Z]{1,4}-?\d{1,4}[a-z]?"
_ITEM = compiled_later(
    rf"^[ \t]*(?:(?:[-*•|]|#{{1,6}}|\d{{1,2}}[.)])[ \t]+)?"
    rf"(?:\*\*|__)?\(?({_CODE}(?:(?:, ?| ?[/&+] ?| and )[ \t]*{_CODE})*)\)?"
    r"(?:\*\*|__)?(?=[:：]|[ \t]+\S|\*\*)",
    re.MULTILINE,
)
"""The line that begins an item with a code, or with several: `- R2, R13: fixed`."""
_NAMED = compiled_later(rf"(?<![\w-]){_CODE}(?![\w-])")
_DONE = compiled_later(
    r"(?::|→|->|[–—-] )\s*\W{0,3}(?:fixed|resolved?|done|closed|withdrawn?|obsolete"
    r"|erledigt|behoben|hecho|resuelto|fait|réglé|fatto)\b"
    r"|✅|☑|\[x\]",
    re.IGNORECASE,
)
"""Says of an item that nothing is left to do."""
_LEAST = 3
"""Items with codes that make a list."""
_LONGEST = 1_200
"""Characters of a reply up to which it may speak of a list."""


def tells_of_rest(reply: str) -> bool:
    """Return whether a reply says what is to become of the items that it does not name."""
    if len(reply) > _LONGEST:
        return False
    return any(
        not _NOT_IT.search(reply[max(0, rest.start() - _BEFORE) : rest.start()]) for rest in _REST.finditer(reply)
    )


def coded_items(answer: str, reply: str) -> list[tuple[int, int]]:
    """Return where the items of a list with codes stand in an answer, each with the lines under it, where a reply names
    one of them and speaks of the rest."""
    return [span for span, _ in _coded(answer, reply)]


def unnamed_items(answer: str, reply: str) -> list[tuple[int, int]]:
    """Return those of these items that are the rest: the reply names none of their codes, and they are not done."""
    named = {*_NAMED.findall(reply)}
    rest = ((start, end) for (start, end), codes in _coded(answer, reply) if named.isdisjoint(codes))
    return [(start, end) for start, end in rest if not _DONE.search(answer[start:end].partition("\n")[0])]


def _coded(answer: str, reply: str) -> Iterator[tuple[tuple[int, int], list[str]]]:
    """Yield these items, each with its codes."""
    found = [*_ITEM.finditer(answer)] if len(reply) <= _LONGEST else []
    codes = [_NAMED.findall(item[1]) for item in found]
    if len(found) < _LEAST or {*chain.from_iterable(codes)}.isdisjoint(_NAMED.findall(reply)):
        return
    if not tells_of_rest(reply):
        return
    starts = [item.start() for item in found]
    for start, end, own in zip(starts, [*starts[1:], len(answer)], codes, strict=True):
        text = answer[start:end]
        text = text.partition("\n\n")[0] if end == len(answer) else text
        yield (start, start + len(text.rstrip())), own
