"""Words of scripts that write vowels as marks: each is one word, wherever words are counted or compared."""

from __future__ import annotations

import pytest

from compactor_cli.features.cue_words import rule_points
from compactor_cli.features.restated import restated_pairs
from compactor_cli.features.talk import Statement
from compactor_cli.features.talk_words import words
from compactor_cli.text.marks import find_words, is_word, marks_as_letters
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.subjects import subject_terms
from compactor_cli.text.terms import chunk_terms

_WORDS = {
    "Hindi": "परीक्षा शुक्रवार को होगी",
    "Tamil": "கூட்டம் வெள்ளிக்கிழமை நடக்கும்",
    "Bengali": "সভাটি শুক্রবার হবে",
    "vocalized Arabic": "كَتَبَ الطّالِبُ رِسالَةً",
    "pointed Hebrew": "הַפְּגִישָׁה בְּיוֹם שִׁשִּׁי",
    "decomposed Latin": "Re\u0301union de\u0301place\u0301e",
}


@pytest.mark.parametrize("language", _WORDS)
def test_each_word_is_one(language):
    text = _WORDS[language]
    assert words(text) == text.lower().split()
    assert subject_terms(text) == {word for word in text.lower().split() if len(word) > 2}
    assert all(chunk_terms(word) == ((word.lower(), "word"),) for word in text.split() if len(word) > 2)


@pytest.mark.parametrize("text", ["e\u0301", "परीक्षा"])
def test_positions_stay(text):
    assert len(marks_as_letters(text)) == len(text)
    assert find_words(compiled_later(r"[^\W_]+"), f"{text}: {text}") == [text, text]


def test_what_is_no_word_is_none():
    assert not is_word("⚠\ufe0f")
    assert not is_word("\u0301")
    assert not is_word("परीक्षा-2")
    assert words("⚠\ufe0f stop 👍\ufe0f") == ["stop"]


def test_scripts_without_spaces_are_still_read_in_pairs():
    assert all(len(pair) == 2 for pair in words("ประชุมวันศุกร์ตอนบ่าย"))


def test_a_newer_statement_on_the_subject_is_found():
    texts = "हर दिन दो अध्याय पढ़ाइए, पहले ब्याज।", "कल बारिश हुई थी।", "हर दिन एक ही अध्याय पढ़ाइए, ब्याज नहीं।"
    found = restated_pairs([Statement(message, "user", text) for message, text in enumerate(texts)], [1.0] * 3)
    assert list(found) == [(0, 2)]


@pytest.mark.parametrize("text", ["उसे सीधे उत्तर मत बताइए", "لا تغيّر أسماء الشخصيات"])
def test_a_ban_is_one_in_these_languages(text):
    assert rule_points(text) >= 15
