"""Starting the command line is cheap: slow modules are loaded where they are needed."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders import clean_environment

pytestmark = pytest.mark.one_test_in(3)

SAMPLE = Path(__file__).parents[2] / "sample_transcripts" / "openai-chat.jsonl"
SLOW = ("litellm", "tiktoken", "pydantic", "yaml", "sqlalchemy", "numpy", "jsonschema")


READERS = ("tomli", "yaml", "tomlkit")


def modules_after(code, names=SLOW):
    probe = f"import sys\n{code}\nprint(*(name for name in {names!r} if name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, env=clean_environment(), timeout=60, check=True
    )
    return done.stdout.decode().split()


def test_importing_the_command_line_loads_no_slow_module():
    assert modules_after("import compactor_cli.cli.app") == []


def test_importing_the_package_loads_no_slow_module():
    assert modules_after("import compactor_cli") == []


def test_reading_and_counting_characters_loads_no_slow_module():
    code = 'import compactor_cli as c\nc.load(b\'{"role": "user", "content": "hi"}\', \'x\', tokenizer=\'chars\')'
    assert modules_after(code) == []


def test_counting_tokens_loads_neither_tiktoken_nor_litellm():
    assert modules_after("from compactor_cli.tokens import make_counter\nmake_counter().counter.count('word')") == []


def test_settings_without_files_load_no_reader_of_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = "from compactor_cli.cli.configured import configure\nconfigure({})"
    assert modules_after(code, SLOW + READERS) == []


def test_settings_in_a_file_load_only_what_reads_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "compactor.toml").write_text("keep_last = 1\n")
    code = "from compactor_cli.cli.configured import configure\nassert configure({}).settings.keep_last == 1"
    assert modules_after(code, SLOW + READERS) == ["tomli"]


@pytest.mark.parametrize("words", [["memory", "search", "tides"], ["config"]])
def test_a_command_that_reads_no_transcript_loads_nothing_that_does(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    rooms = ("formats", "tokens", "features", "scoring", "strategies", "summaries", "pipeline")
    names = tuple(f"compactor_cli.{room}" for room in rooms)

    def loaded(words):
        run = "from compactor_cli.cli.app import app\ntry: app()\nexcept SystemExit: pass"
        return set(modules_after(f"sys.argv = {['compactor', *words]!r}\n{run}", names)).intersection(names)

    assert loaded(words) == set()
    assert loaded(["score", str(SAMPLE)]) == set(names)


def test_a_run_that_prints_nothing_loads_no_rich(tmp_path):
    output = tmp_path / "output.jsonl"
    words = ["compactor", "compact", str(SAMPLE), "--target-ratio", "0.5", "-o", str(output), "--quiet"]
    code = f"from compactor_cli.cli.app import app\nsys.argv = {words!r}\ntry: app()\nexcept SystemExit: pass"
    assert modules_after(code, ("rich.console",)) == []
    assert output.exists()
    assert modules_after(code.replace(", '--quiet'", ""), ("rich.console",)) == ["rich.console"]


@pytest.mark.parametrize("strategy", ["tiered", "adaptive"])
def test_a_run_loads_no_strategy_but_its_own_and_a_page_only_where_one_is_written(tmp_path, strategy):
    words = ["compactor", "compact", str(SAMPLE), "--target-ratio", "0.5", "-o", str(tmp_path / "o"), "--quiet"]
    code = f"from compactor_cli.cli.app import app\nsys.argv = {[*words, '--strategy', strategy]!r}\n"
    own = {
        "tiered": ["compactor_cli.strategies.tiered", "compactor_cli.summaries.sections"],
        "adaptive": [
            "compactor_cli.strategies.adaptive.strategy",
            "compactor_cli.features.lines",
            "compactor_cli.profiles",
        ],
    }
    names = tuple(name for needed in own.values() for name in needed)
    assert modules_after(f"{code}try: app()\nexcept SystemExit: pass", names) == own[strategy]


@pytest.mark.parametrize("words", [["score"], ["inspect"], ["budget", "--total", "4000"]])
def test_a_command_that_plans_nothing_loads_neither_the_plan_of_adaptive_nor_the_later_stages(words):
    code = f"from compactor_cli.cli.app import app\nsys.argv = {['compactor', *words, str(SAMPLE)]!r}\n"
    adaptive = "compactor_cli.strategies.adaptive"
    names = ("compactor_cli.pipeline.run", adaptive, f"{adaptive}.strategy")
    loaded = modules_after(f"{code}try: app()\nexcept SystemExit: pass", names)
    assert {adaptive} == set(names).intersection(loaded)


def test_the_end_does_what_was_left_for_it_and_takes_nothing_apart(tmp_path):
    code = (
        "import atexit, os, sys\n"
        "end = os._exit\n"
        "os._exit = lambda code: (os.write(1, b'at once'), end(code))\n"
        "atexit.register(print, 'left for the end')\n"
        f"sys.argv = ['compactor', 'inspect', {str(tmp_path / 'none.jsonl')!r}]\n"
        "from compactor_cli.__main__ import main\n"
    )

    def ended(code):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=clean_environment(), check=False)
        return done.returncode, done.stdout.decode().splitlines()

    assert ended(f"{code}main()") == (3, ["left for the end", "at once"])
    # what measures a run writes when Python itself has ended it, and a thread goes on for as long as it wants
    assert ended(f"{code}sys.setprofile(lambda *_: None)\nmain()") == (3, ["left for the end"])
    wait = "threading.main_thread().join(), print('a thread is done', flush=True)"
    thread = f"import threading\nthreading.Thread(target=lambda: ({wait})).start()"
    assert ended(f"{code}{thread}\nmain()") == (3, ["a thread is done", "left for the end"])


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators have their own rules")
def test_memory_of_large_blocks_is_reused():
    grown = "for size in range(1, 17): bytearray(size << 20)\n"
    faults = "print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)\n"
    code = f"import resource\nfrom compactor_cli.__main__ import reuse_memory\nreuse_memory()\n{faults}{grown}{faults}"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env=clean_environment(), timeout=60, check=True
    )
    before, after = map(int, done.stdout.split())
    # the blocks have 34,816 pages, and the largest of them 4,096
    assert (after - before) * os.sysconf("SC_PAGE_SIZE") < 40 << 20
