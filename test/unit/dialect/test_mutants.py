"""Planted bugs are found by the narrow test of their op: a few of those of `make mutants`."""

import pytest
from narrow import Narrow
from planted import bugs_of

#: By op: where, of which kind, and what became of what; and the check that finds it.
BUGS = {
    "anvl.prod": [
        ("_products_of_others", "_inverse", "Derivative"),
        ("ProdOp.adjoint", "_negated_answer", "Derivative"),
        ("ProdOp.tangent", "emit.mul(t, others) -> t", "Derivative"),
        ("ProdOp.identity", "1 -> 0", "lift"),
        ("Reduction.batch", "a + 1 -> a", "Batched"),
        ("_combines", "'hlo', None) == name", "lift"),
    ],
    "anvl.gather": [
        ("GatherOp.batch", "(size,) if of_indices else (1,)", "Claims"),
        (
            "GatherOp.batch",
            "indices_are_sorted and (not of_indices) -> indices_are_sorted",
            "Claims",
        ),
        ("batched_dims", "(0, *along) -> (*along, 0)", "Claims"),
        ("batched_dims", "vector + 1 -> vector", "Claims"),
        ("GatherOp.adjoint", "_scaled_answer", "Derivative"),
    ],
    "anvl.transpose": [
        ("TransposeOp.adjoint", "_inverse", "Derivative"),
        ("TransposeOp.simplify", "_inverse(composed)", "Simpler"),
    ],
    "anvl.select": [
        ("fold", "the first operand", "Folded"),
        ("SelectOp.batch", "emit.select(pred, on_true, on_false) -> on_true", "Batched"),
        ("SelectOp.tangent", "(pred, True) -> (True, pred)", "Derivative"),
    ],
    "anvl.log": [
        ("passes[0]", "_scaled_answer", "Derivative"),
        ("preserves_zeros", "False -> True", "MaskedBack"),
    ],
    "anvl.atan": [("preserves_zeros", "False -> True", "MaskedBack")],  # 0 times NaN
    "anvl.add": [
        ("_simpler_add", "math.copysign(1, n) < 0) -> n == 0", "Simpler"),  # x + 0.0 of -0.0
        ("_simpler_add", "type(n) is not float -> type(n) is float", "Simpler"),
        ("_simpler_add", "(by_x, y) -> (y, by_x)", "Simpler"),  # a form that is seen no more
    ],
    "anvl.maximum": [("passes[0]", "'GE' -> 'GT'", "Derivative")],  # at ties
    "anvl.clamp": [
        ("ClampOp._masked", "emit.compare(x, high, comparison_direction='LT')", "Derivative"),
    ],
    "anvl.pow": [
        ("PowOp.lower", "32 -> 33", "Value"),  # large integers
    ],
    "anvl.argmax": [
        ("ArgExtremum._beats", "!= 'float' -> kind(x.type.element_type) == 'float'", "Value"),
    ],
    "anvl.min": [("extreme", "2 ** (width - 1) - 1 -> 2 ** (width - 1)", "lift")],  # of no integers
    "anvl.complex": [
        ("ComplexOp.tangent", "ts[0] is None and ts[1] is None -> ts[0] is None", "Derivative")
    ],
    "anvl.igammac": [
        ("log_factor_and_depth", "div(full_like(a, 1), large) -> full_like(a, 1)", "Value")
    ],
    "anvl.sum": [
        ("_combines", "'hlo', None) == name", "lift"),
        ("_is_filled", "not elements.is_splat", "lift"),
    ],
    "anvl.mul": [
        ("fold", "one more", "Folded"),
        ("_simpler_mul", "1 -> 2", "Simpler"),
        ("linear", "False -> True", "Derivative"),
    ],
}


@pytest.mark.sweep(keep=6)
@pytest.mark.parametrize("op", BUGS)
def test_planted_bugs_are_found(op: str) -> None:
    # Of the op's checks only these: to build and to lower them all is most of the time.
    bugs, narrow = bugs_of(op), Narrow(op, checks={by for *_, by in BUGS[op]})
    for where, text, by in BUGS[op]:
        chosen = [bug for bug in bugs if bug.where == where and text in bug.text]
        assert chosen, f"{op}: there is no {where}: {text}"
        with chosen[0].planted():
            found = narrow.problem(chosen[0].rules)
        assert found, f"{chosen[0].name}: not found"
        assert found.startswith(by), f"{chosen[0].name}: {found}"
