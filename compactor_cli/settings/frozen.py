"""Frozen dataclasses that share one set of methods, because generating methods for each class is slow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, fields
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

__all__ = ["FrozenValues", "frozen"]

T = TypeVar("T")


class FrozenValues:
    """The methods of frozen dataclasses, shared by all of them."""

    __slots__ = ()

    def __init__(self, **given: Any) -> None:
        for known in fields(self):  # type: ignore[arg-type]  # of the classes below
            made = known.default if known.default_factory is MISSING else known.default_factory()
            value = given.pop(known.name, made)
            if value is MISSING:
                raise TypeError(f"{type(self).__name__}.__init__() missing a keyword argument: {known.name!r}")
            object.__setattr__(self, known.name, value)
        for name in given:
            raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument {name!r}")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __reduce__(self) -> tuple[Callable[..., FrozenValues], tuple[type[FrozenValues], dict[str, Any]]]:
        return _made, (type(self), _all_of(self))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _all_of(self) == _all_of(other)

    def __hash__(self) -> int:
        return hash(tuple(_all_of(self).values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in _all_of(self).items())})"


def _all_of(values: Any) -> dict[str, Any]:
    return {field.name: getattr(values, field.name) for field in fields(values)}


def _made(kind: type[FrozenValues], values: dict[str, Any]) -> FrozenValues:
    return kind(**values)


if TYPE_CHECKING:
    from dataclasses import dataclass as frozen
else:

    def frozen(**_: bool) -> Callable[[type[T]], type[T]]:
        return dataclass(slots=True, kw_only=True, init=False, eq=False, repr=False)
