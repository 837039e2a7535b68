"""anvl: trace Python, differentiate it with MLIR passes, run it on PJRT.

    >>> import anvl, anvl.numpy as np
    >>> slope = anvl.jit(anvl.grad(lambda x: np.sin(x) * x))
    >>> print(slope(0.0))
    0.0

Names are loaded when they are first used: `anvl-opt` needs none of them, nor the runtime.
"""

if __name__ != "anvl":
    raise ImportError("import `anvl`, not the source folder `frontend`")

from typing import TYPE_CHECKING, Any

from anvl.importing import load_module as _load_module

if TYPE_CHECKING:
    from anvl import ffi as ffi
    from anvl import numpy as numpy
    from anvl import prim as prim
    from anvl import random as random
    from anvl import testing as testing
    from anvl import tree as tree
    from anvl import windows as windows
    from anvl.avals import aval as aval
    from anvl.batching import vmap as vmap
    from anvl.checkpoints import checkpoint as checkpoint
    from anvl.closures import closure_convert as closure_convert
    from anvl.conditions import cond as cond
    from anvl.conditions import switch as switch
    from anvl.config import defaults as defaults
    from anvl.config import set_defaults as set_defaults
    from anvl.custom_rules import custom_jvp as custom_jvp
    from anvl.custom_rules import custom_vjp as custom_vjp
    from anvl.dialect.errors import AnvlError as AnvlError
    from anvl.dialect.errors import MissingRule as MissingRule
    from anvl.dialect.errors import NonFiniteError as NonFiniteError
    from anvl.dialect.errors import PassError as PassError
    from anvl.dialect.errors import TraceError as TraceError
    from anvl.differentiable import why_not_differentiable as why_not_differentiable
    from anvl.forward import jvp as jvp
    from anvl.graph import eval_shape as eval_shape
    from anvl.graph import trace as trace
    from anvl.imported import from_stablehlo as from_stablehlo
    from anvl.jacobians import hessian as hessian
    from anvl.jacobians import hvp as hvp
    from anvl.jacobians import jacfwd as jacfwd
    from anvl.jacobians import jacrev as jacrev
    from anvl.jitted import jit as jit
    from anvl.linear import linear_transpose as linear_transpose
    from anvl.linearization import linearize as linearize
    from anvl.loops import fori_loop as fori_loop
    from anvl.loops import scan as scan
    from anvl.loops import while_loop as while_loop
    from anvl.mapping import associative_scan as associative_scan
    from anvl.mapping import map as map
    from anvl.reductions import reduce as reduce
    from anvl.reverse import vjp as vjp
    from anvl.runtime import Array as Array
    from anvl.runtime import RuntimeFailure as RuntimeFailure
    from anvl.runtime import devices as devices
    from anvl.saved import print_saved_values as print_saved_values
    from anvl.tags import tag as tag
    from anvl.transforms import grad as grad
    from anvl.transforms import stop_gradient as stop_gradient
    from anvl.transforms import value_and_grad as value_and_grad

#: Where each public name lives.
_HOMES = {
    "AnvlError": "anvl.dialect.errors",
    "Array": "anvl.runtime",
    "MissingRule": "anvl.dialect.errors",
    "NonFiniteError": "anvl.dialect.errors",
    "PassError": "anvl.dialect.errors",
    "RuntimeFailure": "anvl.runtime",
    "TraceError": "anvl.dialect.errors",
    "associative_scan": "anvl.mapping",
    "aval": "anvl.avals",
    "checkpoint": "anvl.checkpoints",
    "cond": "anvl.conditions",
    "closure_convert": "anvl.closures",
    "custom_jvp": "anvl.custom_rules",
    "custom_vjp": "anvl.custom_rules",
    "defaults": "anvl.config",
    "devices": "anvl.runtime",
    "eval_shape": "anvl.graph",
    "fori_loop": "anvl.loops",
    "from_stablehlo": "anvl.imported",
    "grad": "anvl.transforms",
    "hessian": "anvl.jacobians",
    "hvp": "anvl.jacobians",
    "jacfwd": "anvl.jacobians",
    "jacrev": "anvl.jacobians",
    "jit": "anvl.jitted",
    "jvp": "anvl.forward",
    "linear_transpose": "anvl.linear",
    "linearize": "anvl.linearization",
    "map": "anvl.mapping",
    "print_saved_values": "anvl.saved",
    "reduce": "anvl.reductions",
    "scan": "anvl.loops",
    "set_defaults": "anvl.config",
    "switch": "anvl.conditions",
    "stop_gradient": "anvl.transforms",
    "tag": "anvl.tags",
    "trace": "anvl.graph",
    "value_and_grad": "anvl.transforms",
    "vjp": "anvl.reverse",
    "vmap": "anvl.batching",
    "while_loop": "anvl.loops",
    "why_not_differentiable": "anvl.differentiable",
}
_MODULES = ("ffi", "numpy", "prim", "random", "testing", "tree", "windows")

__version__ = "0.1.0"
__all__ = [*sorted(_HOMES), *_MODULES]


def __getattr__(name: str) -> Any:
    if name not in _MODULES and name not in _HOMES:
        raise AttributeError(f"module 'anvl' has no attribute {name!r}")
    if name in _MODULES:
        found: Any = _load_module(f"anvl.{name}")
    else:
        _load_module("anvl.numpy")  # gives arrays their operators, before anybody can have one
        found = getattr(_load_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
