"""No value of a secret stands in the state, wherever in a call it is, and whatever came of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compactor_cli.features.work.secret_words import mask_command
from compactor_cli.text.secret_values import mask_secrets
from tests.features.working import FAILS, Session

MARK = "hunter2"
PREFIXES = [
    "TOKEN=hunter2 {}",
    "PGPASSWORD=hunter2 {}",
    "OPENAI_KEY=hunter2 {}",
    "DB_PASS='hunter2' {}",
    "GH_PAT=hunter2 DB_PWD=x {}",
    "API_TOKEN_PROD=hunter2 {}",
    "TOKEN='a:'hunter2 {}",
    "TOKEN=abc\\ hunter2 {}",
    "export REDISCLI_AUTH=hunter2; {}",
    "env STRIPE_KEY=hunter2 {}",
    "SECRET_KEY_BASE=hunter2 {}",
]
ENDS = [
    "{} --token hunter2",
    "{} --password=hunter2 -q",
    "{} --api-key 'hunter2'",
    "{} -Dpassword=hunter2",
    "{} -Ddb.password=hunter2",
    "{} -var='db_password=hunter2'",
    "{} -var 'db_password=hunter2' -var x=1",
    "{} --set a=1,db.password=hunter2",
    "{} --set-env-vars=API_KEY=hunter2",
    "{} --env=TOKEN=hunter2",
    "{} -e TOKEN=hunter2",
    "{} --build-arg TOKEN=hunter2 .",
    "{} --environment 'Variables={{API_KEY=hunter2}}'",
    "{} -- --apiKey=hunter2",
    "{} TOKEN=hunter2",
    "{} -H 'X-Api-Key: hunter2'",
    "{} --header 'PRIVATE-TOKEN: hunter2'",
    '{} -H "Authorization: token hunter2"',
    "{} -H Authorization:hunter2",
    "{} --url https://sam:hunter2@x.org/a",
    "{} --url https://hunter2@x.org/a",
    "{} --url 'https://x.org/a?token=hunter2&b=1'",
    "{} --dsn postgres://sam:hunter2@db/x",
    "{} --dsn 'Server=x;Password=hunter2;Database=y'",
    '{} -d \'{{"password":"hunter2"}}\'',
    '{} -d "{{\\"password\\": \\"hunter2\\"}}"',
    "{} -d 'user=sam&password=hunter2'",
    "{} -u sam:hunter2",
    "{} -u sam -p hunter2",
    "{} -passin pass:hunter2",
    "{} --password-stdin <<< hunter2",
    "{} --password-stdin <<EOF\nhunter2\nEOF",
    "echo hunter2 | {} --password-stdin",
    "printf '%s' hunter2 | {} --with-token",
]
TOOLS = [
    "pytest",
    "make test",
    "git push origin main",
    "terraform apply",
    "kubectl apply -f a.yaml",
    "./tool run",
    "curl",
]
WHOLE = [
    "mysql -u root -phunter2 db",
    "mysqldump -phunter2 db > a.sql",
    "docker login -u bob -p hunter2 reg.io",
    "docker login -p hunter2",
    "sshpass -p hunter2 ssh h 'systemctl restart x'",
    "sshpass -phunter2 scp a h:/b",
    "redis-cli -a hunter2 flushall",
    "curl -X POST -u bob:hunter2 https://x.org/a && echo ok",
    "aws configure set aws_secret_access_key hunter2",
    "npm config set //r.org/:_authToken hunter2",
    "git config user.password hunter2 && git push",
    "git push https://hunter2@github.com/a/b main",
    'kubectl patch secret x -p \'{"data":{"a":"hunter2"}}\'',
    "kubectl create secret generic x --from-literal=a=hunter2",
    'bash -c "mysql -phunter2 db"',
    "ssh h 'TOKEN=hunter2 systemctl restart x'",
    "ssh h 'deploy --token hunter2'",
    "psql -c \"ALTER USER x PASSWORD 'hunter2'\"",
    "mysql -e \"CREATE USER x IDENTIFIED BY 'hunter2'\"",
    "sed -i 's/PASSWORD=.*/PASSWORD=hunter2/' .env && ./tool run",
    "echo 'hunter2' | sudo -S systemctl restart x",
    "unzip -P hunter2 a.zip",
    "ldapmodify -D cn=a -w hunter2 -f a.ldif",
]
COMMANDS = [
    *(form.format(tool) for form in PREFIXES + ENDS for tool in TOOLS),
    *WHOLE,
]
OUTCOMES = [
    "done",
    "1 passed in 0.1s",
    "",
    FAILS + "Error: no access",
    FAILS + "Error: cannot use hunter2 here",
    FAILS + "fatal: unknown option -phunter2: hunter2",
    FAILS + "E   ValueError: hunter2\n1 failed, 2 passed",
    FAILS + "Error: " + "a " * 74 + "hunter2 is wrong",
    "Command running in background with ID: b12",
    "The user doesn't want to proceed with this tool use. The tool use was rejected",
    None,
]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_value_of_a_command_is_told(command: str) -> None:
    assert MARK not in mask_command(command)
    for said in OUTCOMES:
        lines = Session().runs(command, said).texts()
        assert not [line for line in lines if MARK[:4] in line]


@pytest.mark.parametrize(
    "command",
    [
        "docker login -p 1234",
        "DB_PASS=12345678 ./tool run",
        "curl -u sam:12345678 https://x.org",
        "redis-cli -a 1234 get a",
    ],
)
def test_a_password_may_be_a_number(command: str) -> None:
    assert "1234" not in mask_command(command)


def test_a_word_behind_the_letter_of_an_option_is_untold() -> None:
    session = Session().runs("mysql -pswordfishes", FAILS + "mysql: unknown option -pswordfishes")
    assert session.texts() == ["open error: mysql: unknown option -p… (mysql -p…)"]


def test_commands_with_values_are_told_all_the_same() -> None:
    told = Session().runs("pytest --token hunter2 tests", FAILS + "1 failed").texts()
    assert told == ["failing: pytest --token … tests"]
    told = Session().runs("OPENAI_KEY=hunter2 npm run dev", "Command running in background with ID: b12").texts()
    assert told == ["running when last seen: OPENAI_KEY=… npm run dev (b12)"]
    told = Session().runs("mysql -u root -phunter2 db", None).texts()
    assert told == ["in flight: bash mysql -u root -p… db"]


def test_a_check_with_another_token_is_the_same_check() -> None:
    session = Session().runs("pytest --token hunter2", FAILS + "1 failed").runs("pytest --token hunter3", "1 passed")
    assert session.texts() == ["passed: pytest --token …"]
    session = Session().runs("pytest --token=hunter2", "1 passed").runs("pytest --token=hunter3", "1 passed")
    assert session.texts() == ["passed: pytest --token=…"]


def test_short_values_in_lists_are_untold() -> None:
    session = Session().calls("create_users", users=[{"name": "bob", "password": "abc"}])
    assert session.texts() == ["create_users (users bob)"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("login", {"username": "bob", "password": MARK}),
        ("authenticate", {"api_key": MARK}),
        ("http_request", {"url": "https://x.io/a?token=hunter2"}),
        ("http_request", {"method": "POST", "url": "https://x.io/a", "headers": {"Authorization": "Bearer hunter2"}}),
        ("set_env_var", {"name": "DB_PASSWORD", "value": MARK}),
        ("update_config", {"key": "DB_PASSWORD", "value": MARK}),
        ("set_secret", {"name": "bob", "value": MARK}),
        ("update_card", {"id": "c1", "pin": MARK}),
        ("update_card", {"id": "c1", "auth": MARK}),
        ("create_users", {"users": [{"name": "bob", "password": MARK}]}),
        ("send_message", {"to": "bob", "body": "password: hunter2"}),
        ("send_message", {"to": "bob", "body": json.dumps({"token": MARK})}),
        ("create_hook", {"name": "ci", "url": "https://sam:hunter2@x.org"}),
        ("run_sql", {"sql": "ALTER USER bob PASSWORD 'hunter2'"}),
    ],
)
def test_no_value_of_a_tool_is_told(tool: str, arguments: dict[str, Any]) -> None:
    for said in ("ok", "Error: bad", "Error: hunter2 is no good", '{"error": "no hunter2"}', None):
        lines = Session().calls(tool, said, **arguments).texts()
        assert not [line for line in lines if MARK in line]


@pytest.mark.parametrize(
    "said",
    [
        "Error: login failed for user bob with password=hunter2",
        "Error: connect postgres://sam:hunter2@db:5432/x refused",
        'Error: bad request {"token": "hunter2"}',
        "Error: header 'Authorization: Bearer hunter2' refused",
        "Error: password: hunter2 is too short",
        "Error: --api-key hunter2 is not valid",
        "Error: GET https://x.org/?access_token=hunter2 401",
        "Error: " + "a " * 67 + "https://sam:hunter2@x.org/" + "b" * 90,
    ],
)
def test_no_value_in_an_output_is_told(said: str) -> None:
    session = Session().runs("./tool run", FAILS + said).calls("login", said, user="sam")
    assert session.texts("error")
    assert not [line for line in session.texts() if MARK[:4] in line]


ORDINARY = [
    "kubectl get pods",
    "kubectl get secret x -o yaml",
    "./tool --tokens 100",
    "./tool --tokens=5 --max-tokens 100 model.tokens=512",
    "./tool --key-file path --token-file /run/token",
    'git commit -m "rotate tokens"',
    'git commit -m "password reset form test"',
    'git commit -m "Document the --token option"',
    'git commit -m "Authorization: add a check"',
    'git commit -m "fix: secret: base key"',
    "pytest -k password tests/test_token_v2.py::test_key",
    "TOKEN=$(cat f) python a.py",
    "TOKEN=$TOKEN PASSWORD=${PASSWORD:-} ./tool run",
    'curl -H "Authorization: Bearer $TOKEN" https://x.org',
    "TOKEN= ./tool run",
    'python -c "tokens=tokenize(x); print(tokens)"',
    "git config set user.name Bob",
    "npm config set registry https://r.org",
    "gcloud config set project p",
    "docker run -u 1000:1000 -p 8080:80 img",
    "docker run -u sam -p 127.0.0.1:80:80/tcp img",
    "redis-cli -p 6379 get a",
    "psql -U sam -p 5432 -c 'select 1'",
    "ssh -p 22 sam@h ls",
    "mkdir -p token/secret",
    "cargo test -p tokens",
    "curl http://localhost:3000/@scope/pkg",
    "git clone ssh://git@github.com/a/b",
    "npm run secrets:scan",
    "BYPASS=1 PWD=/x PRIMARY_KEY=id CACHE_KEY=v1 make test",
    "git push -u origin main",
    "tar -p -u x",
    "helm upgrade a ./chart --set image.tag=3,replicas=2",
    "cp -u -p a b",
    "echo hello | grep -q login",
    "mysql -u root -p db",
    "grep -rn 'password=' src",
    'grep "token="; ls src',
    "echo $TOKEN | docker login --password-stdin",
    "docker login reg.io",
]


@pytest.mark.parametrize("command", ORDINARY)
def test_what_opens_nothing_is_told(command: str) -> None:
    assert mask_command(command) == command


@pytest.mark.parametrize(
    "text",
    [
        "SyntaxError: Unexpected token 'export'",
        "Unexpected token < in JSON at position 0",
        "error: unknown token: 'foo'",
        "TypeError: login() got an unexpected keyword argument 'password'",
        "KeyError: 'api_key'",
        "AssertionError: token == 'expired'",
        "error: password: must be longer than that",
        "Error: token expired",
        "FAILED tests/test_auth.py::test_password_reset - AssertionError",
        "tests/test_token.py:12: error: Name 'secret_key' is not defined",
        "ValueError: foo(token=None, password=password, key=self.token)",
        "error: missing credentials: set AWS_SECRET_ACCESS_KEY",
        "npm error Missing script: token",
        "[ ] Write the password reset form test",
        "warning: secret scanning found 0 secrets",
        "error: key 'primary_key=id' exists",
    ],
)
def test_words_about_secrets_are_told(text: str) -> None:
    assert mask_secrets(text) == text
