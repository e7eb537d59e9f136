"""Acts of one verb, and files with one action, share a line of the state where their own lines do not fit."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.state import session_state
from compactor_cli.strategies.adaptive.must_keep import fit_state
from compactor_cli.strategies.adaptive.state_forms import joined
from compactor_cli.summary_text.headers import lines_header
from compactor_cli.summary_text.state_block import state_lines, state_text
from compactor_cli.summary_text.state_line import StateLine, count_things, fewer, parted
from tests.builders import user
from tests.features.sessions import Told

ORDERS = [StateLine("effect", f"cancel_order A{n} (reason no longer needed by the customer)", n) for n in (4, 3, 2, 1)]
FILES = [
    StateLine("file", "edited src/pages/home.py 3x, tests passed after", 9),
    StateLine("file", "deleted src/old/a.py", 8),
    StateLine("file", "created src/pages/about/team.py, edited 2x, tests passed after", 7),
    StateLine("file", "edited src/pages/about/jobs.py, tests passed after", 6),
    StateLine("file", "deleted src/old/b.py", 5),
]


def words(text):
    return len(text.split())


def told(lines, room):
    return [line.text for line in fit_state(room, lines, words, lambda _: False)]


def test_acts_of_one_verb_share_a_line_with_their_ids_in_time_order():
    assert told(ORDERS, 10) == ["cancel_order {A1, A2, A3, A4}"]
    assert told(ORDERS, 100) == [line.text for line in ORDERS]


def test_ids_that_do_not_fit_are_counted():
    many = [StateLine("effect", f"cancel_order A{n}", n) for n in range(8, 0, -1)]
    assert told(many, 10) == ["cancel_order {A7, A8}", "6 more actions"]


def test_older_acts_are_left_out_before_things_of_a_joined_line():
    updates = [StateLine("effect", f"update_order W{n} (item x)", n) for n in (9, 8, 7, 6, 5)]
    older = [StateLine("effect", f"cancel_trip A{n},B{n}", n) for n in (4, 3, 2, 1)]
    assert told([*updates, *older], 13) == ["update_order {W5, W6, W7, W8, W9}", "4 more actions"]
    assert told([*updates, *older], 17) == ["update_order {W5, W6, W7, W8, W9}", older[0].text, "3 more actions"]


def test_files_with_one_action_share_a_line_below_their_folder():
    assert [line.text for line in joined(FILES)] == [
        "edited src/pages/{home.py, about/jobs.py}, tests passed after",
        "deleted src/old/{a.py, b.py}",
        "created src/pages/about/team.py, edited 2x, tests passed after",
    ]


@pytest.mark.parametrize(
    "texts",
    [
        ["book_trip T1", "cancel_trip T1", "book_trip T2"],  # T1 would be booked after it was cancelled
        ["gh pr create", "gh pr merge"],
        ['git commit "fix 1"', 'git commit "fix 2"'],
        ["send_mail {a@b.c} 1", "send_mail {a@b.d} 1"],
    ],
)
def test_other_acts_keep_their_lines(texts):
    assert [line.text for line in joined([StateLine("effect", text, 0) for text in texts])] == texts


def test_failures_keep_their_lines():
    failed = [StateLine("effect", f"waits: approve R{n}", n, open=True) for n in (2, 1)]
    assert joined(failed) == failed


def test_the_next_round_reads_each_thing_of_a_shared_line():
    lines = [*joined(ORDERS), *joined(FILES)]
    text = f"{lines_header(range(9))}\n{state_text(lines)}"
    singles = {part for line in lines for part in parted(line.text)}
    assert set(state_lines(text)) == singles
    assert len(singles) == len(ORDERS) + len(FILES)
    after = [line.text for line in session_state(Told(user(text), user("Go on.")).messages)]
    assert [f"cancel_order A{n}" for n in (4, 3, 2, 1)] == [text for text in after if "order" in text]
    assert "edited src/pages/about/jobs.py, tests passed after" in after


@pytest.mark.parametrize(
    "text",
    [
        "passed: awk '{print $1, $2}' table.txt",
        'git commit "Sort {a, b}"',
        "open error: unexpected {a, b} (edit of x.py)",
        "[ ] replace {a, b}",
        "edited templates/{{name}}/a.py",
        "edited src/{a}.py",
        "Export hooks {useA, useB, useC}",
        "exported src/{a.py, b.py}",
    ],
)
def test_braces_in_other_lines_mean_no_list(text):
    assert parted(text) == [text]


def test_only_acts_and_files_share_lines():
    text = "Export hooks {use1, use2, use3}"
    for kind in ("task", "error", "check", "pending"):
        line = StateLine(kind, text, 0)
        assert (count_things(line), fewer(line)) == (1, None)
    act = StateLine("effect", text, 0)
    assert count_things(act) == 3
    assert fewer(act) == StateLine("effect", "Export hooks {use2, use3}", 0)
