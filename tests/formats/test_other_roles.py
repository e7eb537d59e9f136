"""Messages under roles that the API does not have, and records with a role that are no messages."""

from __future__ import annotations

import json
import re

import pytest

from compactor_cli.errors import InputError
from compactor_cli.model.pairing import pair_calls
from tests.builders import assistant, call, calling_message, jsonl, load, read_records, result, system, user


def under(role, content, **more):
    return {"role": role, "content": content, **more}


def test_roles_that_the_api_does_not_have_are_read_as_what_they_mean_and_said_once():
    records = [
        under("System", "rules"),
        under("human", "Fix the parser."),
        under("ai", "print(1)"),
        under("ipython", "1\n2"),
        under("wizard", None, tool_calls=[call("c1")]),
        under("warlock", "files", tool_call_id="c1"),
        under("narrator", "Meanwhile, elsewhere."),
        {"role": "title", "name": "no message"},
    ]
    source = load(jsonl(*records))
    (transcript,) = source.transcripts
    assert [(m.role, m.origin) for m in transcript.messages] == [
        ("system", "other"),
        ("user", "request"),
        ("assistant", "other"),
        ("user", "injected"),
        ("assistant", "other"),
        ("tool", "other"),
        ("user", "injected"),
    ]
    assert transcript.messages[2].turn == transcript.messages[3].turn == 2
    assert pair_calls(transcript.messages).orphans == ()
    (note,) = source.notes
    assert (note.kind, note.index) == ("other_roles", 1)
    assert '"human" (1) as the user' in note.detail
    assert '"ipython" (1) as what a tool said' in note.detail
    assert note.detail.endswith('"wizard" (1) as the assistant and 2 more')


def test_conversations_with_other_roles_have_one_note_together():
    rows = [{"messages": [under("human", f"Fix {number}."), under("bot", "Done.")]} for number in range(3)]
    source = load(jsonl(*rows))
    assert [m.role for t in source.transcripts for m in t.messages] == ["user", "assistant"] * 3
    (note,) = source.notes
    assert '"human" (3) as the user, "bot" (3) as the assistant' in note.detail


def test_a_target_holds_for_what_tools_said_under_another_role_and_kept_records_keep_theirs(run, tmp_path):
    records = [system()]
    for number in range(30):
        records += [user(f"step {number} of file src/a{number}.py"), assistant(f"print({number})")]
        records.append(under("ipython", f"output {number} " + "lorem ipsum dolor " * 60))
    (tmp_path / "s.jsonl").write_bytes(jsonl(*records))
    done = run("compact", "s.jsonl", "--target-tokens", 2000, "-o", "o.jsonl", "--json", "--tokenizer", "chars")
    report = json.loads(done.stdout)
    assert (done.code, report["input"]["messages"]) == (0, 91)
    assert [note["kind"] for note in report["notes"]] == ["other_roles"]
    output = (tmp_path / "o.jsonl").read_bytes()
    assert len(output) < 12_000
    kept = [line for line in output.splitlines() if b"ipython" in line]
    assert kept
    assert all(line.startswith(b'{"role": "ipython", "content": ') for line in kept)


@pytest.mark.parametrize(
    "records",
    [
        [under("db", f"query {number}") for number in range(9)],
        [under("engineer", f"bio {number}", name=f"Bob {number}") for number in range(9)],
        [under("Senior Manager", ["did a", "did b"], company="x")] * 9,
        [under("navigation", "Home"), under("banner", "Sale")] * 5,
        [under("web", "GET /", level="info")] * 9,
        [{"messages": [under("main", "text"), under("aside", "more")]}] * 3,
        [under("agent", f"step {number}") for number in range(9)],
        [under("environment", "warm"), under("bot", "moves"), under("model", "T-800")] * 3,
        [under(name, f"bio of {name}") for name in ("Assistant", "Agent", "Manager", "Model")] * 3,
        [*({"event": number} for number in range(9)), under("admin", "one")],
        [*(under("db", f"query {number}") for number in range(9)), under("human", "one"), under("ai", "two")],
        [under("human", "one")] * 9,
        [under("db", "rows", tool_call_id="c1")] * 3,
    ],
)
def test_records_with_a_role_are_no_conversation_where_nobody_asks_or_most_names_are_unknown(run, tmp_path, records):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "chat.jsonl").write_bytes(jsonl(user("Hello."), assistant("Hi.")))
    (folder / "other.jsonl").write_bytes(jsonl(*records))
    done = run("compact", "folder", "--in-place", "--target-tokens", 20, "--tokenizer", "chars")
    assert re.search(r"skipped: folder/other\.jsonl: (?:unknown format|no messages)", done.stderr)
    assert (folder / "other.jsonl").read_bytes() == jsonl(*records)
    with pytest.raises(InputError):
        load(jsonl(*records))


def test_texts_under_names_that_nobody_knows_pass_through_where_they_are_not_the_smaller_part():
    events = [under("db", f"query {number}") for number in range(4)]
    assert len(read_records(user("Hello."), assistant("Hi."), *events)) == 2
    assert len(read_records(user("Hello."), assistant("Hi."), *events[:1])) == 3


def test_people_and_agents_give_no_results_whatever_ids_stand_beside_what_they_say():
    said = read_records(
        user("Hello."), under("human", "Go on.", tool_call_id="c1"), under("ai", "Done.", tool_call_id="c1")
    )
    assert [message.role for message in said] == ["user", "user", "assistant"]


def test_what_a_tool_said_without_an_id_answers_the_oldest_open_call_of_the_turn_before_it(run, tmp_path):
    records = [system(), user("Fix the parser.")]
    for number in range(20):
        records += [calling_message(call(f"c{number}")), under("ipython", f"out {number} " + "lorem ipsum dolor " * 20)]
    (tmp_path / "s.jsonl").write_bytes(jsonl(*records))
    done = run("compact", "s.jsonl", "--target-ratio", 0.5, "-o", "o.jsonl", "--tokenizer", "chars")
    output = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert (done.code, "repaired" in done.stderr, [one for one in output if one["role"] == "tool"]) == (0, False, [])
    calls = [at for at, one in enumerate(output) if one.get("tool_calls")]
    assert calls
    assert all(output[at + 1]["role"] == "ipython" for at in calls)
    several = read_records(
        user("Look."),
        calling_message(call("a", "ls"), call("b", "cat"), call("c", "cat"), call("d", "rm")),
        under("observation", "1", name="cat"),
        under("observation", "2"),
        result("c", "3"),
        under("observation", "4"),
        under("observation", "5"),
    )
    answers = [(message.results[0].call_id if message.results else "") for message in several[2:]]
    assert answers == ["b", "a", "c", "d", ""]
    assert pair_calls(several).unanswered == pair_calls(several).orphans == ()


def test_a_call_whose_result_names_it_is_not_answered_by_what_else_a_tool_said():
    old = {"role": "assistant", "content": None, "function_call": {"name": "ls", "arguments": "{}"}}
    for calls, answer in (
        (calling_message(call("a")), result("a", "files")),
        (old, under("function", "files", name="ls")),
    ):
        said = read_records(user("Look."), calls, under("ipython", "a warning"), answer)
        assert [message.role for message in said] == ["user", "assistant", "user", "tool"]
        assert (pair_calls(said).call_of, pair_calls(said).orphans) == ({(3, 0): (1, 0)}, ())


def test_old_calls_and_their_results_are_read_under_other_roles_too():
    records = [under("human", "Look.")]
    for number in range(3):
        records.append(under("ai", None, function_call={"name": "ls", "arguments": f'{{"n": {number}}}'}))
        records.append(under("function_response", f"out {number}", name="ls"))
    records.append({"role": "assistant", "content": None, "function_call": {"name": "ls", "arguments": "{}"}})
    said = read_records(*records, {"role": "function", "name": "ls", "content": "new"})
    assert [message.role for message in said] == ["user", *["assistant", "tool"] * 4]
    assert pair_calls(said).call_of == {(at + 1, 0): (at, 0) for at in (1, 3, 5, 7)}


def test_of_many_other_roles_the_most_frequent_are_named_each_on_one_line():
    names = [f"r{number}\n" + "q" * 80 for number in range(50)]
    records = [user("Hello."), assistant("Hi.")] * 30
    (note,) = load(jsonl(*records, *(under(name, "x") for name in names), under(names[7], "y"))).notes
    assert len(note.detail) < 500
    assert f'"r7 {"q" * 36}…" (2) as text that is no request' in note.detail
    assert note.detail.endswith(" and 45 more")
