"""Of an agent's answers in a chat no heading, first row of a table, or answered question stands alone."""

from __future__ import annotations

import re

import pytest

from compactor_cli.strategies.shared.lone_lines import is_dangling, is_lead_in
from tests.builders import call, calling_message, result
from tests.features.sessions import Told
from tests.pipeline.sessions import Json, assistant, compact, user

ANSWER = (
    "Some words on salt:\n\n- Most of it is in bread and cheese.\n\n## Your values\n\n| Day | Hour | Value |\n"
    "|---|---|---|\n| Monday, the day of the tide | seven in the morning, as ever | high, as on all the days |\n\n"
    "The rest of it, for 4 May:\n- rice\n\nIn `notes.md`:\n- more\n\nThe rest is fine. Which one do you want?"
)


TOWNS = ["Falmouth", "Penryn", "Truro", "Looe", "Fowey", "Padstow", "Newquay", "Bude", "Redruth", "Hayle"]


def line_of(told: Told, text: str) -> int:
    return next(n for n, line in enumerate(told.texts) if text in line)


@pytest.mark.parametrize("text", ["Some words on salt:", "## Your values", "| Day |"])
def test_headings_and_first_rows_lead_to_what_follows(text: str) -> None:
    told = Told(user("Look."), assistant(ANSWER), user("Rice."))
    line, messages = line_of(told, text), told.messages
    assert is_lead_in(told.lines, line)
    assert is_dangling(line, {line}, told.lines, messages, set())
    behind = next(n for n in range(line + 1, len(told.texts)) if not is_lead_in(told.lines, n))
    assert not is_dangling(line, {line, behind}, told.lines, messages, set())


@pytest.mark.parametrize(
    "text", ["Most of it", "| Monday", "for 4 May:", "notes.md", "- rice", "The rest is fine.", "Look."]
)
def test_what_tells_something_leads_to_nothing(text: str) -> None:
    told = Told(user("Look."), assistant(ANSWER), user("Rice."))
    assert not is_lead_in(told.lines, line_of(told, text))


def test_a_question_stands_with_its_answer_or_while_it_is_open() -> None:
    told = Told(user("Look."), assistant("Which one do you want?"), user("Rice."))
    asked, answered = line_of(told, "Which one"), line_of(told, "Rice")
    assert is_dangling(asked, {asked}, told.lines, told.messages, set())
    assert not is_dangling(asked, {asked, answered}, told.lines, told.messages, set())
    assert not is_dangling(asked, {asked}, told.lines, told.messages, {2})
    proposed = "I would drain the node first and then delete the volume, as it is bound to nothing any more."
    told = Told(user("Look."), assistant(f"{proposed}\n\nShall I?"), user("Rice."))
    drain, asked, answered = line_of(told, "I would"), line_of(told, "Shall I?"), line_of(told, "Rice")
    assert is_dangling(asked, {asked, answered}, told.lines, told.messages, set())
    assert not is_dangling(asked, {drain, asked, answered}, told.lines, told.messages, set())
    still = Told(user("Look."), assistant("Which one do you want?"))
    assert not is_dangling(line_of(still, "Which"), set(), still.lines, still.messages, set())
    told = Told(user("Look."), assistant("It is open until late. Which one?"), assistant("On 4 May?"), user("Rice."))
    for text in ("It is open", "On 4 May?"):
        assert not is_dangling(line_of(told, text), set(), told.lines, told.messages, set())
    of_user = Told(user("Which one do you want?"), assistant("Rice."), user("Well."))
    assert not is_dangling(line_of(of_user, "Which"), set(), of_user.lines, of_user.messages, set())


def diary() -> list[Json]:
    """A chat about values, with an answer that begins with the first row of a table."""
    records: list[Json] = []
    for day in range(3, 17):
        rows = [f"| {day}.04 | {hour}:{day:02} | 13{day % 10}/8{hour} | 6{hour} |" for hour in range(6, 10)]
        table = "\n".join(["| Day | Hour | Pressure | Pulse |", "|---|---|---|---|", *rows])
        values = ", ".join(f"{hour}:{day:02} 13{day % 10}/8{hour} 6{hour}" for hour in range(6, 10))
        records.append(user(f"On {day} April it was {values}. My cousin Ilse{day} came to tea."))
        records.append(assistant(f"Noted:\n\n{table}\n\nThe mean of day {day} is 13{day % 10}/82. What is next?"))
    return [*records, user("Which day was the worst?")]


@pytest.mark.parametrize("ratio", [0.15, 0.2, 0.25, 0.3])
def test_no_first_row_stands_without_another_one(ratio: float) -> None:
    texts = [message.text() for message in compact(diary(), strategy="adaptive", target_ratio=ratio).messages]
    heads = [text.split("|---|---|---|---|")[1].lstrip() for text in texts if "|---|---|---|---|" in text]
    assert [rows[:20] for rows in heads if not rows.startswith(("| ", "…\n"))] == []
    assert [text for text in texts if "Noted:\n[…" in text or text.endswith("Noted:")] == []


@pytest.mark.parametrize("ratio", [0.05, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25])
@pytest.mark.parametrize("calls", [False, True])
def test_no_heading_of_an_answer_stands_alone(ratio: float, calls: bool) -> None:
    looked = [calling_message(call("c1", "find_towns", "{}")), result("c1", "ten towns")]
    records = [
        record
        for town in TOWNS
        for record in (
            user(f"Tell me of {town}, and {'a little ' * 30}more."),
            assistant(
                f"Notes on {town} Harbour:\n\n"
                + f"- Boats leave it all day long, {'and so on, ' * 20}as they do.\n" * 3
                + f"\nDo you like Ilse {town} Bay?"
            ),
        )
    ]
    records[1:1] = looked if calls else []
    records += [user(f"{TOWNS[0]} is fine, {'as ever, ' * 30}thank you."), user("So which one?")]
    said = "\n".join(message.text() for message in compact(records, strategy="adaptive", target_ratio=ratio).messages)
    assert re.findall(r"#\d+: (?:… )?Notes on \w+ Harbour:(?!\n -)", said) == []
