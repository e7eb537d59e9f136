"""What shell commands did to files: in each of the ways to write, move and remove them, and before a later step
failed."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.ledger import compute_ledger
from tests.features.working import FAILS, Session


def files(command, said="", seen=()):
    """What the state says of files after a command, without what checks say of them."""
    session = Session()
    for path in seen:
        session.calls("Read", "x", file_path=path)
    return [text.partition(",")[0] for text in session.runs(command, said).texts("file")]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("sed -i -e 's/a/b/' -e 's/c/d/' a.py", ["edited a.py"]),
        ("sed -i s/a/b/ a.py b.py c.py", ["edited c.py", "edited b.py", "edited a.py"]),
        ("sed -i '' 's/a/b/' a.py", ["edited a.py"]),
        ("sed -i .bak 's/a/b/' a.py", ["edited a.py"]),
        ("sed -nEi --expression=s/a/b/p a.py", ["edited a.py"]),
        ("timeout 5 sudo sed --in-place=.bak 's/a/b/' a.py", ["edited a.py"]),
        ("perl -pi -e 's/a/b/' a.py b.py", ["edited b.py", "edited a.py"]),
        ("perl -i.bak -pe 's/a/b/' a.py", ["edited a.py"]),
        ("perl -0pi -e 's/a/b/' a.py", ["edited a.py"]),
        ("echo X=1 > .env", ["wrote .env"]),
        ("cat > Dockerfile <<EOF\nFROM x\nRUN rm old.py > log.txt\nEOF", ["wrote Dockerfile"]),
        ("cat > 'my file.txt' < x", ["wrote my file.txt"]),
        ("(make; ls) >| out/all.log 2>&1", ["wrote out/all.log"]),
        ("bash -lc 'cat > a.py' <<EOF\nx\nEOF", ["wrote a.py"]),
        ("make 2>&1 | tee -a config.yml | tail -3", ["edited config.yml"]),
        ("make > >(tee make.log)", ["edited make.log"]),
        ("git apply <<'EOF'\n--- a/x.py\n+++ b/x.py\n@@\nEOF", ["edited x.py"]),
        ("cat > d.diff <<EOF\n--- a/x.py\n+++ b/x.py\n@@\nEOF\npatch < d.diff", ["edited x.py", "wrote d.diff"]),
        ("./apply <<EOF\n*** Begin Patch\n*** Add File: x.py\n+1\n*** End Patch\nEOF", ["created x.py"]),
        ("touch new.py 'b c.py'", ["created b c.py", "created new.py"]),
        ("rm -rf build/ src/old", ["deleted src/old", "deleted build"]),
        ("rm -f -- a.py -b.py *.pyc $TMP/x", ["deleted -b.py", "deleted a.py"]),
        ("git rm -q ./a.py docs/b.md", ["deleted docs/b.md", "deleted a.py"]),
        ("mv a.py b.py", ["created b.py", "deleted a.py"]),
        ("mv a.py b.py dir/", ["created dir/b.py", "created dir/a.py", "deleted b.py", "deleted a.py"]),
        ("git -C /w mv a.py lib/", ["created lib/a.py", "deleted a.py"]),
        ("mkdir -p dir && mv a.py dir", ["created dir/a.py", "deleted a.py"]),
        ("cp -t dir a.py", ["created dir/a.py"]),
        ("cp .env.example .env", ["created .env"]),
    ],
)  # fmt: skip
def test_commands_say_which_files_they_change(command, expected):
    assert sorted(files(command)) == sorted(expected)


PROGRAM = """
from pathlib import Path
page = Path("docs/page.md")
name = 'c.json'
page.write_text(page.read_text().replace("a", "b"))
Path('b.py').write_bytes(b"")
with open("a.py", "w") as file: file.write(open("read.py").read())
with open(name, mode='a') as file: file.write("x")
open(f"{name}.py", "w")
"""
WRITTEN = ["edited a.py", "edited b.py", "edited c.json", "edited docs/page.md"]


@pytest.mark.parametrize(
    "command",
    [f"python - <<'EOF'{PROGRAM}EOF", f"cat > /tmp/fix.py <<'EOF'{PROGRAM}EOF\npython3 /tmp/fix.py"],
)
def test_a_program_in_the_command_says_which_files_it_writes(command):
    assert sorted(files(command)) == WRITTEN
    assert files(f"cat > /tmp/fix.py <<'EOF'{PROGRAM}EOF") == []  # nobody ran it


@pytest.mark.parametrize(
    "command",
    [
        "aws s3 cp a s3://b/c",
        "cp a.py host:/srv/a.py",
        "python gen.py > s3://bucket/all.json",
        "docker cp box:/a.py b.py",
        "ssh host 'rm a.py; cat > b.py'",
        "make > /dev/null 2> /dev/stderr >&2",
        "diff <(sort a.py) <(sort b.py)",
        "echo 'a > b.txt'",
        "[[ a > b.txt ]] && echo a -> b.txt",
        "size > limit",  # no shell may have read it
        "sed -n '1,5p' a.py",
        "perl -MList::Util -ne 'print' a.py",
        "git apply fix.diff",
        "git apply --check <<'EOF'\n--- a/x.py\n+++ b/x.py\n@@\nEOF",
        "git rm --cached a.py",
        "cp a.py dir",  # a file or a folder, nobody knows
        "touch src/lib.rs && cargo build",
        "cat > run.py <<EOF\nx\nEOF\npython run.py; rm run.py",  # gone before anyone could see it
    ],
)
def test_what_is_no_file_of_the_session_is_not_told(command):
    assert files(command) == []


def test_what_is_written_anew_may_be_new_and_is_edited_when_it_is_known():
    assert files("echo a > a.py") == ["wrote a.py"]
    assert files("echo a > a.py", seen=["a.py"]) == ["edited a.py"]
    session = Session().runs("echo a > a.py").runs("echo b > a.py")
    assert session.texts() == ["wrote a.py, edited 1x, unchecked"]
    assert Session().texts(earlier=session.texts()) == ["wrote a.py, edited 1x, unchecked"]
    assert session.runs("rm a.py").runs("echo c > a.py").texts() == ["wrote a.py, unchecked"]


def test_a_file_that_was_there_is_edited_by_what_takes_its_place():
    assert files("jq . a.json > tmp && mv tmp a.json") == ["edited a.json"]
    assert files("cp other.py a.py", seen=["a.py"]) == ["edited a.py"]
    assert Session().edits("a.py").calls("Write", file_path="a.py", content="x").texts() == [
        "edited a.py 2x, unchecked"
    ]


@pytest.mark.parametrize(
    ("edited", "command", "deleted"),
    [
        ("src/a.py", "rm -rf src && mkdir -p src", "src"),
        ("src/pkg/a.py", "mkdir -p src/pkg && cp -r src/pkg /srv/pkg && rm -rf src/pkg", "src/pkg"),
        ("src/notes", "rm -f src/notes && mkdir -p src/notes", "src/notes"),
        ("src/a.py", "mv src/a.py pkg/b.py && mkdir -p src/a.py", "src/a.py"),
    ],
)
def test_what_was_changed_in_it_before_is_deleted(edited, command, deleted):
    session = Session().edits(edited).runs("pytest -q", "3 passed").runs(command)
    assert f"deleted {deleted}" in [text.partition(",")[0] for text in session.texts("file")]
    assert session.texts("check") == ["passed: pytest -q (before the last edits)"]


def test_of_a_folder_that_was_deleted_nothing_is_left():
    session = Session().edits("/w/src/old/a.py").edits("src/b.py").edits("src/old.py").runs("cd /w && rm -rf src/old/")
    assert session.texts() == ["edited src/old.py, unchecked", "edited src/b.py, unchecked", "deleted src/old"]


# a command that failed in the end


@pytest.mark.parametrize(
    ("command", "said", "expected"),
    [
        ("sed -i 's/a/b/' src/a.py && pytest -q", "1 failed", ["edited src/a.py"]),
        ("cat > src/new.py <<'EOF'\nx\nEOF\npython src/new.py", "Traceback", ["wrote src/new.py"]),
        ("cd src && rm a.py; ruff check . | tail && mypy && touch b.py", "", ["deleted a.py"]),
        ("cat > run.py <<EOF\nx\nEOF\npython run.py && rm run.py", "Traceback", ["wrote run.py"]),
        ("pytest -q > out.log", "", ["wrote out.log"]),
        ("pytest -q 2>&1 | tee out.log", "1 failed", ["edited out.log"]),
        ("python gen.py > all.json", "Traceback", []),
        ("make; sed -i s/a/b/ a.py", "sed: can't read a.py", []),
        ("pytest -q && sed -i s/a/b/ a.py && git push", "1 failed", []),  # pytest may be what failed
        ("sed -i s/a/b/ a.py || exit 1", "", []),
        ("rm a.py b.py; pytest", "rm: cannot remove 'a.py': No such file or directory", ["deleted b.py"]),
        ("cat > no/a.py <<EOF\nx\nEOF\npython b.py", "bash: line 1: no/a.py: No such file or directory", []),
        ("git checkout -- a.py; make", "error: pathspec 'a.py' did not match any file(s)", []),
        ("sed -i s/a/b/ a.py && black .", "error: cannot format a.py: Cannot parse", ["edited a.py"]),
        ("cd no && rm a.py && pytest", "bash: line 1: cd: no: No such file or directory", []),
    ],
)
def test_what_the_steps_did_before_one_failed_is_told(command, said, expected):
    assert files(command, FAILS + said) == expected
    found = compute_ledger(Session().runs(command, FAILS + said).messages).files
    told = [f"{action} {path}" for path, fact in found.items() for action in fact.actions]
    assert told == [text.replace("wrote", "edited") for text in expected]


def test_the_check_that_failed_is_told_with_the_file_that_was_changed_before_it():
    session = Session().runs("sed -i 's/a/b/' src/a.py && pytest -q", f"{FAILS}1 failed")
    assert session.texts() == ["failing: pytest -q", "edited src/a.py, tests failed after"]
    session = Session().runs("cat > a.py <<EOF\nx\nEOF\npython a.py", f"{FAILS}Traceback")
    assert session.texts("file") == ["wrote a.py"]


def test_a_check_is_after_what_its_own_command_changed_before_it():
    assert Session().runs("sed -i s/a/b/ a.py && pytest", "1 passed").texts("file") == [
        "edited a.py, tests passed after"
    ]
    assert Session().runs("pytest && sed -i s/a/b/ a.py", "1 passed").texts("file") == ["edited a.py, unchecked"]
    command = "pytest; sed -i s/a/b/ a.py; python b.py"
    assert Session().edits("b.py").runs(command, "1 passed").texts("file")[0] == "edited a.py, unchecked"


def test_of_a_command_that_was_declined_nothing_is_told():
    said = "The user doesn't want to proceed with this tool use."
    assert files("rm a.py; pytest", said) == []
    assert compute_ledger(Session().runs("rm a.py; pytest", said).messages).files == {}


# changes that are taken back


def test_a_hard_reset_takes_back_all_that_was_not_committed():
    session = (
        Session().edits("a.py").edits("b.py").runs("pytest", "1 passed").runs("git reset --hard", "HEAD is now at 1")
    )
    assert session.texts("file") == ["restored b.py", "restored a.py"]
    assert session.edits("a.py").texts("file") == ["edited a.py, unchecked", "restored b.py"]
    assert Session().runs("echo x >> .env").runs("git reset --hard").texts("file") == ["restored .env"]


def test_what_was_committed_stays():
    session = Session().edits("a.py").edits("b.py").runs("git commit -am x").edits("b.py").edits("c.py")
    session.runs("git checkout -- . && git merge dev", f"{FAILS}CONFLICT (content): in a.py")
    assert session.texts("file") == ["edited b.py, unchecked", "edited a.py, unchecked", "restored c.py"]
    session.runs("git commit --amend --no-edit").runs("git reset --hard HEAD~1")
    assert session.texts("file") == ["restored c.py"]


def test_new_files_that_git_does_not_know_stay_until_they_are_cleaned():
    session = Session().runs("touch n.txt m.txt").runs("cat > o.txt <<EOF\nx\nEOF").edits("a.py").runs("git checkout .")
    session.runs("git reset --hard")
    assert session.texts("file") == ["wrote o.txt", "created m.txt", "created n.txt", "restored a.py"]
    session.runs("git clean -n", "Would remove m.txt").runs("git clean -fd", "Removing n.txt\nRemoving out/")
    assert session.texts("file") == ["wrote o.txt", "created m.txt", "deleted n.txt", "restored a.py"]


def test_new_files_that_git_knows_go_with_a_hard_reset():
    session = Session().runs("touch n.txt m.txt").runs("git add n.txt && git checkout .")
    assert session.texts("file") == ["created m.txt", "created n.txt"]
    assert session.runs("git reset --hard").texts("file") == ["created m.txt", "deleted n.txt"]


def test_new_files_stay_when_another_folder_is_reset():
    session = Session().runs("cd /w && ls").runs("cd /w && ls").runs("cd /w && touch n.txt && git add n.txt")
    assert session.runs("git -C /other reset --hard").texts("file") == ["created n.txt"]
    assert session.runs("cd /w && git reset --hard").texts("file") == ["deleted n.txt"]


def test_stashed_changes_are_gone_until_they_come_back():
    session = Session().edits("a.py").runs("touch n.txt").runs("git stash")
    assert session.texts("file") == ["created n.txt", "restored a.py"]
    session.edits("b.py").runs("git stash push -m 'b, too'").runs("git stash drop")
    assert session.texts("file") == ["created n.txt", "restored b.py", "restored a.py"]
    session.runs("pytest", "1 passed").runs("git stash", "No local changes to save").runs("git stash pop")
    assert "edited a.py, unchecked" in session.texts("file")


@pytest.mark.parametrize("stash", ["git stash", "git stash push a.py"])
def test_changes_that_were_stashed_for_one_command_are_as_they_were(stash):
    session = Session().edits("a.py").runs("pytest", "1 passed").edits("b.py").runs(f"{stash}; ls; git stash pop")
    assert session.texts("file") == ["edited b.py, unchecked", "edited a.py, tests passed after"]


@pytest.mark.parametrize("command", ["cd /other && {}", "git -C /other reset --hard", "cd /other; cd x/.. && {}"])
def test_a_reset_in_another_folder_takes_back_what_is_there(command):
    session = Session().runs("cd /w && ls").runs("cd /w && ls").runs("cd /w && ls").edits("/w/a.py").edits("b.py")
    session.edits("/other/c.py").runs(command.format("git reset --hard"))
    expected = ["edited b.py, unchecked", "edited a.py, unchecked"]
    assert session.texts("file")[:2] == expected
    assert "restored /other/c.py" in session.texts("file")


def test_what_an_earlier_round_tells_is_taken_back_unless_it_was_committed():
    session = Session().runs("git reset --hard")
    told = ["edited a.py, tests passed after", "created n.py, unchecked"]
    assert session.texts("file", told) == ["created n.py, unchecked", "restored a.py"]
    assert session.texts("file", ['git commit "Fix" (1a2b3c4)', *told]) == [told[0], told[1]]


@pytest.mark.parametrize(
    "command", ["git checkout -f main", "git switch --discard-changes main", "git restore -s HEAD~1 a.py"]
)
def test_other_ways_to_discard_changes(command):
    assert Session().edits("a.py").runs(command).texts("file") == ["restored a.py"]


@pytest.mark.parametrize(
    "command", ["git checkout main", "git checkout release/1.2", "git restore --staged a.py", "git reset HEAD a.py"]
)
def test_moving_between_branches_and_unstaging_takes_nothing_back(command):
    assert Session().edits("a.py").runs(command).texts("file") == ["edited a.py, unchecked"]


def test_a_new_file_that_git_was_not_told_of_stays_whatever_is_reset():
    session = (
        Session().calls("Write", file_path="a.py", content="x").runs("git reset --hard HEAD~2", "HEAD is now at 0a1b2")
    )
    assert session.texts("file") == ["wrote a.py, unchecked"]
