"""What a summary tells of the agent's answers: what items are of once, and no nods."""

from __future__ import annotations

import pytest

from compactor_cli.summaries.items import SummaryItem, cut_to_room
from compactor_cli.summaries.statement_choice import (
    MAX_LINE_CHARS,
    clip,
    closing_sentences,
    find_withdrawn,
    is_undone,
    joined_sentences,
)
from tests.pipeline.sessions import Json, assistant, filler, result, transcript, user
from tests.summaries.texts import sections, summarize

ITEMS = [
    f"`src/part_{at}.py`: the total of order W-{at} is rounded by quantize, half up, {'as asked, ' * 8}"
    for at in (1, 2, 3)
]
REPORT = "Here is what has changed in the ledger:\n\n" + "\n".join(f"- {item}" for item in ITEMS)


def quoted(*records: Json) -> list[list[str]]:
    """The lines with words under each heading."""
    found = sections(summarize(transcript(list(records)).messages))
    return [[line for line in lines if line.startswith('"')] for lines in found.values()]


def test_what_the_items_of_a_list_are_is_said_once() -> None:
    again = assistant(REPORT.replace("W-", "S-"))
    told = quoted(user("Mend it."), assistant(REPORT), user("And what of src/shop.py?"), again)
    (lines,) = [lines for lines in told if len(lines) > 3]
    begins = [line.partition("src/part_")[0] for line in lines]
    lead = '"Here is what has changed in the ledger: … `'
    assert begins == [lead, '"… `', '"… `', lead, '"… `'], "once for each message; the last item is told elsewhere"


def test_a_few_words_with_which_a_reply_begins_are_no_work() -> None:
    call = assistant(
        "Makes sense. Let me look at the rounding of src/a.py first, and then at the shop.", ("c", "Bash", {})
    )
    told = quoted(user("Mend it."), call, result("c", "3 passed"), assistant("Tests pass."), user("Good."))
    lines = [line for lines in told for line in lines]
    assert not any("Makes sense" in line for line in lines)
    assert any("Tests pass." in line for line in lines), "behind a result a few words say something"


@pytest.mark.parametrize(
    ("sentence", "undone"),
    [
        ("Blocked: the pilots of `west.py` do not answer.", True),
        ("The berths are still blocked by the pilots.", True),
        ("#1570 remains pending.", True),
        ("Not done: the docs.", True),
        ("Fixed the failing test in tests/test_a.py by comparing dates in UTC.", False),
        ("Removed stale lock files from build/locks.", False),
        ("The table no longer needs the cache.", False),
        ("Nothing is pending, all 12 tests pass.", False),
        ("Added a page for pending orders.", False),
    ],
)
def test_what_is_said_to_be_unfinished_is_told_from_what_was_done_about_it(sentence: str, undone: bool) -> None:
    assert is_undone(sentence) is undone


def numbered(*asked: str) -> list[tuple[int, str]]:
    return list(enumerate(asked))


def test_what_the_user_said_before_saying_something_else_of_it_is_overtaken() -> None:
    asked = ["The trip is for two adults.", "Book it.", "Sorry, make that three adults for the trip."]
    assert find_withdrawn(numbered(*asked)) == ({0}, {})
    assert find_withdrawn(numbered(*asked[:2], "Is the trip for three adults?")) == (set(), {})


@pytest.mark.parametrize(
    ("said", "later"),
    [
        ("Ship the order with the lamps to Oslo.", "ok, ship lamps, Oslo"),
        ("Set the timeout of the pump.", "Set the timeout?"),
        ("ID LQV-7H2K9, name Amara Okonjo, room 12.", "My sister's name is Ifeoma Okonjo, she comes along."),
        ("Change the passenger to myself, and the class to economy, with three bags.", "Yes, three bags in economy."),
    ],
)
def test_neither_a_nod_nor_half_of_a_subject_takes_back_what_was_said(said: str, later: str) -> None:
    assert find_withdrawn(numbered(said, later)) == (set(), {})


def test_what_is_ordered_holds_until_something_else_is_ordered() -> None:
    never = "Do not restart the archive server."
    assert find_withdrawn(numbered(never, "Do not restart the archive server at noon.")) == ({0}, {})
    assert find_withdrawn(numbered(never, "The archive server had a restart at noon.")) == (set(), {0: 1})


@pytest.mark.parametrize(
    ("said", "later"),
    [
        ("Never delete the tables of the winter.", "You can delete the tables of the winter now."),
        ("Don't cancel my table KQW4ZT.", "Please cancel my table KQW4ZT."),
        ("Never restart lock 3.", "Restart lock 3 now."),
        ("Do not restart lock 3 of the canal.", "Do not restart lock 5 of the canal."),
        ("Do not paint the doors in the cellar.", "Do not paint the doors in the attic."),
        ("The bill must stay below 5000 euros.", "The bill is 8000 euros now."),
        ("Lösche niemals die Tabellen im Archiv.", "Du darfst die Tabellen im Archiv jetzt löschen."),
        ("Never apply the plan of the volumes.", "The plan of the volumes looks good to me."),
    ],
)
def test_what_may_be_taken_back_in_part_or_by_other_words_stands_with_them(said: str, later: str) -> None:
    assert find_withdrawn(numbered(said, later)) == (set(), {0: 1})


def test_what_takes_back_what_may_have_taken_back_a_rule_stands_for_it() -> None:
    never = "Never fill the lock of the harbour while ferries, barges, cranes and pilots wait for their papers."
    now = "Go and fill the lock."
    newer = "Go and fill the lock when captains, owners, clerks, brokers, mayors, tenants, guests or divers ask."
    assert find_withdrawn(numbered(never, now)) == (set(), {0: 1})
    assert find_withdrawn(numbered(never, "", newer)) == (set(), {}), "it has too little of it"
    assert find_withdrawn(numbered(never, now, newer)) == ({1}, {0: 2})


@pytest.mark.parametrize("budget", range(40, 400, 20))
def test_a_rule_that_was_taken_back_does_not_stand_alone(budget: int) -> None:
    never, now = "Never delete the tables of the winter.", "You can delete the tables of the winter now."
    talk = [user(never), assistant("I will leave them."), user(f"The copy is made. {now}"), *filler(1)]
    summary = summarize(transcript(talk).messages, budget)
    assert now in summary or never not in summary


def test_a_rule_stands_with_what_was_said_of_it_since_where_both_have_room() -> None:
    never, now = "Never restart lock 3.", "Restart lock 3 now."
    talk = [user(never), assistant("I will leave it."), user(f"The ship is out. {now}"), *filler(1)]
    summary = summarize(transcript(talk).messages, 600)
    assert never in summary
    assert now in summary


def test_sentences_of_one_request_do_not_take_back_each_other() -> None:
    rooms = "Paint the kitchen walls white.", "Paint the kitchen walls of the flat upstairs yellow."
    assert find_withdrawn([(0, rooms[0]), (0, rooms[1])]) == (set(), {})
    assert find_withdrawn([(0, rooms[0]), (2, rooms[1])]) == (set(), {0: 1})


@pytest.mark.parametrize(
    "nod",
    ["You're right.", "Good catch!", "That makes sense.", "You are absolutely right!", "I can help you with that."],
)
def test_a_nod_of_the_agent_is_no_work(nod: str) -> None:
    told = quoted(user("Mend it."), assistant(f"{nod} Let me look at the totals of src/a.py."), user("And?"))
    assert not any(nod in line for lines in told for line in lines)


def test_what_is_left_out_between_the_last_sentences_has_a_gap_sign() -> None:
    steps = "Ready to tag. The steps are:\n\n```bash\ngit tag v0.8.0\n```\n\nShould I go on?"
    assert joined_sentences(closing_sentences(steps), steps) == "Ready to tag. … Should I go on?"
    plain = "The table is sorted.\n\nShould I go on?"
    assert joined_sentences(closing_sentences(plain), plain) == "The table is sorted. Should I go on?"


def test_a_cut_at_a_gap_has_one_sign() -> None:
    lead = "a" * (MAX_LINE_CHARS - 4)
    assert clip(f"{lead} … and what comes after it") == f"{lead}…"


def test_a_line_that_is_too_long_for_its_heading_is_cut_if_it_quotes_words() -> None:
    words = f"The ledger is complete: {', '.join(f'module {n} keeps total {n}' for n in range(60))}."
    texts = (f'the agent said last: "{words}"', '"Short."', f"`{words}`")
    items = [SummaryItem("Done", text, (7,), 0) for text in texts]
    assert [list(cut_to_room(item, 5_000, len)) for item in items] == [[item] for item in items]
    assert [list(cut_to_room(item, 100, len)) for item in items[1:]] == [[items[1]], []]
    for room in range(80, 1_500):
        (cut,) = cut_to_room(items[0], room, len)
        assert cut.line.startswith('- the agent said last: "The ledger is complete: module 0')
        assert cut.line.endswith('…" [#7]')
        assert room - 20 < len(cut.line) < room
    assert list(cut_to_room(items[0], 40, len)) == []
