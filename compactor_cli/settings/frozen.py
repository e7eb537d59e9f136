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

    def __init__(self, **values: Any) -> None:
        for field in fields(self):  # type: ignore[arg-type]  # of the classes below
            default = field.default if field.default_factory is MISSING else field.default_factory()
            value = values.pop(field.name, default)
            if value is MISSING:
                raise TypeError(f"{type(self).__name__}.__init__() missing a keyword argument: {field.name!r}")
            object.__setattr__(self, field.name, value)
        for name in values:
            raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument {name!r}")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __reduce__(self) -> tuple[Callable[..., FrozenValues], tuple[type[FrozenValues], dict[str, Any]]]:
        return _rebuild, (type(self), _field_values(self))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _field_values(self) == _field_values(other)

    def __hash__(self) -> int:
        return hash(tuple(_field_values(self).values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in _field_values(self).items())})"


def _field_values(values: Any) -> dict[str, Any]:
    return {field.name: getattr(values, field.name) for field in fields(values)}


def _rebuild(kind: type[FrozenValues], values: dict[str, Any]) -> FrozenValues:
    return kind(**values)


if TYPE_CHECKING:
    from dataclasses import dataclass as frozen
else:

    def frozen(**_: bool) -> Callable[[type[T]], type[T]]:
        return dataclass(slots=True, kw_only=True, init=False, eq=False, repr=False)
