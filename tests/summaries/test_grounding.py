"""Whether the names and quotes of a summary occur in its messages: an honest one passes, an invented one does not."""

from __future__ import annotations

import pytest

from compactor_cli.summaries.acceptance import Grounding, ungrounded
from tests.builders import assistant, call, calling_message, read_records, result, system, user

EDIT = '{"path": "src/app/export.py", "new": "with open(path, encoding=\\"utf-8-sig\\") as stream:\\n  write(stream)"}'
TOLD = read_records(
    system("Work in /home/sam/projects/kawa."),
    user("Please mend the nightly job: it writes 85% of the totals, and loses the others. See issue W-40017."),
    assistant("I read src/app/export.py; the class TotalsExporter calls compute_total and load_rows."),
    calling_message(
        call("c1", "edit", EDIT), call("c2", "run", '{"command": "pytest -q tests/test_export.py --maxfail=2"}')
    ),
    result("c1", "The file src/app/export.py has been updated."),
    result(
        "c2", "E   UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff\nFAILED tests/test_export.py::test_names"
    ),
    assistant("The rounding is wrong: 3.10 and 3.11 differ. The client and the server each read and write a copy."),
)
SOURCE = Grounding(TOLD, ("## Session Summary\n- The parser in lib/parse.c was mended before.",))


def foreign(text):
    return ungrounded(text, SOURCE)


@pytest.mark.parametrize(
    "text",
    [
        "The nightly job lost some of the totals.",
        "src/app/export.py was edited.",
        "export.py in src/app/ was edited.",
        "Edited `src/app/export.py`, then ran `pytest -q tests/test_export.py --maxfail=2`.",
        "The class TotalsExporter calls `compute_total`.",
        "TotalsExporters call compute_totals.",
        "totalsexporter, COMPUTE_TOTAL and W-40017 whatever their case",
        "The client/server copies differ and/or are read/write.",
        "In /home/sam/projects/kawa/src/app/export.py the encoding was changed.",
        "Changed in src/app.",
        'The user said "mend the nightly job … and loses the others".',
        'The user said "Please mend ... the totals".',
        'The user asked to "mend the nightly   job".',
        "The user asked to “mend the nightly job”, for 85% are right.",
        'The line is now `with open(path, encoding="utf-8-sig") as stream:`.',
        'It writes `with open(path, encoding="utf-8-sig") as stream: write(stream)`.',
        "UnicodeDecodeError: byte 0xff, in `tests/test_export.py::test_names`.",
        "It failed with \"'utf-8' codec can't decode byte 0xff\".",
        "3.10 and 3.11 differ.",
        "lib/parse.c was mended before.",
        "**src/app/export.py**: mended (see W-40017).",
        "- [x] `TotalsExporter`, - [ ] `load_rows`",
        "E.g. the totals, i.e. 85%, etc.",
        "On 2026-03-02 3 of 14 tests failed.",
        "It is a well-known, long-standing problem of the read-only copy.",
        'The "job" and the `totals`',
        "",
    ],
)
def test_an_honest_text_names_nothing_foreign(text):
    assert foreign(text) == []


@pytest.mark.parametrize(
    "text",
    [
        # what is short is between quotation marks as well, and what stands between two of them is no quote
        'The separator was changed from "," to the longer form ";" everywhere.',
        "Now `n` has to be at most `m` in each row.",
        'It went from "no" all the way to "yes".',
        # the ways in which people and models write names of what is there
        "`compute_total()` is wrong, and so is load_rows().",
        "`TotalsExporter.compute_total` is wrong.",
        "./src/app/export.py was edited.",
        "`src/app/export.py:12` was edited.",
        "The success/failure of the job is logged.",
    ],
)
def test_an_honest_text_may_write_names_in_ways_of_its_own(text):
    assert foreign(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("src/app/imaginary.py was edited.", ["src/app/imaginary.py"]),
        ("The class ZebraExporter is wrong.", ["ZebraExporter"]),
        ("compute_average is wrong.", ["compute_average"]),
        ("See W-40018.", ["W-40018"]),
        ("86.5% of the totals", ["86.5%"]),
        ("Python 3.12", ["3.12"]),
        ('The user said "ship it on Friday".', ["ship it on Friday"]),
        ("The user said “ship it on Friday”.", ["ship it on Friday"]),
        ('The user said "mend the nightly job … on Friday".', ["mend the nightly job … on Friday"]),
        ("Run `pytest -q tests/test_export.py --pdb`.", ["pytest -q tests/test_export.py --pdb"]),
        ("See https://docs.invented.example/guide.", ["docs.invented.example/guide"]),
        ("/home/eve/projects/kawa was deleted.", ["/home/eve/projects/kawa"]),
        ("ENOENT was raised.", ["ENOENT"]),
        ("Twice invented.py and again invented.py.", ["invented.py"]),
    ],
)
def test_what_is_invented_is_named(text, found):
    assert [name.lstrip("/") for name in foreign(text)] == [name.lstrip("/") for name in found]


def test_the_order_of_what_is_named_is_fixed():
    text = 'zebra.py, apple.py, "a quote of nobody" and `another one of nobody`'
    assert foreign(text) == ["a quote of nobody", "another one of nobody", "apple.py", "zebra.py"]


def test_a_name_inside_a_foreign_quote_is_named_once():
    assert foreign('"see invented.py for it"') == ["see invented.py for it"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("mend the nightly job", True),
        ("lib/parse.c was mended", True),
        ("pytest -q tests/test_export.py --maxfail=2", True),
        ("FAILED tests/test_export.py::test_names", False),
        ("has been updated", False),
        ("Work in /home/sam", True),
    ],
)
def test_what_was_said_is_not_what_a_tool_printed(words, said):
    assert SOURCE.was_said(words) is said
    assert SOURCE.contains(words)
