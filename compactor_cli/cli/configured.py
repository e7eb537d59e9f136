"""The settings of a command: merged from files, the environment and options."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from compactor_cli.cli.files import check_ends
from compactor_cli.configuration import layers
from compactor_cli.configuration.settings_files import files_in_use, read_file, working_folder
from compactor_cli.settings import ReadingSettings, Settings


class Configured(Struct, frozen=True):
    """The configuration of a command, with the origin of each value. It can be pickled."""

    settings: Settings
    reading: ReadingSettings
    values: Mapping[str, layers.SettingValue] = {}
    warnings: tuple[str, ...] = ()
    files: Mapping[str, str] = {}
    """File that was read for the configuration -> what it is: a settings file, or a file whose text is a value."""

    @property
    def probes(self) -> bool:
        """Return whether a provider should count the tokens."""
        from compactor_cli.tokens import PROBE  # slow, and most commands that only need settings count no tokens

        return self.reading.tokenizer == PROBE

    @property
    def tokenizer(self) -> str:
        """Return the name of the tokenizer that counts on this machine."""
        return "" if self.probes else self.reading.tokenizer


def configure(overrides: layers.Layer, config: str = "") -> Configured:
    """Return the effective settings. `config`: a file to read instead of the user's and the project's. Raises
    SettingsError for an invalid value, and InputError for a device that never ends."""
    environment, warnings = layers.environment_layer(os.environ)
    files = files_in_use(config_option(config), working_folder())
    for file in files:
        check_ends(str(file.path))
    values = layers.merge([*map(read_file, files), environment, overrides])
    read = {str(file.path): "settings file" for file in files}
    read |= {entry.file: "prompt file" for entry in values.values() if entry.file}
    return Configured(layers.make_settings(values), layers.make_reading_settings(values), values, tuple(warnings), read)


def config_option(option: str) -> str:
    """Return the settings file to read instead of the user's and the project's; empty if there is none."""
    return option or os.environ.get(layers.CONFIG_VARIABLE, "")


def forced_values(**values: Any) -> layers.Layer:
    """Return values without a section that a command sets itself, overriding files and variables."""
    return {name: layers.SettingValue(value, layers.Origin("command")) for name, value in values.items()}
