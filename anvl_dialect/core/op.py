"""`AnvlOp`, the base of all ops, with the words in which a definition of an op is written.

Its rules and flags are those of `OpRules`, in `op_rules.py`.
"""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from anvl.dialect.core.definition.fields import (
    Operand,
    Operands,
    Result,
    Results,
    Value,
    check_fields,
    fields_of,
    resolved,
)
from anvl.dialect.core.definition.op_build import headed
from anvl.dialect.core.definition.op_checks import (
    check_call,
    check_variadic,
    is_known_to_fit,
    misspelt,
    problem_of,
    reports_all,
    result_types,
)
from anvl.dialect.core.definition.op_class import complete
from anvl.dialect.core.dialect import dialect_of
from anvl.dialect.core.mlir import ext, ir
from anvl.dialect.core.op_registry import emit, register
from anvl.dialect.core.op_rules import OpRules
from anvl.dialect.core.params.base import Body, Param, read_param
from anvl.dialect.core.symbol_table import SymbolTable

__all__ = ["AnvlOp", "Operand", "Operands", "Result", "Results", "Value", "emit"]

_MAX_PLANS = 4096

# Note [Borrowed ops]
#
# IRDL, in which the dialect is declared, assigns each constraint one type: all operands of a
# variadic field must then have the same type (measured on LLVM 24; `irdl.any` does not escape it).
# `concatenate` of tensor<2xf32> and tensor<3xf32> cannot be declared.  For such ops the IR holds
# StableHLO's own op, which C++ declares and verifies, and the class here gives it our rules; it is
# registered as the Python view of that op, so passes meet it like any other.


class AnvlOp(OpRules):
    """Base of all ops.

    A definition names its fields (operands, results, parameters) and the rules and flags of
    `OpRules`.  An op named `my.softplus` belongs to the dialect `my`: see Note [Dialects of one's
    own].  With `borrowed=True` the op in the IR is StableHLO's own of that name, and only the rules
    are ours: see Note [Borrowed ops].
    """

    # What follows from the definition.
    params: ClassVar[dict[str, type[Param]]] = {}
    #: Whether the op in the IR is StableHLO's own: see Note [Borrowed ops].
    borrowed: ClassVar[bool] = False
    #: Whether its regions capture values; its rules then get them as further operands.
    captures: ClassVar[bool] = False
    #: Whether it is user-defined: then the selection of its adjoint is observed, not declared.
    is_own: ClassVar[bool] = False
    #: Whether the operand types determine the result type, without parameters and the IR text.
    is_inferred: ClassVar[bool] = False
    #: Whether every result depends on the operands, on all of them and on nothing else.
    reads_operands: ClassVar[bool] = False
    takes_activity: ClassVar[bool] = False
    #: Whether `adjoint` is told, as `active`, which operands are: control flow, which would else
    #: carry the cotangents of all from step to step.
    adjoint_takes_activity: ClassVar[bool] = False
    #: None if variadic.
    n_operands: ClassVar[int | None] = None
    n_results: ClassVar[int | None] = None
    multiple_results: ClassVar[bool] = False
    #: A tuple of one value for each of several results; by their names too, if it is user-defined.
    grouped: ClassVar[Callable[[Iterable[Any]], tuple[Any, ...]]] = staticmethod(tuple)
    #: The parameters that are attributes, and those that are regions.
    attribute_params: ClassVar[dict[str, type[Param]]] = {}
    #: Number of attributes that an op must have.
    n_required: ClassVar[int] = 0
    bodies: ClassVar[list[str]] = []
    #: Result types and attributes by operand types and parameters, of which `key_of` makes a key.
    _plans: ClassVar[dict[Any, Any]]
    key_of: ClassVar[Callable[[dict[str, Any]], Iterable[Any]]]
    #: Recorded emission of the adjoint, tangent and batch rules, if it is: Note [Recipes].
    recipes: ClassVar[dict[Any, Any] | None] = None
    tangent_recipes: ClassVar[dict[Any, Any] | None] = None
    batch_recipes: ClassVar[dict[Any, Any] | None] = None

    def __init_subclass__(
        cls, *, name: str | None = None, pure: bool = True, borrowed: bool = False, **kw: Any
    ) -> None:
        if cls.__module__.partition(".")[0] != "anvl":
            check_fields(name or cls.__name__, resolved(cls), AnvlOp, vars(cls))
        if name is None:
            super().__init_subclass__(**kw)
            return
        bare = None
        if not borrowed:
            cls._dialect_obj, bare = dialect_of(name, cls.__module__)
        super().__init_subclass__(name=bare, traits=[ext.Pure] if pure else None, **kw)
        complete(cls, name, pure=pure, borrowed=borrowed)
        register(cls)

    # -- building and reading --------------------------------------------------------------------

    @staticmethod
    def build(*xs: Value, **params: Any) -> Any:
        """Emit the op at the current insertion point; return its result or results."""
        raise NotImplementedError(
            "a family of ops cannot be built; build an op class derived from it"
        )

    @classmethod
    def _plan(cls, key: Any, types: list[Any], params: dict[str, Any]) -> Any:
        """Result types and attributes for these operand types and parameters.

        Cached: programs build the same op on the same types again and again, and a look-up costs a
        fifth of the type rule and the encoding.
        """
        try:
            result = cls.result_type(*types, **params)
        except TypeError as error:
            check_call(cls, len(types), params)
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
    def read(cls, op: ir.Operation, symbols: SymbolTable | None = None) -> dict[str, Any]:
        """The parameters of an op, as Python values; its bodies find functions in `symbols`."""
        if not cls.params:
            return {}
        attributes = op.attributes
        return {
            name: read_param(op, attributes, name, kind)
            for name, kind in cls.params.items()
            if name not in cls.bodies
        } | {
            name: Body.of_region(region, symbols)
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
    def check_count(cls, n_operands: int) -> None:
        """Refuse an operand count that does not match the fields of the op."""
        wanted, least = cls.n_operands, len(fields_of(cls, ext.OperandDef)) - 1
        if n_operands != wanted and (wanted is not None or n_operands < least):
            n = least if wanted is None else wanted
            counted = f"{n} operand{'' if n == 1 else 's'}"
            some = "at least " if wanted is None else ""
            raise TypeError(f"{cls.short_name}: takes {some}{counted}, got {n_operands}")

    @classmethod
    def problem_of(cls, op: ir.Operation) -> str | None:
        """Reason why an op of any name is not a valid op of this class, or None."""
        return problem_of(cls, op)

    def verify_invariants(self) -> bool:
        """Check the type rule; called by MLIR's verifier."""
        op = self.operation
        if is_known_to_fit(type(self), op):
            return True
        problem = self.problem_of(op) or misspelt(type(self), op)
        if problem is not None:
            op.location.emit_error(problem)
        return problem is None or reports_all()
