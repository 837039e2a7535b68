"""Names of NumPy and JAX that anvl does not have: `make names`.

    python -m anvl.tools.dev.name_coverage [--jax PYTHON]

compares the public names of `numpy`, `numpy.linalg` and `numpy.fft` with those of `anvl.numpy`,
and, with the interpreter of an environment that has JAX, those of its modules with their
counterparts.
Each absent name has a reason in the table of docs/names.md.  The exit status is 1 if one has none,
if a name of the table is there after all, or if more than 5 % of the names of a library are absent;
of `jax.lax` and others that hold JAX's own machinery any number may be.

Other processes import the modules: tools import neither the frontend nor JAX.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

__all__ = ["complaints", "counterparts", "main", "public_names", "reasons"]

MOST_ABSENT = 0.05
_ROOT = Path(__file__).resolve().parents[2]

#: Modules of others, and the module of anvl for each.
_OF_NUMPY = {
    "numpy": "anvl.numpy", "numpy.linalg": "anvl.numpy.linalg", "numpy.fft": "anvl.numpy.fft",
}  # fmt: skip
_OF_JAX = {
    "jax.numpy": "anvl.numpy", "jax.numpy.linalg": "anvl.numpy.linalg",
    "jax.numpy.fft": "anvl.numpy.fft",
    "jax.random": "anvl.random", "jax.nn": "anvl.nn",
    "jax.scipy.special": "anvl.scipy.special", "jax.scipy.linalg": "anvl.scipy.linalg",
    "jax.scipy.stats": "anvl.scipy.stats", "jax.scipy.signal": "anvl.scipy.signal",
    "jax.scipy.fft": "anvl.scipy.fft", "jax.scipy.interpolate": "anvl.scipy.interpolate",
    "jax.scipy.ndimage": "anvl.scipy.ndimage", "jax.scipy.cluster.vq": "anvl.scipy.cluster.vq",
    "jax.scipy.sparse.linalg": "anvl.scipy.sparse.linalg",
    "jax.scipy.spatial.transform": "anvl.scipy.spatial.transform",
    "jax.scipy.integrate": "anvl.scipy.integrate", "jax.scipy.optimize": "anvl.scipy.optimize",
}  # fmt: skip

#: Modules with much of JAX's own machinery: each absent name needs a reason, however many they are.
_OF_JAX_ITSELF = {
    "jax": "anvl", "jax.lax": "anvl.lax", "jax.lax.linalg": "anvl.lax.linalg",
    "jax.tree": "anvl.tree", "jax.tree_util": "anvl.tree_util", "jax.sharding": "anvl.sharding",
    "jax.debug": "anvl.debug", "jax.profiler": "anvl.profiler", "jax.image": "anvl.image",
    "jax.ops": "anvl.ops", "jax.dtypes": "anvl.numpy", "jax.experimental": "anvl",
}  # fmt: skip

# Submodules are no names of functions; nor are those that are there without being public, nor are
# JAX's primitives, which end in `_p`.
_LISTING = """
import importlib, inspect, json, sys, warnings
warnings.simplefilter("ignore")
found = {}
for name in sys.argv[1:]:
    try:
        module = importlib.import_module(name)
    except ImportError:
        continue
    found[name] = [
        n for n in dir(module)
        if not n.startswith("_") and not inspect.ismodule(getattr(module, n, None))
        and not (name.startswith("jax.lax") and n.endswith("_p"))
    ]
print(json.dumps(found))
"""


def public_names(modules: Sequence[str], python: str = sys.executable) -> dict[str, list[str]]:
    """The public names of modules, those that an interpreter can import."""
    command = [python, "-c", _LISTING, *modules]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, list[str]] = json.loads(done.stdout.splitlines()[-1])
    return found


def counterparts(jax: str | None) -> dict[str, list[str]]:
    """The absent names of each module of others, and how many names it has, first."""
    theirs = public_names([*_OF_NUMPY])
    pairs = dict(_OF_NUMPY)
    if jax is not None:
        pairs |= _OF_JAX | _OF_JAX_ITSELF
        theirs |= public_names([*_OF_JAX, *_OF_JAX_ITSELF], jax)
    ours = public_names(sorted(set(pairs.values())))
    return {
        module: [str(len(names)), *sorted(set(names) - set(ours[pairs[module]]))]
        for module, names in theirs.items()
        if pairs[module] in ours
    }


def reasons(page: str) -> set[str]:
    """The names in the first column of the tables of a page."""
    rows = re.findall(r"^\| ((?:`[\w.]+`(?:, )?)+) \| [^|\s]", page, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`([\w.]+)`", row)}


def complaints(absent: Mapping[str, Sequence[str]], known: set[str]) -> list[str]:
    """What is wrong: too many absent names, names without a reason, reasons without need."""
    found = [*_too_many(absent), *_without_reason(absent, known)]
    needed = {n for _, *names in absent.values() for n in names}
    stale = sorted(n for n in known if n.rpartition(".")[2] not in needed)
    if stale and any(module.startswith("jax") for module in absent):
        found.append(f"docs/names.md: not absent any more: {', '.join(stale)}")
    return found


def _too_many(absent: Mapping[str, Sequence[str]]) -> Iterator[str]:
    counted = {module: row for module, row in absent.items() if module not in _OF_JAX_ITSELF}
    for library in sorted({module.partition(".")[0] for module in counted}):
        rows = [row for module, row in counted.items() if module.partition(".")[0] == library]
        n_names, n_absent = sum(int(row[0]) for row in rows), sum(len(row) - 1 for row in rows)
        if n_absent > MOST_ABSENT * n_names:
            yield f"{library}: {n_absent} of {n_names} names are absent, more than 5 %"


def _without_reason(absent: Mapping[str, Sequence[str]], known: set[str]) -> Iterator[str]:
    for module, (_, *names) in absent.items():
        bare = [n for n in names if n not in known and f"{module}.{n}" not in known]
        if bare:
            yield f"{module}: absent without a reason in docs/names.md: {', '.join(bare)}"


def main(argv: Sequence[str] | None = None) -> int:
    """Print a table of absent names, and what is wrong with them."""
    parser = argparse.ArgumentParser(description="names of NumPy and JAX that anvl has not")
    parser.add_argument("--jax", metavar="PYTHON", help="an interpreter that can import jax")
    absent = counterparts(parser.parse_args(argv).jax)
    for module, (count, *names) in absent.items():
        print(f"{module}: {len(names)} of {count} absent ({100 * len(names) / int(count):.1f} %)")
        for name in names:
            print(f"  {name}")
    wrong = complaints(absent, reasons((_ROOT / "docs" / "names.md").read_text()))
    print("\n".join(wrong) or "names: within the budget, each with a reason")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
