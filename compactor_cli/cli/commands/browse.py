"""`compactor browse`: a session in the terminal, with what a compaction would do to it, and decisions on it."""

from __future__ import annotations

import dataclasses
import gc
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from msgspec.structs import replace

from compactor_cli.cli import options
from compactor_cli.cli.deciding import read_decisions, with_aim
from compactor_cli.cli.files import is_remote, is_there, local_path, write_bytes
from compactor_cli.cli.inputs import inputs_of, is_parquet
from compactor_cli.cli.options import parse_share, parse_tokens
from compactor_cli.cli.outputs import FilesRead, check_outputs, find_files_read
from compactor_cli.cli.recording import Keeper
from compactor_cli.cli.session import Session, open_session
from compactor_cli.cli.typed_options import takes_options
from compactor_cli.configuration.layers import Layer
from compactor_cli.containers import pack
from compactor_cli.errors import UsageError
from compactor_cli.model.decisions import Aim
from compactor_cli.model.transcript import Source
from compactor_cli.pipeline.decision_files import by_conversation, decisions_on, match_decisions, write_decisions
from compactor_cli.pipeline.run import compact_source
from compactor_cli.settings import Settings
from compactor_cli.settings.frozen import frozen
from compactor_cli.strategies import strategy as strategy_named

if TYPE_CHECKING:
    from compactor_cli.browse.browser import Browser
    from compactor_cli.browse.rows import BrowserView
    from compactor_cli.browse.view_state import State

NO_TEXTUAL = "the browser needs Textual, which is not installed: pip install 'compactor-cli[browse]'"
_REPEATED_OPTIONS = ("format", "model", "tokenizer", "profile")
"""Settings that `compact` must also be given to produce the same result."""


@frozen(frozen=True, kw_only=True)
class BrowseOptions(options.PickOptions):
    file: options.OneFileArgument = ""
    out: str = options.option("FILE", "File for the decisions; default: NAME.decisions.json.", "", "-o", "--output")
    decisions: options.DecisionsOption = ""


@takes_options("browse")
def browse(args: BrowseOptions, overrides: Layer) -> None:
    """Review in the terminal what a compaction would do to each message, and why, before it is done.

    Press keys to keep or drop messages, or to change the target or the strategy: the effect on the rest shows at once.
    Save the decisions for `compact --decisions`, or write the compacted file from here; nothing else is
    written. The key ? lists the keys. Needs the extra: pip install 'compactor-cli[browse]'.

    \b
    Examples:
      compactor browse session.jsonl --target-ratio 0.25
      compactor browse --latest claude --target-tokens 40k
      compactor browse session.jsonl --decisions decisions.json
      compactor compact session.jsonl --decisions decisions.json -o small.jsonl
    """
    _application()  # first check that Textual is installed
    _check_terminal(args.file)
    desk, running = open_browser(args, overrides)
    gc.enable()  # unlike other commands, this one runs for a long time
    try:
        running.run()
    finally:
        desk.keeper.close()
    if running.bug is not None:
        raise running.bug
    for line in desk.remarks:
        desk.session.say(line)
    if running.return_code:
        raise typer.Exit(running.return_code)


def open_browser(args: BrowseOptions, overrides: Layer) -> tuple[SessionDesk, Browser]:
    """Return the browser for a command's options, and the desk that it works with."""
    application = _application()
    decisions_file = read_decisions(args.decisions)
    session = open_session(args, with_aim(overrides, decisions_file), profile=True)
    session.go_offline()
    if session.settings.memory.auto_recall:
        session.warn("memory.auto_recall is on: compact adds memories to the output, which the browser does not show")
    inputs = inputs_of(session, [args.file], args)
    if len(inputs) > 1 or is_parquet(inputs[0].path):
        raise UsageError("the browser shows a single session; name one file that is not a data set")
    source = session.load(inputs[0].path)
    desk = desk_of(session, source, args, overrides)
    check_outputs(desk.read(), {"-o": [_named_path(desk.place)]})
    state, message = desk.opening(), ""
    if decisions_file is None:
        return desk, application(desk, state)
    matched = match_decisions(decisions_file.decisions, source)
    state = replace(state, choices=dict(matched.choices))
    if matched.unmatched:
        lost = ", ".join(str(lost_spot.message) for lost_spot in matched.unmatched)
        message = f"The session has changed: the decisions on {lost} were dropped."
    return desk, application(desk, state, message, None if matched.unmatched else state)


def _application() -> type[Browser]:
    try:
        from compactor_cli.browse.browser import Browser
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "textual":
            raise
        raise UsageError(NO_TEXTUAL) from None
    return Browser


def _check_terminal(file: str) -> None:
    if file == "-":
        raise UsageError("the browser reads keys from standard input; name the session's file")
    if not (sys.stdin.isatty() and sys.stderr.isatty()):  # Textual writes to standard error
        raise UsageError(
            "the browser needs a terminal; compact --dry-run prints the plan, and compact --html writes a page"
        )


@dataclass(slots=True)
class SessionDesk:
    """The session of one run, as the browser uses it."""

    session: Session
    source: Source
    keeper: Keeper
    place: str
    output: str
    known: str
    """The decisions file that the browser started from; empty if there is none."""
    repeated: Sequence[str]
    """Options that `compact` must also be given."""
    remarks: list[str] = field(default_factory=list)
    """Messages to print after the screen is restored."""

    @property
    def counter(self) -> str:
        return self.session.counter.name

    def read(self, named_files: Mapping[str, str] | None = None) -> FilesRead:
        """Return the files that must never be written. `named_files`: further files -> what they are."""
        return find_files_read(self.session.configured, [self.source.path], named_files)

    def opening(self) -> State:
        """Return the initial state: the target and strategy of the settings and options, and no decisions."""
        from compactor_cli.browse.view_state import State

        settings = self.session.settings
        tokens_aimed = None if settings.target_ratio is not None else settings.target_tokens
        return State(Aim(tokens_aimed, settings.target_ratio, settings.strategy))

    def aimed(self, text: str, aim: Aim) -> Aim:
        """Return the aim with the target that the user typed, or without one for an empty text. Raises UsageError."""
        word = text.strip()
        if not word:
            return replace(aim, target_tokens=None, target_ratio=None)
        try:
            if word.endswith("%") or word.startswith(("0", ".")):  # a share: 25%, 0.25 or .25; 1 is one token
                return replace(aim, target_tokens=None, target_ratio=parse_share(word))
            return replace(aim, target_tokens=parse_tokens(word), target_ratio=None)
        except typer.BadParameter as error:
            raise UsageError(str(error)) from None

    def strategy(self, aim: Aim) -> str:
        return self._settings(aim).strategy_name

    def view(self, state: State) -> BrowserView:
        """Return what a compaction would make of the session."""
        from compactor_cli.browse.rows import view_of

        settings = self._settings(state.aim)
        strategy_named(settings.strategy_name)  # raises for an unknown name
        tools = [self.session.tools(t, settings) for t in self.source.transcripts]
        decided = by_conversation(state.choices, len(self.source.transcripts))
        data, parts = compact_source(self.source, tools, settings, decided=decided)
        return view_of(parts, data)

    def is_there(self, place: str) -> bool:
        """Return whether writing to a place would replace a file other than the known decisions file."""
        path = local_path(place)
        return place != self.known and not is_remote(path) and is_there(Path(path).expanduser())

    def save(self, out_path: str, state: State) -> str:
        out_path = _named_path(out_path)
        check_outputs(self.read(), {"decisions": [out_path]})
        text = write_decisions(decisions_on(self.source, state.choices, state.aim))
        write_bytes(out_path, text.encode("utf-8"), inputs=[self.source.path])
        self.place = out_path
        use = shlex.join(["compactor", "compact", self.source.path, "--decisions", out_path, *self.repeated])
        self._tell(f"decisions saved to {out_path}; use them with: {use} -o {shlex.quote(self.output)}")
        return f"Saved to {out_path}; use it with compact --decisions."

    def write(self, out_path: str, view: BrowserView) -> str:
        """Write the compacted file as `compact` would."""
        out_path = _named_path(out_path)
        decisions = {self.place: "decisions file"} if is_there(self.place) else {}
        check_outputs(self.read(decisions), {"output": [out_path]})
        stored = pack(view.data, out_path, self.source.packed, same=False)
        changed = view.data != self.source.data
        stored_result = self.keeper.store(self.source, stored, view.parts, out_path, changed=changed)
        if changed and self.session.settings.archive.manifest:
            self.keeper.write_manifest(self.source, stored, view.parts, out_path)
        write_bytes(out_path, stored, inputs=[self.source.path])
        self.keeper.confirm_output(stored_result, ())
        self.output = out_path
        self._tell(f"compacted file written to {out_path} ({view.tokens:,} tokens)")
        for warning in dict.fromkeys(warning for part in view.parts for warning in part.warnings):
            self.remarks.append(f"warning: {warning}")
        return f"Written to {out_path}: {view.tokens:,} tokens."

    def _settings(self, aim: Aim) -> Settings:
        return dataclasses.replace(
            self.session.settings, target_tokens=aim.target_tokens, target_ratio=aim.target_ratio, strategy=aim.strategy
        )

    def _tell(self, line: str) -> None:
        """Queue a message for after the screen is restored. It replaces an earlier message on the same thing."""
        self.remarks = [remark for remark in self.remarks if remark.split(" ")[:2] != line.split(" ")[:2]]
        self.remarks.append(line)


def desk_of(session: Session, source: Source, args: BrowseOptions, overrides: Layer) -> SessionDesk:
    """Return the desk of a run. Files to write are named after the session."""
    name = "session.jsonl" if is_remote(source.path) else Path(source.path).name
    stem, _, suffix = name.partition(".")
    words = [word for key in _REPEATED_OPTIONS if key in overrides for word in (f"--{key}", str(overrides[key].value))]
    return SessionDesk(
        session=session,
        source=source,
        keeper=Keeper(session),
        place=args.out or args.decisions or f"{stem}.decisions.json",
        output=f"{stem}.compacted.{suffix}" if suffix else f"{stem}.compacted",
        known=args.decisions,
        repeated=[*words, *(("--config", args.config) if args.config else ())],
    )


def _named_path(path: str) -> str:
    """Return the place that the user named. Raises UsageError for standard output, which is the screen."""
    if path == "-":
        raise UsageError("-: name a file; standard output is used for the screen")
    return path if is_remote(path) else str(Path(path).expanduser())
