"""What stays of the summary that a harness had an agent write of its session."""

from __future__ import annotations

import pytest

from compactor_cli.features.cue_words import rule_points
from compactor_cli.text.account_parts import AgentSummary, ranked_paragraphs
from compactor_cli.text.chosen import NEVER
from compactor_cli.text.subjects import SubjectWords, stems

ACCOUNT = """This session is being continued from a previous conversation that ran out of context.

Analysis:
1. The user wanted the desk planed in the draft.

Summary:
1. Primary Request and Intent:
   - Plane the desk of oak, and leave its drawers alone.

2. Files and Code Sections:
   - desk.py holds the planes of the desk.
   - lamp.py holds some lamps of the better kinds.

6. All user messages:
   - "Never oil the desk before Monday, it is for a show."

7. Pending Tasks:
   - The drawers are still to be counted.

9. Optional Next Step: Oil the lamp, and count its screws.

Please continue the conversation from where we left off. Continue with the last task that you were asked to work on.
"""
ASKED = ("Plane the desk of oak", "Never oil the desk")
OVERTAKEN = ("still to be counted", "Oil the lamp", "continue the conversation")


def kept(room: int, *, followed: bool, text: str = ACCOUNT) -> str:
    subject = SubjectWords(dict.fromkeys(stems("the planes in desk.py"), 1.0), text)
    return "".join(
        text[a:b] for a, b in AgentSummary(text, subject, rule_points, is_followed=followed).choose_spans(room)
    )


def test_what_the_user_asked_comes_first_under_its_headings() -> None:
    said = kept(350, followed=True)
    assert said.startswith("This session is being continued")
    assert all(asked in said for asked in ASKED)
    assert "1. Primary Request and Intent:\n" in said
    assert "6. All user messages:\n" in said


def test_then_what_is_at_hand_and_nothing_that_later_work_overtook() -> None:
    said = [kept(room, followed=True) for room in range(300, 500, 10)]
    assert {("desk.py holds" in each, "lamp.py holds" in each) for each in said} == {
        (False, False),
        (True, False),
        (True, True),
    }
    whole = kept(len(ACCOUNT), followed=True)
    assert "lamp.py" in whole
    assert not any(each in whole for each in (*OVERTAKEN, "in the draft"))


@pytest.mark.parametrize("room", [560, 640])
def test_next_steps_stay_where_nothing_follows(room: int) -> None:
    said = kept(room, followed=False)
    assert all(each in said for each in OVERTAKEN[:2])
    assert "in the draft" not in said


@pytest.mark.parametrize("heading", ["## {}", "**{}**", "{}:", "3. {}:"])
def test_headings_are_read_in_any_form(heading: str) -> None:
    parts = ("User Requests", "Saw the board."), ("Findings", "It is of ash."), ("Next Steps", "Oil the board.")
    text = "Another language model started to solve this problem and produced a summary.\n\n"
    text += "\n\n".join(f"{heading.format(head)}\n- {said}" for head, said in parts) + "\n"
    said = kept(170, followed=True, text=text)
    assert "Saw the board." in said
    assert "Oil the board." not in said


def test_words_of_headings_inside_of_a_sentence_head_nothing() -> None:
    text = ACCOUNT.replace("lamp.py holds some lamps of the better kinds.", "The request handler plans the next page.")
    said = AgentSummary(text, SubjectWords({}, text), rule_points, is_followed=True).first_rank_text()
    assert "request handler" not in said
    assert all(asked in said for asked in ASKED)


@pytest.mark.parametrize(
    "said",
    [
        '"Implement the following plan: oil the door."',
        "src/plan.py: oils the door.",
        "src/next.config.js: oils the door.",
        "Pending writes were lost: the flush oils the door.",
        "**Next.js setup**: oils the door.",
        "Execution plan: it oils the door.",
    ],
)
@pytest.mark.parametrize("followed", [True, False])
def test_names_and_sentences_about_plans_are_no_next_steps(said: str, followed: bool) -> None:
    text = ACCOUNT.replace("lamp.py holds", f"{said}\n   - It holds")
    assert said in kept(len(text) - 60, followed=followed, text=text)
    assert said not in AgentSummary(text, SubjectWords({}, text), rule_points, is_followed=followed).first_rank_text()


@pytest.mark.parametrize("said", ["Next: ", "**Optional next step**: ", "Pending tasks (two): ", "In progress: "])
def test_items_may_tell_next_steps(said: str) -> None:
    text = ACCOUNT.replace("lamp.py holds", f"{said}Oil the door.\n   - It holds")
    assert "Oil the door" not in kept(len(ACCOUNT), followed=True, text=text)


def test_a_file_of_rules_is_nothing_that_was_asked() -> None:
    text = ACCOUNT.replace("lamp.py holds some", "rules.py: holds some")
    assert "rules.py" not in AgentSummary(text, SubjectWords({}, text), rule_points, is_followed=True).first_rank_text()


def test_paragraphs_have_the_rank_of_what_comes_first_in_them() -> None:
    def shown(*, followed: bool) -> str:
        ranks = ranked_paragraphs(ACCOUNT, is_followed=followed)
        return "".join(ACCOUNT[slice(*span)] for span, rank in ranks if rank != NEVER)

    assert not any(each in shown(followed=True) for each in OVERTAKEN)
    assert all(each in shown(followed=False) for each in OVERTAKEN)
