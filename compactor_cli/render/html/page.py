"""The page of a session: its values as JSON beside a template, a style and a script that never change."""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from compactor_cli.render.jsons import dumps
from compactor_cli.text.clean import shown

_SCRIPTS = ("elements.js", "figures.js", "timeline.js", "messages.js", "start.js")
"""In the order in which they need each other."""
_IN_SCRIPT = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}
"""What could end or open an element; inside JSON these stand only in strings, where an escape means the same."""


def page(value: Mapping[str, Any]) -> str:
    """Return the page. The same value gives the same text; whatever stands in it is data and never markup."""
    style, script = _style(), _script()
    return _fill(
        _read("page.html"),
        {
            "policy": html.escape(policy(style, script)),
            "title": html.escape(shown(str(value["title"]))),
            "style": style,
            "data": dumps(value).translate(_IN_SCRIPT),
            "script": script,
        },
    )


def policy(style: str, script: str) -> str:
    """Return the Content-Security-Policy: this style and this script, and nothing else from anywhere."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _fill(template: str, values: Mapping[str, str]) -> str:
    """Return each `{{name}}` replaced once: what a value says is not looked at again."""
    head, *rest = template.split("{{")
    pieces = [head]
    for piece in rest:
        name, _, text = piece.partition("}}")
        pieces += [values[name], text]
    return "".join(pieces)


@cache
def _style() -> str:
    return _read("page.css")


@cache
def _script() -> str:
    """Return all scripts as one, whose names are its own."""
    return '"use strict";\n(() => {\n' + "\n".join(_read(name) for name in _SCRIPTS) + "})();\n"


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
