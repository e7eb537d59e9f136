"""Interpret litellm's errors: what went wrong, in words for people, and whether a retry may help."""

from __future__ import annotations

import json
import re
from typing import Any

from msgspec import Struct

from compactor_cli.llm.redact import redact

_MAX_REASON_CHARS = 200
_MAX_WAIT_SECONDS = 60.0
"""Maximum seconds that a provider may make us wait; some ask for an hour."""
_TRANSIENT_STATUSES = {408, 409, 425, 429}
"""Status codes below 500 after which the same request may succeed."""
_FINAL_STATUSES = {401, 403, 404}
"""Status codes after which no request will succeed, because the key or the model is wrong."""
_PREFIXES = re.compile(r"^(?:litellm\.\w+: |\w+(?:Error|Exception)(?: -|:) )+")
_ADVICE = re.compile(r"\.?\s*Handle with `litellm\.\w+`\.?$")
_NOT_JSON = ("Expecting value", "json response")
_SERVER_FAULTS = ("Traceback (most recent call last)", "invalid response", "provider returned")
"""Excerpts of errors that litellm raises for an unreadable body, with status 500."""


class Failure(Struct, frozen=True):
    """Why an attempt brought no answer. `wait`: seconds that the provider asks to wait. The other fields are as in
    `ModelAnswer`."""

    why: str
    is_transient: bool
    wait: float = 0.0
    final: bool = False
    billed: bool = False


def timeout_failure(seconds: float) -> Failure:
    """Return the failure of an attempt that exceeded the time limit."""
    return Failure(f"no answer within {seconds:g} s", is_transient=True, billed=True)


def interpret_error(error: Exception, timeout: float) -> Failure:
    """Return the failure for an error of litellm. `timeout`: the time limit of the attempt in seconds."""
    status = getattr(error, "status_code", None)
    if status == 408:
        return timeout_failure(timeout)
    origin = _root_cause(error)
    if isinstance(origin, ImportError):  # some providers need an additional package
        return Failure(
            redact(f"a package is missing: {_provider_message(str(origin))}"), is_transient=False, final=True
        )
    passing = not isinstance(status, int) or status >= 500 or status in _TRANSIENT_STATUSES
    words = redact(_reason(status, str(error), origin))
    # litellm reports 500 for truncated or unreadable answers; the message of a server's own 500 says so
    unread = status in (None, 500) and not words.startswith("500: ") and not isinstance(origin, ConnectionRefusedError)
    return Failure(
        words, passing, _retry_after_seconds(error), final=status in _FINAL_STATUSES, billed=passing and unread
    )


def _reason(status: object, message: str, origin: BaseException) -> str:
    detail = _provider_message(message)
    if status not in (None, 500):
        return f"{status}: {detail}"
    # litellm also reports 500 for local errors
    if isinstance(origin, OSError):
        return f"connection failed: {_provider_message(str(origin))}"
    if any(mark in message for mark in _NOT_JSON):
        return "the answer of the server is not JSON"
    if any(mark in message for mark in _SERVER_FAULTS):
        return f"the answer of the server cannot be read: {_provider_message(str(origin))}"
    if "onnection" in detail:
        return f"connection failed: {_provider_message(str(origin))}"
    return detail if status is None else f"{status}: {detail}"


def _root_cause(error: BaseException) -> BaseException:
    """Return the original error behind all others; it shows why there is no connection."""
    cause = error.__cause__ or error.__context__
    return _root_cause(cause) if cause is not None else error


def _provider_message(message: str) -> str:
    """Return the provider's message without exception names and the surrounding JSON."""
    text = _ADVICE.sub("", _PREFIXES.sub("", message.strip()))
    if text.startswith("{"):
        try:
            body = json.loads(text)
            text = str(body.get("error", body).get("message") or text)
        except (ValueError, AttributeError):
            pass  # not in the usual form: repeated unchanged
    line = " ".join(text.split())
    return line if len(line) <= _MAX_REASON_CHARS else f"{line[:_MAX_REASON_CHARS]}…"


def _retry_after_seconds(error: Exception) -> float:
    """Return the seconds in the Retry-After header; 0 if it is missing or a date."""
    headers: Any = getattr(error, "litellm_response_headers", None) or {}
    try:
        seconds = float(headers.get("retry-after"))
    except (TypeError, ValueError):
        return 0.0
    return min(max(seconds, 0.0), _MAX_WAIT_SECONDS)
