"""`doctor` finds what keeps a session from being resumed or sent, and mends it with nothing else changed."""

from __future__ import annotations

import base64
import copy
import gzip
import hashlib
import json
from pathlib import Path

import pytest

from tests.builders import ClaudeSession, text_block, tool_use

REAL = Path(__file__).resolve().parents[3] / "shared" / "transcripts"
CHARS = ("--tokenizer", "chars")


@pytest.fixture
def records():
    session = ClaudeSession()
    session.exchanges(3)
    session.add_answer("Look at the folder.")
    session.add_call(text_block("I look."), tool_use("call-1"))
    session.add_result("call-1", "a.txt")
    session.add_call(text_block("One file."))
    return session.records


@pytest.fixture
def examine(run, tmp_path):
    """Findings of records by kind, what --fix makes of them, and what is left in it."""

    def examined(records, *options):
        file = tmp_path / "session.jsonl"
        data = records if isinstance(records, bytes) else b"".join(json.dumps(r).encode() + b"\n" for r in records)
        file.write_bytes(data)
        before = run("doctor", "session.jsonl", *CHARS, *options, "--json")
        found = json.loads(before.text)["findings"]
        assert before.code == (1 if found else 0), before.stderr
        fixed = run("doctor", "session.jsonl", *CHARS, *options, "--fix", "-o", "mended.jsonl", "--json")
        left = json.loads(fixed.text)["fixed"]
        kinds = [one["kind"] for one in (left["left"] if left else [])]
        assert fixed.code == (1 if kinds else 0), fixed.stderr
        assert file.read_bytes() == data, "the input is never touched"
        return [(one["kind"], one["line"]) for one in found], (tmp_path / "mended.jsonl").read_bytes(), kinds

    return examined


def lines(data):
    return [json.loads(line) for line in data.splitlines()]


def uuids(records):
    return [record["uuid"] for record in records if "uuid" in record]


def test_nothing_is_found_in_a_sound_session_and_it_comes_out_as_it_went_in(examine, records):
    found, mended, left = examine(records)
    assert (found, left) == ([], [])
    assert lines(mended) == records


def test_a_parent_that_is_gone_hides_what_stands_before(examine, records):
    chained = [at for at, record in enumerate(records) if record.get("parentUuid")]
    at = chained[len(chained) // 2]
    broken = copy.deepcopy(records)
    broken[at]["parentUuid"] = "00000000-gone"
    found, mended, left = examine(broken)
    assert (found, left) == ([("broken_chain", at + 1)], [])
    assert lines(mended)[at]["parentUuid"] == uuids(records[:at])[-1]
    assert [r for n, r in enumerate(lines(mended)) if n != at] == [r for n, r in enumerate(records) if n != at]


def test_the_report_says_how_much_is_hidden(run, tmp_path, records):
    chained = [at for at, record in enumerate(records) if record.get("parentUuid")]
    records[chained[-1]]["parentUuid"] = "gone"
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, records)))
    text = run("doctor", "s.jsonl", *CHARS, "--json").text
    hidden = sum(1 for record in records[: chained[-1]] if record["type"] in ("user", "assistant"))
    assert f"hides {hidden} messages before it" in text


def test_a_record_that_stands_there_twice_is_left_out_and_another_with_its_id_is_named(examine, records):
    twice = [*records, records[-1]]
    found, mended, left = examine(twice)
    assert (found, left) == ([("duplicate_id", len(twice))], [])
    assert lines(mended) == records
    other = copy.deepcopy(records[-1])
    other["timestamp"] = "2031-01-01T00:00:00Z"
    found, mended, left = examine([*records, other])
    assert found == [("duplicate_id", len(records) + 1)]
    assert left == ["duplicate_id"], "which of two that differ is right nobody can know"


def test_records_of_another_session_get_the_id_of_the_file(examine, records):
    mixed = copy.deepcopy(records)
    mixed[3]["sessionId"] = "somebody-else"
    found, mended, left = examine(mixed)
    assert (found, left) == ([("other_session", 4)], [])
    assert {r["sessionId"] for r in lines(mended) if "sessionId" in r} == {records[3]["sessionId"]}


def test_thinking_without_its_signature_goes_and_what_is_signed_stays(examine, records):
    at = next(n for n, r in enumerate(records) if r["type"] == "assistant")
    content = records[at]["message"]["content"]
    signed = {"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk"}
    records[at]["message"]["content"] = [{**signed, "signature": ""}, signed, *content]
    found, mended, left = examine(records)
    assert (found, left) == ([("unsigned_thinking", at + 1)], [])
    assert lines(mended)[at]["message"]["content"] == [signed, *content]


def test_a_message_without_content_goes_and_the_chain_is_closed(examine, records):
    at = next(n for n, r in enumerate(records) if r["type"] == "user" and isinstance(r["message"]["content"], str))
    if at == 0:
        at = next(n for n, r in enumerate(records[1:], 1) if r["type"] == "assistant")
    empty = {**copy.deepcopy(records[at]), "uuid": "empty-one", "parentUuid": records[at]["uuid"]}
    empty["message"] = {**empty["message"], "id": "msg_other", "content": []}
    following = copy.deepcopy(records[at + 1])
    following["parentUuid"] = "empty-one"
    found, mended, left = examine([*records[: at + 1], empty, following, *records[at + 2 :]])
    assert (found, left) == ([("empty_message", at + 2)], [])
    assert lines(mended) == records


def picture(size):
    return base64.b64encode(bytes(n * 7919 % 251 for n in range(size))).decode()


@pytest.mark.parametrize(
    ("name", "block"),
    [
        (
            "anthropic",
            lambda data: {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}},
        ),
        ("openai-chat", lambda data: {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}),
    ],
)
def test_a_picture_over_the_limit_becomes_a_note_with_its_size_and_digest(examine, name, block):
    large, small = picture(9_000), picture(2_000)
    text = {"type": "text", "text": "look"}
    chat = [
        {"role": "user", "content": [text, block(large), block(small)]},
        {"role": "assistant", "content": "I see."},
        {"role": "user", "content": "And now?"},
    ]
    found, mended, left = examine(chat, "--max-image-bytes", "5k", "--format", name)
    assert (found, left) == ([("large_image", 1)], [])
    digest = hashlib.sha256(base64.b64decode(large)).hexdigest()
    first, second, third = lines(mended)[0]["content"]
    assert (first, third) == (text, block(small))
    assert second["type"] == "text"
    assert second["text"] == f"[picture of 9,000 bytes left out, sha256 {digest}]"


def test_calls_without_results_and_the_reverse_are_put_right(examine):
    call = {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
    chat = [
        {"role": "user", "content": "go"},
        {"role": "tool", "tool_call_id": "nobody", "content": "x"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "user", "content": "well?"},
        {"role": "assistant", "content": "done"},
    ]
    found, mended, left = examine(chat)
    assert (found, left) == ([("orphan_result", 2), ("unanswered_call", 3)], [])
    roles = [record["role"] for record in lines(mended)]
    assert roles == ["user", "assistant", "tool", "user", "assistant"]


def test_damaged_lines_are_left_out_and_glued_ones_told_apart(examine, records):
    good = [json.dumps(record).encode() for record in records]
    data = b"\n".join([good[0], b'{"broken', good[1] + good[2], *good[3:]]) + b"\n"
    found, mended, left = examine(data)
    assert (found, left) == ([("damaged_line", 2), ("glued_records", 3)], [])
    assert mended == b"\n".join(good) + b"\n"


def test_in_place_keeps_the_original_beside_it_and_never_over_another(run, tmp_path, records):
    data = b"\n".join(json.dumps(r).encode() for r in [*records, records[-1]])
    (tmp_path / "s.jsonl.gz").write_bytes(gzip.compress(data))
    packed = (tmp_path / "s.jsonl.gz").read_bytes()
    (tmp_path / "s.jsonl.gz.before-fix").write_text("mine")
    done = run("doctor", "s.jsonl.gz", "--fix", "--in-place", *CHARS)
    assert done.code == 0, done.stderr
    assert "the original is kept as s.jsonl.gz.before-fix1" in " ".join(done.stderr.split())
    assert (tmp_path / "s.jsonl.gz.before-fix1").read_bytes() == packed
    assert (tmp_path / "s.jsonl.gz.before-fix").read_text() == "mine"
    assert lines(gzip.decompress((tmp_path / "s.jsonl.gz").read_bytes())) == records


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["-o", "out.jsonl"], "-o needs --fix"),
        (["--in-place"], "--in-place needs --fix"),
        (["--fix"], "--fix needs a place"),
        (["--fix", "-o", "s.jsonl"], "is the input s.jsonl"),
    ],
)
def test_wrong_usage_is_refused_before_anything_is_written(run, tmp_path, records, options, says):
    data = "\n".join(map(json.dumps, [*records, records[-1]]))
    (tmp_path / "s.jsonl").write_text(data)
    done = run("doctor", "s.jsonl", *options, *CHARS)
    assert (done.code, says in done.stderr) == (2, True)
    assert [p.name for p in tmp_path.iterdir()] == ["s.jsonl"]
    assert (tmp_path / "s.jsonl").read_text() == data


def test_inspect_faults_agrees(run, tmp_path, records):
    records[-1]["parentUuid"] = "gone"
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, records)))
    told = run("inspect", "s.jsonl", "--faults", "--json", *CHARS)
    own = json.loads(run("doctor", "s.jsonl", "--json", *CHARS).text)["findings"]
    assert told.code == 1
    assert json.loads(told.text)["findings"] == own
    assert "broken_chain" in run("inspect", "s.jsonl", "--faults", *CHARS).text


@pytest.mark.skipif(not REAL.is_dir(), reason="the folder of real transcripts is not here")
@pytest.mark.parametrize(
    "file",
    sorted([*REAL.glob("claude-code/*.jsonl"), *REAL.glob("openai-long/*/large*.jsonl")]),
    ids=lambda p: p.stem[:24],
)
def test_of_real_sessions_all_that_is_found_is_mended(run, tmp_path, file):
    if file.stat().st_size > 1_000_000:
        pytest.skip("large")
    found = json.loads(run("doctor", str(file), "--json", *CHARS).text)["findings"]
    done = run("doctor", str(file), "--fix", "-o", "mended.jsonl", *CHARS, "--json")
    left = json.loads(done.text)["fixed"]["left"]
    assert [one["kind"] for one in left] == ["duplicate_id"] * len(left), "two records that differ need a person"
    if not found:
        assert (tmp_path / "mended.jsonl").read_bytes() == file.read_bytes()


def test_standard_input_has_no_file_to_replace(run):
    done = run("doctor", "-", "--fix", "--in-place", input=b'{"role": "user", "content": "hi"}\n')
    assert done.code == 2
    assert "standard input cannot be replaced" in done.stderr
