"""Save programs in the dialect of today, which every later version must read.

    python test/lit/support/save_programs.py test/lit/tools/Inputs/saved

writes `0.1-ops.mlir`, one function for each op; `0.1-programs.mlir`, traces with derivatives,
batches, control flow and rules of their own; and the same as `0.1-programs.mlirbc`.  Done once for
each version of the dialect, before its release: see docs/releasing.md.  Ops that are added before
the release are added by running it again; after it the files of that version never change.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import anvl
import anvl.numpy as anp
from anvl.dialect.core.context import context, parse
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.text.versions import VERSION, mark
from anvl.testing.draw import Draw
from anvl.testing.program import Program
from anvl.tools.opt.main import main as anvl_opt

_VECTOR = np.arange(1.0, 4.0)


def ops() -> ir.Module:
    """A module with a function for the first sample of each op of the dialect."""
    program = Program()
    with context(), ir.Location.unknown():
        for name in sorted(name for name, op in OPS.items() if name.startswith("anvl.")):
            call = OPS[name].sample(Draw(name))[0]
            program.add(call.operands, lambda *xs, n=name, c=call: _results(OPS[n], c, xs))
    program.finish()
    return program.module


def _results(op_class: Any, call: Any, xs: Any) -> list[ir.Value]:
    found = op_class.build(*xs, **call.params)
    return list(found) if isinstance(found, (list, tuple)) else [found]


def _chosen(x: Any) -> Any:
    return anvl.cond(anp.sum(x) > 0, lambda x: anp.sin(x), lambda x: x * x, x)


def _halved(x: Any) -> Any:
    return anvl.while_loop(lambda x: anp.sum(x) > 1, lambda x: x / 2, x, max_iterations=9)


def _scanned(x: Any) -> Any:
    return anvl.scan(lambda c, y: (c + y, c * y), 0.0, x)


@anvl.checkpoint
def _kept(x: Any) -> Any:
    return anp.exp(anp.sin(x))


@anvl.custom_jvp
def _ruled(x: Any) -> Any:
    return anp.log1p(anp.exp(x))


_ruled.defjvp(lambda primals, tangents: (_ruled(*primals), tangents[0] / 2))


def _all(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function with its gradient, its forward derivative and a batch of it."""

    def total(x: Any) -> Any:
        return sum(anp.sum(y) for y in anvl.tree.leaves(f(x)))

    def g(x: Any) -> Any:
        forward = anvl.jvp(total, (x,), (x,))
        return f(x), anvl.grad(total)(x), forward, anvl.vmap(total)(anp.stack([x, 2 * x]))

    return g


PROGRAMS = (_chosen, _halved, _scanned, _kept, _ruled)


def main(folder: str) -> int:
    """Write the files of this version."""
    out = Path(folder)
    module = ops()
    mark(module)
    (out / f"{VERSION}-ops.mlir").write_text(f"{module}\n")
    texts = []
    for f in PROGRAMS:
        module = parse(anvl.jit(_all(f)).lower(_VECTOR).mlir("anvl"))
        mark(module)
        texts.append(module.operation.get_asm(use_name_loc_as_prefix=True))
    saved = out / f"{VERSION}-programs.mlir"
    saved.write_text("\n// -----\n\n".join(texts) + "\n")
    # Bytecode holds one module: that of control flow and a rule.
    one = out / "one.mlir"
    one.write_text(texts[-1])
    status = anvl_opt([str(one), "--emit-bytecode", "-o", str(saved.with_suffix(".mlirbc"))])
    one.unlink()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
