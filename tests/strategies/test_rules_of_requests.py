"""What holds for a whole session stays before details of it, and what is decided before what led to it."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.shared.binding import is_reversal
from compactor_cli.strategies.shared.kept_requests import KeptRequest
from compactor_cli.strategies.shared.requests import LABEL_TOKENS, Request, choose_requests
from compactor_cli.text.clauses import Clause, split_clauses

OPENING = (
    "Hello, we move the choir library of Saint Odile to the new shelves, 1,400 scores, before the concert on 9 March. "
    "A few wishes before you begin. "
    "Never put two composers on one shelf. "
    "Please name all of the shelves by the first letter, and leave the upper ones free. "
    "I will send you the lists of the four rooms one after another, as soon as the choir has gone through them."
)
LISTS = tuple(
    f"Room {number}: {100 + number} scores of {name}, {number + 2} of them torn, boxes at door {number}/{name}."
    for number, name in enumerate(
        ("Brumel", "Gombert", "Isaac", "Josquin", "Lassus", "Morales", "Obrecht", "Willaert"), 1
    )
)


def words(text: str) -> int:
    return len(text.split())


def kept(texts: tuple[str, ...], room: int) -> str:
    return said(choose_requests([Request(at, text) for at, text in enumerate(texts)], room, words))


def said(chosen: tuple[KeptRequest, ...]) -> str:
    return "\n".join(asked.text for asked in chosen)


def test_a_rule_of_the_first_request_stays_before_details_that_came_later() -> None:
    rooms = range(70, 140)
    assert all("Never put two composers on one shelf." in kept((OPENING, *LISTS), room) for room in rooms)


@pytest.mark.parametrize("at", [2, 5, 7])
@pytest.mark.parametrize("rule", ["Oh, and never stack the folders flat.", "Btw don't write on the spines."])
def test_a_rule_of_any_request_before_the_newest_stays_before_details(at: int, rule: str) -> None:
    texts = (*LISTS[:at], f"{LISTS[at]} {rule} The choir was there at noon.", *LISTS)
    assert all(rule in kept((OPENING, *texts), room) for room in range(90, 200))


def test_a_sentence_that_only_says_that_rules_follow_does_not_stay_without_the_next_one() -> None:
    texts = [kept((OPENING, *LISTS), room) for room in range(10, 240)]
    announced = [text for text in texts if "A few wishes" in text]
    assert announced
    assert all("A few wishes before you begin. Never put" in text for text in announced)


@pytest.mark.parametrize(
    "text",
    [
        "I actually like that.",
        "They are going to the shop.",
        "The tests went back to green.",
        "We are back to school.",
        "Rename it to foo.",
        "Wait for the lock.",
        "Do you want the other one instead?",
        "表格的颜色换了",
        "把 id 从 int 改成 bigint",
        "Ich war doch dort.",
        "The server returns 500 instead of 404.",
        "Use X instead of Y in the config.",
        "It should wait, but instead fails.",
        "Actually it prints 3 lines.",
        "But actually the tests pass.",
        "Go back to the login page and click.",
        "Go back to the previous page.",
        "Forget this if it is slow.",
        "The reason is a change of plan.",
        "Finalement ça marche.",
        "En lugar de 404 da 500.",
        "Stattdessen kommt ein Fehler.",
        "Das geht doch nicht.",
        "i.e. plutôt bien",
        "我用不了了。",
        "差不多了。",
        "算了一下总数是5。",
        "不好意思了，",
        "不要忘了。",
        "把 A 换成 B",
        "やっぱり動かない。",
    ],
)
def test_sentences_that_change_no_mind(text: str) -> None:
    assert not is_reversal(Clause(text, 0, len(text)))


@pytest.mark.parametrize(
    "text",
    [
        "Actually no, they charge nothing.",
        "Actually, I want to fly on Monday.",
        "Let's use X instead of Y.",
        "I'd like the blue one instead.",
        "On second thought, keep it.",
        "No wait, 76.",
        "Scrap that, we begin anew.",
        "Ok, let's go back to the original plan.",
        "Finalement non, on garde le premier.",
        "Ich hab es mir anders überlegt.",
        "Cambio de planes, vamos en tren.",
        "Anzi no, facciamo domani.",
        "算了，还是用旧的。",
        "不用了。",
        "那就改用铅笔。",
        "やっぱり英語にしてください。",
    ],
)
def test_sentences_that_change_a_mind(text: str) -> None:
    assert is_reversal(Clause(text, 0, len(text)))


def test_a_first_request_that_takes_little_of_the_room_stays_whole() -> None:
    first = "The shop is in Lund. We open at nine. Ida has the key of the cellar."
    room = int((words(first) + LABEL_TOKENS + 5) / 0.35) + 1
    assert kept((first, *LISTS), room).startswith(first)
    assert not kept((first, *LISTS), room // 2).startswith(first)


@pytest.mark.parametrize(
    ("led_to", "decided"),
    [
        (
            "Getting the rights for the function harbor_touch from Anders in the second office takes him 3 weeks.",
            "So change of plan, we copy the rows into the new table orders_next, and audit new rows only.",
        ),
        (
            "为函数 harbor_touch 向老周申请权限要等三个星期。",
            "换个方案，逻辑复制到新表 orders_next，审计只管新写入的行。",
        ),
    ],
)
def test_of_a_message_the_change_of_mind_stays_before_what_led_to_it(led_to: str, decided: str) -> None:
    message = f"{led_to}{' ' if led_to.isascii() else ''}{decided}"
    chat = ("Migrate the table.", message, *LISTS[:3])
    texts = [kept_characters(chat, room) for room in range(60, 420, 4)]
    assert any(decided in text and led_to not in text for text in texts)
    assert not any(led_to in text and decided not in text for text in texts)


def test_details_of_others_stay_before_what_led_to_a_change_of_mind() -> None:
    led_to = "Getting the rights for the function harbor_touch from Anders in the second office takes him 3 weeks."
    decided = "So change of plan, we copy the rows into the new table orders_next, and audit new rows only."
    texts = [
        kept_characters(("Migrate the table.", f"{led_to} {decided}", *LISTS[:3]), room) for room in (300, 360, 420)
    ]
    assert all(decided in text for text in texts)
    assert not any(led_to in text for text in texts)


def test_what_limits_without_an_order_stays_before_details_of_the_first_request() -> None:
    first = (
        "Hello, we move the choir library of Saint Odile to new shelves, 1,400 scores, before the concert on 9 March. "
        "The cellar is off limits. "
        "Boxes of Brumel, Gombert and Isaac were brought by Anders, Berta and Caspar in 1998 and 2003 from Lund "
        "and Kiel. "
        "The scores of Josquin, Lassus and Morales were bound by Doris and Emil in 1987 and 1991 in Bonn and Jena. "
        "I will send you the lists of the four rooms one after another, as soon as the choir has gone through them."
    )
    assert all("The cellar is off limits." in kept((first, *LISTS), room) for room in range(100, 180))


def kept_characters(texts: tuple[str, ...], room: int) -> str:
    return said(choose_requests([Request(at, text) for at, text in enumerate(texts)], room, len))


def test_sentences_of_who_writes_without_capitals_are_told_apart() -> None:
    text = "hi, the exam is on the 14th and i am worried. my teacher forbids tables. can we practise?"
    assert [clause.text for clause in split_clauses(text)] == [
        "hi, the exam is on the 14th and i am worried.",
        "my teacher forbids tables.",
        "can we practise?",
    ]


def test_a_short_word_that_is_there_without_a_point_too_ends_a_sentence() -> None:
    text = "put the whole cake into the box. then close that box and send it"
    assert [clause.text for clause in split_clauses(text)] == [
        "put the whole cake into the box.",
        "then close that box and send it",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "use approx. ten rows, e.g. the first, incl. taxes resp. fees etc. and stop",
        "the dept. of works vs. the state, see vol. two and no. three",
        "der test ist rot, bzw. die suite, usw. und evtl. auch ggf. alles",
        "docs/readme.md says so",
        "hello world... and then",
        "Use roughly ten. then go.",
        "error: foo.bar. then",
        "`make`. then wait",
        "run it with opts. see docs.",
        "please run it again with opts. see the docs",
        "please compare all of the corp. numbers of may",
        "please use the std. lib only here",
        "please use the lib of the (std. one) here",
        "this is done already. thanks",
        "well done. now the next one",
    ],
)
def test_points_before_small_letters_that_end_no_sentence(text: str) -> None:
    assert len(split_clauses(text)) == 1
