"""Profiles as TOML: the one shipped with the package, and those written by `learn`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pkgutil import get_data
from typing import Any

from msgspec.structs import replace

from compactor_cli.errors import UsageError
from compactor_cli.features.name_features import weight_names
from compactor_cli.features.talk import CHAT_SIGNALS, TALK_SIGNALS
from compactor_cli.model.profile import PROFILE_VERSION, Profile

_MAX_WEIGHT = 1_000


def parse_profile(text: str, name: str) -> Profile:
    """Return a profile from TOML. Raises UsageError with the file, the key and what is allowed.

    If it has no weights for statements, the shipped ones are used.
    """
    return complete_profile(_parse_document(text, name))


def complete_profile(profile: Profile) -> Profile:
    """Return a profile with the shipped weights for statements if it has none, as after learning."""
    shipped = default_profile()
    return replace(
        profile,
        talk=profile.talk or shipped.talk,
        binding=profile.binding or shipped.binding,
        needed=profile.needed or shipped.needed,
    )


def _parse_document(text: str, name: str) -> Profile:
    """Return the profile exactly as in the file."""
    import tomli

    try:
        document = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        raise UsageError(f"{name}: no TOML: {error}") from None
    version = document.get("version")
    if version != PROFILE_VERSION:
        raise UsageError(f"{name}: version is {version!r}; this program reads profiles of version {PROFILE_VERSION}")
    if not isinstance(document.get("weights"), dict):
        raise UsageError(f"{name}: no table [weights]; write a profile with `compactor learn FILE... -o {name}`")
    sessions = document.get("sessions", 0)
    figures = {key: float(v) for key, v in _flat_table(document.get("held_out", {})) if isinstance(v, (int, float))}
    return Profile(
        weights=_weights(document, "weights", weight_names(), name),
        name=name,
        sessions=sessions if isinstance(sessions, int) else 0,
        figures=figures,
        talk=_weights(document, "talk", ["bias", *TALK_SIGNALS], name),
        binding=_weights(document, "binding", ["bias", *TALK_SIGNALS], name),
        needed=_weights(document, "needed", ["bias", *CHAT_SIGNALS], name),
    )


def _weights(document: Mapping[str, Any], title: str, names: Iterable[str], file: str) -> dict[str, float]:
    """Return the numbers of a table by signal name; empty if the table is missing."""
    table = document.get(title, {})
    if not isinstance(table, dict):
        raise UsageError(f"{file}: {title} = {table!r}: has to be a table [{title}]")
    known = set(names)
    values: dict[str, float] = {}
    for key, value in _flat_table(table):
        where = f"{file}: [{title}] {key}"
        if key not in known:
            raise UsageError(f"{where}: unknown signal; the profile was made by another version")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= _MAX_WEIGHT:
            raise UsageError(f"{where} = {value!r}: has to be a number from -{_MAX_WEIGHT} to {_MAX_WEIGHT}")
        values[key] = float(value)
    return values


def _flat_table(table: Any, prefix: str = "") -> list[tuple[str, Any]]:
    """Return the keys of nested tables joined by dots, with their values."""
    pairs: list[tuple[str, Any]] = []
    for key, value in table.items() if isinstance(table, dict) else ():
        pairs += _flat_table(value, f"{prefix}{key}.") if isinstance(value, dict) else [(prefix + key, value)]
    return pairs


@cache
def default_profile() -> Profile:
    """Return the profile shipped with the package; its comments name the sessions that it was learned from."""
    text = get_data("compactor_cli.profiles", "default.toml")  # faster than importlib.resources
    assert text is not None
    return _parse_document(text.decode("utf-8"), "default")
