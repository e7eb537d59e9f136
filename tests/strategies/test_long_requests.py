"""Of a long request stays what is asked, wherever it stands: not an example, not what others are told as well, not the
prompt of a shell, and not the small talk with which somebody begins."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from compactor_cli import api
from compactor_cli.model.message import Message, Part
from compactor_cli.profiles import default_profile
from compactor_cli.settings import Settings
from compactor_cli.strategies.shared.request_values import PROMPT, echo_rater, learned_rater
from compactor_cli.strategies.shared.requests import choose_requests
from compactor_cli.text.clauses import dialogue_span, split_clauses
from tests import builders
from tests.pipeline.sessions import assistant, compact, user
from tests.strategies.test_requests import message, requests, said, words

TURNS = """
USER: {ask}

ASSISTANT: {sure}
ls /srv/tiles

USER: bridge_old.py
osm.cfg

ASSISTANT: {look}
sed -n 1,40p bridge_old.py

USER: 40 {rows}
WIDTH = 512

ASSISTANT: {done}
"""
ENGLISH = TURNS.format(
    ask="Draw the bridges of the old town on port 7070 and keep every colour of the legend as it was.",
    sure="Sure! I will look at the folder with the tiles first, as nothing can be drawn without them.",
    look="There is a script for bridges already. I will read it before I write another one of my own.",
    rows="rows of tiles were read from the folder, and all of them are as wide as the file says",
    done="The map of bridges is at http://127.0.0.1:7070 now, with the colours of the legend kept.",
)
GERMAN = TURNS.format(
    ask="Zeichne die Brücken der Altstadt auf Port 7070 und lass alle Farben der Legende, wie sie waren.",
    sure="Gern! Ich sehe mir zuerst den Ordner mit den Kacheln an, denn ohne sie lässt sich nichts zeichnen.",
    look="Es gibt schon ein Skript für Brücken. Ich lese es, bevor ich selbst ein neues dafür schreibe.",
    rows="Zeilen mit Kacheln wurden aus dem Ordner gelesen, und alle sind so breit, wie die Datei es sagt",
    done="Die Karte der Brücken steht jetzt auf http://127.0.0.1:7070, die Farben der Legende sind erhalten.",
)
ASKED = {
    "en": ("Please count the herons of May in heron_log.csv.", "I will read the file first.", ENGLISH),
    "de": ("Zähl bitte die Reiher vom Mai in heron_log.csv.", "Ich lese zuerst die Datei.", GERMAN),
}
LEAD = {"en": "This is how others worked with you.", "de": "So haben andere mit dir gearbeitet."}
END = {"en": "Answer with one number, nothing else.", "de": "Antworte mit einer Zahl, sonst nichts."}


def call(index: int, arguments: str) -> Message:
    made = message(index, "assistant", "")
    return replace(made, parts=(Part("tool_call", arguments, words(arguments)),))


def result(index: int, text: str) -> Message:
    made = message(index, "tool", text)
    return replace(made, parts=(Part("tool_result", text, words(text)),))


def flat(sentences: Sequence[tuple[int, str]]) -> list[float]:
    return [0.5 for _ in sentences]


@pytest.mark.parametrize("language", ASKED)
@pytest.mark.parametrize("room", [50, 90])
def test_what_is_asked_behind_an_example_stays_and_the_example_goes(language: str, room: int) -> None:
    task, answer, example = ASKED[language]
    text = f"{LEAD[language]}\n{example * 2}\n---\n\n{task}\n\n---\n\n{END[language]}"
    talk = [message(0, "user", text), message(1, "assistant", answer), call(2, "head heron_log.csv")]
    kept = said(choose_requests(requests(text), room, words, flat, rate_echo=echo_rater(talk)))
    assert task in kept
    assert "7070" not in kept


@pytest.mark.parametrize("example", [ENGLISH, GERMAN])
def test_turns_under_labels_are_pasted_but_for_the_last_one_of_a_text(example: str) -> None:
    behind = "Count the herons of May.\n\nOne number, please."
    places = {clause.text: clause.origin for clause in split_clauses(f"Like this.\n{example * 2}\n{behind}")}
    assert {place for text, place in places.items() if "7070" in text} == {"pasted"}
    assert places["Count the herons of May."] != "pasted"
    last = [c for c in split_clauses(f"Like this.\n{example * 2}".rstrip()) if "http" in c.text][-1]
    assert last.origin != "pasted"


@pytest.mark.parametrize("last", [3, 6])
def test_a_form_with_labels_is_no_dialogue(last: int) -> None:
    lake = "behind the wood, where the water is low in summer"
    form = "\n\n".join(f"Name: heron {at}\nPlace: lake {at} {lake}" for at in range(1, last))
    text = f"Add these.\n\n{form}\n\n" + "They were seen by the lake, and all of them stood still for an hour. " * 16
    assert all(c.origin != "pasted" for c in split_clauses(text) if "lake 1" in c.text)


@pytest.mark.parametrize(("one", "other"), [("Before", "After"), ("Ist", "Soll"), ("Anna", "Ben")])
def test_turns_under_other_labels_are_what_is_asked(one: str, other: str) -> None:
    row = "{}: the page {} shows logos in its header, as wide as in the shop.\n\n{}: it shows one of {} px.\n\n"
    rows = "".join(row.format(one, at, other, 100 + at) for at in range(5))
    text = f"Change the shop.\n\n{rows}" + "They were seen by the lake, and all of them stood still for an hour. " * 16
    assert dialogue_span(text) == (0, 0)
    assert all(c.origin != "pasted" for c in split_clauses(text))


TIPS = {
    "en": "Always look at the whole of a file before you write to it. If a command fails, try another command instead. "
    "Most of the work is done with scripts that you write yourself. You can run any of the commands you know. "
    "Do not open an editor, as nobody could close it again. You may have to install what is missing first.",
    "fr": "Regarde toujours un fichier en entier avant de l'écrire. Si une commande échoue, essaie une autre commande. "
    "La plupart du travail se fait avec des scripts que tu écris. Tu peux lancer toutes les commandes connues. "
    "N'ouvre pas d'éditeur, car personne ne pourrait le fermer. Il faudra peut-être installer ce qui manque.",
}
BUG = {
    "en": "For the lake of tern_map.py it says 418, though 420 would be right.",
    "fr": "Pour le lac de tern_map.py cela donne 418, alors que 420 serait juste.",
}


@pytest.mark.parametrize("language", BUG)
def test_what_names_that_come_up_again_stays_before_tips(language: str) -> None:
    tips = TIPS[language]
    more = f"{tips.replace('.', ', too.')}\n\n{tips.replace('.', ', 2.')}"
    text = f"Hello.\n\n{tips}\n\n{BUG[language]}\n\n{more}\n\n(File: none)\n$>"
    talk = [
        message(0, "user", text),
        message(1, "assistant", tips),
        call(2, "python lake.py"),
        result(3, "418\n(File: lake.py)\n$>"),
        call(4, "grep -n lake tern_map.py"),
        result(5, "7: lake = 420\n(File: tern_map.py)\n$>"),
    ]
    kept = said(choose_requests(requests(text), 40, words, flat, rate_echo=echo_rater(talk)))
    assert BUG[language] in kept
    assert "$>" not in kept


def test_what_results_end_with_again_and_again_is_a_prompt() -> None:
    talk = [
        message(0, "user", ""),
        call(1, "ls"),
        result(2, "a.py\n(Dir: /a)\n$"),
        call(3, "ls b"),
        result(4, "x\n(Dir: /b)\n$"),
    ]
    shares = echo_rater(talk)(0, ["Read a.py.", "(Dir: /c)", "$"])
    assert list(shares)[1:] == [PROMPT, PROMPT]
    assert list(echo_rater(talk[:3])(0, ["Read a.py.", "(Dir: /c)", "$"]))[1:] == [0.0, 0.0]


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("Note: the lock file is in the vault.", "Note: {} files were skipped."),
        ("(Note: never touch the lock file.)", "(Note: {} files were skipped.)"),
        ("Never touch lock 1.", "Never touch lock {}."),
    ],
)
def test_what_the_user_ends_with_is_no_prompt_for_its_first_word_or_where_it_orders(asked: str, shown: str) -> None:
    talk = [message(0, "user", ""), *(result(at, f"a.py\n{shown.format(at)}") for at in range(1, 5))]
    assert PROMPT not in echo_rater(talk)(0, ["Read a.py.", asked])


CHATTER = {
    "en": (
        "Had a good run this morning, ten kilometres, and then straight to work.",
        "Lunch was fine, the soup a bit cold as ever, and nobody writes to the ledger table before Friday.",
        "Well then.",
    ),
    "de": (
        "Guten Morgen, ich hatte gestern einen langen Zug und kaum Schlaf.",
        "Der Zug war voll, die Kinder waren laut, und in die Tabelle der Rechnungen schreibt niemand vor Freitag.",
        "Na dann.",
    ),
}


@pytest.mark.parametrize("language", CHATTER)
def test_the_sentence_with_a_part_that_binds_goes_before_small_talk(language: str) -> None:
    talk, binds, nod = CHATTER[language]
    rate = learned_rater([], default_profile().binding)
    values = rate([(0, talk), (0, binds), (0, nod)])
    assert values[1] > 1.7 * max(values[0], values[2])


@pytest.mark.parametrize("language", BUG)
def test_what_was_chosen_first_comes_first(language: str) -> None:
    text = f"{TIPS[language]} {BUG[language]}"
    clauses = split_clauses(text)

    def rate(sentences: Sequence[tuple[int, str]]) -> list[float]:
        return [0.9 if "420" in told else 0.5 for _, told in sentences]

    [kept] = choose_requests(requests(text), 50, words, rate)
    assert clauses[kept.clauses[0]].text == BUG[language]
    assert len(kept.clauses) > 1


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "handoff"])
@pytest.mark.parametrize("language", ASKED)
def test_a_small_output_has_what_is_asked_and_nothing_of_the_example(language: str, strategy: str) -> None:
    task, answer, example = ASKED[language]
    text = f"{LEAD[language]}\n{example * 3}\n---\n\n{task}\n\n---\n\n{END[language]}"
    steps = [
        each
        for at in range(8)
        for each in (
            builders.calling_message(
                builders.call(f"c{at}", arguments=json.dumps({"command": f"sed -n {at}1,{at}9p heron_log.csv"})),
                content=answer,
            ),
            builders.result(f"c{at}", "\n".join(f"2031-05-{day:02},{at}{day},pond {day * at}" for day in range(1, 20))),
        )
    ]
    settings = Settings(target_tokens=400, strategy=strategy)
    (part,) = api.compact(builders.load(builders.jsonl(builders.user(text), *steps)), settings).parts
    told = "\n".join(message.text() for message in part.messages)
    assert task in told
    assert "7070" not in told


@pytest.mark.parametrize("strategy", ["handoff", "rolling", "hybrid", "summarize"])
@pytest.mark.parametrize("words", [" ".join(f"word{n}" for n in range(6_000)), "x" * 60_000], ids=["words", "letters"])
def test_room_that_nothing_else_needs_is_for_a_request_on_one_giant_line(strategy: str, words: str) -> None:
    records = [user("start"), assistant("ok " * 50), user(words), assistant("done")]
    part = compact(records, strategy=strategy, target_ratio=0.25)
    tokens = sum(message.tokens for message in part.messages)
    assert tokens >= 0.8 * sum(message.tokens for message in part.before.messages) / 4
    assert any(words[:400] in message.text() for message in part.messages)
