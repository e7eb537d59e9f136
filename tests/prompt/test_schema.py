"""The JSON schema of prompt.yaml: valid itself, shipped, and true for the examples of the documentation."""

from __future__ import annotations

import json
import re

import pytest
import yaml
from jsonschema import Draft202012Validator
from setuptools.config.pyprojecttoml import read_configuration

from compactor_cli.prompt.definition import AFTER, BEFORE
from compactor_cli.prompt.parse import schema_text
from tests.builders import ROOT

SCHEMA = json.loads(schema_text())
PAGES = ("README.md", "docs/prompts.md", "docs/cli.md")
PART = re.compile(rf"^({'|'.join(SCHEMA['properties'])}):", re.MULTILINE)


def examples():
    """YAML blocks of the pages that are prompts, and the sample."""
    for page in PAGES:
        for at, block in enumerate(re.findall(r"```yaml\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)):
            if PART.search(block):
                yield pytest.param(block, id=f"{page}-{at}")
    yield pytest.param((ROOT / "sample_transcripts/prompt.yaml").read_text("utf-8"), id="sample")


def test_the_schema_is_a_schema_and_says_what_each_thing_is():
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert {*BEFORE, *AFTER} < set(SCHEMA["properties"])
    for definition in SCHEMA["$defs"].values():
        assert definition["description"]


@pytest.mark.parametrize("text", list(examples()))
def test_the_examples_of_the_documentation_conform(text):
    errors = list(Draft202012Validator(SCHEMA).iter_errors(yaml.safe_load(text)))
    assert errors == []


def test_the_documentation_has_examples():
    assert len(list(examples())) >= 3


def test_the_schema_ships_with_the_package():
    patterns = read_configuration(ROOT / "pyproject.toml")["tool"]["setuptools"]["package-data"]["compactor_cli"]
    shipped = {path for pattern in patterns for path in (ROOT / "compactor_cli").glob(pattern)}
    assert ROOT / "compactor_cli/prompt/schema.json" in shipped


def test_the_command_prints_the_schema(run):
    done = run("assemble", "--schema")
    assert (done.code, done.stderr) == (0, "")
    assert done.json == SCHEMA
