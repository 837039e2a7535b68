"""Construction of ops: the function `build` of a class, made when the class is defined."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from anvl.dialect.core.mlir import ir

__all__ = ["builder", "headed", "region_builder", "types_text"]


def builder(cls: Any) -> Callable[..., Any]:
    """Make the `build` of an op: 1.2 us, 0.75 of them in MLIR; ext's constructor takes 10."""
    name, plans, several = cls.OPERATION_NAME, cls._plans, cls.multiple_results
    key_of, grouped = cls.key_of, cls.grouped
    create = ir.Operation.create

    def build(*xs: ir.Value, **params: Any) -> Any:
        key = (*[x.type for x in xs], *key_of(params)) if params else tuple([x.type for x in xs])
        # A key of these may be new, or hold a list in place of a tuple.
        try:
            types, attributes = plans[key]
        except (KeyError, TypeError):
            types, attributes = cls._plan(key, [x.type for x in xs], params)
        op = create(name, types, xs, attributes)
        return grouped(op.results) if several else op.result

    def build_unary(x: ir.Value) -> Any:
        type_ = x.type
        try:
            types, _ = plans[type_]
        except KeyError:
            types, _ = cls._plan(type_, [type_], {})
        return create(name, types, (x,)).result

    def build_binary(x: ir.Value, y: ir.Value) -> Any:
        key = x.type, y.type
        try:
            types, _ = plans[key]
        except KeyError:
            types, _ = cls._plan(key, list(key), {})
        return create(name, types, (x, y)).result

    if not several and not cls.params:  # most ops: a third less work than the general form
        build = {1: build_unary, 2: build_binary}.get(cls.n_operands, build)  # type: ignore[assignment]

    build.__name__ = cls.short_name
    build.__doc__ = cls.__doc__
    return build


def region_builder(cls: Any) -> Callable[..., Any]:
    """Make the `build` of an op with bodies, each given as a function that emits ops."""
    create = ir.Operation.create

    def build(*xs: ir.Value, **params: Any) -> Any:
        given = {k: v for k, v in params.items() if k not in cls.bodies}
        types = [x.type for x in xs]
        key = (*types, *given.items())
        try:
            results, attributes = cls._plans[key]
        except (KeyError, TypeError):
            results, attributes = cls._plan(key, types, given)
        op = create(cls.OPERATION_NAME, results, xs, attributes, regions=len(cls.bodies))
        signatures = cls.body_types(*types, **given)
        try:
            for name, region, signature in zip(cls.bodies, op.regions, signatures, strict=True):
                _fill(f"{cls.short_name}: {name}", region, params[name], *signature)
        except BaseException:
            op.erase()  # a caller that catches this may continue with the surrounding program
            raise
        return tuple(op.results) if cls.multiple_results else op.result

    build.__name__ = cls.short_name
    build.__doc__ = cls.__doc__
    return build


def _fill(
    name: str, region: ir.Region, body: Callable[..., Any], inputs: list[Any], outputs: list[Any]
) -> None:
    """Let `body` emit its ops into a region, and check the values it returns."""
    location = ir.Location.current
    block = region.blocks.append(*inputs, arg_locs=[location] * len(inputs))
    with ir.InsertionPoint(block):
        try:
            results = body(*block.arguments)
        except TypeError:
            _check_arity(name, body, inputs)
            raise
        values = list(results) if isinstance(results, list | tuple) else [results]
        for value in values:
            if not isinstance(value, ir.Value):
                raise TypeError(
                    f"{name} returns {value!r} of type {type(value).__name__} but must return "
                    f"{types_text(outputs)}, made of its arguments"
                )
        found = [v.type for v in values]
        if found != outputs:
            raise TypeError(
                f"{name} returns {types_text(found)} but must return {types_text(outputs)}"
            )
        ir.Operation.create("stablehlo.return", [], values)


def _check_arity(name: str, body: Callable[..., Any], inputs: list[Any]) -> None:
    """Refuse a body whose signature does not take the arguments of its region."""
    try:
        signature = inspect.signature(body)
    except (TypeError, ValueError):  # not a function, or a C function without a signature
        return
    try:
        signature.bind(*inputs)
    except TypeError:
        raise TypeError(
            f"{name} takes {signature} but is called with {len(inputs)} scalars, "
            f"{types_text(inputs)}"
        ) from None


def headed(name: str, error: Exception) -> str:
    text = str(error)
    return text if text.startswith(f"{name}: ") else f"{name}: {text}"


def types_text(types: Sequence[Any]) -> str:
    return ", ".join(map(str, types))
