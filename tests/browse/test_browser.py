"""The browser, key by key: what it shows, what keys do to the decisions and the sums, and what it writes."""

from __future__ import annotations

import json
import re

import pytest

from compactor_cli.browse.message_list import MessageList
from compactor_cli.cli.commands import browse as command
from compactor_cli.model.decisions import MessageKey
from tests.builders import assistant, jsonl, load, system, user, values_of
from tests.drawing import loop_step

pytestmark = pytest.mark.one_test_in(4)

FIFTH = ("down",) * 5


def test_it_shows_each_message_with_what_becomes_of_it(browse, session):
    async def scenario(seen):
        lines = seen.screen()
        assert lines[0].split(" · ")[:3] == [" session.jsonl", "openai-chat", "35 messages"]
        assert "target 40% = " in lines[1]
        assert "no decisions" in lines[1]
        counts = seen.app.view.counts()
        assert f"{seen.app.view.tokens:,} tokens of " in lines[2]
        assert f"{counts['kept']} kept" in lines[3]
        assert f"{counts['summarized']} summarized" in lines[3]
        row = next(line for line in lines if " system " in line)
        assert "kept" in row
        assert "You are a coding agent" in row
        assert any("list_files" in line for line in lines)
        assert "system message" in seen.text()

    browse(scenario, session, target_ratio=0.4)


def test_keeping_and_dropping_changes_what_becomes_of_messages_and_the_sums_and_undo_takes_it_back(browse, session):
    async def scenario(seen):
        before, tokens = seen.rows, seen.app.view.tokens
        assert (before[4], before[5]) != ("kept", "kept")
        await seen.keys(*"g", *"5", "enter", "k")
        assert (seen.rows[4], seen.rows[5]) == ("kept", "kept")  # the call comes with its result
        assert "1 keep, 0 drop (unsaved)" in seen.screen()[1]
        assert seen.app.view.tokens <= seen.app.view.target
        await seen.keys(*"g8", "enter", "d")
        assert seen.rows[8] == "gone"
        assert "1 keep, 1 drop" in seen.screen()[1]
        assert "dropped by a decision" in seen.text()
        marks = {found[2]: found[1] for line in seen.screen() if (found := re.match(r"(.) +(\d+) ", line))}
        assert (marks["4"], marks["5"], marks["8"]) == ("k", "K", "D")
        await seen.keys("u", "u")
        assert (seen.rows, seen.app.view.tokens) == (before, tokens)
        await seen.keys("r", "r")
        assert (seen.rows[5], seen.rows[8]) == ("kept", "gone")
        await seen.keys("d")  # the same again takes it back
        assert seen.rows[8] == before[8]

    browse(scenario, session, target_ratio=0.4)


def test_a_system_message_cannot_be_dropped_and_a_summary_not_decided_on(browse, session):
    async def scenario(seen):
        await seen.keys("home", "d")
        assert "Cannot be dropped: message 0 is a system message." in seen.text()
        at = next(at for at, row in enumerate(seen.app.list.shown_rows) if row.spot is None)
        seen.app.list.go(at)
        await seen.keys("k")
        assert "this one was added" in seen.text()
        assert not seen.app.history.now.choices

    browse(scenario, session, target_ratio=0.4)


def test_what_no_longer_fits_is_said_and_can_be_taken_back(browse, session):
    async def scenario(seen):
        await seen.keys("K")
        assert "Does not fit into " in seen.text()
        assert "kept by a decision" in seen.text()
        assert "The list shows the last plan that was possible." in seen.text()
        await seen.keys("w")
        assert "nothing to write" in seen.text()
        await seen.keys("u")
        assert "Does not fit" not in seen.text()

    browse(scenario, session, target_ratio=0.4)


def test_a_target_that_is_too_small_from_the_beginning_still_shows_the_messages(browse, session):
    async def scenario(seen):
        assert "Does not fit into 5 tokens" in seen.text()
        assert len(seen.shown) == 35
        await seen.keys("enter")
        assert "Nothing was computed" in seen.app.screen.query_one("#after").text()

    browse(scenario, session, target_tokens=5)


def test_messages_are_filtered_by_what_becomes_of_them_role_tool_and_decision(browse, session):
    async def scenario(seen):
        messages = load(session.read_bytes()).transcripts[0].messages
        await seen.keys("f")
        assert "[ ] summarized" in seen.text()
        offered = [mark for mark, _ in seen.app.screen._marks]
        at = next(at for at, mark in enumerate(offered) if mark == ("role", "user"))
        await seen.keys(*["down"] * at, "space")
        assert "[x] user" in seen.text()
        await seen.keys("enter")
        assert seen.shown == [m.index for m in messages if m.role == "user"]
        assert "shown: user" in seen.text()
        await seen.keys("D")  # all that is shown
        assert seen.app.history.now.count("drop") == len(seen.shown)
        await seen.keys("u", "x")
        assert seen.shown == list(range(35))
        await seen.keys("f")
        at = next(at for at, mark in enumerate(offered) if mark == ("tool", "run_command"))
        await seen.keys(*["down"] * at, "space", "enter")
        tools = {p.name for number in seen.shown for p in messages[number].calls}
        assert tools == {"run_command"}
        await seen.keys("x", "home", *FIFTH, "k", "f")
        at = next(at for at, (mark, _) in enumerate(seen.app.screen._marks) if mark == ("decision", "kept"))
        await seen.keys(*["down"] * at, "space", "enter")
        group = seen.app.groups.of[next(iter(seen.app.history.now.choices))]
        assert seen.shown == [spot.message for spot in group]

    browse(scenario, session, target_ratio=0.4)


def test_words_are_searched_for_in_the_texts_and_found_one_after_the_other(browse, session):
    async def scenario(seen):
        rows = seen.app.list.shown_rows

        def bold():
            """Numbers of the rows that are set off."""
            lines = [seen.app.list.render_line(y) for y in range(len(rows))]
            return {row.number for row, line in zip(rows, lines, strict=True) if any(s.style.bold for s in line)}

        assert bold() == set()
        found = [at for at, row in enumerate(rows) if "latin-1" in row.entry.message.text().lower()]
        await seen.keys("slash")
        await seen.type("LATIN-1", "enter")
        assert f"“latin-1”: 1 of {len(found)}" in seen.text()
        assert seen.app.list.cursor == found[0]
        await seen.keys("n", "n")
        assert seen.app.list.cursor == found[2]
        await seen.keys("N")
        assert seen.app.list.cursor == found[1]
        assert bold() == {row.number for row in rows if "latin-1" in row.entry.message.text().lower()} - {
            seen.app.list.row.number
        }
        await seen.keys("enter")
        assert "latin-1" in seen.text()
        await seen.keys("escape", "slash")
        await seen.type("x" * 9, "enter")
        assert "is in none of the shown messages" in seen.text()

    browse(scenario, session, target_ratio=0.4, size=(100, 60))


def test_a_message_is_shown_in_full_before_and_after(browse, session):
    async def scenario(seen):
        messages = load(session.read_bytes()).transcripts[0].messages
        number = next(n for n, fate in seen.rows.items() if fate == "shortened")
        await seen.keys("g", *str(number), "enter", "enter")
        before, after = (seen.app.screen.query_one(side).text() for side in ("#before", "#after"))
        body = messages[number].parts[-1].text
        assert body.splitlines()[-1] in before
        assert len(after) < len(before)
        assert f"message {number} · " in seen.screen()[0]
        number = next(n for n, fate in seen.rows.items() if fate == "summarized")
        await seen.keys("escape", "g", *str(number), "enter", "enter")
        quoted = 0
        for number in [n for n, fate in seen.rows.items() if fate == "summarized"][:: loop_step(8)]:
            await seen.keys("escape", "g", *str(number), "enter", "enter")
            head, first = seen.app.screen.query_one("#after").text().splitlines()[:2]
            assert head.startswith("The summary that replaces it quotes")
            if head.endswith("quotes these lines:"):
                assert re.match(rf"#{number}\b", first)
                quoted += 1
        assert quoted
        await seen.keys("d")
        assert "Not in the output: dropped by a decision." in seen.app.screen.query_one("#after").text()
        await seen.keys("right")
        assert f"message {number} · " not in seen.screen()[0]
        await seen.keys("escape")
        assert "role, tool" in seen.text()

    browse(scenario, session, target_ratio=0.4, size=(140, 40))


def test_on_a_narrow_terminal_the_sides_take_turns(browse, session):
    async def scenario(seen):
        await seen.keys("home", "enter")
        assert "before · " in seen.text()
        assert "in the output · " not in seen.text()
        await seen.keys("tab")
        assert "in the output · " in seen.text()
        assert "Unchanged in the output." in seen.text()

    browse(scenario, session, target_ratio=0.4, size=(80, 24))


@pytest.mark.parametrize("key", ["t", "S", "f", "question_mark"])
def test_a_dialog_is_a_box_in_the_middle_of_the_screen(browse, session, key):
    async def scenario(seen):
        await seen.keys(key)
        (box,) = seen.app.screen.children
        assert box.styles.border_top[0] == "round"
        assert box.region.width == 76
        assert 0 < box.region.y < seen.app.size.height - box.region.height

    browse(scenario, session, target_ratio=0.4)


def test_another_target_and_another_strategy_are_computed(browse, session):
    async def scenario(seen):
        whole = seen.desk.source.tokens
        await seen.keys("t", "ctrl+u")
        await seen.type("30%", "enter")
        assert seen.app.view.target == int(0.3 * whole)
        await seen.keys("t", "ctrl+u")
        await seen.type("1.5k", "enter")
        assert seen.app.view.target == 1500
        assert "target 1,500 tokens · adaptive" in seen.screen()[1]
        await seen.keys("t", "ctrl+u")
        await seen.type("many", "enter")
        assert "'many' is not a number of tokens" in seen.text()
        assert seen.app.view.target == 1500
        await seen.keys("S", "down", "enter")
        assert seen.app.view.strategy == "tiered"
        await seen.keys("t", "ctrl+u", "enter")
        assert seen.app.view.target is None
        assert "no target: cut by age" in seen.screen()[1]
        await seen.keys("u", "u", "u")
        assert seen.app.view.target == int(0.3 * whole)

    browse(scenario, session, target_ratio=0.4)


def test_what_is_saved_makes_compact_come_to_the_same_figures(browse, session, run, tmp_path):
    shown: dict[str, object] = {}

    async def scenario(seen):
        await seen.keys(*"g5", "enter", "k", *"g8", "enter", "d", "t", "ctrl+u")
        await seen.type("35%", "enter")
        await seen.keys("s", "enter")
        assert "Saved to session.decisions.json" in seen.text()
        assert "(unsaved)" not in seen.text()
        view = seen.app.view
        counts = view.counts()
        shown.update(tokens=view.tokens, target=view.target, strategy=view.strategy, data=view.data)
        shown.update({name: counts[name] for name in ("kept", "shortened", "summarized", "gone")})
        await seen.keys("q")

    desk, app = browse(scenario, session, target_ratio=0.4)
    assert app.return_code == 0
    assert "decisions saved to session.decisions.json; use them with: compactor compact" in desk.remarks[0]
    file = json.loads((tmp_path / "session.decisions.json").read_bytes())
    assert [(one["message"], one["decision"]) for one in file["decisions"]] == [(5, "keep"), (8, "drop")]
    options = ("--decisions", "session.decisions.json", "--tokenizer", "chars", "--json", "-o", "small.jsonl")
    told = run("compact", session, *options).json
    assert (told["output"]["tokens"], told["target_tokens"]) == (shown["tokens"], shown["target"])
    assert told["strategy"] == shown["strategy"]
    fates = told["dispositions"]
    assert fates == {name: shown["gone" if name == "dropped" else name] for name in fates}
    assert (tmp_path / "small.jsonl").read_bytes() == shown["data"]


def test_the_compacted_file_is_written_from_it_and_archived_where_the_settings_say_so(browse, session, run, tmp_path):
    settings = tmp_path / "settings.toml"
    url = f"sqlite:///{tmp_path / 'a.db'}"
    settings.write_text(f'database_url = "{url}"\n[archive]\nenabled = true\n', encoding="utf-8")

    async def scenario(seen):
        await seen.keys(*"g8", "enter", "d", "w", "enter")
        assert "Written to session.compacted.jsonl" in seen.text()
        assert (tmp_path / "session.compacted.jsonl").read_bytes() == seen.app.view.data

    browse(scenario, session, target_ratio=0.4, config=str(settings))
    back = run("restore", "session.compacted.jsonl", "--database", url, "-o", "back.jsonl")
    assert back.code == 0
    assert (tmp_path / "back.jsonl").read_bytes() == session.read_bytes()


def test_nothing_is_replaced_unasked_and_the_session_never(browse, session, tmp_path):
    (tmp_path / "taken.json").write_text("mine", encoding="utf-8")
    (tmp_path / "settings.toml").write_text('strategy = "adaptive"\n', encoding="utf-8")
    before = session.read_bytes()

    async def scenario(seen):
        await seen.keys("k", "s", "ctrl+u")
        await seen.type("taken.json", "enter")
        assert "taken.json already exists." in seen.text()
        await seen.keys("escape")
        assert (tmp_path / "taken.json").read_text(encoding="utf-8") == "mine"
        await seen.keys("s", "ctrl+u")
        await seen.type("taken.json", "enter", "y")
        assert json.loads((tmp_path / "taken.json").read_bytes())["decisions"]
        await seen.keys("w", "ctrl+u")
        await seen.type("session.jsonl", "enter", "y")
        assert "session.jsonl: is the input" in seen.text()
        await seen.keys("w", "ctrl+u")
        await seen.type("taken.json", "enter", "y")
        assert "taken.json: is the decisions file" in seen.text()
        for key in ("s", "w"):
            await seen.keys(key, "ctrl+u")
            await seen.type("settings.toml", "enter", "y")
            assert "settings.toml: is the settings file" in seen.text()
        await seen.keys("s", "ctrl+u")
        await seen.type("-", "enter")
        assert "name a file; standard output is used for the screen" in seen.text()

    desk, _ = browse(scenario, session, target_ratio=0.4, config="settings.toml")
    assert desk.is_there(f"file://{tmp_path}/taken.json")
    assert not desk.is_there(f"file://{tmp_path}/new.json")
    assert session.read_bytes() == before
    assert (tmp_path / "settings.toml").read_text(encoding="utf-8") == 'strategy = "adaptive"\n'


def test_leaving_asks_for_decisions_that_are_not_saved(browse, session, tmp_path):
    async def scenario(seen):
        await seen.keys("k", "ctrl+q")
        assert "The decisions have not been saved." in seen.text()
        await seen.keys("escape", "q")
        assert "The decisions have not been saved." in seen.text()
        await seen.keys("escape", "q", "s")

    _, app = browse(scenario, session, target_ratio=0.4)
    assert app.return_code == 0
    assert (tmp_path / "session.decisions.json").exists()


def test_it_begins_from_a_file_of_decisions_and_leaves_out_what_does_not_hold(browse, session, tmp_path):
    async def save(seen):
        await seen.keys(*"g5", "enter", "k", *"g8", "enter", "d", "s", "enter")

    browse(save, session, target_ratio=0.4)
    values = values_of(session.read_bytes())
    values[8]["content"] = "something else"
    session.write_bytes(jsonl(*values))

    async def scenario(seen):
        assert "The session has changed: the decisions on 8 were dropped." in seen.text()
        assert seen.app.history.now.choices == {MessageKey(0, 5): "keep"}
        assert "target 40%" in seen.screen()[1]

    browse(scenario, session, decisions="session.decisions.json")


@pytest.mark.drawn(2)
@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
def test_nothing_in_a_session_commands_the_terminal(browse, tmp_path, size):
    bad = "\x1b]0;owned\x07\x1b[31mred\x1b[0m\x9b2J\u202e lone \ud800 tab\there \u200b"
    file = tmp_path / "bad\u202e.jsonl"
    call = {"id": "c1", "type": "function", "function": {"name": "to\x1b[2Jol", "arguments": json.dumps({"a": bad})}}
    asked = {**assistant(None), "tool_calls": [call]}
    answered = {"role": "tool", "tool_call_id": "c1", "content": bad * 9}
    values = (system(bad), user(bad), asked, answered, user("go on"), assistant(bad))
    file.write_bytes(jsonl(*map(json.dumps, values)))

    async def scenario(seen):
        screens = [seen.text()]
        await seen.keys("f")
        screens.append(seen.text())
        await seen.keys("escape", "home", "enter")
        for _ in range(6):
            screens.append(seen.text())
            await seen.keys("tab")
            screens.append(seen.text())
            await seen.keys("right")
        for text in screens:
            assert not set(text) & set("\x1b\x07\x9b\u202e\u200b\ud800\t"), ascii(text)
            text.encode("utf-8")

    browse(scenario, file, target_ratio=0.9, size=size)


def test_several_conversations_have_their_numbers(browse, tmp_path):
    file = tmp_path / "two.jsonl"
    pair = [user("first " * 30), assistant("answer " * 30)]
    file.write_bytes(jsonl({"messages": pair}, {"messages": [*pair, user("more")]}))

    async def scenario(seen):
        assert "2 conversations" in seen.screen()[0]
        assert any(" 1:2 user" in line for line in seen.screen())
        await seen.keys("end", "k", "s", "enter")

    browse(scenario, file, target_ratio=0.9)
    (one,) = json.loads((tmp_path / "two.decisions.json").read_bytes())["decisions"]
    assert (one["conversation"], one["message"]) == (1, 2)


def test_the_keys_are_explained(browse, session):
    async def scenario(seen):
        await seen.keys("question_mark")
        assert "save the decisions, for compact --decisions" in seen.text()
        await seen.keys("escape")
        assert "role, tool" in seen.text()

    browse(scenario, session, target_ratio=0.4, size=(80, 24))


def test_a_click_goes_to_a_message_and_another_one_opens_it(browse, session):
    async def scenario(seen):
        await seen.pilot.click("#messages", offset=(20, 3))
        assert seen.app.list.cursor == 3
        await seen.pilot.click("#messages", offset=(20, 3))
        await seen.keys()
        assert seen.app.screen.query("#before")

    browse(scenario, session, target_ratio=0.4)


def test_what_nobody_expected_ends_it_and_is_told_of(browse, session, monkeypatch):
    def view(desk, state):
        raise RuntimeError("nobody expected this")

    async def scenario(seen):
        pass

    monkeypatch.setattr(command.SessionDesk, "view", view)
    _, app = browse(scenario, session, target_ratio=0.4)
    assert str(app.bug) == "nobody expected this"


def test_of_a_long_session_only_the_rows_in_view_are_drawn(browse, tmp_path, monkeypatch):
    file = tmp_path / "long.jsonl"
    file.write_bytes(
        jsonl(*(record for at in range(1500) for record in (user(f"ask {at}"), assistant(f"answer {at}"))))
    )
    drawn = []
    cells = MessageList._cells

    def counted(self, row, width):
        drawn.append(row.number)
        return cells(self, row, width)

    monkeypatch.setattr(MessageList, "_cells", counted)

    async def scenario(seen):
        for key in ("down", "pagedown", "end", "home"):
            drawn.clear()
            await seen.keys(key)
            assert 0 < len(set(drawn)) <= 2 * seen.app.list.size.height, key
        await seen.keys("end")
        assert "answer 1499" in seen.text()

    browse(scenario, file, drawn=True, target_ratio=0.5, strategy="truncate")


def test_of_several_changes_only_the_last_one_is_computed(browse, session, monkeypatch):
    computed = []
    view = command.SessionDesk.view

    def noted(desk, state):
        computed.append(state)
        return view(desk, state)

    monkeypatch.setattr(command.SessionDesk, "view", noted)

    async def scenario(seen):
        computed.clear()
        for number in (5, 8, 14, 20):
            seen.app.list.go(seen.app.list.index_of_number(number))
            seen.app.action_decide("keep")
        await seen.keys()
        assert computed[-1] == seen.app.history.now
        assert len(computed) <= 2
        assert [seen.rows[n] for n in (5, 8, 14, 20)] == ["kept"] * 4

    browse(scenario, session, target_ratio=0.6)
