"""Which sentences of a system prompt stay where it has no room: what binds, and what it says of the matter at hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from compactor_cli.text.chosen import FIRST, LAST, Chosen
from compactor_cli.text.kept_sentences import KEYWORD, Keywords, points
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.subjects import SubjectWords
from compactor_cli.text.text_outline import Outlined, outline

_GENERAL, _LEAST = 0.8, 0.25
"""What sentences count that are of no section, and at least in one that does not meet the matter, of what they do in
the one that meets it most."""
_WORTHLESS = 0.3
"""Of what the best sentence is worth for its length: those that are worth less leave their room to the session."""
_SMOOTH = 3.0
"""Weights of words that short sections are taken to have besides, none of them of the matter."""
_ENTRY = compiled_later(r"\s*(?:[-*+•]|\d+[.)])\s+[`*_]*((?-i:[a-z0-9])[\w.:/-]*)[`*_]*\s*(?::|[–—]|-\s)\s*\S")
"""An item of a catalogue: a name as programs have them, and what it is."""
_NAME = compiled_later(r"[\w.]+[-_:/]\w")
_ENTRIES, _MOST, _NAMED = 6, 0.8, 0.25
"""Items from which on a list may be a catalogue, the share of them that begin with a name, and that of those whose
name has several parts: labels of rules are words."""


def prompt(text: str, keywords: Keywords, subject: SubjectWords, rate: Callable[[str], float]) -> Chosen:
    """Return a system prompt with what its sentences are worth. `rate`: points of one for what it orders; `subject`:
    its words of the matter at hand."""
    units = outline(text)
    said = [text[unit.start : unit.end].strip() for unit in units]
    relevance = _relevance(units, said, subject)
    shares = [subject.share(sentence) for sentence in said]
    bare = [*map(_without_code, said)]
    rules = [*map(rate, bare)]
    own = [points(sentence, keywords) + rule for sentence, rule in zip(bare, rules, strict=True)]
    worth: list[float] = []
    by_force: dict[int, bool] = {}
    for at, unit in enumerate(units):
        over = {unit.section, unit.parent if unit.parent >= 0 and units[unit.parent].heads else -1} - {-1}
        of_matter = KEYWORD * (shares[at] + sum(shares[head] for head in sorted(over)))
        if rules[at]:
            by_force[at] = rules[at] > of_matter
        led = unit.parent >= 0 and unit.parent == at - 1 and units[at - 1].heads
        # what leads to a list gives its worth to the first item
        worth.append(relevance[unit.section] * (own[at] + of_matter + (own[at - 1] if led else 0.0)))
    catalogue = frozenset(_catalogued(text, units, said, rules))
    ranks = [LAST if at in catalogue else FIRST for at in range(len(units))]
    return Chosen(text, units, worth, ranks, _WORTHLESS, by_force)


def _relevance(units: Sequence[Outlined], said: Sequence[str], subject: SubjectWords) -> defaultdict[int, float]:
    """Return how much each section meets the matter, compared with the one that does most."""
    members: dict[int, list[str]] = {}
    for unit, sentence in zip(units, said, strict=True):
        if unit.section >= 0:
            members.setdefault(unit.section, [said[unit.section]]).append(sentence)
    parts = {section: subject.part("\n".join(own), _SMOOTH) for section, own in members.items()}
    most = max(parts.values(), default=0.0)
    found = defaultdict(lambda: _GENERAL)
    for section, part in parts.items():
        found[section] = _LEAST + (1 - _LEAST) * part / most if most else _GENERAL
    for around in {units[section].parent for section in members} & members.keys():
        found[around] = max(_GENERAL, found[around])  # what stands over other sections holds for them
    return found


def _catalogued(text: str, units: Sequence[Outlined], said: Sequence[str], rules: Sequence[float]) -> Iterator[int]:
    """Yield the items of catalogues, such as those of skills, and what stands in them. A list of which half of the
    items are rules is none, whatever they begin with."""
    lists: defaultdict[int, list[int]] = defaultdict(list)
    entries: dict[int, str] = {}
    for at, unit in enumerate(units):
        if unit.start == 0 or text[unit.start - 1] == "\n":
            lists[unit.parent].append(at)
            if entry := _ENTRY.match(said[at]):
                entries[at] = entry[1]
    found: set[int] = set()
    for items in lists.values():
        names = [entries[at] for at in items if at in entries]
        ruled = sum(rules[at] > 0 for at in items if at in entries)
        several = sum(_NAME.match(name) is not None for name in names)
        listed = len(names) >= max(_ENTRIES, _MOST * len(items)) and 2 * ruled < len(names)
        if listed and several >= _NAMED * len(names):
            found.update(at for at in items if at in entries)
    for at, unit in enumerate(units):
        if unit.parent in found:
            found.add(at)
    yield from found


def _without_code(said: str) -> str:
    """Return what a sentence says: code orders and forbids nothing, whatever its words."""
    return "" if said.startswith(("```", "~~~")) else said
