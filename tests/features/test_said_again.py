"""Words that a result says again, what still has to be agreed to, and which thing is taken back."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.state import compute_state
from tests.cost import count_calls
from tests.features.working import Session


@pytest.mark.parametrize(
    ("tool", "said", "arguments"),
    [
        ("execute_sql", "UPDATE 1; needs review", {"sql": "update docs set state = 'needs review' where id = 1"}),
        ("add_labels", "Added labels: needs review, bug", {"issue": 7, "labels": "bug, needs review"}),
    ],
)
def test_what_the_call_gave_itself_waits_for_nobody(tool: str, said: str, arguments: dict[str, str]) -> None:
    assert not any("waits: " in text for text in Session().calls(tool, said, **arguments).texts())
    other = Session().calls(tool, said.replace("needs review", "needs approval"), **arguments)
    assert all(text.startswith("waits: ") for text in other.texts())


@pytest.mark.parametrize(
    ("tool", "state"), [("approve_leave", "pending_approval"), ("confirm_booking", "pending_confirmation")]
)
def test_who_agrees_did_not_where_that_is_still_to_be_done(tool: str, state: str) -> None:
    assert Session().calls(tool, f'{{"status": "{state}"}}', id="L-12").texts() == [f"waits: {tool} L-12: {state}"]


@pytest.mark.parametrize("tool", ["request_approval", "submit_for_review", "send_for_approval"])
def test_who_asks_for_it_is_done_then(tool: str) -> None:
    state = f"pending_{tool.rpartition('_')[2]}"
    assert Session().calls(tool, f'{{"status": "{state}"}}', id="L-12").texts() == [f"{tool} L-12"]


def _ordered() -> Session:
    return Session().calls("create_order", '{"order_id": "O-1234"}', customer_id="CUST-77", item="tap")


def test_a_bare_verb_takes_nothing_back_of_who_is_named() -> None:
    texts = _ordered().calls("cancel", '{"status": "cancelled"}', customer_id="CUST-77").texts()
    assert texts == ["cancel CUST-77", "create_order CUST-77 (order_id O-1234, item tap)"]


def _offers(number: int) -> Session:
    session = Session()
    for n in range(number):
        tool = f"send_{chr(97 + n % 26)}{chr(97 + n // 26)}_offer"
        session.calls(tool, '{"status": "pending_approval"}' if n % 2 else "sent", offer=f"OF-{n}")
    return session


def test_what_waits_costs_each_later_act_nothing() -> None:
    few, many = _offers(150).messages, _offers(600).messages
    assert sum(line.open for line in compute_state(many)) == 300
    assert count_calls(lambda: compute_state(many)) < 4.3 * count_calls(lambda: compute_state(few))
