"""What has a name and is loaded when it is asked for: what the others need costs a run nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Generic, TypeVar

_T = TypeVar("_T")


class LoadedLater(Mapping[str, _T], Generic[_T]):
    """Name -> an object of a class in one of the modules of a package."""

    def __init__(self, package: str, classes: Mapping[str, str]) -> None:
        """Take the class of each name, behind its module in the package: `module.Class`."""
        self._package = package
        self._classes = classes
        self._loaded: dict[str, _T] = {}

    def __getitem__(self, name: str) -> _T:
        if name not in self._loaded:
            module, _, of_class = self._classes[name].rpartition(".")
            self._loaded[name] = getattr(import_module(f"{self._package}.{module}"), of_class)()
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._classes

    def __iter__(self) -> Iterator[str]:
        return iter(self._classes)

    def __len__(self) -> int:
        return len(self._classes)
