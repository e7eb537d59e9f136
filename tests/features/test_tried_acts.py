"""Commands that only say what they would do, or say that they did nothing, are not told as done."""

from __future__ import annotations

import pytest

from tests.features.working import Session


@pytest.mark.parametrize(
    "command",
    [
        "aws ec2 terminate-instances help",
        "aws ec2 run-instances --generate-cli-skeleton",
        "aws ec2 run-instances --generate-cli-skeleton output",
        "az deployment group create -g shop -f main.bicep --what-if",
        "terraform apply -help",
        "php artisan migrate --pretend",
        "git push -n",
        "git push -fn origin main",
        "git clean -fdn",
        "kubectl create deployment web --image=web --dry-run=client -o yaml",
        "helm upgrade web chart --dry-run",
        "gcloud builds submit --validate-only",
        "gcloud run services describe update",
        "gcloud projects get-iam-policy delete",
        "az group show create",
    ],
)
def test_a_command_that_only_tries_is_not_told(command: str) -> None:
    assert Session().runs(command, "All is well.").texts() == []


@pytest.mark.parametrize(
    "command",
    [
        "kubectl create deployment web --image=web --dry-run=none",
        "kubectl create deployment web --image=web --dry-run=false",
        "kubectl delete pod help",
        "git push -on main",
        "git push -u origin main",
        "git push origin help",
        "gcloud run services delete describe",
        "gcloud logging logs delete shop",
        "az search service create -n shop",
        "kubectl apply -f pretend.yaml",
        "helm upgrade what-if chart",
    ],
)
def test_a_command_that_only_looks_like_a_try_is_told(command: str) -> None:
    assert Session().runs(command, "All is well.").texts() == [command]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            "aws ec2 terminate-instances --instance-ids i-1",
            "\nAn error occurred (UnauthorizedOperation) when calling the TerminateInstances operation: no",
        ),
        ("terraform apply", "╷\n│ Error: Invalid provider\n╵"),
        ("kubectl apply -f web.yaml", 'The Deployment "web" is invalid: spec.template: Required value'),
        ("systemctl restart web", "Job for web.service failed because the control process exited"),
        ("kubectl delete pod web", "Unable to connect to the server: dial tcp: lookup shop"),
        ("psql shop -c 'delete from carts'", 'psql: error: connection to server at "db" failed: refused'),
    ],
)
def test_a_command_that_says_it_gave_up_has_failed(command: str, said: str) -> None:
    (told,) = Session().runs(command, said).texts()
    assert told.startswith("failed: ")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("terraform apply", "Plan: 2 to add.\n\nApply cancelled."),
        ("terraform destroy", "Destroy cancelled."),
        ("kubectl edit deployment web", "Edit cancelled, no changes made."),
    ],
)
def test_a_command_that_was_called_off_is_not_told(command: str, said: str) -> None:
    assert Session().runs(command, said).texts() == []


@pytest.mark.parametrize(
    "said",
    [
        "deployment.apps/error configured",
        "No error occurred (3 tries)",
        "Edit cancelled orders: done",
        "The Deployment is valid",
        "The job for web.service failed-over before",
        "0 errors: none",
        "web configured\nNOTES:\nweb: error: pages are at /error",
        "web configured\nLast message: all is well",
    ],
)
def test_what_only_speaks_of_errors_leaves_a_command_done(said: str) -> None:
    assert Session().runs("kubectl apply -f web.yaml", said).texts() == ["kubectl apply -f web.yaml"]


def test_a_command_behind_another_that_may_have_gone_well_is_not_told() -> None:
    assert Session().runs("kubectl get pod web || kubectl delete pod api", "web  1/1  Running").texts() == []
    pushed = Session().runs("git push || git push -u origin main", "To shop\n   a1..b2  main -> main").texts()
    assert "git push -u origin main" in pushed
