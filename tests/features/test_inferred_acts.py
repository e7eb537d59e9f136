"""Acts of tools whose names say nothing: told by what the session shows of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.features.working import Session

_LOOKED_UP = '{"kunde": "K-4071", "konten": [{"iban": "DE41"}, {"iban": "DE08"}]}'
_UMSATZ = {"umsatz": "U-8815", "grund": "kein_mandat"}


def _session(request: str = "Bitte U-8815 und U-8816 zurück.") -> Session:
    return Session(request).calls("kunde_finden", _LOOKED_UP, nummer="4071")


@pytest.mark.parametrize(
    ("tool", "arguments", "said", "told"),
    [
        (
            "rueckgabe",
            _UMSATZ,
            '{"ok": true, "vorgang": "RL-5037"}',
            "rueckgabe RL-5037 (umsatz U-8815, grund kein_mandat)",
        ),
        (
            "rueckgabe",
            _UMSATZ,
            '{"status": 201, "vorgang": "RL-5037"}',
            "rueckgabe RL-5037 (umsatz U-8815, grund kein_mandat)",
        ),
        (
            "pedir",
            {"cliente": "K-4071"},
            '{"status": 201, "nr": "P-771", "de": [{"a": 1}]}',
            "pedir P-771 (cliente K-4071)",
        ),
        ("予約", {"枠": "S-71"}, '{"success": true, "予約": {"番号": "Y25-31"}}', "予約 Y25-31 (枠 S-71)"),
        ("limit", {"karte": "K-4071", "tag": 100}, '{"ok": true, "karte": "K-4071"}', "limit (karte K-4071, tag 100)"),
        ("melden", {"an": "K-4071", "pin": "8841"}, '{"ok": true, "id": 99107}', "melden 99107 (an K-4071, pin …)"),
    ],
)
def test_what_a_result_states_is_told_with_what_it_brought(
    tool: str, arguments: dict[str, Any], said: str, told: str
) -> None:
    assert _session().calls(tool, said, **arguments).texts() == [told]
    assert Session().calls(tool, '{"hinweis": "noch nichts"}', **arguments).texts("", (told,)) == [told]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("umsaetze", {"iban": "DE41"}, '{"ok": true, "umsaetze": [{"id": "U-8815"}, {"id": "U-8816"}]}'),
        ("mandat", {"mandat": "MND-418"}, '{"mandat": "MND-418", "von": "MT51ZZZ000998"}'),
        ("mandat", {"mandat": "MND-418"}, '{"von": "MT51ZZZ000998"}'),
        ("umsatz", {"umsatz": "U-8815"}, '{"status": 200, "vorgang": "RL-5037"}'),
        ("umsatz", {"umsatz": "U-8815"}, '{"ok": false, "vorgang": "RL-5037"}'),
        ("umsatz", {"umsatz": "U-8815"}, '{"ok": true, "error": "gesperrt", "vorgang": "RL-5037"}'),
        ("umsatz", {"konto": "giro"}, '{"ok": true, "umsatz": "U-8815"}'),  # the user named it
        ("stand", {"konto": "giro"}, '{"ok": true, "stand": 1843}'),
        ("tag", {"konto": "giro"}, '{"ok": true, "tag": "2026-10-03", "menge": "40kg"}'),
        ("anmelden", {"konto": "giro"}, '{"ok": true, "session": "s-99107", "token": "tk-99107", "pin": "88417"}'),
        ("get_umsatz", {"umsatz": "U-8815"}, '{"ok": true, "vorgang": "RL-5037"}'),
        ("umsatz_details", {"umsatz": "U-8815"}, '{"ok": true, "vorgang": "RL-5037"}'),
        ("browser_klick", {"ref": "e1234"}, '{"ok": true, "id": "n-5037"}'),
        ("klick", {"ref": "e1234"}, '{"ok": true, "id": "n-5037"}'),
        ("rueckgabe", {**_UMSATZ, "dry_run": True}, '{"ok": true, "vorgang": "RL-5037"}'),
        ("vorgang", {"action": "status", "umsatz": "U-8815"}, '{"ok": true, "vorgang": "RL-5037"}'),
        ("rueckgabe", {}, '{"ok": true}'),
        ("rueckgabe", _UMSATZ, "RL-5037"),
    ],
)
def test_what_looks_something_up_or_shows_no_act_is_not_told(tool: str, arguments: dict[str, Any], said: str) -> None:
    assert _session().calls(tool, said, **arguments).texts("effect") == []


def test_that_all_is_well_shows_no_act_where_look_ups_say_so_too() -> None:
    said = '{"ok": true, "vorgang": "RL-5037"}'
    assert Session().calls("rueckgabe", said, **_UMSATZ).texts() == [], "nothing tells it from a look-up"
    session = _session().calls("get_konto", '{"ok": true, "konto": "DE41"}', konto="giro")
    assert session.calls("rueckgabe", said, **_UMSATZ).texts() == []
    session = _session().calls("umsaetze", '{"ok": true, "liste": [{"umsatz": "U-8815"}]}', konto="giro")
    assert session.calls("rueckgabe", said, **_UMSATZ).texts() == []


def test_who_is_asked_for_the_same_twice_does_not_act() -> None:
    session = _session().calls("lauf", '{"ok": true, "lauf": "L-5037"}', auftrag="U-8815")
    assert session.texts() == ["lauf L-5037 (auftrag U-8815)"]
    assert session.calls("lauf", '{"ok": true, "lauf": "L-5038"}', auftrag="U-8815").texts() == []


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("book", {"slot": "S-7115"}, "book Y25-031 (slot S-7115)"),
        ("change_plan", {"line_id": "L-3301"}, "change_plan L-3301"),
        ("changePlan", {"line_id": "L-3301"}, "changePlan L-3301"),
        ("request_approval", {"approver": "E19003"}, "request_approval Y25-031 (approver E19003)"),
        ("reassign_approval", {"approval_id": "APR-66"}, "reassign_approval APR-66"),
        ("create_plan", {"plan_id": "L-3301"}, ""),
        ("update_plan", {"plan": "first"}, ""),
        ("bookmark", {"slot": "S-7115"}, ""),
        ("exchange_plan", {"step": "S-7115"}, ""),
        ("request_file", {"file": "a.txt"}, ""),
    ],
)
def test_plain_verbs_of_acts(tool: str, arguments: dict[str, Any], told: str) -> None:
    assert Session().calls(tool, '{"number": "Y25-031"}', **arguments).texts("effect") == ([told] if told else [])
