"""Paths that name the same file: one given from a root, or from the folder of a user, the other from some folder."""

from __future__ import annotations

from collections.abc import Iterable

from compactor_cli.features.work.folders import from_user, lies_in, of_user
from compactor_cli.text.paths import basename, is_rooted


class KnownPaths:
    """The names under which files are known, the first one of each. `parts`: how many parts the shorter name must have
    for being that of a longer one. `home`: the folder that the session works in, where it is known: shorter names are
    of nothing else that a user has, and of nothing that one has where it is not."""

    def __init__(self, paths: Iterable[str] = (), *, parts: int = 1, home: str = "") -> None:
        self._least = parts
        self._home = home
        self._user = of_user(home)
        """The folder that `~` was found to be: it is of no other user."""
        self._by_name: dict[str, dict[str, None]] = {}
        self._stands_for: dict[str, str] = {}
        """Name from a folder -> the one from the root that it was found to be."""
        for path in paths:
            self.add(path)

    def add(self, path: str) -> None:
        """Take note that a file is known by this name."""
        self._by_name.setdefault(basename(path), {})[path] = None

    def discard(self, path: str) -> None:
        """Forget a name."""
        self._by_name.get(basename(path), {}).pop(path, None)

    def named(self, name: str) -> Iterable[str]:
        """Return the known paths that end with a name."""
        return self._by_name.get(name, ())

    def find(self, path: str) -> str:
        """Return the name under which a file is known, or `path` where no other name, or more than one, fits."""
        near = self.named(basename(path))
        if path in near:
            return path
        same = [known for known in near if self._is_same(known, path)]
        if len(same) != 1:
            return path
        if is_rooted(path) and is_rooted(same[0]):
            self._user = of_user(path) or of_user(same[0])
        short, long = sorted((same[0], path), key=len)
        self._stands_for[short] = long
        return same[0]

    def _is_same(self, known: str, path: str) -> bool:
        if is_rooted(known) and is_rooted(path):
            user = of_user(known) or of_user(path)
            one = known.startswith("~") is not path.startswith("~") and from_user(known) == from_user(path)
            return one and self._user in ("", user)
        if not is_rooted(known) and not is_rooted(path):
            return False
        short, long = sorted((known, path), key=len)
        if long.startswith("~") and not (self._home and lies_in(long, self._home)):
            return False
        fits = short.count("/") + 1 >= self._least and f"/{long}".endswith(f"/{short}")
        return fits and self._stands_for.get(short, long) == long

    def known(self, path: str) -> str:
        """Return the name under which a file is known; one that is not is known by this name from now on."""
        found = self.find(path)
        self.add(found)
        return found
