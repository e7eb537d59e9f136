"""Acts that a web page reports in answer to a click or a key press of an agent in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.effects import Effect
from compactor_cli.features.work.tool_names import tool_words
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_PAGE_VERBS = word_set("click press submit tap")
"""First or last words of tools that act on what a page shows."""
_MAX_RESULT_CHARS = 400
"""Maximum length of a result that reports an act; longer ones show the page."""
_LIST_SEPARATOR = compiled_later(r"\n|[|·•]")
"""What occurs in results that show a page or a list from it."""
_SENTENCE_SEPARATOR = compiled_later(r"[.!?](?:\s|$)|[\"“”«»]|(?<=\w):\s")
"""What separates the sentences of a page, and surrounds its quotes."""
_DONE_PARTICIPLES = (
    "saved|submitted|sent|placed|booked|confirmed|created|published|posted|cancell?ed|deleted|ordered|paid|scheduled"
)
_OWN_NAME = r"(?:[A-Z]\w*-?|#)\d{3,}[\w-]*"
_NAMED_THING = compiled_later(rf"(?<!\w){_OWN_NAME}")
_NOT_A_PREPOSITION = r"(?!(?:by|in|on|at|from|for|to|with|of|since)\b)"
_DONE_SENTENCE = compiled_later(
    rf"(?!.*\b(?:last|previous|recent|not|never|already)\b)(?:(?:[A-Za-z]+ ){{0,2}}{_OWN_NAME} (?:(?:has "
    rf"been|was|is) )?"
    rf"(?:successfully )?(?:{_DONE_PARTICIPLES})|(?:successfully )?(?:{_DONE_PARTICIPLES}) (?:as "
    rf")?(?:{_NOT_A_PREPOSITION}[A-Za-z]+ ){{0,2}}{_OWN_NAME})",
    re.IGNORECASE,
)
"""A sentence that only says that something with its own name was done."""


def page_effects(call: ToolCall) -> Iterator[Effect]:
    """Yield what a page reports as done, in its own words, after a call that acts on it."""
    words = tool_words(call.tool)
    is_page_act = not _PAGE_VERBS.isdisjoint((*words[:1], *words[-1:]))
    if (
        call.failed
        or call.undecided
        or not is_page_act
        or len(call.output) > _MAX_RESULT_CHARS
        or _LIST_SEPARATOR.search(call.output.strip())
    ):
        return
    values = call.arguments.values() if isinstance(call.arguments, dict) else ()
    given_texts = "\n".join(value for value in values if isinstance(value, str))
    parts = [text for text in map(str.strip, _SENTENCE_SEPARATOR.split(call.output)) if text not in given_texts]
    done = [text for text in parts if _DONE_SENTENCE.fullmatch(text)]
    # a page that names several things lists earlier acts
    if len(done) == 1 and all(text in done or not _NAMED_THING.search(text) for text in parts):
        text = f'{call.tool} → "{done[0]}"'
        yield Effect(text, text, True)
