"""A message begins with the function as the person wrote it, and writes types as of arrays."""

import re

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl import lax, nn, optim, scipy
from anvl.numpy import mod
from anvl.scipy import signal

C = np.ones(3, "c8")
rest = mod
OBJECTS = np.array([1, None], object)
V = np.ones(3, "f4")

BEGINNINGS = {
    "a function": (lambda: anp.max(C), "max: operand is c64[3]; "),
    "a function that calls another": (lambda: anp.nanmax(C), "nanmax: max: operand is c64[3]"),
    "a method": (lambda: anp.asarray(C).max(), "max: operand is c64[3]"),
    "a name of NumPy": (lambda: anp.arctan(OBJECTS), "arctan: argument x: takes arrays and num"),
    "a name of a namespace below": (lambda: anvl.numpy.arctan("a"), "arctan: argument x: takes"),
    "a name of JAX": (lambda: lax.shift_left(V, 1), "shift_left: operand is f32[3]"),
    "a name of a package": (lambda: nn.hard_swish("a"), "hard_swish: "),
    "a function that was imported": (lambda: mod(C, 2), "mod: takes real numbers"),
    "under another name": (lambda: rest(C, 2), "remainder: takes real numbers"),
    "what NumPy computes": (lambda: anp.histogram(V, "no"), "histogram: 'no' is not a valid es"),
    "a place": (lambda: anp.nanargmax(V, axis=1), "nanargmax: axis 1 is out of range of 1 axes"),
    "an argument of a distribution": (
        lambda: scipy.stats.norm.logpdf(1.0, scale="a"),
        "norm.logpdf: argument scale: takes arrays and numbers, got 'a' of type str",
    ),
    "a structure": (lambda: anvl.tree.unflatten("a", [1]), "unflatten: 'a' of type str is no st"),
    "a structure around others": (lambda: anvl.tree.transpose(1, 2, 3), "transpose: 1 of type int"),
    "the children of a structure": (
        lambda: anvl.tree_util.treedef_children(3), "treedef_children: 3 of type int is no str"
    ),
    "counts": (lambda: anp.cov(V, fweights=V), "cov: fweights are f32[3]; counts are integers"),
    "no polynomial": (lambda: anp.polydiv(V, V[:0]), "polydiv: v is f32[0]; it needs a coeff"),
    "no parameters": (
        lambda: scipy.stats.dirichlet.pdf(V[:0], V[:0]),
        "pdf: dirichlet: x has shape [0], alpha [0]",
    ),
    "no arrays": (lambda: anp.vstack(V[:0]), "vstack: needs at least one array"),
    "a private part": (lambda: anp.quantile("a", 0.5), "quantile: argument x: takes arrays"),
    "an alias of a conversion": (lambda: anp.array(OBJECTS), "array: takes arrays and numbers"),
    "a call over lines": (
        lambda: anp.absolute(
            OBJECTS,
        ),
        "absolute: argument x",
    ),
    "an axis": (lambda: anp.cross(1.0, 2.0), "cross: moveaxis: axis -1 is out of range of 0"),
    "a draw": (lambda: anvl.random.chisquare(anvl.random.key(0), None), "chisquare: "),
    "a function of SciPy": (lambda: signal.welch(OBJECTS), "welch: "),
    "a distribution": (lambda: scipy.stats.norm.logpdf(OBJECTS), "norm.logpdf: "),
    "a loss": (lambda: optim.hinge_loss(C, C), "hinge_loss: "),
    "a jitted function of ours": (lambda: anvl.jit(anp.nanmax)(C), "nanmax: max: operand "),
    "a derivative of ours": (lambda: anvl.grad(anp.max)(C), "max: operand is c64[3]"),
    "a batch of ours": (lambda: anvl.vmap(anp.ptp)(C), "ptp: max: operand is c64[]"),
    "within a trace": (lambda: anvl.jit(lambda x: anp.ptp(x))(C), "ptp: max: operand is c64[3]"),
    "a class": (lambda: scipy.interpolate.PchipInterpolator(1.0, 2.0), "PchipInterpolator: "),
}  # fmt: skip


@pytest.mark.parametrize("name", BEGINNINGS)
def test_a_message_begins_with_the_function_that_was_called(name):
    call, beginning = BEGINNINGS[name]
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    assert str(caught.value).startswith(beginning)


def test_a_message_that_has_the_name_is_left_as_it_is():
    for call, says in (
        (lambda: anp.sum(V, axis=3), "sum: axis 3 is out of range of 1 axes"),
        (lambda: anp.matmul(V, np.ones(2, "f4")), "matmul: f32[3] @ f32[2]: inner sizes 3 and 2 "),
        (lambda: anp.zeros(), "zeros() missing 1 required"),
        (lambda: anp.asarray(V).__setitem__(0, 1.0), "x[...] = y: arrays are never changed"),
        (lambda: anp.asarray(V)[5], "index 5 is out of range"),
    ):
        with pytest.raises((TypeError, ValueError, IndexError)) as caught:
            call()
        assert str(caught.value).startswith(says)


def test_an_error_of_the_person_is_not_renamed():
    def f(x):
        raise ValueError("mine")

    for call in (
        lambda: anvl.jit(f)(1.0),
        lambda: anp.vectorize(f)(V),
        lambda: anp.apply_along_axis(f, 0, V),
        lambda: lax.map(f, V),
        lambda: anvl.grad(f)(1.0),
    ):
        with pytest.raises(ValueError, match=r"^mine$"):
            call()


def test_the_primitives_keep_the_types_of_the_ir():
    with pytest.raises(TypeError, match=r"^max: operand is tensor<3xcomplex<f32>>; it takes"):
        anvl.prim.max(C, axes=(0,))


ORDER = "complex numbers have no order: take their abs or real parts"


@pytest.mark.parametrize(
    "name", "max min argmax argmin nanmax nanargmin ptp cummax maximum minimum fmax clip".split()
)
def test_functions_of_an_order_say_why_complex_numbers_have_none(name):
    args = {"clip": (0, 1), "maximum": (C,), "minimum": (C,), "fmax": (C,)}.get(name, ())
    with pytest.raises(TypeError, match=rf"^{name}: .*c64\[3\].*{ORDER}$"):
        getattr(anp, name)(C, *args)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: anp.floor(C), r"floor: operand is c64\[3\]; .* take the real or the imag"),
        (lambda: anp.bitwise_and(V, V), r"bitwise_and: .*f32\[3\]; .* int, uint or bool: conv"),
        (lambda: anvl.prim.any(V, axes=(0,)), "any: .* of kind bool; compare it with 0"),
    ],
)  # fmt: skip
def test_a_kind_that_an_op_does_not_take_comes_with_a_remedy(call, says):
    with pytest.raises(TypeError, match=says):
        call()


@pytest.mark.parametrize(
    ("x", "says"),
    [
        (OBJECTS, "dtype object; if its objects are numbers, make floats of them: .astype(float)"),
        (np.array(["1"]), "dtype <U1; if its texts are numbers, read them: .astype(float)"),
        (np.array(["2020"], "M8[D]"), "dtype datetime64[D]; make numbers of its times: .astype("),
        (np.zeros(1, [("a", "f4")]), "dtype [('a', '<f4')]; take its fields one by one, x['name']"),
        (np.longdouble(1), "dtype float128; convert it: .astype(float)"),
    ],
)
def test_an_array_of_no_numbers_is_refused_by_the_name_of_the_function(x, says):
    for name, call in {
        "asarray": lambda: anp.asarray(x),
        "array": lambda: anp.array(x),
        "sin: argument x": lambda: anp.sin(x),
        "sum: argument x": lambda: anp.sum(x),
        "device_put": lambda: anvl.device_put(x),
        "total: argument a['w']": lambda: anvl.jit(total)({"w": x}),
    }.items():
        wanted = re.escape(f"{name}: takes arrays and numbers, got an array of {says}")
        with pytest.raises(TypeError, match=f"^{wanted}"):
            call()


def total(a):
    return anp.sum(a["w"])
