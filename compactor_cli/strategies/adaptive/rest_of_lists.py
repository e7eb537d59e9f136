"""Items of a list of which a request says what is to become of some, and of the rest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from compactor_cli.features.followed import answers_before_turns
from compactor_cli.features.lines import SessionLines
from compactor_cli.model.message import Message
from compactor_cli.strategies.adaptive.must_keep import speech_of
from compactor_cli.text.rest_of_items import unnamed_items


def rest_of_list(messages: Sequence[Message], lines: SessionLines) -> list[int]:
    """Return the lines of the items that are the rest of which the newest request that speaks of one says what is to
    become: nothing else says what is left to do."""
    for index, request in sorted(answers_before_turns(messages), key=lambda turn: -turn[1]):
        reply = messages[request].text("text")
        found: list[int] = []
        for number, own in groupby(speech_of(lines, index), key=lines.piece_of.__getitem__):
            spans = unnamed_items(lines.session.pieces[number].text, reply)
            rest = {line for span in spans for line in lines.overlapping(number, *span)}
            found += [line for line in own if line in rest]
        if found:
            return found
    return []
