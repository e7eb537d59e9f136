"""Errors of tools of any language: which later call makes up for them."""

from __future__ import annotations

from typing import Any

import pytest

from compactor_cli.features.work.state import known_state
from tests.features.working import Session

_SPERRE = {"iban": "DE41250501801910", "mandat": "MND-418", "glaeubiger": None}
_FEHLT = '{"ok": false, "error": "glaeubiger fehlt"}'
_DONE = '{"eingetragen": "heute"}'


def _errors(session: Session, earlier: tuple[str, ...] = ()) -> list[str]:
    return session.texts("error", earlier)


@pytest.mark.parametrize(
    ("first", "said", "then", "is_over"),
    [
        # what was missing
        (_SPERRE, _FEHLT, {**_SPERRE, "glaeubiger": "MT51ZZZ00099817"}, True),
        ({"von": "VLC", "nach": "OSL"}, '{"error": "kein Plan"}', {"von": "VLC", "nach": "OSL", "flexibel": 2}, True),
        # what the error names
        (
            {"umsatz": "U-120", "grund": "kein_mandat"},
            "Error: erfordert Grund 'widerspruch'",
            {"umsatz": "U-120", "grund": "widerspruch"},
            True,
        ),
        (
            {"paciente": "P-204", "turno": "S-8213"},
            '{"error": "OCUPADO", "otros": ["S-8214"]}',
            {"paciente": "P-204", "turno": "S-8214"},
            True,
        ),
        (
            {"order": "W-489", "neu": ["4419305"]},
            "Error: 4419305 nicht da",
            {"order": "W-489", "neu": ["8827461"]},
            True,
        ),
        (
            {"felder": {"grund": "doppelt"}, "nr": "D-103"},
            "Error: grund: preis, verbunden",
            {"felder": {"grund": "verbunden", "mit": "D-104"}, "nr": "D-103"},
            True,
        ),
        # another time of the same
        (
            {"konto": "K-4071", "bis": "2025-10-20"},
            "Error: Zeitraum zu lang",
            {"konto": "K-4071", "bis": "2025-10-10"},
            True,
        ),
        ({"konto": "K-4071", "tag": "05/10"}, "Error: belegt", {"konto": "K-4071", "tag": "12/10"}, True),
        ({"部屋": "K-4071", "日": "4月27日"}, "Error: 満室", {"部屋": "K-4071", "日": "4月28日"}, True),
        ({"id": "R-100", "at": "6 pm"}, "Error: taken", {"id": "R-100", "at": "7:30 pm"}, True),
        ({"raum": "R-100", "was": "3 Lampen"}, "Error: belegt", {"raum": "R-100", "was": "4 Stühle"}, False),
        ({"flug": "DY1805", "reihe": "Gate 3"}, "Error: belegt", {"flug": "DY1805", "reihe": "Gate 4"}, False),
        # other things
        (_SPERRE, _FEHLT, {**_SPERRE, "mandat": "MND-419", "glaeubiger": "MT51ZZZ00099817"}, False),
        ({"konto": "K-4071", "art": "online"}, "Error: gesperrt", {"konto": "K-4071", "art": "bar"}, False),
        ({"konto": "K-4071", "bis": "2025-10-20"}, "Error: zu lang", {"konto": "K-4072", "bis": "2025-10-10"}, False),
        ({"bis": "2025-10-20"}, "Error: zu lang", {"bis": "2025-10-10"}, False),
        ({"auftrag": "A-771"}, "Error: A-771 nicht gefunden", {"auftrag": "A-772"}, False),
        (
            {"auftrag": "A-771", "grund": "alt"},
            "Error: A-771 nicht gefunden",
            {"auftrag": "A-772", "grund": "alt"},
            False,
        ),
        ({"wer": "bob", "grund": "alt"}, "Error: bob nicht gefunden", {"wer": "ann", "grund": "alt"}, False),
        ({"an": "K-4071", "text": "Guten Tag"}, "Error: besetzt", {"an": "K-4071", "text": "Gute Nacht"}, False),
        ({"sitz": "14D", "flug": "DY1805"}, "Error: belegt", {"sitz": "15D", "flug": "DY1805"}, False),
        ({"liste": ["A-771", "A-772"]}, "Error: A-771 gesperrt", {"liste": ["A-773"]}, False),
    ],
)
def test_what_is_done_with_what_was_wrong_put_right_makes_up_for_an_error(
    first: dict[str, Any], said: str, then: dict[str, Any], is_over: bool
) -> None:
    told = _errors(Session().calls("sperren", said, **first))
    assert len(told) == 1
    session = Session().calls("sperren", said, **first).calls("sperren", _DONE, **then)
    assert _errors(session) == ([] if is_over else told)
    assert known_state(session.messages).resolved == (frozenset({2}) if is_over else frozenset())
    assert _errors(Session().calls("sperren", said, **first).calls("sperren", said, **then)) != []
    assert _errors(Session().calls("sperren", said, **first).calls("melden", _DONE, **then)) == told


@pytest.mark.parametrize(
    ("then", "is_over"),
    [
        ({**_SPERRE, "glaeubiger": "MT51ZZZ00099817"}, True),
        ({**_SPERRE, "mandat": "MND-419"}, False),
        ({"mandat": "MND-418"}, False),
    ],
)
def test_so_it_is_in_a_later_round(then: dict[str, Any], is_over: bool) -> None:
    told = _errors(Session().calls("sperren", _FEHLT, **_SPERRE))
    assert _errors(Session().calls("sperren", _DONE, **then), tuple(told)) == ([] if is_over else told)


@pytest.mark.parametrize(
    ("hotel", "plan", "is_over"),
    [("KYT-2980", "PL-88", True), ("KYT-2980", "PL-91", True), ("KYT-2041", "PL-91", False)],
)
def test_so_does_an_act_that_takes_another_of_what_the_failure_names(hotel: str, plan: str, is_over: bool) -> None:
    said = '{"error": "CONFLICT", "message": "PL-95 goes with no options, take PL-88"}'
    asked = {"name": "Kiryu", "checkin": "2025-11-28"}
    session = Session().calls("create_booking", said, hotel_id="KYT-2980", plan_id="PL-95", **asked)
    session.calls("create_booking", '{"booking_id": "BK-7730421"}', hotel_id=hotel, plan_id=plan, **asked)
    failed = [text for text in session.texts("effect") if text.startswith("failed")]
    assert len(failed) == (not is_over)
    assert known_state(session.messages).resolved == (frozenset({2}) if is_over else frozenset())


_REFUSED = 'ERROR:  new row violates "depth_chk"\nDETAIL:  Failing row contains (5571, 12, draft).'


@pytest.mark.parametrize(
    ("sql", "said", "is_over"),
    [
        ("insert into quays values (12, 'planned')", _REFUSED, True),
        ("insert into quays values (12, 'planned'), (3, 'planned')", _REFUSED, True),
        ("insert into quays values (12, 'planned')", "ERROR: locked", False),
        ("insert into quays values (14, 'planned')", 'ERROR:  "depth_chk" of draft', False),
        ("insert into ships values (12, 'planned')", _REFUSED, False),
        ("update quays set state = 'planned' where depth = 12", _REFUSED, False),
    ],
)
def test_rows_are_put_in_with_another_value_for_what_the_data_base_refused(sql: str, said: str, is_over: bool) -> None:
    session = Session().calls("run_sql", said, sql="insert into quays values (12, 'draft')")
    session.calls("run_sql", "UPDATE 1" if sql.startswith("update") else "INSERT 0 1", sql=sql)
    assert len([text for text in session.texts("effect") if text.startswith("failed")]) == (not is_over)


@pytest.mark.parametrize(
    ("then", "said", "is_over"),
    [
        ("CREATE OR REPLACE TABLE mart.ltv AS SELECT 2", "OK. CREATE TABLE AS: 48,112 rows", True),
        ("CREATE OR REPLACE TABLE mart.ltv AS SELECT 2", "ERROR: permission denied for schema mart", False),
        ("CREATE OR REPLACE TABLE mart.churn AS SELECT 2", "OK. CREATE TABLE AS: 48,112 rows", False),
        ("SELECT * FROM mart.ltv", "3 rows", False),
        ("DROP TABLE mart.ltv", "OK", False),
    ],
)
def test_what_failed_to_be_made_is_made_up_for_by_making_it_in_another_way(then, said, is_over):
    session = Session().calls("run_sql", "ERROR 42501: permission denied for schema mart", sql=_LTV)
    session.calls("run_sql", said, sql=then)
    assert any("failed" in text and "mart.ltv" in text for text in session.texts()) == (not is_over)


_LTV = "CREATE OR REPLACE TABLE mart.ltv AS SELECT * FROM raw.events"


def test_another_number_without_a_name_for_it_may_be_another_thing() -> None:
    session = Session().calls("send_reminder", "HTTP 500: try later", invoice=10041, customer="C-77")
    session.calls("send_reminder", '{"success": true}', invoice=10042, customer="C-77")
    assert any(text.startswith("failed") for text in session.texts("effect"))
