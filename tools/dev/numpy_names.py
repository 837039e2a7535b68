"""Write frontend/numpy/name_table.py: where the names of `anvl.numpy` are defined.

Run by `make ops`.  With the table `anvl.numpy` knows its names before their modules are loaded.
"""

import importlib
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["generated"]

_PATH = "frontend/numpy/name_table.py"
_HEAD = '''\
"""Where the names of `anvl.numpy` are defined, so that a module is loaded by its first use.

Written by tools/dev/numpy_names.py (`make ops`), from `__all__` of each module.
"""

__all__ = ["LONG_FORMS", "NAMES"]
'''


def generated() -> dict[str, str]:
    """Path from the root -> text."""
    package: Any = importlib.import_module("anvl.numpy")
    names = {name: _module(name).__all__ for name in package._MODULES}
    tables = _module("public_forms").LONG_FORM_MODULES
    long_forms = {of: getattr(_module(name), of) for of, name in tables.items()}
    text = [
        _HEAD,
        "#: The names that each module defines.",
        *_table("NAMES", names),
        "",
        "#: The functions of each table of longer forms of calls.",
        *_table("LONG_FORMS", long_forms),
    ]
    return {_PATH: "\n".join(text) + "\n"}


def _module(name: str) -> Any:
    return importlib.import_module(f"anvl.numpy.{name}")


def _table(title: str, rows: Mapping[str, Iterable[str]]) -> list[str]:
    lines = [f"{title} = {{"]
    for key, names in rows.items():
        text = " ".join(sorted(names))
        # As `ruff format` has it, which joins texts that fit into a line.
        wrapped = [text] if len(text) <= 90 else textwrap.wrap(text, 88)
        parts = [f'"{line} "' for line in wrapped[:-1]] + [f'"{wrapped[-1]}"']
        if len(parts) == 1 and len(f'    "{key}": {parts[0]},') <= 100:
            lines.append(f'    "{key}": {parts[0]},')
        else:
            lines += [f'    "{key}": (', *(f"        {part}" for part in parts), "    ),"]
    return [*lines, "}"]
