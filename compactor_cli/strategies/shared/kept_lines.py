"""Lines that `--keep` matches: if their message has to be cut, they are kept before all other lines of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from compactor_cli.model.message import Part
from compactor_cli.text.around_words import AroundWords, Span, first_and_last_lines
from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.shorten import (
    Shortened,
    cut_to_spans,
    head_and_tail,
    is_shortened,
    shorten_arguments,
    shorten_to,
    text_reference,
)

ChooseSpans = Callable[[int], Sequence[Span]]
"""Returns the spans of a text to keep in a given number of characters."""


def find_matches(patterns: Sequence[re.Pattern[str]], text: str) -> Iterator[Span]:
    """Yield the spans of all matches in a text. An empty match stands for the character after it."""
    for pattern in patterns:
        for match in pattern.finditer(text):
            yield match.start(), max(match.end(), match.start() + 1)


class KeptLines:
    """Cuts parts so that the lines which `--keep` matches stay."""

    def __init__(self, patterns: Sequence[str], count: Callable[[str], int]) -> None:
        self._patterns = [re.compile(pattern) for pattern in patterns]
        self._count = count
        self._min_tokens: dict[str, int] = {}

    def can_keep_in(self, part: Part) -> bool:
        """Return whether a part contains such lines and can be cut."""
        cuttable = part.place is not None and not part.edited
        return cuttable and any(pattern.search(part.text) for pattern in self._patterns)

    def min_tokens(self, part: Part) -> int:
        """Return the number of tokens of a part when only these lines are kept."""
        if part.text not in self._min_tokens:
            around = self._keep_around(part.text, lambda _: ())
            self._min_tokens[part.text] = self._count(cut_to_spans(part.text, len(part.text), lambda _: around.lines))
        return min(part.tokens, self._min_tokens[part.text])

    def cut_prose(self, part: Part, limit: int, choose: ChooseSpans) -> Shortened:
        """Cut a prose text to `limit` tokens. `choose` returns what else to keep in a given number of characters."""
        return self._shorten(self._keep_around(part.text, choose), part.tokens, limit, part.text)

    def cut_output(self, part: Part, text: str, tokens: int, limit: int, note: str) -> Shortened:
        """Cut the `text` of a result to `limit` tokens. If the text ends with `note`, the note stays as well."""
        errors = frozenset(result_errors(text, part.failed))
        around = self._keep_around(text, lambda room: first_and_last_lines(text, room, errors), note)
        return self._shorten(around, tokens, limit, part.text)

    def cut_arguments(self, part: Part, tokens: int, max_chars: int, share: float) -> Shortened:
        """Cut the arguments of a call so that strings have at most `max_chars` characters. A string with such lines
        gets at least `share` of the characters that these lines take."""

        def cut(text: str, room: int) -> str:
            around = self._keep_around(text, lambda room: first_and_last_lines(text, room))
            if not around.lines:
                return head_and_tail(text, room)
            kept_chars = sum(end - start for start, end in around.lines)
            return cut_to_spans(text, max(room, int(share * kept_chars)), around.choose)

        return shorten_arguments(part.text, tokens, max_chars, self._count, cut)

    def _keep_around(self, text: str, choose: ChooseSpans, note: str = "") -> AroundWords:
        kept_spans = list(find_matches(self._patterns, text))
        if note and text.endswith(note):
            kept_spans.append((len(text) - len(note), len(text)))
        return AroundWords(text, kept_spans, choose)

    def _shorten(self, around: AroundWords, tokens: int, limit: int, original: str) -> Shortened:
        """Return the text cut to `limit`. If some of the lines are missing in it, return these lines alone if they
        fit."""
        text = around.text
        short = shorten_to(text, tokens, limit, self._count, around.choose, original=original)
        if not is_shortened(short.text) or all(text[start:end].strip() in short.text for start, end in around.lines):
            return short
        only_kept = cut_to_spans(text, len(text), lambda _: around.lines, text_reference(original))
        tokens = self._count(only_kept)
        return Shortened(only_kept, tokens) if tokens <= limit else short
