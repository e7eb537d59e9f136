"""Settings for a command: files, the environment and its options, put together."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from compactor_cli.cli.files import read_text
from compactor_cli.cli.session import Session, open_session
from compactor_cli.configuration import variables
from compactor_cli.configuration.files import files_in_use, read_file, working_folder
from compactor_cli.configuration.keys import keys
from compactor_cli.configuration.layers import Entry, Layer, Origin, merge, reading_of, settings_of
from compactor_cli.configuration.values import checked, moment, written
from compactor_cli.errors import SettingsError, UsageError
from compactor_cli.model.transcript import Source
from compactor_cli.settings import Reading, Settings
from compactor_cli.tokens import PROBE

_OPTIONS = {
    "preset": "preset",
    "strategy": "strategy",
    "summarizer": "summarizer",
    "summary_role": "summary_role",
    "drop_outside": "drop_outside",
    "target_tokens": "target_tokens",
    "target_ratio": "target_ratio",
    "keep": "keep",
    "keep_last": "keep_last",
    "query": "query",
    "scorer": "scoring.scorer",
    "threshold": "scoring.threshold",
    "max_residuals": "scoring.max_residuals",
    "now": "scoring.now",
    "model": "model",
    "tokenizer": "tokenizer",
    "format": "format",
    "profile": "profile",
    "skip_damaged": "skip_damaged",
    "summary_prompt": "summarization.prompt",
    "llm_model": "llm.model",
    "fallback": "llm.fallback",
    "cache": "llm.cache",
    "max_cost": "llm.max_cost",
    "concurrency": "llm.concurrency",
    "database": "database_url",
    "archive": "archive.enabled",
    "manifest": "archive.manifest",
    "flush": "memory.auto_flush",
}
"""Parameters of commands -> the keys that they set."""


@dataclass(frozen=True, slots=True)
class Configured:
    """What a command works with, and where each value came from."""

    settings: Settings
    reading: Reading
    found: Mapping[str, Entry]
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


def configure(given: Mapping[str, Any]) -> Configured:
    """The effective settings for the options of a command, of which None and empty ones were not given.

    Raises SettingsError for anything in a file, a variable or an option that cannot be used.
    """
    environment, warnings = variables.layer_of(os.environ)
    files = files_in_use(config_of(given.get("config", "")), working_folder())
    found = merge([*map(read_file, files), environment, _options(given)])
    return Configured(settings_of(found), reading_of(found), found, tuple(warnings))


def config_of(option: str) -> str:
    """The file that is read instead of the user's and the project's; empty for none."""
    return option or os.environ.get(variables.CONFIG, "")


def _options(given: Mapping[str, Any]) -> Layer:
    layer: dict[str, Entry] = {}
    for name, key in _OPTIONS.items():
        value = given.get(name)
        if value is None or value in ("", []):
            continue
        option = "--" + name.replace("_", "-")
        layer[key] = Entry(_value(option, key, value), Origin("option", option))
    return layer


def _prompt(option: str, path: str) -> str:
    text = read_text(path)
    if not text.strip():
        raise UsageError(f"{option} {path}: the file is empty; leave the option out for the default prompt")
    return text


def _value(option: str, key: str, value: Any) -> Any:
    """The value of an option. Ranges are checked by the option itself, names of tools where they are used."""
    if key == "scoring.now":
        seconds = moment(value)
        if seconds is None:
            raise UsageError(f"--now {value!r} is no time; use ISO 8601 such as 2026-03-01T12:00:00Z")
        return seconds
    if key == "summarization.prompt":
        return _prompt(option, value)
    if key == "preset":
        try:
            return checked(keys()[key], value)
        except ValueError as error:
            raise SettingsError(f"{option} {written(value)}: {error}") from None
    return tuple(value) if isinstance(value, list) else value
