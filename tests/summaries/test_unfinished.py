"""What an agent says of things that were not done."""

from __future__ import annotations

import pytest

from compactor_cli.summaries.unfinished import lack_of

_SAID = {
    "failed": (
        "Unfortunately, I couldn't reach the server.",
        "FAILED: the build.",
        "It still does not compile.",
        "Ich konnte die Datei leider nicht finden.",
        "Das ist leider fehlgeschlagen.",
        "Dat is helaas niet gelukt.",
        "Je n’ai pas réussi à ouvrir le fichier.",
        "No se pudo abrir.",
        "Não consegui abrir o ficheiro.",
        "Non è stato possibile aprirlo.",
        "Nie udało się otworzyć.",
        "НЕ УДАЛОСЬ открыть файл.",
        "Dosya açılamadı, işlem BAŞARISIZ OLDU.",
        "ファイルを開けることができませんでした。",
        "没有成功。",
        "열 수 없어서 실패했습니다.",
    ),
    "waits": (
        "The deploy is waiting for your approval.",
        "It is not yet in effect yet.",
        "Es wartet noch auf die Freigabe.",
        "Le client attend votre approbation.",
        "Pendiente de confirmación.",
        "Yönetici onayı bekliyor.",
        "等待审批。",
        "I haven't changed it.",
        "Nothing was sent yet.",
        "Henüz yapmadım.",
    ),
    "announced": (
        "Okay, I will do that.",
        "First the tests, now trying the other way",
        "Ich prüfe das.",
        "Je vais voir.",
        "Voy a mirar.",
        "Sprawdzam to.",
        "Сейчас посмотрю.",
        "Şimdi BAKIYORUM.",
        "我先看一下。",
    ),
    "proposed": ("I'd suggest a second index.", "Mein Vorschlag: wir warten.", "Предлагаю подождать."),
    "": (
        "The server waits for requests.",
        "I failed it on purpose, and fixed it.",
        "All tests pass.",
        "",
        "Which one?",
    ),
}


@pytest.mark.parametrize(("lack", "said"), [(lack, said) for lack, texts in _SAID.items() for said in texts])
def test_what_keeps_it_from_being_done_is_told(lack: str, said: str) -> None:
    assert lack_of(said) == lack
