#!/usr/bin/env bash
# The stages of the loss of digits.py once more, from the shell: do they compute the same numbers?
#
#     python examples/digits.py --out out/digits
#     bash examples/digits.sh out/digits
set -euo pipefail
cd "$1"

echo "loss.anvl.mlir: add the gradient with respect to the first four arguments, lower to StableHLO"
anvl-opt loss.anvl.mlir -o from-loss.mlir \
  --anvl-gradient="function=main wrt=0,1,2,3" --anvl-hoist-constants --anvl-lower-to-stablehlo --cse

echo "loss.gradient.mlir: the rest of the way"
anvl-opt loss.gradient.mlir -o from-gradient.mlir \
  --anvl-inline --anvl-hoist-constants --anvl-lower-to-stablehlo --cse

echo "run both, and what was compiled for the training, on the batch that was kept"
python - <<'PYTHON'
import sys
from pathlib import Path

import numpy

import anvl.runtime
from anvl.dialect.core.context import parse
from anvl.tools.run.entry import lowered

batch = numpy.load("batch.npz")
arguments = [anvl.runtime.put(batch[name]) for name in batch if name.startswith("argument")]
wanted = [batch[name] for name in batch if name.startswith("result")]


def run(path, function):
    """Whether this function computes the loss and the gradients that the Python API did."""
    program = anvl.runtime.compile(lowered(parse(Path(path).read_text()), function).text)
    value, *gradients = map(numpy.asarray, program.execute(arguments))
    is_same = all(
        numpy.allclose(y, w, rtol=1e-4, atol=1e-6 * numpy.abs(w).max())
        for y, w in zip([value, *gradients], wanted, strict=True)
    )
    says = "the same as in Python" if is_same else "NOT what it was in Python"
    print(f"  @{function} of {path}: loss {value:.6f}, {len(gradients)} gradients, {says}")
    return is_same


programs = [
    ("from-loss.mlir", "main_adjoint"),
    ("from-gradient.mlir", "main"),
    ("loss.stablehlo.mlir", "main"),
]
sys.exit(not all([run(*program) for program in programs]))
PYTHON
