"""Plugins by name: found, started, refused; and that nobody else suffers from one that fails."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from plugin_files import NAME, compiled

import anvl
import anvl.numpy as anp
import anvl.runtime as rt
from anvl.runtime.plugins import discovery


@pytest.fixture(scope="module")
def library() -> Path:
    return rt.known_plugins()[NAME].path


def refused(name: str) -> str:
    with pytest.raises(anvl.PluginError) as caught:
        anvl.devices(name)
    assert rt.put(np.ones(2)).device.client is rt.embedded_client()  # goes on
    return str(caught.value)


# -- found -----------------------------------------------------------------------------------------


def test_an_installed_wheel_is_found_and_started_once() -> None:
    devices = anvl.devices(NAME)
    assert len(devices) > 1 and anvl.devices("XLA_CPU_PJRT") is devices
    assert repr(devices[1]) == f"<CpuDevice(id=1, plugin={NAME!r})>"
    assert repr(devices[0].client) == f"<Client({NAME}, {len(devices)} devices)>"
    assert devices[0].platform == "cpu" and devices[0].client.target == rt.Target("cpu", "none")
    assert anvl.devices("cpu") == anvl.devices() == rt.embedded_client().devices


@pytest.mark.sweep(keep=0)
def test_neither_jax_nor_the_module_of_the_wheel_is_imported() -> None:
    code = f"""
import sys, anvl
anvl.devices({NAME!r})
print([name for name in sys.modules if name.startswith(("jax.", "jax_", "xla_plugins."))])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.sweep(keep=0)
@pytest.mark.parametrize(
    "module, level, logs",
    [("jax", {}, False), ("sys", {}, False), ("sys", {"TF_CPP_MIN_LOG_LEVEL": "1"}, True)],
)
def test_a_plugin_logs_no_more_where_jax_was_imported(
    module: str, level: dict[str, str], logs: bool
) -> None:
    """An import of `jax` sets the variable, as a user may."""
    pytest.importorskip(module)
    environment = {k: v for k, v in os.environ.items() if k != "TF_CPP_MIN_LOG_LEVEL"} | level
    code = f"""
import os, {module}, anvl, anvl.numpy as anp
before = os.environ.get("TF_CPP_MIN_LOG_LEVEL")
with anvl.default_device({NAME!r}):
    anvl.jit(lambda x: x + x)(anp.ones(3)).tolist()
assert os.environ.get("TF_CPP_MIN_LOG_LEVEL") == before
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=environment
    )
    assert done.returncode == 0 and bool(done.stderr) == logs, done.stderr


def test_names_of_the_environment(library: Path, tmp_path: Path, monkeypatch) -> None:
    described = tmp_path / "described.json"
    described.write_text(json.dumps({"library_path": str(library), "create_options": {"n": 3}}))
    monkeypatch.setenv("PJRT_NAMES_AND_LIBRARY_PATHS", f"Mine:{library}, theirs:{described}")
    known = rt.known_plugins()
    assert known["mine"].path == known["theirs"].path == library
    assert known["mine"].options == {} and known["theirs"].options == {"n": 3}
    (tmp_path / "near.so").touch()
    described.write_text('{"library_path": "near.so"}')
    assert rt.known_plugins()["theirs"].path == tmp_path / "near.so"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "described.json of PJRT_NAMES_AND_LIBRARY_PATHS cannot be used: Expecting"),
        ("{}", "cannot be used: it lacks 'library_path'"),
        ("[]", "cannot be used: list indices must be integers"),
        ('{"library_path": 3}', "cannot be used: library_path must be text"),
        ('{"library_path": "a.so", "create_options": {"n": {}}}', "option n must be text, a bool"),
        (None, "cannot be used: .*No such file"),
    ],
)
def test_a_wrong_description_is_the_error_of_its_plugin(text, said, tmp_path, monkeypatch) -> None:
    path = tmp_path / "described.json"
    if text is not None:
        path.write_text(text)
    monkeypatch.setenv("PJRT_NAMES_AND_LIBRARY_PATHS", f"described:{path}")
    with pytest.raises(anvl.PluginError, match=said):
        anvl.devices("described")
    assert anvl.devices(NAME)


def test_a_malformed_variable_is_the_error_of_its_entry(monkeypatch) -> None:
    monkeypatch.setenv("PJRT_NAMES_AND_LIBRARY_PATHS", "mine;/path,")
    assert "has the entry 'mine;/path'; write name:path,name2:path2" in refused("mine;/path")
    assert "PJRT_NAMES_AND_LIBRARY_PATHS=mine;/path," in refused("yours")


@pytest.mark.parametrize("entry", ["cpu:/path.so", " CPU:/path.json", "cpu:", "cpu"])
def test_an_entry_cannot_have_the_name_of_the_own_client(entry, library, monkeypatch) -> None:
    name = entry.strip().partition(":")[0]
    monkeypatch.setenv("PJRT_NAMES_AND_LIBRARY_PATHS", f"mine:{library},{entry}")
    problem = (
        f"PJRT_NAMES_AND_LIBRARY_PATHS has the entry {entry.strip()!r}, but {name!r} is jaxlib's "
        "own client; give the plugin another name there, or take the entry out"
    )
    assert refused("cpu") == refused("Cpu") == f"devices: 'cpu': {problem}"
    with pytest.raises(anvl.PluginError, match=rf"^default_device: 'cpu': {problem}$"):
        anvl.default_device("cpu:0")
    with pytest.raises(anvl.PluginError, match=rf"^--device: 'cpu': {problem}$"):
        rt.find_plugin("cpu", "--device")
    assert rt.known_plugins()["cpu"].problem == problem  # which the doctor reports
    assert rt.known_plugins()["mine"].problem == "" and anvl.devices(NAME)
    known = refused("yours").partition("known are ")[2].partition(", looked for")[0].split(", ")
    assert known.count("cpu") == 1 and known[:2] == ["cpu", "mine"]


def package(folder: Path, name: str, *files: str) -> None:
    """A package whose module would end the test if it were executed."""
    place = folder.joinpath(*name.split("."))
    place.mkdir(parents=True)
    (place / "__init__.py").write_text("raise SystemExit('executed')")
    for file in files:
        (place / file).write_bytes(b"GetPjrtApi" if "plugin" in file else b"")


def test_layouts_of_wheels(tmp_path: Path, monkeypatch) -> None:
    package(tmp_path, "jax_plugins.xla_cuda12", "xla_cuda_plugin.so")
    package(tmp_path, "jax_plugins.xla_cuda13", "helper.so", "xla_cuda_plugin.so")
    package(tmp_path, "jax_plugins.metal_plugin", "pjrt_plugin_metal_14.dylib")
    package(tmp_path, "jax_plugins.empty")
    package(tmp_path, "jax_plugins.two", "plugin_a.so", "plugin_b.so")
    package(tmp_path, "libtpu", "libtpu.so")
    entry = tmp_path / "elsewhere-1.2.dist-info"
    entry.mkdir()
    (entry / "METADATA").write_text("Name: elsewhere\nVersion: 1.2\n")
    points = "[jax_plugins]\nelsewhere = far.away\nxla_cuda13 = jax_plugins.xla_cuda13\n"
    (entry / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(tmp_path)
    known = rt.known_plugins()
    assert known["cuda"].path.parent.name == known["xla-cuda13"].path.parent.name == "xla_cuda13"
    assert known["cuda"].path.name == "xla_cuda_plugin.so"
    assert known["cuda"].origin == "the wheel elsewhere 1.2"
    assert known["xla-cuda12"].path.parent.name == "xla_cuda12"
    assert known["metal"].path.name == "pjrt_plugin_metal_14.dylib"
    assert known["tpu"].path == tmp_path / "libtpu" / "libtpu.so"
    assert "should have one library of a plugin in" in refused("empty")
    assert "several, plugin_a.so, plugin_b.so" in refused("two")
    assert "far.away, which is not there" in refused("elsewhere")


def test_gpu_is_the_one_that_is_there(tmp_path: Path, monkeypatch) -> None:
    assert "pip install jax-cuda13" in refused("gpu")
    package(tmp_path, "jax_plugins.xla_rocm7", "xla_rocm_plugin.so")
    monkeypatch.syspath_prepend(tmp_path)
    assert "'rocm'" in refused("gpu") and "is not a PJRT plugin: it cannot be opened" in refused(
        "gpu"
    )


# -- registered ------------------------------------------------------------------------------------


@pytest.fixture
def registry(monkeypatch) -> None:
    """What a test registers is gone afterwards."""
    monkeypatch.setattr("anvl.runtime.plugins.registry._registered", {})


@pytest.mark.usefixtures("registry")
def test_a_name_is_registered_once(library: Path, tmp_path: Path) -> None:
    anvl.register_plugin("Mine", library, {"n": 3})
    anvl.register_plugin("mine", str(library), {"n": 3})  # the same
    with pytest.raises(ValueError, match=r"'mine' is registered already, from .* options \{'n': 3"):
        anvl.register_plugin("mine", library)
    anvl.devices(NAME)
    with pytest.raises(ValueError, match=f"'{NAME}' runs already, from .*; choose another name"):
        anvl.register_plugin(NAME, compiled(tmp_path / "x.so", "NULL_API"))


@pytest.mark.usefixtures("registry")
def test_a_registered_plugin_that_failed_is_registered_anew(library: Path, tmp_path: Path) -> None:
    anvl.register_plugin("again", compiled(tmp_path / "old.so", "NOTHING", "0.3"))
    refused("again")
    anvl.register_plugin("again", library)
    assert anvl.devices("again")[0].client is not anvl.devices(NAME)[0].client


@pytest.mark.parametrize(
    ("name", "path", "options", "kind", "said"),
    [
        (3, "x", None, TypeError, "name must be text, got 3 of type int"),
        ("", "x", None, ValueError, "'' cannot be a name"),
        ("a:b", "x", None, ValueError, "'a:b' cannot be a name"),
        ("CPU", "x", None, ValueError, "'CPU' is jaxlib's own client"),
        ("a", 3, None, TypeError, "path of 'a' must be text or a path, got 3 of type int"),
        ("a", "/no/such.so", None, anvl.PluginError, "'a': there is no file /no/such.so"),
        ("a", __file__, [], TypeError, r"options of 'a' must be a dictionary, got \[\] of type"),
        ("a", __file__, {3: 3}, TypeError, "name of option 3 must be text"),
        ("a", __file__, {"n": {}}, TypeError, r"option n must be text, .* got \{\} of type dict"),
        ("a", __file__, {"n": 2**63}, TypeError, "option n must be .* an integer of 64 bits"),
        (
            "a",
            __file__,
            {"n": [1, 2.0]},
            TypeError,
            "option n .* a list of integers, got .* of type list",
        ),
    ],
)
def test_what_cannot_be_registered(name, path, options, kind, said) -> None:
    with pytest.raises(kind, match=f"register_plugin: {said}|register_plugin: 'a': {said}"):
        anvl.register_plugin(name, path, options)
    assert "a" not in rt.known_plugins()


# -- refused ---------------------------------------------------------------------------------------


def test_an_unknown_name_is_told_where_it_was_looked_for() -> None:
    said = refused("xla-cpu-pjr")
    assert f"no plugin 'xla-cpu-pjr' is known (did you mean {NAME!r}?); known are cpu" in said
    assert "in PJRT_NAMES_AND_LIBRARY_PATHS, which is not set" in said
    assert "entry points jax_plugins and xla_plugins" in said
    assert "`pip install jax-cuda13-pjrt jax-cuda13-plugin`" in refused("cuda")
    with pytest.raises(TypeError, match="devices: plugin must be text, got 3 of type int"):
        anvl.devices(3)


@pytest.mark.usefixtures("registry")
def test_files_that_are_no_plugins(tmp_path: Path) -> None:
    text = tmp_path / "text.so"
    text.write_text("no library")
    plain = tmp_path / "plain.so"
    command = ["cc", "-shared", "-fPIC", "-x", "c", "/dev/null", "-o", str(plain)]
    assert compiled(tmp_path / "null.so", "NULL_API") and not subprocess.run(command).returncode
    whole, part = (tmp_path / "null.so").read_bytes(), tmp_path / "part.so"
    part.write_bytes(whole[: len(whole) // 2])  # to load it would end the process
    wild = tmp_path / "wild.so"  # its table of segments is beyond all files
    wild.write_bytes(whole[:32] + b"\xff" * 8 + whole[40:])
    for name, file, said in (
        ("wild", wild, r"its file is cut off, \d+ bytes are missing; install it again"),
        ("text", text, "is not a PJRT plugin: it cannot be opened: .*"),
        ("part", part, r"its file is cut off, \d+ bytes are missing; install it again"),
        ("plain", plain, "is not a PJRT plugin: it has no function GetPjrtApi"),
        ("null", tmp_path / "null.so", "is not a PJRT plugin: its GetPjrtApi gives no API"),
        ("cut", compiled(tmp_path / "cut.so", "CUT"), "gives an API without the first of the"),
    ):
        anvl.register_plugin(name, file)
        with pytest.raises(anvl.PluginError, match=said):
            anvl.devices(name)
    text.unlink()
    assert "there is no such file" in refused("text")


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("0.3", "speaks version 0.3 of PJRT's C API, .* Plugin PJRT API version 0.3 is older than"),
        ("7.1", "speaks version 7.1 of PJRT's C API, .* install the plugin and jaxlib in versions"),
    ],
)
def test_a_plugin_of_a_version_that_jaxlib_does_not_take(version, said, tmp_path) -> None:
    name = f"of-{version.replace('.', '-')}"
    anvl.register_plugin(name, compiled(tmp_path / "library.so", "NOTHING", version))
    with pytest.raises(anvl.PluginError, match=said):
        anvl.devices(name)


@pytest.mark.usefixtures("registry")
def test_a_plugin_that_does_not_start_gives_its_reason(tmp_path: Path, capfd) -> None:
    anvl.register_plugin("empty-handed", compiled(tmp_path / "library.so", "REFUSES"))
    said = refused("empty-handed")
    assert "'empty-handed' (" in said and "library.so, of register_plugin)" in said
    assert said.endswith("cannot be started: no devices were brought along")
    assert refused("empty-handed") == said and anvl.devices(NAME)
    assert capfd.readouterr().err == ""


# -- the default device ----------------------------------------------------------------------------


def test_the_default_device_of_a_block_and_of_the_process() -> None:
    first, second = anvl.devices(NAME)[:2]
    embedded = anvl.default_device()
    made = anvl.jit(lambda: anp.zeros(3) + 1.0)
    assert made().device is embedded
    with anvl.default_device(f"{NAME}:1"):
        assert anvl.default_device() is second and anvl.devices() == anvl.devices(NAME)
        assert made().device is anp.zeros(3).device is rt.put(np.ones(1)).device is second
        with anvl.default_device(embedded):
            assert made().device is embedded and anp.asarray(2.0).device is embedded
        assert (anp.asarray(2.0) + 1.0).device is second
        anvl.set_default_device(first)
        assert anvl.default_device() is second
    try:
        assert anvl.default_device() is made().device is anp.asarray(2.0).device is first
    finally:
        anvl.set_default_device(None)
    assert anvl.default_device() is made().device is embedded


def test_a_device_by_text() -> None:
    embedded = rt.embedded_client().devices[0]
    assert rt.as_device("cpu", "f") is rt.as_device("CPU:0", "f") is embedded
    for text, kind, said in (
        ("cpu:9", ValueError, "there is no device 'cpu:9', cpu has 1: .* ANVL_NUM_CPU_DEVICES"),
        (f"{NAME}:99", ValueError, f"there is no device '{NAME}:99', {NAME} has "),
        ("cpu:x", ValueError, "'cpu:x' names no device; write 'cpu' or 'cpu:1'"),
        ("", ValueError, "'' names no device"),
        ("no-such", anvl.PluginError, "no plugin 'no-such' is known"),
        (3, TypeError, "takes a device, or text such as 'cpu:1', got 3 of type int"),
    ):
        for function in (anvl.default_device, anvl.set_default_device):
            with pytest.raises(kind, match=f"^{function.__name__}: {said}"):
                function(text)


def test_the_default_device_of_the_environment(monkeypatch) -> None:
    monkeypatch.setenv("ANVL_DEFAULT_DEVICE", f"{NAME}:1")
    anvl.set_default_device(None)  # read anew
    try:
        assert anvl.default_device() is anvl.devices(NAME)[1]
        assert rt.default_target() == rt.Target("cpu", "none")
        monkeypatch.setenv("ANVL_DEFAULT_DEVICE", "nowhere")
        anvl.set_default_device(None)
        with pytest.raises(anvl.PluginError, match=r"^default_device: no plugin 'nowhere'"):
            anp.zeros(3)
    finally:
        monkeypatch.delenv("ANVL_DEFAULT_DEVICE")
        anvl.set_default_device(None)
    assert anp.zeros(3).device is rt.embedded_client().devices[0]


def test_names_are_compared_in_one_form() -> None:
    assert discovery.normal(" XLA_Cpu.pjrt ") == NAME


AS_JAX_DOES = """
import sys
import anvl, anvl.runtime as rt
from anvl.runtime.lazy import compat
from jaxlib import xla_client as xc
name, path = sys.argv[2], str(rt.known_plugins()[sys.argv[2]].path)
def as_jax():
    xc.load_pjrt_plugin_dynamically(name, path)
    xc.initialize_pjrt_plugin(name)
    return len(xc.make_c_api_client(name, {}, None).local_devices())
def as_anvl():
    return float(anvl.device_put(anvl.numpy.ones(2), name).sum())
for each in (as_jax, as_anvl) if sys.argv[1] == "jax" else (as_anvl, as_jax):
    print(each())
"""


@pytest.mark.sweep(keep=1, part=2)
@pytest.mark.parametrize("first", ["anvl", "jax"])
def test_jax_may_load_the_same_library_before_and_after(first: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", AS_JAX_DOES, first, NAME], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split()) == ["2.0", "4"]
