"""Follow the recipes of CONTRIBUTING.md on a copy of the project: the steps that they name are sufficient."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.drawing import is_drawing

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text()
COPIED = (
    "compactor_cli",
    "tests",
    "tests_agents",
    "tests_llm",
    "ci",
    "sample_transcripts",
    "pyproject.toml",
    "README.md",
    "docs",
    "mkdocs.yml",
    "benchmarks",
)


def block(recipe):
    """Return the code that a recipe shows: the first block after its name."""
    (first, *_) = re.findall(r"```python\n(.*?)```", PAGE[PAGE.index(f"**{recipe}") :], re.DOTALL)
    return first


def edit(path, old, new):
    text = path.read_text()
    assert old in text, f"{path} has no {old!r}"
    path.write_text(text.replace(old, new, 1))


def with_import(path, line):
    edit(path, "\nfrom compactor_cli.", f"\n{line}\nfrom compactor_cli.")


def checked_before(root):
    """Return whether mypy has already checked a whole folder."""
    return (root / ".mypy_cache" / "complete").is_file()


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    root = tmp_path_factory.mktemp("recipes")
    for name in COPIED:
        place = ROOT / name
        # including compiled files, because most files stay unchanged
        shutil.copytree(place, root / name) if place.is_dir() else shutil.copy2(place, root / name)
    if checked_before(ROOT):  # then only new code has to be checked
        shutil.copytree(ROOT / ".mypy_cache", root / ".mypy_cache")
    package = root / "compactor_cli"

    (package / "formats/notes.py").write_text(block("A format."))
    line = '    "claude-code": ("claude_code.ClaudeCode", "type"),\n'
    edit(package / "formats/__init__.py", line, f'{line}    "notes": ("notes.Notes", "speaker"),\n')
    edit(
        root / "pyproject.toml",
        '  "compactor_cli.formats.openai_chat",\n',
        '  "compactor_cli.formats.openai_chat",\n  "compactor_cli.formats.notes",\n',
    )

    (package / "strategies/brief.py").write_text(block("A strategy."))
    line = '    "truncate": "truncate.Truncate",\n'
    edit(package / "strategies/__init__.py", line, f'{line}    "brief": "brief.Brief",\n')

    (package / "scoring/length.py").write_text(block("A scorer."))
    with_import(package / "scoring/__init__.py", "from compactor_cli.scoring.length import LengthScorer")
    line = "    LengthScorer.name: lambda model, prompt: LengthScorer(),\n"
    edit(package / "scoring/__init__.py", '    "classifier": _classifier,\n', f'    "classifier": _classifier,\n{line}')

    (package / "summaries/headlines.py").write_text(block("A summarizer."))
    with_import(package / "summaries/registry.py", "from compactor_cli.summaries.headlines import Headlines")
    line = "    Headlines.name: lambda settings, model: Headlines(),\n"
    edit(package / "summaries/registry.py", '    "llm": _llm,\n', f'    "llm": _llm,\n{line}')

    declaration, before = package / "settings/declaration.py", "    query: str = setting("
    edit(declaration, before, block("A setting") + before)

    (package / "cli/commands/count.py").write_text(block("A command"))
    edit(package / "cli/command_table.py", "_SUMMARIES = {\n", '_SUMMARIES = {\n    "count": "Count the messages.",\n')
    return root


@pytest.fixture
def tool(copy):
    """Run a Python module in the copy, and return what it printed. Fail if it fails."""

    def runner(*args, code=0, **variables):
        env = {**os.environ, "PYTHONPATH": str(copy), "COMPACTOR_CONFIG": os.devnull, "COLUMNS": "100", **variables}
        done = subprocess.run(
            [sys.executable, "-m", *map(str, args)],
            check=False,
            cwd=copy,
            env=env,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    return runner


SAMPLE = "sample_transcripts/openai-chat.jsonl"
ONE_IN_THREE = pytest.mark.one_test_in(3)


@ONE_IN_THREE
def test_a_format_is_recognised_compacted_and_written(copy, tool):
    path = copy / "talk.jsonl"
    says = [f"{'Please' if n % 2 == 0 else 'Done:'} rename the function number {n} in the module." for n in range(40)]
    path.write_text(
        "".join(json.dumps({"speaker": ("me", "it")[n % 2], "says": text}) + "\n" for n, text in enumerate(says))
    )
    assert json.loads(tool("compactor_cli", "inspect", path, "--json"))["transcript"]["format"] == "notes"
    tool("compactor_cli", "compact", path, "--target-ratio", "0.5", "-o", copy / "short.jsonl")
    out = [json.loads(line) for line in (copy / "short.jsonl").read_text().splitlines()]
    assert all(set(record) == {"speaker", "says"} for record in out)
    assert out[-1]["says"] in says[-2:] and len(out) < 40


@ONE_IN_THREE
def test_a_strategy_compacts_also_where_a_model_is_to_write(copy, tool):
    tool("compactor_cli", "compact", SAMPLE, "--strategy", "brief", "--target-ratio", "0.5", "-o", copy / "brief.jsonl")
    assert "brief" in tool("compactor_cli", "strategies")
    report = json.loads(
        tool(
            *(
                "compactor_cli",
                "compact",
                SAMPLE,
                "--strategy",
                "brief",
                "--target-ratio",
                "0.5",
                "--dry-run",
                "--json",
            ),
            *("--summarizer", "llm", "--llm-model", "openai/gpt-4o-mini"),
        )
    )
    assert report["strategy"] == "brief"
    assert report["model"]["requests"] > 0


@ONE_IN_THREE
def test_a_scorer_scores(tool):
    scored = json.loads(tool("compactor_cli", "score", SAMPLE, "--scorer", "length", "--json"))
    assert {factor["name"] for message in scored["messages"] for factor in message["factors"]} == {"length"}


@ONE_IN_THREE
def test_a_summarizer_writes(copy, tool):
    given = ("--strategy", "rolling", "--summarizer", "headlines", "--target-ratio", "0.5", "-o", "headlines.jsonl")
    tool("compactor_cli", "compact", SAMPLE, *given)
    assert re.search(r"#\d+ user: ", (copy / "headlines.jsonl").read_text())


@ONE_IN_THREE
def test_a_setting_has_an_option_a_variable_and_a_key(tool):
    assert "Words to greet with; default: none." in re.sub(r"\s+", " ", tool("compactor_cli", "compact", "--help"))
    assert tool("compactor_cli", "config", "get", "greeting", COMPACTOR_GREETING="hi") == "hi\n"


@ONE_IN_THREE
def test_a_command_runs_with_the_options_of_settings(tool):
    assert tool("compactor_cli", "count", SAMPLE, "--greeting", "hi", "--tokenizer", "chars", code=2) == ""
    assert tool("compactor_cli", "count", SAMPLE, "--greeting", "hi") == "109\n"
    assert "count" in tool("compactor_cli", "--help")


def test_the_checks_pass_with_all_of_them(copy, tool):
    # the recipes change only the package; checking the rest too takes half as long again
    tool("mypy", *(["compactor_cli"] if is_drawing() else []))
    tool("ruff", "check", "--fix", "--select", "I", "compactor_cli")  # sorting imports is left to an editor
    tool("ruff", "check", "compactor_cli")
    tool("ruff", "format", "--check", "compactor_cli")
    contracts = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        check=False,
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert contracts.returncode == 0, contracts.stdout


def test_the_tests_of_their_neighbours_pass_with_all_of_them(tool):
    places: tuple[str, ...] = ("scoring", "settings", "summaries", "formats/test_detection.py", "cli/test_taking.py")
    if is_drawing():  # the tests that go through everything registered
        registered = ("settings/test_values.py", "settings/test_template.py", "settings/test_layers.py")
        places = (*registered, "scoring/test_factors.py", places[3])
    tool("pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", *(f"tests/{name}" for name in places))
