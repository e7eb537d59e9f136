"""In a chat without tools the newest request, and what the user said before, come before old answers."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.shared.chats import is_chat
from tests.builders import assistant, call, calling_message, jsonl, read_records, result, user
from tests.strategies.test_carrying_on import compact, text_of

RULE = "Never translate the word Masar."
NEWEST = "Approved. Now the next batch, and mind what I told you:\n" + "\n".join(
    f"sch.text_{at} = The {thing} of the school is open until {at + 4} in the afternoon"
    for at, thing in enumerate(("gate", "hall", "library", "garden", "kitchen", "office"))
)
BEFORE = "\n".join(f"acc.text_{at} = Das Konto {name} wurde gelöscht." for at, name in enumerate("ABCDEFGHIJ"))


def chat() -> bytes:
    records = [
        {"role": "user", "content": f"Hello, please translate the texts of our app to German. {RULE} Be brief."},
        {"role": "assistant", "content": "Gladly, send me the first batch."},
    ]
    for batch in range(14):
        keys = [
            f"b{batch}.key_{at} = The {name} of stop {batch}{at}" for at, name in enumerate(("line", "bus", "tram"))
        ]
        records.append({"role": "user", "content": f"Batch {batch}:\n" + "\n".join(keys)})
        said = BEFORE if batch == 13 else "\n".join(line.replace("The", "Die").replace("stop", "Halt") for line in keys)
        records.append({"role": "assistant", "content": said})
    records.append({"role": "user", "content": NEWEST})
    return jsonl(*records)


@pytest.mark.parametrize("target", [260, 280, 300])
def test_the_newest_request_and_a_rule_come_before_the_answer_before_it(target: int) -> None:
    text = text_of(compact(chat(), target_tokens=target))
    assert NEWEST in text
    assert RULE in text


@pytest.mark.parametrize("target", range(300, 460, 20))
def test_what_the_user_said_has_more_of_the_room_than_old_answers(target: int) -> None:
    text = text_of(compact(chat(), target_tokens=target))
    assert text.count("= The") - NEWEST.count("= The") >= (target - 260) // 40 + 2


LONG = "\n".join(f"The page of part {at} shows the price twice, which it should not." for at in range(12))


def written_calls(output: str) -> list[dict[str, object]]:
    """An agent that writes its commands as text, to which a harness shows what they print."""
    records: list[dict[str, object]] = [{"role": "user", "content": LONG}]
    for at in range(12):
        records.append({"role": "assistant", "content": f"I look further.\n\n```bash\ncat src/part_{at}.py\n```"})
        records.append({"role": "user", "content": output.format(f"def part_{at}(): return 'value_{at}'")})
    return records


OUTPUT = "<returncode>0</returncode>\n<output>\n{}\n</output>"


@pytest.mark.parametrize("target", [300, 340, 360])
def test_where_an_agent_writes_its_calls_as_text_a_long_request_leaves_room_for_the_work(target: int) -> None:
    part = compact(jsonl(*written_calls(OUTPUT)), target_tokens=target)
    assert LONG not in text_of(part)
    assert text_of(part).count("value_") >= 3


@pytest.mark.parametrize(
    ("records", "chats"),
    [
        ([user("Hello"), assistant("Hello!"), user("A joke, please.")], True),
        ([user("Hello"), assistant("Hello!"), user("<system-reminder>Be kind.</system-reminder>"), user("Go")], True),
        ([user("Hello"), assistant("Hello!"), user("<system-reminder>Be kind.</system-reminder>")], False),
        (written_calls(OUTPUT), False),
        ([*written_calls(OUTPUT), assistant("Done."), user("Thanks. And the next?")], False),
        (
            [
                user("List it"),
                calling_message(call("c1")),
                result("c1", "a.py"),
                assistant("It is a.py."),
                user("Thanks"),
            ],
            False,
        ),
    ],
)
def test_only_who_talk_with_each_other_chat(records: list[dict[str, object]], chats: bool) -> None:
    assert is_chat(read_records(*records)) == chats


def test_who_worked_before_an_earlier_round_does_not_chat() -> None:
    summary = "## Session Summary of #1-8 (ctx_0a1b2c3d)\n"
    state = f"{summary}State at the end:\n- edited src/dates.py, unchecked"
    rest = [assistant("It is."), user("Thanks. And the next?")]
    assert is_chat(read_records(user(f"{summary}#2: Hello"), *rest))
    assert not is_chat(read_records(user(state), *rest))
