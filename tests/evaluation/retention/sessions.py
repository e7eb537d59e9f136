"""Hand-made sessions for the evaluation, and short ways to run it."""

from __future__ import annotations

from compactor_cli.evaluation.retention.future_references import Story
from tests.builders import assistant, call, calling_message, jsonl, listing_output, load, prose, result, system, user


def transcript(*records, **options):
    return load(jsonl(*records), **options).transcripts[0]


def needed(front, rest):
    """Return the names that the records of the rest need from those of the front."""
    messages = transcript(*front, *rest).messages
    return [need.name for need in Story(messages).needs(len(front))]


def work(topic):
    """Return a session about one topic: it is told at the start, worked on, and named again by the agent at the end."""
    return [
        system(),
        user(f"Fix the rounding of src/{topic}/totals.py; the ticket is {topic.upper()}-4711. {prose(topic, 10)}"),
        calling_message(call("c1", "read", f'{{"path": "src/{topic}/totals.py"}}')),
        result("c1", f"def round_{topic}(amount): ...\n{listing_output(topic, 100)}"),
        assistant(f"The error is in round_{topic}, called with {topic}_rate. {prose(topic + ' a', 10)}"),
        calling_message(call("c2", "run", '{"command": "pytest"}')),
        result("c2", listing_output(topic + " tests", 100)),
        assistant(f"All tests ran. {prose(topic + ' c', 10)}"),
        user(f"Go on. {prose(topic + ' d', 4)}"),
        assistant(f"I change round_{topic} in src/{topic}/totals.py, as {topic.upper()}-4711 says."),
        assistant(f"Also {topic}_rate is rounded now. {prose(topic + ' e', 38)}"),
    ]
