"""anvl-lift: what was lowered comes back, and lowers to the same again."""

import pytest
from lift_modules import RENAMED, module_of, names

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS
from anvl.passes.framework.pipeline import Pipeline
from anvl.testing.draw import Draw

# Where a platform has no routine, these are StableHLO's own: lit/passes/lift/linalg.mlir.
ROUTINES = {"anvl.cholesky", "anvl.triangular_solve"}
REDUCED = sorted({name for name, op in OPS.items() if op.lifts} - ROUTINES)

_GUARDED = {"anvl.pow", "anvl.div", "anvl.rem"}
_IN_PARTS = {f"anvl.{name}" for name in "sqrt rsqrt log log1p exp expm1 sin cos tan tanh".split()}


@pytest.mark.sweep(keep=15)
@pytest.mark.parametrize("name", [*RENAMED, *REDUCED])
def test_what_was_lowered_comes_back(name):
    op_class = OPS[name]
    with context(), ir.Location.unknown():
        calls = op_class.sample(Draw(name))
    lifted, theirs = 0, op_class.hlo or op_class.lifts
    for call in calls:
        module = module_of(op_class, call)
        if theirs.startswith("chlo."):
            # As others write it: anvl itself goes on to what CHLO stands for.
            text = str(module).replace(f'"{name}"', f'"{theirs}"')
            with context():
                module = ir.Module.parse(text)
        elif name in _IN_PARTS and call.operands[0].dtype.kind == "c":
            continue  # it becomes many
        else:
            # Pads that remove elements, which it leaves unused, have another form afterwards.
            Pipeline(["anvl-lower-to-stablehlo", "trivial-dce"]).run(module, verify_each=True)
        before = str(module)
        Pipeline(["anvl-lift"]).run(module, verify_each=True)
        lifted += name in names(module)
        # A sum no longer needs the 0 that it began with.
        Pipeline(["trivial-dce", "anvl-lower-to-stablehlo"]).run(module, verify_each=True)
        # Of these, StableHLO's ops say more than XLA does: each becomes many.
        kinds = "iuc" if name == "anvl.pow" else "iu"
        grows = name in _GUARDED and call.operands[0].dtype.kind in kinds
        if not (theirs.startswith("chlo.") or grows):
            assert str(module) == before
    assert lifted
