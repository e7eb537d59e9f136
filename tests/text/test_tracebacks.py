"""How an output ends in which code gave up."""

from __future__ import annotations

import pytest

from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.tracebacks import TRACEBACK_HEADER, cell_exception, final_exception, find_tracebacks

_LINE = "-" * 75
_CELL = f"""{_LINE}
NameError                                 Traceback (most recent call last)
Cell In[14], line 2
      1 tides = 3
----> 2 print(tide)

NameError: name 'tide' is not defined"""
_PROGRAM = """Traceback (most recent call last):
  File "tides.py", line 4, in <module>
    raise TideError("no harbour")
app.TideError: no harbour"""


@pytest.mark.parametrize(
    "said",
    [
        _CELL,
        f"tides.py:2: DeprecationWarning: old\n  a = 1\n{_CELL}",
        f"{_CELL}\nDid you mean tides?\n",
        f"{_CELL}\n[Jupyter current working directory: /tides]",
        _CELL.replace("Cell In[14], line 2", "<ipython-input-14-0123> in <module>"),
        f"{_CELL.replace('NameError', 'KeyError')}\n{_CELL}",
    ],
)
def test_what_a_cell_raised_is_the_line_at_the_end_of_its_trace(said: str) -> None:
    raised = "NameError: name 'tide' is not defined"
    assert cell_exception(said) == raised
    assert result_errors(said, True)[-1] == raised
    told = (*result_errors(said, True), *result_errors(said, None))
    assert not [line for line in told if line.startswith("NameError ")], "what stands over the trace says nothing"


def test_what_a_cell_raised_without_a_word_is_its_name() -> None:
    assert cell_exception(_CELL.replace("NameError: name 'tide' is not defined", "NameError")) == "NameError"


@pytest.mark.parametrize(
    "said",
    [
        _PROGRAM,
        "no trace at all",
        _CELL.rpartition("\n")[0],
        _CELL.replace("Cell In[14], line 2", "and so on"),
        _CELL.replace("NameError  ", "NameError "[:9] + " and "),
        f"{_CELL}\n" + "The harbour opened at eight.\n" * 100,
    ],
)
def test_other_outputs_do_not_end_in_what_a_cell_raised(said: str) -> None:
    assert cell_exception(said) == ""


@pytest.mark.parametrize("said", [_PROGRAM, f"3 tides\n{_PROGRAM}\n\n[exit code of the cell: unknown]\n"])
def test_what_a_program_raised_is_the_last_line(said: str) -> None:
    assert final_exception(said) == "app.TideError: no harbour"


@pytest.mark.parametrize(
    "said",
    [
        f"{_PROGRAM}\nGoing on without a harbour.",
        _PROGRAM.rpartition("\n")[0],
        _PROGRAM.replace("app.TideError: no harbour", "and the ship sank"),
        "Traceback (most recent call last): is what Python writes",
    ],
)
def test_other_outputs_do_not_end_in_what_a_program_raised(said: str) -> None:
    assert final_exception(said) == ""


@pytest.mark.parametrize(
    "said",
    [
        "".join(f"{' ' * depth}{TRACEBACK_HEADER}:\n" for depth in range(2_000)),
        "".join(f"{' ' * depth}{TRACEBACK_HEADER}:\n" for depth in range(2_000, 0, -1)),
        f"  {TRACEBACK_HEADER}:\n    tides = 3\n" * 20_000,
        f"{TRACEBACK_HEADER}:\n" + "  tides = 3\n" * 50_000 + f"{TRACEBACK_HEADER}:\n",
    ],
    ids=("deeper", "back", "one after the other", "long"),
)
def test_headers_without_an_end_are_no_traces_and_cost_no_time(said: str) -> None:
    assert find_tracebacks(said) == []
    assert final_exception(f"{said}\n{_PROGRAM}") == "app.TideError: no harbour"


def test_a_trace_inside_of_another_is_a_part_of_it() -> None:
    inside = "\n".join(f"    {line}" for line in _PROGRAM.split("\n"))
    said = f"1 tide\n{TRACEBACK_HEADER}:\n{inside}\n  and more\n\nHarbourError: all is lost\n{inside}"
    told = [(trace.indent, trace.exception, trace.first, trace.last) for trace in find_tracebacks(said)]
    assert told == [("", "HarbourError: all is lost", 1, 8), ("    ", "app.TideError: no harbour", 9, 12)]
