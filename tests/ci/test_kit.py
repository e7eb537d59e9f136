"""The files that a project's hosts and tools read are what these take, and name what is there."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import tomli
import yaml

ROOT = Path(__file__).parents[2]
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))


def read(path):
    return yaml.safe_load((ROOT / path).read_text())


def test_the_workflow_runs_what_ci_runs():
    (job,) = read(".github/workflows/ci.yml")["jobs"].values()
    assert [step["run"] for step in job["steps"] if "run" in step] == [".ci/run"]
    assert (ROOT / ".ci/run").stat().st_mode & 0o100
    wanted = tomli.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    (version,) = [step["with"]["python-version"] for step in job["steps"] if "python" in step.get("uses", "")]
    assert tuple(map(int, version.split("."))) >= tuple(map(int, wanted.removeprefix(">=").split(".")))


def test_hooks_before_a_commit_run_tools_of_the_lock():
    lock = (ROOT / "requirements.lock").read_text()
    packages = {"ruff": "ruff", "mypy": "mypy", "lint-imports": "import-linter"}
    hooks = [hook for repo in read(".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]]
    names = [shlex.split(hook["entry"])[0] for hook in hooks]
    assert {Path(name).name for name in names} == packages.keys()
    assert all(f"\n{packages[Path(name).name]}==" in f"\n{lock}" for name in names)


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.stem)
def test_a_form_for_issues_has_what_its_host_asks_for(form):
    value = read(form)
    assert value["name"] and value["description"]
    ids = [field["id"] for field in value["body"]]
    assert len(ids) == len(set(ids))
    assert all(field["type"] in ("input", "textarea") and field["attributes"]["label"] for field in value["body"])
    assert any(field.get("validations", {}).get("required") for field in value["body"])
