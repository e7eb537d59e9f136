"""A condensation of OpenHands: both ends stay as events, the middle is one text, and the view is whole."""

from __future__ import annotations

import json
from uuid import UUID

import pytest

from compactor_cli.errors import UsageError
from compactor_cli.resuming.emit import append_compaction
from compactor_cli.strategies import STRATEGIES
from tests.builders import compact, jsonl, listing_output, load, prose
from tests.formats.checkers.openhands import view
from tests.formats.roundtrip import CASES
from tests.resuming.sending import lines

pytestmark = pytest.mark.one_test_in(2)


class Events:
    """A conversation as the SDK saves it."""

    def __init__(self):
        self.values = []

    def add(self, source, kind, **more):
        number = len(self.values)
        own = {"id": str(UUID(int=number + 1)), "timestamp": f"2026-05-04T09:{number // 60:02}:{number % 60:02}.250000"}
        self.values.append({**own, "source": source, **more, "kind": kind})

    def say(self, role, text):
        message = {"role": role, "content": [{"type": "text", "text": text}], "thinking_blocks": []}
        self.add(
            "user" if role == "user" else "agent",
            "MessageEvent",
            llm_message=message,
            activated_skills=[],
            extended_content=[],
        )

    def work(self, response, *outputs, thinking=False):
        """Calls of one answer and their results."""
        signed = [{"type": "thinking", "thinking": "Which gauge is it?", "signature": "c2ln"}] if thinking else []
        calls = [f"{response}-{at}" for at in range(len(outputs))]
        for call in calls:
            arguments = json.dumps({"command": f"read-gauge {call}"})
            self.add(
                "agent",
                "ActionEvent",
                thought=[],
                thinking_blocks=signed if call == calls[0] else [],
                tool_name="terminal",
                tool_call_id=call,
                tool_call={"id": call, "name": "terminal", "arguments": arguments},
                llm_response_id=response,
            )
        for call, output in zip(calls, outputs, strict=True):
            seen = {"content": [{"type": "text", "text": output}], "is_error": False, "kind": "TerminalObservation"}
            self.add("environment", "ObservationEvent", observation=seen, tool_name="terminal", tool_call_id=call)


def long_session(*, thinking=False, at_once=2):
    events = Events()
    prompt = {"type": "text", "text": "You run commands."}
    events.add("agent", "SystemPromptEvent", system_prompt=prompt, tools=[])
    events.say("user", "Write a report of the tide gauges. Never touch raw/.")
    for turn in range(5):
        for step in range(4):
            outputs = [listing_output(f"gauge {turn}.{step}", 40)] * (1 + step % at_once)
            events.work(f"answer-{turn}-{step}", *outputs, thinking=thinking and turn % 2 == 0 and step == 1)
        events.say("assistant", f"The gauges of basin {turn} are in the report. {prose('gauges')}")
        events.say("user", f"Now basin {turn + 1}, please, in metres.")
    events.work("answer-last", "level 3.41 m")
    events.say("assistant", "Basin 5 stands at 3.41 m; the report has all of them now.")
    return jsonl(*events.values)


def condensed(data, **settings):
    """The output of a compaction, the file with the condensation, and that record."""
    out = compact(data, **settings).data
    made = append_compaction(load(data), load(out))
    assert made.startswith(data)
    (record,) = lines(made[len(data) :])
    return out, made, record


@pytest.mark.drawn(16)
@pytest.mark.parametrize("thinking", [False, True])
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("ratio", [0.6, 0.25, 0.1])
def test_what_the_agent_sends_is_both_ends_and_the_text_of_the_middle(strategy, ratio, thinking):
    data = long_session(thinking=thinking)
    out, made, record = condensed(data, strategy=strategy, target_ratio=ratio)
    shown, before = view(lines(made)), {event["id"]: event for event in lines(data)}
    kept = [event for event in shown if event["kind"] != "summary"]
    assert all(before[event["id"]] == event for event in kept)
    assert all(event in lines(out) for event in kept)
    assert [event["kind"] for event in shown].count("summary") == (record["summary"] is not None)
    assert {event["id"] for event in kept} | set(record["forgotten_event_ids"]) == before.keys()


def test_the_middle_says_all_that_the_output_has_between():
    data = long_session()
    out, made, record = condensed(data, target_ratio=0.25)
    shown = view(lines(made))
    at = [event["kind"] for event in shown].index("summary")
    assert 0 < at < len(shown) - 1  # something is kept at both ends
    ends = {event["id"] for event in shown}
    between = [m for m in load(out).transcripts[0].messages if m.id not in ends]
    assert between
    for message in between:
        for part in message.parts:
            if part.kind != "thinking":
                assert all(line.strip() in record["summary"] for line in part.text.splitlines())


def test_both_ends_are_as_long_as_they_can_be():
    data = long_session(at_once=1)
    out, made, _ = condensed(data, target_ratio=0.6)
    kinds = [event["kind"] for event in view(lines(made))]
    same = [event in lines(data) for event in lines(out)]
    front, back = same.index(False), same[::-1].index(False)
    at = kinds.index("summary")
    # a call whose result was shortened goes with it, and so does a result whose call was
    assert front - 1 <= at <= front
    assert back - 1 <= len(kinds) - at - 1 <= back


def test_a_run_with_signed_thinking_is_kept_whole_or_not_at_all():
    data = long_session(thinking=True)
    events = lines(data)
    signed = next(at for at, event in enumerate(events) if event.get("thinking_blocks"))
    run = {event["id"] for event in events[signed:] if event["kind"] in ("ActionEvent", "ObservationEvent")}
    run &= {event["id"] for event in events[signed : signed + 10]}
    for ratio in (0.2, 0.4, 0.6, 0.8):
        _, made, _ = condensed(data, target_ratio=ratio)
        shown = {event["id"] for event in view(lines(made))}
        assert len(run & shown) in (0, len(run))


@pytest.mark.parametrize("name", ["sdk.jsonl", "tree.jsonl"])
def test_a_second_condensation_forgets_the_summary_of_the_first(name):
    data = (CASES / "openhands" / name).read_bytes()
    _, once, first = condensed(data, target_ratio=0.5)
    out = compact(once, target_ratio=0.5).data
    twice = append_compaction(load(once), load(out))
    (second,) = lines(twice[len(once) :])
    if first["summary"] is not None:
        assert f"{first['id']}-summary" in second["forgotten_event_ids"]
    assert [event["kind"] for event in view(lines(twice))].count("summary") <= 1


def test_events_of_the_first_versions_are_to_be_written_anew():
    data = jsonl(*json.loads((CASES / "openhands" / "events-0.x.json").read_bytes()))
    with pytest.raises(UsageError, match="write a new session"):
        append_compaction(load(data), load(compact(data, target_ratio=0.5).data))


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / ".openhands" / "conversations" / "tides"
    (folder / "events").mkdir(parents=True)
    (folder / "base_state.json").write_text(json.dumps({"id": "tides", "workspace": {"working_dir": "/srv/tides"}}))
    for number, line in enumerate(long_session().splitlines()):
        (folder / "events" / f"event-{number:05}-{json.loads(line)['id']}.json").write_bytes(line)
    return folder


def events_of(folder):
    return {path.name: path.read_bytes() for path in sorted((folder / "events").iterdir())}


def test_a_folder_gets_one_more_event_and_fits_its_target(run, home, tmp_path):
    before = events_of(home)
    given = ("--latest", "openhands", "--emit", "native", "--in-place", "--target-ratio", "25%")
    done = run("compact", *given, "--json", HOME=str(tmp_path))
    assert done.code == 0, done.stderr
    after = events_of(home)
    new = after.keys() - before.keys()
    assert {name: after[name] for name in before} == before
    assert [name.startswith(f"event-{len(before):05}-") for name in new] == [True]
    report = json.loads(done.stdout)
    assert report["output"]["tokens"] <= report["input"]["tokens"] * 0.25
    shown = json.loads(run("inspect", home, "--json").stdout)["transcript"]["tokens"]
    assert shown == report["output"]["tokens"]
    assert run("compact", home, "--emit", "native", "--in-place", "--target-ratio", "99%").code == 0
    assert events_of(home) == after


def test_a_folder_is_not_rewritten(run, home):
    done = run("compact", home, "--in-place", "--target-ratio", "25%")
    assert done.code == 2
    assert "is a session in several files, which cannot be replaced" in done.stderr
