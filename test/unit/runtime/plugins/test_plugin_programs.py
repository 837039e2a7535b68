"""Whole programs on a real plugin: training, every form of control flow, versions, handlers."""

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from plugin_files import NAME
from tolerances import PROGRAM, assert_close

import anvl
import anvl.numpy as anp
import anvl.runtime as rt
from anvl.dialect.core.context import context
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir, stablehlo
from anvl.dispatch.lowering import serialize

pytestmark = pytest.mark.sweep(keep=0, part=200)  # the plugin takes 5 s to start

EXAMPLES = Path(__file__).parents[4] / "examples"


def test_the_digits_are_learnt_as_on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location("digits", EXAMPLES / "digits.py")
    assert spec is not None and spec.loader is not None
    digits = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "digits", digits)
    spec.loader.exec_module(digits)
    train_x, test_x, train_y, test_y = digits.images_and_labels()
    labels = np.eye(digits.CLASSES, dtype="float32")[train_y]
    losses: list[Any] = []
    for device in ("cpu", NAME):
        with anvl.default_device(device):
            params, of_batches = digits.trained(np.random.default_rng(0), train_x, labels, 2)
            assert params.w1.device is anvl.devices(device)[0]
            found = np.asarray(digits.read(params, test_x))
        assert np.mean(found == test_y) > 0.85
        losses.append(np.asarray(of_batches))
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-3, atol=1e-4)


def looped(x: Any) -> Any:
    """Control flow, random numbers, and a derivative through them."""

    def energy(x: Any) -> Any:
        y = anvl.fori_loop(0, 3, lambda i, c: anp.sin(c) + i, x)
        y, sums = anvl.scan(lambda c, v: (c * 0.5 + v, anp.sum(c)), anp.zeros_like(x[0]), y)
        z = anvl.cond(anp.sum(y) > 0, anp.cos, lambda v: v * v, y)
        return anp.sum(z) + anp.sum(sums * sums)

    key = anvl.random.key(3)
    noise = anvl.random.normal(key, x.shape)
    stop = anvl.while_loop(lambda v: anp.sum(v) < 20, lambda v: v * 2, anp.abs(x) + 1)
    value, slope = anvl.value_and_grad(energy)(x + noise)
    return value, slope, stop, anvl.vmap(anp.sort)(noise), anp.fft.fft(x[0])


def test_control_flow_random_numbers_and_derivatives_agree_with_the_cpu() -> None:
    x = np.random.default_rng(1).standard_normal((4, 5)).astype("float32")
    found: list[Any] = []
    for device in ("cpu", NAME):
        with anvl.default_device(device):
            found.append([np.asarray(y) for y in anvl.jit(looped)(x)])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-5)


def test_stages_are_those_of_the_default_device() -> None:
    a = np.array([[2.0, 1.0], [1.0, 3.0]])
    inverse = anvl.jit(lambda a: anp.linalg.inv(a))
    with anvl.default_device(f"{NAME}:1"):
        lowered = inverse.lower(a)
        assert "lapack" not in lowered.mlir()
    compiled = lowered.compile()  # for the device that was the default
    found = compiled(a)
    assert found.device is anvl.devices(NAME)[1]
    assert_close(found, np.linalg.inv(a), PROGRAM)
    assert "lapack" in inverse.lower(a).mlir()
    assert compiled.hlo().startswith("HloModule")
    assert compiled.memory_stats()["argument_size_in_bytes"] == a.nbytes
    assert isinstance(compiled.cost_analysis(), dict)


def test_an_error_of_the_program_names_the_argument(capfd: pytest.CaptureFixture[str]) -> None:
    with anvl.default_device(NAME):
        x = anp.ones(3)
        double = anvl.jit(lambda x: x + x)
        double(x)
        x.delete()
        with pytest.raises(anvl.RuntimeFailure, match=r"argument .*: array f32.* was deleted"):
            double(x)
    assert capfd.readouterr() == ("", "")  # the plugin logs each compilation


def test_a_donated_array_gives_its_memory_to_the_result() -> None:
    step = anvl.jit(lambda x: x * 0.5, donate="x")
    with anvl.default_device(NAME):
        x = anp.ones((64, 64))
        assert step.lower(x).compile().memory_stats()["alias_size_in_bytes"] == x.nbytes
        address = x.buffer.unsafe_buffer_pointer()
        y = step(x)
        assert y.buffer.unsafe_buffer_pointer() == address and np.all(np.asarray(y) == 0.5)
        with pytest.raises(anvl.RuntimeFailure, match="was donated to"):
            x + 1


# -- versions of StableHLO -------------------------------------------------------------------------


def test_the_version_is_the_smaller_of_jaxlibs_and_the_plugins() -> None:
    client = anvl.devices(NAME)[0].client
    assert client.attributes["stablehlo_minimum_version"] == (0, 9, 0)
    assert rt.stablehlo_version(client) == "1.13.3"
    assert rt.stablehlo_version(rt.embedded_client()) == rt.stablehlo_version()
    text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"
    ours = stablehlo.get_smaller_version(stablehlo.get_current_version(), rt.stablehlo_version())
    for of, version in ((client, "1.13.3"), (None, ours)):
        artifact = serialize(ir.Module.parse(text, context()), client=of)
        assert artifact.startswith(b"ML\xefR\rStableHLO_v" + version.encode())


def of_versions(least: tuple[int, ...], newest: tuple[int, ...]) -> rt.Client:
    """The plugin's client, as one that takes other versions."""
    said = {"stablehlo_current_version": newest, "stablehlo_minimum_version": least}
    return rt.Client(anvl.devices(NAME)[0].client.handle, "mine", attributes=said)


def test_a_plugin_for_newer_programs_only() -> None:
    client = of_versions((7, 1, 0), (8, 0, 0))
    message = (
        r"compile: the plugin mine takes StableHLO 7.1.0 and later, anvl writes 1\.\d+\.\d+ and "
        r"earlier with jaxlib 0\.\d+.*; install newer versions of jaxlib and torch-mlir"
    )
    with pytest.raises(anvl.PluginError, match=message):
        anvl.jit(lambda x: x + 1)(rt.put(np.ones(2), client.devices[0].placement))


def test_an_op_that_the_version_of_a_plugin_lacks_is_named() -> None:
    client = of_versions((0, 9, 0), (1, 0, 0))
    x = rt.put(np.ones(2, "float32"), client.devices[0].placement)
    assert anvl.jit(lambda x: x + 1)(x).tolist() == [2, 2]
    here = re.escape(__file__)
    message = (
        rf"stablehlo.custom_call at {here}:\d+ is not in StableHLO 1.0.0 in this form, the newest "
        r"that the plugin mine takes; anvl has 1\.\d+\.\d+; install a newer version of the plugin"
    )
    with pytest.raises(PassError, match=message) as caught:
        anvl.jit(lambda x: anvl.ffi.call("test.nowhere", x, x, factor=2.0))(x)
    assert Path(__file__).name in str(caught.value.location)
    assert caught.value.__suppress_context__  # MLIR's own error says only that it failed


# -- handlers --------------------------------------------------------------------------------------


def test_handlers_that_the_plugin_lacks() -> None:
    x = rt.put(np.eye(2), anvl.devices(NAME)[0].placement)
    with pytest.raises(anvl.RuntimeFailure, match=rf"the plugin {NAME} has no handler 'test.no'"):
        anvl.jit(lambda x: anvl.ffi.call("test.no", x, x))(x)
    text = """func.func @main(%x: tensor<2x2xf64>) -> tensor<2x2xf64> {
      %y:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%x) {api_version = 4 : i32,
        backend_config = {uplo = 76 : ui8}} : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<i32>)
      return %y#0 : tensor<2x2xf64>
    }"""
    place = x.aval.placement
    with pytest.raises(anvl.RuntimeFailure, match="no handler 'lapack_dpotrf_ffi'; run the prog"):
        rt.compile(text, place)
    factor = anvl.from_stablehlo(text)  # recognised, and written out
    np.testing.assert_allclose(np.asarray(anvl.jit(factor)(x)), np.eye(2))
