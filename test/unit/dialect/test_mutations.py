"""`examine` sees a wrong rule: each of these is wrong in one way, and must be called so."""

from typing import Any

import pytest
from proof import examine
from references import REFERENCES

from anvl.dialect.core.context import context
from anvl.dialect.core.create import full_like
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, emit
from anvl.dialect.core.op_registry import OPS
from anvl.testing.draw import Draw


def kinds_of_problems(name: str) -> set[str]:
    """What `examine` says of an op, by kind."""
    op_class = OPS[f"anvl.{name}"]
    with context(), ir.Location.unknown():
        problems = examine(op_class, op_class.sample(Draw(name))).problems
    return {problem.split(":")[0] for problem in problems}


def test_a_wrong_partial_derivative(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = (lambda g, x, y: emit.mul(g, emit.sin(x)),)
    monkeypatch.setattr(OPS["anvl.sin"], "passes", wrong)
    assert "tangent" in kinds_of_problems("sin")


@pytest.mark.sweep(keep=0)
def test_a_wrong_factor_of_one_part_in_100_000(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(g: Any, x: Any, y: Any) -> Any:
        return emit.mul(g, emit.mul(emit.cos(x), _number(x, 1 + 1e-5)))

    monkeypatch.setattr(OPS["anvl.sin"], "passes", (wrong,))
    assert "tangent" in kinds_of_problems("sin")


@pytest.mark.sweep(keep=0)
def test_a_derivative_that_is_wrong_in_f32_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(g: Any, x: Any, y: Any) -> Any:
        is_f32 = str(x.type.element_type) == "f32"
        return emit.mul(g, emit.mul(emit.cos(x), _number(x, 1.01 if is_f32 else 1)))

    monkeypatch.setattr(OPS["anvl.sin"], "passes", (wrong,))
    assert kinds_of_problems("sin") == {"derivative f32", "order 2 f32"}


def test_a_derivative_that_forgets_to_conjugate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OPS["anvl.conj"], "adjoint", classmethod(lambda cls, g, xs, y: [g]))
    assert kinds_of_problems("conj") == {"adjoint"}


@pytest.mark.sweep(keep=0)
def test_the_rule_of_another_op_on_the_way_at_order_2(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = (lambda g, x, y: emit.mul(g, emit.sin(x)),)  # the sign
    monkeypatch.setattr(OPS["anvl.cos"], "passes", wrong)
    assert kinds_of_problems("sin") == {"order 2 tangent"}


def test_an_adjoint_that_is_not_that_of_the_tangent(monkeypatch: pytest.MonkeyPatch) -> None:
    def adjoint(cls: Any, g: Any, xs: Any, y: Any, permutation: Any) -> Any:
        first = [tuple(g.type.shape).index(n) for n in xs[0].type.shape]
        moved = emit.transpose(g, permutation=tuple(first))
        return [emit.reverse(moved, dimensions=(0,)) if g.type.rank == 3 else moved]

    monkeypatch.setattr(OPS["anvl.transpose"], "adjoint", classmethod(adjoint))
    assert kinds_of_problems("transpose") == {"adjoint", "order 2 adjoint"}


@pytest.mark.sweep(keep=0)
def test_an_adjoint_that_leaves_one_operand_out(monkeypatch: pytest.MonkeyPatch) -> None:
    right = OPS["anvl.dot_general"].adjoint

    def adjoint(cls: Any, g: Any, xs: Any, y: Any, **params: Any) -> Any:
        return [right(g, xs, y, **params)[0], None]

    monkeypatch.setattr(OPS["anvl.dot_general"], "adjoint", classmethod(adjoint))
    assert "adjoint" in kinds_of_problems("dot_general")


@pytest.mark.sweep(keep=0)
def test_a_tangent_that_does_not_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OPS["anvl.clamp"], "tangent", classmethod(lambda cls, ts, xs, y: ts[1]))
    assert "tangent" in kinds_of_problems("clamp")


def test_a_batch_rule_that_reverses_the_wrong_axis(monkeypatch: pytest.MonkeyPatch) -> None:
    def batch(cls: Any, xs: Any, batched: Any, dimensions: Any) -> Any:
        return emit.reverse(xs[0], dimensions=dimensions)

    monkeypatch.setattr(OPS["anvl.reverse"], "batch", classmethod(batch))
    narrow = {f"batch {dtype}" for dtype in ("f32", "f16", "bf16", "c64")}
    assert kinds_of_problems("reverse") == {"batch", *narrow}


def test_a_type_rule_that_stablehlo_does_not_share(monkeypatch: pytest.MonkeyPatch) -> None:
    op_class = OPS["anvl.is_finite"]
    op_class._plans.clear()  # made by the right rule
    monkeypatch.setattr(op_class, "result_type", classmethod(lambda cls, x: x))
    assert kinds_of_problems("is_finite") == {"types"}
    op_class._plans.clear()


def test_an_emitted_op_without_all_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OPS["anvl.ceil"], "batch", classmethod(AnvlOp.batch.__func__))
    assert kinds_of_problems("rem") == {"closure"}


def test_a_wrong_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REFERENCES, "sin", REFERENCES["cos"])
    assert "value" in kinds_of_problems("sin")


def _number(x: Any, value: float) -> Any:
    return full_like(x, value)
