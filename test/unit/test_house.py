"""The rules of the house: what is packaged, who imports whom, how large things grow."""

import ast
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest

from anvl.tools import check_lines, generate, import_rules, run_tests, typing_links

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
RUFF = Path(sys.executable).parent / "ruff"
FOLDERS = PROJECT["tool"]["setuptools"]["package-dir"]  # import name -> folder


def python(code: str, *, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run `code` in a fresh interpreter."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
    )


# What is packaged


def test_the_packages_list_names_every_folder_that_holds_python():
    on_disk = {
        ".".join([name, *path.parent.relative_to(ROOT / folder).parts])
        for name, folder in FOLDERS.items()
        for path in (ROOT / folder).rglob("*.py")
    }
    assert sorted(PROJECT["tool"]["setuptools"]["packages"]) == sorted(on_disk)


def test_no_folder_of_the_frontend_hides_another_package():
    parts = {name.removeprefix("anvl.") for name in FOLDERS if name != "anvl"}
    assert not parts & {path.stem for path in (ROOT / "frontend").iterdir()}


@pytest.mark.parametrize(("name", "folder"), FOLDERS.items())
def test_importing_a_source_folder_by_its_own_name_is_refused(name, folder):
    done = python(f"import {folder}")
    assert f"import `{name}`, not the source folder `{folder}`" in done.stderr


# Who imports whom


def test_every_module_imports_where_jax_is_absent():
    done = python(
        """
        import importlib, pkgutil, sys
        sys.modules["jax"] = None  # `import jax` now raises
        import anvl
        for name in ("anvl", "anvl.dialect", "anvl.passes", "anvl.runtime", "anvl.tools"):
            package = importlib.import_module(name)
            for module in pkgutil.walk_packages(package.__path__, f"{name}."):
                if not module.name.endswith("__main__"):
                    importlib.import_module(module.name)
        """
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("module", "absent"), [("anvl", "jax"), ("anvl.tools.opt", "jaxlib")])
def test_importing_one_thing_does_not_bring_another(module, absent):
    done = python(f"import sys, {module}; assert {absent!r} not in sys.modules")
    assert done.returncode == 0, done.stderr


def test_jaxlib_is_loaded_by_the_first_trace():
    done = python(
        """
        import dataclasses, sys
        import anvl, anvl.numpy as np

        @dataclasses.dataclass
        class Pair:
            a: object
            b: object

        anvl.tree.register_dataclass(Pair, ["a", "b"])
        slope = anvl.jit(anvl.grad(lambda pair: np.sin(pair.a) * pair.b))
        assert "jaxlib" not in sys.modules
        slope.lower(Pair(anvl.aval("f32"), anvl.aval("f32")))
        assert "jaxlib" in sys.modules
        """
    )
    assert done.returncode == 0, done.stderr


def lint(path: str, code: str) -> str:
    """What ruff says about importing, were `code` to lie at `path`."""
    command = [RUFF, "check", "--output-format=concise", "--select=TID", "--stdin-filename", path]
    done = subprocess.run(
        [*command, "-"], input=code, cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert "error" not in done.stderr.lower(), done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("path", "code", "sentence"),
    [
        ("anvl_dialect/x.py", "import anvl.runtime", "The dialect stands on MLIR alone"),
        ("anvl_dialect/x.py", "from anvl.passes import gradient", "The dialect stands on MLIR"),
        ("anvl_dialect/ops/x.py", "from anvl import numpy", "The dialect stands on MLIR alone"),
        ("anvl_dialect/ops/x.py", "from ..passes import x", "TID252"),
        ("anvl_dialect/x.py", "import torch_mlir.ir", "MLIR comes through one door"),
        ("passes/x.py", "from torch_mlir import ir", "MLIR comes through one door"),
        ("passes/x.py", "def f():\n    import anvl.runtime.pjrt", "A pass knows the dialect alone"),
        ("passes/x.py", "import anvl.numpy as np", "A pass knows the dialect alone"),
        ("passes/x.py", "import anvl.tools.opt", "A pass knows the dialect alone"),
        ("frontend/x.py", "from jaxlib import xla_client", "only `runtime/` imports jaxlib"),
        ("frontend/x.py", "import anvl.tools.opt", "nothing imports them"),
        ("frontend/numpy/x.py", "import jax.numpy", "only `benchmarks/` imports it"),
        ("frontend/x.py", "from passes import gradient", "not the source folder"),
        ("runtime/x.py", "from anvl.dialect import types", "The runtime takes bytes"),
        ("runtime/x.py", "import jax", "only `benchmarks/` imports it"),
        ("runtime/x.py", "import pickle", "A pickle runs code"),
        ("tools/x.py", "from anvl.numpy import sin", "never the frontend"),
        ("tools/x.py", "import anvl.runtime.pjrt", "TID253"),
        ("benchmarks/x.py", "import jaxlib", "only `runtime/` imports jaxlib"),
        ("examples/x.py", "import torch_mlir", "MLIR comes through one door"),
        ("test/unit/x.py", "import jax", "only `benchmarks/` imports it"),
    ],
)
def test_the_linter_refuses_imports_against_the_direction(path, code, sentence):
    assert sentence in lint(path, f"{code}\n")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("anvl_dialect/mlir.py", "from torch_mlir import ir"),
        ("anvl_dialect/ops/x.py", "from anvl.dialect import types"),
        ("passes/x.py", "from anvl.dialect.errors import PassError"),
        ("frontend/x.py", "import anvl.dialect, anvl.passes, anvl.runtime, anvl.numpy"),
        ("runtime/x.py", "import jaxlib._jax"),
        ("tools/x.py", "import anvl.passes\ndef f():\n    import anvl.runtime.pjrt"),
        ("benchmarks/x.py", "import anvl.numpy, jax.numpy"),
        ("examples/x.py", "import anvl.numpy as np"),
    ],
)
def test_the_linter_lets_imports_along_the_direction_pass(path, code):
    assert lint(path, f"{code}\n") == "All checks passed!\n"


@pytest.mark.parametrize("folder", ["anvl_dialect", "passes", "runtime", "tools"])
def test_lower_folders_never_import_the_frontend_as_a_whole(folder):
    # `import anvl` and `from anvl import f` are what the linter cannot see: Note [Why modules are
    # listed].
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            imported = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            source = node.module if isinstance(node, ast.ImportFrom) else ""
            assert "anvl" not in (*imported, source), f"{path}:{node.lineno} imports the frontend"


def test_the_one_door_opens_to_mlir_only():
    assert import_rules.DOOR == {"anvl_dialect": "mlir.py"}
    door = (ROOT / "anvl_dialect" / "mlir.py").read_text()
    imported = set(re.findall(r"^ *(?:from|import) (\w+)", door, re.MULTILINE))
    assert imported - sys.stdlib_module_names == {"torch_mlir"}


# Generated files, links, sizes, counting


def test_a_changed_generated_file_is_noticed_and_a_current_one_is_not(tmp_path):
    (tmp_path / "current").write_text("a")
    (tmp_path / "changed").write_text("by hand")
    files = {"current": "a", "changed": "b", "missing": "c"}
    assert generate.stale_files(tmp_path, files) == {"changed": "b", "missing": "c"}


def test_the_links_for_type_checkers_show_every_folder_as_one_package(tmp_path):
    for folder in FOLDERS.values():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    typing_links.main(tmp_path)
    typing_links.main(tmp_path)  # and again, over the old ones
    for name in FOLDERS:
        assert (tmp_path / ".typing" / name.replace(".", "/") / "__init__.py").exists()


def sized_file(root: Path, lines: list[str]) -> list[str]:
    (root / "passes").mkdir()
    (root / "passes" / "long.py").write_text("\n".join(lines) + "\n")
    return [str(root)]


def test_a_file_of_501_lines_is_refused(tmp_path, capsys):
    assert check_lines.main(sized_file(tmp_path, ["x = 1"] * 501)) == 1
    assert "passes/long.py: 501 lines, at most 500" in capsys.readouterr().out


def test_a_function_of_61_lines_is_refused(tmp_path, capsys):
    assert check_lines.main(sized_file(tmp_path, ["x = 1", "def f():", *["    x = 1"] * 60])) == 1
    assert "passes/long.py:2: `f` has 61 lines, at most 60" in capsys.readouterr().out


def test_sizes_at_the_limit_pass_and_the_table_counts_code_apart(tmp_path, capsys):
    body = ['    """What."""', "", "    # why", *["    x = 1"] * 56]
    assert check_lines.main(sized_file(tmp_path, ["def f():", *body, *["y = 1"] * 440])) == 0
    assert re.search(r"passes +1 +500 +497 +500 +60", capsys.readouterr().out)


def junit(tmp_path: Path, suites: str) -> Path:
    path = tmp_path / "report.xml"
    path.write_text(f"<testsuites>{suites}</testsuites>")
    return path


@pytest.mark.parametrize(
    ("suites", "status", "counts"),
    [
        ('<testsuite tests="5" failures="1" errors="1" skipped="1"/>', 1, (2, 2, 1)),
        ('<testsuite tests="2" failures="0"/><testsuite tests="3" failures="0"/>', 0, (5, 0, 0)),
        ('<testsuite tests="3" failures="0"/>', 2, (3, 1, 0)),  # passed, then crashed
    ],
)
def test_reports_are_counted(tmp_path, suites, status, counts):
    assert run_tests._counts(junit(tmp_path, suites), status) == counts


def test_a_step_without_a_report_is_one_test():
    assert run_tests._counts(None, 0) == (1, 0, 0)
    assert run_tests._counts(None, 3) == (0, 1, 0)


def test_a_run_that_wrote_no_report_has_failed(tmp_path):
    assert run_tests._counts(tmp_path / "none.xml", -11) == (0, 1, 0)


# What the repository gives away

PRIVATE = re.compile(
    r"/(?:home|Users)/\w|(?<![\w.])/(?:root|work|opt|tmp/v)\b/?"  # somebody's machine
    r"|py[p]i\.|python[h]osted|find-link[s]|index-ur[l]",  # somebody's package index
)


@pytest.mark.skipif(not shutil.which("git") or not (ROOT / ".git").exists(), reason="not a clone")
def test_no_machine_path_and_no_package_index_is_named():
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = []
    for name in listed.splitlines():
        path = ROOT / name
        if path == Path(__file__).resolve() or not path.is_file():
            continue
        text = path.read_text(errors="ignore")
        found += [f"{name}: {match[0]}" for match in PRIVATE.finditer(text)]
    assert found == []
