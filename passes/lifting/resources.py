"""Constants whose data stand in the resources of a module, as torch-mlir writes parameters.

    stablehlo.constant dense_resource<weights> : tensor<2xf32>
    {-# dialect_resources: { builtin: { weights: "0x040000000000803F00000040" } } #-}

The data are put into the constants: XLA reads no resources, and portable artifacts hold none.
Source: MLIR, language reference, "Dialect Resources"; a blob begins with its alignment in 4 bytes.
"""

import re

from anvl.dialect.core.attributes import attribute_of
from anvl.dialect.core.create import dense
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import is_array, numpy_of
from anvl.passes.framework.walk import find

__all__ = ["inline_resources", "resource_name"]

_CONSTANTS = ("arith.constant", "stablehlo.constant", "anvl.constant")
_RESOURCE = "dense_resource<"
_BLOB = re.compile(r'"?([^\s":]+)"?: "0x([0-9A-Fa-f]*)"')
_ALIGNMENT_DIGITS = 8


def inline_resources(module: ir.Operation) -> None:
    """Put the data of resources into constants; a constant without data stays as it is."""
    found = [(op, name) for op in find(module, *_CONSTANTS) if (name := resource_name(op))]
    if not found:
        return
    # The bindings give no access to a resource but by printing the module with all of them.
    text = module.get_asm(assume_verified=True).rpartition("{-#")[2]
    blobs = dict(_BLOB.findall(text))
    with module.context:
        for op, name in found:
            value = _value(op, blobs.get(name))
            if value is not None:
                op.attributes["value"] = value


def resource_name(op: ir.Operation) -> str:
    """The name of the resource that holds the data of a constant; `""` if none does."""
    value = attribute_of(op, "value")
    if type(value) is not ir.Attribute:
        return ""
    # Its data may be large, and only a resource prints none.
    try:
        found = str(ir.DenseResourceElementsAttr(value))
    except ValueError:
        return ""
    return found.removeprefix(_RESOURCE).partition(">")[0].strip('"')


def _value(op: ir.Operation, digits: str | None) -> ir.Attribute | None:
    """The data as an attribute; None if they are missing, or not those of an array of anvl."""
    type_ = op.results[0].type
    if digits is None or not is_array(type_):
        return None
    dtype = numpy_of(type_.element_type)
    data = bytes.fromhex(digits)[_ALIGNMENT_DIGITS // 2 :]
    if len(data) != np.prod(type_.shape, dtype=int) * dtype.itemsize:
        return None
    return dense(np.frombuffer(data, dtype).reshape(type_.shape), type_.element_type)
