"""Codex, as its versions since 0.150 write: records with numbers, items that repeat others for display, what other
agents say, and what a message is made of."""

from __future__ import annotations

import pytest

from compactor_cli.formats.codex_context import origin_of_item
from compactor_cli.resuming.emit import append_compaction
from tests.builders import (
    codex_event,
    codex_item,
    codex_meta,
    codex_says,
    compact,
    jsonl,
    listing_output,
    load,
    prose,
    values_of,
)


def numbered(*records):
    """A paginated rollout: its records are counted."""
    head = codex_meta(history_mode="paginated", session_id="codex-1", cwd="/work")
    return jsonl(*({"timestamp": r["timestamp"], "ordinal": n, **r} for n, r in enumerate([head, *records])))


def exchanges(count):
    for at in range(count):
        yield codex_says("user", f"Request {at}: {prose(f'request {at}', 3)}")
        yield codex_says("assistant", f"Answer {at}: {prose(f'answer {at}', 8)}")


def ordinals(data):
    return [value.get("ordinal") for value in values_of(data)]


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "handoff", "tiered"])
def test_every_record_of_a_numbered_rollout_has_a_number_also_the_last(strategy):
    data = numbered(*exchanges(12), codex_event(type="task_complete", turn_id="t"))
    out = ordinals(compact(data, target_ratio=0.3, strategy=strategy).data)
    assert len(out) < len(ordinals(data))
    assert None not in out
    assert out == sorted(out)


def test_what_is_appended_to_a_numbered_rollout_is_counted_on():
    data = numbered(*exchanges(12), codex_event(type="token_count", info={"last_token_usage": {"input_tokens": 90}}))
    made = append_compaction(load(data), load(compact(data, target_ratio=0.3).data))
    assert ordinals(made) == list(range(len(ordinals(data)) + 2))
    assert [value["type"] for value in values_of(made)[-2:]] == ["compacted", "event_msg"]


def test_a_replaced_history_that_is_the_last_record_stays_numbered():
    items = [record["payload"] for record in exchanges(12)]
    compacted = {"timestamp": "2026-03-02T09:00:02Z", "type": "compacted", "payload": {"replacement_history": items}}
    out = compact(numbered(*exchanges(2), compacted), target_ratio=0.3).data
    assert None not in ordinals(out)


def test_a_rollout_without_numbers_gets_none():
    out = compact(jsonl(codex_meta(), *exchanges(12)), target_ratio=0.3).data
    assert set(ordinals(out)) == {None}


def item_event(type, id="", **fields):
    return codex_event(type="item_completed", item={"type": type, "id": id, **fields})


def displayed(count):
    """Exchanges with a call, each item repeated for display by an event of its own."""
    for at in range(count):
        request, answer = f"Request {at}: {prose(f'request {at}', 3)}", f"Answer {at}: {prose(f'answer {at}', 5)}"
        printed = listing_output(f"part {at}", 30)
        yield codex_says("user", request)
        yield item_event("UserMessage", f"u{at}", content=[{"type": "text", "text": request}])
        yield codex_item(type="reasoning", id=f"rs_{at}", summary=[{"type": "summary_text", "text": f"I think {at}."}])
        yield item_event("Reasoning", f"rs_{at}", summary_text=[f"I think {at}."])
        yield codex_item(type="function_call", id=f"fc_{at}", call_id=f"c{at}", name="exec_command", arguments="{}")
        yield codex_item(type="function_call_output", call_id=f"c{at}", output=printed)
        yield item_event("CommandExecution", f"c{at}", aggregated_output=printed, exit_code=0)
        yield codex_says("assistant", answer)
        yield item_event("AgentMessage", f"a{at}", content=[{"type": "Text", "text": answer}])


def items_of(data):
    return [v["payload"]["item"]["id"] for v in values_of(data) if v["payload"].get("type") == "item_completed"]


def test_items_that_events_repeat_for_display_go_where_what_they_repeat_goes():
    data = numbered(*displayed(12))
    requests = [m.text() for m in load(data).transcripts[0].messages if m.origin == "request"]
    assert len(requests) == 12
    out = compact(data, target_ratio=0.2)
    assert len(out.data) < 0.35 * len(data), "what is left out of the context is left out of the file, too"
    texts = [m.text() for m in load(out.data).transcripts[0].messages]
    left = set(items_of(out.data))
    assert "u0" in left, "the list of threads shows the first request"
    assert all(listing_output(f"part {name[1:]}", 30) in texts for name in left if name.startswith("c"))
    assert len(left) < len(items_of(data)) / 2


def test_an_item_with_an_id_that_nothing_has_goes_with_the_answer_before_it_when_the_provider_ran_it():
    records = [*exchanges(10), item_event("WebSearch", "ws_1", query="tides"), item_event("Plan", "p1", text="Plan")]
    out = compact(numbered(*records, *exchanges(10)), target_ratio=0.2)
    assert items_of(out.data) == ["p1"]


def agents_say(text, author="/root/review", recipient="/root", **fields):
    return codex_item(
        type="agent_message",
        author=author,
        recipient=recipient,
        content=[{"type": "input_text", "text": text}, *fields.get("sealed", ())],
    )


def delivery(text, **payload):
    fields = {"author": "/root/review", "recipient": "/root", "content": text, "trigger_turn": False}
    return {"timestamp": "2026-03-02T09:00:01Z", "type": "inter_agent_communication", "payload": fields | payload}


def said(*records):
    messages = load(numbered(*records)).transcripts[0].messages
    return [(message.role, message.origin, message.text("text")) for message in messages]


def test_what_another_agent_says_is_neither_the_agents_nor_the_users():
    sealed = [{"type": "encrypted_content", "encrypted_content": "QUJD" * 200}]
    records = [codex_says("user", "Review it."), codex_says("assistant", "Yes."), agents_say("A race.", sealed=sealed)]
    assert said(*records, delivery("A leak."), codex_says("assistant", "Done."))[2:] == [
        ("user", "injected", "A race."),
        ("user", "injected", "A leak."),
        ("assistant", "other", "Done."),
    ]
    tokens = load(numbered(*records)).transcripts[0].messages[2].tokens
    assert tokens < 50, "what is sealed is not counted as text"


def test_what_an_agent_is_told_by_the_one_that_started_it_is_a_request():
    told = agents_say("Read the importer.", author="/root", recipient="/root/review")
    assert said(told, delivery("And its tests.", author="/root", recipient="/root/review")) == [
        ("user", "request", "Read the importer."),
        ("user", "request", "And its tests."),
    ]


def test_a_delivery_that_is_an_item_as_well_counts_once():
    item = agents_say("A race.")
    item["payload"]["id"] = "m7"
    assert said(delivery("A race.", id="m7"), item) == [("user", "injected", "A race.")]


def test_a_delivery_is_an_item_in_a_history_that_is_appended():
    data = numbered(*exchanges(10), delivery("A race in part 2."))
    made = append_compaction(load(data), load(compact(data, target_ratio=0.9).data))
    history = values_of(made)[-1]["payload"]["replacement_history"]
    assert {
        "type": "agent_message",
        "author": "/root/review",
        "recipient": "/root",
        "content": [{"type": "input_text", "text": "A race in part 2."}],
    } in history


def of_kinds(text, *kinds):
    record = codex_says("user", text)
    record["payload"]["internal_chat_message_metadata_passthrough"] = {"content_item_kinds": list(kinds)}
    return record


def test_what_a_message_is_made_of_tells_whose_it_is():
    assert said(
        of_kinds("Plugins that fit are listed here.", "plugins.recommended"),
        of_kinds("Build a lamp.", "user.text"),
        of_kinds("<system_note>is my tag</system_note>", "user.text"),
        of_kinds("See the picture.", "skills.skill", "user.text"),
        of_kinds("Build a bell."),
    ) == [
        ("user", "injected", "Plugins that fit are listed here."),
        ("user", "request", "Build a lamp."),
        ("user", "request", "<system_note>is my tag</system_note>"),
        ("user", "request", "See the picture."),
        ("user", "request", "Build a bell."),
    ]


def test_tools_and_settings_among_the_items_stay_and_are_nobodys_words():
    tools = codex_item(
        type="additional_tools", role="developer", tools=[{"name": "tide", "description": prose("x", 3)}]
    )
    data = numbered(codex_says("user", "Build a lamp."), tools, *exchanges(12))
    assert load(data).transcripts[0].messages[1].role == "system"
    assert b"additional_tools" in compact(data, target_ratio=0.3).data


def test_what_the_human_typed_is_a_request_whatever_it_is_made_of():
    of_prompt = {"type": "message", "internal_chat_message_metadata_passthrough": {"content_item_kinds": ["prompt"]}}
    assert origin_of_item(of_prompt, "Build a lamp.", frozenset({"Build a lamp."})) == "request"
    assert origin_of_item(of_prompt, "Build a lamp.", frozenset({"Build a bell."})) == "injected"
    assert origin_of_item({"type": "message", "author": "user"}, "Build a lamp.", frozenset()) == "request"
    assert (
        origin_of_item({"type": "agent_message", "author": "/root/review"}, "It is built.", frozenset()) == "injected"
    )
