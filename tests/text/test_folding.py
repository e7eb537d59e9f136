"""Words as they are compared across languages."""

from __future__ import annotations

import pytest

from compactor_cli.text.folding import fold


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Créer", "creer"),
        ("LÖSCHEN Straße", "loschen strasse"),
        ("wyślij Łódź", "wyslij lodz"),
        ("Başarısız", "basarisiz"),
        ("обновлённый", "обновленныи"),
        ("できません", "できません"),
        ("취소", "취소"),
        ("e\u0301te\u0301", "ete"),
    ],
)
def test_accents_go_and_other_letters_stay(text: str, told: str) -> None:
    assert fold(text) == told
