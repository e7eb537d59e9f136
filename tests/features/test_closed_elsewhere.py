"""Pull requests that are closed, and those of other repositories with the same number."""

from __future__ import annotations

import pytest

from tests.features.working import Session

MADE = 'gh pr create "Fix tap" → https://github.com/acme/app/pull/7'
SAYS = "✓ Closed pull request {}#7 (Fix tap)"


def closed(command: str, said: str = "") -> list[str]:
    session = Session().runs('gh pr create --title "Fix tap" --body x', "https://github.com/acme/app/pull/7")
    return session.runs(command, said).texts()


@pytest.mark.parametrize(
    ("command", "said", "told"),
    [
        ("gh pr close 7 -R other/app", "", "gh pr close 7 -R other/app"),
        ("gh pr close --repo other/app 7", "", "gh pr close 7 -R other/app"),
        ("gh pr close https://github.com/other/app/pull/7", "", "gh pr close https://github.com/other/app/pull/7"),
        ("cd /srv/other && gh pr close 7", SAYS.format("other/app"), "gh pr close 7"),
        ("gh pr close 7 -R myacme/app", "", "gh pr close 7 -R myacme/app"),
    ],
)
def test_one_of_another_repository_is_another_one(command: str, said: str, told: str) -> None:
    assert closed(command, said) == [told, MADE]


@pytest.mark.parametrize("command", ["gh pr checks 7", "gh pr view 7", "gh pr comment 7 --body x", "gh issue close 7"])
def test_only_what_closes_a_pull_request_closes_it(command: str) -> None:
    assert MADE in closed(command)
