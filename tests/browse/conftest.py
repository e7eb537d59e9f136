"""The browser on a session, controlled by keys."""

from __future__ import annotations

import asyncio
from dataclasses import fields

import pytest
from textual._compositor import Compositor

from compactor_cli.cli.commands import browse as command
from compactor_cli.cli.configured import forced_values


class Seen:
    """A browser that runs without a terminal, as a user sees it."""

    def __init__(self, app, desk, pilot):
        self.app, self.desk, self.pilot = app, desk, pilot

    async def keys(self, *keys):
        """Press keys, and wait until everything that follows is computed and drawn."""
        await self.pilot.press(*keys)
        await self.app.settled.wait()
        await self.pilot.pause()

    async def type(self, text, *then):
        """Type into an input line, then press keys."""
        await self.pilot.press(*text)
        await self.keys(*then)

    def screen(self):
        """Return the lines that the screen shows."""
        width = self.app.size.width
        lines = self.app.screen._compositor.render_strips()
        return [strip.text[:width] for strip in lines]

    def text(self):
        return "\n".join(self.screen())

    @property
    def rows(self):
        """Return number of a message -> what becomes of it."""
        return {row.number: row.fate for row in self.app.view.rows if row.spot}

    @property
    def shown(self):
        return [row.number for row in self.app.list.shown_rows if row.spot]


def undrawn(compositor, *_, **__):
    """Skip drawing to a terminal that does not exist, which takes most of the time of a key."""
    compositor._dirty_regions.clear()


@pytest.fixture
def browse(tmp_path, monkeypatch):
    """Return a function that runs `scenario(seen)` on a browser opened with options of the command. The screen is drawn
    when a test looks at it; with `drawn`, also as soon as anything changes."""
    monkeypatch.chdir(tmp_path)

    def run(scenario, file, *, size=(100, 30), drawn=False, **options):
        if not drawn:
            monkeypatch.setattr(Compositor, "render_update", undrawn)
        own = {field.name for field in fields(command.BrowseOptions)}
        asked = command.BrowseOptions(file=str(file), **{name: options[name] for name in options if name in own})
        given = forced_values(tokenizer="chars", **{name: options[name] for name in options if name not in own})

        async def main():
            desk, app = command.open_browser(asked, given)
            async with app.run_test(size=size) as pilot:
                seen = Seen(app, desk, pilot)
                await seen.keys()
                await app.settled.wait()
                await pilot.pause()
                await scenario(seen)
            desk.keeper.close()
            return desk, app

        return asyncio.run(main())

    return run
