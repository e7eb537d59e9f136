"""`compactor formats`: the list is what the other commands do."""

from __future__ import annotations

import json

from compactor_cli.agents import AGENTS
from compactor_cli.converting import TARGETS
from compactor_cli.formats import FORMATS


def test_the_list_names_every_format_target_and_agent(run):
    listed = json.loads(run("formats", "--json").stdout)
    assert [one["name"] for one in listed["formats"]] == list(FORMATS)
    assert {one["name"] for one in listed["formats"] if one["converted"]} == set(TARGETS)
    found = {agent["name"]: agent["resume"] for one in listed["formats"] for agent in one["agents"]}
    assert found == {agent.name: agent.resume or None for agent in AGENTS.values()}
    assert {".gz", ".zst", ".eval"} <= {suffix for one in listed["containers"] for suffix in one["suffixes"]}


def test_the_table_says_how_to_go_on(run):
    printed = run("formats", COLUMNS="140").stdout.decode()
    row = next(line for line in printed.splitlines() if line.startswith("claude-code"))
    assert row.split() == [
        "claude-code",
        "Claude",
        "Code",
        "sessions",
        "yes",
        "claude-code",
        "claude",
        "--resume",
        "{id}",
    ]
