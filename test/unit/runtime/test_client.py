"""Clients, devices, placements; other processes; and that `jax` has no part in any of it."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import anvl
import anvl.runtime as rt
from anvl.runtime.settings import runtime_settings


def python(code: str, **environment: str) -> str:
    """What `code` prints in a fresh interpreter, which must end well."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", textwrap.dedent(code)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_default_client_is_made_once():
    assert rt.default_client() is rt.default_client()
    assert rt.default_placement() is rt.devices()[0].placement
    assert rt.default_placement().devices == rt.devices()[:1]


def test_clients_and_placements_are_named():
    client = rt.cpu_client(2)
    assert repr(client) == "<Client(cpu, 2 devices)>"
    assert repr(client.devices) == "(<CpuDevice(id=0)>, <CpuDevice(id=1)>)"
    assert repr(client.devices[1].placement) == "<CpuDevice(id=1)>"
    both = rt.sharded_placement(client.devices, (2, 1))
    assert repr(both) == "<2 devices; tiles (2,), of which they hold 0, 1>"
    assert repr(both.whole) == "<2 devices; a copy on each>"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: rt.cpu_client(0),
            "cpu_client: num_devices must be at least 1, at most 2048, got 0",
        ),
        (lambda: rt.cpu_client(2049), "num_devices must be at least 1, at most 2048, got 2049"),
        (
            lambda: rt.cpu_client(num_threads=0),
            "cpu_client: num_threads must be at least 1, at most 2048, got 0",
        ),
        (lambda: rt.sharded_placement(()), "sharded_placement: no devices given"),
        (
            lambda: rt.sharded_placement(rt.devices(), (2, 2)),
            r"tiles \(2, 2\) make 4 parts, and 1 devices hold 0; each part must be held",
        ),
        (
            lambda: rt.sharded_placement(rt.cpu_client(3).devices, (2,), (0, 0, 1)),
            "2 parts, and 3 devices hold 0, 0, 1",
        ),
        (
            lambda: rt.sharded_placement((*rt.devices(), *rt.cpu_client(1).devices)),
            "devices belong to 2 clients",
        ),
        (lambda: rt.sharded_placement(rt.devices() * 2), "a device is named twice"),
    ],
)
def test_impossible_clients_and_placements_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_an_array_in_tiles_is_split_evenly_or_not_at_all():
    place = rt.sharded_placement(rt.cpu_client(2).devices, (2, 1))
    array = rt.put(np.arange(6.0).reshape(2, 3), place)
    assert array.block_until_ready().shape == (2, 3)
    with pytest.raises(ValueError, match=r"shape \(3, 1\) cannot be split evenly by tiles"):
        rt.put(np.ones((3, 1)), place)
    with pytest.raises(ValueError, match=r"shape \(\) has fewer axes than tiles \(2,\)"):
        rt.put(np.float32(1), place)
    with pytest.raises(ValueError, match=r"device: array f64\[2,3\] is on 2 devices"):
        array.device  # noqa: B018


def test_the_environment_sets_the_number_of_devices():
    code = "import anvl.runtime as rt; print(len(rt.devices()))"
    assert python(code, ANVL_NUM_CPU_DEVICES="3") == "3"


@pytest.mark.parametrize("text", ["0", "many", "-1", "2049"])
def test_a_wrong_number_of_devices_in_the_environment_is_refused(text, monkeypatch):
    monkeypatch.setenv("ANVL_NUM_CPU_DEVICES", text)
    del runtime_settings.num_cpu_devices  # so that it is read again
    with pytest.raises(ValueError, match="ANVL_NUM_CPU_DEVICES: must be a whole number, 1 to 2048"):
        rt.cpu_client()


def test_the_number_of_threads_decides_whether_loops_are_split():
    def is_split(client: rt.Client) -> bool:
        f = anvl.jit(lambda x: anvl.numpy.sin(x * x) ** 3 / (1 + x * x), device=client.devices[0])
        return "_partitions" in f.lower(np.ones((1000, 1000))).compile().hlo()

    assert is_split(rt.cpu_client(num_threads=2))
    assert not is_split(rt.cpu_client(num_threads=1))
    with anvl.config(num_cpu_threads=1):
        assert not is_split(rt.cpu_client())
        assert is_split(rt.cpu_client(num_threads=3))


@pytest.mark.parametrize("given", [None, "2"])
def test_the_number_of_threads_leaves_the_environment_as_it_is(monkeypatch, given):
    monkeypatch.delenv("PJRT_NPROC", raising=False)
    if given is not None:
        monkeypatch.setenv("PJRT_NPROC", given)
    rt.cpu_client(num_threads=1)
    assert os.environ.get("PJRT_NPROC") == given


def test_calls_return_before_a_program_is_done_unless_told_otherwise():
    def is_done_at_once(client: rt.Client) -> bool:
        device = client.devices[0]
        x = anvl.device_put(np.ones((500, 500), np.float32), device)
        steps = anvl.jit(lambda x, n: anvl.fori_loop(0, n, lambda _, y: x @ y, x), device=device)
        steps(x, 1).block_until_ready()
        result = steps(x, 100)  # half a second
        is_done = result.buffer.is_ready()
        result.block_until_ready()
        return is_done

    assert not is_done_at_once(rt.cpu_client())
    assert is_done_at_once(rt.cpu_client(asynchronous=False))
    with anvl.config(cpu_async_dispatch=False):
        assert is_done_at_once(rt.cpu_client())
        assert not is_done_at_once(rt.cpu_client(asynchronous=True))


FORK = """
    import os, sys
    import numpy as np
    import anvl.runtime as rt

    def in_child(f):
        pid = os.fork()
        if pid == 0:
            f()
            sys.stdout.flush()
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0

    program = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"
"""

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


@needs_fork
def test_a_forked_child_is_told_so_at_once():
    code = f"""{FORK}
    double, x = rt.compile(program), rt.put(np.ones(2, "float32"))
    dispatch = rt.make_dispatch(1, lambda x: None)
    dispatch.install(double.arg_types, double.entry())
    dispatch.call(x)

    def refused():
        uses = [
            lambda: rt.put(np.ones(2)), lambda: rt.compile(program), lambda: double.execute([x]),
            lambda: dispatch.call(x), lambda: double.entry(), x.numpy, x.copy, x.delete,
            x.block_until_ready, lambda: rt.put(x), rt.devices,
            lambda: rt.cpu_client(1), lambda: rt.make_dispatch(0, lambda: 1).call(),
        ]
        for i, use in enumerate(uses):
            try:
                use()
            except rt.ForkedProcess as error:
                assert "spawn" in str(error) and "forkserver" in str(error)
            else:
                raise AssertionError(i)
        print("all refused")

    in_child(refused)
    print(dispatch.call(x))
    """
    assert python(code).split("\n") == ["all refused", "[1. 1.]"]


@needs_fork
def test_a_child_forked_before_the_first_client_has_its_own():
    assert python(f"{FORK}\n    in_child(lambda: print(rt.put(np.ones(2))))") == "[1. 1.]"


@pytest.mark.sweep(keep=0)
def test_nothing_here_looks_for_jax():
    code = """
    import sys

    looked_for = []  # C++ functions of jaxlib go on after an import that fails

    class Watch:
        def find_spec(self, name, path=None, target=None):
            if name.split(".")[0] in ("jax", "jax_plugins"):
                looked_for.append(name)

    sys.meta_path.insert(0, Watch())
    import copy
    import numpy as np
    import anvl.runtime as rt
    from anvl import tree
    from anvl.runtime.types import DTYPE_NAMES

    for dtype in DTYPE_NAMES:
        x = rt.put(np.ones((2, 2), dtype))
        copy.copy(x).numpy(), repr(x), x.tolist()
    np.from_dlpack(rt.put(np.ones(2)))
    rt.put(rt.put(np.ones(2)), rt.cpu_client(2).devices[1].placement).numpy()
    rt.put(np.ones((2, 2)), rt.sharded_placement(rt.cpu_client(2).devices, (2, 1))).numpy()
    program = rt.compile("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> "
                         "{ return %x : tensor<2xf32> }")
    program.execute([rt.put(np.ones(2, "float32"))])[0].numpy()
    tree.leaf_paths({"a": [1, 2]})
    print(looked_for, "jax" in sys.modules)
    """
    assert python(code) == "[] False"
