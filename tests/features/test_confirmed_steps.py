"""Acts of one command of which a later part failed."""

from __future__ import annotations

import pytest

from tests.features.working import FAILS, Session

_IMPORTS = (
    "terraform import quay_host.bell d3c9e6a0-6c55-49b7; terraform import quay_disk.bell 9f00d2aa-7711; "
    "terraform plan -no-color | tail -20"
)
_REFUSED = "\n\nError: Instance cannot be destroyed"


@pytest.mark.parametrize("before", ["", FAILS])
def test_what_an_output_confirms_is_done_though_the_last_part_of_the_command_failed(before: str) -> None:
    said = before + "quay_host.bell: Import successful!\nquay_disk.bell: Preparing\nImport successful!" + _REFUSED
    assert Session().runs(_IMPORTS, said).texts("effect") == [
        "terraform import quay_disk.bell 9f00d2aa-7711",
        "terraform import quay_host.bell d3c9e6a0-6c55-49b7",
    ]


_SCALE = "kubectl scale deployment/harbour --replicas=3; kubectl delete pod quay-2; kubectl apply -f x.yaml | tail"
_GONE = 'pod "quay-2" deleted\n'
_UNREACHABLE = "error: unable to read x.yaml"


@pytest.mark.parametrize(
    ("command", "said", "told"),
    [
        (_SCALE, "deployment.apps/harbour scaled\n" + _GONE + _UNREACHABLE, 2),
        (_SCALE, _GONE + _UNREACHABLE, 1),
        (_SCALE, _UNREACHABLE + "\ndeployment.apps/harbour scaled\n" + _GONE, 0),
        (_SCALE, "deployment.apps/harbour not scaled\npod quay-2 will be deleted\n" + _UNREACHABLE, 0),
        (_SCALE, "deployment.apps/harbour\nscaled quay-3\n" + _UNREACHABLE, 0),
        (_SCALE, "deployment.apps/harbour-old scaled\npod my-quay-2 deleted\n" + _UNREACHABLE, 0),
        (_SCALE, "Scaling harbour to 3\n" + _GONE + _UNREACHABLE, 1),
        (_SCALE, 'pods "quay-2": is quay-2 deleted?\n' + _UNREACHABLE, 0),
        (_IMPORTS, "quay_host.bell: Importing\nquay_disk.bell: Import successful!" + _REFUSED, 1),
        (_IMPORTS, "Import successful!\nImport successful!" + _REFUSED, 0),
        (_IMPORTS, "quay_host.bell: Import was not successful" + _REFUSED, 0),
        (_IMPORTS, "quay_host.bell: 0 of 1 succeeded\nquay_disk.bell: partial success" + _REFUSED, 0),
        (
            "kubectl delete pod bell-a bell-b | tail; kubectl get pods",
            'pod "bell-a" deleted\nError from server (NotFound): no pods',
            0,
        ),
        (
            "kubectl scale deploy/bell --replicas=1; kubectl delete deploy/bell; kubectl get | tail",
            "deployment.apps/bell deleted\nerror: no such resource",
            0,
        ),
    ],
)
def test_of_the_acts_of_a_failed_command_those_count_that_its_output_names_as_done(
    command: str, said: str, told: int
) -> None:
    assert len(Session().runs(command, said).texts("effect")) == told
