#!/usr/bin/env bash
# The gradient of newton.py's loss once more, from the shell, compared with that of Python.
#
#     python examples/newton.py --out out/newton
#     bash examples/newton.sh out/newton
set -euo pipefail
cd "$1"

echo "add the gradient with respect to the first argument, the parameters"
anvl-opt loss.mlir -o gradient.mlir --anvl-gradient="function=main wrt=0"

echo "run it on the tumours, and compare with Python"
anvl-run gradient.mlir --function=main_adjoint --inputs=arguments.npz \
  --compare=plugin,expected.npz --print-limit=4

echo "the loss and its gradient, as a page: gradient.html"
anvl-viz gradient.mlir -o gradient.html
