"""A list of tasks is told whole, though the calls about some of its tasks stay at their place."""

from __future__ import annotations

import pytest

from compactor_cli.model.report import Compaction
from tests.pipeline.sessions import Json, assistant, compact, result, user


def created(at: int, said: str | None = None) -> list[Json]:
    call = assistant(said, (f"t{at}", "TaskCreate", {"subject": f"Mend part {at} of the harbor"}))
    return [call, result(f"t{at}", f"Task #{at} created successfully: Mend part {at} of the harbor")]


def session(*, late: bool) -> list[Json]:
    records = [user("Mend the harbor."), *created(1), *created(2)]
    for at in range(14):
        levels = "\n".join(f"harbor_{at}_{n}.py:{n}: levels_{at * 31 + n} = gate_{n * at}" for n in range(40))
        records += [assistant(f"I look at part {at}.", f"o{at}"), result(f"o{at}", levels)]
    records += created(3, "One more thing has to be done.") if late else []
    return [*records, assistant("I go on.", ("next", "Bash", {"command": "make tides"})), result("next", "done")]


def told(part: Compaction) -> list[str]:
    text = "\n".join(message.text() for message in part.messages if message.origin == "summary")
    return [f"task {at}" for at in (1, 2, 3) if f"- [ ] Mend part {at} of the harbor (task {at})" in text]


@pytest.mark.parametrize(("strategy", "target"), [("adaptive", 1_500), ("rolling", 2_500)])
def test_a_task_whose_call_stays_is_told_with_the_others(strategy: str, target: int) -> None:
    part = compact(session(late=True), strategy=strategy, target_tokens=target)
    assert any(call.call_id == "t3" for message in part.messages for call in message.calls), "it stays at its place"
    assert told(part) == ["task 1", "task 2", "task 3"]
    assert told(compact(session(late=False), strategy=strategy, target_tokens=target)) == ["task 1", "task 2"]
