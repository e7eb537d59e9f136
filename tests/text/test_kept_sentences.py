"""Intelligent truncation of seed 000: which sentences stay, alone and in what compact keeps of a long text."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.model.group import Group
from compactor_cli.strategies.shared.renditions import Cut, Renderer
from compactor_cli.text import kept_sentences as truncate
from compactor_cli.text.kept_sentences import NO_PREFERENCE, Keywords, Preference, kept_sentences, sentence_points
from compactor_cli.text.shorten import Shortened, shorten_to
from tests.cost import count_calls
from tests.pipeline.sessions import assistant, transcript, user
from tests.summaries.texts import chars, summarize

NONE = Keywords(())
PLAIN = "The sky over the harbour was grey that day."


def truncate_prose(
    text: str,
    tokens: int,
    limit: int,
    count: Callable[[str], int],
    words: Keywords,
    preferred: Preference = NO_PREFERENCE,
) -> Shortened:
    return shorten_to(text, tokens, limit, count, lambda room: kept_sentences(text, room, words, preferred))


@pytest.mark.parametrize(
    ("sentence", "worth"),
    [
        (PLAIN, 0),
        ("We decided to wait.", 5),
        ("It WILL rain, and it must.", 5),
        ("We won't.", 5),
        ("The willow mustered.", 0),
        ("Please NOTE the time.", 3),
        ("The keyboard is notable.", 0),
        ("It is essential, and we agreed on it.", 8),
        ("The rounding of totals.py is off.", 20),
        ("ROUNDING, Rounding: it is a key.", 13),
        ("A miscalculation in subtotals.pyc.", 10),
        ("We should mend the rounding in totals.py, a critical one.", 28),
    ],
)
def test_a_sentence_has_10_points_a_keyword_5_for_decisions_and_3_for_markers(sentence: str, worth: int) -> None:
    assert sentence_points(sentence, Keywords(["rounding", "Totals.py"])) == worth


def test_any_number_of_keywords_counts() -> None:
    words = [f"word{n}x" for n in range(12)]
    assert sentence_points(" ".join(words), Keywords(words)) == 120


@given(st.lists(st.text("abAB. ", min_size=1, max_size=5)), st.text("abAB. ", max_size=40))
def test_keywords_are_found_as_the_seed_finds_them(words: list[str], sentence: str) -> None:
    wanted = {word.lower() for word in words if word.strip()}
    assert Keywords(words).count_in(sentence) == sum(word in sentence.lower() for word in wanted)


def test_the_best_sentences_stay_in_their_order_as_long_as_there_is_room() -> None:
    text = "One is plain. Two must stay. Three is plain. Four is important. Five is plain."
    kept = [text[start:end].strip() for start, end in kept_sentences(text, 36, NONE)]
    assert kept == ["Two must stay.", "Four is important."]
    kept = [text[start:end].strip() for start, end in kept_sentences(text, 50, NONE)]
    assert kept == ["One is plain.", "Two must stay.", "Four is important."], "of equal ones the first"


def test_one_that_does_not_fit_leaves_its_room_to_the_next() -> None:
    text = f"{'It must be long, ' * 9}very. Names must be short. {PLAIN}"
    kept = [text[start:end].strip() for start, end in kept_sentences(text, 30, NONE)]
    assert kept == ["Names must be short."]


@pytest.mark.parametrize(
    ("text", "together"),
    [
        ("Flights can be cancelled within a day. The API must check these before it answers.", True),
        ("Flights can be cancelled within a day. They must be paid by card.", True),
        ("Flights can be cancelled within a day. Otherwise the agent must refuse to help.", True),
        ("Flights can be cancelled within a day. These flights must be paid by card.", True),
        ("Flights can be cancelled within a day. The agent must ask for the reason.", False),
        ("Flights can be cancelled within a day.\nThey must be paid by card, whoever asks.", False),
    ],
)
def test_a_sentence_that_speaks_of_the_one_before_it_comes_with_that_or_not_at_all(text: str, together: bool) -> None:
    filler = "\n" + "\n".join(f"Line {n} has nothing to say here." for n in range(9))
    first, last = (part.strip() for part in re.split(r"(?<=day\.)\s", text))

    def kept(room: int) -> str:
        spans = kept_sentences(text + filler, room, NONE)
        return "\n".join((text + filler)[start:end] for start, end in spans)

    assert (last in kept(len(last) + 5)) is not together
    assert last in kept(len(text) + 5)
    assert first in kept(len(text) + 5) or not together


CONDITION = "If the user asks why, don't change any of the files that the question is about. Just answer.\n"


@pytest.mark.parametrize(("room", "expected"), [(30, ["Be brief."]), (110, [*CONDITION.splitlines(), "Be brief."])])
def test_a_short_sentence_does_not_stay_without_the_one_that_it_goes_on_from(room: int, expected: list[str]) -> None:
    text = f"{'No room for this sentence of ' + 'many ' * 40}words.\n{CONDITION}Be brief.\n"
    kept = "".join(text[start:end] for start, end in kept_sentences(text, room, NONE))
    assert kept.splitlines() == expected


@pytest.mark.parametrize("bullet", ["- ", "* ", "2. ", "  - "])
def test_an_item_of_a_list_is_cut_from_its_end(bullet: str) -> None:
    closed = "Buchungen der Klasse Basic sind endgültig und werden am Schalter niemals geändert."
    others = "Andere Buchungen dürfen bei gleichem Ziel am Schalter von W-7 geändert werden."
    text = f"{PLAIN}\n{bullet}{closed} {others}\n{PLAIN}"
    wanted = Keywords(["W-7"])
    both = len(bullet) + len(closed) + len(others) + 2
    kept = [text[start:end].strip() for start, end in kept_sentences(text, both, wanted)]
    assert kept == [f"{bullet}{closed}".strip(), others]
    kept = [text[start:end].strip() for start, end in kept_sentences(text, both - 1, wanted)]
    assert others not in kept, "what it says first may be what this is an exception to"
    prose = text.replace(bullet, "")
    assert others in [prose[start:end].strip() for start, end in kept_sentences(prose, both - 1, wanted)]


def test_tags_and_fences_do_not_stay_for_themselves() -> None:
    text = f"<RULES>\n- Keep it plain and short.\n</RULES>\n```\nmake\n```\n<LAST>\n{'many ' * 40}words\n</LAST>\n"
    kept = "".join(text[start:end] for start, end in kept_sentences(text, 100, NONE))
    assert kept == "- Keep it plain and short.\nmake\n"


def test_where_no_sentence_fits_the_head_and_the_tail_stay() -> None:
    text = f"Head {'and on and on ' * 40}until the middle. Then {'and on and on ' * 40}to the tail."
    short = truncate_prose(text, chars(text), 80, chars, NONE).text
    assert short.startswith("Head and")
    assert short.endswith("to the tail.")
    assert " characters left out · ctx_" in short


@given(
    st.lists(st.sampled_from([PLAIN, "We must go on.", "Note this!\n", "x" * 70, "\n\n"]), max_size=40),
    st.integers(40, 300),
)
def test_it_fits_and_says_how_many_characters_are_missing(sentences: list[str], limit: int) -> None:
    text = " ".join(sentences)
    short = truncate_prose(text, chars(text), limit, chars, NONE)
    assert short.tokens == chars(short.text) <= max(limit, 40)
    if short.text != text and "…" in short.text.partition("]")[2]:
        before, _, rest = short.text.partition("[… ")
        figure, _, after = rest.partition(" characters left out")
        kept = [piece for piece in (before, *after.partition("]")[2].split("…")) if piece.strip()]
        assert all(piece.strip() in text for piece in kept)
        missing = len(text) - int(figure.replace(",", ""))
        assert 0 <= missing - sum(len(piece.strip()) for piece in kept) <= 2 * len(kept) + short.text.count("\n") + 2


SAID = [f"Sentence {n} talks of the weather over the bay." for n in range(60)]
SAID[17] = "Never mind: totals.py is where the sum goes wrong."
SAID[31] = "We decided to go on with it."
SAID[44] = "This here is essential to know about it."
BEST = (SAID[17], SAID[31], SAID[44])


def kept_prose() -> str:
    """What is left of a long text at the beginning of a session that goes on with totals.py."""
    text = " ".join(SAID)
    return truncate_prose(text, chars(text), 90, chars, Keywords(["totals.py"])).text


def test_kept_prose_that_is_cut_keeps_its_best_sentences() -> None:
    text = kept_prose()
    assert all(sentence in text for sentence in BEST)
    assert SAID[59] not in text
    assert text.index(BEST[0]) < text.index(BEST[1]) < text.index(BEST[2])


@pytest.mark.parametrize(("weight", "lost"), [("KEYWORD", 0), ("DECISION", 1), ("MARKER", 2)])
def test_each_weight_decides_what_kept_prose_keeps(monkeypatch: pytest.MonkeyPatch, weight: str, lost: int) -> None:
    monkeypatch.setattr(truncate, weight, 0)
    text = kept_prose()
    assert [sentence in text for sentence in BEST] == [at != lost for at in range(3)]


@pytest.mark.parametrize(
    ("weight", "other", "better"),
    [
        ("KEYWORD", "Wind from torals.px in the bay", "Rain from totals.py on the way"),
        ("DECISION", "Wind of the shoals over the bay", "Rain, as it should over the way"),
        ("MARKER", "Wind is a kex thing for the bay", "Rain is a key thing for the way"),
    ],
)
def test_each_weight_decides_what_a_summary_quotes(
    monkeypatch: pytest.MonkeyPatch, weight: str, other: str, better: str
) -> None:
    messages = transcript(
        [assistant(better), assistant(other), *[assistant("It is so.")] * 10, assistant("It was so.")]
    ).messages

    def quoted() -> str:
        """The smallest summary that has a line."""
        found = (summarize(messages, room, frozenset({"totals.py"})) for room in range(20, 200))
        return next(text for text in found if "Wind" in text or "Rain" in text)

    assert better in quoted()
    assert other not in quoted()
    monkeypatch.setattr(truncate, weight, 0)
    assert better not in quoted()


def test_a_number_of_an_item_the_end_of_a_row_and_code_are_no_sentences() -> None:
    text = "### 1. Rounding\nIt was cut. |\nCall `a. b` first. Then go.\n"
    wide = [text[start:end] for start, end in kept_sentences(text, len(text), NONE)]
    assert wide == ["### 1. Rounding\nIt was cut. |\n", "Call `a. b` first. ", "Then go.\n"]
    assert "".join(wide) == text


def test_a_heading_and_what_ends_with_a_colon_are_one_with_what_follows() -> None:
    rules = ["Never stop them by name.", "They must be told by number."]
    text = f"## Processes\n\nWhen you end one:\n- {rules[0]}\n- {rules[1]}\n\n## Remember\n\nImportant:\n"
    said = [text[start:end] for start, end in kept_sentences(text, len(text), NONE)]
    assert said[0] == f"## Processes\n\nWhen you end one:\n- {rules[0]}\n"
    assert said[-1] == "## Remember\n\nImportant:\n"
    (kept,) = kept_sentences(text, 40, NONE)
    assert text[slice(*kept)] == f"- {rules[1]}\n"


def test_what_begins_a_line_still_does_behind_a_gap() -> None:
    rows = [f"| {n} | Row {n} is of oak. It was cut and planed and oiled in shop {n}. |" for n in range(20)]
    rows[7] = "| 7 | You must oil row 7 twice. It is of ash. |"
    rows[15] = "| 15 | You must not plane row 15. It is of elm. |"
    text = "\n".join(rows)
    short = truncate_prose(text, chars(text), 60, chars, NONE).text
    assert "\n…\n| 15 | You must not plane row 15." in short


@pytest.mark.parametrize("heading", ["## icons.lua", "**`icons.lua`**"])
def test_a_sentence_of_another_section_stands_under_its_heading(heading: str) -> None:
    rows = "".join(f"The key {n} is of brass and hangs on a nail.\n" for n in range(6))
    text = f"## types.lua\n\nYou must keep line 228.\n{rows}\n{heading}\n\n{rows}You must keep line 55.\n"
    (*_, section, rule) = kept_sentences(text, 80, NONE)
    assert [text[slice(*span)] for span in (section, rule)] == [heading, "You must keep line 55.\n"]
    short = truncate_prose(text, chars(text), 70, chars, NONE).text
    assert f"\n{heading}\n…\nYou must keep line 55." in short


def test_a_heading_with_nothing_kept_under_it_is_not_shown_before_another() -> None:
    rows = "".join(f"The key {n} is of brass and hangs on a nail.\n" for n in range(6))
    text = f"## One\n\nYou must keep line 2.\n\n## Two\n\n{rows}\n## Three\n\nYou must keep line 5.\n"
    said = [text[slice(*span)] for span in kept_sentences(text, 80, NONE)]
    assert said == ["## One\n\nYou must keep line 2.\n", "## Three\n\nYou must keep line 5.\n"]


def test_a_comment_in_code_is_no_heading() -> None:
    text = f"## Usage\n\nYou must do this.\n```sh\n# first\nmake\n```\n{'It is fine so. ' * 9}\nYou must do that.\n"
    said = [text[slice(*span)] for span in kept_sentences(text, 60, NONE)]
    assert "# first" not in said
    assert said[-1] == "You must do that.\n"


def test_many_short_sentences_that_have_no_room_cost_no_more_than_their_number() -> None:
    def cost(count: int) -> int:
        text = f"{'x' * 4 * count}. " + "Be so. " * count
        return count_calls(lambda: kept_sentences(text, 3 * count, NONE))

    assert cost(1_600) < 12 * cost(200)  # quadratic would be 64 times as much


def test_of_a_request_the_first_sentence_comes_before_those_with_more_points() -> None:
    text = "<issue>\nThe parser drops fields.\nAn important key must be critical, note it.\nMore of it."
    words = Keywords(["key"])
    first = [text[start:end].strip() for start, end in kept_sentences(text, 30, words, Preference(opening=True))]
    assert first == ["The parser drops fields."]
    assert "The parser drops fields." not in [text[start:end].strip() for start, end in kept_sentences(text, 45, words)]


def test_of_an_answer_the_last_sentence_comes_before_those_with_more_points_too() -> None:
    text = "All is mended.\nAn important key must be critical, note it.\nMore of the key.\nShall I push it?"
    kept = kept_sentences(text, 32, Keywords(["key"]), Preference(opening=True, closing=True))
    assert [text[start:end].strip() for start, end in kept] == ["All is mended.", "Shall I push it?"]


def test_of_an_opening_that_has_no_room_the_first_words_stay() -> None:
    text = "Create a file called hello.txt with a greeting in it, please.\nAn important key.\nMore of it.\n" * 3
    kept = [text[start:end] for start, end in kept_sentences(text, 34, Keywords(["key"]), Preference(opening=True))]
    assert kept == ["Create a file called hello.txt"]
    short = truncate_prose(text * 20, chars(text * 20), 40, chars, NONE, Preference(opening=True)).text
    assert short.startswith("Create a file called")


SUMMARY = (
    "\n".join(f"{n}. The key of part {n} was decided." for n in range(40))
    + "\n\nPending: the merge of part 41.\n\nNext: run the tests of part 42.\nThen ask."
)


def test_of_a_summary_the_end_stays_without_a_gap() -> None:
    short = truncate_prose(SUMMARY, chars(SUMMARY), 70, chars, Keywords(["key"]), Preference(ending=0.6)).text
    assert short.endswith("Pending: the merge of part 41.\n\nNext: run the tests of part 42.\nThen ask.")
    assert "was decided" in short  # the rest of the room goes by points
    assert "Pending" not in truncate_prose(SUMMARY, chars(SUMMARY), 70, chars, Keywords(["key"])).text


def test_a_summary_that_an_agent_wrote_keeps_its_end_and_a_request_its_beginning() -> None:
    told = "This session is being continued from a previous conversation that ran out of context.\n" + SUMMARY

    def cut(text: str) -> str:
        messages = transcript([user(text)]).messages
        group = Group(0, (0,), messages[0].tokens)
        (edit,) = Renderer(messages, chars).shorten(group, Cut(prose=90), "").edits
        return edit.text

    assert cut(told).endswith("Then ask.")
    assert "Pending: the merge" not in cut(SUMMARY)


def test_blank_lines_between_kept_sentences_are_no_gap() -> None:
    text = "An important key.\n\nAnother key.\n" + "Nothing of it here, nor there.\n" * 20
    short = truncate_prose(text, chars(text), 40, chars, Keywords(["key"])).text
    assert short.startswith("An important key.\n\nAnother key.\n")


def test_a_row_of_a_table_is_one_sentence():
    table = (
        "It is here.\n| Lines | What |\n|---|---|\n| 7 | Tools are called here. The `task` is at 9. |\n| 8 | Icons. |"
    )
    kept = kept_sentences(table, 70, Keywords(["task"]))
    assert any(table[start:end].startswith("| 7 | Tools are called here. The `task` is at 9. |") for start, end in kept)


@pytest.mark.parametrize("before", ["", "It is here.\n", "It is here.\n\n"])
def test_rows_end_with_their_lines_and_what_stands_behind_a_table_has_its_own_sentences(before):
    text = f"{before}| a one. b two. |\n| c one. d two. |\nThe last `one` is told here. Then nothing else is told."
    kept = [text[start:end].strip() for start, end in kept_sentences(text, 32, Keywords(["one"]))]
    assert kept
    assert all(piece.startswith("|") == piece.endswith("|") for piece in kept)
    (told,) = kept_sentences(text, 30, Keywords(["told here"]))
    assert text[slice(*told)].strip() == "The last `one` is told here."
