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
        "npm deprecate left@1 gone",
        "npm dist-tag rm left beta",
        "yarn npm publish # yarn publish",
        "pnpm --filter left publish # pnpm publish",
        "flyctl secrets unset A",
        "fly apps destroy left",
        "vercel env rm NAME",
        "sys queue rollback a",
        "airflow dags trigger daily",
    ],
)
def test_what_acts_elsewhere_is_told(command: str) -> None:
    told = Session().runs(command, "done").texts()
    assert told == [command.rpartition(" # ")[2]]


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
        "yarn why deprecate",
        "npm help unpublish",
        "npm dist-tag",
        "serverless create --template x",
        "sls create -t x",
        "helm repo add x https://charts.example.org",
        "vault kv get secret/x",
        "ssh h 'sudo -u app journalctl -u app | sed -n 1,20p'",
        "ssh h 'for f in a b; do cat $f; done'",
        "ssh h 'if test -f a; then md5sum a; fi'",
        "ssh h 'airflow tasks states-for-dag-run d r'",
        "ssh h 'terraform state list'",
        "ssh h 'sed -n /w/p a'",
        "ssh h 'sed s/x/w_y/ a'",
        "ssh h 'sudo -n sed -n 1,20p /etc/x'",
    ],
)
def test_a_look_up_is_not(command: str) -> None:
    assert Session().runs(command, "done").texts() == []


@pytest.mark.parametrize(
    "command",
    [
        "ssh h 'sudo -u app systemctl restart app'",
        "ssh h 'sed -i s/a/b/ /etc/app.conf'",
        "ssh h 'sudo sed -i s/a/b/ /etc/app.conf'",
        "ssh h 'sudo -u app sed -Ei s/a/b/ /etc/app.conf'",
        "ssh h 'sed -E -i.bak s/a/b/ /etc/app.conf'",
        "ssh h 'sed -ni s/a/b/p /etc/app.conf'",
        "ssh h 'terraform state rm aws_x.y'",
        "ssh h 'pulumi state delete urn'",
    ],
)
def test_what_changes_another_host_is_told(command: str) -> None:
    assert Session().runs(command, "done").texts() == [command.replace("'", "")]


def test_a_command_may_be_given_as_the_words_of_a_program() -> None:
    session = Session().calls("run", "[main abc1234] a b", argv=["git", "commit", "-m", "a b"])
    assert session.texts() == ['git commit "a b" (abc1234)']


def test_words_given_to_a_script_are_no_command() -> None:
    assert Session().calls("run_script", "ok", path="gen.py", argv=["git", "push"]).texts() == []


@pytest.mark.parametrize("tool", ["get_save_file", "read_save_file", "load_savefile", "unsave_file", "save_file_list"])
def test_a_tool_that_is_about_saved_files_creates_none(tool: str) -> None:
    assert Session().calls(tool, "ok", path="a.py").texts("file") == []


def test_two_things_that_failed_in_one_group_both_stay() -> None:
    session = Session().runs("terraform state rm a.b", "Exit code 1\nError: locked")
    assert session.runs("terraform state rm a.c", "Removed a.c").texts() == [
        "terraform state rm a.c",
        "failed: terraform state rm a.b: Error: locked",
    ]


def test_a_tool_that_saves_a_file_has_written_it() -> None:
    assert Session().calls("save_file", "Saved 3 bytes", path="a.scad", content="x").texts() == [
        "wrote a.scad, unchecked"
    ]
