"""Make the pictures of README.md and of pages in docs/: what commands print on a terminal, as SVG.

`python docs/pictures.py` runs the commands and writes the pictures. `--check` compares instead (`make docs`,
`make docs-check`). The same output gives the same bytes.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
import tempfile
from io import StringIO
from pathlib import Path

import generated
from printed import printed
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

FOLDER = Path("docs/pictures")
WIDTH = 84
# FORCE_COLOR makes rich use colours although the output does not go to a terminal
_TERMINAL = {"COLUMNS": str(WIDTH), "FORCE_COLOR": "1", "TERM": "xterm-256color", "COMPACTOR_CONFIG": os.devnull}
_SILENT = ("NO_COLOR", "COLORTERM")

PICTURES = {
    "compact.svg": ("compactor compact session.jsonl --target-ratio 0.25 -o small.jsonl",),
    "diff.svg": (
        "compactor compact session.jsonl --target-ratio 0.25 -o small.jsonl --quiet",
        "compactor diff session.jsonl small.jsonl --lost 4",
    ),
}

BROWSED = "browse.svg"
"""The picture of the browser after the keys in `_KEYS`."""
_KEYS = ("g", "3", "enter", "k", "g", "5", "enter", "d", "down", "down", "down")

# the window is dark with a border, so that it is readable on light and on dark pages
_THEME = TerminalTheme(
    (24, 27, 36),
    (216, 222, 233),
    [
        *((59, 66, 82), (240, 113, 120), (134, 205, 130), (250, 208, 122)),
        *((124, 172, 248), (199, 146, 234), (94, 206, 214), (216, 222, 233)),
    ],
)
_SVG = """<svg class="{unique_id}" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img">
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px;
}}
.{unique_id}-title {{ font-family: system-ui, sans-serif; font-size: 18px; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def picture(name: str) -> str:
    """Run commands in a folder with a copy of the sample, and return the last one as a terminal shows it."""
    commands = PICTURES[name]
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(generated.SAMPLE, Path(folder) / "session.jsonl")
        shown = [_colored(command, Path(folder)) for command in commands]
    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text(f"$ {commands[-1]}", style="bold"), Text.from_ansi(shown[-1]), sep="\n")
    svg = console.export_svg(title="compactor", theme=_THEME, code_format=_SVG, unique_id=f"terminal-{Path(name).stem}")
    return "\n".join(line.rstrip() for line in svg.splitlines() if line.strip()) + "\n"


def browsed() -> str:
    """Return the browser on the sample after two decisions, as Textual draws it, without the fonts to be loaded."""
    os.environ["COMPACTOR_CONFIG"] = os.devnull
    for name in (*_SILENT, "TEXTUAL_THEME"):  # the program reads them when it is imported
        os.environ.pop(name, None)
    from compactor_cli.cli.commands import browse as command
    from compactor_cli.cli.configured import forced_values

    async def screen() -> str:
        desk, app = command.open_browser(command.BrowseOptions(file="session.jsonl"), forced_values(target_ratio=0.25))
        async with app.run_test(size=(96, 28)) as pilot:
            await app.settled.wait()
            for key in _KEYS:
                await pilot.press(key)
                await app.settled.wait()
            app.list.focus()
            await pilot.pause()
            picture: str = app.export_screenshot(title="compactor browse")
        desk.keeper.close()
        return picture

    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(generated.SAMPLE, Path(folder) / "session.jsonl")
        here = Path.cwd()
        os.chdir(folder)
        try:
            svg = asyncio.run(screen())
        finally:
            os.chdir(here)
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace(
        "font-family: Fira Code, monospace", 'font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace'
    )
    svg = re.sub(r"terminal-\d+", "browse", svg)
    return "\n".join(line.rstrip() for line in svg.splitlines() if line.strip()) + "\n"


def main(check: bool) -> int:
    """Write the pictures, or name those that differ from what the program shows. Return the exit code."""
    FOLDER.mkdir(exist_ok=True)
    stale = []
    for name in (*PICTURES, BROWSED):
        now, path = browsed() if name == BROWSED else picture(name), FOLDER / name
        if check and (not path.exists() or path.read_text(encoding="utf-8") != now):
            stale.append(path)
        elif not check:
            path.write_text(now, encoding="utf-8")
    for path in stale:
        print(f"{path} is not what the program shows now: make docs", file=sys.stderr)
    return 1 if stale else 0


def _colored(command: str, folder: Path) -> str:
    text, code = printed(command, folder, _TERMINAL, without=_SILENT)
    if code:
        raise SystemExit(f"{command}: exit code {code}\n{text}")
    return text.rstrip("\n")


if __name__ == "__main__":
    sys.exit(main(check=sys.argv[1:] == ["--check"]))
