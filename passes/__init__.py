"""Passes: what may be done to a program.  One pass a file; pipelines put them in order.

Importing this package registers every pass of ours.
"""

if __name__ != "anvl.passes":
    raise ImportError("import `anvl.passes`, not the source folder `passes`")

import importlib

# One name a pass: its file here, and `anvl-<name>` on the command line.
_MODULES: tuple[str, ...] = (
    "check_differentiable", "control_flow", "forward", "gradient", "hoist_constants", "inline",
    "lift", "lower_to_stablehlo", "probe", "remat", "simplify", "simplify_control_flow",
    "vectorize",
)  # fmt: skip

for _name in _MODULES:
    importlib.import_module(f"anvl.passes.{_name}")
