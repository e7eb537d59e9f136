"""What the user puts off stays with what was proposed."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.adaptive.postponed_proposals import find_postponed
from tests.builders import assistant, user
from tests.features.sessions import Told


def put_off(reply, stays=True):
    told = Told(
        user("Look at the pump."), assistant("My suggestion: set pump-7 to 21.5."), user(reply), assistant("Fine.")
    )
    return [
        [told.lines.text(line) for line in lines]
        for lines in find_postponed(told.messages, told.lines, lambda _: stays)
    ]


@pytest.mark.parametrize(
    "reply",
    [
        "I'll decide that tomorrow.",
        "Not yet, wait until I tell you.",
        "Das überlege ich mir, warte bitte.",
        "Espera, todavía no.",
        "Attends, pas encore.",
        "Poczekaj, jeszcze nie.",
        "Подожди, пока не надо.",
        "Henüz değil, bekle.",
        "まだ待ってください。",
        "先不做，明天再说。",
    ],
)
def test_what_was_proposed_stays_with_words_that_put_it_off(reply):
    assert put_off(reply) == [["My suggestion: set pump-7 to 21.5."]]
    assert put_off(reply, stays=False) == []


@pytest.mark.parametrize(
    "reply",
    [
        "Yes, do it.",
        "No, leave it as it is.",
        "The lamp, too, please.",
        "Thanks!",
        f"Read this later: {'a word ' * 60}",
    ],
)
def test_other_words_put_nothing_off(reply):
    assert put_off(reply) == []
