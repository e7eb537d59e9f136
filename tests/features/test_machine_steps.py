"""Steps of shell commands that change a machine."""

from __future__ import annotations

import pytest

from tests.features.working import Session


@pytest.mark.parametrize(
    "command",
    [
        *(
            "docker compose up -d api",
            "docker-compose -f a.yml down",
            "ansible-playbook site.yml",
            "crontab jobs.txt",
            "redis-cli -n 2 DEL k",
        ),
    ],
)
def test_what_changes_a_machine_is_told(command: str) -> None:
    assert Session().runs(command, "done").texts("effect") == [command]


@pytest.mark.parametrize(
    "command",
    [
        *("npm install", "pip install -r requirements.txt", "pip install -e .", "pip install .", "npm ci", "yarn"),
        *("pip list", "cargo build", "apt-get update", "docker build .", "docker compose ps", "docker compose logs up"),
        *(
            "ansible-playbook --check site.yml",
            "ansible-playbook --syntax-check a.yml",
            "crontab -l",
            "redis-cli GET k",
        ),
        *("pip download httpx", "brew list jq", "uv run pip", "npm run add", "pip install ./dist/a-1.0.whl"),
    ],
)
def test_what_brings_what_is_there_anyway_or_looks_is_not(command: str) -> None:
    assert Session().runs(command, "done").texts("effect") == []


@pytest.mark.parametrize(
    ("command", "said", "told"),
    [
        ("git tag v2", "HookError: tag name is reserved", "failed: git tag v2: HookError: tag name is reserved"),
        ("git push origin v2", "<status>REJECTED</status>", "failed: git push origin v2: status REJECTED"),
        ("gh pr merge 7", "Queued for approval by ann", "waits: gh pr merge 7: Queued for approval by ann"),
        ("git commit -m 'Fix error: x'", "[main 1234567] Fix error: x", 'git commit "Fix error: x" (1234567)'),
        ("kubectl apply -f a.yml", "deployment.apps/error configured", "kubectl apply -f a.yml"),
    ],
)
def test_a_statement_alone_says_how_a_step_came_out(command: str, said: str, told: str) -> None:
    text = Session().runs(command, said).texts("effect")
    assert text in ([told], [told.replace("status REJECTED", "REJECTED")])


@pytest.mark.parametrize("said", ["1 row", "OK. CREATE TABLE AS: 48,112 rows", "done", "OK (1,204 rows merged)"])
def test_a_line_confirms_a_change_in_a_database(said: str) -> None:
    assert Session().calls("run_sql", said, sql="create table a as select 1").texts() == [
        "run_sql create table a as select 1"
    ]
    assert Session().calls("run_sql", "valid", sql="create table a as select 1").texts() == []
