"""Recognise what an agent says was not done: that it failed, waits, is proposed, or comes next."""

from __future__ import annotations

import re
from typing import Literal

from compactor_cli.text.patterns import any_of, compiled_later, lower_for_search

Lack = Literal["", "failed", "waits", "proposed", "announced"]

_FAILED = compiled_later(
    r"^\W*(?:(?:sorry|unfortunately|but|so),? )*i (?:could ?n[o']t|couldn't|was(?: not|n't) able to|cannot|can't|"
    r"was unable to|am unable to|failed to)\b|"
    r"^\W*failed(?: with\b|:)|\bdid(?: not|n't) (?:work|go through|succeed)\b(?! (?:before|at first|until))|"
    r"\bstill (?:fails?|does(?: not|n't) (?:work|pass|build|compile))\b|"
    # de, nl
    r"\bhat (?:leider )?nicht (?:geklappt|funktioniert)\b|\bich konnte\b.{0,80}\bnicht\b|"
    r"\b(?:ist|sind) (?:leider )?(?:fehlgeschlagen|gescheitert|nicht möglich)\b|\b(?:is|"
    r"zijn) (?:helaas )?(?:niet gelukt|mislukt)\b|"
    # fr, es, pt, it
    r"\bn'a(?: malheureusement)? pas (?:fonctionné|marché|abouti|réussi)\b|\bje n'ai pas (?:pu|réussi)\b|"
    r"\ba échoué\b|"
    r"\bno (?:he podido|pude|pudo|ha funcionado|funcionó|se (?:ha podido|pudo))\b|\bha fallado\b|\bfalló\b|"
    r"\bnão (?:funcionou|consegui|foi possível|deu certo)\b|\bfalhou\b|"
    r"\bnon (?:ha funzionato|sono riuscit[oa]|è stato possibile|è riuscit[oa])\b|\bè fallit[oa]\b|"
    # pl, ru, tr
    r"\bsię nie (?:udał\w*|powiodł\w*)|\bnie (?:udało się|powiodło się|mogł[ae]m|mogłem)\b|"
    r"\bне (?:удалось|получилось|удалась|удался|сработал[аои]?|смог(?:ла)?)\b|"
    r"\b(?:reddedildi|başarısız oldu|yapılamadı|yapamadım|olmadı)\b|"
    # ja, zh, ko
    r"(?:できませんでした|失敗しました|に失敗|うまくいきません)|(?:失败了|没有?成功|未能|没能)|(?:실패했|"
    r"하지 못했|할 수 없었)",
    re.IGNORECASE,
)
_WAITS = compiled_later(
    r"\b(?:waits?|is waiting|are waiting|still waiting) for (?:\w+ ){0,2}(?:approval|confirmation|permission|review|"
    r"go-ahead)\b|"
    r"\b(?:awaits?|awaiting|pending|needs?) (?:\w+ ){0,2}(?:approval|confirmation)\b|\bnot (?:yet )?in (?:effect|"
    r"force) yet\b|"
    r"\b(?:wartet|warten) (?:noch )?auf (?:die |eine |ihre |deine )?(?:freigabe|genehmigung|bestätigung)|"
    r"\bsteh(?:t|en) noch aus\b|\bnoch nicht wirksam\b|\bwacht op (?:goedkeuring|bevestiging)|"
    r"\b(?:attend|en attente d)\b.{0,30}\b(?:approbation|validation|confirmation)|"
    r"\b(?:pendiente de|a la espera de|espera) (?:\w+ )?(?:aprobación|confirmación|autorización)|"
    r"\b(?:aguarda|pendente de|à espera d[ea]) (?:\w+ )?(?:aprovação|confirmação|autorização)|"
    r"\bin attesa di (?:\w+ )?(?:approvazione|conferma)|\b(?:czeka|oczekuje) na (?:\w+ )?(?:akceptację|zatwierdzenie|"
    r"zgodę|potwierdzenie)|"
    r"\b(?:ждёт|ждет|ожидает) (?:\w+ )?(?:подтверждения|согласования|одобрения)|\b(?:onay|onayı|"
    r"onayınızı) bekl(?:iyor|emede)|"
    r"(?:承認待ち|確認待ち|承認を待って)|(?:等待|待)(?:审批|批准|确认|审核)|(?:승인|확인)(?:을|를)? (?:대기|기다리)",
    re.IGNORECASE,
)
_PROPOSAL = compiled_later(
    r"^\W*(?:my )?(?:suggestion|proposal|recommendation)s?\b[^.!?]{0,40}:|"
    r"^\W*i(?:'d| would)? (?:suggest|propose|recommend)\b|"
    r"^\W*(?:mein )?vorschlag\b[^.!?]{0,40}:|^\W*ich (?:schlage|würde)\b.{0,60}\bvor(?:schlagen)?\b|"
    r"^\W*mijn voorstel\b|^\W*ik stel voor\b|"
    r"^\W*(?:je (?:te |vous )?(?:propose|suggère)|ma proposition)\b|^\W*(?:propongo|sugiero|mi propuesta|te propongo|"
    r"le propongo)\b|"
    r"^\W*(?:proponho|sugiro|minha proposta|minha sugestão)\b|^\W*(?:suggerisco|la mia proposta|ti propongo)\b|"
    r"^\W*(?:proponuję|moja propozycja|sugeruję)\b|^\W*(?:предлагаю|моё предложение|мое предложение)\b|"
    r"^\W*(?:önerim|öneriyorum|teklifim)\b|^\W*(?:提案[:：はし]|ご提案)|^\W*(?:我建议|建议[:：]|我的建议|"
    r"我提议)|^\W*(?:제안(?:합니다|드립니다|"
    r"[:：])|제 제안)",
    re.IGNORECASE,
)
_NOT_YET = compiled_later(
    r"\bi have(?: not|n't) (?:done|started|changed|touched|run|sent|booked)\b|\bnothing (?:has been|was|"
    r"is) (?:changed|sent|done|booked) yet\b|"
    r"\bnoch nicht (?:gemacht|getan|erledigt|ausgeführt)\b|\bpas encore (?:fait|exécuté)\b|\b(?:aún|"
    r"todavía) no (?:lo )?he hecho\b|"
    r"\bainda não (?:o )?fiz\b|\bnon l'ho ancora fatt[oa]\b|\bjeszcze tego nie zrobił[ae]m\b|\bпока (?:ещё |"
    r"еще )?не (?:делал|сделал)[аи]?\b|"
    r"\bhenüz yapmadım\b|まだ(?:行って|やって|実行して)いません|(?:还没|尚未)(?:做|执行|改)|아직 (?:하지|"
    r"실행하지) 않았",
    re.IGNORECASE,
)
_ANNOUNCEMENT = compiled_later(
    r"^\W*(?:(?:ok(?:ay)?|sure|fine|all right|right|good)[,.! ]+)?(?:(?:i )?will do\b|i(?: first)? (?:check|look|"
    r"take a look|have a look)\b)|"
    r"[,;] (?:now )?trying\b[^.;]*$|"
    r"^\W*(?:ok(?:ay)?,? )?ich (?:prüfe|schaue|sehe|kümmere|mache mich|suche)\b|^\W*(?:ok,? )?je (?:vais|vérifie|"
    r"regarde|cherche)\b|"
    r"^\W*(?:vale,? |ok,? )?(?:voy a|déjame|lo reviso|lo miro)\b|^\W*(?:ok,? )?(?:vou|deixe-me)\b|"
    r"^\W*(?:ok,? )?(?:vado a|ora controllo|controllo)\b|"
    r"^\W*(?:ok,? )?(?:sprawdzam|sprawdzę|zaraz|już sprawdzam)\b|^\W*(?:сейчас |хорошо, )?(?:проверю|посмотрю|"
    r"проверяю|смотрю)\b|"
    r"\b(?:deniyorum|bakıyorum|kontrol ediyorum)\W*$|(?:確認します|見てみます|調べます|確認いたします)\W*$|"
    r"^\W*我(?:先|来|去|这就)\w*(?:看|查|检查)|"
    r"(?:확인하겠|확인해 보겠|살펴보겠)",
    re.IGNORECASE,
)
_FIXED = compiled_later(
    r"\b(?:fixed|mended|resolved|solved|repaired|corrected|behoben|repariert|corrigé|arreglad[oa]|corrigid[oa]|"
    r"исправлен\w*|naprawion\w*|"
    r"düzeltildi)\b|修(?:正|复|好)|수정했",
    re.IGNORECASE,
)
"""Words that say that a failure is over."""
_LACK_WORDS = (
    # from failures
    *("i could", "i was", "i can", "i am unable", "i failed", "failed with", "failed:", "did not", "didn't"),
    *("still fail", "still does", "geklappt", "funktioniert", "ich konnte", "fehlgeschlagen", "gescheitert"),
    *("nicht möglich", "niet gelukt", "mislukt", "n'a ", "je n'ai", "échoué", "no he", "no pud", "funcion"),
    *("no se ", "fallado", "falló", "não ", "falhou", "funzionato", "riuscit", "stato possibile", "fallit"),
    *("się nie", "nie udało", "nie powiodło", "nie mog", "не удал", "не получилось", "не сработал", "не смог"),
    *("reddedildi", "başarisiz", "yapilamadi", "yapamadim", "olmadi", "できませんでした", "失敗しました"),
    *(
        "に失敗",
        "うまくいきません",
        "失败了",
        "没成功",
        "没有成功",
        "未能",
        "没能",
        "실패했",
        "못했",
        "할 수 없었",
    ),
    # from what waits
    *("wait for", "waits for", "waiting for", "approval", "confirmation", "in effect", "in force", "warte"),
    *("noch aus", "nicht wirksam", "wacht op", "atten", "aprobación", "confirmación", "autorización"),
    *("aprovação", "confirmação", "autorização", "attesa", "czeka", "oczekuje", "ждёт", "ждет", "ожидает"),
    *(
        " bekl",
        "承認待ち",
        "確認待ち",
        "承認を待って",
        "待审批",
        "待批准",
        "待确认",
        "待审核",
        " 대기",
        " 기다리",
    ),
    *("i have not", "i haven't", "nothing ", "noch nicht", "pas encore", "he hecho", "ainda ", "ancora"),
    *("jeszcze tego", "пока ", "henüz", "まだ", "还没", "尚未", "아직"),
    # from what is announced
    *(
        "will do",
        "i check",
        "i first",
        "i look",
        "i take",
        "i have a look",
        "trying",
        "ich prüfe",
        "ich schaue",
    ),
    *("ich sehe", "ich kümmere", "ich mache", "ich suche", "je vais", "je vérifie", "je regarde", "je cherche"),
    *("voy a", "déjame", "lo reviso", "lo miro", "vou", "deixe-me", "vado a", "controllo", "sprawdz", "zaraz"),
    *("провер", "смотрю", "deniyorum", "bakiyorum", "ediyorum", "確認します", "見てみます", "調べます"),
    *("確認いたします", "我", "확인하겠", "확인해 보겠", "살펴보겠"),
)
"""Whatever the patterns match, except that of proposals, contains one of these in the lower case of
`lower_for_search`."""
_MAY_LACK = compiled_later(any_of(_LACK_WORDS))
_MAY_LACK_IN_ASCII = compiled_later(rf"\b(?:{any_of(filter(str.isascii, _LACK_WORDS))})")
"""For ASCII texts, which most are: each word must begin a word of the text, so that few positions are tried."""


def lack_of(sentence: str) -> Lack:
    """Return why the subject of an agent's sentence is not done; empty if nothing says so."""
    text = sentence.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").lstrip("\"'")
    if _PROPOSAL.search(text):
        return "proposed"
    # true of most sentences
    if not (_MAY_LACK_IN_ASCII if text.isascii() else _MAY_LACK).search(lower_for_search(text)):
        return ""
    if _WAITS.search(text) or _NOT_YET.search(text):
        return "waits"
    if _FAILED.search(text) and not _FIXED.search(text):
        return "failed"
    return "announced" if _ANNOUNCEMENT.search(text) else ""
