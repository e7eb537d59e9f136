"""What a page says that was done, in answer to a click or a key of an agent that works in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compactor_cli.features.work.acting_tools import tool_words
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.effects import Effect
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_ON_PAGES = word_set("click press submit type fill tap select key enter")
"""Words of tools that act on what a page shows."""
_MOST = 400
"""Characters of a result that says what came of the act; longer ones show the page."""
_PARTS = compiled_later(r"[.!?](?:\s|$)|[\n\"“”«»|·]|(?<=\w):\s")
"""What stands between sentences of a page, and around what it quotes."""
_DONE = (
    "saved|submitted|sent|placed|booked|confirmed|created|published|posted|cancell?ed|deleted|ordered|paid|scheduled"
)
_NAME = r"(?:[A-Z]\w*-?|#)\d{3,}[\w-]*"
_SAID = compiled_later(
    rf"(?!.*\b(?:last|previous|recent|not|never|already)\b)(?:(?:[A-Za-z]+ ){{0,2}}{_NAME} (?:(?:has been|was|is) )?"
    rf"(?:successfully )?(?:{_DONE})|(?:successfully )?(?:{_DONE}) (?:as )?(?:[A-Za-z]+ ){{0,2}}{_NAME})",
    re.IGNORECASE,
)
"""A sentence that says nothing but that something with a name of its own was done."""


def page_effects(call: ToolCall) -> Iterator[Effect]:
    """Yield what a page says to have been done, in its words, by a call that acts on it."""
    if call.failed or call.undecided or not _ON_PAGES.intersection(tool_words(call.tool)) or len(call.said) > _MOST:
        return
    given = (
        [value for value in call.arguments.values() if isinstance(value, str)]
        if isinstance(call.arguments, dict)
        else []
    )
    for sentence in map(str.strip, _PARTS.split(call.said)):
        if _SAID.fullmatch(sentence) and sentence not in "\n".join(given):
            text = f'{call.tool} → "{sentence}"'
            yield Effect(text, text, True)
