"""A text is given to the counter once in a run, however many stages look at it."""

from __future__ import annotations

from collections import Counter

from compactor_cli.formats import FORMATS
from compactor_cli.formats.loading import load
from compactor_cli.pipeline.one_compaction import Tools
from compactor_cli.pipeline.run import compact_source
from compactor_cli.scoring import make_scorer
from compactor_cli.settings import Settings
from compactor_cli.strategies import strategy
from compactor_cli.summaries.registry import summarizer
from compactor_cli.tokens.base import IMAGE_TOKENS
from tests.builders import call, calling_message, jsonl, listing_output, plain_exchanges, prose, result, system, user


class RecordingCounter:
    """Counts four characters a token and remembers what it was asked."""

    name = "recording"
    approximate = True
    per_message = 2
    per_image = IMAGE_TOKENS

    def __init__(self):
        self.seen: Counter[str] = Counter()

    def count(self, text):
        self.seen[text] += 1
        return -(-len(text) // 4)


def transcript():
    records = [system(prose("the rules", 3)), *plain_exchanges(15)]
    for at in range(20):
        records += [
            calling_message(call(f"c{at}", arguments=f'{{"command": "{prose(f"command {at}", 2)}"}}')),
            result(f"c{at}", listing_output(f"output {at}")),
        ]
    return jsonl(*records, user(prose("the end")))


def originals(source):
    return [part.text for t in source.transcripts for m in t.messages for part in m.parts if part.text]


def test_reading_encodes_every_text_once():
    counter = RecordingCounter()
    source = load(transcript(), "file", counter)
    texts = set(originals(source))
    assert len(texts) > 70
    assert {text: counter.seen[text] for text in texts if counter.seen[text] != 1} == {}


def test_a_whole_run_encodes_no_original_text_again():
    for settings in (Settings(), Settings(target_ratio=0.5), Settings(target_ratio=0.2), Settings(target_tokens=1500)):
        counter = RecordingCounter()
        source = load(transcript(), "file", counter)
        tools = Tools(
            format=FORMATS[source.format],
            counter=counter,
            scorer=make_scorer("factors"),
            strategy=strategy("tiered"),
            summarizer=summarizer("extractive"),
        )
        _, parts = compact_source(source, [tools], settings)
        assert parts[0].changed
        again = {text[:60]: counter.seen[text] for text in originals(source) if counter.seen[text] != 1}
        assert again == {}
