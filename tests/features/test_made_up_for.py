"""What ends a failure, and what does not: another thing, another amount, another way."""

from __future__ import annotations

import json

import pytest

from tests.features.working import FAILS, Session


@pytest.mark.parametrize(
    ("later", "is_over"),
    [
        ({"source": "docs/b.docx"}, False),
        ({"source": "docs/a.docx", "target": "docs/a.pdf"}, True),
        ({"text": "some words"}, True),
    ],
)
def test_an_error_of_a_tool_stays_open_while_it_only_deals_with_other_things(
    later: dict[str, str], is_over: bool
) -> None:
    session = Session().calls("convert_document", "Error: file is encrypted", source="docs/a.docx")
    session.calls("convert_document", "Error: file is encrypted", source="docs/c.docx")
    assert len(session.texts("error")) == 2
    told = session.calls("convert_document", "31 pages", **later).texts("error")
    assert any("docs/a.docx" in text for text in told) == (not is_over)


@pytest.mark.parametrize(
    ("error", "is_over"), [("Error: file is encrypted", False), ("Error: missing required parameter 'pages'", True)]
)
def test_wrong_arguments_are_made_up_for_by_any_correct_call(error: str, is_over: bool) -> None:
    session = Session().calls("convert_document", error, source="docs/a.docx")
    session.calls("convert_document", "31 pages", source="docs/b.docx", pages="all")
    assert (session.texts("error") == []) == is_over


def test_elements_of_a_page_are_not_things() -> None:
    session = Session().calls("browser_click", "Error: ref e1234 is stale", ref="e1234")
    assert session.calls("browser_click", "clicked", ref="e1301").texts("error") == []


@pytest.mark.parametrize(
    ("failed", "done", "is_over"),
    [
        ("helm upgrade web ./chart --timeout 5m", "helm upgrade web ./chart --timeout 15m", True),
        ("helm upgrade web ./chart --set image.tag=1.2", "helm upgrade web ./chart --set image.tag=1.3", True),
        ("terraform apply -auto-approve -lock=false", "terraform apply -auto-approve", True),
        ("kubectl apply -f a.yaml -n staging", "kubectl apply -f a.yaml -n prod", False),
        ("kubectl apply -f a.yaml --namespace=staging", "kubectl apply -f a.yaml --namespace=prod", False),
        ("docker push app:1.2", "docker push reg.example.com/app:1.2", True),
        ("docker push app:1.2", "docker push reg.example.com/app:1.3", False),
        ("gh pr merge 7 --squash", "gh api -X PUT repos/o/r/pulls/7/merge", True),
        ("gh pr merge 7 --squash", "gh api -X PUT repos/o/r/pulls/8/merge", False),
    ],
)
def test_a_command_makes_up_for_another_that_differs_in_options_and_amounts(
    failed: str, done: str, is_over: bool
) -> None:
    texts = Session().runs(failed, f"{FAILS}Error: forbidden").runs(done, "ok").texts("effect")
    assert any(text.startswith("failed: ") for text in texts) == (not is_over)


@pytest.mark.parametrize(
    ("failed", "error", "done", "is_over"),
    [
        ("insert into t values (8,'payed')", 'invalid value: "payed"', "insert into t values (8,'paid')", True),
        ("insert into t values (8,'a')", "permission denied", "insert into t values (9,'a')", False),
        ("delete from t where a=1", "permission denied", "delete from t where a=1 and b=2", False),
        ("refresh materialized view v1", "permission denied", "refresh materialized view v2", False),
    ],
)
def test_a_statement_makes_up_for_another_one(failed: str, error: str, done: str, is_over: bool) -> None:
    session = Session().calls("execute_sql", f"ERROR: {error}", sql=failed).calls("execute_sql", "ok", sql=done)
    assert any(text.startswith("failed: ") for text in session.texts("effect")) == (not is_over)


def test_what_was_taken_back_in_a_later_call_is_told() -> None:
    session = Session().calls("execute_sql", "UPDATE 3", sql="update t set a=1 where b=2")
    session.calls("execute_sql", "ROLLBACK", sql="ROLLBACK;")
    assert session.texts("effect") == ["execute_sql ROLLBACK", "execute_sql update t set a=1 where b=2"]


@pytest.mark.parametrize(
    ("script", "output", "is_done"),
    [
        ("begin; update t set a=1 where b=2; commit", "COMMIT", True),
        ("commit; begin; update t set a=1 where b=2", "COMMIT\nBEGIN\nUPDATE 1", False),
    ],
)
def test_a_transaction_is_done_once_it_is_committed(script: str, output: str, is_done: bool) -> None:
    assert bool(Session().calls("execute_sql", output, sql=script).texts("effect")) == is_done


@pytest.mark.parametrize(
    ("options", "output", "is_done"),
    [
        (" -w '%{http_code}'", "000", False),
        (" -w ' [%{http_code}]'", '{"err":"dup"} [409]', False),
        (" -w 'Status: %{http_code} in %{time_total}s'", '{"err":"dup"}Status: 409 in 0.2s', False),
        (" -w '%{http_code} %{time_total}'", '{"message":"no"}503 0.412', False),
        (" -w '\\n%{http_code}'", '{"n":404}\n200', True),
        ("", "created room 404", True),
        ("", "rows: 500", True),
    ],
)
def test_a_number_is_a_status_where_one_was_asked_for(options: str, output: str, is_done: bool) -> None:
    texts = Session().runs(f"curl -s -X POST https://a.example/rooms -d n=1{options}", output).texts("effect")
    assert [text.startswith("failed: ") for text in texts] == [not is_done]


def test_a_rollout_that_did_not_happen_is_an_open_error() -> None:
    session = Session().runs("kubectl apply -f a.yaml", "deployment.apps/web configured")
    session.runs("kubectl rollout status deploy/web", f"{FAILS}error: timed out waiting for the condition")
    told = "open error: error: timed out waiting for the condition (kubectl rollout status deploy/web)"
    assert session.texts("error") == [told]
    assert session.runs("kubectl rollout status deploy/web", "successfully rolled out").texts("error") == []


@pytest.mark.parametrize(
    ("tool", "said", "arguments", "is_act"),
    [
        ("reservar_vuelo", {"estado": "confirmada", "localizador": "HUT168"}, {"vuelo": "IB212"}, True),
        ("termin_buchen", "Termin gebucht: T-3391", {"arzt": "Dr. Kern"}, True),
        ("отправить_письмо", "Отправлено", {"кому": "anna@example.org"}, True),
        ("予約する", {"状態": "完了", "番号": "YK3595"}, {"店": "寿司よし", "人数": "4"}, True),
        ("reserva_info", {"estado": "confirmada", "localizador": "HUT168"}, {"localizador": "HUT168"}, False),
        ("bestellung", {"status": "versendet"}, {"nummer": "B-88"}, False),
        ("注文状況", {"状態": "完了"}, {"番号": "A-77"}, False),
    ],
)
def test_tools_with_names_in_other_languages_act_if_they_confirm_it(
    tool: str, said: object, arguments: dict[str, str], is_act: bool
) -> None:
    output = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    assert bool(Session().calls(tool, output, **arguments).texts("effect")) == is_act


def test_a_code_in_a_result_names_what_was_created_unless_it_is_a_number() -> None:
    session = Session().calls("book_table", '{"status": "ok", "code": "M-8841"}', place="La Ola")
    session.calls("create_user", '{"code": 200}', name="Ana")
    assert session.texts("effect") == ["create_user Ana", "book_table M-8841 (place La Ola)"]


def test_a_listed_file_that_was_written_and_restored_is_not_changed() -> None:
    session = Session().runs("find src", "src/a.py\n").calls("Write", "ok", file_path="src/a.py", content="x")
    assert session.texts("file") == ["edited src/a.py, unchecked"]
    session.runs("git checkout -- .", "Updated 1 path from the index")
    assert session.texts("file") == ["restored src/a.py"]


def test_an_act_is_not_told_without_the_one_that_took_it_back() -> None:
    said = json.dumps({"状態": "完了", "番号": "YK3595"}, ensure_ascii=False)
    session = Session().calls("予約する", said, 店="寿司よし", 人数="4")
    session.calls("予約取消", json.dumps({"状態": "完了"}, ensure_ascii=False), 番号="YK3595")
    assert [text.split()[0] for text in session.texts("effect")] == ["予約取消", "予約する"]
