"""What calls did outside the session: what it is named by, why it failed, and in which order it is told."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.git_steps import Commits
from compactor_cli.features.work.state import compute_state
from compactor_cli.summary_text.state_block import state_lines, state_text
from tests.features.working import FAILS, Session


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ('{"reservation_id": "HATHAT", "user_id": "mia_li_3668", "seats": 2}', "book_table HATHAT"),
        ('{"job": "MIG-4417", "ip": "198.51.100.20", "state": "open"}', "book_table MIG-4417 198.51.100.20"),
        ('{"user_id": "mia_li_3668", "state": "open"}', "book_table"),
        ('{"number": 20931, "note": "two words 1"}', "book_table 20931"),
        ("Booked as T-77.", "book_table"),
    ],
)
def test_what_was_made_is_named_by_what_its_result_says(said: str, named: str) -> None:
    (line,) = Session().calls("book_table", said, guests=2).state()
    assert line.text == f"{named} (guests 2)"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ('{"booking_id": "T1", "room": "double", "guests": 2}', "update_booking T1 (room double, guests 2)"),
        ('{"booking_id": "T1", "room": "DOUBLE"}', "update_booking T1 (room double, guests 2)"),
        ('{"booking_id": "T1", "room": "single", "guests": 2}', "update_booking T1 (guests 2)"),
        ('{"booking_id": "T1", "room": "ok"}', "update_booking T1 (room double, guests 2)"),
        ('{"booking_id": "T7", "room": "single"}', "update_booking T1 (room double, guests 2)"),
        ('{"room": "single"}', "update_booking T1 (room double, guests 2)"),
    ],
)
def test_what_came_out_otherwise_is_not_told_as_asked(said: str, told: str) -> None:
    assert Session().calls("update_booking", said, booking_id="T1", room="double", guests=2).texts() == [told]


@pytest.mark.parametrize(
    ("asked", "came", "same"),
    [
        ("@anna", "anna", True),
        ("refs/heads/quay", "quay", True),
        ("in-progress", "IN_PROGRESS", True),
        ("to-do", "todo", True),
        ("@anna", "berta", False),
        ("in-progress", "done_progress", False),
        ("paid", "unpaid", False),
        ("not-paid", "paid", False),
    ],
)
def test_what_is_only_written_otherwise_came_out_as_asked(asked: str, came: str, same: bool) -> None:
    (text,) = (
        Session()
        .calls("update_booking", f'{{"booking_id": "T1", "owner": "{came}"}}', booking_id="T1", owner=asked)
        .texts()
    )
    assert (asked in text) == same


@pytest.mark.parametrize(("tool", "told"), [("open_ticket", True), ("open_file", False), ("open_page", False)])
def test_a_tool_opens_tickets_outside_and_files_inside(tool: str, told: bool) -> None:
    lines = Session().calls(tool, '{"ticket": "BIL-20931"}', queue="billing").texts()
    assert lines == ([f"{tool} BIL-20931 (queue billing)"] if told else [])


def test_a_failure_is_told_in_its_own_words() -> None:
    said = '{"error": "server has 2 snapshots under retention lock"}'
    (text,) = Session().calls("delete_server", said, server="atlas-3").texts()
    assert text == "failed: delete_server atlas-3: server has 2 snapshots under retention lock"


def test_how_often_the_same_failed_is_told_until_it_ends_otherwise() -> None:
    refused, other = "Error: paid 833 of 1203", "Error: no such user"
    session = Session()
    for _ in range(3):
        session.calls("book_seat", refused, user_id="mia")
    (line,) = session.state()
    assert (line.text, line.times) == (f"failed 3x: book_seat mia: {refused}", 3)
    (line,) = compute_state(Session().calls("book_seat", refused, user_id="mia").messages, [line.text])
    assert line.text == f"failed 4x: book_seat mia: {refused}", "an earlier round counts"
    assert session.calls("book_seat", other, user_id="mia").texts() == [f"failed: book_seat mia: {other}"]
    assert session.calls("book_seat", '{"seat": "4A"}', user_id="mia").texts() == ["book_seat mia"]


def test_acts_are_told_in_the_order_of_time_also_in_later_rounds() -> None:
    session = Session().calls("book_table", '{"id": "T1"}', guests=2).calls("cancel_booking", "{}", booking_id="T1")
    session.calls("delete_menu", '{"error": "it is in use"}', menu_id="M1").calls(
        "book_table", '{"id": "T2"}', guests=3
    )
    told = [
        "book_table T1 (guests 2)",
        "cancel_booking T1",
        "failed: delete_menu M1: it is in use",
        "book_table T2 (guests 3)",
    ]
    assert list(state_lines(state_text(session.state()))) == told
    again = compute_state((), told)
    assert list(state_lines(state_text(again))) == told
    assert [line.text for line in again] == told[::-1], "the newest is worth most"


@pytest.mark.parametrize(
    "said",
    [
        "Your proposed edit has introduced new syntax error(s). Please read this error message carefully.",
        "[Your proposed edit has introduced new syntax error(s). Please understand the errors and retry.]",
        "No replacement was performed, old_str `x = 1` did not appear verbatim in a.py.",
    ],
)
def test_an_edit_that_was_refused_changed_nothing(said: str) -> None:
    arguments = {"command": "str_replace", "path": "a.py", "old_str": "x = 1", "new_str": "x = 2"}
    lines = Session().calls("str_replace_editor", said, **arguments).state()
    assert [line.kind for line in lines] == ["error"]
    done = Session().calls("str_replace_editor", "The file a.py has been edited.", **arguments).state()
    assert [line.kind for line in done] == ["file"]


# what acts


@pytest.mark.parametrize(
    "tool",
    ["slack_send_message", "slack_post_message", "jira_create_issue", "notion-create-pages", "GMAIL_SEND_EMAIL",
     "calendar_create_event", "google_calendar_create_event", "stripe_refund", "github_issue_create", "API-post-page",
     "todoist_create_task"],
)  # fmt: skip
def test_a_tool_with_the_name_of_its_service_first_acts(tool: str) -> None:
    assert Session().calls(tool, "{}", id="T-7").texts() == [f"{tool} T-7"]


@pytest.mark.parametrize(
    "tool",
    ["file_create", "todo_update", "memory_add", "browser_click", "browser_close", "str_replace_editor",
     "notebook_edit", "task_create", "tmux_send_keys", "git_reset", "search_send_log", "get_order", "jira_issue_get",
     "github_issue_labels", "API-post-search", "blog_post", "track_package_for_post_office"],
)  # fmt: skip
def test_a_tool_that_looks_or_works_here_has_no_effect_outside(tool: str) -> None:
    assert Session().calls(tool, "{}", id="T-7").texts("effect") == []


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("gh api repos/o/r/issues/5/comments -f body='see a/b'", "gh api POST repos/o/r/issues/5/comments"),
        ("gh api --input x.json 'repos/o/r/releases?x=1'", "gh api POST repos/o/r/releases"),
        ("gh api graphql -f query='mutation($i: ID!) { resolveThread(id: $i) { x } }'", "gh api graphql resolveThread"),
        ("gh secret set TOKEN --body abc", "gh secret set TOKEN"),
        ("gh pr merge --squash 12", "gh pr merge 12"),
        ("npm run deploy:prod", "npm run deploy:prod"),
        ("make -C infra deploy", "make deploy"),
        ("uv run python manage.py migrate", "manage.py migrate"),
        ("bundle exec rails db:migrate", "rails db:migrate"),
        ("alembic upgrade head", "alembic upgrade head"),
        ('psql -d x -c "DELETE FROM users WHERE id = 3; SELECT 1"', "psql x DELETE FROM users WHERE id = 3"),
        ("psql x <<EOF\nBEGIN;\nDROP TABLE t;\nCOMMIT;\nEOF", "psql x DROP TABLE t"),
        ("rsync -az -e 'ssh -p 2' dist/ me@host:/srv", "rsync dist/ me@host:/srv"),
        ("scp a.txt host:", "scp a.txt host:"),
        ("ssh -i key -p 2 host 'cd /srv && docker compose up -d'", "ssh host cd /srv && docker compose up -d"),
        ("ssh host <<EOF\ncd /srv\nsudo systemctl restart web\nEOF", "ssh host sudo systemctl restart web"),
        ("ssh host 'cat > /etc/motd'", "ssh host cat > /etc/motd"),
        ("aws --region eu s3 sync dist s3://site/a --delete", "aws s3 sync dist s3://site/a"),
        ("aws lambda update-function-code --function-name f", "aws lambda update-function-code --function-name f"),
        ("kubectl -n prod delete pod web", "kubectl -n prod delete pod web"),
        ("timeout 60 npx wrangler deploy", "wrangler deploy"),
        ("bd dolt push", "bd dolt push"),
        ("bd dep add av-1 av-2", "bd dep add av-1 av-2"),
    ],
)  # fmt: skip
def test_a_command_that_acts_elsewhere_is_told(command: str, told: str) -> None:
    assert Session().runs(command, "ok").texts() == [told]


@pytest.mark.parametrize(
    "command",
    ["gh api repos/o/r/pulls", "gh api -X GET search/issues -f q=x", "gh api graphql -f query='query { viewer { x } }'",
     "npm run migrate:status", "npm update left-pad", "python manage.py migrate --plan", "alembic current",
     "python manage.py makemigrations", "psql -c 'SELECT * FROM updates'", "rsync -avn dist/ host:/srv",
     "rsync host:/srv dist/",
     "scp host:a.txt .", "ssh host", "ssh -T git@github.com", ("ssh host 'tail -n 5 log "
         "2>/dev/null'"), "aws s3 ls s3://a",
     "ssh host sudo systemctl status web", "aws s3 cp s3://a/b .", "aws s3 rm s3://a/b --dryrun", "kubectl get pods",
     "aws lambda list-functions", "kubectl rollout status web", "glab mr list", "brew update", "mkdir deploy",
     "bd update -h"],
)  # fmt: skip
def test_a_command_that_looks_or_stays_here_has_no_effect_outside(command: str) -> None:
    assert Session().runs(command, "ok").texts("effect") == []


SENT = "curl -s -X POST https://tides.test/api/harbors -d @harbor.json"


@pytest.mark.parametrize(
    "said",
    [
        '{"message": "Bad credentials", "status": "401"}',
        '{\n  "error": {"code": "invalid_harbor"}\n}',
        '{"errors": ["name is missing"]}',
        "HTTP/2 422 \ncontent-type: application/json",
        "curl: (22) The requested URL returned error: 404",
        "not found\n404",
    ],
)
def test_what_a_server_answers_with_an_error_is_not_told_as_done(said: str) -> None:
    session = Session().runs(SENT, said)
    (text,) = session.texts("effect")
    assert text.startswith("failed: curl POST https://tides.test/api/harbors: ")
    assert session.runs(SENT, '{"id": 12}').texts("effect") == ["curl POST https://tides.test/api/harbors"]


@pytest.mark.parametrize(
    "said",
    [
        '{"id": 7, "status": "active", "error": null}',
        '{"errors": [], "code": 200}',
        "HTTP/1.1 201 Created",
        '{"harbors": [{"error": "none so far"}], "code": 404}',
        "404 harbors updated",
    ],
)
def test_what_a_server_did_is_told_whatever_its_answer_speaks_of(said: str) -> None:
    assert Session().runs(SENT, said).texts("effect") == ["curl POST https://tides.test/api/harbors"]


def test_a_target_that_gave_up_behind_a_pipe_is_not_told_as_done() -> None:
    assert Session().runs("make deploy | tail", "make: *** [deploy] Error 1").texts("effect") == []


# what is told of it


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        (
            "update_flights",
            {"reservation_id": "X9", "cabin": "economy", "flights": [{"number": "HAT052", "date": "2024-05-21"}]},
            "update_flights X9 (flights HAT052 2024-05-21, cabin economy)",
        ),
        ("add_labels", {"labels": ["bug", "ui"], "issue_id": "T-7"}, "add_labels T-7 (labels bug; ui)"),
        ("send_email", {"to": ["a@x.org", "b@x.org"], "subject": "Hi"}, "send_email a@x.org; b@x.org Hi"),
        ("order_parts", {"parts": [{"sku": "A1", "count": 2, "rush": True}]}, "order_parts (parts A1 count 2)"),
        ("update_issue", {"id": "T-7", "fields": {"state": "Done"}}, "update_issue T-7 (fields Done)"),
        ("pay_bill", {"id": "B1", "methods": [{"payment_id": "card_1", "amount": 5}]}, "pay_bill B1"),
        ("invite_users", {"users": ["ann", "n" * 41, "bob"]}, "invite_users (users ann; +2)"),
        ("set_rows", {"rows": [f"row-{n:09}" for n in range(99)]}, "set_rows (rows row-000000000; row-000000001; +97)"),
    ],
)  # fmt: skip
def test_lists_and_objects_are_told_by_their_first_elements(tool, arguments, told) -> None:
    assert Session().calls(tool, "{}", **arguments).texts() == [told]


@pytest.mark.parametrize(
    ("days", "told"),
    [
        ([21, 21], "A1 2024-05-21 12A; A2"),
        ([21, 22, 23], "A1 2024-05-21; A2 2024-05-22; A3 2024-05-23"),
        ([21, 21, 23, 24], "A1 2024-05-21; A2; A3 2024-05-23; A4 2024-05-24"),
        ([21, 22, 23, 24, 25, 26], "A1; A2; A3; A4; A5; A6"),
        ([21] * 30, "A1; A2; A3; A4; A5; A6; A7; A8; A9; A10; +20"),
    ],
)
def test_the_more_elements_a_list_has_the_less_is_told_of_each(days: list[int], told: str) -> None:
    flights = [{"number": f"A{at + 1}", "date": f"2024-05-{day}", "seat": "12A"} for at, day in enumerate(days)]
    assert Session().calls("book_flights", "{}", flights=flights).texts() == [f"book_flights (flights {told})"]


def test_two_updates_of_one_thing_that_differ_are_two() -> None:
    session = (
        Session().calls("update_seats", "{}", id="X9", seats=["1A"]).calls("update_seats", "{}", id="X9", seats=["2B"])
    )
    told = ["update_seats X9 (seats 2B)", "update_seats X9 (seats 1A)"]
    assert session.texts() == told
    assert session.calls("update_seats", "{}", id="X9", seats=["2B"]).texts(earlier=told[::-1]) == told


# what was taken back


def commits(*titles: str) -> Session:
    session = Session()
    for at, title in enumerate(titles):
        session.runs(f'git commit -m "{title}"', f"[main {at}a2b3c4] {title}")
    return session


def test_a_commit_that_was_amended_is_replaced() -> None:
    session = commits("one", "two").runs("git commit --amend -m three", "[main 9a2b3c4] three")
    told = ['git commit --amend "three" (9a2b3c4)', 'git commit "one" (0a2b3c4)']
    assert session.texts() == told
    earlier = [line.text for line in commits("one", "two").state()][::-1]
    again = Session().runs("git commit --amend -m three", "[main 9a2b3c4] three")
    assert again.texts(earlier=earlier) == told


@pytest.mark.parametrize(
    ("command", "left"),
    [
        ("git reset --soft HEAD~1", ["two", "one"]),
        ("git reset HEAD^", ["two", "one"]),
        ("git reset --mixed HEAD~2", ["one"]),
        ("git -C /w reset --soft HEAD^^", ["one"]),
        ("git reset --soft 0a2b3c4", ["one"]),
        ("git reset --soft HEAD~9", []),
        ("git reset --soft HEAD", ["three", "two", "one"]),
        ("git reset HEAD~1 -- a.py", ["three", "two", "one"]),
        ("git rebase --abort", ["three", "two", "one"]),
        ("git merge --abort", ["three", "two", "one"]),
        ("git checkout main && git reset --soft HEAD~1", ["three", "two", "one"]),
        ("git cherry-pick --abort && git reset --soft HEAD~1", ["two", "one"]),
        ("git checkout a.py && git reset --soft HEAD~1", ["two", "one"]),
    ],
)
def test_commits_that_a_reset_took_back_are_not_told(command: str, left: list[str]) -> None:
    texts = commits("one", "two", "three").runs(command).texts()
    assert [text.split('"')[1] for text in texts if text.startswith("git commit")] == left


REBASED = "Successfully rebased and updated refs/heads/x."


@pytest.mark.parametrize("command", ["git rebase origin/main", "git pull --rebase=true", "git rebase --continue"])
def test_commits_that_are_made_anew_have_other_hashes(command: str) -> None:
    session = commits("one", "two").runs(command, REBASED)
    session.runs('git commit -m "three"', "[x 7a2b3c4] three")
    made = [text for text in session.texts() if text.startswith("git commit")]
    assert made == ['git commit "three" (7a2b3c4)', 'git commit "two"', 'git commit "one"']


def test_commits_of_a_branch_that_was_left_and_rebased_then_have_other_hashes() -> None:
    session = commits("one").runs("git checkout main && git pull", "Switched to branch 'main'")
    session.runs("git checkout tide && git rebase main", f"Switched to branch 'tide'\n{REBASED}")
    made = [text for text in session.texts() if text.startswith("git commit")]
    assert made == ['git commit "one"']


def test_of_two_commits_with_one_title_none_is_lost() -> None:
    texts = commits("wip", "wip").runs("git rebase origin/main", REBASED).texts()
    assert len([text for text in texts if text.startswith("git commit")]) == 2


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("git rebase --abort", ""),
        ("git pull", ""),
        ("git pull --rebase", "Already up to date."),
        ("git rebase main", "Current branch x is up to date."),
        ("git rebase --quit", ""),
    ],
)
def test_commits_that_stay_keep_their_hashes(command: str, said: str) -> None:
    made = [text for text in commits("one").runs(command, said).texts() if text.startswith("git commit")]
    assert made == ['git commit "one" (0a2b3c4)']


def test_a_reset_that_loses_work_and_a_revert_stand_as_their_own_lines() -> None:
    session = commits("one", "two").runs("git reset --hard HEAD~1").runs("git revert HEAD --no-edit")
    assert session.texts() == ['git revert HEAD --no-edit ("one")', "git reset --hard HEAD~1"]


def test_a_reset_that_failed_takes_nothing_back() -> None:
    assert len(commits("one").runs("git reset --soft HEAD~1", FAILS + "fatal: bad revision").texts("effect")) == 1


def test_a_move_to_another_branch_that_the_user_declined_is_not_told() -> None:
    assert Session().runs("git checkout main", "The user doesn't want to proceed with this tool use.").texts() == []


def test_commits_that_are_still_seen_are_carried_once() -> None:
    known = Commits(['git commit "two"'])
    known.add_earlier_lines(["git push", 'git commit "one"', 'git commit "two"'])
    back = [known.record_command("", "git reset", ("reset", "HEAD~1")) for _ in range(3)]
    assert back == [['git commit "two"'], ['git commit "one"'], []]


# what is open no more

EDIT_FAILED = "failed: gh pr edit 7: GraphQL: no"


@pytest.mark.parametrize(
    ("command", "open_still"),
    [
        ("gh issue edit 7 --add-label x", False),
        ("gh pr edit https://github.com/o/r/pull/7 --title x", False),
        ("gh pr comment 7 --body x", True),
        ("gh pr edit 8 --title x", True),
        ("gh api -X PATCH repos/o/r/pulls/8 -f title=x", True),
        ("gh api repos/o/r/pulls/7/comments -f body=x", True),
    ],
)
def test_what_failed_one_way_is_made_up_for_by_another(command: str, *, open_still: bool) -> None:
    session = Session().runs("gh pr edit 7 --body x", FAILS + "GraphQL: no")
    assert session.texts() == [EDIT_FAILED]
    assert (EDIT_FAILED in session.runs(command, "{}").texts()) == open_still
    assert (EDIT_FAILED in Session().runs(command, "{}").texts(earlier=[EDIT_FAILED])) == open_still


def test_an_edit_of_the_pull_request_in_hand_is_made_up_for_by_its_number() -> None:
    session = Session().runs("gh pr edit --title x", FAILS + "GraphQL: no").runs("gh pr edit 7", "ok")
    assert session.texts() == ["gh pr edit 7"]


@pytest.mark.parametrize("earlier", [True, False])
def test_nothing_is_open_of_what_was_cancelled(*, earlier: bool) -> None:
    session = Session().calls("update_flights", "Error: full", reservation_id="X9")
    session.calls("update_flights", "Error: full", reservation_id="Y1")
    told = [line.text for line in session.state()][::-1] if earlier else []
    session = Session() if earlier else session
    session.calls("cancel_reservation", "{}", reservation_id="X9").calls("delete_label", "{}", reservation_id="Y1")
    assert session.texts(earlier=told) == [
        "delete_label Y1",
        "cancel_reservation X9",
        "failed: update_flights Y1: Error: full",
    ]


def test_a_small_number_is_not_the_only_one() -> None:
    session = Session().calls("update_order", "Error: no", id=7).calls("delete_comment", "{}", id=7)
    assert session.texts() == ["delete_comment 7", "failed: update_order 7: Error: no"]


def test_a_look_by_the_api_that_fails_is_no_open_error() -> None:
    assert Session().runs("gh api repos/o/r/pulls/9", FAILS + "gh: Not Found (HTTP 404)").texts() == []
    (text,) = Session().runs("gh api repos/o/r/pulls -f title=x", FAILS + "gh: Not Found (HTTP 404)").texts()
    assert text == "failed: gh api POST repos/o/r/pulls: gh: Not Found (HTTP 404)"
