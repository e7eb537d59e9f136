"""How values are written."""

from __future__ import annotations

import pytest

from compactor_cli.text.quantities import value_forms


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("The fair is at the Green, 11:00 to 18:00.", {"0:0"}),
        ("£1,150 of the grant, 3.5% of 20%", {"£0,0", "0.0%", "0%"}),
        ("from 2026-03-04 on, not 04.03.", {"0-0-0", "0.0"}),
        ("On 14 June, 2 of 30 gates", set()),
        ("v1.2.3 of file1.py, src/a-12.py:83, gate7", set()),
        ("on the 14th, a tent of 6x9", set()),
        ("(12:15)", {"0:0"}),
        ("See src/gate.py:83:12 and a.b:5", set()),
        ("", set()),
    ],
)
def test_forms_tell_times_dates_amounts_and_shares_apart(text: str, forms: set[str]) -> None:
    assert value_forms(text) == forms
