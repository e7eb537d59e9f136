"""Files cut into pieces."""

from __future__ import annotations

import gzip
import hashlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli import api
from compactor_cli.archive.manifest import MAX_CHUNK_BYTES, cut_chunks
from compactor_cli.errors import InputError
from tests.builders import assistant, jsonl, load, user
from tests.properties.generators import File, conversations_of, faulty, files, well_formed
from tests.properties.profile import examples

pytestmark = pytest.mark.one_test_in(2)


def said(number, words=40):
    drawn = random.Random(number)
    return user(" ".join(f"w{drawn.randrange(10_000)}" for _ in range(words)), id=f"message-{number}")


def shared(one, other):
    """Bytes of the pieces of `other` that `one` has too."""
    known = set(cut_chunks(load(one)))
    return sum(len(piece) for piece in cut_chunks(load(other)) if piece in known)


@examples(80)
@given(files(conversations_of(st.one_of(well_formed(), faulty()))), st.booleans(), st.booleans())
def test_pieces_are_the_file(file: File, bom: bool, blank: bool) -> None:
    data = (b"\xef\xbb\xbf" if bom else b"") + file.data + (b"\n \n" if blank else b"")
    try:
        source = api.load(data, "generated", format=file.shape, tokenizer="chars")
    except InputError:
        return
    assert b"".join(cut_chunks(source)) == data


DOCUMENT = (
    b'{"model": "m", "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}], "x": 1}'
)


@pytest.mark.parametrize(
    "data",
    [
        jsonl(user("a"), assistant("b"), bom=True, newline="\r\n"),
        jsonl(user("a"), assistant("b"), final=False),
        jsonl(user("a"), "", "   ", assistant("b"), ""),
        jsonl(b'{"role": "user", "content": "a"}{"role": "assistant", "content": "b"}', user("c")),
        jsonl(user("a"), "{broken", assistant("b"), user("c")),
        jsonl(user("a"), assistant("b")) + b'{"role": "user", "content": "cut o',
        b"\n\n" + jsonl(*map(said, range(100))) + b"\n\n",
        DOCUMENT,
        b'{\n  "system": "s",\n  "messages": [\n    {"role": "user", "content": "a"}\n  ]\n}\n',
        b'{"messages": [{"role": "user", "content": "a"}], "system": "behind"}',
        jsonl(DOCUMENT, DOCUMENT, DOCUMENT),
    ],
    ids=["crlf", "no end", "blank", "glued", "damaged", "cut off", "many", "document", "lines", "behind", "several"],
)
def test_odd_files_are_kept_byte_for_byte(data):
    assert b"".join(cut_chunks(load(data, skip_damaged=True))) == data


def test_borders_lie_before_records_about_every_16_of_them():
    data = jsonl(*map(said, range(2_000)))
    pieces = cut_chunks(load(data))
    assert all(piece.startswith(b'{"role"') and piece.endswith(b"}\n") for piece in pieces)
    assert 2_000 / 16 * 0.7 < len(pieces) < 2_000 / 16 * 1.4


def test_large_records_are_not_joined():
    data = jsonl(*(said(number, 12_000) for number in range(40)))
    assert len(cut_chunks(load(data))) == 40
    assert min(map(len, cut_chunks(load(data)))) >= MAX_CHUNK_BYTES


def test_a_session_that_grew_shares_all_but_the_last_piece():
    records = [said(number) for number in range(1_000)]
    one = jsonl(*records[:900])
    assert shared(one, jsonl(*records)) > len(one) * 0.9


def test_records_that_stay_share_pieces_wherever_others_went():
    records = [said(number) for number in range(2_000)]
    fewer = jsonl(*records[:300], user("a summary"), *records[700:])
    assert shared(jsonl(*records), fewer) > len(fewer) * 0.9


def test_what_is_kept_of_a_packed_file_is_cut_alike_by_every_version():
    """Borders that moved would have the archive keep the same bytes a second time."""
    data = random.Random(1).randbytes(150_000)
    packed = gzip.compress(jsonl(user(data.hex())), mtime=0)
    sizes = [len(piece) for piece in cut_chunks(load(packed))]
    assert sizes == [65_536, 65_536, len(packed) - 2 * 65_536]


def test_what_is_kept_of_a_session_is_cut_alike_by_every_version():
    records = [said(number) for number in range(100)]
    lines = jsonl(*records).splitlines(keepends=True)
    ends = [at for at, line in enumerate(lines[:-1]) if hashlib.sha256(line[:-1]).digest()[0] % 16 == 0]
    pieces = list(cut_chunks(load(jsonl(*records))))
    assert [piece.splitlines(keepends=True)[-1] for piece in pieces[:-1]] == [lines[at] for at in ends]
