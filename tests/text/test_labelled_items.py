"""Which items of a list with letters, or of one within a sentence, a reply picks."""

from __future__ import annotations

import pytest

from compactor_cli.text.picked_items import picked_items

WAYS = """The plain undo can't come up. Options:

A. make the old secret again,
B. stay on the template, and set the image
   to 2.30,
C. switch the flag to false.

B needs 2.30 to know the new name."""
WITHIN = "The portal shows one rate. I can (1) return all rates beside it, or (2) change the shape. (1) breaks nothing."
PLANS = "结论：\n\n1. 序列快用完了\n2. 方案 A（影子列）：双写，分批回填。\n3. 方案 B：逻辑复制到新表。\n\n推荐 A。"
A, B, C = (
    "A. make the old secret again,",
    "B. stay on the template, and set the image\n   to 2.30,",
    "C. switch the flag to false.",
)
FIRST, SECOND = "(1) return all rates beside it", "(2) change the shape."


def picked(answer: str, reply: str) -> list[str]:
    return [answer[start:end] for start, end in picked_items(answer, reply)]


@pytest.mark.parametrize(
    ("reply", "items"),
    [
        ("A is a no, it was taken away on purpose. What about C, is it the flag?", [A, C]),
        ("yes B with the two settings", [B]),
        ("b, please", [B]),
        ("(c)", [C]),
        ("A.", [A]),
        ("Option B: it is quicker", [B]),
        ("A and C", [A, C]),
        ("Let us do variant c", [C]),
        ("Wir nehmen B.", [B]),
    ],
)
def test_letters_pick_items(reply: str, items: list[str]) -> None:
    assert picked(WAYS, reply) == items


@pytest.mark.parametrize(
    "reply",
    [
        "A function is missing there.",
        "a. m. or p. m.?".replace("a. ", "10 a.", 1),
        "Write it in C++ then.",
        "Use C# for that.",
        "What a mess!",
        "I am in.",
        "See src/B/index.ts.",
        "The file is B.py.",
        "It isn't good.",
        "A small one would do.",
        "Is it about grade F?",
        "",
    ],
)
def test_other_letters_pick_none(reply: str) -> None:
    assert picked(WAYS, reply) == []


@pytest.mark.parametrize(
    ("reply", "items"),
    [("用 A。回填别动", ["2. 方案 A（影子列）：双写，分批回填。"]), ("走 B", ["3. 方案 B：逻辑复制到新表。"])],
)
def test_items_with_a_word_before_the_letter_are_picked(reply: str, items: list[str]) -> None:
    assert picked(PLANS, reply) == items


@pytest.mark.parametrize(
    ("reply", "items"),
    [("(1). The team is away.", [FIRST]), ("2", [SECOND]), ("the second", [SECOND]), ("(1)+(2)", [FIRST, SECOND])],
)
def test_items_within_a_sentence_are_picked(reply: str, items: list[str]) -> None:
    assert picked(WITHIN, reply) == items


def test_of_a_long_reply_the_label_counts_that_it_begins_with() -> None:
    more = "The team is away until the 8th, and we talk of it again when they are back. " * 4
    assert picked(WITHIN, f"(1). {more}") == [FIRST]
    assert picked(WITHIN, f"{more} (1).") == []
    assert picked(WITHIN, f"1. {more}\n2. {more}") == []


@pytest.mark.parametrize(
    "answer",
    [
        "See (1) and (2) for that.",
        "As f(1) and f(2) show, it grows.",
        "The first paper says so (1). The second one does not.",
        "It took (2) days and (3) nights of work.",
        "A. Smith wrote the first part of it.",
        "It is written in a list[1] and list[2] of all.",
        "Only (1) is left of all of them.",
    ],
)
@pytest.mark.parametrize("reply", ["(1).", "2", "A is fine", "(2)"])
def test_references_are_no_items(answer: str, reply: str) -> None:
    assert picked(answer, reply) == []


@pytest.mark.parametrize(
    "reply",
    [
        "就选方案B吧",
        "方案B",
        "选B",
        "用B",
        "B吧",
        "我要B。",
        "不如选B",
        "不错，选B",
        "走 B",
        "选(b)",
        "not A but B",
        "Why not B?",
        "No, B",
        "Take B",
        "B, not C",
        "nicht A, sondern B",
        "We take B. Thanks",
        "B. Thanks",
    ],
)
def test_a_letter_is_picked_beside_words_of_any_script(reply: str) -> None:
    assert picked(WAYS, reply) == [B]


@pytest.mark.parametrize(
    "reply",
    [
        "Vitamin C",
        "Hepatitis B",
        "I met J. B. Smith",
        "A. B. Smith wrote it",
        "my drive is C:",
        "Team B lost",
        "Grade B",
        "f(a) fails",
        "Where list_(b) is wrong",
        "See x[0](c)",
    ],
)
def test_a_letter_that_goes_with_a_name_picks_none(reply: str) -> None:
    assert picked(WAYS, reply) == []


@pytest.mark.parametrize(
    "reply",
    [
        "Not B",
        "anything but B",
        "pas la B",
        "nicht B",
        "Kein B",
        "ni B ni C",
        "sin B",
        "all except (b)",
        "not B or C",
        "Do not take B",
        "don't do option b",
        "不选B",
        "不要方案B",
        "别用B",
        "Neither B nor C",
    ],
)
def test_what_a_reply_refuses_is_not_picked(reply: str) -> None:
    assert picked(WAYS, reply) == []
    assert picked(WAYS, f"{reply}, option A") == [A]


@pytest.mark.parametrize(
    ("reply", "items"),
    [
        ("a and b", [A, B]),
        ("a, b and c", [A, B, C]),
        ("yes, both b & c please", [B, C]),
        ("b、c", [B, C]),
        ("a or what?", []),
    ],
)
def test_small_letters_pick_all_that_they_name(reply: str, items: list[str]) -> None:
    assert picked(WAYS, reply) == items
