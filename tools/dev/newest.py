"""Install the newest wheels of everything, without the bounds of pyproject.toml, and say which.

    .venv-newest/bin/python tools/dev/newest.py

Into the environment of the Python that runs it: `make test-newest` makes that, and tests in there.
"""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """The command; returns its exit code."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *extras["dev"], *extras["examples"]]
    bounds = {name_of(line): line for line in needed if not line.startswith(project["name"])}
    install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade"]
    done = subprocess.run([sys.executable, *install, *bounds])
    if done.returncode:
        return done.returncode
    width = max(map(len, bounds))
    for name, bound in bounds.items():
        print(f"{name:{width}}  {version(name):12} {bound}")
    return 0


def name_of(requirement: str) -> str:
    """The name of a package that is required: `jaxlib` of `jaxlib>=0.10.2,<0.13`."""
    found = re.match(r"[\w.\-]+", requirement)
    assert found is not None, requirement
    return found[0]


if __name__ == "__main__":
    sys.exit(main())
