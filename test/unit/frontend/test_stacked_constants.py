"""Captured arrays that a program stacks are stacked once, when it is compiled."""

import numpy as np
import pytest
from eight_devices import over
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp

WEIGHTS = [np.linspace(-0.5, 0.5 + k / 20, 9).reshape(3, 3) for k in range(10)]


def layers(weights):
    def f(x):
        for w in weights:
            x = anp.tanh(x @ w)
        return anp.sum(x)

    return f


def hoisted(lowered):
    """The leading arguments of the program, and the ops that put arrays together."""
    text = lowered.mlir("constants")
    (main,) = (line for line in text.splitlines() if "func.func @main(" in line)
    return main.count("anvl.captured ="), text.count("stablehlo.concatenate")


@pytest.mark.parametrize("put", [lambda x: x, anvl.device_put], ids=["numpy", "device"])
def test_the_weights_of_rolled_layers_are_one_argument(put):
    weights, x = [put(w) for w in WEIGHTS], np.ones((2, 3))
    rolled = anvl.jit(anvl.value_and_grad(layers(weights)), roll=True)
    lowered = rolled.lower(x)
    assert hoisted(lowered) == (1, 0)
    np.testing.assert_array_equal(lowered.constants()["c1"], np.stack(WEIGHTS))
    unrolled = anvl.jit(anvl.value_and_grad(layers(weights)), roll=False)
    for found in (rolled(x), lowered.compile()(x)):
        for one, other in zip(found, unrolled(x), strict=True):
            np.testing.assert_allclose(one, other, rtol=rounding(PROGRAM))


def test_a_stack_of_ones_own_is_put_together_once_too():
    f = anvl.jit(lambda x: anp.stack(WEIGHTS)[1] @ x + anp.stack(WEIGHTS)[2] @ x)
    x = np.arange(3.0)
    assert hoisted(f.lower(x)) == (1, 0)
    np.testing.assert_allclose(f(x), (WEIGHTS[1] + WEIGHTS[2]) @ x, rtol=rounding(PROGRAM))


def test_other_arrays_are_put_together_in_the_call():
    w = WEIGHTS[0]
    by_argument = anvl.jit(lambda x: anp.sum(anp.stack([w, x])))
    along_another_axis = anvl.jit(lambda x: x * anp.sum(anp.stack(WEIGHTS, axis=1)))
    in_a_row = anvl.jit(lambda x: x * anp.sum(anp.concatenate(WEIGHTS)))
    assert hoisted(by_argument.lower(w)) == (1, 1)
    assert hoisted(along_another_axis.lower(1.0)) == (10, 1)
    assert hoisted(in_a_row.lower(1.0)) == (10, 1)


@pytest.mark.parametrize(
    ("joined", "shape", "count"),
    [
        (lambda x: anp.concatenate([anp.expand_dims(w, 0) for w in WEIGHTS], axis=1), (1,), 10),
        (lambda x: anp.concatenate([anp.reshape(w, 9) for w in WEIGHTS]), (1,), 10),
        (lambda x: anp.concatenate([anp.expand_dims(WEIGHTS[0], 0), x]), (1, 3, 3), 1),
    ],
)
def test_what_is_joined_in_another_way_is_no_stack(joined, shape, count):
    lowered = anvl.jit(lambda x: anp.sum(joined(x)) * x).lower(np.ones(shape))
    assert hoisted(lowered) == (count, 1)


def test_an_array_that_changes_in_place_is_stacked_anew():
    weights = [w.copy() for w in WEIGHTS]
    f = anvl.jit(layers(weights), roll=True)
    x = np.ones((2, 3))
    before = float(f(x))
    weights[3] *= 2
    expected = anvl.jit(layers(weights), roll=False)(x)
    assert float(f(x)) == pytest.approx(float(expected), rel=rounding(PROGRAM))
    assert float(f(x)) != before


def test_a_file_holds_each_array_once(tmp_path):
    f, x = anvl.jit(layers(WEIGHTS), roll=True), np.ones((2, 3))
    program = anvl.export(f, x)
    program.save(tmp_path / "layers.anvl")
    loaded = anvl.load(tmp_path / "layers.anvl")
    assert float(loaded(x)) == pytest.approx(float(f(x)), rel=rounding(PROGRAM))
    assert len(program.constants) == len(WEIGHTS)


def test_donated_arguments_are_as_they_were():
    f, x = layers(WEIGHTS), anvl.device_put(np.ones((2, 3)))
    step = anvl.jit(lambda x: x - anvl.grad(f)(x), donate="x", roll=True)
    expected = anvl.jit(lambda x: x - anvl.grad(f)(x), roll=False)(x)
    np.testing.assert_allclose(step(x), expected, rtol=rounding(PROGRAM))
    assert x.is_deleted()


def test_arrays_over_a_mesh_stay_where_they_are():
    weights = [anvl.device_put(np.full((4, 4), k / 64), over("x")) for k in range(10)]
    x = anvl.device_put(np.ones((2, 4)), over())
    lowered = anvl.jit(layers(weights), roll=True).lower(x)
    assert hoisted(lowered) == (10, 1)
    expected = layers([np.asarray(w) for w in weights])(np.ones((2, 4)))
    np.testing.assert_allclose(lowered.compile()(x), expected, rtol=rounding(PROGRAM))
