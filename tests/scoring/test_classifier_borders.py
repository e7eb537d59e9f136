"""The classifier where one thing ends and another begins: kinds of messages, thresholds, limits, words of a request."""

from __future__ import annotations

import pytest

from compactor_cli.errors import UsageError
from compactor_cli.model.score import Score
from compactor_cli.scoring import make_scorer
from compactor_cli.scoring.classifier import ClassifierScorer, is_nod
from compactor_cli.settings import ScoringSettings, Settings
from tests.asking import ScriptedModel
from tests.builders import tool_result, tool_use
from tests.pipeline.sessions import Json, assistant, system, transcript, user
from tests.scoring.test_classifier import answer_of, entry, judges, scores, shown, talk


def at_threshold(value: float) -> Settings:
    return Settings(scoring=ScoringSettings(threshold=value))


def test_without_a_model_the_scorer_says_how_to_name_one() -> None:
    with pytest.raises(UsageError, match="scorer classifier needs a model; name one with --llm-model"):
        make_scorer("classifier", None)


def test_a_prompt_of_ones_own_is_the_system_prompt() -> None:
    model = ScriptedModel(judges)
    made = make_scorer("classifier", model, "Judge as a harbour master would.")
    made.score(transcript(talk(2)), Settings())
    assert model.requests[0].system == "Judge as a harbour master would."


@pytest.mark.parametrize(
    "record",
    [
        system(),
        user("## Session Summary of #1-9\n#2 user: Mend the parser."),
        user("<system-reminder>Mind the budget.</system-reminder>"),
        user("ok"),
        assistant(None, "c1"),
        assistant(""),
    ],
    ids=["system", "summary", "injected", "nod", "call", "nothing"],
)
def test_what_says_nothing_of_the_work_has_no_category(record: Json) -> None:
    (found,) = scores([record], ScriptedModel())[:1]
    assert found.category == "none"


def test_results_alone_in_a_message_of_the_user_are_results() -> None:
    records: list[Json] = [
        user("List the files."),
        {"role": "assistant", "content": [tool_use("t1")]},
        {"role": "user", "content": [tool_result("t1", "exit code: 0\nthree files")]},
    ]
    found = scores(records, ScriptedModel(judges))
    assert found[2].factors[0].name == "heuristic tool success"


@pytest.mark.parametrize("text", ["That's great", "that’s right", "It’s good, it's perfect"])
def test_a_nod_may_have_an_apostrophe(text: str) -> None:
    assert is_nod(text)


@pytest.mark.parametrize("text", ["xxxx", "none ok", "s"])
def test_what_an_apostrophe_leaves_is_no_nod(text: str) -> None:
    assert not is_nod(text)


def test_what_was_judged_once_persists_by_the_threshold_of_each_time() -> None:
    made = ClassifierScorer(ScriptedModel(answer_of(entry(0, 60))))
    session = transcript([user("The port is 8443.")])
    assert [made.score(session, at_threshold(value))[0].persist for value in (50, 60, 61)] == [True, True, False]


def test_a_request_says_who_speaks_and_has_each_message_on_lines_of_its_own() -> None:
    model = ScriptedModel(judges)
    scores([user("The port is 8443."), assistant("It is open.")], model)
    lines = model.requests[0].turns[0].text.split("\n")
    assert [line for line in lines if line.startswith("<message ")] == [
        '<message number="0" from="user">',
        '<message number="1" from="assistant">',
    ]
    assert lines.count("</message>") == 2


def test_a_batch_ends_before_it_is_too_long_whatever_the_model_could_take() -> None:
    model = ScriptedModel(judges, context_limit=2_000_000)
    scores([user(f"{at:02} " + "harbour " * 400) for at in range(40)], model)
    batches = [shown(request) for request in model.requests]
    assert [len(batch) for batch in batches] == [19, 19, 2], "20 would be over 24,000 characters"
    assert all(len(text) <= 1_200 for batch in batches for text in batch.values())


def test_a_single_message_that_cannot_be_judged_is_named_by_its_number() -> None:
    model = ScriptedModel("?")
    scores([system(), user("The port is 8443.")], model)
    assert [what for what, _ in model.given_up] == ["classification of message 1"]


def test_the_lowest_values_are_taken() -> None:
    model = ScriptedModel(answer_of(entry(0, 0, "none", 0)))
    (found,) = scores([user("The gulls are loud today.")], model)
    assert (found.value, found.confidence, len(model.requests)) == (0, 0, 1)


@pytest.mark.parametrize(("threshold", "judged"), [(70, False), (70.5, True)])
def test_the_same_score_for_all_is_no_judgement_from_the_threshold_on(threshold: float, judged: bool) -> None:
    model = ScriptedModel(lambda request: answer_of(*(entry(index, 70) for index in shown(request))))
    found = scores(talk(8), model, threshold=threshold)
    assert all(score.factors[0].name.startswith("classified") is judged for score in found)


def test_a_statement_belongs_to_what_is_worth_remembering_only() -> None:
    said = {"statement": " The port is 8443. "}
    model = ScriptedModel(answer_of({**entry(0, 80), **said}, {**entry(1, 10, "none"), **said}))
    first, second = scores([user("The port is 8443."), user("The gulls are loud.")], model)
    assert first == Score(80, 80, first.factors, "fact", 0.9, True, "The port is 8443.")
    assert second.statement == ""
