"""What a compaction itself writes of calls and results tells no value of a secret; people's words and whole messages
keep theirs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compactor_cli.features.call_lines import call_label
from compactor_cli.features.work.masked_calls import CallMasker, concerns_code, mask_call_text
from compactor_cli.summaries.sections import code_items, fact_items
from compactor_cli.summaries.session_end import newest_calls
from tests.builders import compact, jsonl
from tests.features.working import FAILS, Session

USER, KEY, SAID, ASKED = "Zq7wKx9TvB2m", "Yp4mLs8RcD3n", "Wk5tHv6QzN1j", "Vn3xPq8LdT5s"
VALUES = (USER, KEY, SAID)
COMMAND = f"curl -X POST -u bob:{USER} https://x.org/a%d -H 'X-Api-Key: {KEY}'"


def refused(calls: int = 14) -> Session:
    """A session of calls with secrets, each refused with the words of one of them."""
    session = Session(f"Deploy it, please. It must be done with password={ASKED}.")
    for number in range(calls):
        said = f"{FAILS}Error: password={SAID} refused for {USER}\n" + "line of log text\n" * 60
        session.runs(COMMAND % number, said)
        session.answers(f"The call {number} was refused; I look at the log and try again. " * 6)
    return session


def compacted(strategy: str, ratio: float) -> list[dict[str, Any]]:
    output = compact(jsonl(*refused().records), strategy=strategy, target_ratio=ratio).data
    return [json.loads(line) for line in output.splitlines()]


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "handoff", "tiered", "hybrid"])
@pytest.mark.parametrize("ratio", [0.1, 0.3])
def test_what_is_written_of_calls_tells_no_secret(strategy: str, ratio: float) -> None:
    records = compacted(strategy, ratio)
    written = [record["content"] for record in records if record["role"] == "user"]
    assert any("curl" in text or "refused" in text for text in written)
    assert not [text for text in written if any(value in text for value in VALUES)]


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "tiered"])
def test_people_and_whole_messages_keep_their_words(strategy: str) -> None:
    records = compacted(strategy, 0.3)
    assert any(ASKED in record["content"] for record in records if record["role"] == "user")
    calls = [record["tool_calls"][0]["function"]["arguments"] for record in records if record.get("tool_calls")]
    results = [record["content"] for record in records if record["role"] == "tool"]
    assert calls
    assert all(USER in call and KEY in call for call in calls)
    assert any(SAID in text for text in results)


def test_lines_of_facts_newest_calls_and_labels_tell_no_secret() -> None:
    messages = refused(2).messages
    lines = [item.line for item in (*fact_items(messages), *newest_calls(messages))]
    assert any("curl -X POST -u bob:… https://x.org/a1" in line for line in lines)
    assert "- `Error: password=… refused for …` (2x) [#2, #5]" in lines
    lines += [call_label(part) for message in messages for part in message.calls]
    assert not [line for line in lines if any(value in line for value in VALUES)]


def test_code_that_a_call_wrote_is_shown_without_its_secrets() -> None:
    session = Session().calls(
        "Edit", "updated", file_path="a.py", old_string="x = 1", new_string=f'API_KEY = "{KEY}"\nTOKEN = read_token()'
    )
    shown = [item.code for item in code_items(session.messages)]
    assert any('API_KEY = "…"' in code and "TOKEN = read_token()" in code for code in shown)


def test_what_a_call_has_under_a_name_that_is_none_of_a_secret_stays() -> None:
    session = Session()
    for at in range(3):
        session.runs(
            f"tool run --max-tokens 4096 --public-key k{at}234567 --sort-key id", FAILS + "Error: tokens: 4096"
        )
    lines = [item.line for item in (*fact_items(session.messages), *newest_calls(session.messages))]
    assert sum("--max-tokens 4096 --public-key k2234567 --sort-key id" in line for line in lines) == 2
    assert any("Error: tokens: 4096" in line for line in lines)


CODE = """class Reader:
    TOKEN_KEY = 'access_token_v2'
    eos_token = "</s>"

    def client(self):
        self.password = password1
        return Client(api_key=self._api_key, token=user.auth_token)
"""


@pytest.mark.parametrize("line", CODE.splitlines())
def test_code_that_names_secrets_is_shown_as_it_is(line: str) -> None:
    """Cut, it would say something else."""
    session = Session().calls("Edit", "updated", file_path="a.py", old_string="x = 1", new_string=CODE)
    assert any(line in item.code for item in code_items(session.messages))
    told = CallMasker(session.messages)
    call = next(part for message in session.messages for part in message.calls)
    assert mask_call_text(call, line) == line
    assert told.mask(line, 1, code=True) == line


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("grep -n token src/old.py", True),
        ("git diff", True),
        ("cat src/a.py", True),
        ("cat .env", False),
        ("env", False),
    ],
)
def test_what_a_command_shows_of_files_is_code(command: str, *, code: bool) -> None:
    (message,) = [message for message in Session().runs(command, "x").messages if message.calls]
    assert concerns_code(message.calls[0]) == code
    assert (mask_call_text(message.calls[0], "password = hunter22x") == "password = hunter22x") == code


def test_names_and_paths_that_a_secret_has_too_are_told_elsewhere() -> None:
    session = Session("Get the database up.")
    session.runs(
        "PGPASSWORD=postgres psql -U postgres -f db/postgres.sql", f'{FAILS}psql: role "postgres" does not exist'
    )
    session.runs(
        "API_TOKEN=tests/fixtures/token.json pytest tests/fixtures", f"{FAILS}FAILED tests/fixtures/test_a.py::test_b"
    )
    lines = "\n".join([*session.texts(), *(item.line for item in fact_items(session.messages))])
    assert "PGPASSWORD=… psql -U postgres -f db/postgres.sql" in lines
    assert 'role "postgres" does not exist' in lines
    assert "tests/fixtures/test_a.py::test_b" in lines
