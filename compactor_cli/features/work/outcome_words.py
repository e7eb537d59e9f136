"""Words, folded and in many languages, with which results state the outcome of an act."""

from __future__ import annotations

import re

from compactor_cli.text.folding import fold
from compactor_cli.text.patterns import compiled_later

FAILED = compiled_later(
    r"\b(?:fail\w*|errors?|err|exceptions?|reject\w*|declin\w*|denied|deny|refus\w*|invalid\w*|conflict\w*|"
    r"unavailab\w*|"
    r"time ?outs?|timed out|forbidden|unauthori[sz]ed|unsupported|insufficient|exceed\w*|sold out|out of stock|expired|"
    r"aborted|unprocessable|impossible|unknown|missing|unable|unreachable|unsuccessful\w*|disallow\w*|prohibit\w*|"
    r"duplicates?|overbooked|exhausted|bounced|undeliver\w+|limit reached|used up|bad request|"
    r"too (?:many|large|long|late)|"
    r"(?:is|are|was) (?:full|closed|busy|disabled|locked|taken|gone|over quota|read ?only)|"
    r"fehler\w*|fehlgeschlagen|gescheitert|abgelehnt|verweigert|ungultig\w*|unbekannt\w*|unmoglich|gesperrt|ausgebucht|"
    r"echec|echou\w+|erreurs?|invalide|introuvable|indisponible|rechaz\w+|fall(?:o|ido|ida)|deneg\w+|imposible|"
    r"agotad\w+|"
    r"vencid\w+|erros?|falh\w+|recusad\w+|negad\w+|rejeitad\w+|invalid\w+|indisponivel|impossivel|esgotad\w+|errore|"
    r"fallit\w+|rifiutat\w+|negat[oa]|non valid\w+|impossibile|esaurit\w+|fout\w*|mislukt|geweigerd|afgewezen|ongeldig|"
    r"blad\w*|odrzucon\w+|odmow\w*|niepoprawn\w+|nieudan\w+|zablokowan\w+|ошиб\w+|отказ\w*|отклонен\w*|неудач\w+|"
    r"невозможн\w+|недоступ\w+|запрещ\w+|hata\w*|basarisiz\w*|redded\w+|gecersiz\w*|yetersiz\w*|bulunamadi)\b"
    r"|エラー|失敗|拒否|無効|不可|不正|错误|錯誤|失败|失敗|拒绝|無效|无效|不存在|超时|오류|실패|거부|불가|초과|에러"
)
"""Something failed; matches anywhere."""
FAILED_HEADING = compiled_later(
    r"\W*(?:(?:[\w-]+ ){0,2}(?:error|failure|fehler|erreur|errore|erro|fout|blad|ошибка|hata|conflict|fault|exception)"
    r"(?:\s?\([^)]*\)|\s?\[[^\]]*\]| \w?\d+)?\s?[:：-]|(?:错误|エラー|오류|에러)\s?[:：]?)"
)
"""The same, as a heading before the reason."""
NONE_PHRASE = compiled_later(
    r"\b[\w ]{1,40}[:=] ?(?:none|0|no|nil|null|\[\])(?=[\s.,;]|$)|"
    r"\b(?:0|no|zero|without(?: any)?|keine?|ohne|sans|sin|sem|senza|bez|без) "
    r"(?:errors?|failures?|failed|conflicts?|problems?|issues?|warnings?|fehler|erreurs?|errores|erros|errori|bledow|"
    r"ошибок)\b|\b(?:was|were|previously|formerly)[: ]+\w+(?=\))|\bno (?:more|further|longer|additional|extra)\b"
)
"""There was none of the thing named."""
NEGATION = compiled_later(
    r"\b(?:not|no|cannot|(?:ca|could ?|did ?|was ?|were ?|wo ?|does ?|do ?)n['’]?t|never|nothing|none|neither|nobody|"
    r"nicht|nichts|kein\w*|ne|pas|aucun\w*|rien|nada|ningun\w*|nao|nenhum\w*|non|nessun\w*|niet|geen|nie|zadn\w+|"
    r"не|нет|"
    r"нельзя|ничего|degil|yok)\b|\bn['’](?:a|est|ont|y)\b"
)
"""Something is not so, or was not done."""
INFLECTED_NEGATION = compiled_later(
    r"ません|なかった|できない|無理|不能|无法|無法|没有|没能|未能|不足|못|않|없|안 됩니다|"
    r"\w{3,}(?:[ei]|[au])?(?:medi|madi|lemedi|lamadi|mez|maz|emez|amaz)\b"
)
"""The same in languages where negation is part of a word."""
DONE = compiled_later(
    r"\b(?:ok(?:ay)?|done|success\w*|succeeded|complete|confirmed|erledigt|erfolg\w*|fertig|hecho|listo|exito\w*|"
    r"correctamente|fait|effectuee?s?|reussi\w*|succes|feito|sucesso|fatto|riuscit\w+|successo|gedaan|gelukt|voltooid|"
    r"gereed|gotowe|zrobione|wykonan\w+|sukces|zapisan\w+|pomyslnie|готово|выполнен\w*|успешн\w*|сделан\w*|tamam\w*|"
    r"basari(?:li|yla)\w*|yapildi)\b|完了|成功|しました|済み|済|完成|已|완료|성공|되었습니다|했습니다|됐습니다|하였습니다|"
    r"[✓✅✔☑]"
)
"""Something was done."""
PLAIN_DONE_WORDS = compiled_later(
    r"\b(?:ok(?:ay)?|done|success\w*|succeeded|erledigt|erfolgreich|hecho|exito\w*|correctamente|fait|effectuee?s?|"
    r"reussi\w*|feito|sucesso|fatto|successo|gedaan|gelukt|zrobione|wykonan\w+|sukces|pomyslnie|успешн\w*|выполнен\w*|"
    r"сделан\w*|tamam|basari(?:li|yla)\w*)\b|成功|성공|[✓✅✔]"
)
"""The same, in words that rarely describe the state of a thing."""
_STATE_VERBS = (
    "need|requir|allow|expect|support|author|limit|permit|us|exceed|unchang|lock|block|disabl|clos|duplicat|bas|relat|nam|"
    "call|reject|declin|deni|refus|expir|fail|abort|queu|pend|await|delay|propos|request|schedul|simulat|preview|ne|se|"
    "fe|spe|exce|proce|succe|indee|includ|concern|interest|estimat|recommend|suggest|predict|comput|calculat|convert|"
    "translat|detect|pars|match|found|load|fetch|retriev|check|verifi|validat|list|read|search|return|measur|bounc|"
    "overbook|exhaust|time|draft|review|unsupport|speci|advanc|combin|detail|unauthori[sz]|unexpect|skipp|ignor"
)
ACT_PARTICIPLE = compiled_later(
    rf"\b(?!(?:{_STATE_VERBS})ed\b)[a-z]{{2,}}ed\b|\b(?:sent|paid|bought|sold|written|wrote|built|set|put|made|"
    rf"given|begun|"
    r"on its way)\b"
)
"""An English participle for an act; results of look-ups and calculations do not begin with it."""
APPROVAL_WORDS = compiled_later(
    r"\b(?:pending|awaiting|waiting|waits?|queued|submitted|scheduled|held|subject to|needs?|requires?|required|once) "
    r"(?:for )?(?:\w+ ){0,3}(?:approv\w+|confirm\w+|review|sign off|authori[sz]ation|consent|moderation)\b"
    r"(?! (?:email|e-mail|number|code|id))|"
    r"\b(?:approval|confirmation|review) (?:is )?(?:required|needed|pending)\b|"
    r"\bplease confirm\b|\bare you sure\b|\breally [\w ·]+\?|"
    r"\b(?:confirm|proceed|continue)\?|\bnot (?:yet )?in effect\b|"
    r"\b(?:saved|stored|kept|created) as (?:a )?draft\b|\bwartet auf\b|\bzur (?:freigabe|genehmigung|prufung)\b|"
    r"\b(?:freigabe|genehmigung|bestatigung) (?:\w+ )?(?:ausstehend|erforderlich|notig|steht aus)\b|"
    r"\ben attente d\w*|\ba valider\b|\bpendiente de\b|\besperando (?:la |su )?\w+|\brequiere (?:aprob|confirm)\w+|"
    r"\baguardando\b|\bpendente de\b|\brequer (?:aprov|confirm)\w+|\bin attesa di\b|\bda approvare\b|\bwacht op\b|"
    r"\bczeka na\b|\boczekuje na\b|\bожида\w+ (?:подтвержд|одобр|согласов)\w+|\bна (?:рассмотрении|согласовании)\b|"
    r"\bonay (?:bek|ger)\w+|承認待ち|確認待ち|承認が必要|待审|待批|待确认|等待\w*(?:审|批|确认)|"
    r"需要\w*(?:审|批|确认)|승인 ?(?:대기|필요)|"
    r"확인 ?대기|승인을 기다"
)
"""Something still needs approval; matches anywhere."""
WAITS = compiled_later(
    r"\b(?:pending|queued|enqueued|awaiting|waiting|deferred|draft|unconfirmed|on hold|in review|under review|"
    r"processing|in progress|in process|accepted for|"
    r"scheduled for (?:review|approval)|proposed|tentative|ausstehend|wartend|in bearbeitung|"
    r"in warteschlange|vorgemerkt|entwurf|en attente|en cours|brouillon|pendientes?|en espera|en cola|"
    r"en proceso|borrador|pendentes?|em espera|na fila|em processamento|rascunho|in attesa|in coda|bozza|"
    r"in behandeling|in afwachting|concept|oczekuj\w+|w kolejce|w trakcie|wersja robocza|ожида\w+|"
    r"в очереди|в обработке|черновик|beklemede|bekliyor|sirada|kuyruk\w*|taslak)\b|"
    r"保留|待ち|処理中|下書き|審査中|排队|排隊|处理中|等待|待处理|草稿|审核中|대기|처리 ?중|보류|임시 ?저장|"
    r"검토 ?중"
)
"""Something has not happened yet."""
TRIAL_START = compiled_later(
    r"\W*(?:\w+ )?(?:dry ?-?run|would\b|simulat\w+|simulacion|simulacao|preview\b|what ?if|probelauf|trockenlauf|"
    r"ensayo|a blanc|vorschau|apercu|vista previa|пробн\w+|テスト実行|プレビュー|试运行|模拟|预览|모의|미리보기)"
)
"""Something was only tried, or is shown before it is done."""
USUAL_FAILURE_WORDS = compiled_later(
    r"\b(?:errors?|fail(?:ed|ure)?|conflict|cannot|can't|denied|refused|not found|missing|invalid|issues?)\b",
    re.IGNORECASE,
)
"""Words with which programs usually say what failed, in a line as it is."""
_NO_REASON = compiled_later(r"\s*(?:[>$+] |[-+]\S|\W{0,2}(?:npm |yarn )?warn(?:ing)?\b|oh no\b)", re.IGNORECASE)
"""A command that is echoed, a line of a diff, a warning, which good runs print as well, or a mere exclamation."""
_OPTION = compiled_later(r"(?<!\S)-+[\w-]+")
_MAX_SEARCHED_CHARS = 400


def names_failure(line: str) -> bool:
    """Return whether a line has words with which programs usually say what failed, or whether its beginning says in
    other words, in any case and with accents, that something failed or is not so."""
    if USUAL_FAILURE_WORDS.search(line):
        return True
    if _NO_REASON.match(line):
        return False
    folded = fold(_OPTION.sub("", line[:_MAX_SEARCHED_CHARS]))
    return any(words.search(folded) for words in (FAILED, NEGATION, INFLECTED_NEGATION))
