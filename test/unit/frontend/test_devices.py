"""Where programs run: where their arrays are, where they are pinned to, and what is refused."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
import anvl.runtime as rt


@pytest.fixture(scope="module")
def devices():
    """Three devices of one client."""
    return rt.cpu_client(3).devices


@pytest.fixture(scope="module")
def there(devices):
    return rt.put(np.arange(3.0), devices[1].placement)


def test_numbers_and_numpy_arrays_follow_the_arrays(devices, there):
    assert (there + 1.0).device is devices[1]
    assert (2.0 * there).device is devices[1]
    assert (there + np.ones(3)).device is devices[1]
    assert anp.sum(there * there).device is devices[1]
    f = anvl.jit(lambda n, x, table: n * x + table)
    for _ in range(2):
        found = f(2.0, there, np.ones(3))
        assert found.device is devices[1]
        np.testing.assert_array_equal(found, [1.0, 3.0, 5.0])
    assert f(2.0, np.ones(3), np.ones(3)).device is rt.devices()[0]
    assert f.cache_size() == 2


@pytest.mark.parametrize(
    "use",
    [
        lambda x: x[0], lambda x: x[-1], lambda x: x[1:], lambda x: x[anp.asarray(1) * 0],
        lambda x: x.at[0].set(5.0), lambda x: x.reshape(3, 1), anvl.grad(lambda x: anp.sum(x * x)),
        anvl.vmap(lambda x: x + 1), lambda x: anvl.jvp(anp.sin, (x,), (np.ones(3),))[1],
        lambda x: anvl.vjp(anp.sin, x)[1](np.ones(3))[0], anp.sort, lambda x: x @ x,
        lambda x: anp.linalg.norm(x), lambda x: -x, lambda x: x**2, lambda x: x > 1,
        anvl.hessian(lambda x: anp.sum(x**3)), lambda x: x.astype("f32"), lambda x: x.copy(),
    ],
)  # fmt: skip
def test_operations_stay_on_the_device(devices, there, use):
    if use.__code__.co_consts and "asarray" in use.__code__.co_names:
        with pytest.raises(ValueError, match=r"is on <CpuDevice\(id=1\)>"):
            use(there)
        return
    assert use(there).device is devices[1]


def test_arrays_of_several_devices_are_refused(devices, there):
    here = anp.ones(3)
    f = anvl.jit(lambda x, params: x + params["w"])
    said = (
        r"<lambda>: x f64\[3\] is on <CpuDevice\(id=1\)>, params\['w'\] f64\[3\] on "
        r"<CpuDevice\(id=0\)> of another client; a program runs on one device: move the others "
        r"with anvl.device_put\(x, device\), or pin the function"
    )
    for _ in range(2):
        with pytest.raises(ValueError, match=said):
            f(there, {"w": here.astype("f64")})
    other = anvl.device_put(there, devices[2])
    with pytest.raises(
        ValueError, match=r"add: x f64\[3\] is on .*id=1\)>, y f64\[3\] on .*id=2\)>;"
    ):
        there + other


def test_without_arrays_it_runs_where_its_closed_over_arrays_are(devices, there):
    f = anvl.jit(lambda x: x * there)
    for x in (2.0, 3.0, np.ones(3), 2.0):
        found = f(x)
        assert found.device is devices[1]
        np.testing.assert_array_equal(found, x * np.arange(3.0))
    assert f.cache_size() == 2
    assert anvl.jit(lambda: there + 1)().device is devices[1]
    with pytest.raises(ValueError, match=r"<lambda>: there f64\[3\] is on .*id=1\)>, x f64"):
        f(anp.ones(3, dtype="f64"))
    # A call that has an array elsewhere fails, whatever ran before it, and changes nothing.
    assert f(2.0).device is devices[1]


def test_large_numpy_arrays_that_are_closed_over_follow(devices, there):
    table = np.ones(20_000)
    f = anvl.jit(lambda x: anp.sum(table) * x)
    assert f(there).device is devices[1]
    assert f(2.0).device is rt.devices()[0]


def test_arrays_made_while_tracing_decide(devices):
    f = anvl.jit(lambda x: x + anvl.device_put(np.ones(3), devices[2]))
    assert f(1.0).device is devices[2]


def test_pinned_functions_copy(devices, there):
    table = anp.arange(3.0)
    f = anvl.jit(lambda x, y: x * y + table, device=devices[2])
    for x in (there, np.arange(3.0), anp.arange(3.0).astype("f64"), there):
        for y in (2.0, there):
            found = f(x, y)
            assert found.device is devices[2]
            np.testing.assert_array_equal(found, np.arange(3.0) * np.asarray(y) + np.arange(3.0))
    assert there.device is devices[1]
    assert f.cache_size() == 2  # with a weak number, and with an array


def test_pinned_and_donated_takes_the_copy(devices, there):
    f = anvl.jit(lambda x: x + 1, device=devices[2], donate="x")
    assert f(there).device is devices[2]
    assert not there.is_deleted()
    own = anvl.device_put(np.ones(3), devices[2])
    f(own)
    assert own.is_deleted()


def test_stages_of_a_pinned_function(devices):
    f = anvl.jit(lambda x: x + 1, device=devices[2])
    assert f.lower(1.0).compile()(1.0).device is devices[2]


def test_device_by_name():
    assert anvl.jit(lambda x: x + 1, device="cpu:0")(1.0).device is rt.devices()[0]
    assert anvl.jit(lambda x: x + 1, device="cpu")(1.0).device is rt.devices()[0]
    with pytest.raises(ValueError, match=r"jit: there is no device 'cpu:7', cpu has 1"):
        anvl.jit(lambda x: x, device="cpu:7")(1.0)
    with pytest.raises(TypeError, match="jit: device must be a device or its name, got 7"):
        anvl.jit(lambda x: x, device=7)


def test_device_put(devices, there):
    moved = anvl.device_put({"a": there, "b": [np.ones(2, "f4"), 2.0]}, devices[0])
    assert [x.device for x in anvl.tree.leaves(moved)] == [devices[0]] * 3
    assert moved["b"][1].weak_type and moved["b"][0].dtype == "float32"
    np.testing.assert_array_equal(moved["a"], there)
    assert anvl.device_put(there) is there
    assert anvl.device_put(there, devices[1]) is there
    assert anvl.device_put(1.0).device is rt.devices()[0]
    assert anvl.device_put(np.ones(2), "cpu:0").device is rt.devices()[0]


def test_device_put_refuses(devices):
    with pytest.raises(
        TypeError,
        match=r"device_put: device must be a device, its name, a Sharding or a Parti.*, got 1.5",
    ):
        anvl.device_put(1.0, 1.5)
    with pytest.raises(anvl.PluginError, match="device_put: no plugin 'gpu' is known"):
        anvl.device_put(1.0, "gpu")
    with pytest.raises(TypeError, match="device_put"):
        anvl.device_put("text", devices[0])
    with pytest.raises(anvl.TraceError, match=r"device_put: the array is traced \(f32\?\[\]\)"):
        anvl.jit(lambda x: anvl.device_put(x, devices[1]))(1.0)
    assert anvl.jit(lambda x: anvl.device_put(x) + 1)(1.0) == 2.0


def test_options_of_jit():
    calls = []

    def inner(x):
        calls.append(1)
        return {"y": x * 2, "z": 3}

    inlined = anvl.jit(inner, inline=True)
    outer = anvl.jit(lambda x: inlined(x)["y"] + inlined(x)["z"])
    assert outer(1.0) == 5.0
    assert outer.lower(1.0).mlir("anvl").count("func.func") == 1
    few = anvl.jit(lambda x: x + 1, cache_size=2)
    for n in range(1, 5):
        few(np.ones(n))
    assert few.cache_size() == 2
    fast = anvl.jit(lambda x: anp.sin(x), compiler_options={"xla_cpu_enable_fast_math": True})
    assert fast(0.0) == 0.0
    with pytest.raises(ValueError, match="xla_no_such"):
        anvl.jit(lambda x: anp.sin(x) + 3, compiler_options={"xla_no_such": 1})(0.0)


def test_clear_caches():
    f = anvl.jit(lambda x: x + 1)
    assert f(1.0) == 2.0 and f.cache_size() == 1
    anvl.clear_caches()
    assert f.cache_size() == 0
    assert f(1.0) == 2.0
