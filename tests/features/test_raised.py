"""Code that raised something: a call failed that ran it, not one that showed what it had put out."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.endings import has_failed
from compactor_cli.features.work.state import known_state
from tests.features.working import Session

_CELL = f"""{"-" * 75}
KeyError                                 Traceback (most recent call last)
Cell In[4], line 1
----> 1 tides['harbor']

KeyError: 'harbor'"""
_PROGRAM = "3 tides\nTraceback (most recent call last):\n  File \"<cell>\", line 1, in <module>\nKeyError: 'harbor'"


@pytest.mark.parametrize("said", [_CELL, f"3 tides\n{_CELL}", _PROGRAM])
@pytest.mark.parametrize("tool", ["execute_python", "run_cell", "tides"])
def test_a_call_whose_code_raised_something_failed(tool: str, said: str) -> None:
    session = Session().calls(tool, said, code="tides['harbor']")
    assert session.texts() == [f"open error: KeyError: 'harbor' (code of {tool})"]
    session.calls(tool, "3.2", code="tides['harbour']")
    assert session.texts() == []
    assert known_state(session.messages).resolved == {2}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("run_notebook", {"path": "tides.ipynb"}),
        ("execute_cell", {"id": "4"}),
        ("python_repl", {"query": "tide"}),
        ("code_interpreter", {"text": "tide"}),
        ("tides", {"input": "import tides\ntides"}),
        ("tides", {"source": "import tides"}),
    ],
)
def test_code_is_run_by_what_is_called_so_or_is_given_some(tool: str, arguments: dict[str, str]) -> None:
    assert len(Session().calls(tool, _PROGRAM, **arguments).texts("error")) == 1


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_file", {"path": "tides.log"}),
        ("search_logs", {"query": "tides"}),
        ("get_cell_output", {"cell": "4"}),
        ("container_logs", {"code": "4"}),
        ("tides", {"of": "harbour"}),
        ("expected_output", {"test": "test_tides"}),
        ("code_context", {"path": "tides.py"}),
        ("source_code", {"source": "tides.py"}),
        ("code_snippet", {"code": "tides()"}),
        ("ci_run", {"run": "4"}),
        ("workflow_run_details", {"run": "4"}),
        ("run_report", {"script": "tides()"}),
        ("run_info", {"of": "harbour"}),
        ("exec_summary", {"of": "harbour"}),
        ("kernel_info", {"code": "tides()"}),
        ("eval_dataset_row", {"row": "4"}),
        ("notebook_content", {"cell": "tides = 3"}),
        ("error_of", {"code": "E4"}),
        ("event", {"input": "tides = 4"}),
    ],
)
def test_a_call_that_shows_what_was_raised_did_not_fail(tool: str, arguments: dict[str, str]) -> None:
    assert Session().calls(tool, _PROGRAM, **arguments).texts("error") == []


def test_the_result_of_a_cell_says_by_itself_that_it_failed() -> None:
    (failed,) = Session().calls("tides", f"3 tides\n{_CELL}").messages[-1].results
    (shown,) = Session().calls("tides", _PROGRAM).messages[-1].results
    assert has_failed(failed)
    assert not has_failed(shown)
