"""Functions that emit `and`, `or` and `not`, whose names are keywords of Python."""

from anvl.dialect.op import Value, emit

__all__ = ["and_", "not_", "or_"]


def and_(x: Value, y: Value) -> Value:
    return getattr(emit, "and")(x, y)


def or_(x: Value, y: Value) -> Value:
    return getattr(emit, "or")(x, y)


def not_(x: Value) -> Value:
    return getattr(emit, "not")(x)
