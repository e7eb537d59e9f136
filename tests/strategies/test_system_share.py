"""What a system prompt may take: all of itself, as long as the session is left with enough to go on from."""

from __future__ import annotations

import pytest

from compactor_cli import api
from compactor_cli.settings import Settings
from tests.builders import ROOT, load_or_skip
from tests.cost import count_calls
from tests.pipeline.sessions import Json, assistant, compact, result, system, user

PROMPT = "\n".join(f"- Rule {n} of the desk: forms of kind {n * 7} go to shelf {n * 3} before noon." for n in range(60))
STRATEGIES = ["adaptive", "tiered", "rolling", "handoff", "hybrid", "summarize", "truncate", "ranked"]
REAL = ROOT.parent / "shared" / "transcripts" / "tau-bench" / "task14_trial0.jsonl"


def session(prompt: str = PROMPT, trays: int = 12) -> list[Json]:
    records = [system(prompt), user("Please sort the forms of this week.")]
    for n in range(trays):
        listing = "\n".join(f"form F{n}{at:02} of kind {at} lies in tray {n}" for at in range(12))
        records += [assistant(f"I look into tray {n}.", f"c{n}"), result(f"c{n}", listing)]
        records += [assistant(f"Tray {n} has 12 forms."), user(f"Go on with tray {n + 1}.")]
    return records


def sizes() -> tuple[int, int]:
    """The tokens of the prompt, and of all else in the session."""
    first, *rest = compact(session(), target_tokens=1_000_000).messages
    return first.tokens, sum(message.tokens for message in rest)


def typed(target: int) -> int:
    """The tokens that what the user typed has before a prompt that has to be cut."""
    messages = compact(session(), target_tokens=1_000_000).messages
    return min(int(0.4 * target), sum(message.tokens + 6 for message in messages if message.origin == "request"))


@pytest.mark.drawn(8)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_larger_target_never_keeps_much_less_of_the_session(strategy: str) -> None:
    prompt = compact([system(PROMPT), user("Hi.")]).messages[0].tokens
    most = 0
    for share in range(60, 260, 20):
        part = compact(session(), strategy=strategy, target_tokens=prompt * share // 100)
        rest = sum(message.tokens for message in part.messages if message.role != "system")
        # `truncate` keeps whole exchanges only: the next one may be just too large
        next_exchange = 128 if strategy == "truncate" else 0
        # where a prompt has room as a whole, it takes some of what it left to the user's words when it was cut
        assert rest + next_exchange > (0.75 if strategy == "adaptive" else 0.6) * most, share
        most = max(most, rest)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_prompt_is_whole_where_it_leaves_a_tenth_of_the_session(strategy: str) -> None:
    prompt, said = sizes()
    target = prompt + said // 10
    part = compact(session(), strategy=strategy, target_tokens=target)
    assert part.messages[0].text() == PROMPT
    assert sum(message.tokens for message in part.messages) <= target


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_prompt_makes_room_for_a_session_of_which_nothing_would_be_left(strategy: str) -> None:
    prompt, said = sizes()
    target = prompt + said // 50
    first, *rest = compact(session(), strategy=strategy, target_tokens=target).messages
    assert 0.9 * (prompt - 0.06 * said - typed(target)) < first.tokens < prompt
    assert sum(message.tokens for message in rest) > 0.03 * said


@pytest.mark.parametrize("share", [50, 90])
def test_a_prompt_that_is_larger_than_the_target_leaves_the_session_as_much(share: int) -> None:
    prompt, said = sizes()
    target = prompt * share // 100
    first, *rest = compact(session(), strategy="adaptive", target_tokens=target).messages
    asked = typed(target)
    left = max((target - asked) // 2, target - max(0.08 * said, asked + 0.04 * said))
    assert 0.8 * left < first.tokens <= left + 10
    assert 0.06 * said < sum(message.tokens for message in rest) <= target - first.tokens


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("ratio", [0.2, 0.3])
def test_with_a_ratio_a_prompt_makes_room_for_a_share_of_the_session_that_comes_near_to_it(
    strategy: str, ratio: float
) -> None:
    """A prompt that leaves it 8% only would take more than two thirds of these targets."""
    records = session(PROMPT + PROMPT.replace("Rule", "Law"), trays=40)
    size, *others = (message.tokens for message in compact(records, target_tokens=1_000_000).messages)
    first, *rest = compact(records, strategy=strategy, target_ratio=ratio).messages
    assert 0.7 * ratio * (1 - ratio) * sum(others) < sum(message.tokens for message in rest)
    assert ratio * size < first.tokens < size


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_prompt_has_all_the_room_that_nothing_else_needs(strategy: str) -> None:
    records = [system(PROMPT), user("Please sort the forms."), assistant("They are sorted.")]
    size = sum(message.tokens for message in compact(records).messages)
    part = compact(records, strategy=strategy, target_tokens=size - 20)
    assert part.messages[0].tokens > 0.9 * (size - 20) - 60


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_prompt_that_is_cut_anyway_leaves_a_small_session_what_came_of_it(strategy: str) -> None:
    records = [system(PROMPT), user("Sort the forms."), assistant("I look.", "c1")]
    records += [result("c1", "\n".join(f"form {n} of kind {n * 3} lies in tray {n * 7}" for n in range(9)))]
    records += [assistant("All forms lie on shelf 4711 now. Shall I do those of the week before, too?")]
    prompt = compact(records).messages[0].tokens
    part = compact(records, strategy=strategy, target_tokens=prompt // 2)
    assert "shelf 4711" in "\n".join(message.text() for message in part.messages)
    assert part.messages[0].tokens > prompt // 2 - 200


TYPED = (
    "Blue forms wait for Ms. Oduya.",
    "The lift is out, so nothing goes upstairs.",
    "Names are written as on the passport.",
    "We would be four clerks.",
)


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "handoff"])
@pytest.mark.parametrize("share", [30, 50])
def test_what_was_typed_comes_before_a_prompt_that_is_cut_anyway(strategy: str, share: int) -> None:
    records = [system(PROMPT), user("Please sort the forms of this week.")]
    for n, words in enumerate(TYPED):
        records += [assistant(f"I look into tray {n}.", f"c{n}"), result(f"c{n}", f"form F{n} lies in tray {n}")]
        records += [assistant(f"Tray {n} has a form."), user(words)]
    prompt = compact(records, target_tokens=1_000_000).messages[0].tokens
    first, *rest = compact(records, strategy=strategy, target_tokens=prompt * share // 100).messages
    text = "\n".join(message.text() for message in rest)
    assert [words for words in TYPED if words not in text] == []
    assert 0.25 * prompt * share // 100 < first.tokens


@pytest.mark.parametrize("target", [100, 300])
def test_a_prompt_that_is_cut_still_says_who_the_agent_is(target: int) -> None:
    prompt = "You are the clerk of the desk of forms.\n" + PROMPT.replace("go to", "must go to")
    part = compact([system(prompt), user("Please sort the forms.")], strategy="adaptive", target_tokens=target)
    assert part.messages[0].text().startswith("You are the clerk of the desk of forms.")


@pytest.mark.skipif(not REAL.is_file(), reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("strategy", ["adaptive", "rolling"])
def test_a_real_session_is_left_with_enough_to_go_on_from(strategy: str) -> None:
    source = load_or_skip(REAL, "o200k_base")
    (before,) = api.compact(source, Settings(target_tokens=1_000_000), tokenizer="o200k_base").parts
    said = sum(message.tokens for message in before.messages if message.role != "system")
    for ratio in (0.2, 0.25, 0.3, 0.35, 0.4):
        (part,) = api.compact(source, Settings(strategy=strategy, target_ratio=ratio), tokenizer="o200k_base").parts
        assert sum(message.tokens for message in part.messages if message.role != "system") > 0.06 * said, ratio


SECTIONS = {
    "Book flight": "passengers payment certificate luggage insurance trip origin destination",
    "Modify flight": "cabin segment upgrade baggage passenger name change date",
    "Cancel flight": "reason of the cancellation, basic economy, within a day of booking, airline",
    "Compensation": "gold member complains certificate amount gesture delay hundred dollars",
}


@pytest.mark.drawn(3)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_system_prompt_that_is_cut_keeps_what_it_says_of_the_subject(strategy: str) -> None:
    rules = [
        f"## {title}\n" + "\n".join(f"- Rule on {word} in case {n}." for n, word in enumerate(words.split()))
        for title, words in SECTIONS.items()
    ]
    records = [system("# Desk policy\n" + "\n\n".join(rules)), user("Please cancel my reservation of Monday.")]
    for n in range(6):
        records += [assistant(None, (f"c{n}", "get_reservation", {"id": f"R{n}"}))]
        records += [result(f"c{n}", "\n".join(f"seat {at} of the list is free" for at in range(40)))]
    (policy, *_) = compact(records, strategy=strategy, target_tokens=400).messages
    assert "left out" in policy.text()
    for n, word in enumerate(SECTIONS["Cancel flight"].split()):
        assert f"- Rule on {word} in case {n}." in policy.text()


def test_many_system_notes_are_cut_at_a_cost_that_grows_with_the_session() -> None:
    def calls(count: int) -> int:
        records = [system(f"Note {n}: " + f"forms of kind {n} go to shelf {n}. " * 16) for n in range(count)]
        records += [user(f"Please sort the forms of week {n}, and say which shelf is full.") for n in range(count)]
        return count_calls(lambda: compact(records, strategy="rolling", target_tokens=60 * count))

    assert calls(120) < 2.2 * calls(60)
