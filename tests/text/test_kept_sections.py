"""What stays of a system prompt that has no room: what binds, and what it says of the matter at hand."""

from __future__ import annotations

import pytest

from compactor_cli.features.cue_words import rule_points
from compactor_cli.text import kept_sentences as truncate
from compactor_cli.text.chosen import FIRST, SentenceChoice
from compactor_cli.text.kept_sections import choose_prompt_sentences
from compactor_cli.text.kept_sentences import Keywords
from compactor_cli.text.subjects import SubjectWords, stems
from compactor_cli.text.text_outline import outline_units
from tests.cost import count_calls

NONE = Keywords(())
FILLER = "filler words " * 9


def pieces(text: str, room: int, about: str = "", words: Keywords = NONE) -> list[str]:
    chosen = choose_prompt_sentences(text, words, SubjectWords(dict.fromkeys(stems(about), 1.0), text), rule_points)
    return [text[start:end] for start, end in chosen.choose_spans(room)]


def kept(text: str, room: int, about: str = "", words: Keywords = NONE) -> str:
    return "".join(pieces(text, room, about, words))


@pytest.mark.parametrize(
    "text", ["Be so and so today. ", "This must be so, said one. ", "- Be so.\n", "So: it is. ", "So:\n"]
)
def test_many_short_sentences_cost_no_more_than_their_number(text: str) -> None:
    def cost(count: int) -> int:
        return count_calls(lambda: pieces(text * count, 4 * count, "today"))

    assert cost(1_600) < 14 * cost(200)  # quadratic would be 64 times as much


POLICY = """# Desk rules
The desk helps with parcels and with letters of every kind and size.
## Sending
Every parcel needs the address of who sends it and of who gets it.
A parcel may not be heavier than twenty kilograms at this desk.
The price of a parcel must be named before it is paid by anyone.
## Returning
A return is free within fourteen days from the day of delivery.
Whoever returns something has to show the receipt or the number.
## Opening
The desk must be open from eight in the morning until noon daily.
"""


def test_sentences_on_the_subject_of_a_conversation_come_first_those_under_its_headings_too() -> None:
    said = kept(POLICY, 230, "I got the wrong thing and want to return it: returns_lookup")
    assert "A return is free" in said
    assert "show the receipt" in said, "only its heading and a form of the word speak of it"
    without = kept(POLICY, 230)
    assert "A return is free" not in without
    assert "may not be heavier" in without


def test_words_that_every_line_has_say_nothing_of_a_subject() -> None:
    text = "The flight may be booked.\nThe flight may be cancelled.\nThe flight may be late."
    words = dict.fromkeys(stems("Please cancel my flight."), 1.0)
    subject = SubjectWords(words, text)
    assert subject.sentence_weight("The flight may be late.") == 0
    assert SubjectWords(words, text.replace("\n", " ")).sentence_weight("To cancel it.") > 0.9, "a text of one line"
    assert subject.sentence_weight("Cancellations are free.") > 0.9


def test_a_sentence_does_not_end_at_an_abbreviation_that_goes_on() -> None:
    told = "Note that you cannot use any interactive commands (e.g. python, vim) in this environment at all."
    text = f"{told} You may write scripts."
    assert pieces(text, len(text))[0].strip() == told


def test_code_stays_with_what_leads_to_it_or_not_at_all() -> None:
    code = '```json\n{\n  "must": "not",\n  "task_complete": true\n}\n```\n'
    text = f"Be kind.\nAnswer in this form:\n\n{code}{'All that is asked of you is to add up the rows. ' * 3}\n"
    rooms = range(40, 200, 10)
    said = [kept(text, room) for room in rooms]
    assert {(f"Answer in this form:\n{code}" in each, "must" in each or "Answer" in each) for each in said} == {
        (True, True),
        (False, False),
    }
    forbidden = (
        f"{code.replace('not', 'do NOT')}{'filler words ' * 9}\nNever add up the columns, or all of it is lost.\n"
    )
    assert "Never add up" in kept(f"Be kind.\n{forbidden}", 90)


def test_an_item_whose_number_stands_before_it_without_a_blank_begins_with_its_first_sentence() -> None:
    rule = '1.ALWAYS call "Finish" at the end of it all. If you cannot handle what is asked, you must say so.'
    text = (
        f"You are to use many tools.\nRemember:\n{rule}\n2.All is short.\n{'Then you look at what came of it. ' * 9}\n"
    )
    said = kept(text, 160)
    assert ("you must say so" in said) <= ('ALWAYS call "Finish"' in said)
    assert 'ALWAYS call "Finish"' in said


def test_what_is_ordered_in_capitals_comes_first() -> None:
    assert rule_points("ALWAYS call it.") > rule_points("Always call it.") > rule_points("CALL it.")
    assert rule_points("ALWAYS CALL IT.") == rule_points("always call it.")
    assert rule_points("Никогда не удаляйте файлы без спроса.") == rule_points("Never delete files unasked.")
    assert rule_points("НИКОГДА не удаляйте файлы.") > rule_points("Никогда не удаляйте файлы.")


@pytest.mark.parametrize("rule", ["***Never issue a refund alone.***", "*** ALWAYS ask first ***"])
def test_a_rule_in_bold_italics_is_no_banner(rule: str) -> None:
    text = f"# Refunds\nBe kind.\n{rule}\n{'filler words ' * 30}\nAll is well.\n"
    assert rule in kept(text, 90)


@pytest.mark.parametrize("mark", "`~")
def test_a_row_of_marks_is_taken_as_a_whole(mark: str) -> None:
    text = f"{mark * 40}\nAlways ask first.\n{mark * 3}\n"  # with parts of it, each would be looked for to the end
    assert truncate._CODE.search(text) is None
    assert truncate._CODE.search(f"{text}{mark * 40}\n")


RULES = "Never issue a refund alone.", "Always ask for the number first."


@pytest.mark.parametrize(
    "text",
    [
        "Refunds\n~~~~~~~\n{}\n{}\n{filler}\nNumbers\n~~~~~~~\nAll is well.\n",
        "Rules\n\n```\n{}\n{}\n{filler}\n```\nAll is well.\n",
        "Rules\n\n```text\n- {}\n- {}\n{filler}\n```\nAll is well.\n",
    ],
)
def test_what_is_underlined_and_sentences_in_a_plain_block_are_no_code(text: str) -> None:
    told = text.format(*RULES, filler="filler words " * 30)
    said = kept(told, 120)
    assert all(rule in said for rule in RULES)
    assert "filler" not in said


DESK = f"""# Desk
Be kind to all who come.
## Parcels
- Weight: A parcel must never be heavier than twenty kilograms. It cannot be sent otherwise.
- Price: You may not take more than the price that is on the list.
## Vouchers
- Who had to wait gets a voucher worth ten euros for each of the parcels that came late.
- Whoever has none of the forms asks for them at the counter. {FILLER}
"""


def test_the_section_on_the_matter_comes_before_what_others_forbid_and_with_its_heading() -> None:
    said = kept(DESK, 160, "My order was late, is there a voucher?")
    assert "## Vouchers\n- Who had to wait" in said
    assert "Parcels\n" not in said
    assert "heavier" in kept(DESK, 160, "What may a parcel weigh?")


def test_the_matter_is_met_in_any_language() -> None:
    text = (
        "# Schalter\nGrüße alle.\n## Pakete\n- Pakete dürfen nie schwerer als zwanzig Kilogramm sein.\n## Gutscheine\n"
        "- Wer warten musste, erhält einen Gutschein über zehn Euro.\n"
    )
    assert "zehn Euro" in kept(text, 105, "Mein Paket kam zu spät, gibt es dafür einen Gutschein?")
    assert "zehn Euro" not in kept(text, 105)


def test_further_sentences_of_an_item_stay_only_with_its_first() -> None:
    said = [kept(DESK, room, "What may be sent otherwise?") for room in range(60, 260, 10)]
    assert any("It cannot be sent" in each for each in said)
    assert all("- Weight: A parcel" in each for each in said if "It cannot be sent" in each)


COMMANDS = """You work in a shell with commands.

COMMANDS:
open:
  docstring: opens a file in the window
  arguments:
    - path (string) [required]: the path of the file to open
search_file:
  docstring: looks for a term in a file
  arguments:
    - term (string) [required]: the term to look for
    - file (string) [optional]: the file to look in (if not provided, looks in the open file)
find_file:
  docstring: finds files by their names
  arguments:
    - file (string) [optional]: the file to look in (if not provided, looks in the open file)
"""


def test_a_parameter_stays_only_with_the_line_that_names_its_command() -> None:
    for room in range(80, 400, 20):
        said = kept(COMMANDS, room, "search_file term")
        assert ("- term" in said) <= ("\nsearch_file:\n" in said and "COMMANDS:" in said)
        assert ("- path" in said) <= ("open:\n" in said)
    assert "- term" in kept(COMMANDS, 200, "search_file term")


def test_what_is_said_twice_stays_once() -> None:
    assert COMMANDS.count("(if not provided, looks") == 2
    assert kept(COMMANDS, len(COMMANDS) - 1, "look in the open file").count("(if not provided, looks") == 1


def test_a_default_is_no_order() -> None:
    assert rule_points("the file to look in (if not provided, looks in the open file)") == 0
    assert rule_points("If not asked, do not push.") > 0


SKILLS = [
    f"- {name}: Makes such a file. Never mind how, use it to {name} things."
    for name in ("pdf", "docx", "xlsx", "merge")
]
SKILLS += [f"- desk:{name}-up: Always use it when things are to be set {name}." for name in ("tidy", "line", "pack")]


@pytest.mark.parametrize("listed", [SKILLS, [f"- `{each[2:].replace(': ', '` - ', 1)}" for each in SKILLS]])
def test_a_catalogue_goes_first(listed: list[str]) -> None:
    told = f"Be kind.\n## Skills\n{{}}\n## Rest\n{FILLER}\n{FILLER.replace('filler', 'more')}\nAll is well today.\n"
    text = told.format("\n".join(listed))
    said = kept(text, 200, "merge and pack")
    assert "- " not in said
    assert "All is well" in said
    whole = "Be kind.\n## Skills\n" + "\n".join(listed)
    assert "- " in kept(whole, len(whole) - 1), "but where all else has room"


@pytest.mark.parametrize(
    "items",
    [
        ["Payment", "Passengers", "Baggage", "Insurance", "Cabin", "Refunds", "Seats"],
        ["tests", "commits", "branches", "names", "files", "docs", "logs"],
        ["the tests", "a commit", "any branch", "its name", "two files", "some docs", "our-logs and so on"],
        ["use-cases", "tests", "files", "docs", "logs"],
        ["no-eval", "no-console", "max-len", "api_key", "base_url", "time_out", "eq-eq-eq", "docs/logs"],
    ],
)
def test_labels_of_rules_are_no_catalogue(items: list[str]) -> None:
    text = f"Be kind.\n{FILLER}\n" + "\n".join(f"- {item}: You must never lose one of them." for item in items)
    assert kept(text, 150).count("- ") > 1


@pytest.mark.parametrize(("share", "used"), [(0.3, 0.2), (0.45, 0.2), (0.55, 0.9), (0.8, 0.9)])
def test_sentences_of_little_value_leave_their_room_only_where_most_of_the_text_has_none(
    share: float, used: float
) -> None:
    text = "".join(f"The street of number {at:02} is long.\n" for at in range(40))
    units = outline_units(text)
    worth = [1.0 if at == 7 else 0.1 for at in range(len(units))]
    spans = SentenceChoice(text, units, worth, [FIRST] * len(units), 0.3).choose_spans(int(share * len(text)))
    assert "number 07" in "".join(text[start:end] for start, end in spans)
    size = sum(end - start for start, end in spans) / (share * len(text))
    assert size <= used if used < 0.5 else size >= used
