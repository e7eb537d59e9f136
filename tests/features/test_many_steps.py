"""Commands of many steps."""

from __future__ import annotations

from tests.cost import count_calls
from tests.features.working import Session


def state_of(steps: int) -> list[str]:
    return Session().runs(" && ".join(["git push origin main"] * steps), "done").texts()


def test_the_cost_of_a_command_grows_with_its_length() -> None:
    assert state_of(3) == ["git push origin main"]
    assert count_calls(lambda: state_of(800)) < 3 * count_calls(lambda: state_of(400))
