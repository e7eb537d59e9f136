"""What words speak for: sentences that nothing was learned from, and tables that are learned from a few."""

from __future__ import annotations

import pytest

from compactor_cli.features.talk import Statement, statement_values
from compactor_cli.features.wording import BUCKETS, SPEAKS_AGAINST, Wordings, shipped_wordings, word_buckets
from compactor_cli.profiles import default_profile

PAIRS = (
    ("My nephew breaks out in hives when he eats shellfish", "My nephew makes me laugh with his silly jokes"),
    ("the spare tyre lives in the shed behind the barn", "the sunset over the barn was so pretty tonight"),
    ("no more than two paragraphs for every answer", "no way, that is so funny, I cannot believe it"),
    ("Meine Nichte verträgt keine Milch", "Meine Güte, war das wieder ein langer Tag"),
    ("Ma nièce est allergique aux crevettes", "Ma foi, quelle belle journée pour une promenade"),
    ("Mi sobrina no puede comer mariscos", "Qué risa me dio la película de anoche"),
    ("我侄女对海鲜过敏", "今天天气真好，心情也不错"),
    ("姪は甲殻類アレルギーです", "今日はいい天気で気分がいいですね"),
)


@pytest.mark.parametrize(("told", "said"), PAIRS, ids=[told[:12] for told, _ in PAIRS])
def test_what_is_told_counts_more_than_small_talk_by_its_words_alone(told: str, said: str) -> None:
    at = SPEAKS_AGAINST.index("talk")
    assert shipped_wordings().sentence_values(told)[at] > shipped_wordings().sentence_values(said)[at]


def test_a_rule_counts_more_than_a_single_request_by_its_words_alone() -> None:
    at = SPEAKS_AGAINST.index("requests")
    rule, request = "Every answer stays below fifty words", "Can you rename this function and run it again?"
    assert shipped_wordings().sentence_values(rule)[at] > shipped_wordings().sentence_values(request)[at]


def test_a_conversation_is_valued_by_what_its_words_speak_for() -> None:
    """By their form the first counts no more than 1.6 times as much."""
    said = ("The spare tyre lives behind the old barn", "The silly geese honk behind the old barn")
    talk = [Statement(at, "user", text) for at, text in enumerate(said)]
    told, small = statement_values(talk, default_profile().talk)
    assert told > 2.2 * small


def test_the_shipped_file_has_a_weight_for_each_bucket_of_each_table() -> None:
    tables = shipped_wordings().tables
    assert [len(table) for table in tables] == [BUCKETS] * len(SPEAKS_AGAINST)
    assert all(any(table) for table in tables)


def test_a_text_without_words_speaks_for_nothing() -> None:
    assert shipped_wordings().sentence_values("?!") == [0.0] * len(SPEAKS_AGAINST)


def test_of_a_word_without_end_the_beginning_is_read() -> None:
    assert len(word_buckets("".join(map(chr, range(0x61, 0x2000))))) < 200


def test_tables_are_learned_from_sentences() -> None:
    """A word that only one kind has speaks for it, and so does one with the same stem."""
    pytest.importorskip("numpy")
    from benchmarks.wording import Example, learn

    told = [f"the {thing} is locked at night" for thing in ("gate", "shed", "barn", "attic")]
    talk = [f"the {thing} is lovely today" for thing in ("sky", "lake", "lawn", "breeze")]
    learned = Wordings(learn([*(Example("told", text) for text in told), *(Example("talk", text) for text in talk)]))
    at = SPEAKS_AGAINST.index("talk")
    assert learned.sentence_values("someone unlocks it nightly")[at] > 0.1
    assert learned.sentence_values("how lovelier it is")[at] < -0.1
    assert not any(learned.tables[SPEAKS_AGAINST.index("requests")])


def test_the_last_word_counts_as_the_last_however_long_it_is() -> None:
    assert len(word_buckets("x" * 60 + "$$")) == len(word_buckets("end$$")) == 1
