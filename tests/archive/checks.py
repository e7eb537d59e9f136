"""Check what must hold for the manifest of any compaction."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compactor_cli import api
from compactor_cli.archive.manifest import find_entry, make_manifest_of, original_bytes
from compactor_cli.archive.manifest_json import manifest_text, read_manifest
from compactor_cli.errors import BudgetError
from compactor_cli.model.content import read_all
from compactor_cli.model.memory import Memory
from compactor_cli.model.transcript import Source
from compactor_cli.settings import Settings

MARK = re.compile(rb"ctx_([0-9a-f]{8})")


def check_manifest(source: Source, settings: Settings, recalled: Sequence[Memory] = ()) -> bytes:
    """Assert that every mark in the output leads to its original, and that every record that is gone or changed has an
    entry. Return the output."""
    try:
        done = api.compact(source, settings, tokenizer="chars", recalled=recalled)
    except BudgetError:
        return read_all(source.data)
    data, output = read_all(source.data), read_all(done.data)
    made = make_manifest_of(source, done.data, done.parts, "out", "chars")
    read = read_manifest(manifest_text(made), "manifest")
    assert (read.input, read.output, read.removed) == (made.input, made.output, made.removed)
    again = api.load(data, source.path, format=made.format, tokenizer="chars", skip_damaged=True)
    originals = {entry.digest: original_bytes(again, entry) for entry in made.removed}
    assert all(originals.values())
    for number, part in enumerate(done.parts):
        own = [entry for entry in made.removed if entry.conversation == number]
        assert set(part.removed) <= {record for entry in own for record in entry.records}
        gone = {part.before.raw(record) for record in part.removed} - set(output.splitlines())
        named = b"\n".join(originals[entry.digest] for entry in own if entry.kind == "records")
        texts = {record for entry in own if entry.kind == "text" for record in entry.records}
        for record in part.removed:
            assert record in texts or part.before.raw(record) not in gone or part.before.raw(record) in named
    earlier = set(MARK.findall(data))
    for digits in set(MARK.findall(output)) - earlier:
        assert find_entry(made.removed, digits.decode()).marked
    return output
