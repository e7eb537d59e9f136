"""No output takes the place of a file that the run reads, or of another output."""

from __future__ import annotations

import json

import pytest

from tests.builders import compact, exchanges, jsonl

HALF = ("--target-ratio", "0.5", "--tokenizer", "chars")
CHAT = jsonl(*exchanges(15))
PROMPT = ("--prompt", "prompt.yaml", "--total", "2k")


@pytest.fixture
def folder(tmp_path):
    """A session, a second one, and a file of each kind that a run reads besides."""
    (tmp_path / "chat.jsonl").write_bytes(CHAT)
    (tmp_path / "other.jsonl").write_bytes(jsonl(*exchanges(12)))
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
        (["--report", "-"], "--report -: standard output has what -o writes"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_two_outputs_of_compact_have_two_names(run, folder, arguments, words):
    assert words in refused(run, folder, "compact", "chat.jsonl", *HALF, *arguments)


def test_two_outputs_of_other_commands_have_two_names(run, folder):
    for command in (["convert", "chat.jsonl", "--to", "openai-chat"], ["assemble", "chat.jsonl", *PROMPT]):
        assert "is also named by -o" in refused(run, folder, *command, "-o", "z.jsonl", "--report", "z.jsonl")


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
    (folder / "set" / "x.json").write_bytes(jsonl(*exchanges(4)))
    (folder / "set" / "x.jsonl").write_bytes(CHAT)
    done = run("convert", "set", "--to", "openai-chat", "--out-dir", "out", "--report", "r.json")
    assert done.code == 2
    assert "out/x.jsonl: is the output of set/x.json" in done.stderr
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
