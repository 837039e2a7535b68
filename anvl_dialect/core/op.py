"""`AnvlOp`, the base class of ops: the rules and flags that each op declares.

Naming, in every rule of every op: `x`, `xs` operands, `y` result, `g` cotangent of the result,
`t` tangent of an operand; `axis`, `axes` positions in a shape.  Operands come first, parameters
by keyword.  Rules work on MLIR values and emit at the current insertion point.
"""

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

from anvl.dialect.core.context import on_new_context
from anvl.dialect.core.dialect import Anvl, declare, dialect_of, own_dialects, withdraw
from anvl.dialect.core.errors import MissingRule
from anvl.dialect.core.mlir import ext, ir, register_view
from anvl.dialect.core.op_build import builder, headed, region_builder
from anvl.dialect.core.op_checks import (
    check_fields,
    check_free,
    check_rules,
    check_variadic,
    problem_of,
    resolved,
    result_types,
)
from anvl.dialect.core.params.base import Body, Float, Param, read_param
from anvl.dialect.core.types import DTYPES
from anvl.dialect.core.types import kind as kind_of

if TYPE_CHECKING:
    from anvl.dialect.core.op_attributes import OpAttributes as _Base
else:
    _Base = Anvl.Operation

__all__ = [
    "DEFINED", "MAYBE_RULES", "OPS", "RULES", "AnvlOp", "Operand", "Operands", "Result", "Results",
    "emit", "missing",
]  # fmt: skip

# Fields of an op class.  Every operand and result is a tensor; the type rule says which.
Operand = ext.Operand[Any]
Operands = Sequence[ext.Operand[Any]]
Result = ext.Result[Any]
Results = Sequence[ext.Result[Any]]

_FIELDS = (Operand, Operands, Result, Results)

#: The closed set of rules, with the user of each.
RULES = {
    "result_type": "building it",
    "lower": "anvl-lower-to-stablehlo",
    "adjoint": "anvl-gradient",
    "tangent": "anvl-forward",
    "batch": "anvl-vectorize",
    "sample": "the numeric tests",
}

#: Optional rules, with the user of each.
MAYBE_RULES = {
    "simplify": "anvl-simplify",
    "fold": "anvl-simplify-control-flow",
    "powered": "anvl.numpy, of what it raises to a power",
}

#: Every op class by its name in the IR (`"anvl.sin"`).
OPS: dict[str, type["AnvlOp"]] = {}

#: Names of all ops in order of definition; a redefined op appears twice.
#: Its length is the version of the op set, by which caches over all ops are invalidated.
DEFINED: list[str] = []

# Note [Borrowed ops]
#
# IRDL, in which the dialect is declared, assigns each constraint one type: all operands of a
# variadic field must then have the same type (measured on LLVM 24; `irdl.any` does not escape it).
# `concatenate` of tensor<2xf32> and tensor<3xf32> cannot be declared.  For such ops the IR holds
# StableHLO's own op, which C++ declares and verifies, and the class here gives it our rules; it is
# registered as the Python view of that op, so passes meet it like any other.

Value = ir.Value


def missing(cls: type["AnvlOp"], rule: str) -> Any:
    """Refuse: `cls` does not define `rule`."""
    raise MissingRule(
        f"{cls.OPERATION_NAME}: has no `{rule}` rule, which {RULES[rule]} needs; "
        f"define it on {cls.__name__} in {cls.__module__}"
    )


class AnvlOp(_Base):
    """Base of all ops.

        result_type(*types, **params)   -> type of the result, or raise TypeError
        lower(hlo, *xs, **params)       -> the same value in StableHLO
        adjoint(g, xs, y, **params)     -> one cotangent per operand
        tangent(ts, xs, y, **params)    -> tangent of y; ts[i] is None where x[i] is constant
        batch(xs, batched, **params)    -> y with one more axis, the first
        sample(draw)                    -> calls (operands, params) in its domain
        simplify(xs, makers, **params)  -> a simpler value, the same to the bit, if there is one
        fold(*xs, **params)             -> the result for known integers and bools
        powered(xs, exponent, **params) -> y ** exponent, smooth where y has a corner, or None

    `adjoint` may return a function of no arguments in place of a cotangent: it is called only if
    that operand's cotangent is needed.  None, for a cotangent or a tangent, is a zero.  `simplify`
    returns an existing value, a function of no arguments that emits one, or None; makers[i] is the
    op that defines x[i], or None.  It is called only for ops with one result, without bodies and
    without effects.  In `batch`, the extra axis is axis 0 of every operand that `batched` marks,
    and of the result; there is at least one member, unless the op has side effects.

    Ops with several results (`Results`, or more than one `Result` field) take and return sequences
    in place of `y`, `g` and the result type.

    An op named `my.softplus` belongs to the dialect `my`: see Note [Dialects of one's own].  With
    `borrowed=True` the op in the IR is StableHLO's own of that name, and only the rules are ours.
    See Note [Borrowed ops].

    `hlo` names the StableHLO op (`"sine"`, `"chlo.erf"`) where lowering is a rename that copies
    operands, attributes and types; the lowering pass then needs no `lower`.
    """

    # Unannotated: MLIR's `ext` treats every annotation of this class as a field.
    hlo = cast("str | None", None)
    params = cast("dict[str, type[Param]]", {})
    short_name = ""
    #: The StableHLO op that `lift` converts to this one, where that is not a rename.
    lifts = ""
    #: Whether `lower` emits ops of the dialect, which lower after it.
    composite = False
    #: Whether the op in the IR is StableHLO's own: see Note [Borrowed ops].
    borrowed = False
    #: Whether its regions capture values; its rules then get them as further operands.
    captures = False
    #: Names the pass that must remove the op before lowering, where there is one.
    why_not_lowered = "its class defines neither `hlo` nor `lower`"
    #: Whether each element of the result depends only on the same element of each operand.
    diagonal = False
    #: Whether swapping its two operands gives the same result to the bit.
    commutative = False
    #: Whether an unused op may be erased, and two equal ones merged.
    pure = True
    #: Whether recomputing it is cheaper than saving its result: Note [Residuals of a step].
    cheap = False
    #: Zeros in derivatives, for Note [Lazy masks]: whether they stay zero for all operands,
    #: infinite ones too; whether operands not chosen get some; whether ones show where they go.
    preserves_zeros = False
    selects_elements = False
    moves_elements = False
    #: Whether it is user-defined: then the selection of its adjoint is observed, not declared.
    is_own = False
    #: Whether the operand types determine the result type, without parameters and the IR text.
    is_inferred = False
    # Float operands, by position, without a derivative, and the reason.
    undefined = cast("dict[int, str]", {})
    #: Reason why the derivative is zero everywhere, if that is by design and not an omission.
    zero_derivative_reason = ""
    #: Whether its integer results are bits of its operand: Note [Bits] in `activity_analysis`.
    reads_bits = False
    #: Whether `tangent` also takes `active`: for each result, whether its tangent is used.
    uses_activity = False
    #: The parameter, if any, by which the derivative of the result is requested.
    naming_param = ""
    #: Value of the derivative where its formula breaks down, for docs/ops.md.
    singularity_convention = ""

    def __init_subclass__(
        cls, *, name: str | None = None, pure: bool = True, borrowed: bool = False, **kw: Any
    ) -> None:
        fields = resolved(cls, inspect.get_annotations(cls))
        given = {k: t for k, t in fields.items() if isinstance(t, type) and issubclass(t, Param)}
        cls.params = {**cls.params, **given}
        cls.__annotations__ = {
            k: Any if k in given else t
            for k, t in fields.items()
            if (k in given and given[k].attribute and not given[k].optional) or t in _FIELDS
        }
        traits = [ext.Pure] if name is not None and pure else None
        bare = name
        if name is not None and not borrowed:
            cls._dialect_obj, bare = dialect_of(name, cls.__module__)
            cls.is_own = cls._dialect_obj is not Anvl
        if cls.__module__.partition(".")[0] != "anvl":
            check_fields(name or cls.__name__, fields, _FIELDS, AnvlOp)
        super().__init_subclass__(name=None if borrowed else bare, traits=traits, **kw)
        if name is None:
            return
        cls.borrowed, cls.pure = borrowed, pure
        cls.is_inferred = not (cls.params or borrowed)
        if borrowed:
            cls.OPERATION_NAME = f"stablehlo.{name}"
            cls._ODS_OPERAND_SEGMENTS = cls._generate_segments(_fields(cls, ext.OperandDef))
            cls._ODS_RESULT_SEGMENTS = cls._generate_segments(_fields(cls, ext.ResultDef))
            on_new_context(lambda: register_view(Anvl, cls))
        # ext turned the fields into properties; parameters are read through `read`.
        cls.short_name = name
        cls._plans = {}
        cls.n_operands = _count(cls, ext.OperandDef, cls._ODS_OPERAND_SEGMENTS)
        cls.attribute_params = {k: t for k, t in cls.params.items() if t.attribute}
        cls.n_results = _count(cls, ext.ResultDef, cls._ODS_RESULT_SEGMENTS)
        cls.multiple_results = cls.n_results != 1
        cls.bodies = [k for k, t in cls.params.items() if issubclass(t, Body)]
        # Parameters as part of a key; floats by their text, as 0.0 == -0.0 but the ops differ.
        has_floats = any(issubclass(t, Float) for t in cls.params.values())
        cls.key_of = cast(
            "Callable[[dict[str, Any]], Iterable[Any]]", _texts_of if has_floats else dict.items
        )
        # Recorded emission of the adjoint, tangent and batch rules: Note [Recipes].
        has_recipes = not (cls.multiple_results or cls.bodies)
        cls.recipes = {} if has_recipes else None
        cls.tangent_recipes = {} if has_recipes else None
        cls.batch_recipes = {} if has_recipes else None
        if "build" not in cls.__dict__:
            make = region_builder if cls.bodies else builder
            cls.build = staticmethod(make(cls))  # type: ignore[method-assign]
        _join(cls)

    @classmethod
    def _generate_init_method(cls, fields: Any) -> None:
        """Skip ext's constructor, which costs time at import: `build` makes ops."""

    # -- rules -----------------------------------------------------------------------------------

    @classmethod
    def result_type(cls, *types: Any, **params: Any) -> Any:
        return missing(cls, "result_type")

    @classmethod
    def lower(cls, hlo: Callable[..., Value], *xs: Value, **params: Any) -> Any:
        return missing(cls, "lower")

    @classmethod
    def is_already_legal(cls, op: ir.Operation) -> bool:
        """Whether a borrowed op is already legal StableHLO, so that `lower` is not called."""
        return False

    @classmethod
    def lift(cls, op: ir.Operation) -> tuple[Sequence[Value], dict[str, Any]] | None:
        """Operands and parameters that make this op equivalent to a StableHLO op, or None."""
        return None

    @classmethod
    def lift_rest(cls, op: ir.Operation) -> Sequence[Value] | None:
        """Fallback of lifting: emit other ops for a StableHLO op; return their results, or None."""
        return None

    @classmethod
    def adjoint(cls, g: Any, xs: Sequence[Value], y: Any, **params: Any) -> Sequence[Any]:
        return missing(cls, "adjoint")

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Any, **params: Any) -> Any:
        return missing(cls, "tangent")

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], **params: Any) -> Any:
        return missing(cls, "batch")

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return missing(cls, "sample")

    @classmethod
    def operand_support(cls, g: Any, xs: Sequence[Value], y: Any, **params: Any) -> Sequence[Any]:
        """Sparsity pattern of `adjoint`: its value on ones and zeros, for Note [Lazy masks]."""
        return cls.adjoint(g, xs, y, **params)

    @classmethod
    def result_support(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Any, **ps: Any
    ) -> Any:
        """Sparsity pattern of `tangent`: its value on ones and zeros."""
        return cls.tangent(ts, xs, y, **ps)

    @classmethod
    def work(cls, op: ir.Operation) -> int:
        """Cost of recomputing the op, as the number of elements read and written."""
        return sum(math.prod(v.type.shape) for v in (*op.operands, *op.results))

    @classmethod
    def has_side_effects(cls, op: ir.Operation) -> bool:
        """Whether an op of this class has a side effect."""
        return not cls.pure

    @classmethod
    def unsafe(cls, op: ir.Operation, seen: set[str]) -> bool:
        """Whether an op must not run where its results are not needed: `effects`."""
        return cls.has_side_effects(op)

    @classmethod
    def bits_through(cls, op: Any, moves: Sequence[bool], bits: Sequence[bool]) -> Sequence[bool]:
        """For each result, whether it is or derives from bits of floats: see Note [Bits]."""
        return [any(bits) and kind_of(y.type.element_type) in ("int", "uint") for y in op.results]

    @classmethod
    def simplify(cls, xs: Sequence[Value], makers: Sequence[Any], **params: Any) -> Any:
        return None

    @classmethod
    def fold(cls, *xs: Any, **params: Any) -> Any:
        """Constant-fold the op on NumPy scalars (integers and bools)."""
        return None

    @classmethod
    def powered(cls, xs: Sequence[Value], exponent: int, /, **params: Any) -> Value | None:
        return None

    @classmethod
    def body_types(cls, *types: Any, **params: Any) -> Sequence[tuple[list[Any], list[Any]]]:
        """Argument and result types of each body, for an op with bodies."""
        raise NotImplementedError(f"{cls.short_name}: its class does not say `body_types`")

    # -- building and reading --------------------------------------------------------------------

    @staticmethod
    def build(*xs: Value, **params: Any) -> Any:
        """Emit the op at the current insertion point; return its result or results."""
        raise NotImplementedError("only ops, not families of them, can be built")

    @classmethod
    def _plan(cls, key: Any, types: list[Any], params: dict[str, Any]) -> Any:
        """Result types and attributes for these operand types and parameters.

        Cached: programs build the same op on the same types again and again, and a look-up costs a
        fifth of the type rule and the encoding.
        """
        try:
            result = cls.result_type(*types, **params)
        except TypeError as error:
            cls._check_call(len(types), params)
            text = headed(cls.short_name, error)
            if text == str(error):
                raise
            raise TypeError(text) from error
        plan = result_types(cls, result), cls.encode(params)
        if not cls.borrowed and (cls.n_operands is None or cls.n_results is None):
            check_variadic(cls, types, plan[0])
        if len(cls._plans) >= _MAX_PLANS:
            cls._plans.clear()
        try:
            cls._plans[key] = plan
        except TypeError:
            pass
        return plan

    @classmethod
    def encode(cls, params: dict[str, Any]) -> dict[str, ir.Attribute] | None:
        """The attributes of the op for these parameters."""
        if not cls.attribute_params:
            return None
        return {
            name: kind.encode(params[name])
            for name, kind in cls.attribute_params.items()
            if name in params and not (kind.optional and params[name] == kind.default)
        }

    @classmethod
    def read(cls, op: ir.Operation) -> dict[str, Any]:
        """The parameters of an op of this class, as Python values."""
        if not cls.params:
            return {}
        attributes = op.attributes
        return {
            name: read_param(op, attributes, name, kind)
            for name, kind in cls.params.items()
            if name not in cls.bodies
        } | {
            name: Body.of_region(region)
            for name, region in zip(cls.bodies, op.regions, strict=False)
        }

    @classmethod
    def undefined_of(cls, n_operands: int, op: ir.Operation | None = None) -> dict[int, str]:
        """Non-differentiable operands by position; `op` refines the answer for one op."""
        return cls.undefined

    @classmethod
    def has_rule(cls, rule: str) -> bool:
        """Whether the class, or its family, defines `rule`."""
        return getattr(cls, rule).__func__ is not getattr(AnvlOp, rule).__func__

    # -- verification ----------------------------------------------------------------------------

    @classmethod
    def _check_call(cls, n_operands: int, params: dict[str, Any]) -> None:
        """Refuse calls that do not fit the type rule; Python's own message would name internals."""
        cls.check_count(n_operands)
        known = {k: kind for k, kind in cls.params.items() if k not in cls.bodies}
        required = {k for k, kind in known.items() if not kind.optional}
        if not required <= params.keys() <= known.keys():
            raise TypeError(
                f"{cls.short_name}: takes the parameters {', '.join(known) or 'none'}, "
                f"got {', '.join(params) or 'none'}"
            )

    @classmethod
    def check_count(cls, n_operands: int) -> None:
        """Refuse an operand count that does not match the fields of the op."""
        wanted, least = cls.n_operands, len(_fields(cls, ext.OperandDef)) - 1
        if n_operands != wanted and (wanted is not None or n_operands < least):
            n = least if wanted is None else wanted
            counted = f"{n} operand{'' if n == 1 else 's'}"
            some = "at least " if wanted is None else ""
            raise TypeError(f"{cls.short_name}: takes {some}{counted}, got {n_operands}")

    @classmethod
    def _check_form(cls, op: ir.Operation) -> None:
        """Check the number of operands and their types, before IRDL does, which names none."""
        cls.check_count(len(op.operands))
        if not cls.multiple_results and len(op.results) != 1:
            raise TypeError(f"has one result, got {len(op.results)}")
        for value in (*op.operands, *op.results):
            type_ = value.type
            if not isinstance(type_, ir.RankedTensorType) or not type_.has_static_shape:
                raise TypeError(f"takes and gives tensors of static shape, got {type_}")
            if kind_of(type_.element_type) == "other":
                known = ", ".join(DTYPES)
                raise TypeError(f"takes and gives tensors of {known}, got {type_}")

    @classmethod
    def problem_of(cls, op: ir.Operation) -> str | None:
        """Reason why an op of any name is not a valid op of this class, or None."""
        return problem_of(cls, op)

    def verify_invariants(self) -> bool:
        """Check the type rule; called by MLIR's verifier."""
        problem = self.problem_of(self.operation)
        if problem is not None:
            self.operation.location.emit_error(problem)
        return problem is None


def _join(cls: type[AnvlOp]) -> None:
    """Enter an op into `OPS` and, unless it is borrowed, register it with MLIR."""
    try:
        check_free(cls, OPS)
        if cls._dialect_obj is not Anvl:
            check_rules(cls, [*RULES, *MAYBE_RULES])
        if not cls.borrowed:
            declare(cls)
    except BaseException:
        withdraw(cls)
        raise
    OPS[cls.OPERATION_NAME] = cls
    DEFINED.append(cls.OPERATION_NAME)


class Emit:
    """Emits ops by name: `emit.sum(x, axes=(0,))`, or user-defined `emit.my.softplus(x)`.

    Rules reach the ops of other families through it, so that no family imports another.
    """

    def __getattr__(self, name: str) -> Any:
        op_class = OPS.get(f"anvl.{name}") or OPS.get(f"stablehlo.{name}")
        if op_class is None:
            if name in own_dialects():
                return _EmitOwn(name)
            raise AttributeError(f"emit: there is no op anvl.{name}")
        setattr(self, name, op_class.build)
        return op_class.build


class _EmitOwn:
    """Namespace `emit.my`.  It caches nothing, since these ops may be redefined."""

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect

    def __getattr__(self, name: str) -> Callable[..., Any]:
        op_class = OPS.get(f"{self._dialect}.{name}")
        if op_class is None:
            raise AttributeError(f"emit: there is no op {self._dialect}.{name}")
        return op_class.build


emit: Emit = Emit()

_MAX_PLANS = 4096


def _texts_of(params: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(k, repr(v) if isinstance(v, float) else v) for k, v in params.items()]


def _fields(cls: type[AnvlOp], of: type) -> list[Any]:
    return [field for field in cls._fields if isinstance(field, of)]


def _count(cls: type[AnvlOp], of: type, segments: list[int] | None) -> int | None:
    """Number of operands or results of the op; None if variadic."""
    return len(_fields(cls, of)) if segments is None else None
