"""What `make package` asks of the sdist and the wheel, and what is said of packages in more than one place."""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
import zipfile
from importlib.metadata import version

import pytest

from tests.builders import ROOT

_SPEC = importlib.util.spec_from_file_location("package", ROOT / "ci" / "package.py")
assert _SPEC is not None and _SPEC.loader is not None
package = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(package)

NEEDS_GIT = pytest.mark.skipif(
    not shutil.which("git") or not (ROOT / ".git").exists(), reason="the files of a checkout are those that git knows"
)


def requirements(file):
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_a_light_installation_has_all_that_is_required_but_litellm():
    required = [line for line in package.PROJECT["dependencies"] if not line.startswith("litellm")]
    assert requirements("requirements-light.txt") == required


def test_the_version_stands_in_one_place():
    assert version("compactor-cli") == package.PROJECT["version"]
    assert set(re.findall(r"\bv(\d+\.\d+\.\d+)\b", (ROOT / "docs/ci.md").read_text())) == {package.PROJECT["version"]}
    named = [file for file in (ROOT / "compactor_cli").rglob("*.py") if package.PROJECT["version"] in file.read_text()]
    assert named == []


def test_every_extra_is_documented():
    page = (ROOT / "docs/install.md").read_text(encoding="utf-8")
    for extra in package.PROJECT["optional-dependencies"]:
        assert f"`{extra}`" in page


def test_the_pythons_that_are_tried_are_ones_that_the_project_is_for():
    found = package.found_pythons()
    assert 1 <= len(found) <= 2
    minors = [int(name.partition(".")[2]) for name in found]
    assert minors == sorted(minors)
    assert minors[0] <= sys.version_info.minor <= minors[-1]


@pytest.mark.everything
@NEEDS_GIT
def test_what_a_wheel_lacks_is_named(tmp_path):
    sdist, wheel = package.build(tmp_path)
    assert package.wrong_in_wheel(wheel) == []
    assert package.wrong_in_sdist(sdist) == []
    without = tmp_path / wheel.name
    with zipfile.ZipFile(wheel) as whole, zipfile.ZipFile(without, "w") as less:
        for name in whole.namelist():
            text = whole.read(name)
            if name.endswith("METADATA"):
                text = text.replace(b"Provides-Extra: mcp\n", b"")
            if not name.endswith(("words.json", "man1/compactor.1")):
                less.writestr(name, text)
    wrong = "\n".join(package.wrong_in_wheel(without))
    for words in ("compactor_cli/shell/words.json", "share/man/man1/compactor.1", "Provides-Extra: mcp"):
        assert words in wrong
