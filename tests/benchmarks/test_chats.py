"""Chats with marks of what is needed: read without the marks, with the statements that they are around."""

from __future__ import annotations

import pytest

from benchmarks import chats

TEXT = """\
=== 1 | en | a shed
user: hi there. ⟦we can only work on weekends⟧, sorry

assistant: Noted:
- ⟨you can only work on weekends, so that the plan has Saturdays and Sundays⟩
- the usual four kinds of roofs are pent, apex, hip and gambrel, of which hip is dear
user: go on
=== 2 | de | Umzug
user: los
"""


TOLD = """\
Noted:
- you can only work on weekends, so that the plan has Saturdays and Sundays
- the usual four kinds of roofs are pent, apex, hip and gambrel, of which hip is dear"""


def test_marks_are_taken_out_and_what_they_are_around_is_needed(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "chats.txt").write_text(TEXT, encoding="utf-8")
    monkeypatch.setattr(chats, "_CHATS_FILE", tmp_path / "chats.txt")
    first, second = chats.read_chats.__wrapped__()
    assert first.messages == (
        ("user", "hi there. we can only work on weekends, sorry"),
        ("assistant", TOLD),
        ("user", "go on"),
    )
    needed = [said.text for said, label in zip(first.statements, first.needed, strict=True) if label]
    assert any("we can only work on weekends" in text for text in needed)
    assert any("- you can only work" in text for text in needed)
    assert not any("roofs" in text or "go on" in text for text in needed)
    assert (second.language, second.needed) == ("de", (False,))


def test_a_chat_without_a_heading_is_named(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "chats.txt").write_text("=== 1 en\nuser: hi\n", encoding="utf-8")
    monkeypatch.setattr(chats, "_CHATS_FILE", tmp_path / "chats.txt")
    with pytest.raises(ValueError, match=r"chats\.txt: chat 0 has no heading"):
        chats.read_chats.__wrapped__()


def test_each_chat_ends_with_an_open_request_and_has_something_needed_and_something_not() -> None:
    found = chats.read_chats()
    assert len(found) > 100
    assert {chat.messages[-1][0] for chat in found} == {"user"}
    assert [chat.name for chat in found if not 0.02 < sum(chat.needed) / len(chat.needed) < 0.6] == []
    assert not any(mark in text for chat in found for _, text in chat.messages for mark in "⟦⟧⟨⟩")
