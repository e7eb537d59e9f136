"""Web pages as trees of nodes, as browser tools show them. Each line has one node with its number for actions, such
as `[12] link 'Home'`, `uid=1_12 link "Home"` or `- link "Home" [ref=e12]`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import count_words
from compactor_cli.text.shell import word_set

SIGNS = ("StaticText", "[ref=")
"""Every such page contains one of these."""
_FEWEST = 3
"""Minimum number of lines of a page."""
_BELOW, _TYPED = 4_000, 2
"""Characters at the end of a page that are searched for text typed below it, and minimum number of words in that
text."""
_NODE = compiled_later(r"\s*(?:\[\w+\][ \t]+|uid=\w+[ \t]+|-[ \t]+)(?=[A-Za-z])(?P<node>.*)")
_NUMBER = compiled_later(r"[ \t]*\[ref=\w+\]")
_TOLD = compiled_later(r"""[A-Za-z]+[ \t]*(?:"(?P<two>.*)"|'(?P<one>.*)'|:[ \t]*(?P<bare>.*))?""")
"""The kind of a node, and its text."""
_WORD = compiled_later(r"[^\s•·|‣▪◦●○…]")
"""A letter, or a sign that may carry meaning, such as a fraction."""
_BARE_KIND = compiled_later(r"[A-Za-z]+[ \t]*(?:\"\W*\w?\W*\"|'\W*\w?\W*')?:?[ \t]*(?:\[[a-z]+\][ \t]*)*")
_SAYS = word_set(
    "button link textbox searchbox combobox listbox checkbox radio slider switch spinbutton tab option menuitem "
    "treeitem menuitemcheckbox menuitemradio iframe Iframe row cell gridcell columnheader rowheader alert "
    "alertdialog dialog status progressbar meter scrollbar timer log marquee tooltip math"
)
"""Kinds of nodes that carry meaning even without words: they can be clicked, are part of a table, or appear only at
times."""
_SILENT = word_set(
    "StaticText LabelText text InlineTextBox LineBreak ListMarker Section generic img image paragraph list "
    "listitem group banner main navigation contentinfo complementary region article section form figure separator "
    "presentation none table grid treegrid rowgroup heading strong emphasis code blockquote time term definition "
    "search toolbar menubar menu tablist tabpanel tree radiogroup document application caption note subscript "
    "superscript insertion deletion mark feed RootWebArea WebArea Legend DescriptionList DescriptionListTerm "
    "DescriptionListDetail Canvas Video Audio"
)
"""Kinds of nodes that mean nothing without words."""
_OF_PAGE = compiled_later(r"(?P<kind>[A-Za-z]+)[ \t]*(?:[\"':\[]|$)")
_ADDRESS = compiled_later(r"\s*-[ \t]+/url:")
_OPTION = compiled_later(r"\s*(?:\[\w+\][ \t]+|uid=\w+[ \t]+|-[ \t]+)option[ \t]+[\"']")
_SELECTED = compiled_later(r"\bselected(?:=[Tt]rue\b|=\"true\"|(?!=))")
_OPTIONS, _SHOWN = 6, 2
"""Minimum number of options in a long list, and number of those that are kept."""
_TEXTS = ("StaticText", "LabelText", "text")
"""Kinds of nodes that are the text of another node."""
_SENTENCE = 12
"""Minimum number of words in a node that is prose."""


def node_of(line: str) -> str:
    """Return the node in a line, without its number; "" for other lines."""
    found = _NODE.match(line)
    return _NUMBER.sub("", found["node"]).strip() if found else ""


@lru_cache(maxsize=32)
def is_tree(text: str) -> bool:
    """Return whether a text is such a page."""
    return any(sign in text for sign in SIGNS) and _is_page(text.split("\n"))


def _is_page(lines: Sequence[str]) -> bool:
    """Return whether most lines are nodes of known kinds; otherwise the text may just mention such nodes."""
    said = [line for line in lines if line.strip()]
    nodes = sum(_kind_of(node_of(line)) != "" or _ADDRESS.match(line) is not None for line in said)
    return len(said) >= _FEWEST and 2 * nodes > len(said)


def _kind_of(node: str) -> str:
    """Return the kind of a node; "" if it is not a known kind."""
    found = _OF_PAGE.match(node)
    return found["kind"] if found and (found["kind"] in _SAYS or found["kind"] in _SILENT) else ""


def typed_below(text: str) -> tuple[int, int] | None:
    """Return the span of the paragraphs after the last node of a page and an empty line. Return None if they have
    fewer than two words."""
    if not any(sign in text for sign in SIGNS):
        return None
    begin = max(0, len(text) - _BELOW)
    lines = text[begin:].split("\n")
    nodes = [number for number, line in enumerate(lines) if _kind_of(node_of(line))]
    empty = (number for number in range(nodes[-1] + 1, len(lines)) if not lines[number].strip()) if nodes else iter(())
    first = next(empty, len(lines))
    start = begin + sum(len(line) + 1 for line in lines[:first])
    told = text[start:].strip()
    if count_words(told) < _TYPED:
        return None
    start = text.index(told, start)
    return start, start + len(told)


def is_prose(line: str) -> bool:
    """Return whether a node is prose: longer than a name, and not a link."""
    node = node_of(line)
    return bool(node) and "[url:" not in node and not node.startswith("link") and count_words(_said(node)) >= _SENTENCE


def nodes_without_words(lines: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of lines with nodes that carry no information. They have no words and cannot be acted on, or
    they repeat the text of the link, button or heading directly above, which they belong to."""
    if not _is_page(lines):
        return
    in_steps = any(line[:1] in (" ", "\t") for line in lines)
    above, depth = "", 0
    for number, line in enumerate(lines):
        node, indent = node_of(line), len(line) - len(line.lstrip())
        kind, said = _kind_of(node), _said(node)
        belongs = kind in _TEXTS and (indent > depth or not in_steps)
        empty = kind in _SILENT and not _WORD.search(said) and _BARE_KIND.fullmatch(node)
        if empty or (belongs and said and said == above):
            yield number
        above, depth = said if kind not in _TEXTS else "", indent


def further_options(lines: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of the lines with options of a long list that are not selected, except the first ones, which
    show what kind of list it is."""
    run: list[int] = []
    for number, line in enumerate((*lines, "")):
        if _OPTION.match(line):
            run.append(number)
            continue
        if len(run) >= _OPTIONS:
            yield from (at for at in run[_SHOWN:] if not _SELECTED.search(lines[at]))
        run = []


def _said(node: str) -> str:
    told = _TOLD.match(node)
    return next((said.strip() for said in told.groups() if said), "") if told else ""
