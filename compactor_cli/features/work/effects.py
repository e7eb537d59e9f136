"""Calls of tools that act outside the session: bookings, messages, deletions."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from msgspec import Struct

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.ledger import failure_line
from compactor_cli.text.clean import one_line
from compactor_cli.text.json_values import json_or_text
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_VERBS = word_set(
    "book cancel update modify exchange return send create delete add remove transfer pay refund submit publish "
    "post issue save schedule reschedule order purchase deploy merge close reopen assign invite upload archive "
    "approve reject move rename reply comment subscribe unsubscribe charge register apply confirm upgrade "
    "downgrade change reset revoke grant enable disable toggle set share forward place launch trigger terminate "
    "provision restart escalate notify redeem renew withdraw"
)
_OPENS = word_set("ticket issue case claim dispute request incident account order pr")
"""What a tool opens outside the session; others open files and pages."""
_WITHIN = re.compile(r"patch|^edit|notebook|plan$|todo|(?:create|write|delete|update|move|rename)_?file", re.IGNORECASE)
"""Tools that change files and plans of the session, which are told elsewhere."""
_IDENTITY_KEYS = ("reservation_id", "order_id", "booking_id", "issue_id", "id")
_IDENTITY = compiled_later(r"(?:_id|Id|Key)$")
_NOT_MEANT = ("user_id", "userId", "payment_id", "paymentId", "payment_method_id", "session_id", "request_id")
"""Identities of who acts and how, not of what is acted on."""
_TITLE_KEYS = ("name", "title", "to", "subject", "email", "url")
_PERSON_KEYS = ("user_id", "userId")
_NAMES_ITSELF = re.compile(r"(?=\S*\d)[\w#][\w.:#/-]{2,39}")
"""A value that identifies something: one word with a digit in it."""
_MOST_RESULT = 20_000
"""Characters of a result from which on it is not read as JSON."""
_ARGUMENTS_WIDTH = 100


class Effect(Struct, frozen=True):
    """Something that a call did, or tried to do, outside the session."""

    text: str
    key: str
    """What a later success has to share with a failure to make up for it."""
    done: bool
    reason: str = ""
    """Why it failed, in the result's words."""


@lru_cache(maxsize=1024)  # a session calls the same few tools many times
def tool_words(tool: str) -> tuple[str, ...]:
    """The words of a tool's name, in lower case."""
    return tuple(word.lower() for word in re.findall(r"[A-Z]?[a-z\d]+|[A-Z]+(?![a-z])", tool))


@lru_cache(maxsize=1024)
def acts(tool: str) -> bool:
    """Return whether the name of a tool says that it changes something outside the session."""
    words = tool_words(tool)
    if not words or _WITHIN.search(tool):
        return False
    if words[0] == "open":
        return len(words) > 1 and words[1] in _OPENS
    return words == ("submit",) or (len(words) > 1 and words[0] in _VERBS)


def act_effect(call: ToolCall) -> Effect:
    """The effect of a call of a tool that acts, named by what identifies it."""
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    given = _identities(arguments)
    titles = [_scalar(arguments.get(key)) for key in _TITLE_KEYS]
    made = _made(call.said) if not given and not call.failed else []
    names = made or given or [_scalar(arguments.get(key)) for key in _PERSON_KEYS]
    head = " ".join(filter(None, [call.tool, *names, *titles]))
    rest = _details(arguments, {*_IDENTITY_KEYS, *_TITLE_KEYS, *_PERSON_KEYS})
    key = " ".join(
        filter(None, [call.tool, *(given or [_scalar(arguments.get(key)) for key in _PERSON_KEYS]), *titles])
    )
    text = one_line(head + (f" ({rest})" if rest else ""), 240)
    return Effect(text, one_line(key, 160), not call.failed, reason(call))


def _identities(arguments: dict[str, Any]) -> list[str]:
    """Return what the arguments identify: a reservation, an order, an issue."""
    keys = [*_IDENTITY_KEYS, *(key for key in arguments if _IDENTITY.search(key) and key not in _NOT_MEANT)]
    return list(dict.fromkeys(filter(None, (_scalar(arguments.get(key)) for key in keys))))[:2]


def _stated(said: str) -> str:
    """Return the error that a JSON result has as a member of its own; empty where it has none."""
    value = _object(said)
    return next((text for key in ("error", "message", "detail") if isinstance(text := value.get(key), str)), "")


def _object(said: str) -> dict[str, Any]:
    """Return a result that is a JSON object; an empty one for any other."""
    if len(said) > _MOST_RESULT or not said.lstrip().startswith("{"):
        return {}
    value = json_or_text(said)
    return value if isinstance(value, dict) else {}


def _made(said: str) -> list[str]:
    """Return what a result says to identify what was made: its identities, else the members that are one word with a
    digit."""
    members = {key: text for key, item in _object(said).items() if key not in _NOT_MEANT and (text := _scalar(item))}
    return _identities(members) or [text for text in members.values() if _NAMES_ITSELF.fullmatch(text)][:2]


def _scalar(value: object) -> str:
    return one_line(str(value), 60) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _details(arguments: dict[str, Any], known: set[str]) -> str:
    """Further arguments that fit on a line, as `name value`."""
    found: list[str] = []
    room = _ARGUMENTS_WIDTH
    for key, value in arguments.items():
        text = _scalar(value)
        said = f"{key} {text}"
        if key in known or not text or _IDENTITY.search(key) or len(said) + 2 > room:
            continue
        found.append(said)
        room -= len(said) + 2
    return ", ".join(found)


def reason(call: ToolCall) -> str:
    """Return what the result of a failed call says first of the failure."""
    if not call.failed:
        return ""
    return one_line(re.sub(r"</?\w+>", "", _stated(call.said) or failure_line(call.said)), 140)
