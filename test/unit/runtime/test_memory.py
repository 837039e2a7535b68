"""Programs that need more memory than there is are refused when they are compiled."""

import subprocess
import sys
from pathlib import Path

import pytest

import anvl.runtime as rt
from anvl.runtime import memory
from anvl.runtime.execution.out_of_memory import try_once_more
from anvl.runtime.lazy import compat

SORTED = """
func.func @main(%x: tensor<f32>) -> tensor<1xf32> {{
  %0 = stablehlo.iota dim = 0 : tensor<{n}xf32>
  %1 = "stablehlo.sort"(%0) ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}) {{dimension = 0 : i64, is_stable = true}} : (tensor<{n}xf32>) -> tensor<{n}xf32>
  %2 = stablehlo.slice %1 [5:6] : (tensor<{n}xf32>) -> tensor<1xf32>
  return %2 : tensor<1xf32>
}}"""


def test_temporaries_larger_than_the_memory():
    message = r"needs 1000.0 GiB of temporary memory, this machine has .* GiB; compute in parts"
    with pytest.raises(MemoryError, match=message):
        rt.compile(SORTED.format(n=1000 * 2**28))


def test_temporaries_are_held_against_what_the_process_may_have(monkeypatch):
    monkeypatch.setattr(rt.default_client(), "memory_bytes", 4004)
    rt.compile(SORTED.format(n=1000))
    with pytest.raises(MemoryError):
        rt.compile(SORTED.format(n=1001))


def test_all_results_count_but_those_in_the_memory_of_arguments(monkeypatch):
    two = """
func.func @main(%x: tensor<1000xf32>{}) -> (tensor<1000xf32>, tensor<1000xf32>) {{
  %0 = stablehlo.add %x, %x : tensor<1000xf32>
  %1 = stablehlo.multiply %x, %x : tensor<1000xf32>
  return %0, %1 : tensor<1000xf32>, tensor<1000xf32>
}}"""
    monkeypatch.setattr(rt.default_client(), "memory_bytes", 7000)
    message = (
        "needs 0.0 GiB for its results and 0.0 GiB of temporary memory, this machine has 0.0 GiB; "
        "return less, or compute in parts"
    )
    with pytest.raises(MemoryError, match=message):
        rt.compile(two.format(""))
    rt.compile(two.format(" {tf.aliasing_output = 0 : i32}"))


@pytest.mark.parametrize(
    ("own", "files", "swap", "want"),
    [
        ("0::/a", {"a/memory.max": "5000", "a/memory.swap.max": "0"}, 9, 5000),
        ("0::/a", {"a/memory.max": "5000", "a/memory.swap.max": "100"}, 9, 5100),
        ("0::/a", {"a/memory.max": "5000", "a/memory.swap.max": "max"}, 9, 5000 + 9 * 1024),
        ("0::/a/b", {"memory.max": "7000", "memory.swap.max": "0"}, 0, 7000),
        ("4:cpu,memory:/a", {"memory/a/memory.limit_in_bytes": "6000"}, 0, 6000),
        ("0::/a", {"a/memory.max": "max"}, 0, None),
        ("4:cpu:/a", {}, 0, None),
    ],
)
def test_limits_of_control_groups(own, files, swap, want, tmp_path, monkeypatch):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{text}\n")
    (tmp_path / "own").write_text(f"{own}\n")
    (tmp_path / "meminfo").write_text(f"MemTotal:  8 kB\nSwapTotal:  {swap} kB\n")
    monkeypatch.setattr(memory, "_CGROUPS", tmp_path)
    monkeypatch.setattr(memory, "_OWN_CGROUP", tmp_path / "own")
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "meminfo")
    found = memory.machine_memory()
    assert found == want if want is not None else found > 2**28


def lack(n, calls):
    """Work for which memory is lacking n times."""

    def work():
        calls.append(n)
        if len(calls) <= n:
            raise compat.Failure("RESOURCE_EXHAUSTED: no memory")
        return "done"

    return work


def test_memory_that_is_lacking_is_looked_for_twice_after_a_collection():
    error = compat.Failure("RESOURCE_EXHAUSTED: no memory")
    for n in (0, 1):
        assert try_once_more(error, lack(n, [])) == "done"
    calls = []
    with pytest.raises(compat.Failure, match="no memory"):
        try_once_more(error, lack(9, calls))
    assert len(calls) == 2
    other = compat.Failure("INTERNAL: no other")
    with pytest.raises(compat.Failure, match="no other"):
        try_once_more(other, lack(0, calls))
    assert len(calls) == 2


SCARCE = """
import gc, resource
import numpy
import anvl, anvl.numpy as np

more = anvl.jit(lambda x: x * 2 + 1)
pair = anvl.jit(lambda x: (x * 2, x + 1))
small = np.ones(3)
x = np.ones(12 * 2**20)  # 48 MiB
pair(small), more(x), x.copy()
status = open("/proc/self/status").read().split()
now = int(status[status.index("VmSize:") + 1]) * 1024
resource.setrlimit(resource.RLIMIT_AS, (now + 250 * 2**20,) * 2)
gc.disable()


def fill(work):
    kept, n = [], 0
    try:
        while n < 20:
            kept.append(work().block_until_ready())
            n += 1
    except anvl.OutOfMemory as error:
        assert isinstance(error, MemoryError) and isinstance(error, anvl.RuntimeFailure)
        print(n > 0, str(error).partition(":")[0], "; free arrays" in str(error))
    assert pair(small)[0].tolist() == [2.0] * 3  # the process is usable


host = numpy.ones(12 * 2**20, "f4")
fill(lambda: more(x))
fill(x.copy)
fill(lambda: anvl.device_put(host))
for _ in range(20):  # in reference cycles: a collection frees them
    cycle = [x.copy()]
    cycle.append(cycle)
    del cycle
print("done")
"""


@pytest.mark.sweep(keep=0)
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="limits are set as on Linux")
def test_lack_of_memory_is_an_error_after_a_collection_and_leaves_the_process_usable():
    done = subprocess.run([sys.executable, "-c", SCARCE], capture_output=True, text=True)
    assert done.stderr == ""
    *said, last = done.stdout.splitlines()
    assert last == "done"
    assert [line.split()[0] for line in said] == ["True"] * 3
    assert all(line.endswith("True") for line in said)


DROPPED = """
import ctypes, gc
import numpy
import anvl
import anvl.numpy as np

x, count = numpy.ones(3, "f4"), 0

def one():
    anvl.jit(lambda x: np.sin(x) * 2)(x)

def distinct():
    global count
    factor = count = count + 1
    anvl.jit(lambda x: np.sin(x) * factor)(x)

def kilobytes():
    anvl.clear_caches()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what was freed is no longer the process's
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4

def grown(work, cycles):
    # The first cycles fill pools; of the others the least counts, as threads have memory, too.
    taken, found = kilobytes(), []
    for _ in range(6):
        for _ in range(cycles):
            work()
        before, taken = taken, kilobytes()
        found.append((taken - before) / cycles)
    return min(found[1:])

print(grown(one, 300), grown(distinct, 40))
"""


@pytest.mark.sweep(keep=0)
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read as on Linux")
def test_compiled_and_dropped_programs_leave_no_memory_behind():
    done = subprocess.run([sys.executable, "-c", DROPPED], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    of_one, of_distinct = map(float, done.stdout.split())
    assert of_one <= 0.2 and of_distinct <= 2.0
