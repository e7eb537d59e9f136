"""Files that are too large for memory are read piece by piece, and what comes out is the same to the byte."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from compactor_cli import api
from compactor_cli.cli import spill
from compactor_cli.cli.files import read_content, write_bytes
from compactor_cli.cli.spill import LARGE, Spill, spill_stream
from compactor_cli.errors import BudgetError, CompactorError, InputError
from compactor_cli.formats import jsonl
from compactor_cli.model.content import is_same_content, read_all, sha256
from compactor_cli.model.message import FilePart
from compactor_cli.settings import Settings
from tests.builders import assistant, call, calling_message, clean_environment, listing_output, result, user
from tests.builders import jsonl as lines
from tests.drawing import is_drawing
from tests.test_real_transcripts import FILES

ROOT = Path(__file__).resolve().parents[2]
OWN = sorted(
    path for folder in ("sample_transcripts", "tests/formats/cases") for path in (ROOT / folder).rglob("*.jsonl")
)
REAL = [path for path in FILES if path.suffix == ".jsonl" and path.stat().st_size < 400_000][::12]


@pytest.fixture
def held(monkeypatch):
    """Content as that of a large file: no value of a record stays in memory."""
    monkeypatch.setattr(jsonl, "_KEPT", 0)
    return lambda data: Spill().put([data[:1000], data[1000:]])


def told(load, settings):
    """What is read and what becomes of it, or why not."""
    try:
        source = load()
        done = api.compact(source, settings, tokenizer="chars")
    except (BudgetError, CompactorError) as error:
        return str(error)
    read = [
        (m.role, m.tokens, m.origin, m.records, [(p.kind, p.text, p.tokens, p.place, p.failed) for p in m.parts])
        for transcript in source.transcripts
        for m in transcript.messages
    ]
    links = [(t.links, t.owners, t.outside, t.copies, t.records) for t in source.transcripts]
    return read, links, source.format, source.notes, read_all(done.data), [part.plan for part in done.parts]


@pytest.mark.drawn(23)
@pytest.mark.parametrize("path", [*OWN, *REAL], ids=lambda path: str(path.relative_to(path.parents[2])))
def test_content_in_a_file_gives_what_content_in_memory_gives(path, held):
    data = path.read_bytes()
    for settings in (Settings(target_ratio=0.3), Settings(strategy="tiered", target_ratio=0.3)):
        in_file = told(lambda: api.load(held(data), str(path), tokenizer="chars"), settings)
        assert in_file == told(lambda: api.load(data, str(path), tokenizer="chars"), settings)


def test_long_texts_are_in_the_file_and_not_in_memory(held):
    text = listing_output("core", 400)
    (message,) = api.load(held(lines(user("Look."), result("c1", text))), tokenizer="chars").transcripts[0].messages[1:]
    (part,) = message.parts
    assert isinstance(part, FilePart)
    assert part.text == text
    kept = [getattr(part, name, None) for name in ("_held", "name", "call_id")]
    assert sum(sys.getsizeof(value) for value in kept) < 1000 < len(text)


def test_bytes_in_a_file_are_used_like_bytes(held):
    data = b"one\ntwo\n" * 300_000
    content = held(data)
    assert (len(content), content[4:7], content[-3:], content[7:3]) == (len(data), b"two", b"wo\n", b"")
    assert [content.find(b"two", at) for at in (0, 5, len(data) - 3)] == [4, 12, -1]
    assert held(b"x" * (1 << 20) + b"ab" + b"x" * 9).find(b"ab") == 1 << 20
    assert held(b"x" * ((1 << 20) - 1) + b"ab").find(b"ab") == (1 << 20) - 1
    assert (content.startswith(b"one"), content.startswith(b"two"), content.endswith(b"two\n")) == (True, False, True)
    assert (content == data, content == held(data), content == data + b"x", data == content) == (
        True,
        True,
        False,
        True,
    )
    assert is_same_content(content, data)
    assert not is_same_content(content, data[:-1] + b"x")
    assert sha256(content) == sha256(data)


@pytest.mark.parametrize("backwards", [False, True])
def test_lines_of_content_in_a_file_are_read_once_in_either_direction(held, monkeypatch, backwards):
    data = b"".join(b"%d %s\n" % (number, b"x" * (number % 700)) for number in range(12_000))
    content, lines = held(data), data.splitlines(keepends=True)
    read: list[int] = []
    actual = Spill.read

    def noted(*given):
        read.append(given[-1])
        return actual(*given)

    monkeypatch.setattr(Spill, "read", noted)
    spans, start = [], 0
    for line in lines:
        assert content.find(b"\n", start) == start + len(line) - 1
        spans.append((start, start + len(line)))
        start += len(line)
    for (first, end), line in list(zip(spans, lines, strict=True))[:: -1 if backwards else 1]:
        assert content[first:end] == line
    assert sum(read) < 2 * len(data) + 2 * (1 << 20)


@pytest.mark.drawn(2)
@pytest.mark.parametrize("size", [0, 10, LARGE - 1, LARGE, LARGE + 10])
def test_streams_are_read_whole_whatever_their_size(size, tmp_path):
    path = tmp_path / "some"
    data = (b"0123456789abcdef" * (size // 16 + 1))[:size]
    path.write_bytes(data)
    for known in (None, size):
        with path.open("rb") as stream:
            found = spill_stream(stream, known)
        assert isinstance(found, bytes) == (size < LARGE)
        assert is_same_content(found, data)


def test_a_large_file_is_compacted_within_little_memory_and_can_be_had_back(tmp_path, run):
    lines_each, large, most = (8_000, 3_000_000, 127_000_000) if is_drawing() else (45_000, LARGE, 250_000_000)
    path = tmp_path / "large.jsonl"
    with path.open("w") as file:
        file.write(json.dumps(user("Find out why the report is slow, and never touch the schema.")) + "\n")
        for at in range(80):
            asked = calling_message(call(f"c{at}", "cat", f'{{"path": "var/{at}.log"}}'))
            text = "\n".join(f"{at}.{line} order_total_{line % 977} took {line % 61} ms" for line in range(lines_each))
            file.write(json.dumps(asked) + "\n" + json.dumps(result(f"c{at}", text)) + "\n")
    assert path.stat().st_size > 1.5 * large
    kept = ("--database", "kept.db", "--tokenizer", "chars")
    begin = f"from compactor_cli.cli import app, spill; spill.LARGE = {large}; app.main()"
    options = ("--target-tokens", "20000", "-o", "out.jsonl", "--archive", *kept)
    asked = [sys.executable, "-c", begin, "compact", "large.jsonl", *options]
    # a process is charged with the memory of the one that starts it: a small one does
    measured = (
        "import os, subprocess, sys\n"
        "process = subprocess.Popen(sys.argv[1:], stderr=subprocess.DEVNULL)\n"
        "_, status, usage = os.wait4(process.pid, 0)\n"
        "print(status, usage.ru_maxrss * (1 if sys.platform == 'darwin' else 1024))"
    )
    starter = [sys.executable, "-c", measured, *asked]
    said = subprocess.run(starter, cwd=tmp_path, env=clean_environment(), capture_output=True, check=True).stdout
    status, memory = map(int, said.split())
    assert status == 0
    assert memory < most
    assert (tmp_path / "out.jsonl").stat().st_size < 200_000
    assert run("restore", "out.jsonl", "-o", "back.jsonl", "--database", "kept.db").code == 0
    assert is_same_content((tmp_path / "back.jsonl").read_bytes(), path.read_bytes())


def test_a_large_file_that_was_changed_in_the_meantime_is_not_replaced(tmp_path, monkeypatch):
    monkeypatch.setattr(spill, "LARGE", 10)
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines(user("Look."), assistant("Yes.")))
    read = read_content(str(path))
    write_bytes(str(path), b"other\n", read)
    assert path.read_bytes() == b"other\n"
    with pytest.raises(InputError, match="was changed by another program"):
        write_bytes(str(path), b"third\n", read)
    assert path.read_bytes() == b"other\n"
