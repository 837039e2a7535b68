"""Planted bugs are found by the narrow test of their op: a few of those of `make mutants`."""

import pytest
from narrow import Narrow
from planted import bugs_of

#: By op: where, of which kind, and what became of what; and the check that finds it.
BUGS = {
    "anvl.prod": [
        ("unmerged_axes", "_inverse", "DerivativeCheck"),
        ("ProdOp.adjoint", "_negated_answer", "DerivativeCheck"),
        ("ProdOp.tangent", "emit.mul(t, others) -> t", "DerivativeCheck"),
        ("ProdOp.identity", "1 -> 0", "lift"),
        ("Reduction.batch", "a + 1 -> a", "BatchCheck"),
        ("_combines", "'hlo', None) == name", "lift"),
    ],
    "anvl.gather": [
        ("GatherOp.batch", "(size,) if of_indices else (1,)", "IndexClaimsCheck"),
        (
            "GatherOp.batch",
            "indices_are_sorted and (not of_indices) -> indices_are_sorted",
            "IndexClaimsCheck",
        ),
        ("batched_dims", "(0, *along) -> (*along, 0)", "IndexClaimsCheck"),
        ("batched_dims", "vector + 1 -> vector", "IndexClaimsCheck"),
        ("GatherOp.adjoint", "_scaled_answer", "DerivativeCheck"),
    ],
    "anvl.transpose": [
        ("TransposeOp.adjoint", "_inverse", "DerivativeCheck"),
        ("TransposeOp.simplify", "_inverse(composed)", "SimplifyCheck"),
    ],
    "anvl.select": [
        ("fold", "the first operand", "FoldCheck"),
        ("SelectOp.batch", "emit.select(pred, on_true, on_false) -> on_true", "BatchCheck"),
        ("SelectOp.tangent", "(pred, True) -> (True, pred)", "DerivativeCheck"),
    ],
    "anvl.log": [
        ("passes[0]", "_scaled_answer", "DerivativeCheck"),
        ("preserves_zeros", "False -> True", "MaskedAdjointCheck"),
    ],
    "anvl.atan": [("preserves_zeros", "False -> True", "MaskedAdjointCheck")],  # 0 times NaN
    "anvl.add": [
        ("_simpler_add", "math.copysign(1, n) < 0) -> n == 0", "SimplifyCheck"),  # x + 0.0 of -0.0
        ("_simpler_add", "type(n) is not float -> type(n) is float", "SimplifyCheck"),
        ("_simpler_add", "(by_x, y) -> (y, by_x)", "SimplifyCheck"),  # a form that is seen no more
    ],
    "anvl.maximum": [("passes[0]", "'GE' -> 'GT'", "DerivativeCheck")],  # at ties
    "anvl.clamp": [
        ("ClampOp._masked", "emit.compare(x, high, comparison_direction='LT')", "DerivativeCheck"),
    ],
    "anvl.pow": [
        ("PowOp.lower", "32 -> 33", "ValueCheck"),  # large integers
    ],
    "anvl.argmax": [
        ("ArgExtremum._beats", "!= 'float' -> kind(x.type.element_type) == 'float'", "ValueCheck"),
    ],
    "anvl.min": [("extreme", "low if lowest else high -> high if lowest else low", "lift")],
    "anvl.complex": [
        ("ComplexOp.tangent", "ts[0] is None and ts[1] is None -> ts[0] is None", "DerivativeCheck")
    ],
    "anvl.igammac": [
        ("log_factor_and_depth", "div(full_like(a, 1), large) -> full_like(a, 1)", "ValueCheck")
    ],
    "anvl.sum": [
        ("Reduction.pad_axes", "axes) -> x.value", "PaddingCheck"),
        ("_combines", "'hlo', None) == name", "lift"),
        ("_is_filled", "elements == wanted -> elements != wanted", "lift"),
    ],
    "anvl.mul": [
        ("fold", "one more", "FoldCheck"),
        ("_simpler_mul", "1 -> 2", "SimplifyCheck"),
        ("linear", "False -> True", "DerivativeCheck"),
    ],
    "stablehlo.sort": [
        ("SortOp.batch", "is_stable=not is_stable", "BatchCheck"),
        ("SortOp.lower", "is_stable=not is_stable", "ValueCheck"),
        ("SortOp.lower", "dimension + xs[0].type.rank -> dimension", "ValueCheck"),
        ("diagonal", "False -> True", "MaskedTangentCheck"),
    ],
    "anvl.dot_general": [
        (
            "DotGeneralOp.pad_axes",
            "pads.masked(x, 0, dims.lhs_contracting) -> x.val",
            "PaddingCheck",
        ),
        ("DotGeneralOp.pad_axes", "[*range(n_x, n_x + len(left_y)", "PaddingCheck"),
    ],
    "anvl.cumsum": [("Cumulative.pad_axes", "-> x.value if reverse else", "PaddingCheck")],
    "anvl.imag": [("ImagOp.simplify", "1 -> 0", "SimplifyCheck")],  # of a complex of two operands
}


@pytest.mark.sweep(keep=2)
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
