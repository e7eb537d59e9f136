"""Split a text into sentences with their positions, code and pasted text included. Only blanks lie between them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

from msgspec import Struct

from compactor_cli.text.gap_marks import between_marks
from compactor_cli.text.items_in_line import numbers_of_items
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.points import ends_none
from compactor_cli.text.shell import word_set

_END = compiled_later(r"""(?<![.!?…])[.!?…]+["')\]”’»]*\s+(?![a-zà-öø-ÿ])|[。！？；।॥۔؟።]+[」』”]*\s*""")
"""The end of a sentence within a line. If a lower-case letter follows, the point ended an abbreviation."""
_SMALL_END = compiled_later(r"""(?<=[^\W\d_]{2})(?:\.|[!?]+)["')\]”’»]*\s+(?=[a-zà-öø-ÿ][\w'’]*[,;:]?\s+[^\W_])""")
"""The end of a sentence within a line that begins with a lower-case letter: its writer uses no capitals. At least two
words must follow."""
_JOINS = compiled_later(
    r"(?:and|but|also|oh|btw|then|so|und|aber|ach|y|pero|et|mais|e|ma|mas)[,:]?\s+[^\W\d_]", re.IGNORECASE
)
"""How a sentence continues the one before it."""
_ENDS = compiled_later(
    r"(?:it|that|this|them|him|her|us|me|you|now|so|too|yes|yep|yeah|ok|okay|do|go|fine|good|sure|great|done"
    r"|well|here|there|then|again|thanks|ja|nein|gut|das|es|ihn|sie|jetzt|mal|dann|sí|si|bien|eso|esto|ya|oui"
    r"|non|ça|là|bene|sì|così|isso|sim|não)",
)
"""Short words that a point after them does not make an abbreviation, even if they occur only once in the line."""
_WORDS_BEFORE, _BEFORE = 4, 200
"""Minimum number of words before such an end (fewer may end in an abbreviation), and the characters that are searched
for them."""
_WHOLE_WORD = 5
"""Minimum letters of a word before a point that cannot be an abbreviation. A shorter word must also occur in the line
without a point."""
_BARE_WORD = compiled_later(r"[^\W\d_]+(?![\w.])")
_GOES_ON_BEHIND = r"[^\S\n]*[,;，、]|[^\S\n]+[a-zà-öø-ÿ]"
_QUOTED = compiled_later(
    rf"""(?<!\w)(?:"(?=[^\s"])[^"\n]{{1,200}}(?<!\s)"|“[^“”\n]{{1,200}}”|„[^„“”\n]{{1,200}}[“”]|«[^«»\n]{{1,200}}»)"""
    rf"(?={_GOES_ON_BEHIND})"
)
"""A quotation within a sentence that continues after it: no sentence ends inside."""
_BEGINS_SMALL = compiled_later(r"[^\w`]*[a-zà-öø-ÿ]{2}\w*[ ,]")
FENCE = compiled_later(r"\s*(?:```|~~~)")
"""A fence: the beginning of a line that opens or closes a code block."""
_TAG = compiled_later(r"\s*<(/?)([A-Za-z][\w-]*)[^<>]*>\s*$")
_PASTED_LINE = compiled_later(r"\s*(?:[|>#]|\d+[→:|]|[-=_*]{3,}|at \S+\(|[{}\[\]])|(?: {4}|\t)")
_LIST = compiled_later(r"[^\S\n]*(?:[-*+•]|\d+[.)])[^\S\n]")
_ITEM = compiled_later(
    r"[^\S\n]*(?:>[^\S\n]*)*(?:(?:[-*+•◦▪●○–—]|\d+[.)]|[a-zA-Z]\)|\(\w{1,3}\))[^\S\n]|\d{1,2}\.(?=[^\W\d_]{2})"
    r"|[・●○■□①-⑳]|(?:\d+|[一二三四五六七八九十]+)[、．])"
)
"""How a list item begins, in more scripts than `_LIST`."""
_LONG = 1_200
"""Minimum characters of a text that may contain pasted text."""
_LONGEST, _PIECE = 1_000, 200
"""Maximum characters of a sentence, and of the pieces into which longer ones are cut."""
_NUMBER = 6
"""Maximum characters of an item's number."""
_NAME = compiled_later(r"[!-~]+")
"""A line of one word, such as a path."""
_SENTENCE = compiled_later(r"(?!\s)(?:\S+\s+){5,}\S*[.!?:。！？：।॥۔؟።][\"')\]”’»]*\s*$")
"""A line that is a sentence rather than a row of data."""
_LABEL = compiled_later(r"([^\W\d_][^\W_]*(?: [^\W_]+)?)[:：](?:[^\S\n]|$)")
"""How a turn of a dialogue begins after an empty line: with a label for the speaker."""
_ROLES = word_set(
    "user human assistant agent ai bot chatbot model system tool customer client thought observation question answer q "
    "a benutzer nutzer mensch assistent kunde kundin frage antwort utilisateur humain réponse usuario humano "
    "asistente cliente pregunta respuesta usuário assistente pergunta resposta utente umano domanda risposta gebruiker "
    "klant vraag antwoord пользователь ассистент клиент вопрос ответ 用户 用戶 人类 助手 客户 客服 问 答 问题 回答 "
    "質問 ユーザー アシスタント 사용자 어시스턴트 질문 답변 المستخدم المساعد سؤال جواب"
)
"""Roles in a conversation with an agent, one of which must be a word of the label. Other labels belong to lists."""
_TURNS = 3
"""Minimum turns of each speaker."""
_RUN = 8
"""Minimum lines without an empty line between them that count as pasted, not typed."""
_LEAD = 4
"""Maximum lines at the start of such a run that may introduce it without being sentences."""

LEADS_ON = (":", "：")
"""The end of a sentence that says nothing without what follows it."""
_LEADS_IN, _TITLE = 300, 200
"""Maximum characters of a line that introduces what follows with a colon, and of a title."""

Place = Literal["asked", "title", "middle", "pasted"]


class Clause(Struct, frozen=True):
    """One sentence, or one line of code. `start` and `end` are positions in the whole text."""

    text: str
    start: int
    end: int
    place: Place = "asked"
    """Where it is in a long text. `title`: the first line of pasted text, which says what that is about; `pasted`: in
    code, tables, headings or long runs of lines; `asked`: in the first or the last paragraph that the user typed;
    `middle`: typed, between these two."""


def split_clauses(text: str) -> list[Clause]:
    """Return the sentences of a text in order, without the gap marks of an earlier round. If the text consists of gap
    marks only, return these."""
    lines = list(_lines(text))
    bare_lines = [line for _, line in lines]
    places: list[Place] = _places(bare_lines) if len(text) >= _LONG else ["asked" for _ in lines]
    told = zip(lines, places, strict=True)
    pieces = [(start + at, piece, place) for (start, line), place in told for at, piece in between_marks(line)]
    if not any(piece.strip() for _, piece, _ in pieces):
        pieces = [(start, line, "asked") for start, line in lines]
    return [clause for piece in pieces for clause in _clauses_of(*piece)]


def _clauses_of(start: int, line: str, place: Place) -> Iterator[Clause]:
    """Yield the sentences of a line, or of a piece of a line, that begins at `start`."""
    offset = 0
    whole = place == "pasted" or line.lstrip().startswith("|")  # a row of a table
    ends = [len(line)] if whole else [*sorted(_sentence_ends(line)), len(line)]
    for end in ends:
        piece = line[offset:end]
        sentence = piece.strip()
        if sentence:
            begin = start + offset + len(piece) - len(piece.lstrip())
            yield from _pieces(Clause(sentence, begin, begin + len(sentence), place))
        offset = end


def dialogue_in(text: str) -> tuple[int, int]:
    """Return the start and the end of a dialogue that was pasted into a long text; (0, 0) if there is none."""
    lines = text.split("\n") if len(text) >= _LONG else []
    found = _dialogue(lines)
    start, end = (sum(len(line) + 1 for line in lines[:at]) for at in (found.start, found.stop))
    return start, end


def in_item(text: str, start: int) -> bool:
    """Return whether the line of a sentence is a list item. Later sentences of an item depend on its first one, as
    exceptions do."""
    return bool(item_mark(text, text.rfind("\n", 0, start) + 1))


def item_mark(text: str, start: int) -> str:
    """Return the bullet or number of the list item that begins at `start`; "" if the line is not an item."""
    found = _ITEM.match(text, start)
    return found[0].strip() if found else ""


def _sentence_ends(line: str) -> Iterator[int]:
    """Yield the ends of the sentences and numbered items of a line, except the last, in any order."""
    ends = [*_END.finditer(line)]
    if _BEGINS_SMALL.match(line):
        ends = sorted([*ends, *_small_ends(line)], key=re.Match.end)
    items = numbers_of_items(line)
    yield from (start for start, _ in items)
    points = {point for _, point in items}
    quoted = [match.span() for match in _QUOTED.finditer(line)][::-1]
    first = len(line) - len(line.lstrip())
    for match in ends:
        while quoted and quoted[-1][1] <= match.start():
            quoted.pop()
        if match.start() in points or (quoted and quoted[-1][0] < match.start()):
            continue
        if match.start() - first <= _NUMBER and line[first : match.start()].strip().isdecimal():
            continue  # the number of an item
        if match[0].strip() != "." or not ends_none(line, match.start()):
            yield match.end()


def _small_ends(line: str) -> Iterator[re.Match[str]]:
    """Yield the breaks between two sentences of a line of which the second begins with a lower-case letter."""
    bare = frozenset[str]()
    begin = 0
    for match in _SMALL_END.finditer(line):
        before = line[max(begin, match.start() - _BEFORE) : match.start()].rsplit(maxsplit=_WORDS_BEFORE)
        word = before[-1].lstrip("([\"'«„“‘`*_")
        if word.islower() and _ENDS.fullmatch(word) and _JOINS.match(line, match.end()):
            begin = match.end()
            yield match
            continue
        if len(before) < _WORDS_BEFORE:
            continue
        if match[0].startswith(".") and len(word) < _WHOLE_WORD:
            bare = bare or frozenset(_BARE_WORD.findall(line))
            if word not in bare:
                continue
        begin = match.end()
        yield match


def _pieces(clause: Clause) -> Iterator[Clause]:
    """Yield a clause, or the pieces of one that is too long for a sentence, cut between words. All pieces but the first
    and the last count as pasted."""
    if len(clause.text) <= _LONGEST:
        yield clause
        return
    offset = 0
    while offset < len(clause.text):
        end = clause.text.rfind(" ", offset + 1, offset + _PIECE)
        end = end if end > 0 else offset + _PIECE
        text = clause.text[offset:end].strip()
        start = clause.start + offset + len(clause.text[offset:end]) - len(clause.text[offset:end].lstrip())
        place: Place = clause.place if offset == 0 or end >= len(clause.text) - 1 else "pasted"
        if text:
            yield Clause(text, start, start + len(text), place)
        offset = end


def _lines(text: str) -> Iterator[tuple[int, str]]:
    offset = 0
    for line in text.split("\n"):
        yield offset, line
        offset += len(line) + 1


def _places(lines: list[str]) -> list[Place]:
    """Return the place of each line of a long text: in pasted text, or in what the user says about it."""
    pasted = [bool(_PASTED_LINE.match(line)) for line in lines]
    fenced, tag = False, ""
    for index, line in enumerate(lines):
        fence, mark = FENCE.match(line), _TAG.match(line)
        if mark and not fenced and not mark.group(1) and not tag:
            tag = mark.group(2)
        pasted[index] = pasted[index] or fenced or fence is not None or bool(tag)
        if fence:
            fenced = not fenced
        if mark and mark.group(1) and mark.group(2) == tag:
            tag = ""
    for first, last in _runs(lines):
        listed = sum(bool(_LIST.match(line)) for line in lines[first:last])
        if last - first >= _RUN or listed >= _RUN:
            begin, end = _pasted_lines(lines, first, last, pasted)
            pasted[begin:end] = [True] * (end - begin)
    dialogue = _dialogue(lines)
    pasted[dialogue.start : dialogue.stop] = [True] * len(dialogue)
    prose_runs = [run for run in _runs(lines) if not all(pasted[run[0] : run[1]])]
    places: list[Place] = ["pasted" if is_pasted else "middle" for is_pasted in pasted]
    for first, last in {prose_runs[0], prose_runs[-1]} if prose_runs else ():
        for index in range(first, last):
            places[index] = "asked" if not pasted[index] else "pasted"
    title = _title(lines, places)
    if title is not None and title not in dialogue:
        places[title] = "title"
    return places


def _dialogue(lines: Sequence[str]) -> range:
    """Return the lines of a pasted dialogue: two or more speakers take turns under labels that are roles of a
    conversation. It is an example, or was said elsewhere. The turn that ends the text is not included, as it may be
    the user's request."""
    begins = (index for index in range(len(lines)) if not index or not lines[index - 1].strip())
    found = ((index, _LABEL.match(lines[index])) for index in begins)
    labels = [(index, label[1]) for index, label in found if label and _is_role(label[1])]
    turns = Counter(label for _, label in labels)
    taken = [(index, label) for index, label in labels if turns[label] >= _TURNS]
    changes = sum(one != other for (_, one), (_, other) in pairwise(taken))
    if changes < 2 * _TURNS - 1:
        return range(0)
    last = taken[-1][0]
    end = next((index for index in range(last, len(lines)) if not lines[index].strip()), len(lines))
    return range(taken[0][0], end if any(line.strip() for line in lines[end:]) else last)


def _is_role(label: str) -> bool:
    return not _ROLES.isdisjoint(label.lower().split())


def _title(lines: list[str], places: list[Place]) -> int | None:
    """Return the number of the line that says what a pasted text is about: the first after a lead-in, which ends with a
    colon or is a tag. A single word is no title. After a colon, neither is a list item or a pasted line."""
    led_in = tagged = False
    for index, line in enumerate(lines):
        bare = line.strip()
        tag = _TAG.match(line)
        if (bare.endswith(LEADS_ON) and len(bare) <= _LEADS_IN) or (tag and not tag.group(1)):
            led_in, tagged = True, tag is not None
        elif bare and led_in and (_NAME.fullmatch(bare) or (_LIST.match(line) and not tagged)):
            led_in = tagged = False  # such as the path of an uploaded folder, or the fields of a form
        elif bare and led_in:
            is_row = places[index] == "pasted" and not tagged
            return index if len(bare) <= _TITLE and not is_row and not FENCE.match(line) else None
    return None


def _pasted_lines(lines: list[str], first: int, last: int, pasted: list[bool]) -> tuple[int, int]:
    """Return the part of a run of lines that was pasted: without its introduction up to a colon (a few lines of any
    kind, or any number of sentences), and without a question at the end."""
    begin, end = first, last
    for index in range(first, last):
        if pasted[index] or (index >= first + _LEAD and not _SENTENCE.match(lines[index])):
            break
        if lines[index].rstrip().endswith(LEADS_ON):
            begin = index + 1
            break
    if not pasted[last - 1] and lines[last - 1].rstrip().endswith(("?", "？")):
        end = last - 1
    return begin, end


def _runs(lines: list[str]) -> list[tuple[int, int]]:
    """Return the runs of lines between empty lines, as (first, end)."""
    runs: list[tuple[int, int]] = []
    begin = None
    for index, line in enumerate([*lines, ""]):
        if line.strip():
            begin = index if begin is None else begin
        elif begin is not None:
            runs.append((begin, index))
            begin = None
    return runs
