"""Acts that stay at their place, and have to be told all the same for what they leave of an earlier one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from compactor_cli.summary_text.state_line import StateLine, failed_times
from compactor_cli.text.patterns import compiled_later

_NAME = compiled_later(r"[^\W_][\w./:@#=-]+")
_VERB = compiled_later(r"[a-z]+")
_RECORDED = "git commit "
"""Each of these adds to what there is."""


def without_seen(state: Sequence[StateLine], is_seen: Callable[[StateLine], bool]) -> Callable[[StateLine], bool]:
    """Return whether a line of the state may be left out, of what the reader sees anyway: not an act where an earlier
    one that is told names the same thing, which else would pass for how that is now."""
    acts = [line for line in state if line.kind == "effect" and not line.text.startswith(_RECORDED)]
    told = [(line.message, names) for line in acts if (names := _names(line.text)) and not is_seen(line)]
    needed = {
        line.text
        for line in acts
        if told and any(at < line.message and names & _names(line.text) for at, names in told)
    }
    return lambda line: line.text not in needed and is_seen(line)


def _names(text: str) -> frozenset[str]:
    """Return the names in a line about an act: words behind the program or tool, but for what this is to do."""
    words = failed_times(text)[1].partition(" (")[0].partition('"')[0].split()[1:]
    words = words[1:] if len(words) > 1 and _VERB.fullmatch(words[0]) else words
    return frozenset(word for word in words if _NAME.fullmatch(word))
