"""Settings from files, variables and options, over real processes; `compactor config`."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_test_in(3)

CHARS = ("--tokenizer", "chars")


@pytest.fixture
def home(tmp_path):
    """The folder that stands for the user's home, and the variables that say so."""
    names = ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA")
    return dict.fromkeys(names, str(tmp_path / "home"))


@pytest.fixture
def user_file(run, home):
    """The user's settings file, which is not there yet."""
    path = Path(run("config", "path", "--json", **home).json[0]["path"])
    path.parent.mkdir(parents=True)
    return path


def source_of(run, key, **options):
    """Value, kind of source and place of a key."""
    entry = run("config", "get", key, "--json", **options).json
    return entry["value"], entry["source"], entry["place"]


# layers


@pytest.mark.parametrize("top", range(7))
def test_every_layer_beats_the_ones_below(run, tmp_path, session, home, user_file, top):
    """The target of a real run, with one layer more each time."""
    arguments, variables = ["compact", session.name, "--json", "-o", "out.jsonl", *CHARS], dict(home)
    if top > 0:
        user_file.write_text("target_tokens = 3001\n")
    if top > 1:
        (tmp_path / "pyproject.toml").write_text("[tool.compactor]\ntarget_tokens = 3002\n")
    if top > 2:
        (tmp_path / "compactor.toml").write_text("target_tokens = 3003\n")
    if top > 3:
        (tmp_path / "other.yaml").write_text("target_tokens: 3004\n")
        variables["COMPACTOR_CONFIG"] = "other.yaml"
    if top > 4:
        variables["COMPACTOR_TARGET_TOKENS"] = "3005"
    if top > 5:
        arguments += ["--target-tokens", 3006]
    done = run(*arguments, **variables)
    assert done.code == 0, done.stderr
    assert done.json["target_tokens"] == (3000 + top if top else None)


def test_each_value_says_where_it_came_from(run, tmp_path, home, user_file):
    user_file.write_text('strategy = "tiered"\nkeep_last = 1\n')
    project = tmp_path / "compactor.yaml"
    project.write_text("keep_last: 2\ncontext:\n  limit: 5000\npreset: chat\n")
    variables = {"COMPACTOR_CONTEXT_LIMIT": "6000", "PROMPT_COMPACTION_RESIDUAL_THRESHOLD": "70", **home}
    found = {
        entry["key"]: (entry["value"], entry["source"], entry["place"])
        for entry in run("config", "--json", **variables).json
    }
    assert found["query"] == ("", "default", "")
    assert found["strategy"] == ("hybrid", "preset", f"chat (project file {project})")
    assert found["keep_last"] == (2, "project file", str(project))
    assert found["context.limit"] == (6000, "variable", "COMPACTOR_CONTEXT_LIMIT")
    assert found["scoring.threshold"] == (70, "variable", "PROMPT_COMPACTION_RESIDUAL_THRESHOLD")
    rows = [line.split(maxsplit=2) for line in run("config", COLUMNS="400", **variables).text.splitlines()]
    assert ["keep_last", "2", f"project file {project}"] in [[word.strip() for word in row] for row in rows]
    project.unlink()
    assert source_of(run, "strategy", **home) == ("tiered", "user file", str(user_file))


def test_the_nearest_folder_with_a_file_is_the_project(run, tmp_path, home):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "compactor.toml").write_text("keep_last = 1\n")
    assert source_of(run, "keep_last", cwd=inner, **home)[0] == 1
    (tmp_path / "a" / "pyproject.toml").write_text('[project]\nname = "compactor-of-somebody-else"\n')
    assert source_of(run, "keep_last", cwd=inner, **home)[0] == 1
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.compactor]\nkeep_last = 2\n")
    assert source_of(run, "keep_last", cwd=inner, **home)[0] == 2
    (tmp_path / "a" / "compactor.yml").write_text("keep_last: 3\n")
    assert source_of(run, "keep_last", cwd=inner, **home)[0] == 3


def test_the_file_of_config_is_read_instead_of_the_others(run, tmp_path, home, user_file):
    user_file.write_text("keep_last = 1\n")
    (tmp_path / "compactor.toml").write_text("query = 'project'\n")
    (tmp_path / "only.toml").write_text("recent_messages = 4\n")
    found = {e["key"]: e["value"] for e in run("config", "--config", "only.toml", "--json", **home).json}
    assert (found["keep_last"], found["query"], found["recent_messages"]) == (0, "", 4)
    missing = run("config", "--config", "missing.toml", **home)
    assert missing.code == 2
    assert "missing.toml" in missing.stderr


@pytest.mark.parametrize(
    ("variable", "text", "key", "value"),
    [
        ("PROMPT_COMPACTION_RESIDUALS_ENABLED", "false", "scoring.residuals", False),
        ("PROMPT_COMPACTION_RESIDUAL_THRESHOLD", "75", "scoring.threshold", 75),
        ("PROMPT_COMPACTION_RESIDUAL_MAX_PERCENT", "0.3", "scoring.max_residuals", 0.3),
        ("PROMPT_COMPACTION_TIERED_ENABLED", "0", "tiers.enabled", False),
        ("PROMPT_COMPACTION_BUDGET_ENABLED", "off", "budget.enabled", False),
    ],
)
def test_the_variables_of_prompt_compaction_are_honoured(run, variable, text, key, value):
    assert source_of(run, key, **{variable: text}) == (value, "variable", variable)
    ours = "COMPACTOR_" + key.upper().replace(".", "_")
    other = "true" if isinstance(value, bool) else "0.5"
    assert source_of(run, key, **{variable: text, ours: other})[2] == ours


def test_an_unknown_variable_is_a_warning_and_an_empty_one_nothing(run, session):
    variables = {"COMPACTOR_COLOUR": "red", "COMPACTOR_KEEP_LAST": "", "COMPACTOR_DATABASE_URL": "sqlite://"}
    done = run("score", session.name, *CHARS, **variables)
    assert done.code == 0
    assert [line for line in done.stderr.splitlines() if "warning" in line] == [
        "warning: the variable COMPACTOR_COLOUR is unknown and has no effect"
    ]


def test_options_for_reading_count_in_every_command(run, tmp_path, session):
    (tmp_path / "compactor.toml").write_text('tokenizer = "chars"\nskip_damaged = true\n')
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_bytes(b"{nonsense}\n" + session.read_bytes())
    for command in (["score"], ["inspect"], ["diff", session.name], ["compact", "-o", "out.jsonl"]):
        done = run(*command, damaged.name, "--json")
        assert done.code == 0, done.stderr
        assert '"counter": "chars"' in done.text
    assert run("score", damaged.name, "--no-skip-damaged").code == 3


def test_a_profile_in_a_file_is_relative_to_that_file(run, tmp_path, session):
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "compactor.toml").write_text('profile = "mine.toml"\n')
    done = run("compact", session, "--target-ratio", 0.5, "-o", "out.jsonl", *CHARS, cwd=inner)
    assert done.code == 3
    assert str(tmp_path / "mine.toml") in done.stderr


# what is wrong


WRONG = [
    ("scoring.treshold", 5, "unknown key scoring.treshold (did you mean scoring.threshold?)"),
    ("keep_lost", 5, "unknown key keep_lost (did you mean keep_last?)"),
    ("context.foo", 5, "unknown key context.foo; known in context: limit, "),
    ("keep_last", "many", "must be a whole number of at least 0"),
    ("scoring.max_residuals", 2.5, "must be a number from 0 to 1"),
    ("tiers.keep", [1, 2], "must be a list of 4 numbers from 0 to 1"),
    ("strategy", "best", "must be one of adaptive, tiered"),
    ("format", "best", "must be one of openai-chat"),
]


def written_in(name, key, value):
    """A file of this name that sets one key."""
    section, _, leaf = key.rpartition(".")
    if name.endswith("yaml"):
        return f"{section}:\n  {leaf}: {json.dumps(value)}\n" if section else f"{leaf}: {json.dumps(value)}\n"
    header = ".".join(filter(None, ("tool.compactor" if name == "pyproject.toml" else "", section)))
    return (f"[{header}]\n" if header else "") + f"{leaf} = {json.dumps(value)}\n"


@pytest.mark.parametrize("name", ["compactor.toml", "compactor.yaml", "pyproject.toml"])
def test_what_a_file_gets_wrong_is_named_with_file_key_and_what_is_allowed(run, tmp_path, session, name):
    for key, value, words in WRONG:
        (tmp_path / name).write_text(written_in(name, key, value))
        done = run("compact", session.name, "-o", "out.jsonl", *CHARS)
        assert (done.code, done.stdout) == (2, b"")
        assert str(tmp_path / name) in done.stderr
        assert key in done.stderr
        assert words in done.stderr
        assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize(
    ("variable", "text", "words"),
    [
        ("COMPACTOR_KEEP_LAST", "many", "must be a whole number of at least 0 (keep_last)"),
        ("COMPACTOR_TARGET_RATIO", "2", "must be a number from 0 to 1 (target_ratio)"),
        ("PROMPT_COMPACTION_TIERED_ENABLED", "maybe", "must be true or false (tiers.enabled)"),
        ("COMPACTOR_PRESET", "best", "must be one of window, chat, agent, or empty (preset)"),
    ],
)
def test_what_a_variable_gets_wrong_is_named(run, tmp_path, session, variable, text, words):
    done = run("compact", session.name, "-o", "out.jsonl", *CHARS, **{variable: text})
    assert done.code == 2
    assert f'{variable} = "{text}": {words}' in done.stderr
    assert not (tmp_path / "out.jsonl").exists()


def test_everything_that_is_wrong_in_a_file_is_said_at_once(run, tmp_path):
    (tmp_path / "compactor.toml").write_text('keep_last = -1\nscoring = 5\n[tiers]\nkep = [1]\nenabled = "yes"\n')
    done = run("config")
    assert done.code == 2
    for words in ("keep_last = -1", "scoring = 5: scoring is a section", "tiers.kep", "tiers.enabled"):
        assert words in done.stderr


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("compactor.toml", "a = 1\nb = = 2\n", 2),
        ("compactor.yaml", "a: 1\nb: [2\nc: 3\n", 3),
        ("compactor.yaml", "keep_last: 1\nquery: a\nkeep_last: 2\n", 3),
        ("compactor.yaml", "keep_last: 1\nyes: 2\n", 2),
        ("compactor.yaml", "- 1\n- 2\n", 1),
        ("pyproject.toml", "[tool.compactor]\nx\n", 2),
    ],
)
def test_a_broken_file_is_named_with_its_line(run, tmp_path, name, text, line):
    (tmp_path / name).write_text(text)
    done = run("config")
    assert done.code == 2
    assert f"{tmp_path / name}:{line}: " in done.stderr


def test_two_files_in_one_folder_are_an_error(run, tmp_path):
    (tmp_path / "compactor.toml").write_text("")
    (tmp_path / "compactor.yaml").write_text("")
    done = run("config")
    assert done.code == 2
    assert "compactor.toml" in done.stderr
    assert "compactor.yaml" in done.stderr


def test_targets_exclude_each_other_within_a_source_only(run, tmp_path, session):
    arguments = ("compact", session.name, "-o", "out.jsonl", *CHARS)
    (tmp_path / "compactor.toml").write_text("target_tokens = 2000\ntarget_ratio = 0.5\n")
    done = run(*arguments)
    assert done.code == 2
    assert "compactor.toml: target_tokens and target_ratio exclude each other" in done.stderr
    (tmp_path / "compactor.toml").write_text("target_tokens = 100000\n")
    assert run(*arguments, "--target-ratio", 0.5).code == 0
    assert len((tmp_path / "out.jsonl").read_bytes()) < len(session.read_bytes())


# config set, unset, get, path, init


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("compactor.toml", "# a\nkeep_last = 1  # b\n# c\n", "# a\nkeep_last = 5  # b\n# c\n"),
        ("compactor.yaml", "# a\nkeep_last: 1  # b\n# c\n", "# a\nkeep_last: 5  # b\n# c\n"),
        (
            "pyproject.toml",
            "[tool.ruff] # a\nx = 1\n[tool.compactor]\n# b\nkeep_last = 1 # c\n[project]\n",
            "[tool.ruff] # a\nx = 1\n[tool.compactor]\n# b\nkeep_last = 5 # c\n[project]\n",
        ),
    ],
)
def test_set_changes_the_projects_file_and_keeps_its_comments(run, tmp_path, name, before, after):
    path = tmp_path / name
    path.write_text(before)
    done = run("config", "set", "keep_last", 5)
    assert (done.code, done.text) == (0, "")
    assert path.read_text() == after
    assert source_of(run, "keep_last") == (5, "project file", str(path))
    assert run("config", "unset", "keep_last").code == 0
    assert path.read_text().count("#") == after.count("#") - 1
    assert source_of(run, "keep_last")[1] == "default"


def test_set_begins_a_file_where_there_is_none(run, tmp_path, home, user_file):
    assert run("config", "set", "context.threshold", 80_000, **home).code == 0
    assert (tmp_path / "compactor.toml").read_text() == "[context]\nthreshold = 80000\n"
    user_file.parent.rmdir()
    assert run("config", "set", "strategy", "tiered", "--user", **home).code == 0
    assert user_file.read_text() == 'strategy = "tiered"\n'
    assert run("config", "set", "keep", '["a, b"]', "--config", "x.yaml", **home).code == 0
    assert (tmp_path / "x.yaml").read_text() == 'keep: ["a, b"]\n'
    done = run("config", "set", "strategy", "ranked", "--user", COMPACTOR_STRATEGY="tiered", **home)
    assert "note: variable COMPACTOR_STRATEGY takes precedence" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("keep_last", "-1"), ("compactor.toml", "keep_last", "a whole number of at least 0")),
        (("keep_lost", "1"), ("keep_lost", "did you mean keep_last?")),
        (("scoring", "1"), ("scoring", "section", "max_residuals")),
        (("target_ratio", "0.5"), ("compactor.toml", "target_tokens", "exclude each other")),
        (("keep", "("), ("compactor.toml", "keep", "regular expression")),
        (("keep_last", "1", "--user", "--project"), ("--user", "--project", "exclude")),
    ],
)
def test_set_refuses_what_a_file_may_not_hold_and_writes_nothing(run, tmp_path, arguments, words):
    path = tmp_path / "compactor.toml"
    path.write_text("target_tokens = 5000\n")
    done = run("config", "set", *arguments)
    assert done.code == 2
    for word in words:
        assert word in done.stderr
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir() if p.is_file()] == [
        (path.name, "target_tokens = 5000\n")
    ]


def test_set_keeps_the_rights_of_a_file_and_follows_links(run, tmp_path):
    real = tmp_path / "real.toml"
    real.write_text("")
    real.chmod(0o600)
    (tmp_path / "compactor.toml").symlink_to(real)
    assert run("config", "set", "keep_last", 5).code == 0
    assert (tmp_path / "compactor.toml").is_symlink()
    assert real.read_text() == "keep_last = 5\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o600


def test_unset_takes_out_what_nobody_knows_too(run, tmp_path):
    path = tmp_path / "compactor.toml"
    path.write_text("[scoring]\ntreshold = 5\nthreshold = 6\n")
    assert run("config").code == 2
    assert run("config", "unset", "scoring.treshold").code == 0
    assert path.read_text() == "[scoring]\nthreshold = 6\n"
    again = run("config", "unset", "query")
    assert again.code == 2
    assert "query is not set in this file" in again.stderr


def test_get_prints_the_value_alone(run, tmp_path):
    (tmp_path / "compactor.toml").write_text('keep = ["a", "b, c"]\n')
    for key, text in (("keep", '["a", "b, c"]'), ("target_tokens", ""), ("tiers.enabled", "true"), ("query", "")):
        assert run("config", "get", key).text == text + "\n"
    unknown = run("config", "get", "context.limits")
    assert unknown.code == 2
    assert "did you mean context.limit?" in unknown.stderr


def test_path_says_which_files_are_read(run, tmp_path, home, user_file):
    user_file.write_text("")
    home = {**home, "XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_DATA_HOME": str(tmp_path / "data")}
    rows = run("config", "path", "--json", **home).json
    answers = str(tmp_path / "cache" / "compactor" / "answers.sqlite3")
    database = str(tmp_path / "data" / "compactor" / "compactor.sqlite3")
    project = str(tmp_path / "compactor.toml")
    assert rows == [
        {"source": "user file", "path": str(user_file), "exists": True},
        {"source": "project file", "path": project, "exists": False},
        {"source": "answers of models", "path": answers, "exists": False},
        {"source": "originals, rounds and memories", "path": database, "exists": False},
    ]
    assert f"answers of models  {answers}  not there" in run("config", "path", **home).text
    assert f"answers of models are stored in {answers}, not there yet" in run("config", **home).text
    assert f"originals, rounds and memories are stored in {database}, not there yet" in run("config", **home).text
    assert f"project file  {project}  not there" in run("config", "path", **home).text
    named = run("config", "path", "--json", COMPACTOR_CONFIG="x.toml", **home).json
    assert named == [
        {"source": "file", "path": "x.toml", "exists": False},
        {"source": "answers of models", "path": answers, "exists": False},
    ]


def test_the_place_of_the_database_is_shown_without_its_password(run, home):
    home = {**home, "COMPACTOR_DATABASE_URL": "postgresql://me:secret@host/name?sslpassword=secret"}
    for command in (("config",), ("config", "path"), ("config", "path", "--json"), ("config", "get", "database_url")):
        shown = run(*command, **home).text
        assert "postgresql://***@host/name?sslpassword=***" in shown
        assert "secret" not in shown


def test_path_helps_to_find_a_file_that_is_broken(run, home, user_file):
    user_file.write_text("keep_last = [")
    shown = run("config", "path", **home)
    assert shown.code == 0
    assert f"user file  {user_file}  read" in shown.text
    assert str(user_file) in shown.stderr


def test_init_writes_a_file_that_is_valid_and_never_overwrites(run, tmp_path, home, user_file):
    assert run("config", "init", **home).code == 0
    assert {entry["source"] for entry in run("config", "--json", **home).json} == {"default"}
    text = (tmp_path / "compactor.toml").read_text()
    for arguments in ((), ("--yaml",)):
        again = run("config", "init", *arguments, **home)
        assert again.code == 2
        assert "compactor.toml already exists" in again.stderr
    assert (tmp_path / "compactor.toml").read_text() == text
    assert run("config", "init", "--user", "--yaml", **home).code == 0
    assert user_file.with_suffix(".yaml").is_file()
    assert run("config", "set", "keep_last", 2, "--user", **home).code == 0
    assert source_of(run, "keep_last", **home) == (2, "user file", str(user_file.with_suffix(".yaml")))


def test_the_first_file_of_a_user_gets_its_folder(run, home, user_file):
    user_file.parent.rmdir()
    assert run("config", "init", "--user", **home).code == 0
    assert user_file.is_file()


@pytest.mark.parametrize("name", ["", "get", "set", "unset", "path", "init"])
def test_the_help_of_each_part_has_an_example(run, name):
    done = run("config", *filter(None, [name]), "--help", COLUMNS="80")
    assert (done.code, done.stderr) == (0, "")
    assert f"compactor config {name}".rstrip() in done.text.split("Examples:")[1]
    assert [line for line in done.text.splitlines() if len(line) > 80] == []


def test_a_password_in_an_address_is_not_shown(run):
    secret = {"COMPACTOR_LLM_API_BASE": "http://someone:hidden@127.0.0.1:9/v1"}
    for command in (("config",), ("config", "--json"), ("config", "get", "llm.api_base")):
        done = run(*command, **secret)
        assert "hidden" not in done.text + done.stderr
        assert "//***@127.0.0.1:9/v1" in done.text


@pytest.mark.parametrize("value", ["true", "1", "yes"])
def test_meilisearch_is_refused_with_a_word(run, session, value):
    done = run("score", session.name, *CHARS, ENABLE_MEILISEARCH=value)
    assert done.code == 0
    (warning,) = [line for line in done.stderr.splitlines() if "warning" in line]
    assert warning.startswith("warning: the variable ENABLE_MEILISEARCH has no effect: ")


@pytest.mark.parametrize("value", ["false", "0", ""])
def test_meilisearch_that_is_off_is_no_matter(run, session, value):
    assert "MEILI" not in run("score", session.name, *CHARS, ENABLE_MEILISEARCH=value).stderr
