"""The page of a session: its values as JSON, next to a fixed template, style and script."""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from compactor_cli.model.message import Message, Part
from compactor_cli.model.timeline import Entry
from compactor_cli.render.jsons import dumps, factors_json, lost_json, number, survival_json
from compactor_cli.text.clean import shown
from compactor_cli.views.overview import Share, by_role, by_tool, role_of
from compactor_cli.views.survival.result import Survival
from compactor_cli.views.timelines import by_file

_SCRIPTS = ("elements.js", "figures.js", "timeline.js", "messages.js", "start.js")
"""In order of dependency."""
_SCRIPT_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}
"""Characters that could start or end an element. In JSON they occur only in strings, where escapes are equivalent."""
_SHARES: Mapping[str, Callable[[Sequence[Message]], tuple[Share, ...]]] = {
    "role": by_role,
    "tool": by_tool,
    "file": by_file,
}


def render_page(value: Mapping[str, Any]) -> str:
    """Return the page. The same value gives the same text, and its contents are always data, never markup."""
    style, script = _style(), _script()
    return _fill_template(
        _read("page.html"),
        {
            "policy": html.escape(content_policy(style, script)),
            "title": html.escape(shown(str(value["title"]))),
            "style": style,
            "data": dumps(value).translate(_SCRIPT_ESCAPES),
            "script": script,
        },
    )


def content_policy(style: str, script: str) -> str:
    """Return the Content-Security-Policy, which allows this style, this script, and nothing else."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _fill_template(template: str, values: Mapping[str, str]) -> str:
    """Return the template with each `{{name}}` replaced once; inserted values are not searched for further names."""
    head, *remaining = template.split("{{")
    pieces = [head]
    for piece in remaining:
        name, _, text = piece.partition("}}")
        pieces += [values[name], text]
    return "".join(pieces)


@cache
def _style() -> str:
    return _read("page.css")


@cache
def _script() -> str:
    """Return all scripts as one, wrapped in a scope of its own."""
    return '"use strict";\n(() => {\n' + "\n".join(_read(name) for name in _SCRIPTS) + "})();\n"


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def page_value(
    command: str, title: str, report: Mapping[str, Any], entries: Sequence[Entry], survivals: Sequence[Survival] = ()
) -> dict[str, Any]:
    """Return the value of a page. The durations in `report` are left out: the same input gives the same page."""
    return {
        "command": command,
        "title": title,
        "report": {name: value for name, value in report.items() if name != "stages"},
        "shares": _token_shares(entries, compared=command != "inspect"),
        "survival": [{"category": name, **line} for name, line in survival_json(survivals).items()],
        "lost": lost_json(survivals),
        "messages": [_entry(entry) for entry in entries],
    }


def _token_shares(entries: Sequence[Entry], *, compared: bool) -> dict[str, list[dict[str, Any]]]:
    """Return tokens by role, tool and file, before and, if decisions were made, after."""
    conversations = sorted({entry.conversation for entry in entries})
    out: dict[str, list[dict[str, Any]]] = {}
    for kind, sort in _SHARES.items():
        sums: dict[str, dict[str, Any]] = {}
        for conversation in conversations:
            conversation_entries = [entry for entry in entries if entry.conversation == conversation]
            _add_shares(sums, "before", sort([e.before for e in conversation_entries if e.before is not None]))
            if compared:
                _add_shares(sums, "after", sort([e.after for e in conversation_entries if e.after is not None]))
        out[kind] = sorted(sums.values(), key=lambda share: (-share["before"], -share["after"], share["name"]))
    return out


def _add_shares(sums: dict[str, dict[str, Any]], side: str, shares: Sequence[Share]) -> None:
    for share in shares:
        line = sums.setdefault(share.name, {"name": share.name, "count": 0, "before": 0, "after": 0})
        line[side] += share.tokens
        if side == "before":
            line["count"] += share.count


def _entry(entry: Entry) -> dict[str, Any]:
    message = entry.message
    value: dict[str, Any] = {
        "conversation": entry.conversation,
        "index": None if entry.before is None else entry.before.number,
        "role": role_of(message),
        "fate": entry.fate,
        "before": 0 if entry.before is None else entry.before.tokens,
        "after": 0 if entry.after is None else entry.after.tokens,
        "reason": entry.reason,
        "residual": entry.residual,
        "tier": entry.tier,
        "tools": list(entry.tools),
        "files": [path for path, _ in entry.files],
        "parts": [_part(part) for part in message.parts],
    }
    if entry.score is not None:
        value |= {"score": number(entry.score.value), "factors": factors_json(entry.score)}
    if entry.fate == "shortened" and entry.after is not None:  # otherwise both sides are equal, or one is empty
        value["output"] = [_part(part) for part in entry.after.parts]
    return value


def _part(part: Part) -> dict[str, Any]:
    value: dict[str, Any] = {"kind": part.kind, "text": part.text, "tokens": part.tokens}
    if part.name:
        value["name"] = part.name
    if part.failed:
        value["failed"] = True
    if part.images:
        value["images"] = part.images
    return value
