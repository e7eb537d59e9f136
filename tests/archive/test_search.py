"""Messages of archived sessions by their words: which are found, in which order, and what is shown of them."""

from __future__ import annotations

from compactor_cli.archive.search import MessageHit, find_hits, query_words, select_best
from tests.builders import assistant, read_records, user


def found(query: str, *texts: str, references: dict[int, str] | None = None) -> list[MessageHit]:
    messages = read_records(*(user(text) if at % 2 == 0 else assistant(text) for at, text in enumerate(texts)))
    return list(find_hits(messages, query_words(query), references or {}, "in.jsonl", 7))


def test_words_count_once_and_without_regard_to_case() -> None:
    assert query_words(" Retry the  RETRY limit ") == ("retry", "the", "limit")


def test_the_newest_messages_come_first_with_how_many_words_they_have() -> None:
    one, other = found("retry limit", "Retry it: the limit is 3.", "No.", "The LIMIT is 4.", references={0: "ctx_1"})
    assert one == MessageHit("in.jsonl", 7, 2, "user", "", 1, "The LIMIT is 4.")
    assert other == MessageHit("in.jsonl", 7, 0, "user", "ctx_1", 2, "Retry it: the limit is 3.")


def test_a_word_at_the_very_beginning_is_found() -> None:
    assert [hit.matched for hit in found("retry", "retry")] == [1]


def test_a_snippet_begins_120_characters_before_the_first_word_that_was_found() -> None:
    (hit,) = found("later first", "a" * 200 + " first " + "b" * 900 + " later")
    assert hit.snippet.startswith("…" + "a" * 119 + " first b")
    assert 350 <= len(hit.snippet) <= 361
    (near,) = found("first", "a" * 119 + " first")
    assert near.snippet == "a" * 119 + " first"


def test_the_best_have_most_words_and_of_these_the_newest_state_and_message_comes_first() -> None:
    def hit(compaction: int, message: int, matched: int) -> MessageHit:
        return MessageHit("in.jsonl", compaction, message, "user", "", matched, f"{compaction} {message}")

    few, old, new, newest = hit(3, 9, 1), hit(1, 5, 2), hit(2, 1, 2), hit(2, 2, 2)
    assert select_best([few, old, new, newest], 10) == [newest, new, old, few]
    assert select_best([few, old, new, newest], 2) == [newest, new]


def test_a_message_of_several_states_stands_once() -> None:
    def hit(compaction: int, reference: str, role: str = "user", snippet: str = "same") -> MessageHit:
        return MessageHit("in.jsonl", compaction, 1, role, reference, 1, snippet)

    states = [hit(1, "ctx_1"), hit(2, "ctx_1", snippet="other"), hit(3, ""), hit(4, ""), hit(5, "", role="tool")]
    assert [one.compaction for one in select_best(states, 10)] == [5, 4, 2]
