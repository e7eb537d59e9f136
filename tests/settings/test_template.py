"""The file that `config init` writes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compactor_cli.configuration.editing import settings_template
from compactor_cli.configuration.keys import keys
from compactor_cli.configuration.layers import layer_of, merge
from compactor_cli.configuration.settings_files import SettingsFile, parse_file

FILES = (SettingsFile("user file", Path("config.toml")), SettingsFile("user file", Path("config.yaml")))


@pytest.mark.parametrize("file", FILES, ids=str)
def test_as_it_is_it_sets_nothing(file):
    assert layer_of(parse_file(file, settings_template(yaml=file.is_yaml)), file.origin) == {}


@pytest.mark.parametrize("file", FILES, ids=str)
def test_with_every_setting_uncommented_it_gives_exactly_the_defaults(file):
    text = re.sub(r"^( *)#(?=\w)", r"\1", settings_template(yaml=file.is_yaml), flags=re.MULTILINE)
    layer = layer_of(parse_file(file, text), file.origin)
    unset = {key.name for key in keys().values() if key.default is None and not file.is_yaml}  # TOML has no null
    assert set(layer) == set(keys()) - unset
    assert {name: entry.value for name, entry in merge([layer]).items()} == {
        key.name: key.default for key in keys().values()
    }


@pytest.mark.parametrize("file", FILES, ids=str)
def test_every_key_is_named(file):
    text = settings_template(yaml=file.is_yaml)
    for key in keys().values():
        assert re.search(rf"^ *# ?{key.leaf}( =|:| is unset)", text, re.MULTILINE), key.name
        assert key.meaning in text
