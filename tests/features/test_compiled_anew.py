"""Tests that passed say that what they test compiles: a build of it that failed before is out of date."""

from __future__ import annotations

import pytest

from tests.features.working import FAILS, Session

PASS = "exit code: 0"
UNDEFINED = "# tide\nvet: ./tide.go:3:2: undefined: high\nexit code: 1"
FORMAT = "# tide\n./tide.go:3:2: fmt.Printf format %d has arg x of wrong type string\nexit code: 1"


def failing(session):
    return [text for text in session.texts("check") if text.startswith("failing")]


@pytest.mark.parametrize(
    ("build", "said", "tests"),
    [
        ("go build ./...", "# tide\n./tide.go:3:2: undefined: high\nexit code: 1", "go test ./..."),
        ("go build ./tank", f"{FAILS}./tank/a.go:3:2: undefined: high", "go test ./tank/"),
        ("cargo build", f"{FAILS}error[E0425]: cannot find value", "cargo test"),
    ],
)
def test_a_build_that_failed_is_over_when_tests_of_the_same_passed(build, said, tests):
    assert len(failing(Session().runs(build, said))) == 1
    assert failing(Session().runs(build, said).runs(tests, PASS)) == []


@pytest.mark.parametrize(
    ("build", "said", "tests"),
    [
        ("go vet ./...", FORMAT, "go test ./..."),
        ("go build ./...", UNDEFINED, "go test ./tank"),
        ("go build ./tank", UNDEFINED, "go test ./deck"),
        ("go build -tags=deep ./...", UNDEFINED, "go test ./..."),
        ("cd deck && go build", UNDEFINED, "cd tank && go test"),
        ("go build ./...", UNDEFINED, "cargo test"),
        ("cargo clippy", f"{FAILS}error: this loop never loops", "cargo test"),
        ("cargo clippy", f"{FAILS}error: this could be a const\nerror[E0425]: cannot find", "cargo test"),
        ("go vet ./...", f"{UNDEFINED}\n./tide.go:9:2: unreachable code", "go test ./..."),
        ("mvn package", f"{FAILS}[ERROR] Failed to execute goal jar", "mvn test"),
        ("./gradlew assemble", f"{FAILS}BUILD FAILED\nerror: signing", "./gradlew test"),
        ("dotnet build", f"{FAILS}a.cs(3,1): error CS0103: no such name", "dotnet test"),
        ("dotnet build -c Release", f"{FAILS}a.cs(3,1): error CS0103: no name", "dotnet test --configuration Release"),
        ("mvn package", f"{FAILS}[ERROR] COMPILATION ERROR :", "mvn test"),
        ("./gradlew assemble", f"{FAILS}Execution failed for task ':app:compileJava'.", "./gradlew test"),
        ("./gradlew :a:build", f"{FAILS}Execution failed for task ':a:compileJava'.", "./gradlew :b:test"),
        ("mvn compile", f"{FAILS}[ERROR] COMPILATION ERROR :", "mvn test -pl a"),
        ("stack build", f"{FAILS}error: no such name", "stack test"),
        ("dotnet build -c Release", f"{FAILS}a.cs(3,1): error CS0103: no name", "dotnet test"),
        ("dotnet build", f"{FAILS}a.cs(3,1): error CS0103: no name", "dotnet test --no-build"),
        ("cmake --build b", f"{FAILS}a.cpp:3:1: error: no such thing", "ctest --test-dir b"),
        ("flutter build apk", f"{FAILS}BUILD FAILED", "flutter test"),
        ("npm run build", f"{FAILS}error TS2304", "npm test"),
        ("go build ./...", UNDEFINED, "go test ./... -run Nothing # no tests to run"),
    ],
)
def test_tests_of_other_things_and_what_a_linter_thinks_leave_it(build, said, tests):
    tests, _, nothing = tests.partition(" # ")
    assert len(failing(Session().runs(build, said).runs(tests, f"{nothing}\n{PASS}"))) == 1
