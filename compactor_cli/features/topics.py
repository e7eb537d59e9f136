"""Find the topics of a session by lexical cohesion: what the user asked for, and the files that were touched.

Each request begins a stretch. If there are few requests, a stretch is a fixed number of groups. Stretches are
compared by the words of requests and answers and by their files; rare ones weigh more. The two stretches that
increase the scatter least are joined, until few enough are left and no two are alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import log, sqrt

from msgspec import Struct, field

from compactor_cli.features.work.ledger import call_actions
from compactor_cli.model.group import Group
from compactor_cli.model.message import Message
from compactor_cli.model.planning import Topic
from compactor_cli.summary_text.headers import format_ranges
from compactor_cli.text.clean import one_line
from compactor_cli.text.marks import find_words
from compactor_cli.text.outcomes import stated_failure
from compactor_cli.text.patterns import compiled_later

MAX_TOPICS = 5
"""Maximum number of topics of a session (seed 003)."""
_MIN_GROUPS = 6
"""Minimum number of groups for finding topics."""
_MAX_STRETCHES = 60
"""Maximum number of stretches that are compared; if there are more, neighbours are merged."""
_STRETCH_GROUPS = 6
"""Groups per stretch if there are too few requests."""
_MIN_COSINE = 0.25
"""Minimum cosine at which two stretches are one topic, however few topics there are."""
_REQUEST_WEIGHT, _FILE_WEIGHT = 2, 3
"""Weights of a word in a request, and of a file, relative to a word in an answer."""
_OLDEST_WEIGHT = 0.5
"""Weight of the oldest topic relative to the newest one, everything else being equal."""
_WORD = compiled_later(r"[^\W\d_][\w-]{3,}")
MAX_TITLE_CHARS = 70
"""Maximum length of a title."""
_COMMON_WORD_LIST = """
about above after again also another because been before being below between both call code could does doing
done down each even every file files first from further have having here into just let's like look make more most
need needs next now once only other over please same should since some such sure than that the their them then
there these they thing this those through time under until update using very want well were what when where which
while will with without work would your
"""
_COMMON_WORDS = frozenset(_COMMON_WORD_LIST.split())


class _Stretch(Struct):
    groups: list[Group]
    words: Counter[str]
    requests: list[Message]
    files: Counter[str]
    weight: float
    centre: dict[str, float] = field(default_factory=dict)
    """Mean of the vectors of the stretches that were joined, each of length 1."""
    size: int = 1

    @property
    def square(self) -> float:
        """Return the squared length of the centre."""
        return sum(value * value for value in self.centre.values())


def find_topics(messages: Sequence[Message], groups: Sequence[Group], limit: int = MAX_TOPICS) -> tuple[Topic, ...]:
    """Return at most `limit` topics in the order in which they came up; none for a session that is too short or has
    only one."""
    stretches = dict(enumerate(_read_stretch(messages, members) for members in cut_stretches(messages, groups)))
    _set_vectors(list(stretches.values()))
    pairs = {(a, b): _distance(stretches[a], stretches[b]) for a, b in combinations(stretches, 2)}
    while pairs:
        (first, second), (_, cosine) = min(pairs.items(), key=lambda pair: (pair[1][0], pair[0]))
        if cosine < _MIN_COSINE and len(stretches) <= limit:
            break
        stretches[first] = _join_stretches(stretches[first], stretches.pop(second))
        pairs = {pair: scatter for pair, scatter in pairs.items() if second not in pair and first not in pair}
        pairs |= {
            (min(first, other), max(first, other)): _distance(stretches[first], stretches[other])
            for other in stretches
            if other != first
        }
    if len(stretches) < 2:
        return ()
    heaviest = max(stretch.weight for stretch in stretches.values())
    return tuple(
        Topic(_title(stretch, messages), tuple(g.index for g in stretch.groups), round(stretch.weight / heaviest, 3))
        for stretch in stretches.values()
    )


def cut_stretches(messages: Sequence[Message], groups: Sequence[Group]) -> list[list[Group]]:
    """Cut groups into stretches of neighbours, at most 61; none for a session that is too short."""
    if len(groups) < _MIN_GROUPS:
        return []
    starts = [n for n, g in enumerate(groups) if any(messages[i].origin == "request" for i in g.messages)]
    if len(starts) < 2 or len(groups) / len(starts) > 4 * _STRETCH_GROUPS:
        starts = sorted({*starts, *range(0, len(groups), _STRETCH_GROUPS)})
    if len(starts) > _MAX_STRETCHES:
        starts = [starts[n * len(starts) // _MAX_STRETCHES] for n in range(_MAX_STRETCHES)]
    starts = [0, *(start for start in starts if start)]
    return [list(groups[start:end]) for start, end in zip(starts, [*starts[1:], len(groups)], strict=True)]


def _read_stretch(messages: Sequence[Message], groups: list[Group]) -> _Stretch:
    words: Counter[str] = Counter()
    files: Counter[str] = Counter()
    requests: list[Message] = []
    events = 0.0
    for message in (messages[i] for g in groups for i in g.messages):
        if message.origin == "request":
            requests.append(message)
        if message.origin in ("request", "other") and message.role in ("user", "assistant"):
            word_weight = _REQUEST_WEIGHT if message.origin == "request" else 1
            for word in set(find_words(_WORD, message.text("text").lower())) - _COMMON_WORDS:
                words[word] += word_weight
        for part in message.parts:
            if part.kind == "tool_call":
                for path, action in call_actions(part):
                    files[path] += 1
                    events += 0.25 if action == "read" else 1.0
            elif part.kind == "tool_result":
                events += bool(part.failed if part.failed is not None else stated_failure(part.text))
    for path, touch_count in files.items():
        words[f"file {path}"] += _FILE_WEIGHT * touch_count
    age = groups[0].messages[0] / max(1, messages[-1].index)
    weight = (1 + len(requests) + sqrt(events)) * (_OLDEST_WEIGHT + (1 - _OLDEST_WEIGHT) * age)
    return _Stretch(groups, words, requests, files, weight)


def _set_vectors(stretches: Sequence[_Stretch]) -> None:
    """Set the vector of every stretch, of length 1: words weighted by frequency and rarity."""
    stretch_counts = Counter(word for stretch in stretches for word in stretch.words)
    rarity = {word: log(1 + len(stretches) / n) for word, n in stretch_counts.items()}
    for stretch in stretches:
        vector = {word: (1 + log(times)) * rarity[word] for word, times in sorted(stretch.words.items())}
        length = sqrt(sum(value * value for value in vector.values())) or 1.0
        stretch.centre = {word: value / length for word, value in vector.items()}


def _distance(first: _Stretch, second: _Stretch) -> tuple[float, float]:
    """Return the increase in scatter from joining two stretches (Ward), and the cosine between them."""
    small, large = sorted((first.centre, second.centre), key=len)
    shared = sum(value * large[word] for word, value in small.items() if word in large)
    squared_distance = first.square + second.square - 2 * shared
    cosine = shared / (sqrt(first.square * second.square) or 1.0)
    return round(squared_distance * first.size * second.size / (first.size + second.size), 9), cosine


def _join_stretches(first: _Stretch, second: _Stretch) -> _Stretch:
    groups = sorted((*first.groups, *second.groups), key=lambda g: g.index)
    requests = sorted((*first.requests, *second.requests), key=lambda m: m.index)
    size = first.size + second.size
    words = sorted({*first.centre, *second.centre})
    centre = {
        word: (first.centre.get(word, 0.0) * first.size + second.centre.get(word, 0.0) * second.size) / size
        for word in words
    }
    words_of_both = first.words + second.words
    return _Stretch(
        groups, words_of_both, requests, first.files + second.files, first.weight + second.weight, centre, size
    )


def _title(stretch: _Stretch, messages: Sequence[Message]) -> str:
    """Return the request that describes the stretch best, in its own words, or else the files touched most."""
    request = max(stretch.requests, key=lambda m: _title_fit(m.text("text"), stretch), default=None)
    ranked = sorted(stretch.files, key=lambda path: (-stretch.files[path], path))
    file_names = ", ".join(path.replace("\\", "/").rpartition("/")[2] or path for path in ranked[:2])
    title = (
        f'"{one_line(request.text("text"), MAX_TITLE_CHARS)}"' if request is not None else file_names or "further work"
    )
    return topic_heading(title, stretch.groups, messages)


def topic_heading(title: str, groups: Sequence[Group], messages: Sequence[Message]) -> str:
    """Return the heading of a topic: its title, and the messages of its groups, which are in order."""
    ranges = format_ranges(messages[i].number for g in groups for i in g.messages)
    first, last = messages[groups[0].messages[0]].number, messages[groups[-1].messages[-1]].number
    ranges = ranges if ranges.count(",") < 4 else f"{first}-{last}, with gaps"
    return f"Topic: {title} (messages {ranges})"


def _title_fit(text: str, stretch: _Stretch) -> float:
    """Return how well the beginning of a request covers a topic, relative to its number of words."""
    words = set(find_words(_WORD, text[:400].lower())) - _COMMON_WORDS
    return round(sum(stretch.centre.get(word, 0.0) for word in sorted(words)) / sqrt(4 + len(words)), 9)
