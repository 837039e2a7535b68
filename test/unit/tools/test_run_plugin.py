"""`anvl-run --plugin=NAME`: programs of a file on a real plugin, and errors as diagnostics."""

import re
from pathlib import Path

import pytest
from plugin_files import NAME, compiled

import anvl
from anvl.tools.run.run_tool import main
from anvl.tools.run.worker import _device, worker

ROUTINE = """func.func @main(%a: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %0 = "anvl.cholesky"(%a) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}
"""
ONLY_LAPACK = """func.func @main(%a: tensor<2x2xf64>) -> tensor<2xcomplex<f64>> {
  %0 = "anvl.eigvals"(%a) : (tensor<2x2xf64>) -> tensor<2xcomplex<f64>>
  return %0 : tensor<2xcomplex<f64>>
}
"""
ARGUMENTS = "--args=[[[4.0, 2.0], [2.0, 3.0]]]"
FACTOR = "f64[2,2] 2.0 0.0 1.0 1.41421\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "routine.mlir"
    path.write_text(ROUTINE)
    return path


def ran(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[int, str, str]:
    code = main([str(x) for x in argv])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("plugin", ["cpu", "CPU:0", NAME, f"{NAME}:1", "xla_cpu_pjrt"])
def test_a_program_runs_on_the_plugin_that_is_named(plugin, file, capsys) -> None:
    # The default client's LAPACK would not be found there: it is lowered for the plugin.
    assert ran(capsys, file, ARGUMENTS, f"--plugin={plugin}") == (0, FACTOR, "")


def test_plugins_are_compared_and_measured(file, capsys) -> None:
    compare = f"--compare=plugin,{NAME},interpreter"
    code, out, err = ran(capsys, file, ARGUMENTS, compare, "--plugin=cpu")
    assert code == 1 and not out  # the interpreter has no LAPACK
    assert "error: interpreter: @main: StableHLO's interpreter lacks stablehlo.custom_call" in err
    code, out, err = ran(capsys, file, ARGUMENTS, f"--compare=plugin,{NAME}:1", "--repeat=2")
    assert (code, out) == (0, FACTOR)
    assert f"plugin and {NAME}:1: result 0: tensor<2x2xf64>: " in err
    assert f"\n{NAME}:1: time: 2 runs" in err and err.startswith("time: 2 runs")
    file.write_text(ONLY_LAPACK)
    code, out, err = ran(capsys, file, ARGUMENTS, f"--compare=plugin,{NAME}")
    assert (
        code == 1
        and "routine.mlir:2:8: error: anvl-lower-to-stablehlo: eigvals: there is no" in err
    )


def test_an_entry_cannot_have_the_name_of_the_cpu(file, monkeypatch, capsys) -> None:
    monkeypatch.setenv("PJRT_NAMES_AND_LIBRARY_PATHS", "cpu:/x.so")
    code, _, err = ran(capsys, file, ARGUMENTS, "--compare=interpretr,plugin")
    assert code == 1 and f"takes plugin or interpreter or cpu or {NAME}, or a file" in err
    says = "--plugin (cpu if not given): 'cpu': PJRT_NAMES_AND_LIBRARY_PATHS has the entry 'cpu:/x"
    with pytest.raises(
        anvl.PluginError, match=f"^{re.escape(says)}.*; give the plugin another name"
    ):
        _device("cpu")


def test_a_plugin_that_is_not_there(file, capsys) -> None:
    code, _, err = ran(capsys, file, ARGUMENTS, "--plugin=xla-cpu-pjr")
    assert code == 1
    assert err.startswith("anvl-run: error: --plugin: no plugin 'xla-cpu-pjr' is known (did you")
    code, _, err = ran(capsys, file, ARGUMENTS, "--compare=interpretr,plugin")
    assert code == 1 and f"plugin or interpreter or cpu or {NAME}, or a file, .npz or" in err
    assert "got 'interpretr', did you mean 'interpreter'?" in err
    code, _, err = ran(capsys, file, ARGUMENTS, f"--plugin={NAME}:first")
    assert (code, err) == (1, f"anvl-run: error: --plugin takes a device as {NAME}:0, got "
                              f"'{NAME}:first'\n")  # fmt: skip
    code, _, err = ran(capsys, file, ARGUMENTS, f"--plugin={NAME}:99")
    assert code == 1 and f"{file}:1:1: error: --plugin: there is no device '{NAME}:99'" in err


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize(
    ("fault", "version", "said"),
    [
        ("NULL_API", "0.81", "is not a PJRT plugin: its GetPjrtApi gives no API"),
        ("NOTHING", "0.3", "speaks version 0.3 of PJRT's C API, which jaxlib"),
        ("REFUSES", "0.81", "cannot be started: no devices were brought along"),
        ("CRASHES", "0.81", "error: wrong: starting the plugin ended the process with SIGABRT"),
    ],
)
def test_a_plugin_that_does_not_start(
    fault, version, said, file, tmp_path, monkeypatch, capsys
) -> None:
    library = compiled(tmp_path / f"{fault}.so", fault, version)
    monkeypatch.setenv("PJRT_NAMES_AND_LIBRARY_PATHS", f"wrong:{library}")
    worker().close()  # the next one sees the variable
    code, out, err = ran(capsys, file, ARGUMENTS, "--plugin=wrong")
    assert (code, out) == (1, "") and err.startswith(f"{file}:1:1: error: ") and said in err
