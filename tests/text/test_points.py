"""No sentence ends behind an abbreviation or a number that says which one, whatever splits the text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compactor_cli.text.clauses import split_clauses
from compactor_cli.text.kept_sentences import _spans
from compactor_cli.text.sentences import sentences
from compactor_cli.text.units import line_units


def _clauses(text: str) -> list[str]:
    return [clause.text for clause in split_clauses(text)]


def _kept(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in _spans(text)]


def _units(text: str) -> list[str]:
    return [text[start:end] for start, end in line_units(text)]


SPLITTERS = pytest.mark.parametrize("split", [_clauses, _kept, sentences])


@SPLITTERS
@pytest.mark.parametrize(
    "text",
    [
        "Einziehen wollen wir spätestens am 15. Juli, dann läuft der Vertrag aus.|Bitte keine Listen!",
        "Wessels kann erst vom 27. bis 31. Juli, und das ist schon der 3. Versuch.|Passt das noch?",
        "Bis 3.11. Frau Meier fragen, sie weiß es ganz sicher.|Danach gehen wir heim.",
        "Bolig på 3. Sal til højre, og nøglen ligger hos naboen.|Ring først til ham!",
        "Karel IV. Lucemburský se narodil v Praze a tam také zemřel.|Byl to král.",
        "Toplantı 15. Katta olacak, herkes saat onda gelsin lütfen.|Geç kalmayın!",
        "A XX. Század közepén épült ez a ház, és azóta áll.|Szép ház!",
        "Kokous on 15. heinäkuuta kello kymmenen meidän talossa.|Tule ajoissa!",
        "Nehmt bitte Nr. 5 und z. B. Müller oder Dr. Schmidt dazu.|Dann geht es los!",
        "Take No. 5 as Fig. 3 shows, e.g. Dr. Smith did so before.|Then go on!",
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
        "Wir zahlen dafür jetzt genau $15.|Danach kommt die Rechnung.",
        "Alles steht auf Seite eins von GPT-4.|Danach kommt der Anhang.",
        "The export of last week came as a PDF.|Nobody could read it then.",
    ],
)
def test_other_numbers_and_words_end_a_sentence(split: Callable[[str], list[str]], text: str) -> None:
    assert split(text.replace("|", " ")) == text.split("|")


def test_a_long_line_is_not_cut_behind_such_a_number() -> None:
    first = "Nach langem Hin und Her haben wir uns geeinigt, dass alle zusammen am 15. Juli ins neue Haus umziehen."
    second = (
        "Vorher müssen die Böden fertig sein, die Küche muss stehen, und der Keller soll leer und trocken sein, wie es "
        "von Anfang an besprochen war."
    )
    assert _units(f"{first} {second}") == [first, second]
