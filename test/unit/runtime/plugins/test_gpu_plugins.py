"""What plugins for GPUs get, as far as it can be seen without a GPU: with stand-ins for wheels."""

import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from jobs import run_job
from plugin_files import NAME, compiled

import anvl
import anvl.runtime as rt
from anvl.runtime.plugins import cuda

# As `cuda_plugin_extension` of jax-cuda13-plugin: it passes on what it is given.
EXTENSION = """
calls = []
def register_custom_type(api, name, type_id): calls.append(("type", name))
def register_custom_call_target(api, name, f, platform, version, traits):
    calls.append((type(api).__name__, name, platform, version))
def ffi_types(): return {"a_type": 1}
def ffi_handlers(): return {"a_handler": 2}
"""
PROGRAM = """
import ctypes, sys
import anvl
from anvl.runtime.lazy import compat
given = []
make = compat.make_plugin_client
compat.make_plugin_client = lambda *of: given.append(of) or make(of[0], {})
anvl.ffi.register("mine", ctypes.CFUNCTYPE(None)(lambda: None), platform="cuda")
(device, *_) = anvl.devices("gpu")
print(device.client.name, given[-1][0], given[-1][1]["platform_name"], given[-1][1]["allocator"])
from jax_cuda13_plugin.cuda_plugin_extension import calls
for call in calls: print(*call)
print([name for name in sys.modules if name.startswith(("jax.", "jax_plugins."))])
from jaxlib import xla_client
print([xla_client.pjrt_plugin_loaded(name) for name in ("gpu", "cuda")])
"""


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """Wheels of CUDA's form around XLA's plugin for the CPU."""
    for name, text in (
        ("jax_plugins/xla_cuda13", "raise SystemExit('executed')"),
        ("jax_cuda13_plugin", ""),
    ):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(text)
    plugin = rt.known_plugins()[NAME].path
    (tmp_path / "jax_plugins" / "xla_cuda13" / "xla_cuda_plugin.so").symlink_to(plugin)
    (tmp_path / "jax_cuda13_plugin" / "cuda_plugin_extension.py").write_text(EXTENSION)
    return tmp_path


@pytest.mark.sweep(keep=0)
def test_options_and_handlers_of_cuda(wheels: Path) -> None:
    path = f"import sys; sys.path.append({str(wheels)!r})\n"
    done = subprocess.run(
        [sys.executable, "-c", path + PROGRAM], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    first, *calls, modules, loaded = done.stdout.splitlines()
    # jaxlib reads programs of its cache by the plugin `gpu`; `cuda` is left to jax.
    assert loaded == "[True, False]"
    assert first.split()[0] == "cuda" and first.endswith("cuda default")
    assert "type a_type" in calls
    assert {"PyCapsule a_handler CUDA 1", "PyCapsule mine CUDA 1"} <= set(calls)
    assert modules == "[]" and done.stderr == ""


IN_A_JOB = """
anvl.distributed.initialize()
list(anvl.devices("gpu"))
options, client = given[-1][1:]
print(options["node_id"], options["num_nodes"], options["visible_devices"], type(client).__name__)
anvl.devices("xla-cpu-pjrt")
print(given[-1][1:])
"""


@pytest.mark.sweep(keep=0)
def test_a_plugin_of_gpus_gets_its_place_in_a_job(wheels: Path, tmp_path: Path) -> None:
    path = f"import sys; sys.path.append({str(wheels)!r})\n"
    start, _, _ = PROGRAM.partition("anvl.ffi.register")
    job = run_job(tmp_path, path + start + IN_A_JOB)
    assert job.code == 0, job.err
    for process in (0, 1):
        expected = [f"{process} 2 [{process}] DistributedRuntimeClient", "({}, None)"]
        assert job.lines_of(process) == expected


@pytest.mark.parametrize(
    ("gpu", "without", "library"),
    [("cuda", "", "cusolver"), ("rocm", "", "hipsolver"), ("cuda", "potrf", "none"),
     ("cuda", "lu_pivots", "none"), ("", "", "none")],
)  # fmt: skip
def test_programs_call_the_routines_if_all_are_registered(
    gpu: str, without: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = {"cuda": "cu", "rocm": "hip"}.get(gpu, "")
    routines = ["getrf", "potrf", "geqrf", "orgqr", "syevd", "gesvd", "gesvdj", "csrlsvqr"]
    names = [f"{prefix}solver_{name}_ffi" for name in routines]
    names.append(f"{prefix}_lu_pivots_to_permutation")
    handlers = [(name, None, 1) for name in names if not without or without not in name]
    for module in ("jax_cuda13_plugin.cuda", "jax_rocm7_plugin.rocm"):
        package = module.partition(".")[0]
        monkeypatch.setitem(sys.modules, package, ModuleType(package))
        name = f"{module}_plugin_extension"
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setattr(cuda, "compat", SimpleNamespace(gpu_handlers=lambda platform: handlers))
    assert cuda.register_handlers(gpu, None) == library


def test_options_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_PYTHON_CLIENT_ALLOCATOR", "platform")
    monkeypatch.setenv("XLA_PYTHON_CLIENT_MEM_FRACTION", ".5")
    options = cuda.default_options("rocm")
    assert options["allocator"] == "platform" and options["memory_fraction"] == 0.5
    assert options["platform_name"] == "rocm" and cuda.default_options("") == {}


def test_a_wrong_option_of_the_environment_is_an_error_of_the_plugin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anvl.runtime.plugins.registry._registered", {})
    link = tmp_path / "xla_cuda_plugin.so"
    link.symlink_to(rt.known_plugins()[NAME].path)
    anvl.register_plugin("gpu-of-mine", link)
    monkeypatch.setenv("XLA_PYTHON_CLIENT_ALLOCATOR", "none")
    with pytest.raises(anvl.PluginError, match=r"cannot be started: XLA_PYTHON_CLIENT_ALLOCATOR"):
        anvl.devices("gpu-of-mine")


@pytest.mark.parametrize(
    ("name", "file", "gpu"),
    [
        ("cuda", "x.so", "cuda"),
        ("xla-cuda12", "x.so", "cuda"),
        ("mine", "xla_cuda_plugin.so", "cuda"),
        ("mine", "xla_rocm_plugin.so", "rocm"),
        (NAME, "xla_cpu_pjrt.so", ""),
    ],
)
def test_which_plugins_are_for_gpus(name: str, file: str, gpu: str) -> None:
    assert cuda.gpu_of(name, Path(file)) == gpu


def test_nvidias_libraries_are_loaded_from_their_wheels(tmp_path: Path, monkeypatch) -> None:
    for folder in ("cu13", "cudnn"):
        (tmp_path / "nvidia" / folder / "lib").mkdir(parents=True)
    compiled(tmp_path / "nvidia" / "cu13" / "lib" / "libcudart.so.13", "NOTHING")
    (tmp_path / "nvidia" / "cudnn" / "lib" / "libcudnn.so.9").write_text("no library")
    monkeypatch.syspath_prepend(tmp_path)
    kept: list[object] = []
    monkeypatch.setattr(cuda, "_kept", kept)
    assert "libcudnn.so.9" in cuda.load_libraries("cuda") and len(kept) == 1
    assert cuda.load_libraries("rocm") == ""


class _Handle:
    platform = "gpu"

    def __init__(self, version: str) -> None:
        self.platform_version = version

    def local_devices(self) -> list[object]:
        return []

    devices = local_devices


@pytest.mark.parametrize(
    ("version", "name"),
    [("PJRT C API\ncuda 13000", "cuda"), ("PJRT C API\nrocm 70000", "rocm"), ("oneapi", "gpu")],
)
def test_programs_are_lowered_and_loaded_for_cuda_where_jaxlib_says_gpu(
    version: str, name: str
) -> None:
    assert rt.Client(_Handle(version), "mine").target == rt.Target(name, "none")
