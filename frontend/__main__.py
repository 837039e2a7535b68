"""`python -m anvl`: the command `anvl`, also where the folder of scripts is not on the path."""

import sys
from importlib.metadata import distribution

__all__: list[str] = []


def _main() -> int:
    # By its entry point: this package does not import the tools, which stand above it.
    [command] = distribution("anvl-mlir").entry_points.select(group="console_scripts", name="anvl")
    code: int = command.load()()
    return code


if __name__ == "__main__":
    sys.exit(_main())
