"""Counts measured at the provider: what is asked, what is made of the usage, and compacting until it fits."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from compactor_cli.asking.port import ModelAnswer, Turn
from compactor_cli.errors import ModelError
from compactor_cli.llm.asker import make_asker
from compactor_cli.llm.prices import output_limit
from compactor_cli.model.message import Message
from compactor_cli.settings import LlmSettings
from compactor_cli.tokens.base import CharacterCounter
from compactor_cli.tokens.probe import MAX_RATIO, MAX_ROUNDS, ProbedCounter, fit, probe_tokens, token_ratio
from tests.builders import assistant, call, calling_message, plain_exchanges, prose, read_records, result, system, user
from tests.llm.conftest import caches_of_their_own, provider
from tests.llm.server import ANTHROPIC, OPENAI, fail_with, reply_with

__all__ = ["caches_of_their_own", "provider"]
"""Fixtures: pytest finds them by their names here."""

LOCAL = CharacterCounter()
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def measured_ratio(messages, model, local):
    tokens = probe_tokens(messages, model, local)
    return None if tokens is None else token_ratio(tokens, messages, local)


class Provider:
    """Counts `rate` tokens for a local one in texts, `frame` a turn and `overhead` a request."""

    name = "openai/gpt-4o-mini"

    def __init__(
        self, *, rate=Fraction(1), frame=LOCAL.per_message, overhead=0, limit=100_000, silent="", strict=False
    ):
        self.rate, self.frame, self.overhead, self.context_limit = rate, frame, overhead, limit
        self.silent, self.strict = silent, strict
        self.requests, self.given_up = [], []

    def ask(self, requests):
        self.requests += requests
        return tuple(self._answer(request) for request in requests)

    def _answer(self, request):
        if self.silent and any(self.silent in turn.text for turn in request.turns):
            return ModelAnswer(failure="the connection was refused")
        texts = [*filter(None, [request.system]), *(turn.text for turn in request.turns)]
        tokens = sum(self.frame + math.ceil(LOCAL.count(text) * self.rate) for text in texts)
        return ModelAnswer("Sure", "length", tokens + self.overhead, 16)

    def give_up(self, what, why, *, failed=True):
        self.given_up.append((what, why))
        if self.strict:
            raise ModelError(f"{what}: {why}")


def total(messages):
    return sum(message.tokens for message in messages)


# the counter


@pytest.mark.parametrize(
    ("ratio", "local", "expected"),
    [
        (Fraction(11, 10), 10, 11),
        (Fraction(11, 10), 11, 13),
        (Fraction(1, 2), 1, 1),
        (Fraction(1), 7, 7),
        (Fraction(3, 2), 0, 0),
    ],
)
def test_counts_are_scaled_exactly_and_rounded_up(ratio, local, expected):
    counter = ProbedCounter(LOCAL, ratio, "openai/gpt-4o-mini")
    assert counter.count("abcd" * local) == expected


def test_the_frame_of_a_message_is_scaled_and_the_cost_of_a_picture_is_not():
    counter = ProbedCounter(LOCAL, Fraction(5, 4), "openai/gpt-4o-mini")
    assert counter.per_message == 3
    assert counter.per_image == LOCAL.per_image


def test_its_name_says_where_the_figure_is_from():
    counter = ProbedCounter(LOCAL, Fraction(10712, 10000), "openai/gpt-4o-mini")
    assert counter.name == "probe of openai/gpt-4o-mini (chars x 1.0712)"
    assert counter.approximate


# what is asked


def test_messages_go_as_turns_of_their_own_roles():
    provider = Provider()
    probe_tokens(read_records(system("Be brief."), user("Hello"), assistant("Hi"), user("Bye")), provider, LOCAL)
    (request,) = provider.requests
    assert request.system == "Be brief."
    assert request.turns == (Turn("user", "Hello"), Turn("assistant", "Hi"), Turn("user", "Bye"))
    assert (request.max_tokens, request.purpose) == (16, "token count")


def test_calls_and_results_go_as_text():
    provider = Provider()
    probe_tokens(
        read_records(user("Look"), calling_message(call("c1", "shell", '{"command": "ls"}')), result("c1", "a.py")),
        provider,
        LOCAL,
    )
    assert provider.requests[0].turns == (
        Turn("user", "Look"),
        Turn("assistant", 'shell\n{"command": "ls"}'),
        Turn("user", "a.py"),
    )


def test_turns_of_one_role_in_a_row_are_merged_and_their_frames_counted():
    provider, messages = Provider(), read_records(user("abcd"), user("efgh"), user("ijkl"))
    # the two blank lines between them are one token of the merged text
    assert probe_tokens(messages, provider, LOCAL) == total(messages) + 1
    assert provider.requests[0].turns == (Turn("user", "abcd\n\nefgh\n\nijkl"),)


@pytest.mark.parametrize(
    "records",
    [[assistant("Hello")], [system("Be brief.")], [user("Hi"), assistant("Hello")], [user("Hi"), system("No")]],
)
def test_the_user_speaks_first_and_last_without_being_counted(records):
    provider, messages = Provider(), read_records(*records)
    assert probe_tokens(messages, provider, LOCAL) == total(messages)
    (request,) = provider.requests
    assert request.turns[0].role == request.turns[-1].role == "user"


def test_what_cannot_be_sent_counts_what_it_counts_here():
    messages = read_records(user([{"type": "text", "text": "Look"}, PICTURE]), assistant(" "), user([PICTURE]))
    provider = Provider()
    assert probe_tokens(messages, provider, LOCAL) == total(messages)
    assert [request.turns for request in provider.requests] == [(Turn("user", "Look"),)]


def test_nothing_is_asked_about_nothing():
    provider = Provider()
    assert probe_tokens((), provider, LOCAL) == 0
    assert measured_ratio((), provider, LOCAL) == 1
    assert provider.requests == []


# many messages


@pytest.mark.parametrize("limit", [300, 1_000, 2_500])
def test_a_split_history_counts_as_if_it_were_asked_at_once(limit):
    messages = read_records(system("Be brief."), *plain_exchanges(12))
    once, split = Provider(overhead=9), Provider(overhead=9, limit=limit)
    expected = probe_tokens(messages, once, LOCAL)
    assert expected == total(messages) + 9
    assert probe_tokens(messages, split, LOCAL) == expected
    assert len(once.requests) == 1
    assert len(split.requests) > 2
    assert split.requests[-1].turns == (Turn("user", "x"),)
    sizes = [sum(LOCAL.count(turn.text) for turn in request.turns) for request in split.requests]
    assert max(sizes) <= limit * 0.6 + 2


def test_a_message_that_is_too_long_for_a_request_is_asked_in_pieces():
    text = prose("one long message", 400)
    provider, messages = Provider(overhead=9, limit=1_000), read_records(user(text))
    assert probe_tokens(messages, provider, LOCAL) == pytest.approx(total(messages) + 9, rel=0.001)
    assert "".join(request.turns[0].text for request in provider.requests[:-1]) == text


# no answer


def test_a_failure_gives_no_count_and_is_said():
    provider = Provider(silent="Hello")
    assert probe_tokens(read_records(user("Hello")), provider, LOCAL) is None
    assert measured_ratio(read_records(user("Hello")), provider, LOCAL) is None
    assert provider.given_up == [("token count", "the connection was refused")] * 2


def test_a_failure_of_one_request_of_many_gives_no_count():
    provider = Provider(limit=300, silent="topic 7")
    assert probe_tokens(read_records(*(user(prose(f"topic {at}")) for at in range(9))), provider, LOCAL) is None
    assert len(provider.given_up) == 1


def test_an_answer_without_usage_gives_no_count(monkeypatch):
    provider = Provider()
    monkeypatch.setattr(provider, "ask", lambda requests: (ModelAnswer("Hi"),))
    assert probe_tokens(read_records(user("Hello")), provider, LOCAL) is None
    assert provider.given_up == [("token count", "the answer does not report the tokens of the request")]


def test_usage_counts_even_when_the_answer_is_of_no_use(monkeypatch):
    provider = Provider()
    monkeypatch.setattr(provider, "ask", lambda requests: (ModelAnswer(failure="empty", prompt_tokens=5),))
    assert probe_tokens(read_records(user("Hello")), provider, LOCAL) == 5
    assert provider.given_up == []


# the ratio


def told(messages, provider):
    """What the provider says, which it does."""
    tokens = probe_tokens(messages, provider, LOCAL)
    assert tokens is not None
    return tokens


def test_the_ratio_is_that_of_everything_but_pictures():
    messages = read_records(*plain_exchanges(6), user([{"type": "text", "text": "Look"}, PICTURE]))
    provider = Provider(rate=Fraction(5, 4), frame=3)
    ratio = measured_ratio(messages, provider, LOCAL)
    texts = total(messages) - LOCAL.per_image
    assert float(ratio) == pytest.approx(1.25, rel=0.02)
    assert ratio * texts == told(messages, provider) - LOCAL.per_image


def test_counted_with_the_ratio_the_messages_are_no_less_than_the_provider_says():
    records = [*plain_exchanges(6), calling_message(call("c1")), result("c1", "a.py")]
    provider = Provider(rate=Fraction(10712, 10000), overhead=7)
    messages = read_records(*records)
    counter = ProbedCounter(LOCAL, measured_ratio(messages, provider, LOCAL), provider.name)
    again = sum(
        counter.per_message + sum(counter.count(p.text) + counter.count(p.name) for p in m.parts) for m in messages
    )
    assert told(messages, provider) <= again <= told(messages, provider) + 2 * len(messages)


# until it fits

HISTORY = read_records(*(user(prose(f"topic {at}")) if at % 2 else assistant(prose(f"topic {at}")) for at in range(60)))


class Compactor:
    """Keeps the newest messages that its counter fits into the target."""

    def __init__(self, target):
        self.target, self.counters = target, []

    def __call__(self, counter):
        self.counters.append(counter)
        kept: list[Message] = []
        room = self.target
        for message in reversed(HISTORY):
            room -= counter.per_message + counter.count(message.text())
            if room < 0:
                break
            kept.insert(0, message)
        return f"{len(kept)} messages", kept


def test_a_provider_that_counts_no_more_is_asked_once():
    compact, provider = Compactor(1_000), Provider()
    done = fit(compact, 1_000, provider, LOCAL)
    assert (done.rounds, done.fits, done.counter) == (1, True, LOCAL)
    assert done.tokens is not None and done.tokens <= 1_000
    assert compact.counters == [LOCAL]


@pytest.mark.parametrize("rate", [Fraction(11, 10), Fraction(6, 5), Fraction(3)])
def test_a_provider_that_counts_more_is_fitted(rate):
    compact, provider = Compactor(1_000), Provider(rate=rate, overhead=20)
    done = fit(compact, 1_000, provider, LOCAL)
    assert done.fits
    assert done.tokens is not None and done.tokens <= 1_000
    assert 1 < done.rounds <= MAX_ROUNDS
    assert isinstance(done.counter, ProbedCounter)
    assert done.result == f"{len(compact(done.counter)[1])} messages"


def test_a_known_ratio_saves_the_first_round():
    provider = Provider(rate=Fraction(6, 5))
    done = fit(Compactor(1_000), 1_000, provider, LOCAL, measured_ratio(HISTORY, provider, LOCAL))
    assert (done.rounds, done.fits) == (1, True)


def test_the_ratio_rises_each_round_and_not_forever():
    provider = Provider(rate=Fraction(6, 5))
    target = int(0.9 * told(HISTORY, provider))
    stubborn = Compactor(target)
    done = fit(lambda counter: (stubborn(counter)[0], HISTORY), target, provider, LOCAL)
    assert (done.rounds, done.fits) == (MAX_ROUNDS, False)
    assert done.tokens is not None and done.tokens > target
    ratios = [counter.ratio for counter in stubborn.counters[1:]]
    assert ratios == sorted(set(ratios))


def test_a_ratio_that_marks_have_no_room_for_is_not_tried():
    done = fit(Compactor(1_000), 1_000, Provider(rate=Fraction(MAX_RATIO + 1)), LOCAL)
    assert (done.rounds, done.fits) == (1, False)


def test_pictures_do_not_count_more_with_a_higher_ratio():
    picture = read_records(user([PICTURE]))[0]
    compact, provider = Compactor(1_000), Provider(frame=9)
    done = fit(lambda c: (None, [picture, *compact(c)[1]]), 1_000 + picture.tokens, provider, LOCAL)
    assert done.fits
    assert 1 < done.rounds <= MAX_ROUNDS
    assert done.counter.per_image == LOCAL.per_image


def test_without_a_count_the_first_result_stays():
    provider = Provider(silent="topic")
    done = fit(Compactor(1_000), 1_000, provider, LOCAL)
    assert (done.tokens, done.rounds, done.fits) == (None, 1, False)
    assert len(provider.given_up) == 1


def test_where_falling_back_is_not_allowed_it_fails():
    with pytest.raises(ModelError, match="token count"):
        fit(Compactor(1_000), 1_000, Provider(silent="topic", strict=True), LOCAL)


# through the real client


@pytest.mark.parametrize("name", [OPENAI, ANTHROPIC])
def test_the_usage_of_a_real_request_is_the_count(name, provider):
    said: list[str] = []
    settings = LlmSettings(api_base=provider.api_base(name), cache=False)
    model = make_asker(name, settings, count=LOCAL.count, say=said.append)
    messages = read_records(
        system("Be brief."), user("Look"), calling_message(call("c1")), result("c1", "a.py"), assistant("Done.")
    )
    # the server counts four characters a token over everything, and no frames
    sent = "Be brief.\nLook\nshell\n" + '{"command": "ls"}' + "\na.py\nDone.\nx"
    assert probe_tokens(messages, model, LOCAL) == len(sent) // 4 - LOCAL.count("x") - LOCAL.per_message
    (received,) = provider.received
    assert received.text == sent
    assert received.body["max_tokens"] == output_limit(name, 16)
    assert said[0].startswith(f"asking {name}: 1 request")


class Coarse(CharacterCounter):
    """Counts half of what the server counts."""

    def count(self, text):
        return -(-len(text) // 8)


def test_a_real_history_is_fitted(provider):
    compact, local = Compactor(1_000), Coarse("coarse")
    provider.play(reply_with("Sure.", finish="length"))
    model = make_asker(OPENAI, LlmSettings(api_base=provider.api_base()), count=local.count, say=lambda words: None)
    done = fit(compact, 1_000, model, local)
    assert done.fits
    assert done.tokens is not None and done.tokens <= 1_000
    assert done.rounds == len(compact.counters) == len(provider.received) > 1


def test_a_provider_that_fails_gives_no_count(provider):
    provider.play(fail_with(401, "Incorrect API key provided."))
    model = make_asker(OPENAI, LlmSettings(api_base=provider.api_base()), count=LOCAL.count, say=lambda words: None)
    assert probe_tokens(read_records(user("Hello")), model, LOCAL) is None
    (fallback,) = model.fallbacks
    assert fallback.what == "token count"
    assert "Incorrect API key" in fallback.why
