"""Hand-made sessions in which it is known what is needed later: codes, but never numbers."""

from __future__ import annotations

from functools import cache

from compactor_cli.evaluation.learning.examples import Lesson, cases_of, opening_of
from tests.builders import WORDS, assistant, call, calling_message, jsonl, load, prose, result, system, user

SHELVES = 5
TOPICS = ("harbour", "lagoon", "cedar", "amber", "onyx", "kelp")


def code(topic, at):
    """Return a name of the kind `code`. No two topics share one."""
    return f"QX{1000 + 100 * TOPICS.index(topic) + at}"


def stock(topic, shelf):
    """Return the output of a tool: four codes that are reordered at the end, and numbers that nobody needs."""
    for at in range(4):
        yield f"{code(topic, 4 * shelf + at)} is low, near {WORDS[at]}"
    for at in range(50):
        yield f"pieces {20_000 + 997 * at + 7 * shelf} weigh {600_000 + 313 * at + shelf} in {WORDS[at % len(WORDS)]}"


def errand(topic):
    """Return a session of about 4,500 tokens."""
    yield system()
    yield user(f"Please check the stock of the {topic} store and reorder. {prose(topic, 10)}")
    for shelf in range(SHELVES):
        yield calling_message(call(f"c{shelf}", "stock_list", f'{{"shelf_name": "{WORDS[shelf]}"}}'))
        yield result(f"c{shelf}", "\n".join(stock(topic, shelf)))
        yield assistant(f"One more shelf is done. {prose(topic + ' done', 3)}")
    for shelf in range(SHELVES):
        wanted = " and ".join(code(topic, 4 * shelf + at) for at in range(4))
        yield assistant(f"I reorder {wanted}. {prose(topic + ' order', 12)}")
        yield user(f"Good. {prose(topic + ' good', 2)}")


def errand_data(topic):
    return jsonl(*errand(topic))


def short_data():
    return jsonl(user("hello"), assistant("hello"))


def messages_of(*records):
    return load(jsonl(*records)).transcripts[0].messages


@cache
@cache
def cases(topics=TOPICS):
    """Return the cases of topics. They are computed once for all tests."""
    return [case for topic in topics for case in cases_of(topic, messages_of(*errand(topic)))]


def lessons(sources):
    """Return the lessons of some topics, given with their sources."""
    return [Lesson(topic, source, opening_of(messages_of(*errand(topic)))) for topic, source in sources.items()]
