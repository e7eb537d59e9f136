"""Summaries by a language model, with the offline summarizer as fallback.

All pieces of all summaries are requested at the same time. A rejected answer is requested once more with the reason;
after that, the offline summarizer takes over for that piece. Files, errors, commands, repeated requests and quoted
lines are computed as usual and placed around the model's text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from compactor_cli.asking.port import LanguageModel, Turn
from compactor_cli.model.message import Message
from compactor_cli.model.plan import SummarySlot
from compactor_cli.model.planning import Draft, SummaryRequest, tokens_to_request
from compactor_cli.settings import Settings
from compactor_cli.summaries.acceptance import Grounding, JudgedAnswer, SummaryRules, judge_answer
from compactor_cli.summaries.extractive import Extractive
from compactor_cli.summaries.layout import render
from compactor_cli.summaries.offline import fit_quoted_lines, make_page
from compactor_cli.summaries.outline import model_outline, outline_of
from compactor_cli.summaries.prompting import PromptPiece, RequestStretch, group_merges, model_request, split_stretches
from compactor_cli.summary_text.headers import format_ranges
from compactor_cli.summary_text.verbatim import QUOTED, quoted_span

_MIN_TOKENS, _HEADING_TOKENS = 40, 10
"""Tokens below which the model is not asked, and additional tokens for each heading."""
_MIN_PART_TOKENS = 60

Count = Callable[[str], int]


class _Job(Struct):
    """A piece in progress: the summary it belongs to, and the answers so far."""

    slot: int
    part: int | None
    piece: PromptPiece
    stretches: list[RequestStretch]
    source: Grounding
    texts: list[JudgedAnswer] = field(default_factory=list)
    failure: str = ""
    was_asked: bool = True

    @property
    def is_open(self) -> bool:
        """Return whether the job needs further requests."""
        return not self.failure and len(self.texts) != 1


class _Step(Struct, frozen=True):
    """One request of a job."""

    job: _Job
    piece: PromptPiece
    turns: tuple[Turn, ...]
    stretch: RequestStretch | None
    """The stretch to summarize if there are several; None for a job's only request, and for merges."""
    merging: bool = False


class Llm:
    name = "llm"

    def __init__(self, model: LanguageModel, settings: Settings) -> None:
        self._model = model
        self._system = settings.summarization.prompt
        self._max_tokens = settings.llm.summary_tokens
        self._offline = Extractive()

    def prepare(self, requests: Sequence[SummaryRequest], count: Count) -> tuple[SummaryRequest, ...]:
        jobs = [job for slot, request in enumerate(requests) for job in self._jobs(slot, request, count)]
        while pending := [job for job in jobs if job.is_open]:
            self._ask(pending, count)
        for job in jobs:
            if job.failure:
                self._model.give_up(job.piece.what, job.failure, failed=job.was_asked)
        return tuple(self._with_draft(slot, request, jobs) for slot, request in enumerate(requests))

    def summarize(self, request: SummaryRequest, count: Count) -> str:
        text = self._offline.summarize(request, count)
        if text or request.draft is None or request.shorter_header:
            return text
        self._model.give_up(_describe_summary(request), "with what is computed it does not fit", failed=False)
        return self._offline.summarize(replace(request, draft=None), count)

    # -- what to ask

    def _jobs(self, slot: int, request: SummaryRequest, count: Count) -> list[_Job]:
        if request.slot.excerpts is not None:  # the strategy chose every line
            return []
        pieces_of = self._part_pieces if request.parts else self._whole_piece
        jobs = []
        for part, piece in pieces_of(request, count):
            source = Grounding(piece.messages, piece.earlier)
            job = _Job(slot, part, piece, [], source)
            min_tokens = _MIN_TOKENS + _HEADING_TOKENS * len(piece.titles)
            if piece.target_tokens < min_tokens:
                job.failure = f"there is room for {max(0, piece.target_tokens)} tokens of it, and it needs {min_tokens}"
            else:
                job.stretches = split_stretches(piece, self._model.context_limit, self._system)
                if not job.stretches:
                    job.failure = f"its request does not fit the context of {self._model.context_limit:,} tokens"
            job.was_asked = bool(job.stretches)
            jobs.append(job)
        return jobs

    def _whole_piece(self, request: SummaryRequest, count: Count) -> Iterator[tuple[None, PromptPiece]]:
        """Yield one piece for the whole summary, if there is anything new to summarize."""
        new_messages, earlier = _split_earlier(request.messages)
        if not new_messages:
            return
        outline = model_outline(outline_of(request.slot.outline, request.slot.tier))
        repeated_kinds = {quote.kind for quote in request.slot.quotes}
        headings = [h for h in outline.headings if not h.sections]
        titles = tuple(
            h.title for h in headings if not (h.title == "Original Task" and repeated_kinds & {"first", "only"})
        )
        kind = {"tiers": f"tier{request.slot.tier or 1}", "summary": "session"}.get(
            request.slot.outline, request.slot.outline
        )
        piece = PromptPiece(
            what=_describe_summary(request),
            kind=kind,
            titles=titles,
            messages=new_messages,
            earlier=earlier,
            target_tokens=min(self._max_tokens, self._text_budget(request, count)),
            replaced_tokens=sum(m.tokens for m in request.messages),
            optional=frozenset(h.title for h in headings if kind == "session" and not h.always),
            task=request.task if kind == "session" else "",
        )
        yield None, piece

    def _part_pieces(self, request: SummaryRequest, count: Count) -> Iterator[tuple[int, PromptPiece]]:
        """Yield a piece for each part with enough new tokens to summarize."""
        room = self._text_budget(request, count)
        total_weight = sum(part.weight for part, _ in request.parts) or 1.0
        earlier = _split_earlier(request.messages)[1]
        for index, (part, messages) in enumerate(request.parts):
            new_messages = _split_earlier(messages)[0]
            tokens = sum(m.tokens for m in new_messages)
            if not part.weight or tokens < _MIN_PART_TOKENS:
                continue
            piece = PromptPiece(
                what=f"{part.title.partition(' (')[0]}, {_describe_summary(request)}",
                kind="topic" if request.slot.outline == "topics" else "batch",
                titles=(),
                messages=new_messages,
                earlier=earlier,
                target_tokens=min(self._max_tokens, int(room * part.weight / total_weight)),
                replaced_tokens=tokens,
                replaces_earlier=False,
                batches=part.batches,
            )
            yield index, piece

    def _text_budget(self, request: SummaryRequest, count: Count) -> int:
        """Return the tokens for the model's text: a share of what heading, requests and quoted lines leave."""
        page = make_page(replace(request, draft=Draft(self._model.name)))
        page = replace(page, lines=fit_quoted_lines(page, request, count))
        return tokens_to_request(request.budget - count(render(page, ())))

    # -- asking

    def _ask(self, jobs: Sequence[_Job], count: Count) -> None:
        """Take one step with each job. Rejected answers are requested once more."""
        steps = [step for job in jobs for step in self._steps(job)]
        answers = self._ask_and_judge(steps, [""] * len(steps), count)
        retried = [i for i, answer in enumerate(answers) if answer.reason and not answer.failed]
        again = self._ask_and_judge([steps[i] for i in retried], [answers[i].reason for i in retried], count)
        for i, answer in zip(retried, again, strict=True):
            answers[i] = answer
        for job in jobs:
            pairs = [(step, answer) for step, answer in zip(steps, answers, strict=True) if step.job is job]
            rejected = [answer for _, answer in pairs if answer.reason]
            if len(rejected) == len(pairs) or any(step.stretch is None for step, answer in pairs if answer.reason):
                job.failure = f"{rejected[0].reason}{'' if rejected[0].failed else ' (asked twice)'}"
                continue
            job.texts = [
                answer if not answer.reason else self._summarize_offline(step, answer, count) for step, answer in pairs
            ]

    def _steps(self, job: _Job) -> list[_Step]:
        if not job.texts:
            several = len(job.stretches) > 1
            piece = replace(job.piece, replaces_earlier=False) if several else job.piece
            return [_Step(job, piece, stretch.turns, stretch if several else None) for stretch in job.stretches]
        texts = [answer.text for answer in job.texts]
        turns = group_merges(job.piece, texts, self._model.context_limit, self._system)
        return [_Step(job, job.piece, stretch, None, merging=True) for stretch in turns]

    def _summarize_offline(self, step: _Step, answer: JudgedAnswer, count: Count) -> JudgedAnswer:
        """Return the offline summary of a stretch that the model failed to summarize, as input for the merge."""
        messages = step.stretch.messages if step.stretch else ()
        ranges = format_ranges(message.number for message in messages)
        self._model.give_up(f"messages {ranges} in the {step.piece.what}", answer.reason)
        slot = SummarySlot(3, (), step.piece.limit, outline="summary")
        request = SummaryRequest(slot, "", messages, frozenset(), slot.budget)
        return JudgedAnswer((("", self._offline.summarize(request, count).strip()),))

    def _ask_and_judge(self, steps: Sequence[_Step], reasons: Sequence[str], count: Count) -> list[JudgedAnswer]:
        if not steps:
            return []
        requests = [
            model_request(step.piece, step.turns, self._system, merging=step.merging, rejected=reason)
            for step, reason in zip(steps, reasons, strict=True)
        ]
        verdicts = []
        for step, answer in zip(steps, self._model.ask(requests), strict=True):
            piece = step.piece
            if answer.failure:
                verdicts.append(JudgedAnswer(reason=answer.failure, failed=True))
                continue
            rules = SummaryRules(piece.titles, piece.optional, piece.limit, piece.replaced_tokens, step.job.source)
            verdicts.append(judge_answer(answer, rules, count))
        return verdicts

    def _with_draft(self, slot: int, request: SummaryRequest, jobs: Sequence[_Job]) -> SummaryRequest:
        finished = [job for job in jobs if job.slot == slot and not job.failure]
        if not finished:
            return request
        if not request.parts:
            return replace(request, draft=Draft(self._model.name, sections=finished[0].texts[0].sections))
        bodies = {job.part: job.texts[0].text for job in finished}
        return replace(
            request, draft=Draft(self._model.name, parts=tuple(bodies.get(i, "") for i in range(len(request.parts))))
        )


def _split_earlier(messages: Sequence[Message]) -> tuple[list[Message], tuple[str, ...]]:
    """Return the messages that are not summarized yet, and the earlier summaries without the lines they quote."""
    new_messages = [m for m in messages if m.origin != "summary"]
    return new_messages, tuple(_without_quotes(m.text("text")) for m in messages if m.origin == "summary")


def _without_quotes(text: str) -> str:
    start, end = quoted_span(text)
    return text[:start].removesuffix(QUOTED) + text[end:]


def _describe_summary(request: SummaryRequest) -> str:
    tier = f" of tier {request.slot.tier}" if request.slot.outline == "tiers" else ""
    return f"summary{tier} of messages {format_ranges(m.number for m in request.messages)}"
