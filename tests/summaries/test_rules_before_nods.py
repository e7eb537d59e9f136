"""What binds the rest of a session has room in a summary before what was only answered."""

from __future__ import annotations

from compactor_cli.summaries.sections import candidates
from tests.pipeline.sessions import assistant, compact, filler, transcript, user


def test_a_rule_of_a_later_request_stays_where_acts_take_half_of_the_room() -> None:
    rule = "But don't tell my company, I don't want them to hear of it."
    booked = [
        message
        for number in range(6)
        for message in (
            user(f"For the guest in room {number + 20} I would like a taxi to the station at nine."),
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": f"call_{number}",
                        "type": "function",
                        "function": {
                            "name": "book_taxi",
                            "arguments": f'{{"room": "{number + 20}", "to": "station", "time": "09:00"}}',
                        },
                    }
                ],
            },
            {"role": "tool", "tool_call_id": f"call_{number}", "content": f'{{"ok": true, "id": "TX-{number}"}}'},
            assistant(f"The taxi for room {number + 20} is booked."),
        )
    ]
    records = [
        user("Hello, I need a few things for my guests."),
        assistant("Gladly. What do you need?"),
        user(f"I was angry about the noise last night. {rule} And the tea was cold."),
        assistant("I am sorry for that."),
        *booked,
        *(message for number in range(4) for message in filler(number)),
    ]
    part = compact(records, strategy="tiered", target_ratio=0.15)
    text = "\n".join(m.text("text") for m in part.messages if m.origin == "summary")
    assert rule in text


def test_a_rule_counts_more_than_other_sentences_of_a_request() -> None:
    rule, wish = "Never write to the billing table.", "Now draw the chart of last week."
    messages = transcript([user(f"{wish} {rule} Go on with the second one."), *filler(1)]).messages
    weights = {item.text.strip('"'): item.bonus for item in candidates(messages, frozenset())}
    assert weights[rule] > weights["Go on with the second one."] + 6
