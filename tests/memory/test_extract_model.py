"""What a model finds worth remembering, and what the rules do where it fails (seed 003)."""

from __future__ import annotations

import json

import pytest

from compactor_cli import api
from compactor_cli.asking.port import ModelAnswer, ModelRequest
from compactor_cli.errors import ModelError
from compactor_cli.memory.extract import copied_sentences, extract, extract_memories
from compactor_cli.model.memory import Memory
from compactor_cli.scoring.classifier import ClassifierScorer
from compactor_cli.settings import MemorySettings, ScoringSettings, Settings
from tests.asking import ScriptedModel, request_text, tagged_texts
from tests.pipeline.sessions import Json, assistant, load, result, system, transcript, user

AT = 1_790_000_000.0
RECORDS: list[Json] = [
    system("You are careful."),
    user("Build the login for api/auth.py, please."),
    assistant("The login has a modular authentication pattern with JWT refresh tokens."),
    user("I really like how you did that"),
    assistant(None, "1"),
    result("1", "Always run the linter."),
    user("Always run the linter before a push."),
    user("thanks"),
]
LIKES = "User really likes the modular authentication pattern with JWT refresh tokens"
SCORES = {2: (65, "observation", 0.7), 3: (80, "preference", 0.9), 6: (90, "none", 0.8)}


def judges(request: ModelRequest) -> str:
    """A model that scores by `SCORES`, everything else low, and resolves the one reference."""
    shown = tagged_texts(request_text(request), "message", "number")
    if "statement" in (request.schema or {}).get("properties", {}):
        return json.dumps({"statement": LIKES})
    entries = []
    for index in shown:
        score, category, confidence = SCORES.get(index, (20, "none", 0.5))
        entries.append({"index": index, "importance_score": score, "category": category, "confidence": confidence})
    return json.dumps({"messages": entries})


def found(model: ScriptedModel, records: list[Json] = RECORDS, **memory: object) -> tuple[Memory, ...]:
    settings = Settings(memory=MemorySettings(**memory))  # type: ignore[arg-type]  # fields by their names
    return extract_memories(transcript(records), settings, created=AT, model=model)


def test_what_the_model_finds_worth_it_is_made_to_stand_alone() -> None:
    model = ScriptedModel(judges)
    first, second = found(model)
    assert first.text == "The login has a modular authentication pattern with JWT refresh tokens."
    assert (first.category, first.importance, first.confidence) == ("observation", 65, 0.7)
    assert second.text == LIKES
    assert (second.category, second.importance, second.confidence) == ("preference", 80, 0.9)
    assert second.tags == ("compaction", "smart-extracted", "preference")
    assert second.sources[0].messages == (3,)
    assert model.given_up == []


def test_what_is_none_to_the_model_is_not_found_by_rules() -> None:
    """Message 6 would be, offline."""
    assert all("linter" not in memory.text for memory in found(ScriptedModel(judges)))
    offline = extract_memories(transcript(RECORDS), Settings(), created=AT)
    assert [memory.text for memory in offline] == ["Always run the linter before a push."]


def test_the_threshold_is_that_of_the_memory_log() -> None:
    assert len(found(ScriptedModel(judges), threshold=70)) == 1
    assert found(ScriptedModel(judges), threshold=95) == ()


def test_the_prompt_of_the_settings_is_the_system_prompt_of_the_judge() -> None:
    model = ScriptedModel(judges)
    found(model, prompt="Remember decisions about the API only.")
    assert model.requests[0].system == "Remember decisions about the API only."
    usual = ScriptedModel(judges)
    found(usual)
    assert usual.requests[0].system != model.requests[0].system
    assert usual.requests[0].turns == model.requests[0].turns


def test_a_scorer_judges_a_message_once_in_whatever_transcript() -> None:
    """As it was repaired, or with more behind it; what it could not judge is not asked again either."""
    model = ScriptedModel(judges)
    scorer = ClassifierScorer(model)
    scorer.score(transcript(RECORDS), Settings())
    asked = len(model.requests)
    more = transcript([*RECORDS[:5], result("1", "Tool no response"), *RECORDS[6:], user("Deploys are on Tuesdays.")])
    extract_memories(more, Settings(), created=AT, model=model, judge=scorer)
    shown = [tagged_texts(request_text(r), "message", "number") for r in model.requests[asked:]]
    assert [list(texts.values()) for texts in shown if texts] == [["Deploys are on Tuesdays."]]
    broken = ScriptedModel(ModelAnswer(failure="connection failed"))
    failing = ClassifierScorer(broken)
    assert failing.score(transcript(RECORDS), Settings()) == failing.score(transcript(RECORDS), Settings())
    assert len(broken.requests) == len(broken.given_up) == 1


def test_a_report_has_the_scores() -> None:
    source = load(RECORDS)
    settings = Settings(target_tokens=60, scoring=ScoringSettings(scorer="classifier"))
    (part,) = api.compact(source, settings, tokenizer="chars", model=ScriptedModel(judges)).parts
    assert [score.value for score in part.scores][3] == 80


def test_what_the_model_does_not_judge_goes_by_the_rules() -> None:
    model = ScriptedModel(ModelAnswer(failure="connection failed"))
    assert found(model) == extract(transcript(RECORDS), threshold=60, created=AT)
    assert [what for what, _ in model.given_up] == ["classification of messages 1-6"]


def test_a_reference_that_stays_open_is_not_remembered() -> None:
    def answering(request: ModelRequest) -> ModelAnswer | str:
        resolving = "statement" in (request.schema or {}).get("properties", {})
        return ModelAnswer(failure="rate limited") if resolving else judges(request)

    model = ScriptedModel(answering)
    assert [memory.sources[0].messages for memory in found(model)] == [(2,)]
    assert model.given_up == [("resolution of 1 statement", "rate limited")]


def test_where_falling_back_is_not_allowed_the_error_passes_through() -> None:
    with pytest.raises(ModelError):
        found(ScriptedModel(ModelAnswer(failure="no such model"), strict=True))


KEYS = "It signs tokens in api/auth.py with the signing key HS256. "
TAIL = "It must be replaced by RS256 before release 4.2."
ALONE = "The signing key HS256 must be replaced by RS256 before release 4.2."


def names_its_end(request: ModelRequest) -> str:
    """A model that finds the last message worth it, for its last sentence, and resolves what that refers to."""
    if "statement" in (request.schema or {})["properties"]:
        return json.dumps({"statement": ALONE})
    shown = tagged_texts(request_text(request), "message", "number")
    entries = [
        {"index": at, "importance_score": 10, "category": "none", "confidence": 0.5, "statement": ""} for at in shown
    ]
    entries[-1] |= {"importance_score": 90, "category": "fact", "statement": f"it must be  replaced by RS256 {END}"}
    return json.dumps({"messages": entries})


END = "before release 4.2"


def test_the_sentence_at_the_end_of_a_long_message_becomes_a_memory_that_stands_alone() -> None:
    said = "The report went through review and was filed. " * 60
    model = ScriptedModel(names_its_end)
    (memory,) = found(model, [user("What did you do?"), assistant(said + KEYS + TAIL)])
    assert memory.text == ALONE
    resolving = request_text(model.requests[-1])
    assert f'<statement from="assistant">\n{TAIL}\n</statement>' in resolving
    assert KEYS.strip() in resolving.partition("<statement from")[0], "what it says before the sentence is shown"
    schema = model.requests[0].schema
    assert schema is not None
    assert "statement" in schema["properties"]["messages"]["items"]["required"]


def test_a_sentence_that_nobody_said_is_no_memory() -> None:
    """A model's own words are dropped, with a word about it; the rules look at the message instead."""

    def invents(request: ModelRequest) -> str:
        return names_its_end(request).replace(f"it must be  replaced by RS256 {END}", "Lena wants purple buttons.")

    records = [
        user("What now?"),
        assistant("Well. " + "All is as it was before. " * 40),
        user("Always run the linter."),
    ]
    model = ScriptedModel(invents)
    (memory,) = found(model, records)
    assert memory.text == "Always run the linter."
    assert model.given_up == [("memories of 1 message", "the answer names no sentence that stands there")]


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("use tabs", "We use tabs."),
        ("**We use tabs.** Deploys are on Tuesdays", "We use tabs. Deploys are on Tuesdays."),
        ("the build needs JDK 21 or newer versions", "The build needs JDK 21 or newer."),
        ("The weather is fine.", ""),
        ("", ""),
        ("...", ""),
    ],
)
def test_what_an_answer_names(statement: str, sentence: str) -> None:
    text = "Hello there.\n\nWe use tabs. Deploys are on Tuesdays. The build needs JDK 21 or newer."
    assert copied_sentences(statement, text)[0] == sentence


def test_what_a_user_says_of_himself_says_who_it_is() -> None:
    (memory,) = found(ScriptedModel(names_its_end), [user("Hello, what now?"), user(f"I think {TAIL}"), user(ALONE)])
    assert memory.text == ALONE
    first = json.dumps(
        {"messages": [{"index": 0, "importance_score": 80, "category": "preference", "confidence": 1, "statement": ""}]}
    )
    (memory,) = found(ScriptedModel(first), [user("I prefer small pull requests.")])
    assert memory.text == "User: I prefer small pull requests."


def test_secrets_are_not_remembered_however_sure_the_model_is() -> None:
    records = [
        user("Hello, what now?"),
        assistant("Tell me."),
        user("and then?"),
        user("The API key is sk-abcdef1234567"),
    ]
    assert found(ScriptedModel(judges), records) == ()


def test_through_the_api() -> None:
    source = load(RECORDS)
    assert api.extract_memories(source, model=ScriptedModel(judges), at=AT) == found(ScriptedModel(judges))
    assert [m.created for m in api.extract_memories(source, at=5.0)] == [5.0]
