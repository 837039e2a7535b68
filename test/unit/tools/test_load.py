"""`--load`: a person's files, and what may be wrong with them."""

import os
import re
import subprocess
import sys

import pytest
from tool_server import tool

IR = (
    "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {{\n"
    '  %0 = "{}"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n'
    "  return %0 : tensor<2xf32>\n}}\n"
)
LINE = "from anvl.dialect.ops.elementwise.table import F, unary\n"
CLASS = """\
from anvl.dialect.core.families import Linear
from anvl.dialect.core.op import Operand, Result


class TheirOp(Linear, name="their.op"):
    x: Operand
    y: Result

    @classmethod
    def result_type(cls, x):
        return x
"""


def opt(folder, *args, stdin="module {}"):
    done = subprocess.run(
        [*tool("anvl-opt"), *args],
        input=stdin.encode(),
        capture_output=True,
        timeout=120,
        cwd=folder,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def refused(folder, *args, stdin="module {}"):
    code, out, err = opt(folder, *args, stdin=stdin)
    assert (code, out) == (1, ""), err
    return err


def write(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)


def test_several_files_and_paths_of_every_kind(tmp_path):
    inner = tmp_path / "in, side"
    inner.mkdir()
    write(inner, first=f'{LINE}unary("their.first", "sine", F, None)\n')
    write(tmp_path, second=f'{LINE}unary("their.second", "cosine", F, None)\n')
    code, out, err = opt(
        tmp_path,
        "--load=in, side/first.py",
        "--load",
        str(tmp_path / "second.py"),
        f"--load={os.path.join('in, side', '..', 'second.py')}",
        "--list-ops",
    )
    assert (code, err) == (0, "")
    assert [line for line in out.splitlines() if line.startswith("  their")] == [
        "  their.first(x) -> y",
        "  their.second(x) -> y",
    ]


def test_files_that_import_each_other(tmp_path):
    write(
        tmp_path,
        base=f'{LINE}wave = unary("their.wave", "sine", F, None)\n',
        user=f"import base\n{LINE}"
        'unary("their.twice", lambda x: base.wave(base.wave(x)), F, None)\n',
    )
    for order in (("user", "base"), ("base", "user")):
        loads = [f"--load={name}.py" for name in order]
        code, out, err = opt(
            tmp_path, *loads, "--anvl-lower-to-stablehlo", stdin=IR.format("their.twice")
        )
        assert (code, err) == (0, ""), order
        assert out.count("stablehlo.sine") == 2


def test_a_file_with_the_name_of_something_else(tmp_path):
    """Python's own `json`, which anvl-run needs, and `numpy` stay what they are."""
    for name in ("json", "numpy", "anvl", "with-dash"):
        (tmp_path / f"{name}.py").write_text(
            f"import json, numpy\n{LINE}json.dumps([]); numpy.ones(1)\n"
            f'unary("their.op_{name.replace("-", "_")}", "sine", F, None)\n'
        )
    loads = [f"--load={name}.py" for name in ("json", "numpy", "anvl", "with-dash")]
    # `-P` in place of `-m`, which would put the folder first, as if all were meant.
    code = "import sys; from anvl.tools.opt.main import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *loads, "--list-ops"], cwd=tmp_path, capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode().count("their.op_") == 8  # a line and a summary each


def test_what_a_file_prints_goes_to_stderr(tmp_path):
    write(tmp_path, loud=f'{LINE}print("loud")\nunary("their.loud", "sine", F, None)\n')
    code, out, err = opt(tmp_path, "--load=loud.py", stdin=IR.format("their.loud"))
    assert (code, err) == (0, "loud\n")
    assert "loud\n" not in out and '"their.loud"' in out


# What is wrong with a file


@pytest.mark.parametrize(
    "text, message",
    [
        (None, "a.py:1:1: error: --load: there is no such file; give a Python file that"),
        ("x = 1\n", "a.py:1:1: error: --load: defines no op and no pass: no subclass of"),
        ("x =\n", "a.py:1:4: error: --load: invalid syntax\nx =\n"),
        ("import sys\nsys.exit(2)\n", "a.py:2:1: error: --load: calls sys.exit; do so under"),
        (
            CLASS.replace("result_type(cls, x)", "result_typ(cls, x)"),
            "a.py:5:1: error: --load: their.op: has no `result_type` rule, so it cannot be built",
        ),
        (
            CLASS.replace("    @classmethod\n", ""),
            "a.py:5:1: error: --load: their.op: `result_type` is not a classmethod",
        ),
        (
            CLASS.replace("(cls, x)", "(cls, x, axis)"),
            "a.py:5:1: error: --load: their.op: `result_type` takes (cls, x, axis), but is called",
        ),
        (
            CLASS.replace("their.op", "op"),
            "a.py:5:1: error: --load: op: the name of a user-defined op needs a dialect",
        ),
        (
            CLASS + CLASS.replace("TheirOp", "OtherOp"),
            "a.py:16:1: error: --load: their.op: two ops have this name, a.TheirOp and a.OtherOp",
        ),
        (CLASS + CLASS, "a.py:1:1: error: --load: their.op: defined twice; rename one"),
        (
            "from anvl.passes import Pass\nclass A(Pass, argument='anvl-inline'): pass\n",
            "a.py:2:1: error: --load: anvl-inline: two passes have this name",
        ),
    ],
)
def test_a_file_that_is_refused(tmp_path, text, message):
    """A position and a message; no traceback, since nothing of theirs was raised."""
    if text is not None:
        write(tmp_path, a=text)
    err = refused(tmp_path, "--load=a.py")
    assert err.startswith(message), err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "content, message",
    [
        (b'x = "\xff"\n', "UTF-8"),
        (b"\xd1\xff\x00\x01", "UTF-8|null bytes"),
        (b"x = 1\0\n", "null bytes"),
        (b"# coding: foo\n", "unknown encoding: foo"),
    ],
)
def test_a_file_that_is_no_text(tmp_path, content, message):
    (tmp_path / "a.py").write_bytes(content)
    err = refused(tmp_path, "--load=a.py")
    assert re.match(rf"a\.py:1:\d+: error: --load: .*({message})", err, re.IGNORECASE), err
    assert "Traceback" not in err


def test_an_error_that_a_file_raises_has_its_own_traceback(tmp_path):
    write(tmp_path, a="def helper():\n    return {}['key']\n\nhelper()\n")
    err = refused(tmp_path, "--load=a.py")
    assert err.startswith("a.py:2:12: error: --load: KeyError: 'key'\n    return {}['key']\n")
    shown = [line.split(",")[0] for line in err.splitlines() if line.startswith("  File ")]
    assert shown == [f'  File "{tmp_path / "a.py"}"'] * 2
    assert err.endswith("KeyError: 'key'\n")


def test_an_error_in_a_file_that_another_imports(tmp_path):
    write(tmp_path, a="import b\n", b="1 / 0\n")
    err = refused(tmp_path, "--load=a.py")
    assert err.startswith("a.py:1:1: error: --load: ZeroDivisionError: division by zero\n")
    assert f'File "{tmp_path / "b.py"}", line 1' in err


def test_a_folder_and_a_flag_without_a_value(tmp_path):
    assert "error: --load: is not a file" in refused(tmp_path, "--load=.")
    assert "--load needs a value; write --load=FILE" in refused(tmp_path, "--load")


def package(folder, ops):
    (folder / "their_ops").mkdir()
    write(folder / "their_ops", __init__="from their_ops.ops import TheirOp\n", ops=ops)


@pytest.mark.parametrize("given", ["their_ops", "their_ops/", "./their_ops/__init__.py"])
def test_a_package(tmp_path, given):
    package(tmp_path, CLASS)
    code, out, _ = opt(tmp_path, f"--load={given}", stdin=IR.format("their.op"))
    assert code == 0
    assert '"their.op"(%x)' in out


def test_an_error_in_a_file_of_a_package(tmp_path):
    package(tmp_path, CLASS.replace("their.op", "op"))
    error = refused(tmp_path, "--load=their_ops")
    assert error.startswith("their_ops/ops.py:5:1: error: --load: op: the name of a user-defined")


def test_a_package_of_a_name_that_python_has(tmp_path):
    (tmp_path / "json").mkdir()
    write(tmp_path / "json", __init__="from .ops import TheirOp\n", ops=CLASS)
    code, _, error = opt(tmp_path, "--load=json", stdin=IR.format("their.op"))
    assert code == 0, error


def test_a_file_that_is_no_python_file(tmp_path):
    (tmp_path / "a.txt").write_text("x = 1\n")
    assert "a.txt is not a Python file" in refused(tmp_path, "--load=a.txt")


# What is wrong with a rule


@pytest.mark.parametrize(
    "rule, flag, message",
    [
        (
            "    def lower(cls, hlo, x):\n        return hlo.no_such(x)\n",
            "--anvl-lower-to-stablehlo",
            "<stdin>:2:8: error: anvl-lower-to-stablehlo: AttributeError: 'Hlo' object has no "
            "attribute 'no_such' (a.py:15, in lower)",
        ),
        (
            "    def adjoint(cls, g, xs, y):\n        return [g + 1]\n",
            "--anvl-gradient=function=g",
            "<stdin>:2:8: error: anvl-gradient: TypeError: unsupported operand type(s) for +: "
            "'OpResult' and 'int' (a.py:15, in adjoint)",
        ),
        (
            "    def adjoint(cls, g, xs, y):\n        return []\n",
            "--anvl-gradient=function=g",
            "<stdin>:2:8: error: anvl-gradient: ",
        ),
        (
            "    def lower(cls, hlo, x):\n        return None\n",
            "--anvl-lower-to-stablehlo",
            "<stdin>:2:8: error: anvl-lower-to-stablehlo: their.op: its `lower` rule returns None",
        ),
        ("    def other(cls):\n        pass\n", "--anvl-lower-to-stablehlo", "neither `hlo` nor"),
        ("    def other(cls):\n        pass\n", "--anvl-gradient=function=g", "no `adjoint` rule"),
    ],
)
def test_a_rule_that_fails_says_its_line_and_that_of_the_op(tmp_path, rule, flag, message):
    write(tmp_path, a=f"{CLASS}\n    @classmethod\n{rule}")
    text = (
        "func.func @g(%x: tensor<f32>) -> tensor<f32> {\n"
        '  %0 = "their.op"(%x) : (tensor<f32>) -> tensor<f32>\n'
        "  return %0 : tensor<f32>\n}\n"
    )
    err = refused(tmp_path, "--load=a.py", flag, stdin=text)
    assert message in err.replace("torch_mlir._mlir_libs._mlir.ir.", "")  # Python 3.12 says it
    assert "Traceback" not in err and "internal error" not in err


def test_a_stack_where_it_is_asked_for(tmp_path):
    lower = "    @classmethod\n    def lower(cls, hlo, x):\n        return [][1]\n"
    write(tmp_path, a=f"{CLASS}\n{lower}")
    args = ("--load=a.py", "--anvl-lower-to-stablehlo", "--mlir-print-stacktrace-on-diagnostic")
    err = refused(tmp_path, *args, stdin=IR.format("their.op"))
    assert 'a.py", line 15, in lower' in err


def test_executing_does_not_need_the_flag_of_another_tool(tmp_path):
    """`anvl-run` takes it too, with the same messages."""
    write(tmp_path, a=f'{LINE}unary("their.op", "sine", F, None)\n', b="x = 1\n")
    (tmp_path / "f.mlir").write_text(IR.format("their.op"))
    run = [*tool("anvl-run"), "f.mlir", "--function=f", "--args=[[0, 0]]"]
    done = subprocess.run([*run, "--load=a.py"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "f32[2] 0.0 0.0\n"), done.stderr
    done = subprocess.run([*run, "--load=b.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("b.py:1:1: error: --load: defines no op")


def test_the_runtime_is_not_loaded(tmp_path):
    write(tmp_path, a=f'{LINE}unary("their.op", "sine", F, None)\n')
    code = (
        "import sys; from anvl.tools.opt.main import main; main(['--load=a.py', '--list-ops']);"
        "sys.exit('jaxlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def test_a_pass_that_is_no_dataclass_is_refused(tmp_path):
    path = tmp_path / "bare.py"
    path.write_text(
        "from anvl.passes import Pass\n\n\nclass Bare(Pass, argument='my-bare'):\n"
        "    def run(self, module):\n        pass\n"
    )
    command = [*tool("anvl-opt"), f"--load={path}", "--my-bare"]
    done = subprocess.run(command, input="", capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == (
        "anvl-opt: error: Bare: a pass is a frozen dataclass; decorate the class\n"
    )
