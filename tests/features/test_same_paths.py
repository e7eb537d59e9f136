"""A file that is named from a root, and from the folder that the session works in, is one file."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.same_paths import KnownPaths
from tests.features.working import Session


@pytest.mark.parametrize(
    ("known", "path"),
    [
        ("specs/a.yaml", "/w/ferry/specs/a.yaml"),
        ("specs/a.yaml", "C:/ferry/specs/a.yaml"),
        ("/home/sam/ferry/a.yaml", "~/ferry/a.yaml"),
        ("/root/ferry/a.yaml", "~/ferry/a.yaml"),
        ("/Users/sam/ferry/a.yaml", "~/ferry/a.yaml"),
    ],
)
def test_a_rooted_name_and_a_shorter_one_are_of_one_file(known, path):
    assert KnownPaths([known]).known(path) == known
    assert KnownPaths([path]).known(known) == path


@pytest.mark.parametrize(
    ("known", "path"),
    [
        ("specs/a.yaml", "ferry/specs/a.yaml"),
        ("specs/a.yaml", "~/ferry/specs/a.yaml"),  # nobody knows where the session works
        (".bashrc", "~/.bashrc"),
        ("specs/a.yaml", "C:/ferry/other/a.yaml"),
        ("/home/sam/ferry/a.yaml", "/home/lee/ferry/a.yaml"),
        ("/home/sam/ferry/a.yaml", "~/a.yaml"),
        ("/srv/ferry/a.yaml", "~/ferry/a.yaml"),
        ("~/ferry/a.yaml", "~/other/ferry/a.yaml"),
        ("~lee/ferry/a.yaml", "~/ferry/a.yaml"),
        ("C:/ferry/a.yaml", "D:/ferry/a.yaml"),
        ("ab:/a.yaml", "/w/b:/a.yaml"),
    ],
)
def test_other_names_are_of_other_files(known, path):
    assert KnownPaths([known]).known(path) == path
    assert KnownPaths([path]).known(known) == known


def test_a_name_that_may_be_of_two_files_is_of_neither():
    assert KnownPaths(["~/one/a.py", "~/two/a.py"]).known("a.py") == "a.py"
    assert KnownPaths(["/home/sam/a.py", "/home/lee/a.py"]).known("~/a.py") == "~/a.py"


def test_a_shorter_name_is_one_in_the_folder_in_which_the_session_works():
    for known, path in (("specs/a.yaml", "~/ferry/specs/a.yaml"), ("~/ferry/specs/a.yaml", "specs/a.yaml")):
        assert KnownPaths([known], main_folder="/home/sam/ferry").known(path) == known
    assert KnownPaths(["other/a.yaml"], main_folder="~/ferry").known("~/ferry/specs/a.yaml") == "~/ferry/specs/a.yaml"
    assert KnownPaths(["pecs/a.yaml"], main_folder="~/ferry").known("~/ferry/specs/a.yaml") == "~/ferry/specs/a.yaml"
    assert KnownPaths([".bashrc"], main_folder="/home/sam/ferry").known("~/.bashrc") == "~/.bashrc"


def test_a_file_of_the_user_outside_of_the_working_folder_is_another_one():
    assert KnownPaths(["config.yaml"], main_folder="/home/sam/work").known("~/.app/config.yaml") == "~/.app/config.yaml"
    assert KnownPaths(["config.yaml"], main_folder="/home/sam/work").known("~/work/app/config.yaml") == "config.yaml"
    session = Session().runs("cd /home/sam/work && sed -i s/a/b/ config.yaml").edits("~/.app/config.yaml")
    assert session.texts() == ["edited ~/.app/config.yaml, unchecked", "edited config.yaml, unchecked"]


def test_a_file_named_from_the_folder_of_the_user_is_the_one_of_an_earlier_round():
    earlier = ["edited a.yaml 2x, tests passed after", "edited b.yaml, unchecked"]
    command = "sed -i s/a/b/ ~/ferry/specs/a.yaml"
    told = Session().runs(f"cd ~/ferry && {command}").texts(earlier=earlier)
    assert told == ["edited specs/a.yaml 3x, unchecked", "edited b.yaml, unchecked"]
    assert len(Session().runs(command).texts(earlier=earlier)) == 3
