"""Write docs/configuration.md, with a table of all settings.

Run by `make ops`.  The table is derived from the declarations.
"""

import importlib
from typing import Any

__all__ = ["generated"]

_PAGE = """\
# Configuration

Written by `tools/dev/settings_page.py` (`make ops`), which reads the declarations of the settings.

`anvl.config` has the settings of anvl as attributes. A setting has its value from the first of
these that gives one:

1. a block `with anvl.config(default_float="f64"):`, the innermost first. It holds for the current
   thread or task alone, and decorates functions, too;
2. an assignment, `anvl.config.default_float = "f64"`, which holds for the process. `del
   anvl.config.default_float` takes it back;
3. its environment variable, `ANVL_DEFAULT_FLOAT=f64`, read at the first use. An empty one does not
   count;
4. its default.

```python
import anvl
import anvl.numpy as np

with anvl.config(default_float="f64"):
    print(np.zeros(1).dtype, anvl.config.default_float)
print(np.zeros(1).dtype)
```

```text output
float64 float64
float32
```

`anvl.config.describe()` prints the settings, their values, and where these come from. A name that
is no setting is an error that names the nearest one, and a wrong value one that says which are
allowed:

```python
try:
    anvl.config.default_flaot = "f64"
except AttributeError as error:
    print(error)
```

```text output
config: no setting 'default_flaot'; did you mean 'default_float'?
```

**In programs**: whether jitted functions are traced again where the setting has another value, as
tracing or lowering reads it. The programs of each value are kept.

| setting | default | allowed | environment variable | in programs | what it does |
|---|---|---|---|---|---|
"""


def generated() -> dict[str, str]:
    """Generated files: path from the root -> text."""
    # By name, as `generate` finds this module: no tool stands on the frontend.
    settings = importlib.import_module("anvl.core.config").Config.settings()
    return {"docs/configuration.md": _PAGE + "".join(map(_row, settings.values()))}


def _row(setting: Any) -> str:
    cells = (
        f"`{setting.name}`",
        f"`{setting.kind.show(setting.default)}`",
        setting.kind.allowed,
        f"`{setting.variable}`",
        "yes" if setting.changes_programs else "no",
        setting.doc.removesuffix("."),
    )
    return f"| {' | '.join(cells)} |\n"
