"""Topics of a session by lexical cohesion: what the user asked for, and the files that were touched (seed 003)."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given

from compactor_cli.features.topics import MAX_TOPICS, find_topics
from compactor_cli.model.planning import Topic
from compactor_cli.pipeline.groups import form_groups
from tests.builders import ROOT
from tests.pipeline.sessions import Json, assistant, result, system, to_bytes, transcript, user
from tests.properties.generators import SHAPES, Conversation, conversations_of, long_conversation, well_formed
from tests.properties.generators import to_bytes as shaped_bytes
from tests.properties.profile import examples
from tests.strategies import work

pytestmark = pytest.mark.one_test_in(2)

AREAS = {
    "billing": "invoice rounding totals currency discount",
    "search": "index ranking stemming synonyms relevance",
    "deploy": "container registry rollout cluster ingress",
    "mailer": "template bounce newsletter subscriber header",
    "login": "session cookie password token captcha",
    "charts": "axis legend palette tooltip canvas",
    "importer": "csv delimiter encoding column parser",
}


def task(area: str, number: int) -> list[Json]:
    """A request about an area, a file of it read and changed, and an answer."""
    words = AREAS[area].split()
    one, other = words[number % 5], words[(number + 1) % 5]
    path, call = f"src/{area}/{one}.py", f"{area}{number}"
    return [
        user(f"The {area} needs work: mend the {one} and the {other} of {area}."),
        assistant(f"I look at the {one} of {area}.", (call, "Read", {"path": path})),
        result(call, f"def {one}(): ..."),
        assistant(f"The {area} {one} is mended, its {other} too.", (f"{call}e", "Edit", {"path": path})),
        result(f"{call}e", "ok"),
    ]


def session(*areas: str, times: int = 3) -> list[Json]:
    return [system(), *(record for n in range(times) for area in areas for record in task(area, n))]


def topics(records: list[Json], most: int = MAX_TOPICS) -> tuple[Topic, ...]:
    messages = transcript(records).messages
    return find_topics(messages, form_groups(messages)[1:], most)


def areas_of(records: list[Json], topic: Topic) -> set[str]:
    messages = transcript(records).messages
    said = "\n".join(messages[i].text() for g in form_groups(messages) if g.index in topic.groups for i in g.messages)
    return {area for area in AREAS if f"src/{area}/" in said}


def test_requests_about_the_same_files_and_words_are_one_topic_wherever_they_stand() -> None:
    records = session("billing", "search", "deploy")
    found = topics(records)
    assert [areas_of(records, topic) for topic in found] == [{"billing"}, {"search"}, {"deploy"}]


@pytest.mark.parametrize("number", [2, 3, 4, 5, 6, 7])
def test_there_are_at_most_five_topics(number: int) -> None:
    assert MAX_TOPICS == 5
    found = topics(session(*list(AREAS)[:number]))
    assert len(found) == min(number, 5)


@pytest.mark.parametrize("most", [2, 3, 4])
def test_fewer_can_be_asked_for(most: int) -> None:
    assert len(topics(session(*AREAS), most)) == most


@pytest.mark.parametrize("records", [[], session("billing", times=1), session("billing", "search", times=1)[:6]])
def test_a_conversation_too_short_to_sort_has_no_topics(records: list[Json]) -> None:
    messages = transcript(records).messages if records else ()
    assert find_topics(messages, form_groups(messages)) == ()


def test_a_conversation_about_one_thing_has_no_topics() -> None:
    assert topics([system(), *(record for _ in range(8) for record in task("billing", 0))]) == ()


def test_a_topic_is_named_by_what_the_user_asked_and_where() -> None:
    first = topics(session("billing", "search"))[0]
    assert first.title.startswith('Topic: "The billing needs work')
    assert first.title.endswith("(messages 1-5, 11-15, 21-25)")


def test_without_requests_a_topic_is_named_by_its_files() -> None:
    records = [record for record in session("billing", "search", times=4) if record["role"] != "user"]
    found = topics(records)
    assert found
    assert all(".py" in topic.title for topic in found)


def test_the_newer_of_two_equal_topics_matters_more() -> None:
    old, new = topics([system(), *4 * task("billing", 0), *4 * task("search", 0)])
    assert old.importance < new.importance == 1.0


def test_a_topic_with_more_requests_matters_more() -> None:
    much, little = topics([system(), *6 * task("billing", 0), *2 * task("search", 0)])
    assert little.importance < much.importance


def _check(found: tuple[Topic, ...], groups: set[int]) -> None:
    held = [index for topic in found for index in topic.groups]
    assert len(found) <= 5
    if found:
        assert sorted(held) == sorted(groups), "every group is in exactly one topic"
        assert [topic.groups[0] for topic in found] == sorted(topic.groups[0] for topic in found)
        assert max(topic.importance for topic in found) == 1.0
        assert all(0 < topic.importance <= 1 for topic in found)
        assert all("\n" not in topic.title for topic in found)


@examples(60)
@given(conversations_of(well_formed(20)))
def test_every_group_of_any_session_is_in_exactly_one_topic(turns: Conversation) -> None:
    from compactor_cli import api
    from compactor_cli.errors import InputError

    try:
        (one,) = api.load(shaped_bytes(SHAPES["openai-chat"](turns)), tokenizer="chars").transcripts
    except InputError:
        return
    groups = form_groups(one.messages)
    _check(find_topics(one.messages, groups), {g.index for g in groups})


@pytest.mark.parametrize("records", [work.session(40), session(*AREAS, times=30)], ids=["work", "areas"])
def test_a_long_session_is_sorted_too(records: list[Json]) -> None:
    messages = transcript(records).messages
    groups = form_groups(messages)
    found = find_topics(messages, groups)
    assert len(found) >= 2
    _check(found, {g.index for g in groups})


def test_a_session_without_end_is_sorted_in_time() -> None:
    from compactor_cli import api

    data = shaped_bytes(SHAPES["openai-chat"](Conversation(long_conversation(3_000))))
    (one,) = api.load(data, tokenizer="chars").transcripts
    groups = form_groups(one.messages)
    _check(find_topics(one.messages, groups), {g.index for g in groups})


def test_other_hash_seeds_find_the_same_topics() -> None:
    code = (
        "from tests.features.test_topics import *; import json; "
        "print(json.dumps([[t.title, t.groups, t.importance] for t in topics(session(*AREAS))]))"
    )
    found = []
    for seed in ("1", "4242"):
        variables = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=variables, cwd=ROOT)
        found.append(json.loads(done.stdout))
    assert found[0] == found[1]
    assert len(found[0]) == 5
    assert to_bytes(session("billing"))
