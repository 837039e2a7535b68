"""The files of a new project, as templates.

`@name@` stands for the word that names the project, its package and its dialect, `@flag@` for the
same with dashes, as in the name of a pass.
"""

__all__ = ["FILES"]

_README = """\
# @name@

Ops and passes for `anvl` (the package `anvl-mlir`), in the dialect `@name@`.

| file | content |
|---|---|
| `@name@/ops.py` | the op `@name@.scale` with its rules |
| `@name@/passes.py` | the pass `--@flag@-merge-scales`, made of patterns |
| `test/lit/` | IR with what is expected of it, compared by `filecheck` |
| `test/unit/` | the rules against numbers (`check_op`), and the op from Python |

```sh
python -m venv .venv && . .venv/bin/activate
pip install -e '.[test]'
pytest
lit -v test/lit
anvl-lint-checks
anvl-opt --load=@name@ test/lit/merge-scales.mlir --@flag@-merge-scales
```

An op is one class in `ops.py`, imported by `@name@/__init__.py`; a pass is one in `passes.py`.
"""

_PYPROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "@flag@"
version = "0.1.0"
description = "Ops and passes for anvl, in the dialect @name@."
readme = "README.md"
requires-python = ">=3.11"
dependencies = ["anvl-mlir"]

[project.optional-dependencies]
test = ["pytest>=8", "lit>=23", "filecheck>=1"]

[project.entry-points."anvl.dialects"]
@name@ = "@name@"

[project.entry-points."anvl.passes"]
@flag@-merge-scales = "@name@"

[tool.setuptools]
packages = ["@name@"]

[tool.pytest.ini_options]
testpaths = ["test/unit"]
pythonpath = ["."]
"""

_INIT = '''\
"""Ops and passes in the dialect `@name@`; importing them registers them."""

from @name@.ops import ScaleOp as ScaleOp
from @name@.passes import MergeScales as MergeScales
'''

_OPS = '''\
"""The ops of the dialect `@name@`."""

from anvl.dialect import Float, Linear, Operand, Result, check_kind, emit, full_like


class ScaleOp(Linear, name="@name@.scale"):
    """`factor` times x."""

    x: Operand
    factor: Float
    y: Result

    @classmethod
    def result_type(cls, x, factor):
        check_kind("@name@.scale", x, "float")
        return x

    @classmethod
    def adjoint(cls, g, xs, y, factor):
        return [emit.@name@.scale(g, factor=factor)]

    @classmethod
    def batch(cls, xs, batched, factor):
        return emit.@name@.scale(xs[0], factor=factor)

    @classmethod
    def lower(cls, hlo, x, factor):
        return emit.mul(x, full_like(x, factor))

    @classmethod
    def sample(cls, draw):
        return draw.calls(([draw.floats(2, 3)], {"factor": 1.5}))
'''

_PASSES = '''\
"""The passes of `@name@`."""

from dataclasses import dataclass

from anvl.dialect import emit
from anvl.passes import Pass, apply_patterns, made_by, pattern
from @name@.ops import ScaleOp


@pattern(ScaleOp)
def merge(op):
    """One factor in place of two: the product may be rounded otherwise."""
    inner = made_by(op.operands[0], ScaleOp)
    if inner is None:
        return None
    factor = ScaleOp.read(inner)["factor"] * ScaleOp.read(op)["factor"]
    return emit.@name@.scale(inner.operands[0], factor=factor)


@pattern(ScaleOp, benefit=2)
def drop(op):
    """A factor of one does nothing."""
    return op.operands[0] if ScaleOp.read(op)["factor"] == 1 else None


@dataclass(frozen=True)
class MergeScales(Pass, argument="@flag@-merge-scales"):
    """Make one `scale` of several in a row."""

    def run(self, module):
        apply_patterns(module, [merge, drop])
'''

_LIT_CONFIG = '''\
"""How lit runs the tests in this folder: `lit test/lit`."""

# ruff: noqa: F821 - lit defines `config` and `lit_config`

from anvl.testing.lit import configure

configure(config, lit_config, __file__, load=["../../@name@"])
'''

_SCALE_MLIR = """\
// RUN: anvl-opt %s --anvl-gradient=function=f --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=f --args='[[1.0, 2.0]]' | %numbers %s

// The adjoint scales the cotangent, which is 1 for each element.

// CHECK-LABEL: func.func @f_adjoint(
// CHECK:         %[[ONES:.*]] = "anvl.broadcast_in_dim"
// CHECK-NEXT:    %[[G:.*]] = "@name@.scale"(%[[ONES]]) {factor = 3.000000e+00 : f64}
// CHECK-NEXT:    return {{.*}}, %[[G]] :

// HLO-LABEL: func.func @f(
// HLO:         stablehlo.constant dense<3.000000e+00> : tensor<2xf32>
// HLO:         stablehlo.multiply
// HLO-NOT:     @name@.scale

// NUMBERS: f32[] 9.0
func.func @f(%x: tensor<2xf32>) -> tensor<f32> {
  %y = "@name@.scale"(%x) {factor = 3.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  %r = "anvl.sum"(%y) {axes = array<i64: 0>} : (tensor<2xf32>) -> tensor<f32>
  return %r : tensor<f32>
}
"""

_MERGE_MLIR = """\
// RUN: anvl-opt %s --@flag@-merge-scales | filecheck %s

// CHECK-LABEL: func.func @two(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf32>
// CHECK-NEXT:    %[[Y:.*]] = "@name@.scale"(%[[X]]) {factor = 6.000000e+00 : f64}
// CHECK-NEXT:    return %[[Y]]
func.func @two(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "@name@.scale"(%x) {factor = 2.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "@name@.scale"(%0) {factor = 3.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// Two that undo each other are gone.

// CHECK-LABEL: func.func @undone(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf32>
// CHECK-NEXT:    return %[[X]]
func.func @undone(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "@name@.scale"(%x) {factor = 2.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "@name@.scale"(%0) {factor = 0.5 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
"""

_UNIT = '''\
"""The op against numbers, and from Python."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
import @name@
from anvl import prim
from anvl.testing import check_op


def test_the_rules_agree_with_numbers():
    check_op(@name@.ScaleOp, reference=lambda x, factor: factor * x)


def test_a_gradient():
    def f(x):
        return anp.sum(prim.@name@.scale(x, factor=3.0) * x)

    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(anvl.jit(anvl.grad(f))(x), 6 * x)


def test_integers_are_refused():
    with pytest.raises(TypeError, match="@name@.scale"):
        prim.@name@.scale(np.array([1, 2]), factor=3.0)
'''

_CI = """\
name: ci

on: [push, pull_request]

permissions:
  contents: read

jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      matrix:
        python: ["3.11", "3.13"]
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: ${{ matrix.python }}
      - run: pip install -e '.[test]'
      - run: pytest
      - run: lit -v test/lit
      - run: anvl-lint-checks
"""

_IGNORED = """\
__pycache__/
*.egg-info/
.venv/
Output/
"""

#: The text of each file, by its path in the project.
FILES = {
    ".github/workflows/ci.yml": _CI,
    ".gitignore": _IGNORED,
    "@name@/__init__.py": _INIT,
    "@name@/ops.py": _OPS,
    "@name@/passes.py": _PASSES,
    "README.md": _README,
    "pyproject.toml": _PYPROJECT,
    "test/lit/lit.cfg.py": _LIT_CONFIG,
    "test/lit/merge-scales.mlir": _MERGE_MLIR,
    "test/lit/scale.mlir": _SCALE_MLIR,
    "test/unit/test_scale.py": _UNIT,
}
