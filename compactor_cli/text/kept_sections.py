"""Select which sentences to keep of a system prompt that must be cut: rules, and those on the current subject."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from compactor_cli.text.chosen import FIRST, LAST, Chosen
from compactor_cli.text.kept_sentences import KEYWORD, Keywords, points
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.subjects import SubjectWords
from compactor_cli.text.text_outline import Outlined, outline

_GENERAL, _LEAST = 0.8, 0.25
"""Factors for the value of a sentence outside all sections, and in a section with nothing on the subject. In the
section that is closest to the subject the factor is 1."""
_WORTHLESS = 0.3
"""Share of the best value for its length. Sentences below it are dropped unless half of the prompt fits."""
_SMOOTH = 3.0
"""Weight of words off the subject that is added to every section, so that short sections do not win by one word."""
_ENTRY = compiled_later(r"\s*(?:[-*+•]|\d+[.)])\s+[`*_]*((?-i:[a-z0-9])[\w.:/-]*)[`*_]*\s*(?::|[–—]|-\s)\s*\S")
"""An item of a catalogue: an identifier, then a description."""
_NAME = compiled_later(r"[\w.]+[-_:/]\w")
_ENTRIES, _MOST, _NAMED = 6, 0.8, 0.25
"""Minimum entries of a catalogue, their minimum share of the items of the list, and the minimum share of entries whose
name has several parts. The labels of rules are single words."""


def prompt(text: str, keywords: Keywords, subject: SubjectWords, rate: Callable[[str], float]) -> Chosen:
    """Return a system prompt with the value of each sentence. `rate`: returns the points of a sentence for what it
    orders or forbids. `subject`: weighs the prompt's words on the current subject."""
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
        # the lead-in of a list gives its value to the first item
        worth.append(relevance[unit.section] * (own[at] + of_matter + (own[at - 1] if led else 0.0)))
    catalogue = frozenset(_catalogued(text, units, said, rules))
    ranks = [LAST if at in catalogue else FIRST for at in range(len(units))]
    return Chosen(text, units, worth, ranks, _WORTHLESS, by_force)


def _relevance(units: Sequence[Outlined], said: Sequence[str], subject: SubjectWords) -> defaultdict[int, float]:
    """Return a factor for each section: how close it is to the subject, relative to the closest section."""
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
        found[around] = max(_GENERAL, found[around])  # what introduces other sections applies to them
    return found


def _catalogued(text: str, units: Sequence[Outlined], said: Sequence[str], rules: Sequence[float]) -> Iterator[int]:
    """Yield the items of catalogues, for example of skills, and the sentences inside these items. A list is no
    catalogue if half of its items are rules, whatever they begin with."""
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
    """Return a sentence, or "" for a code block: code orders and forbids nothing, whatever its words."""
    return "" if said.startswith(("```", "~~~")) else said
