"""What the agent says of things that failed, wait, or are proposed stands under no heading of what is done."""

from __future__ import annotations

import pytest

from compactor_cli.summaries.sections import candidates
from compactor_cli.summaries.unfinished import lack_of
from tests.builders import assistant, read, user


@pytest.mark.parametrize(
    ("said", "lack"),
    [
        ("I could not do it (switch.pump): unavailable.", "failed"),
        ("Unfortunately, I couldn’t remove the passenger.", "failed"),
        ("Failed with 07:30; trying 06:00 instead.", "failed"),
        ("The cordon of node 7 did not work: no answer.", "failed"),
        ("The test test_token of parser still fails after two attempts.", "failed"),
        ("Der Auftrag zu SCH-7 hat nicht geklappt: Fehler 4.", "failed"),
        ("La réservation n'a pas abouti.", "failed"),
        ("No se pudo reservar el vuelo.", "failed"),
        ("Zamówienie się nie udało: dostawca nieczynny.", "failed"),
        ("Перезапуск не удался.", "failed"),
        ("航班预订失败了。", "failed"),
        ("The seat in PYW6U0 waits for approval, it is not in effect yet.", "waits"),
        ("Die Zahlung wartet auf die Freigabe.", "waits"),
        ("Jeszcze tego nie zrobiłem.", "waits"),
        ("My suggestion: set switch.pump to 21.0.", "proposed"),
        ("I’d suggest the earlier train.", "proposed"),
        ("Propongo: compra el billete de las 8.", "proposed"),
        ("Предлагаю: выкати mailer версии 2.1.", "proposed"),
        ("OK, will do.", "announced"),
        ("I check that first.", "announced"),
        ("I checked that first.", ""),
        ("Fixed the parser, which did not work before.", ""),
        ("The login did not work until I set the cookie.", ""),
        ("The report says that what the pump could not do is done by the valve.", ""),
        ("Resolved: the build did not work for want of memory.", ""),
        ("The suggestion box is empty now.", ""),
        ("The customer suggested a later date, and I booked it.", ""),
        ("The approval came, and the seat is booked.", ""),
        ("I have sent the proposal to Oscar.", ""),
        ("Zwei Tests schlugen fehl und sind behoben.", ""),
        ("The cook waits for the bread.", ""),
        ("Failed logins are counted now.", ""),
        ("Nothing failed.", ""),
    ],
)
def test_what_a_sentence_lacks(said, lack):
    assert lack_of(said) == lack


@pytest.mark.parametrize(
    ("said", "old", "new"),
    [
        ("I could not set switch.pump to 21.0: it is unavailable.", "Errors", "Errors"),
        ("The seat in PYW6U0 waits for approval.", "Next", "In progress"),
        ("My suggestion: set switch.pump to 21.0.", "Decisions", "In progress"),
        ("Set switch.pump to 21.0 at 8 today.", "Done", "In progress"),
    ],
)
def test_it_stands_under_a_heading_that_is_true_of_it(said, old, new):
    def under(*later):
        messages = read(user("Please see to the pump."), assistant(said), *later)
        return next(item.section for item in candidates(messages, frozenset()) if said[:30] in item.text)

    assert under(user("And the lamp?"), assistant("The lamp 4 is on.")) == old
    assert under() == new


def test_what_is_only_announced_is_not_told():
    messages = read(
        user("Please see to it."), assistant("I check that first."), user("And?"), assistant("Lamp 4 is on.")
    )
    assert not any("check that" in item.text for item in candidates(messages, frozenset()))
