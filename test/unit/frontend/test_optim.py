"""`anvl.optim`: numbers of optax, in every form of a training loop; and what is refused."""

import json
import re
from pathlib import Path

import numpy as np
import optax_cases
import pytest
from tolerances import FORMULA, rounding

import anvl
import anvl.numpy as anp
from anvl import optim

KNOWN = json.loads(Path(__file__).with_name("optax_numbers.json").read_text())


def loss(params):
    w, b = params["w"], params["b"]
    bowl = anp.sum(anp.sin(w) ** 2 * np.asarray([1.0, 3.0, 0.3]))
    return bowl + anp.sum(w) * b + (b - 0.7) ** 4


slopes = anvl.jit(anvl.grad(loss))


def taken(optimizer, params, steps, gradient=slopes):
    """Parameters after some eager steps."""
    state = optimizer.init(params)
    for _ in range(steps):
        updates, state = optimizer.update(gradient(params), state, params)
        params = optim.apply_updates(params, updates)
    return params


def flat(params):
    return [float(params["b"]), *map(float, params["w"])]


def test_each_case_has_numbers():
    for group, cases in (
        ("optimizers", optax_cases.CASES),
        ("schedules", optax_cases.SCHEDULES),
        ("losses", optax_cases.LOSSES),
    ):
        assert cases.keys() == KNOWN[group].keys()


# optax evaluates a schedule at an i32, in f32; the direction of L-BFGS adds up in another order.
ERRORS = {"schedule": 1e-8, "decay_schedule": 1e-8, "injected": 2e-8, "lbfgs_plain": 1e-12}


@pytest.mark.sweep(keep=6)
@pytest.mark.parametrize("name", optax_cases.CASES)
def test_an_optimizer_has_the_numbers_of_optax(name):
    with anvl.defaults(float="f64"):
        found = flat(taken(optax_cases.CASES[name](optim), optax_cases.START, 5))
    np.testing.assert_allclose(
        found, KNOWN["optimizers"][name], rtol=0, atol=ERRORS.get(name, 5e-14)
    )


@pytest.mark.parametrize("name", optax_cases.SCHEDULES)
def test_a_schedule_has_the_numbers_of_optax(name):
    schedule = optax_cases.SCHEDULES[name](optim)
    with anvl.defaults(float="f64"):
        found = schedule(np.arange(12, dtype="int32"))
    np.testing.assert_allclose(
        np.broadcast_to(found, 12), KNOWN["schedules"][name], rtol=0, atol=rounding(FORMULA)
    )


@pytest.mark.parametrize("name", optax_cases.LOSSES)
def test_a_loss_has_the_numbers_of_optax(name):
    found = np.asarray(optax_cases.LOSSES[name](optim)).ravel()
    np.testing.assert_allclose(found, KNOWN["losses"][name], rtol=0, atol=rounding(FORMULA))


def test_a_loop_of_donated_states_is_the_eager_one():
    optimizer = optim.chain(
        optim.clip_by_global_norm(1.0), optim.adam(optim.linear_schedule(0.1, 0.0, 9))
    )

    def step(params, state):
        updates, state = optimizer.update(anvl.grad(loss)(params), state, params)
        return optim.apply_updates(params, updates), state

    jitted = anvl.jit(step, donate=("params", "state"))
    params = anvl.tree.map(anp.array, optax_cases.START)
    state = optimizer.init(params)
    for _ in range(4):
        params, state = jitted(params, state)
    wanted = flat(taken(optimizer, optax_cases.START, 4))
    limit = rounding(FORMULA, np.float32)  # a schedule counts in f32, whatever the parameters
    np.testing.assert_allclose(flat(params), wanted, rtol=limit)
    assert state[1][0].count == 4 and type(state[1][0]).__name__ == "ScaleByAdamState"

    def scanned(params):
        return anvl.scan(
            lambda c, _: (step(*c), None), (params, optimizer.init(params)), None, length=4
        )[0][0]

    np.testing.assert_allclose(flat(anvl.jit(scanned)(optax_cases.START)), wanted, rtol=limit)


def test_training_is_differentiable_in_the_learning_rate():
    start = np.asarray([1.0, 2.0])

    def after(rate):
        optimizer = optim.sgd(rate, momentum=0.5)
        params, state = start, optimizer.init(start)
        for _ in range(3):
            updates, state = optimizer.update(params, state, params)  # the gradient of x^2 / 2
            params = optim.apply_updates(params, updates)
        return anp.sum(params)

    rate, h = np.float64(0.3), 1e-6
    slope = (float(after(rate + h)) - float(after(rate - h))) / (2 * h)
    np.testing.assert_allclose(float(anvl.grad(after)(rate)), slope, rtol=1e-8)


def rosenbrock(x):
    return anp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


@pytest.mark.parametrize(
    "search",
    [
        optim.scale_by_zoom_linesearch(20, initial_guess_strategy="one"),
        optim.scale_by_backtracking_linesearch(20, store_grad=True, increase_factor=10.0),
    ],
    ids=["zoom", "backtracking"],
)
def test_lbfgs_finds_the_end_of_the_valley(search):
    optimizer, x = optim.lbfgs(linesearch=search), np.asarray([-1.2, 1.0, 0.5])
    both = optim.value_and_grad_from_state(rosenbrock)

    def step(carry, _):
        x, state = carry
        value, grad = both(x, state=state)
        updates, state = optimizer.update(
            grad, state, x, value=value, grad=grad, value_fn=rosenbrock
        )
        return (optim.apply_updates(x, updates), state), value

    (x, _), values = anvl.jit(lambda x: anvl.scan(step, (x, optimizer.init(x)), None, length=60))(x)
    assert np.all(np.diff(values) <= 1e-12)
    np.testing.assert_allclose(x, 1.0, atol=1e-6)


def test_an_injected_rate_is_changed_without_compiling_again():
    optimizer = optim.inject_hyperparams(optim.sgd)(learning_rate=0.5)
    update = anvl.jit(lambda g, state: optimizer.update(g, state))
    state = optimizer.init(np.float32(1))
    update(np.float32(1), state)
    with anvl.expect_compiles(0):
        state.hyperparams["learning_rate"] = anp.asarray(np.float32(0.25))
        assert update(np.float32(1), state)[0] == -0.25


def test_an_update_that_is_not_finite_is_left_out_and_counted():
    optimizer = optim.apply_if_finite(optim.sgd(1.0), 2)
    state = optimizer.init(np.float32(0))
    found = []
    for g in (1.0, np.nan, np.nan, np.nan, 2.0):
        updates, state = optimizer.update(np.float32(g), state)
        found.append(float(updates))
    np.testing.assert_array_equal(found, [-1, 0, 0, np.nan, -2])
    assert (int(state.total_notfinite), int(state.notfinite_count)) == (3, 0)


def test_multi_steps_skips_what_is_not_finite():
    optimizer = optim.MultiSteps(optim.sgd(1.0), 2, should_skip_update_fn=optim.skip_not_finite)
    state, found = optimizer.init(np.float32(0)), []
    for g in (1.0, np.inf, 3.0):
        updates, state = optimizer.update(np.float32(g), state)
        found.append(float(updates))
    assert found == [0, 0, -2] and optimizer.has_updated(state)
    assert int(state.gradient_step) == 1


def test_dtypes_stay_those_of_the_parameters():
    params = {"a": np.ones(2, "float16"), "b": np.ones(2, "float64")}
    for optimizer in (
        optim.adamw(optim.constant_schedule(0.1)),
        optim.lion(0.1),
        optim.rmsprop(0.1),
    ):
        state = optimizer.init(params)
        updates, after = optimizer.update(params, state, params)
        assert {k: str(v.dtype) for k, v in updates.items()} == {"a": "float16", "b": "float64"}
        assert [x.dtype for x in anvl.tree.leaves(after)] == [
            x.dtype for x in anvl.tree.leaves(state)
        ]
    half = optim.adam(0.1, mu_dtype="float32").init(params)[0]
    assert half.mu["a"].dtype == np.float32 and half.nu["a"].dtype == np.float16


REFUSED = {
    "chain: got 3": lambda: optim.chain(optim.scale(1.0), 3),
    "the names are ['a', 'a']": lambda: optim.named_chain(
        ("a", optim.scale(1.0)), ("a", optim.scale(1.0))
    ),
    "tuple of 1 against tuple of 2": lambda: optim.adam(0.1).update(1.0, (optim.EmptyState(),)),
    "add_decayed_weights: update got no params": lambda: optim.adamw(0.1).update(
        1.0, optim.adamw(0.1).init(1.0)
    ),
    "mode is 'soft'": lambda: optim.scale_by_lion(mode="soft"),
    "memory_size is 0": lambda: optim.scale_by_lbfgs(0),
    "initial_guess_strategy is 'two'": lambda: optim.scale_by_zoom_linesearch(
        3, initial_guess_strategy="two"
    ),
    "the labels 'c' have no transformation, only 'a'": lambda: optim.partition(
        {"a": optim.scale(1.0)}, {"w": "c"}
    ).init({"w": 1.0}),
    "differ in structure from the parameters": lambda: optim.masked(
        optim.scale(1.0), {"v": True}
    ).init({"w": 1.0}),
    "every_k_schedule is 0": lambda: optim.MultiSteps(optim.scale(1.0), 0),
    "static_args has ['rate']": lambda: optim.inject_hyperparams(optim.sgd, "rate"),
    "factors are negative: {3: -1.0}": lambda: optim.piecewise_constant_schedule(1.0, {3: -1.0}),
    "interpolate_type is 'cubic'": lambda: optim.piecewise_interpolate_schedule("cubic", 1.0),
    "decay_steps is 0; it must be positive": lambda: optim.cosine_decay_schedule(1.0, 0),
    "decay_steps is 3, which counts the 5 steps": lambda: optim.warmup_cosine_decay_schedule(
        0.0, 1.0, 5, 3
    ),
    "transition_steps is 0": lambda: optim.linear_onecycle_schedule(0, 1.0),
    "2 schedules have 1 boundaries": lambda: optim.join_schedules([abs, abs], []),
    "predictions of shape [2] and targets of shape [3]": lambda: optim.l2_loss(
        np.ones(2), np.ones(3)
    ),
    "labels are f64[2]": lambda: optim.softmax_cross_entropy_with_integer_labels(
        np.ones((2, 3)), np.ones(2)
    ),
    "labels have shape [3]": lambda: optim.softmax_cross_entropy_with_integer_labels(
        np.ones((2, 3)), np.ones(3, int)
    ),
    "holds no value and gradient": lambda: optim.value_and_grad_from_state(abs)(
        1.0, state=optim.sgd(0.1).init(1.0)
    ),
    "apply_updates: params and updates differ": lambda: optim.apply_updates({"w": 1.0}, {"v": 1.0}),
    "has 6 axes": lambda: optim.adaptive_grad_clip(0.1).update(
        np.ones((2,) * 6), optim.EmptyState(), np.ones((2,) * 6)
    ),
}


@pytest.mark.parametrize("words", REFUSED)
def test_refused(words):
    with pytest.raises((TypeError, ValueError)) as error:
        REFUSED[words]()
    assert words in str(error.value)


def test_labels_out_of_range_give_nan():
    found = optim.softmax_cross_entropy_with_integer_labels(
        np.zeros((3, 2)), np.asarray([-1, 0, 2])
    )
    np.testing.assert_allclose(found, [np.nan, np.log(2), np.nan])


PARAMS = {"w": np.ones(3, "f4"), "b": np.ones(2, "f4")}

OPTIMIZERS = {
    "a chain": lambda: optim.adam(0.1),
    "a chain of a chain": lambda: optim.chain(optim.clip(1.0), optim.adamw(0.1)),
    "a part": lambda: optim.scale_by_adam(),
    "accumulated": lambda: optim.MultiSteps(optim.adam(0.1), 2),
    "masked": lambda: optim.masked(optim.adam(0.1), {"w": True, "b": True}),
}

FOREIGN = {
    "the gradients of other parameters": (
        lambda o, s: o.update({"w": PARAMS["w"]}, s, PARAMS),
        r"updates and params differ in structure: at the root: dict with keys \['w'\] against dict "
        r"with keys \['b', 'w'\]; give the gradients of these params",
    ),
    "a gradient of another shape": (
        lambda o, s: o.update({**PARAMS, "w": np.ones(4, "f4")}, s, PARAMS),
        r"updates\['w'\] has the shape \(4,\), but that of params has \(3,\); give the gradients",
    ),
    "without the parameters": (
        lambda o, s: o.update({"w": PARAMS["w"]}, s, None),
        r"state and init\(params\) differ in structure: at .*; give the state that init or update",
    ),
    "in a trace": (
        lambda o, s: anvl.jit(lambda g: o.update(g, s, PARAMS))([1.0]),
        r"updates and params differ in structure: at the root: list of 1 against dict",
    ),
    "no state": (
        lambda o, s: o.update(PARAMS, None, PARAMS),
        r"state and init\(params\) differ in structure: at the root: None against ",
    ),
    "the state of other parameters": (
        lambda o, s: o.update({"w": PARAMS["w"]}, s, {"w": PARAMS["w"]}),
        r"state and init\(params\) differ in structure: at .*'b', 'w'.* against dict with",
    ),
}


@pytest.mark.parametrize("how", FOREIGN)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_update_says_which_argument_is_of_other_parameters(name, how):
    optimizer, (call, says) = OPTIMIZERS[name](), FOREIGN[how]
    state = optimizer.init(PARAMS)
    if name in ("masked", "a chain of a chain") and how in (
        "without the parameters", "the state of other parameters",
    ):  # fmt: skip
        return  # the mask, and the decay of weights, complain themselves
    with pytest.raises(ValueError, match=f"^update: {says}") as caught:
        call(optimizer, state)
    assert caught.value.__context__ is None
    assert all(entry.path.name == "test_optim.py" for entry in caught.traceback)


def test_an_update_of_the_person_keeps_its_own_error():
    def update(updates, state, params=None):
        raise ValueError("mine")

    own = optim.GradientTransformation(lambda params: optim.EmptyState(), update)
    for optimizer in (own, optim.chain(own, optim.scale(2.0))):
        with pytest.raises(ValueError, match=r"^mine$"):
            optimizer.update(PARAMS, optimizer.init(PARAMS), PARAMS)


@pytest.mark.parametrize("wrong", ["a", None, [0.1], {"w": 0.1}])
def test_what_is_no_learning_rate_is_refused(wrong):
    for name in ("sgd", "scale_by_learning_rate"):
        says = rf"^{name}: learning_rate must be a number or a function .*, got "
        with pytest.raises(TypeError, match=says + re.escape(repr(wrong))):
            getattr(optim, name)(wrong)


@pytest.mark.parametrize("name", ["apply_if_finite", "masked", "with_extra_args_support"])
def test_what_is_no_transformation_is_refused(name):
    args = {"apply_if_finite": (3,), "masked": ({"w": True},)}.get(name, ())
    says = rf"^{name}: .*got .*, which has no init and update; pass a transformation, such as optim"
    for wrong in (0.1, PARAMS, anp.ones(2)):
        with pytest.raises(TypeError, match=says):
            getattr(optim, name)(wrong, *args)
