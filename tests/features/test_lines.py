"""Lines: every character that is not blank stands on exactly one, short enough to be chosen alone."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.session_text import read_session
from compactor_cli.text.line_prefixes import has_words
from tests.builders import assistant, call, calling_message, read_records, result, system, user
from tests.features.sessions import Told
from tests.properties.profile import examples

LONG, LONG_PROSE = 110, 220
PIECES = st.sampled_from(
    (
        "word ",
        "Some prose goes here, with a point at its end. ",
        '{"key": "value", "list": [1, 2, 3]}, ',
        "a/b/c.py:12 ",
        "x" * 90,
        "no_break" * 40,
        "\n",
        "\n\n  ",
        "\t",
        "\\n",
        "\\",
        "'quoted name' ",
        '"other name": ',
        "取り込み側は壊れません。",
        "\ud800",
        "\x00\x1b[31m",
        "\r\n",
        "\u2028",
        "\x85",
    )
)
TEXTS = st.lists(PIECES, min_size=1, max_size=25).map("".join).filter(str.strip)


@examples(200)
@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_lines_cover_every_character_once_in_order_and_are_not_long(texts):
    told = Told(user("go"), *(assistant(text) for text in texts))
    lines = told.lines
    for number, piece in enumerate(told.session.pieces):
        own = [(lines.starts[line], lines.ends[line]) for line in lines.piece_lines(number)]
        assert own == sorted(own)
        assert all(before[1] <= after[0] for before, after in pairwise(own))
        for start, end in own:
            text = piece.text[start:end]
            token = max(map(len, re.findall("[!-~]+", text)), default=0)
            assert 0 < end - start <= LONG_PROSE or (token > 20 and end - start < LONG_PROSE + token)
            assert text == text.strip()
            assert all(line.strip() for line in text.split("\n"))
        covered = {at for start, end in own for at in range(start, end)}
        left_out = {letter for at, letter in enumerate(piece.text) if at not in covered and not letter.isspace()}
        assert left_out <= (set("[]{},:") if piece.text.lstrip()[:1] in ("[", "{") else set())
    assert [line for number in range(len(told.session.pieces)) for line in lines.piece_lines(number)] == list(
        range(len(lines))
    )


@examples(200)
@given(st.lists(TEXTS, min_size=1, max_size=4), st.booleans())
def test_bounds_are_not_below_the_values_of_a_line_s_terms(texts, as_output):
    records = [calling_message(call("c1")), result("c1", "\n".join(texts))] if as_output else map(assistant, texts)
    messages = read_records(*map(json.dumps, (user("go"), *records)))
    session = read_session(messages)
    known = {name: 1.0 + len(name) % 7 for name in (*session.names, *session.words)}

    def worth(term):
        return known.get(session.words[-term - 1] if term < 0 else session.names[term], 0.0)

    lines = SessionLines(session, worth)
    before = [lines.bounds[line] for line in range(len(lines))]
    for line in range(len(lines)):
        # a cut may leave half an escape on a line, which makes other names of its beginning
        if not lines.text(line).startswith(("n", "t", "r", '"', "/")) and not lines.text(line).endswith("\\"):
            assert before[line] >= sum(map(worth, lines.terms[line])) - 1e-9


def test_a_line_of_a_text_is_a_line_and_blank_ones_are_none():
    told = Told(user("one\n\n   two  \n\t\nthree\n"))
    assert told.texts == ["one", "two", "three"]


def test_long_prose_is_cut_at_sentences_and_short_sentences_stay_together():
    said = "This sentence is long enough to stand on a line of its own. " * 5 + "Yes. No. Maybe so."
    texts = Told(user(said.strip())).texts
    assert len(texts) > 3
    assert all(text.endswith(".") for text in texts)
    assert " ".join(texts) == said.strip()


def test_prose_of_moderate_length_is_one_line():
    said = "All of this is one line since it is short. So it stays as it is, and is quoted as one thing."
    assert Told(assistant(said)).texts == [said]


def test_a_request_has_a_line_for_each_sentence():
    said = "Keep the old parser. Do not touch the writer."
    assert Told(user(said)).texts == ["Keep the old parser.", "Do not touch the writer."]


def test_data_on_one_line_is_cut_between_its_values():
    value = [{"id": f"W-{at:05}", "total": at * 1.25, "status": "shipped"} for at in range(40)]
    told = Told(user("go"), calling_message(call("c1")), result("c1", json.dumps(value)))
    rows = told.texts[told.line('{"id"') :]
    assert all(len(row) <= LONG for row in rows)
    for row in rows:
        assert row.startswith("{"), row
        assert row.endswith("}"), row
    for at in range(40):
        assert sum(f"W-{at:05}" in row for row in rows) == 1, "an id was cut in two"


def test_a_long_path_is_not_cut_in_two():
    path = "/Users/soph/Work/entire/devenv/cli/cmd/entire/cli/integration_test/concurrent_session_warning_test.go"
    arguments = json.dumps({"file_path": path, "offset": 345, "limit": 20})
    assert any(path in text for text in Told(user("go"), calling_message(call("c1", "Read", arguments))).texts)


@pytest.mark.parametrize(
    "around", ["{}", "the modulus is {} and the exponent 5, as the server said twice", '{{"n": "{}"}}']
)
def test_a_long_number_is_not_cut_in_two(around: str) -> None:
    modulus = "9F3A71C0" * 90
    texts = Told(user("go"), calling_message(call("c1", "Look")), result("c1", around.format(modulus))).texts
    (whole,) = [text for text in texts if "9F3A71C0" in text]
    assert modulus in whole


@pytest.mark.parametrize("text", ["x" * 9000, "取り込み側は壊れません" * 200])
def test_text_without_any_break_is_cut_by_force(text: str) -> None:
    texts = Told(user(text)).texts
    assert "".join(texts) == text
    assert len(text) / LONG_PROSE <= len(texts) <= len(text) / 60
    assert max(map(len, texts)) <= LONG_PROSE


def test_calls_and_results_have_lines_thinking_and_pictures_have_none():
    picture = {"type": "image_url", "image_url": {"url": "data:,x"}}
    told = Told(
        system("rules"),
        user([{"type": "text", "text": "look"}, picture]),
        calling_message(call("c1", "shell", '{"command": "git status\\ngit log"}'), content="I look."),
        result("c1", "clean"),
    )
    assert told.texts == ["rules", "look", "I look.", '{"command":"git status\ngit log"}', "clean"]


def test_messages_that_are_kept_anyway_have_no_lines():
    told = Told(user("first"), assistant("second"), user("third"), skip=frozenset({0, 2}))
    assert told.texts == ["second"]
    assert list(told.lines.piece_lines(0)) == []
    assert [told.lines.message_of(line) for line in told.lines.piece_lines(1)] == [1]


def test_the_terms_of_a_line_are_its_own_with_quoted_ones():
    told = Told(user('Open "left half" of a.py.\nAnd "right half" of b.py.'))

    def names(line):
        return [told.session.names[term] for term in told.lines.terms[line] if term >= 0]

    assert names(0) == ["a.py", "left half"]
    assert names(1) == ["b.py", "right half"]


def test_words_are_terms_where_somebody_speaks_and_not_in_data():
    told = Told(user("garden"), calling_message(call("c1", arguments='{"x": "orchard"}')), result("c1", "meadow"))
    assert told.session.words == ["garden"]


def test_a_long_session_is_read_as_far_back_as_it_is_told_and_requests_and_calls_all_the_way():
    records = [user("Fix a.py"), assistant("b.py " * 400), calling_message(call("c1", arguments='{"p": "c.py"}'))]
    records += [result("c1", "d.py " * 400), assistant("e.py " * 400)]
    messages = read_records(*records)
    assert set(read_session(messages).names) >= {"a.py", "b.py", "c.py", "d.py", "e.py"}
    near = set(read_session(messages, 300).names)
    assert near & {"a.py", "b.py", "c.py", "d.py", "e.py"} == {"a.py", "c.py", "e.py"}


@pytest.mark.parametrize("records", [[user("")], [user("  \n ")], [system("rules")]], ids=["empty", "blank", "system"])
def test_sessions_with_nothing_to_say_have_few_lines(records):
    assert len(Told(*records).lines) <= 1


def test_imports_of_a_result_are_worth_nothing_and_stand_on_no_line_with_anything_else() -> None:
    text = 'package session\n\nimport (\n\t"errors"\n\t"path/filepath"\n)\n\nfunc LoadState(file string) error {'
    told = Told(user("go"), calling_message(call("c1")), result("c1", text))
    worth = {told.lines.text(line): told.lines.bounds[line] for line in range(len(told.lines))}
    imports = next(line for line in worth if "filepath" in line)
    assert worth[imports] == 0
    assert worth["func LoadState(file string) error {"] > 0
    assert "package" not in imports


def run(number: int, command: str, **settings: object) -> list[str]:
    arguments = json.dumps({"cmd": command, "workdir": "/home/sam/projects/tideline/harbors", **settings})
    return [json.dumps(calling_message(call(f"c{number}", "exec", arguments))), json.dumps(result(f"c{number}", "ok"))]


def test_what_calls_have_alike_is_worth_nothing_and_stands_on_no_line_with_what_one_call_says() -> None:
    commands = [f"python -m tideline harbor-{number}" for number in range(6)]
    ran = [run(at, command, yield_ms=1000) for at, command in enumerate(commands)]
    messages = read_records(user("Look."), *(record for records in ran for record in records))
    lines = SessionLines(read_session(messages), lambda _: 0.1)
    told = [[lines.text(line) for line in lines.of_message(1 + 2 * at)] for at in range(6)]
    assert all('"workdir"' in " ".join(texts) for texts in told)
    for at, texts in enumerate(told):
        number = next(line for line in lines.of_message(1 + 2 * at) if '"workdir"' in lines.text(line))
        assert (number in lines.silent) == (at >= 3), at
        assert (lines.bounds[number] == 0) == (at >= 3), at
        assert commands[at] in texts[0]
        assert at < 3 or "workdir" not in texts[0]
        settled = next(line for line in lines.of_message(1 + 2 * at) if "yield_ms" in lines.text(line))
        assert settled not in lines.silent, "what an agent has settled on is short, and it goes on with it"


def test_which_file_a_call_is_about_is_never_usual() -> None:
    arguments = [{"pattern": f"high water of harbor {at} " * 4, "path": "src/tides.py"} for at in range(5)]
    calls = [calling_message(call(f"c{at}", "grep", json.dumps(asked))) for at, asked in enumerate(arguments)]
    lines = SessionLines(read_session(read_records(user("Look."), *calls)), lambda _: 0.1)
    assert not lines.silent


COMMAND = 'rg -n "models.json|\\$[A-Z_]+|{x}" docs/a.md, docs/b.md | sed -n \'1,220p\' && echo "so, [it] goes on" ' * 2


def test_quotes_and_brackets_in_a_command_are_no_structure_of_its_arguments():
    arguments = json.dumps({"command": COMMAND, "workdir": "/home/sam/app", "timeout": 1000})
    messages = read_records(user("Look."), calling_message(call("c1", "bash", arguments)), result("c1", "ok"))
    lines = SessionLines(read_session(messages), lambda _: 0.1)
    texts = [lines.text(line) for line in lines.of_message(1)]
    assert texts[0].startswith('"command":"rg -n "models.json')
    shown = " ".join(texts)
    assert all(part in shown for part in COMMAND.split())
    assert texts[-1].endswith('"timeout":1000')


@pytest.mark.parametrize(
    ("arguments", "lead"),
    [
        ({"command": COMMAND, "workdir": "/home/sam/app"}, 'rg -n "models.json|\\$[A-Z_]+|{x}" docs/a.md, docs/b.md |'),
        ({"command": "/opt/tides/" + "x" * 200}, "/opt/tides/" + "x" * 49),
        ({"command": "cat > notes.md <<'EOF'\n" + COMMAND}, "cat > notes.md <<'EOF'"),
        ({"command": "date"}, "date"),
        ({"words": [COMMAND], "path": "src/tides.py"}, "path=src/tides.py"),
    ],
)
def test_arguments_that_stand_alone_say_which_call_they_are_of(arguments: dict[str, object], lead: str) -> None:
    """What begins `"mode": …` where the command before it is not quoted."""
    settings = {"timeout": 1000, "mode": "m" * 90}
    messages = read_records(
        user("Look."), calling_message(call("c1", "bash", json.dumps(arguments | settings))), result("c1", "ok")
    )
    lines = SessionLines(read_session(messages), lambda _: 0.1)
    last = list(lines.of_message(1))[-1]
    assert '"mode"' in lines.text(last)
    assert lines.context(last).removesuffix(" … ") == lead


def test_a_later_piece_of_a_long_command_says_which_command_it_is_of() -> None:
    command = "git grep -n tides -- src/tides.py and all the other files of it; " + COMMAND * 2
    arguments = {"command": command, "timeout": 1000}
    messages = read_records(
        user("Look."), calling_message(call("c1", "bash", json.dumps(arguments))), result("c1", "ok")
    )
    lines = SessionLines(read_session(messages), lambda _: 0.1)
    first, *others = lines.of_message(1)
    assert lines.context(first) == ""
    assert len(others) > 1
    assert {lines.context(line) for line in others} == {"git grep -n tides -- src/tides.py and all the other files … "}
    assert {lines.context(line, others[0]) for line in others[1:]} == {""}


def test_a_line_of_another_section_than_the_one_shown_before_it_says_of_which() -> None:
    rows = "\n".join(f"| {n} | what stands at the place with the number {n} |" for n in range(200, 204))
    text = f"**formatter.lua**\n\n{rows}\n\n**types.lua**\n\n{rows}\n"
    messages = read_records(user("Where is it?"), assistant(text))
    lines = SessionLines(read_session(messages), lambda _: 0.1)
    told = {lines.text(line): line for line in lines.of_message(1)}
    (heading,) = (line for text, line in told.items() if "types.lua" in text)
    first, *_, last = lines.of_message(1)
    assert lines.context(last, first) == "**types.lua** … "
    assert lines.context(last, heading) == "", "it stands before it"
    assert lines.context(last) == "", "nothing of another section does"


CODE = 'def tides(harbor):\n    """Return them."""\n    return [tide for tide in harbor if tide.high > "3 m"]\n'


def test_a_result_that_is_json_around_lines_has_these_lines():
    messages = read_records(
        user("Go."), calling_message(call("c1")), result("c1", json.dumps({"path": "tides.py", "result": CODE * 3}))
    )
    lines = SessionLines(read_session(messages), lambda term: 1.0)
    shown = "\n".join(lines.text(line) for line in lines.of_message(2))
    assert shown.count('return [tide for tide in harbor if tide.high > "3 m"]\n') == 3
    assert "\\" not in shown


def test_json_on_one_line_is_read_without_its_blanks():
    found = {"bookings": [{"id": "BK 1", "note": "late, or not: as it comes"}, {"id": "BK 2", "note": ""}]}
    messages = read_records(user("Go."), calling_message(call("c1")), result("c1", json.dumps(found)))
    assert read_session(messages).pieces[-1].text == json.dumps(found, separators=(",", ":"))


@pytest.mark.parametrize(
    "text",
    [
        '["a\\nb", "c\\nd", "e\\nf"',  # no JSON
        '[\n"a\\nb",\n"c\\nd",\n"e\\nf"\n',  # the same over several lines
        '{"message":"one\\ntwo"}',
    ],
)
def test_any_other_result_is_read_as_it_stands(text):
    messages = read_records(user("Go."), calling_message(call("c1")), result("c1", text))
    assert read_session(messages).pieces[-1].text == text


def test_a_member_that_is_shown_alone_says_which_key_it_is_of() -> None:
    ways = {
        f"card_{n}": {"source": "credit_card", "brand": f"brand-{n}", "last_four": f"{n}437", "id": f"card_{n}"}
        for n in (11, 12, 13)
    }
    told = Told(
        user("go"),
        calling_message(call("c1", "look")),
        result("c1", json.dumps({"name": "Mia", "payment_methods": ways})),
    )
    lines = told.lines
    for n in (11, 12, 13):
        (line,) = [line for line in lines.of_message(2) if f'"{n}437"' in lines.text(line)]
        assert f'"card_{n}":' in lines.context(line) + lines.text(line), n


def test_members_of_an_object_in_an_object_say_which_one_they_are_of() -> None:
    shop = {"web": {"ports": {"http": "8" * 50, "admin": "9" * 50}, "image": "shop"}, "db": {"image": "postgres"}}
    told = Told(user("go"), calling_message(call("c1", "look")), result("c1", json.dumps({"services": shop}, indent=2)))
    leads = [told.lines.context(line) for line in told.lines.of_message(2) if "88888" in told.lines.text(line)]
    assert leads == ['"web": … "ports": … ']


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("12\t}", False),
        ("  9→ ", False),
        ("936-\t}", False),
        ("12 | )", False),
        ("12\tx", True),
        ("404:", True),
        ("7", True),
    ],
)
def test_the_number_of_a_line_is_no_word_of_it(line: str, says: bool) -> None:
    assert has_words(line) == says
