"""What the elementwise ops refuse: rows made from the table of ops, for every kind of element.

StableHLO's I1 and I2 of them say which elements they take, and C1 that all types are one; CHLO's
ops are declared with the same.
"""

from constraint_counts import COUNTS
from constraints import Row, dialect

from anvl.dialect.core.families import Elementwise

__all__ = ["ROWS"]

# For each kind of element a dtype, and another one.
_DTYPES = {
    "float": ("f32", "f64"),
    "complex": ("complex<f32>", "complex<f64>"),
    "int": ("i32", "i64"),
    "uint": ("ui8", "ui32"),
    "bool": ("i1", None),
}


def _rows(op_class: type[Elementwise]) -> list[Row]:
    return [*_of_kinds(op_class), *_of_types(op_class), *_of_results(op_class)]


def _of_kinds(op_class: type[Elementwise]) -> list[Row]:
    """I1: each kind of element that the op does not take.  I2: the same in another operand."""
    name, n, kinds = op_class.short_name, op_class.n_operands, op_class.kinds.split()
    right = "2x3x" + _DTYPES[kinds[0]][0]
    rows = []
    for kind, (dtype, _) in _DTYPES.items():
        wrong = f"2x3x{dtype}"
        if kind not in kinds:
            says = f"operand is tensor<{wrong}>; it takes elements of kind {kinds[0]}"
            rows.append(Row(name, "I1", " ".join([wrong] * n), says))
        if n > 1 and wrong != right:
            says = f"operands differ in type: tensor<{right}>, tensor<{wrong}>"
            rows.append(Row(name, "I2", " ".join([right, *[wrong] * (n - 1)]), says))
    return rows


def _of_types(op_class: type[Elementwise]) -> list[Row]:
    """C1: operands of one kind, but of another dtype or shape."""
    name, n, kind = op_class.short_name, op_class.n_operands, op_class.kinds.split()[0]
    dtype, other = _DTYPES[kind]
    first, rows = f"2x3x{dtype}", []
    for wrong, remedy in ((f"2x3x{other}", "convert them to one dtype first"),
                          (f"3x2x{dtype}", "broadcast them to one shape first"),
                          (dtype, "broadcast them to one shape first")):  # fmt: skip
        given = [first] * (n - 1) + [wrong]
        says = f"operands differ in type: {', '.join(f'tensor<{t}>' for t in given)}; {remedy}"
        rows.append(Row(name, "C1", " ".join(given), says))
    return rows if n > 1 else []


def _of_results(op_class: type[Elementwise]) -> list[Row]:
    """C1, and C2 where the specification tells the dtype from the shape: another result in text."""
    name, n, kind = op_class.short_name, op_class.n_operands, op_class.kinds.split()[0]
    operands = " ".join([f"2x3x{_DTYPES[kind][0]}"] * n)
    of_dtype = "C2" if COUNTS.get(op_class.hlo or "", (1, 1))[1] == 2 else "C1"
    return [
        Row(name, rule, operands, f"result is tensor<{wrong}> but the operands give", results=wrong)
        for rule, wrong in (("C1", f"3x2x{_DTYPES[kind][0]}"), (of_dtype, "2x3xf16"))
    ]


ROWS = [
    row
    for op_class in dialect()
    if issubclass(op_class, Elementwise) and not op_class.params
    for row in _rows(op_class)
]
