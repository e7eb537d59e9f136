"""A folder as input is read as the sessions in it."""

from __future__ import annotations

import json
import shutil

import pytest

from compactor_cli.formats import FORMATS
from tests.builders import jsonl, plain_exchanges, user

pytestmark = pytest.mark.one_test_in(2)

CHARS = ("--tokenizer", "chars")
CHAT = jsonl(*plain_exchanges(15))
SESSIONS = ["a.jsonl", "sub/b.json", "sub/deep/c.jsonl"]
OTHERS = ["notes.txt", "package.json", "sub/picture.png"]


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "sessions"
    for name in SESSIONS:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(CHAT)
    (place / "sub/b.json").write_text(json.dumps({"messages": list(plain_exchanges(12))}, indent=1))
    (place / "notes.txt").write_text("Dear diary")
    (place / "package.json").write_text('{"name": "x"}')
    (place / "sub/picture.png").write_bytes(bytes(range(256)))
    return place


def skipped(done):
    lines = [line for line in done.stderr.splitlines() if line.startswith("skipped: ")]
    return [line.split(": ")[1] for line in lines]


@pytest.mark.parametrize("command", [["score"], ["inspect"], ["budget", "--total", "8k"]], ids=" ".join)
def test_a_command_for_one_file_takes_each_session_in_order_and_lists_what_it_skips(run, folder, command):
    done = run(command[0], "sessions", *command[1:], *CHARS, "--json")
    alone = [run(command[0], f"sessions/{name}", *command[1:], *CHARS, "--json").text for name in SESSIONS]
    assert (done.code, done.text) == (0, "".join(alone))
    assert skipped(done) == [f"sessions/{name}" for name in OTHERS]
    lines = [line for line in done.stderr.splitlines() if line.startswith("skipped: ")]
    assert (
        f"skipped: sessions/package.json: unknown format: none of the {len(FORMATS)} known formats matches its records"
        in lines
    )
    assert all(len(line) < 120 for line in lines)
    assert "openai-chat" not in "".join(lines)


def test_compact_writes_the_sessions_under_their_places_in_the_folder(run, tmp_path, folder):
    options = ["--target-ratio", "0.5", *CHARS]
    done = run("compact", "sessions", *options, "--out-dir", "sessions/out")
    assert (done.code, skipped(done)) == (0, [f"sessions/{name}" for name in OTHERS])
    out = folder / "out"
    written = sorted(p.relative_to(out).as_posix() for p in out.rglob("*") if p.is_file())
    assert written == [".compactor-done.jsonl", *SESSIONS]
    assert (out / "sub/b.json").read_bytes() == run("compact", "sessions/sub/b.json", *options).stdout
    again = run("compact", "sessions", *options, "--out-dir", "sessions/out")
    assert again.code == 0
    assert not (out / "out").exists(), "what was written there is no input"
    assert run("compact", "sessions", *options).code == 2, "several files need a place each"
    assert run("compact", "sessions", *options, "--check").code == 1


@pytest.mark.parametrize(
    "command", [["compact", "--target-ratio", "0.5", "--check"], ["evaluate"], ["learn", "-o", "p.toml"]], ids=" ".join
)
def test_files_of_no_format_have_a_short_line_each(run, folder, command):
    names = [f"sessions/other{n}.jsonl" for n in range(3)]
    for name in names:
        (folder.parent / name).write_text('{"a": 1}\n{"b": 2}\n')
    done = run(command[0], *names, "sessions/a.jsonl", *command[1:], *CHARS)
    lines = [line for line in (done.text + done.stderr).splitlines() if "unknown format" in line]
    assert len(lines) >= 3
    assert all(line.count(".jsonl") == 1 and len(line) < 200 for line in lines), lines


def test_in_place_a_damaged_session_is_reported_and_the_others_are_done(run, folder):
    lines = CHAT.splitlines()
    (folder / "damaged.jsonl").write_bytes(jsonl(*lines[:4], b"{damaged", *lines[4:]))
    done = run("compact", "sessions", "--target-ratio", "0.5", *CHARS, "--in-place")
    assert done.code == 3
    assert "sessions/damaged.jsonl:5: " in done.stderr
    assert all((folder / name).stat().st_size < len(CHAT) for name in SESSIONS)


def test_diff_compares_two_folders_by_the_names_in_them(run, tmp_path, folder):
    assert run("compact", "sessions", "--target-ratio", "0.5", *CHARS, "--out-dir", "small").code == 0
    (tmp_path / "small/a.jsonl").unlink()
    done = run("diff", "sessions", "small", *CHARS, "--json", "--fail-under", "saved=10")
    assert done.code == 0, done.stderr
    assert [json.loads(line)["after"]["path"] for line in done.text.splitlines()] == [
        f"small/{n}" for n in SESSIONS[1:]
    ]
    assert "sessions/a.jsonl" in skipped(done)
    assert run("diff", "sessions", "small", *CHARS, "--fail-under", "saved=99").code == 1
    mixed = run("diff", "sessions", "small/sub/b.json", *CHARS)
    assert mixed.code == 3
    assert "sessions: is a directory, but small/sub/b.json is a file" in mixed.stderr


def test_evaluate_takes_folders(run, folder):
    done = run("evaluate", "sessions", *CHARS, "--strategy", "truncate", "--json")
    assert done.code in (0, 1), done.stderr
    assert skipped(done) == [f"sessions/{name}" for name in OTHERS]


def test_faults_of_one_session_in_a_folder_are_exit_code_1(run, folder):
    cut_off = CHAT + b'{"role": "assistant", "content": "I was go'
    (folder / "sub/b.json").write_bytes(cut_off)
    assert run("inspect", "sessions", "--faults", *CHARS).code == 1
    (folder / "sub/b.json").write_bytes(CHAT)
    assert run("inspect", "sessions", "--faults", *CHARS).code == 0


@pytest.mark.parametrize("command", ["score", "inspect", "compact", "evaluate"])
def test_a_folder_without_sessions_is_exit_code_3(run, tmp_path, command):
    (tmp_path / "empty" / "sub").mkdir(parents=True)
    (tmp_path / "empty" / "sub" / "notes.txt").write_text("Dear diary")
    done = run(command, "empty", *CHARS)
    assert (done.code, done.stdout) == (3, b"")
    assert "empty: is a directory that holds no readable session" in done.stderr
    shutil.rmtree(tmp_path / "empty")
    assert run(command, "empty", *CHARS).code == 3


def test_a_folder_with_one_session_may_go_to_a_file(run, tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "a.jsonl").write_bytes(jsonl(user("hi")))
    assert run("compact", "one", *CHARS, "-o", "out.jsonl").code == 0
    assert (tmp_path / "out.jsonl").read_bytes() == jsonl(user("hi"))


def test_a_prompt_is_assembled_from_a_folder_with_one_session(run, tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "a.jsonl").write_bytes(CHAT)
    (tmp_path / "prompt.yaml").write_text("task_prompt: Go on.\n")
    options = ("--prompt", "prompt.yaml", "--total", "2000", *CHARS)
    done = run("assemble", "one", *options)
    assert (done.code, done.stdout) == (0, run("assemble", "one/a.jsonl", *options).stdout)
    assert run("assemble", "one", *options, "-o", "one/a.jsonl").code == 2, "the input"
    (tmp_path / "one" / "b.jsonl").write_bytes(CHAT)
    several = run("assemble", "one", *options)
    assert (several.code, several.stdout) == (2, b"")
    assert "one holds 2 sessions, but a prompt has one history; name one session" in several.stderr
    assert run("assemble", "one/*.jsonl", *options).code == 2


@pytest.mark.parametrize("command", ["textconv", "assemble", "browse"])
def test_help_does_not_promise_to_read_all_sessions_of_a_folder(run, command):
    assert "Transcript, or a folder of them" not in run(command, "--help").text


def test_git_names_one_file_and_no_folder(run, folder):
    done = run("textconv", "sessions")
    assert (done.code, done.stdout) == (3, b"")
    assert "sessions: is a directory; name a file" in done.stderr


def test_a_link_to_itself_is_left_out_with_a_word(run, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(jsonl(*plain_exchanges(6)))
    (folder / "loop").symlink_to("loop")
    done = run("compact", "in", "--target-ratio", "0.5", "--tokenizer", "chars", "--out-dir", "out")
    assert done.code == 0, done.stderr
    assert "skipped: in/loop: " in done.stderr
    assert [path.name for path in (tmp_path / "out").glob("*.jsonl")] == ["a.jsonl"]
    named = run("learn", "in/loop", "-o", "profile.toml")
    assert (named.code, "left out: in/loop: " in named.stderr) == (3, True)
