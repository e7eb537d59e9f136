"""Settings and options are frozen values that copy, compare and travel to other processes."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, replace
from typing import Any

import pytest

from compactor_cli.settings import LlmSettings, Settings
from compactor_cli.settings.frozen import FrozenValues, frozen


@frozen(frozen=True, kw_only=True)
class Place(FrozenValues):
    path: str
    line: int = 1


@frozen(frozen=True, kw_only=True)
class NamedPlace(Place):
    name: str = ""


def test_values_have_their_defaults_and_what_is_given() -> None:
    given = NamedPlace(path="a.py", name="first")
    assert (given.path, given.line, given.name) == ("a.py", 1, "first")
    assert Settings(keep_last=3).llm == LlmSettings()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_copies_are_equal(copied: Any) -> None:
    settings = Settings(target_ratio=0.3, keep=("a",), llm=LlmSettings(retries=5))
    made = copied(settings)
    assert made == settings
    assert hash(made) == hash(settings)
    assert made != replace(settings, keep_last=1)


def test_values_of_another_class_are_others() -> None:
    assert Place(path="a.py") != NamedPlace(path="a.py")


def test_values_cannot_be_changed() -> None:
    given: Any = Place(path="a.py")
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'line'"):
        given.line = 2
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'line'"):
        del given.line
    assert given == Place(path="a.py", line=1)


def test_unknown_and_missing_values_are_refused() -> None:
    made: Any = Place
    with pytest.raises(TypeError, match=r"Place\.__init__\(\) got an unexpected keyword argument 'size'"):
        made(path="a.py", size=1)
    with pytest.raises(TypeError, match=r"Place\.__init__\(\) missing a keyword argument: 'path'"):
        made(line=1)


def test_they_show_as_other_dataclasses_do() -> None:
    @dataclass
    class Spot:
        path: str
        line: int = 1

    assert repr(Place(path="a.py")) == repr(Spot("a.py")).replace(Spot.__qualname__, "Place")
