"""What is left of a room goes to what the agent said last, and to what was cut although it is protected."""

from __future__ import annotations

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.session_text import read_session
from compactor_cli.strategies.adaptive.must_keep import conclusion_lines, fit_answers
from tests.pipeline.sessions import Json, assistant, compact, result, transcript, user

ASKS = "What would you like the plugin to do? I see the one in `plug.lua`. I need to know:"
OFFER = f"{ASKS}\n\n1. what it is for\n2. what it is called\n\nOnce I know all of these I can write the whole of it."


def written() -> list[Json]:
    thought = {"type": "thinking", "thinking": "I have appended it as I was told to. " * 8}
    done = {"type": "text", "text": 'I have added ", how are you" to `note.txt`.'}
    return [
        user("Add a new text to note.txt"),
        assistant("Which text shall I add to `note.txt`?"),
        user('", how are you"'),
        assistant(None, ("c1", "read_file", {"path": "note.txt"})),
        result("c1", "hello from note"),
        assistant(None, ("c2", "write_file", {"path": "note.txt", "content": "hello from note, how are you" * 9})),
        result("c2", "Successfully overwrote the file."),
        {"role": "assistant", "content": [thought, done]},
    ]


def test_of_an_offer_that_has_no_room_the_question_stays() -> None:
    messages = transcript([user("Please make a plugin."), assistant(OFFER)]).messages
    lines = SessionLines(read_session(messages, 1), lambda term: 1.0)
    (kept,) = fit_answers(24, [conclusion_lines(messages, lines)], lines, lambda line: len(lines.text(line)) // 4)
    assert [lines.text(line) for line in kept] == [ASKS]


def test_the_last_answer_is_quoted_though_all_of_its_names_are_known() -> None:
    for target in range(90, 130, 10):
        part = compact(written(), strategy="adaptive", target_tokens=target)
        assert "I have added" in "\n".join(message.text() for message in part.messages), target


def test_what_is_left_of_the_room_goes_back_to_the_call_in_flight() -> None:
    answer = "I found many of them, and I recommend the red one, as it is the best. " * 5 + "Cheers!"
    asked = user("Tell me which of the colours is the best. " * 12)
    finish = assistant(None, ("f1", "Finish", {"answer": answer, "note": "It is what was asked for in the end. " * 14}))
    records = [asked, assistant("I look for it in the list of them."), finish]
    total = sum(message.tokens for message in compact(records).messages)
    part = compact(records, strategy="adaptive", target_tokens=total - 6)
    assert any(answer in message.text() for message in part.messages)
