"""No secret is left in texts for people."""

from __future__ import annotations

import pytest

from compactor_cli.llm.redact import REDACTED, redact

SECRET = "Zq7-opaque.value/9981+x"
ENVIRONMENT = {
    "OPENAI_API_KEY": SECRET,
    "SOME_TOKEN": "tok",
    "DB_PASSWORD": "hunter2hunter2",
    "client_secret": "verysecretvalue",
    "EDITOR": "emacs-nox",
}


@pytest.mark.parametrize(
    "text",
    [
        f"Incorrect API key provided: {SECRET}.",
        "Incorrect API key provided: Zq7-op****81+x.",
        "Incorrect API key provided: Zq7...1+x.",
        "Incorrect API key provided: Zq7-opaq…",
        "Incorrect API key provided: ...9981+x",
        "address http://host/?key=Zq7-opaque.value%2F9981%2Bx",
        "login hunter2hunter2 failed",
        "with verysecretvalue",
    ],
)
def test_the_value_of_a_secret_variable_goes_whole_or_masked(text):
    clean = redact(text, ENVIRONMENT)
    assert REDACTED in clean
    for piece in ("Zq7", "81+x", "9981", "hunter2", "verysecret"):
        assert piece not in clean


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("key sk-proj-abcdefghijkl was refused", "abcdefghijkl"),
        ("key sk-ab******************wxyz was refused", "wxyz"),
        ("key sk-ant-api03-AbC_dEf was refused", "AbC_dEf"),
        ("header Authorization: Bearer abc.def-ghi", "abc.def-ghi"),
        ("header authorization: basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
        ("key AIzaSyA1234567890 is not valid", "SyA1234567890"),
        ("key abcd****efgh is not valid", "efgh"),
        ("GET https://host/v1?key=plainvalue&alt=json", "plainvalue"),
        ("GET https://user:pass1@host/v1", "pass1"),
    ],
)
def test_what_looks_like_a_key_goes_though_no_variable_holds_it(text, secret):
    assert secret not in redact(text, {})


@pytest.mark.parametrize(
    "text",
    [
        "429: Rate limit reached. (3 tries)",
        "no API key for openai/gpt-4o; set OPENAI_API_KEY",
        "the token count is 5 ... and so on",
        "model tok is a risk-free choice, task-list and all",
        "connection failed: [Errno 111] Connection refused",
        "emacs-nox",
        "",
    ],
)
def test_ordinary_words_stay(text):
    assert text == redact(text, ENVIRONMENT)


def test_the_longer_of_two_secrets_goes_first():
    assert redact("abcdefghijkl", {"A_KEY": "abcdef", "B_KEY": "abcdefghijkl"}) == REDACTED


def test_the_environment_of_the_process_is_the_default(monkeypatch):
    monkeypatch.setenv("MY_API_KEY", SECRET)
    assert redact(SECRET) == REDACTED
