"""Select which sentences to keep of a system prompt that must be cut: rules, and those on the current subject."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from compactor_cli.text.chosen import FIRST, LAST, SentenceChoice
from compactor_cli.text.kept_sentences import KEYWORD, Keywords, sentence_points
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.subjects import SubjectWords
from compactor_cli.text.text_outline import OutlineUnit, outline_units

_GENERAL_FACTOR, _MIN_FACTOR = 0.8, 0.25
"""Factors for the value of a sentence outside all sections, and in a section with nothing on the subject. In the
section that is closest to the subject the factor is 1."""
_MIN_WORTH_SHARE = 0.3
"""Share of the best value for its length. Sentences below it are dropped unless half of the prompt fits."""
_SMOOTHING = 3.0
"""Weight of words off the subject that is added to every section, so that short sections do not win by one word."""
_ENTRY = compiled_later(r"\s*(?:[-*+•]|\d+[.)])\s+[`*_]*((?-i:[a-z0-9])[\w.:/-]*)[`*_]*\s*(?::|[–—]|-\s)\s*\S")
"""An item of a catalogue: an identifier, then a description."""
_COMPOUND_NAME = compiled_later(r"[\w.]+[-_:/]\w")
_MIN_ENTRIES, _MIN_ENTRY_SHARE, _MIN_COMPOUND_SHARE = 6, 0.8, 0.25
"""Minimum entries of a catalogue, their minimum share of the items of the list, and the minimum share of entries whose
name has several parts. The labels of rules are single words."""


def choose_prompt_sentences(
    text: str, keywords: Keywords, subject: SubjectWords, rate: Callable[[str], float]
) -> SentenceChoice:
    """Return a system prompt with the value of each sentence. `rate`: returns the points of a sentence for what it
    orders or forbids. `subject`: weighs the prompt's words on the current subject."""
    units = outline_units(text)
    sentences = [text[unit.start : unit.end].strip() for unit in units]
    relevance = _section_relevance(units, sentences, subject)
    shares = [subject.sentence_weight(sentence) for sentence in sentences]
    prose = [*map(_without_code, sentences)]
    rules = [*map(rate, prose)]
    own_points = [sentence_points(sentence, keywords) + rule for sentence, rule in zip(prose, rules, strict=True)]
    worth: list[float] = []
    is_ruled: dict[int, bool] = {}
    for index, unit in enumerate(units):
        headings = {unit.section, unit.parent if unit.parent >= 0 and units[unit.parent].is_heading else -1} - {-1}
        subject_points = KEYWORD * (shares[index] + sum(shares[head] for head in sorted(headings)))
        if rules[index]:
            is_ruled[index] = rules[index] > subject_points
        follows_lead_in = unit.parent >= 0 and unit.parent == index - 1 and units[index - 1].is_heading
        # the lead-in of a list gives its value to the first item
        worth.append(
            relevance[unit.section]
            * (own_points[index] + subject_points + (own_points[index - 1] if follows_lead_in else 0.0))
        )
    catalogue = frozenset(_catalogue_items(text, units, sentences, rules))
    ranks = [LAST if index in catalogue else FIRST for index in range(len(units))]
    return SentenceChoice(text, units, worth, ranks, _MIN_WORTH_SHARE, is_ruled)


def _section_relevance(
    units: Sequence[OutlineUnit], sentences: Sequence[str], subject: SubjectWords
) -> defaultdict[int, float]:
    """Return a factor for each section: how close it is to the subject, relative to the closest section."""
    members: dict[int, list[str]] = {}
    for unit, sentence in zip(units, sentences, strict=True):
        if unit.section >= 0:
            members.setdefault(unit.section, [sentences[unit.section]]).append(sentence)
    parts = {
        section: subject.section_share("\n".join(members_text), _SMOOTHING) for section, members_text in members.items()
    }
    highest = max(parts.values(), default=0.0)
    factors = defaultdict(lambda: _GENERAL_FACTOR)
    for section, part in parts.items():
        factors[section] = _MIN_FACTOR + (1 - _MIN_FACTOR) * part / highest if highest else _GENERAL_FACTOR
    for outer in {units[section].parent for section in members} & members.keys():
        factors[outer] = max(_GENERAL_FACTOR, factors[outer])  # what introduces other sections applies to them
    return factors


def _catalogue_items(
    text: str, units: Sequence[OutlineUnit], sentences: Sequence[str], rules: Sequence[float]
) -> Iterator[int]:
    """Yield the items of catalogues, for example of skills, and the sentences inside these items. A list is no
    catalogue if half of its items are rules, whatever they begin with."""
    lists: defaultdict[int, list[int]] = defaultdict(list)
    entries: dict[int, str] = {}
    for index, unit in enumerate(units):
        if unit.start == 0 or text[unit.start - 1] == "\n":
            lists[unit.parent].append(index)
            if entry := _ENTRY.match(sentences[index]):
                entries[index] = entry[1]
    found: set[int] = set()
    for items in lists.values():
        names = [entries[index] for index in items if index in entries]
        rule_count = sum(rules[index] > 0 for index in items if index in entries)
        compound_count = sum(_COMPOUND_NAME.match(name) is not None for name in names)
        is_catalogue = len(names) >= max(_MIN_ENTRIES, _MIN_ENTRY_SHARE * len(items)) and 2 * rule_count < len(names)
        if is_catalogue and compound_count >= _MIN_COMPOUND_SHARE * len(names):
            found.update(index for index in items if index in entries)
    for index, unit in enumerate(units):
        if unit.parent in found:
            found.add(index)
    yield from found


def _without_code(sentence: str) -> str:
    """Return a sentence, or "" for a code block: code orders and forbids nothing, whatever its words."""
    return "" if sentence.startswith(("```", "~~~")) else sentence
