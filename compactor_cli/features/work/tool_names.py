"""Read from the names of tools whether they act outside the session, only look at something, or run code."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from compactor_cli.features.work.foreign_verbs import looks_abroad
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_VERBS = word_set(
    "book cancel update modify exchange return send create delete add remove transfer pay refund submit publish "
    "post issue save schedule reschedule order purchase deploy merge close reopen assign invite upload archive "
    "approve reject move rename reply comment subscribe unsubscribe charge register apply confirm upgrade "
    "downgrade change reset revoke grant enable disable toggle set share forward place launch trigger terminate "
    "provision restart escalate notify redeem renew withdraw transition push fork star dismiss rerun reassign enroll "
    "enrol"
)
_MORE_VERBS = word_set(
    "reserve buy hire promote dispatch broadcast activate deactivate reactivate suspend reinstate rebook recall undo"
)
"""Verbs that act if no other word of the name is one that looks."""
WEAK_VERBS = word_set(
    "run start stop write insert replace put print export import execute clear drop discard abort expire lock unlock "
    "block unblock hold release ship pause resume install uninstall silence mute unmute sign switch sync tag turn mark "
    "attach detach append copy build commit configure restore resolve rotate migrate sell request invoke kill pack pin "
    "unpin void"
)
"""Verbs that may act outside the session, or look, or work on the agent's own things; the result decides."""
_WITH = {
    "open": word_set("ticket issue case claim dispute request incident account order pr"),
    "run": word_set("workflow pipeline deployment"),
    "request": word_set("review reviewers copilot refund return cancellation approval"),
}
"""Verbs that act outside the session only if one of these words follows; otherwise they open files or run programs."""
_WRITTEN = word_set("issue review label labels project projects comment release ticket request branch repository")
"""What a service's tool writes if its name ends in `write`: `issue_write`."""
_WITHIN = compiled_later(
    r"(?<!dis)patch|apply_?diff|^edit|notebook|directory|(?<!(?<!ex)change)(?<!(?<!ex)change_)plan$|todo(?!ist)|(?:create|write|save|delete|update|move|rename)_?file|run_?task",
    re.IGNORECASE,
)
"""Tools that change the session's files and plans, which are reported elsewhere, or that run a task of the project."""
_OF_SERVICE = compiled_later(
    r"(?=.*(?:_i?id|Id|Key|[Nn]umber)$)(?!.*(?:session|request|tool_?call|user|thread|cell|node|run)_?(?:id|Id)$)"
    r"(?!.*(?:[aA]pi|[sS]ecret|[aA]ccess|[pP]rivate)Key$).+"
)
"""Arguments that identify a thing of a service."""
_FILE_TOOL = compiled_later(r"(?:create|write|save|delete|update|move|rename|edit|copy)_?file$", re.IGNORECASE)
_EDITING = ("edit", "patch")
"""Verbs that act outside the session only if an argument identifies a thing of a service."""
_PLACE = compiled_later(r"path|file|folder|dir|source|destination|target", re.IGNORECASE)
"""Arguments that may state where a file is."""
_ALSO_THINGS = word_set(
    "book order issue return place comment change charge exchange purchase transfer register launch"
)
"""Verbs that are nouns after the name of a service: `github_issue_labels`."""
_WITH_OBJECT = word_set("post reply schedule move set share save submit reset")
"""Verbs that are nouns after it unless an object follows: `slack_post_message`, but not `blog_post`."""
LOOKING = word_set(
    "get list search find read view fetch show check lookup look query describe count calculate compute estimate "
    "validate verify preview inspect analyze analyse track download export monitor watch retrieve browse ask wait is "
    "has can should how what which test status info details history results summary"
)
_WORKING_OUT = word_set(
    "login logout authenticate connect disconnect ping echo think reflect reason remember skill click type press key "
    "keys tap swipe scroll hover drag navigate goto back forward refresh reload screenshot sleep say speak answer "
    "respond final done end delegate spawn handoff select choose init initialize initialise convert translate "
    "transform format parse render generate random sample simulate predict forecast recommend suggest summarise "
    "summarize classify encode decode hash encrypt decrypt compress extract transcribe detect recognise recognize "
    "evaluate eval score solve plot compare diff measure normalise normalize tokenize match rank sort filter split "
    "area distance rate rates price prices quote weather time date balance stock news roll guess diagnostic tool tools "
    "health heartbeat alive available availability uptime version versions words load call use open"
)
"""Words in names of tools that compute something, navigate a page, or belong to the agent itself; also words for
what one queries."""
_OF_THINGS = word_set("state name number id count size type level kind")
"""Last words in names of what one queries, unless the tool sets it."""
_SETS = word_set("set put write configure switch turn change update")
_LOCAL = word_set(
    "file files fs filesystem folder dir directory path workspace project todo todos task tasks subtask plan goal "
    "memory memories note notes browser page tab tabs window screen mouse cursor keyboard computer desktop "
    "playwright puppeteer selenium chrome notebook cell editor str string text code buffer clipboard session context "
    "agent agents subagent thinking thought terminal shell bash python git ide vscode image chart plot diagram "
    "figure canvas app ui element form data df diff kernel repl sandbox env environment debugger math calculator tmux "
    "pty console"
)
"""First words in names of tools that work on files, pages and the agent's own notes."""
_ALSO_PAGES = word_set("page project")
"""Those that also occur in services."""
_BETWEEN = word_set("for of to from by with in on at and or")
_SERVICE_WORDS = 2
"""Maximum words of a service's name before the verb: `google_calendar_create_event`."""
_NO_MESSAGE = frozenset(("message", "commit_message", "commitMessage")).isdisjoint
_ASKED_BY = ("action", "operation", "op", "method", "command", "verb")
"""Arguments that tell a multi-purpose tool what to do."""
_ASKED = compiled_later(r"[a-z][A-Za-z]*(?:[_-][A-Za-z]+)*")
"""One word, or a name made of words. HTTP methods, in capitals, do not match."""
_READING = word_set("get list read search fetch")
"""Values of `method` that only look; other words, such as `check`, may be payment methods."""
_OF_AGENT = _LOCAL | word_set("process sessions subagents worktree knowledge graph cache")
"""Words in names of tools whose actions concern the agent's own things."""
_RECORDS = word_set(
    "log logs audit docs doc documentation metrics permissions schema openapi simulator emulator estimator game calc "
    "calculator math matrix planner checklist scratchpad memory search report reports history"
)
"""Words in names of tools whose action selects what to look up, or that compute something."""
_ALSO_NAMES = word_set("game planner checklist report reports")
"""Those that can also be the object of a verb."""
_FIGURES = word_set("simulator estimator calculator")
_FILTERS = frozenset(("since", "until", "limit", "offset", "cursor", "page", "per_page", "page_size", "pageSize"))
"""Arguments of tools that list past events."""
_NO_REPOSITORY = frozenset(("repo", "repository", "repo_slug", "project_id", "projectId")).isdisjoint
"""True if arguments contain none of these keys."""
_TRIED_BY = (
    *("dry_run", "dryRun", "dryrun", "validate_only", "validateOnly", "check_only", "simulate", "preview_only"),
    "preview",
)
_TRIES = ("true", "client", "server", "1", "yes")
_TRYING = {
    **dict.fromkeys(_TRIED_BY, _TRIES),
    **dict.fromkeys(("confirm", "confirmed"), ("false",)),
    "mode": ("dry_run", "dry-run", "dryrun", "preview", "simulate"),
}
"""Arguments, with the values that request only a trial run."""
_NOT_TRIED = frozenset(_TRYING).isdisjoint
"""True if no argument can request a trial run."""
_FETCHES = ("GET", "HEAD", "OPTIONS")
_ASKED_OF_ENTITY = (*_ASKED_BY, "service")
"""The same for a call that names a smart-home entity, on which services of domains act."""
_NO_ENTITY = frozenset(("entity_id", "target")).isdisjoint
_NOT_ASKED = frozenset(_ASKED_OF_ENTITY).isdisjoint
"""True if no argument says what to do."""
_LONGEST_ASKED = 30
_MAKING = word_set("create add insert make define new")
_LOOKING = word_set(
    "get list search find read view fetch show check lookup look query think calculate grep glob ls cat open "
    "scroll goto ask web browse todo task plan exit enter finish submit wait write_stdin"
)
_LOOKING_AT_END = word_set("get list search find read view show status tree")
"""Last words of tools whose names begin with what they look at: `pull_request_read`."""
_KEPT = word_set(
    "log logs output outputs history transcript detail details info report reports summary context content contents "
    "snippet snippets result results"
)
"""Words for things recorded earlier, or for reports, that tools show."""
_RUNNING = ("run", "execute")
_RUN = word_set("code python cell cells notebook script file program kernel ipython jupyter block")
"""What tools run whose names begin with these verbs."""
_INTERPRETERS = word_set("python ipython repl interpreter")
_BESIDE = _INTERPRETERS | word_set("run exec execute eval code jupyter")
"""Words that can be combined with an interpreter in a tool's name."""
_CODE_KEYS = ("code", "source", "script", "cell", "program", "python")
_STATEMENT = compiled_later(r"\w\s*[(\[=]|\n\s*\S|^\s*(?:import|from|raise|assert|del|print)\s")
"""Distinguishes code from a name of code."""


@lru_cache(maxsize=1024)  # a session calls the same few tools many times
def tool_words(tool: str) -> tuple[str, ...]:
    """Split the name of a tool into its words, in lower case."""
    if not tool.isascii():
        return tuple(re.findall(r"[^\W_]+", tool.lower()))
    return tuple(word.lower() for word in re.findall(r"[A-Z]?[a-z\d]+|[A-Z]+(?![a-z])", tool))


def only_tries(arguments: object) -> bool:
    """Return whether a call only says what it would do."""
    if not isinstance(arguments, dict) or _NOT_TRIED(arguments):
        return False
    return any(str(arguments.get(key)).lower() in values for key, values in _TRYING.items())


def only_fetches(tool: str, arguments: object) -> bool:
    """Return whether a call sends an HTTP request that changes nothing. For a tool that creates something, such as a
    webhook, the method is a property of the new thing."""
    fetches = isinstance(arguments, dict) and "url" in arguments and arguments.get("method") in _FETCHES
    return fetches and acting_verb(tool) in ("", "send")


def acts(tool: str, arguments: object = None) -> bool:
    """Return whether a tool changes something outside the session, judging by its name or by the action in its
    arguments."""
    if only_tries(arguments) or only_fetches(tool, arguments):
        return False
    asked = asked_action(tool, arguments)
    return tool_words(asked)[0] in _VERBS if asked else bool(acting_verb(tool) or _verb_on_thing(tool, arguments))


def verb_of(tool: str, arguments: object) -> str:
    """Return the acting verb of a call: the one in its arguments, or else the one in the tool's name."""
    asked = asked_action(tool, arguments)
    return tool_words(asked)[0] if asked else acting_verb(tool) or _verb_on_thing(tool, arguments)


def _verb_on_thing(tool: str, arguments: object) -> str:
    """Return the acting verb of a tool that looks like one for the session's own files and plans, if its arguments
    show that it acts on a service. They identify a thing, or name a file without giving a path."""
    if not isinstance(arguments, dict):
        return ""
    words = tool_words(tool)
    meant = [key for key in arguments if _OF_SERVICE.fullmatch(key)]
    if _FILE_TOOL.search(tool) and words[0] not in LOOKING:
        placed = any(_PLACE.search(key) for key in arguments if key not in meant)
        named = meant or not {"name", "title"}.isdisjoint(arguments)
        return next((word for word in words if word in _VERBS or word in _EDITING), "") if named and not placed else ""
    at = next((at for at, word in enumerate(words[:_SERVICE_WORDS]) if word in _EDITING), -1)
    told = words[:at] + words[at + 1 :] if at >= 0 and meant else ()
    return words[at] if told and (_LOCAL - _ALSO_PAGES).isdisjoint(told) and LOOKING.isdisjoint(told) else ""


def asked_action(tool: str, arguments: object) -> str:
    """Return what the arguments tell a multi-purpose tool to do: a verb that acts or only looks, and possibly its
    object. Return "" if there is none."""
    if not isinstance(arguments, dict) or _NOT_ASKED(arguments) or not _is_of_several_uses(tool):
        return ""
    if not _FILTERS.isdisjoint(arguments) or ("url" in arguments and "method" in arguments):
        return ""  # a query, or an HTTP request
    for key in _ASKED_BY if _NO_ENTITY(arguments) else _ASKED_OF_ENTITY:
        value = arguments.get(key)
        if isinstance(value, str) and len(value) <= _LONGEST_ASKED and _ASKED.fullmatch(value):
            word = tool_words(value)[0]
            looks = word in (_READING if key == "method" else LOOKING)
            return value if looks or word in _VERBS else ""
    return ""


def told_action(tool: str, arguments: object) -> str:
    """Return the same, and also accept a verb that only may act."""
    if asked := asked_action(tool, arguments):
        return asked
    if not isinstance(arguments, dict) or not _is_of_several_uses(tool):
        return ""
    told = (str(arguments[key]) for key in _ASKED_BY if key in arguments)
    return next((value for value in told if value in WEAK_VERBS), "")


def is_verb(word: str) -> bool:
    """Return whether a word of a name is a verb of tools that act."""
    return word in _VERBS


def names_action(text: str) -> bool:
    """Return whether a text is an action that a multi-purpose tool may be told to do."""
    return _ASKED.fullmatch(text) is not None and tool_words(text)[0] in _VERBS


@lru_cache(maxsize=1024)
def _is_of_several_uses(tool: str) -> bool:
    words = tool_words(tool)
    of_others = _OF_AGENT.isdisjoint(words) and _RECORDS.isdisjoint(words)
    # a later action of something being created is not an act of the call
    return bool(words) and not _WITHIN.search(tool) and of_others and words[0] not in LOOKING | _MAKING


def commits_elsewhere(arguments: object) -> bool:
    """Return whether the arguments are those of a commit to a repository on a service."""
    return isinstance(arguments, dict) and not _NO_MESSAGE(arguments) and not _NO_REPOSITORY(arguments)


@lru_cache(maxsize=1024)
def acting_verb(tool: str) -> str:
    """Return the verb with which a tool acts outside the session, from its name; "" if it does not act there."""
    words = tool_words(tool)
    if not words or _WITHIN.search(tool) or words[-1] in _FIGURES:
        return ""
    if words[0] in _WITH:
        return words[0] if len(words) > 1 and words[1] in _WITH[words[0]] and LOOKING.isdisjoint(words[2:]) else ""
    if words in (("submit",), ("book",), ("cancel",)) or (len(words) > 1 and words[0] in _VERBS):
        asks = words[0] in _ALSO_THINGS and not (_WORKING_OUT - {"key", "time", "date", "stock"}).isdisjoint(words[1:])
        return "" if asks else words[0]
    return _verb_of_service(words) or _further_verb(words)


def _further_verb(words: tuple[str, ...]) -> str:
    """Return the verb of a tool if it is less common, or undoes another verb: `unassign_ticket`."""
    first = words[0]
    known = first in _MORE_VERBS or (first.startswith("un") and first[2:] in _VERBS | _MORE_VERBS)
    return first if known and len(words) > 1 and (LOOKING | _OF_AGENT).isdisjoint(words) else ""


def _verb_of_service(words: tuple[str, ...]) -> str:
    """Return the verb after the name of a service, as in `slack_send_message`."""
    if words[0] in _LOCAL:
        return ""
    if words[-1] == "write" and words[-2:-1] and words[-2] in _WRITTEN:
        return "write"
    for at, word in enumerate(words[: _SERVICE_WORDS + 1]):
        if word in LOOKING or word in _BETWEEN:
            return ""
        if at and word in _VERBS and word not in _ALSO_THINGS:
            behind = words[at + 1 : at + 2]
            named = bool(behind) and behind[0] not in LOOKING and behind[0] not in _VERBS
            if named or word not in _WITH_OBJECT:
                return word
    return ""


def says_nothing(tool: str, arguments: object) -> bool:
    """Return whether neither the name of a tool nor its arguments say what a call does. The name may be in a
    language whose verbs are unknown."""
    return _is_unknown(tool) and not only_tries(arguments) and not asked_action(tool, arguments)


@lru_cache(maxsize=1024)
def _is_unknown(tool: str) -> bool:
    words = tool_words(tool)
    known = bool(words) and (only_looks_by_name(tool) or bool(acting_verb(tool)) or _WITHIN.search(tool) is not None)
    return bool(tool) and not known and (LOOKING - {"export"} | _OF_AGENT).isdisjoint(words)


@lru_cache(maxsize=1024)
def may_act(tool: str) -> bool:
    """Return whether a tool with an unknown name may act: none of its words looks or computes something, in any
    language."""
    aside, words = _WORKING_OUT | (_RECORDS - _ALSO_NAMES), tool_words(tool)
    asks = not _OF_THINGS.isdisjoint(words[-1:]) and _SETS.isdisjoint(words)
    return _is_unknown(tool) and aside.isdisjoint(words) and not asks and not looks_abroad(tool)


def only_looks_by_name(tool: str) -> bool:
    """Return whether a tool only looks at something, judging by its name; also true for a tool without a name."""
    words = tool_words(tool)
    return not words or words[0] in _LOOKING or words[-1] in _LOOKING_AT_END


def runs_code(tool: str, arguments: Any) -> bool:
    """Return whether a call runs code, rather than showing earlier output of code."""
    words = tool_words(tool)
    if not _KEPT.isdisjoint(words) or only_looks_by_name(tool):
        return False
    if words[0] in _RUNNING and not _RUN.isdisjoint(words[1:2]):
        return True
    if _BESIDE.issuperset(words) and not _INTERPRETERS.isdisjoint(words):
        return True
    if not isinstance(arguments, dict):
        return False
    values = (arguments.get(key) for key in _CODE_KEYS)
    given = arguments.get("input")
    return (isinstance(given, str) and "\n" in given.strip()) or any(
        isinstance(value, str) and _STATEMENT.search(value) for value in values
    )
