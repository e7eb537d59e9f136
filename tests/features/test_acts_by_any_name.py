"""Acts of tools of whatever name, and look-ups that are none."""

from __future__ import annotations

from typing import Any

import pytest

from compactor_cli.features.work.foreign_verbs import has_foreign_looking_verb
from tests.features.working import Session


@pytest.mark.parametrize(
    "tool",
    [
        "buchung_stornieren",
        "termin_anlegen",
        "créer_commande",
        "annuler_commande",
        "cancelar_pedido",
        "excluir_arquivo",
        "anuluj_zamówienie",
        "создать_заказ",
        "予約取消",
        "发送邮件",
        "주문_취소",
        "sipariş_iptal",
        "modifica_prenotazione",
        "factuur_betalen",
        "terminAnlegen",
    ],
)
def test_verbs_of_other_languages_act(tool: str) -> None:
    session = Session().calls(tool, "OK", nr="QX-48213")
    assert session.texts("effect") == [f"{tool} (nr QX-48213)"]


@pytest.mark.parametrize(
    "tool",
    [
        "buchung_suchen",
        "termin_anzeigen",
        "afficher_commande",
        "buscar_pedido",
        "consultar_saldo",
        "szukaj_zamówienia",
        "найти_заказ",
        "予約確認",
        "查询订单",
        "주문_조회",
        "sipariş_sorgula",
        "cerca_voli",
        "zoek_factuur",
        "reservierung",
        "buchung",
        "reservation_history",
    ],
)
def test_verbs_of_other_languages_that_look_do_not(tool: str) -> None:
    assert Session().calls(tool, "ok: 4 x", nr="QX-48213").texts("effect") == []


def test_what_looks_and_acts_looks():
    assert has_foreign_looking_verb("buscar_cancelar")
    assert Session().calls("buscar_cancelar", "OK", nr="QX-48213").texts("effect") == []


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("reserve_dock", {"dock": "DK-44012"}, "x"),
        ("unassign_ticket", {"dock": "DK-44012"}, "x"),
        ("vent_louvre", {"bay": "DK-44012", "opening": 40}, "louvre DK-44012 vented to 40"),
        ("aliquot", {"bay": "DK-44012"}, "ok, done: DK-44012"),
        ("pause_job", {"bay": "DK-44012"}, '{"status": "paused", "id": "JB-1"}'),
        ("grid.cells.write", {"bay": "DK-44012", "value": "4"}, '{"updatedCells": 1, "range": "DK-44012"}'),
        ("transfer", {"to": "DK-44012", "amount": 50}, "ok"),
        ("комплект", {"заказ": "DK-44012"}, "успешно"),
    ],
)
def test_what_a_result_confirms_was_done(tool: str, arguments: dict[str, Any], said: str) -> None:
    (told,) = Session().calls(tool, said, **arguments).texts("effect")
    assert told.startswith(f"{tool} ")
    assert "DK-44012" in told


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("order", {"nr": "P-1001"}, '{"status": "shipped"}'),
        ("order", {"nr": "P-1001"}, "Order P-1001 was shipped yesterday"),
        ("pedido", {"nr": "P-1001"}, '{"estado": "enviado"}'),
        ("订单", {"号": "P-1001"}, "已发货"),
        ("주문", {"번호": "P-1001"}, '{"상태": "배송완료"}'),
        ("job", {"nr": "P-1001"}, '{"nr": "P-1001", "status": "done"}'),
        ("glossary", {"term": "P-1001"}, "ok: Rechnung"),
        ("wetter", {"ort": "Berlin"}, '{"ok": true, "temp": 12}'),
        ("server_health", {"host": "web-1"}, "ok"),
        ("lint_code", {"path": "a.py"}, "All good, done"),
        ("convert_currency", {"from": "USD", "amount": 5}, "Converted: 4.60"),
        ("exchange_rate", {"base": "USD"}, '{"success": true, "rate": 0.92}'),
        ("click_element", {"selector": "#a"}, "Clicked #a"),
        ("stop_words", {"lang": "de"}, "done"),
        ("lock_state", {"door": "front"}, "locked"),
        ("call_function", {"name": "area"}, "done: 12"),
        ("execute_python", {"code": "x=1"}, "ok"),
        ("http_request", {"method": "GET", "url": "https://a.example"}, "200 OK"),
        ("runbook_steps", {"steps": "[ ] Ship QX\n[x] Do AB"}, "ok"),
        ("aufgaben", {"liste": [{"text": "Ship QX", "status": "offen"}]}, "ok"),
        ("rephrase", {"text": "abcd", "to": "en"}, '{"status": "success", "message": "Hello there"}'),
        ("run_report", {"name": "sales"}, '{"revenue": 1234, "status": "ok"}'),
    ],
)
def test_a_look_up_is_no_act_whatever_it_says(tool: str, arguments: dict[str, Any], said: str) -> None:
    assert Session().calls(tool, said, **arguments).texts("effect") == []


def test_a_tool_that_once_brought_much_looks():
    session = Session().calls("louvre", "louvre BAY-7, ok", bay="BAY-7", opening=40)
    assert session.texts("effect") == ["louvre (bay BAY-7, opening 40)"]
    assert session.calls("louvre", "line\n" * 200, bay="BAY-8", opening=1).texts("effect") == []


def test_what_a_tool_that_acts_once_failed_at_is_told():
    session = (
        Session()
        .calls("aliquot", "ok, done", sample="S-101", ml=4)
        .calls("aliquot", "Rack full: denied", sample="S-102")
    )
    assert session.texts("effect") == [
        "failed: aliquot (sample S-102): Rack full: denied",
        "aliquot (sample S-101, ml 4)",
    ]
