"""Who says what a summary quotes: people by their names, and what a result is of as it was written."""

from __future__ import annotations

import pytest

from compactor_cli.features.call_lines import call_label
from compactor_cli.summary_text.excerpts import (
    Speaker,
    bare,
    heading,
    is_said_by,
    quoted_parts,
    speaker_of,
    user_named,
)
from compactor_cli.summary_text.headers import header
from compactor_cli.summary_text.verbatim import TURNS, carried, carried_spans, speaker_in, turns
from tests.pipeline.sessions import Json, assistant, compact, filler, records_of, result, transcript, user

TOPICS = ["cask", "hull", "reef", "tide", "mast", "sail", "buoy", "dock", "helm", "keel"]


def meeting(names: tuple[str, ...]) -> list[Json]:
    """What people say in turn, one of whom decides something."""
    records = []
    for n in range(60):
        topic = TOPICS[n % len(TOPICS)]
        said = f"I had a look at the {topic} of pier {n}, and the {topic} there needs {n * 3} new boards by spring."
        records.append({**user(said), "name": names[n % len(names)]})
    return records


def quoted(part_texts: list[str]) -> list[str]:
    return [line for text in part_texts for line in text.splitlines() if speaker_of(line)]


def test_people_are_quoted_by_name() -> None:
    part = compact(meeting(("Ann: of the docks", "Bo")), strategy="handoff", target_tokens=500)
    lines = quoted([m.text() for m in part.messages if m.origin == "summary"])
    assert any(" user (Ann of the docks): " in line for line in lines)
    assert any(" user (Bo): " in line for line in lines)
    assert all(is_said_by("user", line) for line in lines)


@pytest.mark.parametrize("strategy", ["handoff", "rolling"])
def test_what_is_carried_on_word_for_word_has_the_name_of_who_said_it(strategy: str) -> None:
    # answers, for which there are summaries: what only people say, the newest of it, stays at its place
    answers = assistant("Noted. " + "I compare it with the list of last year once more. " * 5)
    talk = [record for said in meeting(("Ann", "Bo Li", "PhD (C)")) for record in (said, answers)]
    by_number = {
        number: record["name"].replace("(", "").replace(")", "").strip()
        for number, record in enumerate(talk)
        if "name" in record
    }
    part = compact(talk, strategy=strategy, target_tokens=2500)
    (summary,) = [m.text() for m in part.messages if m.origin == "summary"]
    labels = [label for label, _ in carried(summary).turns]
    assert len(labels) > 2
    for label in labels:
        number, _, name = label.partition(" user (")
        assert " ".join(by_number[int(number[1:])].split()) == " ".join(name.removesuffix(")").split())


def test_what_people_say_in_talk_is_no_goal_and_has_the_name_of_who_said_it_in_each_round() -> None:
    talk = meeting(("Ann", "Bo Li")) * 5
    for strategy in ("handoff", "rolling"):
        part = compact(talk, strategy=strategy, target_tokens=2500)
        (summary,) = [m.text() for m in part.messages if m.origin == "summary"]
        assert not [line for line in summary.splitlines() if line.startswith('- "') or "Goals" in line]
        said = [label for label, _ in carried(summary).turns]
        assert len(said) > 20
        assert said_numbers(said) == sorted(set(said_numbers(said)))
        for label in said:
            number, _, name = label.partition(" user ")
            assert name == f"({talk[int(number[1:])]['name']})"
        again = compact([*records_of(part), *meeting(("Ann", "Dee"))], strategy=strategy, target_tokens=2500)
        (summary,) = [m.text() for m in again.messages if m.origin == "summary"]
        assert any(label.startswith("earlier #") and label.endswith("(Bo Li)") for label, _ in carried(summary).turns)


def said_numbers(labels: list[str]) -> list[int]:
    return [int(label[1:].partition(" ")[0]) for label in labels]


def test_a_later_round_carries_the_names_on() -> None:
    said = [("#4 user (Ann)", "Never touch the hull."), ("#9 user (Bo Li)", "Paint the mast white by spring.")]
    earlier = f"{header(1, range(20), tier=3, tokens=900, reference='ctx_00ff00ff')}\n{turns(said)}"
    records = [user(earlier), *(record for number in range(12) for record in filler(number)), user("Go on, please.")]
    part = compact(records, strategy="rolling", target_ratio=0.4)
    (summary,) = [m.text() for m in part.messages if m.origin == "summary"]
    assert carried(summary).first == "Never touch the hull."
    assert carried(summary).turns == (("earlier #9 user (Bo Li)", "Paint the mast white by spring."),)


@pytest.mark.parametrize(
    ("label", "speaker"),
    [
        ("#12 user", "user"),
        ("#12 user (Bo Li)", "user"),
        ("earlier #12 user (Ann)", "user"),
        ("earlier user", "user"),
        ("user", "user"),
        ("#12", ""),
        ("#3 →", "→"),
        ("#3 users", "users"),
        ("earlier #3 instructions", "instructions"),
    ],
)
def test_a_label_tells_who_speaks_whatever_the_name(label: str, speaker: str) -> None:
    assert speaker_in(label) == speaker
    assert [span.label for span in carried_spans(f"\n{TURNS}\n{label}: Stop.")] == [label] * (label != "user")


def test_one_person_alone_is_the_user() -> None:
    part = compact(meeting(("Ann",)), strategy="handoff", target_tokens=500)
    lines = quoted([m.text() for m in part.messages if m.origin == "summary"])
    assert lines
    assert not any("Ann" in line for line in lines)


@pytest.mark.parametrize("name", ["Ann", "PhD (B)", "a: b → c", "  two\nlines ", "x" * 90])
def test_the_name_of_a_person_does_not_hide_that_it_is_the_user(name: str) -> None:
    line = heading(12, user_named(name)) + "Stop the run."
    assert is_said_by("user", line)
    assert [part.heading for part in quoted_parts(line)] == [line.removesuffix("Stop the run.")]


@pytest.mark.parametrize(
    "about", ["https://docs.example.org/a:b", r"C:\notes\tide.txt", "git show HEAD:src/a.py", "a: b → c"]
)
def test_an_address_stays_one_where_it_says_what_a_result_is_of(about: str) -> None:
    records = [user("Go."), assistant(None, ("c1", "open", {"path": about})), result("c1", "Tide table.")]
    label = call_label(transcript(records).messages[1].calls[0])
    line = heading(2, f"{label} →") + "Tide table."
    assert label == f"open {about.replace(': ', ' ').replace(' → ', ' ')}"
    assert speaker_of(line) == Speaker(2, "→")
    assert bare(line) == "Tide table."
