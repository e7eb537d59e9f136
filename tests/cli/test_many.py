"""`compact` over many files: --jobs, --resume, patterns, what is said, and runs that are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from compactor_cli.cli.many import FileTask, chunk_tasks
from tests.builders import ROOT, clean_environment, jsonl, plain_exchanges, program_command
from tests.drawing import loop_step

pytestmark = pytest.mark.one_test_in(3)

DONE = ".compactor-done.jsonl"
OPTIONS = ("--target-ratio", "0.5", "--tokenizer", "chars")
NAMES = [f"{number:02}.jsonl" for number in range(24)]


@pytest.fixture
def sessions(tmp_path):
    """24 small sessions that differ, three of them in folders of their own."""
    place = tmp_path / "in"
    for at, name in enumerate(NAMES):
        target = place / ("deep/er" if at > 20 else "") / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(jsonl(*plain_exchanges(6 + at % 5, start=at)))
    return place


def written(folder):
    """The outputs below a folder by their names in it."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != DONE)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def without_times(text):
    reports = [json.loads(line) for line in text.splitlines()]
    for report in reports:
        report.pop("stages")
    return reports


def listed(folder):
    return [json.loads(line) for line in (folder / DONE).read_text().splitlines() if line]


# processes


def test_processes_give_the_same_bytes_words_and_reports_as_one(run, tmp_path, sessions):
    (sessions / "05.jsonl").write_text("{damaged\n")
    (sessions / "07.jsonl").write_bytes(jsonl(*plain_exchanges(2), {"role": "tool", "content": "of no call"}))
    ways = []
    for jobs in ("1", "2"):
        done = run("compact", "in/**/*.jsonl", *OPTIONS, "--out-dir", "out", "--jobs", jobs, "--report", "r.jsonl")
        reports, outputs = without_times((tmp_path / "r.jsonl").read_text()), written(tmp_path / "out")
        ways.append((done.code, done.stdout, done.stderr, reports, outputs))
        (tmp_path / "out").rename(tmp_path / f"out{jobs}")
    assert ways[0] == ways[1]
    code, _, said, reports, outputs = ways[0]
    assert code == 3
    assert sorted(outputs) == sorted(
        {p.relative_to(sessions).as_posix() for p in sessions.rglob("*.jsonl")} - {"05.jsonl"}
    )
    assert len(reports) == len(NAMES) - 1
    assert "repaired: in/07.jsonl: message " in said


@pytest.mark.parametrize(("files", "processes"), [(1, 2), (7, 2), (200, 2), (1_000, 3)])
def test_the_last_pieces_of_the_work_are_small_so_that_all_processes_end_together(files, processes):
    tasks = [FileTask(f"{number}.jsonl", f"{number}.jsonl") for number in range(files)]
    pieces = list(chunk_tasks(tasks, processes))
    assert [task for piece in pieces for task in piece] == tasks
    sizes = [len(piece) for piece in pieces]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] >= max(1, min(32, files // (5 * processes)))
    assert sizes[-processes:] == [1] * min(files, processes)


@pytest.mark.drawn(4)
@pytest.mark.parametrize(
    "options", [["--dry-run"], ["--check"], ["--check", "--annotations", "github"], ["--check", "--json"]], ids=" ".join
)
def test_the_plans_of_a_dry_run_and_the_answers_of_a_check_are_the_same(run, sessions, options):
    one, two = (run("compact", "in/0*.jsonl", *OPTIONS, *options, "--jobs", jobs) for jobs in ("1", "2"))
    assert (one.code, one.stderr) == (two.code, two.stderr)
    if "--json" in options:
        assert without_times(one.text) == without_times(two.text)
    else:
        assert one.text == two.text
        assert bool(one.text) == (options != ["--check"])


def test_each_processor_has_a_process_where_zero_is_asked_for(run, tmp_path, sessions):
    assert run("compact", "in/0*.jsonl", *OPTIONS, "--out-dir", "a", "--jobs", "0").code == 0
    assert run("compact", "in/0*.jsonl", *OPTIONS, "--out-dir", "b").code == 0
    assert written(tmp_path / "a") == written(tmp_path / "b")


def test_processes_archive_into_one_database(run, tmp_path, sessions):
    options = (*OPTIONS, "--archive", "--database", "a.db")
    done = run("compact", "in/*.jsonl", *options, "--out-dir", "out", "--jobs", "2")
    assert (done.code, done.stderr.count("archived")) == (0, 21)
    for name in NAMES[: 21 : loop_step(7)]:
        back = run("restore", f"out/{name}", "--database", "a.db", "-o", "-")
        assert (back.code, back.stdout) == (0, (sessions / name).read_bytes())


def test_processes_are_not_used_where_one_file_counts_for_the_next(run, sessions):
    done = run("compact", "in/0*.jsonl", *OPTIONS, "--out-dir", "out", "--jobs", "2", "--flush", "--database", "m.db")
    assert done.code == 0
    assert "warning: --jobs 2 is not used: memories of one file affect the next" in done.stderr


# what is said


def test_a_line_a_file_the_sums_and_the_failures_at_the_end(run, sessions, golden):
    (sessions / "03.jsonl").write_text("{damaged\n")
    (sessions / "04.jsonl").write_bytes(jsonl(*plain_exchanges(1)))
    (sessions / "05.jsonl").unlink()
    done = run("compact", "in/0[1-6].jsonl", "in/05.jsonl", *OPTIONS, "--out-dir", "out", "--jobs", "2", COLUMNS="100")
    assert done.code == 3
    golden(ROOT / "tests" / "cli" / "golden" / "many.txt", done.stderr)


def test_quiet_says_nothing(run, sessions):
    done = run("compact", "in/0*.jsonl", *OPTIONS, "--out-dir", "out", "--jobs", "2", "--quiet")
    assert (done.code, done.stdout, done.stderr) == (0, b"", "")


# patterns


def test_a_pattern_means_the_files_that_a_shell_would_find_and_names_them_from_where_it_is_open(
    run, tmp_path, sessions
):
    (sessions / "deep" / ".hidden").mkdir()
    (sessions / "deep" / ".hidden" / "x.jsonl").write_text("{damaged\n")
    assert run("compact", "in/**/*.jsonl", *OPTIONS, "--out-dir", "out").code == 0
    assert sorted(written(tmp_path / "out")) == [*NAMES[:21], *(f"deep/er/{name}" for name in NAMES[21:])]
    named = sorted(map(str, Path("in").glob("0*.jsonl"))) or [f"in/{name}" for name in NAMES[:10]]
    assert run("compact", *named, *OPTIONS, "--out-dir", "shell").code == 0
    assert run("compact", "in/0*.jsonl", *OPTIONS, "--out-dir", "pattern").code == 0
    assert written(tmp_path / "pattern") == written(tmp_path / "shell")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_in_place_a_file_of_several_names_is_done_once(run, tmp_path, jobs):
    data = jsonl(*plain_exchanges(15))
    for name in ("chat.jsonl", "other.jsonl"):
        (tmp_path / name).write_bytes(data)
    (tmp_path / "link.jsonl").symlink_to("chat.jsonl")
    (tmp_path / "hard.jsonl").hardlink_to(tmp_path / "other.jsonl")
    names = ("chat.jsonl", "./chat.jsonl", f"../{tmp_path.name}/chat.jsonl", "link.jsonl", "other.jsonl", "hard.jsonl")
    options = ("--target-ratio", "0.5", "--tokenizer", "chars", "--jobs", jobs, "--archive", "--database", "a.db")
    done = run("compact", *names, *options, "--in-place", "--report", "r.jsonl")
    assert done.code == 0, done.stderr
    assert done.stderr.count("is the same file as chat.jsonl, and is processed once") == 3
    assert "3 files" in done.stderr
    reports = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert [report["input"]["path"] for report in reports] == ["chat.jsonl", "other.jsonl", "hard.jsonl"]
    assert (tmp_path / "link.jsonl").is_symlink()
    small = {(tmp_path / name).read_bytes() for name in ("chat.jsonl", "other.jsonl", "hard.jsonl")}
    assert len(small) == 1
    assert small != {data}


def test_in_place_an_address_of_a_file_on_this_machine_is_that_file(run, tmp_path):
    pytest.importorskip("fsspec")
    (tmp_path / "chat.jsonl").write_bytes(jsonl(*plain_exchanges(15)))
    options = ("--target-ratio", "0.5", "--tokenizer", "chars", "--in-place", "--report", "r.jsonl")
    done = run("compact", "chat.jsonl", f"file://{tmp_path}/chat.jsonl", *options)
    assert done.code == 0, done.stderr
    assert "chat.jsonl: is the same file as chat.jsonl, and is processed once" in done.stderr
    assert len((tmp_path / "r.jsonl").read_text().splitlines()) == 1


def test_a_file_may_be_called_like_a_pattern_and_a_pattern_that_means_nothing_is_an_error(run, tmp_path, sessions):
    odd = tmp_path / "what[1].jsonl"
    odd.write_bytes((sessions / "01.jsonl").read_bytes())
    assert run("compact", "what[1].jsonl", *OPTIONS, "-o", "x.jsonl").code == 0
    done = run("compact", "in/*.json", *OPTIONS, "--out-dir", "out")
    assert (done.code, "error: in/*.json: no file matches" in done.stderr) == (3, True)


def test_outputs_below_the_pattern_are_no_inputs(run, tmp_path, sessions):
    for _ in range(2):
        assert run("compact", "in/**/*.jsonl", *OPTIONS, "--out-dir", "in/out").code == 0
    assert len(written(sessions / "out")) == len(NAMES)


# --resume


@pytest.fixture
def finished(run, sessions, tmp_path):
    """The outputs of a whole run, in `out`."""
    done = run("compact", "in/**/*.jsonl", *OPTIONS, "--out-dir", "out", "--report", "whole.jsonl")
    assert done.code == 0
    return tmp_path / "out"


def made_anew(folder, before):
    """The outputs that were replaced since: a replaced file is another one."""
    return sorted(name for name, number in numbers(folder).items() if before[name] != number)


def numbers(folder):
    return {p.relative_to(folder).as_posix(): p.stat().st_ino for p in folder.rglob("*.jsonl") if p.name != DONE}


def test_nothing_is_done_again_and_the_report_is_whole(run, tmp_path, finished):
    before = numbers(finished)
    for jobs in ("1", "2"):
        options = (*OPTIONS, "--out-dir", "out", "--resume", "--jobs", jobs)
        done = run("compact", "in/**/*.jsonl", *options, "--report", "again.jsonl")
        assert done.code == 0
        assert made_anew(finished, before) == []
        assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
        assert done.stderr.count(": already done") == len(NAMES)
        assert "24 files, 24 already done" in done.stderr


def test_what_changed_or_is_missing_is_done_again(run, tmp_path, sessions, finished):
    whole, before = written(finished), numbers(finished)
    (sessions / "02.jsonl").write_bytes(jsonl(*plain_exchanges(9, start=70)))
    (finished / "04.jsonl").unlink()
    (finished / "06.jsonl").write_bytes(b"somebody else's")
    (sessions / "99.jsonl").write_bytes((sessions / "01.jsonl").read_bytes())
    before |= {"04.jsonl": 0, "99.jsonl": 0}
    done = run("compact", "in/**/*.jsonl", *OPTIONS, "--out-dir", "out", "--resume", "--jobs", "2")
    assert done.code == 0
    assert (
        {"02.jsonl", "04.jsonl", "06.jsonl", "99.jsonl"} >= set(made_anew(finished, before)) >= {"02.jsonl", "06.jsonl"}
    )
    now = written(finished)
    assert now["02.jsonl"] != whole["02.jsonl"]
    assert {**now, "02.jsonl": b""} == {**whole, "02.jsonl": b"", "99.jsonl": whole["01.jsonl"]}


@pytest.mark.drawn(4)
@pytest.mark.parametrize(
    "other",
    [("--target-ratio", "0.4"), ("--strategy", "tiered"), ("--keep", "alder"), ("--tokenizer", "o200k_base")],
    ids=" ".join,
)
def test_with_other_settings_everything_is_done_again(run, tmp_path, finished, other):
    before = numbers(finished)
    options = (*OPTIONS, *other, "--out-dir", "out", "--resume")
    assert run("compact", "in/0*.jsonl", *options).code == 0
    assert made_anew(finished, before) == NAMES[:10]


def test_a_report_that_was_not_asked_for_before_is_made(run, tmp_path, sessions):
    options = (*OPTIONS, "--out-dir", "out", "--resume")
    assert run("compact", "in/0*.jsonl", *options).code == 0
    done = run("compact", "in/0*.jsonl", *options, "--json")
    assert [report["input"]["path"] for report in without_times(done.text)] == [f"in/{name}" for name in NAMES[:10]]


def test_a_list_that_was_cut_short_counts_as_far_as_it_goes(run, finished):
    data = (finished / DONE).read_bytes()
    (finished / DONE).write_bytes(data[: len(data) // 2])
    before = numbers(finished)
    for _ in range(2):
        done = run("compact", "in/**/*.jsonl", *OPTIONS, "--out-dir", "out", "--resume")
        assert done.code == 0
    assert 8 < len(made_anew(finished, before)) < 16
    assert done.stderr.count(": already done") == len(NAMES), "the second time all of it is known"


def test_without_resume_everything_is_done_again(run, finished):
    before = numbers(finished)
    assert run("compact", "in/**/*.jsonl", *OPTIONS, "--out-dir", "out").code == 0
    assert len(made_anew(finished, before)) == len(NAMES) == len(listed(finished))


def test_resume_needs_a_folder(run, sessions):
    done = run("compact", "in/*.jsonl", *OPTIONS, "--in-place", "--resume")
    assert (done.code, "--resume" in done.stderr) == (2, True)


# runs that end in the middle


@pytest.fixture
def large(tmp_path):
    """Sessions that take a while."""
    place = tmp_path / "in"
    place.mkdir()
    for at in range(LARGE_FILES):
        (place / f"{at:02}.jsonl").write_bytes(jsonl(*plain_exchanges(80, start=at)))
    return place


LARGE_FILES = 16
LARGE = ("compact", "in/*.jsonl", "--target-ratio", "0.3", "--out-dir", "out", "--jobs", "2")


@pytest.fixture
def under_way(tmp_path, large):
    """Such a run, when it has told of its first file."""
    process = subprocess.Popen(
        program_command(*LARGE), cwd=tmp_path, env=clean_environment(), stderr=subprocess.PIPE, start_new_session=True
    )
    assert process.stderr is not None
    assert b" tokens " in process.stderr.readline()
    yield process
    process.kill()
    process.stderr.close()


@pytest.mark.drawn(3)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_run_that_ends_in_the_middle_is_resumed_to_the_same_bytes(run, tmp_path, under_way, number):
    under_way.send_signal(number)
    said = under_way.stderr.read()  # ends when no process has it open any more
    code = under_way.wait()
    assert code == {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGINT: 130}[number]
    assert (b"no file was left half-written" in said) == (number != signal.SIGKILL)
    assert b"Traceback" not in said
    first = listed(tmp_path / "out")
    assert 0 < len(first) < LARGE_FILES
    resumed = run(*LARGE, "--resume")
    assert resumed.code == 0
    assert resumed.stderr.count(": already done") == len(first)
    parts = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert parts == [DONE, *(f"{at:02}.jsonl" for at in range(LARGE_FILES))], "nothing is left of what was under way"
    whole = run(*(word if word != "out" else "whole" for word in LARGE))
    assert whole.code == 0
    assert written(tmp_path / "out") == written(tmp_path / "whole")


@pytest.mark.drawn(2)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_what_a_terminal_sends_to_all_processes_ends_them_with_one_line(tmp_path, under_way, number):
    left = tmp_path / "out" / ".15.jsonl.0a0b0c0d.compactor-part"  # as of a process that is ended while it writes
    left.write_bytes(b"half")
    os.killpg(under_way.pid, number)
    said = under_way.stderr.read().decode()
    assert under_way.wait() == 128 + number
    told = [line for line in said.splitlines() if " tokens " not in line and not line.startswith("warning: ")]
    word = "interrupted" if number == signal.SIGINT else "terminated"
    assert told == [f"{word}; no file was left half-written"]
    assert [path.name for path in (tmp_path / "out").glob(".*.compactor-part")] == []


@pytest.mark.everything
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are found in /proc")
def test_a_process_that_is_killed_costs_nothing(run, tmp_path, under_way):
    victims = workers_of(under_way.pid)
    assert len(victims) == 2
    os.kill(victims[0], signal.SIGKILL)
    said = under_way.stderr.read().decode()
    assert under_way.wait() == 0
    assert f"{LARGE_FILES} files" in said
    assert len(listed(tmp_path / "out")) == LARGE_FILES
    whole = run(*(word if word != "out" else "whole" for word in LARGE))
    assert whole.code == 0
    assert written(tmp_path / "out") == written(tmp_path / "whole")


def workers_of(pid):
    """The processes that share the files: the server of forks is between them and the command."""
    return [below for child in children(pid) for below in children(child)]


def children(pid):
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(place.parent.name))
    return found
