"""Requirements of plugins for GPUs besides their library: options, libraries, handlers.

Tried with CUDA's wheels on an H200: docs/plugins.md says what ran.
"""

from __future__ import annotations

import ctypes
import importlib
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from anvl.runtime.lazy import compat

__all__ = ["default_options", "gpu_of", "load_libraries", "python_target", "register_handlers"]

# Modules that pass custom calls on to the plugin of a platform; the newest first.
_EXTENSIONS = {
    "cuda": [f"jax_cuda{n}_plugin.cuda_plugin_extension" for n in (13, 12)],
    "rocm": [f"jax_rocm{n}_plugin.rocm_plugin_extension" for n in (7, 60)],
}
# Of each platform: the library of linear algebra, and the call that belongs to its `getrf`.
_SOLVERS = {
    "cuda": ("cusolver", "cu_lu_pivots_to_permutation"),
    "rocm": ("hipsolver", "hip_lu_pivots_to_permutation"),
}
_ROUTINES = ("geqrf", "gesvd", "gesvdj", "getrf", "orgqr", "potrf", "syevd")
# In an order in which each finds those that it needs.
_LIBRARIES = (
    "cudart", "nvJitLink", "nvrtc", "cublasLt", "cublas", "cufft", "cusparse", "cusolver", "cupti",
    "cudnn", "nccl", "nvshmem_host",
)  # fmt: skip
# jaxlib's handler that calls Python, which its wheels for GPUs have.
_PYTHON = "xla_ffi_python_gpu_callback"
_kept: list[Any] = []


def gpu_of(name: str, path: Path) -> str:
    """The platform of a plugin for GPUs, which its name or that of its file tells; else nothing."""
    return next((gpu for gpu in _EXTENSIONS if gpu in f"{name} {path.name}".lower()), "")


def default_options(gpu: str) -> dict[str, Any]:
    """Options where none are given: those of the environment, for a GPU."""
    return {**compat.gpu_options(), "platform_name": gpu} if gpu else {}


def load_libraries(gpu: str) -> str:
    """Load NVIDIA's libraries from its wheels, where the plugin would not look for them.

    Returns what could not be loaded, as a sentence, or nothing.
    """
    if gpu != "cuda":
        return ""
    lost = []
    for library in _LIBRARIES:
        for path in _paths(library):
            try:
                _kept.append(ctypes.CDLL(str(path)))
            except OSError as error:
                lost.append(str(error))
    return f"of NVIDIA's libraries, {lost[0]}" if lost else ""


def _paths(library: str) -> list[Path]:
    spec = find_spec("nvidia")
    folders = spec.submodule_search_locations if spec is not None else None
    return [path for at in folders or () for path in Path(at).glob(f"*/lib/lib{library}.so*")]


def register_handlers(gpu: str, capsule: object | None) -> str:
    """Make jaxlib's custom calls for GPUs known to the plugin, where their wheel is installed.

    Without a capsule `jax` has done so.  Returns the library of linear algebra that programs may
    call, or `none`.
    """
    extension = _extension(gpu)
    if extension is None:
        return "none"
    if capsule is not None:
        compat.register_gpu_handlers(gpu.upper(), extension, capsule)
    names = {name for name, _, _ in compat.gpu_handlers(gpu.upper())}
    library, permutation = _SOLVERS[gpu]
    needed = {f"{library}_{routine}_ffi" for routine in _ROUTINES} | {permutation}
    return library if needed <= names else "none"


def python_target(gpu: str) -> str | None:
    """The custom call by which programs call Python, if the plugin's wheel has jaxlib's."""
    extension = _extension(gpu)
    return _PYTHON if extension is not None and _PYTHON in extension.ffi_handlers() else None


def _extension(gpu: str) -> Any:
    """The module of the plugin's wheel that passes custom calls on; None if there is none."""
    for module in _EXTENSIONS.get(gpu, ()):
        with suppress(ImportError):
            return importlib.import_module(module)
    return None
