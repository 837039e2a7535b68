"""Donated arguments: results take their memory, and the arrays are unusable afterwards."""

import _thread
import inspect
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from tolerances import PROGRAM, assert_close

import anvl
import anvl.numpy as anp
from anvl.runtime import RuntimeFailure


def line_here():
    return inspect.currentframe().f_back.f_lineno


def f32(*values):
    return anp.asarray(values, dtype="f32")


@pytest.fixture(scope="module")
def step():
    """One gradient step of parameters in a dict, which are donated."""

    def step(params, x, rate=0.5):
        def loss(p):
            return anp.sum((p["w"] * x + p["b"]) ** 2)

        slopes = anvl.grad(loss)(params)
        return anvl.tree.map(lambda p, g: p - rate * g, params, slopes)

    return anvl.jit(step, donate="params")


def test_results_are_right_and_arguments_are_gone(step):
    params, x = {"w": f32(1.0, 2.0), "b": f32(0.0, 1.0)}, f32(3.0, 4.0)
    for _ in range(3):  # the slow path, then generated code
        w, b = (np.array(params[k]) for k in "wb")
        slope = 2 * (w * np.asarray(x) + b)
        new = step(params, x)
        np.testing.assert_allclose(new["w"], w - 0.5 * slope * np.asarray(x), rtol=1e-6)
        np.testing.assert_allclose(new["b"], b - 0.5 * slope, rtol=1e-6)
        assert all(p.is_deleted() for p in params.values())
        assert not x.is_deleted()
        params = new


def test_later_use_names_the_function_the_argument_and_the_line(step):
    params, x = {"w": f32(1.0, 2.0), "b": f32(0.0, 1.0)}, f32(3.0, 4.0)
    step(params, x)
    line = line_here() - 1
    said = (
        r"array f32\[2\] was donated to step as its argument params\['[bw]'\], at "
        rf".*test_donation.py:{line};"
    )
    for use in (
        lambda: params["w"] + 1,
        lambda: np.asarray(params["w"]),
        lambda: params["w"].block_until_ready(),
        lambda: step(params, x),
        lambda: anvl.jit(lambda y: y * params["w"])(1.0),
    ):
        with pytest.raises(RuntimeFailure, match=said):
            use()
    with pytest.raises(RuntimeFailure, match=r"execute: argument params\['b'\]: array"):
        step(params, x)
    assert repr(params["w"]) == "Array(deleted, shape=(2,), dtype=float32)"


def test_each_line_of_a_function_is_told_from_the_others():
    f, g = anvl.jit(lambda x: x * 2, donate=0), anvl.jit(lambda t: {"w": t["w"] * 2}, donate=0)
    first = line_here() + 3
    for _ in range(5):
        x, y, u, v = f32(1.0), f32(1.0), {"w": f32(1.0)}, {"w": f32(1.0)}
        f(x)
        f(y)
        g(u)
        g(v)
        for i, array in enumerate((x, y, u["w"], v["w"])):
            with pytest.raises(RuntimeFailure, match=rf"test_donation.py:{first + i};"):
                array.numpy()


def test_each_function_of_equal_code_is_told_from_the_other():
    f = anvl.jit(lambda x: x * 2, donate=0)
    first = line_here() + 3

    def one(x):
        f(x)

    def other(x):
        f(x)

    for _ in range(3):
        for use, line in ((one, first), (other, first + 3)):
            x = f32(1.0)
            use(x)
            with pytest.raises(RuntimeFailure, match=rf"test_donation.py:{line};"):
                x.numpy()


def test_a_call_without_a_line_ends_its_arguments_too():
    f, g = anvl.jit(lambda x: x * 2, donate=0), anvl.jit(lambda t: {"w": t["w"] * 2}, donate=0)

    def said_of(array):
        try:
            return str(array.numpy()) * 0
        except RuntimeFailure as error:
            return str(error)

    for _ in range(4):  # the structure gets code of its own
        x, t = f32(1.0), {"w": f32(1.0)}
        for call, given, array, name in ((f, x, x, "x"), (g, t, t["w"], "t['w']")):
            _thread.start_new_thread(call, (given,))  # whose first frame is the function's
            end = time.monotonic() + 60
            while "donated to" not in said_of(array) and time.monotonic() < end:
                time.sleep(0.001)
            assert f"was donated to <lambda> as its argument {name}; keep" in said_of(array)


def test_by_position_and_by_keyword():
    ways = [lambda f, x, y: f(x, y), lambda f, x, y: f(x, y=y), lambda f, x, y: f(y=y, x=x)]
    for donate in (1, "y", ("y",), [1]):
        f = anvl.jit(lambda x, y: x + y, donate=donate)
        for call in ways:
            x, y = f32(1.0, 2.0), f32(3.0, 4.0)
            np.testing.assert_array_equal(call(f, x, y), [4.0, 6.0])
            assert (x.is_deleted(), y.is_deleted()) == (False, True)


def test_keyword_only_and_after_a_static_argument():
    f = anvl.jit(lambda n, x, *, y: n * x + y, static="n", donate=("x", "y"))
    x, y = f32(1.0), f32(2.0)
    with pytest.warns(anvl.DonationWarning, match=r"the donated y f32\[1\]: none"):
        assert f(3, x, y=y) == 5.0
    assert x.is_deleted() and y.is_deleted()


def test_numbers_and_numpy_arrays_are_not_touched():
    f = anvl.jit(lambda x, y: x + y, donate="x")
    held = np.ones(2, "f4")
    for _ in range(3):
        assert f(2.0, 1.0) == 3.0  # the arrays of numbers are shared between calls
        assert anp.asarray(2.0) + 1.0 == 3.0
        np.testing.assert_array_equal(f(held, held), [2.0, 2.0])
    np.testing.assert_array_equal(held, [1.0, 1.0])


def test_a_view_keeps_its_values():
    x = f32(1.0, 2.0, 3.0)
    view = np.asarray(x)
    y = anvl.jit(lambda x: x * 2, donate=0)(x)
    assert x.is_deleted()
    np.testing.assert_array_equal(view, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(y, [2.0, 4.0, 6.0])


def test_an_unusable_donation_warns_once_and_is_gone_all_the_same():
    f = anvl.jit(lambda x, i: anp.sum(x) + anp.sum(i), donate=("x", "i"))
    x, i = f32(1.0, 2.0), anp.asarray([1, 2])
    said = r"<lambda>: no result can use the memory of the donated x f32\[2\], i i32\[2\]"
    with pytest.warns(anvl.DonationWarning, match=said) as caught:
        f(x, i)
    assert caught[0].filename == __file__
    assert x.is_deleted() and i.is_deleted()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(f32(1.0, 2.0), anp.asarray([1, 2]))


def test_an_array_without_a_result_is_gone_wherever_it_is_closed_over():
    def times(table):
        return anvl.jit(lambda y: y * table)

    f = anvl.jit(lambda x: anp.sum(x), donate="x")
    for _ in range(4):  # at the first call of a line, and at later ones
        table = f32(1.0, 2.0)
        g = times(table)
        g(1.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", anvl.DonationWarning)
            f(table)
        with pytest.raises(RuntimeFailure, match=r"table f32\[2\] was donated to <lambda> as its"):
            g(2.0)


def test_one_array_twice_is_refused_and_stays():
    f = anvl.jit(lambda x, y: x + y, donate="x")
    x = f32(1.0)
    for _ in range(2):
        with pytest.raises(
            RuntimeFailure, match="x and y are the same array, and the call donates"
        ):
            f(x, x)
        assert x == 1.0
    assert f(x, x.copy()) == 2.0


def test_one_array_donated_twice_or_closed_over_is_refused_and_stays():
    x = f32(1.0)
    both = anvl.jit(lambda n, m, x, y: (x + n, y + m), donate=("x", "y"))
    with pytest.raises(RuntimeFailure, match="x and y are the same array, and the call donates"):
        both(2.0, 2.0, x, x)
    table = f32(1.0, 2.0)
    with pytest.raises(RuntimeFailure, match="table and y are the same array, and the call"):
        anvl.jit(lambda y: y + table, donate="y")(table)
    assert x == 1.0 and table[1] == 2.0


def test_a_donated_array_that_a_method_closes_over_has_its_name():
    class Model:
        def __init__(self):
            self.params = {"w": f32(1.0, 2.0)}

        def predict(self, x):
            return self.params["w"] * x

    model = Model()
    predict = anvl.jit(model.predict)
    predict(2.0)
    anvl.jit(lambda w: w * 0.5, donate="w")(model.params["w"])
    for _ in range(2):
        with pytest.raises(
            RuntimeFailure, match=r"self\.params\['w'\] f32\[2\] was donated to <lam"
        ):
            predict(2.0)


def test_arguments_are_kept_if_the_call_fails():
    f = anvl.jit(lambda x, y: x + y, donate="x")
    x, gone = f32(1.0), f32(2.0)
    gone.delete()
    with pytest.raises(TypeError):
        f(x, "text")
    with pytest.raises(RuntimeFailure, match=r"argument y: array f32\[1\] was deleted or donated;"):
        f(x, gone)
    assert x == 1.0


def test_values_that_are_read_late_are_not_written_over():
    """A barrier gives an argument's buffer a second name: Note [One name for a buffer]."""

    def step(x, g):
        slope = anvl.grad(lambda x: anp.max(x) * anp.sum(anp.sin(x)))(x)
        return anp.concatenate([x[1:], x[:1]]) + anp.where(x == anp.max(x), g, slope)

    rng = np.random.default_rng(0)
    x, g = rng.normal(size=4096).astype("f4"), rng.normal(size=4096).astype("f4")
    wanted = anvl.jit(step)(x, g)
    found = anvl.jit(step, donate=("x",))(anp.asarray(x), g)
    assert_close(found, wanted, PROGRAM)


def test_a_checkpointed_function_computes_again_from_what_was_donated():
    def step(x):
        inner = anvl.checkpoint(lambda x: anp.sin(anp.cos(x) * x))
        return x - 0.1 * anvl.grad(lambda x: anp.sum(inner(inner(x))))(x)

    x = np.linspace(-2, 2, 1000)
    wanted = anvl.jit(step)(x)
    assert_close(anvl.jit(step, donate="x")(anp.asarray(x)), wanted, PROGRAM)


def test_within_a_trace_nothing_is_donated():
    inner = anvl.jit(lambda x: x + 1, donate="x")
    x = f32(1.0)
    outer = anvl.jit(lambda x: inner(x) * x)
    assert outer(x) == 2.0
    assert "aliasing" not in outer.lower(x).mlir()
    assert x == 1.0


def test_nothing_is_donated_to_a_search_for_nans():
    f = anvl.jit(lambda x: anp.log(x), donate="x", debug_nans=True)
    x = f32(-1.0)
    with pytest.raises(anvl.NonFiniteError, match="log"):
        f(x)
    assert x == -1.0


def test_it_is_seen_in_the_text_and_in_the_memory(step):
    shape = anvl.aval("f32", (256,))
    lowered = step.lower({"w": shape, "b": shape}, shape)
    text = lowered.mlir()
    assert text.count("tf.aliasing_output") == 2
    compiled = lowered.compile()
    assert compiled.memory_stats()["alias_size_in_bytes"] == 2 * 256 * 4
    params = {"w": anp.ones(256), "b": anp.ones(256)}
    compiled(params, anp.ones(256))
    with pytest.raises(RuntimeFailure, match=r"donated to step as its argument params\['b'\]"):
        params["b"].numpy()


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"donate": "z"}, ValueError, "donate: f has no argument 'z'; it has 0 x, 1 n"),
        ({"donate": 2}, ValueError, "donate: f has no argument 2"),
        ({"donate": 1.5}, TypeError, "donate: 1.5 is neither the name of an argument"),
        (
            {"donate": "n", "static": "n"},
            ValueError,
            "jit: f: argument 1 is both static and donated",
        ),
        ({"cache_size": 0}, ValueError, "jit: cache_size must be a positive number of programs"),
        ({"cache_size": True}, ValueError, "cache_size must be a positive number"),
        ({"compiler_options": {"a": []}}, TypeError, r"jit: compiler_options: 'a' is \[\]"),
    ],
)
def test_refused(options, error, said):
    def f(x, n):
        return x

    with pytest.raises(error, match=said):
        anvl.jit(f, **options)


def test_an_array_may_be_read_by_one_thread_while_another_donates_it():
    """Deleting what is being read ended the process."""
    code = """
import _thread, time, numpy as np, anvl, anvl.numpy as anp
for _ in range(30):  # the first call of each function is the one that names the line
    f = anvl.jit(lambda t: {"w": t["w"] * 2}, donate=0)
    for _ in range(40):
        t = {"w": anp.asarray(np.float32([1.0]))}
        x = t["w"]
        _thread.start_new_thread(f, (t,))
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                x.numpy()
            except anvl.RuntimeFailure:
                break
            time.sleep(0.0002)
        assert x.is_deleted()
print("read")
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, "read\n"), ended.stderr[-2000:]


def test_an_array_may_be_read_by_one_thread_while_another_deletes_it():
    """Deleting what is being read ended the process."""
    code = """
import sys, threading, numpy as np, anvl, anvl.numpy as anp
sys.setswitchinterval(1e-5)
box, said, done = [anp.zeros(1000)], set(), []
def read():
    while not done:
        try:
            box[0].numpy()
        except anvl.RuntimeFailure as error:
            said.add(str(error))
readers = [threading.Thread(target=read) for _ in range(3)]
for reader in readers:
    reader.start()
for i in range(10_000):
    box[0] = x = anp.asarray(np.full(1000, i))
    x.delete()
done.append(True)
for reader in readers:
    reader.join()
print(all("was deleted or donated; keep a copy" in message for message in said))
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, "True\n"), ended.stderr[-2000:]
