"""What the Converse API refuses in the messages of a request, written from its documentation and its errors."""

from __future__ import annotations


def check_messages(messages):
    """The user begins, roles alternate, each block is one thing, and results answer the calls of the message before."""
    waiting: set[str] = set()
    for index, message in enumerate(messages):
        assert message["role"] == ("assistant" if index % 2 else "user"), f"message {index} has the wrong role"
        assert message["content"], f"message {index} is empty"
        results = [block["toolResult"] for block in message["content"] if "toolResult" in block]
        answered = [result["toolUseId"] for result in results]
        assert sorted(answered) == sorted(waiting), f"message {index} answers {answered}, not {sorted(waiting)}"
        for result in results:
            assert result["content"] or result.get("status") != "error"
        waiting = {block["toolUse"]["toolUseId"] for block in message["content"] if "toolUse" in block}
        for block in message["content"]:
            assert len(block) == 1
            assert block.get("text", "full").strip()
            assert isinstance(block.get("toolUse", {"input": {}})["input"], dict)
