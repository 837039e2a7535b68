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

from anvl.tools.dev import check_sizes, generate, import_rules, run_tests, typing_links

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


@pytest.mark.sweep(keep=0)
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


@pytest.mark.parametrize(("module", "absent"), [("anvl", "jax"), ("anvl.tools.opt.main", "jaxlib")])
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
        ("anvl_dialect/core/x.py", "from anvl.dialect.ops import linalg", "Imports point down"),
        ("anvl_dialect/core/params/x.py", "import anvl.dialect.interpreters", "core <- interp"),
        ("anvl_dialect/interpreters/x.py", "import anvl.dialect.ops.linalg.svd", "point down"),
        ("anvl_dialect/ops/linalg/x.py", "import anvl.dialect.control_flow.scan", "point down"),
        ("anvl_dialect/control_flow/x.py", "from anvl.dialect.text import parsing", "point down"),
        ("passes/framework/x.py", "import anvl.passes.functions.dce", "framework <- functions"),
        ("passes/lower/x.py", "from anvl.passes.gradient import Gradient", "A pass is asked for"),
        ("passes/x.py", "from anvl.passes.inline import Inline", "what two passes share"),
        ("passes/x.py", "import anvl.passes.pipelines.jit_pipeline", "what two passes share"),
        ("frontend/core/x.py", "import anvl.dispatch.jit", "Move what both need to the lower"),
        ("frontend/transforms/x.py", "from anvl.control_flow import loops", "Imports point down"),
        ("frontend/core/x.py", "import anvl.numpy", "Imports point down"),
        ("tools/opt/x.py", "import anvl.tools.dev.generate", "<- reference <- dev"),
        ("anvl_dialect/x.py", "import torch_mlir.ir", "MLIR comes through one door"),
        ("passes/x.py", "from torch_mlir import ir", "MLIR comes through one door"),
        ("passes/x.py", "def f():\n    import anvl.runtime.pjrt", "A pass knows the dialect alone"),
        ("passes/x.py", "import anvl.numpy as np", "A pass knows the dialect alone"),
        ("passes/x.py", "import anvl.tools.opt.main", "A pass knows the dialect alone"),
        ("frontend/x.py", "from jaxlib import xla_client", "only `runtime/` imports jaxlib"),
        ("frontend/x.py", "import anvl.tools.opt.main", "nothing imports them"),
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
        ("anvl_dialect/core/mlir.py", "from torch_mlir import ir"),
        ("anvl_dialect/ops/x.py", "from anvl.dialect.core import types"),
        ("anvl_dialect/control_flow/x.py", "import anvl.dialect.ops.linalg.svd"),
        ("anvl_dialect/__init__.py", "import anvl.dialect.text.parsing, anvl.dialect.ops"),
        ("passes/x.py", "import anvl.passes.lower.outlining, anvl.passes.expand.declarations"),
        ("passes/pipelines/x.py", "import anvl.passes.gradient"),
        ("passes/__init__.py", "import anvl.passes.gradient"),
        ("frontend/control_flow/x.py", "import anvl.transforms.grad, anvl.tree"),
        ("passes/x.py", "from anvl.dialect.core.errors import PassError"),
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
    # Parsing all files takes seconds, so those come first that have such a line, if in a docstring.
    of_line = re.compile(r"^\s*(from anvl import|import .*\banvl\b(?!\.))", re.MULTILINE)
    for path in (ROOT / folder).rglob("*.py"):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if of_line.search(text) else ():
            imported = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            source = node.module if isinstance(node, ast.ImportFrom) else ""
            assert "anvl" not in (*imported, source), f"{path}:{node.lineno} imports the frontend"


@pytest.mark.parametrize("folder", ["anvl_dialect", "passes", "frontend", "runtime", "tools"])
def test_nothing_is_imported_for_its_effect(folder):
    # Ruff refuses an import whose name is not used (F401), unless a line silences it.
    silenced = [p for p in (ROOT / folder).rglob("*.py") if re.search("noqa.*F401", p.read_text())]
    assert silenced == []


def test_the_one_door_opens_to_mlir_only():
    assert import_rules.DOOR["anvl_dialect/core"] == "mlir.py"
    core = ROOT / "anvl_dialect" / "core"
    door = (core / "mlir.py").read_text()
    imported = set(re.findall(r"^ *(?:from|import) ([\w.]+)", door, re.MULTILINE))
    imported -= {f"anvl.dialect.core.{stub.stem}" for stub in core.glob("*.pyi")}
    imported -= {"anvl.dialect.core.lazy_numpy"}  # for builders that the bindings leave out
    roots = {name.partition(".")[0] for name in imported}
    assert roots - sys.stdlib_module_names == {"torch_mlir"}


# How the house is built


def rooms(folder: str) -> dict[Path, list[Path]]:
    """The folders within one, each with its modules."""
    found: dict[Path, list[Path]] = {}
    for path in sorted((ROOT / folder).rglob("*.py")):
        if path.stem not in ("__init__", "__main__"):  # Python's own names
            found.setdefault(path.parent, []).append(path)
    return found


def crowded(folder: str, most: int = 20) -> list[str]:
    return [
        f"{room.relative_to(ROOT)} has {len(modules)} modules, at most {most}: make a room of some"
        for room, modules in rooms(folder).items()
        if len(modules) > most
    ]


# `numpy.linalg` and `scipy.linalg`: people import them by these names.
PUBLIC_TWICE = {"linalg"}


def named_twice(folder: str) -> list[str]:
    homes: dict[str, list[Path]] = {}
    for room, modules in rooms(folder).items():
        for path in modules:
            homes.setdefault(path.stem, []).append(room.relative_to(ROOT))
    return [
        f"{name}.py is in {' and in '.join(map(str, places))}: rename one"
        for name, places in homes.items()
        if len(places) > 1 and name not in PUBLIC_TWICE
    ]


@pytest.mark.parametrize("folder", FOLDERS.values())
def test_a_room_has_twenty_modules_at_most_and_no_name_is_taken_twice(folder):
    assert crowded(folder) + named_twice(folder) == []


def test_a_crowded_room_and_a_name_taken_twice_are_seen(monkeypatch, tmp_path):
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    for path in ["passes/a/same.py", "passes/b/same.py", *(f"passes/a/m{i}.py" for i in range(20))]:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    assert crowded("passes") == ["passes/a has 21 modules, at most 20: make a room of some"]
    assert named_twice("passes") == ["same.py is in passes/a and in passes/b: rename one"]


@pytest.mark.parametrize("folder", import_rules.LAYERS)
def test_every_room_stands_on_a_floor(folder):
    here = {p.name for p in (ROOT / folder).iterdir() if (p / "__init__.py").exists()}
    beside = {"_mlir_dialects"}  # found by MLIR by its name, and empty
    missing = here - beside - set(import_rules.LAYERS[folder])
    assert not missing, f"give {missing} a place in LAYERS of tools/dev/import_rules.py"


def test_a_file_of_a_pass_has_one_pass_named_like_the_file():
    for path in sorted((ROOT / "passes").glob("*.py")):
        if path.stem == "__init__":
            continue
        classes = [n for n in ast.parse(path.read_text()).body if isinstance(n, ast.ClassDef)]
        passes = [c.name for c in classes if any(k.arg == "argument" for k in c.keywords)]
        wanted = "".join(word.capitalize() for word in path.stem.split("_"))
        assert [name.lower() for name in passes] == [wanted.lower()], path


@pytest.mark.sweep(keep=0)
def test_old_paths_of_internals_are_gone():
    for old in ("anvl.jitted", "anvl.dialect.sweep", "anvl.passes.declared"):
        done = python(f"import {old}")
        assert "ModuleNotFoundError" in done.stderr, old


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
    assert check_sizes.main(sized_file(tmp_path, ["x = 1"] * 501)) == 1
    assert "passes/long.py: 501 lines, at most 500" in capsys.readouterr().out


def test_a_function_of_61_lines_is_refused(tmp_path, capsys):
    assert check_sizes.main(sized_file(tmp_path, ["x = 1", "def f():", *["    x = 1"] * 60])) == 1
    assert "passes/long.py:2: `f` has 61 lines, at most 60" in capsys.readouterr().out


EACH_BRANCH = """
def f(xs):
    assert xs and xs[0] and xs[1]
    for x in xs:
        while x:
            try:
                x = 1 if x else 2
            except ValueError:
                pass
    match xs:
        case [_]:
            pass
    def inner():
        if xs:
            return [lambda: x or y for x in xs if x if x > 1 for y in x]
        elif x:
            return {x for x in xs}
"""


def test_a_function_of_complexity_17_is_refused(tmp_path, capsys):
    assert check_sizes.main(sized_file(tmp_path, EACH_BRANCH.splitlines())) == 1
    assert (
        "passes/long.py:2: `f` has complexity 17, at most 13; make its steps functions"
        in capsys.readouterr().out
    )
    (tmp_path / "test").mkdir()
    (tmp_path / "passes").rename(tmp_path / "test" / "passes")  # only the packages are held to it
    assert check_sizes.main([str(tmp_path)]) == 0


def test_functions_whose_steps_are_written_out_are_over_the_limit():
    for path, name in check_sizes.WRITTEN_OUT.items():
        found = [f for f in check_sizes._measure(ROOT / path).functions if f.name == name]
        assert any(f.complexity > check_sizes.MAX_COMPLEXITY for f in found), (path, name)


def test_sizes_at_the_limit_pass_and_the_table_counts_code_apart(tmp_path, capsys):
    body = ['    """What."""', "", "    # why", *["    x = 1"] * 56]
    assert check_sizes.main(sized_file(tmp_path, ["def f():", *body, *["y = 1"] * 440])) == 0
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
