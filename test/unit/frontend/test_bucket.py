"""`jit(bucket=...)`: one program for all sizes up to a power of two, and nothing of the padding."""

import functools
import itertools
import math

import ml_dtypes
import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl.dialect.core.op_registry import OPS
from anvl.dispatch.padding import padded_program
from anvl.testing.draw import Draw
from anvl.testing.padding_check import PaddingCheck
from anvl.testing.program import Program

SIZES = (3, 4, 5, 7, 8, 9, 16, 17)


def worst(shape, dtype):
    """What is planted in the padding: NaN, or the largest integers."""
    if dtype.kind in "fcV":
        return np.full(shape, np.nan, dtype)
    return np.full(shape, True if dtype.kind == "b" else np.iinfo(dtype).max, dtype)


@pytest.fixture
def planted(monkeypatch):
    """Arguments are padded with NaN in place of zeros."""
    monkeypatch.setattr(padded_program, "filled", worst)


def interpreted(f, **options):
    return anvl.jit(f, backend="interpreter", **options)


def close(found, wanted, tolerance=2e-5):
    leaves, wanted = anvl.tree.leaves(found), anvl.tree.leaves(wanted)
    assert len(leaves) == len(wanted)
    for y, z in zip(leaves, wanted, strict=True):
        assert (y.shape, y.dtype) == (z.shape, z.dtype)
        np.testing.assert_allclose(
            np.asarray(y), np.asarray(z), rtol=tolerance, atol=tolerance, equal_nan=True
        )


# -- programs --------------------------------------------------------------------------------------

# From a vector of the bucketed size, and one like it, to another one; with a matrix of fixed size.
STEPS = {
    "sin": lambda x, y, w: anp.sin(x),
    "log": lambda x, y, w: anp.log(x * x + 1),
    "over": lambda x, y, w: x / (1 + y * y),
    "sub": lambda x, y, w: x - y,
    "where": lambda x, y, w: anp.where(x > y, x, 2 * y),
    "maximum": lambda x, y, w: anp.maximum(x, 0.3),
    "clip": lambda x, y, w: anp.clip(x, -0.5, 0.8),
    "ones": lambda x, y, w: x + anp.ones_like(y),
    "centred": lambda x, y, w: x - anp.mean(x),
    "scaled": lambda x, y, w: x / (1 + anp.std(x + y)),
    "softmax": lambda x, y, w: anp.softmax(x) * y,
    "log_softmax": lambda x, y, w: anp.log_softmax(y) + x,
    "cumsum": lambda x, y, w: anp.cumsum(x) / 4,
    "less_max": lambda x, y, w: x - anp.max(x - y),
    "less_min": lambda x, y, w: x - anp.min(x),
    "outer": lambda x, y, w: anp.sum(x[:, None] * w[0], axis=1),
    "rows": lambda x, y, w: anp.tanh(anp.outer(x, w[0]) @ w)[:, 1] + y,
    "gram": lambda x, y, w: x @ anp.outer(x, y) / 4,
    "transposed": lambda x, y, w: (w @ anp.stack([x, y, x])).T[:, 0],
    "reshaped": lambda x, y, w: anp.outer(x, w[1]).reshape(-1).reshape(-1, 3)[:, 2],
    "norm": lambda x, y, w: x / (1 + anp.linalg.norm(y)),
    "loop": lambda x, y, w: anvl.fori_loop(0, 3, lambda i, s: anp.sin(s) + y, x),
    "cond": lambda x, y, w: anvl.cond(anp.sum(x) > 0, lambda: x, lambda: anp.zeros_like(x)),
    "scan": lambda x, y, w: anvl.scan(lambda s, r: (s * r[0] + y, r[1]), x, w)[0] / 4,
    "taken": lambda x, y, w: w[0][anp.asarray(anp.abs(x) * 3, "int32") % 3] * y,
    "checkpoint": lambda x, y, w: anvl.checkpoint(lambda v: anp.exp(-v * v))(x) + y,
    "vmap": lambda x, y, w: anvl.vmap(lambda a, b: a * b + anp.sum(w[0] * a))(x, y),
    "grad": lambda x, y, w: anvl.grad(lambda v: anp.sum(anp.sin(v) * y))(x),
}  # fmt: skip

ENDS = {
    "sum": lambda x, y: anp.sum(x * y),
    "mean": lambda x, y: anp.mean(x + y),
    "max": lambda x, y: anp.max(x) - anp.min(y),
    "logsumexp": lambda x, y: anp.logsumexp(x) + y[0],
    "var": lambda x, y: anp.var(x, ddof=1),
    "dot": lambda x, y: anp.dot(x, y),
}


def program(steps, end):
    def f(x, y, w):
        for name in steps:
            x, y = STEPS[name](x, y, w), x
        return x, ENDS[end](x, y), anp.argmax(x), anp.any(x > 1), anp.count_nonzero(x > 0)

    return f


def drawn_arguments(n, seed=0):
    random = np.random.default_rng([seed, n])
    arrays = [random.normal(size=shape).astype("f4") for shape in [(n,), (n,), (3, 3)]]
    arrays[0] -= 2 * (seed % 2)  # now and then all are negative
    return arrays


@pytest.mark.sweep(keep=3)
@pytest.mark.parametrize("name", STEPS)
def test_a_step_and_its_gradient(name, planted):
    f = program([name], list(ENDS)[len(name) % len(ENDS)])
    check(f, (6, 8), seed=len(name))


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("seed", range(60))
def test_drawn_programs(seed, planted):
    random = np.random.default_rng(seed)
    steps = random.choice(list(STEPS), 3)
    check(program(steps, random.choice(list(ENDS))), random.choice(SIZES, 2), seed)


def check(f, sizes, seed=0):
    """Values and gradients at these sizes, with NaN in the padding, and one program a bucket."""

    def slope(x, y, w):
        value, *_ = f(x, y, w)[1:]
        return value

    of_all = anvl.value_and_grad(slope, wrt=(0, 1, 2))
    for one, wanted in ((f, interpreted(f)), (of_all, interpreted(of_all))):
        bucketed = interpreted(one, bucket={"x": 0, "y": 0} if one is f else {0: 0, 1: 0})
        for n in sizes:
            arguments = drawn_arguments(n, seed)
            close(bucketed(*arguments), wanted(*arguments))
        assert bucketed.cache_info().compiled == len({math.ceil(math.log2(n)) for n in sizes})


# -- what a call is --------------------------------------------------------------------------------


def test_a_complex_number_in_the_program():
    f = anvl.jit(lambda x: x * (1 + 2j), bucket={"x": 0})
    for n in (5, 6):
        np.testing.assert_array_equal(f(np.ones(n, np.float32)), [1 + 2j] * n)


def test_xla_compiles_one_program_for_a_bucket():
    f = anvl.jit(lambda x, w: (anp.tanh(x @ w), anp.mean(x)), bucket={"x": 0})
    w = np.ones((3, 2), "f4")
    with anvl.expect_compiles(3) as misses:
        for n in (7, 5, 6, 8, 3, 4, 2):
            x = np.arange(3 * n, dtype="f4").reshape(n, 3) / 9
            close(f(x, w), (np.tanh(x @ w), x.mean()))
    assert f.cache_size() == f.cache_info().programs == 3
    assert str(misses[1].differences[0]) == "x was f32[8,3] and is f32[4,3]"
    assert f(x, w)[0].shape == (2, 2)


def test_each_size_of_two_arguments():
    f = interpreted(lambda x, y: (x, anp.sum(x) * y), bucket={"x": 0, "y": 0})
    for n, m in itertools.product((0, 2, 3, 5, 6), repeat=2):
        x, y = np.arange(n, dtype="f4"), np.arange(m, dtype="f4")
        close(f(x, y), (x, x.sum() * y))
    pairs = itertools.product((0, 2, 4, 8), repeat=2)
    assert f.cache_info().compiled == len(list(pairs))


def test_paths_keywords_static_and_numbers(planted):
    def f(batch, scale, power, *, more):
        return {k: (v * scale) ** power for k, v in batch.items()}, anp.sum(batch["x"]), ~more

    buckets = {"batch.x": 1, "batch['y']": -1, "more": (0, 1)}
    g = interpreted(f, static="power", bucket=buckets)
    for n in (3, 4, 5):
        batch = {"x": np.ones((2, n), "f4"), "y": np.ones(n + 1, "f4"), "z": np.ones(5, "f4")}
        more = np.ones((n, n + 2), "bool")
        close(g(batch, 1.5, 2, more=more), f(batch, np.float32(1.5), 2, more=more))
    with pytest.raises(ValueError, match=r"no array at 'batch.x' in this call.*; it has batch"):
        g({"a": np.ones(3)}, 1.5, 2, more=more)


def test_other_transformations_see_the_function_itself():
    f = interpreted(lambda x: anp.mean(x * x), bucket={"x": 0})
    x = np.arange(5, dtype="f4")
    close(anvl.grad(f)(x), 2 * x / 5)
    close(anvl.vmap(f)(np.stack([x, x])), np.full(2, (x * x).mean()))
    close(interpreted(lambda x: f(x[1:]))(x), (x[1:] ** 2).mean())


def test_a_donated_argument_is_deleted():
    f = anvl.jit(lambda x, y: x + y, donate="x", bucket={"x": 0, "y": 0})
    x, y = (anvl.device_put(np.arange(5, dtype="f4")) for _ in range(2))
    close(f(x, y), 2 * np.arange(5, dtype="f4"))
    with pytest.raises(anvl.RuntimeFailure, match=r"donated to <lambda> as its argument x"):
        x.numpy()
    assert y.numpy()[1] == 1


def test_stages_show_the_padding():
    f = anvl.jit(lambda x: anp.sum(x), bucket={"x": 0})
    lowered = f.lower(anvl.aval("f32", (5,)))
    assert "tensor<5xf32>" in lowered.mlir("inline")
    assert "%x: tensor<8xf32> {anvl.padded = array<i64: 0>}" in lowered.mlir("pad")
    assert lowered.compile()(np.ones(5, "f4")) == 5
    plain = anvl.jit(anp.sum).lower(anvl.aval("f32", (5,)))
    assert plain.mlir("pad") == plain.mlir("inline")


def test_what_a_function_closes_over_may_change():
    scale = 2.0
    f = anvl.jit(lambda x: x * scale, backend="interpreter", bucket={"x": 0})
    assert f(np.ones(5, "f4"))[4] == 2
    scale = 3.0
    assert f(np.ones(6, "f4"))[5] == 3
    assert f(np.ones(5, "f4"))[4] == 3


def test_checks_see_no_padding(planted):
    def f(x):
        anvl.check(x > 0, "x is not positive")
        anvl.check(anp.sum(x) < 100, "too much: {s}", s=anp.sum(x))
        return x * 2

    g = interpreted(f, bucket={"x": 0})
    close(g(np.ones(5, "f4")), np.full(5, 2, "f4"))
    with pytest.raises(anvl.CheckError, match=r"for element \[2\]"):
        g(np.array([1, 1, -1, 1, 1, 1], "f4"))
    with pytest.raises(anvl.CheckError, match=r"too much: 700"):
        g(np.full(7, 100, "f4"))


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint32", "int64", "float64", ml_dtypes.bfloat16]
)
def test_dtypes(dtype, planted):
    def f(x):
        return anp.max(x), anp.min(x), anp.any(x), anp.all(x), anp.argmin(x), anp.flip(x[:2])

    x = np.array([1, 0, 1, 1, 0]).astype(dtype)
    close(interpreted(f, bucket={"x": 0})(x), interpreted(f)(x))


def test_a_dimension_size_is_a_value(planted):
    def f(x):
        n = anvl.prim.get_dimension_size(x, dimension=0)
        return x / anp.astype(n, "float32"), n, anp.ones(3) * 2, x * np.float32(2)

    x = np.arange(5, dtype="f4")
    g = interpreted(f, bucket={"x": 0})
    close(g(x), (x / 5, np.int32(5), np.full(3, 2, "f4"), x * 2))
    close(g(x[:4]), (x[:4] / 4, np.int32(4), np.full(3, 2, "f4"), x[:4] * 2))


# -- refusals --------------------------------------------------------------------------------------

fixed = np.arange(5, dtype="f4")

REFUSED = {
    "read": (lambda x: x / x.shape[0], r"reads the size of a bucketed axis: stablehlo.constant at "
             r"\S*test_bucket.py:\d+ has value = dense<5.0.*where x has 5 elements, and "
             r"dense<6.0.*where x has 6; .*get_dimension_size"),
    "control flow": (lambda x: x * 2 if x.shape[0] > 5 else x + 2, r"reads the size of.*stablehlo"
                     r"\.\w+ at \S*test_bucket.py:\d+"),
    "sort": (anp.sort, r"stablehlo.sort at .*: axis 0 of operand 0, of 5 elements, is bucketed, "
             r"and it cannot be padded along axis 0: it sorts"),
    "reverse": (lambda x: x[::-1], r"anvl.reverse at .*its last element would come first"),
    "concatenate": (lambda x: anp.concatenate([x, x]), r"concatenate at .*behind the padding"),
    "tail": (lambda x: x[1:], r"anvl.slice at .* along axis 0, which follows from the size"),
    "scan": (lambda x: anvl.scan(lambda s, r: (s + r, s), 0.0, x), r"dynamic_slice at .*clamped"),
    "captured": (lambda x: x + fixed, r"cannot be traced where x has 6 .*f32\[6\], f32\[5\]"),
    "taken": (lambda x: x[anp.asarray(anp.abs(x[:2]), "int32")], r"anvl.gather at .*clamped to"),
    "random": (lambda x: x + anvl.random.normal(anvl.random.key(0), x.shape), r"bucket.py:\d+"),
    "traced elsewhere": (lambda x: x.reshape(5), r"cannot be traced where x has 6 elements, which "
                         r"is in the same bucket as this call, where x has 5"),
    "merged": (lambda x: anp.outer(fixed[:2], x).reshape(-1), r"anvl.reshape at .*regrouped from"),
    "callback": (lambda x: anvl.pure_callback(np.sin, x, x), r"custom_call at .*no `pad_axes`"),
    "slope of prod": (anvl.grad(anp.prod), r"test_bucket.py:\d+"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    f, message = REFUSED[name]
    with pytest.raises(anvl.BucketError, match=message):
        interpreted(lambda x: f(x), bucket={"x": 0})(np.arange(5, dtype="f4"))


def test_an_argument_of_fixed_size_meets_a_bucketed_one():
    f = interpreted(lambda x, y: x + y, bucket={"x": 0})
    with pytest.raises(anvl.BucketError, match=r"where x has 6 .* name all arguments of this"):
        f(fixed, fixed)


def named(x, scale, n=1):
    return x * scale


@pytest.mark.parametrize(
    ("bucket", "error", "message"),
    [
        ({"y": 0}, ValueError, r"jit: bucket: named has no argument 'y'; it has 0 x, 1 scale, 2 n"),
        ({"scal": 0}, ValueError, r"no argument 'scal', did you mean 'scale'\?"),
        ({7: 0}, ValueError, r"bucket: named has no argument 7"),
        ({1.5: 0}, TypeError, r"bucket: 1.5 is neither the name of an argument nor its position"),
        ({"x": "rows"}, TypeError, r"'x' is to be padded along 'rows'; give the number of an axis"),
        ({"x": True}, TypeError, r"'x' is to be padded along True"),
        ({"x": ()}, TypeError, r"'x' is to be padded along \(\)"),
        ("x", TypeError, r"bucket must map arguments to axes, as \{'x': 0\}, got 'x' of type str"),
        ({"n": 0}, ValueError, r"argument n is both static and bucketed"),
        ({"x": 1}, ValueError, r"argument x has shape \[5\], which has only axis 0, and is to be "
                               r"padded along axis 1"),
        ({"scale": 0}, ValueError, r"argument scale has shape \[\], which has no axes"),
    ],
)  # fmt: skip
def test_options(bucket, error, message):
    with pytest.raises(error, match=message):
        interpreted(named, static="n", bucket=bucket)(fixed, 2.0)


# -- planted bugs ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "f"),
    [("sum", anp.sum), ("max", anp.max), ("argmax", anp.argmax), ("dot_general", anp.dot)],
)
def test_a_rule_without_its_mask_is_found(op, f, planted, monkeypatch):
    rules = anvl.dialect.OPS[f"anvl.{op}"]
    masked = functools.partialmethod(lambda self, x, *_, **__: x.value)
    monkeypatch.setattr("anvl.dialect.interpreters.padding.Padding.masked", masked)
    x = np.arange(-5, 0, dtype="f4")
    arguments = (x, x) if rules.n_operands == 2 else (x,)
    with pytest.raises(AssertionError):
        close(
            interpreted(f, bucket={0: 0, 1: 0} if len(arguments) > 1 else {0: 0})(*arguments),
            f(*arguments),
        )


def test_each_rule_pads_an_axis_of_its_sample():
    """What it gives there is compared with the op itself, with all other checks of the op."""
    for name, op_class in OPS.items():
        calls = [c for c in op_class.sample(Draw(name)) if PaddingCheck.applies(op_class, c)]
        checks = [PaddingCheck(op_class, call, Program({})) for call in calls]
        if checks and name != "anvl.captured":  # its elements are fixed
            assert sum(check.accepted for check in checks), name


def test_debugging_nans_sees_no_padding():
    f = anvl.jit(lambda x: anp.sum(1 / x), bucket={"x": 0}, debug_nans=True)
    close(f(np.full(5, 2, "f4")), np.float32(2.5))
    with pytest.raises(anvl.NonFiniteError):
        f(np.array([1, 0, 1, 1, 1], "f4"))
