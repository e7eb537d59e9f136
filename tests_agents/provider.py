"""A provider on this machine. It records the requests, and answers "ok" in the form of the API that was called."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@contextmanager
def provider():
    """Run the provider, and give its address and the bodies of all requests for an answer so far."""
    asked: list[Any] = []

    class Handler(_Handler):
        requests = asked

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    requests: list[Any]
    """List to which the bodies are added."""

    def log_message(self, *args):
        pass

    def do_GET(self):
        self._reply("application/json", b'{"data":[],"object":"list","models":[]}')

    def do_POST(self):
        body = self._body()
        value = json.loads(body) if body.startswith(b"{") else {}
        for word, answer in _ANSWERS:
            if word in self.path:
                if answer is not _counted:
                    self.requests.append(value)
                self._reply(*answer(value, self.path))
                return
        self._reply("application/json", b"{}")

    def _body(self):
        if length := self.headers.get("content-length"):
            return self.rfile.read(int(length))
        body = b""
        while size := int(self.rfile.readline().strip() or b"0", 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _reply(self, kind, data):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _events(*values):
    named = (f"event: {v['type']}\n" if "type" in v else "" for v in values)
    text = "".join(f"{name}data: {json.dumps(value)}\n\n" for name, value in zip(named, values, strict=True))
    return "text/event-stream", text.encode()


def _counted(value, path):
    return "application/json", b'{"input_tokens":10}'


def _messages(value, path):
    message: dict[str, Any] = {
        "id": "msg_x",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    text = {"type": "text", "text": ""}
    end = {"delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 1}}
    return _events(
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": text},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "ok"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", **end},
        {"type": "message_stop"},
    )


def _responses(value, path):
    content = [{"type": "output_text", "text": "ok", "annotations": []}]
    item = {"type": "message", "id": "m1", "status": "completed", "role": "assistant", "content": content}
    usage = {
        "input_tokens": 1,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 1,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 2,
    }
    response = {"id": "r1", "object": "response", "created_at": 1, "model": "m", "usage": usage, "output": [item]}
    return _events(
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {**response, "status": "completed"}},
    )


def _completions(value, path):
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    said = {"index": 0, "delta": {"role": "assistant", "content": "ok"}, "finish_reason": None}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    if not value.get("stream"):
        whole = {"index": 0, "message": {"role": "assistant", "content": "ok"}, "finish_reason": "stop"}
        answer = {**head, "object": "chat.completion", "choices": [whole], "usage": usage}
        return "application/json", json.dumps(answer).encode()
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    kind, data = _events(
        {**head, "choices": [said]}, {**head, "choices": [end]}, {**head, "choices": [], "usage": usage}
    )
    return kind, data + b"data: [DONE]\n\n"


def _contents(value, path):
    candidate = {"content": {"role": "model", "parts": [{"text": "ok"}]}, "finishReason": "STOP", "index": 0}
    counts = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    answer = {"candidates": [candidate], "usageMetadata": counts, "modelVersion": "m"}
    return _events(answer) if "stream" in path else ("application/json", json.dumps(answer).encode())


_ANSWERS = (
    ("count_tokens", _counted),
    ("/messages", _messages),
    ("/responses", _responses),
    ("chat/completions", _completions),
    ("enerateContent", _contents),
)
