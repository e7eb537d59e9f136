"""What every command starts with: a counter, a source, and two consoles."""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from compactor_cli.cli.consoles import late_console
from compactor_cli.cli.files import read_text
from compactor_cli.cli.gathering import read_session
from compactor_cli.cli.progress import NoSteps, Steps, steps
from compactor_cli.formats.loading import load
from compactor_cli.model.content import Content
from compactor_cli.model.profile import Profile
from compactor_cli.model.transcript import Source, Transcript
from compactor_cli.pipeline.tools import Tools
from compactor_cli.scoring.base import Scorer
from compactor_cli.settings import LlmSettings, Settings
from compactor_cli.tokens import make_counter
from compactor_cli.tokens.base import TokenCounter
from compactor_cli.wiring import tools_for

if TYPE_CHECKING:
    from rich.console import Console

    from compactor_cli.llm.asker import Asker, DryAsker


class Watched:
    """A counter that tells how much it has counted."""

    def __init__(self, counter: TokenCounter, tell: Callable[[int], None]) -> None:
        self.name, self.approximate = counter.name, counter.approximate
        self.per_message, self.per_image = counter.per_message, counter.per_image
        self._count, self._tell = counter.count, tell

    def count(self, text: str) -> int:
        self._tell(len(text))
        return self._count(text)


def conversations(source: Source, name: str) -> list[tuple[str, Transcript]]:
    """The conversations of a file with their names: that of the file, with a number when there are several."""
    several = len(source.transcripts) > 1
    return [(f"{name}#{at}" if several else name, transcript) for at, transcript in enumerate(source.transcripts)]


@dataclass(slots=True)
class Session:
    """One run of a command."""

    local: TokenCounter
    """Counts on this machine."""
    out: Console
    err: Console
    format: str = ""
    skip_damaged: bool = False
    profile: Profile | None = None
    model: str = ""
    """The model of the session, which is asked when the settings name no other."""
    dry: bool = False
    """Nothing is asked of a model, only what that would cost is said."""
    warnings: list[str] = field(default_factory=list)
    asker: Asker | DryAsker | None = None
    """Made when the first thing is asked."""
    counter: TokenCounter = field(init=False)
    """What the file at hand is counted by."""
    probed: int | None = None
    """Tokens of the file at hand as a provider counts them, where it was asked."""
    contents: dict[str, Content] = field(default_factory=dict)
    """What is read under names that are no files: sessions out of a database, or out of many files."""
    progress: Steps | NoSteps = field(default_factory=NoSteps)
    """Shows how far the work is."""
    judge: Scorer | None = None
    """The scorer that asks a model: the same one for the whole run, for it knows what it has judged."""

    def __post_init__(self) -> None:
        self.counter = self.local

    def load(self, path: str) -> Source:
        self.counter, self.probed = self.local, None
        return self.read(self.bytes_of(path), path)

    def bytes_of(self, path: str) -> Content:
        """The bytes of an input. Raises InputError."""
        return self.contents[path] if path in self.contents else read_session(path)

    def read(self, data: Content, path: str) -> Source:
        """A transcript from bytes, by the counter as it is now."""
        with self.progress.reading(Path(path).name, len(data)) as read:
            counter = Watched(self.counter, read) if self.progress.shows else self.counter
            return load(data, path, counter, format=self.format, skip_damaged=self.skip_damaged)

    def show(self, progress: object) -> None:
        """Let a bar show how far the reading of files is."""
        self.progress = progress if isinstance(progress, Steps) else NoSteps()

    @contextmanager
    def working(self, total: int, unit: str = "") -> Iterator[Steps | NoSteps]:
        """How far so many steps are, and the reading of files among them, on a terminal."""
        with steps(self.err, total, unit=unit) as progress:
            self.show(progress)
            try:
                yield progress
            finally:
                self.progress = NoSteps()

    def tools(self, transcript: Transcript, settings: Settings) -> Tools:
        model = self.asks(settings.llm) if settings.asks else None
        made = replace(tools_for(transcript, self.counter, settings, self.profile, model), clock=time.perf_counter)
        if settings.scorer_name != "classifier":
            return made
        self.judge = self.judge or made.scorer
        return replace(made, scorer=self.judge)

    def asks(self, settings: LlmSettings) -> Asker | DryAsker | None:
        """The model that is asked, the same one for the whole run; None when none is named."""
        name = settings.model or self.model
        if self.asker is None and name:
            from compactor_cli.llm.asker import DryAsker, make_asker

            # what is sent is not counted as coarsely as a session may be
            count = make_counter("", name).counter.count
            if self.dry:
                self.asker = DryAsker(name, count=count)
            else:
                self.asker = make_asker(name, settings, count=count, say=self.say)
        return self.asker

    def offline(self, settings: Settings) -> Settings:
        """The settings for a command that asks no model; what they say otherwise is reported."""
        if not settings.asks:
            return settings
        self.warn("this command asks no model for scores or summaries: they are those of the offline ways")
        scorer = "" if settings.scorer_name == "classifier" else settings.scoring.scorer
        return dataclasses.replace(
            settings, summarizer="extractive", scoring=dataclasses.replace(settings.scoring, scorer=scorer)
        )

    def say(self, text: str) -> None:
        """Words for people on standard error."""
        self.err.print(text, soft_wrap=True)

    def warn(self, text: str) -> None:
        self.warnings.append(text)
        self.err.print(f"warning: {text}", soft_wrap=True)

    def note_reading(self, source: Source) -> None:
        """Say on standard error what was odd about the input."""
        for note in source.notes:
            self.err.print(f"note: {source.path}:{note.index}: {note.detail}", soft_wrap=True)


def open_session(
    *,
    tokenizer: str,
    model: str,
    format: str = "",
    skip_damaged: bool | None = False,
    quiet: bool = False,
    profile: str = "",
) -> Session:
    """A session with the counter that the options ask for; a fallback is reported."""
    choice = make_counter(tokenizer, model)
    session = Session(
        choice.counter,
        late_console(sys.stdout),
        late_console(sys.stderr, quiet=quiet),
        format,
        bool(skip_damaged),
        read_profile(profile),
        model,
    )
    if choice.warning:
        session.warn(choice.warning)
    return session


def read_profile(path: str) -> Profile | None:
    """The profile in a file; None when no file is named."""
    if not path:
        return None
    from compactor_cli.profiles import parse_profile

    return parse_profile(read_text(path), path)
