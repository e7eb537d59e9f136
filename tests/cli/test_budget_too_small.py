"""A prompt whose fixed parts alone are too large."""

from __future__ import annotations

import json

from compactor_cli.errors import BudgetError
from tests.builders import assistant, jsonl, user


def test_a_budget_smaller_than_its_fixed_parts_says_so_and_is_no_success(run, session, tmp_path):
    (tmp_path / "prompt.yaml").write_text("system_prompt: 900\ntask_prompt: {tokens: 150}\n")
    done = run("budget", session, "--total", 300, "--prompt", "prompt.yaml", "--json", "--tokenizer", "chars")
    assert done.code == 4
    assert json.loads(done.stdout)["remaining"] < 0
    assert "more than the budget of 300" in done.stderr


def test_of_several_conversations_the_size_is_told_that_all_of_them_reach(run, tmp_path):
    told = [["Go on.", "Done."], ["Please list the harbours of the north coast by their depth.", "Rook Bay is deep."]]
    conversations = [[user(question), assistant(answer)] for question, answer in [*told, told[0]]]
    (tmp_path / "three.jsonl").write_bytes(jsonl(*({"messages": messages} for messages in conversations)))
    done = run("compact", "three.jsonl", "--target-tokens", 1, "--tokenizer", "chars", "-o", "out.jsonl")
    assert done.code == 4
    assert "error: conversation 1 (of 0 to 2) cannot fit into 1 tokens" in done.stderr
    asking = ("--summarizer", "llm", "--llm-model", "ollama/llama3.2", "--dry-run")
    done_asking = run("compact", "three.jsonl", "--target-tokens", 1, "--tokenizer", "chars", *asking)
    # to look at the others would ask a model about what is not written
    assert "(of 0 to 2; whether the others fit was not looked at) cannot fit into 1 tokens" in done_asking.stderr
    smallest = int(done.stderr.partition("Use --target-tokens ")[2].split()[0])
    assert run("compact", "three.jsonl", "--target-tokens", smallest, "--tokenizer", "chars", "-o", "a").code == 0
    assert run("compact", "three.jsonl", "--target-tokens", smallest - 1, "--tokenizer", "chars", "-o", "b").code == 4


def test_with_a_ratio_the_size_is_one_that_conversations_with_other_targets_reach_too(run, tmp_path):
    long = [user(f"KEEPME {at}: a step.") if at % 10 == 0 else assistant(f"Step {at} is done.") for at in range(61)]
    rows = [[user("Go on."), assistant("Done.")], long]
    (tmp_path / "two.jsonl").write_bytes(jsonl(*({"messages": messages} for messages in rows)))
    options = ("two.jsonl", "--keep", "KEEPME", "--tokenizer", "chars")
    done = run("compact", *options, "--target-ratio", 0.4, "-o", "out.jsonl")
    assert done.code == 4
    assert "conversation 0 (of 0 to 1) cannot fit into " in done.stderr
    smallest = int(done.stderr.partition("Use --target-tokens ")[2].split()[0])
    assert run("compact", *options, "--target-tokens", smallest, "-o", "a").code == 0
    assert run("compact", *options, "--target-tokens", smallest - 1, "-o", "b").code == 4


def test_the_error_of_a_part_of_a_file_names_the_same_option():
    error = BudgetError(8, 25, (), option="--total")
    assert "Use --total 25 or more" in str(error.of("conversation 0"))
    assert "Use --total 180 or more" in str(error.of("conversation 0", 180))


def test_to_keep_less_is_only_advised_where_something_is_kept_by_a_pattern(run, session):
    command = ("compact", session, "--target-tokens", 1, "--tokenizer", "chars")
    assert "--keep" not in run(*command).stderr
    kept = run(*command, "--keep", ".").stderr
    assert "matches --keep" in kept and kept.endswith(" or more, or keep less with --keep.\n")
