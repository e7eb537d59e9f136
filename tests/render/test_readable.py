"""Tables say what they are there for at every width, in a pipe and on a terminal, whatever the text."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from rich.cells import cell_len

from tests.builders import assistant, call, calling_message, clean_environment, jsonl, program_command, result, user

CHARS = ("--tokenizer", "chars")
WIDTHS = (80, 100, 140)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("width", WIDTHS)
def test_score_shows_number_role_tokens_score_and_factors_of_each_message(run, session, width):
    text = run("score", session.name, *CHARS, COLUMNS=str(width)).text
    values = run("score", session.name, *CHARS, "--json").json["messages"]
    header = next(line for line in text.splitlines() if "role" in line)
    for name in ("#", "role", "tokens", "score", "tier", "message"):
        assert name in header.split(), f"{name} is not readable in: {header}"
    for message in values:
        row = rf"^ *{message['index']} +{message['role']} +{message['tokens']:,} +{message['score']:g}\b"
        assert re.search(row, text, re.MULTILINE), f"message {message['index']}"
        for factor in message["factors"]:
            assert f"{factor['name']}+{factor['points']:g}" in "".join(text.split())
    assert text.count("★") == 1 + sum(message["residual"] for message in values)  # once in the title


@pytest.mark.drawn(3)
@pytest.mark.parametrize("width", WIDTHS)
def test_inspect_shows_roles_and_tokens_of_the_heaviest_messages(run, session, width):
    text = run("inspect", session.name, *CHARS, COLUMNS=str(width)).text
    heaviest = run("inspect", session.name, *CHARS, "--json").json["heaviest"]
    header = next(line for line in text.split("Heaviest messages")[1].splitlines() if "#" in line)
    assert header.split() == ["#", "role", "tokens", "share", "message"]
    for message in heaviest:
        assert re.search(rf"^ *{message['index']} +{message['role']} +{message['tokens']:,} ", text, re.MULTILINE)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_plan_shows_what_happens_to_every_message_and_why(run, session, width):
    options = [session.name, *CHARS, "--target-tokens", 1200, "--dry-run", "-q"]
    text = run("compact", *options, COLUMNS=str(width)).text
    header = next(line for line in text.splitlines() if "rendition" in line)
    names = "names for which lines are kept " if width == 140 else ""
    assert " ".join(header.split()) == f"messages rendition tokens why {names}message"
    for step in run("compact", *options, "--json").json["plan"]:
        first, last = step["messages"][0], step["messages"][-1]
        name = f"{first}" if first == last else f"{first}-{last}"
        assert re.search(rf"^ *{name} +{step['rendition']} +{step['tokens_before']:,}\b", text, re.MULTILINE), name


@pytest.mark.drawn(3)
@pytest.mark.parametrize("width", WIDTHS)
def test_diff_shows_categories_and_what_is_lost(run, tmp_path, session, width):
    lines = session.read_bytes().splitlines()
    (tmp_path / "cut.jsonl").write_bytes(b"\n".join([lines[0], *lines[-3:]]) + b"\n")
    text = run("diff", session.name, "cut.jsonl", *CHARS, COLUMNS=str(width)).text
    survival = run("diff", session.name, "cut.jsonl", *CHARS, "--json").json["survival"]
    for name, numbers in survival.items():
        counts = rf"{numbers['kept']} +{numbers['total']} +{numbers['percent']:.1f}%"
        row = rf"{name.replace('_', ' ')} +{counts if numbers['total'] else 'none'}"
        assert re.search(row, text)
    assert "Lost" in text
    assert "user requests" in text.split("Lost")[1]
    names = survival["identifiers"]["total"] - survival["identifiers"]["kept"]
    assert f", and {names} identifiers; all in --json" in text


def test_a_bar_is_full_only_when_nothing_is_lost(run, tmp_path):
    said = [f"Sentence number {n} of many says so." for n in range(400)]
    (tmp_path / "before.jsonl").write_bytes(jsonl(user("\n".join(said)), assistant("Fine.")))
    (tmp_path / "after.jsonl").write_bytes(jsonl(user("\n".join(said[1:])), assistant("Fine.")))
    text = run("diff", "before.jsonl", "after.jsonl", *CHARS).text
    assert re.search(r"user requests +399 +400 +99\.8% █{19}·$", text, re.MULTILINE)


HOSTILE = "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x00 \x9b2J \u202eright to left\u2028"


@pytest.mark.drawn(2)
@pytest.mark.parametrize("arguments", [["score"], ["inspect"], ["inspect", "--message", "1"], ["inspect", "--faults"]])
def test_escapes_in_a_transcript_never_reach_the_terminal(run, tmp_path, arguments):
    records = [
        user(f"{HOSTILE} look", id=f"id{HOSTILE}"),
        calling_message(call(f"call{HOSTILE}", f"tool{HOSTILE}"), content=f"{HOSTILE} ok", id=f"id{HOSTILE}"),
        user("what?"),
        result("nobody", HOSTILE),
        assistant(HOSTILE),
    ]
    (tmp_path / "in.jsonl").write_bytes(jsonl(*records))
    done = run(arguments[0], "in.jsonl", *arguments[1:], *CHARS)
    assert done.code in (0, 1), done.stderr
    for bad in ("\x1b", "\x00", "\x07", "\x9b", "\u202e", "\u2028"):
        assert bad not in done.text + done.stderr


@pytest.mark.drawn(5)
@pytest.mark.parametrize(
    "arguments", [["score"], ["score", "--json"], ["inspect"], ["inspect", "--message", "1"], ["inspect", "--faults"]]
)
def test_lone_surrogates_in_a_transcript_can_be_shown(run, tmp_path, arguments):
    half = "\\ud83d"
    lines = [
        f'{{"role":"user","content":"half {half}","id":"{half}"}}',
        f'{{"role":"assistant","content":"x","id":"{half}",'
        f'"tool_calls":[{{"id":"{half}","function":{{"name":"{half}tool","arguments":"{half}"}}}}]}}',
        '{"role":"user","content":"well?"}',
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    # strict about what is written, as an ordinary locale is and Python's UTF-8 mode is not
    done = run(arguments[0], "in.jsonl", *arguments[1:], *CHARS, PYTHONUTF8="0", LC_ALL="C.UTF-8", LANG="C.UTF-8")
    assert done.code == (1 if "--faults" in arguments else 0), done.stderr


def test_markup_of_the_table_library_in_a_transcript_is_text(run, tmp_path):
    (tmp_path / "in.jsonl").write_bytes(jsonl(user("[bold]not bold[/bold] [/] :smile: [red]"), assistant("[/red]")))
    text = run("score", "in.jsonl", *CHARS).text
    assert "[bold]not bold[/bold] [/] :smile: [red]" in text
    assert "[/red]" in text


@pytest.mark.drawn(6)
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX terminals")
@pytest.mark.parametrize("width", [80, 140])
@pytest.mark.parametrize("arguments", [["score"], ["inspect"], ["budget", "--total", "4000"]], ids=lambda a: a[0])
def test_on_a_terminal_there_are_colours_and_the_lines_fit(session, arguments, width):
    lines = on_a_terminal(width, arguments[0], session, *arguments[1:], *CHARS)
    assert any("\x1b[" in line for line in lines)
    wide = [line.strip() for line in map(without_escapes, lines) if cell_len(line.rstrip()) > width]
    assert [line for line in wide if line != str(session)] == []  # names of files can be copied: they are not broken


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX terminals")
def test_a_terminal_without_colours_gets_none(session):
    lines = on_a_terminal(80, "score", session, *CHARS, NO_COLOR="1", TERM="dumb")
    assert not any(re.search(r"\x1b\[3\d", line) for line in lines)


def on_a_terminal(width, *args, **variables):
    """Lines that a command writes to a terminal of a width."""
    main, other = os.openpty()
    variables = {"TERM": "xterm-256color", "COLUMNS": str(width), "LINES": "50", **variables}
    process = subprocess.Popen(
        program_command(*args), stdout=other, stderr=other, stdin=subprocess.DEVNULL, env=clean_environment(**variables)
    )
    os.close(other)
    read = b""
    while True:
        try:
            piece = os.read(main, 65536)
        except OSError:  # how Linux says that the other end is closed
            break
        if not piece:
            break
        read += piece
    os.close(main)
    assert process.wait(timeout=60) == 0
    return read.decode().splitlines()


def without_escapes(line):
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line)


def test_tables_stand_apart_from_what_is_around_them(run, session):
    text = run("inspect", session.name, *CHARS).text
    blocks = [block.splitlines()[0].strip() for block in text.split("\n\n")]
    for title in ("Roles", "Tiers of age", "Tools", "Heaviest messages"):
        assert title in blocks
    assert not text.startswith("\n")
    assert "\n\n\n" not in text


def test_roles_and_tiers_have_tables_of_their_own(run, session):
    text = run("inspect", session.name, *CHARS).text
    roles, tiers = (text.split(f"\n{title}")[1].split("\n\n")[0] for title in ("Roles", "Tiers of age"))
    assert "assistant" in roles
    assert "tier 0" not in roles
    assert "tier 0" in tiers
    assert "assistant" not in tiers


def test_the_threshold_is_one_sentence(run, session):
    text = run("inspect", session.name, *CHARS, COLUMNS="400").text
    (sentence,) = (line for line in text.splitlines() if "threshold is" in line)
    for part in ("93,600 tokens", "80% of what reserves of 11,000 leave of 128,000", "% of it is used", "from 74,880"):
        assert part in sentence
    assert sentence.rstrip().endswith(".")


@pytest.mark.parametrize(("width", "lines"), [(50, 2), (140, 1)])
def test_the_name_of_a_file_is_not_broken(run, tmp_path, session, width, lines):
    long = tmp_path / f"{'a-long-name-' * 4}.jsonl"
    long.write_bytes(session.read_bytes())
    shown = run("inspect", long.name, *CHARS, COLUMNS=str(width)).text.splitlines()
    assert long.name in shown[0]
    assert ("35 messages" in shown[0]) is (lines == 1)
    assert "35 messages" in shown[lines - 1]
