"""`compactor browse`: a session in the terminal, with what a compaction would make of it, and decisions on it."""

from __future__ import annotations

import gc
import inspect
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from compactor_cli.cli import options
from compactor_cli.cli.configured import configure
from compactor_cli.cli.deciding import decisions_in, with_aim
from compactor_cli.cli.files import write_bytes
from compactor_cli.cli.inputs import inputs_of, refuse_overwriting
from compactor_cli.cli.keeping import Keeper
from compactor_cli.cli.numbers import share, tokens
from compactor_cli.cli.parquet import is_parquet
from compactor_cli.cli.picking import picked
from compactor_cli.cli.remote import is_remote
from compactor_cli.cli.session import Session
from compactor_cli.containers import pack
from compactor_cli.errors import UsageError
from compactor_cli.model.decisions import Aim
from compactor_cli.model.transcript import Source
from compactor_cli.pipeline.decisions import by_conversation, decisions_on, held_against, write_decisions
from compactor_cli.pipeline.run import compact_source
from compactor_cli.settings import Settings
from compactor_cli.strategies import strategy as strategy_named

if TYPE_CHECKING:
    from compactor_cli.browse.app import Browser
    from compactor_cli.browse.rows import View
    from compactor_cli.browse.state import State

NO_TEXTUAL = "the browser is made with Textual, which is not installed: pip install 'compactor-cli[browse]'"
_REPEATED = ("preset", "format", "model", "tokenizer", "profile", "config")
"""Options that `compact` is to be given as well, so that it comes to the same."""


def browse(
    file: options.FileArgument = "",
    out: options.DecisionsOutOption = "",
    target_tokens: options.TargetTokensOption = None,
    target_ratio: options.TargetRatioOption = None,
    strategy: options.StrategyOption = "",
    decisions: options.DecisionsOption = "",
    profile: options.ProfileOption = "",
    preset: options.PresetOption = "",
    format: options.FormatOption = "",
    model: options.ModelOption = "",
    tokenizer: options.TokenizerOption = "",
    skip_damaged: options.SkipDamagedOption = None,
    database: options.DatabaseOption = "",
    config: options.ConfigOption = "",
    latest: options.LatestOption = "",
    session_id: options.SessionOption = "",
    project: options.ProjectOption = "",
    debug: options.DebugOption = False,
) -> None:
    """Go through a session in the terminal: what a compaction makes of each message, and why, before it is done.

    Keys keep or drop messages, which shows at once what that does to the rest; another target or strategy as well.
    Decisions are saved for `compact --decisions`, or the compacted file is written from here. Nothing else is
    written. The key ? lists the keys. Needs the extra: pip install 'compactor-cli[browse]'.

    \b
    Examples:
      compactor browse session.jsonl --target-ratio 0.25
      compactor browse --latest claude --target-tokens 40k
      compactor browse session.jsonl --decisions decisions.json
      compactor compact session.jsonl --decisions decisions.json -o small.jsonl
    """
    given: dict[str, Any] = dict(locals())
    _application()  # whether it is there comes first
    _check_terminal(file)
    desk, running = opened(given)
    gc.enable()  # unlike other commands, this one runs for long
    try:
        running.run()
    finally:
        desk.keeper.close()
    if running.bug is not None:
        raise running.bug
    for line in desk.told:
        desk.session.say(line)
    if running.return_code:
        raise typer.Exit(running.return_code)


def options_of(**given: Any) -> dict[str, Any]:
    """The options of the command by their names: these, and the defaults of the others."""
    defaults = {name: one.default for name, one in inspect.signature(browse).parameters.items()}
    return {**defaults, **given}


def opened(given: Mapping[str, Any]) -> tuple[Desk, Browser]:
    """The browser of a session, by the options of the command, and what it works with."""
    application = _application()
    held = decisions_in(given["decisions"])
    given = with_aim(given, held)
    configured = configure(given)
    session = configured.session(quiet=False, profile=True)
    settings = session.offline(configured.settings)
    if settings.memory.auto_recall:
        session.warn("memory.auto_recall: compact puts memories into the output, which the browser does not show")
    inputs = inputs_of(session, picked(session, [given["file"]], given))
    if len(inputs) > 1 or is_parquet(inputs[0].path):
        raise UsageError("the browser shows one session: name one file, and no data set")
    source = session.load(inputs[0].path)
    desk = Desk(session, source, settings, Keeper(session, settings, configured.reading.database_url), given)
    refuse_overwriting([source.path], {"-o": [desk.place]})
    state, said = desk.opening(), ""
    if held is None:
        return desk, application(desk, state)
    kept = held_against(held.decisions, source)
    state = replace(state, choices=dict(kept.choices))
    if kept.lost:
        lost = ", ".join(str(spot.message) for spot in kept.lost)
        said = f"The session has changed: the decisions on {lost} are left out."
    return desk, application(desk, state, said, None if kept.lost else state)


def _application() -> type[Browser]:
    try:
        from compactor_cli.browse.app import Browser
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "textual":
            raise
        raise UsageError(NO_TEXTUAL) from None
    return Browser


def _check_terminal(file: str) -> None:
    if file == "-":
        raise UsageError("the browser reads keys from standard input: name the session's file")
    if not (sys.stdin.isatty() and sys.stderr.isatty()):  # Textual writes to standard error
        raise UsageError(
            "the browser needs a terminal for its keys and its screen; compact --dry-run prints the plan, and "
            "compact --html writes a page"
        )


@dataclass(slots=True)
class Desk:
    """The session of one run, as the browser works with it."""

    session: Session
    source: Source
    settings: Settings
    keeper: Keeper
    given: Mapping[str, Any]
    counter: str = ""
    place: str = ""
    output: str = ""
    told: list[str] = None  # type: ignore[assignment]  # set below

    def __post_init__(self) -> None:
        self.counter, self.told = self.session.counter.name, []
        name = "session.jsonl" if is_remote(self.source.path) else Path(self.source.path).name
        stem, _, rest = name.partition(".")
        self.place = self.given["out"] or self.given["decisions"] or f"{stem}.decisions.json"
        self.output = f"{stem}.compacted.{rest}" if rest else f"{stem}.compacted"

    def opening(self) -> State:
        """What the settings and the options aim at, and no decisions."""
        from compactor_cli.browse.state import State

        settings = self.settings
        tokens_aimed = None if settings.target_ratio is not None else settings.target_tokens
        return State(Aim(tokens_aimed, settings.target_ratio, settings.strategy))

    def aimed(self, text: str, aim: Aim) -> Aim:
        """The aim with another target."""
        word = text.strip()
        if not word:
            return replace(aim, target_tokens=None, target_ratio=None)
        parsed: Callable[[str], Aim] = partial(_ratio, aim) if _is_share(word) else partial(_tokens, aim)
        try:
            return parsed(word)
        except typer.BadParameter as error:
            raise UsageError(str(error)) from None

    def strategy(self, aim: Aim) -> str:
        """The strategy that is used for an aim."""
        return self._settings(aim).strategy_name

    def view(self, state: State) -> View:
        """What a compaction would make of the session."""
        from compactor_cli.browse.rows import view_of

        settings = self._settings(state.aim)
        strategy_named(settings.strategy_name)  # raises for a name that is none
        tools = [self.session.tools(t, settings) for t in self.source.transcripts]
        decided = by_conversation(state.choices, len(self.source.transcripts))
        data, parts = compact_source(self.source, tools, settings, decided=decided)
        return view_of(parts, data)

    def is_there(self, place: str) -> bool:
        """Whether something would be replaced there that is not ours."""
        return place != self.given["decisions"] and not is_remote(place) and Path(place).exists()

    def save(self, place: str, state: State) -> str:
        """Save the decisions."""
        refuse_overwriting([self.source.path], {"decisions": [place]})
        text = write_decisions(decisions_on(self.source, state.choices, state.aim))
        write_bytes(place, text.encode("utf-8"), inputs=[self.source.path])
        self.place = place
        use = shlex.join(["compactor", "compact", self.source.path, "--decisions", place, *self._repeated()])
        self._tell(f"decisions saved to {place}; use them: {use} -o {shlex.quote(self.output)}")
        return f"Saved to {place}: compact --decisions takes it."

    def write(self, place: str, view: View) -> str:
        """Write the compacted file as `compact` does."""
        refuse_overwriting([self.source.path], {"output": [place]})
        stored = pack(view.data, place, self.source.packed, same=False)
        changed = view.data != self.source.data
        kept = self.keeper.keep(self.source, stored, view.parts, place, changed=changed)
        if changed and self.settings.archive.manifest:
            self.keeper.write_manifest(self.source, stored, view.parts, place)
        write_bytes(place, stored, inputs=[self.source.path])
        self.keeper.confirm(kept, ())
        self.output = place
        self._tell(f"compacted file written to {place} ({view.tokens:,} tokens)")
        return f"Written to {place}: {view.tokens:,} tokens."

    def _settings(self, aim: Aim) -> Settings:
        return replace(
            self.settings,
            target_tokens=aim.target_tokens,
            target_ratio=aim.target_ratio,
            strategy=aim.strategy,
        )

    def _repeated(self) -> list[str]:
        return [word for name in _REPEATED if (value := self.given[name]) for word in (f"--{name}", str(value))]

    def _tell(self, line: str) -> None:
        """Say something when the screen is as it was; of the same thing the last."""
        self.told = [known for known in self.told if known.split(" ")[:2] != line.split(" ")[:2]]
        self.told.append(line)


def _is_share(word: str) -> bool:
    """Whether a target is a share: 25%, 0.25, .25; 1 is a token."""
    return word.endswith("%") or word.startswith(("0.", ".", "0"))


def _ratio(aim: Aim, word: str) -> Aim:
    return replace(aim, target_tokens=None, target_ratio=share(word))


def _tokens(aim: Aim, word: str) -> Aim:
    return replace(aim, target_tokens=tokens(word), target_ratio=None)
