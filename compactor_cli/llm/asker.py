"""Asks a language model within limits: cached answers are not requested again, and no run exceeds its cost limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from threading import Lock

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.asking.port import ModelAnswer, ModelRequest
from compactor_cli.errors import ModelError, UsageError
from compactor_cli.llm.cache import AnswerCache, cache_file, request_key
from compactor_cli.llm.deadline import run_concurrently
from compactor_cli.llm.litellm_client import LitellmClient
from compactor_cli.llm.prices import CostEstimate, context_limit_of, estimate_cost, price_of
from compactor_cli.model.report import Fallback, Usage
from compactor_cli.settings import LlmSettings
from compactor_cli.text.quantities import dollars

Send = Callable[[ModelRequest], ModelAnswer]
Count = Callable[[str], int]
Say = Callable[[str], None]

_MAX_FAILURES = 3
"""Consecutive failed requests, each after its own retries, after which nothing more is sent."""
NOT_ASKED = "not asked: --dry-run"


class _Planned(Struct, frozen=True):
    """A request that is not in the cache, and the positions of the answers that it supplies."""

    key: str
    request: ModelRequest
    estimate: CostEstimate
    places: tuple[int, ...]


class Asker:
    """A `LanguageModel` that asks through `send`. It belongs to one run and records what that run used."""

    dry = False

    def __init__(
        self,
        name: str,
        settings: LlmSettings,
        *,
        count: Count,
        say: Say,
        send: Send,
        cache: AnswerCache | None = None,
        problem: Callable[[], str] = lambda: "",
    ) -> None:
        """`problem` returns why nothing can be sent at all; it is called before anything is announced."""
        self.name = name
        self.context_limit = context_limit_of(name)
        self.fallbacks: list[Fallback] = []
        self._settings, self._count, self._say, self._send, self._cache = settings, count, say, send, cache
        self._problem = problem
        self._stopped = ""  # why nothing more is sent
        self._failing = 0  # consecutive failures
        self._lock = Lock()
        self._lost = 0.0  # what failed requests may have cost
        self._usage = Usage(name, cost=None if price_of(name) is None else 0.0)

    @property
    def usage(self) -> Usage:
        return self._usage

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return other problems, such as with the cache, in words for people."""
        return (self._cache.warning,) if self._cache and self._cache.warning else ()

    def ask(self, requests: Sequence[ModelRequest]) -> tuple[ModelAnswer, ...]:
        """Return one answer per request, in order. Announces once what is requested and its maximum cost."""
        answers: list[ModelAnswer | None] = [None] * len(requests)
        planned = self._if_sendable(self._within_cost(self._plan_uncached(requests, answers), answers), answers)
        if planned:
            self._say(announce_requests(self.name, [plan.estimate for plan in planned]))
        for index, came in run_concurrently(planned, self._send_planned, at_once=self._settings.concurrency):
            answer = came or ModelAnswer(failure=self._stopped)
            if came:
                self._record_answer(planned[index], came)
            for position in planned[index].places:
                answers[position] = answer
        return tuple(answer for answer in answers if answer is not None)

    def give_up(self, what: str, why: str, *, failed: bool = True) -> None:
        """Record that `what` is done without the model. Raises ModelError if it failed and fallback is not allowed."""
        if failed and not self._settings.fallback:
            raise ModelError(
                f"{what}: {why}. No output was written; without --no-fallback the work is done offline instead."
            )
        self.fallbacks.append(Fallback(what, why, failed))

    def _send_planned(self, plan: _Planned) -> ModelAnswer | None:
        """Return the answer to a request; None once nothing more is sent. Runs in several threads."""
        if self._stopped:
            return None
        answer = self._send(plan.request)
        with self._lock:
            self._failing = self._failing + 1 if answer.failure else 0
            if answer.final or self._failing >= _MAX_FAILURES:
                self._stopped = self._stopped or answer.failure
        return answer

    def _plan_uncached(self, requests: Sequence[ModelRequest], answers: list[ModelAnswer | None]) -> list[_Planned]:
        """Return the requests that must be sent, each only once; the others get cached answers."""
        asked = self._settings
        key_of = partial(request_key, self.name, asked.api_base, asked.temperature, strict_roles=asked.strict_roles)
        places: dict[str, list[int]] = {}
        for position, request in enumerate(requests):
            places.setdefault(key_of(request), []).append(position)
        planned = []
        for key, positions in places.items():
            cached = self._cache.get(key) if self._cache else None
            if cached is None:
                request = requests[positions[0]]
                cost = estimate_cost(self.name, request, self._count)
                planned.append(_Planned(key, request, cost, tuple(positions)))
            for position in positions if cached else ():
                answers[position] = cached
        self._add_usage(cache_hits=len(places) - len(planned), cache_misses=len(planned))
        return planned

    def _within_cost(self, planned: list[_Planned], answers: list[ModelAnswer | None]) -> list[_Planned]:
        """Return the requests, in order, that the cost limit allows; the others get a failure."""
        max_cost = self._settings.max_cost
        if max_cost is None or not planned:
            return planned
        affordable: list[_Planned] = []
        reserved = (self._usage.cost or 0.0) + self._lost
        for plan in planned:
            cost = plan.estimate.cost
            if cost is None:
                raise UsageError(
                    f"--max-cost cannot be applied: the price of {self.name} is not known; leave it out, or use a "
                    "model whose price is known"
                )
            if reserved + cost <= max_cost:
                reserved += cost
                affordable.append(plan)
                continue
            reserved_note = f" besides {dollars(reserved)}" if reserved else ""
            for position in plan.places:
                why = f"would cost up to {dollars(cost)}{reserved_note}; --max-cost is {dollars(max_cost)}"
                answers[position] = ModelAnswer(failure=why)
        return affordable

    def _if_sendable(self, planned: list[_Planned], answers: list[ModelAnswer | None]) -> list[_Planned]:
        """Return the requests, or none if nothing can be sent at all; each then fails with the reason."""
        problem = (self._stopped or self._problem()) if planned else ""
        for position in (position for plan in planned if problem for position in plan.places):
            answers[position] = ModelAnswer(failure=problem)
        return [] if problem else planned

    def _record_answer(self, plan: _Planned, answer: ModelAnswer) -> None:
        if answer.failure:
            self._add_usage(requests=1, failures=1)
            self._lost += (plan.estimate.cost or 0.0) if answer.billed else 0.0
            return
        prompt_tokens = plan.estimate.tokens if answer.prompt_tokens is None else answer.prompt_tokens
        completion_tokens = answer.completion_tokens
        answer_tokens = self._count(answer.text) if completion_tokens is None else completion_tokens
        price = price_of(self.name, prompt_tokens)
        self._add_usage(requests=1, prompt_tokens=prompt_tokens, completion_tokens=answer_tokens)
        if price is not None:
            self._usage = replace(self._usage, cost=(self._usage.cost or 0.0) + price.of(prompt_tokens, answer_tokens))
        if self._cache:
            self._cache.put(plan.key, answer)

    def _add_usage(self, **more: int) -> None:
        self._usage = replace(
            self._usage, **{name: getattr(self._usage, name) + amount for name, amount in more.items()}
        )


class DryAsker:
    """A `LanguageModel` for --dry-run: answers nothing, and adds up what asking would cost at most."""

    dry = True
    fallbacks: Sequence[Fallback] = ()
    warnings: tuple[str, ...] = ()

    def __init__(self, name: str, *, count: Count) -> None:
        self.name = name
        self.context_limit = context_limit_of(name)
        self.requests: list[ModelRequest] = []
        self.estimates: list[CostEstimate] = []
        self._count = count

    def ask(self, requests: Sequence[ModelRequest]) -> tuple[ModelAnswer, ...]:
        """Return a failure for each request, stating that nothing was asked."""
        self.requests.extend(requests)
        self.estimates.extend(estimate_cost(self.name, request, self._count) for request in requests)
        return tuple(ModelAnswer(failure=NOT_ASKED) for _ in requests)

    def give_up(self, what: str, why: str, *, failed: bool = True) -> None:
        """Do nothing: this run asks no model, so everything is done without one."""

    @property
    def usage(self) -> Usage:
        """Return the maximum usage, not counting requests that would depend on answers."""
        return Usage(self.name, requests=len(self.requests), prompt_tokens=self.tokens, cost=self.cost)

    @property
    def tokens(self) -> int:
        return sum(estimate.tokens for estimate in self.estimates)

    @property
    def cost(self) -> float | None:
        """Return the maximum cost of the requests in US dollars; None if the model's price is unknown."""
        return total_cost(self.estimates)


def make_asker(name: str, settings: LlmSettings, *, count: Count, say: Say) -> Asker:
    """Return the asker of a run, which uses litellm and, unless the settings disable it, the user's cache."""
    cache = AnswerCache(cache_file(), settings.cache_mb) if settings.cache else None
    client = LitellmClient(name, settings)
    return Asker(name, settings, count=count, say=say, send=client, cache=cache, problem=client.problem)


def announce_requests(name: str, estimates: Sequence[CostEstimate]) -> str:
    """Return an announcement: `asking openai/gpt-4o-mini: 3 requests, 12,345 tokens, at most $0.0123`."""
    plural = "" if len(estimates) == 1 else "s"
    words = (
        f"asking {name}: {len(estimates)} request{plural}, "
        f"{sum(request_estimate.tokens for request_estimate in estimates):,} tokens"
    )
    cost = total_cost(estimates)
    return words if cost is None else f"{words}, at most {dollars(cost)}"


def total_cost(estimates: Sequence[CostEstimate]) -> float | None:
    costs = [request_estimate.cost for request_estimate in estimates if request_estimate.cost is not None]
    return sum(costs) if len(costs) == len(estimates) else None
