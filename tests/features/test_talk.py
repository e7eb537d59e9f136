"""What people say: which statements stand out, in any language, and which are kept in a room."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compactor_cli.features import cue_words, talk, talk_words
from compactor_cli.features.talk import (
    TALK_SIGNALS,
    Statement,
    either_probability,
    later_and_binding_values,
    needed_and_binding,
    needed_values,
    rank_statements,
    statement_signals,
    statement_values,
)
from compactor_cli.profiles import default_profile
from tests.drawing import example_count

TALK = default_profile().talk
BINDING = default_profile().binding
RED_LINE = (
    "Absolutely never assume the server timezone is UTC without configuring it. That is a hard red line for this "
    "project."
)
CHAT = """\
Hi! How are you today?
I'm fine, thanks! What can I do for you?
Nothing much, I am just having a coffee.
Nice, enjoy it!
Did you see the match yesterday?
I don't watch matches, but I hear it was exciting.
Yes, it was so much fun, my brother shouted all evening.
Haha, sounds like a good time.
{rule}
Understood.
Great. So, lunch was pasta again.
Pasta is always a good choice!
True. How about some music?
I like jazz, what about you?
Jazz is good when it rains.
Agreed, it fits the mood.
Okay, I'll be back in a bit.
See you soon!
Back again. That was a long day.
Welcome back!"""
SMALL_TALK = {
    "en": ("invoices from the workshop are signed by the bookkeeper", CHAT.splitlines()[4:8]),
    "de": (
        "Rechnungen gehen ausschließlich an Frau Oltmanns",
        ["Wie war dein Tag?", "Ach, ganz nett.", "Hier regnet es wieder.", "Na dann, bis später!"],
    ),
    "es": (
        "los recibos del taller los guarda mi cuñada",
        ["¿Qué tal el día?", "Bueno, nada nuevo.", "Aquí llueve otra vez.", "¡Pues hasta luego!"],
    ),
    "fr": (
        "les courriers du notaire passent par mon oncle",
        ["Ça va aujourd'hui ?", "Oui, rien de neuf.", "Il pleut encore ici.", "Allez, à bientôt !"],
    ),
    "zh": ("合同原件由会计部门统一保管", ["今天过得怎么样？", "还行吧。", "又下雨了。", "好的，再见！"]),
    "ja": (
        "契約書の原本は経理部が保管します",
        ["今日はどうでしたか？", "まあまあですね。", "また雨ですよ。", "ではまた！"],
    ),
    "pl": (
        "faktury z warsztatu podpisuje wyłącznie księgowa",
        ["Jak minął dzień?", "A nic takiego.", "Znowu pada.", "No to cześć!"],
    ),
    "ko": (
        "계약서 원본은 회계 부서가 보관합니다",
        ["오늘 어땠어요?", "그냥 그래요.", "또 비가 와요.", "그럼 또 봐요!"],
    ),
}


def said(*texts: str) -> list[Statement]:
    return [Statement(at, ("user", "assistant")[at % 2], text) for at, text in enumerate(texts)]


def binding(statements: list[Statement]) -> list[float]:
    return statement_values(statements, BINDING)


def both(statements: list[Statement]) -> list[float]:
    return [either_probability(*each) for each in later_and_binding_values(statements, TALK, BINDING)]


def ranked(statements: list[Statement], valued=both) -> list[str]:
    values = valued(statements)
    order = sorted(range(len(values)), key=lambda at: -values[at])
    return [statements[at].text for at in order]


def chosen(statements: list[Statement], values: list[float], tokens: list[int], room: int) -> list[int]:
    """Return indices of the statements that come first, as many as fit."""
    found = []
    for at in rank_statements(statements, values, tokens):
        if tokens[at] <= room:
            found.append(at)
            room -= tokens[at]
    return sorted(found)


def signal(name: str, statements: list[Statement], at: int) -> float:
    return statement_signals(statements)[at][list(TALK_SIGNALS).index(name)]


@pytest.mark.parametrize("valued", [binding, both])
def test_a_red_line_in_small_talk_comes_first(valued):
    assert ranked(said(*CHAT.format(rule=RED_LINE).splitlines()), valued)[0] == RED_LINE


def test_the_red_line_is_what_is_kept_in_a_small_room():
    chat = said(*CHAT.format(rule=RED_LINE).splitlines())
    tokens = [1 + len(each.text) // 4 for each in chat]
    assert 8 in chosen(chat, both(chat), tokens, sum(tokens) // 4)


@pytest.mark.parametrize("language", SMALL_TALK)
@pytest.mark.parametrize("valued", [binding, both])
def test_a_rule_without_a_cue_word_comes_before_small_talk(language, valued):
    rule, chat = SMALL_TALK[language]
    assert ranked(said(*chat, rule), valued)[0] == rule
    assert ranked(said(rule, *chat), valued)[0] == rule


@pytest.mark.parametrize("language", SMALL_TALK)
def test_no_list_of_words_is_needed(language, monkeypatch):
    nothing = {cue: cue_words.Cue(frozenset()) for cue in cue_words.CUES}
    monkeypatch.setattr(talk, "CUES", nothing)
    rule, chat = SMALL_TALK[language]
    assert ranked(said(*chat, rule), binding)[0] == rule


def test_without_its_form_and_its_words_nothing_tells_a_rule_from_small_talk():
    form = (
        "length",
        "length_squared",
        "nod",
        "asks",
        "questions",
        "cheers",
        "word_length",
        "long_words",
        "no_talk",
        "no_request",
    )
    blind = {name: weight for name, weight in BINDING.items() if name not in form}
    rule, chat = SMALL_TALK["pl"]
    assert ranked(said(*chat, rule), lambda found: statement_values(found, blind))[0] != rule


@pytest.mark.parametrize(
    ("name", "more", "less"),
    [
        ("length", "the quick brown fox jumps over it", "a fox"),
        ("nod", "oh yes, right", "twelve of us went there"),
        ("rarest", "walnut shells everywhere", "so so"),
        ("own", "walnut shells everywhere", "so so"),
        ("word_length", "extraordinary circumstances", "it is so"),
        ("long_words", "extraordinary circumstances", "it is so"),
        ("asks", "is it so? ", "it is so."),
        ("asks", "今日はどうですか。", "今日はいいです。"),
        ("asks", "هل هذا صحيح؟", "هذا صحيح"),
        ("questions", "what? really?", "what is it?"),
        ("cheers", "so good! 🎉", "so good."),
        ("numbers", "at 10:30 on 5 May", "at noon"),
        ("numbers", "一共三个人", "很多朋友"),
        ("names", "ask Renate or Otto", "Ask her or him"),
        ("codes", "see net/read.py and MAX_AGE", "see the file"),
        ("first_person", "I lost my key", "the key is lost"),
        ("negation", "nichts davon", "alles davon"),
        ("duty", "you must ask", "you may ask"),
        ("hedge", "maybe I guess", "we know"),
        ("courtesies", "thanks a lot", "the shed is locked"),
        ("image", "here is a photo", "here is a boat"),
        ("past", "we were there", "we are there"),
        ("recent", "I just got up again", "I got up"),
        ("feeling", "what a weird and funny day", "what a day"),
        ("order", "use tabs in the Go files", "the Go files use tabs"),
        ("order", "please never skip the tests", "please, the tests"),
        ("chat", "give me a second", "a second to give"),
        ("chat", "don't worry about it", "it is about worry"),
    ],
)
def test_signals_tell_statements_apart(name, more, less):
    frame = ["so so it is", "so it is so"]
    assert signal(name, said(*frame, more), 2) > signal(name, said(*frame, less), 2)


def test_what_an_assistant_says_binds_nobody():
    """The same words are a rule of the user, and none of the assistant."""
    rule = "Never send invoices to anybody but Marta."
    of_the_user = later_and_binding_values([Statement(0, "user", rule)], TALK, BINDING)
    of_the_agent = later_and_binding_values([Statement(0, "assistant", rule)], TALK, BINDING)
    assert of_the_user[0][1] > 0.5
    assert of_the_agent == [(of_the_user[0][0], 0.0)]


def test_an_answer_follows_a_question_of_another_speaker():
    asked, told = Statement(0, "user", "Where is it?"), Statement(1, "assistant", "In the shed.")
    assert signal("answers", [asked, told], 1) == 1
    assert signal("answers", [asked, Statement(1, "user", "In the shed.")], 1) == 0
    assert signal("answers", [Statement(0, "user", "There it is."), told], 1) == 0
    assert signal("answers", [asked, told, Statement(1, "assistant", "Or not.")], 2) == 0.5


def test_words_are_new_once():
    chat = said("walnut shells", "walnut shells", "brass bells")
    assert [signal("new", chat, at) for at in range(3)] == [1, 0, 1]
    assert [signal("own", chat, at) for at in range(3)] == [0, 0, 1]


def test_a_weight_that_is_missing_counts_nothing():
    chat = said("walnut shells", "is it?")
    assert statement_values(chat, {}) == [0.5, 0.5]
    assert statement_values(chat, {"asks": 3.0, "bias": -1.0})[1] > 0.8


def test_each_text_is_cut_into_words_once(monkeypatch):
    cut: list[str] = []

    def words(text):
        cut.append(text)
        return talk_words.words(text)

    monkeypatch.setattr(talk, "words", words)
    chat = said(*(f"line {n} of the talk" for n in range(50)))
    statement_values(chat, TALK)
    assert cut == [each.text for each in chat]


def test_looks_at_words_grow_with_the_conversation(monkeypatch):
    looks = 0
    rarity = talk._Talk._rarity

    def counted(self, word):
        nonlocal looks
        looks += 1
        return rarity(self, word)

    monkeypatch.setattr(talk._Talk, "_rarity", counted)
    found = []
    for size in (100, 200, 400):
        looks = 0
        statement_values(said(*(f"we talk of thing{n} and of thing{n // 2} today" for n in range(size))), TALK)
        found.append(looks)
    assert found[1] <= 2.1 * found[0]
    assert found[2] <= 2.1 * found[1]


def test_what_is_worth_more_for_its_length_is_chosen():
    chat = said("one", "two", "three")
    assert chosen(chat, [0.9, 0.9, 0.1], [10, 40, 10], 20) == [0, 2]
    assert chosen(chat, [0.1, 0.9, 0.1], [10, 40, 10], 45) == [1]
    assert chosen(chat, [0.9, 0.9, 0.1], [10, 40, 10], 60) == [0, 1, 2]


def test_a_short_answer_brings_its_question_along():
    chat = said("Where is the boiler key?", "Behind the clock.", "The boiler was loud.")
    assert chosen(chat, [0.1, 0.9, 0.3], [8, 8, 8], 16) == [0, 1]
    assert chosen(chat, [0.1, 0.9, 0.3], [8, 30, 8], 38) == [1, 2]  # a long answer speaks for itself
    told = said("The boiler key is lost.", "Behind the clock.", "The boiler was loud.")
    assert chosen(told, [0.1, 0.9, 0.3], [8, 8, 8], 16) == [1, 2]


def test_what_is_said_twice_stays_where_it_was_said_last():
    chat = [
        Statement(0, "user", "Ask  Otto first."),
        Statement(1, "user", "Fine."),
        Statement(2, "user", "ask otto first."),
    ]
    assert chosen(chat, [0.9, 0.2, 0.9], [5, 5, 5], 15) == [1, 2]


_STATEMENTS = st.lists(
    st.builds(Statement, st.integers(0, 5), st.sampled_from(["user", "assistant", ""]), st.text(max_size=60)),
    max_size=12,
).map(lambda found: sorted(found, key=lambda each: each.message))


@settings(max_examples=example_count(150), deadline=None)
@given(_STATEMENTS)
def test_values_are_likelihoods_and_always_the_same(statements):
    for weights in (TALK, BINDING):
        values = statement_values(statements, weights)
        assert len(values) == len(statements)
        assert all(0 <= value <= 1 for value in values)
        assert values == statement_values(statements, weights)


@settings(max_examples=example_count(150), deadline=None)
@given(_STATEMENTS, st.data())
def test_each_statement_is_ranked_once_and_of_the_same_words_the_newest(statements, data):
    many = len(statements)
    values = data.draw(st.lists(st.floats(0, 1), min_size=many, max_size=many))
    tokens = data.draw(st.lists(st.integers(0, 50), min_size=many, max_size=many))
    newest = {(each.speaker, " ".join(each.text.split()).lower()): at for at, each in enumerate(statements)}
    assert sorted(rank_statements(statements, values, tokens)) == sorted(newest.values())


def test_the_shipped_weights_are_those_of_all_signals():
    assert list(TALK) == list(BINDING) == ["bias", *TALK_SIGNALS]


def test_what_an_agent_says_binds_nobody_and_what_it_explains_is_needed_less_than_what_was_decided() -> None:
    shipped = default_profile()
    statements = [
        Statement(0, "user", "we can only work on weekends, and the neighbours' dog digs on the fence side"),
        Statement(1, "assistant", "Never paint in the rain, as the boards swell and the paint cracks in winter."),
        Statement(1, "assistant", "- Metal: quick to build, but it drums in the rain and sweats in spring"),
        Statement(2, "user", "the second kind but without windows"),
        Statement(3, "user", "what do I buy?"),
    ]
    needed, binds = needed_and_binding(statements, shipped.needed, shipped.binding)
    assert needed == needed_values(statements, shipped.needed)
    assert binds[1] == binds[2] == 0.0 < binds[0]
    assert min(needed[0], needed[3]) > max(needed[1], needed[2])
