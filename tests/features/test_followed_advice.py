"""What failed is got round where the error said how, and the next call of the family of tools did that."""

from __future__ import annotations

import pytest

from tests.features.working import Session

OUTDATED = '{"error": {"status": 422, "message": "Comment 990321 is outdated. Post a new comment."}}'
REPLY = ("review_reply", {"comment": 990321, "body": "Lua and take() still divide by rate."})
COMMENT = ("review_comment", {"pr": 2318, "body": "bucket.lua:17 divides by rate, take() likewise."})
SHIPPED = '{"error": "Order A1234 has shipped. Please create a return."}'
CANCEL = ("order_cancel", {"order_id": "A1234"})


def opened(failed, error, *later):
    """Whether the state still tells a failure behind later calls, each with its result where that is no success."""
    session = Session().calls(failed[0], error, **failed[1])
    assert session.texts()
    for tool, arguments, *said in later:
        session.answers("Then in another way.").calls(tool, *(said or ['{"id": 991130}']), **arguments)
    return any(line.startswith(("open error", "failed")) for line in session.texts())


@pytest.mark.parametrize(
    ("failed", "error", "later"),
    [
        (REPLY, OUTDATED, [COMMENT]),
        (REPLY, OUTDATED, [("pr_files", {"pr": 2318}, "a.go"), COMMENT]),
        (CANCEL, SHIPPED, [("order_return", {"order_id": "A1234"})]),
        (
            ("ship_label", {"order": "A1234", "size": "XXL"}),
            '{"error": "Unknown size. Use carton instead."}',
            [("ship_label", {"order": "A1234", "carton": "K4"})],
        ),
    ],
)
def test_what_was_done_as_the_error_says_is_open_no_more(failed, error, later):
    assert not opened(failed, error, *later)


@pytest.mark.parametrize(
    ("failed", "error", "later"),
    [
        (REPLY, OUTDATED, []),
        (REPLY, OUTDATED, [("review_submit", {"pr": 2318, "body": "Lua and take() still divide by rate."})]),  # other
        (REPLY, OUTDATED, [("review_submit", {"pr": 1}), COMMENT]),  # the next call did something else
        (REPLY, OUTDATED, [("review_comment", {"pr": 2318, "body": "Please mend the typo in README."})]),
        (REPLY, OUTDATED, [(*COMMENT, '{"error": "No such line."}')]),
        (REPLY, OUTDATED, [("ticket_comment", COMMENT[1])]),  # another family
        (REPLY, '{"error": "Comment 990321 is outdated."}', [COMMENT]),  # no advice
        (REPLY, '{"error": "Cannot post a comment on an outdated line."}', [COMMENT]),
        (CANCEL, SHIPPED, [("order_return", {"order_id": "B5678"})]),  # another thing
        (CANCEL, SHIPPED, [("order_update", {"order_id": "A1234", "note": "return"})]),
        (
            ("ship_label", {"order": "A1234", "size": "XXL"}),
            '{"error": "Unknown size. Use carton instead."}',
            [("ship_label", {"order": "B5678", "carton": "K4"})],
        ),
    ],
)
def test_what_was_not_is_still_open(failed, error, later):
    assert opened(failed, error, *later)


def test_calls_of_the_same_message_know_nothing_of_the_error():
    session = Session().calls(REPLY[0], OUTDATED, **REPLY[1]).calls(COMMENT[0], '{"id": 991130}', **COMMENT[1])
    first, failed, second, done = session.records[1:]
    first["tool_calls"] += second["tool_calls"]
    session.records[1:] = [first, failed, done]
    assert any(line.startswith(("open error", "failed")) for line in session.texts())
