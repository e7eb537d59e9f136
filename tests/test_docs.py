"""Everything that the documentation names exists: files, folders, decisions, sections, commands and their options."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import tomli
import typer

from compactor_cli.agents import AGENTS
from compactor_cli.cli.app import app
from compactor_cli.configuration.checked_values import parse_value
from compactor_cli.configuration.keys import keys
from compactor_cli.formats import FORMATS
from compactor_cli.resuming import AGENTIC
from tests.builders import ROOT

PACKAGE = ROOT / "compactor_cli"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
OF_THE_CODE = ("docs/architecture.md", "docs/internals.md", "CONTRIBUTING.md")
DECISIONS = {int(path.name[:4]): path for path in (ROOT / "docs" / "decisions").glob("*.md")}

_NAMED = re.compile(r"`([\w./-]+(?:/|\.(?:py|md|toml|json|txt)))`")
_OF_USERS = {"compactor.toml", "prompt.yaml"}
_DECISION = re.compile(r"\bdecisions?[ /]\[?(\d{1,4}(?:(?:, | and )\d{1,4})*)\b")
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)")


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def texts():
    """Return the texts of the code, its tests and the documentation."""
    folders = (PACKAGE, ROOT / "tests", ROOT / "docs", ROOT / "benchmarks")
    return [*ROOT.glob("*.md"), *(p for folder in folders for kind in ("*.py", "*.md") for p in folder.rglob(kind))]


def is_there(name):
    """Return whether a path exists in the project or in the package, or a bare file name anywhere in the package. NAME
    stands for any name."""
    pattern = name.rstrip("/").replace("NAME", "*")
    if "/" in name.rstrip("/") or name.endswith("/"):
        return any(any(base.glob(pattern)) for base in (ROOT, PACKAGE))
    return (ROOT / name).exists() or any(PACKAGE.rglob(pattern))


@pytest.mark.parametrize("page", OF_THE_CODE)
def test_every_path_that_is_named_exists(page):
    named = set(_NAMED.findall((ROOT / page).read_text(encoding="utf-8"))) - _OF_USERS
    assert len(named) > 20
    assert [name for name in sorted(named) if not is_there(name)] == []


def test_every_folder_of_the_package_has_its_place_among_the_layers():
    table = (
        (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("## Layers")[2].partition("\n## ")[0]
    )
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert [name for name in sorted(folders) if f"`{name}/`" not in table] == []


def test_every_decision_that_is_referred_to_exists():
    found = {
        (name_of(path), int(number))
        for path in texts()
        for match in _DECISION.finditer(path.read_text(encoding="utf-8"))
        for number in re.findall(r"\d+", match[1])
    }
    assert len(found) > 20
    assert [(page, number) for page, number in sorted(found) if number not in DECISIONS] == []


def test_decisions_are_numbered_once_and_say_their_number():
    assert len(DECISIONS) == len(list((ROOT / "docs" / "decisions").iterdir()))
    for number, path in DECISIONS.items():
        assert path.read_text(encoding="utf-8").startswith(f"# {number}. "), path.name


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page):
    for target, anchor in _LINK.findall(page.read_text(encoding="utf-8")):
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), f"{target} is not there"
        if anchor:
            assert anchor[1:] in anchors(file), f"{target}{anchor} is not there"


def anchors(file: Path):
    """Return the headings of a page in the form that links use."""
    headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def test_every_format_has_a_section_that_says_what_is_read_of_it():
    headings = re.findall(r"^## (\S+)$", (ROOT / "docs" / "formats.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(FORMATS) <= set(headings)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_section_stands_twice_in_a_page(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    headings = [line for line in lines if line.startswith("## ")]
    assert [line for line in headings if headings.count(line) > 1] == []


@pytest.mark.parametrize(
    ("known", "contract"),
    [
        (FORMATS, "No format imports another"),
        (AGENTS, "No agent imports another"),
        (AGENTIC, "No agent's way of going on imports another"),
    ],
)
def test_none_is_left_out_of_its_contract(known, contract):
    contracts = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    (modules,) = (one["modules"] for one in contracts if one["name"] == contract)
    assert len(modules) == len(set(modules)) == len(known)


def shown():
    """Return the page and the words of every command that the documentation shows."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        for line in re.findall(r"^(?: {4}|\$ )(?:\S.*\| |\w+=\S+ )?(compactor .*)$", text, re.MULTILINE):
            words = shlex.split(re.split(r" [|>&]|  #", line)[0], comments=True)
            yield name_of(page), tuple(words[1:])


def command_of(words):
    """Return the command that some words name, and its arguments."""
    command, rest = typer.main.get_command(app), list(words)
    while hasattr(command, "commands") and rest and rest[0] in command.commands:
        command = command.commands[rest.pop(0)]
    return command, rest


COMMANDS = sorted(set(shown()))


def test_commands_are_shown():
    assert len(COMMANDS) > 150


@pytest.mark.parametrize(("page", "words"), COMMANDS, ids=[f"{page}: {' '.join(words)}" for page, words in COMMANDS])
def test_every_command_that_is_shown_exists_with_its_options(page, words):
    command, rest = command_of(words)
    options = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    options |= {"--help", "-h"}
    given = {word.partition("=")[0] for word in rest if re.match(r"--?\w", word)}
    assert given <= options
    # after a group, only a command or an option may follow
    assert not hasattr(command, "commands") or not rest or rest[0].startswith("-")


def test_every_key_of_the_chat_is_a_setting_and_takes_the_value():
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `/compact config (\w+ [\w.]+)` \| (.+) \|$", page, re.MULTILINE)
    for chat, here in rows:
        found = re.fullmatch(r"`compactor config set (\S+) (\S+)`", here)
        assert found, f"{chat}: {here}"
        assert parse_value(keys()[found[1]], found[2]) is not None
    assert len(rows) == 4
