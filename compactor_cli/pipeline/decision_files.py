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
from compactor_cli.model.decisions import Aim, Choice, Decided, Decisions, Spot
from compactor_cli.model.message import Message
from compactor_cli.model.transcript import Source

VERSION = 1
_CHOICES: tuple[Choice, ...] = ("keep", "drop")
_DIGITS = 16
"""Hexadecimal digits of a fingerprint."""
_MADE = "`compactor browse` writes such files"


def fingerprint(message: Message) -> str:
    """Return a fingerprint of a message's role and contents, without ids, since some readers generate them."""
    parts = [[part.kind, part.name, part.text] for part in message.parts]
    text = json.dumps([message.role, parts], ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def decisions_on(source: Source, choices: Mapping[Spot, Choice], aim: Aim) -> Decisions:
    """Return decisions on the messages of a file, with the fingerprints of the messages."""
    messages = {spot: source.transcripts[spot.conversation].messages[spot.message] for spot in choices}
    return Decisions(
        input_sha256=sha256(source.stored),
        format=source.format,
        messages=source.message_count,
        aim=aim,
        choices=dict(choices),
        fingerprints={spot: fingerprint(message) for spot, message in messages.items()},
    )


def write_decisions(decisions: Decisions) -> str:
    """Return the text of a decisions file. The same decisions always give the same text."""
    aim = decisions.aim
    several = any(spot.conversation for spot in decisions.choices)
    value: dict[str, Any] = {
        "version": VERSION,
        "input": {
            "sha256": decisions.input_sha256,
            "format": decisions.format,
            "messages": decisions.messages,
        },
    }
    named = {"target_tokens": aim.target_tokens, "target_ratio": aim.target_ratio, "strategy": aim.strategy or None}
    value |= {name: setting for name, setting in named.items() if setting is not None}
    value["decisions"] = [
        {
            **({"conversation": spot.conversation} if several else {}),
            "message": spot.message,
            "decision": decisions.choices[spot],
            "fingerprint": decisions.fingerprints[spot],
        }
        for spot in sorted(decisions.choices)
    ]
    return json.dumps(value, indent=2) + "\n"


def read_decisions(text: str, path: str) -> Decisions:
    """Return the decisions in a file's text. Raises InputError with what is wrong and where."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"not a file of decisions: not JSON: {error.msg}; {_MADE}", path=path, line=error.lineno
        ) from None
    except RecursionError:
        raise InputError(f"not a file of decisions: nested too deeply; {_MADE}", path=path) from None
    if not isinstance(value, dict) or "decisions" not in value:
        raise InputError(f"not a file of decisions: it has no list `decisions`; {_MADE}", path=path)
    if value.get("version") != VERSION:
        raise InputError(
            f"unknown version {value.get('version')!r} of decisions; this program reads version {VERSION}", path=path
        )
    return _Reader(path).decisions(value)


class _Reader(Struct, frozen=True):
    """Reads and checks the members of one file."""

    path: str

    def decisions(self, value: Mapping[str, Any]) -> Decisions:
        described = self._typed(value.get("input", {}), dict, "input")
        listed = self._typed(value["decisions"], list, "decisions")
        choices: dict[Spot, Choice] = {}
        fingerprints: dict[Spot, str] = {}
        for index, item in enumerate(listed):
            place = f"decisions[{index}]"
            entry = self._typed(item, dict, place)
            spot = Spot(
                self._number(entry.get("conversation", 0), f"{place}.conversation"),
                self._number(entry.get("message"), f"{place}.message"),
            )
            if entry.get("decision") not in _CHOICES:
                raise self._wrong(f"{place}.decision", entry.get("decision"), "`keep` or `drop`")
            if choices.get(spot, entry["decision"]) != entry["decision"]:
                raise self._wrong(place, entry["decision"], f"only one decision on message {spot.message}, found two")
            choices[spot] = entry["decision"]
            fingerprints[spot] = self._typed(entry.get("fingerprint"), str, f"{place}.fingerprint")
        return Decisions(
            input_sha256=self._typed(described.get("sha256", ""), str, "input.sha256"),
            format=self._typed(described.get("format", ""), str, "input.format"),
            messages=self._number(described.get("messages", 0), "input.messages"),
            aim=self._aim(value),
            choices=choices,
            fingerprints=fingerprints,
        )

    def _aim(self, value: Mapping[str, Any]) -> Aim:
        tokens, ratio = value.get("target_tokens"), value.get("target_ratio")
        if tokens is not None and self._number(tokens, "target_tokens") < 1:
            raise self._wrong("target_tokens", tokens, "a number of tokens of at least 1")
        if ratio is not None and (isinstance(ratio, bool) or not isinstance(ratio, int | float) or not 0 <= ratio <= 1):
            raise self._wrong("target_ratio", ratio, "a share between 0 and 1")
        return Aim(tokens, ratio, self._typed(value.get("strategy", ""), str, "strategy"))

    def _number(self, value: Any, place: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self._wrong(place, value, "a whole number from 0")
        return value

    def _typed(self, value: Any, kind: type, place: str) -> Any:
        names: dict[type, str] = {dict: "an object", list: "a list", str: "a text"}
        if not isinstance(value, kind):
            raise self._wrong(place, value, names[kind])
        return value

    def _wrong(self, place: str, value: Any, wanted: str) -> InputError:
        shown = json.dumps(value)[:60]
        return InputError(f"{place}: expected {wanted}, found {shown}", path=self.path)


class MatchedDecisions(Struct, frozen=True):
    """Decisions matched with the messages of a session."""

    choices: Mapping[Spot, Choice]
    """Decisions on messages that have not changed."""
    lost: tuple[Spot, ...]
    """Messages that are gone or have changed."""
    changed: bool
    """Whether the session's bytes differ from those that the decisions were made on."""

    def of(self, source: Source) -> tuple[Decided, ...]:
        """Return the decisions on each conversation of a file."""
        return by_conversation(self.choices, len(source.transcripts))


def match_decisions(decisions: Decisions, source: Source) -> MatchedDecisions:
    """Return the decisions, split by whether the session still has the same message under the same number."""
    holds: dict[Spot, Choice] = {}
    for spot, choice in sorted(decisions.choices.items()):
        message = _message_at(source, spot)
        if message is not None and fingerprint(message) == decisions.fingerprints[spot]:
            holds[spot] = choice
    lost = tuple(spot for spot in sorted(decisions.choices) if spot not in holds)
    return MatchedDecisions(holds, lost, decisions.input_sha256 != sha256(source.stored))


def by_conversation(choices: Mapping[Spot, Choice], conversations: int) -> tuple[Decided, ...]:
    """Return the decisions on each of `conversations` conversations."""
    chosen: defaultdict[tuple[int, Choice], set[int]] = defaultdict(set)
    for spot, choice in choices.items():
        chosen[spot.conversation, choice].add(spot.message)
    return tuple(Decided(frozenset(chosen[i, "keep"]), frozenset(chosen[i, "drop"])) for i in range(conversations))


def _message_at(source: Source, spot: Spot) -> Message | None:
    if spot.conversation >= len(source.transcripts):
        return None
    messages = source.transcripts[spot.conversation].messages
    return messages[spot.message] if spot.message < len(messages) else None
