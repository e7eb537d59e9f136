"""`compact --if-needed`: only what is over the threshold of its model's context, and then down below it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from compactor_cli.cli.progress import NoSteps, Steps
from compactor_cli.cli.session import Session
from compactor_cli.errors import BudgetError
from compactor_cli.formats import FORMATS
from compactor_cli.model.content import Content
from compactor_cli.model.decisions import Decided
from compactor_cli.model.memory import Memory
from compactor_cli.model.report import Compaction
from compactor_cli.model.transcript import Source, Transcript
from compactor_cli.pipeline.make_report import unchanged
from compactor_cli.pipeline.run import compact_source
from compactor_cli.pipeline.stages import COMPLETE
from compactor_cli.pipeline.threshold import relief_target
from compactor_cli.settings import Settings
from compactor_cli.views.forecast import outlook

if TYPE_CHECKING:
    from compactor_cli.memory.extraction import Remembering

Make = Callable[[Settings], tuple[Content, list[Compaction]]]


def compact_if_needed(
    session: Session, source: Source, limit: int, settings: Settings, make: Make
) -> tuple[Content, list[Compaction]]:
    """Return what `make` gives for the settings, or the file as it is. Without a target of its own, a session that
    would still be over the threshold gets one: below the level of the warning."""
    views = [outlook(transcript, FORMATS[transcript.format], limit, settings) for transcript in source.transcripts]
    if not any(view.compacts for view in views):
        fullest = max(views, key=lambda view: view.state.tokens)
        session.err.print(f"{source.path}: {fullest.reason}; left as it is", soft_wrap=True)
        return source.data, [unchanged(t, None) for t in source.transcripts]
    data, parts = make(settings)
    if settings.target_tokens is not None or settings.target_ratio is not None:
        return data, parts
    over = [
        view
        for view, part in zip(views, parts, strict=True)
        if part.tokens + view.overhead >= max(1, view.state.threshold)
    ]
    if not over:
        return data, parts
    target = max(1, relief_target(over[0].state, settings.context) - over[0].overhead)
    try:
        data, parts = make(dataclasses.replace(settings, target_tokens=target))
    except BudgetError as error:
        session.warn(f"{source.path}: still over the threshold of {over[0].state.threshold:,}: {error}")
        return data, parts
    session.err.print(
        f"{source.path}: compacted to {target:,} tokens, as it would still be over the threshold", soft_wrap=True
    )
    return data, parts


def compact_always(
    session: Session,
    source: Source,
    settings: Settings,
    progress: Steps | NoSteps,
    recalled: Sequence[Memory] = (),
    recall: Callable[[Transcript], Sequence[Memory]] = lambda transcript: (),
    remember: Remembering | None = None,
    decided: Sequence[Decided] = (),
) -> tuple[Content, list[Compaction]]:
    """Every conversation of a file, by the settings, with memories to put into each; where there are none, those
    that `recall` finds. `remember` finds what is worth
    remembering of them. `decided`: a person's decisions on each. Word of the stages is given but for the last: the
    output is yet to be written."""
    tools = [
        replace(
            session.tools(t, settings),
            progress=lambda stage: progress.step(),
            on_stage=lambda stage, meaning: stage == COMPLETE or progress.say(f"{source.path}: {meaning}"),
            recall=recall,
            remember=remember,
        )
        for t in source.transcripts
    ]
    data, parts = compact_source(source, tools, settings, recalled=recalled, decided=decided)
    if recalled and data == source.data:  # of a file that stays as it is nothing else is shown
        for warning in dict.fromkeys(warning for part in parts for warning in part.warnings):
            session.say(f"warning: {source.path}: {warning}")
    return data, parts
