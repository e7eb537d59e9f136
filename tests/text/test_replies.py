"""The user's words in the results of calls."""

from __future__ import annotations

import pytest

from compactor_cli.model.replies import reply_span

REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, "
REFUSED += "the new_string was NOT written to the file)."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            f"{REFUSED} To tell you how to proceed, the user said:\nUse pnpm: npm breaks the lock.",
            "Use pnpm: npm breaks the lock.",
        ),
        (
            f"{REFUSED} To tell you how to proceed, the user said:\nUse pnpm.\n\n"
            "Note: The user's next message may hold a correction.",
            "Use pnpm.",
        ),
        ("The user provided the following reason for the rejection:  wrong branch", "wrong branch"),
        (
            'User has answered your questions: "Which base?"="main". You can now continue with the user\'s answers '
            "in mind.",
            '"Which base?"="main"',
        ),
        (
            "[execute_command for 'npm i'] Result:\nThe user denied this operation and provided the following feedback:"
            "\n<feedback>\nuse pnpm\n</feedback>",
            "use pnpm",
        ),
        (
            "The user rejected permission to use this specific tool call with the following feedback: not this file",
            "not this file",
        ),
    ],
)
def test_words_behind_a_refusal_or_an_answer_are_the_users(text: str, words: str) -> None:
    span = reply_span(text)
    assert span is not None
    assert text[slice(*span)] == words


@pytest.mark.parametrize(
    "text",
    [
        f"{REFUSED} STOP what you are doing and wait for the user to tell you how to proceed.",
        "User has approved your plan. You can now start coding.",
        "notes.md:12: in the call the user said: use pnpm",
        '{"status": "ok", "feedback": "the user said: use pnpm"}',
        "user: mia\nfeedback: none",
        "",
    ],
)
def test_a_result_without_words_of_the_user_has_none(text: str) -> None:
    assert reply_span(text) is None
