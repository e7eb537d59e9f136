"""Fixtures for all tests: the command line as a real process, and golden files."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from tests import drawing
from tests.builders import run_fresh, run_process
from tests.network_guard import sitecustomize as network_guard
from tests.warm import close_shared, socket_path, use_socket

DATA = Path(__file__).parent / "data"
LEFT_OUT_OUTPUT = "compactor-left-out"
WARM_SOCKET = "compactor-warm"
LEFT_OUT = pytest.StashKey[int]()

# importing the guard has set it up in this process; processes that tests start find it through PYTHONPATH
GUARD = str(Path(network_guard.__file__).parent)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (GUARD, os.environ.get("PYTHONPATH"))))


@pytest.fixture(autouse=True)
def no_settings_of_the_developer(tmp_path_factory, monkeypatch):
    """Keep the user's settings file, and settings in the environment, away from tests."""
    home = tmp_path_factory.getbasetemp() / "home"
    for name in ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(home))
    for name in [name for name in os.environ if name.startswith(("COMPACTOR_", "PROMPT_COMPACTION_"))]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def network_log(tmp_path_factory):
    """The file in which the guard records attempts to reach the network."""
    log = tmp_path_factory.mktemp("network") / "attempts.log"
    os.environ[network_guard.LOG] = str(log)
    yield log
    del os.environ[network_guard.LOG]


@pytest.fixture(autouse=True)
def no_network(network_log):
    """Let a test fail if it, or a process that it started, tried to reach the network."""
    yield
    if network_log.exists():
        attempts = network_log.read_text(encoding="utf-8")
        network_log.unlink()
        pytest.fail(f"the network was used:\n{attempts}")


@pytest.hookimpl(optionalhook=True)  # the plug-in may be switched off
def pytest_xdist_auto_num_workers(config):
    """Return one more than the number of processors: some tests wait for a lock, or for a server that never answers."""
    return (os.cpu_count() or 1) + 1


def pytest_configure(config):
    # litellm leaves connections to the garbage collector, which may run in any later test; and the warnings that it
    # silences when it is imported reappear in each test
    for unheard in (
        "unclosed.*socket:ResourceWarning",
        "unclosed.*event loop:ResourceWarning",
        ".*using the `ReadOnly` qualifier:UserWarning",
    ):
        config.addinivalue_line("filterwarnings", f"ignore:{unheard}")
    config.addinivalue_line("markers", "drawn(n): one in n of the cases runs without --everything (tests/drawing.py)")
    config.addinivalue_line("markers", "one_test_in(n): of the tests of a file one in n runs without --everything")
    config.addinivalue_line("markers", "everything: runs with --everything only, or when it is asked for by its name")
    drawing.configure(config)
    # a slow machine is not a failure; tests are made after this, so it applies where no number of examples is named
    settings.register_profile("tests", deadline=None, max_examples=drawing.example_count(100, share=6))
    settings.load_profile("tests")
    gc.disable()  # none of the many thousand collected tests is freed, and searching for garbage would double the time

    if given := getattr(config, "workerinput", {}).get(WARM_SOCKET):
        use_socket(given)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    """Let all workers fork their processes from the same one."""
    node.workerinput[WARM_SOCKET] = socket_path()


def pytest_unconfigure():
    close_shared()


def pytest_collection(session):
    """Let the workers share compiling: each begins with other files, and finds the rest compiled."""
    config = session.config
    if sys.dont_write_bytecode or not hasattr(config, "workerinput"):
        return
    files = sorted({file for name in config.args for file in (config.rootpath / name).rglob("test_*.py")})
    number = int(config.workerinput["workerid"].removeprefix("gw"))
    first = len(files) * number // config.workerinput["workercount"]
    for file in files[first:] + files[:first]:
        module = ".".join(file.relative_to(config.rootpath).with_suffix("").parts)
        with contextlib.suppress(Exception, pytest.skip.Exception):  # reported when the file is collected
            importlib.import_module(module)


def pytest_collection_finish():
    gc.enable()
    gc.set_threshold(50_000, 10, 10)  # most objects are freed without it, and searching for the others takes long
    gc.freeze()


def pytest_collection_modifyitems(config, items):
    items.sort(key=_run_order)
    left = set(drawing.undrawn_items(items))
    if left:
        items[:] = [item for item in items if item not in left]
        config.hook.pytest_deselected(items=list(left))
    if hasattr(config, "workeroutput"):
        config.workeroutput[LEFT_OUT_OUTPUT] = len(left)
    config.stash[LEFT_OUT] = len(left)


def _run_order(item):
    """Return the place of a test in the order. Tests with litellm come first, so that one worker gets them all and only
    it imports litellm. The recipes come last: by then mypy may have run beside the tests, and they use its cache."""
    if "loaded_litellm" in item.fixturenames:
        return 0
    return 2 if item.path.name == "test_recipes.py" else 1


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Take the number from any worker, because all collect the same tests."""
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get(LEFT_OUT_OUTPUT, 0)


def pytest_terminal_summary(terminalreporter, config):
    """Print what was drawn here, because -q suppresses the header of a run."""
    if drawing.is_drawing():
        terminalreporter.write_line(
            f"drawn: a part of the strategies a file, of the examples and of the steps of kills; "
            f"{config.stash.get(LEFT_OUT, 0)} cases left out. Everything: make test-all (pytest --everything)."
        )


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="Write the golden files anew instead of comparing.")
    drawing.add_option(parser)


@pytest.fixture
def run(tmp_path):
    """Run `compactor ARGS...` as a process in tmp_path; the result is its exit code, standard output and standard
    error."""

    def runner(*args, **options):
        return run_process(*args, **{"cwd": tmp_path, **options})

    return runner


@pytest.fixture
def fresh(tmp_path):
    """As `run`, but in a new Python process, for tests of how a process starts or ends."""

    def runner(*args, **options):
        return run_fresh(*args, **{"cwd": tmp_path, **options})

    return runner


@pytest.fixture
def session(tmp_path):
    """A copy of the fixed session of 35 messages, as `session.jsonl` in tmp_path."""
    return Path(shutil.copy(DATA / "session.jsonl", tmp_path / "session.jsonl"))


@pytest.fixture
def golden(request):
    """Compare a text with a golden file, or write the file with --update-golden."""

    def compare(path: Path, actual: str):
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(actual.encode())
            return
        assert path.is_file(), f"{path.name} is missing; write it with: pytest {request.node.nodeid} --update-golden"
        assert path.read_bytes().decode() == actual

    return compare
