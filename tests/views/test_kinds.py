"""Rules, corrections, decisions and errors: what is found, and when it is lost."""

from __future__ import annotations

import pytest

from tests.pipeline.sessions import assistant, user
from tests.views.sessions import judged, lost, tool

FIRST = "Take the folder reports/monthly for the exported figures."
SECOND = "The exported figures belong into reports/by-quarter."


@pytest.mark.parametrize(
    "rule",
    [
        "Don’t touch anything under vendor/libzstd.",
        "Answers are at most 120 words.",
        "I prefer tabs in this code base.",
        "Ask Renske Oudshoorn before you change billing_rules.yaml.",
        "Bitte ändere nichts an der Datei zahlungslauf_2030.sql, niemals.",
        "Nunca borres los respaldos de la carpeta nocturnos.",
        "Le fichier tarifs_hiver.csv reste tel quel.",
        "所有新的接口都必须先经过林晓梅批准。",
        "設定ファイル kaikei_v7.toml は絶対に変更しないでください。",
        "Никогда не удаляй резервные копии.",
    ],
)
def test_a_sentence_that_binds_is_a_rule_in_many_languages(rule: str) -> None:
    before = [user(f"The build is slow today. {rule}"), assistant("Noted.")]
    assert lost(before, [assistant("Noted.")], "rules") == [rule]
    assert lost(before, [user(rule)], "rules") == []


@pytest.mark.parametrize(
    "said", ["The build is slow today.", "I don't have the number with me.", "Can you only see one?"]
)
def test_what_tells_or_asks_is_no_rule(said: str) -> None:
    found = judged([user(said)], [assistant("Fine.")])
    assert found["rules"].total == 0
    assert found["user_requests"].lost == ((0, said),)


def test_a_rule_of_an_assistant_or_a_tool_is_none() -> None:
    before = [user("Look."), *tool("Read", "Never edit this file by hand.", path="a.py"), assistant("I never do that.")]
    assert judged(before, before)["rules"].total == 0


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (FIRST, SECOND),
        ("The limit for uploads is 20 MB.", "The limit for uploads is 64 MB."),
        ("Use yarn for the packages of the dashboard.", "No, use pnpm for the packages of the dashboard."),
        ("Nimm für die Tabelle die Spalte kunde_nr.", "Doch lieber konto_ref als Spalte der Tabelle."),
        ("会议定在周一上午。", "不对，会议改成周三上午。"),
    ],
)
def test_a_correction_stands_only_when_the_newer_sentence_does(first: str, second: str) -> None:
    before = [user(first), assistant("Noted."), user(second), assistant("Done.")]
    assert lost(before, before, "corrections") == []
    assert lost(before, [assistant("Noted."), user(second)], "corrections") == []
    assert lost(before, [user(first), assistant("Done.")], "corrections") == [second]
    assert lost(before, [assistant("Done.")], "corrections") == [second]


def test_a_correction_is_lost_when_what_it_corrects_stands_behind_it() -> None:
    before = [user(FIRST), assistant("Noted."), user(SECOND), assistant("Done.")]
    turned = [user(SECOND), assistant("Noted."), user(FIRST)]
    assert lost(before, turned, "corrections") == [SECOND]
    assert lost(before, turned, "user_requests") == []


def test_what_the_user_said_again_later_holds() -> None:
    before = [user(FIRST), assistant("Noted."), user(SECOND), assistant("Sure?"), user(FIRST)]
    assert lost(before, before, "corrections") == []


def test_two_requests_on_different_things_correct_nothing() -> None:
    before = [user("Write the changelog for release 2.4."), assistant("Done."), user("Translate the guide of 1999.")]
    assert judged(before, before)["corrections"].total == 0


def test_decisions_of_the_user_and_the_assistant_count() -> None:
    before = [user("We decided on JSON lines."), assistant("I looked around. I am going with one file a day.")]
    assert lost(before, [assistant("I looked around.")], "decisions") == [
        "We decided on JSON lines.",
        "I am going with one file a day.",
    ]


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("Exit code: 1\nsrc/a.c:3: something\nerror: expected ';' before 'x'", "error: expected ';' before 'x'"),
        (
            "<tool_use_error>String to replace not found in file.</tool_use_error>",
            "String to replace not found in file.",
        ),
        (
            "Process exited with code 2\nOriginal token count: 47\nOutput:\nno rule to make target",
            "no rule to make target",
        ),
        ("ran\nValueError: bad day 31", "ValueError: bad day 31"),
    ],
)
def test_an_error_is_the_line_that_says_what_went_wrong(output: str, line: str) -> None:
    before = [user("Build it."), *tool("Bash", output, command="make"), assistant("Hm.")]
    assert lost(before, [user("Build it.")], "errors") == [line]
    assert lost(before, [user("Build it."), assistant(f"- `{line}` [#2]")], "errors") == []


@pytest.mark.parametrize("output", ["all 12 passed", '{"error": "", "rows": 3}', "errors.py\nfailures.py", "0 errors"])
def test_an_output_that_went_well_has_no_error(output: str) -> None:
    before = [user("Build it."), *tool("Bash", output, command="make")]
    assert judged(before, before)["errors"].total == 0


def test_identifiers_are_compared_as_a_set() -> None:
    before = [
        user("Compare `src/tills/days.py` with https://example.com/v2 and parse_range, 30ms, v1.2, EPIPE, --tb=short")
    ]
    names = lost(before, [assistant("src/tills/days.py and --tb")], "identifiers")
    assert names == ["30ms", "EPIPE", "https://example.com/v2", "parse_range", "v1.2"]
