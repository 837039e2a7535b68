"""`anvl.random`: which bits are drawn, that they are drawn again, and how they are distributed."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.stats
from references_sorting import threefry

import anvl
import anvl.dispatch.executables as executables
import anvl.numpy as anp
from anvl import random
from anvl.runtime import compile_lowered

KEY = random.key(42)
COUNT = 20_000


def block(key, counter):
    """64 bits of a key and a counter, by an implementation of our own."""
    low, high = threefry(key, counter % 2**64)
    return low | high << 32


# -- keys and bits ---------------------------------------------------------------------------------


def test_threefry_is_that_of_the_paper():
    # The known answers that come with Random123, for threefry2x32 of 20 rounds.
    assert threefry(0, 0) == [0x6B200159, 0x99BA4EFE]
    ones = 2**64 - 1
    assert threefry(ones, ones) == [0x1CB996FC, 0xBB002BE7]
    assert threefry(0x03707344_13198A2E, 0x85A308D3_243F6A88) == [0xC4923A9C, 0x483DF7A0]


@pytest.mark.parametrize("seed", [0, 7, 2**63, 2**64 - 1])
def test_the_bits_are_those_that_are_documented(seed):
    key = random.key(seed)
    assert (key.dtype, key.shape) == (np.uint64, ())
    assert key.item() == seed
    blocks = [block(seed, i) for i in range(3)]
    assert random.bits(key, (3,), "ui64").tolist() == blocks
    words = [w for i in range(3) for w in threefry(seed, i)]
    assert random.bits(key, (2, 3)).tolist() == [words[:3], words[3:]]
    assert random.bits(key, (5,), "ui8").tolist() == [w % 256 for w in words[:5]]
    assert random.split(key, 3).tolist() == [block(seed, 2**63 + i) for i in range(3)]
    assert random.fold_in(key, 9).item() == block(seed, 3 * 2**62 + 9)
    assert random.fold_in(key, -1).item() == block(seed, -1)


def test_keys_are_made_of_arrays_too():
    for seed in (np.int32(7), np.uint64(7), anp.asarray(7)):
        assert random.key(seed).item() == 7
    assert anvl.jit(random.key)(np.int32(-1)).item() == 2**64 - 1
    assert anvl.jit(lambda: random.key(2**64 - 1))().item() == 2**64 - 1


DRAWS = {
    "bits": lambda key: random.bits(key, (3, 2), "ui16"),
    "split": lambda key: random.split(key, 4),
    "fold_in": lambda key: random.fold_in(key, 3),
    "uniform": lambda key: random.uniform(key, (5,), "f64", -1, 3),
    "normal": lambda key: random.normal(key, (5,)),
    "exponential": lambda key: random.exponential(key, (5,), "bf16"),
    "gumbel": lambda key: random.gumbel(key, (5,), "f16"),
    "bernoulli": lambda key: random.bernoulli(key, 0.3, (5,)),
    "randint": lambda key: random.randint(key, (5,), -5, 9, "i64"),
    "permutation": lambda key: random.permutation(key, 7),
    "choice": lambda key: random.choice(key, 7, (3,), False),
    "categorical": lambda key: random.categorical(key, np.zeros((2, 4))),
}


@pytest.mark.sweep(keep=4)
@pytest.mark.parametrize("name", DRAWS)
def test_the_same_key_gives_the_same_in_jit_and_outside_and_another_key_another(name):
    draw = DRAWS[name]
    first, again, jitted = draw(KEY), draw(random.key(42)), anvl.jit(draw)(KEY)
    assert first.tolist() == again.tolist() == jitted.tolist()
    assert first.dtype == jitted.dtype
    others = [draw(random.key(i)).tolist() for i in range(5)]
    assert any(other != first.tolist() for other in others)


@pytest.mark.sweep(keep=0)
def test_another_process_draws_the_same(monkeypatch):
    executables.clear_executables()
    monkeypatch.setattr(executables, "compile_lowered", compile_lowered)  # as the other compiles
    code = "import anvl; print(anvl.random.normal(anvl.random.key(42), (3,)).tolist())"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == str(random.normal(KEY, (3,)).tolist())


def test_streams_of_split_keys_are_independent():
    keys = random.split(KEY, 200)
    assert len(set(keys.tolist())) == 200
    rows = np.stack([np.asarray(random.uniform(k, (500,), "f64")) for k in (KEY, *keys[:60])])
    # The largest of n correlations of m pairs is below 6 / sqrt(m), all but 1 time in 10^5.
    correlations = np.corrcoef(rows) - np.eye(len(rows))
    assert np.abs(correlations).max() < 6 / np.sqrt(500)
    # Nor is a stream another one shifted.
    words = np.concatenate([np.asarray(random.bits(k, (500,), "ui64")) for k in keys[:60]])
    assert len(np.unique(words)) == words.size


# -- distributions: Kolmogorov-Smirnov and chi-squared, with fixed seeds ---------------------------


@pytest.mark.sweep(keep=6)
@pytest.mark.parametrize("dtype", ["f64", "f32", "f16", "bf16"])
@pytest.mark.parametrize(
    ("name", "distribution"),
    [
        ("uniform", scipy.stats.uniform()),
        ("normal", scipy.stats.norm()),
        ("exponential", scipy.stats.expon()),
        ("gumbel", scipy.stats.gumbel_r()),
    ],
)
def test_floats_have_their_distribution(name, distribution, dtype):
    x = getattr(random, name)(KEY, (COUNT // 100, 100), dtype)
    assert x.shape == (COUNT // 100, 100)
    values = np.asarray(x).astype("f8").ravel()
    assert np.isfinite(values).all()
    # A narrow dtype has few values: each stands for what is rounded to it.
    spacing = np.abs(values) * (2.0**-8 if dtype == "bf16" else 2.0**-11 if dtype == "f16" else 0)
    smooth = values + np.random.default_rng(0).uniform(-0.5, 0.5, values.shape) * 2 * spacing
    limit = 0.02 if dtype in ("f16", "bf16") else 0.0138  # of 20,000: p is 0.001 at 0.0138
    assert scipy.stats.kstest(smooth, distribution.cdf).statistic < limit


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("dtype", ["f64", "f32", "f16", "bf16"])
def test_uniform_numbers_stay_in_their_range(dtype):
    x = np.asarray(random.uniform(KEY, (COUNT,), dtype)).astype("f8")
    assert x.min() >= 0
    assert x.max() < 1
    x = np.asarray(random.uniform(KEY, (COUNT,), dtype, 1, 1.0625))
    assert x.min() >= 1
    assert x.max() < 1.0625
    low, high = np.asarray([[0.0], [0.5]]), np.asarray([1.0, 9.0])
    x = np.asarray(random.uniform(KEY, (2, 2), "f64", low, high))
    assert (x >= low).all()
    assert (x < high).all()


def test_uniform_numbers_have_all_digits_of_their_dtype():
    for dtype, digits in (("f64", 53), ("f32", 24), ("f16", 11), ("bf16", 8)):
        x = np.asarray(random.uniform(KEY, (COUNT,), dtype)).astype("f8") * 2.0**digits
        assert (x == np.round(x)).all()
        assert (x % 2 == 1).any()


def test_a_bound_in_double_precision_is_not_rounded():
    x = np.asarray(random.uniform(KEY, (10_000,), "f64", 0.1, 0.1 + 1e-12))
    assert x.min() >= 0.1
    assert x.max() < 0.1 + 1e-12
    assert len(np.unique(x)) > 1000


def test_integers_are_even():
    for dtype, low, high in (("i32", -3, 4), ("ui8", 0, 256), ("i64", -(2**40), 2**41)):
        x = np.asarray(random.randint(KEY, (COUNT,), low, high, dtype))
        assert x.dtype == anp.dtype(anvl.aval(dtype).dtype)
        assert x.min() >= low
        assert x.max() < high
        counts = np.histogram(x.astype("f8"), bins=7 if dtype == "i32" else 16)[0]
        assert scipy.stats.chisquare(counts).pvalue > 1e-3
    whole = np.asarray(random.randint(KEY, (COUNT,), -(2**63), 2**63, "i64"))
    assert scipy.stats.chisquare(np.histogram(whole.astype("f8"), 16)[0]).pvalue > 1e-3


def test_integers_are_fractions_of_the_words():
    words = [block(42, i) for i in range(6)]
    found = random.randint(KEY, (6,), 10, 1000, "i32").tolist()
    assert found == [10 + (w * 990 >> 64) for w in words]
    span = 2**62 + 12345
    found = random.randint(KEY, (3,), -5, span - 5, "i64").tolist()
    expected = [(w << 64 | v) * span >> 128 for w, v in zip(words[:3], words[3:], strict=True)]
    assert found == [e - 5 for e in expected]


def test_bounds_may_be_arrays():
    low, high = np.asarray([0, 10, 5]), np.asarray([[1], [20]])
    x = np.asarray(random.randint(KEY, (2, 3), low, high))
    assert (x >= np.broadcast_to(low, (2, 3))).all()
    assert (x == np.where(low < high, np.minimum(x, high - 1), low)).all()
    assert anvl.jit(lambda n: random.randint(KEY, (4,), 0, n))(3).tolist() == (
        random.randint(KEY, (4,), 0, 3).tolist()
    )


def test_probabilities():
    p = np.asarray([0.0, 0.2, 0.7, 1.0])
    rates = np.asarray(random.bernoulli(KEY, p, (COUNT, 4))).mean(0)
    assert rates[0] == 0
    assert rates[3] == 1
    assert np.abs(rates - p).max() < 0.012
    assert random.bernoulli(KEY, p).shape == (4,)
    assert random.bernoulli(KEY).shape == ()


def test_permutations_are_permutations_and_even():
    assert sorted(random.permutation(KEY, 1000).tolist()) == list(range(1000))
    keys = np.asarray(random.split(KEY, 600))  # iterated quickly
    draw = anvl.jit(lambda key: random.permutation(key, 3))
    orders = [tuple(draw(k).tolist()) for k in keys]
    counts = [orders.count(o) for o in set(orders)]
    assert len(counts) == 6
    assert scipy.stats.chisquare(counts).pvalue > 1e-3
    x = np.arange(12.0).reshape(3, 4)
    shuffled = np.asarray(random.permutation(KEY, x, 1))
    assert sorted(map(tuple, shuffled.T)) == sorted(map(tuple, x.T))
    assert random.permutation(KEY, 0).shape == (0,)


@pytest.mark.sweep(keep=0)
def test_choices():
    x = np.asarray([10.0, 20.0, 30.0, 40.0])
    drawn = np.asarray(random.choice(KEY, x, (COUNT,)))
    assert scipy.stats.chisquare(np.unique(drawn, return_counts=True)[1]).pvalue > 1e-3
    assert sorted(random.choice(KEY, x, (4,), replace=False).tolist()) == x.tolist()
    p = np.asarray([0.0, 3.0, 1.0, 0.0])
    counts = np.bincount(np.asarray(random.choice(KEY, 4, (COUNT,), p=p)), minlength=4)
    assert counts[0] == counts[3] == 0
    assert abs(counts[1] / COUNT - 0.75) < 0.012
    rows = random.choice(KEY, np.arange(6).reshape(3, 2), (5,), axis=0)
    assert rows.shape == (5, 2)
    draw = anvl.jit(lambda key: random.choice(key, 4, (2,), False, p))
    assert {tuple(sorted(draw(k).tolist())) for k in random.split(KEY, 20)} == {(1, 2)}


@pytest.mark.sweep(keep=0)
def test_categories():
    logits = np.log(np.asarray([[0.1, 0.6, 0.3], [0.5, 0.25, 0.25]]))
    x = np.asarray(random.categorical(KEY, logits, shape=(COUNT, 2)))
    for row in (0, 1):
        rates = np.bincount(x[:, row]) / COUNT
        assert np.abs(rates - np.exp(logits[row])).max() < 0.012
    assert random.categorical(KEY, logits.T, axis=0).shape == (2,)
    never = np.asarray([-np.inf, 0.0])
    assert random.categorical(KEY, never, shape=(50,)).tolist() == [1] * 50


NO_CHANCES = {
    "a logit is NaN": [np.nan, 1.0],
    "all logits are -infinity": [-np.inf, -np.inf],
    "more than one logit is infinity": [np.inf, np.inf],
}


def test_logits_that_say_no_chances_give_no_place():
    """Refused where they are known; else the result is no index from either end."""
    logits = np.asarray([*NO_CHANCES.values(), [1.0, np.inf], [-np.inf, 0.0]])
    found = anvl.jit(lambda x: random.categorical(KEY, x))(logits)
    assert found.tolist() == [-(2**31)] * 3 + [1, 1]
    assert anvl.jit(lambda x: random.categorical(KEY, x, 0))(logits.T).tolist() == found.tolist()
    for message, bad in NO_CHANCES.items():
        with pytest.raises(ValueError, match=f"categorical: .*{message}"):
            random.categorical(KEY, np.asarray([[0.0, 0.0], bad]).T, axis=0)


NO_WEIGHTS = {
    "NaN": [np.nan, 1.0], "negative": [2.0, -1.0], "infinite": [np.inf, 1.0], "zero": [0.0, 0.0],
}  # fmt: skip


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("replace", [True, False])
def test_weights_that_say_no_chances_give_no_element(replace):
    """Refused where they are known; else what stands for no number in the dtype."""
    kinds = {
        "f4": np.nan, "c8": np.nan, "i1": -128, "u2": 65535, "?": True, "i4": -(2**31),
    }  # fmt: skip
    rows = [2, *(np.ones((2, 3), of) for of in kinds)]
    draw = anvl.jit(lambda p: [random.choice(KEY, x, (2, 1), replace, p=p) for x in rows])
    for p in np.asarray([*NO_WEIGHTS.values()]):
        for found, expected in zip(draw(p), [-(2**31), *kinds.values()], strict=True):
            np.testing.assert_array_equal(np.asarray(found), np.full(found.shape, expected))
        with pytest.raises(ValueError, match="choice: p "):
            random.choice(KEY, 2, p=p)
    assert draw(np.asarray([1.0, 1.0]))[1].tolist() == np.ones((2, 1, 3)).tolist()
    few = anvl.jit(lambda p: random.choice(KEY, 2, (2,), False, p))
    assert few(np.asarray([0.0, 1.0])).tolist() == [-(2**31)] * 2


@pytest.mark.parametrize("large", [np.float16(6e4), np.float32(3e38), np.float32(1e-37)])
def test_weights_of_any_size_are_chances(large):
    p = np.full(4, large)
    for found in (random.choice(KEY, 4, (64,), p=p), random.choice(KEY, 4, (4,), False, p)):
        assert set(found.tolist()) == {0, 1, 2, 3}


def test_a_range_of_no_numbers_is_refused_or_nan():
    draw = anvl.jit(lambda low, high: random.uniform(KEY, (3,), "f32", low, high))
    wide = np.float32(3e38)
    for ends in ((3.0, 1.0), (0.0, np.inf), (-np.inf, 0.0), (np.nan, 1.0), (-wide, wide)):
        assert np.isnan(draw(*ends)).all()
        with pytest.raises(
            ValueError, match=r"uniform: (minval 3 is above maxval 1|from minval .* to maxval)"
        ):
            random.uniform(KEY, (3,), "f32", *ends)
    assert draw(2.0, 2.0).tolist() == [2.0] * 3


def test_derivatives_go_to_the_parameters():
    def f(low, high):
        return anp.sum(random.uniform(KEY, (100,), "f64", low, high))

    x = np.asarray(random.uniform(KEY, (100,), "f64"))
    found = anvl.grad(f, wrt=(0, 1))(np.float64(2), np.float64(5))
    np.testing.assert_allclose([found[0].item(), found[1].item()], [np.sum(1 - x), np.sum(x)])


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: random.key(-1), ValueError, "key: seed -1 must be between 0 and 2"),
        (lambda: random.key(1.5), TypeError, r"key: seed is f32\?\[\]; it must be one integer"),
        (lambda: random.key(np.arange(2)), TypeError, r"key: seed is i64\[2\]; it must be one"),
        (
            lambda: random.uniform(0),
            TypeError,
            r"uniform: the key is i32\?\[\], not ui64\[\]; make",
        ),
        (
            lambda: random.bits(random.split(KEY)),
            TypeError,
            r"bits: the key is ui64\[2\], .*keys\[i",
        ),
        (
            lambda: random.bits(KEY, (2,), "i32"),
            TypeError,
            "dtype of the bits is i32, .*; draw unsigned",
        ),
        (lambda: random.bits(KEY, (-1,)), ValueError, r"bits: shape \(-1,\) has a negative size"),
        (lambda: random.split(KEY, -1), ValueError, "split: num is -1; it must be at least 0"),
        (lambda: random.fold_in(KEY, 1.5), TypeError, "fold_in: data is .* one integer"),
        (lambda: random.normal(KEY, (), "i32"), TypeError, "normal: the dtype is i32; draw one of"),
        (lambda: random.uniform(KEY, (2,), None, np.zeros(3)), ValueError, "uniform: shape"),
        (lambda: random.bernoulli(KEY, np.zeros(3), (2,)), ValueError, "bernoulli: shape"),
        (lambda: random.randint(KEY, (), 3, 3), ValueError, "maxval 3 must be above minval 3"),
        (
            lambda: random.randint(KEY, (), 0, 300, "int8"),
            OverflowError,
            "randint: 0 to 299 do not",
        ),
        (lambda: random.randint(KEY, (), 0.5, 3), TypeError, "randint: bounds must be integers"),
        (lambda: random.randint(KEY, (), 0, 3, "f32"), TypeError, "randint: the dtype is f32"),
        (lambda: random.permutation(KEY, -1), ValueError, "permutation: x is -1; it must not be"),
        (lambda: random.permutation(KEY, np.ones(2), 1), ValueError, "permutation: axis 1 is out"),
        (
            lambda: random.choice(KEY, 2, (3,), False),
            ValueError,
            "choice: cannot draw 3 of 2 elements",
        ),
        (
            lambda: random.choice(KEY, 2, (3,), p=np.ones(3)),
            TypeError,
            r"choice: p is f64\[3\]; it",
        ),
        (lambda: random.categorical(KEY, np.ones((2, 3)), shape=(5,)), ValueError, "categorical: "),
    ],
)
def test_bad_arguments_are_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
