"""Conversations to convert, written by hand or drawn by hypothesis."""

from __future__ import annotations

import json

from hypothesis import strategies as st
from msgspec.structs import replace

from compactor_cli.converting import TARGETS
from compactor_cli.converting.base import WriteContext
from compactor_cli.converting.convert import Options, convert, spoken_items
from compactor_cli.converting.fitting import arrange
from compactor_cli.converting.message_content import Conversation, Item, Picture, SpeakerTurn
from compactor_cli.converting.taking import take_conversation
from compactor_cli.formats import FORMATS
from compactor_cli.formats.base import Uncounted
from compactor_cli.formats.loading import load
from tests.builders import jsonl

CONTEXT = WriteContext("0" * 64)
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
READABLE = sorted(set(TARGETS) & set(FORMATS))
"""Targets whose files this tool can read."""


def read_source(*records, format=""):
    """Read a file of records."""
    return load(jsonl(*records), "file.jsonl", Uncounted(), format=format)


def convert_one(source, target, **options):
    """Convert a source that becomes one file, and return that."""
    (made,) = convert(source, TARGETS[target], Options(**options))
    return made


def count_losses(converted_file):
    """Return what was lost: (kind, action) -> count."""
    return {(loss.kind, loss.action): loss.count for loss in converted_file.losses}


def read_again(converted_file):
    """Return the messages of a converted file, as its format reads them."""
    source = load(converted_file.data, "again.jsonl", Uncounted(), format=converted_file.target)
    return take_conversation(source.transcripts[0]).conversation


def written_records(converted_file):
    """Return the records of a converted file."""
    return [json.loads(line) for line in converted_file.data.splitlines()]


def spoken_texts(conversation):
    """Return everything that is said, without what only some formats keep."""
    return spoken_items(conversation, frozenset())


# conversations

_TEXTS = st.one_of(
    st.sampled_from(["Fix it.", "", " \n", "é — 漢字 🙂 \u2028", 'quote " and \\ back', "<b>&amp;</b>", "{}", "null"]),
    st.text(max_size=40),
)
_NAMES = st.sampled_from(["bash", "read_file", "mcp__git__log", "apply_patch"])
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)
_ARGUMENTS = st.one_of(
    st.dictionaries(st.text(max_size=6), _VALUES, max_size=3).map(json.dumps),
    st.sampled_from(["", "*** Begin Patch\n+line", "[1, 2]"]),
)


def _pictures(most):
    picture = st.just(Picture("image/png", PNG))
    return st.lists(picture, max_size=most).map(tuple)


@st.composite
def exchanges(draw, link):
    """Return an assistant turn with parallel calls, and their results. `link` numbers the calls."""
    items = []
    if draw(st.booleans()):
        items.append(Item("thinking", draw(_TEXTS)))
    items += [Item("text", text) for text in draw(st.lists(_TEXTS, max_size=2))]
    calls = [
        Item("call", draw(_ARGUMENTS), name=draw(_NAMES), call_id=f"call_{link + at}", link=link + at)
        for at in range(draw(st.integers(0, 3)))
    ]
    turns = [SpeakerTurn("assistant", (*items, *calls), time=1_700_000_000.0 + link)]
    for call in calls:
        failed = draw(st.sampled_from([None, True, False]))
        result = Item(
            "result", draw(_TEXTS), (), call.name, call.call_id, call.link, failed=failed, pictures=draw(_pictures(1))
        )
        turns.append(SpeakerTurn("tool", (result,), time=1_700_000_000.5 + link))
    return turns


@st.composite
def conversations(draw):
    """Draw a conversation that is valid for every API: the user begins, and every call is followed by its result."""
    turns = [SpeakerTurn("system", (Item("text", text),)) for text in draw(st.lists(_TEXTS, max_size=1))]
    for number in range(draw(st.integers(1, 4))):
        texts = [Item("text", text) for text in draw(st.lists(_TEXTS, min_size=1, max_size=2))]
        shown = [Item("picture", pictures=(picture,)) for picture in draw(_pictures(2))]
        turns.append(SpeakerTurn("user", (Item("text", f"Request {number}"), *texts, *shown), origin="request"))
        for step in range(draw(st.integers(0, 2))):
            turns += draw(exchanges(10 * number + 4 * step))
    return Conversation(tuple(turns), "session", "/work/project")


def write_and_read(conversation, target):
    """Write a conversation as a file of a target, and read it again."""
    turns = arrange(conversation.turns, close=TARGETS[target].closes)
    fitted = replace(conversation, turns=TARGETS[target].fit(turns))
    data = TARGETS[target].write([fitted], CONTEXT)
    return load(data, f"{target}.jsonl", Uncounted(), format=target)
