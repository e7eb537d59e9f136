"""Read the outcome of an act from its result, in many languages: it was done, it failed, it is waiting for
something, or it was only tried."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from msgspec import Struct

from compactor_cli.features.work.act_identities import is_scalar
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.foreign_verbs import FIRST_OTHER_SCRIPT, is_foreign_acting_verb, name_parts
from compactor_cli.features.work.json_results import result_members
from compactor_cli.features.work.outcome_words import (
    ACT_PARTICIPLE,
    APPROVAL_WORDS,
    DONE,
    FAILED,
    FAILED_HEADING,
    INFLECTED_NEGATION,
    NEGATION,
    NONE_PHRASE,
    PLAIN_DONE_WORDS,
    TRIAL_START,
    WAITS,
)
from compactor_cli.text.clean import one_line
from compactor_cli.text.folding import fold
from compactor_cli.text.json_values import leaves
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

OutcomeKind = Literal["", "done", "failed", "waits", "tried"]

_MAX_RESULT_CHARS, _HEAD_CHARS = 2_000, 300
"""Maximum length of a result that is read, and characters of its text that state how the call ended."""
_MAX_ACT_MEMBERS = 8
"""Maximum number of members in a result about an act. With more, it is the record of a thing, with that thing's
state."""
_STATE_MEMBER = compiled_later(
    r"(?:(?P<of>\w+?)_)?(?:status|state|result|outcome|response|stat|estado|resultado|situacao|statut|etat|resultat|"
    r"ergebnis|zustand|stato|esito|risultato|stan|wynik|resultaat|durum|sonuc|статус|состояние|результат)|"
    r"(?:処理|実行)?(?:結果|状態)|(?:处理|执行)?(?:结果|状态|狀態)|(?:처리)?(?:상태|결과)"
)
"""Folded names of members that state how a call ended. With a prefix, they state how the thing in the prefix stands."""
_RESULT_MEMBER = compiled_later(
    r"result|data|response|output|body|outcome|reply|ergebnis|resultado|resultat|risultato|wynik"
)
"""Names of members that hold a result, not a thing with its own state."""
_ERROR_MEMBER = compiled_later(
    r"errors?|err|error_?message|failure|failure_?reason|exception|fault|fehler|erreurs?|erros?|errore|errori|"
    r"fout|blad|"
    r"bledy|ошибка|ошибки|hata|错误|錯誤|エラー|오류"
)
_MESSAGE_MEMBER = compiled_later(
    r"(?:^|_)(?:message|msg|detail|details|info|note|text|description|reason|nachricht|meldung|hinweis|mensaje|"
    r"mensagem|"
    r"messaggio|bericht|komunikat|сообщение|mesaj)$|消息|信息|メッセージ|메시지"
)
_SUCCESS_MEMBER = compiled_later(r"ok|success|succeeded|successful|erfolg|exito|sucesso|succes")
_CODE_MEMBER = compiled_later(r"code|status|status_?code|http_?status|http_?code|error_?code|statut|kod|codigo")
_CHANGED_COUNT_MEMBER = compiled_later(
    r"(?i:^n?(?:updated|created|deleted|inserted|modified|affected|removed|added|written|sent|upserted|changed)|"
    r"_?(?:updated|deleted|inserted|modified|affected|removed|added|written|sent|upserted|changed)$)|"
    r"(?:Updated|Deleted|Inserted|Modified|Affected|Removed|Added|Written|Sent|Changed)(?:Count|Rows)?$"
)
_EXIT_CODE_MEMBER = compiled_later(r"exit_?code|exit_?status|return_?code|rc")
_APPROVAL_MEMBER = compiled_later(
    r"(?:^|_)(?:requires?|needs?|awaiting|pending)_?(?:\w+_)?(?:confirmation|approval|review)$|"
    r"^confirmation_(?:required|needed)$"
)
_TRIAL_MEMBER = compiled_later(r"^(?:dry_?run|simulated|simulation|preview_only|is_?preview|dry)$")
_PREVIEW = "preview"
_STATUS_LINE = compiled_later(
    r"(?:(?i:HTTP/\S+ |SMTP |FTP |status:? |HTTP ))(?P<code>[1-5]\d\d)\b|(?P<alone>[1-5]\d\d) (?:Accepted|Bad Request|"
    r"Unauthorized|Payment Required|Forbidden|Not Found|Method Not Allowed|Not Acceptable|Request Timeout|Conflict|"
    r"Gone|Unprocessable|Too Many Requests|Internal Server|Not Implemented|Bad Gateway|Service Unav|Gateway Time)"
)
"""How a server states the outcome of a request: `HTTP/1.1 403 Forbidden`."""
_COUNTED_UNITS = compiled_later(r"\d+ (?:rows?|lines?|items?|records?|files?|bytes|users?|messages?)\b")
_CODE_LINE = compiled_later(r"(?:ERR(?:OR)?|E|F|ORA|SQLSTATE|EXC)[-_ ]?\d{1,6}\b")
_EXCEPTION = compiled_later(r"[\w.]{0,60}(?:[a-z]Error|Exception|Fault)\b ?[:(]")
_EXIT_CODE = compiled_later(r"\b(?:exit(?:ed)?(?: with)?(?: code| status)?|return code|exit_code|rc)[:= ]+[1-9]\d*\b")
_TAG = compiled_later(r"<(?P<name>[^\W\d][\w.-]*)(?P<attributes>[^<>]*)>(?P<text>[^<>]*)")
_ATTRIBUTE = compiled_later(r"([\w.-]+)=[\"']([^\"']*)[\"']")
_PAIR = compiled_later(r"(?:^|[;|&,\n])[ \t]*([^\W\d][\w .-]{0,30})[ \t]*=[ \t]*([^;|&\n]{1,80})")
_EMPTY_VALUES = ("", "0", "none", "null", "false", "no", "nil", "n/a", "[]", "{}", "-", "–", "—", "nein", "non", "нет")
_NOTHING_DONE = compiled_later(r"nothing (?:was|has been) \w+")
_STATE_WORD = compiled_later(r"(?<![\w./-])[a-z]+(?:_[a-z]+)+(?=[:)]|[,;.]?\s*\Z)")
"""A state as programs write it within a sentence: `awaiting_confirmation`."""
_SENTENCE = compiled_later(r"(?<=[.!])\s|(?<=[。！])|\n")
_CLAUSE = compiled_later(r"[,;、，；]\s?")
_QUESTION_START = "would you"
"""How a question begins that precedes what was done."""
_PENDING_VERBS = word_set("create add open insert invite move reopen transition set update mark reply assign tag")
"""Verbs of acts after which the thing may be pending."""
_GAP = compiled_later(r"\W*(?:\w{1,4}\W+)?")
"""What may separate a negation from what it negates: `not be booked`, `pas été réservée`."""
_SERVER_ERROR, _SERVER_ERROR_END, _ACCEPTED = 400, 600, 202
_MAX_LINES = 6
"""Number of line breaks from which a text says more than how the call ended."""
_MIN_ECHO_CHARS = 3
_STEM_CHARS = 4
_MAX_SHOWN = 80
_LONG_WORD = compiled_later(r"[^\W\d_]{4,}")
_DONE_ENDING = compiled_later(r"(?:e[dne]|[aiu]d[oa]s?|[aiu]t[oaie]|e|es|t|[oae]n[oaey]|(?:н|т)[оаы]?|[dt][iu])$")
"""Endings of words for what was done: booked, gebucht, reservado, réservé, prenotato, usunięto, удалено, silindi."""
_FOREIGN_PARTICIPLE = compiled_later(
    r"^(?:\w+ )?\w{3,}(?:[aiu]d[oa]s?|ee?s?|[aiu]t[oa]|[ae]n[oay]|iert|ge\w+[tn]|ан[оа]?|ен[оа]?|ild[iu]|nd[iu])$"
)
"""A state that says what was done to a thing: confirmée, efetuada, storniert, utworzono."""


class ActOutcome(Struct, frozen=True):
    """The outcome of an act, as stated by its result."""

    kind: OutcomeKind = ""
    """Empty if nothing states it."""
    words: str = ""
    """The words that state it."""


def result_outcome(output: str, tool: str, arguments: Iterable[str]) -> ActOutcome:
    """Return the outcome of an act that its result states. `arguments`: values of its arguments, which the result may
    repeat."""
    text = output.strip()
    if not text or len(text) > _MAX_RESULT_CHARS:
        return ActOutcome()
    own = name_parts(tool)
    echoed = sorted({fold(value) for value in arguments if len(value) >= _MIN_ECHO_CHARS}, key=len, reverse=True)
    members = result_members(text)
    if members:
        return _members_outcome(members, own, echoed)
    pairs = list(_iter_pairs(text))
    pair_outcome = _strongest_outcome(_member_outcome(name, value, own, echoed, few=True) for name, value in pairs)
    return pair_outcome if pair_outcome.kind else _text_outcome(text, own, echoed)


def argument_values(arguments: Any) -> Iterator[str]:
    """Return the strings and numbers in arguments, at any depth."""
    return map(str, filter(is_scalar, leaves(arguments)))


def act_outcome(call: ToolCall) -> ActOutcome:
    """Return the outcome that the result of a call states."""
    return result_outcome(call.output, call.tool, argument_values(call.arguments))


def awaits_consent(output: str) -> bool:
    """Return whether a result says that someone still has to approve, rather than that work is in progress."""
    return APPROVAL_WORDS.search(fold(output[:_HEAD_CHARS]).replace("_", " ")) is not None


def plainly_states_done(output: str, tool: str, argument_values: Iterable[str]) -> bool:
    """Return whether a result plainly says that something was done. Its words must not also describe the state of a
    thing, unless they are a form of the tool's own verb."""
    folded_text = fold(output)
    for value in argument_values:
        folded_text = folded_text.replace(value, "·") if len(value) >= _MIN_ECHO_CHARS else folded_text
    own = tuple(word for word in name_parts(tool) if len(word) >= _STEM_CHARS)
    return PLAIN_DONE_WORDS.search(folded_text) is not None or any(
        _DONE_ENDING.search(found.group()) and found.group() not in own and _is_own(found.group(), own)
        for found in _LONG_WORD.finditer(folded_text)
    )


def is_changed_count(name: str, value: Any) -> bool:
    """Return whether a member of a result says how much was changed: `updatedCells`, `rows_affected`."""
    return type(value) is int and value > 0 and _CHANGED_COUNT_MEMBER.search(name) is not None


def states_outcome(output: str) -> bool:
    """Return whether a result of a command, which may say anything, states its outcome: it is an object, a status
    line, a labelled error, or a request for approval."""
    text = output.strip()
    plain = fold(text[:_HEAD_CHARS])
    return (
        text[:1] in ("<", "{")
        or text.startswith("HTTP/")
        or any(pattern.match(text) for pattern in (_EXCEPTION, _CODE_LINE, _EXIT_CODE))
        or FAILED_HEADING.match(plain) is not None
        or _NOTHING_DONE.match(plain) is not None
        or APPROVAL_WORDS.search(plain) is not None
    )


def _without_echo(plain: str, echoed: Iterable[str]) -> str:
    """Return a folded text without the values of the call. Only whole words are removed: the value `queue` leaves
    `queued`."""
    for value in echoed:
        plain = re.sub(rf"(?<![a-z]){re.escape(value)}(?![a-z])", "·", plain) if value in plain else plain
    return plain


def _strongest_outcome(candidates: Iterable[ActOutcome]) -> ActOutcome:
    """Return the outcome that takes precedence: failed first, then tried, then waiting, then done."""
    outcomes = list(candidates)
    for kind in ("failed", "tried", "waits", "done"):
        if outcome := next((outcome for outcome in outcomes if outcome.kind == kind), None):
            return outcome
    return ActOutcome()


def _members_outcome(members: dict[str, Any], own: tuple[str, ...], echoed: list[str]) -> ActOutcome:
    nested = (
        value for name, value in members.items() if isinstance(value, dict) and _RESULT_MEMBER.fullmatch(fold(name))
    )
    top = {**next(nested, {}), **members}
    few = len(top) <= _MAX_ACT_MEMBERS and not any(
        isinstance(value, list) and any(isinstance(item, dict) for item in value) for value in top.values()
    )
    outcome = _strongest_outcome(_member_outcome(name, value, own, echoed, few=few) for name, value in top.items())
    if outcome.kind:
        return outcome
    if top.get(_PREVIEW) is True:
        return ActOutcome("tried", _PREVIEW)
    texts = (value for name, value in top.items() if isinstance(value, str) and _MESSAGE_MEMBER.search(fold(name)))
    return _strongest_outcome(_text_outcome(value, own, echoed) for value in texts) if few else ActOutcome()


def _member_outcome(name: str, value: Any, own: tuple[str, ...], echoed: list[str], *, few: bool) -> ActOutcome:
    """Return the outcome that one member of a result states. `few`: the result has too few members to be the record
    of a thing."""
    key = fold(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name))
    text = fold(str(value)).strip() if isinstance(value, str | int | float) else ""
    shown = f"{name} {one_line(str(value), _MAX_SHOWN)}"
    if _ERROR_MEMBER.fullmatch(key):
        empty = not value or (not isinstance(value, list | dict) and (text in _EMPTY_VALUES or text.startswith("no ")))
        return ActOutcome() if empty else ActOutcome("failed", shown)
    if isinstance(value, bool):
        if _TRIAL_MEMBER.search(key) and value:
            return ActOutcome("tried", shown)
        if _APPROVAL_MEMBER.search(key) and value:
            return ActOutcome("waits", name)
        return ActOutcome(("done" if value else "failed"), shown) if _SUCCESS_MEMBER.fullmatch(key) else ActOutcome()
    if _SUCCESS_MEMBER.fullmatch(key) and text in ("false", "true"):
        return ActOutcome("done" if text == "true" else "failed", shown)
    if is_changed_count(name, value):
        return ActOutcome("done", shown)
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= _STEM_CHARS else None
    if number is not None:
        if _EXIT_CODE_MEMBER.fullmatch(key):
            return ActOutcome("failed", shown) if number else ActOutcome()
        if few and _CODE_MEMBER.fullmatch(key) and text not in echoed:
            return _code_outcome(number, shown)
        return ActOutcome()
    state_member = _STATE_MEMBER.fullmatch(key) if text else None
    if state_member is None or (state_member["of"] and state_member["of"] not in own):
        return ActOutcome()
    return _state_outcome(text, str(value), own, echoed, few=few)


def _code_outcome(number: int, shown: str) -> ActOutcome:
    if _SERVER_ERROR <= number < _SERVER_ERROR_END:
        return ActOutcome("failed", shown)
    return ActOutcome("waits", shown) if number == _ACCEPTED else ActOutcome()


def _state_outcome(text: str, shown: str, own: tuple[str, ...], echoed: list[str], *, few: bool) -> ActOutcome:
    """Return the outcome for a state in a member of a result. `text`: the folded state, `shown`: the original."""
    words = text.replace("_", " ").replace("-", " ")
    consent = APPROVAL_WORDS.search(words) is not None
    # a tool's name may contain `pending`: the state of the thing before the act, not a wait for approval; and if
    # approval is still needed, a tool that approves has not done so
    purpose_words = [word for word in own[1:] if not WAITS.fullmatch(word)] if consent else own
    if text in echoed or _is_own(words, purpose_words):
        return ActOutcome("done", shown)
    if FAILED.search(words):
        return ActOutcome("failed", one_line(shown, _MAX_SHOWN))
    if TRIAL_START.search(words):
        return ActOutcome("tried", shown)
    if consent:
        return ActOutcome("waits", one_line(shown, _MAX_SHOWN))
    if WAITS.search(words):  # a thing may have this state when it was just created
        return (
            ActOutcome("waits", one_line(shown, _MAX_SHOWN)) if few and _PENDING_VERBS.isdisjoint(own) else ActOutcome()
        )
    is_done = DONE.search(words) or ACT_PARTICIPLE.search(words) or _FOREIGN_PARTICIPLE.search(words)
    return ActOutcome("done", shown) if is_done else ActOutcome()


def _is_own(words: str, own: Sequence[str]) -> bool:
    """Return whether a state is the purpose of the tool: `rejected` for `reject_offer`, `draft` for `create_draft`."""
    return any(
        word.startswith(name[: max(_STEM_CHARS, len(name) - 2)])
        for word in words.split()
        for name in own
        if len(name) >= _STEM_CHARS
    )


def _iter_pairs(text: str) -> Iterator[tuple[str, str]]:
    """Yield (name, value) from tags or from pairs."""
    if text.startswith("<"):
        for tag in _TAG.finditer(text):
            yield tag["name"], tag["text"].strip() or "true"
            yield from _ATTRIBUTE.findall(tag["attributes"])
        return
    yield from _PAIR.findall(text) if "=" in text else ()


def _text_outcome(text: str, own: tuple[str, ...], echoed: list[str]) -> ActOutcome:
    """Return the outcome that the first sentences of a result state."""
    line = one_line(text.strip()[:_HEAD_CHARS], _HEAD_CHARS)
    shown = one_line(_SENTENCE.split(text.strip(), maxsplit=1)[0], _MAX_SHOWN)
    if status := _STATUS_LINE.match(line):
        code = int(status["code"] or status["alone"])
        if not _COUNTED_UNITS.match(line) and (outcome := _code_outcome(code, shown)).kind:
            return outcome
    elif _CODE_LINE.match(line) or _EXCEPTION.match(line):
        return ActOutcome("failed", shown)
    if _EXIT_CODE.search(text.lower()[-_HEAD_CHARS:]):
        return ActOutcome("failed", shown)
    if text.count("\n") >= _MAX_LINES:
        return ActOutcome()
    plain = _STATE_WORD.sub(lambda found: found.group().replace("_", " "), _without_echo(fold(line), echoed))
    plain = " ".join(word for word in plain.split() if word.strip(".,:;!\"'()") not in own)
    if TRIAL_START.match(plain) and not plain.startswith(_QUESTION_START):
        return ActOutcome("tried", shown)
    plain = NONE_PHRASE.sub(" ", plain)
    first, *rest = _SENTENCE.split(plain, maxsplit=1)
    if len(first) <= _STEM_CHARS:
        first = plain
    outcome = _of_sentence(first, plain, shown, own, echoed)
    if outcome.kind == "failed" and not FAILED.search(first) and any(_is_own_done(each, own) for each in rest):
        return ActOutcome("done", shown)  # what comes before describes the thing
    return outcome


def _of_sentence(first: str, plain: str, shown: str, own: tuple[str, ...], echoed: Iterable[str]) -> ActOutcome:
    """Return the outcome that a sentence states; the earliest sign of success, failure or waiting counts."""
    if FAILED_HEADING.match(first):
        return ActOutcome("failed", shown)
    if (found := APPROVAL_WORDS.search(plain)) and not any(found.group() in value for value in echoed):
        return ActOutcome("waits", shown)
    bad = [
        found.span()
        for pattern in (FAILED, INFLECTED_NEGATION)
        for found in pattern.finditer(first)
        if not _is_own(found.group(), own)
    ]
    done = [at for at in _done_positions(first, own) if not any(start <= at < end for start, end in bad)]
    places: dict[OutcomeKind, int] = {
        "waits": _first_match((WAITS,), first, own),
        "failed": min(_first_match((FAILED, INFLECTED_NEGATION), first, own), _first_negation(first)),
        "done": min(done, default=len(first)),
    }
    kind = min(places, key=lambda kind: places[kind])
    if kind == "failed" and done and not _is_negated(first, done):
        return ActOutcome()  # it may describe the thing: "Expired card deleted"
    return ActOutcome(kind, shown) if places[kind] < len(first) else ActOutcome()


def _is_negated(sentence: str, done: Iterable[int]) -> bool:
    """Return whether a negation precedes one of the places where a sentence says that something was done."""
    ends = [found.end() for found in NEGATION.finditer(sentence)]
    return any(end <= at and _GAP.fullmatch(sentence, end, at) for end in ends for at in done)


def _first_negation(sentence: str) -> int:
    """Return the position of a negation in the first clause of a sentence, or the sentence's length if there is
    none."""
    found = NEGATION.search(_CLAUSE.split(sentence, maxsplit=1)[0])
    return found.start() if found else len(sentence)


def _is_own_done(sentence: str, own: tuple[str, ...]) -> bool:
    """Return whether a sentence says that the tool's own act was done."""
    is_done = any(
        _DONE_ENDING.search(found.group()) and _is_own(found.group(), own) for found in _LONG_WORD.finditer(sentence)
    )
    return is_done and not (FAILED.search(sentence) or NEGATION.search(sentence))


def _first_match(patterns: Iterable[re.Pattern[str]], sentence: str, own: tuple[str, ...]) -> int:
    """Return the position of the first match in a sentence, or the sentence's length if there is none. Words for the
    tool's own act are ignored."""
    matches = (match for pattern in patterns for match in pattern.finditer(sentence))
    return min((match.start() for match in matches if not _is_own(match.group(), own)), default=len(sentence))


def _done_positions(sentence: str, own: tuple[str, ...]) -> Iterator[int]:
    """Yield the positions where a sentence says that something was done."""
    yield from (found.start() for pattern in (DONE, ACT_PARTICIPLE) for found in pattern.finditer(sentence))
    for found in _LONG_WORD.finditer(sentence):
        word = found.group().removeprefix("ge")
        if _DONE_ENDING.search(word) and (
            _is_own(word, own) or (word[0] < FIRST_OTHER_SCRIPT and is_foreign_acting_verb(word))
        ):
            yield found.start()
