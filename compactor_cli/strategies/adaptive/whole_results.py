"""Results that say what they say as a whole only: small ones, and what a merge could not put together."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from compactor_cli.features.lines import SessionLines
from compactor_cli.model.group import Group
from compactor_cli.model.message import Message
from compactor_cli.strategies.shared.asked import OURS, conflicts
from compactor_cli.text.patterns import compiled_later

_SMALL = 400
"""Characters of a small result, without lines that say nothing."""
_PATH = compiled_later(
    r"(?:[A-Za-z]:)?(?=[^\n]*[/\\])(?=[^\n]*[A-Za-z])"
    r"(?:[^\s:*?\"<>|,;=]+|[^\n:*?\"<>|,;=]+\.[A-Za-z]\w{0,7})"  # with blanks only where it ends as a file does
)
_FILE = compiled_later(r"[\w.@+-]+\.[A-Za-z]\w{0,7}")
_LISTED = range(3, 41)
"""Numbers of files that make a list of those that were found."""
_BESIDE = 3
"""Lines beside them at most."""


def whole_results(
    groups: Iterable[Group], messages: Sequence[Message], lines: SessionLines, in_place: Container[int]
) -> Iterator[list[int]]:
    """Yield the lines of small results of those groups that stay at their place, and of results of any the files of a
    list and both sides of conflicts, as long as no edit took a line of these out."""
    for group in groups:
        results = [messages[i] for i in group.messages if messages[i].results]
        own = [line for message in results for line in lines.of_message(message.index)]
        telling = [line for line in own if line not in lines.silent]
        small = sum(lines.ends[line] - lines.starts[line] for line in telling) <= _SMALL
        parted = any(OURS in message.text() for message in results)
        if small and (parted or group.index in in_place):
            yield telling
        elif parted:
            sides = [own[at] for at in conflicts([*map(lines.text, own)])]
            if lines.silent.isdisjoint(sides):
                yield sides
        else:
            yield from _lists(results, lines)


def _lists(results: Iterable[Message], lines: SessionLines) -> Iterator[list[int]]:
    """Yield the lines of results that are hardly more than paths of files: what there is to go through."""
    for message in results:
        own = [line for line in lines.of_message(message.index) if line not in lines.silent]
        texts = [text.strip() for line in own for text in lines.text(line).split("\n")]
        paths = sum(_PATH.fullmatch(text) is not None for text in texts)
        files = paths + sum(_FILE.fullmatch(text) is not None for text in texts)
        if paths and files in _LISTED and len(texts) - files <= _BESIDE:
            yield own
