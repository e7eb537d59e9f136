"""Measure adding to and searching a memory log with many memories, on both databases.

    python -m benchmarks.memories [MEMORIES]

Print the seconds for adding all memories, and for the last 10,000. For each kind of query, print the median and the
slowest of its runs on a warm connection, and the ratio of the median to that of the fastest operation of the database:
fetching one memory by its key.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from compactor_cli.db.database import Database, open_database
from compactor_cli.memory.stored.memories import Filters, add_memories, get_memory, search_memories
from compactor_cli.model.memory import CATEGORIES, Memory, MemorySource
from tests.db.servers import server

RUNS = 15
DAY = 86_400.0
NOW = 1_800_000_000.0
LIMIT_MS = 50.0
_COMMON = [
    "the",
    "user",
    "prefers",
    "to",
    "run",
    "tests",
    "before",
    "a",
    "commit",
    "of",
    "this",
    "project",
    "when",
    "it",
    "is",
    "about",
    "the",
    "build",
]
_QUERIES: tuple[tuple[str, str], ...] = (
    ("one memory", "number77777"),
    ("a rare word", "word4321"),
    ("a word of one in 20", "often5"),
    ("a word of one in 5", "usual2"),
    ("a word of all", "user"),
    ("two rare words", "word4321 word777"),
    ("common words", "user prefers tests before commit"),
    ("common and rare", "the user prefers word4321"),
    ("common, never together", "often5 often6"),
    ("six words, no memory has all", "user tests word12 word4321 often3 nowhere"),
    ("a phrase", '"prefers to run"'),
    ("a phrase with a rare word", '"usual2 word12"'),
    ("a beginning", "word432*"),
    ("a beginning of most words", "wor*"),
    ("one letter", "w*"),
    ("a question", "which build does the user prefer when word99 or read_timeout of word12 changes in a commit?"),
)


def generate_memories(number: int) -> Iterator[Memory]:
    """Yield memories of about 20 words: some common, others as rare as in human texts (Zipf)."""
    chance = random.Random(6)  # the same memories each time
    for number_of_word in range(number):
        rare = [f"word{int(chance.paretovariate(0.6)) % 30_000}" for _ in range(9)]
        words_of_memory = [
            *chance.sample(_COMMON, 8),
            f"often{number_of_word % 20}",
            f"usual{number_of_word % 5}",
            *rare,
            f"number{number_of_word}",
        ]
        if number_of_word % 3:
            words_of_memory = ["user prefers to run", *words_of_memory]
        yield Memory(
            text=" ".join(words_of_memory),
            category=CATEGORIES[number_of_word % len(CATEGORIES)],
            importance=chance.uniform(0, 100),
            confidence=0.5,
            tags=("compaction", "smart-extracted", CATEGORIES[number_of_word % len(CATEGORIES)]),
            sources=(MemorySource(f"session-{number_of_word % 500}.jsonl", "", (number_of_word % 50,)),),
            created=NOW - (number - number_of_word) * 60,
            pinned=number_of_word % 1_000 == 0,
        )


def milliseconds(work: Callable[[], object]) -> list[float]:
    """Return the milliseconds of each of RUNS runs, after one run to warm up."""
    work()
    durations = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        durations.append(1_000 * (time.perf_counter() - start))
    return durations


def measure(name: str, url: str, memories: Sequence[Memory]) -> float:
    """Print the figures of one database, and return its slowest median in milliseconds."""
    database = open_database(url)
    begin_time = time.perf_counter()
    for start in range(0, len(memories), 10_000):
        last = time.perf_counter()
        with database.write() as connection:
            add_memories(connection, memories[start : start + 10_000], NOW)
    end_time = time.perf_counter()
    print(
        f"\n{name}: {len(memories):,} memories added in {end_time - begin_time:.1f} s, the last 10,000 in "
        f"{end_time - last:.1f} s"
    )
    slowest = _searches(database, memories)
    database.close()
    return slowest


def _searches(database: Database, memories: Sequence[Memory]) -> float:
    with database.read() as connection:
        floor = statistics.median(milliseconds(lambda: get_memory(connection, memories[77].id)))
        print(f"  {'one memory by its id':<32} {floor:7.2f} ms")
        slowest = 0.0
        for what, query in _QUERIES:
            for kind, filters in (("", Filters()), (", one category", Filters(category="fact", least=20))):
                durations = milliseconds(lambda: search_memories(connection, query, limit=10, now=NOW, filters=filters))  # noqa: B023
                hits = len(search_memories(connection, query, limit=10, now=NOW, filters=filters))
                middle = statistics.median(durations)
                slowest = max(slowest, middle)
                print(
                    f"  {what + kind:<46} {middle:7.2f} ms  worst {max(durations):7.2f}  {middle / floor:5.1f} x  "
                    f"{hits} hits{'  OVER THE LIMIT' if middle > LIMIT_MS else ''}"
                )
    return slowest


def main() -> int:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    memories = list(generate_memories(number))
    with tempfile.TemporaryDirectory() as folder, server() as running:
        slowest = measure("SQLite", str(Path(folder) / "bench.sqlite3"), memories)
        slowest = max(slowest, measure("PostgreSQL", running.fresh(), memories))
    print(f"\nslowest median: {slowest:.1f} ms (limit {LIMIT_MS:.0f} ms)")
    return 0 if slowest <= LIMIT_MS else 1


if __name__ == "__main__":
    sys.exit(main())
