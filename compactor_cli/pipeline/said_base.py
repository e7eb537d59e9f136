"""The mark at the beginning of a message that says what all rounds took away, where no summary says what the transcript
was compacted from: the next round with a ratio would take its input for the whole."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from compactor_cli.errors import BudgetError
from compactor_cli.model.injected import origin_of
from compactor_cli.model.message import Message, by_index
from compactor_cli.model.plan import Decision, Edit, Plan
from compactor_cli.model.report import Analysis
from compactor_cli.pipeline.make_output import Made, assemble_run, plan_run, summarize
from compactor_cli.pipeline.one_compaction import OneCompaction, stated_base
from compactor_cli.summary_text.excerpts import GAP
from compactor_cli.summary_text.headers import left_out_mark
from compactor_cli.text.shorten import is_shortened

_LEAST = 60
"""Tokens of a target below which what is said comes before where it is from."""
_MARK = 6
"""Tokens that a mark takes, but for large transcripts."""


def saying_base(run: OneCompaction, analysis: Analysis, made: Made) -> Made:
    """Return an output that says what it was compacted from, where the next round has to know: as it is where a summary
    does, else with a mark at the beginning of a message. Where there is no room for one, the output is made anew with
    as much less."""
    if run.target is None or run.target < _LEAST or not _is_needed(run, made) or _says_base(run, made):
        return made
    marked, lacks = _marked(run, analysis, made)
    for less in dict.fromkeys((lacks, _MARK)) if marked is None and not run.settings.asks else ():
        smaller = replace(run, target=run.target - less)
        try:
            planned = plan_run(smaller, analysis)
            planned = planned._replace(between=planned.between + less)  # a summary names the whole target
            again = assemble_run(run, analysis, *summarize(smaller, analysis, planned), planned.recall)
        except BudgetError:
            break
        marked = again if _says_base(run, again) else _marked(run, analysis, again)[0]
        if marked is not None:
            break
    return marked or made


def _is_needed(run: OneCompaction, made: Made) -> bool:
    """Return whether the next round has to know: a ratio refers to it, and so does the room that is made for the
    session beside a system prompt, which is cut again."""
    return run.settings.target_ratio is not None or any(map(_is_cut_prompt, made.output.messages))


def _is_cut_prompt(message: Message) -> bool:
    return message.is_system_prompt and any(part.edited or is_shortened(part.text) for part in message.parts)


def _says_base(run: OneCompaction, made: Made) -> bool:
    if run.base.tokens <= run.transcript.tokens <= (run.target or 0):
        return True  # nothing had to be compacted
    tokens = _tokens(made)
    said = stated_base(made.output.messages, tokens)
    return tokens >= run.base.tokens or (said is not None and said.tokens >= run.base.tokens)


def _tokens(made: Made) -> int:
    return sum(message.tokens for message in made.output.messages)


def _marked(run: OneCompaction, analysis: Analysis, made: Made) -> tuple[Made | None, int]:
    """Return the output with a mark at the beginning of a message; None where none has room for one, and the tokens
    that it lacks."""
    used = _tokens(made)
    room, lacks = (run.target or 0) - used, _MARK
    for message in _by_rank(analysis, made):
        part = message.parts[0]
        # the mark is a part of what is left
        more = run.tools.counter.count(left_out_mark(run.base.tokens - used, part.text)) - part.tokens
        text = left_out_mark(run.base.tokens - used - more, part.text)
        tokens = run.tools.counter.count(text)
        if origin_of(text) != origin_of(part.text):
            continue
        if tokens - part.tokens > room:
            lacks = min(lacks, tokens - part.tokens - room)
            continue
        plan = _with_edit(analysis, made.plan, Edit(message.index, 0, text, tokens))
        again = assemble_run(run, analysis, plan, made.summaries, made.recall)
        if _says_base(run, again):
            return again, 0
    return None, lacks


def _by_rank(analysis: Analysis, made: Made) -> Iterator[Message]:
    """Yield the messages that can begin with a mark: first those with a gap there, then others that were cut, then
    those behind what is gone, and a system prompt that was cut where there is nothing else."""
    of_input = by_index(analysis.transcript.messages)
    texts = [
        message
        for message in made.output.messages
        if message.index >= 0
        and (message.role in ("user", "assistant") or _is_cut_prompt(message))
        and message.origin in ("request", "other")
        and message.index not in analysis.kept
        and (part := message.parts[0]).kind == "text"
        and part.place is not None
        and not of_input[message.index].parts[0].edited
        and any(map(str.isalnum, part.text))
    ]
    prompts = [message for message in texts if message.is_system_prompt]
    texts = [message for message in texts if not message.is_system_prompt]
    cut = [message for message in texts if message.parts[0].edited]
    begun = [message for message in cut if message.parts[0].text.lstrip().startswith(GAP)]
    lost = (decision.group for decision in made.plan.decisions if decision.rendition != "whole")
    first = min(analysis.groups[next(lost, 0)].messages)
    behind = [message for message in texts if message.index >= first]
    yield from {message.index: message for message in (*begun, *cut, *behind, *reversed(texts), *prompts)}.values()


def _with_edit(analysis: Analysis, plan: Plan, edit: Edit) -> Plan:
    """Return the plan with one more text replaced, or another text in its place."""

    def edited(decision: Decision) -> Decision:
        if edit.message not in analysis.groups[decision.group].messages:
            return decision
        old = {(other.message, other.part): other.tokens for other in decision.edits}
        spot = edit.message, edit.part
        before = old.get(spot, analysis.transcript.messages[edit.message].parts[edit.part].tokens)
        others = [other for other in decision.edits if (other.message, other.part) != spot]
        edits = tuple(sorted([*others, edit]))
        return decision._replace(edits=edits, tokens=decision.tokens - before + edit.tokens)

    return replace(plan, decisions=tuple(map(edited, plan.decisions)))
