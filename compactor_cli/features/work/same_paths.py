"""Recognize paths of the same file: an absolute path or one from the home folder, and a relative one."""

from __future__ import annotations

from collections.abc import Iterable

from compactor_cli.features.work.folders import is_inside, with_home_as_tilde
from compactor_cli.text.paths import basename, is_rooted


class KnownPaths:
    """The first known name of each file. `min_parts`: minimum number of parts that a shorter path must have to match
    a longer one. `main_folder`: the session's working directory, if known; shorter paths then do not match anything
    else in a home folder, or anything in one if the session works elsewhere."""

    def __init__(self, paths: Iterable[str] = (), *, min_parts: int = 1, main_folder: str = "") -> None:
        self._min_parts = min_parts
        self._main_folder = main_folder
        self._by_name: dict[str, dict[str, None]] = {}
        self._absolute_paths: dict[str, str] = {}
        """Relative name -> the absolute one that it turned out to be."""
        for path in paths:
            self.add(path)

    def add(self, path: str) -> None:
        """Record that a file is known by this name."""
        self._by_name.setdefault(basename(path), {})[path] = None

    def discard(self, path: str) -> None:
        """Remove a name."""
        self._by_name.get(basename(path), {}).pop(path, None)

    def paths_named(self, name: str) -> Iterable[str]:
        """Return the known paths whose last part is this name."""
        return self._by_name.get(name, ())

    def find(self, path: str) -> str:
        """Return the name under which a file is known, or `path` if no other name fits, or several do."""
        candidates = self.paths_named(basename(path))
        if path in candidates:
            return path
        matches = [known for known in candidates if self._is_same(known, path)]
        if len(matches) != 1:
            return path
        short, long = sorted((matches[0], path), key=len)
        self._absolute_paths[short] = long
        return matches[0]

    def _is_same(self, known_path: str, path: str) -> bool:
        if is_rooted(known_path) and is_rooted(path):
            is_from_home = known_path.startswith("~") is not path.startswith("~")
            return is_from_home and with_home_as_tilde(known_path) == with_home_as_tilde(path)
        if not is_rooted(known_path) and not is_rooted(path):
            return False
        short, long = sorted((known_path, path), key=len)
        if long.startswith("~") and not (self._main_folder and is_inside(long, self._main_folder)):
            return False
        is_suffix = short.count("/") + 1 >= self._min_parts and f"/{long}".endswith(f"/{short}")
        return is_suffix and self._absolute_paths.get(short, long) == long

    def known(self, path: str) -> str:
        """Return the name under which a file is known; a new file is recorded under this name."""
        known_path = self.find(path)
        self.add(known_path)
        return known_path
