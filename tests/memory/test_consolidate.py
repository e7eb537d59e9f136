"""Which memories say the same, and which only look like it."""

from __future__ import annotations

import random
from datetime import datetime, timezone

import pytest

from compactor_cli.errors import UsageError
from compactor_cli.memory.merging import check_memory, consolidate_memories, merges
from compactor_cli.model.memory import Memory, MemorySource
from tests.cost import count_calls


def memory(text, category="fact", importance=50.0, **other):
    return Memory(text=text, category=category, importance=importance, confidence=0.5, created=1.0, **other)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The user prefers tabs over spaces.", "the user  prefers tabs over spaces!"),
        ("The read_timeout of the server is 30 seconds", "read_timeout of server is actually 30 seconds."),
        ("Deploys run on Tuesday", "The deploys run on Tuesday."),
        ("Use `make check` first, please.", "please use make check first"),
        ("The cache is indeed in Redis", "the cache is in Redis"),
        ("The cache is actually in Redis", "the cache is in Redis"),
        ("Run the linter first", "please run linter first"),
        ("Don’t push to “main”", "don't push to main."),
        ("Cafe\u0301 is the name of the app", "Café is the name of the app"),
    ],
)
def test_what_says_the_same_is_one(first, second):
    (merge,) = merges([memory(first), memory(second)])
    assert len(merge.others) == 1
    assert merges([memory(second), memory(first)]) == [merge]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The read timeout of the http server is 30 seconds", "The read timeout of the http server is 20 seconds"),
        ("The limit of the cache is 5 on this server here", "The limit of the cache is -5 on this server here"),
        ("The user wants tests to be run before a commit", "The user wants tests not to be run before a commit"),
        ("The user does like long answers with many lists", "The user doesn't like long answers with many lists"),
        ("The user wants tests to be run before a commit", "The user wants tests to be run after a commit"),
        ("The user prefers tabs over spaces in all files", "The user prefers spaces over tabs in all files"),
        ("Deploys of the shop run on Tuesday at night", "Deploys of the shop run on Friday at night"),
        ("Ask Anna about the deployment of the new shop", "Ask Berta about the deployment of the new shop"),
        ("anna owns the deployment of the new shop there", "berta owns the deployment of the new shop there"),
        ("The build is slow on the old server in the office", "The build is fast on the old server in the office"),
        ("Errors are logged to app.log by the web server", "Errors are logged to web.log by the web server"),
        ("Call read_file before the parser is started", "Call read_line before the parser is started"),
        ("Run `make test` before each commit to the branch", "Run `make lint` before each commit to the branch"),
        ("The server was moved to the new data center", "The server is moved to the new data center"),
        ("The service uses port 80 for http and 443 for tls", "The service uses port 443 for http and 80 for tls"),
        ("The user likes short answers to all questions", "The user likes short answers to all questions only"),
        ("The key of the api is rotated every single month", "The key of the api is rotated if every single month"),
        ("Alice reports to Bob about the state of the work", "Bob reports to Alice about the state of the work"),
        ("Flag -v shows what the build does in each step", "Flag -q shows what the build does in each step"),
        ("The tool does not read files that exist", "The tool does read files that do not exist"),
        ("The tool does not read files that exist", "The tool reads files that not exist"),
        ("Use 5 workers, and 3 queues for the jobs", "Use 3 workers, and 5 queues for the jobs"),
        ("a => b", "a <= b"),
        ("API is the name of the shop", "api is the name of the shop"),
        ("R2 is the name of the shop", "r2 is the name of the shop"),
        ("Version 1.2.3 of the parser has the error in it", "Version 1.2.4 of the parser has the error in it"),
        ("価格は高い", "価格は安い"),
        ("The build stops when x = 3 in the settings", "The build stops when x != 3 in the settings"),
        ("Сервер работает на порту утром и вечером", "Сервер не работает на порту утром и вечером"),
    ],
)
def test_what_differs_in_a_fact_stays_apart(first, second):
    assert merges([memory(first), memory(second)]) == []


LONG = " and that holds for all the many machines of the team in this office building"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("run the tests with -v", "run the tests with v"),
        ("push with --force here ~", "push with force here ~"),
        ("the flag !ready is set", "the flag ready is set"),
        ("use foo() here", "use foo here"),
        ("set a = b", "set a == b"),
        ("a != b", "a = b"),
        ("a ! b", "a b c"),
        ("call x.y", "call x y"),
        ("use *args", "use args"),
        ("use **kwargs", "use *kwargs"),
        ("use _private", "use private"),
        ("rate is 5%", "rate is 5"),
        ("rm -rf /tmp/a", "rm -rf /tmp/a/"),
        ("pattern is foo*", "pattern is foo"),
        ("pattern is *.py", "pattern is .py"),
        ("look into .env", "look into env"),
        ("path ./a", "path /a"),
        ("path ../a", "path /a"),
        ("key is <b>", "key is b"),
        ("Unlike Alice, bob prefers tabs", "unlike alice, bob prefers tabs"),
        ("use python3", "use python 3"),
        ("the team uses go", "the team uses Go"),
        ("Reviews by the platform group are mandatory ~", "Reviews by the platform group are not mandatory ~"),
        ("reviews are mandatory ~", "reviews are hardly mandatory ~"),
        ("reviews are mandatory ~", "reviews are no-longer mandatory ~"),
        ("reviews are mandatory ~", "reviews are non mandatory ~"),
        ("reviews are mandatory ~", "reviews are semi mandatory ~"),
        ("reviews are mandatory ~", "reviews are un-mandatory ~"),
        ("the job cleans up logs ~", "the job refuses to clean up logs ~"),
        ("the admin deletes logs ~", "the admin forbids deletes logs ~"),
        ("backups happen weekly ~", "backups happen bi weekly ~"),
        ("backups are encrypted ~", "backups are partially encrypted ~"),
        ("backups are encrypted ~", "backups are optionally encrypted ~"),
        ("backups are encrypted ~", "backups are supposedly encrypted ~"),
        ("backups are encrypted ~", "backups aint encrypted ~"),
        ("backups are encrypted ~", "backups are weakly encrypted ~"),
        ("backups are encrypted ~", "staging backups are encrypted ~"),
        ("backups of alpha are encrypted ~", "backups of are encrypted ~"),
        ("backups are encrypted ~", "backups are two encrypted ~"),
        ("Dont use tabs in files ~", "use tabs in files ~"),
        ("avoid tabs in files ~", "tabs in files ~"),
        ("avoid: use tabs in files ~", "use tabs in files ~"),
        ("deny use of tabs in files ~", "use of tabs in files ~"),
        ("It is a myth that backups are encrypted ~", "backups are encrypted ~"),
        ("Bob lies saying backups are encrypted ~", "backups are encrypted ~"),
        ("We stopped pretending backups are encrypted ~", "backups are encrypted ~"),
        ("Disable backups encryption ~", "backups encryption ~"),
        ("Backups get encrypted in prod ~", "Backups get encrypted ~"),
        ("backups get encrypted locally ~", "backups get encrypted ~"),
        ("summer backups get encrypted ~", "backups get encrypted ~"),
        ("il n'utilise pas", "il utilise pas"),
        ("non usa tabs nei file ~", "usa tabs nei file ~"),
        ("não usa tabs ~", "usa tabs ~"),
        ("não gosta de tabs ~", "gosta de tabs ~"),
        ("bruger ikke tabs ~", "bruger tabs ~"),
        ("gebruikt geen tabs ~", "gebruikt tabs ~"),
        ("gebruikt niet tabs ~", "gebruikt tabs ~"),
        ("не использует табы ~", "использует табы ~"),
        ("테스트 안 실행 ~", "테스트 실행 ~"),
        ("No, tests run on CI", "No tests run on CI"),
        ("Few tests are slow", "The few tests are slow"),
        ("Run `the` command", "Run command"),
        ("Look into ../..", "Look into ../"),
        ("Are the tests slow?", "Are the tests slow"),
        ("The", "please"),
    ],
)
def test_one_sign_or_word_is_enough_to_stay_apart(first, second):
    """However many words they have in common."""
    both = [memory(text.replace(" ~", LONG)) for text in (first, second)]
    assert merges(both) == []
    assert both[0].id != both[1].id


def test_preferences_and_corrections_are_not_merged_with_facts():
    text = "The user prefers tabs"
    assert merges([memory(text), memory(text + "!", "preference")]) == []
    assert (
        len(merges([memory(text), memory(text + " ", "learning"), memory("the user prefers tabs", "observation")])) == 1
    )


def test_the_one_that_stays_has_all_that_the_others_had():
    a, b = MemorySource("a.jsonl", "", (1,)), MemorySource("b.jsonl", "s", (2, 3))
    short = memory("The user prefers tabs", importance=90, tags=("a",), sources=(a,), uses=2, used=50.0, pinned=True)
    long = memory("The user actually prefers tabs", importance=20, tags=("b",), sources=(b,))
    (merge,) = merges([short, long])
    kept = consolidate_memories(merge.kept, merge.others, 90)
    assert kept.text == long.text
    assert (kept.importance, kept.pinned, kept.tags, kept.uses, kept.used) == (90, True, ("a", "b"), 2, 50.0)
    assert set(kept.sources) == {a, b}


def test_a_merge_brings_back_nothing_that_has_faded():
    """Each counts with what is left of it when the freshest was right."""
    day = 86_400.0
    old = memory("The user prefers tabs", importance=80.0, decayed=None)
    new = memory("the user prefers tabs.", importance=30.0, decayed=1 + 90 * day)
    for first, second in ((old, new), (new, old)):
        kept = consolidate_memories(first, (second,), 90)
        assert (kept.importance, kept.decayed) == (40, 1 + 90 * day)


def test_times_are_those_that_calendars_can_show():
    latest = 253_370_764_800.0
    assert check_memory(memory("a fact", used=latest)).used == latest
    with pytest.raises(UsageError, match="is not between 0 and"):
        check_memory(memory("a fact", used=latest + 1))
    assert datetime.fromtimestamp(latest, timezone.utc).year == 9999


def test_many_memories_of_few_words_do_not_take_quadratic_time():
    def cost(count):
        chance = random.Random(1)
        vocabulary = [f"{a}{b}{c}" for a in "bdfg" for b in "aei" for c in "lmnrt"]
        many = [memory(" ".join(chance.choices(vocabulary, k=30))) for _ in range(count)]
        return count_calls(lambda: merges(many))

    assert cost(4_000) < 12 * cost(500)  # quadratic would be 64 times as much
