"""Words that somebody typed below a page which a harness shows as a message of the user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from compactor_cli.features.lines import SessionLines
from compactor_cli.model.message import Message
from compactor_cli.text.page_trees import typed_span


def typed_below_pages(messages: Sequence[Message], lines: SessionLines) -> dict[int, tuple[int, int]]:
    """Return the spans of these words by piece. Words found below several pages come from the harness itself."""
    pieces = lines.session.pieces
    pages = (number for number in lines.first_of if messages[pieces[number].message].origin == "injected")
    spans = {number: span for number in pages if (span := typed_span(pieces[number].text))}
    texts = {number: pieces[number].text[start:end] for number, (start, end) in spans.items()}
    counts = Counter(texts.values())
    return {number: span for number, span in spans.items() if counts[texts[number]] == 1}
