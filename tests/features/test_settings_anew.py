"""Commands that set something: a later one makes up for an earlier one only where it sets the same of the same."""

from __future__ import annotations

import pytest

from tests.features.working import Session


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("kubectl label pods -l app=a team=x", "kubectl label pods -l app=b team=x"),
        ("kubectl label pods --selector=app=a team=x", "kubectl label pods --selector=app=b team=x"),
        ("kubectl scale deploy -l app=a --replicas=0", "kubectl scale deploy -l app=b --replicas=0"),
        ("kubectl annotate pods --field-selector a=1 x=1", "kubectl annotate pods --field-selector a=2 x=1"),
        ("kubectl label pod web team=x", "kubectl label pod web tier=x"),
        ("kubectl label pod web team=x tier=a", "kubectl label pod web team=y"),
        ("kubectl taint node a k=v:NoSchedule", "kubectl taint node a k=v:NoExecute"),
        ("aws cloudwatch put-metric-alarm --dimensions Name=x", "aws cloudwatch put-metric-alarm --dimensions Name=z"),
        ("aws dynamodb put-item --item id=1", "aws dynamodb put-item --item id=2"),
        ("aws ssm update-window --targets Key=i,Values=1", "aws ssm update-window --targets Key=i,Values=2"),
        ("aws ssm update-window --targets Key=1 Key=2", "aws ssm update-window --targets Key=1 Key=3"),
        ("aws ecr put-image --image-tag 1", "aws ecr put-image --image-tag 2"),
        ("az vmss update --tag x -n a", "az vmss update --tag y -n a"),
        ("helm upgrade a chart --version 1", "helm upgrade a chart --version 2"),
        ("helm upgrade a chart --set x=1", "helm upgrade a chart --set y=1"),
        ("helm upgrade a chart --set x=1,y=2", "helm upgrade a chart --set x=3"),
        ("kubectl scale deploy/a --replicas=3", "kubectl scale deploy/b --replicas=3"),
    ],
)
def test_what_was_set_of_another_thing_stays(before: str, after: str) -> None:
    assert Session().runs(before, "Done.").runs(after, "Done.").texts() == [after, before]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("kubectl scale deploy/a --replicas=3", "kubectl scale deploy/a --replicas=5"),
        ("kubectl scale deploy/a --replicas 3", "kubectl scale deploy/a --replicas 5"),
        ("kubectl label pods -l app=a team=x", "kubectl label pods -l app=a team=y"),
        ("kubectl label pod web team=x", "kubectl label pod web team-"),
        ("kubectl set env deploy/a A=1", "kubectl set env deploy/a A=… B=…"),
        ("helm upgrade a chart --set x=1", "helm upgrade a chart --set x=2"),
        (
            "aws ecs update-service --name a --desired-count 3",
            "aws ecs update-service --name a --desired-count 5",
        ),
    ],
)
def test_the_same_set_anew_leaves_nothing_of_before(before: str, after: str) -> None:
    assert Session().runs(before, "Done.").runs(after, "Done.").texts() == [after]
