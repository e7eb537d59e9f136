"""Sessions in parts: a folder of events, and a database or a storage of opencode."""

from __future__ import annotations

import json
import sqlite3

import pytest

from compactor_cli.cli.gathering import gather_sessions, is_gathered
from compactor_cli.errors import InputError
from tests.builders import load
from tests.formats.roundtrip import CASES, REAL

CHARS = ("--tokenizer", "chars")
EVENTS = (CASES / "openhands" / "sdk.jsonl").read_bytes().splitlines()
OLD_EVENTS = json.loads((CASES / "openhands" / "events-0.x.json").read_bytes())
EXPORT = json.loads((CASES / "opencode" / "harvest.export.json").read_bytes())
STAGE = REAL / "agent-sessions-fixtures" / "stage0" / "agents" / "opencode"
TABLES = """
CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, slug TEXT, directory TEXT, title TEXT,
 version TEXT, time_created INTEGER, time_updated INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER,
 data TEXT);
"""


@pytest.fixture
def conversation(tmp_path):
    """A conversation as the SDK keeps it: a file an event, and the state beside them."""
    folder = tmp_path / "conversation"
    (folder / "events").mkdir(parents=True)
    (folder / "base_state.json").write_text('{"id": "x"}')
    for number, line in enumerate(EVENTS):
        name = f"event-{number:05d}-{json.loads(line)['id']}.json"
        (folder / "events" / name).write_bytes(line)
    return folder


@pytest.fixture
def database(tmp_path):
    """The export of a case in the agent's tables, a younger session of a subagent, and one that holds nothing yet."""
    path = tmp_path / "opencode.db"
    connection = sqlite3.connect(path)
    connection.executescript(TABLES)
    info = EXPORT["info"]
    made = info["time"]["created"]
    rows = [
        ("ses_young", "p", info["id"], "", "/srv", "Young", "1.2", made + 1, made + 2),
        ("ses_empty", "p", None, "", "/srv", "Empty", "1.2", made + 2, made + 2),
        (info["id"], info["projectID"], None, "", info["directory"], info["title"], info["version"], made, made + 9),
    ]
    connection.executemany("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    for message in reversed(EXPORT["messages"]):
        about = {key: value for key, value in message["info"].items() if key not in ("id", "sessionID")}
        own, created = message["info"]["id"], message["info"]["time"]["created"]
        row = (own, info["id"], created, created, json.dumps(about))
        connection.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", row)
        for part in reversed(message["parts"]):
            data = {key: value for key, value in part.items() if key not in ("id", "messageID", "sessionID")}
            piece = (part["id"], own, info["id"], created, created, json.dumps(data))
            connection.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", piece)
    about = {"role": "user", "time": {"created": made + 1}, "agent": "explore", "model": {}}
    text = {"type": "text", "text": "Count the rows of vines."}
    connection.execute(
        "INSERT INTO message VALUES (?, ?, ?, ?, ?)", ("msg_young", "ses_young", made + 1, made + 1, json.dumps(about))
    )
    connection.execute(
        "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", ("prt_young", "msg_young", "ses_young", 1, 1, json.dumps(text))
    )
    connection.commit()
    connection.close()
    return path


def test_a_folder_of_events_is_read_in_their_order(conversation):
    assert (
        gather_sessions(str(conversation))
        == gather_sessions(str(conversation / "events"))
        == b"\n".join(EVENTS) + b"\n"
    )


def test_the_tenth_event_of_the_old_versions_stands_behind_the_ninth(tmp_path):
    folder = tmp_path / "events"
    folder.mkdir()
    for event in OLD_EVENTS:  # over several lines, and with gaps
        (folder / f"{event['id']}.json").write_text(json.dumps(event, indent=1))
    (folder / "notes.json").write_text("{}")
    assert [json.loads(line) for line in gather_sessions(str(folder)).splitlines()] == OLD_EVENTS


def test_what_stands_behind_a_gap_is_not_read_as_the_agent_does_not(conversation):
    next((conversation / "events").glob("event-00007-*")).unlink()
    assert gather_sessions(str(conversation)).splitlines() == EVENTS[:7]


def test_files_of_other_names_are_not_events(conversation):
    (conversation / "events" / "event-00001.json").write_text("{}")
    (conversation / "events" / ".eventlog.lock").write_text("")
    assert gather_sessions(str(conversation)).splitlines() == EVENTS


def test_a_folder_without_events_and_a_plain_file_are_no_session_in_parts(tmp_path, conversation):
    (tmp_path / "events").mkdir()
    assert not is_gathered(str(tmp_path / "events"))
    assert not is_gathered(str(conversation / "base_state.json"))
    assert not is_gathered(str(tmp_path / "absent"))
    assert is_gathered(str(conversation))


def test_a_conversation_is_inspected_and_compacted_as_one_file(run, conversation, tmp_path):
    shown = run("inspect", "conversation", *CHARS, "--json")
    assert (shown.code, json.loads(shown.text)["transcript"]["format"]) == (0, "openhands")
    before = {path: path.read_bytes() for path in conversation.rglob("*.json")}
    done = run("compact", "conversation", "--target-ratio", "0.25", *CHARS, "-o", "out.jsonl")
    assert done.code == 0, done.stderr
    assert load((tmp_path / "out.jsonl").read_bytes()).format == "openhands"
    assert {path: path.read_bytes() for path in conversation.rglob("*.json")} == before


def test_a_session_in_parts_is_converted_as_one_file(run, conversation, database, tmp_path):
    done = run("convert", "conversation", "--to", "openai-chat", "-o", "chat.jsonl")
    assert done.code == 0, done.stderr
    (tmp_path / "events.jsonl").write_bytes(gather_sessions(str(conversation)))
    alone = run("convert", "events.jsonl", "--to", "openai-chat")
    assert (tmp_path / "chat.jsonl").read_bytes() == alone.stdout
    done = run("convert", "opencode.db", "--to", "openai-chat", "--out-dir", "out")
    assert done.code == 0, done.stderr
    written = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert b"Count the rows of vines." in written
    assert b"plot line 0" in written


@pytest.mark.parametrize("name", ["conversation", "opencode.db"])
def test_in_place_is_refused_for_what_is_only_read(run, conversation, database, name):
    done = run("compact", name, "--target-ratio", "0.25", "--in-place", *CHARS)
    assert done.code == 2
    assert f"{name} is a session in several files, which cannot be replaced; write to a file with -o" in done.stderr


def test_a_database_is_read_as_exports_the_oldest_first(database):
    first, second = (json.loads(line) for line in gather_sessions(str(database)).splitlines())
    assert first["info"]["id"] == EXPORT["info"]["id"]
    assert first["messages"] == EXPORT["messages"]
    assert second["info"]["parentID"] == EXPORT["info"]["id"]
    assert [message["info"]["id"] for message in second["messages"]] == ["msg_young"]


def test_a_database_is_compacted_into_a_file(run, database, tmp_path):
    done = run("compact", "opencode.db", "--target-tokens", "4000", *CHARS, "-o", "out.jsonl")
    assert done.code == 0, done.stderr
    source = load((tmp_path / "out.jsonl").read_bytes())
    assert (source.format, len(source.transcripts)) == ("opencode", 2)
    assert json.loads(gather_sessions(str(database)).splitlines()[0])["messages"] == EXPORT["messages"]


def test_another_database_and_a_damaged_one_are_named(run, tmp_path):
    connection = sqlite3.connect(tmp_path / "other.db")
    connection.execute("CREATE TABLE seeds (name TEXT)")
    connection.commit()
    connection.close()
    with pytest.raises(InputError, match="a database that was not written by opencode"):
        gather_sessions(str(tmp_path / "other.db"))
    (tmp_path / "damaged.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 200)
    done = run("inspect", "damaged.db")
    assert done.code == 3
    assert "damaged.db: the database cannot be read" in done.stderr


@pytest.mark.skipif(not (REAL / "openhands").is_dir(), reason="the folder of real transcripts is not here")
def test_real_sessions_in_parts_are_those_of_their_files():
    lines = gather_sessions(str(REAL / "openhands" / "conversation"))
    whole = (REAL / "openhands" / "events-1.x.jsonl").read_bytes()
    assert [json.loads(line) for line in lines.splitlines()] == [json.loads(line) for line in whole.splitlines()]
    sessions = [json.loads(line) for line in gather_sessions(str(REAL / "opencode" / "opencode.db")).splitlines()]
    names = ("planning.export.json", "permission-ask-new-approve.export.json")
    exports = [json.loads((REAL / "opencode" / name).read_bytes()) for name in names]
    by_id = {one["info"]["id"]: one for one in sessions}
    assert [by_id[one["info"]["id"]]["messages"] for one in exports] == [one["messages"] for one in exports]


@pytest.fixture
def storage(tmp_path):
    """The export of a case in the older folders, with ids only where names of files are not the ids, and a session
    that holds nothing yet."""
    root = tmp_path / "storage"
    info = EXPORT["info"]

    def put(value, *place):
        path = root.joinpath(*place)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))

    put(info, "session", "project", f"{info['id']}.json")
    put({"id": "ses_empty", "time": {"created": 0}}, "session", "project", "ses_empty.json")
    for number, message in enumerate(reversed(EXPORT["messages"])):
        own = message["info"]["id"]
        put(message["info"], "message", info["id"], f"{number}.json")
        for part in message["parts"]:
            ids = ("id", "messageID", "sessionID")
            put({key: part[key] for key in part if key not in ids}, "part", own, f"{part['id']}.json")
    return root


def test_a_storage_is_read_as_an_export_with_the_ids_that_its_files_are_named_by(storage):
    (line,) = gather_sessions(str(storage)).splitlines()
    assert json.loads(line) == EXPORT
    (one,) = gather_sessions(str(next(storage.glob("session/*/ses_*")))).splitlines()
    assert json.loads(one) in (EXPORT, {"info": {"id": "ses_empty", "time": {"created": 0}}, "messages": []})


def test_a_storage_of_the_first_versions_has_all_parts_in_one_folder(storage):
    part = next((storage / "part").glob("*/*.json"))
    about = {"id": part.stem, "messageID": part.parent.name}
    (storage / "part" / part.name).write_text(json.dumps(about | json.loads(part.read_bytes())))
    part.unlink()
    assert json.loads(gather_sessions(str(storage))) == EXPORT


def test_a_session_of_a_storage_is_inspected_and_compacted_by_its_file(run, storage, tmp_path):
    name = f"storage/session/project/{EXPORT['info']['id']}.json"
    shown = run("inspect", name, *CHARS, "--json")
    assert (shown.code, json.loads(shown.text)["transcript"]["format"]) == (0, "opencode")
    before = {path: path.read_bytes() for path in storage.rglob("*.json")}
    done = run("compact", name, "--target-ratio", "0.25", *CHARS, "-o", "out.json")
    assert done.code == 0, done.stderr
    assert load((tmp_path / "out.json").read_bytes()).format == "opencode"
    assert {path: path.read_bytes() for path in storage.rglob("*.json")} == before
    assert run("compact", name, "--target-ratio", "0.25", "--in-place", *CHARS).code == 2


@pytest.mark.parametrize("kind", ["message", "part"])
def test_a_message_or_a_part_alone_is_refused_and_the_session_is_named(run, storage, kind):
    file = next((storage / kind).glob("*/*.json"))
    done = run("inspect", str(file), *CHARS)
    assert done.code == 3
    assert f"holds a {kind} of an opencode session, not a session; name its session," in done.stderr
    assert f"{EXPORT['info']['id']}.json" in done.stderr


def test_a_damaged_file_of_a_storage_is_named(run, storage):
    file = next((storage / "part").glob("*/*.json"))
    file.write_text("{")
    done = run("inspect", "storage", *CHARS)
    assert done.code == 3
    assert f"{file.name}: a file of an opencode session that is not a JSON object" in done.stderr


@pytest.mark.skipif(not STAGE.is_dir(), reason="the folder of real transcripts is not here")
@pytest.mark.parametrize(
    ("name", "roles", "failed"),
    [  # counted by hand; of the legacy session the request has no part, and the call a status of its own
        ("storage_v2", [["user", "assistant", "tool"], ["user", "assistant", "tool", "user", "assistant"]], 1),
        ("storage_legacy", [["assistant", "tool"]], 0),
    ],
)
def test_real_storages_have_the_messages_counted_by_hand(name, roles, failed):
    source = load(gather_sessions(str(STAGE / name)))
    assert [[m.role for m in t.messages] for t in source.transcripts] == roles
    assert sum(part.failed is True for t in source.transcripts for m in t.messages for part in m.parts) == failed


def test_a_message_that_is_nested_too_deeply_is_an_error_in_words(run, database):
    with sqlite3.connect(database) as connection:
        connection.execute(
            "UPDATE part SET data = ?", ('{"type":"text","text":' + "[" * 100_000 + "]" * 100_000 + "}",)
        )
    done = run("inspect", database, *CHARS)
    assert (done.code, done.stdout) == (3, b"")
    assert "opencode.db: the database cannot be read: " in done.stderr
