"""What is asked, how often, at what cost, and what is said about it. The provider is a function here."""

from __future__ import annotations

import threading

import pytest

from compactor_cli.asking.port import LanguageModel, ModelAnswer, ModelRequest, Turn
from compactor_cli.errors import ModelError, UsageError
from compactor_cli.llm.asker import NOT_ASKED, Asker, DryAsker, announce_requests, make_asker
from compactor_cli.llm.cache import AnswerCache, cache_file
from compactor_cli.llm.prices import (
    REASONING_TOKENS,
    UNKNOWN_LIMIT,
    CostEstimate,
    Price,
    context_limit_of,
    estimate_cost,
    output_limit,
    price_of,
)
from compactor_cli.model.report import Fallback
from compactor_cli.settings import LlmSettings
from compactor_cli.text.quantities import dollars

PRICED, UNPRICED = "openai/gpt-4o-mini", "openai/a-model-of-ones-own"


def request(text="A question.", max_tokens=100, **more):
    return ModelRequest("a purpose", "A system.", (Turn("user", text),), max_tokens, **more)


class Model:
    """Stands for the provider: answers with the text of the request, and remembers what it was asked."""

    def __init__(self, answer=None):
        self.asked = []
        self._answer = answer or (lambda text: ModelAnswer(f"re: {text}", prompt_tokens=1_000, completion_tokens=500))

    def __call__(self, request):
        self.asked.append(request.turns[0].text)
        return self._answer(request.turns[0].text)


@pytest.fixture
def said():
    return []


@pytest.fixture
def make(tmp_path, said):
    """An asker with a model of its own; keyword arguments that are no settings are the parts of the asker."""

    def build(name=PRICED, model=None, cached=False, **settings):
        cache = AnswerCache(tmp_path / "answers.sqlite3", 1) if cached else None
        send = model or Model()
        return Asker(name, LlmSettings(**settings), count=len, say=said.append, send=send, cache=cache)

    return build


def test_answers_come_in_the_order_of_the_requests(make):
    first_may_go = threading.Event()

    def answer(text):
        if text == "0":
            assert first_may_go.wait(30)
        if text == "3":
            first_may_go.set()
        return ModelAnswer(text)

    answers = make(model=Model(answer), concurrency=2).ask([request(str(at)) for at in range(6)])
    assert [each.text for each in answers] == list("012345")


def test_no_more_are_asked_at_the_same_time_than_the_settings_allow(make):
    lock, all_here = threading.Lock(), threading.Barrier(3)
    now, most = 0, 0

    def answer(text):
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        all_here.wait(30)
        with lock:
            now -= 1
        return ModelAnswer(text)

    make(model=Model(answer), concurrency=3).ask([request(str(at)) for at in range(9)])
    assert most == 3


def test_nothing_is_said_or_sent_for_no_requests(make, said):
    assert make().ask([]) == ()
    assert said == []


def test_the_same_request_is_sent_once(make):
    model = Model()
    asker = make(model=model)
    answers = asker.ask([request("a"), request("b"), request("a")])
    assert [each.text for each in answers] == ["re: a", "re: b", "re: a"]
    assert sorted(model.asked) == ["a", "b"]
    assert asker.usage.requests == 2


def test_what_is_kept_is_not_asked_again_and_nothing_is_said_of_it(make, said):
    make(cached=True).ask([request("a")])
    said.clear()
    model = Model()
    asker = make(cached=True, model=model)
    (answer,) = asker.ask([request("a")])
    assert answer.text == "re: a"
    assert (model.asked, said) == ([], [])
    assert (asker.usage.cache_hits, asker.usage.cache_misses, asker.usage.cost) == (1, 0, 0.0)


def test_only_what_is_not_kept_is_asked(make, said):
    make(cached=True).ask([request("a")])
    model = Model()
    asker = make(cached=True, model=model)
    assert [each.text for each in asker.ask([request("b"), request("a")])] == ["re: b", "re: a"]
    assert model.asked == ["b"]
    assert (asker.usage.cache_hits, asker.usage.cache_misses) == (1, 1)
    assert "1 request," in said[-1]


def test_another_model_address_or_temperature_is_asked_anew(make):
    make(cached=True).ask([request("a")])
    for changes in ({"name": UNPRICED}, {"api_base": "http://127.0.0.1/v1"}, {"temperature": 0.2}):
        model = Model()
        make(cached=True, model=model, **changes).ask([request("a")])
        assert model.asked == ["a"]


def test_a_failure_is_not_kept(make):
    make(cached=True, model=Model(lambda text: ModelAnswer(failure="500: broken"))).ask([request("a")])
    assert make(cached=True).ask([request("a")])[0].text == "re: a"


def test_what_is_asked_is_said_once_with_its_cost(make, said):
    make().ask([request("x" * 100), request("y" * 100)])
    # 100 and 9 characters, and 4 tokens around each of them: 117 a request
    assert said == ["asking openai/gpt-4o-mini: 2 requests, 234 tokens, at most $0.0002"]


def test_without_a_price_no_cost_is_said(make, said):
    asker = make(UNPRICED)
    asker.ask([request("x" * 100)])
    assert said == ["asking openai/a-model-of-ones-own: 1 request, 117 tokens"]
    assert asker.usage.cost is None


def test_usage_adds_up_what_the_provider_says(make):
    asker = make()
    asker.ask([request("a"), request("b")])
    asker.ask([request("c")])
    usage = asker.usage
    assert (usage.model, usage.requests, usage.failures) == (PRICED, 3, 0)
    assert (usage.prompt_tokens, usage.completion_tokens) == (3_000, 1_500)
    assert usage.cost == pytest.approx(3 * (1_000 * 0.15e-6 + 500 * 0.6e-6))


def test_usage_is_estimated_where_the_provider_says_nothing(make):
    asker = make(model=Model(lambda text: ModelAnswer("twelve chars")))
    asker.ask([request("x" * 100)])
    assert (asker.usage.prompt_tokens, asker.usage.completion_tokens) == (117, 12)


def test_failures_are_counted_and_cost_nothing(make):
    asker = make(model=Model(lambda text: ModelAnswer(failure="500: broken")))
    assert asker.ask([request("a")])[0].failure == "500: broken"
    assert (asker.usage.requests, asker.usage.failures, asker.usage.cost) == (1, 1, 0.0)


def cost_of(asked):
    """What the answer may cost; it has a price."""
    cost = estimate_cost(PRICED, asked, len).cost
    assert cost is not None
    return cost


def test_what_could_cost_more_than_allowed_is_not_sent(make, said):
    model = Model()
    one = cost_of(request("0"))
    asker = make(model=model, max_cost=2.5 * one)
    answers = asker.ask([request(str(at)) for at in range(4)])
    assert [bool(each.failure) for each in answers] == [False, False, True, True]
    assert answers[2].failure == (
        f"would cost up to {dollars(one)} besides {dollars(2 * one)}; --max-cost is {dollars(2.5 * one)}"
    )
    assert sorted(model.asked) == ["0", "1"]
    assert "2 requests" in said[0]


def test_what_was_spent_before_counts_against_the_limit(make):
    model = Model()  # each answer costs $0.00045
    asker = make(model=model, max_cost=0.0005)
    assert asker.ask([request("a")])[0].text
    assert asker.ask([request("b")])[0].failure.startswith("would cost up to $")
    assert model.asked == ["a"]


def test_what_may_be_billed_though_no_answer_came_counts_against_the_limit(make):
    one = cost_of(request("a"))
    model = Model(lambda text: ModelAnswer(failure="no answer within 1 s", billed=True))
    asker = make(model=model, max_cost=1.5 * one)
    asker.ask([request("a")])
    assert asker.ask([request("b")])[0].failure.startswith("would cost up to $")
    assert (model.asked, asker.usage.cost) == (["a"], 0.0)


def test_after_a_failure_that_is_final_nothing_more_is_sent(make):
    model = Model(lambda text: ModelAnswer(failure="401: wrong key", final=True))
    asker = make(model=model, concurrency=1)
    assert {each.failure for each in asker.ask([request(str(at)) for at in range(5)])} == {"401: wrong key"}
    assert asker.ask([request("later")])[0].failure == "401: wrong key"
    assert (model.asked, asker.usage.requests) == (["0"], 1)


def test_after_three_failures_in_a_row_nothing_more_is_sent(make):
    model = Model(lambda text: ModelAnswer(failure="500: broken") if text != "1" else ModelAnswer("fine"))
    asker = make(model=model, concurrency=1)
    answers = asker.ask([request(str(at)) for at in range(8)])
    assert [each.failure for each in answers] == ["500: broken", "", *["500: broken"] * 6]
    assert model.asked == ["0", "1", "2", "3", "4"]


def test_what_cannot_be_sent_at_all_is_neither_announced_nor_counted(said):
    model = Model()
    asker = Asker(PRICED, LlmSettings(), count=len, say=said.append, send=model, problem=lambda: "no key")
    assert [each.failure for each in asker.ask([request("a"), request("b")])] == ["no key"] * 2
    assert (said, model.asked, asker.usage.requests) == ([], [], 0)


def test_a_want_of_room_is_no_failure_of_the_model(make):
    asker = make(fallback=False)
    asker.give_up("a summary", "there is no room", failed=False)
    assert asker.fallbacks == [Fallback("a summary", "there is no room", failed=False)]


def test_nothing_is_said_when_nothing_can_be_paid(make, said):
    assert make(max_cost=0.0).ask([request("a")])[0].failure
    assert said == []


def test_a_limit_of_cost_needs_a_price(make):
    with pytest.raises(UsageError, match=r"--max-cost cannot be applied.*a-model-of-ones-own"):
        make(UNPRICED, max_cost=1.0).ask([request("a")])


def test_a_limit_of_cost_is_no_matter_for_what_is_kept(make):
    make(UNPRICED, cached=True).ask([request("a")])
    assert make(UNPRICED, cached=True, max_cost=0.0).ask([request("a")])[0].text == "re: a"


def test_giving_up_is_noted(make):
    asker = make()
    asker.give_up("summary of messages 3-9", "429: rate limit")
    assert asker.fallbacks == [Fallback("summary of messages 3-9", "429: rate limit")]


def test_giving_up_raises_where_it_is_not_allowed(make):
    asker = make(fallback=False)
    with pytest.raises(ModelError, match=r"^summary of messages 3-9: 429: rate limit.*--no-fallback"):
        asker.give_up("summary of messages 3-9", "429: rate limit")


def test_trouble_with_the_cache_is_a_warning(tmp_path, said):
    cache = AnswerCache(tmp_path, 1)  # a folder
    asker = Asker(PRICED, LlmSettings(), count=len, say=said.append, send=Model(), cache=cache)
    before = asker.warnings
    assert asker.ask([request("a")])[0].text == "re: a"
    assert (before, asker.warnings) == ((), (cache.warning,))


def test_an_error_of_ours_in_a_thread_is_raised_where_it_was_asked_and_nothing_more_begins(make):
    go_on, others = threading.Event(), set(threading.enumerate())

    def answer(text):
        if text == "0":
            raise ZeroDivisionError
        assert go_on.wait(30)
        return ModelAnswer(text)

    model = Model(answer)
    with pytest.raises(ZeroDivisionError):
        make(model=model, concurrency=1).ask([request(str(at)) for at in range(9)])
    workers = set(threading.enumerate()) - others
    go_on.set()
    for worker in workers:
        worker.join(30)
    assert model.asked in (["0"], ["0", "1"])


@pytest.mark.parametrize("cache", [True, False])
def test_the_asker_of_a_run_has_a_cache_unless_the_settings_are_against_it(cache, said, provider, loaded_litellm):
    settings = LlmSettings(cache=cache, api_base=provider.api_base())
    for _ in range(2):
        make_asker(PRICED, settings, count=len, say=said.append).ask([request("a")])
    assert len(provider.received) == (1 if cache else 2)
    assert cache_file().exists() == cache


# --dry-run


def test_a_dry_run_asks_nothing_and_adds_up_the_estimates():
    asker = DryAsker(PRICED, count=len)
    assert asker.ask([request("a"), request("b")]) == (ModelAnswer(failure=NOT_ASKED),) * 2
    asker.give_up("a summary", NOT_ASKED)
    assert len(asker.requests) == 2
    assert asker.tokens == 2 * (1 + 4 + 9 + 4)
    assert asker.cost == pytest.approx(2 * cost_of(request("a")))


def test_a_dry_run_without_a_price_has_no_cost():
    asker = DryAsker(UNPRICED, count=len)
    assert asker.cost == 0
    asker.ask([request("a")])
    assert asker.cost is None


def test_both_askers_are_language_models(make):
    models: list[LanguageModel] = [make(), DryAsker(PRICED, count=len)]
    assert [model.name for model in models] == [PRICED, PRICED]


# prices


@pytest.mark.parametrize("name", ["openai/gpt-4o-mini", "gpt-4o-mini"])
def test_a_price_is_found_with_and_without_the_provider(name):
    assert price_of(name) == Price(0.15e-6, 0.6e-6)


@pytest.mark.parametrize("name", ["openai/no-such-model", "ollama/gpt-4o-mini", "anthropic/gpt-4o-mini", "", "/", "x/"])
def test_a_model_of_another_provider_has_another_price(name):
    assert price_of(name) is None


def test_long_requests_have_prices_of_their_own():
    short, long = price_of("gemini/gemini-2.5-pro", 200_000), price_of("gemini/gemini-2.5-pro", 200_001)
    assert short is not None and long is not None
    assert (long.input, long.output) > (short.input, short.output)


def test_an_estimate_covers_all_of_the_output_and_the_schema():
    plain, shaped = (estimate_cost(PRICED, request(schema=schema), len) for schema in (None, {"type": "object"}))
    assert plain.cost == pytest.approx(plain.tokens * 0.15e-6 + 100 * 0.6e-6)
    assert shaped.tokens == plain.tokens + len('{"type": "object"}') + 4


def test_an_estimate_for_another_vocabulary_leaves_room():
    there = estimate_cost("anthropic/claude-haiku-4-5", request("x" * 10_000), len)
    price = price_of("anthropic/claude-haiku-4-5")
    assert there.cost is not None and price is not None
    assert there.cost > there.tokens * price.input + (100 + REASONING_TOKENS) * price.output


@pytest.mark.parametrize(
    ("name", "limit"), [(PRICED, 128_000), ("anthropic/claude-haiku-4-5", 200_000), (UNPRICED, UNKNOWN_LIMIT)]
)
def test_the_context_limit_is_that_of_the_table_or_a_small_one(name, limit, make):
    assert context_limit_of(name) == limit
    assert make(name).context_limit == limit


def test_models_that_reason_have_room_for_it_and_no_answer_is_longer_than_the_model_can():
    assert output_limit(PRICED, 800) == 800
    assert output_limit("openai/gpt-5-mini", 800) == 800 + REASONING_TOKENS
    assert output_limit(PRICED, 1_000_000) == 16_384
    assert output_limit(UNPRICED, 1_000_000) == 1_000_000


# words


@pytest.mark.parametrize(
    ("cost", "words"), [(0, "$0.0000"), (0.01234, "$0.0123"), (12.5, "$12.5000"), (0.0000123, "$1.2e-05")]
)
def test_dollars(cost, words):
    assert dollars(cost) == words


def test_an_announcement_has_a_cost_only_when_all_of_it_is_known():
    assert (
        announce_requests("m", [CostEstimate(1_200, 0.5), CostEstimate(34, 0.25)])
        == "asking m: 2 requests, 1,234 tokens, at most $0.7500"
    )
    assert (
        announce_requests("m", [CostEstimate(1_200, 0.5), CostEstimate(34, None)])
        == "asking m: 2 requests, 1,234 tokens"
    )
