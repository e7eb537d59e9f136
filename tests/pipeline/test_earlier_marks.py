"""Whether the output changes a message that an earlier round may have marked."""

from __future__ import annotations

from msgspec.structs import replace

from compactor_cli.model.message import FilePart, Message, Part, PartKind, Place
from compactor_cli.pipeline.earlier_marks import is_changed_beyond_mark
from compactor_cli.summary_text.headers import left_out_mark


class Unread:
    """A text in a file that nobody is to read."""

    def read(self) -> str:
        raise AssertionError("read")


def message(kind: PartKind, text: str, *, edited: bool = False) -> Message:
    part = Part(kind, text, 9, Place(0, ("content",)), edited=edited)
    return Message(0, "m0", "tool", (part,), (0,), 13)


def test_a_shortened_result_is_cut_and_is_not_read_for_it():
    held = FilePart("tool_result", Unread(), 900, Place(0, ("content",)))  # type: ignore[arg-type]  # as a reader does
    before = replace(message("tool_result", ""), parts=(held,))
    assert is_changed_beyond_mark(before, message("tool_result", "short", edited=True))
    assert not is_changed_beyond_mark(before, before)


def test_a_text_that_only_loses_its_mark_is_not_cut():
    marked = message("text", left_out_mark(40, "It is said."))
    assert not is_changed_beyond_mark(marked, message("text", "It is said.", edited=True))
    assert is_changed_beyond_mark(marked, message("text", "It is.", edited=True))
