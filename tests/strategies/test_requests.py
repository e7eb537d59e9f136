"""Which words of the user stay when there is no room for all of them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compactor_cli.model.message import Message, Part, Role
from compactor_cli.profiles import default_profile
from compactor_cli.strategies.shared.dependent_sentences import is_exclamation, is_later_step
from compactor_cli.strategies.shared.kept_requests import ELLIPSIS, KeptRequest
from compactor_cli.strategies.shared.request_values import echo_rater, learned_rater
from compactor_cli.strategies.shared.requests import LABEL_TOKENS, Request, choose_requests
from compactor_cli.text.clauses import split_clauses
from tests.cost import count_calls

CHAT = (
    "Good morning! I slept badly, but here we are. The folder infra/live-7 is off limits.",
    "Ok, go on.",
    "Fine, fine, I trust you with that one.",
    "Thanks, that was quick, and I like how it reads now.",
    "Please rename the module to harbor_gate.",
)


def words(text: str) -> int:
    return len(text.split())


def requests(*texts: str) -> list[Request]:
    return [Request(at, text) for at, text in enumerate(texts)]


def message(index: int, role: Role, text: str) -> Message:
    return Message(index, str(index), role, (Part("text", text, words(text)),), (index,), words(text))


def said(chosen: tuple[KeptRequest, ...]) -> str:
    return "\n".join(asked.text for asked in chosen)


def test_all_of_them_stay_whole_when_there_is_room() -> None:
    room = sum(words(text) + LABEL_TOKENS for text in CHAT)
    assert said(choose_requests(requests(*CHAT), room, words)) == "\n".join(CHAT)
    assert said(choose_requests(requests(*CHAT), room - 1, words)) != "\n".join(CHAT)


def test_the_sentence_that_binds_stays_and_the_small_talk_around_it_goes() -> None:
    rate = learned_rater([message(at, "user", text) for at, text in enumerate(CHAT)], default_profile().binding)
    chosen = choose_requests(requests(*CHAT), 34, words, rate)
    assert chosen[-1] == KeptRequest(4, CHAT[-1], 6, whole=True)
    assert chosen[0].text.endswith(f"{ELLIPSIS} The folder infra/live-7 is off limits.")
    assert not chosen[0].whole


def test_a_later_sentence_on_the_same_subject_comes_along() -> None:
    first, second = "Set the retry interval of client K-7 to 30 seconds.", "So the retry interval is 45 seconds, sorry."
    talk = ["The weather is lovely in the mountains, we may even go for a swim."] * 3

    def rate(sentences: object) -> list[float]:
        return [1.0, *([0.2] * 3), 0.01, 0.5]

    chosen = choose_requests(requests(first, *talk, second, "Go on."), 48, words, rate)
    assert [asked.message for asked in chosen] == [0, 4, 5]
    # without room for both, neither stays
    chosen = choose_requests(requests(first, *talk, second, "Go on."), 25, words, rate)
    assert 0 not in [asked.message for asked in chosen]


def test_what_is_said_anew_stays_before_what_was_said_once() -> None:
    """The sentences about the charts are worth less by themselves than those about other things."""
    charts = "Use the teal palette for the charts.", "Marketing wants the amber palette for the charts."
    others = "Grandma's ferry leaves at noon on Sunday.", "Parking near the harbour is dear in summer."
    asked = requests("Make a leaflet.", charts[0], others[0], others[1], charts[1], "Print forty of them.")

    def rate(sentences: object) -> list[float]:
        return [0.3, 0.45, 0.6, 0.6, 0.45, 0.9]

    kept = [asked[0].text, charts[1], asked[-1].text]
    assert said(choose_requests(asked, 44, words, rate)).splitlines() == kept


def test_a_pasted_text_is_cut_before_what_is_asked_about_it() -> None:
    plan = "\n".join(f"- step {n}: move table_{n} to schema_{n % 7}, then check row counts {n * 31}" for n in range(60))
    text = f"Please carry out the plan below.\n\n{plan}\n\nOnly touch the staging copy while you do."
    (asked,) = choose_requests(requests(text), 120, words)
    assert asked.text.startswith("Please carry out the plan below.")
    assert asked.text.endswith("Only touch the staging copy while you do.")
    assert ELLIPSIS in asked.text


TEXTS = st.lists(st.text(max_size=80), max_size=12)


@pytest.mark.parametrize("colon", [":", "："])
def test_what_is_said_right_before_and_behind_a_pasted_text_is_no_part_of_it(colon: str) -> None:
    log = "\n".join(f"row {at} took {at * 3} units in zone {at % 7}" for at in range(60))
    text = f"Find out why the nightly job stops.\nThis is its log{colon}\n{log}\nWhich row is the first to fail?"
    said = [clause.text for clause in split_clauses(text) if clause.origin != "pasted"]
    assert said == ["Find out why the nightly job stops.", f"This is its log{colon}", "Which row is the first to fail?"]


@given(TEXTS, st.integers(0, 200))
def test_what_stays_fits_and_is_made_of_whole_sentences(texts: list[str], room: int) -> None:
    asked = [Request(at, text) for at, text in enumerate(texts) if text.strip()]
    chosen = choose_requests(asked, room, words)
    assert sum(words(one.text) + LABEL_TOKENS for one in chosen) <= room or not chosen
    assert [one.message for one in chosen] == sorted(one.message for one in chosen)
    for one in chosen:
        text = texts[one.message]
        if one.whole:
            assert one.text == text
        else:
            kept = [clause.text for clause in split_clauses(text) if clause.text in one.text]
            assert kept
            assert ELLIPSIS in one.text


@given(st.text())
def test_clauses_leave_nothing_out_but_blanks(text: str) -> None:
    end = 0
    for clause in split_clauses(text):
        assert not text[end : clause.start].strip()
        assert text[clause.start : clause.end] == clause.text
        end = clause.end
    assert not text[end:].strip()


def test_the_learned_score_judges_with_what_the_agent_says_in_between() -> None:
    question = message(0, "assistant", "Which folder must stay as it is?")
    rate = learned_rater([question], default_profile().talk)
    bare = learned_rater([], default_profile().talk)
    answer = [(1, "infra/live-7, the others are free")]
    assert rate(answer) != bare(answer)


def test_of_a_large_request_the_title_of_what_was_put_into_it_stays() -> None:
    """Everything else of it says how to work on what the title names."""
    tips = "\n".join(
        f"{n}. Always look at tool_{n}.py before the harbor_{n} gate is opened with 0{n}." for n in range(40)
    )
    text = f"Solve the issue below.\n\n<issue>\nThe parser drops fields\n\nHi there.\n</issue>\n\nTIPS:\n{tips}"
    rate = learned_rater([message(0, "user", text)], default_profile().binding)
    (kept,) = choose_requests(requests(text), 16, words, rate)
    assert "The parser drops fields" in kept.text
    assert not kept.whole


def test_of_a_long_request_what_it_opens_with_stays() -> None:
    tips = " ".join(f"Always look at tool_{n}.py before harbor_{n} is opened with 0{n}." for n in range(60))
    text = f"Make the parser keep empty fields. {tips}"
    rate = learned_rater([message(0, "user", text)], default_profile().binding)
    (kept,) = choose_requests(requests(text), 20, words, rate)
    assert kept.text.startswith("Make the parser keep empty fields.")
    assert not kept.whole


def test_of_instructions_a_list_is_no_pasted_text():
    said = "Read [STRATEGY.md](STRATEGY.md) and [ROADMAP.md](ROADMAP.md) before calls on `product_boundary` of v2.1."
    rows = [f"- Never let `handler_{n}` write to `table_{n * 7}` of region {n}." for n in range(60)]
    text = "\n\n".join([said, "\n".join(rows), "See [CONCEPTS.md](CONCEPTS.md) for `shared_words` of 2024."])
    room = len(text) // 8

    def kept(*, places):
        (request,) = choose_requests([Request(0, text)], room, lambda part: len(part) // 4 + 1, places=places)
        return sum(row in request.text for row in rows)

    assert kept(places=False) >= 10
    assert kept(places=True) == 0


FORM = "\n".join(f'- "field_{n}": what stands in field {n}, as a string of letters' for n in range(30))
TASK = "Create a file called harbor.txt with the tides."
PROMPT = f"Answer in this form:\n\n{FORM}\n\nTask Description:\n{TASK}\n\nIs that clear?"


def test_a_label_does_not_stay_without_what_it_is_of() -> None:
    others = "\n".join(f"The harbor number {n} has tides of its own." for n in range(9))
    text = f"{others}\nWhat to do now:\nMend the names."

    def rate(sentences: Sequence[tuple[int, str]]) -> list[float]:
        return [0.1 if said.startswith("Mend") else 1.0 if said.endswith(":") else 0.6 for _, said in sentences]

    (kept,) = choose_requests(requests(text), 30, words, rate)
    assert kept.text.endswith("What to do now:\nMend the names.")


def test_fields_of_a_form_are_not_what_a_prompt_is_about() -> None:
    (title,) = (clause.text for clause in split_clauses(PROMPT) if clause.origin == "title")
    assert title == TASK


def test_of_the_newest_request_a_nod_does_not_stay_alone() -> None:
    text = "Oh, I see. Yes, please use the certificate for $299, and cover the remaining $76 with my gift card."
    earlier = ["Book the flight of May 20 to Oslo for Ivan Smith, window seat, with two bags of 20 kg each."] * 3
    (kept,) = choose_requests(requests(*earlier, text), 26, words)
    assert (
        kept.text
        == f"{ELLIPSIS} Yes, please use the certificate for $299, and cover the remaining $76 with my gift card."
    )


def test_where_only_a_nod_has_room_nothing_stays() -> None:
    asked = "Please list all films of the actor that can be seen in the country today, with their overviews. Begin!"
    assert choose_requests(requests(asked), 12, words) == ()
    assert said(choose_requests(requests(asked), 30, words)) == asked


def test_an_example_behind_a_task_does_not_take_its_room() -> None:
    task = "Please write the greeting hello_world into the file salutation.txt of the folder drafts."
    example = "\n".join(f"    hello_world salutation.txt drafts {n} " + "row " * 30 for n in range(9))
    manners = "One step at a time. " * 12
    chosen = choose_requests(requests(f"{task}\n\n{manners}\n\n{manners}\n\nExample:\n\n{example}"), 60, words)
    assert task in said(chosen)


PASTED = " ".join(f"Guest{n} of Town{n} ate Dish{n * 7} and had Drink{n * 3}." for n in range(40))


@pytest.mark.parametrize(
    ("task", "reply"),
    [
        ("Turn the dial of the boiler down.", "I turn the dial of the boiler down now."),
        ("Dreh den Regler am Kessel herunter.", "Ich drehe den Regler am Kessel jetzt herunter."),
        (
            "请你今天下午把地下室里那台旧锅炉的旋钮调低一点，然后再检查一下压力。",
            "好，今天下午把地下室里那台旧锅炉的旋钮调低一点，再检查压力。",
        ),
    ],
    ids=["English", "German", "Chinese"],
)
def test_a_task_between_pasted_texts_stays_when_the_agent_took_it_up(task: str, reply: str) -> None:
    text = f"{PASTED}\n\n{task}\n\n{PASTED.replace('Guest', 'Host').replace('Town', 'Farm')}"
    taken_up = echo_rater([message(0, "user", text), message(1, "assistant", reply)])

    def length(part: str) -> int:
        return len(part) // 2  # scripts without blanks take tokens too

    def flat(sentences: Sequence[tuple[int, str]]) -> list[float]:
        return [0.5 for _ in sentences]

    assert task in said(choose_requests(requests(text), 60, length, flat, rate_echo=taken_up))
    assert task not in said(choose_requests(requests(text), 60, length, flat))


def test_nothing_is_taken_up_of_what_the_agent_says_behind_another_request() -> None:
    talk = [message(0, "user", "Water the ferns."), message(1, "user", "Go."), message(2, "assistant", "The ferns!")]
    talk = [replace(m, origin="request") if m.role == "user" else m for m in talk]
    assert list(echo_rater(talk)(0, ["Water the ferns.", "Go."])) == []
    assert list(echo_rater(talk, "water ferns")(0, ["Water the ferns.", "Go."])) == [1.0, 0.0]


@pytest.mark.parametrize("greeting", ["Hi there!", "Buenos días.", "Guten Morgen!"])
@pytest.mark.parametrize("room", range(20, 60, 4))
def test_a_greeting_does_not_stay_without_what_it_begins(greeting: str, room: int) -> None:
    asked = "I would like to move my trip from Houston to Denver to a day of the week after the next one, if I can."
    texts = (f"{greeting} {asked}", "Go on.", "Move the trip to the 27th of May, please, and add a bag.")
    kept = said(choose_requests(requests(*texts), room, words))
    assert greeting not in kept or asked in kept


@pytest.mark.parametrize("mark", ["- ", "2. ", "・", "(a) "])
def test_of_instructions_an_item_of_a_list_is_cut_from_its_end(mark: str) -> None:
    first, second = "It is open on most days.", "Otherwise you must never write to the log of K-9 at night."
    others = "\n".join(f"{mark}The paint of quay {at} is said to be dry by now, and nobody minds." for at in range(9))
    alone, cut, whole = (
        said(choose_requests(requests(f"{others}\n{text}"), room, words, places=False))
        for text, room in ((f"{first} {second}", 26), (f"{mark}{first} {second}", 26), (f"{mark}{first} {second}", 34))
    )
    assert second in alone
    assert first not in alone
    assert second not in cut
    assert f"{first} {second}" in whole


def test_of_a_short_request_a_sentence_that_leans_on_another_does_not_stay_alone() -> None:
    asked = (
        "Hello, I'm having a bit of a situation with my parcels and need to move them from express to slow delivery."
    )
    chat = requests(
        f"{asked} Can you assist me with that?",
        "I can give you my customer number; it's omar_davis_38. However, I am not sure about the rest at the moment.",
        "I want all of these changed. It's been a tough time, and I just have to save where I can.",
        "Yes, please go ahead with all the changes. Also, could I get the difference back to my card?",
    )
    kept = [said(choose_requests(chat, room, words)) for room in range(10, 120)]
    assert all("assist me with that" not in text or asked in text for text in kept)
    assert sum(asked in text and "assist me" not in text for text in kept) > 10


def test_what_orders_or_forbids_stays_without_the_rest_of_a_short_request() -> None:
    asked = "Please move all of the parcels of last week from the northern quay to the second shed of the harbor."
    kept = [said(choose_requests(requests("Hi.", f"{asked} Never touch quay 7."), room, words)) for room in (14, 24)]
    assert all("Never touch quay 7." in text and asked not in text for text in kept)


ERRAND = (
    "I need to know where parcel 4471 is, and which office clears it.\nBegin!\n\nEvery call to the harbour is paid. "
)
ERRAND += "It rained on all of the quays, and the gulls were loud, and nobody of the office was there before noon."
LATER = [f"Turn {n} of the ferry is at quay {n} with {n * 7} crates of pears on board." for n in range(6)]


@pytest.mark.parametrize("room", [50, 60, 70])
def test_of_the_first_request_the_task_stays_and_no_cry_behind_it(room: int) -> None:
    kept = choose_requests(requests(ERRAND, *LATER), room, words)
    assert "where parcel 4471 is" in kept[0].text
    assert not kept[0].whole
    assert "Begin!" not in kept[0].text


@pytest.mark.parametrize(
    ("text", "cry"),
    [
        ("Sort the forms.\nBegin!", "Begin!"),
        ("Sort the forms.\nBegin! Never at night.", "Begin!"),
        ("Sort the forms.\n<form>\nF-1\n</form>", "<form>"),
    ],
)
def test_a_line_of_one_word_is_a_cry(text: str, cry: str) -> None:
    assert [clause.text for clause in split_clauses(text) if is_exclamation(text, clause)][:1] == [cry]


@pytest.mark.parametrize(
    "text",
    [
        "Begin!",
        "Sort the forms. Metric!",
        "Sort the forms.\ndates in ISO",
        "表を作って。\n日本語で",
        "Sort them.\nF-17",
    ],
)
def test_what_names_or_says_more_is_no_cry(text: str) -> None:
    assert not any(is_exclamation(text, clause) for clause in split_clauses(text)[1:])


def test_steps_behind_a_task_take_nothing_of_it_back() -> None:
    steps = "\n".join(f"{n}. Create a script for the harbour file {n}" for n in range(1, 4))
    text = f"Create the harbour file with the quays of the north.\n\n{steps}"
    task, *others = split_clauses(text)
    assert all(is_later_step(text, task, other) for other in others)
    changed = f"{text}\n4. Actually, no: scrap that, and leave the harbour file alone"
    assert not all(is_later_step(changed, task, other) for other in split_clauses(changed)[1:])


def test_long_lines_of_cries_are_read_in_linear_time() -> None:
    text = "Sort the forms.\n" + "Go! " * 50_000
    clauses = split_clauses(text)
    assert count_calls(lambda: [is_exclamation(text, clause) for clause in clauses]) < 20 * len(clauses)
