"""Judge whether a transcript shows that something was done, and which files it names."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence

from compactor_cli.views.survival.ended_calls import Call
from compactor_cli.views.survival.normal_form import normal_form, without_label
from compactor_cli.views.survival.outside_effects import DistinctEffect, find_effects, is_file_tool
from compactor_cli.views.survival.reader import FoldedText, OtherLine

_CALLED = re.compile(r"(?:[a-z]+ )?(?:#\d+ )?(?P<tool>[\w.-]+) ?[:({]")
_WORD = re.compile(r"[\w./@~+#-]*[\w/]")
_UNSURE = re.compile(
    r"\b(?:can|cannot|can't|could|shall|should|will|would|won't|must|may|might|please|want|wants|need|needs|if|before"
    r"|let me|let's|going to|i'll|not|never|didn't|wasn't|isn't|fail(?:ed|s|ure)?|error|refused|rejected|pending|to-?do"
    r"|todos?|next steps?|in progress|open|planned|unresolved)\b"
)
_IRREGULAR = {
    "write": "wrote|written|writes",
    "send": "sent|sends",
    "pay": "paid|pays",
    "cancel": "cancell?ed|cancels|cancellation",
    "book": "booked|books|booking",
    "submit": "submitted",
    "edit": "edited|edits|changed|updated|modified|patched",
    "add": "added|adds|created|new file",
    "update": "updated|updates|changed|edited|modified|upgraded|downgraded",
    "modify": "modified|changed|updated|edited",
    "replace": "replaced|edited|changed|updated",
    "create": "created|creates|opened|filed|written|wrote",
    "delete": "deleted|deletes|removed",
    "remove": "removed|deleted",
    "commit": "committed|[0-9a-f]{7,12}",
    "push": r"pushed|[0-9a-f]{7,12}\.{2,3}[0-9a-f]{7,12}",
    "merge": "merged",
    "tag": "tagged",
    "copy": "copied|copies|created",
    "move": "moved|renamed|created",
    "apply": "applied",
    "upload": "uploaded",
    "comment": "commented",
    "transfer": "transferred",
    "reply": "replied",
}
_AT_THE_SHELL = r"sed -i\S*|tee|rm|mv|cp|touch|>{1,2}"
_QUOTED = re.compile(r"\"[^\"]*\"")
_PATH = re.compile(r"\S*[/.]\w\S*")
_FILE_DONE = (
    "edited|created|wrote|written|updated|modified|changed|deleted|removed|patched|added|moved|renamed|replaced"
)


class ShownActions:
    """What the calls and lines of a transcript show as done."""

    def __init__(
        self,
        wanted_effects: Sequence[DistinctEffect],
        calls: Sequence[Call],
        reading: FoldedText,
        requests: Collection[str],
    ) -> None:
        """`requests`: lines and sentences of the user, normalized by `normal_form`. Asking for something does not show
        that it was done."""
        self._done = {effect.same for effect in find_effects(calls)}
        self._calls = {
            (call.id, call.name): f"{call.argument_text}\n{call.answer}" for call in calls if call.succeeded and call.id
        }
        self._forms = path_spellings([effect.main for effect in wanted_effects if effect.kind == "file"])
        tokens = {token for effect in wanted_effects for token in (*self._tokens(effect), *_folders(effect))}
        self._named: dict[str, list[OtherLine]] = defaultdict(list)
        for line in reading.lines:
            if normal_form(line.text) not in requests and without_label(line.text) not in requests:
                for token in _tokens_of(line.text) & tokens:
                    self._named[token].append(line)

    def is_done(self, effect: DistinctEffect) -> bool:
        """Return whether the call is still present with its result, or a line reports the effect."""
        if effect.same in self._done:
            return True
        exchange = self._calls.get((effect.id, effect.tool))
        if exchange is not None and (effect.main not in effect.argument_text or effect.main in exchange):
            return True
        return self._is_reported(effect, self._tokens(effect), _words(effect)) or (
            self._is_reported(effect, _folders(effect), _past_verb(effect))
        )

    def _is_reported(self, effect: DistinctEffect, tokens: Iterable[str], words: str) -> bool:
        """Return whether a line with one of the tokens reports the effect. `words`: a pattern for how it says that."""
        lines = [line for token in tokens for line in self._named.get(token, ())]
        if not lines:
            return False
        pattern = re.compile(rf"(?<!\w)(?:{words})(?!\w)")
        return any(_reports(line, effect, pattern) for line in lines)

    def _tokens(self, effect: DistinctEffect) -> tuple[str, ...]:
        """Return words with which lines about an effect can be found; one of them is enough."""
        if effect.kind == "file":
            return self._forms[effect.main]
        words = _WORD.findall(normal_form(effect.main))
        if words:
            return (max(words[:-1] or words, key=len),)  # the last word may be cut
        return (*_past_verb(effect).split("|"), effect.kind.lower().split()[-1])


def _folders(effect: DistinctEffect) -> list[str]:
    """Return the folders, the innermost first, whose deletion is that of the file too, if the effect deletes one."""
    parts = _plain_path(effect.main).split("/") if effect.kind == "file" and effect.verb == "delete" else []
    return ["/".join(parts[:count]) for count in range(len(parts) - 1, 0, -1)]


def _past_verb(effect: DistinctEffect) -> str:
    return _IRREGULAR.get(effect.verb, f"{effect.verb}ed|{effect.verb}d")


def _words(effect: DistinctEffect) -> str:
    """Return a pattern for how a line reports the effect: the verb in the past, or the tool's name."""
    if effect.kind != "file":
        return f"{_past_verb(effect)}|{re.escape(effect.kind.lower())}"
    tool = re.escape(effect.tool.lower()) if is_file_tool(effect.tool) else _AT_THE_SHELL
    return f"{_past_verb(effect)}|{_FILE_DONE}|{tool}"


def _reports(line: OtherLine, effect: DistinctEffect, pattern: re.Pattern[str]) -> bool:
    text = line.text
    if effect.kind != "file":
        main = normal_form(effect.main)
        if main not in text:
            return False
        text = text.replace(main, " ") if main else text
    quoted = _CALLED.match(text)
    if quoted and quoted["tool"] == effect.tool.lower():  # the call itself: the words after it are its arguments
        return pattern.search(f"{quoted['tool']} {text[quoted.end() :]}") is not None
    if _UNSURE.search(line.heading):
        return False
    about = _QUOTED.sub(" ", text)
    if effect.kind == "file":
        about = _PATH.sub(" ", about)
    return pattern.search(f"{line.heading} {about}") is not None and not _UNSURE.search(about)


def path_spellings(paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the ways in which each path may be written: in full, below another folder, or as its end."""
    distinct_paths = list(dict.fromkeys(paths))
    names = Counter(_name(path) for path in distinct_paths)
    forms = {}
    for path in distinct_paths:
        whole = _plain_path(path)
        parts = whole.split("/")
        ways = [f"*/{whole}", whole, *("/".join(parts[start:]) for start in range(1, len(parts) - 1))]
        if names[_name(path)] == 1:
            ways.append(parts[-1])
        forms[path] = tuple(dict.fromkeys(ways))
    return forms


def _plain_path(path: str) -> str:
    return path.lower().replace("\\", "/").removeprefix("./").strip("/")


def _name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2].lower()


def _tokens_of(line: str) -> set[str]:
    """Return the words and paths of a line, and `*/` plus the rest of a path below each of its folders."""
    tokens = set()
    for token in _WORD.findall(line):
        path = token.strip("/").removeprefix("./")
        tokens.add(path)
        position = path.find("/")
        while position >= 0:
            tokens.add(f"*{path[position:]}")
            position = path.find("/", position + 1)
    return tokens


def named_paths(paths: Iterable[str], reading: FoldedText) -> set[str]:
    """Return the paths that a transcript names in one of their forms."""
    forms = path_spellings(paths)
    all_spellings = {spelling for ways in forms.values() for spelling in ways}
    seen_tokens = _tokens_of(reading.text) & all_spellings
    return {path for path, ways in forms.items() if not seen_tokens.isdisjoint(ways)}
