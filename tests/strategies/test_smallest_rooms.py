"""Rooms that what stays for being the newest would fill: the request comes first."""

from __future__ import annotations

import pytest

from tests.pipeline.sessions import Json, assistant, compact, result, user

ASKED = "Write the greeting into hello.txt, in lower case. " + "It has to end with a line break, as all files do. " * 8


def session() -> list[Json]:
    records = [user("Look at the parts, one by one.")]
    for n in range(6):
        records += [assistant(f"I look at part {n}.", f"c{n}"), result(f"c{n}", f"part {n} is in order\n" * 20)]
    records += [user(ASKED), assistant("I write it.", "w1"), result("w1", "done")]
    return [*records, assistant(f"It is written, as {'you asked for it, ' * 12}I think.")]


@pytest.mark.parametrize("more", [10, 30])
def test_the_last_request_is_whole_where_it_fits_and_the_newest_exchange_does_not(more: int) -> None:
    before = compact(session(), target_tokens=100_000).messages
    size = next(message.tokens for message in before if message.text().strip() == ASKED.strip())
    part = compact(session(), strategy="adaptive", target_tokens=size + more)
    assert ASKED.strip() in [message.text().strip() for message in part.messages]
    assert sum(message.tokens for message in part.messages) <= size + more


@pytest.mark.parametrize("more", [20, 26])
def test_what_a_ratio_refers_to_takes_no_room_from_the_state(more: int) -> None:
    """Without the state, the work would be done again."""
    content = "hello, all of you\n" * 60
    records = [user(ASKED), assistant(None, ("w1", "Write", {"file_path": "/app/hello.txt", "content": content}))]
    records.append(result("w1", "File created successfully at: /app/hello.txt"))
    for n in range(8):
        said = f"I look at line {n} of all the lines that there are in this file, from the first to the last. " * 4
        records += [assistant(said, f"c{n}"), result(f"c{n}", f"line {n} is in order\n" * 20)]
    before = compact(records, target_tokens=100_000).messages
    whole, asked = sum(message.tokens for message in before), before[0].tokens
    part = compact(records, strategy="adaptive", target_ratio=(asked + more) / whole)
    assert "hello.txt" in part.messages[-1].text()
    assert part.messages[0].text().strip() == ASKED.strip()
    assert sum(message.tokens for message in part.messages) <= asked + more
