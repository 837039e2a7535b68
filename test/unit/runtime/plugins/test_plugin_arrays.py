"""Arrays of a real plugin: values of every dtype, and between its devices and jaxlib's own."""

import numpy as np
import pytest
from plugin_files import NAME

import anvl
import anvl.runtime as rt
from anvl.runtime.types import DTYPE_NAMES

pytestmark = pytest.mark.sweep(keep=0, part=200)  # the plugin takes 5 s to start

_DTYPES = {short: dtype for dtype, short in DTYPE_NAMES.items()}
_IN_MLIR = {"bool": "i1", "complex64": "complex<f32>", "complex128": "complex<f64>"}
N = 7


def drawn(dtype: np.dtype) -> np.ndarray:
    values = np.arange(N) - 2
    if dtype.kind == "b":
        return values % 3 == 0
    return (values + 1j * values[::-1]).astype(dtype) if dtype.kind == "c" else values.astype(dtype)


def bits(x: np.ndarray) -> list[int]:
    return np.ascontiguousarray(x).view(np.uint8).tolist()


@pytest.fixture(scope="module")
def place() -> rt.Placement:
    return anvl.devices(NAME)[1].placement


@pytest.fixture(scope="module")
def reversed_all(place: rt.Placement) -> dict[str, np.ndarray]:
    """An array of each dtype, reversed by one program of the plugin."""
    types = [f"tensor<{N}x{_IN_MLIR.get(name, name)}>" for name in _DTYPES]
    arguments = ", ".join(f"%a{i}: {t}" for i, t in enumerate(types))
    ops = "".join(
        f"%r{i} = stablehlo.reverse %a{i}, dims = [0] : {t}\n" for i, t in enumerate(types)
    )
    names, results = ", ".join(f"%r{i}" for i in range(len(types))), ", ".join(types)
    text = f"func.func @main({arguments}) -> ({results}) {{\n{ops}return {names} : {results}\n}}"
    arrays = [rt.put(drawn(dtype), place) for dtype in _DTYPES.values()]
    of = [x.aval for x in arrays]
    found = rt.compile(text, place, arg_types=of, out_types=of).execute(arrays)
    return dict(zip(_DTYPES, map(np.asarray, found), strict=True))


@pytest.mark.parametrize("name", _DTYPES)
def test_values_of_every_dtype(name: str, place: rt.Placement, reversed_all) -> None:
    value = drawn(_DTYPES[name])
    there = rt.put(value, place)
    assert there.device is place.devices[0] and there.dtype == value.dtype
    assert bits(there.numpy()) == bits(value) == bits(reversed_all[name][::-1])
    here = rt.put(there, anvl.devices("cpu")[0].placement)
    assert here.device is anvl.devices("cpu")[0] and bits(here.numpy()) == bits(value)
    back = rt.put(here, anvl.devices(NAME)[0].placement)
    assert back.device is anvl.devices(NAME)[0] and bits(back.numpy()) == bits(value)
    assert bits(rt.put(there, anvl.devices(NAME)[2].placement).numpy()) == bits(value)
    assert bits(there.copy().numpy()) == bits(value)


def test_empty_arrays_and_large_ones(place: rt.Placement) -> None:
    assert rt.put(np.zeros((0, 3), "float32"), place).numpy().shape == (0, 3)
    large = np.random.default_rng(0).standard_normal((300, 1000))
    assert np.array_equal(rt.put(large.T, place), large.T)
    assert np.array_equal(rt.put(rt.put(large, place), rt.default_placement()), large)
    copied = np.from_dlpack(rt.put(large, place))
    assert np.array_equal(copied, large)


def test_arrays_that_outlive_their_owners(place: rt.Placement) -> None:
    array = rt.put(np.arange(5.0), place)
    view = array.numpy()
    array.delete()
    assert view.tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(anvl.RuntimeFailure, match="was deleted or donated"):
        array.numpy()


def test_arrays_of_two_clients_in_one_program_are_both_named(place: rt.Placement) -> None:
    x, y = rt.put(np.ones(3), place), rt.put(np.ones(3))
    with pytest.raises(
        ValueError, match=rf"x f64\[3\] is on <CpuDevice\(id=1, plugin='{NAME}'\)>, y"
    ):
        anvl.jit(lambda x, y: x + y)(x, y)
    program = "func.func @main(%x: tensor<3xf64>) -> tensor<3xf64> { return %x : tensor<3xf64> }"
    with pytest.raises(TypeError, match=rf"expected f64\[3\] on <CpuDevice\(id=1, plugin='{NAME}'"):
        rt.compile(program, place).execute([y])


def test_tiles_and_copies_over_the_devices_of_a_plugin() -> None:
    devices = anvl.devices(NAME)[:2]
    x = np.arange(8.0).reshape(4, 2)
    with pytest.raises(ValueError, match="devices belong to 2 clients"):
        rt.sharded_placement((*devices, *anvl.devices("cpu")))
    assert rt.put(x, rt.sharded_placement(devices, (2, 1))).block_until_ready().shape == (4, 2)
