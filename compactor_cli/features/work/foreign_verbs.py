"""Verbs in tool names in languages other than English: those that only look at something, and common ones that act."""

from __future__ import annotations

from functools import lru_cache

from compactor_cli.text.folding import fold
from compactor_cli.text.patterns import compiled_later

_LOOKING_LIST = (
    # German
    "suche suchen zeige zeigen hole holen abruf abfrag abfrage lese lesen liste listen anzeig anzeigen pruef pruefe "
    "pruefen prufe prufen ansicht ansehen auskunft berechn ermittl ueberpruef uberpruf vergleich stand uebersicht "
    "ubersicht verlauf schaetz schatzung zaehl finden finde nachschlag nachschau einsehen einsicht vorschau klick "
    "klicken details anmelden einloggen abmelden warten "
    # French
    "cherche chercher recherch trouve trouver affich lister lire lis voir consult obten recuper verifi calcul statut "
    "detail historique montrer montre estim apercu liste "
    # Spanish, Portuguese, Italian
    "busca buscar busqueda lista listar leer lee ler ver consulta consultar mostra mostrar muestra verific calcul "
    "estado historial encontr revisar comprob obtener obtiene obter pesquis pesquisa procurar checar saldo extrato "
    "historico cerca cercare elenca elenco elencar leggi leggere vedi vedere ottieni ottenere mostrare trova trovare "
    "controlla controllo dettagl stato stima contar "
    # Dutch
    "zoek zoeken vind vinden lees lezen toon tonen haal ophalen opvragen bekijk bekijken lijst controleer "
    "controleren bereken overzicht geschiedenis opzoeken "
    # Polish
    "szukaj znajdz czytaj odczytaj pokaz pobierz sprawdz lista wyszuk oblicz policz podglad historia przeglad "
    "przejrzyj wyswietl zobacz stan listuj weryfik "
    # Russian
    "найти найди поиск искать показать покажи прочитать читать получить список списки проверить проверка посчитать "
    "рассчит статус история просмотр посмотреть узнать вывести остаток сведения "
    # Turkish
    "bul ara arama listele liste goster getir oku kontrol sorgu hesapla durum incele goruntule ogren gecmis bilgi "
)
_ACTING_LIST = (
    "buchen buche storn erstell anlegen loesch loschen senden sende aender bestell bezahl ueberweis uberweis kuendig "
    "kundig reservier verschieb reservar reserver cancelar annul enviar envia envoyer creer crear criar creare crea "
    "eliminar excluir supprim modificar modifier pagar payer comprar acheter agendar planifier prenot inviare "
    "отправ создать создан отмен удали удалён оплат забронир заказать изменит изменен "
    "registrar actualiz atualiz transferir transferer rembours reembols devolver"
)
_LOOKING_PARTS = (
    "検索 取得 一覧 表示 確認 閲覧 読 照会 調べ 参照 計算 検証 状況 履歴 探 見る リスト プレビュー 残高 "
    "詳細 查 搜 获取 獲取 列出 列表 读 讀 显示 顯示 检 檢 计算 浏览 统计 看 详情 状态 预览 验证 估 余额 "
    "历史 검색 조회 목록 읽기 보기 확인 찾기 가져오 계산 검사 상태 내역 표시 열람"
)
FIRST_OTHER_SCRIPT = "\u0530"
"""Letters from here on belong to languages without endings for acts."""
_MIN_STEM_CHARS = 5
"""Minimum length of a word that counts as a stem; shorter words must match as a whole."""
_WORD = compiled_later(r"[^\W_]+")
_ACT_NOUN = compiled_later(r"(?:ung|ungen|ciones|cion|cao|coes|zioni?|tions?)$")
"""Endings of nouns for acts, such as a booking; they may also stand for its result."""
_CAMEL = compiled_later(r"(?<=[^\W\d_A-Z])(?=[A-Z])")


def _stems(words: str) -> tuple[frozenset[str], tuple[str, ...]]:
    known = [fold(word) for word in words.split()]
    return frozenset(known), tuple(word for word in known if len(word) >= _MIN_STEM_CHARS)


_LOOKING_WORDS, _LOOKING_STEMS = _stems(_LOOKING_LIST)
_ACTING_WORDS, _ACTING_STEMS = _stems(_ACTING_LIST)
_FOLDED_LOOKING_PARTS = fold(_LOOKING_PARTS).split()


@lru_cache(maxsize=1024)  # a session calls the same few tools many times
def name_parts(tool: str) -> tuple[str, ...]:
    """Return the words of a name in any language, folded."""
    return tuple(_WORD.findall(fold(_CAMEL.sub("_", tool))))


@lru_cache(maxsize=1024)
def has_foreign_looking_verb(tool: str) -> bool:
    """Return whether a name contains a verb that only looks, in a language other than English."""
    name = fold(tool)
    has_stem = any(word in _LOOKING_WORDS or word.startswith(_LOOKING_STEMS) for word in name_parts(tool))
    return has_stem or (not name.isascii() and any(part in name for part in _FOLDED_LOOKING_PARTS))


def is_foreign_acting_verb(word: str) -> bool:
    """Return whether a folded word of a name without a looking verb is one that acts, or one of its forms. Words in
    scripts without stems are not told apart."""
    if word[:1] >= FIRST_OTHER_SCRIPT:
        return True
    return _ACT_NOUN.search(word) is None and (word in _ACTING_WORDS or word.startswith(_ACTING_STEMS))
