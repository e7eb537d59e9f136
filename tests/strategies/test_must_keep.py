"""What comes before the lines of most value: requests, standing instructions, and what was said before a turn."""

from __future__ import annotations

import json

from compactor_cli.features.work.state import session_state
from compactor_cli.model.pairing import pair_calls
from compactor_cli.strategies.adaptive import must_keep as musts
from compactor_cli.summary_text.headers import lines_header
from compactor_cli.summary_text.state_line import StateLine
from tests.builders import assistant, call, calling_message, result, user
from tests.features.sessions import Told

RULES = "<system-reminder>\n# claudeMd\nContents of /work/CLAUDE.md:\n\nNever push to main.\n</system-reminder>"


def words(told, found):
    return [told.session.pieces[said.piece].text[said.start : said.end] for said in found]


def requests(*records):
    told = Told(*records)
    return words(told, musts.find_requests(told.messages, told.lines))


def answers(*records, room=10**6):
    told = Told(*records)
    concluded = musts.conclusion_lines(told.messages, told.lines)
    said = [*([concluded] if concluded else []), *musts.answers(told.messages, told.lines)]
    ends = musts.fit_answers(room, said, told.lines, lambda line: len(told.lines.text(line)))
    return [[told.lines.text(line) for line in group] for group in ends]


def test_requests_come_in_order_and_whole():
    assert requests(
        user("Fix the parser.\nIt fails.\nSee the log:\nmany lines"),
        assistant("Yes."),
        user("<system-reminder>not a request</system-reminder>"),
        user("Also the writer."),
    ) == ["Fix the parser.\nIt fails.\nSee the log:\nmany lines", "Also the writer."]


def test_a_session_without_requests_has_none():
    assert requests(assistant("I begin."), assistant("I end.")) == []


def test_requests_that_an_earlier_summary_quotes_are_among_them():
    quoted = "#2 user: Keep the parser.\n Leave the writer.\n#3 Bash: git status\n#5 user: And test it."
    found = requests(user(f"{lines_header(range(2, 6))}\n{quoted}"), assistant("Yes."), user("Go on."))
    assert found == ["Keep the parser.\n Leave the writer.", "And test it.", "Go on."]


def test_instructions_that_a_harness_put_in_are_told_from_its_other_words():
    told = Told(user(RULES), user("<system-reminder>The todo list is empty.</system-reminder>"), user("Go on."))
    (found,) = words(told, musts.find_instructions(told.messages, told.lines))
    assert "Never push to main." in found


def test_the_end_of_what_was_said_before_each_request_comes_newest_first():
    assert answers(
        user("Fix it."),
        assistant("I looked at all of the files.\n\n" + "It is the parser. " * 9 + "\n\n" + "Or the writer? " * 9),
        user("The writer."),
        calling_message(call("c1"), content="I look at it."),
        result("c1", "x"),
        assistant("Done."),
        user("Thanks."),
    ) == [
        ["Done."],
        ["I looked at all of the files.", ("It is the parser. " * 9).strip(), ("Or the writer? " * 9).strip()],
    ]


def test_how_an_answer_begins_comes_too_as_it_answers_what_was_asked():
    said = [f"Yes, part {n} may go.\n\nThe cranes are old.\n\nSo is gate {n}.\n\nGo on?" for n in range(6)]
    records = [user("Look into it."), *(message for text in said for message in (assistant(text), user("Go on.")))]
    assert [lines[0] for lines in answers(*records)] == [f"Yes, part {n} may go." for n in (5, 4, 3, 2, 1, 0)]


def test_options_that_the_user_passed_over_are_not_told():
    flights = [f"{n}. **Option {n}:**\n   - HAT11{n} at 1{n}:00\n   - $29{n}" for n in (1, 2, 3)]
    said = assistant("\n\n".join(["Here are the flights:", *flights, "Which one shall I book for you?"]))
    told = Told(user("A flight, please."), said, user("I'd like option 2."), assistant("I book it."), user("Thanks!"))
    lines = [told.lines.text(line) for line in range(len(told.lines)) if told.lines.bounds[line] > 0]
    shown = "\n".join(lines)
    assert "$292" in shown
    assert "$291" not in shown
    assert "$293" not in shown


def test_of_an_answer_that_was_agreed_to_less_stays_where_there_is_little_room():
    costs = "The seat costs $255.\n\nCertificate 7504069 pays $250.\n\nIs that all right?"
    told = Told(user("Book it."), assistant(costs), user("Yes, please."))
    forms = [
        ([told.lines.text(line) for line in some], picked)
        for some, picked in musts.agreed_parts(told.messages, told.lines)
    ]
    named = ["The seat costs $255.", "Certificate 7504069 pays $250."]
    assert forms == [([*named, "Is that all right?"], False), (named, False), (named, False), (named[1:], False)]


def test_an_opening_that_leads_to_something_comes_with_it():
    said = "Here is what I found:\n\n- Gate 4 is rusty.\n\n- Gate 5 is new.\n\nThe quay is wet.\n\nWhat now?"
    (told,) = answers(user("Look."), assistant(said), user("Mend the first, please."))
    assert told == ["Here is what I found:", "- Gate 4 is rusty.", "The quay is wet.", "What now?"]


def test_an_opening_that_leads_to_something_goes_with_it():
    said = "Here is what I found:\n\n- Gate 4 is rusty, and so is the chain of it.\n\nThe quay is wet.\n\nWhat now?"
    records = [user("Look."), assistant(said), user("Mend it, please.")]
    rooms = [answers(*records, room=room)[0] for room in range(100)]
    assert any("What now?" in told and "The quay is wet." in told for told in rooms)
    assert all("- Gate 4" in " ".join(told) for told in rooms if "Here is what I found:" in told)


def test_of_what_was_said_before_requests_the_ends_stay_that_fit():
    """The line before the end goes first; what is left is for the next one."""
    records = [user("Go."), assistant("I looked at all of it.\n\nShall I?"), user("Yes.")]
    assert answers(*records) == [["I looked at all of it.", "Shall I?"]]
    assert answers(*records, room=12) == [["Shall I?"]]
    assert answers(*records, room=5) == [[]]


def test_of_what_was_said_before_a_request_the_offer_that_it_takes_up_comes_with_the_end():
    told_of = "leaves from the old harbour in the morning and needs a reservation some days before it goes"
    offers = [f"Ferry {name} {told_of}." for name in ("ANNA-7", "BERTA-3", "CLARA-9")]
    said = assistant("\n\n".join([*offers, "Which of these ferries shall I book for you, and for which day?"]))
    (picked,) = answers(user("Book a ferry."), said, user("I take BERTA-3, on Monday."))
    assert picked == [*offers[:2], "Which of these ferries shall I book for you, and for which day?"]
    (other,) = answers(user("Book a ferry."), said, user("The one in the morning, please."))
    assert other[:-1] == [offers[0], offers[2]], "how it begins, and the line before its end"


def test_of_an_answer_that_ends_with_a_courtesy_what_asks_comes_or_what_tells():
    offers = "It costs 40 dollars.\n\nShall I take the voucher or the card?\n\nPlease let me know, I am happy to help!"
    (asked,) = answers(user("Book it."), assistant(offers), user("The card."))
    assert asked == ["It costs 40 dollars.", "Shall I take the voucher or the card?"]
    done = "The table is booked.\n\nIt is at eight.\n\nIf you need anything else, feel free to ask!"
    (told,) = answers(user("Book it."), assistant(done), user("Then book a taxi, too."))
    assert told == ["The table is booked.", "It is at eight."]
    (only,) = answers(user("Thanks."), assistant("Feel free to ask!"), user("Then book a taxi, too."))
    assert only == ["Feel free to ask!"]


def test_what_an_answer_asks_long_before_its_end_is_not_what_it_comes_to():
    driver = "So which driver is it?\n\nUse asyncpg with a pool of 20 connections in src/db.py.\n\n"
    wait = "Let me know whether I shall replace psycopg in src/db.py now or wait for the release."
    (told,) = answers(user("Which driver?"), assistant(driver + wait), user("Yes, do that."))
    assert told[-1] == wait
    (before,) = answers(user("Which driver?"), assistant(driver + "I am happy to help!"), user("Yes, do that."))
    assert before[-1] == "Use asyncpg with a pool of 20 connections in src/db.py."


def test_what_is_asked_before_a_list_of_answers_is_what_an_answer_comes_to():
    cards = "Which card shall I take?\n\n1. Gift card 7091239, with 157 dollars on it, from the first of March.\n\n"
    cards += "2. Gift card 6276644, with 113 dollars on it, from the second of May.\n\nPlease let me know!"
    (told,) = answers(user("Book it."), assistant(cards), user("Take 6276644."))
    assert told == ["Which card shall I take?", cards.split("\n\n")[2]]


def test_an_answer_that_begins_with_a_courtesy_is_told_by_what_comes_then():
    said = "Sure, I'd be happy to help you with that!\n\nThe seat costs $255.\n\nIs that all right?"
    (told,) = answers(user("Book it."), assistant(said), user("What about bags, and how many may I take?"))
    assert told == ["The seat costs $255.", "Is that all right?"]


def test_of_calls_side_by_side_the_one_that_failed_is_told():
    calls = calling_message(
        call("c1", "search_flight", '{"to": "SEA"}'), call("c2", "book_seat", '{"seat": "12A", "pay": 5}')
    )
    records = [user("Book it."), calls, result("c1", "[]"), result("c2", "Error: the seat is taken")]
    told = Told(*records)
    found = musts.failed_call_lines(session_state(told.messages), told.messages, told.lines, pair_calls(told.messages))
    assert "12A" in "".join(told.lines.text(line) for line in found)
    assert "SEA" not in "".join(told.lines.text(line) for line in found)


def test_of_calls_side_by_side_that_failed_the_one_that_acts_is_told():
    calls = calling_message(
        call("c1", "Read", '{"file_path": "/tmp/zzz.txt"}'), call("c2", "book_seat", '{"seat": "12A"}')
    )
    failed = [result("c1", "Error: no such file"), result("c2", "Error: the seat is taken")]
    together = {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": r["tool_call_id"], "content": r["content"], "is_error": True}
            for r in failed
        ],
    }
    use = [
        {
            "type": "tool_use",
            "id": c["id"],
            "name": c["function"]["name"],
            "input": json.loads(c["function"]["arguments"]),
        }
        for c in calls["tool_calls"]
    ]
    told = Told({"role": "user", "content": "Book it."}, {"role": "assistant", "content": use}, together)
    found = musts.failed_call_lines(session_state(told.messages), told.messages, told.lines, pair_calls(told.messages))
    assert "12A" in "".join(told.lines.text(line) for line in found)
    assert "zzz" not in "".join(told.lines.text(line) for line in found)


def test_of_a_long_answer_that_was_agreed_to_few_forms_are_looked_at():
    """Each is summed up: all of them would take a time that grows with the square of its lines."""
    said = "\n\n".join(f"Item {n} costs ${n} at gate_{n}." for n in range(400))
    told = Told(user("Order it."), assistant(said), user("Yes, please."))
    forms = [some for some, _ in musts.agreed_parts(told.messages, told.lines)]
    assert sum(map(len, forms)) < 4 * 400
    assert told.lines.text(forms[-1][0]) == "Item 399 costs $399 at gate_399."


def test_what_was_said_before_the_newest_request_comes_before_what_short_requests_answer():
    long = "Then please look at the gates of the harbour in the north, and at the cranes beside each of them too."
    found = answers(
        user("Look into it."),
        assistant("Shall I mend the quay?"),
        user("Yes."),
        assistant("Shall I mend the gates?"),
        user(long),
    )
    assert found == [["Shall I mend the gates?"], ["Shall I mend the quay?"]]


def state_within(room, *lines):
    return [line.text for line in musts.fit_state(room, lines, len, lambda _: False)]


def test_acts_are_told_with_amounts_before_the_newest_is_told_with_all_details():
    acts = [
        StateLine("effect", f"pay R-{n} (amount {n}, why {'x' * 60})", n, brief=f"pay R-{n} (amount {n})")
        for n in range(3)
    ]
    assert state_within(70, *acts) == [act.brief for act in acts]
    assert state_within(45, *acts) == ["pay R-0 (amount 0)", "pay R-1", "pay R-2"]
    assert state_within(160, *acts) == [acts[0].text, acts[1].brief, acts[2].brief]
    assert state_within(400, *acts) == [act.text for act in acts]


def test_an_act_keeps_its_first_detail_before_it_loses_all():
    act = StateLine("effect", "return_items #W4138217 (item_ids 6025150951, payment_method credit_card_4466831)", 1)
    assert state_within(60, act) == ["return_items #W4138217 (item_ids 6025150951)"]
    assert state_within(40, act) == ["return_items #W4138217"]


def test_a_count_is_never_told_alone():
    long = "x" * 80
    assert state_within(40, StateLine("error", f"open error: {long}", 1)) == []
    assert state_within(40, StateLine("effect", f"pay {long}", 1)) == []
    acts = [StateLine("effect", text, 1) for text in ("cancel_order W7", f"pay {long}")]
    assert state_within(25, *acts) == ["cancel_order W7"]
    assert state_within(40, *acts) == ["cancel_order W7", "1 more action"]
    edited = [StateLine("file", "edited a.py", 2), StateLine("error", f"open error: {long}", 1)]
    assert state_within(60, *edited) == ["edited a.py", "1 more error"]
