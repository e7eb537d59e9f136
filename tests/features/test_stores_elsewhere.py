"""Copies to a store elsewhere, and what is removed there, by any program."""

from __future__ import annotations

import pytest

from tests.features.working import FAILS, Session

ACTS = [
    "gsutil cp a gs://b/x",
    "gsutil -m cp -r a gs://b/",
    "gsutil rm gs://b/x",
    "s3cmd put a s3://b",
    "s5cmd rm s3://b/x",
    "gcloud storage cp a gs://b",
    "b2 sync a b2://x",
    "skopeo copy docker://a docker://b:1",
]
LOOKS = [
    "gsutil cp gs://b/x .",
    "gsutil ls gs://b",
    "rclone copy remote:b a",
    "rclone lsf remote:b",
    "rclone sync a remote:b --dry-run",
    "rclone copy a b --log-file xx:yy",
    "tool cp C:/a C:/b",
    "tool sync app:build",
    "tool copy localhost:8080 x",
    "tool copy x localhost:8080",
    "tool put key ns:value",
    "tool mv a.py b.py",
    "docker cp a c:/x",
    "tool copy a http://x.org/b",
    "tool rm name:tag",
    "tool cp a file:///b",
    "python sync.py cp a b:c",
    "tool move std::a std::b",
    "tool copy x 12:30",
    "just sync a remote:b/c",
    "gsutil cp -n a gs://b/x",
    "gsutil -n cp a gs://b/x",
    "tool mv --no-clobber a gs://b/x",
    "rclone copy a remote:b/c --ignore-existing",
    "tool sync en:de fr:it",
    "mutagen sync list name:x",
    "tool upload a title:hello",
    "vite sync a theme:dark",
    "tool copy a remote:",
    "tool put a b key:x/y",
    "tool copy a remote:b",
]


@pytest.mark.parametrize("command", ACTS)
def test_what_is_put_into_a_store_or_removed_there_is_told(command: str) -> None:
    session = Session().runs(command, FAILS + "Error: no access")
    assert session.texts() == [f"failed: {command}: Error: no access"]
    assert session.runs(command, "done").texts() == [command]


@pytest.mark.parametrize("command", LOOKS)
def test_what_comes_from_there_or_stays_here_is_no_act(command: str) -> None:
    assert Session().runs(command, "done").texts("effect") == []
