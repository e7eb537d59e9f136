"""Commands that act elsewhere by words behind the name of a part, and look-ups on other hosts, which do not."""

from __future__ import annotations

import pytest

from tests.features.working import Session


@pytest.mark.parametrize(
    "command",
    [
        "terraform force-unlock 6f1c",
        "terraform state rm aws_x.y",
        "tofu state mv a.b a.c",
        "terraform taint a.b",
        "terraform workspace delete old",
        "pulumi stack rm dev",
        "npm unpublish left@1",
        "npm dist-tag add left@1 latest",
        "cargo yank left@1",
        "gem push left-1.gem",
        "airflow dags trigger daily",
    ],
)
def test_what_acts_elsewhere_is_told(command: str) -> None:
    told = Session().runs(command, "done").texts()
    assert told == [command.rpartition(" && ")[2]]


@pytest.mark.parametrize(
    "command",
    [
        "terraform state list",
        "terraform state show a.b",
        "terraform state pull",
        "terraform workspace select prod",
        "terraform workspace list",
        "terraform plan -out state",
        "pulumi stack ls",
        "pulumi stack output",
        "npm dist-tag ls left",
        "npm version patch",
        "gem list push",
        "helm repo add x https://charts.example.org",
        "vault kv get secret/x",
        "ssh h 'sudo -u app journalctl -u app | sed -n 1,20p'",
        "ssh h 'for f in a b; do cat $f; done'",
        "ssh h 'if test -f a; then md5sum a; fi'",
        "ssh h 'airflow tasks states-for-dag-run d r'",
    ],
)
def test_a_look_up_is_not(command: str) -> None:
    assert Session().runs(command, "done").texts() == []


@pytest.mark.parametrize(
    "command", ["ssh h 'sudo -u app systemctl restart app'", "ssh h 'sed -i s/a/b/ /etc/app.conf'"]
)
def test_what_changes_another_host_is_told(command: str) -> None:
    assert Session().runs(command, "done").texts() == [command.replace("'", "")]


def test_a_command_may_be_given_as_the_words_of_a_program() -> None:
    session = Session().calls("run", "[main abc1234] a b", argv=["git", "commit", "-m", "a b"])
    assert session.texts() == ['git commit "a b" (abc1234)']


def test_a_tool_that_saves_a_file_has_created_it() -> None:
    assert Session().calls("save_file", "Saved 3 bytes", path="a.scad", content="x").texts() == [
        "created a.scad, unchecked"
    ]
