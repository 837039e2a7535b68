"""Loss scales: how they grow and shrink, and that they keep gradients of f16 from becoming 0."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl import optim


def test_it_grows_after_a_period_and_shrinks_at_once():
    scale = optim.dynamic_loss_scale(8.0, period=3, growth=4.0, least=1.0)
    seen = []
    for is_finite in (True, True, True, True, False, False, True, True, False, True):
        scale = scale.adjust(is_finite)
        seen.append((float(scale.loss_scale), int(scale.good_steps)))
    assert seen == [
        (8, 1),
        (8, 2),
        (32, 0),
        (32, 1),
        (8, 0),
        (2, 0),
        (2, 1),
        (2, 2),
        (1, 0),
        (1, 1),
    ]


def test_it_does_not_grow_beyond_f32():
    scale = optim.dynamic_loss_scale(2.0**127, period=1)
    assert scale.adjust(True).loss_scale == 2.0**127


def test_a_static_one_stays():
    scale = optim.static_loss_scale(64.0)
    for is_finite in (True, False):
        assert scale.adjust(is_finite).loss_scale == 64.0


def test_values_keep_their_dtypes():
    values = {"a": np.ones(2, "f2"), "b": np.full(3, 2.0, "f4")}
    scale = optim.static_loss_scale(4.0)
    scaled = scale.scale(values)
    assert scaled["a"].dtype == np.float16 and scaled["b"].dtype == np.float32
    np.testing.assert_array_equal(scaled["b"], [8, 8, 8])
    np.testing.assert_array_equal(scale.unscale(scaled)["a"], values["a"])


def test_all_finite_looks_at_all_leaves():
    assert optim.all_finite({"a": np.ones(3), "n": np.arange(3)})
    assert optim.all_finite({})
    for bad in (np.inf, -np.inf, np.nan):
        assert not optim.all_finite([np.ones(3), np.asarray([1.0, bad])])


def test_small_gradients_of_f16_are_lost_without_it():
    x = np.full((1, 4), 1e-4, "f4")

    def loss(w):
        return anp.sum(anvl.mixed_precision(lambda w: x @ w, dtype="f16")(w)) * 1e-4

    w = np.ones((4, 1), "f4")
    scale = optim.static_loss_scale(2.0**15)
    plain, scaled = anvl.jit(
        lambda w: (anvl.grad(loss)(w), scale.unscale(anvl.grad(lambda w: scale.scale(loss(w)))(w)))
    )(w)
    np.testing.assert_array_equal(plain, 0)
    np.testing.assert_allclose(scaled, 1e-8, rtol=2e-3)


def test_a_step_with_infinite_gradients_is_left_out():
    optimizer = optim.apply_if_finite(optim.sgd(0.5), 10)
    loss = anvl.mixed_precision(lambda w: anp.sum(w @ w), dtype="f16")

    @anvl.jit
    def step(w, state, scale):
        gradient = scale.unscale(anvl.grad(lambda w: scale.scale(loss(w)))(w))
        updates, state = optimizer.update(gradient, state, w)
        scale = scale.adjust(optim.all_finite(gradient))
        return optim.apply_updates(w, updates), state, scale

    w, scale = np.ones((1, 1), "f4"), optim.dynamic_loss_scale(2.0**17, period=2)
    state, seen = optimizer.init(w), []
    for _ in range(4):
        w, state, scale = step(w, state, scale)
        seen.append((float(w[0, 0]), float(scale.loss_scale)))
    assert seen[0] == (1.0, 2.0**16)  # 2 w of 2**17 is infinite in f16
    assert seen[-1][0] == 0.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: optim.static_loss_scale(0),
            "static_loss_scale: loss_scale is 0; it must be a pos",
        ),
        (lambda: optim.static_loss_scale(np.inf), "static_loss_scale: loss_scale is inf"),
        (lambda: optim.dynamic_loss_scale(-1.0), "dynamic_loss_scale: loss_scale is -1.0"),
        (lambda: optim.dynamic_loss_scale(period=0), "period is 0; it must be at least 1 step"),
        (lambda: optim.dynamic_loss_scale(period=1.5), r"period is 1\.5; .* a whole number"),
        (lambda: optim.dynamic_loss_scale(growth=1.0), "growth is 1.0; it must be a finite number"),
        (lambda: optim.dynamic_loss_scale(least=0.0), "dynamic_loss_scale: least is 0.0"),
    ],
)
def test_factors_that_cannot_be(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("given", [{"loss_scale": "x"}, {"growth": None}, {"least": [1.0]}])
def test_what_is_no_number_is_refused(given):
    (what,) = given
    with pytest.raises(TypeError, match=f"dynamic_loss_scale: {what} is .*; it must be a number"):
        optim.dynamic_loss_scale(**given)
