"""`anvl.mixed_precision`: numbers beside those of f32 and of casts by hand."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl import prim
from anvl.dialect import AnvlOp, Operand, Result, element_type, emit, tensor
from anvl.dialect.core.params.base import DotDims

RNG = np.random.default_rng(0)
W = (RNG.normal(size=(8, 8)) / 8**0.5).astype("f4")
X = RNG.normal(size=(4, 8)).astype("f4")
NAMES = {"bf16": "bfloat16", "f16": "float16"}
ROWS_BY_COLUMNS = DotDims((), (), (1,), (0,))
#: Relative errors of a few products in a row: some units in the last place of the operands.
NEAR = {"bf16": 2.0**-6, "f16": 2.0**-9}


def layers(w, x):
    h = anp.tanh(x @ w)
    return anp.mean(anp.exp(-((h @ w.T) ** 2)))


def by_hand(dtype):
    """The same with casts written out."""

    def dot(x, w):
        narrow = x.astype(NAMES[dtype]), w.astype(NAMES[dtype])
        return prim.dot_general(*narrow, dot_dimension_numbers=ROWS_BY_COLUMNS, dtype="f32")

    return lambda w, x: anp.mean(anp.exp(-(dot(anp.tanh(dot(x, w)), w.T) ** 2)))


def distance(found, wanted):
    found, wanted = np.asarray(found, "f8"), np.asarray(wanted, "f8")
    return np.max(abs(found - wanted)) / np.max(abs(wanted))


@pytest.mark.parametrize("dtype", ["bf16", "f16"])
def test_values_and_derivatives_are_near_those_of_f32_and_not_the_same(dtype):
    mixed = anvl.mixed_precision(layers, dtype=dtype)
    transforms = [
        lambda f: f,
        anvl.grad,
        lambda f: lambda w, x: anvl.jvp(lambda w: f(w, x), (w,), (w,))[1],
        lambda f: anvl.vmap(anvl.grad(f), in_axes=(None, 0)),
        lambda f: anvl.grad(lambda w, x: anp.sum(anvl.grad(f)(w, x) ** 2)),
    ]
    for transform in transforms:
        both = anvl.jit(lambda w, x, t=transform: (t(mixed)(w, x), t(layers)(w, x)))
        found, wanted = both(W, X)
        assert found.dtype == np.float32
        assert 0 < distance(found, wanted) < NEAR[dtype]


def test_products_that_are_not_added_up_keep_their_digits():
    positions, frequencies = np.arange(4000, 4004, dtype="f4"), np.float32([0.1, 0.001])
    for outer in (anp.outer, lambda x, y: anp.einsum("i,j->ij", x, y)):
        found = anvl.mixed_precision(outer)(positions, frequencies)
        np.testing.assert_array_equal(found, np.outer(positions, frequencies))


@pytest.mark.parametrize("dtype", ["bf16", "f16"])
def test_values_and_gradients_are_those_of_casts_by_hand(dtype):
    mixed = anvl.value_and_grad(anvl.mixed_precision(layers, dtype=dtype))
    found = anvl.jit(mixed, backend="interpreter")(W, X)
    wanted = anvl.jit(anvl.value_and_grad(by_hand(dtype)), backend="interpreter")(W, X)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_gradient_contracts_bf16_too():
    text = anvl.jit(anvl.grad(anvl.mixed_precision(layers))).lower(W, X).mlir()
    contractions = [line for line in text.splitlines() if "stablehlo.dot_general" in line]
    assert len(contractions) == 5
    assert all("xbf16>, tensor" in line and "xbf16>) ->" in line for line in contractions)
    assert all(line.endswith("xf32>") for line in contractions)
    assert text.count("convert %w ") == 1  # equal casts are merged once derivatives are expanded


def test_the_gradient_of_f16_contracts_f32_and_casts_cotangents():
    text = anvl.jit(anvl.grad(anvl.mixed_precision(layers, dtype="f16"))).lower(W, X).mlir()
    contractions = [line for line in text.splitlines() if "stablehlo.dot_general" in line]
    assert sum("xf16>) ->" in line for line in contractions) == 2  # forward
    assert sum("xf32>) ->" in line for line in contractions) == 3


@pytest.mark.parametrize("dtype", ["bf16", "f16"])
def test_convolutions_and_their_gradients(dtype):
    def f(k, x):
        numbers = ("NHC", "HIO", "NHC")
        y = anvl.lax.conv_general_dilated(x, k, (1,), "SAME", dimension_numbers=numbers)
        return anp.mean(anp.tanh(y) ** 2)

    mixed = anvl.mixed_precision(f, dtype=dtype)
    k, x = RNG.normal(size=(3, 2, 4)).astype("f4"), RNG.normal(size=(2, 6, 2)).astype("f4")
    lowered = anvl.jit(anvl.value_and_grad(mixed, wrt=("k", "x"))).lower(k, x)
    assert lowered.report().startswith("convolution of f32[2, 6, 2] and f32[3, 2, 4] at ")
    wanted = anvl.value_and_grad(f, wrt=("k", "x"))(k, x)
    found = lowered.compile()(k, x)
    for a, b in zip(anvl.tree.leaves(found), anvl.tree.leaves(wanted), strict=True):
        assert a.dtype == np.float32 and 0 < distance(a, b) < NEAR[dtype]


def test_cotangents_of_many_uses_are_added_in_f32():
    # In bf16 a sum of ones stops at 256.
    one = np.ones((1, 1), "f4")

    def in_a_scan(w):
        return anvl.scan(lambda c, _: (c + (one @ w)[0, 0], None), 0.0, None, length=1000)[0]

    def unrolled(w):
        return sum((one @ w)[0, 0] for _ in range(300))

    for f, count in ((in_a_scan, 1000), (unrolled, 300)):
        mixed = anvl.mixed_precision(f)
        found = anvl.jit(anvl.grad(mixed), roll=False, backend="interpreter")(one)
        np.testing.assert_array_equal(found, [[count]])


def test_loops_branches_calls_and_rules_are_in_it():
    inner = anvl.jit(lambda x, w: x @ w)

    @anvl.custom_vjp
    def ruled(x, w):
        return x @ w

    ruled.defvjp(lambda x, w: (x @ w, (x, w)), lambda kept, g: (g @ kept[1].T, kept[0].T @ g))

    def f(w, x):
        x, _ = anvl.scan(lambda c, _: (anp.tanh(c @ w), None), x, None, length=2)
        x, _ = anvl.while_loop(lambda c: c[1] < 2, lambda c: (c[0] @ w, c[1] + 1), (x, 0))
        x = anvl.cond(anp.sum(x) > 0, lambda: x @ w, lambda: x @ w.T)
        return inner(anvl.checkpoint(lambda x: x @ w)(ruled(x, w)), w)

    def both(w, x):
        return f(w, x), anvl.mixed_precision(f)(w, x)

    lowered = anvl.jit(both).lower(W, X)
    lines = lowered.report().splitlines()
    assert len(lines) == 10  # of `ruled` four, with its rule
    assert all("test_mixed_precision.py" in line and "bf16 operands" in line for line in lines)
    wanted, found = anvl.jit(both)(W, X)
    assert 0 < distance(found, wanted) < 0.1
    plain = anvl.jit(f).lower(W, X).mlir()
    assert "bf16" not in plain


def test_of_two_precisions_the_inner_one_holds():
    half = anvl.mixed_precision(lambda x, w: x @ w, dtype="f16")
    text = anvl.jit(anvl.mixed_precision(lambda w, x: half(x, w) @ w)).lower(W, X).mlir()
    assert "xf16>) ->" in text and "xbf16>) ->" in text


def test_the_error_of_each_result():
    mixed = anvl.mixed_precision(lambda w, x: {"y": x @ w, "n": anp.sum(x), "none": x[:0] @ w})
    error = mixed.error(W, X)
    wanted = X @ W - np.asarray(mixed(W, X)["y"])
    assert error["y"].largest == pytest.approx(np.max(abs(wanted)), rel=1e-3)
    assert error["y"].relative == pytest.approx(error["y"].largest / np.max(abs(X @ W)), rel=1e-3)
    assert error["n"] == error["none"] == anvl.PrecisionError(0.0, 0.0)


def test_infinities_of_f16_are_seen():
    large = np.full((1, 1), 1e5, "f4")
    assert anvl.mixed_precision(lambda x: x @ x, dtype="f16").error(large).largest == np.inf
    assert anvl.mixed_precision(lambda x: x @ x).error(large).relative < 0.01


def test_as_a_decorator_with_closures_and_numbers():
    @anvl.mixed_precision(dtype="bf16")
    def f(x, scale=2.0, *, times: int = 1):
        for _ in range(times):
            x = x @ W * scale
        return x

    assert f.__name__ == "f" and f.__doc__.startswith("f, with contractions of bf16")
    found = f(X, times=2)
    assert 0 < distance(found, X @ W @ W * 4) < NEAR["bf16"]


def test_what_cannot_be_asked_for():
    with pytest.raises(ValueError, match=r"mixed_precision: dtype is 'f8'; it must be 'bf16' or"):
        anvl.mixed_precision(layers, dtype="f8")
    with pytest.raises(TypeError, match=r"mixed_precision: takes a function, got 3 of type int"):
        anvl.mixed_precision(3)
    with pytest.raises(TypeError, match="call it outside of jit"):
        anvl.jit(lambda w: anvl.mixed_precision(layers).error(w, X))(W)


def test_an_op_of_ones_own_takes_part_by_its_rule(own_ops):
    class Product(AnvlOp, name="my.product"):
        """x y, elementwise, in f32."""

        x: Operand
        y: Operand
        z: Result

        @classmethod
        def result_type(cls, x, y):
            return tensor(x.shape, element_type("f32"))

        @classmethod
        def lower(cls, hlo, x, y):
            return emit.mul(emit.convert(x, dtype="f32"), emit.convert(y, dtype="f32"))

        @classmethod
        def narrowed(cls, xs, dtype, /):
            return Product.build(*xs) if answers else xs[0]

    answers = True
    f = anvl.mixed_precision(lambda x: prim.my.product(x, x))
    third = np.full(2, 1 / 3, "f4")
    rounded = np.float32(0.333984375)  # to 8 bits
    np.testing.assert_array_equal(anvl.jit(f)(third), np.full(2, rounded * rounded))
    answers = False
    with pytest.raises(
        anvl.PassError, match=r"my.product: its narrowed rule gave .*xbf16> for .*f32"
    ):
        anvl.jit(lambda x: f(x) + 1.0)(third)
