"""What a prompt forbids comes before what it describes, where not all of it has room."""

from __future__ import annotations

import pytest

from compactor_cli.features.cue_words import rule_points
from tests.pipeline.sessions import Json, assistant, compact, user

DESCRIBES = [
    "Each user has a profile with a name, an address, and a list of orders that were made in the last years.",
    "Each order has a number, a list of goods, a date on which it was made, and the place to which it goes.",
    "Each parcel has a weight, a size, a price, and the name of the company that brings it to the customer.",
    "Goods come from four warehouses, two of which are in the north, one in the west and one in the south.",
    "The library has non-blocking IO, sin(x) is one of its functions, and there are no-op ones.",
    "An order without a date is one that has no parcel, and there are none of these in the warehouse.",
    "Guests without a key are those that have not paid, and there is no list of them.",
]
FORBIDS = [
    "Do not offer a refund for goods that were opened.",
    "Nunca canceles un pedido que ya está en camino.",
    "Ohne Zustimmung des Kunden wird keine Adresse geändert.",
    "不要把客户的电话号码告诉别人。",
    "Don't name the warehouse.",
    "Users can’t change the price.",
    "Sharing of numbers is forbidden.",
    "Never compensate members without insurance on saver or standard.",
    "Do not deploy while there is no backup.",
    "Never call a customer who has no number.",
    "If the parcel has not arrived, do not send another one.",
]


@pytest.mark.parametrize("sentence", FORBIDS)
def test_what_forbids_has_more_points_than_what_orders_and_that_more_than_what_describes(sentence: str) -> None:
    assert rule_points(sentence) > rule_points("You must ask for the number of the order.") > 0
    assert {rule_points(other) for other in DESCRIBES} == {0}


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "tiered"])
def test_a_prompt_that_is_cut_keeps_what_it_forbids(strategy: str) -> None:
    prompt = "\n".join(["You work for a shop.", *(f"- {line}" for line in (*DESCRIBES, *FORBIDS))])
    said: list[Json] = [{"role": "system", "content": prompt}]
    for n in range(6):
        said += [user(f"What about parcel {n}?"), assistant(f"Parcel {n} comes on day {n}.")]
    part = compact(said, strategy=strategy, target_tokens=170)
    kept = part.messages[0].text()
    assert sum(line in kept for line in FORBIDS) >= 3
    assert [line for line in DESCRIBES if line in kept] == []


PRICES = [
    f"The {dish} with bread and salad costs {at + 7} euros from noon on and {at + 9} euros in the evening."
    for at, dish in enumerate(("soup", "fish", "stew", "roast", "pasta", "pizza", "curry", "burger"))
]
NAMES = ("Anna", "Bert", "Carl", "Dora", "Emil", "Fritz", "Gustav", "Hans", "Ida", "Karl", "Ludwig", "Maria")
BANS = [
    "Do not say who else has booked.",
    "No dogs.",
    "Never name the cook.",
    "Die Nummer der Wirtin wird nie genannt.",
]


DISHES = [
    ("salmon", "barley", "cherry"),
    ("walnut", "lentil", "turnip"),
    ("radish", "quince", "fennel"),
    ("almond", "celery", "spinach"),
]


def asking(prompt: str, target: int, strategy: str) -> str:
    """Return what is kept of a prompt where the user asks about what it describes."""
    said: list[Json] = [{"role": "system", "content": prompt}]
    for n, line in enumerate(PRICES):
        said += [user(f"What does the {line.split()[1]} cost in the evening?"), assistant(f"It costs {n + 9} euros.")]
    return compact(said, strategy=strategy, target_tokens=target).messages[0].text()


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "tiered"])
def test_what_a_prompt_forbids_comes_before_long_lines_that_tell_of_what_is_asked(strategy: str) -> None:
    kept = asking("\n".join(["You wait at tables.", *(f"- {line}" for line in (*PRICES, *BANS))]), 280, strategy)
    assert [line for line in BANS if line not in kept] == []
    assert any(line in kept for line in PRICES)


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "tiered"])
def test_what_is_forbidden_has_no_more_than_its_share(strategy: str) -> None:
    bans = [f"Do not speak of the matter of {name} to anybody at all." for name in NAMES]
    kept = asking("\n".join(["You wait at tables.", *(f"- {line}" for line in (*bans, *PRICES))]), 300, strategy)
    assert any(line in kept for line in bans)
    assert any(line in kept for line in PRICES)


@pytest.mark.parametrize("target", [190, 220, 260])
def test_an_item_does_not_stay_without_what_it_forbids_further_on(target: int) -> None:
    plates = [
        f"The {one} plate with {other} and {last} is {n + 7} euros." for n, (one, other, last) in enumerate(DISHES * 2)
    ]
    exception = "Never for tables that were booked under the name of somebody else or by the house itself."
    items = [*plates[:2], f"{plates[2]} {exception}", *plates[3:], *(f"Never name {name}." for name in NAMES)]
    said: list[Json] = [{"role": "system", "content": "\n".join(["You wait.", *(f"- {line}" for line in items)])}]
    for line in plates[1:4]:
        said += [user(f"Tell me: {line.replace(' is', ', is it')[:-1]}?"), assistant("That is right.")]
    kept = compact(said, target_tokens=target).messages[0].text()
    assert (plates[2] in kept) == (exception in kept)
    assert exception in kept or target == 190, "the same room tells of the other plates"
