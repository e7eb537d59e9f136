"""The newest exchange stays at its place as long as what the agent wrote in it has room: it goes on from there."""

from __future__ import annotations

import json

import pytest

from tests.builders import assistant, call, calling_message, compact, jsonl, result, user

KEYS = " ".join(f"0x{at * 7919 + 40_961:08X}" for at in range(30))
COMMAND = f"keytool import --store harbor --alias quay --keys {KEYS} --out quay.store"
ASKED = user("Please bring the keys of the harbor into one store, and tell me which of them are valid.")
VERBS = "tow", "moor", "turn", "lift", "wash", "dry", "sell"
SHELL = "\n(Open file: /srv/harbor/fees.py)\n(Current directory: /srv/harbor)\nbash-$"


def lines_of(name: str, count: int) -> str:
    return "\n".join(
        f"{name} {at}: berth {at * 3 % 17} is held by the boat number {at * 31 % 97}" for at in range(count)
    )


def listing(name: str, at: int) -> list[dict[str, object]]:
    return [
        calling_message(call(name, "shell", json.dumps({"command": f"harbor list --quay {at}"}))),
        result(name, lines_of(f"quay {at}, place", 40)),
    ]


def shell_session() -> list[dict[str, object]]:
    """Return a session of an agent that writes its commands as text, and gets what they print as text."""
    records = [ASKED]
    for at in range(4):
        records += [assistant(f"```\nharbor list --quay {at}\n```"), user(lines_of(f"quay {at}, place", 30) + SHELL)]
    return records


def edit(count: int) -> str:
    old = [f"    total_{at} = fees[{at}] + tax_of({at})" for at in range(count)]
    return json.dumps({"code": "\n".join(["replace_in_file('fees.py',", *old, "    rounded = round(total, 2)", ")"])})


def told(records: list[dict[str, object]], target: int, strategy: str = "adaptive") -> list[dict[str, object]]:
    lines = compact(jsonl(*records), strategy=strategy, target_tokens=target).data.splitlines()
    return [json.loads(line) for line in lines]


def arguments(records: list[dict[str, object]]) -> str:
    """Return the arguments of the last call that stands at its place."""
    calls = [call for record in records for call in record.get("tool_calls") or ()]  # type: ignore[attr-defined]
    return str(calls[-1]["function"]["arguments"]) if calls else ""


@pytest.mark.parametrize("target", [200, 230, 260])
def test_a_command_that_takes_most_of_a_small_room_stays_whole(target: int) -> None:
    """Before, all of the exchange went where it took more than half of the room."""
    written = f"```\n{COMMAND}\n```"
    shown = told([*shell_session(), assistant(written), user(lines_of("imported", 6) + SHELL)], target)
    assert shown[-2] == {"role": "assistant", "content": written}
    assert "(Current directory: /srv/harbor)" in str(shown[-1]["content"])


@pytest.mark.parametrize("target", [800, 1_000])
def test_a_result_that_stands_as_a_text_is_cut_as_results_are(target: int) -> None:
    """Before, it counted as words of the agent, and the exchange had no room for its length."""
    fees = [f"fees[{at}] = berth_{at * 7} + {at}" for at in range(26)]
    command = "\n".join(["```", "edit 1:1", *fees, "end_of_edit", "```"])
    page = "\n".join(f"{at}:{fee}" for at, fee in enumerate(fees, 1))
    shows = user(f"[File: /srv/harbor/fees.py (26 lines total)]\n{page}\n{page}{SHELL}")
    shown = told([*shell_session(), assistant(command), shows], target)
    assert shown[-2] == {"role": "assistant", "content": command}
    assert "bash-$" in str(shown[-1]["content"])


@pytest.mark.parametrize("target", [350, 360])
def test_a_handoff_quotes_what_the_agent_wrote_last(target: int) -> None:
    """Before, what took more than a seventh of a small room was not there."""
    lines = [f"harbor move --slowly --then wait, then {verb} it" for verb in VERBS]
    last = calling_message(call("c9", "shell", json.dumps({"command": "\n".join(lines)})))
    records = [ASKED, *listing("c1", 1), *listing("c2", 2), last, result("c9", lines_of("imported", 40))]
    (shown,) = told(records, target, "handoff")
    assert all(line in str(shown["content"]) for line in lines)
