"""Tools that nobody knows by the verb of their name: whether a call did something outside the session, by the form of
its name, its arguments and its result."""

from __future__ import annotations

from collections.abc import Iterator

from compactor_cli.features.work.act_identities import IDENTITY, is_scalar, names_itself, scalar, stems
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.json_results import result_members
from compactor_cli.features.work.told_before import ToldBefore
from compactor_cli.features.work.tool_names import is_of_service, only_tries, tool_words
from compactor_cli.text.patterns import compiled_later

_LONGEST = 400
"""Characters of what tells that something was done, at most: what was looked up is longer."""
_SHORTEST = 4
"""Characters from which on a value tells which thing is meant."""
_WORD = compiled_later(r"[^\W\d_]+")
_NOT_DONE = compiled_later(
    r"(?i)\b(?:not|no|never|none|cannot|unable|already|fail\w*|error\w*|invalid|would|will|can|may|must|should|to be|"
    r"if|pending|denied|refused|rejected)\b|n['’]t\b"
)
"""What tells that the past form of a verb is not what was done now."""
_VERB_AMONG = 3
"""Words of a name among which its verb is: that of a service may stand before it."""
_STEM = 6
"""Letters by which a word of a name is found in what was said."""


def acted(call: ToolCall, told: ToldBefore) -> bool:
    """Return whether a call did something to a thing of a service: it says which one, and its short result says that
    what the tool is named after was done, or the user had agreed to it."""
    if call.command or not call.answered or call.failed or call.undecided or only_tries(call.arguments):
        return False
    if len(call.said) > _LONGEST or not is_of_service(call.tool) or not _names_a_thing(call.arguments, told):
        return False
    return _says_done(call) or _is_agreed_to(call, told)


def _names_a_thing(arguments: object, told: ToldBefore) -> bool:
    """Return whether an argument is an identity, or, where the agent runs no commands whose things have such names,
    too, one word with a digit that is no day, time or amount."""
    if not isinstance(arguments, dict):
        return False
    keys = (key for key, value in arguments.items() if isinstance(value, str) or IDENTITY.search(key))
    meant = [scalar(arguments[key]) for key in keys if not told.has_commands or IDENTITY.search(key)]
    return any(len(text) >= _SHORTEST and names_itself(text) for text in meant)


def _says_done(call: ToolCall) -> bool:
    """Return whether a result has the past form of the tool's verb: as what is so now, or in a sentence."""
    done = {form for verb in tool_words(call.tool)[:_VERB_AMONG] for form in _past_forms(verb)}
    return any(not done.isdisjoint(_WORD.findall(text.lower())) and not _NOT_DONE.search(text) for text in _told(call))


def _told(call: ToolCall) -> Iterator[str]:
    """Yield what a result says: the values of its members that are words, and the names of those that are so."""
    members = result_members(call.said)
    if not members:
        yield call.said
    for key, value in members.items():
        if value is True:
            yield " ".join(tool_words(key))
        elif isinstance(value, str):
            yield value.replace("_", " ")


def _past_forms(verb: str) -> tuple[str, ...]:
    """Return how the past of a regular verb is written."""
    if verb.endswith("e"):
        return (f"{verb}d",)
    return (
        (f"{verb[:-1]}ied",)
        if verb.endswith("y") and verb[-2:-1] not in "aeou"
        else (f"{verb}ed", f"{verb}{verb[-1]}ed")
    )


def _is_agreed_to(call: ToolCall, told: ToldBefore) -> bool:
    """Return whether the user answered a question of the agent's that has all words of the tool's name, and the result
    is one flat object, as of a thing that was changed."""
    members = result_members(call.said)
    if not members or not all(is_scalar(value) or isinstance(value, bool | None) for value in members.values()):
        return False
    said = [word.lower() for word in _WORD.findall(told.agreed_to(call.message))]
    return bool(said) and all(any(word.startswith(stem[:_STEM]) for word in said) for stem in stems(call.tool))
