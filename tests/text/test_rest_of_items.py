"""A reply that names some items of a list and speaks of the rest picks all; what is not done of these is the rest."""

from __future__ import annotations

import time

import pytest

from compactor_cli.text.picked_items import picked_items
from compactor_cli.text.rest_of_items import coded_items, wants_rest

FINDINGS = (
    "- R2, R9: fixed, so both can be closed.",
    "- R10: the key of the gate is in the log.",
    "- R12: the sluice opens twice\n  when two ships come at once.",
    "- R4: done",
    "- R5, R7: his questions about the gauge.",
)
ANSWER = "\n".join(["I looked at the newest plan of the harbour:", *FINDINGS, "", "What shall I do?"])


def _told(spans: list[tuple[int, int]], answer: str = ANSWER) -> list[str]:
    return [answer[start:end] for start, end in spans]


@pytest.mark.parametrize(
    "reply",
    [
        "R5: leave it. R7 stays. rest reply + keep open. R10: drop the key.",
        "R5 and R7 no, R10 later, post the rest",
        "R5, R7, R10 nicht, alle anderen ja",
        "R5, R7 y R10 no, las demás sí",
        "R5、R7、R10 不要，剩下的都发",
    ],
)
def test_a_reply_about_the_rest_picks_all_items(reply: str) -> None:
    assert _told(picked_items(ANSWER, reply)) == [*FINDINGS]


@pytest.mark.parametrize(
    "reply",
    [
        "R5: leave it. R10: drop the key.",
        "Post the rest.",
        "R5 please, skip the rest",
        "R5, and not the others",
        "R5 via the REST API",
        "R5 is for the rest of the week",
        "R77 no, post the rest",
    ],
)
def test_without_names_and_the_rest_nothing_is_picked(reply: str) -> None:
    assert coded_items(ANSWER, reply) == []


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ("1. Dig the basin.\n2. Buy a crane.\n3. Paint the quay.", "item 1 first, then the rest"),
        ("a) Dig the basin.\nb) Buy a crane.\nc) Paint the quay.", "b) is too dear, the others yes"),
    ],
)
def test_of_numbers_and_letters_all_items_are_picked(answer: str, reply: str) -> None:
    assert _told(picked_items(answer, reply), answer) == answer.split("\n")
    assert len(picked_items(answer, reply.partition(",")[0])) == 1


@pytest.mark.parametrize(
    "reply",
    [
        "take a rest",
        "restart it",
        "forget the others",
        "the others said no",
        "otherwise ok",
        "R5, but leave the rest",
        "R5: keep the rest as is",
        "R5, don't touch any of the others",
        "R5. I don't care about the rest",
        "R5, the rest: no",
        "R5, der Rest nicht",
        "R5, los demás no",
        "R5: 其他的不要",
        "R5. the rest is fine",
        "R5 only; everything else unchanged",
        "R5, what about the rest?",
        "Is R5 worse than the others?",
        "The rest endpoint R5 fails",
        "R5 first, and pay the rest with my card",
        "R5, and put the remaining balance on my card",
        "R5. All the others are useless.",
    ],
)
def test_other_words_do_not_tell_of_the_rest(reply: str) -> None:
    assert not wants_rest(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "leave R5 and post the rest",
        "don't do R5, do the rest",
        "R5 no, can you post the rest?",
        "skip it and do the rest",
    ],
)
def test_what_is_said_of_others_is_not_said_of_the_rest(reply: str) -> None:
    assert wants_rest(reply)


@pytest.mark.parametrize(
    "answer",
    [
        "RFC2616 says so.\nHTTP2 is on.\nR5 is told of.",
        "1. S3 for files\n2. EC2 for hosts\n3. R5 for rows",
        "R5 is open.\nR6 is open.\nR7 is open.",
    ],
)
def test_prose_and_other_names_are_no_list_with_codes(answer: str) -> None:
    assert coded_items(answer, "R5 no, post the rest") == []


def test_a_line_of_many_codes_is_read_once() -> None:
    began = time.process_time()
    codes = ", ".join(f"R{number}" for number in range(1, 24))
    assert coded_items(f"Open:\n{codes}.\n", "R1 no, post the rest") == []
    assert time.process_time() - began < 1
