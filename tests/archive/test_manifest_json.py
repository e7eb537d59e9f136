"""Manifests as files: what is in them, and what is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compactor_cli.archive.manifest import make_manifest_of
from compactor_cli.archive.manifest_json import manifest_json, manifest_text, read_manifest
from compactor_cli.errors import InputError
from tests.builders import compact, jsonl, load
from tests.pipeline.sessions import long_session

DATA = jsonl(*long_session(8))
DONE = compact(DATA, strategy="rolling", target_ratio=0.4)
MADE = make_manifest_of(load(DATA), DONE.data, DONE.parts, "out.jsonl", "chars")


def test_a_manifest_comes_back_without_the_words_of_its_summary():
    read = read_manifest(manifest_text(MADE), "out.jsonl.manifest.json")
    assert MADE.rounds[0].summary
    assert read == replace(MADE, rounds=(replace(MADE.rounds[0], summary=""),))
    assert json.loads(manifest_text(MADE)) == json.loads(json.dumps(manifest_json(MADE)))


def test_no_text_of_the_session_is_in_it():
    text = manifest_text(MADE).decode()
    assert not any(word in text for word in ("row3x", "totals", "Reading part", "data/part"))


def changed(key, value):
    return {**json.loads(manifest_text(MADE)), key: value}


def entry(**changes):
    return changed("removed", [{**manifest_json(MADE)["removed"][0], **changes}])


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (changed("version", 2), "of version 2, but this compactor reads version 1; update it"),
        (changed("version", -1), "`$.version`"),
        (changed("version", "1"), "`$.version`"),
        (changed("input", None), "`$.input`"),
        (changed("rounds", [7]), "`$.rounds[0]`"),
        (changed("rounds", [{}]), "`conversation` - at `$.rounds[0]`"),
        (entry(loss="stolen"), "'stolen'"),
        (entry(kind="image"), "'image'"),
        (entry(sha256="ab"), "`$.removed[0].sha256`"),
        (entry(sha256="a" * 64 + "\n"), "`$.removed[0].sha256`"),
        (entry(reference="ctx_00000000"), "is not the reference of"),
        (entry(reference=""), "is not the reference of"),
        (entry(records=[-1]), "`$.removed[0].records[0]`"),
        (entry(messages=["a"]), "`$.removed[0].messages[0]`"),
        (entry(tokens=True), "`$.removed[0].tokens`"),
        (entry(loss="\ud800"), "ud800"),
        ([], "`object`"),
        ({}, "`version`"),
    ],
)
def test_what_is_wrong_in_a_manifest_is_said_with_its_file(value, what):
    with pytest.raises(InputError) as refused:
        read_manifest(json.dumps(value).encode(), "x.manifest.json")
    assert str(refused.value).startswith(
        ("x.manifest.json: not a manifest: ", "x.manifest.json: a manifest of version 2, ")
    )
    assert what in str(refused.value)


@given(st.one_of(st.binary(), st.text().map(str.encode), st.integers(0, len(manifest_text(MADE)) - 3)))
def test_any_other_bytes_are_refused(data):
    broken = manifest_text(MADE)[:data] if isinstance(data, int) else data
    with pytest.raises(InputError):
        read_manifest(broken, "x.manifest.json")


def test_each_key_stands_once_and_each_entry_has_its_line():
    text = manifest_text(MADE)
    keys = [key for key, _ in json.loads(text, object_pairs_hook=list)]
    assert keys == ["version", "input", "output", "format", "counter", "rounds", "removed"]
    entries = [line.rstrip(b",") for line in text.splitlines() if line.startswith(b'{"reference"')]
    assert list(map(json.loads, entries)) == json.loads(text)["removed"]
