"""Which message stands for the request with which a session began, where earlier rounds left summaries."""

from __future__ import annotations

import pytest

from compactor_cli.model.planning import FIRST_REQUEST
from compactor_cli.pipeline.groups import form_groups
from compactor_cli.pipeline.protect import protect
from tests.pipeline.sessions import Json, assistant, compact, filler, long_session, records_of, transcript, user

ASKED = "Mend the rounding of the totals."
QUOTING = "## Session Summary of #2-13 (round 3)\nearlier user: Never touch the importer.\n#4: It rounds half up."
REPEATING = (
    "## Session Summary (Compaction Round 2)\nStands for messages 1-9 (900 tokens; ctx_d4fc0949).\n"
    f"### Original Task (first request, earlier, {len(ASKED)} characters)\n{ASKED}"
)
NEITHER = "## Session Summary of #2-9 (round 2)\n#4 user: Never touch the importer.\n#5: It is an earlier user: Ann."


@pytest.mark.parametrize(
    ("texts", "first"),
    [
        ((ASKED, QUOTING), 0),
        ((ASKED, NEITHER, QUOTING), 0),
        ((QUOTING, ASKED), 0),
        ((NEITHER, QUOTING, ASKED), 1),
        ((NEITHER, ASKED, QUOTING), 1),
        ((ASKED, REPEATING), 1),
        ((QUOTING, REPEATING), 1),
        ((ASKED,), 0),
    ],
)
def test_it_is_a_summary_only_where_that_stands_for_it(texts: tuple[str, ...], first: int) -> None:
    records = [part for text in texts for part in (user(text), assistant("Done."))]
    messages = transcript([*records, user("Now the last one.")]).messages
    reasons = protect(messages, form_groups(messages), keep_last=0)
    assert [group for group, reason in reasons.items() if reason == FIRST_REQUEST] == [first * 2]


@pytest.mark.drawn(1)
@pytest.mark.parametrize("strategy", ["hybrid", "summarize"])
def test_it_stays_at_its_place_in_every_round(strategy: str) -> None:
    records = long_session(8)[:2]
    task = records[-1]
    for number in range(5):
        new: list[Json] = []
        for step in range(number * 12, number * 12 + 12):
            new += [*filler(step), *([user(f"Then look at part {step}, too.")] if step % 4 == 3 else [])]
        part = compact([*records, *new], strategy=strategy)
        records = records_of(part)
        assert records[1] == task, f"round {number}"
    assert "\nearlier user: " in "\n".join(m.text() for m in part.messages if m.origin == "summary")


def test_that_it_was_shortened_is_a_warning_beside_a_summary_that_quotes_others() -> None:
    asked = " ".join(f"Also add line {n} of the sum." for n in range(400))
    records = [user(asked), *filler(0), user(QUOTING), *filler(1), user("Now write it."), assistant("I am on it.")]
    warned = [w for w in compact(records, target_tokens=700).warnings if w.startswith("the user's first request")]
    assert len(warned) == 1
    records[0] = user(REPEATING)
    assert not [w for w in compact(records, target_tokens=700).warnings if w.startswith("the user's first request")]
