"""Prompts around real sessions. Their folder is not part of this project; the tests skip where it is absent."""

from __future__ import annotations

import pytest

from compactor_cli.errors import BudgetError, InputError, UsageError
from tests.builders import find_faults, load
from tests.prompt.test_assembly import ALL, assembled
from tests.test_real_transcripts import FILES, FOLDER

SOME = [path for path in FILES if path.suffix == ".jsonl" and path.stat().st_size < 400_000][::8]

pytestmark = pytest.mark.skipif(not SOME, reason="the folder of real transcripts is not here")


@pytest.mark.drawn(9)
@pytest.mark.parametrize("path", SOME, ids=lambda path: str(path.relative_to(FOLDER)))
def test_a_prompt_around_a_real_session_fits_and_has_no_fault(path):
    data = path.read_bytes()
    try:
        source = load(data)
    except InputError:
        pytest.skip("a format of another tool, or damaged")
    if len(source.transcripts) > 1:
        pytest.skip("several conversations")
    for share in (1.5, 0.3, 0.05):
        total = int(source.tokens * share) + 300
        try:
            done = assembled(data, ALL, total)
        except BudgetError as error:
            assert error.floor > total
            done, total = assembled(data, ALL, error.floor), error.floor
        except UsageError as error:
            assert "replaces all history before it" in str(error)
            return
        again = load(done.data)
        assert again.tokens + done.reserved <= total - 100
        assert find_faults(again) == []
        texts = [message.text() for message in again.transcripts[0].messages]
        assert (texts[:4], texts[-2:]) == (list(ALL.values())[:4], list(ALL.values())[4:])
