"""No sentence ends behind an abbreviation or a number that says which one, whatever splits the text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compactor_cli.text.clauses import split_clauses
from compactor_cli.text.kept_sentences import sentence_spans
from compactor_cli.text.sentences import split_sentences
from compactor_cli.text.units import line_units


def _clauses(text: str) -> list[str]:
    return [clause.text for clause in split_clauses(text)]


def _kept(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in sentence_spans(text)]


def _units(text: str) -> list[str]:
    return [text[start:end] for start, end in line_units(text)]


SPLITTERS = pytest.mark.parametrize("split", [_clauses, _kept, split_sentences])


@SPLITTERS
@pytest.mark.parametrize(
    "text",
    [
        "Einziehen wollen wir spätestens am 15. Juli, dann läuft der Vertrag aus.|Bitte keine Listen!",
        "Bolig på 3. sal til højre, og nøglen ligger hos naboen.|Ring først til ham!",
        "Toplantı 15. katta olacak, herkes saat onda gelsin lütfen.|Geç kalmayın!",
        "Kokous on 15. heinäkuuta kello kymmenen meidän talossa.|Tule ajoissa!",
        "Nehmt bitte Nr. 5 und z. B. Müller oder Dr. Schmidt dazu.|Dann geht es los!",
        "Wir sehen uns am 15. Juli bei euch im neuen Haus wieder.|Bringt Kuchen mit!",
        "Treffen am 15. Juli, dort um halb neun vor dem Bahnhof.|Gut so!",
        "Ring til hr. Jensen om det, og husk nøglen til kontoret.|Han er sød!",
        "Take No. 5 as Fig. 3 shows, e.g. Dr. Smith did so before.|Then go on!",
        "Une chambre pour Mme Aït-Kaci et M. Brun, s'il vous plaît.|Sans noix !",
    ],
)
def test_no_sentence_ends_behind_a_number_that_says_which_one_or_an_abbreviation(
    split: Callable[[str], list[str]], text: str
) -> None:
    assert split(text.replace("|", " ")) == text.split("|")


@SPLITTERS
@pytest.mark.parametrize(
    "text",
    [
        "It costs us 15 or, with the box, 20.|Then we pay the rest of it.",
        "The plan of the day has 3 parts and needs Python 3.|Run it as soon as you can.",
        "Please wait for all of them until 5.|Nobody will come before that.",
        "Das kostet uns am Ende zusammen 150.|Dann zahlen wir den Rest.",
        "Wir treffen uns alle zusammen um 18:30.|Danach gehen alle heim.",
        "So war das bei uns schon im Jahr 2024.|Danach wurde alles besser.",
        "Das Papier hat hier immer die Größe A4.|Danach kommt der Umschlag.",
        "Es waren am Ende etwa 20, 15.|Manche gingen früher heim.",
        "Wir zahlen dafür jetzt genau $15.|Danach kommt die Rechnung.",
        "Alles steht auf Seite eins von GPT-4.|Danach kommt der Anhang.",
        "The export of last week came as a PDF.|Nobody could read it then.",
    ],
)
def test_other_numbers_and_words_end_a_sentence(split: Callable[[str], list[str]], text: str) -> None:
    assert split(text.replace("|", " ")) == text.split("|")


@pytest.mark.parametrize("split", [_clauses, _kept])
@pytest.mark.parametrize(
    "text",
    [
        "Wir haben es in der Spalte 4, 5.|Spalte 6 ist noch frei.",
        "We live at Elm Street 14, 3.|Nobody lives there with us.",
        "Sperre nie Platz 14, 3.|Lösch nichts.",
        "Wir haben Halle 4, 2.|Maria soll nichts anfassen.",
        "Es sind Dienstag 15, 3.|Rest bleibt.",
        "Wir nutzen Regal 12, 3.|Bestand nie ändern.",
        "Wir haben Server, 2.|Backups nie löschen.",
        "Nie an Server 9, 3.|DB bleibt zu.",
        "Nie an Raum 203, 2.|UG-Leute bleiben fern.",
        "The column is called Lt.|Never rename it.",
        "We need the Lic.|Ship nothing without it.",
        "Talk to the Sgt.|Delete nothing before.",
        "Die Spalte heißt Lt.|Lösche sie nie.",
        "La columna es Lic.|Nunca la borres.",
        "La colonne est Lt.|Ne la renomme jamais.",
        "A coluna é Lic.|Não a apagues.",
        "Nie an Gleis 9, 3.|Immer warten.",
        "Never take plan Z.|Ask me.",
        "Never restart worker 3.|Why does worker 4 hang?",
        "Ne touche jamais au port 3.|Pourquoi ça plante ?",
        "Non toccare mai la porta 3.|Perché fallisce?",
        "Nunca mexas na porta 3.|Por que falha?",
        "Ändere nie Tabelle 5.|Warum hängt sie?",
        "Rør aldrig port 3.|Hvorfor hænger den?",
        "Nikdy nemaž řádek 3.|Proč to padá?",
        "Nigdy nie ruszaj portu 3.|Dlaczego to wisi?",
        "Set retries to 5.|Never set timeouts.",
        "Pon el valor en 10.|No toques el resto.",
        "Setz das Limit auf 5.|Lösch nichts.",
        "Gib mir 3.|Keine Tabellen.",
        "I am 15.|Do not tell my parents.",
        "Change the exit code to 1.|Do not change others.",
        "Use npm.|Do not use yarn.",
        "I choose option A.|Do not touch the config.",
        "Don't use plan B.|Why?",
        "Do not ask me.|2 things matter.",
        "Lösch das.|3 Dateien bleiben.",
        "Set it to max.|Do not retry.",
        "The answer is no.|Leave it.",
        "Use env.|Do not hardcode.",
        "Check the css.|Leave html.",
    ],
)
def test_a_rule_is_a_sentence_of_its_own(split: Callable[[str], list[str]], text: str) -> None:
    assert split(text.replace("|", " ")) == text.split("|")


def test_a_long_line_is_not_cut_behind_such_a_number() -> None:
    first = "Nach langem Hin und Her haben wir uns geeinigt, dass alle zusammen am 15. Juli ins neue Haus umziehen."
    second = (
        "Vorher müssen die Böden fertig sein, die Küche muss stehen, und der Keller soll leer und trocken sein, wie es "
        "von Anfang an besprochen war."
    )
    assert _units(f"{first} {second}") == [first, second]


def test_no_sentence_ends_at_a_mark_within_a_name() -> None:
    text = "The note in Headcount!L3 says that C8 is Opex!H36 less Opex!$H$32, and a?b=c stays."
    assert split_sentences(f"{text} Read it first!") == [text, "Read it first!"]


@pytest.mark.parametrize("name", ["logging.WithAgent", "strings.Join(parts)", "context.WithTimeout_ms"])
def test_a_point_within_a_name_of_code_ends_no_sentence(name: str) -> None:
    said = f"I can't see any usage in our code of {name} so far, and nothing is logged."
    assert split_sentences(f"{said} Look again.") == [said, "Look again."]
