"""How task lists mark the status of each task: words in several languages, boxes and other signs."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from compactor_cli.text.patterns import compiled_later

Status = Literal["open", "active", "done", "dropped"]

_STATUS_WORDS: dict[Status, str] = {
    "open": (
        "pending|todo|open|notstarted|queued|new|planned|blocked|waiting|"
        "offen|ausstehend|zuerledigen|geplant|nichtbegonnen|àfaire|afaire|enattente|pendiente|porhacer|pendente|porfazer|"
        "afazer|dafare|insospeso|tedoen|dozrobienia|oczekuje|nierozpoczęte|открыто|ожидает|неначато|сделать|bekliyor|"
        "yapılacak|açık|未着手|未完了|未対応|待办|未开始|待处理|未完成|대기|할일|예정"
    ),
    "active": (
        "inprogress|active|doing|started|running|current|wip|"
        "inarbeit|läuft|begonnen|encours|encurso|enprogreso|emandamento|emcurso|incorso|bezig|wtoku|wtrakcie|вработе|"
        "выполняется|devamediyor|sürüyor|進行中|作業中|进行中|진행중"
    ),
    "done": (
        "completed|complete|done|finished|closed|success|"
        "erledigt|fertig|abgeschlossen|gemacht|fait|terminé|terminée|fini|hecho|listo|lista|completado|completada|"
        "terminado|feito|concluído|concluída|pronto|fatto|completato|gedaan|klaar|zrobione|gotowe|ukończone|готово|сделано|"
        "выполнено|yapıldı|bitti|tamamlandı|tamam|完了|済|済み|完成|已完成|완료|완료됨"
    ),
    "dropped": (
        "cancelled|canceled|deleted|dropped|skipped|removed|abandoned|"
        "verworfen|gestrichen|entfällt|abandonné|annulé|annulée|cancelado|cancelada|descartado|annullato|vervallen|"
        "anulowane|odrzucone|отменено|iptal|iptaledildi|中止|取消|已取消|취소|취소됨"
    ),
}
STATUSES: dict[str, Status] = {word: status for status, words in _STATUS_WORDS.items() for word in words.split("|")}
"""Words in lower case, without spaces."""
_STATUS_SIGNS: dict[str, Status] = {
    **dict.fromkeys("☐▢□◻⬜○◯🔲", "open"),
    **dict.fromkeys("▶▷►⏳⌛🔄◐🚧➡", "active"),
    **dict.fromkeys("☑✅✔✓🗹●", "done"),
    **dict.fromkeys("❌✗✘🚫", "dropped"),
}
_BULLET = r"[ \t]*(?:(?:[-*+•]|\d+[.)])[ \t]*)?"
_SIGNED_TASK = compiled_later(rf"^{_BULLET}([{''.join(_STATUS_SIGNS)}])\ufe0f?[ \t]+(\S.*)$")
_WORD = r"([^\W\d][^\d()\[\]（）【】:]{1,18})"
_WORDED_TASK = compiled_later(
    rf"^[ \t]*(?:[-*+•]|\d+[.)])[ \t]+(?:(\S.*?)[ \t]*(?:[-–—:→|][ \t]+|[(\[（【]){_WORD}[)\]）】]?[.]?|"
    rf"[(\[（【]{_WORD}[)\]）】][ \t]*(\S.*))$"
)
"""A task in a list, before or after a word for its status."""
_LIST_ITEM = compiled_later(r"^[ \t]*(?:[-*+•]|\d+[.)])[ \t]+(\S.*)$")


@lru_cache(maxsize=1024)  # a session has few tools, and few words for a status
def normalize_name(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return re.sub(r"\W|_", "", name).lower()


def listed_tasks(text: str) -> list[tuple[Status, str]]:
    """Return (status, text) for the tasks in a list, if any line of the text has a sign or a word for a status."""
    lines = [line for line in text.split("\n") if line.strip()]
    if not any(_task_by_sign(line) or _task_by_word(line) for line in lines):
        return []
    return [task for line in lines if (task := _task_by_sign(line) or _task_by_word(line) or _open_task(line))]


def _task_by_sign(line: str) -> tuple[Status, str] | None:
    match = _SIGNED_TASK.match(line)
    return (_STATUS_SIGNS[match[1]], match[2]) if match else None


def _task_by_word(line: str) -> tuple[Status, str] | None:
    match = _WORDED_TASK.match(line)
    status = STATUSES.get(normalize_name(match[2] or match[3])) if match else None
    return (status, match[1] or match[4]) if match and status else None


def _open_task(line: str) -> tuple[Status, str] | None:
    """Return a line of a list without a status: its task is still to be done."""
    match = _LIST_ITEM.match(line)
    return ("open", match[1]) if match else None
