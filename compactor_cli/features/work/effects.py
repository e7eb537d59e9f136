"""Calls of tools that act outside the session: bookings, messages, deletions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate, islice
from typing import Any

from msgspec import Struct

from compactor_cli.features.work.acting_tools import acting_verb, tool_words
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.causes import telling_line
from compactor_cli.features.work.json_results import result_members, stated_error, tells_end
from compactor_cli.features.work.ledger import PATH_KEYS
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later

_IDENTITY_KEYS = ("reservation_id", "order_id", "booking_id", "issue_id", "id")
_IDENTITY = compiled_later(r"(?:_i?id|Id|Key|(?:issue|pull|pr|[rR]equest)_?[nN]umber)$")
_NOT_MEANT = (
    *("user_id", "userId", "payment_id", "paymentId", "payment_method_id", "session_id", "request_id", "node_id"),
)
"""Identities of who acts and how, not of what is acted on."""
_PAYMENTS = ("payment_id", "paymentId", "payment_method_id")
"""Members of elements of a list that say how something is paid, which is told nowhere."""
_TITLE_KEYS = ("name", "title", "to", "subject", "email", "url")
_CONTENT_KEYS = ("content", "file_text", "contents")
"""What a file is to hold, which says little where it is cut."""
ADDRESS = compiled_later(r"https://\S+/(?:pull|pulls|issues|merge_requests|releases/tag)/[\w.-]+")
"""Addresses of things that are made with a title, and acted on by a number."""
_PERSON_KEYS = ("user_id", "userId")
_NAMES_ITSELF = re.compile(r"(?=\S*\d)[\w#][\w.:#/-]{2,39}")
"""A value that identifies something: one word with a digit in it."""
_ARGUMENTS_WIDTH = 140
_SCALAR_WIDTH = 60
_REASON_WIDTH, _LISTED_WIDTH = 140, 240
"""Characters of why a call failed, and with the names of which that is said too."""
_FILE_NAME = compiled_later(r"[\w@.~/\\+-]*[./\\][\w@+-]*[A-Za-z_][\w@.~/\\+-]*")
_ALIKE = 2
"""Blanks at least in what lines of an output are alike in."""
_ELEMENT_WIDTH = 40
"""Of a text that tells which element of a list is meant; a longer one tells something else."""
_MOST_MEMBERS = 3
"""So many members say which element of a list is meant."""
_MOST_ELEMENTS = 12
_LIST_WIDTH, _PAIRS_WIDTH = 44, 60
"""Characters of a list, and of one whose elements are told by two words each, such as flights with their days."""
_TELLING_NUMBER = 4
"""Digits from which on a number hardly stands for two things."""
_ENDING = ("cancel", "delete", "terminate", "withdraw")
"""After which what was acted on is no more."""


_TEXT = 24
"""Characters of an argument from which on it is a text, which may be written in another way."""
_WHEN = compiled_later(r"\d{4}-\d\d-\d\d|\b\d{1,2}:\d\d")
_WRONG = compiled_later(r"\): (?:error: )?(?:wrong|incorrect|invalid)\b", re.IGNORECASE)
_WORD = compiled_later(r"[^\W\d_]{3,}")
_TWICE = 2
"""So often a line names what is wrong: in what was to be done, and in why it was not."""


class Effect(Struct, frozen=True):
    """Something that a call did, or tried to do, outside the session."""

    text: str
    key: str
    """What a later success has to share with a failure to make up for it."""
    done: bool
    reason: str = ""
    """Why it failed, in the result's words."""
    ends: str = ""
    """What is no more afterwards, by its identity: nothing of it is open."""
    unfinished: bool = False
    """The call was declined or stopped, or goes on, and nothing shows that it took place."""
    git: tuple[str, ...] = ()
    """The words of a command of git, from its verb on."""
    given: tuple[tuple[str, str], ...] = ()
    """Arguments of a tool by their names, as they are told."""


def act_effect(call: ToolCall) -> Effect:
    """Return the effect of a call of a tool that acts, named by what identifies it."""
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    given = _identities(arguments)
    titles = [_scalar(value) or _listed(value, _SCALAR_WIDTH) for value in map(arguments.get, _TITLE_KEYS)]
    titles += filter(None, (_scalar(arguments.get(key)) for key in PATH_KEYS))
    made = _made(call.said) if not given and not call.failed else []
    persons = [_scalar(arguments.get(key)) for key in _PERSON_KEYS]
    head = " ".join(filter(None, [call.tool, *(made or given or persons), *titles]))
    rest = _details(call.tool, arguments)
    text = one_line(head + (f" ({rest})" if rest else ""), 240)
    named = list(filter(None, [*(given or persons), *titles]))
    key = plain_key(" ".join([call.tool, *named])) if named else one_line(f"{call.tool} ({rest})", 240)
    done = not call.failed and not call.undecided
    told = tuple((name, said) for name, value in arguments.items() if (said := _scalar(value)))
    return Effect(text, key, done, reason(call), _ended(call.tool, arguments), unfinished=call.undecided, given=told)


def corrects(done: Effect, failed: str, line: str) -> bool:
    """Return whether what was done is what failed before, with something put right: `failed` is the key of that, `line`
    what is told of it."""
    tool = done.key.split(" ", 1)[0]
    if failed.split(" ", 1)[0] != tool or not done.given:
        return False
    if failed.startswith(f"{tool} ("):
        return _asks_same(done, line)
    words, others = done.key.split(), failed.split()
    differing = [(word, other) for word, other in zip(words, others, strict=False) if word != other]
    return len(words) == len(others) and len(differing) == 1 and _is_put_right(*differing[0], line)


def _asks_same(done: Effect, line: str) -> bool:
    """Return whether all that is told of a failed call is asked for now, but for texts, and days and times; or the one
    thing that was wrong is another one."""
    if len(done.given) == 1 and _WRONG.search(line):
        return True
    same = [name for name, said in done.given if f"{name} {said}" in line]
    others = [(name, said) for name, said in done.given if name not in same and re.search(rf"[(,] ?{name} ", line)]
    return bool(same) and all(len(said) >= _TEXT or _WHEN.search(said) for _, said in others)


def _is_put_right(word: str, wrong: str, line: str) -> bool:
    """Return whether an address is another way to write one of which the line says that it is wrong."""
    if "@" not in word or "@" not in wrong or line.count(wrong) < _TWICE:
        return False
    names, domains = zip(word.split("@", 1), wrong.split("@", 1), strict=True)
    return all(_share_word(*pair) for pair in (names, domains))


def _share_word(one: str, other: str) -> bool:
    return one == other or not set(_WORD.findall(one)).isdisjoint(_WORD.findall(other))


def is_untold(call: ToolCall) -> bool:
    """Return whether nobody knows how a call ended: an earlier round left out what its result said of it."""
    return not call.failed and not tells_end(call.said) and not _made(call.said)


def plain_key(text: str) -> str:
    """Return what of an effect's text a later success has to share with it: all before options and details."""
    words = text.split(" (", 1)[0].split()
    options = next((at for at, word in enumerate(words) if at and word.startswith("-")), len(words))
    return one_line(" ".join(words[:options]), 160)


def _ended(tool: str, arguments: dict[str, Any]) -> str:
    """Return the identity of what a tool cancels or deletes; empty where the tool does so to a part of it, and for a
    small number, which other things have, too."""
    if acting_verb(tool) not in _ENDING:
        return ""
    kinds = tool_words(tool)
    named = (key for key in arguments if key == "id" or (_IDENTITY.search(key) and set(tool_words(key)) & set(kinds)))
    ended = next(filter(None, (_scalar(arguments[key]) for key in named)), "")
    return "" if ended.isdigit() and len(ended) < _TELLING_NUMBER else ended


def _identities(arguments: dict[str, Any]) -> list[str]:
    """Return what the arguments identify: a reservation, an order, an issue."""
    keys = [*_IDENTITY_KEYS, *(key for key in arguments if _IDENTITY.search(key) and key not in _NOT_MEANT)]
    return list(dict.fromkeys(filter(None, (_scalar(arguments.get(key)) for key in keys))))[:2]


def _made(said: str) -> list[str]:
    """Return what a result says to identify what was made: its identities, else the members that are one word with a
    digit."""
    address = ADDRESS.search(said) if "https://" in said else None
    if address:
        return [address.group()]
    members = {
        key: text for key, item in result_members(said).items() if key not in _NOT_MEANT and (text := _scalar(item))
    }
    return _identities(members) or [text for text in members.values() if _NAMES_ITSELF.fullmatch(text)][:2]


def _scalar(value: object) -> str:
    return one_line(str(value), _SCALAR_WIDTH) if _is_scalar(value) else ""


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _details(tool: str, arguments: dict[str, Any]) -> str:
    """Return further arguments that fit on a line, as `name value`; first those that the name of the tool speaks of."""
    known = {*_IDENTITY_KEYS, *_TITLE_KEYS, *_PERSON_KEYS, *PATH_KEYS, *_CONTENT_KEYS}
    meant = {word.rstrip("s") for word in tool_words(tool)}
    names = [key for key in arguments if key not in known and not _IDENTITY.search(key)]
    found: list[str] = []
    room = _ARGUMENTS_WIDTH
    for key in sorted(names, key=lambda key: meant.isdisjoint(word.rstrip("s") for word in tool_words(key))):
        text = _scalar(arguments[key]) or _listed(arguments[key], room - len(key) - 3)
        said = f"{key} {text}"
        if not text or len(said) + 2 > room:
            continue
        found.append(said)
        room -= len(said) + 2
    return ", ".join(found)


def _listed(value: object, room: int) -> str:
    """Return the elements of a list with as many of their members as fit; else the first ones, whole, and how many more
    there are. An object is a list of one."""
    elements = [_members(element) for element in islice(value if isinstance(value, list) else [value], _MOST_ELEMENTS)]
    more = len(value) - len(elements) if isinstance(value, list) else 0
    if not all(elements[:1]):
        return ""
    for members in range(_MOST_MEMBERS, 0, -1):
        found = list(_told([element[:members] for element in elements]))
        text = "; ".join(found)
        pairs = members == 2 and not any(" " in member for element in elements for member in element[:2])
        if all(elements) and not more and len(text) <= min(room, _PAIRS_WIDTH if pairs else _LIST_WIDTH):
            return text
    while found and (not all(found) or len("; ".join(found)) + len(f"; +{more}") > min(room, _LIST_WIDTH)):
        found.pop()
        more += 1
    return f"{'; '.join(found)}; +{more}" if found else ""


def _told(elements: Iterable[list[str]]) -> Iterator[str]:
    """Yield elements by their members, without those behind the first that are as in the element before."""
    before: list[str] = []
    for members in elements:
        yield " ".join(text for at, text in enumerate(members) if not at or before[at : at + 1] != [text])
        before = members


def _members(value: object) -> list[str]:
    """Return what tells one element of a list from the others: its first short members; numbers with their names."""
    if not isinstance(value, dict):
        return [text] if (text := _short(value)) else []
    if not value.keys().isdisjoint(_PAYMENTS):
        return []
    named = ((key, member, _short(member)) for key, member in value.items())
    told = (
        text if isinstance(member, str) or _IDENTITY.search(key) else f"{key} {text}"
        for key, member, text in named
        if text
    )
    return list(islice(told, _MOST_MEMBERS))


def _short(value: object) -> str:
    text = one_line(str(value), _ELEMENT_WIDTH + 1) if _is_scalar(value) else ""
    return text if len(text) <= _ELEMENT_WIDTH else ""


def reason(call: ToolCall) -> str:
    """Return what the result of a failed call says first of the failure."""
    if not call.failed:
        return ""
    return with_alike(call.said, stated_error(call.said) or telling_line(call.said))


def with_alike(said: str, line: str) -> str:
    """Return a line of an output that says why a call failed, with the names of which others say the same."""
    told = one_line(re.sub(r"</?\w+>", "", line), _REASON_WIDTH)
    names = [] if told.endswith("…") else _alike(said, line.strip())
    sizes = accumulate((len(name) + 2 for name in names), initial=len(told))
    listed = sum(size <= _LISTED_WIDTH for size in islice(sizes, 1, None))
    more = [f"and {len(names) - listed} more"] if listed < len(names) else []
    return ", ".join([told, *names[:listed], *more])


def _alike(said: str, line: str) -> list[str]:
    """Return the names of files with which other lines of an output end that are like this one but for its own."""
    begin, _, name = line.rpartition(" ")
    if begin.count(" ") < _ALIKE or not _FILE_NAME.fullmatch(name):
        return []
    others = (other.strip() for other in said.split("\n"))
    ends = (other[len(begin) + 1 :] for other in others if other != line and other.startswith(f"{begin} "))
    return [end for end in dict.fromkeys(ends) if _FILE_NAME.fullmatch(end)]
