"""Chosen lines as the text of a summary: pieces, headings, tables and checklists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compactor_cli.model.plan import Quote
from compactor_cli.summarizers.forms import Form, Heading, row
from compactor_cli.summarizers.sections import Item
from compactor_cli.text.excerpts import Excerpt, legend
from compactor_cli.text.excerpts import quote as quote_lines
from compactor_cli.text.verbatim import LAST_REQUEST_WAS, QUOTED, block

NOTHING = "(nothing in these messages)"


@dataclass(frozen=True, slots=True)
class Line:
    """A line that was chosen, and the piece that it belongs to."""

    item: Item
    part: int | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """What a summary has besides its lines."""

    form: Form
    header: str
    quotes: tuple[Quote, ...]
    titles: tuple[str, ...]
    """Of its pieces; a piece without lines has its title all the same: it says what was there."""
    lines: tuple[Excerpt, ...] = ()
    roomy: bool = True
    """There is room for headings with nothing under them."""


def render(page: Page, chosen: Sequence[Line]) -> str:
    """The whole text."""
    quotes = {quote.kind: quote for quote in page.quotes}
    out = [page.header]
    for at, title in enumerate(page.titles):
        own = sorted((line.item for line in chosen if line.part == at), key=lambda item: item.order)
        out += [f"### {title}", *(item.line for item in own)]
    items = [line.item for line in chosen if line.part is None]
    for heading in page.form.headings:
        quote = quotes.pop(heading.quotes, None) if heading.quotes else None
        quote = quote or (quotes.get("only") if heading.quotes == "first" else None)
        lines = _under(heading, items)
        if quote is not None:
            out.append(block(heading.title, quote.kind, quote.message, quote.text))
        elif lines or (heading.always and page.roomy):
            out.append(f"### {heading.title}")
            out += [] if lines else [NOTHING]
        out += lines
    if page.lines:
        out[-1] += f"{QUOTED}{legend(page.lines)}{quote_lines(page.lines)}"
    last = quotes.get("last") or quotes.get("only")
    return "\n".join(out) + (f"{LAST_REQUEST_WAS}{last.text}" if last else "")


def _under(heading: Heading, items: Sequence[Item]) -> list[str]:
    lines: list[str] = []
    for section in heading.sections:
        found = sorted((item for item in items if item.section == section), key=lambda item: item.order)
        if heading.style == "table" and section == "Files" and found:
            lines += [row(("File/Component", "Action", "Description")), row(("---", "---", "---"))]
            lines += [row((f"`{i.fact.about}`", i.fact.done, i.fact.where)) for i in found if i.fact is not None]
        elif heading.style == "checklist":
            lines += [f"- [ ] {item.line[2:]}" for item in found]
        else:
            lines += [item.line for item in found]
    return lines
