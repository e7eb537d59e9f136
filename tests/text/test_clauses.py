"""Sentences of what the user says end where one ends, and not behind an abbreviation."""

from __future__ import annotations

from typing import SupportsIndex

import pytest

from compactor_cli.text.clauses import _sentence_ends, split_clauses


@pytest.mark.parametrize(
    "text",
    [
        "Quote all prices excl. VAT.|Then send it.",
        "Use e.g. Foo or Bar.|Do it now.",
        "Nutze z. B. Müller oder bzw. Meier.|Dann los.",
        "т. е. Иванов отвечает.|Потом жди.",
        "See Dr. Smith first.|He knows.",
        "Wait ca. 20 minutes.|Then go on.",
        "Compare Paris vs. London.|Report both!|Then stop.",
    ],
)
def test_no_sentence_ends_behind_an_abbreviation(text: str) -> None:
    assert [clause.text for clause in split_clauses(text.replace("|", " "))] == text.split("|")


@pytest.mark.parametrize(
    "text",
    [
        "I got it.|API is down.",
        "It works.|5 tests are left.",
        "Ship v1.2.|Then tag it.",
        "Is it so?|Yes.|Good.",
        "直してください。|テストも。",
        "बस देर से आई।|मीटिंग दस बजे है।",
        "هل وصل الطرد؟|اتصل بي غداً.",
    ],
)
def test_sentences_end_at_other_points(text: str) -> None:
    joined = text.replace("|", "" if "。" in text else " ")
    assert [clause.text for clause in split_clauses(joined)] == text.split("|")


@pytest.mark.parametrize(
    "text",
    [
        "1. Start worker 1.|Wait.|2. Stop the other worker 2.|Go.",
        "1. Never delete the logs.|2. Restart worker 3.|Why does it crash?",
        "1. 看过了。|2. 不是，两个班次。|3. 星期四。",
        "1. Es el lote 7.|2. Pesa 58 más o menos 2.|3. Si.|4. Soy yo.",
    ],
)
def test_numbered_items_of_one_line_are_sentences_with_their_numbers(text: str) -> None:
    joined = text.replace("。|", "。").replace(" |", "|").replace("|", " ")
    assert [clause.text for clause in split_clauses(joined)] == [item.strip() for item in text.split("|")]


@pytest.mark.parametrize(
    "text",
    [
        "Turn off worker 1.|Wait a bit.|Turn off worker 2.|Then go.",
        "Use Python 3.|Set retries to 1.|Why?|2 tests fail.",
        "Take step 1.|Then step 2.|And at last step 3.|Stop.",
        "1. Use port 2.|Then stop.",
        "Pick 2.|Leave 3.|Go.",
        "1. yes 2. no 3. the blue one",
        "1. Deploy to worker 2.|Never restart worker 3.|It is broken.",
        "1. Deploy to worker 2.|Stop worker 3.|Wait.",
        "1. Deploy to node 2.|Restart worker 3.|Worker 4 hangs.",
        "1. Deploy to node 2.|Never restart worker 3.|Wait.",
        '1. Stop "node" 2.|Never stop "worker" 3.|It hangs.',
        "1. Leave hosts 1, 2.|Restart the others.",
        "1. Set the level: 2.|Never set it higher.",
        "1. Starte Worker 2.|Lösche niemals Worker 3.|Warum ist das so?",
        "1. Redémarre le nœud 2.|Ne touche jamais le serveur 3.|Pourquoi plante-t-il ?",
        "1. Reinicia el worker 2.|No toques nunca el worker 3.|¿Por qué falla?",
        "1. Abre el nodo 2.|Deja la tabla 3.|¿Falla?",
        "Dates : 1. janvier, 2. février, 3. mars.",
        "Take these: 1. the blue one, 2. the large one, 3. the rest.",
        "1. 重启 worker 2.|绝不要碰 worker 3.|为什么崩溃？",
        "1. 重启服务器 2.|绝不要碰服务器 3.|好的",
        "Zeile: 1. Januar bis 2. Februar, dann 3. März.",
        "Frei ist: 1. Mai, 2. Juni, 3. Juli.",
        "1. FC Köln spielt am 2. Mai gegen den 3. der Tabelle.",
    ],
)
def test_other_numbers_of_a_line_are_no_items(text: str) -> None:
    assert [clause.text for clause in split_clauses(text.replace("|", " "))] == text.split("|")


@pytest.mark.parametrize(
    "text",
    [
        'Write "since ok. 5.03", as I am not sure.|Then send it.',
        "Sag ihm „Ja. Nein. Vielleicht“, dann geht er.|Das reicht.",
        "Il a dit «Non. Jamais», et puis rien.|C'est tout.",
        "Answer “Yes. No more work.” and stop.|Then wait.",
        'He said "Stop, never push."|Then he left.',
        'Say "Do it."|Never say "Later."|Then go.',
        'It is 5" wide.|Never cut it.|It is 6" long, too.',
        'He said "Go.|Never come back.|That was all.',
    ],
)
def test_no_sentence_ends_in_what_is_quoted_within_one(text: str) -> None:
    assert [clause.text for clause in split_clauses(text.replace("|", " "))] == text.split("|")


def test_no_sentence_ends_behind_the_number_of_an_item() -> None:
    assert [c.text for c in split_clauses("1. Run it.\n 12. Then stop. Or not.")] == [
        "1. Run it.",
        "12. Then stop.",
        "Or not.",
    ]


def test_the_number_of_an_item_is_known_behind_an_indentation() -> None:
    assert [c.text for c in split_clauses("          123456. Then stop. Or not.")] == ["123456. Then stop.", "Or not."]


@pytest.mark.parametrize("sentence", ["你好。", "Yes. No! ", "so it goes here. and on. "])
def test_one_long_line_takes_time_as_its_length_does(sentence: str) -> None:
    looked_at = [_looked_at(sentence, times) for times in (200, 400)]
    assert looked_at[1] <= 2.2 * looked_at[0]


class _Counting(str):
    """Counts the characters of which copies are made or that are looked through for another one."""

    looked_at = 0

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        piece = str(self)[key]
        _Counting.looked_at += len(piece)
        return piece

    def rfind(self, sub: str, start: SupportsIndex | None = None, end: SupportsIndex | None = None) -> int:
        found = super().rfind(sub, start, end)
        last = len(self) if end is None else int(end)
        _Counting.looked_at += last - (found if found >= 0 else int(start or 0))
        return found


@pytest.mark.parametrize("run", [".", "!", "…", "?!", "a.", "x. ", "。", ".)", "'"])
def test_long_runs_of_anything_are_split_in_one_pass(run: str) -> None:
    # a quadratic pattern would not end here
    assert "".join(clause.text for clause in split_clauses(run * 200_000)).startswith(run.strip())


def _looked_at(sentence: str, times: int) -> int:
    _Counting.looked_at = 0
    for _ in _sentence_ends(_Counting(sentence * times)):
        pass
    return _Counting.looked_at


ISSUE = "The parser drops the last field\n\nHi,\n\nI found this today.\n\n" + "It is odd. " * 40
HINTS = "HINTS:\n1. Look first.\n2. Then write.\n\n" + "\n\n".join(
    "Never run what you did not read." for _ in range(20)
)


@pytest.mark.parametrize(
    "lead", ["Fix this issue. Here is its text:\nISSUE:\n", "Fix the issue below.\n\n<issue>\n", "請修正：\n\n"]
)
def test_the_first_line_of_what_was_put_into_a_long_request_is_its_title(lead: str) -> None:
    titles = [clause.text for clause in split_clauses(lead + ISSUE + HINTS) if clause.origin == "title"]
    assert titles == ["The parser drops the last field"]


def test_short_requests_and_those_that_put_nothing_in_have_no_title() -> None:
    for text in ("Fix this:\nThe parser drops fields.", "Fix it. " * 200, "Look:\n```\ncode\n```\n" + "Fix it. " * 200):
        assert all(clause.origin != "title" for clause in split_clauses(text))


UPLOADED = (
    "<uploaded_files>\n/workspace/parser\n</uploaded_files>\nI've uploaded a repository. Consider this issue:\n\n"
)
STEPS = "\n".join(f"{n}. Look into the {n}th module of it" for n in range(1, 12))
ASKED = (
    "Can you help me implement the changes so that the requirements in the issue are met?\n"
    "I've already taken care of all changes to any of the test files. Do NOT modify the tests in any way!\n"
    "The environment is set up for you already, so you need not install other packages.\n"
    "Your task is to make the minimal changes to files that are not tests in the folder.\n"
    "Everything else in the folder has to stay as it is, even if it looks wrong to you.\n"
    "Follow these steps to resolve the issue:\n"
)


def test_a_path_that_was_put_in_is_no_title() -> None:
    clauses = split_clauses(f"{UPLOADED}<issue>\n{ISSUE}\n</issue>\n\n{ASKED}{STEPS}")
    assert [c.text for c in clauses if c.origin == "title"] == ["The parser drops the last field"]


def test_sentences_before_a_long_list_are_what_is_asked() -> None:
    clauses = split_clauses(f"{UPLOADED}<issue>\n{ISSUE}\n</issue>\n\n{ASKED}{STEPS}")
    asked = [c.text for c in clauses if c.origin == "asked"]
    assert "Do NOT modify the tests in any way!" in asked
    assert asked[-1] == "Follow these steps to resolve the issue:"
    assert {c.origin for c in clauses if c.text[0].isdecimal()} == {"pasted"}


def test_rows_of_a_table_without_a_break_are_pasted() -> None:
    rows = "\n".join(f"order {n} of the warehouse in the north took {n} days and was never paid" for n in range(30))
    assert {c.origin for c in split_clauses(f"Sum it up.\n\n{rows}\n\nThanks.") if "order" in c.text} == {"pasted"}


@pytest.mark.parametrize(
    "text",
    [
        "do it.| and from now on: tabs",
        "mach das.| und danach die Tests",
        "hazlo ya.| pero sin tablas",
        "apples, pears etc. and bananas",
        "see fig. and table 3",
        "we met Dr. and Mrs. Smith",
        "ask acme INC. and its bank",
        "built by acme LLC. and sold",
        "figures from SEC. and FIN. depts",
        "call it in 5 US. and 6 EU dollars",
        "use no. and name as columns",
        "min. and max. values",
        "at 5 p.m. and then home",
    ],
)
def test_a_sentence_may_begin_with_and_in_small_letters(text: str) -> None:
    assert [clause.text for clause in split_clauses(text.replace("|", ""))] == [
        part.strip() for part in text.split("|")
    ]
