"""Passes: program transformations.  One pass a file; pipelines put them in order.

Re-exports the names needed to write a pass of your own: docs/add-a-pass.md.
"""

if __name__ != "anvl.passes":
    raise ImportError("import `anvl.passes`, not the source folder `passes`")

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
from anvl.passes.pad import Pad as Pad
from anvl.passes.pipelines.jit_pipeline import pipeline as pipeline
from anvl.passes.probe import Probe as Probe
from anvl.passes.refine_shapes import RefineShapes as RefineShapes
from anvl.passes.remat import Remat as Remat
from anvl.passes.simplify import Simplify as Simplify
from anvl.passes.simplify_control_flow import SimplifyControlFlow as SimplifyControlFlow
from anvl.passes.vectorize import Vectorize as Vectorize
