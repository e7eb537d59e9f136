"""Adaptive on sessions that nobody planned for: tiny ones, one giant line, pictures, bytes that are no text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compactor_cli import api
from compactor_cli.errors import BudgetError
from compactor_cli.model.content import read_all
from compactor_cli.model.report import Compaction
from compactor_cli.settings import Settings
from compactor_cli.summary_text.excerpts import bare
from tests.pipeline.sessions import Json, assistant, compact, filler, load, records_of, result, system, user
from tests.strategies import work

pytestmark = pytest.mark.one_test_in(2)

PICTURE: Json = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 400}}


def everything(part: Compaction) -> str:
    return "\n".join(m.text() for m in part.messages)


def targets(records: list[Json], least: int = 1) -> list[int]:
    """From hopeless to nearly everything."""
    total = load(records).tokens
    return sorted(
        {least, 60, 120, 200, 333, 500, total // 10, total // 4, total // 2, total - 1} & set(range(1, total))
    )


def check(records: list[Json], target: int) -> Compaction | None:
    """Compact; the output fits and can be read again, or the floor is above the target."""
    try:
        part = compact(records, target_tokens=target, strategy="adaptive")
    except BudgetError as error:
        assert error.floor > target
        return None
    again = api.load(part.data, format="openai-chat", tokenizer="chars")
    assert again.tokens == part.tokens <= target
    for line in part.data.decode("utf-8").splitlines():
        json.loads(line)
    return part


ODD: dict[str, list[Json]] = {
    "one request": [user("word " * 300)],
    "one answer": [assistant("word " * 300)],
    "a request and its answer": [user("Say much."), assistant("much " * 500)],
    "only the system": [system("rule " * 200)],
    "only calls and results": [r for n in range(12) for r in filler(n)],
    "results without calls": [result(f"c{n}", f"output {n} of main_{n}.py " * 60) for n in range(8)],
    "the newest result is all": [user("Run it."), assistant(None, "c1"), result("c1", "row of main.py " * 4_000)],
    "a last request in many small pieces": [
        *(user(f"Topic {at}. " * 20) for at in range(6)),
        {"role": "user", "content": [{"type": "text", "text": f"Point {at} of the list."} for at in range(60)]},
        assistant("Yes."),
    ],
    "one line of data": [
        user("Get it."),
        assistant(None, "c1"),
        result("c1", json.dumps([{"id": f"W-{at}", "total": at * 1.25} for at in range(4_000)])),
        user("And W-77?"),
        assistant("Here."),
    ],
    "one line without a break": [user("Get it."), assistant(None, "c1"), result("c1", "x" * 60_000), user("So?")],
    "blank texts": [user("a"), assistant(""), user(" \n"), assistant("\n\n"), assistant("b " * 300), user("")],
    "pictures": [
        user("Look."),
        *({"role": "user", "content": [{"type": "text", "text": f"shot_{n}.png"}, PICTURE]} for n in range(6)),
        assistant("I see main.py. " * 80),
        user("And?"),
    ],
    "the same again and again": [
        r for _ in range(40) for r in (user("Go on."), assistant("I go on with main.py. " * 9))
    ],
    "arguments that are no JSON": [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": f"p{n}",
                    "type": "function",
                    "function": {"name": "patch", "arguments": f"+line of a_{n}.py\n" * 99},
                }
            ],
        }
        if turn == 0
        else result(f"p{n}", "ok")
        for n in range(4)
        for turn in range(2)
    ],
    "no word at all": [r for n in range(20) for r in (user("?!"), assistant("… — !!! " * 60))],
}


@pytest.mark.drawn(4)
@pytest.mark.parametrize("records", ODD.values(), ids=ODD)
def test_it_fits_at_any_target_or_says_what_does(records: list[Json]) -> None:
    done = [check(records, target) for target in targets(records)]
    assert done[-1] is not None or len(records) < 3


def test_next_to_nothing_comes_out_as_it_went_in() -> None:
    data = b'{"role": "user", "content": "a"}'
    source = api.load(data, "x", tokenizer="chars")
    for settings in (Settings(target_ratio=1.0), Settings(target_tokens=1_000), Settings(strategy="adaptive")):
        assert api.compact(source, settings, tokenizer="chars").data == data


def test_a_file_without_messages_comes_out_as_it_went_in() -> None:
    data = b'{"messages": []}\n{"messages": [{"role": "user", "content": "a"}]}\n'
    source = api.load(data, "x", tokenizer="chars")
    assert [len(t.messages) for t in source.transcripts] == [0, 1]
    for settings in (Settings(target_ratio=1.0, strategy="adaptive"), Settings(target_tokens=900)):
        assert api.compact(source, settings, tokenizer="chars").data == data


HOSTILE = (
    "plain start\n\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07 in parse_red.py\n"
    "NUL \x00 and bell \x07 in parse_nul.py\n"
    "a lone \ud800 surrogate in parse_lone.py and \udfff another\n"
    "line\u2028separator in parse_line.py\x85next\n"
    "back \\ slash \\n and \\ud83d in parse_back.py\n"
    "👩‍👩‍👧‍👦 取り込み側は parse_emoji.py 🎉\n"
    "progress 10%\rprogress 90%\rparse_progress.py done\n"
)


def hostile() -> bytes:
    """A session with outputs, arguments and words that hold what no text should."""
    records: list[Json] = [user("Look into it.")]
    for at in range(8):
        out = HOSTILE.replace("parse_", f"parse{at}_") + f"row {at} of it\n" * 40
        records += [assistant(f"I look {out[:90]}", (f"c{at}", "Bash", {"command": out})), result(f"c{at}", out)]
    return "".join(json.dumps(r) + "\n" for r in [*records, user("So what is parse3_lone.py?")]).encode()


@pytest.mark.parametrize("tokenizer", ["chars", "o200k_base"])
@pytest.mark.parametrize("ratio", [0.08, 0.2, 0.5, 0.9])
def test_what_is_no_text_comes_out_as_valid_utf8_json(ratio: float, tokenizer: str) -> None:
    source = api.load(hostile(), tokenizer=tokenizer)
    done = api.compact(source, Settings(target_ratio=ratio), tokenizer=tokenizer)
    (part,) = done.parts
    for line in read_all(done.data).decode("utf-8").split("\n"):
        json.loads(line or "0")
    assert api.load(done.data, tokenizer=tokenizer).tokens == part.tokens <= (part.target or 0)
    for message in part.messages:
        if message.origin == "summary":
            assert not set(message.text()) & set("\x00\x07\x1b\ud800\udfff\u2028\x85\r")
            assert "parse" in message.text()


def test_a_tool_s_name_may_hold_what_marks_a_heading() -> None:
    records: list[Json] = [user("Go.")]
    for at in range(30):
        records += [
            assistant(None, (f"c{at}", "functions.shell:0 → x", {"command": f"git show rev_{at}"})),
            result(f"c{at}", "ok"),
        ]
    source = load(records)
    done = api.compact(source, Settings(target_ratio=0.5), tokenizer="chars")
    (part,) = done.parts
    said = "\n".join(m.text() for m in part.messages if m.origin == "summary")
    quoted = [bare(line).removeprefix(" ") for line in said.split("\n")]
    assert any(line.startswith("git show rev_") for line in quoted)
    assert not any(line.startswith("#") and "git show" in line for line in quoted)


def test_pictures_are_kept_or_noted() -> None:
    records = ODD["pictures"]
    part = check(records, load(records).tokens // 2)
    assert part is not None
    before = sum(p.kind == "image" for m in part.before.messages for p in m.parts)
    after = sum(p.kind == "image" for m in part.messages for p in m.parts)
    assert after < before


@pytest.mark.parametrize("target", [300, 1_000])
def test_a_file_of_several_conversations_is_compacted_one_by_one(target: int) -> None:
    lines = [{"id": n, "messages": work.session(2 + n)} for n in range(3)]
    source = load(lines)
    done = api.compact(source, Settings(target_tokens=target), tokenizer="chars")
    output = read_all(done.data)
    again = api.load(output, tokenizer="chars")
    assert [json.loads(line)["id"] for line in output.splitlines()] == [0, 1, 2]
    assert all(after.tokens == part.tokens <= target for after, part in zip(again.transcripts, done.parts, strict=True))


def test_kept_records_have_their_original_bytes() -> None:
    odd = b'{ "weight":1.0, "role" : "user",  "content":"caf\\u00e9 \\/ na\xc3\xafve", "x":{"b":1,"a":[1e3,1.50]}}'
    body = [json.dumps(r).encode() for r in work.session(5)[1:]]
    data = b"\r\n".join([odd, *body]) + b"\r\n"
    source = api.load(data, tokenizer="chars")
    done = api.compact(source, Settings(target_ratio=0.3), tokenizer="chars")
    lines = read_all(done.data).split(b"\r\n")
    assert lines[0] == odd
    kept = [line for line in lines if line and line in {odd, *body}]
    assert len(kept) == done.parts[0].dispositions.kept


def test_the_role_of_summaries_is_a_setting() -> None:
    settings: dict[str, Any] = {"target_ratio": 0.2}
    for role in ("user", "assistant", "system"):
        part = compact(work.session(4), summary_role=role, **settings)
        assert {m.role for m in part.messages if m.origin == "summary"} == {role}
        assert [r["role"] for r in records_of(part)].count(role) >= 1


def test_a_picture_of_the_last_request_stays_where_there_is_room_for_it() -> None:
    records = [user("Draw it."), *(assistant(f"Step {at}. " * 40) for at in range(12))]
    records += [{"role": "user", "content": [{"type": "text", "text": "Like this."}, PICTURE]}]
    total = load(records).tokens
    part = check(records, total - 100)
    assert part is not None
    assert [p.kind for p in part.messages[-1].parts] == ["text", "image"]


def test_without_a_target_requests_and_work_in_flight_stay_whole() -> None:
    long = "Find out why. " + "It says so and so. " * 300
    records = [user(long), *(assistant(f"Step {at}. " * 40) for at in range(40)), user("Go on.")]
    records.append(assistant("Yes.", ("c1", "Bash", {"command": "make " * 300})))
    part = compact(records, strategy="adaptive")
    assert records_of(part)[0] == records[0]
    assert records_of(part)[-1] == records[-1]
