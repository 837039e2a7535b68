"""Single import point of the MLIR bindings: every other module imports them from here.

Switching to another provider of the same bindings (upstream's, once it has a wheel) changes this
file alone.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch_mlir import rewrite as rewrite
from torch_mlir._mlir_libs import _stablehlo as _stablehlo
from torch_mlir._mlir_libs import _torchMlir as _torchMlir  # registers the passes chlo needs
from torch_mlir.dialects import func as func
from torch_mlir.dialects import irdl as irdl
from torch_mlir.dialects._ods_common import _cext

from anvl.dialect.core.lazy_numpy import np

if TYPE_CHECKING:  # the bindings carry no types
    import anvl.dialect.core.mlir_ext as ext
    import anvl.dialect.core.mlir_ir as ir
    from anvl.dialect.core.mlir_ext import PassManager as PassManager
else:
    from torch_mlir import ir as ir
    from torch_mlir.dialects import ext as ext
    from torch_mlir.passmanager import PassManager as PassManager

stablehlo = _stablehlo

__all__ = [
    "PassManager", "capi", "ext", "func", "ir", "irdl", "load_stablehlo", "register_view",
    "rewrite", "stablehlo",
]  # fmt: skip

# Without modules to find, each view of an op costs a failing import of 18 us.
_cext.globals.append_dialect_search_prefix("anvl.dialect._mlir_dialects")
_stablehlo.register_stablehlo_passes()

# Loads chlo into a context: it is linked into the bindings but only reachable as the dependency
# of this pass.
_PASS_THAT_LOADS_CHLO = "builtin.module(func.func(convert-torch-to-stablehlo))"

# The builders that the bindings have only if they could import NumPy, which the tools import later.
_ELEMENTS = {
    "F64ElementsAttr": ("float64", "f64"), "I32ElementsAttr": ("int32", "i32"),
    "I64ElementsAttr": ("int64", "i64"), "IndexElementsAttr": ("int64", "index"),
}  # fmt: skip


def _elements_builder(dtype: str, element: str) -> Callable[[Any, Any], Any]:
    def build(numbers: Any, context: Any) -> Any:
        of = ir.Type.parse(element, context)
        return ir.DenseElementsAttr.get(np.array(numbers, dtype), type=of, context=context)

    return build


for _kind, _types in _ELEMENTS.items():
    if not _cext.ir.AttrBuilder.contains(_kind):
        _cext.ir.AttrBuilder.insert(_kind, _elements_builder(*_types))


def capi() -> Any:
    """The library of MLIR's C API that the bindings use.

    Its functions keep Python's lock, since verifiers and printers may call Python.
    """
    import ctypes

    folder = Path(_stablehlo.__file__).parent
    return ctypes.PyDLL(str(next(folder.glob("*TorchMLIRAggregateCAPI.*"))))


def load_stablehlo(context: ir.Context) -> None:
    """Make the `stablehlo` and `chlo` dialects known to `context`."""
    _stablehlo.register_dialect(context)
    with context, ir.Location.unknown():
        module = ir.Module.parse("func.func private @f()")
        PassManager.parse(_PASS_THAT_LOADS_CHLO).run(module.operation)


def register_view(dialect: type, op_class: type) -> None:
    """Register `op_class` as the Python view of ops named `op_class.OPERATION_NAME`."""
    _cext.register_operation(dialect, replace=True)(op_class)
