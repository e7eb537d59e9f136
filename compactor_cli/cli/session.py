"""Create what every command that reads transcripts needs: settings, a counter and two consoles."""

from __future__ import annotations

import dataclasses
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from msgspec.structs import asdict, replace

from compactor_cli.cli.configured import Configured, configure
from compactor_cli.cli.files import read_text, split_warning, write_bytes
from compactor_cli.cli.gathering import read_session
from compactor_cli.cli.progress import NoSteps, Steps, steps
from compactor_cli.configuration.layers import Layer
from compactor_cli.formats import check_name
from compactor_cli.formats.loading import load
from compactor_cli.model.content import Content
from compactor_cli.model.report import ModelUse, Usage
from compactor_cli.model.transcript import Source, Transcript
from compactor_cli.pipeline.one_compaction import Tools
from compactor_cli.settings import ReadingSettings, Settings
from compactor_cli.tokens import make_counter
from compactor_cli.tokens.base import TokenCounter
from compactor_cli.wiring import tools_for

if TYPE_CHECKING:
    from rich.console import Console

    from compactor_cli.cli.options import ConfiguredOptions
    from compactor_cli.llm.asker import Asker, DryAsker
    from compactor_cli.model.profile import Profile
    from compactor_cli.scoring import Scorer


_MODEL_KEYS = ("summarization.prompt", "llm.model", "llm.max_cost", "llm.concurrency")
"""Settings that matter only if a model is asked."""


def make_session(configured: Configured, *, quiet: bool, profile: bool = False, probes: bool = False) -> Session:
    """Return a session for a configuration, and warn about settings that cannot be honoured. `profile`: whether the
    command uses a profile's weights. `probes`: whether the command can have a provider count tokens."""
    reading = configured.reading
    check_name(reading.format)  # before reading anything, which may take long
    choice = make_counter(configured.tokenizer, reading.model)
    out, err = late_console(sys.stdout), late_console(sys.stderr, quiet=quiet)
    weights = read_profile(reading.profile) if profile else None
    session = Session(configured, choice.counter, out, err, weights, probes=probes and configured.probes)
    for warning in (choice.warning, *configured.warnings):
        if warning:
            session.warn(warning)
    if configured.probes and not probes:
        session.warn(f"--tokenizer probe is not used here: tokens are counted by {session.local.name}")
    return session


def open_session(args: ConfiguredOptions, overrides: Layer, *, profile: bool = False, probes: bool = False) -> Session:
    """Return a session for the options of a command and the settings that they set."""
    return make_session(configure(overrides, args.config), quiet=args.quiet, profile=profile, probes=probes)


def read_profile(path: str) -> Profile | None:
    """Return the profile in a file, or None if no file is named."""
    if not path:
        return None
    from compactor_cli.profiles import parse_profile

    return parse_profile(read_text(path), path)


class _LateConsole:
    """A console that is created on first use, so that a run that prints nothing does not import rich."""

    def __init__(self, file: IO[str], quiet: bool) -> None:
        self.file = file
        self.quiet = quiet

    @cached_property
    def _console(self) -> Console:
        from compactor_cli.render.console import make_console

        return make_console(self.file, quiet=self.quiet)

    def print(self, *objects: Any, **options: Any) -> None:
        if not self.quiet:
            self._console.print(*objects, **options)

    def __enter__(self) -> Console:
        return self._console.__enter__()

    def __exit__(self, *raised: Any) -> None:
        self._console.__exit__(*raised)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._console, name)


def late_console(file: IO[str], *, quiet: bool = False) -> Console:
    """Return a console that works like `make_console(file, quiet=quiet)`."""
    return cast("Console", _LateConsole(file, quiet))


class Watched:
    """A counter that reports how many characters it has counted."""

    def __init__(self, counter: TokenCounter, tell: Callable[[int], None]) -> None:
        self.name, self.approximate = counter.name, counter.approximate
        self.per_message, self.per_image = counter.per_message, counter.per_image
        self._count, self._tell = counter.count, tell

    def count(self, text: str) -> int:
        self._tell(len(text))
        return self._count(text)


def conversations(source: Source, name: str) -> list[tuple[str, Transcript]]:
    """Return the conversations of a file with their names: the file's name, with a number if there are several."""
    has_several = len(source.transcripts) > 1
    return [(f"{name}#{n}" if has_several else name, transcript) for n, transcript in enumerate(source.transcripts)]


@dataclass(slots=True)
class Session:
    """One run of a command."""

    configured: Configured
    local: TokenCounter
    out: Console
    err: Console
    profile: Profile | None = None
    probes: bool = False
    """Whether a provider counts tokens: the settings ask for it and the command supports it."""
    dry: bool = False
    """Whether no model is asked, and only the cost of asking is reported."""
    settings: Settings = field(init=False)
    """The settings of the run: the configured ones, except where the command overrides them."""
    warnings: list[str] = field(default_factory=list)
    asker: Asker | DryAsker | None = None
    """Created with the first question to a model."""
    counter: TokenCounter = field(init=False)
    probed: int | None = None
    """Tokens of the current file by the provider's count, if the provider was asked."""
    contents: dict[str, Content] = field(default_factory=dict)
    """Contents under names that are not files: sessions from a database or from many files."""
    progress: Steps | NoSteps = field(default_factory=NoSteps)
    judge: Scorer | None = None
    """The scorer that asks a model. There is one for the whole run, because it remembers its judgements."""

    def __post_init__(self) -> None:
        self.settings, self.counter = self.configured.settings, self.local

    @property
    def reading(self) -> ReadingSettings:
        return self.configured.reading

    def load(self, path: str) -> Source:
        """Read a file, counting as the settings say. Raises InputError."""
        if self.probes:
            from compactor_cli.cli.probing import load_probed

            return load_probed(self, path)
        return self.load_locally(path)

    def load_locally(self, path: str) -> Source:
        """Read a file, counting on this machine. Raises InputError."""
        self.counter, self.probed = self.local, None
        return self.read(self.read_bytes(path), path)

    def read_bytes(self, path: str) -> Content:
        """Return the bytes of an input. Raises InputError."""
        return self.contents[path] if path in self.contents else read_session(path)

    def read(self, data: Content, path: str) -> Source:
        """Return the source read from bytes, counted by the current counter."""
        with self.progress.reading(Path(path).name, len(data)) as read:
            counter = Watched(self.counter, read) if self.progress.shows else self.counter
            reading = self.reading
            return load(data, path, counter, format=reading.format, skip_damaged=reading.skip_damaged)

    @contextmanager
    def show_progress(self, total: int, unit: str = "", steps_per_file: int = 0) -> Iterator[Steps | NoSteps]:
        """Show the progress of `total` steps, and of reading files, as `Steps` does; only on a terminal."""
        with steps(self.err, total, steps_per_file, unit) as progress:
            self.progress = progress
            try:
                yield progress
            finally:
                self.progress = NoSteps()

    def tools(self, transcript: Transcript, settings: Settings) -> Tools:
        model = self.find_asker() if settings.asks else None
        tools = replace(tools_for(transcript, self.counter, settings, self.profile, model), clock=time.perf_counter)
        if settings.scorer_name != "classifier":
            return tools
        self.judge = self.judge or tools.scorer
        return replace(tools, scorer=self.judge)

    def find_asker(self) -> Asker | DryAsker | None:
        """Return the run's model: that of the settings, else that of the session; None if neither is named."""
        name = self.settings.llm.model or self.reading.model
        if self.asker is None and name:
            from compactor_cli.llm.asker import DryAsker, make_asker

            # count requests exactly, even if the session's counter is coarse
            count = make_counter("", name).counter.count
            if self.dry:
                self.asker = DryAsker(name, count=count)
            else:
                self.asker = make_asker(name, self.settings.llm, count=count, say=self.say)
        return self.asker

    def go_offline(self) -> None:
        """Turn off the model for a command that asks none, and warn if the settings ask for one."""
        settings = self.settings
        if not settings.asks:
            return
        self.warn("this command asks no model: scores and summaries are made offline")
        scorer = "" if settings.scorer_name == "classifier" else settings.scoring.scorer
        self.settings = dataclasses.replace(
            settings, summarizer="extractive", scoring=dataclasses.replace(settings.scoring, scorer=scorer)
        )

    def model_use(self, before: ModelUse | None = None) -> ModelUse | None:
        """Return what a model was asked so far, or since `before`; None if none was asked."""
        asker = self.asker
        if asker is None:
            return None
        total = ModelUse(asker.usage, tuple(asker.fallbacks), asker.warnings, asker.dry)
        used = total if before is None else _usage_since(total, before)
        return used if used.usage.requests or used.usage.cache_hits or used.warnings else None

    def model_use_json(self) -> dict[str, Any]:
        """Return what a model was asked so far in the form of reports; empty if none was asked."""
        from compactor_cli.render.remarks import model_json

        use = self.model_use()
        return model_json(use) if use else {}

    def print_model_use(self, use: ModelUse | None, file: str = "") -> None:
        """Print what a model was asked, and its warnings, each prefixed with `file`."""
        if use is None:
            return
        from compactor_cli.render.remarks import use_line

        self.say(f"{file}{use_line(use)}")
        for warning in use.warnings:
            self.say(f"warning: {file}{warning}")

    def warn_unused(self, overrides: Layer) -> None:
        """Warn about options for a model if none is asked."""
        if self.settings.asks or self.configured.probes:
            return
        options = ", ".join(overrides[key].origin.place for key in _MODEL_KEYS if key in overrides)
        if options:
            self.warn(f"{options} not used: no model is asked without --summarizer llm or --scorer classifier")

    def warn_without_match(self, source: Source, file: str = "") -> None:
        """Warn about `--keep` patterns that match nothing in a file; those of settings files are for many files."""
        value = self.configured.values["keep"]
        for pattern in value.value if value.origin.kind == "option" else ():
            messages = (message for transcript in source.transcripts for message in transcript.messages)
            if not any(re.search(pattern, part.text) for message in messages for part in message.parts):
                self.warn(f"{file}--keep {pattern!r} matches nothing")

    def say(self, text: str) -> None:
        """Print a message for people on standard error."""
        self.err.print(text, soft_wrap=True)

    def warn(self, text: str) -> None:
        """Print a warning and record it for reports."""
        self.warnings.append(text)
        self.say(f"warning: {text}")

    def write(self, path: str, data: Content, replaces: Content | None, inputs: Sequence[str]) -> None:
        """Write an output, and warn if it replaces a file whose other names (hard links) keep the old contents."""
        split = split_warning(path) if replaces is not None else ""
        write_bytes(path, data, replaces, inputs)
        if split:
            self.warn(split)

    def print_written(self, out_path: str) -> None:
        self.say(f"written to {'standard output' if out_path == '-' else out_path}")

    def print_reading_notes(self, source: Source) -> None:
        for note in source.notes:
            self.say(f"note: {source.path}:{note.index}: {note.detail}")


def _usage_since(total: ModelUse, before: ModelUse) -> ModelUse:
    now, earlier = asdict(total.usage), asdict(before.usage)
    model = now.pop("model")
    spent: dict[str, Any] = {name: None if value is None else value - earlier[name] for name, value in now.items()}
    return replace(
        total,
        usage=Usage(model, **spent),
        fallbacks=total.fallbacks[len(before.fallbacks) :],
        notes=total.notes[len(before.notes) :],
    )
