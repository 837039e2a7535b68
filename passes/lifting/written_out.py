"""Functions of one number that a library writes out as arithmetic on bits, lifted to their ops.

JAX 0.12 writes the log-gamma function of f32 as 400 ops in twelve functions, where older versions
call CHLO's op.  It computes, but bits carry no derivative, and the op has one.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

from anvl.dialect.core.attributes import attribute_of
from anvl.dialect.core.counterparts import counterparts
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value
from anvl.dialect.core.params.base import Ints
from anvl.dialect.core.params.index_params import GatherDimensions, GatherDims
from anvl.dialect.core.types import is_array, numpy_of
from anvl.passes.framework.walk import find
from anvl.passes.functions.dce import drop_unused_functions
from anvl.passes.functions.symbol_utils import body_of, callee_of, functions_of, terminator_of

__all__ = ["digest_of_elementwise", "lift_written_out"]

# Note [Written-out functions]
#
# A function is known by what it computes, not by its name: by the digest of the expression that
# gives an element of its result from the same element of its argument.  Equal digests mean the
# same ops with the same constants.  What does not change the expression does not count: names,
# the order of ops, how they are divided into functions, the shape, broadcasts of numbers to it,
# and whether a number is a constant of its type or is converted to it from another.
#
# Shapes are left out of the digest only where each element stands alone: in values of the shape of
# the argument or of rank 0, and in a column of positions, which a table is read at.  All others
# are part of it.  So an op that moves elements has another digest than those below: no elementwise
# op has its name.

_MOST_OPS, _DEEPEST = 5_000, 16  # of a function with its callees, and calls in calls
#: By digest: `jax.lax.lgamma` of f32 in JAX 0.12.0 and 0.12.0.1.
_KNOWN = {"5df33e0acdc6d9b57e11eac09f1df8e1d322cb2dc26fa1b7584d5736d5eb9346": "chlo.lgamma"}


def lift_written_out(module: ir.Operation) -> None:
    """Replace the bodies of functions that compute a known function by its op."""
    candidates = _candidates(module)
    functions = functions_of(module) if candidates else {}
    found = [
        (function, name)
        for function in candidates
        if (name := _op_for(function, functions)) is not None
    ]
    with module.context:
        for function, name in found:
            _replace_body(function, name)
    if found:
        drop_unused_functions(module)


def _op_for(function: ir.Operation, functions: Mapping[str, ir.Operation]) -> str | None:
    """The name of the op that a function of one float computes."""
    digest = digest_of_elementwise(function, functions)
    if digest is not None and 0 in function.regions[0].blocks[0].arguments[0].type.shape:
        # Of no numbers all functions are alike; JAX writes other ops there, without the tables.
        return next(iter(_KNOWN.values()))
    return None if digest is None else _KNOWN.get(digest)


def _candidates(module: ir.Operation) -> list[ir.Operation]:
    """The functions of one float that read its bits."""
    found = []
    for op in find(module, "stablehlo.bitcast_convert"):
        (x,) = op.operands
        block = x.owner
        if isinstance(block, ir.Block) and block.owner.operation.name == "func.func":
            function = block.owner.operation
            if _is_of_one_float(function) and function not in found:
                found.append(function)
    return found


def _is_of_one_float(function: ir.Operation) -> bool:
    block = body_of(function)
    if block is None or len(block.arguments) != 1:
        return False
    type_ = block.arguments[0].type
    results = list(terminator_of(block).operands)
    return (
        is_array(type_)
        and isinstance(type_.element_type, ir.FloatType)
        and [y.type for y in results] == [type_]
    )


def _replace_body(function: ir.Operation, name: str) -> None:
    """Make a function one op of that name."""
    block = function.regions[0].blocks[0]
    (x,) = block.arguments
    *replaced, end = (op.operation for op in block.operations)
    with function.location, ir.InsertionPoint.at_block_begin(block):
        end.operands[0] = ir.Operation.create(name, [x.type], [x]).results[0]
    for op in reversed(replaced):
        op.erase()


# -- digests --------------------------------------------------------------------------------------


class _Term(NamedTuple):
    """The expression of a value: its digest, and the number that it is, if it is one."""

    digest: bytes
    number: Any = None


class _Other(Exception):
    """The function is none that has a digest."""


_Terms: TypeAlias = dict[Value, _Term]


def digest_of_elementwise(
    function: ir.Operation, functions: Mapping[str, ir.Operation]
) -> str | None:
    """The digest of what a function of one array computes for each element.

    None if an op has a region or no digest.  See Note [Written-out functions].
    """
    block = body_of(function)
    if block is None or len(block.arguments) != 1:
        return None
    shape = tuple(block.arguments[0].type.shape)
    with suppress(_Other):
        (y,) = _Reader(shape, functions).results(function, [_term("argument")], 0)
        return y.digest.hex()
    return None


class _Reader:
    """The expressions of the functions that an array of one shape goes through."""

    def __init__(self, shape: tuple[int, ...], functions: Mapping[str, ir.Operation]) -> None:
        self.shape, self.functions, self.left = shape, functions, _MOST_OPS

    def results(
        self, function: ir.Operation | None, xs: Sequence[_Term], depth: int
    ) -> list[_Term]:
        """Expressions of the results of a function of these."""
        block = None if function is None else body_of(function)
        if block is None or depth > _DEEPEST:
            raise _Other
        terms: _Terms = dict(zip(block.arguments, xs, strict=True))
        for view in block.operations:
            op = view.operation
            operands = [terms[x] for x in op.operands]
            if op.name == "func.return":
                return operands
            terms |= zip(op.results, self.of_op(op, operands, depth), strict=True)
        raise _Other

    def of_op(self, op: ir.Operation, xs: Sequence[_Term], depth: int) -> list[_Term]:
        """Expressions of the results of an op."""
        self.left -= 1
        if op.name == "func.call":
            return self.results(self.functions.get(callee_of(op)), xs, depth + 1)
        is_pure = op.name in counterparts() and op.name != "stablehlo.custom_call"
        is_of_arrays = all(is_array(y.type) for y in op.results) and not list(op.regions)
        if self.left < 0 or not is_pure or not is_of_arrays:
            raise _Other
        rule = _RULES.get(op.name)
        found = None if rule is None else rule(self, op, xs)
        return self.any_op(op, xs) if found is None else [found]

    def any_op(self, op: ir.Operation, xs: Sequence[_Term]) -> list[_Term]:
        """Expressions by the name, attributes and types of an op."""
        texts = [op.name, *_attributes(op), *(self.kind(y) for y in op.results)]
        digests = [x.digest for x in xs]
        return [_term(str(i), *texts, of=digests) for i in range(len(op.results))]

    def kind(self, y: Value) -> str:
        """The type of a value, less the shape where that is of no account."""
        is_one = self.is_element(y)
        return str(y.type.element_type) if is_one else str(y.type)

    def is_element(self, y: Value) -> bool:
        """Whether a value has the shape of the argument, or is one number for all."""
        return tuple(y.type.shape) in (self.shape, ())

    def constant(self, op: ir.Operation, xs: Sequence[_Term]) -> _Term | None:
        """One number, whatever the shape it fills; or a table, with its shape."""
        (y,), value = op.results, attribute_of(op, "value")
        if not isinstance(value, ir.DenseElementsAttr):
            raise _Other
        if value.is_splat and self.is_element(y):
            return _number(y, value.get_splat_value().value)
        return _term("table", str(value))

    def convert(self, op: ir.Operation, xs: Sequence[_Term]) -> _Term | None:
        """A number in another type of floats."""
        (x,), (y,) = xs, op.results
        is_float = isinstance(y.type.element_type, ir.FloatType)
        return _number(y, x.number) if is_float and isinstance(x.number, float) else None

    def broadcast(self, op: ir.Operation, xs: Sequence[_Term]) -> _Term | None:
        """The number that is repeated for each element, or a column of positions."""
        (x,), (y,) = op.operands, op.results
        given, axes = tuple(x.type.shape), Ints.decode(op.attributes["broadcast_dimensions"])
        if tuple(y.type.shape) == self.shape and axes == tuple(range(len(given))):
            return xs[0] if given in (self.shape, ()) else None
        is_column = tuple(y.type.shape) == (*self.shape, 1) and given == self.shape
        is_column = is_column and axes == tuple(range(len(given)))
        return _term("column", of=[xs[0].digest]) if is_column else None

    def gather(self, op: ir.Operation, xs: Sequence[_Term]) -> _Term | None:
        """An entry of a table, at the position in a column."""
        table, positions = op.operands
        (y,) = op.results
        dims = GatherDimensions.decode(op.attributes["dimension_numbers"])
        axis = len(self.shape)
        is_entry = (
            dims == GatherDims((), (0,), (), (), (0,), axis)
            and table.type.rank == 1
            and tuple(positions.type.shape) == (*self.shape, 1)
            and tuple(y.type.shape) == self.shape
        )
        if not is_entry:
            return None
        texts = ["entry", *_attributes(op, "dimension_numbers"), self.kind(y)]
        return _term(*texts, of=[x.digest for x in xs])


_Rule: TypeAlias = Callable[[_Reader, ir.Operation, Sequence[_Term]], _Term | None]
_RULES: dict[str, _Rule] = {
    "stablehlo.broadcast_in_dim": _Reader.broadcast,
    "stablehlo.constant": _Reader.constant,
    "stablehlo.convert": _Reader.convert,
    "stablehlo.gather": _Reader.gather,
}


def _number(y: Value, value: Any) -> _Term:
    """The expression of a number of the type of the elements of y."""
    number = np.asarray(value, numpy_of(y.type.element_type))
    held = float(number) if isinstance(value, float) else None
    return _Term(_term("number", str(y.type.element_type), of=[number.tobytes()]).digest, held)


def _attributes(op: ir.Operation, *left_out: str) -> list[str]:
    """The attributes of an op, by name."""
    try:
        given = sorted((name, str(op.attributes[name])) for name in op.attributes)
    except TypeError:  # the bindings have no class for complex constants
        raise _Other from None
    return [f"{name} = {text}" for name, text in given if name not in left_out]


def _term(*texts: str, of: Sequence[bytes] = ()) -> _Term:
    """The expression of these parts, which are told apart."""
    made = hashlib.sha256()
    for part in (*(text.encode() for text in texts), b"of", *of):
        made.update(len(part).to_bytes(8, "little"))
        made.update(part)
    return _Term(made.digest())
