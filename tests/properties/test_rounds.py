"""A session that is compacted, goes on, and is compacted again: every round holds what a first one holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli import api
from compactor_cli.errors import BudgetError, InputError
from compactor_cli.model.content import read_all
from compactor_cli.settings import Settings
from compactor_cli.strategies import STRATEGIES
from compactor_cli.summary_text.headers import round_of
from tests.builders import assistant, jsonl, user
from tests.pipeline import sessions as session
from tests.properties.checks import check_compaction
from tests.properties.generators import SHAPES, Conversation, conversations_of, long_conversation, to_bytes, well_formed
from tests.properties.profile import examples

EVERY = pytest.mark.parametrize("strategy", sorted(STRATEGIES))
RULE = "You must never change the public API of src/billing/rounding.py."
PLACES = ("porch", "cellar", "attic", "kitchen", "garage", "garden", "hallway", "pantry", "stable", "barn")
ONE_CONVERSATION = sorted(set(SHAPES) - {"conversations"})


def _pieces(turns: Conversation, shape: str, number: int) -> list[bytes]:
    """The lines of a session as they come in, a piece for each round."""
    lines = to_bytes(SHAPES[shape](turns)).splitlines(keepends=True)
    size = max(1, -(-len(lines) // number))
    return [b"".join(lines[at : at + size]) for at in range(0, len(lines), size)]


def _rounds(pieces: list[bytes], shape: str, strategy: str, target: int | None) -> list[int]:
    """Compact after every piece; the rounds that the newest summaries name."""
    data = b""
    seen: list[int] = []
    for piece in pieces:
        try:
            source = api.load(data + piece, format=shape, tokenizer="chars")
        except InputError:  # no message yet
            data += piece
            continue
        result = check_compaction(source, Settings(strategy=strategy, target_tokens=target), "chars")
        if isinstance(result, BudgetError):
            return seen
        data = read_all(result.data)
        (part,) = result.parts
        own = [round_of(m.text("text")) for m in part.messages if m.origin == "summary"]
        seen.append(max(own, default=0))
    return seen


@EVERY
@examples(40)
@given(conversations_of(well_formed(20)), st.sampled_from(ONE_CONVERSATION), st.integers(150, 3000))
def test_any_session_in_any_number_of_rounds(strategy: str, turns: Conversation, shape: str, target: int) -> None:
    _rounds(_pieces(turns, shape, 4), shape, strategy, target)


@pytest.mark.drawn(1)
@EVERY
def test_a_system_message_without_the_mark_of_an_earlier_round_is_whole(strategy: str) -> None:
    rules = " ".join(f"The {place} of the shop has a rule of its own." for place in PLACES)
    data = jsonl({"role": "system", "content": rules}, user("Fix the rounding bug."))
    steps = (f"Step {n}: I read module {n}, which rounds the price of an order in its last line." for n in range(9))
    for more, target in ((b"", 80), (jsonl(*map(assistant, steps), user("And now?")), 250)):
        source = api.load(data + more, format="openai-chat", tokenizer="chars")
        result = check_compaction(source, Settings(strategy=strategy, target_tokens=target), "chars")
        assert not isinstance(result, BudgetError)
        assert result.parts[0].messages[0].parts[0].edited
        data = read_all(result.data)


KEPT = "Keep the prices of all orders in whole cents."


@pytest.mark.drawn(1)
@EVERY
@pytest.mark.parametrize("quotes", [f"earlier user: … … {KEPT}", f"#0 user: … {KEPT}\n#3 user: {RULE} Thanks."])
def test_what_an_earlier_summary_quotes_of_the_user_is_quoted_again(strategy: str, quotes: str) -> None:
    read = "The price of an order is rounded in its last line. " * 40
    step = [session.assistant("I read it.", "c1"), session.result("c1", read)]
    data = jsonl(assistant(f"[#0-3]\n{quotes}"), *step, *([] if "earlier" in quotes else [user("Go on.")]))
    source = api.load(data, format="openai-chat", tokenizer="chars")
    result = check_compaction(source, Settings(strategy=strategy, target_tokens=150), "chars")
    assert not isinstance(result, BudgetError)
    assert "earlier" not in quotes or KEPT in "\n".join(message.text() for message in result.parts[0].messages)


@pytest.mark.drawn(120)
@EVERY
@pytest.mark.parametrize("target", [None, 1500, 4000])
@pytest.mark.parametrize("shape", ONE_CONVERSATION)
def test_a_long_session_in_six_rounds(shape: str, target: int | None, strategy: str) -> None:
    seen = _rounds(_pieces(Conversation(long_conversation(150)), shape, 6), shape, strategy, target)
    assert len(seen) == 6
    assert seen == sorted(seen)
    assert seen[-1] >= 4
