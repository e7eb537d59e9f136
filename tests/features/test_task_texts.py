"""Lists of tasks that an agent keeps as a text, or in another language."""

from __future__ import annotations

import pytest

from tests.features.working import Session

DONE, ACTIVE, OPEN = "[x] Write the parser", "[>] Test the parser", "[ ] Push the branch"


def told(tool="todo_update", said="ok", **arguments):
    return sorted(Session().calls(tool, said, **arguments).texts("task"), reverse=True)


@pytest.mark.parametrize(
    "text",
    [
        "☑ Write the parser\n▶ Test the parser\n☐ Push the branch",
        "Plan:\n✅ Write the parser\n⏳ Test the parser\n⬜ Push the branch",
        "1. ✅ Write the parser\n2. ▶️ Test the parser\n3. Push the branch",
        "- [x] Write the parser\n- [>] Test the parser\n- [ ] Push the branch",
        "1. Write the parser - done\n2. Test the parser - in progress\n3. Push the branch",
        "- Write the parser (erledigt)\n- Test the parser (in Arbeit)\n- Push the branch (offen)",
        "1. Write the parser: hecho\n2. Test the parser: en curso\n3. Push the branch: pendiente",
        "1) [готово] Write the parser\n2) [в работе] Test the parser\n3) [открыто] Push the branch",
        "1. Write the parser（完了）\n2. Test the parser（進行中）\n3. Push the branch（未着手）",
    ],
)
def test_a_list_that_is_one_text_is_read(text):
    assert told(text=text) == [DONE, ACTIVE, OPEN]
    assert told(items=text.split("\n")) == [DONE, ACTIVE, OPEN]
    assert told("aufgaben_setzen", liste=text) == [DONE, ACTIVE, OPEN]


@pytest.mark.parametrize(
    "items",
    [
        [("text", "status"), ("erledigt", "in Arbeit", "offen")],
        [("aufgabe", "stand"), ("fertig", "läuft", "ausstehend")],
        [("titulo", "situacion"), ("hecho", "en curso", "pendiente")],
        [("内容", "状态"), ("已完成", "进行中", "待办")],
    ],
)
def test_names_and_words_of_other_languages_are_read(items):
    (text, status), words = items
    tasks = [{text: task[4:], status: word} for task, word in zip((DONE, ACTIVE, OPEN), words, strict=True)]
    assert told("aufgabenliste", eintraege=tasks) == [DONE, ACTIVE, OPEN]


def test_the_last_state_is_the_state():
    session = Session().calls("todo_update", text="☐ Write the parser\n☐ Test the parser")
    session.calls("todo_update", text="☑ Write the parser\n☐ Test the parser")
    assert session.texts() == ["[ ] Test the parser", "[x] Write the parser"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("update_plan", {"explanation": "- Write the parser - done\n- Push the branch - open"}),
        ("send_message", {"text": "✅ Write the parser\n✅ Test the parser"}),
        ("create_issue", {"title": "x", "body": "- [ ] Write the parser\n- [x] Test the parser"}),
        ("write_file", {"path": "a.md", "content": "- Write the parser (done)\n- Test the parser (done)"}),
        ("update_orders", {"items": ["lamp", "chair: new", "table: blue"]}),
        ("update_orders", {"items": [{"sku": "lamp", "state": "new"}, {"sku": "chair", "state": "closed"}]}),
        ("add_recipe", {"steps": "1. Mix the flour\n2. Bake it - 40 minutes"}),
        ("todo_update", {"text": "Write the parser, then push the branch."}),
        ("todo_update", {"text": "- Write the parser\n- Push the branch"}),
        ("calc", {"items": "✅ 4"}),
        ("runbook", {"steps": "☑ silence HighErrorRate for 2h\n☐ restart ledger"}),
        ("create_travel_plan", {"items": [{"name": "oats", "when": "Monday"}, {"name": "eggs", "when": "Friday"}]}),
    ],
)
def test_other_texts_are_no_lists_of_tasks(tool, arguments):
    assert told(tool, **arguments) == []
