"""Text for a model to read as data, between delimiters that cannot occur inside it."""

from __future__ import annotations

import re

from compactor_cli.text.patterns import compiled_later

_DELIMITER = compiled_later(r"<(?=/?(?:message|call|result|summary|task|statement|memories)\b)", re.IGNORECASE)
_CONTROL_TOKEN = compiled_later(r"<(?=\||/?s>|(?:start|end)_of_turn>)|\[(?=/?INST\])")
"""Beginnings of markers that chat templates of local models interpret as the end of a turn instead of text."""


def escape(text: str) -> str:
    """Return the text with the beginnings of delimiters escaped; the rest is unchanged."""
    if "<" not in text and "[" not in text:
        return text
    return _CONTROL_TOKEN.sub(lambda match: "&lt;" if match[0] == "<" else "&#91;", _DELIMITER.sub("&lt;", text))


def fenced(name: str, text: str, **attributes: object) -> str:
    """Return `<name key="value">`, the escaped text, `</name>`."""
    tags = "".join(f' {key}="{_attribute(str(value))}"' for key, value in attributes.items() if value not in ("", None))
    return f"<{name}{tags}>\n{escape(text)}\n</{name}>"


def _attribute(value: str) -> str:
    return " ".join(value.replace('"', "'").replace("<", "(").replace(">", ")").split())
