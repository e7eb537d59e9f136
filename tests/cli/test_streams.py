"""Where output goes when it cannot go there, input that is closed or never ends, and what a terminal never gets."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

from tests.builders import ROOT, assistant, clean_environment, jsonl, plain_exchanges, program_command, user

CHARS = ("--tokenizer", "chars")
HALF = ("--target-ratio", "0.5", *CHARS)
CHAT = jsonl(*plain_exchanges(15))
FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")  # noqa: PTH110
EVIL = "\x1b[31m\x9b1m\u202eabc\u2066\u200b\u200f\ufeff\x07"
UNSAFE = [character for character in EVIL if character not in "[31m1abc"]

pytestmark = [
    pytest.mark.one_test_in(2),
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX pipes, devices and terminals"),
]


@pytest.fixture
def chat(tmp_path):
    file = tmp_path / "chat.jsonl"
    file.write_bytes(CHAT)
    return file


def in_shell(line, folder):
    """A line of a shell in which `compactor` is the command; pipelines fail as their first part does."""
    script = f'compactor() {{ "{sys.executable}" -m compactor_cli "$@"; }}\nset -o pipefail\n{line}'
    bash = ["bash", "-c", script]
    return subprocess.run(bash, cwd=folder, env=clean_environment(), capture_output=True, check=False, timeout=120)


# a reader that goes away


@pytest.mark.drawn(4)
@pytest.mark.parametrize(
    "line",
    [
        "compactor compact *.jsonl --check --target-ratio 0.5 --tokenizer chars 2>&1 | head -1",
        "compactor compact *.jsonl --check --target-ratio 0.5 --tokenizer chars --json | head -c 1",
        "compactor compact *.jsonl --check --target-ratio 0.5 --tokenizer chars 2>&1 >/dev/null | true",
        "compactor diff a.jsonl b.jsonl --tokenizer chars --fail-under saved=90 2>&1 | true",
    ],
)
def test_a_closed_pipe_does_not_turn_a_no_into_a_yes(tmp_path, line):
    for name in "abcdef":
        (tmp_path / f"{name}.jsonl").write_bytes(CHAT)
    assert in_shell(line, tmp_path).returncode == 1


@pytest.mark.drawn(4)
@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["--check"], 1), (["--target-tokens", "5"], 4), (["--no-such-option"], 2), (["-o", "out.jsonl"], 0)],
)
def test_the_exit_code_is_the_same_when_nobody_reads_standard_error(chat, tmp_path, arguments, code):
    reader, writer = os.pipe()
    os.close(reader)
    half = () if "--target-tokens" in arguments else ("--target-ratio", "0.5")
    args = program_command("compact", chat, *half, *CHARS, *arguments)
    done = subprocess.run(
        args, stdout=subprocess.PIPE, stderr=writer, env=clean_environment(), cwd=tmp_path, check=False
    )
    os.close(writer)
    assert done.returncode == code


# what cannot be written


@FULL
@pytest.mark.parametrize("option", ["-o", "--report"])
def test_a_full_device_is_exit_code_2_with_words(run, chat, option):
    other = [] if option == "-o" else ["-o", "out.jsonl"]
    done = run("compact", "chat.jsonl", *HALF, *other, option, "/dev/full")
    assert (done.code, done.stdout) == (2, b"")
    assert "/dev/full: cannot be written: No space left on device" in done.stderr


@pytest.mark.drawn(3)
@FULL
@pytest.mark.parametrize("arguments", [["compact", *HALF], ["score", *CHARS], ["inspect", "--json", *CHARS]], ids=str)
def test_a_full_standard_output_is_exit_code_2_with_words(chat, tmp_path, arguments):
    with open("/dev/full", "wb") as full:  # noqa: PTH123  # a device
        args = program_command(arguments[0], chat, *arguments[1:])
        done = subprocess.run(args, stdout=full, stderr=subprocess.PIPE, env=clean_environment(), check=False)
    assert done.returncode == 2
    assert b"standard output cannot be written: No space left on device" in done.stderr
    assert b"Exception" not in done.stderr


@pytest.mark.drawn(4)
@FULL
@pytest.mark.parametrize("line", ["--help", "--version", "compact --help", "memory --help"])
def test_help_that_cannot_be_printed_is_exit_code_2_with_words(tmp_path, line):
    done = in_shell(f"compactor {line} > /dev/full", tmp_path)
    assert done.returncode == 2
    assert done.stderr == b"error: standard output cannot be written: No space left on device\n"


@FULL
@pytest.mark.parametrize(("line", "code"), [("compact chat.jsonl --check --target-ratio 0.5", 1), ("inspect no", 3)])
def test_a_full_standard_error_changes_no_exit_code(chat, tmp_path, line, code):
    assert in_shell(f"compactor {line} --tokenizer chars 2> /dev/full", tmp_path).returncode == code


def test_a_closed_standard_output_is_not_taken_for_a_file(chat, tmp_path):
    done = in_shell("compactor compact chat.jsonl --target-ratio 0.5 --tokenizer chars >&-", tmp_path)
    assert done.returncode == 2
    assert b"standard output cannot be written" in done.stderr
    assert chat.read_bytes() == CHAT


@pytest.mark.drawn(3)
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("compact - --target-ratio 0.5", 3),
        ("memory add -", 3),
        ("memory import -", 3),
        ("mcp", 3),
        ("compact --target-ratio 0.5", 2),
        ("hook run", 0),
        ("compact chat.jsonl --target-ratio 0.5 --tokenizer chars -o small.jsonl", 0),
    ],
)
def test_a_closed_standard_input_is_told_in_words(chat, tmp_path, line, code):
    done = in_shell(f"compactor {line} <&-", tmp_path)
    assert done.returncode == code
    assert b"this is a bug" not in done.stderr
    assert (b"standard input is closed" in done.stderr) == (code == 3 or line == "hook run")
    assert chat.read_bytes() == CHAT


@pytest.mark.drawn(2)
@pytest.mark.parametrize(
    "line",
    [
        "compactor compact /dev/zero --target-ratio 0.5",
        "compactor compact - --target-ratio 0.5 </dev/zero",
        "compactor inspect /dev/zero --json",
        "compactor inspect chat.jsonl --config /dev/zero",
        "compactor config get strategy --config /dev/zero",
        "compactor config set strategy hybrid --config /dev/zero",
        "compactor config unset strategy --config /dev/zero",
        "compactor assemble chat.jsonl --prompt /dev/zero --total 4k",
        "compactor budget chat.jsonl --prompt /dev/zero --total 4k",
        "compactor budget chat.jsonl --prompt <(echo 'task_prompt: {file: /dev/zero}') --total 4k",
    ],
)
def test_a_device_that_never_ends_is_refused(chat, tmp_path, line):
    done = in_shell(f"ulimit -v 4000000; {line}", tmp_path)
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"is a device, which may never end" in done.stderr


def test_settings_and_prompts_are_read_from_descriptors_and_the_device_without_anything(chat, tmp_path):
    prompt = "--prompt <(echo 'task_prompt: Go on.') --total 4k --tokenizer chars"
    for config in ("/dev/null", "<(echo 'tokenizer = \"chars\"')", "/dev/fd/7 7< <(echo)"):
        done = in_shell(f"compactor budget chat.jsonl {prompt} --config {config}", tmp_path)
        assert done.returncode == 0, done.stderr


def test_a_format_that_is_not_known_is_refused_before_anything_is_read(tmp_path):
    done = in_shell("compactor compact - --target-ratio 0.5 --format xx < <(yes)", tmp_path)
    assert done.returncode == 2
    assert b"unknown format 'xx'" in done.stderr


def test_a_hook_whose_session_is_such_a_device_goes_on_without(tmp_path):
    named = '"transcript_path": "/dev/zero", "trigger": "manual"'
    payload = f'{{"session_id": "a", "hook_event_name": "PreCompact", {named}}}'
    done = in_shell(f"compactor hook run <<< '{payload}'", tmp_path)
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"/dev/zero: is a device, which may never end" in done.stderr


@pytest.mark.drawn(2)
@pytest.mark.parametrize("source", ["/dev/stdin < chat.jsonl", "/dev/fd/7 7< chat.jsonl", "<(cat chat.jsonl)"])
def test_what_a_descriptor_holds_is_read(chat, tmp_path, source):
    done = in_shell(f"compactor compact -o small --target-ratio 0.5 --tokenizer chars {source}", tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "small").stat().st_size < len(CHAT)


def test_a_pipe_that_nobody_reads_is_not_waited_for(run, tmp_path, chat):
    os.mkfifo(tmp_path / "pipe")
    done = run("compact", "chat.jsonl", *HALF, "-o", "pipe", timeout=60)
    assert done.code == 2
    assert "pipe: cannot be written: no program reads from this pipe" in done.stderr


def test_process_substitution_gets_the_output(tmp_path, chat):
    line = "compactor compact chat.jsonl --target-ratio 0.5 --tokenizer chars -q -o >(cat > out.jsonl); wait $!"
    assert in_shell(line, tmp_path).returncode == 0
    assert 0 < (tmp_path / "out.jsonl").stat().st_size < len(CHAT)


def test_a_link_to_itself_is_exit_code_2_and_stays(run, tmp_path, chat):
    (tmp_path / "loop").symlink_to("loop")
    done = run("compact", "chat.jsonl", *HALF, "-o", "loop")
    assert done.code == 2
    assert "loop: cannot be written: Too many levels of symbolic links" in done.stderr
    assert (tmp_path / "loop").is_symlink()


# what commands a terminal


def evil_session(folder):
    name = f"ev{EVIL}il.jsonl".replace("/", "")
    records = [user(f"Please {EVIL} mend src/a{EVIL}.py"), assistant(f"Done {EVIL}"), *plain_exchanges(6)]
    (folder / name).write_bytes(jsonl(*records))
    return name


def strings_of(value):
    if isinstance(value, str):
        return [value]
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for member in members for text in strings_of(member)]


@pytest.mark.drawn(4)
@pytest.mark.parametrize(
    "arguments",
    [
        ["inspect", "--json"],
        ["inspect", "--message", "0", "--json"],
        ["inspect"],
        ["inspect", "--message", "0"],
        ["score"],
        ["score", "--json"],
        ["compact", "--target-ratio", "0.5", "--check", "--json"],
        ["compact", "--target-ratio", "0.5", "--dry-run"],
        ["compact", "--target-ratio", "0.5", "-o", "out.jsonl"],
        ["compact", "--target-ratio", "0.5", "--no-such-option" + EVIL],
        ["compact", "--target-tokens", "1"],
        ["restore", "--database", "sqlite:///none.db"],
    ],
    ids=lambda value: " ".join(value).replace(EVIL, ""),
)
def test_control_characters_of_names_and_contents_are_never_printed(run, tmp_path, arguments):
    name = evil_session(tmp_path)
    done = run(arguments[0], name, *arguments[1:], *(CHARS if arguments[0] != "restore" else ()))
    said = done.stdout.decode() + done.stderr
    assert said
    assert [character for character in UNSAFE if character in said] == []
    if "--json" in arguments:
        assert any(EVIL in text for text in strings_of(done.json)), "the value itself is the same"


def test_an_export_of_memories_says_the_same_with_escapes(run, tmp_path):
    database = f"sqlite:///{tmp_path}/m.db"
    assert run("memory", "add", f"The port is {EVIL} 5432", "--database", database).code == 0
    exported = run("memory", "export", "--database", database).stdout
    assert [character for character in UNSAFE if character in exported.decode()] == []
    again = run("memory", "import", "-", "--database", f"sqlite:///{tmp_path}/n.db", input=exported)
    assert again.code == 0
    assert run("memory", "export", "--database", f"sqlite:///{tmp_path}/n.db").stdout == exported


def test_a_transcript_on_a_terminal_is_the_same_json_with_escapes(tmp_path):
    name = evil_session(tmp_path)
    leader, follower = pty.openpty()
    args = program_command("compact", name, "--target-ratio", "0.9", "--quiet", *CHARS)
    with subprocess.Popen(
        args, cwd=tmp_path, stdout=follower, stderr=subprocess.PIPE, env=clean_environment()
    ) as process:
        os.close(follower)
        shown = b""
        with suppress(OSError):  # the terminal is gone when the process is
            while piece := os.read(leader, 65536):
                shown += piece
    os.close(leader)
    assert process.returncode == 0
    assert [character for character in UNSAFE if character in shown.decode()] == []
    assert EVIL in json.loads(shown.splitlines()[0])["content"]


# signals


@pytest.mark.drawn(4)
@pytest.mark.parametrize("module", ["compactor_cli.cli.app", "typer", "compactor_cli.errors", "rich.console"])
def test_an_interrupt_while_the_program_is_still_being_loaded_is_exit_code_130(module):
    # an import that is interrupted, as Ctrl-C would: the hook stands for a key pressed at that moment
    broken = (
        "import sys, signal, os\n"
        "class Hook:\n"
        "    def find_spec(self, name, *rest):\n"
        f"        if name == {module!r}: os.kill(os.getpid(), signal.SIGINT)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.meta_path.insert(0, Hook())\n"
        "sys.argv = ['compactor', 'inspect', 'none.jsonl']\n"
        "from compactor_cli.__main__ import main\nmain()"
    )
    done = subprocess.run(
        [sys.executable, "-c", broken], capture_output=True, env=clean_environment(), cwd=ROOT, check=False
    )
    assert done.returncode == 130, done.stderr
    assert b"Traceback" not in done.stderr
    assert b"interrupted" in done.stderr


@pytest.mark.drawn(2)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_run_that_is_asked_to_end_leaves_nothing_beside_its_output(tmp_path, chat, number, code):
    (tmp_path / "out.jsonl").write_bytes(b"old")
    # the moment before the new version takes its place: it is all there, beside the old one
    broken = (
        "import os, signal, sys, pathlib\n"
        "import compactor_cli.cli.replacing as r\n"
        f"def end(*a):\n    print(sorted(os.listdir('.')), flush=True)\n    os.kill(os.getpid(), {int(number)})\n"
        "r._give_access = end\n"
        "from compactor_cli.__main__ import main\nmain()"
    )
    args = [sys.executable, "-c", broken, "compact", "chat.jsonl", *HALF, "-o", "out.jsonl"]
    done = subprocess.run(args, capture_output=True, env=clean_environment(), cwd=tmp_path, check=False)
    assert (done.returncode, b"compactor-part" in done.stdout) == (code, True), done.stderr
    assert b"terminated; no file was left half-written" in done.stderr
    assert sorted(file.name for file in tmp_path.iterdir()) == ["chat.jsonl", "out.jsonl"]
    assert (tmp_path / "out.jsonl").read_bytes() == b"old"


def test_what_a_killed_run_left_is_removed_by_the_next_and_what_another_still_writes_is_not(run, tmp_path, chat):
    broken = (
        "import os, signal, sys\n"
        "import compactor_cli.cli.replacing as r\n"
        "def end(*a):\n    os.kill(os.getpid(), signal.SIGKILL)\n"
        "r._give_access = end\n"
        "from compactor_cli.__main__ import main\nmain()"
    )
    args = [sys.executable, "-c", broken, "compact", "chat.jsonl", *HALF, "-o", "out.jsonl"]
    assert subprocess.run(args, env=clean_environment(), cwd=tmp_path, check=False).returncode == -signal.SIGKILL
    left = [file for file in tmp_path.iterdir() if file.name.startswith(".out.jsonl.")]
    assert len(left) == 1
    import fcntl

    writing = tmp_path / left[0].name.replace(".out.jsonl.", ".out.jsonl.f")
    (tmp_path / ".out.jsonl.swp").write_text("an editor's")
    with writing.open("wb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        assert run("compact", "chat.jsonl", *HALF, "-o", "out.jsonl").code == 0
        names = sorted(file.name for file in tmp_path.iterdir())
    assert names == sorted([".out.jsonl.swp", writing.name, "chat.jsonl", "out.jsonl"])
