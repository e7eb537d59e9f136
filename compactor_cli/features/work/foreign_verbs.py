"""Verbs in tool names in languages other than English: a small set of verbs that only look per language, and most
verbs that act."""

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
    # German
    "buchen buche storn erstell anlegen lege loesch losche loschen senden sende schick versend verschick aendern "
    "aendere umbuch bestell bestelle bezahl ueberweis uberweis kuendig kundig aktualisier hinzufueg hinzufug entfern "
    "reservier verschieb vereinbar eintrag eintragen freigeb freigeben genehmig ablehnen aktivier deaktivier sperre "
    "sperren entsperr absagen absage erfass speicher setzen setze zuweis zuteil schliess melden ausstell archivier "
    "veroeffentlich veroffentlich starten stoppen verlaeng verlang erstatt beauftrag anweis anweisen veranlass "
    "aufgeben durchfuehr durchfuhr umstell einstell abschalt einschalt ausschalt verleg abschliess einreich "
    "uebertrag ubertrag umbenenn "
    # French
    "passer effectuer faire soumettre creer cree reserver annul envoyer envoie envoi supprim effac ajouter ajoute "
    "planifier deplac enregistr publier approuv refuser activer desactiver fermer rembours transferer bloquer "
    "debloquer assigner attribuer partager renomm inscrire resilier "
    # Spanish, Portuguese, Italian
    "hacer realizar efectuar efetuar fazer solicitar crear crea reservar reserva cancelar cancela enviar envia "
    "eliminar elimina borrar borra agregar agrega anadir anade modificar modifica pagar paga comprar compra "
    "programar mueve guardar guarda publicar aprobar rechazar activar desactivar archivar cerrar cierra reembols "
    "transferir transfiere bloquear desbloque asignar asigna compartir renombr inscribir devolver anular cambiar "
    "cambia actualiz agendar registrar facturar criar cria excluir exclui remover apagar adicionar alterar atualiz "
    "salvar salva aprovar rejeitar ativar fechar desativar agende estornar estorna emitir marcar atribuir renomear "
    "encerrar contratar effettua creare crea annulla annullare inviare invia elimina eliminare aggiung modificare "
    "pagare prenot acquist sposta spostare salvare pubblic rifiuta attivare disattiv archivia chiudi chiudere "
    "rimbors trasfer blocca sblocca assegna condivid rinomin aggiorn spedisci "
    # Dutch
    "boek boeken annuleer annuleren verstuur versturen verzend verwijder toevoegen voeg wijzig wijzigen betaal "
    "betalen bestel bestellen maak aanmaken reserveer reserveren verplaats opslaan publiceer keur goedkeur afwijz "
    "activeer deactiveer sluit overmaken blokkeer deblokkeer toewijz deel bijwerken inplannen "
    # Polish
    "zloz wykonaj utworz anuluj wyslij usun dodaj zmien zaplac oplac zamow zarezerwuj rezerwuj przenies zapisz "
    "opublikuj zatwierdz odrzuc aktywuj dezaktywuj zamknij zwroc przelej zablokuj odblokuj przypisz udostepnij "
    "wystaw nadaj zarejestruj przesun wstrzymaj wznow edytuj zaktualizuj kup "
    # Russian
    "выполн осуществ разверн откат перезапус подать создать создай отменить отмени отправ удалить удали добавить "
    "добавь изменить измени оплат заказать забронир перенести перемест сохранить опублик утверд отклонить активир "
    "деактив закрыть вернуть перевести заблок разблок назнач подел оформить запланир обнов переименов списать "
    "записать включить выключить установ "
    # Turkish
    "gerceklestir olustur iptal gonder sil ekle degistir satinal rezerve tasi kaydet yayinla onayla reddet "
    "etkinlestir kapat iade aktar engelle paylas guncelle planla ertele baslat durdur "
)
_LOOKING_PARTS = (
    "検索 取得 一覧 表示 確認 閲覧 読 照会 調べ 参照 計算 検証 状況 履歴 探 見る リスト プレビュー 残高 "
    "詳細 查 搜 获取 獲取 列出 列表 读 讀 显示 顯示 检 檢 计算 浏览 统计 看 详情 状态 预览 验证 估 余额 "
    "历史 검색 조회 목록 읽기 보기 확인 찾기 가져오 계산 검사 상태 내역 표시 열람"
)
_ACTING_PARTS = (
    "予約 取消 取り消 キャンセル 送信 作成 削除 追加 変更 更新 登録 注文 支払 購入 発注 承認 却下 公開 "
    "保存 移動 停止 開始 返金 振込 送金 申請 発行 共有 割当 创建 建立 新建 取消 发送 删除 添加 修改 更新 "
    "预订 预约 下单 支付 购买 提交 发布 部署 保存 移动 停止 启动 退款 转账 批准 拒绝 关闭 分配 设置 冻结 "
    "编辑 생성 취소 전송 보내기 삭제 추가 변경 수정 예약 주문 결제 구매 등록 발송 저장 이동 중지 시작 "
    "환불 송금 승인 거절 배포 설정 할당 공유 지급 정지 해제 회수 반품 갱신 업로드 발행 재시작 연기 신청 "
    "알림 초대"
)
_MIN_STEM_CHARS = 5
"""Minimum length of a word that counts as a stem; shorter words must match as a whole."""
_WORD = compiled_later(r"[^\W_]+")
_CAMEL = compiled_later(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
_ACT_NOUN = compiled_later(r"(?:ung|ungen|ciones|cion|cao|coes|zioni?|tions?|nie)$")
"""Endings of nouns for acts, such as a booking; they may also stand for its result."""


def _stems(words: str) -> tuple[frozenset[str], tuple[str, ...]]:
    known = [fold(word) for word in words.split()]
    return frozenset(known), tuple(word for word in known if len(word) >= _MIN_STEM_CHARS)


_LOOKING_WORDS, _LOOKING_STEMS = _stems(_LOOKING_LIST)
_ACTING_WORDS, _ACTING_STEMS = _stems(_ACTING_LIST)
_FOLDED_LOOKING_PARTS, _FOLDED_ACTING_PARTS = fold(_LOOKING_PARTS).split(), fold(_ACTING_PARTS).split()


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
    """Return whether a folded word is a verb that acts, or one of its forms."""
    if word.isascii() and _ACT_NOUN.search(word):
        return False
    if word in _ACTING_WORDS or word.startswith(_ACTING_STEMS):
        return True
    return not word.isascii() and any(part in word for part in _FOLDED_ACTING_PARTS)
