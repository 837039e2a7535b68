"""`OpRules`: every rule and flag that an op may define, with its default.

Naming, in every rule of every op: `x`, `xs` operands, `y` result, `g` cotangent of the result,
`t` tangent of an operand; `axis`, `axes` positions in a shape.  Operands come first, parameters
by keyword.  Rules work on MLIR values and emit at the current insertion point.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from anvl.dialect.core.definition.fields import Value
from anvl.dialect.core.definition.op_class import OpClass
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import missing
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.core.types import kind as kind_of

__all__ = ["OpRules"]


class OpRules(OpClass):
    """Rules and flags of an op; docs/op-contract.md is the same as a table.

        result_type(*types, **params)   -> type of the result, or raise TypeError
        lower(hlo, *xs, **params)       -> the same value in StableHLO
        adjoint(g, xs, y, **params)     -> one cotangent per operand
        tangent(ts, xs, y, **params)    -> tangent of y; ts[i] is None where x[i] is constant
        taylor(k, xs, y, **params)      -> Taylor coefficient k of y: Note [Taylor mode]
        batch(xs, batched, **params)    -> y with one more axis, the first
        sample(draw)                    -> calls (operands, params) in its domain
        simplify(xs, makers, **params)  -> a simpler value, the same to the bit, if there is one
        fold(*xs, **params)             -> the result for known integers and bools
        pad_axes(pads, xs, **params)    -> y with padded axes, and these: Note [Padding]
        dependence(deps, xs, **params)  -> sets of elements that y depends on: Note [Dependence]
        powered(xs, exponent, **params) -> y ** exponent, smooth where y has a corner, or None
        stacked(xs, params)             -> the results of several ops, along a first axis, or None
        narrowed(xs, dtype, **params)   -> y, of `dtype`, of operands with fewer bits than it has

    `adjoint` may return a function of no arguments in place of a cotangent: it is called only if
    that operand's cotangent is needed.  None, for a cotangent or a tangent, is a zero.  `simplify`
    returns an existing value, a function of no arguments that emits one, or None; makers[i] is the
    op that defines x[i], or None.  It is called only for ops with one result, without bodies and
    without effects.  In `batch`, the extra axis is axis 0 of every operand that `batched` marks,
    and of the result; there is at least one member, unless the op has side effects.

    Ops with several results (`Results`, or more than one `Result` field) take and return sequences
    in place of `y`, `g` and the result type.

    `hlo` names the StableHLO op (`"sine"`, `"chlo.erf"`) where lowering is a rename that copies
    operands, attributes and types; the lowering pass then needs no `lower`.
    """

    # Given beside the base class: the name, and whether an unused op may be erased, and two equal
    # ones merged.
    short_name: ClassVar[str] = ""
    pure: ClassVar[bool] = True

    # -- flags -----------------------------------------------------------------------------------

    hlo: ClassVar[str | None] = None
    #: The StableHLO op that `lift` converts to this one, where that is not a rename.
    lifts: ClassVar[str] = ""
    #: Names the pass that must remove the op before lowering, where there is one.
    why_not_lowered: ClassVar[str] = "its class defines neither `hlo` nor `lower`"
    #: Whether each element of the result depends only on the same element of each operand.
    diagonal: ClassVar[bool] = False
    #: Whether swapping its two operands gives the same result to the bit.
    commutative: ClassVar[bool] = False
    #: Whether it is linear in all of its operands together.
    linear: ClassVar[bool] = False
    #: The reduction along an axis that combines elements as it combines two, one after another.
    reduces_by: ClassVar[str] = ""
    #: Whether recomputing it is cheaper than saving its result: Note [Residuals].
    cheap: ClassVar[bool] = False
    #: Whether XLA computes it on the CPU by a call for each element, many times as long as others.
    is_called: ClassVar[bool] = False
    #: Zeros in derivatives, for Note [Lazy masks]: whether they stay zero for all operands,
    #: infinite ones too; whether operands not chosen get some; whether ones show where they go.
    preserves_zeros: ClassVar[bool] = False
    selects_elements: ClassVar[bool] = False
    moves_elements: ClassVar[bool] = False
    #: Whether its result consists of elements of its only operand: a conversion may go first.
    copies_elements: ClassVar[bool] = False
    #: Float operands, by position, without a derivative, and the reason.
    undefined: ClassVar[dict[int, str]] = {}
    #: Reason why the derivative is zero everywhere, if that is by design and not an omission.
    zero_derivative_reason: ClassVar[str] = ""
    #: Whether its integer results are bits of its operand: Note [Bits] in `activity_analysis`.
    reads_bits: ClassVar[bool] = False
    #: The op, if any, that computes this one's result too, and its position among the results.
    part_of: ClassVar[tuple[str, int]] = ("", 0)
    #: Whether it combines values of several devices or members: Note [Named axes].
    is_collective: ClassVar[bool] = False
    #: The state that an op with an effect updates: a class of `interpreters/effect_state.py`.
    state: ClassVar[Any] = None
    #: The parameter, if any, by which the derivative of the result is requested.
    naming_param: ClassVar[str] = ""
    #: What `policy_variant` may give, if these are few; () if it may be any text, or nothing.
    policy_variants: ClassVar[tuple[str, ...]] = ()
    #: Value of the derivative where its formula breaks down, for docs/ops.md.
    singularity_convention: ClassVar[str] = ""

    # -- rules -----------------------------------------------------------------------------------

    @classmethod
    def result_type(cls, *types: Any, **params: Any) -> Any:
        return missing(cls, "result_type")

    @classmethod
    def lower(cls, hlo: Callable[..., Value], *xs: Value, **params: Any) -> Any:
        return missing(cls, "lower")

    @classmethod
    def adjoint(cls, g: Any, xs: Sequence[Value], y: Any, **params: Any) -> Sequence[Any]:
        return missing(cls, "adjoint")

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Any, **params: Any) -> Any:
        return missing(cls, "tangent")

    @classmethod
    def taylor(
        cls,
        k: int,
        xs: Sequence[Sequence[Value | None]],
        y: Sequence[Value | None],
        /,
        **params: Any,
    ) -> Value | None:
        return missing(cls, "taylor")

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], **params: Any) -> Any:
        return missing(cls, "batch")

    @classmethod
    def combines_members(cls, op: ir.Operation, symbols: SymbolTable | None) -> bool:
        """Whether it, or an op in a region or function of it, is a collective."""
        return cls.is_collective

    @classmethod
    def rows_of(cls, op: ir.Operation) -> Sequence[Value] | None:
        """The arrays that the op stacks along a new first axis; None if it does anything else."""
        return None

    @classmethod
    def policy_variant(cls, op: ir.Operation) -> str | None:
        """Kind of the op for policies of `checkpoint`: h of `tag=h`; None if it has none."""
        return None

    @classmethod
    def varying_axes(
        cls, op: ir.Operation, given: Sequence[frozenset[str]], variance: Any
    ) -> Sequence[frozenset[str]]:
        """The axes along which each result may differ from device to device: Note [Variance].

        `given` are those of the values that the op reads.
        """
        return [frozenset[str]().union(*given)] * len(op.results)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return missing(cls, "sample")

    @classmethod
    def simplify(cls, xs: Sequence[Value], makers: Sequence[Any], **params: Any) -> Any:
        return None

    @classmethod
    def fold(cls, *xs: Any, **params: Any) -> Any:
        """Constant-fold the op on NumPy scalars (integers and bools)."""
        return None

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], /, **params: Any) -> Any:
        """Emit the op at the padded size: a pair of its result, and the padded axes of that.

        For several results a sequence of pairs.  `xs` are `Padded`, `pads` has the services, both
        in `interpreters/padding.py`; the rule of an elementwise op follows.
        """
        return pads.elementwise(pads.op.opview.build, xs, **params)

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], /, **params: Any) -> Any:
        """Which elements of an argument each element of the result may depend on.

        `xs` has an array of sets for each operand, `deps` is a `Dependence`; the result is such an
        array: Note [Dependence] in `sparsity/dependence.py`.  The default is safe.
        """
        return deps.union(*xs) if cls.diagonal else deps.everything(xs)

    @classmethod
    def literal(cls, op: ir.Operation, arrays: Sequence[Any], /, **params: Any) -> Any:
        """The value of an op without operands, as a NumPy array where it is known, or None.

        `arrays` are the arrays that the program captures, as far as they are known.
        """
        return None

    @classmethod
    def powered(cls, xs: Sequence[Value], exponent: int, /, **params: Any) -> Value | None:
        return None

    @classmethod
    def stacked(
        cls, xs: Sequence[Sequence[Value]], params: Sequence[dict[str, Any]], /
    ) -> Value | None:
        """Emit the results of several ops of this class in one array, along a new first axis.

        `xs[k]` and `params[k]` are the operands and parameters of op k; the results have one type.
        None leaves it to `concatenate`.
        """
        return None

    @classmethod
    def narrowed(cls, xs: Sequence[Value], dtype: str, /, **params: Any) -> Value | None:
        """Emit the op on operands of fewer bits, with a result of `dtype`, in which it accumulates.

        An op has this rule if its products may be rounded: contractions.  Others stay as they are,
        and so does one for which it gives None: it adds nothing up.
        """
        return None

    @classmethod
    def body_types(cls, *types: Any, **params: Any) -> Sequence[tuple[list[Any], list[Any]]]:
        """Argument and result types of each body, for an op with bodies."""
        raise NotImplementedError(f"{cls.short_name}: its class does not define `body_types`")

    @classmethod
    def as_values(
        cls, op: ir.Operation, state: Sequence[Value], number: int
    ) -> tuple[Sequence[Value], Sequence[Value]]:
        """Emit an op that updates a state as ops without an effect: its results, the new state.

        `number` is what the state gives the op (`EffectState.number`).
        """
        raise NotImplementedError(f"{cls.short_name}: its class does not define `as_values`")

    # -- hooks, whose defaults hold for every op ---------------------------------------------------

    @classmethod
    def state_of(cls, op: ir.Operation) -> Any:
        """The state that this op, with its attributes, updates; None for none."""
        return cls.state

    @classmethod
    def is_already_legal(cls, op: ir.Operation) -> bool:
        """Whether a borrowed op is already legal StableHLO, so that `lower` is not called."""
        return False

    @classmethod
    def on_platform(
        cls, platform: str, xs: Sequence[Value], /, **params: Any
    ) -> Sequence[Value] | None:
        """Emit the results in another form, for a platform other than the CPU; None leaves the op.

        For ops that XLA does not have there, or computes in another way than StableHLO says.
        """
        return None

    @classmethod
    def lift(cls, op: ir.Operation) -> tuple[Sequence[Value], dict[str, Any]] | None:
        """Operands and parameters that make this op equivalent to a StableHLO op, or None."""
        return None

    @classmethod
    def lift_rest(cls, op: ir.Operation) -> Sequence[Value] | None:
        """Fallback of lifting: emit other ops for a StableHLO op; return their results, or None."""
        return None

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
    def is_ordered(cls, op: ir.Operation) -> bool:
        """Whether it runs at its place in the order of effects, given by a value: a token."""
        return False

    @classmethod
    def unsafe(cls, op: ir.Operation, symbols: SymbolTable | None, seen: set[str]) -> bool:
        """Whether an op must not run where its results are not needed: `effects`."""
        return cls.has_side_effects(op)

    @classmethod
    def bits_through(
        cls, op: Any, moves: Sequence[bool], bits: Sequence[bool], symbols: SymbolTable | None
    ) -> Sequence[bool]:
        """For each result, whether it is or derives from bits of floats: see Note [Bits]."""
        return [any(bits) and kind_of(y.type.element_type) in ("int", "uint") for y in op.results]
