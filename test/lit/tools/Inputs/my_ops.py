"""Two ops of a person's own, for load.mlir."""

from anvl.dialect import AnvlOp, F, Float, Operand, Result, emit, full_like, unary

print("what a file prints is not IR")

sin_pi = unary("my.sin_pi", lambda x: emit.sin(_pi(x)), F, lambda g, x, y: _cos_pi(g, x))


def _pi(x):
    return emit.mul(x, full_like(x, 3.141592653589793))


def _cos_pi(g, x):
    return _pi(emit.mul(g, emit.cos(_pi(x))))


class AxpyOp(AnvlOp, name="my.axpy"):
    """a x + y, and a x."""

    x: Operand
    y: Operand
    a: Float
    z: Result
    ax: Result

    @classmethod
    def result_type(cls, x, y, a):
        if x != y:
            raise TypeError(f"my.axpy: operands differ: {x}, {y}")
        return [x, x]

    @classmethod
    def lower(cls, hlo, x, y, a):
        ax = emit.mul(x, full_like(x, a))
        return [emit.add(ax, y), ax]

    @classmethod
    def adjoint(cls, gs, xs, zs, a):
        of_x = [emit.mul(g, full_like(g, a)) for g in gs if g is not None]
        return [of_x[0] if len(of_x) == 1 else emit.add(*of_x), gs[0]]
