"""Checks of variants: tasks of Gradle that are called after what they build, toolchains, schemes."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.checks import find_check
from compactor_cli.text.shell import parse_steps
from tests.features.working import Session

_KINDS = {
    "./gradlew assembleRelease": "build",
    "gradle :quay:compileDebugKotlin --stacktrace": "build",
    "./gradlew testDebugUnitTest --tests QuayTest": "tests",
    "./gradlew connectedAndroidTest": "tests",
    "./gradlew connectedCheck": "tests",
    "./gradlew :quay:lintRelease": "lint",
    "./gradlew spotlessCheck": "lint",
    "./gradlew build -x test": "build",
    "cargo +1.74 check": "build",
    "cargo +nightly fmt --check": "lint",
    "xcodebuild -scheme Quay test": "tests",
    "xcodebuild clean build": "build",
    "xcodebuild -scheme Quay clean archive": "build",
    "xcodebuild -scheme Quay": "build",
    "./gradlew test -x dry-run": "tests",
}
_NO_CHECKS = [
    *("./gradlew installDebug", "./gradlew cleanTestDebugUnitTest", "./gradlew testClasses", "./gradlew lintFix"),
    *("./gradlew processTestResources", "./gradlew buildEnvironment", "./gradlew generateTestReport"),
    *("./gradlew spotlessApply", "./gradlew bundleRelease", "./gradlew checkDebugManifest", "mvn integrationTest"),
    *("./gradlew help -x testDebugUnitTest", "cargo +nightly fmt", "cargo +stable install quay", "xcodebuild -list"),
    *("./gradlew test -m", "gradle build --dry-run"),
]


def _kind(command: str) -> str | None:
    check = find_check(parse_steps(command)[0])
    return check.kind if check else None


def test_tasks_that_are_called_after_a_variant_are_checks() -> None:
    assert {command: _kind(command) for command in _KINDS} == _KINDS
    assert [command for command in _NO_CHECKS if _kind(command)] == []


_BROKEN = {"build": "BUILD FAILED in 3s", "cargo": "error[E0433]: no crate `bell`"}
_FINE = {"build": "BUILD SUCCESSFUL in 9s", "cargo": "    Finished `dev` profile in 3.20s"}


@pytest.mark.parametrize(
    ("failed", "passed", "is_over"),
    [
        ("./gradlew assembleRelease", "./gradlew assembleRelease --stacktrace", True),
        ("./gradlew assembleRelease", "./gradlew assembleDebug", False),
        ("./gradlew assembleRelease", "./gradlew :quay:assembleRelease", False),
        ("./gradlew :quay:assembleRelease", "./gradlew :bell:assembleRelease", False),
        ("./gradlew assemble", "./gradlew assembleDebug", False),
        ("./gradlew assembleDebug", "./gradlew assemble", True),
        ("./gradlew testDebugUnitTest", "./gradlew test -Pci=1", False),
        ("./gradlew testDebugUnitTest", "./gradlew test", True),
        ("./gradlew connectedAndroidTest", "./gradlew test", False),
        ("./gradlew connectedAndroidTest", "./gradlew testDebugUnitTest", False),
        ("./gradlew test", "./gradlew build -x test", False),
        ("cargo +1.74 check", "cargo +1.74 check -q", True),
        ("cargo +1.74 check", "cargo check", False),
        ("cargo check", "cargo +1.74 check", False),
        ("xcodebuild -scheme Quay test", "xcodebuild -scheme Quay -quiet test", True),
        ("xcodebuild -scheme Quay test", "xcodebuild -scheme Bell test", False),
        ("xcodebuild -scheme Quay test", "xcodebuild -scheme Quay test -only-testing:QuayTests/Open", False),
        ("xcodebuild -scheme Quay test -only-testing A", "xcodebuild -scheme Quay test -only-testing B", False),
        ("xcodebuild -scheme Quay test -only-testing:A", "xcodebuild -scheme Quay test -skip-testing:A", False),
        ("xcodebuild -scheme TestApp test", "xcodebuild -scheme Other test", False),
        ("xcodebuild -scheme 'Quay :Bell' test", "xcodebuild -scheme Quay :Bell test", False),
        ("xcodebuild -scheme 日本 test", "xcodebuild -scheme Quay test", False),
        (
            "xcodebuild -workspace A.xcworkspace test",
            "xcodebuild -workspace B.xcworkspace test",
            False,
        ),
        ("xcodebuild -project A.xcodeproj -target T", "xcodebuild -project A.xcodeproj -target U", False),
        ("xcodebuild -scheme Q -destination 'name=A B' test", "xcodebuild -scheme Q -destination 'name=C' test", False),
        ("xcodebuild -scheme Q -configuration Release test", "xcodebuild -scheme Q -configuration Debug test", False),
        (
            "xcodebuild -scheme Q -configuration Debug test",
            "xcodebuild test -configuration Debug -scheme Q",
            True,
        ),
        ("xcodebuild -scheme Quay archive", "xcodebuild -scheme Quay build", False),
        ("cargo +nightly check", "cargo check --features nightly", False),
        ("cargo +1.74 check", "cargo check 1", False),
        ("./gradlew assembleRelease", "./gradlew assemble -x assembleRelease", False),
        ("./gradlew build", "./gradlew build -x test", False),
        ("./gradlew assembleDebugAndroidTest", "./gradlew assemble", False),
        ("./gradlew lintRelease", "./gradlew lint", False),
        ("./gradlew testDebugUnitTest", "./gradlew test -m", False),
        ("./gradlew -Pflavor=a assembleRelease", "./gradlew -Pflavor=b assembleRelease", False),
        ("./gradlew -Pflavor=a assembleRelease", "./gradlew -Pflavor=b assemble", False),
        ("./gradlew -P flavor=a assembleRelease", "./gradlew assembleRelease", False),
    ],
)
def test_a_check_of_a_variant_is_over_by_one_that_includes_it(failed: str, passed: str, *, is_over: bool) -> None:
    of = "cargo" if failed.startswith("cargo") else "build"
    session = Session().runs(f"{failed} 2>&1 | tail", _BROKEN[of]).runs(f"{passed} 2>&1 | tail", _FINE[of])
    assert any(line.open for line in session.state()) is not is_over


def test_a_stopped_build_of_ninja_failed() -> None:
    (line,) = Session().runs("ninja -C out | tail -1", "ninja: build stopped: subcommand failed.").texts("check")
    assert line == "failing: ninja -C out: ninja: build stopped: subcommand failed."
