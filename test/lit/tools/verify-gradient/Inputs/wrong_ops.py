"""Ops whose derivatives are wrong, each in its own way."""

from anvl.dialect import AnvlOp, F, Operand, Result, emit, full_like, unary

# In both modes: the derivative of x is said to be 1.01.
off = unary("wrong.off", lambda x: emit.mul(x, full_like(x, 1)), F, lambda g, x, y: _scaled(g))


def _scaled(g):
    return emit.mul(g, full_like(g, 1.01))


class OneWayOp(AnvlOp, name="wrong.one_way"):
    """The sine, whose adjoint has the wrong sign; the tangent is right."""

    x: Operand
    y: Result

    @classmethod
    def result_type(cls, x):
        return x

    @classmethod
    def lower(cls, hlo, x):
        return emit.sin(x)

    @classmethod
    def adjoint(cls, g, xs, y):
        return [emit.neg(emit.mul(g, emit.cos(xs[0])))]

    @classmethod
    def tangent(cls, ts, xs, y):
        return emit.mul(ts[0], emit.cos(xs[0]))

    @classmethod
    def batch(cls, xs, batched):
        return emit.wrong.one_way(xs[0])
