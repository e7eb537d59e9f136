"""The GitHub Action's script and the pre-commit hooks, run as processes with what GitHub and pre-commit give them."""

from __future__ import annotations

import shlex
import subprocess
import sys

import pytest
import yaml

from tests.builders import ROOT, clean_environment, jsonl, plain_exchanges, run_process, user

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
LARGE = jsonl(*plain_exchanges(10))
SMALL = jsonl(user("Hello."))


@pytest.fixture
def place(tmp_path):
    (tmp_path / "fixtures" / "deep").mkdir(parents=True)
    (tmp_path / "fixtures" / "large.jsonl").write_bytes(LARGE)
    (tmp_path / "fixtures" / "deep" / "small.jsonl").write_bytes(SMALL)
    return tmp_path


@pytest.fixture
def step(place):
    """Run the step with inputs as the action hands them over; gives the process, its outputs and its summary."""
    run = ACTION["runs"]["steps"][-1]
    names = {key: value[len("${{ inputs.") : -len(" }}")] for key, value in run["env"].items() if "inputs." in value}

    def runner(**inputs):
        values = {name: str(ACTION["inputs"][name].get("default", "")) for name in names.values()}
        values |= {name.replace("_", "-"): value for name, value in inputs.items()}
        assert values.keys() == ACTION["inputs"].keys()
        output, summary = place / "output", place / "summary"
        output.write_text("")
        summary.write_text("")
        done = subprocess.run(
            ["bash", "-c", run["run"]],
            cwd=place,
            env=clean_environment(
                ACTION_PYTHON=sys.executable,
                ACTION_PATH=str(ROOT),
                GITHUB_OUTPUT=str(output),
                GITHUB_STEP_SUMMARY=str(summary),
                **{key: values[name] for key, name in names.items()},
            ),
            capture_output=True,
            text=True,
            check=False,
        )
        return done, dict(line.split("=", 1) for line in output.read_text().splitlines()), summary.read_text()

    return runner


def test_the_step_fails_and_tells_what_has_to_be_compacted(step, place):
    done, outputs, summary = step(files="fixtures/**/*.jsonl", target_tokens="800", sarif="out.sarif")
    assert done.returncode == 1, done.stderr
    assert "::warning file=fixtures/large.jsonl,line=1" in done.stdout
    assert outputs["changed"] == "1" and int(outputs["saved"]) > 100
    assert "1 of 2 transcripts" in summary and "`fixtures/large.jsonl`" in summary
    assert (place / "out.sarif").exists()
    assert (place / "fixtures" / "large.jsonl").read_bytes() == LARGE


@pytest.mark.everything
def test_the_step_passes_where_it_is_not_to_fail_or_nothing_is_to_do(step):
    done, outputs, _ = step(files="fixtures/*.jsonl", target_tokens="800", fail="false")
    assert (done.returncode, outputs["changed"]) == (0, "1")
    assert "warning:" not in done.stderr
    done, outputs, _ = step(files="fixtures/deep/*.jsonl", target_tokens="800")
    assert (done.returncode, outputs["changed"], outputs["saved"]) == (0, "0", "0")


def test_the_step_compacts_in_place_with_further_arguments(step, place):
    done, outputs, _ = step(
        files="fixtures/large.jsonl\nfixtures/deep/*.jsonl\n",
        target_tokens="900",
        mode="compact",
        arguments="--keep 'Request 3'",
    )
    assert done.returncode == 0, done.stderr
    assert outputs["changed"] == "1"
    now = (place / "fixtures" / "large.jsonl").read_bytes()
    assert len(now) < len(LARGE) and b"Request 3" in now
    assert (place / "fixtures" / "deep" / "small.jsonl").read_bytes() == SMALL


@pytest.mark.everything
def test_damage_fails_the_step_even_where_findings_do_not(step, place):
    (place / "fixtures" / "damaged.jsonl").write_bytes(b"{not json\n")
    done, _, _ = step(files="fixtures/*.jsonl", target_tokens="800", fail="false")
    assert done.returncode == 3
    assert "::error file=fixtures/damaged.jsonl" in done.stdout


@pytest.mark.parametrize("inputs", [{"files": "no/such/*.jsonl"}, {"files": "fixtures/*.jsonl", "mode": "shrink"}])
def test_inputs_that_cannot_be_used_end_the_step(step, inputs):
    done, _, _ = step(**inputs)
    assert done.returncode == 2
    assert done.stdout.startswith("::error title=compactor::")


@pytest.mark.everything
def test_a_file_whose_name_begins_with_a_dash_is_a_file(step, place):
    (place / "--in-place.jsonl").write_bytes(LARGE)
    done, outputs, _ = step(files="*.jsonl", target_tokens="800", fail="false")
    assert (done.returncode, outputs["changed"]) == (0, "1")
    assert (place / "--in-place.jsonl").read_bytes() == LARGE


def _pre_commit(name, place, files):
    """As pre-commit runs a hook: its entry, its arguments, and the files that changed."""
    hook = HOOKS[name]
    program, *entry = shlex.split(hook["entry"])
    assert (program, hook["language"]) == ("compactor", "python")
    args = [text if text != "20000" else "800" for text in hook["args"]]
    return run_process(*entry, *args, *files, cwd=place)


def test_the_pre_commit_hook_checks_what_is_committed(place):
    files = ["fixtures/large.jsonl", "fixtures/deep/small.jsonl"]
    done = _pre_commit("compactor-check", place, files)
    assert done.code == 1
    assert "fixtures/large.jsonl: would be compacted" in done.stderr
    assert _pre_commit("compactor-check", place, files[1:]).code == 0


@pytest.mark.everything
def test_the_pre_commit_hook_compacts_and_is_content_the_second_time(place):
    files = ["fixtures/large.jsonl", "fixtures/deep/small.jsonl"]
    assert _pre_commit("compactor-compact", place, files).code == 0
    once = [(place / file).read_bytes() for file in files]
    assert len(once[0]) < len(LARGE)
    assert _pre_commit("compactor-check", place, files).code == 0
    assert _pre_commit("compactor-compact", place, files).code == 0
    assert [(place / file).read_bytes() for file in files] == once
