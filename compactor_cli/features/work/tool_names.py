"""Names of tools: whether they say that a tool acts outside the session, only looks at something, or runs code."""

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
"""Those that do so where no other word of the name looks at something."""
WEAK_VERBS = word_set(
    "run start stop write insert replace put print export import execute clear drop discard abort expire lock unlock "
    "block unblock hold release ship pause resume install uninstall silence mute unmute sign switch sync tag turn mark "
    "attach detach append copy build commit configure restore resolve rotate migrate sell request invoke kill pack pin "
    "unpin void"
)
"""Verbs that may act outside the session, or look, or work on what is the agent's own: the result has to say so."""
_WITH = {
    "open": word_set("ticket issue case claim dispute request incident account order pr"),
    "run": word_set("workflow pipeline deployment"),
    "request": word_set("review reviewers copilot refund return cancellation approval"),
}
"""Verbs of tools that act outside the session only where one of these follows; others open files, run programs."""
_WRITTEN = word_set("issue review label labels project projects comment release ticket request branch repository")
"""What a tool of a service writes that has `write` behind: `issue_write`."""
_WITHIN = compiled_later(
    r"(?<!dis)patch|apply_?diff|^edit|notebook|directory|(?<!(?<!ex)change)(?<!(?<!ex)change_)plan$|todo(?!ist)|(?:create|write|save|delete|update|move|rename)_?file|run_?task",
    re.IGNORECASE,
)
"""Tools that change files and plans of the session, which are told elsewhere, or run a task of the project."""
_OF_SERVICE = compiled_later(
    r"(?=.*(?:_i?id|Id|Key|[Nn]umber)$)(?!.*(?:session|request|tool_?call|user|thread|cell|node|run)_?(?:id|Id)$)"
    r"(?!.*(?:[aA]pi|[sS]ecret|[aA]ccess|[pP]rivate)Key$).+"
)
"""Arguments that say which thing of a service is meant."""
_FILE_TOOL = compiled_later(r"(?:create|write|save|delete|update|move|rename|edit|copy)_?file$", re.IGNORECASE)
_EDITING = ("edit", "patch")
"""Verbs that act outside the session only where an argument says which thing of a service is meant."""
_PLACE = compiled_later(r"path|file|folder|dir|source|destination|target", re.IGNORECASE)
"""Arguments that may say where a file lies."""
_ALSO_THINGS = word_set(
    "book order issue return place comment change charge exchange purchase transfer register launch"
)
"""Verbs that name a thing when they stand behind the name of a service: `github_issue_labels`."""
_WITH_OBJECT = word_set("post reply schedule move set share save submit reset")
"""Verbs that do so unless what they are done to follows: `slack_post_message`, not `blog_post`."""
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
"""Words of tools that work something out, move on a page, or are of the agent itself; also of what one asks for."""
_OF_THINGS = word_set("state name number id count size type level kind")
"""Last words of names of what one asks for, but where something is set."""
_SETS = word_set("set put write configure switch turn change update")
_LOCAL = word_set(
    "file files fs filesystem folder dir directory path workspace project todo todos task tasks subtask plan goal "
    "memory memories note notes browser page tab tabs window screen mouse cursor keyboard computer desktop "
    "playwright puppeteer selenium chrome notebook cell editor str string text code buffer clipboard session context "
    "agent agents subagent thinking thought terminal shell bash python git ide vscode image chart plot diagram "
    "figure canvas app ui element form data df diff kernel repl sandbox env environment debugger math calculator tmux "
    "pty console"
)
"""What tools that work on files, pages and the agent's own notes begin with."""
_ALSO_PAGES = word_set("page project")
"""Those that services have, too."""
_BETWEEN = word_set("for of to from by with in on at and or")
_SERVICE_WORDS = 2
"""So many words of a service may stand before the verb: `google_calendar_create_event`."""
_NO_MESSAGE = frozenset(("message", "commit_message", "commitMessage")).isdisjoint
_ASKED_BY = ("action", "operation", "op", "method", "command", "verb")
"""What the argument is called by which a tool of several uses is told what to do."""
_ASKED = compiled_later(r"[a-z][A-Za-z]*(?:[_-][A-Za-z]+)*")
"""One word, or a name made of words; those of HTTP, in capitals, are asked of an address."""
_READING = word_set("get list read search fetch")
"""Methods with which one only looks; others, such as `check`, may be methods of paying."""
_OF_AGENT = _LOCAL | word_set("process sessions subagents worktree knowledge graph cache")
"""Words of tools whose actions are those of an agent on its own things."""
_RECORDS = word_set(
    "log logs audit docs doc documentation metrics permissions schema openapi simulator emulator estimator game calc "
    "calculator math matrix planner checklist scratchpad memory search report reports history"
)
"""Words of tools of which an action says what one wants to know of it, or that work something out."""
_ALSO_NAMES = word_set("game planner checklist report reports")
"""Those of them that stand behind verbs, too."""
_FIGURES = word_set("simulator estimator calculator")
_FILTERS = frozenset(("since", "until", "limit", "offset", "cursor", "page", "per_page", "page_size", "pageSize"))
"""Arguments of those that list what was done."""
_NO_REPOSITORY = frozenset(("repo", "repository", "repo_slug", "project_id", "projectId")).isdisjoint
"""Whether arguments have none of these."""
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
"""Arguments, and the values with which they say that something is only tried."""
_NOT_TRIED = frozenset(_TRYING).isdisjoint
"""Whether no argument says that something is only tried."""
_FETCHES = ("GET", "HEAD", "OPTIONS")
_ASKED_OF_ENTITY = (*_ASKED_BY, "service")
"""The same where a call names something in a house, which services of domains act on."""
_NO_ENTITY = frozenset(("entity_id", "target")).isdisjoint
_NOT_ASKED = frozenset(_ASKED_OF_ENTITY).isdisjoint
"""Whether no argument says what is to be done."""
_LONGEST_ASKED = 30
_MAKING = word_set("create add insert make define new")
_LOOKING = word_set(
    "get list search find read view fetch show check lookup look query think calculate grep glob ls cat open "
    "scroll goto ask web browse todo task plan exit enter finish submit wait write_stdin"
)
_LOOKING_AT_END = word_set("get list search find read view show status tree")
"""What tools are called at the end that begin with what they look at: `pull_request_read`."""
_KEPT = word_set(
    "log logs output outputs history transcript detail details info report reports summary context content contents "
    "snippet snippets result results"
)
"""What tools show by their names that was said some time before, or is told of something."""
_RUNNING = ("run", "execute")
_RUN = word_set("code python cell cells notebook script file program kernel ipython jupyter block")
"""What tools run whose names begin so."""
_INTERPRETERS = word_set("python ipython repl interpreter")
_BESIDE = _INTERPRETERS | word_set("run exec execute eval code jupyter")
"""Words with which an interpreter alone makes the name of a tool."""
_CODE_KEYS = ("code", "source", "script", "cell", "program", "python")
_STATEMENT = compiled_later(r"\w\s*[(\[=]|\n\s*\S|^\s*(?:import|from|raise|assert|del|print)\s")
"""Tells code from what names some."""


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
    """Return whether a call sends a request of HTTP that changes nothing: of a tool that makes something, such as a
    webhook, the method is what that is to use."""
    fetches = isinstance(arguments, dict) and "url" in arguments and arguments.get("method") in _FETCHES
    return fetches and acting_verb(tool) in ("", "send")


def acts(tool: str, arguments: object = None) -> bool:
    """Return whether the name of a tool, or what it is told to do, says that it changes something outside the
    session."""
    if only_tries(arguments) or only_fetches(tool, arguments):
        return False
    asked = asked_action(tool, arguments)
    return tool_words(asked)[0] in _VERBS if asked else bool(acting_verb(tool) or _verb_on_thing(tool, arguments))


def verb_of(tool: str, arguments: object) -> str:
    """Return the acting verb of a call: the one that the tool is told, else that of its name."""
    asked = asked_action(tool, arguments)
    return tool_words(asked)[0] if asked else acting_verb(tool) or _verb_on_thing(tool, arguments)


def _verb_on_thing(tool: str, arguments: object) -> str:
    """Return the verb of a tool whose name may be that of one for files and plans of the session, where the arguments
    say that it acts on a thing of a service: a file that has an identity, or a name and no path."""
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
    """Return what a tool of several uses is told to do, as the argument says it: an acting verb, or one that only
    looks, and maybe with what; empty where no argument says so."""
    if not isinstance(arguments, dict) or _NOT_ASKED(arguments) or not _is_of_several_uses(tool):
        return ""
    if not _FILTERS.isdisjoint(arguments) or ("url" in arguments and "method" in arguments):
        return ""  # a query, or a request of HTTP
    for key in _ASKED_BY if _NO_ENTITY(arguments) else _ASKED_OF_ENTITY:
        value = arguments.get(key)
        if isinstance(value, str) and len(value) <= _LONGEST_ASKED and _ASKED.fullmatch(value):
            word = tool_words(value)[0]
            looks = word in (_READING if key == "method" else LOOKING)
            return value if looks or word in _VERBS else ""
    return ""


def told_action(tool: str, arguments: object) -> str:
    """Return the same, also where it is a verb that may act."""
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
    """Return whether a text is what a tool of several uses may be told to do."""
    return _ASKED.fullmatch(text) is not None and tool_words(text)[0] in _VERBS


@lru_cache(maxsize=1024)
def _is_of_several_uses(tool: str) -> bool:
    words = tool_words(tool)
    of_others = _OF_AGENT.isdisjoint(words) and _RECORDS.isdisjoint(words)
    # what something that is made will do is no act of the call
    return bool(words) and not _WITHIN.search(tool) and of_others and words[0] not in LOOKING | _MAKING


def commits_elsewhere(arguments: object) -> bool:
    """Return whether the arguments of a call are those of a commit to a repository of a service."""
    return isinstance(arguments, dict) and not _NO_MESSAGE(arguments) and not _NO_REPOSITORY(arguments)


@lru_cache(maxsize=1024)
def acting_verb(tool: str) -> str:
    """Return what a tool does outside the session, by its name; empty for one that does nothing there."""
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
    """Return the verb of a tool that is less usual, or takes back what another verb does: `unassign_ticket`."""
    first = words[0]
    known = first in _MORE_VERBS or (first.startswith("un") and first[2:] in _VERBS | _MORE_VERBS)
    return first if known and len(words) > 1 and (LOOKING | _OF_AGENT).isdisjoint(words) else ""


def _verb_of_service(words: tuple[str, ...]) -> str:
    """Return the verb behind the name of a service, as in `slack_send_message`."""
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
    """Return whether neither the name of a tool nor what it is told says what a call does: it may be of a language of
    which no verb is known."""
    return _is_unknown(tool) and not only_tries(arguments) and not asked_action(tool, arguments)


@lru_cache(maxsize=1024)
def _is_unknown(tool: str) -> bool:
    words = tool_words(tool)
    known = bool(words) and (only_looks_by_name(tool) or bool(acting_verb(tool)) or _WITHIN.search(tool) is not None)
    return bool(tool) and not known and (LOOKING - {"export"} | _OF_AGENT).isdisjoint(words)


@lru_cache(maxsize=1024)
def may_act(tool: str) -> bool:
    """Return whether a tool of which the name says nothing may act: none of its words looks, or works something out,
    in any language."""
    aside, words = _WORKING_OUT | (_RECORDS - _ALSO_NAMES), tool_words(tool)
    asks = not _OF_THINGS.isdisjoint(words[-1:]) and _SETS.isdisjoint(words)
    return _is_unknown(tool) and aside.isdisjoint(words) and not asks and not looks_abroad(tool)


def only_looks_by_name(tool: str) -> bool:
    """Return whether the name of a tool says that it only looks at something; also of one without a name."""
    words = tool_words(tool)
    return not words or words[0] in _LOOKING or words[-1] in _LOOKING_AT_END


def runs_code(tool: str, arguments: Any) -> bool:
    """Return whether a call runs code, rather than showing what code put out before."""
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
