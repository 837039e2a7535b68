"""The public names whose types pyright does not know for sure.

    make public-types

`pyright --verifytypes` looks at every module; this prints what it says of the names that stay
(docs/stable-names.md): of a name, and of the members of a class.  There should be none.
"""

import importlib
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = (
    "anvl", "anvl.checkpointing", "anvl.debug", "anvl.dialect", "anvl.distributed", "anvl.ffi",
    "anvl.flatten_util", "anvl.image", "anvl.lax", "anvl.lax.linalg", "anvl.nn",
    "anvl.nn.initializers", "anvl.numpy",
    "anvl.numpy.fft", "anvl.numpy.linalg", "anvl.ops", "anvl.optim", "anvl.optim.losses",
    "anvl.passes", "anvl.prim", "anvl.profiler", "anvl.random", "anvl.safetensors",
    "anvl.scipy.cluster.vq", "anvl.scipy.fft", "anvl.scipy.integrate", "anvl.scipy.interpolate",
    "anvl.scipy.linalg", "anvl.scipy.ndimage", "anvl.scipy.optimize", "anvl.scipy.signal",
    "anvl.scipy.sparse.linalg", "anvl.scipy.spatial.transform", "anvl.scipy.special",
    "anvl.scipy.stats", "anvl.sharding", "anvl.testing", "anvl.testing.lit", "anvl.tree",
    "anvl.tree_util", "anvl.windows",
)  # fmt: skip


def main() -> int:
    names = set(_public())
    unsure = [x for x in _symbols() if _is_unsure(x) and _is_of(x["name"], names)]
    for x in unsure:
        said = [d["message"].splitlines()[0] for d in x["diagnostics"]]
        print(x["name"], *[text for text in said if "docstring" not in text], sep="\n    ")
    print(f"{len(unsure)} of the public names and members have types that pyright is not sure of")
    return 1 if unsure else 0


def _public() -> Iterator[str]:
    """The names that pyright has for what is public."""
    for module in map(importlib.import_module, PUBLIC):
        for name in getattr(module, "__all__", None) or [n for n in vars(module) if n[0] != "_"]:
            yield f"{module.__name__}.{name}"
            found = getattr(module, name)
            if inspect.isclass(found) or inspect.isfunction(found):
                yield f"{found.__module__}.{found.__qualname__}"


def _symbols() -> list[dict[str, Any]]:
    command = [
        "pyright", "--pythonpath", sys.executable, "--verifytypes", "anvl", "--ignoreexternal",
        "--outputjson",
    ]  # fmt: skip
    links = ROOT / ".typing"
    found = subprocess.run(
        command,
        cwd=links,
        env=os.environ | {"PYTHONPATH": str(links)},
        capture_output=True,
        text=True,
    )
    report = json.loads(found.stdout)
    if not report["summary"]["filesAnalyzed"]:
        raise SystemExit(f"public_types: pyright looked at nothing: {report['generalDiagnostics']}")
    symbols: list[dict[str, Any]] = report["typeCompleteness"]["symbols"]
    return symbols


def _is_unsure(symbol: dict[str, Any]) -> bool:
    is_module = symbol["category"] == "module"
    return not is_module and (symbol["isTypeAmbiguous"] or not symbol["isTypeKnown"])


def _is_of(name: str, public: set[str]) -> bool:
    return name in public or name.rpartition(".")[0] in public


if __name__ == "__main__":
    sys.exit(main())
