"""Effects of tool calls outside the session, such as bookings, messages and deletions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.work.act_identities import (
    IDENTITY,
    IDENTITY_KEYS,
    container_ids,
    created_ids,
    identities,
    is_other_identity,
    is_scalar,
    name_words,
    named_by_tool,
    receipt_of,
    scalar,
)
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.causes import reason_line, without_tags
from compactor_cli.features.work.json_results import is_undone, result_members, stated_error, states_end
from compactor_cli.features.work.ledger import PATH_KEYS
from compactor_cli.features.work.result_outcomes import ActOutcome, act_outcome
from compactor_cli.features.work.secret_arguments import argument_without_values, list_without_values
from compactor_cli.features.work.tool_names import call_verb, named_action, possible_action, tool_words
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.secret_values import is_secret, mask_secrets
from compactor_cli.text.shell import word_set

_PAYMENTS = ("payment_id", "paymentId", "payment_method_id")
"""Members of list elements that identify a means of payment; such elements are never shown."""
_TITLE_KEYS = ("name", "title", "to", "subject", "email", "url")
_CONTENT_KEYS = ("content", "file_text", "contents")
"""The intended content of a file; a part of it says little."""
_NUMBER_ARGUMENT = compiled_later(r"(?:^|_)(?:number|address)$|(?:Number|Address)$")
"""Other arguments that identify the object."""
_REFERENCE_ARGUMENT = compiled_later(r"(?i)(?:^|_)(?:reference|ref|slug)$")
"""Arguments by which other parties know the act."""
_PERSON_KEYS = ("user_id", "userId")
_SETTERS = word_set("set update change modify toggle configure")
"""Words in names of tools whose arguments state the new value."""
_MAX_DETAILS = 140
_MAX_TITLE = 60
"""Maximum length of a title with several elements."""
_MAX_REASON_CHARS = 140
"""Maximum length of a failure's reason."""
_MAX_ELEMENT_CHARS = 40
"""Maximum length of a text that identifies a list element; longer texts serve another purpose."""
_MAX_MEMBERS = 3
"""Number of members used to identify a list element."""
_MAX_ELEMENTS = 12
_MAX_LIST, _MAX_PAIRS = 44, 60
"""Maximum length of a list, and of a list whose elements have two words each, such as flights with dates."""
_MIN_IDENTITY_DIGITS = 4
"""Minimum number of digits at which a number is unlikely to refer to two things."""
_NUMBER = compiled_later(r"(?=.*\d)\S{1,30}(?: \S{1,12}){0,2}|(?=.*\d)(?=.*; ).{1,60}")
"""An amount, a date or an account, or a list of these, such as flights."""
_ONE_WORD = compiled_later(r"[#@]?[^\W\d](?:[^\W\d]|[./@-](?=\w)){0,29}")
_PLAIN_WORD = compiled_later(r"[^\W\d]\w{0,29}")
_WELL = word_set("ok okay success successful succeeded done true yes accepted completed complete updated saved active")
_MAX_BRIEF = 90
_ENDING_VERBS = ("cancel", "delete", "terminate", "withdraw")
"""Verbs after which the object no longer exists."""


WAITS_PREFIX = "waits: "
"""Prefix of the line for an act that takes effect only once somebody agrees or something else happens."""


class Effect(Struct, frozen=True):
    """Something that a call did, or tried to do, outside the session."""

    text: str
    """Empty if there is too little to report."""
    key: str
    """What a later success has to share with a failure to make up for it."""
    done: bool
    reason: str = ""
    """Why it failed, in the words of the result."""
    ended_identity: str = ""
    """Identity of what no longer exists afterwards; nothing about it is open any more."""
    is_unfinished: bool = False
    """Whether the call was declined, stopped or is still running, and nothing shows that it took place."""
    git: tuple[str, ...] = ()
    """The words of a git command, starting with its verb."""
    brief: str = ""
    """The text with only its short details, if the tool's call identifies its object and there are other details."""
    waiting_for: str = ""
    """What the result says about what it is waiting for; the act has neither taken place nor failed."""


def act_effect(call: ToolCall) -> Effect:
    """Return the effect of a call to a tool that acts, labelled with what identifies it."""
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    asked = named_action(call.tool, arguments)
    verb = possible_action(call.tool, arguments)
    verb = "" if asked and verb in tool_words(call.tool) else verb
    outcome = ActOutcome() if call.failed or call.undecided or not call.answered else act_outcome(call)
    if outcome.kind == "tried":
        return Effect("", "", True)
    undone = outcome.kind == "failed" or is_undone(call.output, map(scalar, arguments.values()))
    if not call.failed and not call.undecided and outcome.kind != "waits" and undone:
        call = replace(call, failed=True)
    ids = identities(arguments) or named_by_tool(call.tool, arguments)
    keys = (key for key in _TITLE_KEYS if key in arguments)
    titles = [_shown(key, arguments, call.tool) or _elements(key, arguments, call.tool, _MAX_TITLE) for key in keys]
    persons = [scalar(arguments.get(key)) for key in _PERSON_KEYS]
    is_meant = any((*ids, *titles, *persons, *filter(_NUMBER_ARGUMENT.search, arguments)))
    titles += filter(None, (scalar(arguments.get(key)) for key in PATH_KEYS))
    action = call_verb(call.tool, arguments)
    containers = [] if call.failed or action != "create" else container_ids(arguments)
    is_new = not ids or set(ids) <= set(containers)
    created = created_ids(call.output, arguments, allow_words=not asked) if is_new and not call.failed else []
    # an act awaiting approval has at most the number of the request
    awaited, created = (created[:1], []) if outcome.kind == "waits" else ([], created)
    container_names = [text for text in containers if created and not created[0].startswith(text)]
    named = " ".join(filter(None, [call.tool, verb, *(created or ids or persons), *container_names]))
    title = " ".join(filter(None, titles))
    details = _details(call.tool, _confirmed_arguments(call, arguments, ids), (asked, verb, *created, *ids)) + tuple(
        ("as", text) for text in awaited
    )
    receipt = receipt_of(call.tool, action, call.output, arguments) if ids and not (created or call.failed) else ()
    head = " ".join(filter(None, [call.tool, verb]))
    subject = " ".join(filter(None, [*(ids or persons), *titles]))
    key = plain_key(f"{head} {subject}") if subject else act_text(head, details)
    done = not call.failed and not call.undecided and outcome.kind != "waits"
    line, details = f"{named} {title}".strip(), (*receipt, *details)
    text = act_text(line, details)
    if asked and done and call.answered and not (is_meant or created):
        text = ""  # an agent may use such a tool to add two numbers
    return Effect(
        *(text, key, done, reason(call)),
        *(_ended_identity(call.tool, arguments), call.undecided),
        brief=_brief_text(line, details) if _is_unique("".join((created or ids)[:1])) else "",
        waiting_for=outcome.words if outcome.kind == "waits" else "",
    )


def _confirmed_arguments(call: ToolCall, arguments: dict[str, Any], identity: Collection[str]) -> dict[str, Any]:
    """Return the arguments of an act without the one-word values that its result contradicts. Only a result that is the
    record of the same thing can contradict a value; it contains one of the values of `identity`."""
    members = result_members(call.output) if identity and not call.failed else {}
    if not any(scalar(value) in identity for value in members.values()):
        return arguments
    pairs = {name: (scalar(value), scalar(members.get(name))) for name, value in arguments.items()}
    contradicted = {
        name
        for name, (asked, came) in pairs.items()
        if _ONE_WORD.fullmatch(asked) and _PLAIN_WORD.fullmatch(came) and not _agrees(asked.lower(), came.lower())
    }
    return {name: value for name, value in arguments.items() if name not in contradicted}


def _agrees(asked: str, came: str) -> bool:
    """Return whether a result's word only reports success, as in `"status": "ok"`, or is the word that was asked for,
    with other signs or without what is before or behind one."""
    return came in {*_WELL, *re.split(r"[#@./]", asked)} or re.sub(r"[\W_]", "", asked) == came.replace("_", "")


def is_outcome_lost(call: ToolCall) -> bool:
    """Return whether the outcome of a call is unknown because an earlier round dropped that part of its result."""
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    return not call.failed and not states_end(call.output) and not created_ids(call.output, arguments)


def _is_unique(identity: str) -> bool:
    """Return whether an identity is unlikely to refer to two things, unlike a small number."""
    return identity != "" and not (identity.isdigit() and len(identity) < _MIN_IDENTITY_DIGITS)


def act_text(head: str, details: Iterable[tuple[str, str]]) -> str:
    """Return the line of an act with as many of its details as fit."""
    fitting = ", ".join(_fit_details(details, _MAX_DETAILS))
    return one_line(head + (f" ({fitting})" if fitting else ""), 240)


def _brief_text(head: str, details: Sequence[tuple[str, str]]) -> str:
    """Return the line of an act with only its short details: amounts, accounts, dates and single words. Return "" if
    it has no other details."""
    numbers = [(name, value) for name, value in details if _NUMBER.fullmatch(value)]
    words = [(name, value) for name, value in details if _ONE_WORD.fullmatch(value)]
    fitting = list(_fit_details([*numbers, *words], _MAX_BRIEF))
    brief = f" ({', '.join(fitting)})" if fitting else ""
    return head + brief if len(fitting) < len(details) else ""


def plain_key(text: str) -> str:
    """Return the part of an effect's text that a later success has to share: everything before options and details."""
    words = text.split(" (", 1)[0].split()
    options = next((index for index, word in enumerate(words) if index and word.startswith("-")), len(words))
    return one_line(" ".join(words[:options]), 160)


def _ended_identity(tool: str, arguments: dict[str, Any]) -> str:
    """Return the identity of what a tool cancels or deletes. Return "" if only a part of it is affected, or if the
    identity is a small number that other things may share."""
    if call_verb(tool, arguments) not in _ENDING_VERBS:
        return ""
    kinds, object_words = name_words(tool), name_words(*tool_words(named_action(tool, arguments))[1:])
    keys = (key for key in arguments if key == "id" or (IDENTITY.search(key) and name_words(key) & kinds))
    keys = (key for key in keys if object_words <= kinds | name_words(key))
    ended = next(filter(None, (scalar(arguments[key]) for key in keys)), "")
    return ended if _is_unique(ended) else ""


def _shown(name: str, arguments: dict[str, Any], tool: str) -> str:
    """Return an argument's value for display; a password is replaced by a marker."""
    value = arguments[name]
    return scalar(argument_without_values(name, str(value), arguments, tool)) if is_scalar(value) else ""


def _switch(value: object, tool: str) -> str:
    """Return "true" or "false" for a boolean argument of a tool that sets something. Without it, on and off would
    read alike."""
    return str(value).lower() if isinstance(value, bool) and not _SETTERS.isdisjoint(tool_words(tool)) else ""


def _elements(name: str, arguments: dict[str, Any], tool: str, width: int) -> str:
    """Return as much of an argument with several elements as fits, without secret values."""
    value = arguments[name]
    return _listed(list_without_values(name, value, arguments, tool) if isinstance(value, list) else value, width)


def _details(tool: str, arguments: dict[str, Any], shown: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Return (name, value) of further arguments that fit on a line. References come first, then arguments that the
    name of the tool mentions. `shown`: values that are already in the line."""
    known = {*IDENTITY_KEYS, *_TITLE_KEYS, *_PERSON_KEYS, *PATH_KEYS, *_CONTENT_KEYS}
    meant = {word.rstrip("s") for word in tool_words(tool)}
    names = [key for key in arguments if key not in known and not is_other_identity(tool, key)]
    references = (key for key in names if _REFERENCE_ARGUMENT.search(key))
    names.sort(key=lambda key: meant.isdisjoint(word.rstrip("s") for word in tool_words(key)))
    names = list(dict.fromkeys((*references, *names)))
    found: list[tuple[str, str]] = []
    chars_left = _MAX_DETAILS
    for key in names:
        text = (
            _shown(key, arguments, tool)
            or _switch(arguments[key], tool)
            or _elements(key, arguments, tool, chars_left - len(key) - 3)
        )
        size = len(key) + len(text) + 3
        if text and text not in shown and size <= chars_left:
            found.append((key, text))
            chars_left -= size
    return tuple(found)


def _fit_details(details: Iterable[tuple[str, str]], width: int) -> Iterator[str]:
    """Yield the details that fit, as `name value`."""
    for name, value in details:
        detail = f"{name} {value}"
        if len(detail) + 2 <= width:
            yield detail
            width -= len(detail) + 2


def _listed(value: object, width: int) -> str:
    """Return the elements of a list with as many of their members as fit. If not all fit, return the first elements
    in full and a count of the rest. An object is treated as a list of one."""
    elements = [_members(element) for element in islice(value if isinstance(value, list) else [value], _MAX_ELEMENTS)]
    more = len(value) - len(elements) if isinstance(value, list) else 0
    if not all(elements[:1]):
        return ""
    for count in range(_MAX_MEMBERS, 0, -1):
        texts = list(_unrepeated([element[:count] for element in elements]))
        text = "; ".join(texts)
        pairs = count == 2 and not any(" " in member for element in elements for member in element[:2])
        if all(elements) and not more and len(text) <= min(width, _MAX_PAIRS if pairs else _MAX_LIST):
            return text
    while texts and (not all(texts) or len("; ".join(texts)) + len(f"; +{more}") > min(width, _MAX_LIST)):
        texts.pop()
        more += 1
    return f"{'; '.join(texts)}; +{more}" if texts else ""


def _unrepeated(elements: Iterable[list[str]]) -> Iterator[str]:
    """Yield each element as text, leaving out members after the first that are the same as in the previous element."""
    previous: list[str] = []
    for members in elements:
        yield " ".join(text for index, text in enumerate(members) if not index or previous[index : index + 1] != [text])
        previous = members


def _members(value: object) -> list[str]:
    """Return the first short members of a list element, which distinguish it from others; numbers come with their
    names."""
    if not isinstance(value, dict):
        return [text] if (text := mask_secrets(_short_text(value))) else []
    if not value.keys().isdisjoint(_PAYMENTS):
        return []
    short_members = ((key, member, _short_text(member)) for key, member in value.items() if not is_secret(key))
    texts = (
        text if isinstance(member, str) or IDENTITY.search(key) else f"{key} {text}"
        for key, member, text in short_members
        if text
    )
    return list(islice(texts, _MAX_MEMBERS))


def _short_text(value: object) -> str:
    text = one_line(str(value), _MAX_ELEMENT_CHARS + 1) if is_scalar(value) else ""
    return text if len(text) <= _MAX_ELEMENT_CHARS else ""


def reason(call: ToolCall) -> str:
    """Return the first statement of a failure in the result of a failed call."""
    if not call.failed:
        return ""
    return failure_text(stated_error(call.output) or reason_line(call.output))


def failure_text(line: str) -> str:
    """Return the line of an output that states why a call failed, for display."""
    return one_line(mask_secrets(re.sub(r"</?\w+>", "", without_tags(line.strip()))), _MAX_REASON_CHARS)
