"""Errors end at the person's line: none of our frames is shown, unless asked for."""

import subprocess
import sys
import textwrap
import traceback
from pathlib import Path

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl.runtime import hide_frames

X = np.ones((2, 3), "f4")


def product(x, w):
    return anp.sum(x @ w)


CALLS = {
    "jit": lambda: anvl.jit(product)(X, X),
    "jit with keywords": lambda: anvl.jit(product)(x=X, w=X),
    "jit with a static argument": lambda: anvl.jit(lambda n, x: product(x, x), static="n")(1, X),
    "jit of grad": lambda: anvl.jit(anvl.grad(product))(X, X),
    "grad": lambda: anvl.grad(product)(X, X),
    "grad of jit": lambda: anvl.grad(anvl.jit(product))(X, X),
    "jvp": lambda: anvl.jvp(product, (X, X), (X, None)),
    "jvp in jit": lambda: anvl.jit(lambda x: anvl.jvp(product, (x, x), (x, x)))(X),
    "vjp": lambda: anvl.vjp(product, X, X),
    "linearize": lambda: anvl.linearize(product, X, X),
    "vmap": lambda: anvl.vmap(product, in_axes=None, axis_size=2)(X, X),
    "vmap of grad": lambda: anvl.vmap(anvl.grad(product))(X[None], X[None]),
    "jacfwd": lambda: anvl.jacfwd(product)(X, X),
    "jacrev": lambda: anvl.jacrev(product)(X, X),
    "hessian": lambda: anvl.jit(anvl.hessian(product))(X, X),
    "trace": lambda: anvl.trace(product, X, X),
    "eval_shape": lambda: anvl.eval_shape(product, X, X),
    "lower": lambda: anvl.jit(product).lower(X, X),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_error_in_a_traced_function_ends_at_its_line(name):
    with pytest.raises(ValueError, match=r"matmul: .* inner sizes 3 and 2 differ") as caught:
        CALLS[name]()
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert frames[-1].line == "return anp.sum(x @ w)"
    assert {frame.filename for frame in frames} == {__file__}


EAGER = {
    "a function": (lambda: anp.matmul(X, X), "matmul"),
    "an operator": (lambda: anp.asarray(X) @ anp.asarray(X), "matmul"),
    "a reflected operator": (lambda: X @ anp.asarray(X), "matmul"),
    "a power": (lambda: anp.asarray([1]) ** -1, "power"),
    "an index": (lambda: anp.asarray(X)[7], "index 7"),
    "a method": (lambda: anp.asarray(X).sum(axis=5), "axis 5"),
    "asarray": (lambda: anp.asarray("text"), "asarray"),
    "a primitive": (lambda: anvl.prim.sin(1), "sin"),
    "jit's own arguments": (lambda: anvl.jit(3), "takes a function"),
    "grad's own arguments": (lambda: anvl.grad(product, wrt=7), "no argument 7"),
    "what grad cannot find": (lambda: anvl.grad(product, wrt="z")(X, X.T), "'z' names nothing"),
    "a transpose of what is not linear": (
        lambda: anvl.linear_transpose(lambda x: x * x, X)(X),
        "is not linear in x",
    ),
    "an argument that is no array": (lambda: anvl.jit(product)("a", X), "argument x"),
    "a static argument": (lambda: anvl.jit(product, static=0)([1], X), "static argument"),
    "a missing argument": (lambda: anvl.jit(product)(X), "missing 1 required"),
    "a compiled function": (lambda: anvl.jit(anp.sin).lower(X).compile()(1.0), "expected"),
}


REFUSALS = (TypeError, ValueError, IndexError, anvl.PassError)


@pytest.mark.parametrize("name", EAGER)
def test_an_error_outside_of_a_trace_ends_at_the_line_of_the_call(name):
    call, message = EAGER[name]
    with pytest.raises(REFUSALS, match=message) as caught:
        call()
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert {frame.filename for frame in frames} == {__file__}
    assert frames[-1].name == "<lambda>"


def test_an_error_of_a_pass_says_the_line_of_the_op():
    def f(x):
        y = anp.sin(x)
        return anp.linalg.eigvals(y)

    with pytest.raises(anvl.PassError, match="eigvals: there is no form") as caught:
        anvl.export(f, anvl.aval("f32", (2, 2)), platform="any")
    line = f.__code__.co_firstlineno + 2
    assert caught.value.__notes__ == [f"at {Path(__file__).name}:{line}"]


def test_the_errors_of_the_person_are_left_as_they_are_but_for_our_frames():
    def f(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as caught:
        anvl.jit(f)(1.0)
    assert [t.name for t in traceback.extract_tb(caught.value.__traceback__)][-1] == "f"
    assert len(traceback.extract_tb(caught.value.__traceback__)) == 2


def test_a_traced_value_where_a_number_is_needed_ends_at_the_line_too():
    def f(x):
        if x > 0:
            return x
        return -x

    with pytest.raises(anvl.TraceError, match="needs the value") as caught:
        anvl.jit(f)(1.0)
    assert traceback.extract_tb(caught.value.__traceback__)[-1].line == "if x > 0:"


def test_a_mistake_of_ours_is_shown_whole():
    with pytest.raises(AttributeError) as caught:
        anvl.numpy.arrays.shaping._broadcast_to(None, (2,))
    hide_frames(caught.value)
    assert "broadcast_to" in traceback.extract_tb(caught.value.__traceback__)[-1].name


def test_all_frames_are_shown_where_the_setting_says_so():
    with anvl.config(traceback_filtering=False), pytest.raises(ValueError) as caught:
        anvl.jit(product)(X, X)
    names = {frame.name for frame in traceback.extract_tb(caught.value.__traceback__)}
    assert {"trace_call", "matmul"} <= names


@pytest.mark.sweep(keep=0)
def test_what_python_prints_for_an_uncaught_error(tmp_path):
    script = tmp_path / "model.py"
    script.write_text(
        textwrap.dedent(
            """
            import anvl, anvl.numpy as np

            def loss(w, x):
                return np.sum(x @ w)

            anvl.grad(loss)(np.ones((4, 2)), np.ones((2, 3)))
            """
        )
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    lines = [line.strip() for line in done.stderr.splitlines() if "~" not in line]
    lines = [line for line in lines if not set(line) <= set("^ ")]
    assert lines == [
        "Traceback (most recent call last):",
        f'File "{script}", line 7, in <module>',
        "anvl.grad(loss)(np.ones((4, 2)), np.ones((2, 3)))",
        f'File "{script}", line 5, in loss',
        "return np.sum(x @ w)",
        "ValueError: matmul: f32[2,3] @ f32[4,2]: inner sizes 3 and 4 differ",
    ]
