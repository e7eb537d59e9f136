"""Lines that survive wherever the budget allows, whatever their value: what the user asked, what was
changed, what went wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from compactor_cli.model.message import Message
from compactor_cli.signals.lines import Lines
from compactor_cli.text.excerpts import is_request
from compactor_cli.text.outcomes import result_errors

_LONG_REQUEST = 2
"""Lines of a request that are kept for being a request; the others have to be worth it."""

_TELLING = 160
"""Characters of an error line that say which one it is."""


def requests(messages: Sequence[Message], lines: Lines) -> Iterator[list[int]]:
    """The first lines of each request, the newest first; and those that an earlier summary quotes."""
    for number in sorted(lines.first_of, reverse=True):
        piece = lines.session.pieces[number]
        if messages[piece.message].origin == "request" and piece.speech:
            yield list(lines.of_piece(number))[:_LONG_REQUEST]
        elif messages[piece.message].origin == "summary":
            yield from ([line] for line in lines.of_piece(number) if is_request(lines.text(line)))


def changed_files(changes: Mapping[int, Sequence[str]], lines: Lines) -> Iterator[list[int]]:
    """For each file that was changed, the line of the newest call that names it. `changes`: piece ->
    files."""
    seen: set[str] = set()
    for number in sorted(changes, reverse=True):
        paths = {path: None for path in changes[number] if path not in seen}
        seen.update(paths)
        for path in paths:
            found = next((line for line in lines.of_piece(number) if path in lines.text(line)), None)
            if found is not None:
                yield [found]


def errors(messages: Sequence[Message], lines: Lines) -> Iterator[list[int]]:
    """The first error line of each result that has one, each text once, the newest first."""
    seen: set[str] = set()
    for number in sorted(lines.first_of, reverse=True):
        piece = lines.session.pieces[number]
        part = messages[piece.message].parts[piece.part]
        if part.kind != "tool_result":
            continue
        for error in result_errors(part.text, part.failed, most=1):
            text = error.strip()
            if text and text not in seen:
                seen.add(text)
                found = _line_of(text, number, lines)
                if found is not None:
                    yield _whole_line(lines, found)


def _line_of(text: str, number: int, lines: Lines) -> int | None:
    """The first line of a piece that is (the beginning of) a physical line with this text."""
    whole = lines.session.pieces[number].text
    for line in lines.of_piece(number):
        start = lines.starts[line]
        if whole.startswith(text, start) and not whole[whole.rfind("\n", 0, start) + 1 : start].strip():
            return line
    return None


def _whole_line(lines: Lines, first: int) -> list[int]:
    """A line and the further pieces of the same physical line, up to a length that identifies it."""
    piece, found = lines.piece(first), [first]
    for line in range(first + 1, len(lines)):
        between = lines.ends[line - 1], lines.starts[line]
        if lines.piece(line) is not piece or "\n" in piece.text[slice(*between)]:
            break
        if lines.ends[line - 1] - lines.starts[first] > _TELLING:
            break
        found.append(line)
    return found
