"""`anvl.testing.lit`: two lines of a `lit.cfg.py`, and checks that lit itself updates."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import anvl.testing.lit
from anvl.testing.lit import configure, update_checks

pytestmark = pytest.mark.sweep(keep=0)  # each starts processes

LIT = Path(sys.executable).with_name("lit")
CONFIG = """\
from anvl.testing.lit import configure
configure(config, lit_config, __file__, load=["my ops.py"])
"""
OPS = """\
from anvl.dialect import F, emit, unary
unary("own.twice", lambda x: emit.add(x, x), F, lambda g, x, y: emit.add(g, g))
"""
MARK = "// NOTE: the checks of CHECK were written by anvl-update-checks, which replaces them\n"
TEST = """\
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s
// RUN: %run %s --function=f --args='[3.0]' | %numbers %s
// NUMBERS: f64[] 6.0
// CHECK: stablehlo.add
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %y = "own.twice"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
"""


def lit(folder: Path, *flags: str) -> tuple[int, str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    done = subprocess.run(
        [LIT, "-v", *flags, str(folder)], capture_output=True, text=True, env=environment
    )
    return done.returncode, done.stdout + done.stderr


def test_the_tools_know_the_ops(tmp_path):
    (tmp_path / "lit.cfg.py").write_text(CONFIG)
    (tmp_path / "my ops.py").write_text(OPS)
    (tmp_path / "a.mlir").write_text(TEST)
    (tmp_path / "Inputs").mkdir()
    (tmp_path / "Inputs" / "b.mlir").write_text("no test")
    code, out = lit(tmp_path)
    assert (code, out.count("PASS: "), out.count("FAIL: ")) == (0, 1, 0), out


def test_lit_updates_the_checks_that_were_generated(tmp_path):
    (tmp_path / "lit.cfg.py").write_text(CONFIG.replace(', load=["my ops.py"]', ""))
    (tmp_path / "printed").write_text('%y = "own.twice"(%x)\n')
    text = "// RUN: cat %S/printed | filecheck %s\n\n// CHECK: own.thrice\n"
    (tmp_path / "hand.mlir").write_text(text)
    (tmp_path / "generated.mlir").write_text(MARK + text)
    code, out = lit(tmp_path, "--update-tests")
    assert code == 1 and out.count("anvl-update-checks: ") == 1, out
    assert (tmp_path / "hand.mlir").read_text() == text
    wanted = '// CHECK: %[[Y:[a-zA-Z0-9_]+]] = "own.twice"(%[[X:[a-zA-Z0-9_]+]])'
    new = (tmp_path / "generated.mlir").read_text()
    assert new == MARK + text.replace("// CHECK: own.thrice", wanted)


def config() -> SimpleNamespace:
    return SimpleNamespace(environment={}, substitutions=[])


def test_each_tool_loads(tmp_path):
    (tmp_path / "ops.py").touch()
    given, settings = config(), SimpleNamespace(maxIndividualTestTime=0, test_updaters=[])
    configure(given, settings, str(tmp_path / "lit.cfg.py"), load=["ops.py"])
    tools = [text for _, text in given.substitutions if "--load" in text]
    assert tools == [f"{t} --load={tmp_path}/ops.py" for t in anvl.testing.lit._LOADING]
    assert settings.test_updaters == [update_checks]
    assert given.test_source_root == str(tmp_path)


def test_a_path_that_is_not_there_is_refused(tmp_path):
    settings = SimpleNamespace(maxIndividualTestTime=0, test_updaters=[])
    with pytest.raises(FileNotFoundError, match=r"load: there is no .*none.py; give files"):
        configure(config(), settings, str(tmp_path / "lit.cfg.py"), load=["none.py"])


def test_a_configuration_does_not_import_the_runtime():
    """Lit reads it before anything runs."""
    code = "import sys, anvl.testing.lit; sys.exit('jaxlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
