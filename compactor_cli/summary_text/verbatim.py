"""User requests that a summary repeats in full, so that later rounds can find and carry them on.

    ### Original Task (first request, #1, 44 characters)
    Mend the rounding. Never touch the importer.

The length says where the words end, whatever they are. The last request may also be at the very end of the summary, and
may be the first one as well:

    ### Original Task (the only request, at the end of this summary)

    Last request from user was: Write the changelog entry.

Before it, the summary says what the agent has done about it:

    The agent has replied to the last request, which stands below:
    #97: The entry is written.

    Last request from user was: Write the changelog entry.

Further messages follow in time order, with their numbers. A message of several lines states its length, and those of
its lines that could pass for marks of the summary are indented:

    ### Word for word
    #12 user: Never touch the importer.
    #30 user: (next 59 characters)
    Two things:
      # heading of the page stays
    and so do colours
    #34 user (Ann): What one of several people said.
    earlier #7 user: Words repeated by a summary of an earlier round, with their number in that round.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Literal

from msgspec import Struct

from compactor_cli.text.patterns import compiled_later

QUOTED = "\n\n### Lines of the session\n"
LAST_REQUEST_WAS = "\n\nLast request from user was: "
REPLIED, ACTED = (f"The agent has {did} the last request, which stands below" for did in ("replied to", "acted on"))
_ALREADY = {REPLIED: "Already replied to", ACTED: "Already acted on"}
SINCE = (*_ALREADY, *_ALREADY.values())
_SINCE = compiled_later(
    rf"\n\n(?:(?:{REPLIED}|{ACTED})[^\n]*(?:\n(?P<said>(?:earlier )?#\d+: [^\n]*))?"
    rf"|(?:{'|'.join(_ALREADY.values())}) \[(?:earlier )?#\d+(?:-\d+)?\]:)"
)
_NUMBER = compiled_later(r"#(?=\d)")
_ONLY = " (the only request, at the end of this summary)"
"""Replaces the words of the first request if it is also the last one."""
_ONLY_BEFORE = (" (the only request, which stands at the end)", " (first request: the last one, at the end)")
_BLOCK = compiled_later(r"^(### .+?) \((first|last) request, (?:#\d+|earlier), (\d+) characters\)\n", re.MULTILINE)

TURNS = "### Word for word"
_WHO = r" (?:user \([^\n:()]{1,40}\)|[^\s:]{1,80})"
_TURN = compiled_later(rf"((?:earlier )?#\d+(?:{_WHO})?|earlier{_WHO}): ")
_EARLIER_NUMBER = compiled_later(r"earlier #\d+ (.+)")
_SPEAKER = compiled_later(r"(?:earlier )?(?:#\d+ ?)?(user(?= \()|.*)")
_LENGTH = compiled_later(r"\((?:next )?(\d+) characters\)(?:\n|$)")
_MARK = compiled_later(r"^(?= *(?:#|<|earlier #))", re.MULTILINE)
_MOVED_IN = compiled_later(r"^  (?= *(?:#|<|earlier #))", re.MULTILINE)

Kind = Literal["first", "last", "only", "turn"]


class Carried(Struct, frozen=True):
    """The messages that a summary repeats in full (empty if it repeats none), and the rest of its text."""

    first: str
    last: str
    rest: str
    turns: tuple[tuple[str, str], ...] = ()
    since: str = ""


class Ending(Struct, frozen=True):
    """Positions of the last request at a summary's end. All are the length of the text if it does not end with one."""

    since: int
    """Start of the description of what followed; equals `last` if there is none."""
    said: int
    """Start of the line with the agent's words, which reaches to `last`; equals `last` if there is none."""
    last: int
    words: int


class CarriedSpan(Struct, frozen=True):
    """The span of a repeated message's words in a summary."""

    label: str
    """The label before the words, such as `#12 user`; `user` for the first and the last request."""
    start: int
    end: int
    moved_in: bool = False
    """Whether some of the lines may be indented."""

    def words(self, text: str) -> str:
        """Return the original words, from the text of the summary."""
        body = text[self.start : self.end]
        return _MOVED_IN.sub("", body) if self.moved_in else body


def turns(labelled: Iterable[tuple[str, str]]) -> str:
    """Return messages under their heading, each with its label (`#12 user`); empty if there are none."""
    lines = [turn(label, text) for label, text in labelled]
    return "\n".join([TURNS, *lines]) if lines else ""


def turn(label: str, text: str) -> str:
    """Return one message: on one line, or on several lines after their length in characters."""
    if "\n" not in text and not _LENGTH.match(text):
        return f"{label}: {text}"
    body = _MARK.sub("  ", text)
    return f"{label}: (next {len(body)} characters)\n{body}"


def label_of(message: int, speaker: str) -> str:
    """Return the label of a message. For speakers, see `summary_text/excerpts.py`."""
    return f"#{message} {speaker}" if speaker else f"#{message}"


def speaker_in(label: str) -> str:
    """Return the speaker in a label: `user` regardless of the person's name."""
    match = _SPEAKER.match(label)
    return match[1] if match else ""


def earlier_label(label: str) -> str:
    """Return a label for a later round. Numbers of rounds before the last one are dropped: they would clash."""
    if match := _EARLIER_NUMBER.fullmatch(label):
        return f"earlier {match[1]}"
    return label if label.startswith("earlier ") else f"earlier {label}"


def block(title: str, kind: Kind, message: int | None, text: str) -> str:
    """Return a heading with a request under it; the `only` request is at the end of the summary."""
    if kind == "only":
        return f"### {title}{_ONLY}"
    where = "earlier" if message is None else f"#{message}"
    return f"### {title} ({kind} request, {where}, {len(text)} characters)\n{text}"


def last_request(words: str, since: str = "") -> str:
    """Return the end of a summary that repeats the last request. `since`: the description of what followed it."""
    return f"\n\n{since}{LAST_REQUEST_WAS}{words}" if since else f"{LAST_REQUEST_WAS}{words}"


def words_since(since: str) -> tuple[str, str]:
    """Return the label, such as `#97`, and the agent's words in the description of what followed."""
    label, _, words = since.partition("\n")[2].partition(": ")
    return label, words


def since_forms(since: str) -> tuple[str, ...]:
    """Return the description of what followed, and shorter forms of it."""
    if not since:
        return ()
    told, _, rest = since.partition("]")
    begins, _, numbers = told.partition(" [")
    return since, *((f"{told}].",) if rest != "." else ()), f"{_ALREADY[begins]} [{numbers}]:"


def is_under_way(since: str) -> bool:
    """Return whether the description says that the agent acted on the request, rather than replied to it."""
    return since.startswith((ACTED, _ALREADY[ACTED]))


def earlier_since(since: str) -> str:
    """Return the description of what followed for a later round, in which numbers differ."""
    return since if "earlier #" in since else _NUMBER.sub("earlier #", since, count=1)


def ending(text: str, start: int = 0) -> Ending:
    """Return the positions of the last request at the end of a summary, searched from `start` on."""
    position = text.find(LAST_REQUEST_WAS, start)
    if position < 0:
        return Ending(len(text), len(text), len(text), len(text))
    line = max(text.rfind(f"\n\n{begins}", start, position) for begins in SINCE)
    match = _SINCE.fullmatch(text, line, position) if line >= 0 else None
    said = match.start("said") if match and match["said"] else position
    return Ending(line if match else position, said, position, position + len(LAST_REQUEST_WAS))


def carried(text: str) -> Carried:
    """Return the messages that a summary repeats."""
    blocks, _ = _blocks(text)
    requests = {match.group(2): text[match.end() : end] for match, end in reversed(blocks)}
    turns = _repeated_turns(text, blocks)
    removed = [(match.end(1), end) for match, end in blocks]
    if turns:
        removed.append((text.rfind(f"\n{TURNS}\n", 0, turns[0].start), turns[-1].end))
    ends = ending(text, max((end for _, end in removed), default=0))
    rest, offset = "", 0
    for start, end in sorted(removed):
        rest, offset = rest + text[offset:start], end
    rest += text[offset : ends.since]
    if ends.last < len(text):
        requests["last"] = last = text[ends.words :]
        said = next((each for each in _ONLY_BEFORE if each in rest), _ONLY)
        before, only, behind = rest.partition(f"{said}\n")
        if only and "first" not in requests:
            requests["first"], rest = last, f"{before}\n{behind}"
    said_turns = tuple((span.label, span.words(text)) for span in turns)
    since = text[ends.since : ends.last].strip()
    return Carried(requests.get("first", ""), requests.get("last", ""), rest, said_turns, since)


def carried_spans(text: str) -> list[CarriedSpan]:
    """Return the spans of the words of repeated messages, in the order of the text."""
    blocks, end_of_blocks = _blocks(text)
    spans = [*(CarriedSpan("user", match.end(), end) for match, end in blocks), *_repeated_turns(text, blocks)]
    finish = ending(text, end_of_blocks)
    spans += [CarriedSpan("user", finish.words, len(text))] if finish.last < len(text) else []
    return sorted(spans, key=lambda span: span.start)


def _repeated_turns(text: str, blocks: Sequence[tuple[re.Match[str], int]]) -> list[CarriedSpan]:
    """Return the spans of the messages under their heading, which is between the blocks or after them."""
    starts = [0, *(end for _, end in blocks)]
    ends = [*(match.start() for match, _ in blocks), len(text)]
    return next(filter(None, map(list, map(_turn_spans, repeat(text), starts, ends))), [])


def _turn_spans(text: str, begin: int, stop: int) -> Iterator[CarriedSpan]:
    """Yield the spans of the words of the messages repeated in a piece of a summary."""
    start = text[begin:stop].partition(QUOTED)[0].find(f"\n{TURNS}\n")
    if start < 0:
        return
    offset = begin + start + len(TURNS) + 2
    while match := _TURN.match(text, offset):
        length = _LENGTH.match(text, match.end())
        end = length.end() + int(length.group(1)) if length else text.find("\n", match.end())
        end = len(text) if end < 0 else end
        yield CarriedSpan(match.group(1), length.end() if length else match.end(), end, moved_in=length is not None)
        offset = end + 1


def _blocks(text: str) -> tuple[list[tuple[re.Match[str], int]], int]:
    """Return the headings with a request under them, each with the end of its words, and the end of the last one."""
    blocks = []
    offset = 0
    while match := _BLOCK.search(text, offset):
        if QUOTED in text[offset : match.start() + 1]:
            break
        offset = match.end() + int(match.group(3))
        blocks.append((match, offset))
    return blocks, offset


def quoted_span(text: str) -> tuple[int, int]:
    """Return the span of the lines that a summary quotes; an empty span at its end if it quotes none."""
    mark = text.find(QUOTED, _blocks(text)[1])
    if mark < 0:
        return len(text), len(text)
    return mark + len(QUOTED), ending(text, mark).since


def can_repeat(text: str) -> bool:
    """Return whether a summary can repeat words verbatim: they must be nonblank and valid UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return bool(text.strip())
