"""Acts that stay at their place are told where an earlier one of the same thing is, which they overtook."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.adaptive.seen_acts import without_seen
from compactor_cli.summary_text.state_block import state_lines
from compactor_cli.summary_text.state_line import StateLine
from tests.pipeline.sessions import Json, assistant, compact, filler, result, user


def _left_out(*acts: tuple[str, bool]) -> list[str]:
    lines = [StateLine("effect", text, number) for number, (text, _) in enumerate(acts)]
    seen = {text for text, is_seen in acts if is_seen}
    may_go = without_seen(lines, lambda line: line.text in seen)
    return [line.text for line in lines if may_go(line)]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("helm upgrade shop ./chart", "helm rollback shop 3"),
        ("assign_issue M-1 anna", "assign_issue M-1 ben"),
        ("kubectl apply -f prod.yaml", "kubectl delete -f prod.yaml"),
        ("failed: update_order W12 (status sent): no rights", "cancel_order W12"),
    ],
)
def test_an_act_is_told_beside_an_earlier_one_of_the_same_thing(earlier: str, later: str) -> None:
    assert _left_out((earlier, False), (later, True)) == []


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("helm upgrade shop ./chart", "helm rollback mail 3"),
        ("assign_issue M-1 anna", "assign_issue M-2 ben"),
        ("assign_issue M-1 (who anna)", "assign_issue M-2 (who anna)"),
        ('git commit "Mend a.py" (abc1234)', 'git commit "Mend a.py again" (abc1235)'),
        ('gh pr create "Mend main"', 'gh issue comment 7 "main is mended"'),
        ("npm publish", "npm deprecate"),
        ("docker push shop:1", "docker push mail:1"),
        ("kubectl apply -f a.yaml", "kubectl apply -f b.yaml"),
        ("send_mail anna", "send_mail ben"),
        ("scp a.txt h:/tmp", "scp b.txt h:/srv"),
    ],
)
def test_what_is_about_something_else_is_not(earlier: str, later: str) -> None:
    assert _left_out((earlier, False), (later, True)) == [later]


def test_an_act_before_one_that_is_told_may_go() -> None:
    assert _left_out(("helm upgrade shop a", True), ("helm rollback shop 3", False)) == ["helm upgrade shop a"]
    assert _left_out(("helm upgrade shop a", True), ("helm rollback shop 3", True)) == [
        "helm upgrade shop a",
        "helm rollback shop 3",
    ]


def test_the_state_in_a_summary_ends_with_the_act_that_stands_below() -> None:
    def set_to(call: str, name: str) -> list[Json]:
        return [assistant(None, (call, "move_card", {"card_id": "M-1", "column": name})), result(call, '{"ok": true}')]

    fill = [record for number in range(9) for record in filler(number)]
    records = [user("Tidy the board."), *set_to("a", "doing"), *fill, *set_to("b", "done"), assistant("It is moved.")]
    part = compact(records, strategy="adaptive", target_ratio=0.4)
    told = [line for message in part.messages for line in state_lines(message.text("text"))]
    assert told == ["move_card M-1 (column doing)", "move_card M-1 (column done)"]
    assert any(call.name == "move_card" for message in part.messages[-4:] for call in message.calls)
