"""Read what was written with the format's own reader, and compare it with what was to be written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import zip_longest
from typing import Any

from compactor_cli.converting.base import Attribute, Target
from compactor_cli.converting.fitting import arguments
from compactor_cli.converting.losses import UnfaithfulError
from compactor_cli.converting.message_content import Conversation
from compactor_cli.converting.taking import take
from compactor_cli.errors import InputError
from compactor_cli.formats import FORMATS
from compactor_cli.formats.base import Uncounted
from compactor_cli.formats.loading import load

Said = tuple[Any, ...]
"""An item in the form in which two of them are compared."""


def read_back(data: bytes, target: Target, written: Sequence[Conversation]) -> bool:
    """Return whether the file was read again: there is a reader for its format. Raises UnfaithfulError where it reads
    differently from what was to be written."""
    if target.name not in FORMATS:
        return False
    try:
        source = load(data, target.name, Uncounted(), format=target.name)
    except InputError as error:
        if any(said(conversation, target.holds) for conversation in written):
            raise UnfaithfulError(f"what was written cannot be read: {error}") from error
        return True
    read = [take(transcript).conversation for transcript in source.transcripts]
    for number, (conversation, again) in enumerate(zip_longest(written, read, fillvalue=Conversation(()))):
        _compare(number, said(conversation, target.holds), said(again, target.holds))
    return True


def _compare(number: int, wanted: Sequence[Said], read: Sequence[Said]) -> None:
    for index, (expected, actual) in enumerate(zip_longest(wanted, read)):
        if expected != actual:
            raise UnfaithfulError(
                f"conversation {number} reads differently at item {index}: {expected!r:.400} != {actual!r:.400}"
            )


def said(conversation: Conversation, holds: Set[Attribute]) -> list[Said]:
    """Return everything that is said, in order: who, what kind, the words; of a call its tool and the value of its
    arguments, of a result which call it answers. How it was cut into messages does not count."""
    calls: dict[int, int] = {}
    for _, item in conversation.items():
        if item.kind == "call":
            calls.setdefault(item.link, len(calls))
    return list(_said(conversation, calls, holds))


def _said(conversation: Conversation, calls: dict[int, int], holds: Set[Attribute]) -> Iterator[Said]:
    for turn, item in conversation.items():
        pictures = tuple(picture.content for picture in item.pictures)
        if item.kind == "call":
            yield turn.role, "call", item.name, arguments(item), calls[item.link]
        elif item.kind == "result":
            failed = bool(item.failed) if "failed" in holds else None
            yield turn.role, "result", item.text, calls.get(item.link), failed, pictures
        else:
            yield turn.role, item.kind, item.text, item.seal, pictures
