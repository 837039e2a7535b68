"""Programs from JAX's world: their imports, replaced, are all that differs here.

    python test/unit/frontend/ported.py --jax path/to/python    (with jax 0.10.2 and optax 0.2.8)

runs the programs of `ported_programs/` as they stand with that Python, and with anvl after their
imports are replaced; it prints how many other lines differ and where the output differs, and
`--save` keeps what JAX printed, which the tests compare with.
"""

import argparse
import contextlib
import io
import json
import math
import re
import subprocess
import sys
from pathlib import Path

__all__ = ["NUMBERS", "PROGRAMS", "differing", "differing_lines", "here", "run"]

FOLDER = Path(__file__).with_name("ported_programs")
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py"))
#: What JAX prints, by program.
NUMBERS = FOLDER / "printed_by_jax.json"

# An import of JAX's world, and that of anvl.
IMPORTS = (
    (r"import jax$", "import anvl as jax"),
    (r"import jax\.", "import anvl."),
    (r"from jax\b", "from anvl"),
    (r"import optax$", "from anvl import optim as optax"),
)
NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?")


def here(name: str) -> str:
    """The text of a program with its imports replaced."""
    text = (FOLDER / f"{name}.py").read_text()
    for theirs, ours in IMPORTS:
        text = re.sub(rf"^{theirs}", ours, text, flags=re.MULTILINE)
    return text


def differing_lines(name: str) -> int:
    """How many lines differ from JAX's, imports aside."""
    theirs = (FOLDER / f"{name}.py").read_text().splitlines()
    pairs = zip(theirs, here(name).splitlines(), strict=True)
    return sum(a != b and not a.startswith(("import ", "from ")) for a, b in pairs)


def run(name: str) -> str:
    """What a program prints with anvl."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(here(name), f"{name}.py", "exec"), {"__name__": name})
    return printed.getvalue()


def differing(found: str, wanted: str, within: float) -> str:
    """Where one output differs from another: in words, counts, or numbers by more than `within`."""
    if NUMBER.sub("#", found).split() != NUMBER.sub("#", wanted).split():
        return f"other words: {found!r}, not {wanted!r}"
    for a, b in zip(NUMBER.findall(found), NUMBER.findall(wanted), strict=True):
        counts = b.lstrip("-+").isdigit()
        if (
            a != b
            if counts
            else not math.isclose(float(a), float(b), rel_tol=within, abs_tol=within)
        ):
            return f"{a}, not {b}"
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jax", required=True, help="a Python that has jax and optax")
    parser.add_argument("--save", action="store_true", help="keep what JAX printed")
    options = parser.parse_args()
    wanted = {}
    for name in PROGRAMS:
        command = [options.jax, str(FOLDER / f"{name}.py")]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        wanted[name] = done.stdout
        command = [sys.executable, "-c", here(name)]
        ours = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        lines = (FOLDER / f"{name}.py").read_text().count("\n")
        where = differing(ours, done.stdout, within=2e-3) or "the same output"
        print(f"{name}: {differing_lines(name)} of {lines} lines differ; {where}")
    if options.save:
        NUMBERS.write_text(json.dumps(wanted, indent=1) + "\n")


if __name__ == "__main__":
    main()
