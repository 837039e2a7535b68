"""Reproducers: what is written is read back, here and by MLIR's own tool."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from anvl.dialect import PassError, parse
from anvl.passes import Pass, Pipeline
from anvl.passes.framework.reproducer import read_reproducer, reproducer_text

STOCK = Path(sys.executable).with_name("torch-mlir-opt")
ADDED_TWICE = """
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0 = stablehlo.add %x, %c : tensor<3xf32>
  %1 = stablehlo.add %x, %c : tensor<3xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<3xf32>
  return %2 : tensor<3xf32>
}
"""


@dataclass(frozen=True)
class Refuse(Pass, argument="test-refuse", registered=False):
    """Refuse every module."""

    def run(self, module):
        raise PassError(self.argument, "no")


@pytest.mark.parametrize(
    "pipeline", ["builtin.module(cse)", 'a{x="1 \\ 2"}', "any(b{c=\n})", "builtin.module()"]
)
@pytest.mark.parametrize("verify_each", [True, False])
def test_what_is_written_is_read(pipeline, verify_each):
    module = parse(ADDED_TWICE).operation
    text = reproducer_text(module, pipeline, verify_each=verify_each)
    stored = read_reproducer(text)
    assert (stored.pipeline, stored.verify_each) == (pipeline, verify_each)
    assert str(parse(text)).rstrip() == str(module).rstrip()


def test_a_text_without_one():
    assert read_reproducer(ADDED_TWICE) is None
    assert read_reproducer("{-# external_resources: { mlir_reproducer: { } } #-}") is None
    commented = 'mlir_reproducer: {\n// pipeline: "builtin.module(cse)" } #-}'
    assert read_reproducer(commented) is None


@pytest.mark.skipif(not shutil.which(STOCK), reason="torch-mlir-opt is not installed")
@pytest.mark.parametrize("elide", [None, 2])
def test_mlirs_own_tool_runs_it(tmp_path, elide):
    file = tmp_path / "a.mlir"
    module = parse(ADDED_TWICE).operation
    pipeline = str(Pipeline(["func.func(cse)"]))
    file.write_text(reproducer_text(module, pipeline, verify_each=True, elide=elide))
    done = subprocess.run([STOCK, file, "--run-reproducer"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("stablehlo.add") == 1
    assert ("__elided__" in done.stdout) == (elide is not None)


def test_a_module_with_resources_of_its_own(tmp_path):
    text = """
    func.func @f() -> tensor<1xf32> {
      %c = stablehlo.constant dense_resource<w> : tensor<1xf32>
      return %c : tensor<1xf32>
    }
    {-# dialect_resources: { builtin: { w: "0x040000000000803F" } } #-}"""
    again = reproducer_text(parse(text).operation, "builtin.module(cse)", verify_each=True)
    assert read_reproducer(again).pipeline == "builtin.module(cse)"
    assert '"0x040000000000803F"' in str(parse(again))


def test_a_pipeline_in_python_leaves_it_only_if_it_fails(tmp_path):
    file = tmp_path / "a.mlir"
    Pipeline(["cse"]).run(parse(ADDED_TWICE), reproducer=file)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(PassError, match="test-refuse: no"):
        Pipeline(["cse", Refuse()]).run(parse(ADDED_TWICE), reproducer=str(file), verify_each=True)
    assert read_reproducer(file.read_text()).pipeline == "builtin.module(cse,test-refuse)"
    assert str(parse(file.read_text())) == str(parse(ADDED_TWICE))
    assert [path.name for path in tmp_path.iterdir()] == ["a.mlir"]
