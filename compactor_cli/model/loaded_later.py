"""A mapping whose values are loaded on first access, so that a run pays only for those it uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Generic, TypeVar

_T = TypeVar("_T")


class LoadedLater(Mapping[str, _T], Generic[_T]):
    """Maps names to objects. Each object's class comes from a module of one package."""

    def __init__(self, package: str, classes: Mapping[str, str]) -> None:
        """`classes`: name -> `module.Class`, with the module relative to the package."""
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
