"""Settings for a command: files, the environment and its options, put together."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from compactor_cli.cli.session import Session, open_session
from compactor_cli.model.transcript import Source
from compactor_cli.settings import ReadingSettings, Settings, variables
from compactor_cli.settings.layers import Layer, Origin, SettingValue, merge, reading_of, settings_of
from compactor_cli.settings.settings_files import files_in_use, read_file, working_folder
from compactor_cli.tokens import PROBE


class Configured(Struct, frozen=True):
    """What a command works with, and where each value came from."""

    settings: Settings
    reading: ReadingSettings
    found: Mapping[str, SettingValue]
    warnings: tuple[str, ...] = ()

    @property
    def probes(self) -> bool:
        """Whether a provider is to count."""
        return self.reading.tokenizer == PROBE

    def load(self, session: Session, path: str) -> Source:
        """A file, counted as the settings say."""
        if not self.probes:
            return session.load(path)
        from compactor_cli.cli.probing import load_probed

        return load_probed(session, path, self.settings)

    def session(self, *, quiet: bool, profile: bool = False, probes: bool = False) -> Session:
        """A session that reads as the settings say; with the weights of `profile` where a command uses them.
        `probes`: the command can have a provider count."""
        reading = self.reading
        session = open_session(
            tokenizer="" if reading.tokenizer == PROBE else reading.tokenizer,
            model=reading.model,
            format=reading.format,
            skip_damaged=reading.skip_damaged,
            quiet=quiet,
            profile=reading.profile if profile else "",
        )
        for warning in self.warnings:
            session.warn(warning)
        if self.probes and not probes:
            session.warn(f"--tokenizer probe is not used here: tokens are counted by {session.local.name}")
        return session


def configure(given: Layer, config: str = "") -> Configured:
    """The effective settings. `given`: those that options set; `config`: the file that is read instead of others.

    Raises SettingsError for anything in a file or a variable that cannot be used.
    """
    environment, warnings = variables.layer_of(os.environ)
    files = files_in_use(config_of(config), working_folder())
    found = merge([*map(read_file, files), environment, given])
    return Configured(settings_of(found), reading_of(found), found, tuple(warnings))


def config_of(option: str) -> str:
    """The file that is read instead of the user's and the project's; empty for none."""
    return option or os.environ.get(variables.CONFIG, "")


def forced(**values: Any) -> Layer:
    """Keys without a section that a command sets itself, whatever files and variables say."""
    return {name: SettingValue(value, Origin("command")) for name, value in values.items()}
