"""Generate the files for the shell: the words for completion, and the manual page.

`python docs/shell.py` writes compactor_cli/shell/words.json and compactor.1 from the commands. `--check` compares
instead (`make docs`, `make docs-check`).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import manual
import typer

from compactor_cli.agents import AGENTS
from compactor_cli.cli.app import app
from compactor_cli.cli.commands.hook import HOOKED_AGENTS
from compactor_cli.cli.compact_job import ANNOTATIONS, EMITS, ENGINES
from compactor_cli.configuration.keys import PRESETS, Key, keys
from compactor_cli.converting import TARGETS
from compactor_cli.formats import FORMATS
from compactor_cli.memory.conditions import ORDERS
from compactor_cli.model.memory import CATEGORIES
from compactor_cli.scoring import SCORERS
from compactor_cli.strategies import STRATEGIES
from compactor_cli.summaries.registry import SUMMARIZERS
from compactor_cli.tokens import TOKENIZERS
from compactor_cli.views.survival.result import CATEGORIES as SURVIVING

FOLDER = Path("compactor_cli/shell")

KINDS = {
    **dict.fromkeys(("file", "files", "paths", "before", "after", "out", "output", "config", "profile"), "files"),
    **dict.fromkeys(
        ("prompt", "summary_prompt", "report", "html", "sarif", "database", "transcript", "decisions"), "files"
    ),
    **dict.fromkeys(("out_dir", "project", "cwd"), "dirs"),
    **dict.fromkeys(("latest", "agents"), "agents"),
    **dict.fromkeys(("model", "llm_model"), "models"),
    "session": "sessions",
    "value": "key values",
    "agent": "hooks",
    "annotations": "annotations",
    "category": "categories",
    "emit": "emits",
    "engine": "engines",
    "fail_under": "survival",
    "format": "formats",
    "key": "keys",
    "order": "orders",
    "preset": "presets",
    "scorer": "scorers",
    "shell": "shells",
    "strategy": "strategies",
    "summarizer": "summarizers",
    "summary_role": "roles",
    "to": "targets",
    "tokenizer": "tokenizers",
}
"""Parameter of a command -> kind of its values: files, dirs, a list in `VALUES`, or something looked up at each Tab."""

VALUES = {
    "agents": [(name, one.title) for name, one in AGENTS.items()],
    "annotations": [(name, "") for name in ANNOTATIONS],
    "categories": [(name, "") for name in CATEGORIES],
    "emits": [(name, "") for name in EMITS],
    "engines": [(name, "") for name in ENGINES],
    "formats": [(name, one.title) for name, one in FORMATS.items()],
    "hooks": [(name, one.title) for name, one in HOOKED_AGENTS.items()],
    "keys": [(name, key.meaning) for name, key in keys().items()],
    "orders": [(name, "") for name in ORDERS],
    "presets": [(name, one.purpose) for name, one in PRESETS.items()],
    "roles": [(name, "") for name in ("user", "assistant", "system")],
    "scorers": [(name, "") for name in SCORERS],
    "shells": [(name, "") for name in ("bash", "zsh", "fish")],
    "strategies": [(name, one.purpose) for name, one in STRATEGIES.items()],
    "summarizers": [(name, "") for name in SUMMARIZERS],
    "survival": [(f"{name}=", "") for name in (*SURVIVING, "saved")],
    "targets": [(name, FORMATS[name].title if name in FORMATS else "") for name in TARGETS],
    "tokenizers": [(name, "") for name in TOKENIZERS],
}


def words() -> str:
    """Return the table that `cli/completing.py` reads, with one line per command and per option."""
    options: dict[str, dict[str, Any]] = {}
    lines = {name: _entry(name, command, options) for name, command in commands().items()}
    values = {key.name: _values(key) for key in keys().values() if _values(key)}
    parts = {"commands": lines, "options": options, "values": VALUES, "keys": values}
    return "{\n" + ",\n".join(f'"{name}": {_lines(entries)}' for name, entries in parts.items()) + "\n}\n"


def commands() -> dict[str, Any]:
    """Return all commands by what the user types for them; "" is the program itself."""
    program: Any = typer.main.get_command(app)
    found = {"": program}
    for name, command in program.commands.items():
        found[name] = command
        found |= {f"{name} {inner}": one for inner, one in getattr(command, "commands", {}).items()}
    return found


def _entry(name: str, command: Any, options: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the entry of a command. Its options are added to `options`, each once."""
    context = command.make_context("compactor", [], resilient_parsing=True)
    parameters = command.get_params(context)
    arguments = [one for one in parameters if one.param_type_name == "argument"]
    return {
        "help": command.get_short_help_str(limit=200) if name else "",
        "commands": list(getattr(command, "commands", {})),
        "arguments": [KINDS.get(one.name, "") for one in arguments],
        "many": any(one.nargs == -1 for one in arguments),
        "options": [_known(one, name, options) for one in parameters if one.param_type_name == "option"],
    }


def _known(option: Any, command: str, options: dict[str, dict[str, Any]]) -> str:
    """Return the name of an option in the table. Add its command if another command has a different option of that
    name."""
    name, entry = max(option.opts, key=len), _option(option)
    name = name if options.setdefault(name, entry) == entry else f"{name} of {command}"
    options[name] = entry
    return name


def _option(option: Any) -> dict[str, Any]:
    metavar = option.metavar or ""
    kind = KINDS.get(option.name, "") + ("," if metavar == "NAME,..." else "")
    if metavar in ("FILE", "DIR", "PATH") and not kind:
        raise SystemExit(f"what does {option.opts[0]} take, files or folders? Say it in KINDS in docs/shell.py")
    return {
        "names": sorted([*option.opts, *option.secondary_opts], key=lambda name: (len(name), name)),
        "value": None if option.is_flag else kind,
        "maybe": metavar.startswith("["),
        "many": option.multiple,
        "help": manual.first_sentence(option.help or ""),
    }


def _values(key: Key) -> list[str]:
    """Return the values of a settings key if there is a fixed choice; else an empty list."""
    return ["true", "false"] if key.kind is bool else [choice for choice in key.choices if choice]


def _lines(entries: dict[str, Any]) -> str:
    shown = [f"  {json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}" for name, entry in entries.items()]
    return "{\n" + ",\n".join(shown) + "\n}"


def main(*, check: bool) -> int:
    stale = []
    for name, made in (("words.json", words()), ("compactor.1", manual.page(commands()))):
        file = FOLDER / name
        if check and (not file.is_file() or file.read_text(encoding="utf-8") != made):
            stale.append(str(file))
        elif not check:
            file.write_text(made, encoding="utf-8", newline="\n")
    if stale:
        print(f"not what the commands are: {', '.join(stale)}; run `make docs`")
    return len(stale)


if __name__ == "__main__":
    sys.exit(main(check="--check" in sys.argv[1:]))
