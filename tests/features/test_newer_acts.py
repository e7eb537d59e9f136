"""Acts of tools of which a later one takes the place, and tools that are called after what they act on."""

from __future__ import annotations

from typing import Any

import pytest

from tests.features.working import Session


def _log(session: Session, text: str, said: str, **more: str) -> Session:
    return session.calls("timeline_add", said, ts="13:31", text=text, **more)


def test_an_act_that_says_which_one_it_replaces_takes_its_place() -> None:
    session = _log(Session(), "The quay is closed", "ok id=tl-1")
    _log(session, "The bell rang", "ok id=tl-2")
    _log(session, "The quay was never closed", "ok id=tl-3 (tl-1 withdrawn)", replaces="tl-1")
    told = [
        "timeline_add tl-3 (ts 13:31, text The quay was never closed, replaces tl-1)",
        "timeline_add tl-2 (ts 13:31, text The bell rang)",
    ]
    assert session.texts("effect") == told
    later = _log(Session(), "The bell was silent", "ok id=tl-4", replaces="tl-2")
    assert later.texts("effect", told) == [
        "timeline_add tl-4 (ts 13:31, text The bell was silent, replaces tl-2)",
        told[0],
    ]


@pytest.mark.parametrize(
    ("tool", "said", "arguments"),
    [
        ("timeline_add", "Error: tl-1 is locked", {"replaces": "tl-1"}),
        ("timeline_add", '{"status": "failed"}', {"replaces": "tl-1"}),
        ("timeline_add", "ok id=tl-2", {"replaces": "tl-11"}),
        ("timeline_add", "ok id=tl-2", {"replaces": "tl"}),
        ("timeline_add", "ok id=tl-2", {"parent": "tl-1"}),
        ("timeline_add", "ok id=tl-2", {"see_also": "tl-1"}),
        ("timeline_add", "ok id=tl-2", {"duplicate_of": "tl-1"}),
        ("timeline_add", "ok id=tl-2 (tl-1 withdrawn)", {}),
        ("timeline_add", "ok id=tl-2", {"replaces": "the first of tl-1"}),
        ("incident_add", "ok id=in-2", {"replaces": "tl-1"}),
    ],
)
def test_other_acts_leave_an_act_as_it_was(tool: str, said: str, arguments: dict[str, Any]) -> None:
    session = _log(Session(), "The quay is closed", "ok id=tl-1").calls(tool, said, text="The bell rang", **arguments)
    assert "timeline_add tl-1 (ts 13:31, text The quay is closed)" in session.texts("effect")


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("ok id=tl-1", "tl-1 "),
        ("Created, ID: 4711.", "4711 "),
        ("done (entry id=e7)", "e7 "),
        ("ok user_id=u-7", ""),
        ("ok, session id: 9911", ""),
        ("request id=77ab", ""),
        ("ok grid=12", ""),
        ("ok id=none", ""),
        ("see id=tl-1 " + "and much more " * 6, ""),
        ('{"ok": true, "created_at": "2026-11-26T14:26:44Z", "eta_s": 140}', ""),
        ('{"ok": true, "ts": "14:26:44", "entry": "tl-9"}', "tl-9 "),
    ],
)
def test_what_a_short_result_calls_a_thing_stands_in_its_line(said: str, name: str) -> None:
    assert Session().calls("timeline_add", said, text="The bell rang").texts() == [
        f"timeline_add {name}(text The bell rang)"
    ]


_FLAG = {"key": "quay.lights", "env": "prod"}


def test_of_one_thing_that_is_set_to_values_the_last_is_told() -> None:
    session = Session().calls("flag_set", '{"ok": true}', **_FLAG, value={"rollout": 100}, reason="Try")
    session.calls("flag_set", '{"ok": true}', **_FLAG, value={"rollout": 0}, reason="Undo")
    session.calls("flag_set", '{"ok": true}', key="quay.bell", env="prod", value={"rollout": 5})
    session.calls("flag_set", '{"ok": true}', key="quay.lights", env="test", value={"rollout": 50})
    session.calls("flag_set", '{"ok": true}', **_FLAG, value={"owner": "Ann"})
    assert session.texts("effect") == [
        "flag_set (key quay.lights, env prod, value Ann)",
        "flag_set (key quay.lights, env test, value rollout 50)",
        "flag_set (key quay.bell, env prod, value rollout 5)",
        "flag_set (key quay.lights, env prod, value rollout 0, reason Undo)",
    ]


@pytest.mark.parametrize(
    ("tool", "arguments", "is_told"),
    [
        ("flag_set", {"key": "quay", "value": 1}, True),
        ("rollback", {"service": "quay", "to_version": "7.2"}, True),
        ("deploy", {"environment": "prod", "version": "7.2"}, True),
        ("result_set", {"query": "bells"}, False),
        ("data_set", {"name": "bells"}, False),
        ("memory_set", {"key": "quay", "value": 1}, False),
        ("cell_set", {"key": "quay", "value": 1}, False),
        ("cache_set", {"key": "quay", "value": 1}, False),
        ("get_set", {"key": "quay", "value": 1}, False),
        ("flag_get", {"key": "quay", "value": 1}, False),
        ("rollback", {"steps": 2}, False),
        ("rollback", {"checkpoint": "c-7"}, False),
        ("rollback", {"service": {"any": 1}}, False),
        ("merge", {"service": "quay"}, False),
        ("deploy", {}, False),
    ],
)
def test_tools_that_are_called_after_what_they_act_on_act(
    tool: str, arguments: dict[str, Any], *, is_told: bool
) -> None:
    assert bool(Session().calls(tool, '{"ok": true}', **arguments).texts("effect")) == is_told
