"""compact --decisions: a file of decisions held against a session, what it does there, and what is wrong with one."""

from __future__ import annotations

import json

import pytest

from compactor_cli.model.decisions import Aim, Choice, MessageKey
from compactor_cli.pipeline.decision_files import decisions_on, match_decisions, read_decisions, write_decisions
from tests.builders import assistant, jsonl, load, prose, user, values_of

TOKENS = ("--tokenizer", "chars")


@pytest.fixture
def decided(tmp_path, session):
    """Writes a file of decisions on the session: its path."""

    def write(aim=Aim(), path="decisions.json", keep=(), drop=()):  # noqa: B008  # frozen
        source = load(session.read_bytes())
        spots: dict[MessageKey, Choice] = {MessageKey(0, number): "keep" for number in keep}
        spots |= {MessageKey(0, number): "drop" for number in drop}
        (tmp_path / path).write_text(write_decisions(decisions_on(source, spots, aim)), encoding="utf-8")
        return path

    return write


def messages_of(path):
    return load(path.read_bytes()).transcripts[0].messages


def test_what_is_kept_and_dropped_is_told_in_the_plan_the_report_and_the_words(run, session, tmp_path, decided):
    file = decided(keep=[3], drop=[8])
    plan = run("compact", session, "--target-ratio", "0.4", *TOKENS, "--decisions", file, "--dry-run", "--json")
    told = plan.json
    reasons = {number: line["reason"] for line in told["plan"] for number in line["messages"]}
    renditions = {number: line["rendition"] for line in told["plan"] for number in line["messages"]}
    assert (reasons[3], renditions[3]) == ("kept by a decision", "whole")
    assert (reasons[8], renditions[8]) == ("dropped by a decision", "gone")
    assert sorted(reasons) == list(range(35))
    done = run("compact", session, "--target-ratio", "0.4", *TOKENS, "--decisions", file, "-o", "small.jsonl")
    assert done.code == 0
    assert "by decisions: 1 kept word for word, " in done.stderr
    before, after = messages_of(session), messages_of(tmp_path / "small.jsonl")
    assert before[3].parts in [m.parts for m in after]
    assert before[8].parts not in [m.parts for m in after]
    assert told["output"]["tokens"] == sum(m.tokens for m in after)
    table = run("compact", session, "--target-ratio", "0.4", *TOKENS, "--decisions", file, "--dry-run")
    assert "kept by a decision" in table.text
    assert "dropped by a decision" in table.text


def test_the_target_and_the_strategy_of_the_file_hold_unless_options_name_others(run, session, decided):
    file = decided(Aim(target_ratio=0.5, strategy="truncate"), drop=[8])
    tokens = load(session.read_bytes()).tokens
    told = json.loads(run("compact", session, *TOKENS, "--decisions", file, "--dry-run", "--json").stdout)
    assert (told["strategy"], told["target_tokens"]) == ("truncate", tokens // 2)
    options = ("--target-tokens", "900", "--strategy", "tiered")
    told = json.loads(run("compact", session, *TOKENS, "--decisions", file, *options, "--dry-run", "--json").stdout)
    assert (told["strategy"], told["target_tokens"]) == ("tiered", 900)


def test_what_is_kept_and_does_not_fit_is_exit_code_4(run, session, decided, tmp_path):
    file = decided(keep=range(2, 30))
    done = run("compact", session, "--target-tokens", "300", *TOKENS, "--decisions", file, "-o", "small.jsonl")
    assert done.code == 4
    assert "kept by a decision" in done.stderr
    assert not (tmp_path / "small.jsonl").exists()


def test_a_session_that_has_grown_is_said_to_have_and_works(run, session, decided):
    file = decided(Aim(target_ratio=0.5), drop=[8])
    session.write_bytes(session.read_bytes() + jsonl(user("And now the changelog."), assistant("Done.")))
    done = run("compact", session, *TOKENS, "--decisions", file, "-o", "small.jsonl")
    assert done.code == 0
    assert "the session has changed since the decisions were made (it had 35 messages and now has 37)" in done.stderr


def test_a_message_that_has_changed_is_named_with_what_to_do(run, session, decided):
    file = decided(Aim(target_ratio=0.5), drop=[8], keep=[3])
    values = values_of(session.read_bytes())
    values[8]["content"] = "something else"
    session.write_bytes(jsonl(*values))
    done = run("compact", session, *TOKENS, "--decisions", file, "-o", "small.jsonl")
    assert done.code == 3
    assert "decisions.json: was saved for messages other than 8 of" in done.stderr
    assert f"compactor browse {session} --decisions decisions.json" in done.stderr


def test_a_system_message_cannot_be_dropped(run, session, decided):
    done = run("compact", session, "--target-ratio", "0.5", *TOKENS, "--decisions", decided(drop=[0]), "-o", "x.jsonl")
    assert done.code == 2
    assert "message 0 cannot be dropped: it is a system message" in done.stderr


def test_decisions_are_about_one_session(run, session, decided, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_bytes(session.read_bytes())
    done = run("compact", session, other, "--decisions", decided(drop=[8]), "--out-dir", "out")
    assert done.code == 2
    assert "--decisions applies to the messages of one session" in done.stderr


def test_dropped_messages_are_dropped_in_the_archive_and_can_be_had_back(run, session, decided, tmp_path):
    database = ("--database", f"sqlite:///{tmp_path / 'a.db'}")
    file = decided(Aim(target_ratio=0.6), drop=[8])
    manifest = ("--archive", "--manifest", *database)
    done = run("compact", session, *TOKENS, "--decisions", file, *manifest, "-o", "small.jsonl")
    assert done.code == 0
    entries = json.loads((tmp_path / "small.jsonl.manifest.json").read_bytes())["removed"]
    (dropped,) = [entry for entry in entries if entry["messages"] == [8]]
    assert dropped["reason"] == "dropped by a decision"
    shown = run("restore", "small.jsonl", "--ref", dropped["reference"], *database)
    assert shown.stdout.strip() == session.read_bytes().splitlines()[8].strip()
    back = run("restore", "small.jsonl", *database, "-o", "back.jsonl")
    assert back.code == 0
    assert (tmp_path / "back.jsonl").read_bytes() == session.read_bytes()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not a file of decisions: not JSON"),
        ("[]", "it has no list `decisions`"),
        ('{"version": 9, "decisions": []}', "unknown version 9 of decisions"),
        ('{"version": 1, "decisions": {}}', "decisions: expected a list"),
        ('{"version": 1, "decisions": [{"message": -1}]}', "decisions[0].message: expected a whole number"),
        ('{"version": 1, "decisions": [{"message": 1, "decision": "hide"}]}', "expected `keep` or `drop`"),
        (
            '{"version": 1, "decisions": [{"message": 1, "decision": "keep"}]}',
            "decisions[0].fingerprint: expected a text",
        ),
        ('{"version": 1, "target_ratio": 7, "decisions": []}', "target_ratio: expected a share"),
        ('{"version": 1, "target_tokens": 0, "decisions": []}', "target_tokens: expected a number of tokens"),
    ],
)
def test_what_is_no_file_of_decisions_is_said(run, session, tmp_path, text, words):
    (tmp_path / "wrong.json").write_text(text, encoding="utf-8")
    done = run("compact", session, "--target-ratio", "0.5", "--decisions", "wrong.json", "-o", "small.jsonl")
    assert done.code == 3
    assert "wrong.json" in done.stderr
    assert words in done.stderr


def test_two_decisions_on_one_message_are_refused():
    one = {"message": 1, "decision": "keep", "fingerprint": "a"}
    text = json.dumps({"version": 1, "decisions": [one, {**one, "decision": "drop"}]})
    with pytest.raises(Exception, match="only one decision on message 1, found two"):
        read_decisions(text, "d.json")


def test_a_file_of_decisions_reads_as_it_was_written():
    source = load(jsonl(user("a"), assistant(prose("b", 4)), user("c")))
    made = decisions_on(source, {MessageKey(0, 1): "drop", MessageKey(0, 2): "keep"}, Aim(900, None, "tiered"))
    assert read_decisions(write_decisions(made), "d.json") == made
    held = match_decisions(made, source)
    assert (held.choices, held.unmatched, held.changed) == (made.choices, (), False)


def test_messages_that_are_gone_or_others_are_told_from_those_that_are_the_same():
    before = load(jsonl(user("a"), assistant("b"), user("c"), assistant("d")))
    made = decisions_on(before, {MessageKey(0, at): "keep" for at in range(4)}, Aim())
    after = load(jsonl(user("a"), user("b"), user("c")))  # another role, and one message less
    held = match_decisions(made, after)
    assert (sorted(held.choices), held.unmatched, held.changed) == (
        [MessageKey(0, 0), MessageKey(0, 2)],
        (MessageKey(0, 1), MessageKey(0, 3)),
        True,
    )
