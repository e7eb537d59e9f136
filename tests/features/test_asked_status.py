"""What `curl` was asked to tell of a request, which of several commands an output speaks of, and where errors stand."""

from __future__ import annotations

import pytest

from tests.features.working import FAILS, Session

SENT = "curl DELETE https://api.x/y"


@pytest.mark.parametrize(
    ("form", "said", "line"),
    [
        ("%{http_code}", "404", "404"),
        ("\\nHTTP_STATUS:%{http_code}\\n", '{"detail":"no"}\nHTTP_STATUS:404\n', "HTTP_STATUS:404"),
        ("%{time_total}s %{http_code}", "0.4s 500", "0.4s 500"),
        ("%{http_code}", '{"token": "Zk3"}404', '{"token": "…"}404'),
        ("status=%{response_code} t=%{time_total}", "status=409 t=1.0", "status=409 t=1.0"),
    ],
)
def test_a_request_failed_where_the_status_says_so_that_was_asked_for(form: str, said: str, line: str) -> None:
    assert Session().runs(f"curl -s -w '{form}' -X DELETE https://api.x/y", said).texts() == [f"failed: {SENT}: {line}"]


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("%{http_code} after %{time_total}", "200 after 0.404"),
    ],
)
def test_words_that_the_command_asked_for_tell_of_no_failure(form: str, said: str) -> None:
    assert Session().runs(f"curl -s --write-out '{form}' -X DELETE https://api.x/y", said).texts() == [SENT]


def test_of_several_requests_the_last_status_is_only_that_of_the_last() -> None:
    ask = "curl -s -w 'http %{http_code}' -X DELETE https://api.x/"
    texts = Session().runs(f"{ask}y && {ask}z", "http 200http 404").texts()
    assert not any("y: http 404" in text for text in texts)


def test_an_error_is_not_that_of_a_step_before_the_one_with_the_exit_code() -> None:
    said = "ls: out: No such file or directory"
    assert Session().runs("make docs; ls out", FAILS + said).texts() == [f"open error: {said} (make docs; ls out)"]
    assert Session().runs("ls in; make docs", f"{FAILS}make: *** no rule").texts() == [
        "open error: make: *** no rule (make docs)"
    ]
