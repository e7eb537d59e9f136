"""A sentence that only says what is wrong stays with the one that says what is right."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.shared.denials import only_denies
from compactor_cli.strategies.shared.requests import Request, choose_requests


@pytest.mark.parametrize(
    "said",
    [
        "No, not 1901.54.",
        "Not APA.",
        "wait, not the blue one!",
        "That's wrong.",
        "Nein, nicht am Montag.",
        "Das ist falsch.",
        "Non, pas Papeterie Roche.",
        "No, no es el martes.",
        "Não, não 45.",
        "Nie, nie PXL-2468.",
        "Нет, не 03:30.",
        "不是这个。",
        "違います。",
    ],
)
def test_what_only_denies(said):
    assert only_denies(said)


@pytest.mark.parametrize(
    "said",
    [
        "Make it 1402.95.",
        "No problem.",
        "Note the new address.",
        "Nothing else.",
        "Nichts ändern!",
        "Pasta for two, please.",
        "Now run the tests.",
        "Notify Ann when it is done.",
        "No, the one with 12 seats is what I meant, and please put it into the plan of May.",
        "Never push to main.",
    ],
)
def test_what_says_something_itself(said):
    assert not only_denies(said)


def test_a_correction_stays_whole_or_goes():
    asked = [
        Request(1, f"Put 1901.54 into B90 of the sheet. Thanks a lot! {'Then tell me how the week was. ' * 3}"),
        Request(2, "No, not 1901.54. Make it 1402.95."),
        *(Request(number, f"Put {number}.5 into C{number} of the sheet.") for number in range(3, 8)),
    ]
    for room in range(20, 200, 3):
        kept = choose_requests(asked, room, lambda text: len(text.split()))
        said = next((each.text for each in kept if each.message == 2), "")
        assert "not 1901.54" not in said or "1402.95" in said
