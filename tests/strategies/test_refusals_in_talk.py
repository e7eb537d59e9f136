"""What the user refuses or limits in a short sentence is not quoted without that sentence."""

from __future__ import annotations

import pytest

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.session_text import read_session
from compactor_cli.strategies.shared.lone_lines import short_followers
from tests.builders import jsonl
from tests.pipeline.sessions import load, user
from tests.strategies.test_rules_in_small_talk import TALK, compacted

WISH = "My cousin Marguerite wants forty doves from the aviary in Lindenau for 1,200 euros at the wedding on May 9."
REFUSAL = "No. No doves."
CHATTER = "She rang while I was in the bath, and of course the phone fell in and the whole evening went down with it."


def chat(said: str) -> bytes:
    turns = [(f"{CHATTER} {said} {CHATTER}" if at == 1 else text, answer) for at, (text, answer) in enumerate(TALK)]
    return jsonl(
        *(
            {"role": role, "content": text}
            for turn in turns
            for role, text in zip(("user", "assistant"), turn, strict=True)
        )
    )


@pytest.mark.parametrize("ratio", [0.39, 0.4, 0.45])
def test_a_wish_is_not_quoted_without_its_refusal(ratio: float) -> None:
    text = "\n".join(message.text() for message in compacted(chat(f"{WISH} {REFUSAL}"), ratio).messages)
    assert (WISH in text) <= (f"{WISH} {REFUSAL}" in text)


def test_a_wish_and_its_refusal_stay_where_there_is_room_for_them() -> None:
    text = "\n".join(message.text() for message in compacted(chat(f"{WISH} {REFUSAL}"), 0.45).messages)
    assert f"{WISH} {REFUSAL}" in text
    assert CHATTER not in text


@pytest.mark.parametrize(
    ("behind", "stay"),
    [
        ("No. No doves.", ["No.", "No doves."]),
        ("Nein, keine Tauben!", ["Nein, keine Tauben!"]),
        ("不要鸽子。", ["不要鸽子。"]),
        ("No. Ask Paul. He knows. He always does.", ["No.", "Ask Paul.", "He knows."]),
        ("No. Her brother breeds falcons in a tower behind the old brewery. Sad.", ["No."]),
        ("Her brother breeds falcons in a tower behind the old brewery. No.", []),
        ("May she? No.", []),
        ("\nNo doves.", []),
        ("\n- doves\n- lamps", []),
        ("", []),
    ],
)
def test_short_sentences_right_behind_one_stay_with_it(behind: str, stay: list[str]) -> None:
    messages = load([user(f"{WISH} {behind}")]).transcripts[0].messages
    lines = SessionLines(read_session(messages), lambda term: 1.0)
    assert lines.text(0) == WISH
    assert [lines.text(at) for at in short_followers(lines, 0, lambda line: len(lines.text(line)) // 4 + 1)] == stay
