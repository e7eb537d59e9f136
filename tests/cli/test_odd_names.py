"""Files whose names are no UTF-8, command a terminal or turn text: whatever tells of them is text, and harmless."""

from __future__ import annotations

import json
import os
import sys
from urllib.parse import unquote_to_bytes

import pytest

from tests.builders import jsonl, plain_exchanges

CHARS = ("--tokenizer", "chars")
HALF = ("--target-ratio", "0.5", *CHARS)
RAW = b"raw\x1b[31m\xff\x9b31m\xe2\x80\xae\xe2\x80\x8b.jsonl"
NAME = os.fsdecode(RAW)
SHOWN = "raw\\u001b[31m\\udcff\\udc9b31m\\u202e\\u200b.jsonl"
LOCALES = ({"LC_ALL": "C"}, {"LC_ALL": "C.UTF-8", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "ascii:strict"})

pytestmark = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names of files are text there")


@pytest.fixture
def raw(tmp_path):
    (tmp_path / NAME).write_bytes(jsonl(*plain_exchanges(15)))
    (tmp_path / f"b{NAME}").write_bytes(jsonl(*plain_exchanges(14)))
    return NAME


@pytest.mark.drawn(15)
@pytest.mark.parametrize("locale", LOCALES, ids=str)
@pytest.mark.parametrize(
    "arguments",
    [
        ("inspect", NAME),
        ("inspect", NAME, "--json"),
        ("inspect", NAME, "--faults"),
        ("score", NAME),
        ("budget", NAME, "--total", "4000"),
        ("doctor", NAME),
        ("diff", NAME, f"b{NAME}"),
        ("compact", NAME, *HALF, "--check", "--annotations", "github"),
        ("compact", NAME, *HALF, "--out-dir", "out\udcff"),
        ("inspect", f"no{NAME}"),
    ],
    ids=lambda arguments: " ".join(arguments).replace(NAME, "FILE").encode("ascii", "ignore").decode(),
)
def test_a_name_is_shown_with_escapes_on_both_streams(run, raw, arguments, locale):
    tokenizer = () if set(CHARS) <= set(arguments) else CHARS
    done = run(*arguments, *tokenizer, **locale)
    assert done.code in (0, 1, 3), done.stderr
    shown = done.stdout.decode() + done.stderr
    assert SHOWN in shown.replace("\n", "") or SHOWN.replace("\\", "\\\\") in shown
    assert not set(shown) & set("\x1b\x9b\u202e\u200b\udcff")


def test_a_page_names_the_file_that_it_is_of(run, tmp_path, raw):
    assert run("inspect", raw, *CHARS, "--html", "i.html").code == 0
    assert run("compact", raw, *HALF, "-o", "o.jsonl", "--html", "c.html").code == 0
    assert run("diff", raw, "o.jsonl", *CHARS, "--html", "d.html").code == 0
    for page in ("i.html", "c.html", "d.html"):
        assert f"<title>compactor: {SHOWN}" in (tmp_path / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("absolute", [False, True])
def test_the_address_in_sarif_is_that_of_the_file(run, tmp_path, raw, absolute):
    done = run("compact", tmp_path / raw if absolute else raw, *HALF, "--check", "--sarif", "x.sarif")
    assert done.code == 1, done.stderr
    (result,) = json.loads((tmp_path / "x.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.isascii()
    path = unquote_to_bytes(uri.removeprefix("file://"))
    assert (tmp_path / os.fsdecode(path)).samefile(tmp_path / raw)


def test_annotations_keep_the_names_that_github_can_decode(run, tmp_path):
    name = "50%,a:b 👨\u200d👩 می\u200cخواهم.jsonl"
    (tmp_path / name).write_bytes(jsonl(*plain_exchanges(15)))
    done = run("compact", name, *HALF, "--check", "--annotations", "github")
    encoded = name.replace("%", "%25").replace(",", "%2C").replace(":", "%3A")
    assert done.stdout.decode().startswith(f"::warning file={encoded},line=1,title=compactor%3A needs-compaction::")
