"""One compaction of one transcript: what it is given, and what follows from that."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from compactor_cli.model.decisions import Decided
from compactor_cli.model.memory import Memory
from compactor_cli.model.pairing import Pairing
from compactor_cli.model.transcript import Transcript
from compactor_cli.pipeline.repair import ends_with_result
from compactor_cli.pipeline.stages import Stages
from compactor_cli.pipeline.tools import Tools
from compactor_cli.settings import Settings
from compactor_cli.summary_text.headers import Base

DAMAGE = ("cut_off_line", "damaged_line")
"""Notes on lines that were left out."""


class OneCompaction(Struct, frozen=True):
    """One compaction of one transcript."""

    transcript: Transcript
    tools: Tools
    settings: Settings
    stages: Stages
    target: int | None
    base: Base
    pairing: Pairing
    """Calls and results of the transcript as it is."""
    closed: bool
    recalled: Sequence[Memory]
    decided: Decided

    @property
    def must_change(self) -> bool:
        """Return whether the input must not come out as it is, however small it is."""
        return (
            damaged(self.transcript) or (self.closed and self._is_open) or self.drops_outside or bool(self.decided.drop)
        )

    @property
    def drops_outside(self) -> bool:
        """Return whether records out of context are left out. Of a session of which nothing is sent none is: it would
        be no session any more."""
        return self.settings.drop_outside and bool(self.transcript.outside) and bool(self.transcript.messages)

    @property
    def _is_open(self) -> bool:
        """Return whether a turn of the user must not simply follow."""
        return ends_with_result(self.transcript.messages) or bool(self.pairing.unanswered)


def damaged(transcript: Transcript) -> bool:
    """Return whether something of the input had to be left out, so that its bytes cannot simply be passed on."""
    return any(note.kind in DAMAGE for note in transcript.notes)
