"""Lines that `--keep` matches: if their message has to be cut, they are kept before all other lines of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from compactor_cli.model.message import Part
from compactor_cli.text.around import AroundWords, Span, first_and_last_lines
from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.shorten import Short, cut_to, ends, is_shortened, shorten_arguments, shorten_to, text_reference

Choice = Callable[[int], Sequence[Span]]
"""Returns the spans of a text to keep in a given number of characters."""


def matches(patterns: Sequence[re.Pattern[str]], text: str) -> Iterator[Span]:
    """Yield the spans of all matches in a text. An empty match stands for the character behind it."""
    for pattern in patterns:
        for match in pattern.finditer(text):
            yield match.start(), max(match.end(), match.start() + 1)


class KeptLines:
    """Cuts parts so that the lines which `--keep` matches stay."""

    def __init__(self, patterns: Sequence[str], count: Callable[[str], int]) -> None:
        self._patterns = [re.compile(pattern) for pattern in patterns]
        self._count = count
        self._least: dict[str, int] = {}

    def are_in(self, part: Part) -> bool:
        """Return whether a part contains such lines and can be cut."""
        cuttable = part.place is not None and not part.edited
        return cuttable and any(pattern.search(part.text) for pattern in self._patterns)

    def least(self, part: Part) -> int:
        """Return the number of tokens of a part when only these lines are kept."""
        if part.text not in self._least:
            around = self._around(part.text, lambda _: ())
            self._least[part.text] = self._count(cut_to(part.text, len(part.text), lambda _: around.lines))
        return min(part.tokens, self._least[part.text])

    def of_prose(self, part: Part, limit: int, choose: Choice) -> Short:
        """Cut a prose text to `limit` tokens. `choose` returns what else to keep in a given number of characters."""
        return self._shorten(self._around(part.text, choose), part.tokens, limit, part.text)

    def of_output(self, part: Part, text: str, tokens: int, limit: int, note: str) -> Short:
        """Cut the `text` of a result to `limit` tokens. If the text ends with `note`, the note stays as well."""
        errors = frozenset(result_errors(text, part.failed))
        around = self._around(text, lambda room: first_and_last_lines(text, room, errors), note)
        return self._shorten(around, tokens, limit, part.text)

    def of_arguments(self, part: Part, tokens: int, longest: int, share: float) -> Short:
        """Cut the arguments of a call so that strings have at most `longest` characters. A string with such lines gets
        at least `share` of the characters that these lines take."""

        def cut(text: str, room: int) -> str:
            around = self._around(text, lambda room: first_and_last_lines(text, room))
            if not around.lines:
                return ends(text, room)
            least = sum(end - start for start, end in around.lines)
            return cut_to(text, max(room, int(share * least)), around.choose)

        return shorten_arguments(part.text, tokens, longest, self._count, cut)

    def _around(self, text: str, choose: Choice, note: str = "") -> AroundWords:
        found = list(matches(self._patterns, text))
        if note and text.endswith(note):
            found.append((len(text) - len(note), len(text)))
        return AroundWords(text, found, choose)

    def _shorten(self, around: AroundWords, tokens: int, limit: int, original: str) -> Short:
        """Return the text cut to `limit`. If some of the lines are missing in it, return these lines alone if they
        fit."""
        text = around.text
        short = shorten_to(text, tokens, limit, self._count, around.choose, original=original)
        if not is_shortened(short.text) or all(text[start:end].strip() in short.text for start, end in around.lines):
            return short
        bare = cut_to(text, len(text), lambda _: around.lines, text_reference(original))
        tokens = self._count(bare)
        return Short(bare, tokens) if tokens <= limit else short
