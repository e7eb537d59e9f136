"""Identify the thing that a tool acts on, from the arguments of the call and from its result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compactor_cli.features.work.json_results import result_members
from compactor_cli.features.work.tool_names import tool_words
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.secret_values import is_key, is_private, is_secret
from compactor_cli.text.shell import word_set

IDENTITY_KEYS = ("reservation_id", "order_id", "booking_id", "issue_id", "id")
IDENTITY = compiled_later(r"(?:_i?id|Id|Key|(?:issue|pull|pr|[rR]equest)_?[nN]umber)$")
_ACTOR_KEYS = (
    *("user_id", "userId", "payment_id", "paymentId", "payment_method_id", "session_id", "request_id", "node_id"),
)
"""Identities of who acts and how, not of what is acted on."""
_NO_RECEIPT_KEYS = frozenset(_ACTOR_KEYS) - {"payment_id"}
_ACCESS_WORDS = word_set("session token code pin puk tan otp passcode password secret credential auth link key")
"""Words in names of members whose value may grant access, although the name looks like an identity."""
NUMBER_WORDS = word_set("id iid number")
"""Words in names of members that only say that something has an identity, not what it is."""
_RECEIPT_WORDS = word_set("pnr locator confirmation receipt")
"""Words in names of members that identify what was done, such as a booking locator."""
_CREATING_VERBS = word_set("create open book add post submit schedule file place order send register")
"""Verbs of tools that create the object named after them."""
ADDRESS = compiled_later(r"https://\S+/(?:pull|pulls|issues|merge_requests|releases/tag)/[\w.-]+")
"""Addresses of things that are created with a title and later referred to by a number."""
_IDENTIFYING_WORD = compiled_later(r"(?=\S*\d)(?!\d{4}-\d\d-\d\d(?:T|$)|\d\d?:\d\d)[\w#][\w.:#/-]{2,39}")
"""A value that identifies something: one word with a digit that is neither a date nor a time."""
_SCALAR_WIDTH = 60
_CONTAINER_WORDS = word_set(
    "repo repository owner project account workspace org organization team tenant database db namespace cluster "
    "environment env region board type kind entity resource table space folder parent drive cloud site list calendar "
    "channel collection"
)
"""Words in names of arguments that state in which container a thing is, or of which kind."""
_NAME_KEYS = ("key", "identifier", "shortId", "short_id")
"""Members of a result that hold the name that people use for a thing, next to the service's own identity."""
_ISSUE_KEY = compiled_later(r"[A-Z][A-Z\d_]{0,14}-\d{1,7}")
"""The form of an issue key in an issue tracker."""


def is_scalar(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def scalar(value: object) -> str:
    return one_line(str(value), _SCALAR_WIDTH) if is_scalar(value) else ""


def is_identifying(text: str) -> bool:
    return _IDENTIFYING_WORD.fullmatch(text) is not None


def name_words(*names: str) -> set[str]:
    """Return the words of the names, without a plural s."""
    return {word.rstrip("s") for name in names for word in tool_words(name)}


def identities(arguments: dict[str, Any]) -> list[str]:
    """Return what the arguments identify, such as a reservation, an order or an issue. Identities of containers come
    last."""
    return [text for _, text in _identities(arguments)]


def _identities(members: dict[str, Any]) -> list[tuple[str, str]]:
    """Return (name of member, identity) for the values of `identities`."""
    others = (key for key in members if IDENTITY.search(key) and key not in _ACTOR_KEYS and not is_secret(key))
    keys = [*IDENTITY_KEYS, *sorted(others, key=lambda key: not _CONTAINER_WORDS.isdisjoint(tool_words(key)))]
    key_by_identity: dict[str, str] = {}
    for key in keys:
        if (text := scalar(members.get(key))) and not is_key(text):
            key_by_identity.setdefault(text, key)
    return [(key, text) for text, key in key_by_identity.items()][:2]


def is_other_identity(tool: str, name: str) -> bool:
    """Return whether an argument identifies something, but not what an act is about. An identity that mostly says how
    something is done is what it is about if the tool is named after it: the `payment_id` of `refund_payment`."""
    words = name_words(name)
    is_object = name in _ACTOR_KEYS and words.isdisjoint(_ACCESS_WORDS) and words - NUMBER_WORDS <= name_words(tool)
    return IDENTITY.search(name) is not None and not is_object


def container_ids(arguments: dict[str, Any]) -> list[str]:
    """Return the identities of containers among the arguments, such as a project or a team."""
    container_keys = (
        key for key in arguments if IDENTITY.search(key) and not _CONTAINER_WORDS.isdisjoint(tool_words(key))
    )
    return list(filter(None, (scalar(arguments[key]) for key in container_keys)))


def created_ids(output: str, arguments: dict[str, Any], *, allow_words: bool = True) -> list[str]:
    """Return the values in a result that identify what was created. These are its identities; if there are none and
    `allow_words` is true, they are members of one word with a digit that are not arguments."""
    address = ADDRESS.search(output) if "https://" in output else None
    if address:
        return [address.group()]
    given_values = set(map(scalar, arguments.values()))
    for record in _records(output):
        texts = (
            (key, scalar(item))
            for key, item in record.items()
            if key not in (*_ACTOR_KEYS, "status") and not is_private(key)
        )
        members = {key: text for key, text in texts if text and not is_key(text)}
        if members.get("code", "").isdigit():
            members.pop("code")  # the status of the answer
        if not _ISSUE_KEY.fullmatch(members.get("key", "")):
            members.pop("key", None)  # an invalid issue key may grant access
        names = [(key, members[key]) for key in _NAME_KEYS if is_identifying(members.get(key, ""))]
        identifying = ((key, text) for key, text in members.items() if is_identifying(text))
        new_values = [
            (key, text) for key, text in identifying if not isinstance(record[key], float) and text not in given_values
        ]
        if created := names[:1] or _identities(members) or (new_values[:2] if allow_words else []):
            return [text for _, text in created]
    return []


def _records(output: str) -> Iterator[dict[str, Any]]:
    """Yield the object in a result, and the object nested in it if there is exactly one."""
    value = result_members(output)
    yield value
    nested = [item for item in value.values() if isinstance(item, dict)]
    yield from nested if len(nested) == 1 else ()


def receipt_of(tool: str, verb: str, output: str, arguments: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the (name, value) of an identity that a result assigns to the act itself, not to its object: the
    `refund_id` of `refund_charge`, but not the `order_id` of `cancel_order`."""
    words = name_words(tool)
    act_words = words & {verb} if verb not in _CREATING_VERBS else words
    given_values, object_words = (
        {scalar(value) for value in arguments.values()},
        [name_words(key) - NUMBER_WORDS for key in arguments],
    )
    for key, value in result_members(output).items():
        key_words, text = name_words(key), scalar(value)
        # the `booking` of `book_hotel`
        is_receipt = bool(verb) and (
            key.lower().startswith(verb.removesuffix("e")) or not key_words.isdisjoint(_RECEIPT_WORDS)
        )
        if not (is_receipt or (IDENTITY.search(key) and not act_words.isdisjoint(key_words))):
            continue
        if not is_identifying(text) or text in given_values:
            continue
        grants_access = is_key(text) or not _ACCESS_WORDS.isdisjoint(key_words)
        if (
            not grants_access
            and "_".join(tool_words(key)) not in _NO_RECEIPT_KEYS
            and key_words - NUMBER_WORDS not in object_words
        ):
            return ((key, text),)
    return ()


def may_grant_access(name: str, text: str) -> bool:
    """Return whether a member of a result may grant access, or describes who acts rather than what was done."""
    return name in _ACTOR_KEYS or is_private(name) or is_key(text) or not _ACCESS_WORDS.isdisjoint(name_words(name))


def named_by_tool(tool: str, arguments: dict[str, Any]) -> list[str]:
    """Return the identity in an argument whose name is a word of the tool's name, such as the `ticket` of
    `open_ticket`."""
    words = name_words(tool)
    values = (
        scalar(value) for key, value in arguments.items() if key.lower() in words and not isinstance(value, float)
    )
    return [text for text in values if is_identifying(text)][:1]
