"""Packed files in and out: compressed transcripts, and archives of several."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import json
import lzma
import sys
import zipfile

import pytest

from compactor_cli import api, containers
from compactor_cli.containers import base
from compactor_cli.errors import InputError
from tests.builders import jsonl, plain_exchanges

pytestmark = pytest.mark.one_test_in(2)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

CHAT = jsonl(*plain_exchanges(15))
CHARS = ("--tokenizer", "chars")


def with_checksum(data: bytes) -> bytes:
    return zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1})


COMPRESSORS = {".gz": gzip.compress, ".zst": with_checksum, ".bz2": bz2.compress, ".xz": lzma.compress}
UNPACKERS = {".gz": gzip.decompress, ".zst": zstd.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}


def streamed(data: bytes) -> bytes:
    """Zstandard in two frames without their size in the header, as a writer makes them that is fed piece by piece."""
    frames = []
    for piece in (data[: len(data) // 2], data[len(data) // 2 :]):
        compressor = zstd.ZstdCompressor()
        frames.append(compressor.compress(piece) + compressor.flush())
    return b"".join(frames)


def log(*samples: object, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An Inspect log with these samples."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("header.json", '{"version": 2}')
        for number, sample in enumerate(samples):
            archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(sample, indent=2))
        archive.writestr("summaries.json", "[]")
    return out.getvalue()


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.drawn(2)
@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_a_compressed_session_is_read_by_content_and_written_as_its_name_says(run, tmp_path, suffix):
    (tmp_path / "session.bin").write_bytes(COMPRESSORS[suffix](CHAT))
    (tmp_path / "plain.jsonl").write_bytes(CHAT)
    plain = run("compact", "plain.jsonl", "--target-ratio", "0.4", *CHARS).stdout
    done = run("compact", "session.bin", "--target-ratio", "0.4", *CHARS, "-o", "small.jsonl" + suffix)
    assert done.code == 0, done.stderr
    assert UNPACKERS[suffix]((tmp_path / ("small.jsonl" + suffix)).read_bytes()) == plain != CHAT
    assert run("compact", "session.bin", "--target-ratio", "0.4", *CHARS).stdout == plain, "standard output is plain"


@pytest.mark.drawn(4)
@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_in_place_it_stays_compressed_and_is_restored_to_the_byte(run, tmp_path, suffix):
    file, database = tmp_path / "session", f"sqlite:///{tmp_path / 'kept.db'}"
    packed = COMPRESSORS[suffix](CHAT)
    file.write_bytes(packed)
    kept = ("--archive", "--database", database, *CHARS)
    done = run("compact", "session", "--target-ratio", "0.4", "--in-place", *kept)
    assert done.code == 0, done.stderr
    assert len(UNPACKERS[suffix](file.read_bytes())) < len(CHAT) / 2
    assert run("restore", "session", "--in-place", "--database", database).code == 0
    assert file.read_bytes() == packed
    assert run("inspect", "session", *CHARS, "--json").code == 0


def test_what_is_not_compacted_keeps_the_bytes_of_the_file(run, tmp_path):
    packed = gzip.compress(CHAT, 1, mtime=12345)
    (tmp_path / "session.jsonl.gz").write_bytes(packed)
    done = run("compact", "session.jsonl.gz", "--target-tokens", "1M", *CHARS, "-o", "out.jsonl.gz")
    assert (done.code, (tmp_path / "out.jsonl.gz").read_bytes()) == (0, packed)


def test_the_same_input_gives_the_same_bytes(run, tmp_path):
    (tmp_path / "session.jsonl").write_bytes(CHAT)
    for out in ("a.gz", "b.gz"):
        run("compact", "session.jsonl", "--target-ratio", "0.4", *CHARS, "-o", out)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


@pytest.mark.parametrize(
    "packed",
    [gzip.compress(CHAT[:2000]) + gzip.compress(CHAT[2000:]), streamed(CHAT), bz2.compress(CHAT) + bz2.compress(b"")],
    ids=["gzip members", "zstandard frames without size", "bzip2 streams"],
)
def test_several_members_are_one_file(packed):
    assert containers.unpack(packed) == CHAT


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_one_that_is_cut_off_or_damaged_is_refused(suffix):
    packed = COMPRESSORS[suffix](CHAT)
    for broken in (packed[: len(packed) // 2], packed[:60] + b"\0" * 40 + packed[100:]):
        with pytest.raises(InputError, match=r"session: the \w+ data is (truncated|damaged)"):
            api.load(broken, "session", tokenizer="chars")


@pytest.mark.parametrize("place", [0, 5, 30, 60, 200, -90, -40, -10])
def test_an_archive_that_is_damaged_anywhere_is_refused_or_read(place):
    data = log(*({"id": n, "messages": list(plain_exchanges(n))} for n in (2, 3)))
    place = place or data.index(b"PK", 4)
    broken = data[:place] + bytes(255 - byte for byte in data[place : place + 9]) + data[place:][9:]
    try:
        source = api.load(broken, "session", tokenizer="chars")
    except InputError as error:
        assert "session" in str(error)
    else:
        assert [len(t.messages) for t in source.transcripts] == [4, 6]


@pytest.mark.parametrize("size", [150, 260])
def test_an_archive_of_which_the_beginning_is_missing_is_refused(size):
    data = log(*({"id": n, "messages": list(plain_exchanges(n))} for n in (2, 3)))
    with pytest.raises(InputError, match="session: the zip archive is damaged"):
        api.load(data[:4] + data[4 + size :], "session", tokenizer="chars")


@pytest.mark.parametrize("suffix", [".gz", ".zst", ".bz2", ".xz"])
def test_a_bomb_is_refused(suffix, monkeypatch):
    monkeypatch.setattr(base, "_MIN_CHECKED_BYTES", 4 << 20)  # as much as it is would take seconds to pack
    with pytest.raises(InputError, match="unpacks to more than 500 times"):
        containers.unpack(COMPRESSORS[suffix](b"\n" * (6 << 20)))


def test_64_megabytes_are_no_bomb_and_more_are_one_that_come_of_too_little():
    base.check_size(64 << 20, 1)
    base.check_size(500 << 20, 1 << 20)
    with pytest.raises(InputError, match="unpacks to more than 500 times"):
        base.check_size((64 << 20) + 1, 1)


def test_data_that_is_packed_twice_is_refused_by_both_names():
    with pytest.raises(InputError, match="compressed twice, gzip in zstandard"):
        containers.unpack(zstd.compress(gzip.compress(CHAT)))


def test_samples_of_an_archive_are_conversations_and_what_did_not_change_stays(run, tmp_path):
    scores: dict[str, float] = {}
    long, short = ({"id": n, "messages": list(plain_exchanges(n)), "scores": scores} for n in (15, 1))
    (tmp_path / "log.eval").write_bytes(log(long, short))
    done = run("compact", "log.eval", "--target-tokens", "300", *CHARS, "-o", "small.eval")
    assert done.code == 0, done.stderr
    before, after = members((tmp_path / "log.eval").read_bytes()), members((tmp_path / "small.eval").read_bytes())
    assert list(after) == list(before)
    assert [name for name in before if before[name] != after[name]] == ["samples/0_epoch_1.json"]
    smaller = json.loads(after["samples/0_epoch_1.json"])
    assert (smaller["id"], smaller["scores"]) == (15, {}), "the rest of the sample is as it was"
    assert len(smaller["messages"]) < 15
    again = json.loads(run("inspect", "small.eval", "--json", *CHARS).text)
    assert again["transcript"]["conversations"] == 2


def test_a_zip_archive_of_something_else_is_refused_with_a_remedy(run, tmp_path):
    with zipfile.ZipFile(tmp_path / "files.zip", "w") as archive:
        archive.writestr("notes.txt", "nothing")
    done = run("inspect", "files.zip")
    assert done.code == 3
    assert "without samples of an Inspect log; unpack it" in done.stderr


def test_the_report_has_the_digest_of_the_file_as_it_is_stored(run, tmp_path):
    (tmp_path / "s.jsonl.gz").write_bytes(gzip.compress(CHAT))
    options = ("--target-ratio", "0.4", *CHARS, "-o", "o.jsonl.gz", "--report", "r.json")
    assert run("compact", "s.jsonl.gz", *options).code == 0
    told = json.loads((tmp_path / "r.json").read_text())
    for name, file in (("input", "s.jsonl.gz"), ("output", "o.jsonl.gz")):
        assert told[name]["sha256"] == hashlib.sha256((tmp_path / file).read_bytes()).hexdigest()
