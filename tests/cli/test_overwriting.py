"""No output takes the place of a file that the run reads, or of another output."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.builders import clean_environment, compact, jsonl, plain_exchanges, program_command

HALF = ("--target-ratio", "0.5", "--tokenizer", "chars")
CHAT = jsonl(*plain_exchanges(15))
PROMPT = ("--prompt", "prompt.yaml", "--total", "2k")


@pytest.fixture
def folder(tmp_path):
    """A session, a second one, and a file of each kind that a run reads besides."""
    (tmp_path / "chat.jsonl").write_bytes(CHAT)
    (tmp_path / "other.jsonl").write_bytes(jsonl(*plain_exchanges(12)))
    (tmp_path / "prompt.yaml").write_text("system_prompt: {file: system.md}\n")
    (tmp_path / "system.md").write_text("You are careful.\n")
    (tmp_path / "settings.toml").write_text("target_ratio = 0.5\n")
    (tmp_path / "weights.toml").write_bytes(_profile())
    (tmp_path / "decisions.json").write_text('{"version": 1, "decisions": []}')
    return tmp_path


def _profile():
    from importlib.resources import files

    return files("compactor_cli.profiles").joinpath("default.toml").read_bytes()


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def refused(run, folder, *arguments):
    """What a run says that is refused and has left all files as they were."""
    before = contents(folder)
    done = run(*arguments)
    assert done.code == 2, done.stderr
    assert contents(folder) == before
    return done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["compact", "chat.jsonl", *HALF, "--config", "settings.toml", "-o", "settings.toml"], "settings file"),
        (["compact", "chat.jsonl", *HALF, "--config", "settings.toml", "--report", "settings.toml"], "settings file"),
        (["compact", "chat.jsonl", *HALF, "--profile", "weights.toml", "-o", "./weights.toml"], "profile"),
        (["compact", "chat.jsonl", *HALF, "--decisions", "decisions.json", "-o", "decisions.json"], "decisions file"),
        (["compact", "chat.jsonl", *HALF, "--summary-prompt", "system.md", "-o", "system.md"], "prompt file"),
        (["assemble", "chat.jsonl", *PROMPT, "-o", "prompt.yaml"], "prompt file"),
        (["assemble", "chat.jsonl", *PROMPT, "-o", "system.md"], "prompt file"),
        (["convert", "chat.jsonl", "--to", "pi", "--config", "settings.toml", "-o", "settings.toml"], "settings file"),
        (["inspect", "chat.jsonl", "--config", "settings.toml", "--html", "settings.toml"], "settings file"),
        (["doctor", "chat.jsonl", "--fix", "--config", "settings.toml", "-o", "settings.toml"], "settings file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_no_output_replaces_what_options_have_a_run_read(run, folder, arguments, words):
    said = refused(run, folder, *arguments)
    assert f"is the {words}" in said
    assert "of this run; give the output another name" in said


def test_the_settings_file_of_a_project_is_not_replaced(run, folder):
    (folder / "settings.toml").rename(folder / "compactor.toml")
    assert "is the settings file" in refused(run, folder, "compact", "chat.jsonl", "-o", "compactor.toml")


def test_a_file_that_is_read_as_an_input_and_for_an_option_is_named_by_the_option(run, folder):
    said = refused(run, folder, "compact", "chat.jsonl", *HALF, "--summary-prompt", "chat.jsonl", "-o", "chat.jsonl")
    assert "is the prompt file chat.jsonl of this run" in said  # to replace it in place would be no remedy


def test_a_profile_that_no_file_can_be_called_is_nothing_to_a_command_without_one(run, folder):
    (folder / "settings.toml").write_text('profile = "a\\u0000b"\n')
    assert run("inspect", "chat.jsonl", "--config", "settings.toml", "--html", "page.html").code == 0


@pytest.mark.parametrize("scheme", ["file://", "local://"])
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-o", "{}chat.jsonl"], "is the input chat.jsonl"),
        (["-o", "{}link.jsonl"], "is the input chat.jsonl"),
        (["-o", "{}new.db", "--database", "new.db"], "is the database"),
        (["--config", "settings.toml", "-o", "{}settings.toml"], "is the settings file"),
        (["-o", "{}small.jsonl", "--report", "small.jsonl"], "is also named by -o"),
        (["-o", "small.jsonl", "--report", "{}small.jsonl"], "is also named by -o"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_address_of_a_file_on_this_machine_is_that_file(run, folder, scheme, arguments, words):
    pytest.importorskip("fsspec")
    (folder / "link.jsonl").symlink_to("chat.jsonl")
    places = [argument.format(f"{scheme}{folder}/") for argument in arguments]
    assert words in refused(run, folder, "compact", "chat.jsonl", *HALF, *places)


@pytest.mark.parametrize(
    "arguments",
    [
        ["compact", "chat.jsonl", *HALF, "-o", "a.db", "--archive"],
        ["compact", "chat.jsonl", *HALF, "-o", "link.db"],
        ["compact", "chat.jsonl", *HALF, "-o", "small.jsonl", "--report", "a.db"],
        ["restore", "small.jsonl", "-o", "a.db"],
        ["restore", "--compaction", "1", "-o", "a.db"],
        ["memory", "export", "-o", "a.db"],
    ],
    ids=" ".join,
)
def test_no_output_replaces_the_database(run, folder, arguments):
    database = ("--database", "a.db")
    (folder / "link.db").symlink_to("a.db")
    assert run("compact", "chat.jsonl", *HALF, "-o", "small.jsonl", "--archive", *database).code == 0
    assert "is the database a.db of this run" in refused(run, folder, *arguments, *database)
    assert run("restore", "small.jsonl", "-o", "back.jsonl", *database).code == 0
    assert (folder / "back.jsonl").read_bytes() == CHAT


def test_no_output_has_the_name_of_a_database_that_is_yet_to_be_made(run, folder):
    url = f"sqlite:///{folder}/new.db"
    assert "is the database" in refused(
        run, folder, "compact", "chat.jsonl", *HALF, "-o", "new.db", "--archive", "--database", url
    )


def test_no_output_replaces_a_part_of_a_session_in_parts(run, folder):
    events = folder / "conversation" / "events"
    events.mkdir(parents=True)
    said = {"role": "user", "content": [{"type": "text", "text": "Go on."}]}
    event = {"id": "a", "timestamp": "2026-03-01T12:00:00", "source": "user", "kind": "MessageEvent"}
    (events / "event-00000-a.json").write_text(json.dumps({**event, "llm_message": said}))
    place = "conversation/events/event-00000-a.json"
    assert "is the input conversation" in refused(run, folder, "compact", "conversation", *HALF, "-o", place)
    (folder / "link.json").symlink_to(place)
    assert "is the input conversation" in refused(run, folder, "compact", "conversation", *HALF, "-o", "link.json")
    assert run("compact", "conversation", "--target-tokens", "99", "-o", "conversation/small.jsonl").code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-o", "small.jsonl", "--report", "./small.jsonl"], "--report ./small.jsonl: is also named by -o"),
        (["-o", "small.jsonl", "--report", "r", "--html", "r"], "--html r: is also named by --report"),
        (["other.jsonl", "--out-dir", "out", "--report", "out/chat.jsonl"], "is also named by --out-dir"),
        (["other.jsonl", "--out-dir", "out", "--report", "out/.compactor-done.jsonl"], "is also named by --out-dir"),
        (["-o", "small", "--manifest", "--report", "small.manifest.json"], "is also named by --manifest"),
        (["--in-place", "--manifest", "--report", "chat.jsonl.manifest.json"], "is also named by --manifest"),
        (["--check", "--sarif", "x", "--report", "x"], "--sarif x: is also named by --report"),
        (["--check", "--sarif", "x", "--html", "x"], "--html x: is also named by --sarif"),
        (["--report", "-"], "--report -: -o also writes to standard output"),
        (["--report", "/dev/stdout"], "--report -: -o also writes to standard output"),
        (["-o", "/dev/fd/1", "--report", "-"], "--report -: -o also writes to standard output"),
        (["-o", "loop", "--report", "./loop"], "--report ./loop: is also named by -o"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_two_outputs_of_compact_have_two_names(run, folder, arguments, words):
    (folder / "loop").symlink_to("loop")
    assert words in refused(run, folder, "compact", "chat.jsonl", *HALF, *arguments)


def test_two_outputs_of_other_commands_have_two_names(run, folder):
    for words in (["convert", "chat.jsonl", "--to", "openai-chat"], ["assemble", "chat.jsonl", *PROMPT]):
        assert "is also named by -o" in refused(run, folder, *words, "-o", "z.jsonl", "--report", "z.jsonl")


@pytest.mark.parametrize("there", [True, False])
def test_two_outputs_in_a_folder_are_two_files(run, folder, there):
    (folder / "out").mkdir()
    (folder / "out" / "chat.jsonl").symlink_to("other.jsonl")
    if there:
        (folder / "out" / "other.jsonl").touch()
    both = ("compact", "chat.jsonl", "other.jsonl", *HALF, "--out-dir", "out")
    said = refused(run, folder, *both)
    assert "--out-dir out/other.jsonl: is the same file as out/chat.jsonl" in said
    (folder / "out" / "chat.jsonl").unlink()
    (folder / "out" / "other.jsonl").touch()
    (folder / "out" / "chat.jsonl").hardlink_to(folder / "out" / "other.jsonl")  # two names: each gets a file
    assert run(*both).code == 0
    assert (folder / "out" / "chat.jsonl").read_bytes() == compact(CHAT, target_ratio=0.5).data
    assert (folder / "out" / "other.jsonl").read_bytes() not in (b"", (folder / "out" / "chat.jsonl").read_bytes())


def into(file, *arguments):
    """Run a command whose standard output goes to the end of a file, from whose beginning `-` is read."""
    with file.open("ab") as sink, file.open("rb") as stream:
        given = {"stdin": stream if "-" in arguments else subprocess.DEVNULL, "stdout": sink}
        kept = {"cwd": file.parent, "env": clean_environment(), "stderr": subprocess.PIPE}
        done = subprocess.run(program_command(*arguments), check=False, **given, **kept)
    return done.returncode, done.stderr.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX names of standard output")
def test_the_file_that_standard_output_goes_to_gets_one_result_and_keeps_what_it_holds(run, folder):
    both = folder / "both"
    both.write_bytes(b"before")
    for places in (("-o", "/dev/stdout", "--report", "-"), ("-o", "both", "--report", "-"), ("--report", "both")):
        code, said = into(both, "compact", "chat.jsonl", *HALF, *places)
        assert (code, both.read_bytes()) == (2, b"before"), said
        assert "-o also writes to standard output" in said
    assert into(both, "compact", "chat.jsonl", *HALF, "-o", "/dev/stdout")[0] == 0
    assert both.read_bytes() == b"before" + compact(CHAT, target_ratio=0.5).data


def test_standard_output_is_not_added_to_what_is_read(folder):
    chat = folder / "chat.jsonl"
    for given, words in (("chat.jsonl", "is the input chat.jsonl"), ("-", "that standard input is read from")):
        code, said = into(chat, "compact", given, *HALF)
        assert (code, chat.read_bytes()) == (2, CHAT)
        assert words in said


def test_what_is_not_written_may_have_any_name(run, folder):
    same = ("-o", "small.jsonl", "--report", "small.jsonl")
    assert run("compact", "chat.jsonl", *HALF, *same, "--dry-run").code == 0
    assert json.loads((folder / "small.jsonl").read_bytes())["plan"]
    assert run("compact", "chat.jsonl", *HALF, "-o", "/dev/null", "--report", "/dev/null").code == 0
    assert (
        run("compact", "chat.jsonl", *HALF, "-o", "-", "--report", "r").stdout == compact(CHAT, target_ratio=0.5).data
    )


def test_of_two_inputs_whose_outputs_have_one_name_convert_writes_the_first(run, folder):
    (folder / "set").mkdir()
    (folder / "set" / "x.json").write_bytes(jsonl(*plain_exchanges(4)))
    (folder / "set" / "x.jsonl").write_bytes(CHAT)
    done = run("convert", "set", "--to", "openai-chat", "--out-dir", "out", "--report", "r.json")
    assert done.code == 2
    assert "out/x.jsonl: already the output of set/x.json" in done.stderr
    (report,) = (folder / "r.json").read_text().splitlines()
    assert '"set/x.json"' in report
    (folder / "set" / "x.jsonl").write_bytes((folder / "set" / "x.json").read_bytes())
    assert run("convert", "set", "--to", "openai-chat", "--out-dir", "again").code == 0  # the same twice


def test_a_profile_in_use_is_learned_anew(run, folder):
    pytest.importorskip("numpy")
    done = run("learn", "chat.jsonl", "-o", "weights.toml", "--config", _in_use(folder), "--no-held-out")
    assert "weights.toml: is the" not in done.stderr
    assert done.code in (0, 1)


def _in_use(folder):
    (folder / "uses.toml").write_text('profile = "weights.toml"\n')
    return "uses.toml"
