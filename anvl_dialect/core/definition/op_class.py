"""Class construction: what an op class gets when it is defined.

MLIR's `ext` takes every annotation of a class for a field.  `OpClass` gives it only those that are,
so that `OpRules` and `AnvlOp` below it can annotate their attributes.
"""

import inspect
from collections import namedtuple
from collections.abc import Callable, Collection, Iterable
from functools import cache
from types import FunctionType
from typing import TYPE_CHECKING, Any, cast

from anvl.dialect.core.context import on_new_context
from anvl.dialect.core.definition.fields import FIELDS, fields_of, is_param, resolved
from anvl.dialect.core.definition.op_build import builder, region_builder
from anvl.dialect.core.dialect import Anvl
from anvl.dialect.core.mlir import ext, ir, register_view
from anvl.dialect.core.params.base import Body, Float

if TYPE_CHECKING:
    from anvl.dialect.core.op import AnvlOp

__all__ = ["OpClass", "complete"]


class OpClass(Anvl.Operation):
    """A class whose annotations become fields, where they are operands, results or parameters.

    It has no annotations itself: only those of its subclasses are filtered.
    """

    def __init_subclass__(cls, **kw: Any) -> None:
        _separate_fields(cls)
        super().__init_subclass__(**kw)

    @classmethod
    def _generate_init_method(cls, fields: Any) -> None:
        """Skip ext's constructor, which costs time at import: `build` makes ops."""


def _separate_fields(cls: Any) -> None:
    """Add the parameters among the annotations to `params`, and leave `ext` its fields alone."""
    annotations = resolved(cls)
    given = {k: t for k, t in annotations.items() if is_param(t)}
    required = {k for k, t in given.items() if t.attribute and not t.optional}
    if given:
        cls.params = {**cls.params, **given}
    # In their order, which is that of the fields.  IRDL lets an attribute have any value.
    declared: dict[str, Any] = dict.fromkeys(required, Any)
    declared |= {k: ir.Region for k, t in given.items() if issubclass(t, Body)}
    cls.__annotations__ = {
        k: declared.get(k, t) for k, t in annotations.items() if k in declared or t in FIELDS
    }


def complete(cls: type["AnvlOp"], name: str, *, pure: bool, borrowed: bool) -> None:
    """Derive what follows from the definition, and make `build` unless the class defines it."""
    cls.short_name, cls.pure, cls.borrowed = name, pure, borrowed
    cls.is_own = cls._dialect_obj is not Anvl
    if borrowed:
        _borrow(cls)
    _count_fields(cls)
    _sort_params(cls)
    _make_caches(cls)
    if "build" not in cls.__dict__:
        make = region_builder if cls.bodies else builder
        cls.build = staticmethod(make(cls))  # type: ignore[method-assign]


def _borrow(cls: type["AnvlOp"]) -> None:
    """Make a class the view of StableHLO's own op, which `ext` does not declare."""
    cls.OPERATION_NAME = f"stablehlo.{cls.short_name}"
    cls._ODS_OPERAND_SEGMENTS = cls._generate_segments(fields_of(cls, ext.OperandDef))
    cls._ODS_RESULT_SEGMENTS = cls._generate_segments(fields_of(cls, ext.ResultDef))
    on_new_context(lambda: register_view(Anvl, cls))


def _count_fields(cls: type["AnvlOp"]) -> None:
    cls.n_operands = _count(cls, ext.OperandDef, cls._ODS_OPERAND_SEGMENTS)
    cls.n_results = _count(cls, ext.ResultDef, cls._ODS_RESULT_SEGMENTS)
    cls.multiple_results = cls.n_results != 1
    if cls.is_own and cls.multiple_results and cls.n_results:
        names = [field.name for field in fields_of(cls, ext.ResultDef)]
        cls.grouped = staticmethod(_named(cls, names))


def _named(cls: type["AnvlOp"], names: list[str]) -> Callable[[Iterable[Any]], tuple[Any, ...]]:
    """Make a tuple whose elements also have the names of the results."""
    make: Any = namedtuple  # for type checkers its arguments must be literals
    return make(cls.__name__, names, module=cls.__module__)._make


def _count(cls: type["AnvlOp"], kind: type, segments: list[int] | None) -> int | None:
    """Number of operands or results of the op; None if variadic."""
    return len(fields_of(cls, kind)) if segments is None else None


def _sort_params(cls: type["AnvlOp"]) -> None:
    """Tell apart the parameters that are attributes, regions, or neither, and activity."""
    cls.attribute_params = {k: t for k, t in cls.params.items() if t.attribute}
    cls.n_required = sum(not t.optional for t in cls.attribute_params.values())
    cls.bodies = [k for k, t in cls.params.items() if issubclass(t, Body)]
    cls.is_inferred = not (cls.params or cls.borrowed)
    cls.reads_operands = not (cls.captures or cls.bodies or hasattr(cls, "operands_read"))
    rule = getattr(cls.tangent, "__func__", cls.tangent)
    cls.takes_activity = "active" in _arguments(rule) and "active" not in cls.params


@cache  # families share their rules
def _arguments(rule: Callable[..., Any]) -> Collection[str]:
    """The parameters of a rule, of its code: `inspect` takes a tenth of the import of all ops."""
    if isinstance(rule, FunctionType) and not hasattr(rule, "__wrapped__"):
        code = rule.__code__
        return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return inspect.signature(rule).parameters


def _make_caches(cls: type["AnvlOp"]) -> None:
    """Make the caches of result types, and of recorded derivatives and batches: Note [Recipes]."""
    cls._plans = {}
    has_floats = any(issubclass(t, Float) for t in cls.params.values())
    cls.key_of = cast(
        "Callable[[dict[str, Any]], Iterable[Any]]", _texts_of if has_floats else dict.items
    )
    has_recipes = not (cls.multiple_results or cls.bodies)
    cls.recipes = {} if has_recipes else None
    cls.tangent_recipes = {} if has_recipes else None
    cls.batch_recipes = {} if has_recipes else None


def _texts_of(params: dict[str, Any]) -> list[tuple[str, Any]]:
    """Parameters as part of a key; floats by their text, as 0.0 == -0.0 but the ops differ."""
    return [(k, repr(v) if isinstance(v, float) else v) for k, v in params.items()]
