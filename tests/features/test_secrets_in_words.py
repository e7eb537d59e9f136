"""Values of secrets that stand in words of their own kind: users, brackets, settings, addresses, arguments of tools."""

from __future__ import annotations

import time
from typing import Any

import pytest

from compactor_cli.features.work.secret_arguments import is_secret_argument, secrets_in_arguments
from compactor_cli.features.work.secret_words import mask_command
from compactor_cli.text.secret_values import is_random, is_secret, mask_secrets
from tests.features.working import FAILS, Session

VALUE = "Zq7wKx9TvB2m"
COMMANDS = [
    "curl -ubob:{} https://x.org",
    "curl --user=bob:{} https://x.org",
    "http --auth bob:{} PUT x.org",
    "jenkins-cli -auth bob:{} build a",
    "./deploy --creds bob:{}",
    "./deploy --jwt {}",
    "./deploy --psk {}",
    "./deploy --dbpass {}",
    "keytool -genkey -storepass {0} -keypass {0}",
    "tailscale up --authkey {}",
    "TF_VAR_dbpass={} terraform apply",
    "SIGNING_SALT={} npm run migrate",
    "JWT={} npm run migrate",
    "aws x --parameters ParameterKey=DBPassword,ParameterValue={} --stack-name a",
    'aws x --overrides \'{{"environment":[{{"name":"TOKEN","value":"{}"}}]}}\'',
    "az x --connection-string 'AccountName=a;AccountKey={};x=y' -f a",
    "curl 'https://x.org/hook?sig={}'",
    "curl 'https://x.org/a?key={}'",
    "curl https://hooks.slack.com/services/T000/B000/{0}{0}",
    "curl https://api.telegram.org/bot123456:{0}{0}/sendMessage",
    "curl https://chat.x.org/api/webhooks/1234/{0}{0}",
    'ConvertTo-SecureString "{}" -AsPlainText',
    "ConvertTo-SecureString -String '{}' -AsPlainText",
    "psql -c \"UPDATE users SET password=crypt('{}', gen_salt('bf'))\"",
    "mysql -e \"SET PASSWORD FOR 'bob' = PASSWORD('{}')\"",
    "python manage.py shell -c \"u.set_password('{}'); u.save()\"",
    '[Environment]::SetEnvironmentVariable("API_KEY", "{}", "User")',
    "vault login {}",
    "bw unlock {}",
    "ngrok authtoken {}",
    "openssl passwd -6 {}",
    "docker login --username bob -p{} reg.io",
    "setx API_TOKEN {}",
    "set -gx API_TOKEN {}",
    "curl -H 'Subscription-Key: {}' https://x.org",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_value_is_known_by_where_it_stands(command: str) -> None:
    command = command.format(VALUE)
    assert VALUE not in mask_command(command)
    assert not [text for text in Session().runs(command, f"{FAILS}Error: {VALUE} denied").texts() if VALUE in text]


@pytest.mark.parametrize(
    "command",
    [
        "docker run -u root:root img",
        "docker run -u1000:1000 img",
        "sort -uk1:2 f",
        "grep -users:x f",
        "mytool --auth oauth",
        "docker login registry1x2y3z.example.com",
        "gcloud auth login bob1x2y@x.org",
        "az login --tenant 550e8400-e29b-41d4-a716-446655440000",
        "set -o pipefail",
        "setx NODE_VERSION 20",
        "gh variable set NODE_VERSION --body 20",
        "passwd bob",
        "bw unlock vault",
        "SSH_KEY=~/.ssh/id ./deploy",
        "./deploy --ssh-key /home/sam/.ssh/id_1",
        "./deploy --token-file ./a/b1c2",
        "curl -H 'Idempotency-Key: abc12345' https://x.org",
    ],
)
def test_words_that_look_like_it_stay(command: str) -> None:
    assert mask_command(command) == command


@pytest.mark.parametrize(
    "text",
    [
        "ParameterKey=VpcId,ParameterValue=vpc-1234567",
        '{"name":"NODE_ENV","value":"production1"}',
        "https://x.org/a?key=PROJ-12345678",
        "https://x.org/?key=description",
        "hooks/pre-commit-and-some-more-words",
        "webhook/orders/550-created-order-notification",
        "get_password('db.main')",
        "set_password(new_password)",
        "setItem('theme', 'dark12')",
        "set_option('max_tokens', '4096')",
        "obj.put('sort_key', 'abc12')",
        "password = hash(given)",
        "PASSWORD(name)",
        "/bot12:34",
        "hooks.slack.com/docs",
    ],
)
def test_texts_that_look_like_it_stay(text: str) -> None:
    assert mask_secrets(text) == text


def test_names_are_of_secrets_by_a_part_of_them() -> None:
    secret = "dbpass storepass keypass authkey TF_VAR_dbpass jwt psk --creds SIGNING_SALT hash_salt adminpwd"
    assert [name for name in secret.split() if not is_secret(name)] == []
    others = "compass bypass MYPAT author monkey hotkey keyboard basalt cobalt salt passenger credits publickey passed"
    assert [name for name in others.split() if is_secret(name)] == []


def test_a_drawn_word_is_one_in_which_letters_and_digits_take_turns() -> None:
    assert all(map(is_random, (VALUE, "a1b2c3d4", "9f86d081")))
    words = "release2 2024release python311x a1b2 sha256sum user@1a2b3c registry1a2b.org v1/2a3b4c abcdefgh 12345678"
    assert [word for word in words.split() if is_random(word)] == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("create_x", {"passwords": [VALUE]}),
        ("create_x", {"id": "a", "tokens": [VALUE, "b"]}),
        ("create_x", {"args": ["--token", VALUE]}),
        ("create_x", {"name": "a", "env": ["A=1", f"TOKEN={VALUE}"]}),
        ("setSecret", {"name": "bob", "value": VALUE}),
        ("create_x", {"id": "a", "vars": [{"key": "DB_PASSWORD", "value": VALUE}]}),
    ],
)
@pytest.mark.parametrize("said", ["ok", f"Error: bad {VALUE}", None])
def test_elements_and_settings_of_tools_are_told_without_values(
    tool: str, arguments: dict[str, Any], said: str | None
) -> None:
    texts = Session().calls(tool, said, **arguments).texts()
    assert texts
    assert not [text for text in texts if VALUE in text]


@pytest.mark.parametrize("name", ["puk", "ssn", "passcode"])
@pytest.mark.parametrize("text", ['{{"{}": "8811-7722"}}', '{{\\"{}\\": \\"8811-7722\\"}}', "{}=8811-7722"])
def test_numbers_that_one_person_knows_alone_are_not_told(name: str, text: str) -> None:
    assert "7722" not in mask_secrets(text.format(name))


def test_lists_of_other_things_are_told() -> None:
    assert Session().calls("create_x", "ok", id="a", labels=["red", "b1c2d3e4"]).texts() == [
        "create_x a (labels red; b1c2d3e4)"
    ]
    assert secrets_in_arguments("create_x", {"labels": ["red", "b1c2d3e4"], "args": ["--name", "b1c2d3e4"]}, "") == []


def test_names_that_are_no_text_are_read() -> None:
    arguments: dict[Any, Any] = {1: "x", "password": VALUE}
    assert not is_secret_argument(1, arguments)
    assert secrets_in_arguments("t", arguments, "") == [VALUE]


@pytest.mark.parametrize(
    "part",
    ["hook/", "name=a,", "set_password('", "?key=", "AddKey(", "key=a,value=", "-ua:", "hooks.a", "password=crypt("],
)
def test_time_is_as_the_length(part: str) -> None:
    text = (part * 20_000)[:60_000]
    start = time.process_time()
    mask_secrets(text)
    assert time.process_time() - start < 2
