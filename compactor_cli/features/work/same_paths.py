"""Recognize paths of the same file: an absolute path or one from the home folder, and a relative one."""

from __future__ import annotations

from collections.abc import Iterable

from compactor_cli.features.work.folders import from_user, lies_in, of_user
from compactor_cli.text.paths import basename, is_rooted


class KnownPaths:
    """The first known name of each file. `parts`: minimum number of parts that a shorter path must have to match a
    longer one. `home`: the session's working directory, if known; shorter paths then do not match anything else in a
    home folder, or anything in one if the session works elsewhere."""

    def __init__(self, paths: Iterable[str] = (), *, parts: int = 1, home: str = "") -> None:
        self._least = parts
        self._home = home
        self._user = of_user(home)
        """The home folder that `~` turned out to be; no other home folder matches it."""
        self._by_name: dict[str, dict[str, None]] = {}
        self._stands_for: dict[str, str] = {}
        """Relative name -> the absolute one that it turned out to be."""
        for path in paths:
            self.add(path)

    def add(self, path: str) -> None:
        """Record that a file is known by this name."""
        self._by_name.setdefault(basename(path), {})[path] = None

    def discard(self, path: str) -> None:
        """Remove a name."""
        self._by_name.get(basename(path), {}).pop(path, None)

    def named(self, name: str) -> Iterable[str]:
        """Return the known paths whose last part is this name."""
        return self._by_name.get(name, ())

    def find(self, path: str) -> str:
        """Return the name under which a file is known, or `path` if no other name fits, or several do."""
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
        """Return the name under which a file is known; a new file is recorded under this name."""
        found = self.find(path)
        self.add(found)
        return found
