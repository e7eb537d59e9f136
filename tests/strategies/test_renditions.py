"""How groups are cut: as little as possible, in a fixed order, and never what was to be spared."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.model.group import Group
from compactor_cli.model.plan import Decision
from compactor_cli.pipeline.groups import form_groups
from compactor_cli.strategies.shared.renditions import Cut, Renderer, top_limit
from compactor_cli.text.shorten import IMAGE_NOTE, MIN_TOKENS
from compactor_cli.tokens import make_counter
from tests.drawing import loop_step
from tests.pipeline.sessions import Json, assistant, result, system, transcript, user

pytestmark = pytest.mark.one_test_in(2)

COUNT = make_counter("chars").counter.count
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
ROWS = "\n".join(f"row {number} of the table" for number in range(100))
TALK = "The table is long, and each of its rows was looked at. " * 20


def wrote(call_id: str, characters: int) -> Json:
    return assistant(None, (call_id, "Write", {"path": "out.csv", "content": "7" * characters}))


def rendered(records: list[Json], query: str = "") -> tuple[Renderer, list[Group]]:
    messages = transcript(records).messages
    return Renderer(messages, COUNT, query), list(form_groups(messages))


def fitted(records: list[Json], room: int, *, prose: bool = True, spare: frozenset[int] = frozenset()) -> Any:
    """Which kinds of parts were cut, and the tokens of all; None where nothing fits."""
    renderer, groups = rendered(records)
    decisions = renderer.fit(groups, room, "", prose=prose, exempt=spare)
    if decisions is None:
        return None
    return kinds(renderer, decisions), sum(d.tokens for d in decisions)


def kinds(renderer: Renderer, decisions: list[Decision]) -> set[str]:
    return {renderer.messages[edit.message].parts[edit.part].kind for d in decisions for edit in d.edits}


def size(records: list[Json]) -> int:
    return sum(group.tokens for group in rendered(records)[1])


SESSION = [user(TALK), wrote("c1", 1_000), result("c1", ROWS), assistant(TALK)]
"""A request, an exchange and an answer; each of the four can be cut."""


def test_what_fits_to_the_token_stays_whole() -> None:
    assert fitted(SESSION, size(SESSION)) == (set(), size(SESSION))
    cut, tokens = fitted(SESSION, size(SESSION) - 1)
    assert cut == {"tool_result"}
    assert size(SESSION) - 40 < tokens < size(SESSION)


def test_outputs_are_cut_before_arguments_and_these_before_texts() -> None:
    found: list[set[str]] = []
    for room in range(size(SESSION), 0, -loop_step(5)):
        fit = fitted(SESSION, room)
        if fit is None:
            break
        cut, tokens = fit
        assert tokens <= room
        if not found or found[-1] != cut:
            found.append(cut)
    outputs, arguments, texts = {"tool_result"}, {"tool_result", "tool_call"}, {"tool_result", "tool_call", "text"}
    assert found == [set(), outputs, arguments, texts]


def test_without_prose_texts_stay_and_less_can_be_met() -> None:
    bare = next(room for room in range(size(SESSION)) if fitted(SESSION, room, prose=False))
    cut, tokens = fitted(SESSION, bare, prose=False)
    assert (cut, tokens) == ({"tool_result", "tool_call"}, bare)
    least = next(room for room in range(size(SESSION)) if fitted(SESSION, room))
    assert least < bare - 2 * (COUNT(TALK) - MIN_TOKENS) + 50


def test_arguments_are_cut_to_400_characters_a_string_before_they_are_cut_to_60() -> None:
    records = [wrote("c1", 4_000), result("c1", "done")]
    renderer, groups = rendered(records)
    lengths = set()
    for room in range(size(records)):
        for decision in renderer.fit(groups, room, "", prose=False) or ():
            lengths |= {len(json.loads(edit.text)["content"]) for edit in decision.edits}
    assert len(lengths) == 2
    assert [length - 40 < border <= length for length, border in zip(sorted(lengths), (60, 400), strict=True)]
    assert all(border <= length < border + 60 for length, border in zip(sorted(lengths), (60, 400), strict=True))


def test_spared_messages_are_not_cut_and_count_for_nothing_that_could_be() -> None:
    records = [wrote("c1", 9), result("c1", ROWS), wrote("c2", 9), result("c2", ROWS)]
    renderer, groups = rendered(records)
    for room in (900, 800, 700):
        decisions = renderer.fit(groups, room, "", prose=True, exempt=frozenset([1]))
        assert decisions is not None
        assert [edit.message for d in decisions for edit in d.edits] == [3]
        assert room - 40 < sum(d.tokens for d in decisions) <= room
    assert renderer.sizes(groups, "tool_result", frozenset([1])) == [COUNT(ROWS)]
    assert renderer.sizes(groups, "tool_result") == [COUNT(ROWS)] * 2


def test_pictures_go_with_texts_and_a_note_stands_in_their_place() -> None:
    records: list[Json] = [{"role": "user", "content": [{"type": "text", "text": "As drawn."}, PICTURE]}]
    renderer, (group,) = rendered(records)
    assert renderer.fit([group], group.tokens - 1, "", prose=False) is None
    decisions = renderer.fit([group], group.tokens - 1, "newest", prose=True)
    assert decisions is not None
    (decision,) = decisions
    assert [edit.text for edit in decision.edits] == [IMAGE_NOTE]
    picture = renderer.messages[0].parts[1]
    assert decision.tokens == group.tokens - picture.tokens + COUNT(IMAGE_NOTE)
    assert (decision.rendition, decision.reason) == ("shortened", "newest")


def test_what_has_nothing_to_cut_is_whole_and_weighs_what_it_weighs() -> None:
    renderer, groups = rendered([user("Short."), *SESSION[1:3]])
    everything = Cut(MIN_TOKENS, 60, MIN_TOKENS, images=True)
    assert renderer.shorten(groups[0], everything, "old").rendition == "whole"
    assert [renderer.tokens(group, everything) for group in groups] == [
        renderer.shorten(group, everything, "").tokens for group in groups
    ]
    assert [renderer.tokens(group, Cut()) for group in groups] == [group.tokens for group in groups]


def test_the_tokens_of_a_cut_call_are_those_of_its_name_and_its_arguments() -> None:
    renderer, (group,) = rendered(SESSION[1:3])
    decision = renderer.shorten(group, Cut(arguments=60), "")
    (edit,) = decision.edits
    assert edit.tokens == COUNT(edit.text) + COUNT("Write")
    assert decision.tokens == group.tokens - renderer.messages[0].parts[0].tokens + edit.tokens


def sentences(count: int, mark: str) -> str:
    plain = [f"Row {number} of the table was looked at for once." for number in range(count)]
    return " ".join([*plain[: count // 2], f"All of it is in {mark}, as it seems.", *plain[count // 2 :]])


NAMED = "Look at `northern_rows`."


@pytest.mark.parametrize(
    ("query", "said", "after", "stays"),
    [
        ("", [user(NAMED)], 19, True),
        ("", [user(NAMED)], 20, False),
        ("northern_rows", [user("Look at it.")], 20, True),
        ("", [system(NAMED)], 19, False),
        ("", [assistant(None, ("c1", "Read", {"path": "northern_rows"})), result("c1")], 18, True),
        ("", [assistant(None, ("c1", "Read", {"path": "x"})), result("c1", f"see {NAMED}")], 18, False),
    ],
    ids=["20th from the end", "21st", "in the query", "by the system", "in a call", "in an output"],
)
def test_sentences_stay_that_name_what_the_newest_20_messages_or_the_query_speak_of(
    query: str, said: list[Json], after: int, stays: bool
) -> None:
    records = [assistant(sentences(40, "northern_rows")), *said, *[assistant("Yes.")] * after]
    renderer, groups = rendered(records, query)
    (edit,) = renderer.shorten(groups[0], Cut(prose=100), "").edits
    assert ("northern_rows" in edit.text) == stays


def test_of_a_request_that_is_cut_stays_what_the_agent_took_up() -> None:
    task = "Let the ferry wait for the late train."
    records = [user(f"{sentences(30, 'one')}\n\n{task}\n\n{sentences(30, 'two')}"), assistant(f"I see to it: {task}")]
    renderer, groups = rendered(records)
    (edit,) = renderer.shorten(groups[0], Cut(prose=100), "").edits
    assert task in edit.text
    assert edit.tokens <= 100
    records[1] = assistant("I see.")
    renderer, groups = rendered(records)
    (edit,) = renderer.shorten(groups[0], Cut(prose=100), "").edits
    assert task not in edit.text


@given(st.lists(st.integers(0, 300), max_size=8), st.integers(-900, 50))
def test_the_level_is_the_highest_limit_that_saves_enough(sizes: list[int], room: int) -> None:
    def enough(limit: int) -> bool:
        return sum(min(size, limit) for size in sizes) <= sum(sizes) + room

    limits = range(MIN_TOKENS, max([MIN_TOKENS, *sizes]) + 1)
    assert top_limit(sizes, room) == max(filter(enough, limits), default=None)


def test_of_a_system_prompt_stays_what_the_newest_request_is_about():
    prompt = (
        "You help at a school.\n"
        "# Rooms\n- A room is kept for two terms of the school.\n- A list of rooms is made by date.\n"
        "# Credits\n- Ninety credits of another school are taken over.\n- The thesis is counted with the others.\n"
        "# Other\n" + "- Words of this kind are said by others in the house.\n" * 6
    )
    rooms, points = user("Which room is free, and how long is a room kept?"), user("How many credits do I bring?")
    for first, last, kept in ((rooms, points, "Ninety credits"), (points, rooms, "two terms")):
        renderer, groups = rendered([system(prompt), first, assistant("One."), last])
        (edit,) = renderer.shorten(groups[0], Cut(prose=60), "").edits
        assert kept in edit.text
