"""Convert values to the JSON that scripts may rely on. Keys may be added, never renamed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from msgspec.structs import asdict

from compactor_cli.model.budget import TIERS, Budget
from compactor_cli.model.content import Content, sha256
from compactor_cli.model.group import Fault
from compactor_cli.model.report import Analysis, Compaction, plan_lines, protected_in, total_spent
from compactor_cli.model.score import Score
from compactor_cli.model.transcript import Note, Source
from compactor_cli.pipeline.recorded_context import RecordedContext
from compactor_cli.text.clean import visible
from compactor_cli.text.shorten import reference
from compactor_cli.views.compare import Fate
from compactor_cli.views.forecast import Outlook
from compactor_cli.views.overview import Overview
from compactor_cli.views.survival.result import Survival


def dumps(value: Any) -> str:
    """Return JSON on one line, with lone surrogates, control characters and invisible characters escaped."""
    return visible(json.dumps(value, ensure_ascii=False))


def number(value: float) -> int | float:
    return int(value) if value == int(value) else value


def source_json(source: Source, counter: str) -> dict[str, Any]:
    value = {
        "path": source.path,
        "format": source.format,
        "messages": source.message_count,
        "tokens": source.tokens,
        "counter": counter,
    }
    if len(source.transcripts) > 1:
        value["conversations"] = len(source.transcripts)
    return value


def factors_json(score: Score) -> list[dict[str, Any]]:
    return [{"name": factor.name, "points": number(factor.points)} for factor in score.factors]


def score_json(
    source: Source, counter: str, analyses: Sequence[Analysis], selection: Sequence[tuple[int, int]]
) -> dict[str, Any]:
    messages = []
    for conversation, index in selection:
        analysis = analyses[conversation]
        message, score = analysis.transcript.messages[index], analysis.scores[index]
        value = {
            "index": index,
            "id": message.id,
            "role": message.role,
            "tokens": message.tokens,
            "score": number(score.value),
            "raw_score": number(score.raw),
            "factors": factors_json(score),
            "residual": index in analysis.residuals.kept,
            "demoted": index in analysis.residuals.demoted,
            "tier": analysis.tiers[index],
        }
        if score.category:
            value |= {"category": score.category, "confidence": score.confidence, "should_persist": score.persist}
        messages.append(value if len(analyses) == 1 else {"conversation": conversation, **value})
    return {
        "transcript": source_json(source, counter),
        "messages": messages,
        "residuals": {
            "count": sum(len(a.residuals.kept) for a in analyses),
            "limit": sum(a.residuals.limit for a in analyses),
            "demoted": sum(len(a.residuals.demoted) for a in analyses),
        },
    }


def budget_json(budget: Budget) -> dict[str, Any]:
    fixed = budget.fixed
    return {
        "total": budget.total,
        "safety_margin": budget.safety_margin,
        "allocated": {
            **{name: getattr(fixed, name) for name in ("system_prompt", "agent_identity")},
            "residuals": budget.residuals,
            **{f"tier{tier}": budget.tiers[tier] for tier in range(TIERS)},
            **{name: getattr(fixed, name) for name in ("task_prompt", "actions", "system_llm", "current_message")},
        },
        "remaining": budget.remaining,
        "utilization_percent": budget.utilization_percent,
    }


def compact_json(
    source: Source,
    counter: str,
    output: str,
    data: Content,
    parts: Sequence[Compaction],
    survivals: Sequence[Survival],
    warnings: Sequence[str],
) -> dict[str, Any]:
    """Return the report for one file; for several conversations in it, the sums."""
    before, after = source.tokens, sum(part.tokens for part in parts)
    targets = [part.target for part in parts if part.target is not None]
    target = sum(targets) if targets else None
    changed = [part for part in parts if part.changed]
    first = next((part for part in parts if part.first_changed_index is not None), None)
    value: dict[str, Any] = {
        "input": {**source_json(source, counter), "bytes": len(source.data), "sha256": sha256(source.stored)},
        "output": _output_json(source, counter, output, data, parts),
        "strategy": next((part.plan.strategy for part in changed if part.plan), None),
        "summarizer": next((part.summarizer for part in changed), None),
        "target_tokens": target,
        "fits": all(part.target is None or part.tokens <= part.target for part in parts),
        "ratio": round(after / before, 4) if before else 1.0,
        "round": max((part.round for part in parts), default=0),
        "residuals": {
            "count": sum(len(part.residuals) for part in parts),
            "tokens": sum(part.residual_tokens for part in parts),
        },
        "protected": asdict(protected_in(parts)),
        "tiers": _tiers(parts),
        "spent": [{"name": line.name, "tokens": line.tokens} for line in total_spent(parts)],
        "dispositions": _dispositions(parts),
        "repairs": [note_json(note) for part in parts for note in part.repairs],
        "outside": outside_json(parts),
        "reference": _reference(parts),
        "first_changed_index": first.first_changed_index if first else None,
        "prefix_tokens_kept": _prefix(parts),
        "cache": {"hits": 0, "misses": 0},
        "stages": _stages(parts),
        "survival": survival_json(survivals),
        "warnings": [*dict.fromkeys([*warnings, *(w for part in parts for w in part.warnings)])],
        "notes": [line_json(note) for note in source.notes],
    }
    if any(part.kept or part.dropped for part in parts):
        value["decisions"] = {
            "kept": sum(len(part.kept) for part in parts),
            "dropped": sum(len(group.messages) for part in parts for group in part.dropped),
        }
    if recalled := sum(part.recalled for part in parts):
        value["recalled"] = recalled
    return value


def _output_json(
    source: Source, counter: str, output: str, data: Content, parts: Sequence[Compaction]
) -> dict[str, Any]:
    value = {
        "path": output,
        "format": source.format,
        "messages": sum(len(part.messages) for part in parts),
        "tokens": sum(part.tokens for part in parts),
        "counter": counter,
        "bytes": len(data),
        "sha256": sha256(data),
    }
    return value | {"conversations": len(parts)} if len(parts) > 1 else value


def _stages(parts: Sequence[Compaction]) -> list[dict[str, Any]]:
    stages: dict[str, float] = {}
    for name, seconds in (stage for part in parts for stage in part.stages):
        stages[name] = stages.get(name, 0) + seconds
    return [{"stage": name, "seconds": round(seconds, 6)} for name, seconds in stages.items()]


def _dispositions(parts: Sequence[Compaction]) -> dict[str, int]:
    names = ("kept", "shortened", "summarized", "dropped")
    return {name: sum(getattr(part.dispositions, name) for part in parts) for name in names}


def survival_json(survivals: Sequence[Survival]) -> dict[str, Any]:
    return {s.category: {"kept": s.kept, "total": s.total, "percent": s.percent} for s in survivals}


def lost_json(survivals: Sequence[Survival]) -> list[dict[str, Any]]:
    return [
        {"category": s.category, "index": index if index >= 0 else None, "text": text}
        for s in survivals
        for index, text in s.lost
    ]


def _reference(parts: Sequence[Compaction]) -> str | None:
    """Return the content address of everything that the output does not contain unchanged."""
    removed = any(part.removed for part in parts)
    return reference(part.before.raw(record) for part in parts for record in part.removed) if removed else None


def _tiers(parts: Sequence[Compaction]) -> list[dict[str, int]]:
    out = []
    for tier in range(TIERS):
        lines = [line for part in parts for line in part.tiers if line.tier == tier]
        names = ("messages", "tokens_before", "tokens_after")
        out.append({"tier": tier, **{name: sum(getattr(line, name) for line in lines) for name in names}})
    return out


def _prefix(parts: Sequence[Compaction]) -> int:
    total = 0
    for part in parts:
        total += part.prefix_tokens_kept
        if part.first_changed_index is not None:
            break
    return total


def note_json(note: Note | Fault) -> dict[str, Any]:
    return {"kind": note.kind, "index": note.index, "detail": note.detail}


def line_json(note: Note) -> dict[str, Any]:
    """Return a note about a line of the file; `line` (and the equal `index`) counts from 1."""
    return {"kind": note.kind, "line": note.index, "index": note.index, "detail": note.detail}


def plan_json(parts: Sequence[Compaction]) -> list[dict[str, Any]]:
    return [
        {
            "conversation": conversation,
            "messages": sorted(set(line.messages)),
            "rendition": line.decision.rendition,
            "tokens_before": line.tokens,
            "tokens_after": line.decision.tokens,
            "reason": line.decision.reason,
            "value": line.decision.value,
            "signals": list(line.decision.signals),
        }
        for conversation, part in enumerate(parts)
        for line in plan_lines(part)
    ]


def outside_json(parts: Sequence[Compaction]) -> dict[str, int]:
    """Return the number and bytes of records outside the context that were left out."""
    left_out = [(part, record) for part in parts for record in part.outside]
    return {"records": len(left_out), "bytes": sum(len(part.before.raw(record)) for part, record in left_out)}


def context_json(outlook: Outlook) -> dict[str, Any]:
    """Return how full the context is, and what `compact --if-needed` would do."""
    state, selection = outlook.state, outlook.selection
    return {
        "limit": state.limit,
        "threshold": state.threshold,
        "threshold_from": outlook.threshold_from,
        "never": state.never,
        "tokens": state.tokens,
        "percent_used": state.percent_used,
        "percent_of_threshold": outlook.percent_of_threshold,
        "warning": state.warning,
        "warning_from": outlook.warning_from,
        "needs_compaction": state.needs_compaction,
        "if_needed": "compact" if outlook.compacts else "leave",
        "reason": outlook.reason,
        "strategy": outlook.strategy,
        "messages_to_compact": len(selection.compact),
        "messages_to_keep": len(selection.keep),
        "previous_summary": selection.previous_summary,
        "recorded": None if outlook.recorded is None else recorded_json(outlook.recorded),
    }


def recorded_json(recorded: RecordedContext) -> dict[str, Any]:
    """Return the provider's count, and our count of the same messages."""
    return {
        "tokens": recorded.tokens,
        "message": recorded.message,
        "own": recorded.own_tokens,
        "after": recorded.tokens_after,
        "difference": round(recorded.difference, 4),
    }


def inspect_json(
    source: Source, counter: str, outlook: Outlook, analyses: Sequence[Analysis], views: Sequence[Overview]
) -> dict[str, Any]:
    def shares(kind: str) -> dict[str, dict[str, int]]:
        total: dict[str, dict[str, int]] = {}
        for view in views:
            for share in getattr(view, kind):
                entry = total.setdefault(share.name, {"messages": 0, "tokens": 0})
                entry["messages"] += share.count
                entry["tokens"] += share.tokens
                if kind == "tools":
                    entry["failed"] = entry.get("failed", 0) + share.failed
        return total

    residual = [(a, i) for a in analyses for i in a.residuals.kept]
    return {
        "transcript": source_json(source, counter),
        "context": context_json(outlook),
        "roles": shares("roles"),
        "tools": shares("tools"),
        "tiers": [{"tier": t, **shares("tiers")[f"tier {t}"]} for t in range(TIERS)],
        "residuals": {
            "count": len(residual),
            "tokens": sum(a.transcript.messages[i].tokens for a, i in residual),
            "limit": sum(a.residuals.limit for a in analyses),
            "demoted": sum(len(a.residuals.demoted) for a in analyses),
        },
        "rounds": [asdict(earlier) for view in views for earlier in view.rounds],
        "heaviest": [
            {"index": m.index, "id": m.id, "role": m.role, "tokens": m.tokens} for view in views for m in view.heaviest
        ],
        "faults": [note_json(fault) for a in analyses for fault in a.faults],
        "notes": [line_json(note) for note in source.notes],
    }


def diff_json(
    before: Source, after: Source, counter: str, fate: Fate, survivals: Sequence[Survival], faults: Sequence[Fault]
) -> dict[str, Any]:
    saved = before.tokens - after.tokens
    return {
        "before": source_json(before, counter),
        "after": source_json(after, counter),
        "tokens": {
            "before": before.tokens,
            "after": after.tokens,
            "saved": saved,
            "saved_percent": round(100 * saved / before.tokens, 1) if before.tokens else 0.0,
        },
        "messages": {
            "kept": len(fate.kept),
            "shortened": len(fate.shortened),
            "summarized": len(fate.summarized),
            "dropped": len(fate.dropped),
            "added": fate.added,
        },
        "survival": survival_json(survivals),
        "faults": [note_json(fault) for fault in faults],
        "lost": lost_json(survivals),
    }
