"""The tools that the pipeline uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from compactor_cli.features.topics import find_topics
from compactor_cli.formats.base import Format
from compactor_cli.model.memory import Memory
from compactor_cli.model.planning import Strategy, Summarizer
from compactor_cli.model.transcript import Transcript
from compactor_cli.pipeline.stages import Topics
from compactor_cli.tokens.base import TokenCounter

if TYPE_CHECKING:
    from compactor_cli.model.profile import Profile
    from compactor_cli.scoring import Scorer


class Tools(Struct, frozen=True):
    """The tools that the pipeline uses. They are passed in, so that it accesses no files, clocks or models itself."""

    format: Format
    counter: TokenCounter
    scorer: Scorer
    strategy: Strategy
    summarizer: Summarizer
    profile: Profile | None = None
    clock: Callable[[], float] = lambda: 0.0
    topics: Topics = find_topics
    explain_values: bool = True
    progress: Callable[[str], None] = lambda stage: None
    on_stage: Callable[[str, str], object] = lambda stage, meaning: None
    recall: Callable[[Transcript], Sequence[Memory]] = lambda transcript: ()
    """Finds memories that are relevant to a transcript, most relevant first; called if none are given."""
    remember: Callable[[Transcript], Sequence[Memory]] | None = None
    """Extracts what is worth remembering from a transcript, before any of it is summarized; None for nothing."""
    persist: Callable[[Sequence[Memory]], object] | None = None
    """Stores the extracted memories after everything else is done; None if the caller stores them later."""
