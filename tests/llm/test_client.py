"""The real litellm against a server on the loopback interface."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from compactor_cli.asking.port import ModelRequest, Turn
from compactor_cli.llm.litellm_client import LitellmClient
from compactor_cli.settings import LlmSettings
from tests.builders import clean_environment
from tests.cli.test_startup import modules_after
from tests.llm import server
from tests.llm.server import ANTHROPIC, KEY, OPENAI

pytestmark = pytest.mark.one_test_in(3)

BOTH = pytest.mark.parametrize("model", [OPENAI, ANTHROPIC])
REQUEST = ModelRequest("a purpose", "A system.", (Turn("user", "A question."),), 100)
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}

ASKING = """
import sys
from compactor_cli.llm.asker import make_asker
from compactor_cli.asking.port import ModelRequest, Turn
from compactor_cli.settings import LlmSettings
settings = LlmSettings(api_base=sys.argv[2], timeout=600.0, concurrency=2)
asker = make_asker(sys.argv[1], settings, count=len, say=lambda words: None)
requests = [ModelRequest("a purpose", "", (Turn("user", str(at)),), 10) for at in range(4)]
try:
    print(*(answer.text or answer.failure for answer in asker.ask(requests)))
except KeyboardInterrupt:
    sys.exit(130)
"""


class Asking:
    """A client and the seconds that it waited."""

    def __init__(self, provider, model, **settings):
        self.waits: list[float] = []
        settings = {"api_base": provider.api_base(model), "timeout": 30.0, **settings}
        self._client = LitellmClient(model, LlmSettings(**settings), sleep=self.waits.append)

    def __call__(self, request=REQUEST):
        return self._client(request)


@pytest.fixture
def asking(provider, loaded_litellm):
    def build(model, *script, **settings):
        provider.play(*script)
        return Asking(provider, model, **settings)

    return build


@BOTH
def test_an_answer_with_its_tokens(asking, model):
    answer = asking(model, "This is the answer.")()
    assert (answer.text, answer.finish, answer.failure) == ("This is the answer.", "stop", "")
    assert (answer.prompt_tokens, answer.completion_tokens) == (len("A system.\nA question.") // 4, 19 // 4)


def test_openai_gets_all_messages_in_order(asking, provider):
    turns = (Turn("user", "one"), Turn("assistant", "two"), Turn("system", "three"), Turn("user", "four"))
    asking(OPENAI)(ModelRequest("", "zero", turns, 77))
    (received,) = provider.received
    assert [(each["role"], each["content"]) for each in received.body["messages"]] == [("system", "zero"), *turns]
    assert (received.body["max_tokens"], received.body["temperature"]) == (77, 0.0)
    assert "response_format" not in received.body
    assert received.key == KEY


def test_anthropic_gets_the_system_apart(asking, provider):
    turns = (Turn("user", "one"), Turn("assistant", "two"), Turn("user", "three"))
    asking(ANTHROPIC)(ModelRequest("", "zero", turns, 77))
    (received,) = provider.received
    assert [each["role"] for each in received.body["messages"]] == ["user", "assistant", "user"]
    assert received.text == "zero\none\ntwo\nthree"
    assert received.key == KEY


@BOTH
def test_without_a_system_prompt_none_is_sent(asking, provider, model):
    asking(model)(ModelRequest("", "", (Turn("user", "one"),), 10))
    assert provider.received[0].text == "one"
    assert not provider.received[0].body.get("system")


def test_a_schema_goes_along_strictly(asking, provider):
    answer = asking(OPENAI, '{"a": 1}')(ModelRequest("", "s", (Turn("user", "u"),), 10, SCHEMA))
    shape = provider.received[0].body["response_format"]
    assert shape == {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA}}
    assert answer.text == '{"a": 1}'


@pytest.mark.parametrize("model", [ANTHROPIC, "anthropic/claude-3-haiku-20240307"])
def test_a_schema_brings_text_from_anthropic_whichever_way_it_is_asked_for(asking, model):
    answer = asking(model, '{"a": 1}')(ModelRequest("", "s", (Turn("user", "u"),), 10, SCHEMA))
    assert (answer.text, answer.finish) == ('{"a": 1}', "stop")


def test_models_that_reason_have_room_for_it(asking, provider):
    asking("openai/gpt-5-mini")()
    assert provider.received[0].body["max_completion_tokens"] == 4_100


def test_halves_of_characters_are_sent_as_text(asking, provider):
    answer = asking(OPENAI)(ModelRequest("", "", (Turn("user", "a \ud83d\ude00 b \ud83d c"),), 10))
    assert answer.failure == ""
    assert provider.received[0].text == "a \U0001f600 b � c"


@BOTH
@pytest.mark.parametrize(
    ("reply", "finish", "text"),
    [
        (server.too_long("cut at the"), "length", "cut at the"),
        (server.call_tool(), "tool", ""),
        (server.reply_with("filtered", finish="content_filter"), "other", "filtered"),
        (server.reply_empty(), "stop", ""),
        (server.longer_than_input(), "stop", "A system.\nA question.\n" * 2),
    ],
)
def test_how_an_answer_ended(asking, model, reply, finish, text):
    answer = asking(model, reply)()
    assert (answer.finish, answer.text, answer.failure) == (finish, text, "")


def test_an_answer_without_choices_is_empty(asking):
    answer = asking(OPENAI, server.not_json(b'{"choices": []}'))()
    assert (answer.text, answer.finish, answer.failure) == ("", "other", "")


NOT_JSON = "the answer of the server is not JSON"
BROKEN = "the answer of the server cannot be read: "


@pytest.mark.drawn(4)
@BOTH
@pytest.mark.parametrize(
    ("reply", "failure"),
    [
        (server.rate_limited(), "429: Rate limit reached."),
        (server.fail_with(), "500: The server had an error."),
        (server.fail_with(503), "503: The server had an error."),
        (server.cut_off(), "connection failed: peer closed connection"),
        (server.cut_off(chunked=True), "connection failed: peer closed connection"),
        (server.not_json(), NOT_JSON),
        (server.not_json(b'{"a": '), NOT_JSON),
        (server.not_json(b"{}"), BROKEN),
        (server.not_json(b"[]"), BROKEN),
    ],
)
def test_what_may_pass_is_tried_again_and_then_a_failure(asking, provider, model, reply, failure):
    asked = asking(model, reply, retries=2, backoff=0.5)
    answer = asked()
    assert answer.failure.startswith(failure)
    assert answer.failure.endswith("(3 tries)")
    assert "\n" not in answer.failure
    assert answer.text == ""
    assert asked.waits == [0.5, 1.0]
    assert len(provider.received) == 3


@BOTH
@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_what_will_not_pass_is_not_tried_again(asking, provider, model, status):
    asked = asking(model, server.fail_with(status, "That is wrong."), retries=2)
    assert asked().failure == f"{status}: That is wrong."
    assert asked.waits == []
    assert len(provider.received) == 1


@BOTH
def test_the_answer_of_a_later_try_counts(asking, model):
    asked = asking(model, server.rate_limited(times=1), server.cut_off(times=1), "At last.", retries=2)
    assert (asked().text, len(asked.waits)) == ("At last.", 2)


@pytest.mark.drawn(3)
@BOTH
@pytest.mark.parametrize(
    ("header", "wait"), [(7, 7.0), (3_600, 60.0), (0.1, 1.0), (-5, 1.0), ("soon", 1.0), ("nan", 1.0)]
)
def test_the_wait_that_the_provider_asks_for(asking, model, header, wait):
    asked = asking(model, server.rate_limited(header), retries=1)
    assert asked().failure == "429: Rate limit reached. (2 tries)"
    assert asked.waits == [wait]


@pytest.mark.drawn(2)
@BOTH
@pytest.mark.parametrize("reply", [server.hang(), server.trickle()])
def test_a_server_that_does_not_finish_holds_nobody(asking, provider, model, reply):
    asked = asking(model, reply, timeout=0.3, retries=1)
    start = time.monotonic()
    assert asked().failure == "no answer within 0.3 s (2 tries)"
    assert time.monotonic() - start < 5


def test_a_server_that_is_not_there(asking):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    failure = asking(OPENAI, api_base=f"http://127.0.0.1:{port}/v1", retries=0)().failure
    assert failure.startswith("connection failed: ")
    assert "refused" in failure


@BOTH
def test_no_key_is_repeated(asking, model):
    failure = asking(model, server.echo_key())().failure
    assert failure.startswith("401: Incorrect API key provided: ")
    assert KEY not in failure
    assert "sk-" not in failure


def test_a_provider_without_a_key_names_the_variable(asking, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    assert asking(OPENAI, api_base="")().failure == f"no API key for {OPENAI}; set OPENAI_API_KEY"


@BOTH
def test_a_server_of_ones_own_needs_no_key(asking, provider, monkeypatch, model):
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    assert asking(model)().text == "An answer."
    assert provider.received[0].key == "none"


@pytest.mark.parametrize("model", ["nonsense", "no-such-provider/model"])
def test_a_model_without_a_provider(asking, provider, model):
    failure = asking(model, api_base="")().failure
    assert failure == f"unknown model {model!r}: write provider/model, as in openai/gpt-4o-mini"
    assert provider.received == []


def test_a_provider_whose_package_is_missing_is_said_so(asking):
    assert asking("vertex_ai/gemini-pro", api_base="", retries=2)().failure.startswith("a package is missing: ")


def test_litellm_is_loaded_when_something_is_sent_and_not_before():
    assert modules_after("import compactor_cli.llm.asker, compactor_cli.llm.litellm_client") == []


def process(provider, model, **variables):
    command = [sys.executable, "-c", ASKING, model, provider.api_base(model)]
    variables = {**provider.environment(model), **variables}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment(**variables))


@pytest.mark.everything  # tests/llm/test_interrupt.py has it of the command
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_an_interrupt_ends_the_process_though_the_server_hangs(provider):
    provider.play(server.hang())
    running = process(provider, OPENAI)
    provider.wait_for(2)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (130, b"", b"")
    assert len(provider.received) == 2


def test_a_process_prints_nothing_that_is_not_ours(provider):
    """Neither litellm's words nor warnings of Python."""
    provider.play(server.fail_with(times=1), server.reply_with(lambda received: f"re {received.text}"))
    out, err = process(provider, ANTHROPIC, PYTHONWARNINGS="default::UserWarning").communicate(timeout=60)
    assert sorted(out.split()) == sorted(b"re 0 re 1 re 2 re 3".split())
    assert err == b""
