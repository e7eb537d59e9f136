"""Layers over each other: values, where they came from, presets, and keys that displace each other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compactor_cli.configuration.checked_values import check_value
from compactor_cli.configuration.keys import PRESETS, keys
from compactor_cli.configuration.layers import Origin, SettingValue, make_reading_settings, make_settings, merge
from compactor_cli.errors import SettingsError
from compactor_cli.pipeline.threshold import compaction_threshold
from compactor_cli.settings import ContextSettings, ReadingSettings, Settings

USER, PROJECT = Origin("user file", "u.toml"), Origin("project file", "p.toml")


def layer(origin, **values):
    return {name.replace("__", "."): SettingValue(value, origin) for name, value in values.items()}


def test_without_layers_everything_is_the_default():
    found = merge([])
    assert make_settings(found) == Settings()
    assert make_reading_settings(found) == ReadingSettings()
    assert {str(entry.origin) for entry in found.values()} == {"default"}


def test_the_stronger_layer_wins_key_by_key():
    found = merge([layer(USER, keep_last=1, query="u"), layer(PROJECT, keep_last=2, scoring__threshold=5)])
    settings = make_settings(found)
    assert (settings.keep_last, settings.query, settings.scoring.threshold) == (2, "u", 5)
    assert [str(found[key].origin) for key in ("keep_last", "query", "scoring.threshold", "model")] == [
        "project file p.toml",
        "user file u.toml",
        "project file p.toml",
        "default",
    ]


@pytest.mark.parametrize(("weaker", "stronger"), [("target_tokens", "target_ratio"), ("target_ratio", "target_tokens")])
def test_a_target_displaces_the_other_of_a_weaker_layer(weaker, stronger):
    found = merge([layer(USER, **{weaker: 1}), layer(PROJECT, **{stronger: 1})])
    assert found[weaker] == SettingValue(None, PROJECT)
    assert found[stronger] == SettingValue(1, PROJECT)


def test_both_targets_in_one_layer_are_an_error():
    with pytest.raises(SettingsError, match=r"^p\.toml: target_tokens and target_ratio exclude each other$"):
        merge([layer(PROJECT, target_tokens=5, target_ratio=0.5)])
    merge([layer(PROJECT, target_tokens=5, target_ratio=None)])


def test_a_preset_is_weaker_than_the_keys_of_its_layer_and_stronger_than_those_below():
    found = merge(
        [layer(USER, context__threshold=1, strategy="tiered", keep_last=4), layer(PROJECT, preset="chat", strategy="x")]
    )
    settings = make_settings(found)
    assert (settings.strategy, settings.context.threshold, settings.keep_last) == ("x", 80_000, 4)
    assert str(found["context.threshold"].origin) == "preset chat (project file p.toml)"


def test_of_several_presets_only_the_strongest_counts():
    found = merge([layer(USER, preset="chat"), layer(PROJECT, preset="agent")])
    settings = make_settings(found)
    assert (settings.strategy, settings.context.threshold) == ("handoff", 200_000)
    settings = make_settings(merge([layer(USER, preset="chat"), layer(PROJECT, preset="")]))
    assert settings == Settings()


def test_preset_window_is_the_arithmetic_of_the_defaults():
    found = merge([layer(USER, context__threshold=5, context__safety_buffer=1), layer(PROJECT, preset="window")])
    settings = make_settings(found)
    assert settings == Settings()
    assert compaction_threshold(128_000, settings.context) == 93_600
    assert compaction_threshold(128_000, replace(ContextSettings(), threshold=0)) == 0


def test_presets_hold_known_keys_and_allowed_values():
    for preset in PRESETS.values():
        for name, value in preset.values.items():
            assert check_value(keys()[name], value) == value
