"""Run the commands of README and of the pages in docs/ as they are written.

The commands of a page run in order, in a folder with the sample transcripts, on a machine with one session of an agent.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest

from tests.builders import ROOT, clean_environment, run_process
from tests.program import write_program

SAMPLES = ROOT / "sample_transcripts"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# names that the pages use for a user's files
NAMED = {
    "session.jsonl": "openai-chat.jsonl",
    "next.jsonl": "anthropic-messages.jsonl",
    "rollout.jsonl": "codex.jsonl",
    "fixtures/one.jsonl": "memory-entries.jsonl",
    "sessions/chat.jsonl": "openai-chat.jsonl",
    "sessions/claude.jsonl": "claude-code.jsonl",
    "small.jsonl": "conversations.jsonl",
    "prompt.yaml": "prompt.yaml",
}
SESSION = "44df7d08-c48e-4689-922f-bf4e86f6266f"
NOT_RUN = {
    r"--summarizer llm|--tokenizer probe|--scorer classifier": "asks a model: tests_llm",
    r"^export|^cp ": "says where something is, or makes what is there",
    r"compactor browse": "needs a terminal: tests/browse",
    r"--decisions": "takes what was saved in the browser: tests/cli/test_decisions.py",
    r"\.\.\.$": "is the beginning of a command",
    r"memory list --database": "names a database that the page does not make",
}
ENDS = {
    r"tutorial.md: .* --target-tokens 40\b": 4,  # the page says so
    r"hooks.md: compactor hook (un)?install \w+( --project)?( +#.*)?$": 1,  # asks a question that nobody answers here
    r"shell.md: compactor compact session.jsonl --taget-ratio": 2,  # the page says so
    r"hooks.md: compactor restore": 1,  # no agent has compacted the session yet
}

_SHOWN = re.compile(r"^(?: {4}|\$ | {4}\$ )((?:compactor|cat|if|export|cp)\b.*)$", re.MULTILINE)


def commands_of(page):
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    text = re.sub(r"<!-- \[\[\[cog.*?\]\]\] -->|^```(?!text).+?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return [re.sub(r" \| head -\d+$", "", line) for line in _SHOWN.findall(text)]


def reason_not_to_run(command):
    return next((why for pattern, why in NOT_RUN.items() if re.search(pattern, command)), None)


def runnable(page):
    # help pages show every option of every command; tests/cli runs their examples
    return [] if page.name == "cli.md" else [c for c in commands_of(page) if reason_not_to_run(c) is None]


RUN = [page for page in PAGES if runnable(page)]


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """A folder with the samples and with files named as on the pages, and a home folder with a session of an agent."""
    here, home = tmp_path / "work", tmp_path / "home"
    shutil.copytree(SAMPLES, here / "sample_transcripts")
    for name, sample in NAMED.items():
        (here / name).parent.mkdir(exist_ok=True)
        shutil.copy(SAMPLES / sample, here / name)
    project = home / ".claude" / "projects" / "-home-sam-projects-stocktake"
    project.mkdir(parents=True)
    records = (SAMPLES / "claude-code.jsonl").read_bytes()
    (project / f"{SESSION}.jsonl").write_bytes(re.sub(rb'(?<="sessionId":")[\w-]+', SESSION.encode(), records))
    # settings that a page writes stay in its own home folder
    for name in ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(home))
    return here


def run_in_shell(command, folder):
    """Run a command with pipes, redirections or conditions. `compactor` is a program on the path."""
    write_program(folder.parent / "bin")
    variables = clean_environment(PATH=os.pathsep.join([str(folder.parent / "bin"), os.environ["PATH"]]))
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=folder, env=variables, capture_output=True, check=False
    )


def words_of(command, folder):
    """Return the words of a plain command as a shell passes them to the program: with file names expanded, without
    comments."""
    shown = ["bash", "-c", f"printf '%s\\0' {command.removeprefix('compactor')}"]
    return subprocess.run(shown, cwd=folder, capture_output=True, check=True).stdout.decode().split("\0")[:-1]


def run_one(command, folder):
    if re.search(r"[|>;]", command.partition("  #")[0]):
        done = run_in_shell(command, folder)
        return done.returncode, done.stderr.decode()
    done = run_process(*words_of(command, folder), cwd=folder)
    return done.code, done.stderr


def test_the_readme_and_most_pages_show_commands_that_run():
    assert {"README.md", "tutorial.md", "shell.md", "archive.md", "convert.md", "settings.md"} <= {p.name for p in RUN}
    assert sum(len(runnable(page)) for page in RUN) > 70


@pytest.mark.drawn(5)
@pytest.mark.parametrize("page", RUN, ids=lambda page: page.name)
def test_every_command_of_a_page_runs_in_its_order(workplace, page):
    wrong = []
    for command in runnable(page):
        code, said = run_one(command, workplace)
        if code != next((end for pattern, end in ENDS.items() if re.match(pattern, f"{page.name}: {command}")), 0):
            wrong.append(f"{command}\nexit code {code}: {said}")
    assert not wrong, "\n\n".join(wrong)


def in_place(page):
    """Return the commands of a page that replace the session whatever its size, and those that restore it."""
    return [command for command in runnable(page) if re.match(r"compactor (?!.*--if-needed).* --in-place", command)]


@pytest.mark.drawn(3)
@pytest.mark.parametrize("page", [p for p in RUN if any("restore" in c for c in in_place(p))], ids=lambda p: p.name)
def test_after_its_restore_a_session_is_what_it_was(workplace, page):
    before = (workplace / "session.jsonl").read_bytes()
    for command in in_place(page):
        code, said = run_one(command, workplace)
        assert code == 0, said
        assert ((workplace / "session.jsonl").read_bytes() == before) is ("restore" in command), command


@pytest.mark.parametrize("pattern", NOT_RUN)
def test_what_is_not_run_is_still_shown_somewhere(pattern):
    assert any(re.search(pattern, command) for page in PAGES for command in commands_of(page))


def test_every_picture_is_shown_somewhere():
    shown = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [p.name for p in (ROOT / "docs" / "pictures").iterdir() if f"pictures/{p.name})" not in shown] == []


def test_pictures_are_small_and_load_nothing():
    for picture in sorted((ROOT / "docs" / "pictures").iterdir()):
        text = picture.read_text(encoding="utf-8")
        assert len(text.encode()) < 60_000
        assert not re.search(r"url\((?!#)|href=|<script|@import", text), picture.name
