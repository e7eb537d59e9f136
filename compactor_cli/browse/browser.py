"""The browser as a Textual application."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from typing import ClassVar, cast

from msgspec.structs import replace
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Footer

from compactor_cli.browse import labels as words
from compactor_cli.browse import view_state
from compactor_cli.browse.detail import Detail, FullRow
from compactor_cli.browse.dialogs import FilterDialog, KeysDialog, OptionDialog, TextDialog
from compactor_cli.browse.message_list import MessageList
from compactor_cli.browse.output import signals_of
from compactor_cli.browse.panels import CSS, STYLES, Panels, one_line
from compactor_cli.browse.rows import BrowserRow, BrowserView, plain_view
from compactor_cli.browse.writing import Desk, Writing
from compactor_cli.errors import CompactorError, ExitCode
from compactor_cli.model.decisions import Choice
from compactor_cli.strategies import STRATEGIES


class Browser(Writing):
    """Shows a session with what a compaction would make of it."""

    TITLE = "compactor browse"
    CSS = CSS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k", "decide('keep')", "Keep"),
        Binding("d", "decide('drop')", "Drop"),
        Binding("K", "decide_all('keep')", "Keep all", show=False),
        Binding("D", "decide_all('drop')", "Drop all", show=False),
        Binding("u", "undo", "Undo", show=False),
        Binding("r", "redo", "Redo", show=False),
        Binding("enter", "open", "View"),
        Binding("slash", "search", "Find", key_display="/"),
        Binding("n", "hit(1)", "Next", show=False),
        Binding("N", "hit(-1)", "Before", show=False),
        Binding("f", "filter", "Filter"),
        Binding("x", "show_all", "All", show=False),
        Binding("g", "go", "Go to", show=False),
        Binding("full_stop", "next_decided", "Decided", show=False),
        Binding("t", "target", "Target"),
        Binding("s", "save", "Save"),
        Binding("question_mark", "keys", "Keys", key_display="?"),
        Binding("q", "leave", "Quit"),
        Binding("w", "write", "Write"),
        Binding("S", "strategy", "Strategy", show=False),
    ]

    class Computed(Message):
        """The result for a state, or the error that prevented it."""

        def __init__(self, state: view_state.State, view: BrowserView | None, error: Exception | None) -> None:
            super().__init__()
            self.state, self.view, self.error = state, view, error

    def __init__(
        self, desk: Desk, state: view_state.State, message: str = "", saved: view_state.State | None = None
    ) -> None:
        """`message`: shown first. `saved`: the state stored in a file."""
        super().__init__()
        self.desk, self.groups = desk, view_state.groups_of(desk.source)
        self.history = view_state.History([state], saved=saved)
        self.view = plain_view(desk.source)
        self.list = MessageList(self.groups)
        self.panels = Panels(desk.source, desk.counter, self._colour)
        self.marks: frozenset[view_state.Mark] = frozenset()
        self.failure: Exception | None = None
        self.bug: Exception | None = None
        """An unexpected error, which the command raises after the screen is restored."""
        self.settled = asyncio.Event()
        """Set while nothing is being computed."""
        self._wanted: view_state.State | None = None
        self._computing: view_state.State | None = None
        self._said = message

    # -- the screen

    def compose(self) -> ComposeResult:
        yield from self.panels.above()
        yield self.list
        yield from self.panels.below()
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        self.list.focus()
        self._refill_list()
        self._compute()
        self.say(self._said or "? explains the keys")
        quit_with_terminal(self)

    def on_resize(self) -> None:
        self.call_after_refresh(self._name_columns)
        self.call_after_refresh(self.refresh_head)

    def _name_columns(self) -> None:
        self.panels.columns(self.list.head())

    def _refill_list(self) -> None:
        state = self.history.now
        shown_rows = view_state.filter_rows(self.view.rows, self.marks, state.choices, self.groups)
        self.list.show(self.view.rows, shown_rows, state.choices)
        self._name_columns()
        self.refresh_head()

    def refresh_head(self) -> None:
        state, view, panels = self.history.now, self.view, self.panels
        aims = words.target_line(state, view, self.desk.strategy(state.aim))
        filtered = words.filter_phrase(self.marks, len(self.list.shown), len(view.rows))
        panels.show(f"{aims} · {words.decisions_line(self.history)}", filtered)
        if self.failure is not None:
            panels.fail(words.failure_line(self.failure))
        else:
            panels.sum_up(view, computing=self._computing is not None, width=self.size.width)

    def _colour(self, name: str) -> str:
        colour = self.theme_variables.get(f"text-{name}", "")
        return colour if colour.startswith("#") else ""

    def _current(self) -> FullRow | None:
        row = self.list.row
        if row is None:
            return None
        return FullRow(row, self._title_of(row), self._reason_of(row), self.view, self.list.words)

    def _title_of(self, row: BrowserRow) -> Text:
        state = self.history.now
        out = one_line().append(f"message {row.number}" if row.spot else "added by the compaction", "bold")
        out.append(f" · {row.who} · {row.before:,} → {row.after:,} tokens · ")
        out.append(row.fate or "?", self._colour(STYLES.get(row.fate, "")))
        choice = self.groups.choice(state.choices, row.spot) if row.spot else None
        return out.append(f" · decided: {choice}", "bold") if choice else out

    def _reason_of(self, row: BrowserRow) -> Text:
        choices = self.history.now.choices
        choice = self.groups.choice(choices, row.spot) if row.spot else None
        names = signals_of(self.view, row)
        return one_line(words.fate_reason(row, choice, row.spot in choices, names, scored=self._is_scored))

    @property
    def _is_scored(self) -> bool:
        strategy = STRATEGIES.get(self.view.strategy)
        return strategy is not None and not strategy.learned

    def on_message_list_moved(self) -> None:
        row = self.list.row
        self.panels.reason(self._reason_of(row) if row else one_line("no messages to show: x shows all"))
        for screen in self.screen_stack:
            if isinstance(screen, Detail):
                screen.refill()

    def on_message_list_opened(self) -> None:
        self.action_open()

    def say(self, text: str, *, noticed: bool = False) -> None:
        self.panels.say(text, noticed=noticed)
        for screen in self.screen_stack:
            if isinstance(screen, Detail):
                screen.say(text)

    # -- computing

    def _compute(self) -> None:
        """Request the computation of the current state; of several waiting requests, only the last counts."""
        self._wanted = self.history.now
        self.settled.clear()
        if self._computing is None:
            self._start_computing()

    def _start_computing(self) -> None:
        state, self._wanted = self._wanted, None
        assert state is not None
        self._computing = state
        self.refresh_head()
        # a daemon thread, so that a pending computation does not delay the end of the browser
        threading.Thread(target=self._compute_view, args=(state,), daemon=True).start()

    def _compute_view(self, state: view_state.State) -> None:
        try:
            computed = self.Computed(state, self.desk.view(state), None)
        except Exception as error:  # reported in the application's own thread
            computed = self.Computed(state, None, error)
        self.post_message(computed)

    def on_browser_computed(self, computed: Computed) -> None:
        self._computing = None
        if computed.error is not None and not isinstance(computed.error, CompactorError):
            self.bug = computed.error
            self.settled.set()
            self.exit(1)
            return
        if self._wanted is not None and self._wanted != computed.state:
            self._start_computing()
            return
        self._wanted = None
        self.failure = computed.error
        if computed.error is not None and self.view.parts:
            self.say("The list shows the last plan that was possible.", noticed=True)
        if computed.view is not None:
            self.view = computed.view
        self.settled.set()
        self._refill_list()

    def _change(self, state: view_state.State) -> None:
        if self.history.add(state):
            self._refill_list()
            self._compute()

    # -- deciding

    def action_decide(self, choice: str) -> None:
        row, decision = self.list.row, cast("Choice", choice)
        if row is None or row.spot is None:
            self.say("Only messages of the session can be kept or dropped; this one was added.", noticed=True)
            return
        state = self.history.now
        before = self.groups.choice(state.choices, row.spot)
        why = self.groups.refusals.get(row.spot, "")
        if decision == "drop" and why and before != "drop":
            self.say(f"Cannot be dropped: {why}.", noticed=True)
            return
        group_size = len(self.groups.of.get(row.spot, ()))
        group = f" with its group of {group_size}" if group_size > 1 else ""
        effect = "decision removed" if before == decision else {"keep": "to be kept", "drop": "to be dropped"}[decision]
        self.say(f"Message {row.number}{group}: {effect}. u undoes it.")
        self._change(view_state.decide(state, self.groups, row.spot, decision))

    def action_decide_all(self, choice: str) -> None:
        spots = [row.spot for row in self.list.shown_rows if row.spot is not None]
        self._change(view_state.decide_all(self.history.now, self.groups, spots, cast("Choice", choice)))
        self.say(f"All shown messages: {choice}. u undoes it.")

    def action_undo(self) -> None:
        self._step(self.history.undo, "Undone.", "Nothing to undo.")

    def action_redo(self) -> None:
        self._step(self.history.redo, "Redone.", "Nothing to redo.")

    def _step(self, step: Callable[[], bool], done_message: str, not_done: str) -> None:
        if step():
            self._refill_list()
            self._compute()
            self.say(done_message)
        else:
            self.say(not_done, noticed=True)

    def action_target(self) -> None:
        def take(text: str) -> None:
            state = self.history.now
            try:
                aim = self.desk.aimed(text, state.aim)
            except CompactorError as error:
                self.say(str(error), noticed=True)
                return
            self._change(view_state.State(aim, state.choices))

        hint = "25% of the tokens, or 4000, or 4k; empty: no target, cut by age"
        self.ask(TextDialog("Target", hint, words.aim_phrase(self.history.now.aim).replace(",", "")), take)

    def action_strategy(self) -> None:
        def take(name: str) -> None:
            state = self.history.now
            self._change(view_state.State(replace(state.aim, strategy=name), state.choices))

        options = [(name, strategy.suits) for name, strategy in STRATEGIES.items()]
        self.ask(OptionDialog("Strategy", options, self.desk.strategy(self.history.now.aim)), take)

    # -- looking

    def action_open(self) -> None:
        if self.list.row is not None and not isinstance(self.screen, Detail):
            self.push_screen(Detail(self._current, self.list.action_move))

    def action_keys(self) -> None:
        self.push_screen(KeysDialog())

    def action_search(self) -> None:
        def take(text: str) -> None:
            self.list.words = text.lower()
            self.list.refresh()
            if text:
                self._hit(0)
            else:
                self.say("")

        self.ask(TextDialog("Search", "in texts and tool names; empty: stop searching", self.list.words), take)

    def action_hit(self, by: int) -> None:
        if self.list.words:
            self._hit(by)
        else:
            self.say("No search yet: / starts one.", noticed=True)

    def _hit(self, offset: int) -> None:
        """Go to the next message with the search words (-1: to the previous one; 0: the current one counts)."""
        hits = view_state.matching_rows(self.view.rows, self.list.shown, self.list.words)
        if not hits:
            self.say(f"“{self.list.words}” is in none of the shown messages.", noticed=True)
            return
        now = self.list.cursor
        if offset >= 0:
            hit_index = next((hit for hit in hits if hit >= now + offset), hits[0])
        else:
            hit_index = next((hit for hit in reversed(hits) if hit < now), hits[-1])
        self.list.go(hit_index)
        self.say(f"“{self.list.words}”: {hits.index(hit_index) + 1} of {len(hits)}. n next, N previous.")

    def action_filter(self) -> None:
        def take(marks: frozenset[view_state.Mark]) -> None:
            self.marks = marks
            self._refill_list()

        marks = view_state.count_marks(self.view.rows, self.history.now.choices, self.groups)
        self.ask(FilterDialog(marks, self.marks), take)

    def action_show_all(self) -> None:
        self.marks = frozenset()
        self.list.words = ""
        self._refill_list()
        self.say("")

    def action_go(self) -> None:
        def take(text: str) -> None:
            if text.isdigit():
                self.list.go(self.list.index_of_number(int(text)))
            elif text:
                self.say(f"{text} is not the number of a message.", noticed=True)

        self.ask(TextDialog("Go to message", "its number; if it is not shown, the next one"), take)

    def action_next_decided(self) -> None:
        if not self.list.next_decided():
            self.say("No shown message has a decision.", noticed=True)


def quit_with_terminal(app: App[int]) -> None:
    """End the application when its terminal is closed; otherwise, reading keys from the closed terminal would spin."""

    def look() -> None:
        if not _is_terminal_open():
            app.exit(return_code=int(ExitCode.INTERRUPTED))

    if _is_terminal_open():  # in tests there is no terminal
        app.set_interval(1, look)


def _is_terminal_open() -> bool:
    return sys.__stdin__ is not None and sys.__stdin__.isatty()
