"""Build the wheel as a release does, look at what is in it, and read README with it from nothing.

    python tools/dev/check_wheel.py            builds into dist/, and checks
    python tools/dev/check_wheel.py FILE.whl   checks one that is there

`python -m build` makes the source archive and, from that alone, the wheel.  It must have every
module of the repository's packages with their data and nothing else.  It is installed with what it
depends on, and nothing for developers, in an environment of its own; there README's code blocks run
outside of the repository and print what README says, and `anvl-opt` answers.
"""

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parents[2]
DATA = {".py", ".pyi", ".mlir", ".typed", ".css", ".html", ".js"}
DATA |= {".sh", ".csv", ".txt", ".jaxexport"}  # of the examples
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
LOOSE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FOR_DEVELOPERS = ("pytest", "hypothesis", "lit", "filecheck", "mypy", "ruff", "jax")


def main(argv: list[str]) -> int:
    """Run the command; returns its exit code."""
    if argv[:1] == ["--read"]:  # in the clean environment
        return read(Path(argv[1]).read_text())
    wheel = Path(argv[0]).resolve() if argv else built()
    problems = content_problems(wheel)
    print(f"{wheel.name}: {wheel.stat().st_size / 1e3:.0f} kB", *problems, sep="\n")
    if problems:
        return 1
    with tempfile.TemporaryDirectory() as folder:
        return _tried(wheel, Path(folder))


def built() -> Path:
    """The wheel, built from the source archive beside it."""
    dist = ROOT / "dist"
    for path in dist.glob("*"):  # of another version, or another day
        path.unlink()
    command = [sys.executable, "-m", "build", "--outdir", str(dist), str(ROOT)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout}\n{' '.join(command)} failed")
    (wheel,) = dist.glob("*.whl")
    return wheel


def content_problems(wheel: Path) -> list[str]:
    """Files that are missing from the wheel, and unexpected ones."""
    with ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if ".dist-info/" not in name}
    wanted = set(packaged())
    return [
        *(f"missing: {name}" for name in sorted(wanted - found)),
        *(f"not wanted: {name}" for name in sorted(found - wanted)),
    ]


def packaged() -> Iterator[str]:
    """Files of the packages that git does not ignore, by their paths in the wheel."""
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    places = {folder: name for name, folder in setuptools["package-dir"].items()}
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *places],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for path in map(Path, listed.stdout.splitlines()):
        if path.suffix in DATA:
            yield "/".join([*places[path.parts[0]].split("."), *path.parts[1:]])


def _tried(wheel: Path, folder: Path) -> int:
    """Whether a clean environment with the wheel runs the README."""
    home = folder / "environment"
    venv.create(home, with_pip=True)
    tools = home / ("Scripts" if os.name == "nt" else "bin")
    python = str(tools / "python")
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    clean["PATH"] = f"{tools}{os.pathsep}{clean.get('PATH', '')}"

    def run(*command: str) -> str:
        done = subprocess.run(
            command, cwd=folder, env=clean, stdout=subprocess.PIPE, text=True, check=True
        )
        return done.stdout

    run(*pip, "install", "--quiet", str(wheel))
    run(*pip, "check")
    names = {re.split("[ =]", line)[0].lower() for line in run(*pip, "freeze").splitlines()}
    if extra := names & set(FOR_DEVELOPERS):
        print(f"installed with it, though for developers: {', '.join(sorted(extra))}")
        return 1
    print(f"installed with {', '.join(sorted(names - {'anvl-mlir'}))}")
    print(run(python, "-P", str(Path(__file__)), "--read", str(ROOT / "README.md")), end="")
    count = len(run("anvl-opt", "--list-ops").splitlines())
    print(f"anvl-opt --list-ops: {count} lines")
    return 0


def read(document: str) -> int:
    """Run the code blocks of a document, and compare their output; returns the exit code."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    output, count = "", 0
    for fence in FENCE.finditer(document):
        words, text = fence[1].split(), fence[2]
        if words == ["python"]:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(text, "README.md", "exec"), namespace)
            output, count = printed.getvalue(), count + 1
        elif words == ["sh", "run"]:
            done = subprocess.run(text, shell=True, stdout=subprocess.PIPE, text=True, check=True)
            output, count = done.stdout, count + 1
        elif words == ["text", "output"] and not _agrees(text, output):
            print(f"README says:\n{text}\nbut it prints:\n{output}")
            return 1
    print(f"README: {count} blocks ran and print what it says")
    return 0 if count else 1


def _agrees(wanted: str, found: str) -> bool:
    return doctest.OutputChecker().check_output(wanted, found, LOOSE)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
