"""A provider of language models on the loopback interface, with answers that a test scripts.

It implements OpenAI's chat completions and Anthropic's messages over real connections, so that tests use the real
client library.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

OPENAI, ANTHROPIC = "openai/gpt-4o-mini", "anthropic/claude-haiku-4-5"
KEY = "sk-test-0123456789abcdefghijklmnop"

_PATHS = {"/v1/chat/completions": "openai", "/v1/messages": "anthropic"}
_ANTHROPIC_WORDS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}


@dataclass(frozen=True)
class Received:
    """A request as it arrived."""

    path: str
    headers: dict
    body: dict

    @property
    def api(self):
        return _PATHS[self.path]

    @property
    def key(self):
        """The API key of the request, without the word before it."""
        return (self.headers.get("authorization") or self.headers.get("x-api-key") or "").removeprefix("Bearer ")

    @property
    def text(self):
        """The system prompt and all messages, joined by newlines."""
        parts = [self.body.get("system")] + [message["content"] for message in self.body.get("messages", ())]
        return "\n".join(_plain(part) for part in parts if part)


def _plain(content):
    return content if isinstance(content, str) else "\n".join(block.get("text", "") for block in content)


@dataclass(frozen=True)
class Reply:
    """What the server does with a request. `times`: how often, or None for every time. `when`: tests the request's
    text."""

    text: str | Callable[[Received], str] = "An answer."
    status: int = 200
    finish: str | None = "stop"
    headers: dict = field(default_factory=dict)
    raw: bytes | None = None
    manner: str = "whole"
    """`whole`, `cut` or `cut_chunks` (the connection is closed early), `hang`, `trickle` (byte after byte)."""
    tool: bool = False
    factor: int = 1
    """Factor applied to the token count that the server reports for the request."""
    times: int | None = None
    when: Callable[[str], bool] | None = None


def reply_with(text, **more):
    """Reply with the text, or with what a function makes of the request."""
    return Reply(text=text, **more)


def rate_limited(retry_after=None, **more):
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return Reply(text="Rate limit reached.", status=429, headers=headers, **more)


def fail_with(status=500, text="The server had an error.", **more):
    return Reply(text=text, status=status, **more)


def hang(**more):
    """Do not answer until the server is closed."""
    return Reply(manner="hang", **more)


def trickle(**more):
    """Send an endless answer, a byte now and then."""
    return Reply(manner="trickle", **more)


def cut_off(*, chunked=False, **more):
    """Send only the first half of an answer."""
    return Reply(text="Half of an answer. " * 20, manner="cut_chunks" if chunked else "cut", **more)


def reply_empty(**more):
    return Reply(text="", **more)


def not_json(raw=b"<html>Bad gateway</html>", **more):
    return Reply(raw=raw, **more)


def too_long(text="An answer that was cut off at the", **more):
    """Send an answer that ends at the token limit."""
    return Reply(text=text, finish="length", **more)


def longer_than_input(**more):
    return Reply(text=lambda received: f"{received.text}\n" * 2, **more)


def call_tool(**more):
    """Send a tool call instead of an answer."""
    return Reply(text="", finish="tool_calls", tool=True, **more)


def echo_key(**more):
    """Send an error that repeats the API key, as providers do."""
    return Reply(text=lambda received: f"Incorrect API key provided: {received.key}.", status=401, **more)


class Provider:
    """The server. `script` is a list of replies; the first that matches and is not used up is sent."""

    def __init__(self):
        self.script: list[Reply] = []
        self.received: list[Received] = []
        self.most_at_once = 0
        self.released = threading.Event()
        self._used: dict[int, int] = {}
        self._at_once = 0
        self._lock = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def base(self):
        """Address without a path, as Anthropic's API expects it."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def api_base(self, model=OPENAI):
        """Return the address that litellm expects for the provider of a model."""
        return self.base if model.startswith("anthropic/") else f"{self.base}/v1"

    def play(self, *script):
        """Replace the script by replies, or by texts that stand for an answer."""
        with self._lock:
            self.script = [replace(entry) if isinstance(entry, Reply) else reply_with(entry) for entry in script]
            self._used = {}

    def environment(self, model=OPENAI, **more):
        """Return the variables with which a process asks this server, and retries quickly."""
        return {
            "COMPACTOR_LLM_MODEL": model,
            "COMPACTOR_LLM_API_BASE": self.api_base(model),
            "COMPACTOR_LLM_BACKOFF": "0.01",
            "OPENAI_API_KEY": KEY,
            "ANTHROPIC_API_KEY": KEY,
            "NO_PROXY": "*",
            **more,
        }

    def wait_for(self, count, seconds=60):
        """Wait until a number of requests have arrived."""
        with self._lock:
            assert self._lock.wait_for(lambda: len(self.received) >= count, seconds), "the requests did not arrive"

    def close(self):
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def reply_to(self, received):
        """Record a request, and return the reply to it."""
        with self._lock:
            self.received.append(received)
            self._lock.notify_all()
            for at, reply in enumerate(self.script):
                used = self._used.get(at, 0)
                if (reply.times is None or used < reply.times) and (not reply.when or reply.when(received.text)):
                    self._used[at] = used + 1
                    return reply
        return Reply()

    def update(self, change):
        with self._lock:
            self._at_once += change
            self.most_at_once = max(self.most_at_once, self._at_once)


def body_of(received, reply):
    """Return the bytes of an answer in the form of the API that was called."""
    if reply.raw is not None:
        return reply.raw
    text = reply.text(received) if callable(reply.text) else reply.text
    if reply.status != 200:
        return json.dumps({"type": "error", "error": {"type": "error", "message": text, "code": None}}).encode()
    tokens = reply.factor * (len(received.text) // 4), len(text) // 4
    form = _openai if received.api == "openai" else _anthropic
    return json.dumps(form(received, reply, text, *tokens)).encode()


def _openai(received, reply, text, asked, answered):
    message = {"role": "assistant", "content": text}
    if reply.tool:
        function = {"name": "shell", "arguments": '{"command": "ls"}'}
        message = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
        }
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": received.body.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish}],
        "usage": {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered},
    }


def _anthropic(received, reply, text, asked, answered):
    forced = (received.body.get("tool_choice") or {}).get("name")
    finish = _ANTHROPIC_WORDS.get(reply.finish, reply.finish)
    content = [{"type": "text", "text": text}] if text else []
    if reply.tool:
        content = [{"type": "tool_use", "id": "toolu_1", "name": "shell", "input": {"command": "ls"}}]
    elif forced:  # how a schema is requested from some models
        content, finish = [{"type": "tool_use", "id": "toolu_1", "name": forced, "input": json.loads(text)}], "tool_use"
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": received.body.get("model"),
        "content": content,
        "stop_reason": finish,
        "stop_sequence": None,
        "usage": {"input_tokens": asked, "output_tokens": answered},
    }


def _handler(provider):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path not in _PATHS:
                self.send_error(404)
                return
            received = Received(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            provider.update(+1)
            try:
                self.play(received, provider.reply_to(received))
            except ConnectionError:  # the client did not wait for the answer
                self.close_connection = True
            finally:
                provider.update(-1)

        def play(self, received, reply):
            if reply.manner == "hang":
                provider.released.wait()
                self.close_connection = True
                return
            data = body_of(received, reply)
            self.send_response(reply.status)
            self.send_header("Content-Type", "application/json")
            for name, value in reply.headers.items():
                self.send_header(name, value)
            getattr(self, f"send_{reply.manner}")(data)

        def send_whole(self, data):
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def send_cut(self, data):
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2])
            self.close_connection = True

        def send_cut_chunks(self, data):
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            half = data[: len(data) // 2]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(half), half))
            self.close_connection = True

        def send_trickle(self, data):
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            while not provider.released.wait(0.02):
                self.wfile.write(b" ")
            self.close_connection = True

        def log_message(self, *args):
            """Print nothing."""

    return Handler
