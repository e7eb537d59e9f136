"""Generate the generated parts of README.md and of pages in docs/: `make docs` writes them, `make check` compares.

cog runs the calls to this module in the comments of those files, from the root of the repository. All output shown is
what the program really prints; if a command ends with `| head -N`, it is the first N lines.
"""

from __future__ import annotations

import dataclasses
import inspect
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import tomli
import typer
from printed import printed

import compactor_cli
from compactor_cli.agents import AGENTS
from compactor_cli.agents.base import Machine
from compactor_cli.cli.app import app
from compactor_cli.configuration.checked_values import describe_allowed, display_value
from compactor_cli.configuration.keys import PRESETS, Key, keys
from compactor_cli.converting import TARGETS
from compactor_cli.features.name_features import BY_CLASS, CLASSES, SIGNALS
from compactor_cli.formats import FORMATS
from compactor_cli.resuming import AGENTIC
from compactor_cli.strategies import STRATEGIES

_PLAIN = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "COMPACTOR_CONFIG": os.devnull}
SAMPLE = Path("sample_transcripts/openai-chat.jsonl")


def commands() -> str:
    """Return a table of the commands, each with the first sentence of its help."""
    found = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # it is a group
    rows = [f"| `compactor {name}` | {command.get_short_help_str(limit=200)} |" for name, command in found.items()]
    return "\n".join(["", "| command | what it does |", "|---|---|", *rows, ""])


def help_pages() -> str:
    """Return the help of the program and of every command, with subcommands after their command."""
    names = [""]
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]  # it is a group
        names += [name, *(f"{name} {part}" for part in getattr(command, "commands", ()))]
    titles = [f"compactor {name}".rstrip() for name in names]
    pages = [(title, _output(f"{title} --help", Path.cwd())) for title in titles]
    return "\n".join(f"\n## {title}\n\n```text\n{text}\n```" for title, text in pages) + "\n"


def run(*commands: str) -> str:
    """Return what commands print, run one after the other in a folder with a copy of the sample."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(SAMPLE, Path(folder) / "session.jsonl")
        shown = [f"$ {command}\n{_shown(command, Path(folder))}".rstrip() for command in commands]
    return "\n```text\n" + "\n\n".join(shown) + "\n```\n"


def refused(command: str) -> str:
    """Return what a command prints, on a copy of the sample, that must end with an exit code other than 0."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(SAMPLE, Path(folder) / "session.jsonl")
        text, code = _ended(command, Path(folder))
    if not code:
        raise SystemExit(f"{command}: exit code 0")
    return f"\n```text\n$ {command}\n{text}\n$ echo $?\n{code}\n```\n"


def strategies() -> str:
    """Return a table of the strategies: what they do, and what they are for."""
    rows = [f"| `{s.name}` | {s.purpose} | {s.suits} |" for s in STRATEGIES.values()]
    return "\n".join(["", "| strategy | what it does | what it is for |", "|---|---|---|", *rows, ""])


def formats() -> str:
    """Return a table of the formats, and of which ones `convert` can write."""
    rows = [f"| `{f.name}` | {f.title} | {'yes' if f.name in TARGETS else ''} |" for f in FORMATS.values()]
    return "\n".join(["", "| format | what it is | `convert --to` |", "|---|---|---|", *rows, ""])


def format_names() -> str:
    """Return the names of the formats, separated by commas."""
    return ", ".join(f"`{name}`" for name in FORMATS)


_SETS = {
    "derived-claude-code-entire-cli": "Claude Code",
    "derived-codex-agentv": "Codex",
    "swe-agent": "SWE-agent",
    "tau-bench": "airline agents (tau-bench)",
}


def survival() -> str:
    """Return a table of the figures in the shipped profile for sessions that its weights were not learned on."""
    profile = tomli.loads(Path("compactor_cli/profiles/default.toml").read_text(encoding="utf-8"))
    held, sessions = profile["held_out"], profile["sources"]
    rows = [
        _survival_row(f"{words}, {sessions[name]} sessions", held["sources"][name]) for name, words in _SETS.items()
    ]
    rows.append(_survival_row(f"all {profile['sessions']} sessions", held["all"]))
    head = [
        "| still there of what was needed | cut to 10% | old outputs left out | cut to 25% | old outputs left out |",
        "|---|---|---|---|---|",
    ]
    return "\n".join(["", *head, *rows, ""])


def _survival_row(title: str, figures: dict[str, dict[str, float]]) -> str:
    cells = [figures[way][f"linked_{share}"] for share in (10, 25) for way in ("by_session", "mask")]
    return f"| {title} | {' | '.join(f'{cell:.0%}' for cell in cells)} |"


def api() -> str:
    """Return the reference of the Python API: names, parameters and docstrings of `compactor_cli`."""
    return "\n" + "\n\n".join(_api_entry(name, getattr(compactor_cli, name)) for name in compactor_cli.__all__) + "\n"


def _api_entry(name: str, thing: Any) -> str:
    text = inspect.getdoc(thing) or ""
    names = [field.name for field in dataclasses.fields(thing)] if dataclasses.is_dataclass(thing) else ()
    if names := getattr(thing, "__struct_fields__", names):
        fields = ", ".join(f"`{name}`" for name in names)
        return f"## {name}\n\n{text}\n\nFields: {fields}."
    if inspect.isclass(thing):
        return f"## {name}\n\n{text}"
    parameters = list(inspect.signature(thing).parameters.values())
    lines = [_parameter(parameter) for parameter in parameters]
    named = next((at for at, one in enumerate(parameters) if one.kind is inspect.Parameter.KEYWORD_ONLY), None)
    if named is not None:
        lines.insert(named, "    *,")
    shown = "\n".join([f"{name}(", *lines, f") -> {thing.__annotations__['return']}"])
    return f"## {name}\n\n```python\n{shown}\n```\n\n{text}"


def _parameter(one: inspect.Parameter) -> str:
    default = "" if one.default is inspect.Parameter.empty else f" = {one.default!r}"
    return f"    {one.name}: {one.annotation}{default},"


def decisions() -> str:
    """Return a list of the decisions, by title."""
    pages = sorted(Path("docs/decisions").glob("*.md"))
    titles = [page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ") for page in pages]
    rows = [f"- [{title}](decisions/{page.name})" for title, page in zip(titles, pages, strict=True)]
    return "\n".join(["", *rows, ""])


def targets() -> str:
    """Return a table of what each target of `convert` keeps of messages and results besides their content."""
    kept = {
        "time": "times",
        "failed": "failed results",
        "injected": "what a harness said",
        "author": "names of authors",
    }
    rows = [
        f"| `{target.name}` | {', '.join(words for key, words in kept.items() if key in target.holds) or 'none'} "
        f"| {'several' if target.many else 'one'} |"
        for target in TARGETS.values()
    ]
    return "\n".join(["", "| target | besides what was said | sessions a file |", "|---|---|---|", *rows, ""])


def carried_on() -> str:
    """Return a table of what `--emit native` appends to the sessions of each agent."""
    rows = [f"| `{way.format}` | {way.appends} |" for way in AGENTIC.values()]
    return "\n".join(["", "| format | appended |", "|---|---|", *rows, ""])


def agents() -> str:
    """Return a table of the agents: their names, where their sessions are, the variables that change that place, and
    how they continue a session."""
    rows = []
    for known in AGENTS.values():
        asked = _Asked()
        folders = known.folders(Machine(Path("~"), asked))
        cells = (
            known.title,
            ", ".join(f"`{name}`" for name in known.names),
            ", ".join(f"`{folder.as_posix()}`" for folder in folders),
            ", ".join(f"`{variable}`" for variable in asked.names),
            f"`{known.resume.format(id='ID', path='FILE')}`" if known.resume else "",
        )
        rows.append(f"| {' | '.join(cells)} |")
    head = ["| agent | names | its sessions are in | variables | goes on with |", "|---|---|---|---|---|"]
    return "\n".join(["", *head, *rows, ""])


class _Asked(dict[str, str]):
    """An environment without variables that records which ones were read."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def get(self, name: str, default: str = "") -> str:  # type: ignore[override]  # all defaults here are texts
        self.names += [] if name in self.names else [name]
        return default


def signals() -> str:
    """Return tables of the signals that a profile weighs, and of the classes of names for which some signals have a
    further weight."""
    rows = [f"| `{name}` | {meaning} |" for name, meaning in SIGNALS.items()]
    classes = [f"| `{name}` | {', '.join(kinds)} |" for name, kinds in CLASSES.items()]
    further = ", ".join(f"`{name}`" for name in BY_CLASS)
    return "\n".join(
        [
            *("", "| signal | what it measures |", "|---|---|", *rows, ""),
            f"{further} have a further weight for each class of kinds (`agent.path`):",
            *("", "| class | kinds |", "|---|---|", *classes, ""),
        ]
    )


def settings() -> str:
    """Return a table of all keys of settings files."""
    rows = [f"| `{key.name}` | {_default(key)} | {describe_allowed(key)} | {key.meaning} |" for key in keys().values()]
    return "\n".join(["", "| key | default | allowed | meaning |", "|---|---|---|---|", *rows, ""])


def presets() -> str:
    """Return a table of the presets, with the keys that each one sets."""
    rows = []
    for name, preset in PRESETS.items():
        values = ", ".join(f"`{key}` {'unset' if v is None else display_value(v)}" for key, v in preset.values.items())
        rows.append(f"| `{name}` | {preset.purpose} | {values} |")
    return "\n".join(["", "| preset | in words | sets |", "|---|---|---|", *rows, ""])


def _default(key: Key) -> str:
    return "unset" if key.default is None else "empty" if key.default in ("", ()) else f"`{display_value(key.default)}`"


def _shown(command: str, folder: Path) -> str:
    """Return what a command prints; only the first lines if it ends with `| head -N`."""
    command, _, most = command.partition(" | head -")
    lines = _output(command, folder).splitlines()
    return "\n".join(lines[: int(most)] if most else lines)


def _output(command: str, folder: Path) -> str:
    """Return what a command prints. Raise SystemExit when it fails."""
    text, code = _ended(command, folder)
    if code:
        raise SystemExit(f"{command}: exit code {code}\n{text}")
    return text


def _ended(command: str, folder: Path) -> tuple[str, int]:
    """Return standard error and standard output of a command, without trailing blanks, and its exit code."""
    text, code = printed(command, folder, _PLAIN)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()), code


def measured(name: str) -> str:
    """Return the last recorded output of a benchmark."""
    text = Path("benchmarks", "results", f"{name}.txt").read_text(encoding="utf-8")
    return f"```text\n{text.rstrip()}\n```"
