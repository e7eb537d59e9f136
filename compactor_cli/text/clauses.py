"""Split a text into sentences with their positions, code and pasted text included. Only blanks lie between them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

from msgspec import Struct

from compactor_cli.text.full_stops import is_no_sentence_end
from compactor_cli.text.gap_marks import split_at_gaps
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_SENTENCE_END = compiled_later(r"""(?<![.!?…])[.!?…]+["')\]”’»]*\s+(?![a-zà-öø-ÿ])|[。！？；।॥۔؟።]+[」』”]*\s*""")
"""The end of a sentence within a line. If a lower-case letter follows, the point ended an abbreviation."""
_LOWER_CASE_END = compiled_later(r"""(?<=[^\W\d_]{2})(?:\.|[!?]+)["')\]”’»]*\s+(?=[a-zà-öø-ÿ][\w'’]*[,;:]?\s+[^\W_])""")
"""The end of a sentence within a line that begins with a lower-case letter: its writer uses no capitals. At least two
words must follow."""
_SENTENCE_JOINER = compiled_later(
    r"(?:and|but|also|oh|btw|then|so|und|aber|ach|y|pero|et|mais|e|ma|mas)[,:]?\s+[^\W\d_]", re.IGNORECASE
)
"""How a sentence continues the one before it."""
_SHORT_LAST_WORD = compiled_later(
    r"(?:it|that|this|them|him|her|us|me|you|now|so|too|yes|yep|yeah|ok|okay|do|go|fine|good|sure|great|done"
    r"|well|here|there|then|again|thanks|ja|nein|gut|das|es|ihn|sie|jetzt|mal|dann|sí|si|bien|eso|esto|ya|oui"
    r"|non|ça|là|bene|sì|così|isso|sim|não)",
)
"""Short words that a point after them does not make an abbreviation, even if they occur only once in the line."""
_MIN_WORDS_BEFORE, _SEARCHED_CHARS = 4, 200
"""Minimum number of words before such an end (fewer may end in an abbreviation), and the characters that are searched
for them."""
_MIN_WORD_LETTERS = 5
"""Minimum letters of a word before a point that cannot be an abbreviation. A shorter word must also occur in the line
without a point."""
_WORD_WITHOUT_POINT = compiled_later(r"[^\W\d_]+(?![\w.])")
_CONTINUATION = r"[^\S\n]*[,;，、]|[^\S\n]+[a-zà-öø-ÿ]"
_QUOTATION = compiled_later(
    rf"""(?<!\w)(?:"(?=[^\s"])[^"\n]{{1,200}}(?<!\s)"|“[^“”\n]{{1,200}}”|„[^„“”\n]{{1,200}}[“”]|«[^«»\n]{{1,200}}»)"""
    rf"(?={_CONTINUATION})"
)
"""A quotation within a sentence that continues after it: no sentence ends inside."""
_LOWER_CASE_START = compiled_later(r"[^\w`]*[a-zà-öø-ÿ]{2}\w*[ ,]")
FENCE = compiled_later(r"\s*(?:```|~~~)")
"""A fence: the beginning of a line that opens or closes a code block."""
_TAG = compiled_later(r"\s*<(/?)([A-Za-z][\w-]*)[^<>]*>\s*$")
_PASTED_LINE = compiled_later(r"\s*(?:[|>#]|\d+[→:|]|[-=_*]{3,}|at \S+\(|[{}\[\]])|(?: {4}|\t)")
_LIST_MARK = compiled_later(r"[^\S\n]*(?:[-*+•]|\d+[.)])[^\S\n]")
_ITEM_MARK = compiled_later(
    r"[^\S\n]*(?:>[^\S\n]*)*(?:(?:[-*+•◦▪●○–—]|\d+[.)]|[a-zA-Z]\)|\(\w{1,3}\))[^\S\n]|\d{1,2}\.(?=[^\W\d_]{2})"
    r"|[・●○■□①-⑳]|(?:\d+|[一二三四五六七八九十]+)[、．])"
)
"""How a list item begins, in more scripts than `_LIST_MARK`."""
_MIN_LONG_CHARS = 1_200
"""Minimum characters of a text that may contain pasted text."""
_MAX_CLAUSE_CHARS, _PIECE_CHARS = 1_000, 200
"""Maximum characters of a sentence, and of the pieces into which longer ones are cut."""
_SINGLE_WORD = compiled_later(r"[!-~]+")
"""A line of one word, such as a path."""
_SENTENCE_LINE = compiled_later(r"(?!\s)(?:\S+\s+){5,}\S*[.!?:。！？：।॥۔؟።][\"')\]”’»]*\s*$")
"""A line that is a sentence rather than a row of data."""
_SPEAKER_LABEL = compiled_later(r"([^\W\d_][^\W_]*(?: [^\W_]+)?)[:：](?:[^\S\n]|$)")
"""How a turn of a dialogue begins after an empty line: with a label for the speaker."""
_ROLE_WORDS = word_set(
    "user human assistant agent ai bot chatbot model system tool customer client thought observation question answer q "
    "a benutzer nutzer mensch assistent kunde kundin frage antwort utilisateur humain réponse usuario humano "
    "asistente cliente pregunta respuesta usuário assistente pergunta resposta utente umano domanda risposta gebruiker "
    "klant vraag antwoord пользователь ассистент клиент вопрос ответ 用户 用戶 人类 助手 客户 客服 问 答 问题 回答 "
    "質問 ユーザー アシスタント 사용자 어시스턴트 질문 답변 المستخدم المساعد سؤال جواب"
)
"""Roles in a conversation with an agent, one of which must be a word of the label. Other labels belong to lists."""
_MIN_TURNS = 3
"""Minimum turns of each speaker."""
_MIN_RUN_LINES = 8
"""Minimum lines without an empty line between them that count as pasted, not typed."""
_MAX_LEAD_LINES = 4
"""Maximum lines at the start of such a run that may introduce it without being sentences."""

LEAD_ENDS = (":", "：")
"""The end of a sentence that says nothing without what follows it."""
_MAX_LEAD_IN_CHARS, _MAX_TITLE = 300, 200
"""Maximum characters of a line that introduces what follows with a colon, and of a title."""

ClauseOrigin = Literal["asked", "title", "middle", "pasted"]


class Clause(Struct, frozen=True):
    """One sentence, or one line of code. `start` and `end` are positions in the whole text."""

    text: str
    start: int
    end: int
    origin: ClauseOrigin = "asked"
    """Where it is in a long text. `title`: the first line of pasted text, which says what that is about; `pasted`: in
    code, tables, headings or long runs of lines; `asked`: in the first or the last paragraph that the user typed;
    `middle`: typed, between these two."""


def split_clauses(text: str) -> list[Clause]:
    """Return the sentences of a text in order, without the gap marks of an earlier round. If the text consists of gap
    marks only, return these."""
    lines = list(_iter_lines(text))
    bare_lines = [line for _, line in lines]
    origins: list[ClauseOrigin] = (
        _line_origins(bare_lines) if len(text) >= _MIN_LONG_CHARS else ["asked" for _ in lines]
    )
    lines_with_origins = zip(lines, origins, strict=True)
    pieces = [
        (start + offset, piece, origin)
        for (start, line), origin in lines_with_origins
        for offset, piece in split_at_gaps(line)
    ]
    if not any(piece.strip() for _, piece, _ in pieces):
        pieces = [(start, line, "asked") for start, line in lines]
    return [clause for piece in pieces for clause in _clauses_of(*piece)]


def _clauses_of(start: int, line: str, origin: ClauseOrigin) -> Iterator[Clause]:
    """Yield the sentences of a line, or of a piece of a line, that begins at `start`."""
    offset = 0
    is_whole = origin == "pasted" or line.lstrip().startswith("|")  # a row of a table
    ends = [len(line)] if is_whole else [*_sentence_ends(line), len(line)]
    for end in ends:
        piece = line[offset:end]
        sentence = piece.strip()
        if sentence:
            begin = start + offset + len(piece) - len(piece.lstrip())
            yield from _split_long(Clause(sentence, begin, begin + len(sentence), origin))
        offset = end


def dialogue_span(text: str) -> tuple[int, int]:
    """Return the start and the end of a dialogue that was pasted into a long text; (0, 0) if there is none."""
    lines = text.split("\n") if len(text) >= _MIN_LONG_CHARS else []
    dialogue = _dialogue_lines(lines)
    start, end = (sum(len(line) + 1 for line in lines[:index]) for index in (dialogue.start, dialogue.stop))
    return start, end


def is_in_item(text: str, start: int) -> bool:
    """Return whether the line of a sentence is a list item. Later sentences of an item depend on its first one, as
    exceptions do."""
    return bool(item_mark(text, text.rfind("\n", 0, start) + 1))


def item_mark(text: str, start: int) -> str:
    """Return the bullet or number of the list item that begins at `start`; "" if the line is not an item."""
    match = _ITEM_MARK.match(text, start)
    return match[0].strip() if match else ""


def _sentence_ends(line: str) -> Iterator[int]:
    """Yield the ends of the sentences of a line, except the last."""
    ends = [*_SENTENCE_END.finditer(line)]
    if _LOWER_CASE_START.match(line):
        ends = sorted([*ends, *_small_ends(line)], key=re.Match.end)
    quoted = [match.span() for match in _QUOTATION.finditer(line)][::-1]
    start = 0
    for match in ends:
        while quoted and quoted[-1][1] <= match.start():
            quoted.pop()
        if quoted and quoted[-1][0] < match.start():
            continue
        if line[start : match.start()].strip().isdecimal():
            continue  # the number of an item
        if match[0].strip() != "." or not is_no_sentence_end(line, match.start()):
            start = match.end()
            yield start


def _small_ends(line: str) -> Iterator[re.Match[str]]:
    """Yield the breaks between two sentences of a line of which the second begins with a lower-case letter."""
    words_without_point = frozenset[str]()
    start = 0
    for match in _LOWER_CASE_END.finditer(line):
        words_before = line[max(start, match.start() - _SEARCHED_CHARS) : match.start()].rsplit(
            maxsplit=_MIN_WORDS_BEFORE
        )
        word = words_before[-1].lstrip("([\"'«„“‘`*_")
        if word.islower() and _SHORT_LAST_WORD.fullmatch(word) and _SENTENCE_JOINER.match(line, match.end()):
            start = match.end()
            yield match
            continue
        if len(words_before) < _MIN_WORDS_BEFORE:
            continue
        if match[0].startswith(".") and len(word) < _MIN_WORD_LETTERS:
            words_without_point = words_without_point or frozenset(_WORD_WITHOUT_POINT.findall(line))
            if word not in words_without_point:
                continue
        start = match.end()
        yield match


def _split_long(clause: Clause) -> Iterator[Clause]:
    """Yield a clause, or the pieces of one that is too long for a sentence, cut between words. All pieces but the first
    and the last count as pasted."""
    if len(clause.text) <= _MAX_CLAUSE_CHARS:
        yield clause
        return
    offset = 0
    while offset < len(clause.text):
        end = clause.text.rfind(" ", offset + 1, offset + _PIECE_CHARS)
        end = end if end > 0 else offset + _PIECE_CHARS
        text = clause.text[offset:end].strip()
        start = clause.start + offset + len(clause.text[offset:end]) - len(clause.text[offset:end].lstrip())
        origin: ClauseOrigin = clause.origin if offset == 0 or end >= len(clause.text) - 1 else "pasted"
        if text:
            yield Clause(text, start, start + len(text), origin)
        offset = end


def _iter_lines(text: str) -> Iterator[tuple[int, str]]:
    offset = 0
    for line in text.split("\n"):
        yield offset, line
        offset += len(line) + 1


def _line_origins(lines: list[str]) -> list[ClauseOrigin]:
    """Return the place of each line of a long text: in pasted text, or in what the user says about it."""
    pasted = [bool(_PASTED_LINE.match(line)) for line in lines]
    in_fence, tag = False, ""
    for index, line in enumerate(lines):
        fence, mark = FENCE.match(line), _TAG.match(line)
        if mark and not in_fence and not mark.group(1) and not tag:
            tag = mark.group(2)
        pasted[index] = pasted[index] or in_fence or fence is not None or bool(tag)
        if fence:
            in_fence = not in_fence
        if mark and mark.group(1) and mark.group(2) == tag:
            tag = ""
    for first, last in _runs(lines):
        list_lines = sum(bool(_LIST_MARK.match(line)) for line in lines[first:last])
        if last - first >= _MIN_RUN_LINES or list_lines >= _MIN_RUN_LINES:
            start, end = _pasted_lines(lines, first, last, pasted)
            pasted[start:end] = [True] * (end - start)
    dialogue = _dialogue_lines(lines)
    pasted[dialogue.start : dialogue.stop] = [True] * len(dialogue)
    prose_runs = [run for run in _runs(lines) if not all(pasted[run[0] : run[1]])]
    origins: list[ClauseOrigin] = ["pasted" if is_pasted else "middle" for is_pasted in pasted]
    for first, last in {prose_runs[0], prose_runs[-1]} if prose_runs else ():
        for index in range(first, last):
            origins[index] = "asked" if not pasted[index] else "pasted"
    title = _title_index(lines, origins)
    if title is not None and title not in dialogue:
        origins[title] = "title"
    return origins


def _dialogue_lines(lines: Sequence[str]) -> range:
    """Return the lines of a pasted dialogue: two or more speakers take turns under labels that are roles of a
    conversation. It is an example, or was said elsewhere. The turn that ends the text is not included, as it may be
    the user's request."""
    starts = (index for index in range(len(lines)) if not index or not lines[index - 1].strip())
    matches = ((index, _SPEAKER_LABEL.match(lines[index])) for index in starts)
    labels = [(index, label[1]) for index, label in matches if label and _is_role(label[1])]
    turns = Counter(label for _, label in labels)
    speaker_turns = [(index, label) for index, label in labels if turns[label] >= _MIN_TURNS]
    changes = sum(speaker != next_speaker for (_, speaker), (_, next_speaker) in pairwise(speaker_turns))
    if changes < 2 * _MIN_TURNS - 1:
        return range(0)
    last = speaker_turns[-1][0]
    end = next((index for index in range(last, len(lines)) if not lines[index].strip()), len(lines))
    return range(speaker_turns[0][0], end if any(line.strip() for line in lines[end:]) else last)


def _is_role(label: str) -> bool:
    return not _ROLE_WORDS.isdisjoint(label.lower().split())


def _title_index(lines: list[str], origins: list[ClauseOrigin]) -> int | None:
    """Return the number of the line that says what a pasted text is about: the first after a lead-in, which ends with a
    colon or is a tag. A single word is no title. After a colon, neither is a list item or a pasted line."""
    after_lead_in = after_tag = False
    for index, line in enumerate(lines):
        stripped = line.strip()
        tag = _TAG.match(line)
        if (stripped.endswith(LEAD_ENDS) and len(stripped) <= _MAX_LEAD_IN_CHARS) or (tag and not tag.group(1)):
            after_lead_in, after_tag = True, tag is not None
        elif (
            stripped
            and after_lead_in
            and (_SINGLE_WORD.fullmatch(stripped) or (_LIST_MARK.match(line) and not after_tag))
        ):
            after_lead_in = after_tag = False  # such as the path of an uploaded folder, or the fields of a form
        elif stripped and after_lead_in:
            is_row = origins[index] == "pasted" and not after_tag
            return index if len(stripped) <= _MAX_TITLE and not is_row and not FENCE.match(line) else None
    return None


def _pasted_lines(lines: list[str], first: int, last: int, pasted: list[bool]) -> tuple[int, int]:
    """Return the part of a run of lines that was pasted: without its introduction up to a colon (a few lines of any
    kind, or any number of sentences), and without a question at the end."""
    start, end = first, last
    for index in range(first, last):
        if pasted[index] or (index >= first + _MAX_LEAD_LINES and not _SENTENCE_LINE.match(lines[index])):
            break
        if lines[index].rstrip().endswith(LEAD_ENDS):
            start = index + 1
            break
    if not pasted[last - 1] and lines[last - 1].rstrip().endswith(("?", "？")):
        end = last - 1
    return start, end


def _runs(lines: list[str]) -> list[tuple[int, int]]:
    """Return the runs of lines between empty lines, as (first, end)."""
    runs: list[tuple[int, int]] = []
    run_start = None
    for index, line in enumerate([*lines, ""]):
        if line.strip():
            run_start = index if run_start is None else run_start
        elif run_start is not None:
            runs.append((run_start, index))
            run_start = None
    return runs
