"""`compactor sessions`: what is found, in which order, and how each figure is known."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import time
from contextlib import closing

import pytest

from tests.agents.homes import (
    CLAUDE_ID,
    CODEX_ID,
    DAY,
    GEMINI_ID,
    OLDER_CLAUDE_ID,
    OPENCODE_ID,
    codex_records,
    lines,
    write_aged,
    write_opencode,
)
from tests.cli.test_json_contracts import assert_shape

pytestmark = pytest.mark.one_test_in(2)

TEXT = (str, type(None))
SESSIONS = {
    "sessions": [
        {
            "agent": str,
            "id": str,
            "path": str,
            "format": str,
            "project": TEXT,
            "title": TEXT,
            "request": TEXT,
            "messages": (int, type(None)),
            "messages_source": TEXT,
            "tokens": (int, type(None)),
            "tokens_source": TEXT,
            "bytes": int,
            "used": str,
            "subagent": bool,
            "resume": TEXT,
        }
    ],
    "looked_in": [str],
    "unreadable": [{"path": str, "reason": str}],
}


def listed(done):
    assert done.code == 0, done.stderr
    return json.loads(done.text)["sessions"]


def put_rollout(home, begins, records):
    name = f"rollout-2026-11-20T09-00-00-{begins + CODEX_ID[8:]}.jsonl"
    return write_aged(home / ".codex/sessions/2026/11/20" / name, lines(*records))


def test_sessions_of_six_agents_the_newest_first(at_home):
    done = at_home("sessions", "--json")
    assert_shape(json.loads(done.text), SESSIONS)
    found = [(one["agent"], one["id"], one["project"], one["title"] or one["request"]) for one in listed(done)]
    assert found == [
        ("claude-code", CLAUDE_ID, "/work/shop", "Build all parts of the shop."),
        ("codex", CODEX_ID, "/work/billing", "Round totals half up."),
        ("gemini-cli", GEMINI_ID, "/work/ports", "List the ports."),
        ("claude-code", OLDER_CLAUDE_ID, "/work/shop", "Till repair"),
        ("copilot-cli", "cop-1", "/work/site", "Write the imprint."),
        ("pi", "pi-uuid-1", "/work/pi", "Measure the room."),
        ("opencode", OPENCODE_ID, "/work/open", "Opening hours"),
    ]


def test_tokens_are_what_the_provider_recorded_last(at_home):
    known = {one["id"]: (one["tokens"], one["tokens_source"]) for one in listed(at_home("sessions", "--json"))}
    assert known[CLAUDE_ID] == (3 + 41_000 + 900 + 97, "recorded")
    assert known[CODEX_ID] == (29_162 + 405, "recorded")  # what was cached is part of the input
    assert known[GEMINI_ID] == (12_216, "recorded")
    assert known["cop-1"] == (11_468, "recorded")
    assert known["pi-uuid-1"] == (1_900, "recorded")
    assert known[OPENCODE_ID] == (800, "recorded")


def test_what_is_estimated_says_so(at_home, home):
    records = codex_records("0" * 8 + CODEX_ID[8:], "/work/x", "Estimate.", filler="x" * 6_000)[:-1]
    write_aged(
        home / f".codex/archived_sessions/rollout-2026-11-19T09-00-00-{'0' * 8 + CODEX_ID[8:]}.jsonl", lines(*records)
    )
    (one,) = [one for one in listed(at_home("sessions", "--json")) if one["request"] == "Estimate."]
    assert one["tokens_source"] == "estimated"
    assert one["tokens"] == one["bytes"] // 6
    row = next(line for line in at_home("sessions").text.splitlines() if "Estimate." in line)
    assert "~1.2k" in row


def test_exact_counts_by_the_format(at_home):
    def of(option):
        done = at_home("sessions", "--agent", "claude", "--json", "--tokenizer", "chars", *option)
        return [(one["messages"], one["messages_source"], one["tokens_source"]) for one in listed(done)]

    assert of([]) == [(4, "estimated", "recorded")] * 2
    assert of(["--exact"]) == [(4, "counted", "counted")] * 2


def test_exact_has_no_figure_for_what_cannot_be_read(at_home, home):
    path = home / f".claude/projects/-work-shop/{CLAUDE_ID}.jsonl"
    path.write_text("no session at all\n")
    done = at_home("sessions", "--agent", "claude", "--json", "--exact")
    one = next(one for one in listed(done) if one["id"] == CLAUDE_ID)
    assert (one["messages"], one["tokens"]) == (None, None)
    assert "cannot be read" in done.stderr


def test_sessions_of_subagents_only_with_all(at_home):
    assert not any("agent-a1" in one["path"] for one in listed(at_home("sessions", "--json")))
    everything = listed(at_home("sessions", "--json", "--all"))
    assert [one["id"] for one in everything if one["subagent"]] == ["ses_child", "agent-a1"]


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        (["--agent", "claude"], [CLAUDE_ID, OLDER_CLAUDE_ID]),
        (["--agent", "copilot", "--agent", "pi"], ["cop-1", "pi-uuid-1"]),
        (["--since", "12h"], [CLAUDE_ID, CODEX_ID]),
        (["--since", "2 days"], [CLAUDE_ID, CODEX_ID, GEMINI_ID]),
        (["--project", "bill"], [CODEX_ID]),
        (["--limit", "1"], [CLAUDE_ID]),
    ],
)
def test_filters(at_home, options, ids):
    assert [one["id"] for one in listed(at_home("sessions", "--json", *options))] == ids


def test_a_project_is_a_folder_and_what_is_below_it(at_home, home, tmp_path):
    (tmp_path / "shop/till").mkdir(parents=True)
    for name, cwd in (("1" * 8, tmp_path / "shop/till"), ("2" * 8, tmp_path / "shopping")):
        records = codex_records(name + CODEX_ID[8:], str(cwd), "Here.")
        write_aged(
            home / f".codex/sessions/2026/11/20/rollout-2026-11-20T09-00-00-{name + CODEX_ID[8:]}.jsonl",
            lines(*records),
        )
    found = listed(at_home("sessions", "--json", "--project", ".", cwd=tmp_path / "shop"))
    assert [one["id"][:8] for one in found] == ["1" * 8]


def test_a_project_that_is_a_link_to_itself_has_no_sessions(at_home, tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    assert listed(at_home("sessions", "--json", "--project", str(tmp_path / "loop"))) == []


def test_a_date_and_what_is_no_time(at_home):
    assert len(listed(at_home("sessions", "--json", "--since", "2020-01-01"))) == 7
    done = at_home("sessions", "--since", "soonish")
    assert done.code == 2
    assert "7d" in done.stderr


def test_an_unknown_agent_is_answered_with_the_known_ones(at_home):
    done = at_home("sessions", "--agent", "nobody")
    assert done.code == 2
    assert "claude-code" in done.stderr


def test_without_any_session_it_says_where_it_looked(at_home, tmp_path):
    (tmp_path / "nobody").mkdir()
    done = at_home("sessions", HOME=str(tmp_path / "nobody"), USERPROFILE=str(tmp_path / "nobody"))
    assert done.code == 0
    assert "no sessions found" in done.text
    assert str(tmp_path / "nobody/.claude/projects") in done.text


def test_variables_move_the_folders(at_home, home, tmp_path):
    (home / ".claude").rename(tmp_path / "moved")
    assert CLAUDE_ID not in at_home("sessions", "--json").text
    assert CLAUDE_ID in at_home("sessions", "--json", CLAUDE_CONFIG_DIR=str(tmp_path / "moved")).text
    assert CLAUDE_ID in at_home("sessions", "--json", CLAUDE_CONFIG_DIR="~/../moved").text


def test_a_damaged_database_is_reported_and_the_rest_is_listed(at_home, home):
    (home / ".local/share/opencode/opencode.db").write_bytes(b"SQLite format 3\0" + b"junk" * 400)
    done = at_home("sessions", "--json")
    assert len(listed(done)) == 6
    (failed,) = json.loads(done.text)["unreadable"]
    assert "opencode" in failed["path"]
    assert "database" in failed["reason"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="everything can be read here")
def test_a_folder_that_may_not_be_read_is_reported(at_home, home):
    folder = home / ".pi/agent/sessions"
    folder.chmod(0)
    try:
        done = at_home("sessions")
    finally:
        folder.chmod(stat.S_IRWXU)
    assert done.code == 0
    assert str(folder) in done.stderr


def test_the_database_is_read_as_it_is(at_home, home):
    folder = home / ".local/share/opencode"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    at_home("sessions")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_what_stands_in_the_log_of_the_database_is_seen(at_home, tmp_path):
    other = tmp_path / "other"
    path = write_opencode(other, time.time(), wal=True)
    with closing(sqlite3.connect(path)) as writer:  # as long as the agent runs, changes are beside the database
        writer.execute("UPDATE session SET title = 'Holidays' WHERE parent_id IS NULL")
        writer.commit()
        done = at_home("sessions", HOME=str(other), USERPROFILE=str(other))
    assert "Holidays" in done.text


def test_control_characters_of_a_title_do_not_reach_the_terminal(at_home, home):
    records = codex_records("3" * 8 + CODEX_ID[8:], "/work/\x1b[31mred", "Say \x1b]0;owned\x07 hi\nand more")
    write_aged(
        home / f".codex/sessions/2026/11/21/rollout-2026-11-21T09-00-00-{'3' * 8 + CODEX_ID[8:]}.jsonl", lines(*records)
    )
    done = at_home("sessions")
    assert "\x1b" not in done.text
    assert "Say hi and more" in done.text


def test_the_table_keeps_to_the_width(at_home):
    for width in (80, 140):
        rows = at_home("sessions", COLUMNS=str(width)).text.splitlines()
        assert len(rows) == 2 + 7
        assert max(map(len, rows)) <= width
    assert "size" in rows[1]


def test_a_file_is_not_read_whole_where_its_ends_are_enough(at_home, home, monkeypatch):
    """A large session has its title, request and last usage; its messages are not known without reading all of it."""
    records = codex_records("4" * 8 + CODEX_ID[8:], "/work/large", "Grow.", filler="x" * 40_000, turns=900)
    write_aged(
        home / f".codex/sessions/2026/11/22/rollout-2026-11-22T09-00-00-{'4' * 8 + CODEX_ID[8:]}.jsonl", lines(*records)
    )
    (one,) = listed(at_home("sessions", "--json", "--project", "large"))
    assert one["bytes"] > 33_000_000
    assert (one["request"], one["tokens"], one["messages"]) == ("Grow.", 29_567, None)
    assert " – " in at_home("sessions", "--project", "large").text


def test_ages_are_read_at_once(at_home, home):
    path = home / f".claude/projects/-work-shop/{OLDER_CLAUDE_ID}.jsonl"
    long_ago = time.time() - 40 * DAY
    os.utime(path, (long_ago, long_ago))
    text = at_home("sessions").text
    assert "1 min ago" in text
    assert "2 h ago" in text
    assert time.strftime("%Y-%m-%d", time.localtime(long_ago)) in text


def test_an_empty_file_is_no_session(at_home, home):
    before = listed(at_home("sessions", "--json"))
    write_aged(home / ".claude/projects/-work-shop/00000000-0000-4000-8000-000000000000.jsonl", "")
    assert listed(at_home("sessions", "--json")) == before
    done = at_home("inspect", "--latest", "claude", "--json")
    assert done.code == 0, done.stderr
    assert CLAUDE_ID in json.loads(done.text)["transcript"]["path"]
