"""`anvl.testing` for the ops of anvl: with the references that are known of them."""

from collections.abc import Sequence
from typing import Any

from references import REFERENCES

from anvl.testing.draw import Call
from anvl.testing.findings import Findings
from anvl.testing.op_check import Amount, Examination

__all__ = ["examination", "examine", "points_of"]

#: Ops whose references do not say what is at NaN, infinities and zeros: matrices with these, which
#: LAPACK refuses, and orders that are no whole numbers.
_WITHOUT_EDGES = set(
    """polygamma nuclear_norm cholesky det eig eigh eigvals eigvalsh lu pinv pinv_move qr slogdet
    solve svd svdvals triangular_solve""".split()
)
#: Ops that are not smooth where the elements of a matrix are equal.
_WITHOUT_TIES = set(
    """cholesky det eig eigh eigvals eigvalsh lu pinv pinv_move qr slogdet solve svd svdvals
    triangular_solve""".split()
)
#: Functions of complex numbers that are C's, as NumPy has them.
_WITH_SIDES = set("asin acos atan asinh acosh atanh sinh cosh".split())


def points_of(op_class: Any) -> list[str]:
    """At which points beside its samples an op is tried."""
    name = op_class.short_name
    without = {
        "edges": _WITHOUT_EDGES,
        "ties": _WITHOUT_TIES,
        "zeros": set[str](),
        "nans": set[str](),
    }
    points = [point for point, ops in without.items() if name not in ops]
    return [*points, "sides"] if name in _WITH_SIDES else points


def examine(op_class: Any, calls: Sequence[Call]) -> Findings:
    """What is wrong with an op of anvl."""
    return examination(op_class, calls).findings


def examination(op_class: Any, calls: Sequence[Call], amount: Amount = "some") -> Examination:
    """The checks of an op of anvl, compiled."""
    return Examination(op_class, calls, REFERENCES, amount, points=points_of(op_class))
