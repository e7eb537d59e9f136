"""Where output goes, and what is left alone: -o, --out-dir, --in-place, --dry-run, --check, streams."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from contextlib import contextmanager, suppress

import pytest

from tests.builders import clean_environment, compact, jsonl, plain_exchanges, program_command, user

pytestmark = pytest.mark.one_test_in(3)

CHARS = ("--tokenizer", "chars")
HALF = ("--target-ratio", "0.5", *CHARS)
CHAT = jsonl(*plain_exchanges(15))
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and pipes")


@pytest.fixture
def chat(tmp_path):
    file = tmp_path / "chat.jsonl"
    file.write_bytes(CHAT)
    return file


@pytest.fixture
def expected():
    return compact(CHAT, target_ratio=0.5).data


def names_in(folder):
    return sorted(file.name for file in folder.iterdir())


def test_standard_input_to_standard_output(run, expected):
    done = run("compact", "-", *HALF, input=CHAT)
    assert (done.code, done.stdout) == (0, expected)
    assert "written to standard output" in done.stderr
    assert run("compact", "-", *HALF, "-o", "-", input=CHAT).stdout == expected


def test_a_file_goes_to_standard_output_when_nothing_else_is_named(run, chat, expected):
    assert run("compact", "chat.jsonl", *HALF).stdout == expected
    assert chat.read_bytes() == CHAT


def test_dash_o_writes_a_file_and_nothing_on_standard_output(run, tmp_path, chat, expected):
    done = run("compact", "chat.jsonl", *HALF, "-o", "out.jsonl")
    assert (done.code, done.stdout) == (0, b"")
    assert (tmp_path / "out.jsonl").read_bytes() == expected
    assert names_in(tmp_path) == ["chat.jsonl", "out.jsonl"]


@pytest.mark.drawn(5)
@pytest.mark.parametrize(
    "place",
    [
        ["-o", "chat.jsonl"],
        ["-o", "./sub/../chat.jsonl"],
        ["-o", "link.jsonl"],
        ["-o", "second.jsonl"],
        ["--out-dir", "."],
        ["-o", "out.jsonl", "--report", "second.jsonl"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("given", ["chat.jsonl", "link.jsonl", "-"])
def test_an_output_that_is_an_input_needs_in_place(run, tmp_path, chat, place, given):
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.jsonl").symlink_to("chat.jsonl")
    (tmp_path / "second.jsonl").hardlink_to(chat)
    names = names_in(tmp_path)
    if given == "-":
        with chat.open("rb") as stream:
            args = program_command("compact", "-", *HALF, *place)
            done = subprocess.run(
                args, stdin=stream, capture_output=True, cwd=tmp_path, env=clean_environment(), check=False
            )
        said, code = done.stderr.decode(), done.returncode
    else:
        finished = run("compact", given, *HALF, *place)
        said, code = finished.stderr, finished.code
    assert code == 2
    if not (given == "-" and "--out-dir" in place):
        assert ("standard input" if given == "-" else "is the input") in said
        assert ("--in-place" in said) == (given != "-" and "--report" not in place)
    assert (chat.read_bytes(), names_in(tmp_path)) == (CHAT, names)


@pytest.mark.parametrize("place", [("-o",), ("-o", "out.jsonl", "--report"), ("-o", "out.jsonl", "--html")])
def test_a_folder_that_is_not_there_is_told_of_before_anything_is_written(run, tmp_path, chat, place):
    names = names_in(tmp_path)
    done = run("compact", "chat.jsonl", *HALF, *place, "no/where")
    assert done.code == 2
    assert done.stderr == f"error: {place[-1]} no/where: the folder {tmp_path / 'no'} does not exist; create it first\n"
    assert names_in(tmp_path) == names
    in_place = run("compact", "chat.jsonl", *HALF, "--in-place", "--report", "no/where")
    assert (in_place.code, chat.read_bytes()) == (2, CHAT)


def test_restore_and_assemble_do_not_overwrite_what_they_read(run, tmp_path, chat):
    (tmp_path / "p.yaml").write_text("task_prompt: Go on.\n")
    for arguments in (["restore", "chat.jsonl"], ["assemble", "chat.jsonl", "--prompt", "p.yaml", "--total", "2k"]):
        done = run(*arguments, "-o", "chat.jsonl")
        assert done.code == 2
        assert "is the input chat.jsonl" in done.stderr
        assert chat.read_bytes() == CHAT


def test_out_dir_takes_several_files_under_their_names(run, tmp_path, chat, expected):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "other.jsonl").write_bytes(CHAT)
    done = run("compact", "chat.jsonl", "sub/other.jsonl", *HALF, "--out-dir", "new/out")
    assert (done.code, done.stdout) == (0, b"")
    assert names_in(tmp_path / "new" / "out") == [".compactor-done.jsonl", "chat.jsonl", "other.jsonl"]
    assert (tmp_path / "new" / "out" / "other.jsonl").read_bytes() == expected


def test_in_place_keeps_the_mode_and_leaves_no_other_file(run, tmp_path, chat, expected):
    chat.chmod(0o640)
    assert run("compact", "chat.jsonl", *HALF, "--in-place").code == 0
    assert chat.read_bytes() == expected
    assert stat.S_IMODE(chat.stat().st_mode) == 0o640
    assert names_in(tmp_path) == ["chat.jsonl"]


def test_in_place_through_a_link_replaces_what_it_points_to(run, tmp_path, expected):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "chat.jsonl").write_bytes(CHAT)
    (tmp_path / "link.jsonl").symlink_to("real/chat.jsonl")
    assert run("compact", "link.jsonl", *HALF, "--in-place").code == 0
    assert (tmp_path / "link.jsonl").is_symlink()
    assert (tmp_path / "real" / "chat.jsonl").read_bytes() == expected
    assert names_in(tmp_path / "real") == ["chat.jsonl"]


def test_in_place_does_not_touch_a_file_that_is_within_its_target(run, chat):
    os.utime(chat, (1_000_000_000, 1_000_000_000))
    before = chat.stat()
    assert run("compact", "chat.jsonl", "--target-tokens", 1_000_000, *CHARS, "--in-place").code == 0
    after = chat.stat()
    assert (after.st_mtime, after.st_ino) == (before.st_mtime, before.st_ino)


@POSIX
def test_a_pipe_or_a_device_is_written_into_and_stays_what_it_is(run, tmp_path, chat, expected):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDWR)  # both ends are open: the writer does not wait
    try:
        assert run("compact", "chat.jsonl", *HALF, "-o", "pipe").code == 0
        assert stat.S_ISFIFO(pipe.stat().st_mode)
        assert os.read(reader, len(expected) + 1) == expected
    finally:
        os.close(reader)


@POSIX
def test_a_new_file_has_the_mode_that_the_umask_gives(run, tmp_path, chat):
    umask = os.umask(0o022)
    try:
        run("compact", "chat.jsonl", *HALF, "-o", "out.jsonl", "--report", "report.json")
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "out.jsonl").stat().st_mode) == 0o644
    assert stat.S_IMODE((tmp_path / "report.json").stat().st_mode) == 0o644


def test_a_budget_that_cannot_be_met_is_exit_code_4_with_the_floor_and_nothing_written(run, tmp_path, chat):
    (tmp_path / "out.jsonl").write_bytes(b"old")
    done = run("compact", "chat.jsonl", "--target-tokens", 5, *CHARS, "-o", "out.jsonl", "--report", "report.json")
    assert (done.code, done.stdout) == (4, b"")
    assert "cannot fit into 5 tokens" in done.stderr
    assert (tmp_path / "out.jsonl").read_bytes() == b"old"
    floor = int(done.stderr.split("--target-tokens ")[1].split()[0])
    met = run("compact", "chat.jsonl", "--target-tokens", floor, *CHARS, "-o", "out.jsonl", "--json")
    assert (met.code, met.json["fits"]) == (0, True)
    missed = run("compact", "chat.jsonl", "--target-tokens", floor - 1, *CHARS, "-o", "out.jsonl")
    assert missed.code == 4
    in_place = run("compact", "chat.jsonl", "--target-tokens", 5, *CHARS, "--in-place")
    assert in_place.code == 4
    assert chat.read_bytes() == CHAT


def test_dry_run_and_check_make_no_folder(run, tmp_path, chat):
    for option in ("--dry-run", "--check"):
        run("compact", chat, "--target-ratio", "0.5", option, "--out-dir", "new")
        assert not (tmp_path / "new").exists()


def test_dry_run_prints_the_plan_and_writes_nothing(run, tmp_path, chat):
    done = run("compact", "chat.jsonl", *HALF, "--dry-run", "-o", "out.jsonl")
    assert done.code == 0
    assert "Plan" in done.text
    assert "summarized" in done.text
    as_json = run("compact", "chat.jsonl", *HALF, "--dry-run", "--json", "--in-place")
    plan = as_json.json["plan"]
    assert sorted(index for step in plan for index in step["messages"]) == list(range(30))
    assert {step["rendition"] for step in plan} <= {"whole", "shortened", "summarized", "gone"}
    assert all(step["reason"] for step in plan)
    assert names_in(tmp_path) == ["chat.jsonl"]
    assert chat.read_bytes() == CHAT


def test_check_says_whether_a_file_would_change_and_writes_nothing(run, tmp_path, chat):
    assert run("compact", "chat.jsonl", "--target-tokens", 100_000, *CHARS, "--check").code == 0
    done = run("compact", "chat.jsonl", *HALF, "--check")
    assert (done.code, done.stdout) == (1, b"")
    (tmp_path / "small.jsonl").write_bytes(jsonl(user("hi")))
    several = run("compact", "small.jsonl", "chat.jsonl", "--target-tokens", 1500, *CHARS, "--check", "--json")
    assert several.code == 1
    assert [json.loads(line)["ratio"] < 1 for line in several.text.splitlines()] == [False, True]
    assert chat.read_bytes() == CHAT
    assert names_in(tmp_path) == ["chat.jsonl", "small.jsonl"]


def test_check_says_its_verdict_for_each_file(run, tmp_path, chat):
    (tmp_path / "small.jsonl").write_bytes(jsonl(user("hi")))
    done = run("compact", "small.jsonl", "chat.jsonl", "--target-tokens", "1,500", *CHARS, "--check")
    verdicts = [line for line in done.stderr.splitlines() if ": would " in line]
    assert verdicts[0] == "small.jsonl: would stay unchanged"
    assert verdicts[1].startswith("chat.jsonl: would be compacted from 2,670 to 1,")
    assert len(verdicts) == 2


@pytest.mark.parametrize(("written", "meant"), [("2k", "2000"), ("2,000", "2000"), ("1.5K", "1500")])
def test_tokens_are_taken_as_people_write_them(run, chat, written, meant):
    one, other = (run("compact", "chat.jsonl", *CHARS, "--target-tokens", each).stdout for each in (written, meant))
    assert one == other != CHAT
    assert run("budget", "chat.jsonl", *CHARS, "--total", written, "--json").json["total"] == int(meant)


def test_a_share_is_taken_in_percent(run, chat, expected):
    assert run("compact", "chat.jsonl", *CHARS, "--target-ratio", "50%").stdout == expected
    for wrong in ("150%", "half", "-1%", "nan"):
        assert run("compact", "chat.jsonl", *CHARS, f"--target-ratio={wrong}").code == 2


@pytest.mark.parametrize(("word", "meant"), [("compress", "compact"), ("status", "inspect"), ("scre", "score")])
def test_a_word_that_is_no_command_is_answered_with_the_one_that_is_meant(run, word, meant):
    done = run(word, "chat.jsonl")
    assert done.code == 2
    assert f"Did you mean '{meant}'?" in done.stderr


def test_score_top_gives_the_highest_first(run, session):
    everything = run("score", session.name, *CHARS, "--json").json["messages"]
    expected = [m["index"] for m in sorted(everything, key=lambda m: (-m["raw_score"], m["index"]))[:7]]
    assert expected != sorted(expected)
    top = run("score", session.name, *CHARS, "--top", 7, "--json").json["messages"]
    assert [m["index"] for m in top] == expected
    table = run("score", session.name, *CHARS, "--top", 7).text.splitlines()
    rows = [
        line.split() for line in table if len(line.split()) > 3 and line.split()[1] in ("user", "assistant", "tool")
    ]
    assert [int(row[0]) for row in rows] == expected


def test_check_passes_on_what_compact_wrote(run, chat):
    assert run("compact", "chat.jsonl", *HALF, "--in-place").code == 0
    assert run("compact", "chat.jsonl", *HALF, "--check").code == 0
    small = chat.read_bytes()
    assert run("compact", "chat.jsonl", *HALF, "--in-place").code == 0
    assert chat.read_bytes() == small


def test_keep_and_keep_last_keep_messages_whole(run, tmp_path, chat):
    options = ["--target-ratio", 0.4, *CHARS, "-o", "out.jsonl"]
    run("compact", "chat.jsonl", *options)
    lines, without = CHAT.splitlines(), (tmp_path / "out.jsonl").read_bytes().splitlines()
    assert lines[9] not in without
    run("compact", "chat.jsonl", *options, "--keep", r"^Answer 4:", "--keep", "answer 6", "--keep-last", 3)
    out = (tmp_path / "out.jsonl").read_bytes().splitlines()
    assert {lines[9], lines[13], *lines[-3:]} <= set(out)


def test_if_needed_leaves_a_session_alone_that_is_under_its_threshold(run, chat):
    done = run("compact", "chat.jsonl", "--if-needed", "--target-ratio", 0.5, *CHARS)
    assert (done.code, done.stdout) == (0, CHAT)
    assert "93,600" in done.stderr
    value = run("compact", "chat.jsonl", "--if-needed", *CHARS, "--in-place", "--json").json
    assert value["output"]["sha256"] == value["input"]["sha256"]
    assert value["output"]["tokens"] == value["input"]["tokens"]
    assert chat.read_bytes() == CHAT


def test_if_needed_compacts_a_session_that_is_over_its_threshold(run):
    data = jsonl(*plain_exchanges(520))
    done = run("compact", "-", "--if-needed", *CHARS, input=data)
    assert done.code == 0
    assert 0 < len(done.stdout) < len(data)


def test_if_needed_compacts_a_session_that_is_larger_than_its_models_context(run):
    # seed 001 lists gpt-4 with 8,192 tokens; its reserves of 11,000 must not turn "always" into "never"
    data = jsonl(*plain_exchanges(60))
    state = run("inspect", "-", "--model", "gpt-4", "--json", *CHARS, input=data).json
    assert state["transcript"]["tokens"] > state["context"]["limit"] == 8192
    assert state["context"]["needs_compaction"] is True
    assert len(run("compact", "-", "--if-needed", "--model", "gpt-4", *CHARS, input=data).stdout) < len(data)


def test_quiet_says_nothing_on_standard_error(run, chat, expected):
    done = run("compact", "chat.jsonl", *HALF, "--quiet")
    assert (done.code, done.stdout, done.stderr) == (0, expected, "")
    cut_off = CHAT + b'{"role": "us'
    assert run("score", "-", "-q", *CHARS, input=cut_off).stderr == ""
    assert run("compact", "-", "-q", "--if-needed", "--model", "unknown-model", *CHARS, input=CHAT).stderr == ""


@pytest.mark.drawn(4)
@pytest.mark.parametrize(
    "arguments",
    [
        ["chat.jsonl", "--target-tokens", "10", "--target-ratio", "0.5"],
        ["chat.jsonl", "--json"],
        ["chat.jsonl", "--json", "-o", "-"],
        ["chat.jsonl", "chat.jsonl"],
        ["chat.jsonl", "chat.jsonl", "-o", "out.jsonl"],
        ["chat.jsonl", "-o", "out.jsonl", "--in-place"],
        ["chat.jsonl", "--out-dir", "out", "--in-place"],
        ["-", "--in-place"],
        ["-", "--out-dir", "out"],
        ["chat.jsonl", "./chat.jsonl", "--out-dir", "out"],
        ["chat.jsonl", "--keep", "("],
        ["chat.jsonl", "--strategy", "wishful"],
        ["chat.jsonl", "--summarizer", "oracle"],
        ["chat.jsonl", "--summary-role", "robot"],
        ["chat.jsonl", "--tokenizer", "words"],
        ["chat.jsonl", "--format", "xml"],
        ["chat.jsonl", "--target-ratio", "1.5"],
        ["chat.jsonl", "--target-tokens", "0"],
        ["chat.jsonl", "--target-tokens", "many"],
        ["chat.jsonl", "--now", "soon"],
        ["chat.jsonl", "--no-such-option"],
        ["chat.jsonl", "-o", "missing-folder/out.jsonl"],
        [],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_exit_code_2_with_words_and_nothing_written(run, tmp_path, chat, arguments):
    done = run("compact", *arguments)
    assert (done.code, done.stdout) == (2, b"")
    assert done.stderr.strip()
    assert "Traceback" not in done.stderr
    assert chat.read_bytes() == CHAT
    assert names_in(tmp_path) == ["chat.jsonl"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "chat.jsonl", "--scorer", "dice"],
        ["score", "chat.jsonl", "--now", "soon"],
        ["budget", "chat.jsonl"],
        ["budget", "chat.jsonl", "--total", "0"],
        ["diff", "chat.jsonl"],
        ["diff", "chat.jsonl", "chat.jsonl", "--fail-under", "beauty=10"],
        ["diff", "chat.jsonl", "chat.jsonl", "--fail-under", "files"],
        ["diff", "chat.jsonl", "chat.jsonl", "--fail-under", "files=101"],
        ["inspect", "chat.jsonl", "--message", "1000"],
        ["no-such-command"],
    ],
    ids=" ".join,
)
def test_wrong_usage_of_the_other_commands_is_exit_code_2(run, chat, arguments):
    done = run(*arguments)
    assert (done.code, done.stdout) == (2, b"")
    assert done.stderr.strip()
    assert "Traceback" not in done.stderr


def test_diff_fails_under_a_percentage_that_is_not_reached(run, session):
    run("compact", session.name, "--target-tokens", 1200, *CHARS, "-o", "out.jsonl")
    met = run(
        "diff", session.name, "out.jsonl", *CHARS, "--fail-under", "user_requests=50", "--fail-under", "saved=50%"
    )
    assert met.code == 0
    missed = run("diff", session.name, "out.jsonl", *CHARS, "--fail-under", "saved=99", "--json")
    assert missed.code == 1
    assert "saved" in missed.stderr
    assert missed.json["tokens"]["saved"] > 0, "the answer is no, and still the whole answer"


@pytest.mark.parametrize("name", ["rules", "corrections", "effects", "open_items"])
def test_diff_fails_under_each_kind_of_what_a_reader_acts_on(run, tmp_path, name):
    call = {"id": "c1", "type": "function", "function": {"name": "Write", "arguments": '{"file_path": "a.py"}'}}
    records = [
        {"role": "user", "content": "Never touch the importer. The limit for uploads is 20 MB."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "written"},
        {"role": "user", "content": "Sorry, the limit for uploads is 64 MB."},
    ]
    (tmp_path / "before.jsonl").write_bytes(jsonl(*records))
    (tmp_path / "after.jsonl").write_bytes(jsonl({"role": "user", "content": "## Session Summary (Round 1)"}))
    assert run("diff", "before.jsonl", "before.jsonl", *CHARS, "--fail-under", f"{name}=100").code == 0
    missed = run("diff", "before.jsonl", "after.jsonl", *CHARS, "--fail-under", f"{name}=1")
    assert missed.code == 1
    assert f"{name} 0% < 1%" in missed.stderr


def test_bugs_have_a_code_of_their_own_and_a_traceback_only_when_asked_for(tmp_path):
    # the only way to a bug that is not one: break the program in the process that runs it
    broken = (
        "import compactor_cli.cli.commands.score as s\n"
        "def analyze(*a): raise ZeroDivisionError('broken on purpose')\n"
        "s.analyze = analyze\n"
        "from compactor_cli.cli.app import main\nmain()"
    )

    def crash(*extra):
        arguments = [sys.executable, "-c", broken, "score", "-", *CHARS, *extra]
        return subprocess.run(arguments, input=CHAT, capture_output=True, env=clean_environment(), check=False)

    plain, debug = crash(), crash("--debug")
    assert plain.returncode == 70
    assert b"ZeroDivisionError" in plain.stderr
    assert b"Traceback" not in plain.stderr
    assert debug.returncode != 0
    assert b"Traceback" in debug.stderr


@contextmanager
def started(*args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE):
    """A running process, ended whatever happens."""
    process = subprocess.Popen(
        program_command(*args),
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=clean_environment(),
        bufsize=0,
        # who runs the tests in the background has interrupts ignored, and that would be inherited
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  # there are no threads here
    )
    try:
        with process:
            yield process
    finally:
        process.kill()


@POSIX
def test_an_interrupt_is_exit_code_130_and_leaves_the_output_as_it_was(tmp_path):
    (tmp_path / "out.jsonl").write_bytes(b"old")
    with started("compact", "-", *HALF, "-o", tmp_path / "out.jsonl", stdin=subprocess.PIPE) as process:
        # more than a pipe holds: once it is written, the process is reading and waits for the rest
        process.stdin.write(b" " * 1_000_000)
        # Python notices an interrupt between two reads only when the next one is interrupted
        for _ in range(60):
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.5)
                break
        assert process.returncode == 130
        assert b"Traceback" not in process.stderr.read()
    assert (tmp_path / "out.jsonl").read_bytes() == b"old"
    assert names_in(tmp_path) == ["out.jsonl"]


@pytest.mark.drawn(3)
@POSIX
@pytest.mark.parametrize("arguments", [["score"], ["inspect", "--json"], ["compact", "--target-ratio", "0.9"]])
def test_a_reader_that_has_seen_enough_is_no_error(tmp_path, arguments):
    (tmp_path / "long.jsonl").write_bytes(jsonl(*plain_exchanges(700)))
    with started(arguments[0], tmp_path / "long.jsonl", *arguments[1:], *CHARS) as process:
        process.stdout.read(10)  # as `head` does
        process.stdout.close()
        assert_ended_quietly(process)


@pytest.mark.drawn(6)
@POSIX
@pytest.mark.parametrize(
    "arguments",
    [["score"], ["score", "--json"], ["budget", "--total", "9000"], ["inspect"], ["compact"], ["diff"]],
    ids=" ".join,
)
def test_a_reader_that_is_gone_before_the_first_word_is_no_error(chat, arguments):
    reader, writer = os.pipe()
    os.close(reader)
    files = [chat] * (2 if arguments == ["diff"] else 1)
    with started(arguments[0], *files, *arguments[1:], *CHARS, stdout=writer) as process:
        os.close(writer)
        assert_ended_quietly(process)


def assert_ended_quietly(process):
    stderr = process.stderr.read()
    assert b"Traceback" not in stderr
    assert b"Broken" not in stderr
    assert b"bug" not in stderr
    # 1 would say that the answer is no
    assert process.wait(timeout=30) in (0, 128 + 13)


def test_a_file_within_its_target_is_told_the_target_and_what_a_ratio_counts_from(run, chat):
    assert run("compact", "chat.jsonl", *HALF, "-o", "small.jsonl").code == 0
    again = run("compact", "small.jsonl", *HALF, "-o", "again.jsonl")
    half = compact(CHAT, target_ratio=0.5).parts[0].target
    said = f"already within its target of {half:,} tokens (a ratio refers to the size before the first round)"
    assert said in " ".join(again.stderr.split())
    fixed = run("compact", "small.jsonl", "--target-tokens", "50000", *CHARS, "-o", "again.jsonl")
    assert "already within its target of 50,000 tokens: unchanged" in " ".join(fixed.stderr.split())
