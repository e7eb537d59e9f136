"""Read from the names of tools whether they act outside the session, only look at something, or run code."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from compactor_cli.features.work.foreign_verbs import has_foreign_looking_verb
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_VERBS = word_set(
    "book cancel update modify exchange return send create delete add remove transfer pay refund submit publish "
    "post issue save schedule reschedule order purchase deploy merge close reopen assign invite upload archive "
    "approve reject move rename reply comment subscribe unsubscribe charge register apply confirm upgrade "
    "downgrade change reset revoke grant enable disable toggle set share forward place launch trigger terminate "
    "provision restart escalate notify redeem renew withdraw transition push fork star dismiss rerun reassign enroll "
    "enrol reserve buy hire promote dispatch broadcast activate deactivate reactivate suspend reinstate rebook recall "
    "undo unassign"
)
WEAK_VERBS = word_set(
    "run start stop write insert replace put print export import execute clear drop discard abort expire lock unlock "
    "block unblock hold release ship pause resume install uninstall silence mute unmute sign switch sync tag turn mark "
    "attach detach append copy build commit configure restore resolve rotate migrate sell request invoke kill pack pin "
    "unpin void"
)
"""Verbs that may act outside the session, or look, or work on the agent's own things; the result decides."""
_VERB_OBJECTS = {
    "open": word_set("ticket issue case claim dispute request incident account order pr"),
    "run": word_set("workflow pipeline deployment"),
    "request": word_set("review reviewers copilot refund return cancellation approval"),
}
"""Verbs that act outside the session only if one of these words follows; otherwise they open files or run programs."""
_WRITABLE_THINGS = word_set(
    "issue review label labels project projects comment release ticket request branch repository"
)
"""What a service's tool writes if its name ends in `write`: `issue_write`."""
_SESSION_TOOL = compiled_later(
    r"(?<!dis)patch|apply_?diff|^edit|notebook|directory|(?<!(?<!ex)change)(?<!(?<!ex)change_)plan$|todo(?!ist)|"
    r"(?:create|write|save|delete|update|move|rename)_?file|run_?task",
    re.IGNORECASE,
)
"""Tools that change the session's files and plans, which are reported elsewhere, or that run a task of the project."""
_SERVICE_IDENTITY = compiled_later(
    r"(?=.*(?:_i?id|Id|Key|[Nn]umber)$)(?!.*(?:session|request|tool_?call|user|thread|cell|node|run)_?(?:id|Id)$)"
    r"(?!.*(?:[aA]pi|[sS]ecret|[aA]ccess|[pP]rivate)Key$).+"
)
"""Arguments that identify a thing of a service."""
_EDITING_VERBS = ("edit", "patch")
"""Verbs that act outside the session only if an argument identifies a thing of a service."""
_AMBIGUOUS_VERBS = word_set(
    "book order issue return place comment change charge exchange purchase transfer register launch"
)
"""Verbs that are nouns after the name of a service: `github_issue_labels`."""
_VERBS_WITH_OBJECT = word_set("post reply schedule move set share save submit reset")
"""Verbs that are nouns after it unless an object follows: `slack_post_message`, but not `blog_post`."""
LOOKING = word_set(
    "get list search find read view fetch show check lookup look query describe count calculate compute estimate "
    "validate verify preview inspect analyze analyse track download export monitor watch retrieve browse ask wait is "
    "has can should how what which test status info details history results summary"
)
_COMPUTING_WORDS = word_set(
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
_PROPERTY_WORDS = word_set("state name number id count size type level kind")
"""Last words in names of what one queries, unless the tool sets it."""
_SETTING_VERBS = word_set("set put write configure switch turn change update")
_LOCAL_WORDS = word_set(
    "file files fs filesystem folder dir directory path workspace project todo todos task tasks subtask plan goal "
    "memory memories note notes browser page tab tabs window screen mouse cursor keyboard computer desktop "
    "playwright puppeteer selenium chrome notebook cell editor str string text code buffer clipboard session context "
    "agent agents subagent thinking thought terminal shell bash python git ide vscode image chart plot diagram "
    "figure canvas app ui element form data df diff kernel repl sandbox env environment debugger math calculator tmux "
    "pty console"
)
"""First words in names of tools that work on files, pages and the agent's own notes."""
_LOCAL_OR_SERVICE_WORDS = word_set("page project")
"""Those that also occur in services."""
_CONNECTING_WORDS = word_set("for of to from by with in on at and or")
_MAX_SERVICE_WORDS = 2
"""Maximum words of a service's name before the verb: `google_calendar_create_event`."""
_NO_MESSAGE = frozenset(("message", "commit_message", "commitMessage")).isdisjoint
_ACTION_KEYS = ("action", "operation", "op", "method", "command", "verb")
"""Arguments that tell a multi-purpose tool what to do."""
_ACTION_NAME = compiled_later(r"[a-z][A-Za-z]*(?:[_-][A-Za-z]+)*")
"""One word, or a name made of words. HTTP methods, in capitals, do not match."""
_READING_METHODS = word_set("get list read search fetch")
"""Values of `method` that only look; other words, such as `check`, may be payment methods."""
_AGENT_WORDS = _LOCAL_WORDS | word_set("process sessions subagents worktree knowledge graph cache")
"""Words in names of tools whose actions concern the agent's own things."""
_RECORD_WORDS = word_set(
    "log logs audit docs doc documentation metrics permissions schema openapi simulator emulator estimator game calc "
    "calculator math matrix planner checklist scratchpad memory search report reports history"
)
"""Words in names of tools whose action selects what to look up, or that compute something."""
_RECORD_OBJECTS = word_set("game planner checklist report reports")
"""Those that can also be the object of a verb."""
_CALCULATOR_WORDS = word_set("simulator estimator calculator")
_FILTER_KEYS = frozenset(("since", "until", "limit", "offset", "cursor", "page", "per_page", "page_size", "pageSize"))
"""Arguments of tools that list past events."""
_NO_REPOSITORY = frozenset(("repo", "repository", "repo_slug", "project_id", "projectId")).isdisjoint
"""True if arguments contain none of these keys."""
_TRIAL_KEYS = (
    *("dry_run", "dryRun", "dryrun", "validate_only", "validateOnly", "check_only", "simulate", "preview_only"),
    "preview",
)
_TRUE_VALUES = ("true", "client", "server", "1", "yes")
_TRIAL_VALUES = {
    **dict.fromkeys(_TRIAL_KEYS, _TRUE_VALUES),
    **dict.fromkeys(("confirm", "confirmed"), ("false",)),
    "mode": ("dry_run", "dry-run", "dryrun", "preview", "simulate"),
}
"""Arguments, with the values that request only a trial run."""
_NO_TRIAL = frozenset(_TRIAL_VALUES).isdisjoint
"""True if no argument can request a trial run."""
_READING_HTTP_METHODS = ("GET", "HEAD", "OPTIONS")
_NO_ACTION = frozenset(_ACTION_KEYS).isdisjoint
"""True if no argument says what to do."""
_MAX_ACTION_CHARS = 30
_CREATING_WORDS = word_set("create add insert make define new")
_LOOKING_FIRST_WORDS = word_set(
    "get list search find read view fetch show check lookup look query think calculate grep glob ls cat open "
    "scroll goto ask web browse todo task plan exit enter finish submit wait write_stdin"
)
_LOOKING_LAST_WORDS = word_set("get list search find read view show status tree")
"""Last words of tools whose names begin with what they look at: `pull_request_read`."""
_STORED_OUTPUT_WORDS = word_set(
    "log logs output outputs history transcript detail details info report reports summary context content contents "
    "snippet snippets result results"
)
"""Words for things recorded earlier, or for reports, that tools show."""
_RUNNING_VERBS = ("run", "execute")
_RUNNABLE_WORDS = word_set("code python cell cells notebook script file program kernel ipython jupyter block")
"""What tools run whose names begin with these verbs."""
_INTERPRETERS = word_set("python ipython repl interpreter")
_INTERPRETER_TOOL_WORDS = _INTERPRETERS | word_set("run exec execute eval code jupyter")
"""Words that can be combined with an interpreter in a tool's name."""
_CODE_KEYS = ("code", "source", "script", "cell", "program", "python")
_CODE_SIGN = compiled_later(r"\w\s*[(\[=]|\n\s*\S|^\s*(?:import|from|raise|assert|del|print)\s")
"""Distinguishes code from a name of code."""


@lru_cache(maxsize=1024)  # a session calls the same few tools many times
def tool_words(tool: str) -> tuple[str, ...]:
    """Split the name of a tool into its words, in lower case."""
    if not tool.isascii():
        return tuple(re.findall(r"[^\W_]+", tool.lower()))
    return tuple(word.lower() for word in re.findall(r"[A-Z]?[a-z\d]+|[A-Z]+(?![a-z])", tool))


def is_trial_call(arguments: object) -> bool:
    """Return whether a call only says what it would do."""
    if not isinstance(arguments, dict) or _NO_TRIAL(arguments):
        return False
    return any(str(arguments.get(key)).lower() in values for key, values in _TRIAL_VALUES.items())


def is_read_request(tool: str, arguments: object) -> bool:
    """Return whether a call sends an HTTP request that changes nothing. For a tool that creates something, such as a
    webhook, the method is a property of the new thing."""
    is_reading = isinstance(arguments, dict) and "url" in arguments and arguments.get("method") in _READING_HTTP_METHODS
    return is_reading and acting_verb(tool) in ("", "send")


def is_acting(tool: str, arguments: object = None) -> bool:
    """Return whether a tool changes something outside the session, judging by its name or by the action in its
    arguments."""
    if is_trial_call(arguments) or is_read_request(tool, arguments):
        return False
    action = named_action(tool, arguments)
    return tool_words(action)[0] in _VERBS if action else bool(acting_verb(tool) or _editing_verb(tool, arguments))


def call_verb(tool: str, arguments: object) -> str:
    """Return the acting verb of a call: the one in its arguments, or else the one in the tool's name."""
    action = named_action(tool, arguments)
    return tool_words(action)[0] if action else acting_verb(tool) or _editing_verb(tool, arguments)


def _editing_verb(tool: str, arguments: object) -> str:
    """Return the verb of a tool that looks like one that edits the session's own files and plans, if an argument
    identifies a thing of a service."""
    words = tool_words(tool)
    verb = next((word for word in words[:_MAX_SERVICE_WORDS] if word in _EDITING_VERBS), "")
    if not verb or not isinstance(arguments, dict) or not any(map(_SERVICE_IDENTITY.fullmatch, arguments)):
        return ""
    other_words = [word for word in words if word != verb]
    excluded_words = (_LOCAL_WORDS - _LOCAL_OR_SERVICE_WORDS) | LOOKING
    return verb if other_words and excluded_words.isdisjoint(other_words) else ""


def named_action(tool: str, arguments: object) -> str:
    """Return what the arguments tell a multi-purpose tool to do: a verb that acts or only looks, and possibly its
    object. Return "" if there is none."""
    if not isinstance(arguments, dict) or _NO_ACTION(arguments) or not _is_multi_purpose(tool):
        return ""
    if not _FILTER_KEYS.isdisjoint(arguments) or ("url" in arguments and "method" in arguments):
        return ""  # a query, or an HTTP request
    for key in _ACTION_KEYS:
        value = arguments.get(key)
        if isinstance(value, str) and len(value) <= _MAX_ACTION_CHARS and _ACTION_NAME.fullmatch(value):
            word = tool_words(value)[0]
            is_looking = word in (_READING_METHODS if key == "method" else LOOKING)
            return value if is_looking or word in _VERBS else ""
    return ""


def possible_action(tool: str, arguments: object) -> str:
    """Return the action of `named_action`, or else an action whose verb may act."""
    if action := named_action(tool, arguments):
        return action
    if not isinstance(arguments, dict) or not _is_multi_purpose(tool):
        return ""
    values = (str(arguments[key]) for key in _ACTION_KEYS if key in arguments)
    return next((value for value in values if value in WEAK_VERBS), "")


def is_acting_verb(word: str) -> bool:
    """Return whether a word of a name is a verb of tools that act."""
    return word in _VERBS


def is_action_name(text: str) -> bool:
    """Return whether a text is an action that a multi-purpose tool may be told to do."""
    return _ACTION_NAME.fullmatch(text) is not None and tool_words(text)[0] in _VERBS


@lru_cache(maxsize=1024)
def _is_multi_purpose(tool: str) -> bool:
    words = tool_words(tool)
    is_for_others = _AGENT_WORDS.isdisjoint(words) and _RECORD_WORDS.isdisjoint(words)
    # a later action of something being created is not an act of the call
    return (
        bool(words) and not _SESSION_TOOL.search(tool) and is_for_others and words[0] not in LOOKING | _CREATING_WORDS
    )


def is_remote_commit(arguments: object) -> bool:
    """Return whether the arguments are those of a commit to a repository on a service."""
    return isinstance(arguments, dict) and not _NO_MESSAGE(arguments) and not _NO_REPOSITORY(arguments)


@lru_cache(maxsize=1024)
def acting_verb(tool: str) -> str:
    """Return the verb with which a tool acts outside the session, from its name; "" if it does not act there."""
    words = tool_words(tool)
    if not words or _SESSION_TOOL.search(tool) or words[-1] in _CALCULATOR_WORDS:
        return ""
    if words[0] in _VERB_OBJECTS:
        return (
            words[0] if len(words) > 1 and words[1] in _VERB_OBJECTS[words[0]] and LOOKING.isdisjoint(words[2:]) else ""
        )
    if words in (("submit",), ("book",), ("cancel",)) or (len(words) > 1 and words[0] in _VERBS):
        is_query = words[0] in _AMBIGUOUS_VERBS and not (
            _COMPUTING_WORDS - {"key", "time", "date", "stock"}
        ).isdisjoint(words[1:])
        return "" if is_query else words[0]
    return _service_verb(words)


def _service_verb(words: tuple[str, ...]) -> str:
    """Return the verb after the name of a service, as in `slack_send_message`."""
    if words[0] in _LOCAL_WORDS:
        return ""
    if words[-1] == "write" and words[-2:-1] and words[-2] in _WRITABLE_THINGS:
        return "write"
    for index, word in enumerate(words[: _MAX_SERVICE_WORDS + 1]):
        if word in LOOKING or word in _CONNECTING_WORDS:
            return ""
        if index and word in _VERBS and word not in _AMBIGUOUS_VERBS:
            next_word = words[index + 1 : index + 2]
            has_object = bool(next_word) and next_word[0] not in LOOKING and next_word[0] not in _VERBS
            if has_object or word not in _VERBS_WITH_OBJECT:
                return word
    return ""


def is_unclear(tool: str, arguments: object) -> bool:
    """Return whether neither the name of a tool nor its arguments say what a call does. The name may be in a
    language whose verbs are unknown."""
    return _is_unknown(tool) and not is_trial_call(arguments) and not named_action(tool, arguments)


@lru_cache(maxsize=1024)
def _is_unknown(tool: str) -> bool:
    words = tool_words(tool)
    is_known = bool(words) and (
        only_looks_by_name(tool) or bool(acting_verb(tool)) or _SESSION_TOOL.search(tool) is not None
    )
    return bool(tool) and not is_known and (LOOKING - {"export"} | _AGENT_WORDS).isdisjoint(words)


@lru_cache(maxsize=1024)
def may_be_acting(tool: str) -> bool:
    """Return whether a tool with an unknown name may act: none of its words looks or computes something, in any
    language."""
    excluded_words, words = _COMPUTING_WORDS | (_RECORD_WORDS - _RECORD_OBJECTS), tool_words(tool)
    is_query = not _PROPERTY_WORDS.isdisjoint(words[-1:]) and _SETTING_VERBS.isdisjoint(words)
    return (
        _is_unknown(tool) and excluded_words.isdisjoint(words) and not is_query and not has_foreign_looking_verb(tool)
    )


def only_looks_by_name(tool: str) -> bool:
    """Return whether a tool only looks at something, judging by its name; also true for a tool without a name."""
    words = tool_words(tool)
    return not words or words[0] in _LOOKING_FIRST_WORDS or words[-1] in _LOOKING_LAST_WORDS


def runs_code(tool: str, arguments: Any) -> bool:
    """Return whether a call runs code, rather than showing earlier output of code."""
    words = tool_words(tool)
    if not _STORED_OUTPUT_WORDS.isdisjoint(words) or only_looks_by_name(tool):
        return False
    if words[0] in _RUNNING_VERBS and not _RUNNABLE_WORDS.isdisjoint(words[1:2]):
        return True
    if _INTERPRETER_TOOL_WORDS.issuperset(words) and not _INTERPRETERS.isdisjoint(words):
        return True
    if not isinstance(arguments, dict):
        return False
    values = (arguments.get(key) for key in _CODE_KEYS)
    input_text = arguments.get("input")
    return (isinstance(input_text, str) and "\n" in input_text.strip()) or any(
        isinstance(value, str) and _CODE_SIGN.search(value) for value in values
    )
