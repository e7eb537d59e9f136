"""Values that are told nowhere: passwords, keys, what is set of a store of secrets."""

from __future__ import annotations

import time
from typing import Any

import pytest

from compactor_cli.features.work.secret_words import mask_command
from tests.features.working import FAILS, Session

STORING = [
    ("fly secrets set TOKEN=hunter2", "fly secrets set TOKEN=…"),
    ("consul kv put app/db/password hunter2", "consul kv put app/db/password …"),
    ("vault kv put secret/x password=hunter2", "vault kv put secret/x password=…"),
    ("netlify env set TOKEN hunter2 --context prod", "netlify env set TOKEN … --context prod"),
    ("cargo yank --vers 1.0 left --token hunter2", "cargo yank --vers 1.0 left --token …"),
    ("pulumi config set --secret dbPassword hunter2", "pulumi config set --secret dbPassword …"),
    ("helm upgrade a ./chart --set db.password=hunter2", "helm upgrade a ./chart --set db.password=…"),
    ("kubectl create secret generic x --from-literal=a=hunter2", "kubectl create secret generic x --from-literal=a=…"),
    ("kubectl set env deploy/x A=hunter2", "kubectl set env deploy/x A=…"),
    ("aws ssm put-parameter --name x --value hunter2", "aws ssm put-parameter --name x --value …"),
    (
        "aws secretsmanager put-secret-value --secret-id x --secret-string hunter2",
        "aws secretsmanager put-secret-value --secret-id x --secret-string …",
    ),
    ("az keyvault secret set --vault-name v --name n --value hunter2", None),
    ("heroku config:set TOKEN=hunter2 -a app", "heroku config:set TOKEN=… -a app"),
    ("doppler secrets set KEY --value hunter2", "doppler secrets set KEY --value …"),
    ("gh secret set NAME -bhunter2", "gh secret set NAME -b…"),
    ("echo hunter2 | wrangler secret put NAME", "echo … | wrangler secret put NAME"),
    ("TOKEN='hunter2 x' npm publish", "TOKEN=… npm publish"),
    ("curl -H 'Authorization: Bearer hunter2' https://x.org", "curl -H 'Authorization: …' https://x.org"),
    ("ssh h 'fly secrets set A=hunter2'", "ssh h 'fly secrets set A=…'"),
    ("mysql -u root --password=hunter2 db", "mysql -u root --password=… db"),
    ("deploy sk-live-h4nter2000abcdef7890", "deploy …"),
    ("git push https://sam:hunter2@x.org/a main", "git push https://…@x.org/a main"),
    ("git -c http.proxy=http://sam:hunter2@x.org push", "git -c http.proxy=http://…@x.org push"),
]


@pytest.mark.parametrize(("command", "told"), STORING)
def test_a_command_is_told_without_values(command: str, told: str | None) -> None:
    assert "hunter2" not in mask_command(command)
    assert told is None or mask_command(command) == told


@pytest.mark.parametrize(
    "command",
    [
        "git add config env",
        'git commit -m "Add env: set x=1 in config"',
        "pytest tests/config -k 'add env'",
        "kubectl apply -f config.yaml",
        "gh pr create --title 'Set env' --body 'It sets env'",
        "helm upgrade a ./chart --set image.tag=3",
        "vault kv get secret/x",
        "fly secrets unset A",
        "wrangler secret put API_KEY",
        "conda env create -n foo python=3.11",
        "run --max-tokens 5 --token-file x",
        "bd update av-1 --status done --body text",
        "docker push reg.io/sk-app:1",
        "git checkout -b sk-1234-mend-the-tank",
        "git push origin sk-proj2-refactor",
        "git checkout sk_learn_0_24",
        "git push https://x.org/a@v1 hf-model-7b",
        "npm publish npm-run-all2",
        'git commit -m "Add basic support2 for bearer tokens"',
    ],
)
def test_other_commands_are_told_as_they_are(command: str) -> None:
    assert mask_command(command) == command


@pytest.mark.parametrize("command", [command for command, _ in STORING])
@pytest.mark.parametrize("said", ["done", FAILS + "Error: no access", None])
def test_no_line_tells_them(command: str, said: str | None) -> None:
    lines = Session().calls("bash", said, command=command).texts()
    assert said is not None or lines
    assert not [line for line in lines if "hunter2" in line]


def test_a_value_set_anew_makes_up_for_one_that_was_refused() -> None:
    session = Session().runs("vault kv put secret/x password=hunter2", FAILS + "Error: too short")
    assert session.runs("vault kv put secret/x password=hunter3", "ok").texts() == ["vault kv put secret/x password=…"]


@pytest.mark.parametrize(
    ("tool", "said", "arguments", "told"),
    [
        ("create_token", '{"id":"t1","key":"sk-live-h4nter2000abcdef7890"}', {"name": "ci"}, ["create_token t1 ci"]),
        ("create_token", '{"id":"t1","key":"hunter2000"}', {"name": "ci"}, ["create_token t1 ci"]),
        ("create_issue", '{"id":"991","key":"MOB-17"}', {"title": "Leak"}, ["create_issue MOB-17 Leak"]),
        ("edit_setting", '{"ok":true}', {"apiKey": "hunter2"}, []),
        ("update_user", '{"ok":true}', {"id": "u1", "apiKey": "hunter2"}, ["update_user u1"]),
        ("set_password", '{"ok":true}', {"id": "u1", "password": "hunter2"}, ["set_password u1 (password …)"]),
        ("update_login", '{"ok":true}', {"id": "u1", "api_token": "hunter2"}, ["update_login u1 (api_token …)"]),
        ("update_model", '{"ok":true}', {"id": "m1", "max_tokens": 9}, ["update_model m1 (max_tokens 9)"]),
    ],
)
def test_no_tool_is_told_with_them(tool: str, said: str, arguments: dict[str, Any], told: list[str]) -> None:
    assert Session().calls(tool, said, **arguments).texts() == told


@pytest.mark.parametrize(
    "command", ["sk-" * 20_000, "." * 50_000, "://u:" * 8_000, "token: [" * 5_000, "password 1a2b " * 3_000]
)
def test_long_words_are_read_at_once(command: str) -> None:
    begun = time.process_time()
    assert mask_command(command) == command
    assert time.process_time() - begun < 1
