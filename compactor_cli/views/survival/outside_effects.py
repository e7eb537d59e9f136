"""Find what calls changed outside the conversation: files, repositories, bookings, sent messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from compactor_cli.views.survival.ended_calls import Call, command_of, texts_of

_PATH_KEYS = ("file_path", "path", "filePath", "filename", "notebook_path", "target_file", "absolute_path", "file")
_FILE_TOOL = re.compile(
    r"(?:multi_?|notebook_?|str_?replace_?|search_?replace_?|insert_?|apply_?|file_?)*"
    r"(?P<verb>edit|write|create|delete|replace|patch|diff|insert|append|modify|rename|move)"
    r"(?:_?(?:file|editor|text|tool|to|in|content|block|lines?|range|based|or))*",
    re.IGNORECASE,
)
_EDITOR = re.compile(r"str_replace_based_edit_tool|str_replace_editor|editor", re.IGNORECASE)
_READING_VERBS = ("view", "undo_edit", "read", "open")
_ACTING_VERBS = (
    "book|cancel|update|modify|exchange|return|send|create|delete|add|remove|transfer|pay|refund|submit|publish|post"
    "|issue|save|merge|close|deploy|schedule|reserve|purchase|order|upload|push|rename|invite|share|archive|reply"
)
_ACT = re.compile(rf"(?P<verb>{_ACTING_VERBS})_\w+|(?P<camel>{_ACTING_VERBS})[A-Z]\w*")
_NOTES = re.compile(r"\w*todo\w*|(?:update|create)_plan|task_?(?:create|update|tracker)|\w*_memory", re.IGNORECASE)
_ID_KEYS = ("reservation_id", "order_id", "booking_id", "issue_id", "issue_number", "ticket_id", "event_id", "id")
_MAIN_KEYS = (*_ID_KEYS, "title", "subject", "name", "to", "email", "url", "user_id")
_MAX_MAIN_CHARS = 60
_PATCHED = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+?)\s*$", re.MULTILINE)

_COMMAND = re.compile(r"&&|\|\||[;|\n]")
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1([^\n]*)\n.*?^\s*\2\s*$", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'")
_ONE_WORD = re.compile(r"[\w./~@+-]+")
_MESSAGE = re.compile(
    r"(?:\s-[a-zA-Z]*m|--message|--title)[ =]*(?:\"\$\(cat <<-?\s*['\"]?\w+['\"]?\s*\n|\"|')?\s*([^\n\"']+)"
)
_PUBLISHES = re.compile(
    r"(?:npm|pnpm|yarn|cargo|poetry|bun|uv|flit|gem) (?:publish|push)\b|twine upload\b|docker push\b"
    r"|kubectl (?:apply|delete|create|scale|rollout)\b|terraform (?:apply|destroy)\b"
    r"|helm (?:install|upgrade|uninstall)\b"
)
_GIT = re.compile(r"git\s+(?:-[cC]\s+\S+\s+)*(?P<what>commit|push|merge|tag|rebase|revert|cherry-pick)\b(?P<rest>.*)")
_HUB = re.compile(
    r"(?:gh|glab) (?P<what>\w+) (?P<verb>create|merge|close|comment|edit|delete|reopen|review)\b(?P<rest>.*)"
)
_REDIRECT = re.compile(r"(?<![0-9&>=<-])>{1,2}\s*[\"']?([\w./~@+-]+)")
_TEE = re.compile(r"(?:sudo )?tee (?:-a )?[\"']?([\w./~@+-]+)")
_IN_PLACE = re.compile(r"(?:sed|perl)\s+(?:\S+\s+)*?-\w*i\S*\s")
_MOVES = re.compile(r"(?:git )?(?P<verb>rm|mv|cp|touch)\s+(?P<rest>.+)")
_FILE = re.compile(r"[\w.~@+-]*(?:/[\w.~@+-]+)+|[\w~@+-][\w.~@+-]*\.[A-Za-z]\w*")
_MADE = re.compile(r"\"(?:reservation|order|booking|ticket|issue|event|payment)_?(?:id|number)\"\s*:\s*\"?([\w#-]+)")


class DistinctEffect(Struct, frozen=True):
    """An effect of a call. Two calls that do the same to the same object are one effect."""

    kind: str
    """`file`, a command such as `git push`, or the name of the tool."""
    main: str
    verb: str
    message: int
    tool: str
    id: str
    argument_text: str

    @property
    def same(self) -> tuple[str, str]:
        return self.kind, self.main.casefold()

    def __str__(self) -> str:
        label = self.tool if self.kind == "file" else self.kind
        return f"{label}: {self.main}" if self.main else label


def find_effects(calls: Iterable[Call]) -> list[DistinctEffect]:
    """Return the distinct effects of successful calls, each at the position of its last occurrence."""
    latest: dict[tuple[str, str], DistinctEffect] = {}
    for call in calls:
        if call.succeeded:
            for effect in _call_effects(call):
                latest.pop(effect.same, None)
                latest[effect.same] = effect
    return list(latest.values())


def is_file_tool(name: str) -> bool:
    """Return whether a tool writes files, judging by its name."""
    return _FILE_TOOL.fullmatch(name) is not None or _EDITOR.fullmatch(name) is not None


def main_argument(call: Call) -> str:
    """Return what a call is about: the first id, title or the like that it names, or else its first text, shortened."""
    values = (call.arguments[key] for key in (*_PATH_KEYS, *_MAIN_KEYS) if call.arguments.get(key))
    argument = next((value for value in values if isinstance(value, (str, int))), None)
    if argument is None:
        argument = next((text for text in texts_of(call) if text.strip()), command_of(call))
    return " ".join(str(argument).split("\n")[0].split())[:_MAX_MAIN_CHARS]


def _call_effects(call: Call) -> Iterator[DistinctEffect]:
    patched = [path for text in texts_of(call) if "*** " in text for path in _PATCHED.findall(text)]
    if patched:
        yield from (_make_effect(call, "file", path, word.lower()) for word, path in patched)
        return
    command = command_of(call)
    if command:
        yield from _command_effects(call, command)
        return
    paths = [call.arguments[key] for key in _PATH_KEYS if isinstance(call.arguments.get(key), str)]
    if paths and is_file_tool(call.name):
        if call.arguments.get("command") not in _READING_VERBS:
            editing = _FILE_TOOL.fullmatch(call.name)
            yield _make_effect(call, "file", paths[0], editing["verb"].lower() if editing else "edit")
        return
    acting = _ACT.fullmatch(call.name)
    if acting and not _NOTES.fullmatch(call.name):
        yield _make_effect(call, call.name, _effect_object(call), acting["verb"] or acting["camel"])


def _make_effect(call: Call, kind: str, main: str, verb: str) -> DistinctEffect:
    return DistinctEffect(kind, main, verb, call.message, call.name, call.id, call.argument_text)


def _effect_object(call: Call) -> str:
    """Return the object that a tool acted on, by its arguments or the number in its result."""
    if not any(call.arguments.get(key) for key in _ID_KEYS):
        created_id = _MADE.search(call.answer or "")
        if created_id:
            return created_id[1]
    return main_argument(call)


def _command_effects(call: Call, command: str) -> Iterator[DistinctEffect]:
    if "--dry-run" in command:
        return
    unquoted = _QUOTED.sub(_blank_quote, _HEREDOC.sub(r" \3", command))
    for piece in _COMMAND.split(unquoted):
        part = piece.strip()
        for kind, main, verb in (*_published_effects(part, command), *_file_effects(part)):
            yield _make_effect(call, kind, main if kind == "file" else main[:_MAX_MAIN_CHARS], verb)


def _blank_quote(quoted: re.Match[str]) -> str:
    """Blank out quoted text, unless it is a single word, which may be a path."""
    inside = quoted[0][1:-1]
    return inside if _ONE_WORD.fullmatch(inside) else "_"


def _published_effects(part: str, command: str) -> Iterator[tuple[str, str, str]]:
    """Yield (kind, main, verb) for what a part of a command does to a repository or a service."""
    message = _MESSAGE.search(command)
    text = " ".join(message[1].split()) if message else ""
    if git := _GIT.match(part):
        verb = git["what"]
        words = [word for word in git["rest"].split() if not word.startswith("-")]
        if verb == "commit":
            yield "git commit", text, verb
        elif verb != "tag" or words:
            yield f"git {verb}", words[0] if verb == "tag" else words[-1] if words else "", verb
    elif hub := _HUB.match(part):
        number = re.match(r"\s+(\d+)", hub["rest"])
        yield f"gh {hub['what']} {hub['verb']}", number[1] if number else text, hub["verb"]
    elif published := _PUBLISHES.match(part):
        yield published[0], "", published[0].split()[1]


def _file_effects(part: str) -> Iterator[tuple[str, str, str]]:
    """Yield (kind, path, verb) for the files that a command writes, moves or removes."""
    for path, verb in _touched_paths(part):
        if _FILE.fullmatch(path) and path != "/dev/null":
            yield "file", path, verb


def _touched_paths(part: str) -> Iterator[tuple[str, str]]:
    yield from ((path, "write") for path in _REDIRECT.findall(part))
    if tee := _TEE.match(part):
        yield tee[1], "write"
    if _IN_PLACE.match(part):
        yield part.rsplit(maxsplit=1)[-1], "edit"
    if moves := _MOVES.match(part):
        paths = [word for word in moves["rest"].split() if not word.startswith("-")]
        if moves["verb"] == "rm":
            yield from ((path, "delete") for path in paths)
        else:
            yield paths[-1] if paths else "", {"mv": "move", "cp": "copy", "touch": "create"}[moves["verb"]]
