"""Files of decisions: read them, write them, and match them with the session that they are used on."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from compactor_cli.errors import InputError
from compactor_cli.model.content import sha256
from compactor_cli.model.decisions import Aim, Choice, Decided, Decisions, MessageKey
from compactor_cli.model.message import Message
from compactor_cli.model.transcript import Source

VERSION = 1
_CHOICES: tuple[Choice, ...] = ("keep", "drop")
_FINGERPRINT_DIGITS = 16
_HINT = "`compactor browse` writes such files"


def fingerprint(message: Message) -> str:
    """Return a fingerprint of a message's role and contents, without ids, since some readers generate them."""
    parts = [[part.kind, part.name, part.text] for part in message.parts]
    text = json.dumps([message.role, parts], ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_FINGERPRINT_DIGITS]


def decisions_on(source: Source, choices: Mapping[MessageKey, Choice], aim: Aim) -> Decisions:
    """Return decisions on the messages of a file, with the fingerprints of the messages."""
    messages = {key: source.transcripts[key.conversation].messages[key.message] for key in choices}
    return Decisions(
        input_sha256=sha256(source.stored),
        format=source.format,
        messages=source.message_count,
        aim=aim,
        choices=dict(choices),
        fingerprints={key: fingerprint(message) for key, message in messages.items()},
    )


def write_decisions(decisions: Decisions) -> str:
    """Return the text of a decisions file. The same decisions always give the same text."""
    aim = decisions.aim
    has_conversations = any(key.conversation for key in decisions.choices)
    value: dict[str, Any] = {
        "version": VERSION,
        "input": {
            "sha256": decisions.input_sha256,
            "format": decisions.format,
            "messages": decisions.messages,
        },
    }
    target_values = {
        "target_tokens": aim.target_tokens,
        "target_ratio": aim.target_ratio,
        "strategy": aim.strategy or None,
    }
    value |= {name: setting for name, setting in target_values.items() if setting is not None}
    value["decisions"] = [
        {
            **({"conversation": key.conversation} if has_conversations else {}),
            "message": key.message,
            "decision": decisions.choices[key],
            "fingerprint": decisions.fingerprints[key],
        }
        for key in sorted(decisions.choices)
    ]
    return json.dumps(value, indent=2) + "\n"


def read_decisions(text: str, path: str) -> Decisions:
    """Return the decisions in a file's text. Raises InputError with what is wrong and where."""
    try:
        return _parse_decisions(text)
    except InputError as error:
        raise error.at(path) from None


def _parse_decisions(text: str) -> Decisions:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"not a file of decisions: not JSON: {error.msg}; {_HINT}", line=error.lineno) from None
    except RecursionError:
        raise InputError(f"not a file of decisions: nested too deeply; {_HINT}") from None
    if not isinstance(value, dict) or "decisions" not in value:
        raise InputError(f"not a file of decisions: it has no list `decisions`; {_HINT}")
    if value.get("version") != VERSION:
        raise InputError(f"unknown version {value.get('version')!r} of decisions; this program reads version {VERSION}")
    input_value = _check_type(value.get("input", {}), dict, "input")
    choices: dict[MessageKey, Choice] = {}
    fingerprints: dict[MessageKey, str] = {}
    for index, item in enumerate(_check_type(value["decisions"], list, "decisions")):
        where = f"decisions[{index}]"
        entry = _check_type(item, dict, where)
        key = MessageKey(
            _number(entry.get("conversation", 0), f"{where}.conversation"),
            _number(entry.get("message"), f"{where}.message"),
        )
        if entry.get("decision") not in _CHOICES:
            raise _error(f"{where}.decision", entry.get("decision"), "`keep` or `drop`")
        if choices.get(key, entry["decision"]) != entry["decision"]:
            raise _error(where, entry["decision"], f"only one decision on message {key.message}, found two")
        choices[key] = entry["decision"]
        fingerprints[key] = _check_type(entry.get("fingerprint"), str, f"{where}.fingerprint")
    return Decisions(
        input_sha256=_check_type(input_value.get("sha256", ""), str, "input.sha256"),
        format=_check_type(input_value.get("format", ""), str, "input.format"),
        messages=_number(input_value.get("messages", 0), "input.messages"),
        aim=_aim(value),
        choices=choices,
        fingerprints=fingerprints,
    )


def _aim(value: Mapping[str, Any]) -> Aim:
    tokens, ratio = value.get("target_tokens"), value.get("target_ratio")
    if tokens is not None and _number(tokens, "target_tokens") < 1:
        raise _error("target_tokens", tokens, "a number of tokens of at least 1")
    if ratio is not None and (isinstance(ratio, bool) or not isinstance(ratio, int | float) or not 0 <= ratio <= 1):
        raise _error("target_ratio", ratio, "a share between 0 and 1")
    return Aim(tokens, ratio, _check_type(value.get("strategy", ""), str, "strategy"))


def _number(value: Any, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _error(where, value, "a whole number from 0")
    return value


def _check_type(value: Any, kind: type, where: str) -> Any:
    names: dict[type, str] = {dict: "an object", list: "a list", str: "a text"}
    if not isinstance(value, kind):
        raise _error(where, value, names[kind])
    return value


def _error(where: str, value: Any, expected: str) -> InputError:
    return InputError(f"{where}: expected {expected}, found {json.dumps(value)[:60]}")


class MatchedDecisions(Struct, frozen=True):
    """Decisions matched with the messages of a session."""

    choices: Mapping[MessageKey, Choice]
    unmatched: tuple[MessageKey, ...]
    changed: bool

    def for_source(self, source: Source) -> tuple[Decided, ...]:
        """Return the decisions on each conversation of a file."""
        return by_conversation(self.choices, len(source.transcripts))


def match_decisions(decisions: Decisions, source: Source) -> MatchedDecisions:
    """Return the decisions, split by whether the session still has the same message under the same number."""
    matched: dict[MessageKey, Choice] = {}
    for key, choice in sorted(decisions.choices.items()):
        message = _message_at(source, key)
        if message is not None and fingerprint(message) == decisions.fingerprints[key]:
            matched[key] = choice
    unmatched = tuple(key for key in sorted(decisions.choices) if key not in matched)
    return MatchedDecisions(matched, unmatched, decisions.input_sha256 != sha256(source.stored))


def by_conversation(choices: Mapping[MessageKey, Choice], count: int) -> tuple[Decided, ...]:
    """Return the decisions on each of `count` conversations."""
    chosen: defaultdict[tuple[int, Choice], set[int]] = defaultdict(set)
    for key, choice in choices.items():
        chosen[key.conversation, choice].add(key.message)
    return tuple(Decided(frozenset(chosen[i, "keep"]), frozenset(chosen[i, "drop"])) for i in range(count))


def _message_at(source: Source, key: MessageKey) -> Message | None:
    if key.conversation >= len(source.transcripts):
        return None
    messages = source.transcripts[key.conversation].messages
    return messages[key.message] if key.message < len(messages) else None
