"""What a model finds worth remembering, and what the rules do where it fails (seed 003)."""

from __future__ import annotations

import json

import pytest

from compactor_cli import api
from compactor_cli.errors import ModelError
from compactor_cli.memory.extract import extract
from compactor_cli.model.asking import ModelAnswer, ModelRequest
from compactor_cli.model.memories import Memory
from compactor_cli.pipeline.extracting import extract_memories
from compactor_cli.scoring.classifier import ClassifierScorer
from compactor_cli.settings import MemorySettings, ScoringSettings, Settings
from tests.asking import ScriptedModel, asked_text, tagged
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
    shown = tagged(asked_text(request), "message", "number")
    if "statement" in (request.schema or {}).get("properties", {}):
        return json.dumps({"statement": LIKES})
    entries = []
    for index in shown:
        score, category, confidence = SCORES.get(index, (20, "none", 0.5))
        entries.append({"index": index, "importance_score": score, "category": category, "confidence": confidence})
    return json.dumps({"messages": entries})


def found(model: ScriptedModel, records: list[Json] = RECORDS, **memory: object) -> tuple[Memory, ...]:
    settings = Settings(memory=MemorySettings(**memory))  # type: ignore[arg-type]  # fields by their names
    return extract_memories(transcript(records), settings, at=AT, model=model)


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
    offline = extract_memories(transcript(RECORDS), Settings(), at=AT)
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


def test_scores_that_are_there_are_not_asked_for_again() -> None:
    session = transcript(RECORDS)
    scorer = ScriptedModel(judges)
    scores = ClassifierScorer(scorer).score(session, Settings())
    model = ScriptedModel(judges)
    memories = extract_memories(session, Settings(), at=AT, model=model, scores=scores)
    assert memories == found(ScriptedModel(judges))
    assert all("statement" in (request.schema or {})["properties"] for request in model.requests)
    own = Settings(memory=MemorySettings(prompt="Only what is about the API."))
    extract_memories(session, own, at=AT, model=(again := ScriptedModel(judges)), scores=scores)
    assert again.requests[0].system == "Only what is about the API."


def test_a_report_has_the_scores() -> None:
    source = load(RECORDS)
    settings = Settings(target_tokens=60, scoring=ScoringSettings(scorer="classifier"))
    (part,) = api.compact(source, settings, tokenizer="chars", model=ScriptedModel(judges)).parts
    assert [score.value for score in part.scores][3] == 80


def test_what_the_model_does_not_judge_goes_by_the_rules() -> None:
    model = ScriptedModel(ModelAnswer(failure="connection failed"))
    assert found(model) == extract(transcript(RECORDS), threshold=60, at=AT)
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


def test_a_long_message_is_remembered_by_its_first_whole_sentences() -> None:
    said = "The billing service was moved to PostgreSQL 15 in spring. " * 12
    records = [user("What did you do?"), assistant("nothing"), assistant(f"First fact. {said}")]
    (memory,) = found(ScriptedModel(judges), records)
    assert len(memory.text) <= 500
    assert memory.text.endswith(".")


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
