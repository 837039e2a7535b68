"""Programs that need more memory than there is are refused when they are compiled."""

import pytest

import anvl.runtime as rt
from anvl.runtime import memory

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
    monkeypatch.setattr(rt.default_client(), "memory_bytes", 4000)
    rt.compile(SORTED.format(n=1000))
    with pytest.raises(MemoryError):
        rt.compile(SORTED.format(n=1001))


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
