"""Extract what somebody says in a message, sentence by sentence, without pasted text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from compactor_cli.text.clean import plain
from compactor_cli.text.sentences import ITEM_MARK, split_sentences

_MAX_LINE_CHARS = 3_000
"""Maximum characters of a paragraph; longer ones were not typed by hand."""
_MIN_WRAPPED_CHARS = 60
"""Minimum characters of a line that may be wrapped, so that its sentence continues on the next line."""
_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_TAG = re.compile(r"<([a-zA-Z][\w-]*)(?:\s[^<>]*)?>.*?</\1>", re.DOTALL)
_PASTED = re.compile(
    r"(?: {4}|\t)\s*(?![-*+•]|\d+[.)])\S"  # indented as code
    r"|\s*(?:[|>$%]|>>>|\+\+\+|---|@@|diff --git|index [0-9a-f]{7}|[+-](?=[^\s\d])|[⎿│└├❯●✓✗✘]|</?[a-zA-Z!])"
    r"|\s*(?:Traceback\b|File \"|at [\w.$<>]+ ?\(|goroutine \d|\w*(?:Error|Exception): |E   |panic:|#\d+ 0x)"
    r"|\s*\[?(?:\d{4}-\d\d-\d\d[T ]|\d\d:\d\d:\d\d|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep"
    r"|Oct|Nov|Dec)[a-z]* +\d{1,2}[ ,])|\s*\[?(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE)\b[\]: |]"
    r"|\s*[\w.-]+@[\w.-]+[: ~/]|\s*[{}\[\]\"].*[{}\[\]\",:]\s*$|.*[;{}]\s*$|\s*(?:\w+[/\\])+\w*[.:]?\w*\s*$|\s*\d+[→"
    r"|:\t]|\s*(?:import|from|def|class|func|function|const|let|var|return|public|private|#include)\b.*[(){}=;:]"
)
"""Lines of code, logs, stack traces, diffs, tables, quotes, prompts and tool output."""
_SHORT_END = re.compile(r"(?<=[a-z)`]{2}[.!?]) +(?=[A-Z])")
"""Sentence ends within short lines, which `split_sentences` does not split."""
_MARKS = re.compile(r"\*\*|^#+ +|^\[[ x]\] +")
_WORD = re.compile(r"\w")


class SpokenSentence(Struct, frozen=True):
    """A sentence, and the one before it in the same paragraph (empty for the first)."""

    text: str
    before: str = ""


def spoken_sentences(text: str, max_chars: int = _MAX_LINE_CHARS) -> Iterator[SpokenSentence]:
    """Yield the sentences of paragraphs that contain a word and have at most `max_chars` characters."""
    unquoted = (
        _TAG.sub("\n", _FENCE.sub("\n", plain(text))) if "`" in text or "<" in text or "~" in text else plain(text)
    )
    for paragraph in _paragraphs(unquoted):
        if len(paragraph) > max_chars or _WORD.search(paragraph) is None:
            continue
        before = ""
        for sentence in (piece for whole in split_sentences(paragraph) for piece in _SHORT_END.split(whole)):
            spoken = _MARKS.sub("", sentence).strip()
            yield SpokenSentence(spoken, before)
            before = spoken


def _paragraphs(text: str) -> Iterator[str]:
    """Yield lines that are not pasted, with wrapped lines joined."""
    open_line = ""
    for line in text.splitlines():
        pasted = _PASTED.match(line) is not None
        goes_on = len(open_line) >= _MIN_WRAPPED_CHARS and open_line[-1] not in ".!?:" and not ITEM_MARK.match(line)
        if open_line and not pasted and goes_on and line.strip()[:1].islower():
            open_line = f"{open_line} {line.strip()}"
            continue
        if open_line:
            yield open_line
        open_line = "" if pasted else line.rstrip()
    if open_line:
        yield open_line
