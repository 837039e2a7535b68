"""`anvl.windows` agrees with loops in NumPy; bodies of ops are functions that a person writes."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from references_windows import WINDOWS
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl import prim, windows
from anvl.dialect.core.errors import TraceError
from anvl.dialect.core.params.window_params import ConvDims

DRAW = np.random.default_rng(5)
IMAGES, KERNEL = DRAW.normal(size=(2, 6, 5, 4)), DRAW.normal(size=(3, 2, 4, 6))
NHWC = ConvDims(0, 3, (1, 2), 2, 3, (0, 1), 0, 3, (1, 2))


def reference(x, kernel, dims=NHWC, **given):
    plain = {
        "window_strides": (1, 1), "padding": ((0, 0), (0, 0)), "lhs_dilation": (1, 1),
        "rhs_dilation": (1, 1), "window_reversal": (False, False), "dimension_numbers": dims,
        "feature_group_count": 1, "batch_group_count": 1,
    }  # fmt: skip
    return WINDOWS["convolution"](x, kernel, **plain | given)


def close(found, expected, rtol=rounding(PROGRAM)):
    assert found.shape == expected.shape
    np.testing.assert_allclose(np.asarray(found), expected, rtol=rtol, atol=rtol)


def slope_is_the_difference(f, *xs):
    """The gradients of sum(f * weights), along random directions, are central differences."""
    draw = np.random.default_rng(1)
    ts = [draw.normal(size=x.shape) for x in xs]
    w = draw.normal(size=anvl.eval_shape(f, *xs).shape)
    run = anvl.jit(lambda *xs: anp.sum(f(*xs) * w))
    at = [run(*(x + s * t for x, t in zip(xs, ts, strict=True))).item() for s in (1e-5, -1e-5)]
    slopes = anvl.jit(anvl.grad(run, wrt=tuple(range(len(xs)))))(*xs)
    found = sum(np.sum(np.asarray(g) * t) for g, t in zip(slopes, ts, strict=True))
    assert abs(found - (at[0] - at[1]) / 2e-5) < 1e-7 * max(1, abs(found))


# -- convolution -----------------------------------------------------------------------------------


def test_a_convolution_is_a_sum_over_windows():
    patches = sliding_window_view(IMAGES, (3, 2), (1, 2))
    close(windows.conv(IMAGES, KERNEL), np.einsum("nijchw,hwco->nijo", patches, KERNEL))


@pytest.mark.parametrize(
    ("given", "op"),
    [
        ({"strides": 2}, {"window_strides": (2, 2)}),
        ({"padding": ((1, 2), (-1, 3))}, {"padding": ((1, 2), (-1, 3))}),
        ({"padding": "SAME"}, {"padding": ((1, 1), (0, 1))}),
        ({"padding": "SAME", "strides": 4, "dilation": 2},
         {"window_strides": (4, 4), "rhs_dilation": (2, 2), "padding": ((1, 2), (1, 1))}),
        ({"dilation": (2, 3)}, {"rhs_dilation": (2, 3)}),
        ({"input_dilation": (2, 1)}, {"lhs_dilation": (2, 1)}),
        ({"precision": "HIGHEST"}, {}),
    ],
)  # fmt: skip
def test_strides_paddings_and_dilations(given, op):
    close(windows.conv(IMAGES, KERNEL, **given), reference(IMAGES, KERNEL, **op))
    close(anvl.jit(lambda x, k: windows.conv(x, k, **given))(IMAGES, KERNEL),
          reference(IMAGES, KERNEL, **op))  # fmt: skip


def test_groups():
    kernel = KERNEL[:, :, :2]
    close(windows.conv(IMAGES, kernel, groups=2), reference(IMAGES, kernel, feature_group_count=2))
    close(
        windows.conv(IMAGES, KERNEL, batch_groups=2), reference(IMAGES, KERNEL, batch_group_count=2)
    )


def test_layouts():
    expected = reference(IMAGES, KERNEL)
    x, kernel = IMAGES.transpose(0, 3, 1, 2), KERNEL.transpose(3, 2, 0, 1)
    found = windows.conv(x, kernel, layout=("NCHW", "OIHW"))
    close(found, expected.transpose(0, 3, 1, 2))
    close(windows.conv(x, kernel, layout=("NCHW", "OIHW", "NHWC")), expected)
    found = windows.conv(x, KERNEL.transpose(1, 0, 2, 3), layout=("NCHW", "WHIO"))
    close(found, expected.transpose(0, 3, 1, 2))
    row = DRAW.normal(size=(2, 7, 3)), DRAW.normal(size=(3, 3, 2))
    close(windows.conv(*row)[..., 0], windows.conv(row[0], row[1][..., :1])[..., 0])
    close(windows.conv(np.ones((2, 3)), np.ones((3, 4))), np.full((2, 4), 3.0))
    assert windows.conv(np.ones((1, 3, 3, 3, 2)), np.ones((2, 2, 2, 2, 5))).shape == (1, 2, 2, 2, 5)


def test_operands_are_promoted():
    assert windows.conv(IMAGES.astype("f4"), np.ones((1, 1, 4, 1), "i4")).dtype == np.float32


def test_the_gradient_of_a_convolution():
    def f(x, kernel):
        y = windows.conv(x, kernel, strides=(2, 1), padding="SAME", dilation=(1, 2))
        return anp.sin(windows.conv(y, kernel[:1, :1, :2], groups=3, layout=("NHWC", "HWIO")))

    slope_is_the_difference(f, IMAGES, KERNEL)


# -- pools and windows -----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", "u1", "?"])
def test_pools(dtype):
    x = (IMAGES * 5).astype(dtype)
    patches = sliding_window_view(x, (2, 3), (1, 2))[:, ::2, ::3]
    found = windows.max_pool(x, (2, 3), axes=(1, 2))
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(np.asarray(found), patches.max((-1, -2)))
    mean = windows.mean_pool(x, (3, 2), axes=(2, 1))
    close(mean.astype("f8"), patches.astype("f8").mean((-1, -2)), rounding(8, mean))


def test_what_is_padded_does_not_count():
    x = np.asarray([[-1.0, -5.0, -3.0]])
    assert windows.max_pool(x, 2, padding="SAME", axes=1).tolist() == [[-1.0, -3.0]]
    assert windows.mean_pool(x, 2, padding="SAME", axes=1).tolist() == [[-3.0, -3.0]]
    assert windows.max_pool(x, 2, strides=1, padding=[(1, 0)], axes=-1).tolist() == [[-1, -1, -3]]


@pytest.mark.parametrize("pool", [windows.max_pool, windows.mean_pool])
def test_a_pool_slides_over_the_spatial_axes_of_its_layout_and_over_nothing_else(pool):
    """The batch of 1 and the 3 channels stay: neither is pooled, nor lost as smaller than 2."""
    draw = np.random.default_rng(3)
    x = draw.normal(size=(1, 6, 7, 3))
    reduce = np.max if pool is windows.max_pool else np.mean
    expected = reduce(sliding_window_view(x, (2, 3), (1, 2))[:, ::2, ::3], (-1, -2))
    turned = x.transpose(0, 3, 1, 2)

    def all_at_once(x, turned):
        alike = [pool(x, (2, 3)), pool(x, (1, 2, 3, 1)), pool(x, (2, 3), layout="NHWC"),
                 pool(x, (2, 3), axes=(1, 2)), pool(x[..., None], (2, 3, 1))[..., 0],
                 pool(turned, (2, 3), layout="NCHW").transpose(0, 2, 3, 1),
                 pool(x[0], (2, 3), layout="HWC")[None],
                 pool(x[0, :, :, 1], (2, 3))[None, :, :, None]]  # fmt: skip
        return alike, pool(x, 2), pool(x[0], 2), pool(x[0, :, 0, 0], 3), pool(x[0], 2, layout="HWC")

    alike, image, signal, plain, shapes_only = anvl.jit(all_at_once)(x, turned)
    for found in alike[:-1]:
        close(found, expected)
    close(alike[-1][..., 0], expected[..., 1])
    close(image, reduce(sliding_window_view(x, (2, 2), (1, 2))[:, ::2, ::2], (-1, -2)))
    close(signal, reduce(sliding_window_view(x[0], 2, 1)[:, ::2], -1))
    close(plain, reduce(x[0, :, 0, 0].reshape(2, 3), -1))
    assert shapes_only.shape == (3, 3, 3)
    assert windows.max_pool(np.ones((4, 8, 8, 3)), 2).shape == (4, 4, 4, 3)


def test_windows_of_empty_arrays():
    """A window of one element is not larger than an axis without elements; SAME always fits."""
    assert windows.max_pool(np.ones((0, 4, 4, 3)), (1, 2, 2, 1)).shape == (0, 2, 2, 3)
    assert windows.mean_pool(np.ones((2, 0, 4, 3)), 2, padding="SAME").shape == (2, 0, 2, 3)
    assert windows.max_pool(np.ones((2, 1, 4, 3)), 2, padding=((1, 0), (0, 0))).shape[1] == 1


def test_any_body():
    x = np.abs(IMAGES[0, :, :, 0])
    patches = sliding_window_view(x, (2, 2))
    found = windows.reduce_window(x, lambda best, x: anp.hypot(best, x), 0.0, 2)
    close(found, np.sqrt((patches**2).sum((-1, -2))))
    close(windows.reduce_window(x, anp.minimum, np.inf, 2), patches.min((-1, -2)))
    close(windows.reduce_window(x, prim.mul, 1, (1, 2), dilation=2),
          x[:, :-2] * x[:, 2:])  # fmt: skip


def test_the_gradients_of_windows():
    x = np.abs(IMAGES[0, :, :, 0]) + 0.1
    slope_is_the_difference(lambda x: windows.max_pool(x, (2, 2), strides=1), x)
    slope_is_the_difference(lambda x: windows.mean_pool(x, 2, padding="SAME"), x)
    slope_is_the_difference(
        lambda x: windows.reduce_window(x, lambda a, b: a + b + a * b, 0.0, 2), x
    )


# -- bodies ----------------------------------------------------------------------------------------


def test_bodies_are_functions_of_numbers():
    x = np.arange(1.0, 7.0).reshape(2, 3)
    total = prim.reduce(x, np.float64(0), dimensions=(1,), body=lambda a, b: anp.logaddexp(a, b))
    close(total[0], np.logaddexp.reduce(x, axis=1, initial=0))
    flags = prim.map(x, dimensions=(0, 1), computation=lambda v: v > 2, dtype="bool")
    assert flags.tolist() == (x > 2).tolist()
    (found,) = prim.sort(
        x, dimension=1, is_stable=True, comparator=lambda a, b: anp.abs(a - 2) > anp.abs(b - 2)
    )
    assert found.tolist() == [[1.0, 3.0, 2.0], [6.0, 5.0, 4.0]]
    twice = prim.map(x, dimensions=(0, 1), computation=lambda v: 2, dtype="f64")
    assert twice.tolist() == [[2.0] * 3] * 2


def test_a_body_may_ask_for_a_derivative_and_call_a_jitted_function():
    x = np.asarray([0.3, 1.2])
    square = anvl.jit(lambda v: v * v * 0.5)

    def f(x):
        def slope(v):
            return anvl.grad(lambda u: anp.sin(u) * u)(v) + square(v)

        return prim.map(x, dimensions=(0,), computation=slope, dtype="f64")

    close(f(x), np.cos(x) * x + np.sin(x) + x * x / 2)
    close(anvl.jit(f)(x), np.asarray(f(x)))
    slope_is_the_difference(f, x)


def test_a_body_is_differentiated():
    x = np.asarray([0.5, 1.5, -0.3])

    def f(x):
        def body(a, b):
            return a + b + 0.5 * a * b

        return prim.reduce(x, np.float64(0), dimensions=(0,), body=body)[0]

    slope_is_the_difference(f, x)


ARRAY = anp.ones(())
MAP = {"dimensions": (0,), "dtype": "f64"}


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda x: prim.map(x, computation=3, **MAP), TypeError, "computation is 3; it must be"),
        (lambda x: prim.map(x, computation=lambda v: v > 0, **MAP), TypeError,
         r"map: computation returns tensor<i1> but must return tensor<f64>"),
        (lambda x: prim.map(x, computation=lambda v: "x", **MAP), TypeError,
         "map: computation: takes arrays and numbers, got 'x' of type str"),
        (lambda x: prim.map(x, computation=lambda v: v * x[0], **MAP), TraceError,
         r"map: computation <lambda> closes over a traced value f64\[.*; pass it as one more"),
        (lambda x: prim.map(x, computation=lambda v: v * ARRAY, **MAP), TraceError,
         r"map: computation <lambda> closes over an array f32\[\]; use a Python number"),
        (lambda x: prim.map(x, computation=lambda v: v if v > 0 else -v, **MAP), TraceError,
         "`if`, .* needs the value of an array"),
    ],
)  # fmt: skip
def test_bad_bodies_are_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        anvl.jit(call)(np.ones(2))


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda w, x: w.conv(x, x[..., 0]), TypeError, "conv: the kernel is .* layout is 'HWIO'"),
        (lambda w, x: w.conv(x[0, 0, 0], x), ValueError, "conv: x is .* of 1 axes; .* by `layout`"),
        (lambda w, x: w.conv(x, x, layout=("NHW", "HWIO")), ValueError, "conv: layout 'NHW' must"),
        (lambda w, x: w.conv(x, x, layout=("NHWC", "HWDO")), ValueError, "'HWDO' must name I, O"),
        (lambda w, x: w.conv(x, x, layout=("NHWC",)), ValueError, "is not a pair or triple like"),
        (lambda w, x: w.conv(x, x, strides=0), ValueError, "conv: strides 0 must be positive"),
        (
            lambda w, x: w.conv(x, x, dilation=(1, 2, 3)),
            ValueError,
            r"conv: dilation .* number or 2",
        ),
        (lambda w, x: w.conv(x, x, padding="FULL"), ValueError, "conv: padding 'FULL' is neither"),
        (lambda w, x: w.conv(x, x, padding=((1, 1),)), ValueError, "conv: padding .* of 2 axes"),
        (lambda w, x: w.conv(x, x, groups=0), ValueError, "conv: groups 0 must be a positive"),
        (lambda w, x: w.conv(x, x[:, :, :1]), ValueError, "conv: the kernel .* takes 1 feature"),
        (lambda w, x: w.max_pool(x * 1j, 2), TypeError, "max_pool: c128.* is complex"),
        (lambda w, x: w.max_pool(x, 2, axes=4), ValueError, "max_pool: axis 4 is out of range"),
        (lambda w, x: w.mean_pool(x, (2, 2, 2)), ValueError,
         r"mean_pool: sizes \(2, 2, 2\) must be one number, 2 for the spatial axes, or 4 for all"),
        (lambda w, x: w.mean_pool(x, 3), ValueError,
         r"mean_pool: a window that spans 3 elements is larger than axis 1 of f64\[2,2,2,2\], "
         "which has 2; slide"),
        (lambda w, x: w.max_pool(x, 2, dilation=3, padding=[(0, 1)] * 2), ValueError,
         "max_pool: a window that spans 4 .* which has 2, padded by 0 and 1"),
        (lambda w, x: w.reduce_window(x[0, 0], anp.add, 0, (2, 4)), ValueError,
         r"reduce_window: a window that spans 4 .* axis 1 of f64\[2,2\]"),
        (lambda w, x: w.max_pool(x, 2, layout="NHW"), ValueError, "'NHW' names 3 axes, x is f64"),
        (lambda w, x: w.max_pool(x, 2, layout="NHHC"), ValueError, "'NHHC' is not a text of diff"),
        (lambda w, x: w.max_pool(x, 2, layout=("NHWC", "HWIO")), ValueError, "is not a text of"),
        (lambda w, x: w.max_pool(x[0, 0], 2, layout="NC"), ValueError, "names no axis to slide"),
        (lambda w, x: w.max_pool(x, 2, layout="NHWC", axes=1), ValueError, "axes 1 and layout"),
        (lambda w, x: w.max_pool(x[None, None], 2), ValueError, "of 6 axes; for other than 1 to 5"),
        (lambda w, x: w.max_pool(x[0, 0, 0, 0], 2), ValueError, "of 0 axes; for other than 1 to"),
        (lambda w, x: w.reduce_window(x, anp.add, "0", 2), TypeError,
         r"reduce_window: start is '0'; for x, which is f64\[2,2,2,2\], it must be one number"),
        (lambda w, x: w.reduce_window(x, anp.add, 1j, 2), TypeError, "start is 1j; for x, which"),
        (lambda w, x: w.reduce_window(x, anp.add, np.zeros(2), 2), TypeError, "must be one number"),
        (lambda w, x: anvl.jit(lambda y, s: w.reduce_window(y, anp.add, s, 2))(x, 0.0), TypeError,
         r"start is a traced f32\?\[\]; it is the identity of the body, which is a number"),
        (lambda w, x: w.reduce_window(x, "add", 0, 2), TypeError, "reduce_window: body is 'add'"),
        (lambda w, x: w.reduce_window(x, anp.less, 0, 2), TypeError, "reduce_window: body returns"),
    ],
)  # fmt: skip
def test_bad_windows_are_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call(windows, anp.asarray(np.ones((2, 2, 2, 2))))


@pytest.mark.parametrize("start", [anp.asarray(-np.inf), np.asarray(-np.inf), np.float32(-np.inf)])
def test_the_start_of_a_window_may_be_an_array_of_one_that_is_known(start):
    def f(x):
        return windows.reduce_window(x, anp.maximum, start, 2)

    x = np.asarray([3.0, 1.0, 2.0])
    assert f(x).tolist() == anvl.jit(f)(x).tolist() == [3.0, 2.0]
    assert anvl.grad(lambda x: anp.sum(f(x) * anp.asarray([1.0, 10.0])))(x).tolist() == [1, 0, 10]


FACTOR = {"of": 1.0}


def scaled_sum(a, b):
    return a + FACTOR["of"] * b


def ordered(a, b):
    return FACTOR["of"] * a < FACTOR["of"] * b


BODIES = {
    "windows": lambda x: windows.reduce_window(x, scaled_sum, 0.0, 2),
    "prim.reduce_window": lambda x: prim.reduce_window(
        x, anp.asarray(0.0, "f8"), body=scaled_sum, window_dimensions=(2,), window_strides=(1,),
        window_dilations=(1,), padding=((0, 0),),
    )[0],
    "prim.reduce": lambda x: prim.reduce(
        x, anp.asarray(0.0, "f8"), body=scaled_sum, dimensions=(0,)
    ),
    "prim.sort": lambda x: prim.sort(
        x, comparator=ordered, dimension=0, is_stable=True
    )[0],
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_a_body_reads_what_it_closes_over_at_each_call(name):
    f, x = BODIES[name], anp.asarray(np.arange(3.0))
    try:
        before = f(x), f(x)
        FACTOR["of"] = -2.0
        after, expected = f(x), anvl.jit(f)(x)
    finally:
        FACTOR["of"] = 1.0
    assert np.array_equal(after, expected) and not np.array_equal(after, before[0])
