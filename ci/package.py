"""Build the sdist and the wheel, check their contents, and run the wheel on the oldest and the newest Python here.

The sdist is made of the files that git tracks, and the wheel of the sdist, so this finds what either lacks. The wheel
is installed with the packages of requirements-light.txt, in the versions of requirements.lock, into environments that
contain nothing else. It must write the same bytes on each Python.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import tomli

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MINORS = range(10, 20)
_BUILD = "from setuptools import build_meta; print(build_meta.build_{}({!r}))"
_SESSION = "openai-chat.jsonl"


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sdist, wheel = build(folder)
        problems = [*wrong_in_wheel(wheel), *wrong_in_sdist(sdist)]
        print(f"built {sdist.name} ({size(sdist)}) and {wheel.name} ({size(wheel)})")
        pythons = found_pythons()
        with ThreadPoolExecutor() as pool:
            outputs = list(pool.map(lambda python: tried(folder, wheel, *python), pythons.items()))
        problems += [problem for _, found in outputs for problem in found]
        if len({data for data, _ in outputs}) > 1:
            problems.append(f"Python {' and '.join(pythons)} write different outputs")
        print(f"installed and run on Python {' and '.join(pythons)}")
    for problem in problems:
        print(f"error: {problem}")
    return 1 if problems else 0


def build(folder: Path) -> tuple[Path, Path]:
    """Build the sdist from the tracked files of this checkout, and the wheel from the sdist. Return both paths."""
    tree = folder / "tree"
    for file in tracked():
        place = tree / file
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / file, place)
    sdist = built("sdist", tree, folder / "dist")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "unpacked")  # safe: made just now
    (inside,) = (folder / "unpacked").iterdir()
    return sdist, built("wheel", inside, folder / "dist")


def built(kind: str, tree: Path, out: Path) -> Path:
    out.mkdir(exist_ok=True)
    run([sys.executable, "-c", _BUILD.format(kind, str(out))], tree)
    return next(out.glob("*.tar.gz" if kind == "sdist" else "*.whl"))


def tracked() -> list[Path]:
    listed = run(["git", "ls-files", "-z"], ROOT)
    return [Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file()]


def wrong_in_wheel(wheel: Path) -> list[str]:
    """Return a line for each file missing in the wheel, and for metadata that differs from the project's."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (info,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = archive.read(info).decode().partition("\n\n")[0].splitlines()
    package = [file.as_posix() for file in tracked() if file.parts[0] == "compactor_cli"]
    data = [f"{info.removesuffix('.dist-info/METADATA')}.data/data/{place}" for place in shared()]
    wrong = [f"{wheel.name} has no {name}" for name in [*package, *data] if name not in names]
    said = [f"Name: {PROJECT['name']}", f"Version: {PROJECT['version']}"]
    said += [f"Provides-Extra: {extra}" for extra in PROJECT["optional-dependencies"]]
    return wrong + [f"{wheel.name} does not say {line}" for line in said if line not in metadata]


def shared() -> list[str]:
    """Return the paths of the files that are installed into the `share` folder."""
    document = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    folders = document["tool"]["setuptools"]["data-files"]
    return [f"{folder}/{Path(file).name}" for folder, files in folders.items() for file in files]


def wrong_in_sdist(sdist: Path) -> list[str]:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = ("README.md", "LICENSE", "pyproject.toml", f"sample_transcripts/{_SESSION}")
    return [f"{sdist.name} has no {name}" for name in wanted if name not in names]


def found_pythons() -> dict[str, str]:
    """Return the oldest and the newest supported Python on this machine: version -> program."""
    minors = sorted({*MINORS, sys.version_info.minor})
    oldest, newest = (next(minor for minor in order if _python(minor)) for order in (minors, minors[::-1]))
    return {f"3.{minor}": _python(minor) for minor in (oldest, newest)}


@cache
def _python(minor: int) -> str:
    """Return a working Python program of this version; "" if there is none."""
    name = f"python3.{minor}"
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    programs = (shutil.which(name), *map(str, sorted(versions.glob(f"3.{minor}.*/bin/{name}"))))
    own = sys.executable if minor == sys.version_info.minor else ""
    return next((program for program in programs if program and _works(program)), own)


def _works(program: str) -> bool:
    return not subprocess.run([program, "-c", "import ensurepip, venv"], capture_output=True, check=False).returncode


def tried(folder: Path, wheel: Path, version: str, program: str) -> tuple[bytes, list[str]]:
    """Install the wheel for a Python, and return what it writes and the problems found."""
    place = folder / version
    light, versions = ROOT / "requirements-light.txt", ROOT / "requirements.lock"
    install = installer(place, program, folder)
    run([*install, "-r", str(light), "-c", str(versions)], folder)
    run([*install, "--no-deps", "--no-index", str(wheel)], folder)
    return used(place)


def installer(place: Path, program: str, folder: Path) -> list[str]:
    """Make an environment, and return the command that installs into it: uv if available (a fifth of pip's time)."""
    uv, python = Path(sys.executable).parent / "uv", str(place / "bin" / "python")
    if uv.exists():
        run([program, "-m", "venv", "--without-pip", str(place)], folder)
        return [str(uv), "pip", "install", "--quiet", "--python", python]
    run([program, "-m", "venv", str(place)], folder)
    return [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-compile"]


def used(place: Path) -> tuple[bytes, list[str]]:
    """Return what the program in an environment writes for the sample, and the problems found."""
    program, share = str(place / "bin" / "compactor"), place / "share"
    wrong = [f"{place.name}: there is no {name}" for name in shared() if not (place / name).is_file()]
    told = run([program, "--version"], place).strip()
    if told != f"compactor {PROJECT['version']}":
        wrong.append(f"{place.name}: --version says {told!r}")
    sample = str(share / "compactor" / _SESSION)
    run([program, "compact", sample, "--target-ratio", "0.25", "-o", "small.jsonl", "--quiet"], place)
    run([program, "diff", sample, "small.jsonl", "--fail-under", "saved=70", "--json"], place)
    script = (share / "bash-completion" / "completions" / "compactor.bash").read_text(encoding="utf-8")
    if run([program, "completion", "bash"], place) != script:
        wrong.append(f"{place.name}: `completion bash` prints another script than the one that is installed")
    if "adaptive" not in run([program, "compact", "--strategy", "ad"], place, _COMPACTOR_COMPLETE="zsh"):
        wrong.append(f"{place.name}: the strategies are not completed")
    return (place / "small.jsonl").read_bytes(), wrong


def run(command: list[str], folder: Path, **variables: str) -> str:
    """Return what a command prints. Raise SystemExit with its output when it fails."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COMPACTOR_"))}
    done = subprocess.run(
        command, cwd=folder, env={**clean, **variables}, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def size(file: Path) -> str:
    return f"{file.stat().st_size / 1e6:.1f} MB"


if __name__ == "__main__":
    sys.exit(main())
