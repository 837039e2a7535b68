"""Arrays from elsewhere: another thread, device, library or kind of machine."""

import threading

import numpy as onp
import pytest
from tolerances import PROGRAM, assert_close

import anvl
import anvl.numpy as np
import anvl.runtime as rt

X = anvl.aval("f32", (3,))


def in_another_thread(use):
    def f(x):
        caught = []

        def work():
            try:
                use(x)
            except Exception as error:
                caught.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        raise caught[0]

    return f


@pytest.mark.parametrize(
    "use",
    [
        np.sin,
        lambda x: x + 1,
        lambda x: x[0],
        bool,
        onp.asarray,
        anvl.jit(lambda x: x * 2),
        # Closed over by what the thread traces itself.
        lambda x: anvl.jit(lambda y: y + x)(1.0),
        lambda x: anvl.jit(lambda y: x)(1.0),
        lambda x: anvl.grad(lambda y: y * x[0])(1.0),
        lambda x: anvl.vmap(lambda y: y * x)(onp.ones(2)),
        lambda x: anvl.scan(lambda c, y: (c + x[0], y), 0.0, onp.ones(3)),
        lambda x: anvl.trace(lambda y: anvl.cond(y > 0, lambda: x, lambda: x + 1), 1.0),
    ],
)
def test_a_tracer_of_another_thread(use):
    with pytest.raises(anvl.TraceError, match="is used in another thread than the one that traces"):
        anvl.trace(in_another_thread(use), X)


def test_a_tracer_that_outlived_its_trace_is_still_called_so():
    kept = []
    anvl.trace(lambda x: kept.append(x) or x, X)
    for use in (np.sin, bool, in_another_thread(np.sin)):
        with pytest.raises(anvl.TraceError, match="is used after its trace has ended"):
            use(kept[0])


@pytest.mark.parametrize("dtype", [">f4", ">i2", ">c8", ">u8"])
def test_arrays_of_the_other_byte_order(dtype):
    """Closed over, as an argument, as a dtype: the same everywhere."""
    y = onp.arange(3).astype(dtype)
    native = y.astype(y.dtype.newbyteorder("="))
    x = onp.ones(3, native.dtype)
    for result in (anvl.jit(lambda x: x + y)(x), anvl.jit(np.add)(x, y), np.add(x, y)):
        assert result.tolist() == (native + 1).tolist()
    assert anvl.aval(dtype, (3,)) is anvl.aval(native.dtype, (3,))
    assert np.asarray(y).dtype == np.ones(3, dtype).dtype == native.dtype


@pytest.mark.parametrize("dtype", [">f2", ">f4", ">i4", ">c16", ">u8"])
@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (2,)])
def test_an_element_of_the_other_byte_order_is_closed_over_by_its_value(dtype, shape):
    """One element becomes a literal, of which the compiler reads the bytes as they lie."""
    y = onp.full(shape, 3, dtype)
    x = onp.asarray(2, y.dtype.newbyteorder("="))
    for result in (anvl.jit(lambda x: x * y)(x), anvl.vmap(lambda x: x * y)(x[None])[0]):
        assert result.dtype == x.dtype and result.tolist() == onp.full(shape, 6, x.dtype).tolist()
    program = anvl.jit(lambda x: x * y).lower(x)
    assert not shape == (2,) or program.constants()["c1"].dtype.isnative


class _Foreign:
    """As a `jax.Array` looks from outside."""

    shape, dtype = (3,), onp.dtype("f4")

    def __array__(self, dtype=None, copy=None):
        return onp.ones(3, "f4")


_Foreign.__module__, _Foreign.__name__ = "jaxlib._jax", "ArrayImpl"


@pytest.mark.parametrize(
    "use",
    [
        lambda y: np.sin(y),
        lambda y: anvl.jit(np.sin)(y),
        lambda y: anvl.jit(lambda x: x + y)(onp.ones(3, "f4")),
        lambda y: anvl.jit(lambda x: np.add(y, x))(onp.ones(3, "f4")),
        lambda y: np.ones(3) * y,
        lambda y: anvl.grad(lambda x: np.sum(x))(y),
    ],
)
def test_arrays_of_jax_are_refused_with_what_to_do(use):
    with pytest.raises(TypeError, match=r"an array of jax; numpy.asarray\(x\) makes one that anvl"):
        use(_Foreign())
    use(onp.asarray(_Foreign()))


@pytest.fixture(scope="module")
def apart():
    devices = rt.cpu_client(2).devices
    return [rt.put(onp.ones(3, "f4"), device.placement) for device in devices]


@pytest.mark.parametrize(
    "use",
    [
        lambda a, b: a + b,
        lambda a, b: anvl.jit(lambda x: x * b)(a),
        lambda a, b: anvl.grad(lambda x, y: np.sum(x * y))(a, b),
        lambda a, b: np.stack([a, b]),
    ],
)
def test_arrays_on_two_devices(use, apart):
    with pytest.raises(ValueError, match=r"\] is on <CpuDevice\(id=.*; a program runs on one"):
        use(*apart)


def test_arrays_of_two_clients(apart):
    with pytest.raises(ValueError, match="of another client; a program runs on one device"):
        _ = apart[0] + np.ones(3)


def test_a_closed_over_numpy_array_goes_where_the_arguments_are(apart):
    result = anvl.jit(lambda x: x + onp.arange(3, dtype="f4"))(apart[1])
    assert result.tolist() == [1, 2, 3]
    assert result.device is apart[1].device


@pytest.mark.filterwarnings(
    "ignore:.*compiled 17 times"
)  # threads that compile one program at once
def test_sixteen_threads_trace_compile_and_call():
    """Functions of their own and a shared one, under defaults of their own, caches dropped."""
    shared = anvl.jit(lambda x, k: np.sum(np.sin(x) * k), static="k")
    done, gate = [], threading.Barrier(16)

    def work(seed):
        gate.wait()
        for i in range(4):
            n, k = 2 + (seed + i) % 2, 1 + seed // 2 % 2
            x = onp.linspace(0.0, 1.0, n)
            own = anvl.jit(anvl.grad(lambda x, k=k: np.sum(np.sin(x) * k)))
            with anvl.defaults(float=("f32", "f64")[seed % 2]):
                assert np.zeros(1).dtype == ("float32", "float64")[seed % 2]
                assert_close(shared(x, k), onp.sum(onp.sin(x) * k), PROGRAM)
                assert_close(own(x), k * onp.cos(x), PROGRAM)
                assert_close(anvl.vmap(lambda y, k=k: y * k)(x), x * k, PROGRAM)
                assert_close(np.asarray(x) + seed, x + seed, PROGRAM)
            if seed == 5:
                shared.clear_cache()
        done.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == list(range(16))


def test_waiting_for_a_pytree():
    x = {"y": np.ones(3) * 2, "n": 4, "z": [onp.ones(2), np.ones(2) * 2]}
    assert anvl.block_until_ready(x) is x
    assert anvl.block_until_ready(x["y"]) is x["y"]
    x["y"].delete()
    with pytest.raises(anvl.RuntimeFailure, match=r"block_until_ready: array f32\[3\] was deleted"):
        anvl.block_until_ready(x)
