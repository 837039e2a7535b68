"""`anvl.config.check_key_reuse`: a key that is drawn with twice is found, with both lines."""

import inspect
import os

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl import KeyReuseError, random


@pytest.fixture(autouse=True)
def checked():
    with anvl.config(check_key_reuse=True):
        yield


def fresh():
    """A key that no test has used."""
    return random.key(int.from_bytes(os.urandom(7), "little"))


def lines_of(f, *texts):
    """Numbers of the lines of a function that hold these texts."""
    lines, first = inspect.getsourcelines(f)
    return [first + next(i for i, line in enumerate(lines) if text in line) for text in texts]


def test_the_error_names_both_lines():
    key = fresh()

    def draw():
        x = random.normal(key, (2,))
        return x + random.uniform(key, (2,))

    with pytest.raises(KeyReuseError) as error:
        draw()
    first, second = lines_of(draw, "normal", "uniform")
    assert error.value.first.endswith(f"test_key_reuse.py:{first}")
    assert error.value.second.endswith(f"test_key_reuse.py:{second}")
    assert str(error.value).startswith("uniform: the key at ")
    assert "was used by normal at" in str(error.value)
    assert "draw with keys of anvl.random.split" in str(error.value)

    def traced(key):
        x = random.normal(key, (2,))
        return x + random.uniform(key, (2,))

    with pytest.raises(KeyReuseError) as error:
        anvl.jit(traced)(fresh())
    first, second = lines_of(traced, "normal", "uniform")
    assert error.value.first.endswith(f"test_key_reuse.py:{first}")
    assert error.value.second.endswith(f"test_key_reuse.py:{second}")


def both_ways(program, *args):
    """Run outside of a trace, and in one; another key each."""
    program(fresh(), *args)
    anvl.jit(program)(fresh(), *args)


def right_use(key):
    first, second = random.split(key)
    keys = random.split(first, 3)
    x = random.normal(keys[0]) + random.gamma(keys[1], 2.0)
    steps = [random.uniform(random.fold_in(second, i)) for i in range(2)]
    return x + sum(steps) + random.normal(random.clone(keys[0])) + random.normal(second)


def wrong_split(key):
    return random.split(key), random.split(key)


def wrong_element(key):
    keys = random.split(key)
    return random.normal(keys[1]) + random.exponential(keys[1])


def wrong_after_split(key):
    children = random.split(key)
    return random.normal(children[0]) + random.normal(key)


def wrong_fold(key):
    return random.bernoulli(random.fold_in(key, 7)), random.bernoulli(random.fold_in(key, 7))


def wrong_clone(key):
    copy = random.clone(key)
    return random.normal(copy) + random.normal(copy)


@pytest.mark.sweep(keep=0)
def test_right_uses_pass():
    both_ways(right_use)
    for _ in range(2):  # a seed begins anew
        random.normal(random.key(3))
        random.normal(random.wrap_key_data(np.asarray([0, 3], "u4")))


@pytest.mark.parametrize(
    "program", [wrong_split, wrong_element, wrong_after_split, wrong_fold, wrong_clone]
)
def test_wrong_uses_are_found(program):
    with pytest.raises(KeyReuseError):
        program(fresh())
    with pytest.raises(KeyReuseError):
        anvl.jit(program)(fresh())


def test_calls_of_functions():
    inner = anvl.jit(lambda key, x: x * random.normal(key))

    def twice(key, x):
        return inner(key, x) + inner(key, x)

    def once_each(key, x):
        one, other = random.split(key)
        return inner(one, x) + inner(other, x)

    both_ways(once_each, np.float32(1))
    with pytest.raises(KeyReuseError, match="was used by normal"):
        anvl.jit(twice)(fresh(), np.float32(1))
    with pytest.raises(KeyReuseError, match="was used by normal"):
        twice(fresh(), np.float32(1))  # each call notes the key that it was given
    key = fresh()
    inner(key, np.float32(1))
    with pytest.raises(KeyReuseError):
        random.normal(key)
    random.normal(random.clone(key))

    def closed_over(key, x):
        y = random.normal(key)
        return y + anvl.jit(lambda x: x * random.normal(key))(x)

    with pytest.raises(KeyReuseError):
        anvl.jit(closed_over)(fresh(), np.float32(1))


def test_branches_do_not_meet():
    def choose(key, x):
        return anvl.cond(x > 0, lambda k: random.normal(k), lambda k: random.uniform(k) + 0.0, key)

    anvl.jit(choose)(fresh(), np.float32(1))
    anvl.jit(lambda key, x: anvl.cond(x > 0, lambda: random.normal(key), lambda: anp.asarray(0.0)))(
        fresh(), np.float32(1)
    )
    with pytest.raises(KeyReuseError):
        anvl.jit(lambda key, x: choose(key, x) + random.normal(key))(fresh(), np.float32(1))


def same_in_each_step(key):
    return anvl.fori_loop(0, 3, lambda i, x: x + random.normal(key), 0.0)


def same_in_scan(key):
    return anvl.scan(lambda x, _: (x + random.normal(key), x), np.float32(0), None, length=3)


def folded(key):
    return anvl.fori_loop(0, 3, lambda i, x: x + random.normal(random.fold_in(key, i)), 0.0)


def carried(key):
    def step(carry, _):
        key, x = carry
        key, now = random.split(key)
        return (key, x + random.normal(now)), x

    return anvl.scan(step, (key, np.float32(0)), None, length=3)[0][1]


def over_keys(key):
    keys = random.split(key, 3)
    return anvl.scan(lambda x, k: (x + random.normal(k), x), np.float32(0), keys)


@pytest.mark.parametrize("program", [folded, carried, over_keys])
def test_loops_draw_with_a_key_for_each_step(program):
    anvl.jit(program)(fresh())


@pytest.mark.parametrize("program", [same_in_each_step, same_in_scan])
def test_loops_that_do_not_change_the_key_are_found(program):
    with pytest.raises(KeyReuseError, match="the same in each step of a loop"):
        anvl.jit(program)(fresh())


def loss(w, key):
    return anp.sum(w * random.normal(key, (2,)) ** 2)


W = np.ones(2, "f4")


@pytest.mark.sweep(keep=3)
@pytest.mark.parametrize(
    "transformed",
    [
        lambda w, key: anvl.grad(loss)(w, key),
        lambda w, key: anvl.value_and_grad(loss)(w, key),
        lambda w, key: anvl.vjp(lambda w: loss(w, key), w)[1](np.float32(1)),
        lambda w, key: anvl.jvp(lambda w: loss(w, key), (w,), (w,)),
        lambda w, key: anvl.hessian(loss)(w, key),
        lambda w, key: anvl.jacrev(loss)(w, key),
        lambda w, key: anvl.grad(anvl.checkpoint(loss))(w, key),
        lambda w, key: anvl.vmap(loss, in_axes=(None, 0))(w, random.split(key, 3)),
        lambda w, key: anvl.grad(anvl.jit(loss))(w, key),
        lambda w, key: anvl.linearize(lambda w: loss(w, key), w)[1](w),
    ],
)
def test_transformations_count_once(transformed):
    anvl.jit(transformed)(W, fresh())
    with pytest.raises(KeyReuseError):
        anvl.jit(lambda w, key: (transformed(w, key), random.split(key)))(W, fresh())


def test_nothing_is_checked_by_default():
    with anvl.config(check_key_reuse=False):
        key = fresh()
        assert random.normal(key).item() == random.normal(key).item()
        anvl.jit(wrong_element)(key)
    assert anvl.config.check_key_reuse is True
    with pytest.raises(KeyReuseError):
        anvl.jit(wrong_element)(fresh())


def test_layers_draw():
    key = fresh()
    anvl.nn.dropout(key, W, 0.5)
    with pytest.raises(KeyReuseError, match=r"normal: .* was used by dropout"):
        anvl.nn.initializers.he_normal()(key, (2, 2))
