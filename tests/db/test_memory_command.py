"""`compactor memory` as people use it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from rich.cells import cell_len

from tests.builders import ROOT, clean_environment
from tests.db.servers import Server
from tests.drawing import loop_step

pytestmark = pytest.mark.one_test_in(4)

HOSTILE = "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J \u202eleft\u2028"


@pytest.fixture
def log(command, url):
    """`compactor memory ARGS...` on the database of the test."""
    return lambda *args, **options: command("memory", *args, "--database", url, **options)


def added(log, text, *options):
    done = log("add", text, *options)
    assert done.code == 0, done.stderr
    return done.text.split()[0]


def test_looking_makes_no_database_and_says_so(run, tmp_path):
    for words, code in ((["list"], 0), (["export"], 0), (["decay"], 0), (["consolidate"], 0), (["search", "x"], 1)):
        done = run("memory", *words, "--database", "folder/log.sqlite3")
        said = (
            "nothing has been remembered yet: the database folder/log.sqlite3 does not exist; "
            "name another one with --database\n"
        )
        assert (done.code, done.text, done.stderr) == (code, "", said), words
    for command in ("show", "pin", "unpin", "forget"):
        done = run("memory", command, "abcd", "--database", "folder/log.sqlite3")
        assert done.code == 2
        assert "nothing has been remembered yet" in done.stderr
    assert not (tmp_path / "folder").exists()


def test_a_memory_from_beginning_to_end(log):
    name = added(log, "The user prefers tabs.", "--category", "preference", "--tag", "style", "--importance", "80")
    assert re.fullmatch(r"mem_[0-9a-f]{12}", name)
    assert "The user prefers tabs." in log("list").text
    assert "The user prefers tabs." in log("search", "TAB").text
    assert log("show", name[:9], "--json").json[0]["category"] == "preference"
    assert "tags: style" in log("show", name).text
    assert log("pin", name).code == 0
    assert log("list", "--pinned", "--json").json[0]["pinned"] is True
    assert log("unpin", name).code == 0
    assert log("list", "--pinned", "--json").json == []
    assert log("search", "spaces").code == 1
    assert log("forget", name).stderr == f"forgotten: {name} The user prefers tabs.\n"
    assert log("list", "--json").json == []


def test_looking_counts_as_use_only_when_asked(log):
    name = added(log, "The user prefers tabs.")
    log("search", "tabs")
    assert log("show", name, "--json").json[0]["uses"] == 0
    log("search", "tabs", "--use")
    assert log("show", name, "--json").json[0]["uses"] == 1


def test_the_daily_view_has_the_days_of_this_place(log, tmp_path):
    day = datetime(2026, 3, 29)
    lines = []
    for hours, name in ((-1, "eve"), (0, "first"), (12, "noon"), (22.9, "last"), (23, "after")):
        at = datetime.fromisoformat("2026-03-28T23:00:00+00:00") + timedelta(hours=hours)
        lines.append({"memory": 1, "text": name, "created": at.timestamp()})
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert log("import", "in.jsonl").code == 0
    # the day on which summer time begins in Berlin has 23 hours
    shown = log("list", "--day", f"{day:%Y-%m-%d}", TZ="Europe/Berlin")
    assert [said for said in ("eve", "first", "noon", "last", "after") if said in shown.text] == [
        "first",
        "noon",
        "last",
    ]
    assert "00:00" in shown.text
    assert "13:00" in shown.text
    added(log, "said now")
    assert "said now" in log("list", "--day", "today").text
    assert log("list", "--day", "yesterday").text == ""
    for wrong in ("tomorrow", "2026-13-01", "9999-12-31", "20260101", "2026-W01-1", "2026-1-1", " ", "٢٠٢٦-٠١-٠١"):
        assert log("list", "--day", wrong).code == 2, wrong


def test_lines_of_standard_input_are_a_memory_each(log):
    done = log("add", "-", "--json", input=b"one\n\ntwo\r\n  \none.\n  l1 \r\n\tl2")
    assert [m["text"] for m in done.json["new"]] == ["one", "two", "l1", "l2"]
    assert log("add", "-", input=b"fine\n\xff\n").code == 3
    assert log("add", "-", input=b"").code == 0
    assert len(log("list", "--json").json) == 4


@pytest.mark.drawn(7)
@pytest.mark.parametrize(
    "args",
    [
        ["add", "x" * 2001],
        ["add", " "],
        ["add", "x", "--category", "rumour"],
        ["list", "--category", "rumour"],
        ["list", "--order", "size"],
        ["add", "..."],
        ["decay", "--half-life", "nan"],
        ["decay", "--half-life", "inf"],
        ["decay", "--now", "tomorrow"],
        ["list", "--limit", "99999999999999999999"],
        ["search", "x", "--limit", "99999999999999999999"],
        ["list", "--least", "nan"],
        ["list", "--tag", " "],
        ["consolidate", "--threshold", "0.9"],
        ["show", "zz"],
        ["forget", "mem_000000000000"],
        ["add", "x", "--importance", "101"],
    ],
)
def test_wrong_usage_is_code_2_with_words(log, args):
    log("add", "something")
    done = log(*args)
    assert done.code == 2
    assert "Traceback" not in done.stderr
    assert len(log("list", "--json").json) == 1


@pytest.mark.parametrize("data", [b"{", b"\xff\n", b'{"memory": 1, "text": "x", "created": 1}\n{"memory": 9}\n', b"[]"])
def test_a_broken_import_stores_nothing(log, tmp_path, data):
    added(log, "something")
    (tmp_path / "in.jsonl").write_bytes(data)
    done = log("import", "in.jsonl")
    assert done.code == 3
    assert re.match(r"error: in\.jsonl:\d+: ", done.stderr)
    assert len(log("list", "--json").json) == 1
    assert log("import", "missing.jsonl").code == 3


def test_an_export_of_nothing_empties_no_file(run, log, tmp_path):
    kept = tmp_path / "kept.jsonl"
    kept.write_text("an earlier export\n")
    none = run("memory", "export", "-o", "kept.jsonl", "--database", "none.db")
    added(log, "something")
    chosen = log("export", "--category", "preference", "-o", "kept.jsonl")
    for done in (none, chosen):
        assert (done.code, done.stdout) == (1, b"")
        assert "kept.jsonl: there is nothing to export, so the file is left unchanged" in done.stderr
    assert kept.read_text() == "an earlier export\n"
    assert run("memory", "export", "-o", "new.jsonl", "--database", "none.db").code == 0
    assert (tmp_path / "new.jsonl").read_bytes() == b""
    assert run("memory", "export", "-o", "new.jsonl", "--database", "none.db").code == 0
    assert log("export", "-o", "kept.jsonl").code == 0
    assert "something" in kept.read_text()


def test_export_and_import_through_pipes(run, log, tmp_path):
    log("add", "-", input="\n".join(f"memory {n} Ä" for n in range(50)).encode())
    data = log("export").stdout
    assert data.count(b"\n") == 50
    assert (
        log(
            "import",
            "-",
            input=data,
        ).stderr
        == "imported 0 new memories; 50 already known\n"
    )
    assert log("export", "-o", "out.jsonl", "--json").json == {"exported": 50, "path": "out.jsonl"}
    assert (tmp_path / "out.jsonl").read_bytes() == data
    assert run("memory", "import", "out.jsonl", "--database", "other.sqlite3", "--json").json == {"new": 50, "known": 0}
    assert run("memory", "export", "--database", "other.sqlite3").stdout == data


def test_dry_runs_show_and_change_nothing(log, tmp_path):
    log("add", "-", input=b"The user prefers tabs in files\nthe user prefers tabs in files!\n")
    (tmp_path / "old.jsonl").write_text('{"memory": 1, "text": "said long ago", "created": 5}\n')
    assert log("import", "old.jsonl").code == 0
    before = log("export").stdout
    assert "goes into it" in log("consolidate", "--dry-run").text
    assert len(log("consolidate", "--dry-run", "--json").json) == 1
    assert "would fade" in log("decay", "--dry-run").text
    assert log("export").stdout == before
    assert log("consolidate").stderr == "1 memory went into 1 other\n"
    assert len(log("list", "--json").json) == 2


def test_a_tag_and_a_file_are_found_however_they_are_written(log, tmp_path):
    added(log, "one", "--tag", " two  words ")
    assert len(log("list", "--tag", "two   words", "--json").json) == 1
    source = {"transcript": str(tmp_path / "a.jsonl"), "session": "", "messages": [1]}
    line = {"memory": 1, "text": "from a file", "created": 5, "sources": [source]}
    (tmp_path / "in.jsonl").write_text(json.dumps(line))
    assert log("import", "in.jsonl").code == 0
    for path in ("a.jsonl", "./a.jsonl", tmp_path / "a.jsonl"):
        assert [m["text"] for m in log("list", "--transcript", path, "--json").json] == ["from a file"]
    assert log("list", "--transcript", "b.jsonl", "--json").json == []


def test_escapes_never_reach_the_terminal(log):
    added(log, f"{HOSTILE} shown", "--tag", HOSTILE)
    added(log, f"{HOSTILE} shown!? {HOSTILE}")
    for args in (
        ["list"],
        ["search", "shown"],
        ["show", id],
        ["pin", id],
        ["consolidate", "--dry-run"],
        ["forget", id],
    ):
        done = log(*args)
        for bad in ("\x1b", "\x07", "\x9b", "\u202e", "\u2028"):
            assert bad not in done.text + done.stderr, args


def test_tables_fit_a_narrow_terminal(log):
    added(log, "The user prefers tabs 価格は高い " * 20, "--category", "observation", "--pin")
    for args in (["list"], ["list", "--day", "today"], ["search", "tabs"], ["decay", "--dry-run"]):
        assert [line for line in log(*args, COLUMNS="80").text.splitlines() if cell_len(line) > 80] == []


def test_two_processes_that_add_at_once_lose_nothing(log, url, tmp_path):
    each = 300 // loop_step(3)

    def start(number):
        lines = "\n".join([*(f"shared {n}" for n in range(each)), *(f"own {number} {n}" for n in range(each))])
        process = subprocess.Popen(
            [sys.executable, "-m", "compactor_cli", "memory", "add", "-", "--tag", f"p{number}", "--database", url],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=ROOT,
        )  # fmt: skip
        assert process.stdin is not None
        process.stdin.write(lines.encode())
        process.stdin.close()
        return process

    for process in [start(number) for number in range(3)]:
        words = process.stderr.read().decode()
        process.stderr.close()
        assert process.wait() == 0, words
    memories = log("list", "--limit", "0", "--json").json
    assert len(memories) == each + 3 * each
    for memory in memories:
        if memory["text"].startswith("shared"):
            assert memory["tags"] == ["p0", "p1", "p2"]


def test_what_is_forgotten_is_in_no_file(log, url, tmp_path, request):
    secret = "Zebrafink Quastenflosser schnabeltier_passwort tuesday"
    lines = "\n".join(f"memory {n} of tuesday" for n in range(300))
    log("add", "-", input=f"{lines}\n{secret}\n".encode())
    name = log("search", "quastenflosser", "--json").json[0]["id"]
    if "://" in url:
        running: Server = request.getfixturevalue("postgresql")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("ANALYZE")  # as the server does by itself once a minute

        def files():
            with running.admin() as connection:
                connection.execute("CHECKPOINT")
            name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
            with running.admin() as connection:
                ((oid,),) = connection.execute("SELECT oid FROM pg_database WHERE datname = %s", (name,)).fetchall()
            return [p for p in (Path(running.folder) / "base" / str(oid)).rglob("*") if p.is_file()]
    else:

        def files():
            return [p for p in Path(url).parent.rglob("*") if p.is_file()]

    def there():
        data = b"\n".join(file.read_bytes() for file in files()).lower()
        return [
            w for w in ("zebrafink", "quastenflosser", "schnabeltier", "passwort", "memory 7 of") if w.encode() in data
        ]

    assert there() == ["zebrafink", "quastenflosser", "schnabeltier", "passwort", "memory 7 of"]
    assert log("forget", name).code == 0
    assert there() == ["memory 7 of"]
    assert log("search", "quastenflosser").code == 1
    assert len(log("list", "--limit", "0", "--json").json) == 300


def test_the_help_of_each_command_is_complete(run):
    names = re.findall(r"^  (\w+)  +\S", run("memory", "--help").text.split("Commands:")[1], re.MULTILINE)
    assert len(names) == 11
    for name in names:
        text = run("memory", name, "--help", COLUMNS="100").text
        assert re.search(rf"compactor memory {name}\b", text.split("Examples:")[1].split("Options:")[0]), name
        for option in ("--database", "--config", "--json", "--quiet", "--debug"):
            assert option in text, name
        assert run("memory", name, "-h", COLUMNS="100").text == text


def test_only_what_is_needed_is_loaded(run, tmp_path):
    """Looking where the database needs none, and SQLite nothing that is for PostgreSQL."""
    code = (
        "import sys\nfrom compactor_cli.cli.app import app\n"
        "app(['memory', *sys.argv[1:], '--database', 'log.sqlite3'], standalone_mode=False)\n"
        "print(*(name for name in ('sqlalchemy', 'sqlalchemy.dialects.postgresql') if name in sys.modules))"
    )

    def loaded(*arguments):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            cwd=tmp_path,
            capture_output=True,
            check=True,
            env=clean_environment(),
        )
        return done.stdout.decode().splitlines()[-1]

    assert loaded("list") == ""
    assert run("memory", "add", "The user prefers tabs.", "--database", "log.sqlite3").code == 0
    assert loaded("search", "tabs") == "sqlalchemy"


def test_quiet_says_nothing(log):
    assert log("add", "x", "--quiet").stderr == ""
    assert log("search", "nothing", "--quiet").stderr == ""


def test_decay_goes_up_to_the_time_that_is_named(log):
    """Twice up to the same time fades once; an earlier time fades nothing."""
    name = added(log, "The user prefers tabs.", "--importance", "80")
    created = log("show", name, "--json").json[0]["created"]
    later = f"{created + 90 * 86_400}"
    assert log("decay", "--now", f"{created - 86_400}").stderr == "0 memories faded\n"
    assert "1 memory would fade" in log("decay", "--now", later, "--dry-run").stderr
    for _ in range(2):
        assert log("decay", "--now", later).code == 0
        assert log("show", name, "--json").json[0]["importance"] == pytest.approx(40)
    assert log("decay", "--now", "2200-01-01T00:00:00Z").stderr == "1 memory faded\n"
    assert log("show", name, "--json").json[0]["importance"] < 1
