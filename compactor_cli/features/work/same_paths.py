"""Paths that name the same file: one given from the root, the other from some folder."""

from __future__ import annotations

from collections.abc import Iterable


class KnownPaths:
    """The names under which files are known, the first one of each."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._by_name: dict[str, dict[str, None]] = {}
        for path in paths:
            self.add(path)

    def add(self, path: str) -> None:
        """Take note that a file is known by this name."""
        self._by_name.setdefault(path.rsplit("/", 1)[-1], {})[path] = None

    def discard(self, path: str) -> None:
        """Forget a name."""
        self._by_name.get(path.rsplit("/", 1)[-1], {}).pop(path, None)

    def named(self, name: str) -> Iterable[str]:
        """Return the known paths that end with a name."""
        return self._by_name.get(name, ())

    def find(self, path: str) -> str:
        """Return the name under which a file is known, or `path` where no other name, or more than one, fits."""
        near = self.named(path.rsplit("/", 1)[-1])
        if path in near:
            return path
        same = [
            known
            for known in near
            if known.startswith("/") != path.startswith("/")
            and (f"/{known}".endswith(f"/{path}") or f"/{path}".endswith(f"/{known}"))
        ]
        return same[0] if len(same) == 1 else path

    def known(self, path: str) -> str:
        """Return the name under which a file is known; one that is not is known by this name from now on."""
        found = self.find(path)
        self.add(found)
        return found
