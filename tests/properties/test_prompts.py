"""Any transcript, any total: a prompt around it is valid and fits, or the total that is told does."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli import api
from compactor_cli.errors import BudgetError, InputError, UsageError
from compactor_cli.formats import FORMATS
from compactor_cli.model.transcript import Transcript
from compactor_cli.pipeline.verify import faults, last_turn
from compactor_cli.prompt.assembly import Prompted, assemble_prompt
from compactor_cli.prompt.definition import AFTER, BEFORE, Prompt, PromptPart
from compactor_cli.prompt.segments import size_parts
from compactor_cli.settings import Settings
from compactor_cli.strategies import STRATEGIES
from compactor_cli.tokens import make_counter
from compactor_cli.wiring import tools_for
from tests.properties.checks import check_links
from tests.properties.generators import File, faulty, files, well_formed
from tests.properties.profile import examples

COUNTER = make_counter("chars").counter
PARTS = st.fixed_dictionaries(
    {},
    optional={
        name: st.one_of(
            st.builds(PromptPart, name=st.just(name), given=st.just("text"), text=st.text(max_size=200)),
            st.builds(PromptPart, name=st.just(name), given=st.just("tokens"), reserved=st.integers(0, 300)),
        )
        for name in (*BEFORE, *AFTER)
    },
)


def _assemble(transcript: Transcript, parts: dict[str, PromptPart], strategy: str, total: int) -> Prompted:
    own = sum(message.tokens for message in transcript.messages if message.role == "system")
    sized = size_parts(Prompt(parts=parts), (), COUNTER.count, COUNTER.per_message, own)
    settings = Settings(strategy=strategy, target_tokens=total)
    return assemble_prompt(transcript, sized, tools_for(transcript, COUNTER, settings), settings, total)


def _check(file: File, parts: dict[str, PromptPart], strategy: str, share: float) -> None:
    with suppress(InputError, UsageError):  # without any message, or with its own compaction first
        source = api.load(file.data, "generated", format=file.shape, tokenizer="chars")
        transcript = source.transcripts[0]
        total = 1 + int(share * transcript.tokens) + 150
        try:
            done = _assemble(transcript, parts, strategy, total)
        except BudgetError as error:
            assert error.floor > total
            total = error.floor
            done = _assemble(transcript, parts, strategy, total)
        if not done.messages:
            return
        again = api.load(done.data, "again", format=transcript.format, tokenizer="chars").transcripts[0]
        assert again.tokens + done.reserved <= total - 100
        kinds = {
            fault.kind for fault in faults(again.messages, adjacent_results=FORMATS[again.format].adjacent_results)
        }
        before = faults(transcript.messages, adjacent_results=FORMATS[again.format].adjacent_results)
        assert kinds <= {fault.kind for fault in before}
        assert last_turn(again.messages) == len(again.messages) or not _unanswered(again)
        check_links(transcript, again)


def _unanswered(transcript: Transcript) -> set[str]:
    answered = {part.call_id for message in transcript.messages for part in message.results}
    return {part.call_id for message in transcript.messages for part in message.calls} - answered


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
@examples(25)
@given(files(well_formed()), PARTS, st.floats(0.01, 1.5))
def test_well_formed_transcripts(strategy: str, file: File, parts: dict[str, PromptPart], share: float) -> None:
    _check(file, parts, strategy, share)


@examples(60)
@given(files(faulty()), PARTS, st.floats(0.01, 1.5))
def test_faulty_transcripts(file: File, parts: dict[str, PromptPart], share: float) -> None:
    _check(file, parts, "adaptive", share)
