"""Changes that git takes back, wherever it runs and whatever the place is called, are not told as standing."""

from __future__ import annotations

import pytest

from tests.features.working import Session


def files(session):
    return session.texts("file")


@pytest.mark.parametrize("home", ["~/relay", "$HOME/relay", "${HOME}/relay", '"$HOME/relay"', "/home/sam/relay"])
def test_a_file_is_taken_back_whichever_way_the_folder_is_written(home):
    session = Session().runs(f"cd {home} && ls").edits("pump/valve.go")
    assert files(session.runs(f"cd {home} && git checkout pump/valve.go")) == ["restored pump/valve.go"]


def test_the_folder_of_a_user_is_the_same_written_out():
    session = Session().runs("cd /home/sam/relay && ls").runs("cd /home/sam/relay && make").edits("valve.go")
    session.edits("/home/sam/relay/pump.go").runs("cd ~/relay && git checkout .")
    assert files(session) == ["restored pump.go", "restored valve.go"]


def test_paths_are_said_from_the_folder_that_commands_write_from_the_user():
    session = Session().runs("cd ~/relay && ls").edits("/home/sam/relay/pump/valve.go")
    assert files(session) == ["edited pump/valve.go, unchecked"]


def test_a_check_in_the_main_folder_names_no_folder():
    session = Session().runs("cd ~/relay && ls").runs("cd ~/relay && pytest", "3 passed in 0.1s")
    assert session.texts("check") == ["passed: pytest"]


@pytest.mark.parametrize("other", ["~/relays", "~/other", "/srv/relay", "$HOME/else"])
def test_git_in_another_folder_takes_nothing_back(other):
    session = Session().runs("cd ~/relay && ls").runs("cd ~/relay && ls -a").edits("valve.go")
    assert files(session.runs(f"cd {other} && git checkout .")) == ["edited valve.go, unchecked"]


def test_a_folder_around_the_main_one_holds_its_files():
    session = Session().runs("cd /srv/relay/pump && ls").runs("cd /srv/relay/pump && make").edits("valve.go")
    assert files(session.runs("cd /srv/relay && git checkout .")) == ["restored valve.go"]


def test_all_of_a_folder_below_is_not_all():
    session = Session().edits("pump/valve.go").edits("tank/valve.go").runs("cd pump && git checkout .")
    assert files(session) == ["edited tank/valve.go, unchecked", "restored pump/valve.go"]
    session = Session().edits("pump/valve.go").edits("tank/valve.go").runs("cd pump && git checkout valve.go")
    assert files(session) == ["edited tank/valve.go, unchecked", "restored pump/valve.go"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("git checkout pump", "Updated 2 paths from the index"),
        ("git checkout inner", "Updated 1 path from the index"),
        ("cd pump && git checkout inner", "Updated 1 path from the index"),
        ("git checkout -q pump/inner/valve.go", ""),
        ("git checkout main pump", "Updated 1 path from 3f1c2d4"),
        ("git checkout HEAD~1 pump tank", ""),
        ("git checkout main && git checkout pump", "Switched to branch 'main'\nUpdated 1 path from the index"),
    ],
)
def test_a_folder_is_taken_back_without_dashes(command, said):
    session = Session().edits("pump/inner/valve.go").runs(command, said)
    assert files(session) == ["restored pump/inner/valve.go"]


def test_a_file_without_an_ending_is_taken_back():
    assert files(Session().edits("Makefile").runs("git checkout Makefile", "Updated 1 path from the index")) == [
        "restored Makefile"
    ]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("git checkout inner", ""),
        ("git checkout pump", ""),
        ("git checkout -q pump", ""),
        ("git checkout pump 2>/dev/null | tail -1", ""),
        ("git checkout pump", "Zu Branch 'pump' gewechselt"),
        ("git checkout pump/inner", "Basculement sur la branche 'pump/inner'"),
        ("git checkout pump && git checkout main.go", "Zu Branch 'pump' gewechselt\nUpdated 1 path from the index"),
        ("git checkout pump", "Updated 0 paths from the index"),
        ("git checkout inner", "Switched to branch 'inner'"),
        ("git checkout valve.go", "Switched to branch 'valve.go'"),
        ("git checkout tank", "Updated 1 path from the index"),
        ("git checkout inner && git checkout tank", "Switched to branch 'inner'\nUpdated 1 path from the index"),
        ("git checkout -b pump", ""),
        ("git checkout --ours pump", "Updated 1 path from the index"),
        ("git switch pump", ""),
        ("git checkout main -- tank", ""),
        ("git checkout pum", ""),
        ("git checkout v1.2", "HEAD is now at 3f1c2d4 Fill the tank"),
    ],
)
def test_a_branch_and_another_place_take_nothing_back(command, said):
    session = Session().edits("pump/inner/valve.go").runs(command, said)
    assert files(session) == ["edited pump/inner/valve.go, unchecked"]


def test_new_files_stay_when_their_folder_is_taken_back():
    session = Session().runs("touch pump/new.go").edits("pump/valve.go")
    session.runs("git checkout pump", "Updated 1 path from the index")
    assert files(session) == ["created pump/new.go, unchecked", "restored pump/valve.go"]


@pytest.mark.parametrize(
    "back",
    ["git stash pop -q", "git stash pop --index", "git -C . stash pop", "git stash apply --quiet", "git stash pop"],
)
@pytest.mark.parametrize("aside", ["git stash -q", "git -C . stash", "git stash push -q -m 'the tank'"])
def test_nothing_is_put_aside_any_more_where_it_was_taken_from_there(aside, back):
    assert Session().runs(aside).texts("effect") != []
    assert Session().runs(aside).runs(back).texts("effect") == []
    assert Session().runs(f"{aside}; go doc . ; {back}").texts("effect") == []


def test_a_stash_that_takes_nothing_is_not_told() -> None:
    assert Session().runs("git stash", "No local changes to save").texts() == []
    assert Session().runs("git stash push -u && ls", "No local changes to save\na.py").texts() == []
    assert Session().runs("git stash", "Saved working directory and index state WIP on main").texts() == ["git stash"]


@pytest.mark.parametrize("command", ["git stash -h", "git push -h", "git -C a tag -h"])
@pytest.mark.parametrize("said", ["usage: git stash list", "Exit code 129\nusage: git stash list"])
def test_what_tells_how_a_command_is_used_does_nothing(command: str, said: str) -> None:
    assert Session().runs(command, said).texts() == []


@pytest.mark.parametrize("command", ["git push origin -h", "git tag v1", "git stash push h"])
def test_what_only_looks_like_it_does_something(command: str) -> None:
    assert Session().runs(command, "ok").texts() == [command]


@pytest.mark.parametrize(
    "other", ["git stash list -q", "git stash show", "git stash -q -m pop", "git log --grep 'stash pop'"]
)
def test_other_commands_of_the_stash_leave_it(other):
    assert "git stash -q" in Session().runs("git stash -q").runs(other).texts("effect")


@pytest.mark.parametrize("aside", ["git stash -q", "git stash --keep-index", "git -C . stash push"])
def test_a_check_of_what_was_there_before_is_none_of_the_changes(aside):
    assert Session().runs(f"{aside} && pytest -q; git stash pop -q", "1 failed, 2 passed").texts("check") == []


def test_a_folder_that_is_only_called_home_is_not_that_of_the_user():
    session = Session().runs("cd /w && ls").runs("cd /w && ls").edits("/srv/home/sam/relay/valve.go")
    assert files(session.runs("cd ~/relay && git checkout .")) == ["edited /srv/home/sam/relay/valve.go, unchecked"]


@pytest.mark.parametrize("command", ["git stash -h", "git stash --help", "git reset --help", "git checkout -h"])
def test_who_asks_how_a_command_is_used_takes_nothing_back(command):
    assert files(Session().edits("valve.go").runs(command)) == ["edited valve.go, unchecked"]
