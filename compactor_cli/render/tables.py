"""Render values as rich tables, computing nothing but shares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from compactor_cli.model.budget import Budget
from compactor_cli.model.group import Fault
from compactor_cli.model.message import Message
from compactor_cli.model.outcome import Sizes
from compactor_cli.model.plan import Decision
from compactor_cli.model.planning import NEWEST_EXCHANGE
from compactor_cli.model.report import Analysis, Compaction, plan_lines, protected_in, total_spent
from compactor_cli.model.score import Score
from compactor_cli.model.transcript import Note, Source
from compactor_cli.render.console import FileHeading, bar, count_phrase, make_table, percent, snippet
from compactor_cli.strategies import strategy
from compactor_cli.text.clean import plain

if TYPE_CHECKING:
    from compactor_cli.doctor.base import Finding
    from compactor_cli.pipeline.recorded_context import RecordedContext
    from compactor_cli.settings import Settings
    from compactor_cli.views.compare import Fate
    from compactor_cli.views.forecast import Outlook
    from compactor_cli.views.overview import Overview, Share
    from compactor_cli.views.survival.result import Survival

_MIN_WIDE_WIDTH = 110
"""From this console width on, factors have their own column."""
_SCORE_COLUMNS = 46
_FACTORS_WIDTH = 34

_NAMES, _NAMES_BELOW = 30, 22
"""Widths for the names behind a value: in their own column, and below the reason."""

_STYLES = {"whole": "green", "shortened": "cyan", "summarized": "magenta", "gone": "red"}
_FATE_STYLES = {"kept": "green", "shortened": "cyan", "summarized": "magenta", "dropped": "red", "added": "bold"}


def print_heading(console: Console, source: Source, counter: str) -> None:
    """Print the file and its contents, on two lines if one is too narrow. A path is never broken."""
    name = FileHeading(source.path or "-", style="bold")
    facts = f"{source.format} · {source.message_count:,} messages · {source.tokens:,} tokens ({counter})"
    fits_line = name.cell_len + 2 + len(facts) <= console.width
    console.print(name, Text(facts), sep="  " if fits_line else "\n", soft_wrap=True)


def brief_text(message: Message, width: int) -> Text:
    """Return what a message says on one line: its text, or else its calls, or else its result."""
    for part in message.parts:
        if part.kind == "text" and part.text.strip():
            return snippet(part.text, width)
    calls = [f"{part.name} {part.text}" for part in message.calls]
    if calls:
        return snippet("→ " + "; ".join(calls), width)
    return snippet(message.text() or "(" + ", ".join(p.kind for p in message.parts) + ")", width)


def factors_of(score: Score) -> str:
    return ", ".join(f"{f.name} +{f.points:g}" for f in score.factors) or "no factors"


def score_table(console: Console, analysis: Analysis, selection: Sequence[int]) -> Table:
    """Return a table with one line per message; on a narrow console the factors are below the text."""
    title = "Scores (★ residual: strategy tiered keeps it whole, ☆ demoted: over the limit)"
    table = make_table(console, title, ">#!", "role!", ">tokens!", ">score!", "!", ">tier!")
    wide = console.width >= _MIN_WIDE_WIDTH
    if wide:
        table.add_column("factors", width=_FACTORS_WIDTH)
    table.add_column("message")
    width = console.width - _SCORE_COLUMNS - (_FACTORS_WIDTH + 3 if wide else 0)
    for index in selection:
        message, score = analysis.transcript.messages[index], analysis.scores[index]
        is_residual, demoted = index in analysis.residuals.kept, index in analysis.residuals.demoted
        tier = analysis.tiers[index]
        value = f"{score.value:g}" if score.raw == score.value else f"{score.value:g} ({score.raw:g})"
        factors = Text(factors_of(score), style="dim")
        text = brief_text(message, width)
        table.add_row(
            str(index),
            message.role,
            f"{message.tokens:,}",
            Text(value, style="bold green" if is_residual else ""),
            Text("★" if is_residual else "☆" if demoted else "", style="green" if is_residual else "dim"),
            "-" if tier is None else str(tier),
            *((factors, text) if wide else (Text("\n").join((text, factors)),)),
        )
    return table


def scope_lines(settings: Settings) -> Iterable[Text]:
    """Yield notes on the strategy that residuals and tiers belong to, and on those that `compact` uses."""
    aimed, plain = (strategy(settings.strategy_for(aims=aims)) for aims in (True, False))
    words = "Residuals (messages kept whole) and tiers (classes of age) are those of strategy"
    if plain.tiers:
        used = "" if plain.name == aimed.name else " without a target"
        yield Text(f"{words} {plain.name}, which compact uses{used}.")
    else:
        yield Text(f"{words} tiered, which the settings do not use.")
    if not aimed.tiers:
        used = "It uses" if plain.name == aimed.name else "With a target it uses"
        yield Text(f"{used} {aimed.name}, which needs neither. What it does: {aimed.purpose}.")


def tier_table(console: Console, parts: Sequence[Compaction]) -> Table:
    table = make_table(console, "Tiers of strategy tiered", "tier", ">messages", ">before", ">after", ">kept", "!")
    tokens = sum(part.residual_tokens for part in parts)
    count = sum(len(part.residuals) for part in parts)
    table.add_row(Text("★ kept whole (residuals)", style="green"), f"{count:,}", "", f"{tokens:,}", "", "")
    aside = protected_in(parts)
    before, after = aside.tokens_before, aside.tokens_after
    kept_percent = percent(after, before) if before else ""
    table.add_row("protected", f"{aside.messages:,}", f"{before:,}", f"{after:,}", kept_percent, "")
    ages = ("newest", "recent", "older", "oldest")
    for tier, age in enumerate(ages):
        lines = [line for part in parts for line in part.tiers if line.tier == tier]
        before, after = sum(x.tokens_before for x in lines), sum(x.tokens_after for x in lines)
        share = after / before if before else 0
        messages = sum(line.messages for line in lines)
        sizes = (f"{count:,}" for count in (messages, before, after))
        table.add_row(f"tier {tier}, {age}", *sizes, percent(after, before), bar(console, share))
    return table


def spending_table(console: Console, parts: Sequence[Compaction], strategy: str) -> Table:
    """Return a table of what a strategy without tiers spent; an output that was only repaired has no strategy."""
    title = "Where the tokens went" + (f" (strategy {strategy})" if strategy else "")
    table = make_table(console, title, "", ">tokens", ">share", "!")
    after = sum(part.tokens for part in parts)
    for line in total_spent(parts):
        table.add_row(line.name, *_share_cells(console, line.tokens, after))
    return table


def _share_cells(console: Console, tokens: int, total: int) -> tuple[str, str, Text]:
    return f"{tokens:,}", percent(tokens, total), bar(console, tokens / total if total else 0)


def savings_table(console: Console, before: Sizes, after: Sizes, title: str = "Token savings") -> Table:
    """Return a table of sizes before and after, for one file or summed over several."""
    table = make_table(console, title, "", ">before", ">after", ">saved", "!")
    for name in ("tokens", "messages", "bytes"):
        was, now = getattr(before, name), getattr(after, name)
        savings_bar = bar(console, 1 - now / was if was else 0) if name == "tokens" else ""
        table.add_row(name, f"{was:,}", f"{now:,}", percent(was - now, was), savings_bar)
    return table


def disposition_line(parts: Sequence[Compaction]) -> Text:
    names = ("kept", "shortened", "summarized", "dropped")
    text = _counted_fates({name: sum(getattr(part.dispositions, name) for part in parts) for name in names})
    left_out = [len(part.before.raw(record)) for part in parts for record in part.outside]
    if left_out:
        text += Text(f"{count_phrase(len(left_out), 'record')} outside the context removed ({sum(left_out):,} bytes)")
    return text


def decided_line(parts: Sequence[Compaction]) -> Text:
    kept_count = sum(len(part.kept) for part in parts)
    dropped = sum(len(group.messages) for part in parts for group in part.dropped)
    return Text(f"by decisions: {kept_count} kept word for word, {dropped} dropped", style="dim")


def plan_table(console: Console, part: Compaction) -> Table:
    """Return a table with a line per group; on a narrow console, names are below the reason."""
    lines, strategy = plan_lines(part), part.plan.strategy if part.plan else ""
    valued, wide = any(line.decision.signals for line in lines), console.width >= _MIN_WIDE_WIDTH
    note = " (“for”: the names for which lines are kept)" if valued and not wide else ""
    table = make_table(console, f"Plan of strategy {strategy}{note}", "messages!", "rendition!", ">tokens!")
    table.add_column("why", no_wrap=wide)
    if valued and wide:
        table.add_column("names for which lines are kept", width=_NAMES, no_wrap=True)
    table.add_column("message", no_wrap=True)
    width = console.width - (62 if not wide else 78 + _NAMES if valued else 76)
    for messages, opening, tokens, decision in lines:
        first, last = messages[0], messages[-1]
        names, why = _names(decision, _NAMES if wide else _NAMES_BELOW), Text(decision.reason)
        if names and not wide:
            why += Text("\nfor ", style="dim") + names
        table.add_row(
            f"{first}" if first == last else f"{first}-{last}",
            Text(decision.rendition, style=_STYLES[decision.rendition]),
            f"{tokens:,} → {decision.tokens:,}" if decision.tokens != tokens else f"{tokens:,}",
            why,
            *((names,) if valued and wide else ()),
            brief_text(opening, width),
        )
    return table


def _names(decision: Decision, width: int) -> Text:
    """Return the names that contributed most to the value; empty for groups kept only because they are new."""
    if decision.rendition == "whole" and decision.reason == NEWEST_EXCHANGE:
        return Text("")
    names = (signal.rpartition(" (")[0] for signal in decision.signals)  # the parentheses after a name hold its signals
    return snippet(", ".join(names), width)


def budget_table(console: Console, budget: Budget) -> Table:
    title = f"Budget of {budget.total:,} tokens, as strategy tiered splits it"
    table = make_table(console, title, "part", ">tokens", ">share", "!")
    fixed = budget.fixed
    rows = [
        ("system prompt", fixed.system_prompt),
        ("agent identity", fixed.agent_identity),
        ("task prompt", fixed.task_prompt),
        ("actions", fixed.actions),
        ("system insight", fixed.system_llm),
        ("current message", fixed.current_message),
        ("kept whole (residuals)", budget.residuals),
        *((f"tier {tier}", tokens) for tier, tokens in enumerate(budget.tiers)),
    ]
    for name, tokens in rows:
        table.add_row(name, *_share_cells(console, tokens, budget.total))
    table.add_section()
    table.add_row("remaining", f"{budget.remaining:,}", percent(budget.remaining, budget.total), "")
    table.add_row("utilization", f"{budget.used:,}", f"{budget.utilization_percent:.1f}%", "")
    return table


def context_lines(console: Console, view: Outlook) -> Iterable[Text]:
    """Yield lines on how full the context is, the threshold, and what `compact --if-needed` would do."""
    state = view.state
    text = Text(f"context {state.tokens:,} of {state.limit:,} tokens ({state.percent_used:.1f}%)  ")
    text += bar(console, min(1.0, state.tokens / state.limit) if state.limit else 0)
    if state.needs_compaction:
        yield text + Text("  needs compaction", style="bold red")
    elif state.warning:
        yield text + Text("  near the threshold", style="bold magenta")
    else:
        yield text + Text("  fits", style="green")
    if view.percent_of_threshold is None:
        yield Text(f"The threshold is 0{', which is never' if state.never else ''}: {view.threshold_from}.")
    else:
        yield Text(
            f"The threshold is {state.threshold:,} tokens, {view.threshold_from}: {view.percent_of_threshold:.1f}% of "
            f"it is used, with a warning from {view.warning_from:,} on."
        )
    if view.recorded is not None:
        yield recorded_line(view.recorded)
    action = f"compact it with strategy {view.strategy}" if view.compacts else "leave it unchanged"
    yield Text(f"compact --if-needed would {action}: {view.reason}")
    yield selection_line(view)


def recorded_line(recorded: RecordedContext) -> Text:
    text = f"the provider counted {recorded.tokens:,} tokens at message {recorded.message}; the file up to there "
    text += f"has {recorded.own_tokens:,} by compactor's count"
    if recorded.differs and recorded.difference < 0:
        text += f", {-recorded.difference:.0%} less: the file does not contain the system prompt and the tools"
    elif recorded.differs:
        text += f", {recorded.difference:.0%} more"
    return Text(text)


def selection_line(view: Outlook) -> Text:
    """Return a line about the messages to compact, apart from the recent ones (seed 001)."""
    selection, messages = view.selection, view.transcript.messages
    if not selection.compact:
        return Text("nothing older than the recent messages", style="dim")
    tokens = sum(messages[i].tokens for i in selection.compact)
    first, last = selection.compact[0], selection.compact[-1]
    return Text(
        f"to compact: messages {first}-{last} ({tokens:,} tokens); the other {len(selection.keep):,} count as recent",
        style="dim",
    )


def overview_tables(console: Console, view: Overview, total: int) -> Iterable[Table]:
    yield _share_table(console, "Roles", "role", view.roles, total)
    yield _share_table(console, "Tiers of age", "tier", view.tiers, total)
    if view.tools:
        tools = make_table(console, "Tools", "tool", ">calls", ">failed", ">tokens", ">share")
        for share in view.tools[:12]:
            row = (f"{share.count:,}", f"{share.failed:,}", f"{share.tokens:,}", percent(share.tokens, total))
            tools.add_row(snippet(share.name, 40), *row)
        yield tools
    heaviest = make_table(console, "Heaviest messages", ">#", "role", ">tokens", ">share", "message!")
    for message in view.heaviest:
        row = (str(message.index), message.role, f"{message.tokens:,}", percent(message.tokens, total))
        heaviest.add_row(*row, brief_text(message, console.width - 36))
    yield heaviest
    if view.rounds:
        rounds = make_table(console, "Earlier rounds", ">round", ">message", ">replaces", ">tokens")
        for earlier in view.rounds:
            rounds.add_row(str(earlier.round), str(earlier.index), f"{earlier.covers:,}", f"{earlier.tokens:,}")
        yield rounds


def _share_table(console: Console, title: str, label: str, shares: Sequence[Share], total: int) -> Table:
    table = make_table(console, title, label, ">messages", ">tokens", ">share", "!")
    for share in shares:
        table.add_row(share.name, f"{share.count:,}", *_share_cells(console, share.tokens, total))
    return table


def fault_table(
    console: Console, faults: Sequence[Fault], notes: Sequence[Note], findings: Sequence[Finding] = ()
) -> Table:
    table = make_table(console, "Faults", "where!", "kind!")
    table.add_column("what", ratio=1, overflow="fold")
    for note in notes:
        table.add_row(f"line {note.index}", note.kind, plain(note.detail))
    for finding in findings:
        table.add_row(f"line {finding.line}", finding.kind, plain(finding.detail))
    for fault in faults:
        table.add_row(f"message {fault.index}", fault.kind, plain(fault.detail))
    return table


def survival_table(console: Console, survivals: Sequence[Survival]) -> Table:
    table = make_table(console, "Survival by category", "category", ">kept", ">of", ">", "!")
    for line in survivals:
        if not line.total:
            table.add_row(line.category.replace("_", " "), "none")
            continue
        share = 1.0 if line.kept == line.total else min(0.95, line.kept / line.total)  # full only if nothing is lost
        row = (line.category.replace("_", " "), f"{line.kept:,}", f"{line.total:,}", f"{line.percent:.1f}%")
        table.add_row(*row, bar(console, share))
    return table


def fate_line(fate: Fate) -> Text:
    counts = {name: len(getattr(fate, name)) for name in ("kept", "shortened", "summarized", "dropped")}
    return _counted_fates({**counts, "added": fate.added})


def _counted_fates(counts: Mapping[str, int]) -> Text:
    text = Text()
    for name, count in counts.items():
        text += Text(f"{count:,} {name}  ", style=_FATE_STYLES[name])
    return text


def lost_table(console: Console, survivals: Sequence[Survival], max_rows: int) -> Table | None:
    rows = [(s.category, index, text) for s in survivals if s.category != "identifiers" for index, text in s.lost]
    if not rows:
        return None
    names = sum(len(s.lost) for s in survivals if s.category == "identifiers")
    identifier_note = f", and {names:,} identifiers" if names else ""
    title = f"Lost ({min(max_rows, len(rows)):,} of {len(rows):,}{identifier_note}; all in --json)"
    table = make_table(console, title, ">#", "category!", "text!")
    for category, index, text in rows[:max_rows]:
        table.add_row(str(index), category.replace("_", " "), snippet(text, console.width - 24))
    return table


def finding_json(finding: Finding) -> dict[str, Any]:
    return {"kind": finding.kind, "line": finding.line, "detail": finding.detail, "remedy": finding.remedy or None}


def findings_table(console: Console, findings: Sequence[Finding], *, fixed: bool) -> Table:
    table = make_table(console, "Findings", ">line!", "kind!")
    table.add_column("what", ratio=3, overflow="fold")
    table.add_column("done about it" if fixed else "what --fix does", ratio=2, overflow="fold")
    for finding in findings:
        line = str(finding.line) if finding.line else ""
        table.add_row(line, finding.kind, plain(finding.detail), finding.remedy or "nothing: fix by hand")
    return table
