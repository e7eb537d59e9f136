"""Days, times and numbers are told apart by what they are, and one replaces another of its kind."""

from __future__ import annotations

import pytest

from compactor_cli.text.changed_values import values_by_kind


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("on Saturday at 10:30", {"day": {"saturday"}, "time": {"10:30"}}),
        ("am Donnerstag um 10 Uhr", {"day": {"donnerstag"}, "time": {"10uhr"}}),
        ("12 chairs in room 5 for £300", {"0 chairs": {"12"}, "room 0": {"5"}, "£0": {"£300"}}),
        ("목요일 오후 두 시", {"day": {"목요일"}, "시": {"두 시"}}),
        ("六月十六号", {"月": {"六月"}, "号": {"十六号"}}),
        ("in 2019 or to 7", {}),  # of nothing that is named
        ("the sundial is mondaine", {}),
    ],
)
def test_values_are_told_by_what_they_are(text: str, values: dict[str, set[str]]) -> None:
    assert values_by_kind(text) == values
