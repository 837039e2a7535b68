#!/usr/bin/env bash
# The solver of ode.py once more, from the shell: forward mode through the loop of unknown length.
#
#     python examples/ode.py --out out/ode
#     bash examples/ode.sh out/ode
set -euo pipefail
cd "$1"

echo "add the tangent of the solution with respect to the parameters"
anvl-opt solver.mlir -o tangent.mlir --anvl-forward="function=main wrt=0"

echo "run it along the first parameter, and compare with Python"
anvl-run tangent.mlir --function=main_tangent --inputs=arguments.npz \
  --compare=plugin,expected.npz --print-limit=4

echo "the solver and its tangent, as a page: tangent.html"
anvl-viz tangent.mlir -o tangent.html
