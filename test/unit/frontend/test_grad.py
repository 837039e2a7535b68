"""`grad` and `value_and_grad`: their structure, their nesting, their errors."""

import functools

import numpy as np
import pytest
from tolerances import ITERATION, PROGRAM, rounding

import anvl
import anvl.numpy as anp


def close(found, expected, rtol=rounding(ITERATION)):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=rtol, atol=rounding(PROGRAM))


# The structure of the result


def f(params, x, scale=1.0):
    return anp.sum(anp.tanh(x @ params["w"]) * params["b"]) * scale


PARAMS = {"w": np.arange(6.0).reshape(3, 2) / 6, "b": np.asarray([1.0, -2.0])}
X = np.linspace(-1, 1, 12).reshape(4, 3)
INNER = np.tanh(X @ PARAMS["w"])
D_B = INNER.sum(axis=0)
D_W = X.T @ ((1 - INNER**2) * PARAMS["b"])
D_X = ((1 - INNER**2) * PARAMS["b"]) @ PARAMS["w"].T
VALUE = np.sum(INNER * PARAMS["b"])


def test_the_gradient_has_the_structure_of_wrt():
    slope = anvl.grad(f)(PARAMS, X)
    assert set(slope) == {"w", "b"}
    close(slope["w"], D_W), close(slope["b"], D_B)


@pytest.mark.parametrize("wrt", [1, "x", -2])
def test_wrt_is_a_name_or_a_position(wrt):
    close(anvl.grad(f, wrt=wrt)(PARAMS, X), D_X)


@pytest.mark.parametrize("wrt", [("x", "params"), (1, 0), [1, "params"]])
def test_several_give_a_tuple_in_their_order(wrt):
    by_x, by_params = anvl.grad(f, wrt=wrt)(PARAMS, X)
    close(by_x, D_X), close(by_params["w"], D_W)


def test_one_in_a_tuple_gives_a_tuple():
    (slope,) = anvl.grad(f, wrt=("x",))(PARAMS, X)
    close(slope, D_X)


def test_the_value_comes_with_the_gradient():
    value, slope = anvl.value_and_grad(f, wrt="x")(PARAMS, X)
    close(value, VALUE), close(slope, D_X)
    value, (by_params, by_scale) = anvl.value_and_grad(f, wrt=(0, "scale"))(PARAMS, X, 2.0)
    close(value, 2 * VALUE, 1e-6), close(by_params["b"], 2 * D_B), close(by_scale, VALUE, 1e-6)


def test_keywords_and_defaults():
    close(anvl.grad(f, wrt="x")(PARAMS, x=X), D_X)
    close(anvl.grad(f, wrt="x")(x=X, params=PARAMS), D_X)
    close(anvl.grad(f, wrt="scale")(PARAMS, X, scale=3.0), VALUE, 1e-6)
    close(anvl.grad(lambda *, x: x * x, wrt="x")(x=3.0), 6.0)


def test_a_scalar_in_a_container_is_a_value_too():
    value, slope = anvl.value_and_grad(lambda x: [anp.sum(x * x)])(X)
    close(value[0], np.sum(X * X)), close(slope, 2 * X)


def test_none_and_empty_containers_have_empty_gradients():
    slope = anvl.grad(lambda p: p["x"] * 2)({"x": 1.0, "none": None, "empty": ()})
    assert slope["x"].item() == 2.0
    assert (slope["none"], slope["empty"]) == (None, ())


def test_as_a_decorator():
    @anvl.grad
    def square(x):
        return x * x

    @anvl.value_and_grad(wrt="y")
    def product(x, y):
        return x * y

    assert square(3.0).item() == 6.0
    assert [v.item() for v in product(3.0, 4.0)] == [12.0, 3.0]
    assert square.__name__ == "square"


def test_dtype_and_weakness_are_those_of_the_argument():
    for x in (np.float16(2), np.float32(2), np.float64(2)):
        assert anvl.grad(lambda x: x * x)(x).dtype == x.dtype
    assert anvl.grad(lambda x: anp.sum(x * np.ones(2)))(np.ones(2, "f4")).dtype == np.float32
    assert anvl.grad(lambda x: x * x)(3.0).weak_type


def test_what_does_not_matter_has_a_gradient_of_zeros():
    assert anvl.grad(lambda x, y: y)(np.ones(2), 1.0).tolist() == [0.0, 0.0]
    assert anvl.grad(lambda x: 3.0)(1.0).item() == 0.0
    assert anvl.grad(lambda x: anp.sum(anp.floor(x)))(X).tolist() == np.zeros((4, 3)).tolist()
    assert anvl.grad(lambda x: x.astype("i32").astype("f32"))(1.5).item() == 0.0


def test_arrays_of_size_zero_and_axes_of_size_one():
    assert anvl.grad(anp.sum)(np.zeros((2, 0))).shape == (2, 0)
    assert anvl.grad(lambda x: anp.sum(x + np.ones((3, 2))))(np.ones((1, 2))).tolist() == [
        [3.0, 3.0]
    ]


# Nesting


def test_derivatives_to_the_third_order():
    orders = [anp.sin]
    for _ in range(3):
        orders.append(anvl.grad(orders[-1]))
    for derivative, expected in zip(
        orders, [np.sin, np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x)], strict=True
    ):
        close(derivative(np.float64(0.7)), expected(0.7))
        close(anvl.jit(derivative)(np.float64(0.7)), expected(0.7))


def test_third_derivatives_of_a_polynomial_of_an_array():
    def third(x):
        return anvl.grad(
            lambda x: anp.sum(
                anvl.grad(lambda x: anp.sum(anvl.grad(lambda x: anp.sum(x**4))(x)))(x)
            )
        )(x)

    close(third(X), 24 * X)


def test_grad_of_jit_and_jit_of_grad_and_both_inside_of_jit():
    expected = D_X
    for derivative in (
        anvl.grad(anvl.jit(f), wrt=1),
        anvl.jit(anvl.grad(f, wrt=1)),
        anvl.jit(anvl.grad(anvl.jit(f), wrt="x")),
        anvl.jit(lambda p, x: anvl.grad(lambda x: anvl.jit(f)(p, x))(x)),
        anvl.jit(lambda p, x: anvl.jit(anvl.grad(f, wrt=1))(p, x)),
    ):
        close(derivative(PARAMS, X), expected)


def test_a_gradient_inside_of_a_function_that_is_differentiated():
    def penalty(x):
        slope = anvl.grad(lambda y: anp.sum(anp.sin(y) * x))(x)  # x cos x
        return anp.sum(slope**2)

    x = np.asarray([0.5, 1.0])
    expected = 2 * x * np.cos(x) * (np.cos(x) - x * np.sin(x))
    close(anvl.grad(penalty)(x), expected)
    close(anvl.jit(anvl.grad(anvl.jit(penalty)))(x), expected)


def test_what_is_closed_over_has_its_derivative():
    def f(x):
        def inner(y):
            return x * y * y

        return anvl.grad(inner)(x)  # 2 x y at y = x

    close(anvl.grad(f)(np.float64(3)), 12.0)


def test_the_same_function_differentiated_twice_at_other_types():
    g = anvl.grad(lambda x: anp.sum(x * x))
    h = anvl.jit(lambda x, y: (g(x), g(y), g(x)))
    found = h(X, np.float32(3))
    close(found[0], 2 * X), close(found[1], 6), close(found[2], 2 * X)


def test_perturbations_of_nested_derivatives_are_not_confused():
    # d/dx (x * d/dy (x + y)) is 1: the inner derivative must not see the outer variable.
    assert anvl.grad(lambda x: x * anvl.grad(lambda y: x + y)(1.0))(1.0).item() == 1.0
    assert anvl.grad(lambda x: x * anvl.grad(lambda y: x * y)(x))(3.0).item() == 6.0


def test_the_gradient_of_a_method_and_of_a_partial():
    class Model:
        def loss(self, x):
            return x * x

    assert anvl.grad(Model().loss)(3.0).item() == 6.0
    assert anvl.grad(functools.partial(f, PARAMS))(X).shape == X.shape


def test_flags_and_other_plain_values_reach_the_function_as_they_are():
    def f(x, mode, train=True, options=None):
        assert (mode, options) == ("double", {"names": ["a", None]})
        return x * 2 if train else x

    options = {"names": ["a", None]}
    assert anvl.grad(f)(1.0, "double", options=options).item() == 2.0
    assert anvl.grad(f)(1.0, "double", False, options).item() == 1.0
    g = anvl.jit(anvl.grad(f), static=("mode", "train", "options"))
    with pytest.raises(TypeError, match="static argument options"):
        g(1.0, "double", train=False, options=options)
    h = anvl.jit(lambda x: anvl.grad(f)(x, "double", False, options))
    assert h(1.0).item() == 1.0


def test_a_flag_where_a_gradient_is_asked_for_is_refused_by_its_path():
    with pytest.raises(TypeError, match=r"grad: p\['train'\] of f is True; only floats have"):

        def f(p):
            return p["x"] * 2

        anvl.grad(f)({"x": 1.0, "train": True})


def test_grad_of_grad_wrt_different_arguments():
    mixed = anvl.grad(anvl.grad(lambda x, y: anp.sin(x * y)), wrt=1)
    x, y = np.float64(0.3), np.float64(2.0)
    close(mixed(x, y), np.cos(x * y) - x * y * np.sin(x * y))


def test_a_function_of_python_control_flow_and_loops():
    def f(x, n):
        for i in range(len(n)):
            x = x * x if i % 2 else anp.sin(x)
        return x

    x = np.float64(0.4)
    close(anvl.grad(f)(x, [0, 0, 0]), 2 * np.sin(x) * np.cos(x) * np.cos(np.sin(x) ** 2))


def test_eager_gradients_follow_what_the_function_closes_over():
    scale = [2.0]
    slope = anvl.grad(lambda x: scale[0] * x)
    assert slope(1.0).item() == 2.0
    scale[0] = 5.0
    assert slope(1.0).item() == 5.0


# Complex numbers


def test_a_real_function_of_a_complex_variable():
    z = np.complex128(1 + 2j)
    found = anvl.grad(lambda z: anp.real(z * z))(z)
    close(found, 2 * z)  # pairs as Re(g dz), so this is the derivative itself
    assert found.dtype == np.complex128


# Errors


@pytest.mark.parametrize("transform", [anvl.grad, anvl.value_and_grad])
class TestErrors:
    def test_a_target_that_is_no_scalar(self, transform):
        with pytest.raises(
            TypeError, match=r"_?<?lambda>?_? returns f64\[2\], not one float scalar; reduce it"
        ):
            transform(lambda x: x)(np.ones(2))

    def test_several_results(self, transform):
        with pytest.raises(TypeError, match=r"returns f32\?\[\], f32\?\[\], not one float scalar"):
            transform(lambda x: (x, x))(1.0)

    def test_no_result(self, transform):
        with pytest.raises(TypeError, match="returns nothing, not one float scalar"):
            transform(lambda x: None)(1.0)

    @pytest.mark.parametrize("to", ["i32", "bool", "c64"])
    def test_a_target_that_is_no_float(self, transform, to):
        with pytest.raises(TypeError, match=f"returns {to}, which has no real derivative"):
            transform(lambda x: x.astype(to))(1.0)

    @pytest.mark.parametrize("x", [1, np.True_, np.int64(3), np.arange(2)])
    def test_an_argument_that_is_no_float(self, transform, x):
        with pytest.raises(
            TypeError, match=r"x of \w+ is \w+\??\[2?\]; only floats have a derivative"
        ):

            def f(x):
                return anp.sum(x) * 1.0

            transform(f)(x)

    def test_a_leaf_that_is_no_float_is_named(self, transform):
        def f(params):
            return params["w"] * 1.0

        with pytest.raises(TypeError, match=r"params\['n'\]\[0\] of f is i32\?\[\]; only floats"):
            transform(f)({"w": 1.0, "n": [3]})

    @pytest.mark.parametrize(
        ("wrt", "kind", "message"),
        [
            ("z", ValueError, "wrt 'z' names nothing of f; there are the arguments x, y"),
            (2, ValueError, "wrt: f has no argument 2"),
            ((), ValueError, "wrt names no argument of f"),
            ((0, "x"), ValueError, "names an argument of f twice"),
            (1.5, TypeError, "1.5 is neither the name of an argument nor its position"),
            (None, TypeError, "None is neither"),
        ],
    )
    def test_wrt_that_is_not_there(self, transform, wrt, kind, message):
        def f(x, y):
            return x

        with pytest.raises(kind, match=message):
            transform(f, wrt=wrt)(1.0, 1.0)

    def test_an_argument_of_wrt_that_was_not_passed(self, transform):
        def f(x, y=1.0):
            return x * y

        with pytest.raises(ValueError, match="argument 'y' of f is in wrt but was not passed"):
            transform(f, wrt="y")(1.0)

    def test_what_is_no_function(self, transform):
        with pytest.raises(TypeError, match=r"grad: takes a function, got 3 of type int"):
            transform(3)

    def test_an_argument_that_is_no_array(self, transform):
        with pytest.raises(TypeError, match=r"grad: x of <?lambda>?_? is 'a'; only floats"):
            transform(lambda x: x)("a")


def test_missing_rules_are_all_named_with_their_lines():
    def f(x):
        return anp.sum(anvl.prim.polygamma(x, x))

    with pytest.raises(anvl.MissingRule, match="polygamma"):
        anvl.grad(f)(np.ones(2))


def test_random_programs_have_the_slopes_of_their_differences():
    rng = np.random.default_rng(0)
    unary = [anp.sin, anp.tanh, anp.exp, lambda x: x * x, lambda x: anp.log1p(x * x), anp.sigmoid]
    binary = [anp.add, anp.multiply, anp.subtract, lambda a, b: a / (1 + b * b), anp.hypot]
    for _ in range(6):
        steps = [
            (rng.integers(2), rng.integers(6), rng.integers(5), *rng.integers(0, 99, 2))
            for _ in range(8)
        ]

        def program(x, steps=steps):
            known = [x, anp.flip(x), 0.5 * x]
            for is_unary, u, b, i, j in steps:
                left, right = known[i % len(known)], known[j % len(known)]
                known.append(
                    unary[u](anp.sin(left)) if is_unary else binary[b](left, anp.cos(right))
                )
            return anp.sum(known[-1] + known[-2])

        x, step = rng.uniform(-1, 1, 3), 1e-6
        run, slope = anvl.jit(program), np.asarray(anvl.jit(anvl.grad(program))(x))
        for i in range(3):
            up, down = x.copy(), x.copy()
            up[i] += step
            down[i] -= step
            difference = (run(up).item() - run(down).item()) / (2 * step)
            assert abs(slope[i] - difference) <= 1e-6 * max(1, abs(difference))
