"""Sends one request through litellm with a deadline and retries after transient failures, and interprets its
errors; never raises."""

from __future__ import annotations

import json
import logging
import os
import re
import time
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.asking.port import Finish, ModelAnswer, ModelRequest
from compactor_cli.asking.turns import merge_turns
from compactor_cli.llm.deadline import DeadlineError, run_within
from compactor_cli.llm.prices import output_limit
from compactor_cli.llm.redact import redact
from compactor_cli.settings import LlmSettings

_QUIET_ENVIRONMENT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_MODE": "PRODUCTION",
}
"""Keeps litellm from downloading a price table and a list of headers, and from reading a stray `.env`."""
_FINISHES: dict[str, Finish] = {
    "stop": "stop",
    "end_turn": "stop",
    "length": "length",
    "max_tokens": "length",
    "tool_calls": "tool",
    "function_call": "tool",
}
NOT_INSTALLED = "asking a model needs litellm, which is not installed: pip install litellm"
_NO_KEY = "none"
"""Placeholder key for a user's own server, which needs none; the client libraries insist on one."""
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


class LitellmClient:
    """Asks one model. The setting `timeout` limits each attempt, from sending to the last byte."""

    def __init__(self, model: str, settings: LlmSettings, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._model, self._settings, self._sleep = model, settings, sleep

    def __call__(self, request: ModelRequest) -> ModelAnswer:
        problem = self.problem()
        if problem:
            return ModelAnswer(failure=problem, final=True)
        litellm = load_litellm()
        options = self._options(litellm, request)
        tries = 1
        while True:
            outcome = self._attempt(litellm, options)
            if isinstance(outcome, ModelAnswer):
                return outcome
            # with a cost limit, a request that may already be billed is not repeated
            dear = outcome.billed and self._settings.max_cost is not None
            if not outcome.is_transient or dear or tries > self._settings.retries:
                why = f"{outcome.why} ({tries} tries)" if tries > 1 else outcome.why
                return ModelAnswer(failure=why, final=outcome.final, billed=outcome.billed)
            self._sleep(max(self._settings.backoff * 2 ** (tries - 1), outcome.wait))
            tries += 1

    def _attempt(self, litellm: Any, options: dict[str, Any]) -> ModelAnswer | Failure:
        timeout = self._settings.timeout
        try:
            return _parse_answer(run_within(timeout, partial(litellm.completion, **options)))
        except DeadlineError:
            return timeout_failure(timeout)
        except Exception as error:  # litellm raises whatever a provider's code raises
            return interpret_error(error, timeout)

    def problem(self) -> str:
        """Return why nothing can be sent at all; empty if something can."""
        try:
            litellm = load_litellm()
        except ModuleNotFoundError as error:
            if error.name != "litellm":
                raise
            return NOT_INSTALLED
        try:
            litellm.get_llm_provider(model=self._model, api_base=self._settings.api_base or None)
        except Exception:  # whatever the error, the provider was not found
            return redact(f"unknown model {self._model!r}: write provider/model, as in openai/gpt-4o-mini")
        missing = [] if self._settings.api_base else self._missing_keys(litellm)
        return f"no API key for {self._model}; set {' or '.join(missing)}" if missing else ""

    def _missing_keys(self, litellm: Any) -> list[str]:
        """Return the unset variables for an API key, of which the provider needs one."""
        missing = litellm.validate_environment(model=self._model).get("missing_keys", [])
        return [name for name in missing if name.endswith("_API_KEY")]

    def _options(self, litellm: Any, request: ModelRequest) -> dict[str, Any]:
        options: dict[str, Any] = {
            "model": self._model,
            "messages": _litellm_messages(self._arrange_turns(litellm, request)),
            "max_tokens": output_limit(self._model, request.max_tokens),
            "temperature": self._settings.temperature,
            "timeout": self._settings.timeout,
            "max_retries": 0,
            "num_retries": 0,
            "drop_params": True,
            "caching": False,
        }
        if self._settings.api_base:
            options["api_base"] = self._settings.api_base
            if self._missing_keys(litellm):
                options["api_key"] = _NO_KEY
        if request.schema is not None:
            schema = {"name": "answer", "strict": True, "schema": dict(request.schema)}
            options["response_format"] = {"type": "json_schema", "json_schema": schema}
        return options

    def _arrange_turns(self, litellm: Any, request: ModelRequest) -> ModelRequest:
        if self._settings.strict_roles:
            return with_strict_roles(request)
        base = self._settings.api_base or None
        provider = litellm.get_llm_provider(model=self._model, api_base=base)[1]
        if provider != "anthropic":
            return request
        # system turns first, so that Anthropic's system field gets them all
        return replace(request, turns=tuple(sorted(request.turns, key=lambda turn: turn.role != "system")))


@cache
def load_litellm() -> Any:
    """Return litellm, imported on the first call, and kept from downloading, logging and reporting."""
    for name, value in _QUIET_ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.cache = None
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return litellm


def with_strict_roles(request: ModelRequest) -> ModelRequest:
    """Return the request with all system text in the system field, and neighbouring turns of the same role merged."""
    system = [request.system, *(turn.text for turn in request.turns if turn.role == "system")]
    turns = merge_turns(turn for turn in request.turns if turn.role != "system")
    return replace(request, system="\n\n".join(filter(None, system)), turns=turns)


def _litellm_messages(request: ModelRequest) -> list[dict[str, str]]:
    system = [{"role": "system", "content": _without_surrogates(request.system)}] if request.system else []
    return system + [{"role": turn.role, "content": _without_surrogates(turn.text)} for turn in request.turns]


def _without_surrogates(text: str) -> str:
    """Return the text with surrogate pairs joined and lone ones replaced, as UTF-8 cannot hold them."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _parse_answer(response: Any) -> ModelAnswer:
    prompt_tokens = _usage_tokens(response, "prompt_tokens")
    completion_tokens = _usage_tokens(response, "completion_tokens")
    if not response.choices:
        return ModelAnswer(finish="other", prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)
    choice = response.choices[0]
    calls = getattr(choice.message, "tool_calls", None)
    finish = "tool" if calls else _FINISHES.get(str(choice.finish_reason), "other")
    return ModelAnswer(choice.message.content or "", finish, prompt_tokens, completion_tokens)


def _usage_tokens(response: Any, name: str) -> int | None:
    """Return a number of the answer's usage; None for 0, which litellm puts where nothing is reported."""
    value = getattr(getattr(response, "usage", None), name, None)
    return value if isinstance(value, int) and value > 0 else None


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
