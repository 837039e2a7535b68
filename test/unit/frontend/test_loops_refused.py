"""What people get wrong with loops."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp

W = np.asarray([0.7, 0.3])
X = np.ones((5, 2))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: anvl.scan(lambda c, x: (c, x, x), 0.0, X),
            TypeError,
            "scan: <lambda> returned tuple of 3; return a pair, the next carry and the slice of ys",
        ),
        (
            lambda: anvl.scan(lambda c, x: c + x, 0.0, X[:, 0]),
            TypeError,
            "scan: <lambda> returned one array; return a pair, the next carry and the slice of ys",
        ),
        (
            lambda: anvl.scan(lambda c, x: (anp.ones(3) * c, x), 0.0, X),
            TypeError,
            r"scan: carry is f32\?\[\], but <lambda> returns f32\[3\] for it; cast it",
        ),
        (
            lambda: anvl.scan(lambda c, x: ({"a": c["a"] * np.float64(1)}, x),
                              {"a": np.float32(0)}, X),
            TypeError,
            r"carry\['a'\] is f32\[\], but <lambda> returns f64\[\] for it",
        ),
        (
            lambda: anvl.scan(lambda c, x: (c, x), 0.0, {"a": X, "b": W}),
            ValueError,
            r"scan: the lengths differ: xs\['a'\] is 5, xs\['b'\] is 2",
        ),
        (
            lambda: anvl.scan(lambda c, x: (c, x), 0.0, X, length=4),
            ValueError,
            "the lengths differ: xs is 5, length is 4",
        ),
        (
            lambda: anvl.scan(lambda c, x: (c, x), 0.0, 3.0),
            ValueError,
            "scan: xs is .*, which has no leading axis to iterate over",
        ),
        (
            lambda: anvl.scan(lambda c, x: (c, x), 0.0),
            ValueError,
            "xs holds no arrays and no length is given; give the number of steps as length",
        ),
        (
            lambda: anvl.scan(lambda c, x: (c, x), 0.0, length=-1),
            ValueError,
            "length is -1; it must be an integer of at least 0",
        ),
        (
            lambda: anvl.scan(lambda c, x: ({"a": c}, x), 0.0, X),
            TypeError,
            "scan: <lambda> returns a carry that differs in structure from its input",
        ),
        (
            lambda: anvl.while_loop(lambda x: x, lambda x: x, 1.0),
            TypeError,
            r"while_loop: the condition <lambda> returns f32\?\[\], not a scalar bool; compare it",
        ),
        (
            lambda: anvl.while_loop(lambda x: x > 0, lambda x: x, W),
            TypeError,
            r"the condition <lambda> returns bool\[2\], not a scalar bool",
        ),
        (
            lambda: anvl.while_loop(lambda x: x < 3, lambda x: x * np.float64(2), np.float32(1)),
            TypeError,
            r"while_loop: carry is f32\[\], but <lambda> returns f64\[\] for it; cast it before",
        ),
        (
            lambda: anvl.while_loop(lambda x: x < 3, lambda x: x, 1, slots=12),
            ValueError,
            "while_loop: slots is 12; it must be a power of 2",
        ),
        (
            lambda: anvl.while_loop(lambda x: x < 3, lambda x: x, 1, max_iterations=-1),
            ValueError,
            "max_iterations is -1; it must be an integer of at least 0",
        ),
        (
            lambda: anvl.while_loop(lambda x: x, lambda x: x, 1.0, max_iterations=3),
            TypeError,
            "the condition <lambda> returns .* not a scalar bool",
        ),
        (
            lambda: anvl.fori_loop(0, 1.5, lambda i, x: x, 1),
            TypeError,
            r"fori_loop: upper is f32\?\[\], not a scalar integer",
        ),
        (
            lambda: anvl.fori_loop(0, 2**31, lambda i, x: x, 1),
            ValueError,
            "fori_loop: upper is 2147483648, which is outside the range of i32",
        ),
        (
            lambda: anvl.scan(lambda c, x: (c, x), 0.0, X, checkpoint="all"),
            ValueError,
            "scan: checkpoint is 'all'; give a number of steps of at least 1, or 'sqrt'",
        ),
        (lambda: anvl.scan(3, 0.0, X), TypeError, "scan: takes a function, got 3"),
        (lambda: anvl.while_loop(3, 4, 0.0), TypeError, "while_loop: takes a function, got 3"),
        (lambda: anvl.fori_loop(0, 1, 4, 0.0), TypeError, "fori_loop: takes a function, got 4"),
    ],
)  # fmt: skip
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_leaked_tracer_is_named():
    leaked = []

    def step(c, x):
        leaked.append(c)
        return c, x

    anvl.scan(step, 0.0, X)
    with pytest.raises(anvl.TraceError):
        leaked[0] + 1
