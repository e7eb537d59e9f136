"""In a chat about code, what holds of it stays, and what was written anew or turned down does not."""

from __future__ import annotations

import pytest

from compactor_cli.features.written_code import WrittenCode
from compactor_cli.strategies.adaptive.newest_code import newest_texts
from tests.builders import assistant, compact, jsonl, prose, user
from tests.features.sessions import Told


def function(name: str, how: str) -> str:
    steps = "\n".join(f"    step_{at} = {how}_{at}(rows, {at} + len(rows))" for at in range(6))
    return f'def {name}(rows, limit):\n    """Return the {name} of rows, {how}."""\n{steps}\n    return step_5, {how}'


def block(*functions: str) -> str:
    return "```python\n" + "\n\n".join(functions) + "\n```"


FIRST, SECOND = function("tally", "counted"), function("tally", "summed")
GAPS, WARN, LOADED = function("fill_gaps", "guessed"), function("gap_warnings", "found"), function("load", "parsed")
ASKS = "Great. Now a main that calls load, tally and gap_warnings, one after the other, please."


def chat(*, long: bool = False) -> list[dict[str, object]]:
    chatter = "The harbor office wants all of its ferries in one table, though nobody there ever looks at it. "
    older = [
        turn
        for at in range(8)
        for turn in (user(f"What is in table_{at}? {chatter}"), assistant(prose(f"It holds berths of table_{at}.", 20)))
    ]
    return [
        *(older if long else ()),
        user(f"I need the totals of our ferries. {chatter}"),
        assistant(f"First the rows:\n\n{block(LOADED)}"),
        user(f"good. and the tally? {chatter}"),
        assistant(f"As you like:\n\n{block(FIRST)}"),
        user(f"not counted, it has to be summed. {chatter}"),
        assistant(f"Summed, then:\n\n{block(SECOND)}"),
        user(f"works. there are gaps at night, too. {chatter}"),
        assistant(f"One could guess them:\n\n{block(GAPS)}\n\nIt keeps the long ones."),
        user(f"no guessing! forget fill_gaps. only warn of them. {chatter}"),
        assistant(f"Understood:\n\n{block(WARN)}"),
        user(ASKS),
    ]


def kept(ratio: float, strategy: str, *, long: bool = False) -> str:
    (part,) = compact(jsonl(*chat(long=long)), target_ratio=ratio, strategy=strategy).parts
    return "\n".join(message.text() for message in part.messages)


@pytest.mark.parametrize("strategy", ["adaptive", "handoff"])
@pytest.mark.parametrize("ratio", [0.3, 0.4, 0.5])
@pytest.mark.parametrize("long", [False, True])
def test_nothing_stays_of_code_that_does_not_hold(strategy: str, ratio: float, *, long: bool) -> None:
    text = kept(ratio, strategy, long=long)
    assert "counted_" not in text
    assert "guessed_" not in text
    assert "found_" in text


@pytest.mark.parametrize("ratio", [0.5, 0.55, 0.6])
def test_how_what_holds_is_called_stays(ratio: float) -> None:
    assert '"""Return the tally of rows, summed."""' in kept(ratio, "adaptive")


def found(room: int, *records: dict[str, object], there: str = "-") -> str:
    told = Told(*records)
    code = WrittenCode(told.messages)
    taken = newest_texts(
        code,
        told.messages,
        told.lines,
        lambda line: len(told.lines.text(line)) // 4,
        lambda line: there in told.lines.text(line),
        room,
    )
    return "\n".join(map(told.lines.text, taken))


def test_first_comes_how_each_definition_is_called_then_the_whole_of_it() -> None:
    little, more = found(500, *chat()), found(1_000, *chat())
    for name in ("load", "tally", "gap_warnings"):
        assert f"def {name}(rows, limit):" in little
        assert f'"""Return the {name} of rows' in little
    assert "step_3" not in little
    assert "step_3 = found_3" in more
    assert "fill_gaps" not in more


def test_what_the_newest_request_names_comes_first() -> None:
    text = found(300, *chat()[:-1], user("Show how load reads its rows, and what all of it returns."))
    assert text.startswith("```python\ndef load")


def test_what_nothing_speaks_of_and_what_is_there_anyway_is_not_taken() -> None:
    records = [*chat()[:-1], user("Thanks. Good night.")]
    assert "def load" not in found(1_000, *records)
    assert "Return the gap_warnings" in found(1_000, *chat())
    assert "gap_warnings" not in found(1_000, *chat(), there="")


def test_tests_and_names_of_a_letter_or_two_are_no_code_that_is_called() -> None:
    code = block(function("test_tally", "checked"), function("r", "wrapped"))
    assert not found(1_000, user("Tests?"), assistant(code), user("test_tally passes, and r is fine. Next?"))
