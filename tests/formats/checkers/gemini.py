"""What the Gemini API refuses in the contents of a request, written from its documentation and its errors."""

from __future__ import annotations

_CALL, _RESPONSE = ("functionCall", "function_call"), ("functionResponse", "function_response")


def _named(content, keys):
    found = [part[key] for part in content["parts"] for key in keys if part.get(key) is not None]
    return [(each.get("id"), each["name"]) for each in found]


def check_contents(contents):
    """The user begins, roles alternate, and a content with calls is followed by as many responses to them."""
    waiting: list[tuple[str | None, str]] = []
    for index, content in enumerate(contents):
        role = content.get("role", "user")
        assert (role == "model") is bool(index % 2), f"content {index} has the wrong role"
        assert content["parts"], f"content {index} is empty"
        assert _named(content, _RESPONSE) == waiting or not _named(content, _CALL)
        assert sorted(_named(content, _RESPONSE), key=str) == sorted(waiting, key=str), f"content {index}"
        waiting = _named(content, _CALL)
        for part in content["parts"]:
            for key in _RESPONSE:
                assert part.get(key) is None or isinstance(part[key]["response"], dict)
