"""What a prompt forbids comes before what it describes, where not all of it has room."""

from __future__ import annotations

import pytest

from compactor_cli.features.prompt_rules import rule_points
from tests.pipeline.sessions import Json, assistant, compact, user

DESCRIBES = [
    "Each user has a profile with a name, an address, and a list of orders that were made in the last years.",
    "Each order has a number, a list of goods, a date on which it was made, and the place to which it goes.",
    "Each parcel has a weight, a size, a price, and the name of the company that brings it to the customer.",
    "Goods come from four warehouses, two of which are in the north, one in the west and one in the south.",
    "The library has non-blocking IO, sin(x) is one of its functions, and there are no-op ones.",
    "An order without a date is one that has no parcel, and there are none of these in the warehouse.",
]
FORBIDS = [
    "Do not offer a refund for goods that were opened.",
    "Nunca canceles un pedido que ya está en camino.",
    "Ohne Zustimmung des Kunden wird keine Adresse geändert.",
    "不要把客户的电话号码告诉别人。",
    "Don't name the warehouse.",
    "Users can’t change the price.",
    "Sharing of numbers is forbidden.",
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
