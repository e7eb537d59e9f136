"""Dialogs that ask for a line, a key, one option, or several options; and one that explains the keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from compactor_cli.browse.labels import HELP
from compactor_cli.browse.view_state import Mark

Answer = TypeVar("Answer")


class _Dialog(ModalScreen[Answer]):
    """A dialog that Escape closes without an answer."""

    DEFAULT_CSS = """
    _Dialog {
        align: center middle;
        & > Vertical {
            width: 76; max-width: 94%; height: auto; max-height: 90%;
            border: round $primary; background: $surface; padding: 0 1;
        }
        & .title { text-style: bold; color: $text-primary; }
        & .hint { color: $text-muted; }
        & Input { border: tall $border; }
        & OptionList {
            height: auto; border: none; padding: 0; background: $surface;
            text-wrap: nowrap; text-overflow: ellipsis;
        }
        & OptionList:focus { border: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Close", show=False)]


def _one_line(*pieces: str | tuple[str, str]) -> Text:
    return Text.assemble(*pieces, no_wrap=True, overflow="ellipsis")


class TextDialog(_Dialog[str | None]):
    """Asks for a line of text."""

    def __init__(self, title: str, hint: str, value: str = "") -> None:
        super().__init__()
        self._title, self._hint, self._value = title, hint, value

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Text(self._title), classes="title")
            yield Input(self._value, id="line", select_on_focus=False)
            yield Static(Text(self._hint), classes="hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())


class KeyDialog(_Dialog[str | None]):
    """Asks for one of several keys."""

    def __init__(self, title: str, answers: dict[str, str]) -> None:
        """`answers`: key -> what it does."""
        super().__init__()
        self._title, self._answers = title, answers

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Text(self._title), classes="title")
            for key, meaning in self._answers.items():
                yield Static(_one_line((f"{key:>4}  ", "bold"), meaning))
            yield Static(Text(" esc  back"), classes="hint")

    def on_key(self, event: object) -> None:
        key = getattr(event, "key", "")
        if key in self._answers:
            self.dismiss(key)


class OptionDialog(_Dialog[str | None]):
    """Asks for one of several options."""

    DEFAULT_CSS = "OptionDialog { & OptionList { max-height: 20; } }"

    def __init__(self, title: str, options: Sequence[tuple[str, str]], now: str) -> None:
        """`options`: pairs of an option and its meaning. `now`: the current option."""
        super().__init__()
        self._title, self._options, self._now = title, options, now

    def compose(self) -> ComposeResult:
        width = max(len(name) for name, _ in self._options)
        with Vertical():
            yield Static(Text(self._title), classes="title")
            options = [
                Option(_one_line((f"{n:<{width}}  ", "bold"), description), id=n) for n, description in self._options
            ]
            yield OptionList(*options, id="options")
            yield Static(Text("enter chooses, esc cancels"), classes="hint")

    def on_mount(self) -> None:
        names = [name for name, _ in self._options]
        self.query_one(OptionList).highlighted = names.index(self._now) if self._now in names else 0

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)


class FilterDialog(_Dialog["frozenset[Mark] | None"]):
    """Asks which rows to show."""

    DEFAULT_CSS = "FilterDialog { & OptionList { max-height: 1fr; } }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "mark", "Mark", show=False),
        Binding("enter", "take", "Show", show=False, priority=True),
        Binding("x", "clear", "All", show=False),
    ]

    def __init__(self, marks: Sequence[tuple[Mark, int]], chosen: frozenset[Mark]) -> None:
        """`marks`: pairs of a mark and the number of rows that have it."""
        super().__init__()
        self._marks = marks
        self._chosen = {mark for mark, _ in marks if mark in chosen}

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Text("Show only"), classes="title")
            yield OptionList(*(Option(self._prompt(index)) for index in range(len(self._marks))), id="marks")
            yield Static(_one_line("space marks, enter shows, x shows all again"), classes="hint")

    def _prompt(self, index: int) -> Text:
        mark, count = self._marks[index]
        kind = mark.kind if not index or self._marks[index - 1][0].kind != mark.kind else ""
        box = "[x]" if mark in self._chosen else "[ ]"
        return _one_line((f"{kind:<9}", "bold"), f"{box} {mark.value}  ", (f"{count:,}", "dim"))

    def action_mark(self) -> None:
        index = self.query_one(OptionList).highlighted
        if index is not None:
            self._chosen ^= {self._marks[index][0]}
            self.query_one(OptionList).replace_option_prompt_at_index(index, self._prompt(index))

    def on_option_list_option_selected(self) -> None:
        self.action_mark()  # a mouse click

    def action_take(self) -> None:
        self.dismiss(frozenset(self._chosen))

    def action_clear(self) -> None:
        self.dismiss(frozenset())


class KeysDialog(_Dialog[None]):
    """Explains the keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "dismiss(None)", "Close", show=False),
        Binding("q", "dismiss(None)", "Close", show=False),
        Binding("enter", "dismiss(None)", "Close", show=False),
    ]

    def compose(self) -> ComposeResult:
        with Vertical():
            for title, keys in HELP:
                yield Static(Text(title), classes="title")
                for key, meaning in keys:
                    yield Static(_one_line((f"{key:<15} ", "bold"), meaning))
            yield Static(Text("ctrl+p: colours and screenshot; esc closes"), classes="hint")
