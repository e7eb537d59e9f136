"""Records that form a tree: the path from the leaf to the root is the context, and the rest are other branches."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from compactor_cli.model.transcript import Link


def path_from_root(parents: Mapping[int, tuple[str, str, int | None]], leaf: int | None = None) -> list[int]:
    """Return the records from the root to the leaf, which is the last record unless another is named.

    `parents`: record -> its id, the parent id that it names, and the parent's record.
    """
    record: int | None = max(parents, default=None) if leaf is None else leaf
    path: list[int] = []
    seen: set[int] = set()
    while record is not None and record not in seen:
        path.append(record)
        seen.add(record)
        record = parents[record][2]
    return path[::-1]


def chains(parents: Mapping[int, tuple[str, str, int | None]], path: Collection[int]) -> list[Link | None]:
    """Return the links of all records. The records on the path form one chain, and each other branch its own, so
    that closing a gap never joins two of them."""
    main = set(path)
    names: dict[int, str] = {}
    links: list[Link | None] = [None] * (max(parents, default=-1) + 1)
    for record, (record_id, parent, parent_record) in parents.items():
        inherited = names.get(parent_record) if parent_record is not None and parent_record not in main else None
        names[record] = "" if record in main else inherited or f"branch {record_id or record}"
        if record_id:
            links[record] = Link(record_id, parent, names[record])
    return links


def replacements_on_path(links: Sequence[Link | None], path: Collection[int]) -> dict[int, int]:
    """Return record -> replacement for records off the path with the same id as one on it, which counts instead."""
    on_path = set(path)
    by_id = {link.id: record for record in on_path if record < len(links) and (link := links[record])}
    return {n: by_id[link.id] for n, link in enumerate(links) if link and n not in on_path and link.id in by_id}


def in_appended_order(path: Sequence[int], count: int, *, path_last: bool = False) -> list[int]:
    """Return the records in an order in which those on a path to the root appear as agents append them, each after its
    parent. `path_last`: after all records that are not on the path.

    Other records among them come first: a later copy of one of them would replace it.
    """
    start, end = min(path), count if path_last else max(path) + 1
    on_path = set(path)
    return [
        *range(start),
        *(record for record in range(start, end) if record not in on_path),
        *path,
        *range(end, count),
    ]
