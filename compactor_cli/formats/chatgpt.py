"""ChatGPT exports: `conversations.json`, a list of conversations whose `mapping` is a tree of nodes, or a single one.

The path to `current_node` is the conversation. Other branches are regenerated answers and edited prompts. A call is
an answer to a `recipient`; its result is a message of that tool, without ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from compactor_cli.formats.base import Around, Builder, Counter, Format, ListPath, Reading
from compactor_cli.formats.call_ids import CallIds
from compactor_cli.formats.trees import chains, path_from_root
from compactor_cli.formats.values import block_text, listed, uuid_text, word
from compactor_cli.model.injected import origin_of
from compactor_cli.model.message import Message, Origin, Part, Path, Place, Role, text_in
from compactor_cli.text.times import parse_time

_ROLES: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
_LEAF = "current_node"
_ALL = "all"
"""The recipient of a message that is not a call."""
_CONTENT: Path = ("message", "content")
_OWN_TEXT = {"code": "text", "execution_output": "text", "tether_quote": "text", "system_error": "text"}
_OWN_TEXT |= {"tether_browsing_display": "result", "sonic_webpage": "text", "reasoning_recap": "content"}
"""Kind of content -> the member that holds its text, for kinds that do not use `parts`."""
_INSTRUCTIONS = ("user_profile", "user_instructions")
"""Instructions that the user gave once for all conversations."""


class ChatGPT(Format):
    name = "chatgpt"
    title = "ChatGPT exports (conversations.json)"
    lists = (ListPath(("mapping",), by_id=True),)
    own_documents = True
    adjacent_results = False
    summary_roles = ("user", "assistant", "system")
    parent_path = ("parent",)
    children_path = ("children",)

    def recognize(self, value: Any) -> float:
        if not isinstance(value, dict) or not {"id", "message", "parent", "children"} <= value.keys():
            return 0.0
        message = value["message"]
        if message is None:
            return 1.0
        author = message.get("author") if isinstance(message, dict) else None
        return 1.0 if word(author, "role") and isinstance(message.get("content"), dict) else 0.0

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build, ids = Builder(counter), CallIds()
        nodes = {record for record, value in enumerate(values) if self.recognize(value)}
        by_id = {values[record]["id"]: record for record in nodes}
        parents = {record: _parent(values[record], by_id) for record in nodes}
        branch = path_from_root(parents, by_id.get(word(document, _LEAF)))
        caller: int | None = None
        for record in branch:
            caller = _read_node(build, values[record]["message"], record, ids, caller)
        session = word(document, "conversation_id") or word(document, "id")
        other_branches = {record for record in nodes - set(branch) if values[record]["message"] is not None}
        links = chains(parents, branch)
        return Reading(
            build.messages, links=links, outside=other_branches, session_id=session, branch=branch, branch_last=True
        )

    def new_record(self, message: Message, around: Around) -> Any:
        old, key, part = around.template.get("message") or {}, around.key, message.parts[0]
        record_id = uuid_text(key)
        return {
            "id": record_id,
            "message": {
                "id": record_id,
                "author": {"role": message.role, "name": part.name or None, "metadata": {}},
                "create_time": old.get("create_time"),
                "update_time": None,
                "content": {"content_type": "text", "parts": [part.text]},
                "status": "finished_successfully",
                "end_turn": True,
                "weight": 1.0,
                "metadata": {},
                "recipient": _ALL,
                "channel": None,
            },
            "parent": around.parent or None,
            "children": [],
        }


def _parent(value: dict[str, Any], by_id: dict[str, int]) -> tuple[str, str, int | None]:
    parent = word(value, "parent") if word(value, "parent") in by_id else ""
    return value["id"], parent, by_id.get(parent)


def _read_node(build: Builder, message: Any, record: int, ids: CallIds, caller: int | None) -> int | None:
    """Add the message of a node, if there is one. Return the index of the last call that may still get results."""
    role = _ROLES.get(word(message["author"], "role")) if isinstance(message, dict) else None
    if role is None:
        return caller
    parts = list(_parts(build, message["content"], record))
    if not any(part.text.strip() or part.images for part in parts):
        return caller  # an empty message: passed through
    name, time = word(message, "id"), parse_time(message.get("create_time"))
    text = text_in(parts)
    origin: Origin = "summary" if origin_of(text) == "summary" else "other"
    recipient, kind = word(message, "recipient") or _ALL, word(message["content"], "content_type")
    if role == "assistant" and recipient != _ALL and kind != "thoughts":
        place = parts[0].place if len(parts) == 1 else None
        call = build.part("tool_call", text, place, name=recipient, call_id=ids.call(None, recipient))
        return build.add(role, [call], (record,), id=name, timestamp=time)
    if role == "tool":
        tool = word(message["author"], "name")
        call_id = ids.response(None, tool)
        if not call_id.endswith("unknown"):
            place = parts[0].place if len(parts) == 1 else None
            images = sum(part.images for part in parts)
            result = build.part("tool_result", text, place, name=tool, call_id=call_id, images=images)
            build.add(role, [result], (record,), id=name, timestamp=time)
            return caller
        # another message of the tool: it stays or goes with the call
        if caller is not None:
            build.messages[caller] = replace(build.messages[caller], turn=caller)
        build.add("user", parts, (record,), id=name, timestamp=time, origin="injected", turn=caller)
        return caller
    if role == "user":
        stated_origin = origin_of(text)
        typed = kind != "user_editable_context"
        origin = "injected" if not typed else "request" if stated_origin == "other" else stated_origin
        build.add(role, parts, (record,), id=name, timestamp=time, origin=origin)
        return None
    build.add(role, parts, (record,), id=name, timestamp=time, origin=origin)
    return caller


def _parts(build: Builder, content: dict[str, Any], record: int) -> Iterator[Part]:
    kind = word(content, "content_type")
    if kind == "thoughts":
        for thought in listed(content.get("thoughts")):
            texts = (word(thought, "summary"), word(thought, "content"))
            yield build.part("thinking", "\n".join(filter(None, texts)))
    elif kind == "user_editable_context":
        instructions = [word(content, key) for key in _INSTRUCTIONS if word(content, key)]
        yield build.part("text", "\n".join(instructions))
    elif kind in _OWN_TEXT and isinstance(content.get(_OWN_TEXT[kind]), str):
        text = content[_OWN_TEXT[kind]]
        recap = kind == "reasoning_recap"
        place = None if recap else Place(record, (*_CONTENT, _OWN_TEXT[kind]))
        yield build.part("thinking" if recap else "text", text, place)
    elif isinstance(content.get("parts"), list):
        for index, part in enumerate(content["parts"]):
            yield _part(build, part, record, (*_CONTENT, "parts", index))
    else:
        yield build.part("other", block_text({key: value for key, value in content.items() if key != "content_type"}))


def _part(build: Builder, part: Any, record: int, path: Path) -> Part:
    if isinstance(part, str):
        return build.part("text", part, Place(record, path))
    if word(part, "content_type") == "image_asset_pointer":
        return build.image(Place(record, path))
    if word(part, "content_type") == "audio_transcription":
        return build.part("text", word(part, "text"), Place(record, (*path, "text")))
    return build.part("other", block_text(part))
