"""Input that cannot be read: exit code 3, a message with file and line, nothing written, nothing lost."""

from __future__ import annotations

import json
import sys

import pytest

from tests.builders import ClaudeSession, assistant, jsonl, listing_output, plain_exchanges, user
from tests.drawing import is_drawing

pytestmark = pytest.mark.one_test_in(3)

DEEP = b"[" * 100_000 + b"]" * 100_000
CHAT = jsonl(*plain_exchanges(15))

# name: (bytes of the file, line that the message must name or None)
BAD = {
    "empty": (b"", None),
    "only blank lines": (b"\n  \n\r\n", None),
    "only a byte order mark": (b"\xef\xbb\xbf", None),
    "not JSON": (b"Dear diary,\nnothing happened.\n", 1),
    "a damaged line in the middle": (jsonl(user("a"), '{"role": "assistant", "cont', user("b")), 2),
    "two formats": (jsonl(user("a"), assistant("b"), {"type": "session_meta", "payload": {}}), 3),
    "invalid UTF-8": (jsonl(user("a"), b'{"role": "user", "content": "\xff\xfe"}', user("b")), 2),
    "UTF-16": (json.dumps(user("a")).encode("utf-16"), 1),
    "nested 100,000 deep": (DEEP + b"\n", 1),
    "nested 100,000 deep in the middle": (jsonl(user("a"), b'{"role":"user","content":' + DEEP + b"}", user("b")), 2),
    "nested 100,000 deep at the end": (jsonl(user("a"), b'{"role":"user","content":' + DEEP + b"}"), 2),
    "a number of 5,000 digits": (jsonl(user("a"), b'{"role":"user","content":"x","n":' + b"9" * 5000 + b"}", "{}"), 2),
    "no transcript": (b'{"name": "package", "version": "1.0"}\n', 1),
    "binary": (bytes(range(256)) * 10, 1),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_with_its_place_and_nothing_is_written(run, tmp_path, name):
    data, line = BAD[name]
    (tmp_path / "bad.jsonl").write_bytes(data)
    (tmp_path / "out.jsonl").write_text("old")
    done = run("compact", "bad.jsonl", "--target-tokens", 1000, "-o", "out.jsonl", "--tokenizer", "chars")
    if name.startswith("a number") and done.code == 0:
        return  # reading it is as good as refusing it
    assert (done.code, done.stdout) == (3, b"")
    assert f"bad.jsonl:{line}: " in done.stderr if line else "bad.jsonl: " in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "out.jsonl").read_text() == "old"
    assert (tmp_path / "bad.jsonl").read_bytes() == data
    assert sorted(file.name for file in tmp_path.iterdir()) == ["bad.jsonl", "out.jsonl"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_text_in_another_encoding_is_told_what_to_do(run, tmp_path, encoding):
    (tmp_path / "windows.jsonl").write_bytes(jsonl(user("a")).decode().encode(encoding))
    done = run("inspect", "windows.jsonl")
    assert done.code == 3
    assert done.stderr.startswith("error: windows.jsonl:1: ")
    assert "convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)" in done.stderr
    (tmp_path / "windows.jsonl").write_bytes("Größe".encode("latin-1"))
    assert "is this a JSONL transcript?" in run("inspect", "windows.jsonl").stderr


@pytest.mark.parametrize("command", ["score", "inspect", "compact", "budget", "diff"])
def test_every_command_refuses_what_is_not_there_or_is_a_directory(run, tmp_path, command):
    (tmp_path / "folder").mkdir()
    extra = {"budget": ["--total", "100"], "diff": ["folder"], "compact": ["-o", "out"]}.get(command, [])
    extra += ["--tokenizer", "chars"]
    missing = run(command, "missing.jsonl", *extra)
    assert (missing.code, missing.stdout) == (3, b"")
    assert "missing.jsonl: file not found" in missing.stderr
    folder = run(command, "folder", *extra)
    assert (folder.code, folder.stdout) == (3, b"")
    assert "folder: is a directory" in folder.stderr
    assert not (tmp_path / "out").exists()


def test_bad_input_on_standard_input_is_named_by_a_dash(run):
    done = run("compact", "-", "--target-tokens", 10, input=b"nonsense\n")
    assert (done.code, done.stdout) == (3, b"")
    assert "-:1: " in done.stderr


def test_in_place_a_bad_file_is_left_as_it_is_and_the_others_are_done(run, tmp_path):
    (tmp_path / "bad.jsonl").write_bytes(b"nonsense\n")
    (tmp_path / "good.jsonl").write_bytes(CHAT)
    done = run("compact", "bad.jsonl", "good.jsonl", "--in-place", "--target-ratio", 0.5, "--tokenizer", "chars")
    assert done.code == 3
    assert "bad.jsonl:1: " in done.stderr
    assert (tmp_path / "bad.jsonl").read_bytes() == b"nonsense\n"
    assert len((tmp_path / "good.jsonl").read_bytes()) < len(CHAT)


def test_damaged_lines_are_left_out_and_reported_with_skip_damaged(run, tmp_path):
    lines = CHAT.splitlines()
    (tmp_path / "in.jsonl").write_bytes(jsonl(*lines[:6], b"{damaged", *lines[6:20], b"\xff", *lines[20:]))
    done = run(
        "compact", "in.jsonl", "--skip-damaged", "--target-ratio", 0.5, "-o", "out.jsonl", "--report", "report.json"
    )
    assert done.code == 0
    out = (tmp_path / "out.jsonl").read_bytes()
    assert b"damaged" not in out
    assert all(json.loads(line) for line in out.splitlines())
    report = json.loads((tmp_path / "report.json").read_text())
    assert [(note["kind"], note["index"]) for note in report["notes"]] == [("damaged_line", 7), ("damaged_line", 22)]
    assert "in.jsonl:7: " in done.stderr
    assert "in.jsonl:22: " in done.stderr


def test_a_cut_off_last_line_and_glued_records_are_in_the_report_and_in_inspect(run, tmp_path):
    lines = CHAT.splitlines()
    glued = jsonl(*lines[:3], lines[3] + lines[4], *lines[5:]) + b'{"role": "assistant", "content": "I was go'
    (tmp_path / "in.jsonl").write_bytes(glued)
    expected = [("glued_records", 4), ("cut_off_line", 30)]
    options = ["in.jsonl", "--tokenizer", "chars"]
    done = run("compact", *options, "--target-ratio", 0.5, "-o", "out.jsonl", "--report", "report.json")
    report = json.loads((tmp_path / "report.json").read_text())
    assert done.code == 0
    assert [(note["kind"], note["index"]) for note in report["notes"]] == expected
    out = (tmp_path / "out.jsonl").read_bytes()
    assert b"I was go" not in out
    assert all(json.loads(line) for line in out.splitlines())
    faults = run("inspect", *options, "--faults")
    assert faults.code == 1
    for kind, line in expected:
        assert kind in faults.text
        assert f"line {line}" in faults.text
    as_json = run("inspect", *options, "--faults", "--json")
    assert as_json.code == 1
    assert [(note["kind"], note["index"]) for note in as_json.json["notes"]] == expected
    assert run("inspect", "out.jsonl", "--faults", "--tokenizer", "chars").code == 0


def test_a_cut_off_last_line_is_left_out_of_a_file_that_is_within_its_target_too(run, tmp_path):
    (tmp_path / "in.jsonl").write_bytes(CHAT + b'{"role": "assistant", "content": "I was go')
    done = run("compact", "in.jsonl", "--target-tokens", 100_000, "-o", "out.jsonl", "--tokenizer", "chars")
    assert done.code == 0
    assert (tmp_path / "out.jsonl").read_bytes() == CHAT


def test_faults_of_pairing_are_found_by_inspect_with_exit_code_1(run, tmp_path):
    session = ClaudeSession()
    session.exchanges(3)
    session.add_result("nobody", "?")
    session.exchanges(3)
    (tmp_path / "in.jsonl").write_bytes(session.data)
    done = run("inspect", "in.jsonl", "--faults", "--json", "--tokenizer", "chars")
    assert done.code == 1
    assert [fault["kind"] for fault in done.json["faults"]] == ["orphan_result"]
    assert [fault["index"] for fault in done.json["faults"]] == [6]


def test_a_line_of_many_megabytes_is_read(run, tmp_path):
    huge = json.dumps({"role": "tool", "tool_call_id": "a", "content": listing_output("x", 1000)})
    line, size = listing_output("long", 4000), 5_000_000 if is_drawing() else 100_000_000
    content = json.dumps(line * (size // len(line)))
    with (tmp_path / "in.jsonl").open("w") as stream:
        for record in (user("Read it."), assistant(None, tool_calls=[{"id": "a", "function": {"name": "cat"}}])):
            stream.write(json.dumps(record) + "\n")
        stream.write(huge.replace(json.dumps(listing_output("x", 1000)), content) + "\n")
        stream.write(json.dumps(assistant("Done.")) + "\n")
    assert (tmp_path / "in.jsonl").stat().st_size > 0.99 * size
    done = run("compact", "in.jsonl", "--target-tokens", 1000, "--tokenizer", "chars", "-o", "out.jsonl", "--json")
    (tmp_path / "in.jsonl").unlink()
    assert done.code == 0, done.stderr
    assert done.json["fits"]
    assert (tmp_path / "out.jsonl").stat().st_size < 10_000


def test_a_file_with_a_name_that_is_no_text_is_read(run, tmp_path):
    if sys.platform in ("win32", "darwin"):
        pytest.skip("file names are text there")
    import os

    name = b"tran\xff\xe9script.jsonl"
    with open(os.path.join(os.fsencode(tmp_path), name), "wb") as stream:  # noqa: PTH118, PTH123  # paths of bytes
        stream.write(CHAT)
    for command in (["score"], ["score", "--json"], ["compact", "--target-ratio", "0.5"]):
        options = [*command[1:], "--tokenizer", "chars"]
        # strict about what is written, as an ordinary locale is and Python's UTF-8 mode is not
        done = run(command[0], os.fsdecode(name), *options, PYTHONUTF8="0", LC_ALL="C.UTF-8", LANG="C.UTF-8")
        assert done.code == 0, done.stderr
