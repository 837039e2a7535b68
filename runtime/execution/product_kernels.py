"""Kernels of products and convolutions, which the processor's library writes when it first runs."""

from __future__ import annotations

import math
import os
import threading
from pathlib import Path

import numpy as np

from anvl.runtime.client import Client
from anvl.runtime.execution.compilation import compile_options
from anvl.runtime.lazy import compat
from anvl.runtime.transfer import put

__all__ = ["write_product_kernels"]

# Note [Kernels of products]
#
# XLA:CPU gives products of f32 with a transposed first operand, as in the gradient of each dense
# layer, and convolutions to Eigen, whose kernels are oneDNN's: it writes them, as machine code, in
# the first such product of a process, for all later ones, which takes 25 ms (jaxlib 0.10.2, an AMD
# EPYC).  That is a quarter of the first step of a small network whose programs are on disk.  So a
# thread runs such a product while the first program is traced, if a core is idle.  Where no product
# is ever run it is in vain: 35 ms of that core, 6 MB.

_MODULE = """func.func public @main(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %y = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0]
      : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}"""


def write_product_kernels(client: Client) -> None:
    """Let a thread have the kernels of products written, if a core is idle."""
    if _has_idle_core():
        work = threading.Thread(target=_run_product, args=(client,), name="anvl products")
        work.daemon = True
        work.start()


def _has_idle_core() -> bool:
    if not hasattr(os, "sched_getaffinity") or not hasattr(os, "getloadavg"):
        return (os.cpu_count() or 1) > 1
    n_cores = len(os.sched_getaffinity(0))
    if n_cores == 1:
        return False
    # What ran a minute ago may be over, and what runs now may be over at once.
    return os.getloadavg()[0] < n_cores or _n_running() < n_cores


def _n_running() -> float:
    """Threads of all processes that run now, with this one; infinite where no file tells."""
    try:
        return int(_LOAD.read_text().split()[3].partition("/")[0])
    except (OSError, ValueError, IndexError):
        return math.inf


_LOAD = Path("/proc/loadavg")  # "0.20 0.18 0.12 1/80 11206", as proc(5) says


def _run_product(client: Client) -> None:
    place = client.devices[0].placement
    try:
        options = compile_options(place, {})
        program = compat.compile_and_load(client.handle, _MODULE, place.device_list, options)
        program.execute_sharded([put(np.ones((16, 16), np.float32), place).buffer])
    except compat.Failure:
        pass  # the first product of the program writes them, or says what is wrong
