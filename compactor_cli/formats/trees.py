"""Records that form a tree: the way from the leaf to the root is the context, the rest are other branches."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from compactor_cli.model.transcript import Link


def way_to_root(parents: Mapping[int, tuple[str, str, int | None]], leaf: int | None = None) -> list[int]:
    """Records from the root to the leaf, the last one unless another is named.

    `parents`: record -> its id, the id that it names as its parent, and the record that has it.
    """
    at: int | None = max(parents, default=None) if leaf is None else leaf
    way: list[int] = []
    seen: set[int] = set()
    while at is not None and at not in seen:
        way.append(at)
        seen.add(at)
        at = parents[at][2]
    return way[::-1]


def chains(parents: Mapping[int, tuple[str, str, int | None]], way: Collection[int]) -> list[Link | None]:
    """Links of all records: those on the way are one chain, and each other branch is a chain of its own, so that no
    gap is closed over from one into another."""
    main = set(way)
    names: dict[int, str] = {}
    links: list[Link | None] = [None] * (max(parents, default=-1) + 1)
    for record, (own, parent, at) in parents.items():
        inherited = names.get(at) if at is not None and at not in main else None
        names[record] = "" if record in main else inherited or f"branch {own or record}"
        if own:
            links[record] = Link(own, parent, names[record])
    return links


def parents_first(links: Sequence[Link | None]) -> list[int] | None:
    """Records in an order in which each of the context's chain stands behind its parent: as agents append them. None
    where that is the order that they have."""
    chain = [at for at, link in enumerate(links) if link and not link.chain]
    by_id = {link.id: at for at in chain if (link := links[at])}
    parent = {at: by_id[link.parent] for at in chain if (link := links[at]) and link.parent in by_id}
    if all(above < at for at, above in parent.items()):
        return None
    depth: dict[int, int] = {}
    for at in chain:
        way: dict[int, None] = {}
        above: int | None = at
        while above is not None and above not in depth and above not in way:
            way[above] = None
            above = parent.get(above)
        start = depth.get(above, 0) if above is not None else 0
        depth |= {record: start + up for up, record in enumerate(reversed(way), 1)}
    order = list(range(len(links)))
    for place, at in zip(chain, sorted(chain, key=lambda at: depth[at]), strict=True):
        order[place] = at
    return order
