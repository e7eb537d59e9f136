"""What stays of the log of a job: what ended it and how it stands, not the lines with the rarest figures."""

from __future__ import annotations

import re

import pytest

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.session_text import read_session
from compactor_cli.model.group import Group
from compactor_cli.model.pairing import pair_calls
from compactor_cli.strategies.adaptive.in_place import InPlaceRenderer
from tests.pipeline.sessions import assistant, load, result, user

STANDS = "run tides-7  STOPPED  90%"
STEPS = [f"06:30:{n:02} INFO  [gate.{n % 2}] read {n * 7_919} of {n * 104_729}" for n in range(30)]
ENDED = "06:31:07 ERROR [gates] limit exceeded: 31 > 30, stopping"
TABLE = [
    f"{'reason':<40}{'count':<20}first",
    *(f"{f'silted_{n}_of_the_gauge':<40}{n:<20}{40_013 + n}" for n in range(9)),
]


def shown(output: list[str], *taken: str) -> list[str]:
    asks = assistant(None, ("s", "job", {"action": "status"}))
    messages = load([user("How is it?"), asks, result("s", "\n".join(output))]).transcripts[0].messages
    lines = SessionLines(read_session(messages), lambda term: 1.0)
    chosen = {line for line in lines.of_message(2) if lines.text(line) in taken}
    group = Group(1, (1, 2), sum(messages[i].tokens for i in (1, 2)))
    (edit,) = InPlaceRenderer(messages, lines, len, pair_calls(messages)).render(group, chosen, "").edits
    return edit.text.split("\n")


@pytest.mark.parametrize("taken", [(), (STEPS[4], STEPS[9])])
def test_the_error_that_ended_a_job_stays_and_how_the_job_stands(taken: tuple[str, ...]) -> None:
    kept = shown([*STEPS, ENDED, STANDS], *taken)
    assert kept[-2:] == [ENDED, STANDS]


def test_a_header_of_a_table_stays_with_a_row_only() -> None:
    rule = re.sub(r"\S(?: ?\S)*", lambda name: "-" * len(name[0]), TABLE[0])
    output = [TABLE[0], rule, *TABLE[1:], "", *STEPS]
    header = f"{TABLE[0]}\n{rule}"
    assert TABLE[0] not in shown(output, header, STEPS[9])
    assert TABLE[0] in shown(output, header, TABLE[2], STEPS[9])
