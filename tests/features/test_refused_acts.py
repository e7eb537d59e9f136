"""Acts that failed though no exit code says so, and what sounds like it."""

from __future__ import annotations

import pytest

from tests.features.working import FAILS, Session


def _failed(texts: list[str]) -> list[str]:
    return [text for text in texts if text.startswith(("failed: ", "open error: "))]


_REFUSED = [
    ('gh pr create --title "a"', "pull request create failed: GraphQL: not accessible"),
    ("gh release create v1", "HTTP 403: Resource not accessible by integration"),
    ("gh pr merge 44", "X Pull request acme/svc#44 is not mergeable: the policy prohibits it"),
    ("docker push hub.example/a:1", "The push refers to a\n5f: Preparing\ndenied: requested access is denied"),
    ("aws s3 cp a s3://b/a", "upload failed: ./a to s3://b/a An error occurred (AccessDenied)"),
    ("curl -s -X POST https://a.example/hook -d x", '{"error":"internal"}500'),
    ("rm src/a.py", "rm: cannot remove 'src/a.py': Permission denied"),
    ("rm src/a.py", "rm: das Entfernen von 'src/a.py' ist nicht möglich: Keine Berechtigung"),
]


@pytest.mark.parametrize("before", ["", FAILS])
@pytest.mark.parametrize(("command", "said"), _REFUSED)
def test_a_command_that_was_refused_failed_with_and_without_an_exit_code(command: str, said: str, before: str) -> None:
    texts = Session().runs(command, before + said).texts()
    assert len(texts) == 1 == len(_failed(texts))


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ('gh pr create --title "Fix failed: retry"', "https://hub.example/a/b/pull/7"),
        ("gh pr merge 44", "✓ Squashed and merged pull request acme/svc#44 (Fix X: denied: no)"),
        ("kubectl apply -f a.yaml", "deployment.apps/a configured\nPods failed: 0"),
        ("ansible-playbook a.yml", "PLAY RECAP\nweb : ok=2 changed=1 unreachable=0 failed=0"),
        ("npm publish", "npm notice total files: 9\n+ app@1.0.0"),
        ("aws s3 cp a s3://b/a", "upload: ./failed.txt to s3://b/failed.txt"),
        ("curl -s -X POST https://a.example/hook -d x", '{"code": "A-500"}'),
        ("helm upgrade a ./a", 'Release "a" has been upgraded.\nNOTES:\nHTTP 404 pages are served by b'),
        ("terraform apply -auto-approve", "disk.failed: Creating...\nApply complete! Resources: 1 added"),
        ("docker push hub.example/denied:1", "denied: digest: sha256:aa size: 9\n1: digest: sha256:aa size: 1781"),
    ],
)
def test_what_only_sounds_so_took_place(command: str, said: str) -> None:
    assert not _failed(Session().runs(command, said).texts())


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("rm -v src/a.py", "removed 'src/a.py'"),
        ("mkdir -v out && rm src/a.py", "mkdir: created directory 'out'"),
        ("rm src/a.py", ""),
        ("rm src/a.py; rm --version", "rm (GNU coreutils) 9.1"),
    ],
)
def test_what_was_deleted_is_told(command: str, said: str) -> None:
    assert "deleted src/a.py" in Session().runs(command, said).texts("file")


def test_what_was_not_there_to_be_deleted_is_no_error() -> None:
    said = f"{FAILS}rm: cannot remove 'src/a.py': No such file or directory"
    assert not Session().runs("rm src/a.py", said).texts()


def test_a_later_deletion_makes_up_for_one_that_failed() -> None:
    session = Session().runs("rm src/a.py", f"{FAILS}rm: cannot remove 'src/a.py': Permission denied")
    assert not _failed(session.runs("rm src/a.py").texts())


@pytest.mark.parametrize(
    "said", ['HTTP 409\n{"message": "is locked"}', "MCP error -32603: is locked", "HTTP 409: is locked"]
)
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("block_card", {"card_id": "card-1"}),
        ("call_service", {"domain": "climate", "service": "set_temperature", "entity_id": "room"}),
        ("export_table", {"table": "t", "path": "a.csv"}),
        ("book_room", {"room": "R-12"}),
    ],
)
def test_a_server_that_answers_with_an_error_did_nothing(tool: str, arguments: dict[str, str], said: str) -> None:
    texts = Session().calls(tool, said, **arguments).texts()
    assert len(texts) == 1 == len(_failed(texts))
    assert "is locked" in texts[0]


@pytest.mark.parametrize(
    "said",
    [
        "HTTP 404 pages of the shop are now served by b.",
        "HTTP/1.1 is used.",
        "HTTP 201\n{}",
        "MCP error handling was set up.",
        "http 4096 bytes",
    ],
)
def test_what_is_about_such_errors_is_none(said: str) -> None:
    assert not _failed(Session().calls("configure_pages", said, name="errors").texts())


_REPORT = "Command: {0}\nDirectory: (root)\nOutput: {1}\nError: (none)\nExit Code: {2}\nSignal: (none)"


def test_a_report_of_an_output_is_read_without_its_labels() -> None:
    update = "psql -c \"UPDATE t SET a = 1 WHERE id = 'x'\""
    assert not _failed(Session().runs(update, _REPORT.format(update, "UPDATE 3", 0)).texts())
    said = _REPORT.format("npm publish", "npm error code E403", 1)
    assert Session().runs("npm publish", said).texts() == ["failed: npm publish: npm error code E403"]


@pytest.mark.parametrize("before", ["", FAILS])
def test_what_came_before_the_step_of_a_command_that_failed_took_place(before: str) -> None:
    said = f"{before}To hub\n ! [rejected] main -> main"
    texts = Session().runs("git commit -qam x && git push", said).texts("effect")
    assert [text.partition(":")[0] for text in texts] == ["failed", 'git commit "x"']
    texts = Session().runs("git commit -qam x; git push", f"{before}To hub\n ! [rejected] main -> main").texts("effect")
    assert all("commit" not in text for text in texts) or before == ""
