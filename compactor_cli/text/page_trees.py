"""Web pages as trees of nodes, as browser tools show them. Each line has one node with its number for actions, such
as `[12] link 'Home'`, `uid=1_12 link "Home"` or `- link "Home" [ref=e12]`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import count_words
from compactor_cli.text.shell import word_set

PAGE_SIGNS = ("StaticText", "[ref=")
"""Every such page contains one of these."""
_MIN_PAGE_LINES = 3
"""Minimum number of lines of a page."""
_SEARCHED_CHARS, _MIN_TYPED_WORDS = 4_000, 2
"""Characters at the end of a page that are searched for text typed below it, and minimum number of words in that
text."""
_NODE = compiled_later(r"\s*(?:\[\w+\][ \t]+|uid=\w+[ \t]+|-[ \t]+)(?=[A-Za-z])(?P<node>.*)")
_NODE_REFERENCE = compiled_later(r"[ \t]*\[ref=\w+\]")
_NODE_TEXT = compiled_later(r"""[A-Za-z]+[ \t]*(?:"(?P<two>.*)"|'(?P<one>.*)'|:[ \t]*(?P<bare>.*))?""")
"""The kind of a node, and its text."""
_WORD = compiled_later(r"[^\s•·|‣▪◦●○…]")
"""A letter, or a sign that may carry meaning, such as a fraction."""
_BARE_KIND = compiled_later(r"[A-Za-z]+[ \t]*(?:\"\W*\w?\W*\"|'\W*\w?\W*')?:?[ \t]*(?:\[[a-z]+\][ \t]*)*")
_MEANINGFUL_KINDS = word_set(
    "button link textbox searchbox combobox listbox checkbox radio slider switch spinbutton tab option menuitem "
    "treeitem menuitemcheckbox menuitemradio iframe Iframe row cell gridcell columnheader rowheader alert "
    "alertdialog dialog status progressbar meter scrollbar timer log marquee tooltip math"
)
"""Kinds of nodes that carry meaning even without words: they can be clicked, are part of a table, or appear only at
times."""
_SILENT_KINDS = word_set(
    "StaticText LabelText text InlineTextBox LineBreak ListMarker Section generic img image paragraph list "
    "listitem group banner main navigation contentinfo complementary region article section form figure separator "
    "presentation none table grid treegrid rowgroup heading strong emphasis code blockquote time term definition "
    "search toolbar menubar menu tablist tabpanel tree radiogroup document application caption note subscript "
    "superscript insertion deletion mark feed RootWebArea WebArea Legend DescriptionList DescriptionListTerm "
    "DescriptionListDetail Canvas Video Audio"
)
"""Kinds of nodes that mean nothing without words."""
_NODE_KIND = compiled_later(r"(?P<kind>[A-Za-z]+)[ \t]*(?:[\"':\[]|$)")
_URL_LINE = compiled_later(r"\s*-[ \t]+/url:")
_TEXT_KINDS = ("StaticText", "LabelText", "text")
"""Kinds of nodes that are the text of another node."""


def node_in_line(line: str) -> str:
    """Return the node in a line, without its number; "" for other lines."""
    match = _NODE.match(line)
    return _NODE_REFERENCE.sub("", match["node"]).strip() if match else ""


@lru_cache(maxsize=32)
def is_page_tree(text: str) -> bool:
    """Return whether a text is such a page."""
    return any(sign in text for sign in PAGE_SIGNS) and _is_page(text.split("\n"))


def _is_page(lines: Sequence[str]) -> bool:
    """Return whether most lines are nodes of known kinds; otherwise the text may just mention such nodes."""
    nonblank = [line for line in lines if line.strip()]
    nodes = sum(_kind_of_node(node_in_line(line)) != "" or _URL_LINE.match(line) is not None for line in nonblank)
    return len(nonblank) >= _MIN_PAGE_LINES and 2 * nodes > len(nonblank)


def _kind_of_node(node: str) -> str:
    """Return the kind of a node; "" if it is not a known kind."""
    match = _NODE_KIND.match(node)
    return match["kind"] if match and (match["kind"] in _MEANINGFUL_KINDS or match["kind"] in _SILENT_KINDS) else ""


def typed_span(text: str) -> tuple[int, int] | None:
    """Return the span of the paragraphs after the last node of a page and an empty line. Return None if they have
    fewer than two words."""
    if not any(sign in text for sign in PAGE_SIGNS):
        return None
    search_start = max(0, len(text) - _SEARCHED_CHARS)
    lines = text[search_start:].split("\n")
    nodes = [number for number, line in enumerate(lines) if _kind_of_node(node_in_line(line))]
    empty = (number for number in range(nodes[-1] + 1, len(lines)) if not lines[number].strip()) if nodes else iter(())
    first = next(empty, len(lines))
    start = search_start + sum(len(line) + 1 for line in lines[:first])
    typed = text[start:].strip()
    if count_words(typed) < _MIN_TYPED_WORDS:
        return None
    start = text.index(typed, start)
    return start, start + len(typed)


def nodes_without_words(lines: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of lines with nodes that carry no information. They have no words and cannot be acted on, or
    they repeat the text of the link, button or heading directly above, which they belong to."""
    if not _is_page(lines):
        return
    is_indented = any(line[:1] in (" ", "\t") for line in lines)
    above, depth = "", 0
    for number, line in enumerate(lines):
        node, indent = node_in_line(line), len(line) - len(line.lstrip())
        kind, text = _kind_of_node(node), _text_of_node(node)
        is_text_of_other = kind in _TEXT_KINDS and (indent > depth or not is_indented)
        empty = kind in _SILENT_KINDS and not _WORD.search(text) and _BARE_KIND.fullmatch(node)
        if empty or (is_text_of_other and text and text == above):
            yield number
        above, depth = text if kind not in _TEXT_KINDS else "", indent


def _text_of_node(node: str) -> str:
    match = _NODE_TEXT.match(node)
    return next((group.strip() for group in match.groups() if group), "") if match else ""
