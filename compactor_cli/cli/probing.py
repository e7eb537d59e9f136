"""`--tokenizer probe`: count tokens as the provider does, both for what is read and for what is written (seed 004)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from compactor_cli.errors import NEEDS_MODEL, BudgetError, UsageError
from compactor_cli.model.content import Content
from compactor_cli.model.message import Message
from compactor_cli.model.report import Compaction, Probed
from compactor_cli.model.transcript import Source
from compactor_cli.pipeline.one_compaction import resolve_target
from compactor_cli.settings import Settings
from compactor_cli.tokens.base import TokenCounter
from compactor_cli.tokens.probe import MAX_RATIO, ProbedCounter, fit, probe_tokens, token_ratio

if TYPE_CHECKING:
    from compactor_cli.cli.carrying_on import Make
    from compactor_cli.cli.session import Session
    from compactor_cli.llm.asker import Asker, DryAsker


def load_probed(session: Session, path: str) -> Source:
    """Return a file counted by the local counter times the provider's ratio, measured on the file. Without a count of
    the provider, the session warns."""
    model = _asked_model(session)
    source = session.load_locally(path)
    if session.dry:
        session.warn(f"{path}: --dry-run asks no provider; tokens are counted by {session.local.name}")
        return source
    if len(source.transcripts) > 1:
        count = len(source.transcripts)
        raise UsageError(f"--tokenizer probe: {path} holds {count} conversations; split it, or count without a probe")
    messages = source.transcripts[0].messages
    tokens = probe_tokens(messages, model, session.local)
    ratio = None if tokens is None else token_ratio(tokens, messages, session.local)
    if ratio is None or ratio > MAX_RATIO:
        finding = "did not report a token count" if ratio is None else f"counts {float(ratio):.1f} times as many tokens"
        session.warn(f"{path}: the provider {finding}; tokens are counted by {session.local.name}")
        return source
    session.counter = ProbedCounter(session.local, ratio, model.name)
    session.probed = tokens
    return session.read(source.data, path)


def compact_probed(
    session: Session, source: Source, settings: Settings, make: Make
) -> tuple[Content, list[Compaction], Probed]:
    """Return the output of `make` such that it meets its target by the provider's count. Raises BudgetError."""
    if not isinstance(session.counter, ProbedCounter):
        return *make(source, settings), Probed(None, None)
    model, local = _asked_model(session), session.local
    before = session.probed
    target, _ = resolve_target(source.transcripts[0], settings)
    if target is None:
        data, parts = make(source, settings)
        return data, parts, Probed(before, probe_tokens(parts[0].messages, model, local))
    aimed = replace(settings, target_tokens=target, target_ratio=None)

    def attempt(counter: TokenCounter) -> tuple[tuple[Content, list[Compaction]], Sequence[Message]]:
        session.counter = counter
        recounted = source if counter is first else session.read(source.data, source.path)
        data, parts = make(recounted, aimed)
        return (data, parts), parts[0].messages

    first = session.counter
    fitted = fit(attempt, target, model, local, first.ratio)
    if fitted.tokens is not None and not fitted.fits:
        plural = "" if fitted.rounds == 1 else "s"
        raise BudgetError(
            target, fitted.tokens, ((f"what was left after {fitted.rounds} attempt{plural}", fitted.tokens),)
        )
    return *fitted.result, Probed(before, fitted.tokens)


def _asked_model(session: Session) -> Asker | DryAsker:
    model = session.find_asker()
    if model is None:
        raise UsageError(f"--tokenizer probe {NEEDS_MODEL}")
    return model
