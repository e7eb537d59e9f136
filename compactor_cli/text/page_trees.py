"""Pages as trees of their nodes, as tools for browsers show them: one node a line, with the number by which it is acted
on, such as `[12] link 'Home'`, `uid=1_12 link "Home"` or `- link "Home" [ref=e12]`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import count_words

SIGNS = ("StaticText", "[ref=")
"""One of these stands in every such page."""
_NODE = compiled_later(r"\s*(?:\[\w+\][ \t]+|uid=\w+[ \t]+|-[ \t]+)(?=[A-Za-z])(?P<node>.*)")
_NUMBER = compiled_later(r"[ \t]*\[ref=\w+\]")
_TOLD = compiled_later(r"""[A-Za-z]+[ \t]*(?:"(?P<two>.*)"|'(?P<one>.*)'|:[ \t]*(?P<bare>.*))?""")
"""The kind of a node, and what it says."""
_WORD = compiled_later(r"\d|[^\W_]{2}")
_BARE_KIND = compiled_later(r"[A-Za-z]+[ \t]*(?:\"\W*\w?\W*\"|'\W*\w?\W*')?:?[ \t]*(?:\[[a-z]+\][ \t]*)*")
_ACTED_ON = frozenset(
    (
        *("button", "link", "textbox", "searchbox", "combobox", "listbox", "checkbox", "radio", "slider", "switch"),
        *("spinbutton", "tab", "option", "menuitem", "treeitem", "iframe", "Iframe", "row", "cell", "gridcell"),
    )
)
"""Kinds of nodes of which one without words says something: it can be clicked, or has a place in a table."""
_KIND = compiled_later(r"[A-Za-z]+")
_TEXTS = ("StaticText", "LabelText", "text")
"""Kinds of nodes that are the text of another one."""
_NEAR = 2
"""Nodes above one that may say the same, as a link does of its text."""
_SENTENCE = 12
"""Words from which on a node is prose."""


def node_of(line: str) -> str:
    """Return what a line says of a node, without the number of that; empty for other lines."""
    found = _NODE.match(line)
    return _NUMBER.sub("", found["node"]).strip() if found else ""


def is_tree(text: str) -> bool:
    """Return whether a text is such a page."""
    return any(sign in text for sign in SIGNS)


def is_prose(line: str) -> bool:
    """Return whether a node is prose: a text that is more than a name, and leads nowhere."""
    node = node_of(line)
    return bool(node) and "[url:" not in node and not node.startswith("link") and count_words(_said(node)) >= _SENTENCE


def nodes_without_words(lines: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of the lines of nodes that say nothing: without a word, and nothing can be done with them, or
    with the words of one right above them."""
    above: list[str] = []
    for number, line in enumerate(lines):
        node = node_of(line)
        if not node:
            continue
        kind, said = _KIND.match(node), _said(node)
        repeats = said in above[-_NEAR:] and node.startswith(_TEXTS)
        empty = not _WORD.search(said) and _BARE_KIND.fullmatch(node)
        if kind and kind[0] not in _ACTED_ON and (empty or (said and repeats)):
            yield number
        above.append(said)


def _said(node: str) -> str:
    told = _TOLD.match(node)
    return next((said.strip() for said in told.groups() if said), "") if told else ""
