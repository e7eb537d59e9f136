"""What results of acts say of how these came out."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.result_outcomes import result_outcome
from tests.features.working import Session


def _kind(said: str, tool: str = "send_email", *given: str) -> str:
    return result_outcome(said, tool, given).kind


@pytest.mark.parametrize(
    "said",
    [
        *('{"status": "rejected", "reason": "quota"}', '{"state": "FAILED"}', '{"result": null, "code": 409}'),
        *('{"statusCode": 403}', '{"errors": [{"message": "quota"}]}', '{"erreur": "adresse inconnue"}'),
        *('{"結果": "エラー"}', '{"exit_code": 2}', '{"result": {"status": "declined"}}'),
        *("<response><status>REJECTED</status></response>", '<error code="SOLD_OUT">no seats</error>'),
        *("STATUS  REASON\nDENIED  quota", "STATUS=BLAD;KOD=52", "ERR 17 busy", "E-202 OCCUPIED", "SMTP 550 mailbox"),
        *("HTTP/1.1 403 Forbidden", "401 Unauthorized", "SchedulerError: duplicate", "exit status 1", "timed out"),
        *("Nothing was changed: quota.", "Not possible.", "card declined", "mailbox is full", "light.x: unavailable"),
        *("Nicht möglich", "Échec de l'envoi", "No se pudo enviar", "Falha no envio", "Nie udało się", "Не удалось"),
        *(
            "Gönderilemedi",
            "送信できませんでした",
            "发送失败",
            "결과: 실패",
            "Impossibile: scaduto",
            "Fout: geen adres",
        ),
    ],
)
def test_that_an_act_failed(said: str) -> None:
    assert _kind(said) == "failed"


@pytest.mark.parametrize(
    "said",
    [
        *('{"status": "pending_approval", "request": "R1"}', '{"status": "queued"}', "202 Accepted", "Saved as draft"),
        *("Queued for approval. It takes effect once approved.", "<status>AWAITING_APPROVAL</status>"),
        *('{"state": "draft", "id": 4}', '{"requires_confirmation": true, "preview": "x"}', "Really send? (yes/no)"),
        *(
            "Wartet auf Freigabe",
            "Pendiente de aprobación",
            "承認待ち",
            "等待审批",
            "승인 대기",
            "Ожидает подтверждения",
        ),
    ],
)
def test_that_an_act_waits(said: str) -> None:
    assert _kind(said) == "waits"


@pytest.mark.parametrize(
    ("said", "tool"),
    [
        ("Order W123 cancelled. No refund will be issued.", "cancel_order"),
        ("Cancelled; the customer cannot be charged", "cancel_order"),
        ("Offer rejected", "reject_offer"),
        ('{"status": "rejected"}', "reject_offer"),
        ('{"status": "draft"}', "create_draft"),
        ('{"status": "pending"}', "modify_pending_order"),
        ('{"status": "sent", "error": null}', "send_email"),
        ('{"ok": true, "errors": []}', "send_email"),
        ("200 rows affected, ok", "run_sql"),
        ("Created PR 403 'Fix error handling'", "create_pr"),
        ("Termin gebucht, keine Gebühr", "termin_buchen"),
        ("Vuelo reservado. No hay cargos", "reservar_vuelo"),
        ("订单已取消，无法恢复", "取消订单"),
        ("予約しました", "席予約"),
        ("service restarted (was: failed)", "restart_service"),
        ("Published without errors", "publish_post"),
        ('{"status": "confirmed", "attendees": [{"name": "A", "status": "pending"}]}', "create_event"),
        ('{"result": "paid", "failure_reason": null}', "pay_invoice"),
    ],
)
def test_that_an_act_was_done(said: str, tool: str) -> None:
    assert _kind(said, tool) == "done"


@pytest.mark.parametrize(
    ("said", "given"),
    [
        ('{"id": 4, "status": "failed"}', "failed"),
        ("Subject: Payment declined\nqueue 4", "Payment declined"),
        ('{"contact": {"status": "failed"}}', ""),
        ('{"id": 404, "code": "T-404", "status": "open"}', ""),
        ("404 harbors updated", ""),
        ("Declined offers: none", ""),
        ("diff\n" + "- error: not so\n" * 9, ""),
    ],
)
def test_what_is_said_of_things_is_no_failure(said: str, given: str) -> None:
    assert _kind(said, "update_thing", given) not in ("failed", "waits")


def test_what_failed_or_waits_is_told_as_that_and_what_was_only_tried_is_not_told():
    arguments = {"to": "a@b.example", "subject": "Offer"}
    line = "send_email a@b.example Offer"
    assert Session().calls("send_email", "card declined", **arguments).texts() == [f"failed: {line}: card declined"]
    waits = Session().calls("send_email", '{"status": "pending_approval"}', **arguments)
    assert waits.texts() == [f"waits: {line}: pending_approval"]
    assert waits.state()[0].open
    assert Session().calls("send_email", "DRY RUN: nothing sent", **arguments).texts() == []
    assert waits.calls("send_email", "sent", **arguments).texts() == [line]


def test_what_waits_stays_so_after_another_round():
    told = "waits: send_email a@b.example: pending_approval"
    assert Session().texts("effect", (told,)) == [told]
    assert Session().calls("send_email", "sent", to="a@b.example").texts("effect", (told,)) == [
        "send_email a@b.example"
    ]
    other = Session().calls("send_email", "sent", to="c@b.example").texts("effect", (told,))
    assert other == ["send_email c@b.example", told]
