"""Passes: program transformations.  One pass a file; pipelines put them in order.

Re-exports the names needed to write a pass of your own: docs/add-a-pass.md.  A pass is registered
here, and its file loaded when a pipeline or a list first needs it: loading all would take a fifth
of the time in which `anvl-opt` starts.
"""

if __name__ != "anvl.passes":
    raise ImportError("import `anvl.passes`, not the source folder `passes`")

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

from anvl.dialect.core import attributes as _attributes
from anvl.passes.framework.pass_base import register_later as _register_later
from anvl.passes.framework.registry import KINDS as _KINDS

if TYPE_CHECKING:
    from anvl.passes.check_differentiable import CheckDifferentiable as CheckDifferentiable
    from anvl.passes.control_flow import ControlFlow as ControlFlow
    from anvl.passes.donate import Donate as Donate
    from anvl.passes.forward import Forward as Forward
    from anvl.passes.framework.pass_base import Pass as Pass
    from anvl.passes.framework.pass_base import option as option
    from anvl.passes.framework.patterns import Pattern as Pattern
    from anvl.passes.framework.patterns import Pdl as Pdl
    from anvl.passes.framework.patterns import apply_patterns as apply_patterns
    from anvl.passes.framework.patterns import constant_of as constant_of
    from anvl.passes.framework.patterns import made_by as made_by
    from anvl.passes.framework.patterns import pattern as pattern
    from anvl.passes.framework.pipeline import Pipeline as Pipeline
    from anvl.passes.framework.statistics import Statistic as Statistic
    from anvl.passes.framework.walk import find as find
    from anvl.passes.functionalize_effects import FunctionalizeEffects as FunctionalizeEffects
    from anvl.passes.gradient import Gradient as Gradient
    from anvl.passes.hoist_constants import HoistConstants as HoistConstants
    from anvl.passes.inline import Inline as Inline
    from anvl.passes.lift import Lift as Lift
    from anvl.passes.lower_to_stablehlo import LowerToStablehlo as LowerToStablehlo
    from anvl.passes.merging.merge_loops import MergeLoops as MergeLoops
    from anvl.passes.mixed_precision import MixedPrecision as MixedPrecision
    from anvl.passes.pad import Pad as Pad
    from anvl.passes.pipelines.jit_pipeline import pipeline as pipeline
    from anvl.passes.probe import Probe as Probe
    from anvl.passes.refine_shapes import RefineShapes as RefineShapes
    from anvl.passes.remat import Remat as Remat
    from anvl.passes.roll import Roll as Roll
    from anvl.passes.sharding.shard import Shard as Shard
    from anvl.passes.simplify import Simplify as Simplify
    from anvl.passes.simplify_control_flow import SimplifyControlFlow as SimplifyControlFlow
    from anvl.passes.sparsity import Sparsity as Sparsity
    from anvl.passes.vectorize import Vectorize as Vectorize

#: A pass and its file, whose name is that of the pass on the command line.
_PASSES = {
    "CheckDifferentiable": "anvl.passes.check_differentiable",
    "ControlFlow": "anvl.passes.control_flow",
    "Donate": "anvl.passes.donate",
    "Forward": "anvl.passes.forward",
    "FunctionalizeEffects": "anvl.passes.functionalize_effects",
    "Gradient": "anvl.passes.gradient",
    "HoistConstants": "anvl.passes.hoist_constants",
    "Inline": "anvl.passes.inline",
    "Lift": "anvl.passes.lift",
    "LowerToStablehlo": "anvl.passes.lower_to_stablehlo",
    "MergeLoops": "anvl.passes.merging.merge_loops",
    "MixedPrecision": "anvl.passes.mixed_precision",
    "Pad": "anvl.passes.pad",
    "Probe": "anvl.passes.probe",
    "RefineShapes": "anvl.passes.refine_shapes",
    "Remat": "anvl.passes.remat",
    "Roll": "anvl.passes.roll",
    "Shard": "anvl.passes.sharding.shard",
    "Simplify": "anvl.passes.simplify",
    "SimplifyControlFlow": "anvl.passes.simplify_control_flow",
    "Sparsity": "anvl.passes.sparsity",
    "Vectorize": "anvl.passes.vectorize",
}
_HOMES = _PASSES | {
    "Pass": "anvl.passes.framework.pass_base",
    "Pattern": "anvl.passes.framework.patterns",
    "Pdl": "anvl.passes.framework.patterns",
    "Pipeline": "anvl.passes.framework.pipeline",
    "Statistic": "anvl.passes.framework.statistics",
    "apply_patterns": "anvl.passes.framework.patterns",
    "constant_of": "anvl.passes.framework.patterns",
    "find": "anvl.passes.framework.walk",
    "made_by": "anvl.passes.framework.patterns",
    "option": "anvl.passes.framework.pass_base",
    "pattern": "anvl.passes.framework.patterns",
    "pipeline": "anvl.passes.pipelines.jit_pipeline",
}
__all__ = sorted(_HOMES)

for _name, _module in _PASSES.items():
    _argument = "anvl-" + _module.rpartition(".")[2].replace("_", "-")
    _register_later(_argument, _module, _name)
for _attribute, _module in (
    (_attributes.JET, "anvl.passes.expand.taylor_mode"),
    (_attributes.JVP, "anvl.passes.forward"),
    (_attributes.LINEAR_TRANSPOSE, "anvl.passes.expand.linear_transpose"),
    (_attributes.VJP, "anvl.passes.gradient"),
    (_attributes.VMAP, "anvl.passes.vectorize"),
):
    _KINDS.later(_attribute, _module)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'anvl.passes' has no attribute {name!r}")
    found = getattr(_import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return list(__all__)
