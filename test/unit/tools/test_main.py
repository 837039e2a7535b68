"""anvl-opt as a process: exit codes, streams and files, whatever it is given."""

import random
import subprocess
import sys
from pathlib import Path

import pytest
from tool_server import tool

from anvl.tools.io import output, source
from anvl.tools.io.diagnostics import Diagnostic, position, rendered
from anvl.tools.opt import flags
from anvl.tools.opt.expected import mismatches
from anvl.tools.opt.main import main

GOOD = "func.func @f(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n"

SUM_OF_SINES = """
func.func @main(%x: tensor<3xf32>) -> tensor<f32> {
  %0 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = "anvl.sum"(%0) {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
"""


def opt(*args, stdin=b"", **kwargs):
    given = stdin.encode() if isinstance(stdin, str) else stdin
    return subprocess.run(
        [*tool("anvl-opt"), *args], input=given, capture_output=True, timeout=120, **kwargs
    )


def refused(*args, stdin=b""):
    """The message of a run that must fail in good order."""
    done = opt(*args, stdin=stdin)
    message = done.stderr.decode()
    assert done.returncode == 1, message
    assert "Traceback" not in message
    return message


# Streams and files


def test_stdin_to_stdout():
    for args in ((), ("-",), ("-o", "-")):
        done = opt(*args, stdin=GOOD)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.decode().startswith("module {\n  func.func @f")


@pytest.mark.parametrize(
    "args",
    [(), ("--split-input-file",), ("--no-implicit-module",), ("--emit-bytecode",),
     ("--mlir-print-debuginfo",), ("--mlir-print-unique-ssa-ids",)],
    ids=str,
)  # fmt: skip
def test_a_large_output_waits_on_disk_and_is_the_same(args, tmp_path, monkeypatch):
    text = f"{GOOD}// -----\n{GOOD}" if "split" in str(args) else GOOD
    file, out = tmp_path / "in.mlir", tmp_path / "out.mlir"
    file.write_text(text)
    run = ["--anvl-in-process", str(file), *args, "-o", str(out)]
    assert main(run) == 0
    small = out.read_bytes()
    assert small.endswith(b"\n") or "bytecode" in str(args)
    monkeypatch.setattr(output, "_LARGE", 0)
    with output.spool(str(out), 1) as spooled:
        assert spooled.fileno() >= 0
    assert main(run) == 0
    assert out.read_bytes() == small
    assert sorted(tmp_path.iterdir()) == [file, out]


def test_an_output_waits_in_memory_where_there_is_no_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(output, "_LARGE", 0)
    file = output.spool(str(tmp_path / "none" / "out.mlir"), 1)
    file.write(b"text")
    assert file.getvalue() == b"text"


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    out = tmp_path / "out.mlir"
    out.write_text("old")
    out.chmod(0o640)
    refused("-", "-o", str(out), stdin="func.func @f(")
    assert out.read_text() == "old"
    assert opt("-", "-o", str(out), stdin=GOOD).returncode == 0
    assert "func.func @f" in out.read_text()
    assert out.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["out.mlir"]


def test_a_link_to_the_output_stays_a_link(tmp_path):
    out, link = tmp_path / "out.mlir", tmp_path / "link.mlir"
    out.write_text("old")
    link.symlink_to(out)
    assert opt("-", "-o", str(link), stdin=GOOD).returncode == 0
    assert link.is_symlink()
    assert "func.func @f" in out.read_text()


def test_a_file_may_be_rewritten_in_place(tmp_path):
    file = tmp_path / "a.mlir"
    file.write_text(GOOD)
    assert opt(str(file), "-o", str(file)).returncode == 0
    assert file.read_text().startswith("module {")


def test_an_output_that_cannot_be_written(tmp_path):
    message = refused("-", "-o", str(tmp_path / "no" / "out.mlir"), stdin=GOOD)
    assert "cannot write" in message and "No such file or directory" in message


def test_an_input_that_is_a_folder(tmp_path):
    assert f"{tmp_path}:1:1: error: cannot read the file" in refused(str(tmp_path))


def test_a_reader_that_leaves_early():
    many = "".join(f"func.func private @f{i}()\n" for i in range(20000))
    child = subprocess.Popen(
        tool("anvl-opt"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=-1
    )
    child.stdout.close()
    child.stdin.write(many.encode())
    child.stdin.close()
    assert child.wait(60) == 1
    assert child.stderr.read() == b""
    child.stderr.close()


def test_anvl_opt_loads_neither_jaxlib_nor_the_runtime(tmp_path):
    (tmp_path / "a.mlir").write_text(GOOD)
    code = (
        "import sys; from anvl.tools.opt.main import main\n"
        f"main([{str(tmp_path / 'a.mlir')!r}, '--cse', '--anvl-inline'])\n"
        "main(['--version']); main(['--help'])\n"
        "bad = [m for m in sys.modules if m.split('.')[0] in ('jax', 'jaxlib', 'scipy')"
        " or m.startswith('anvl.runtime')]\n"
        "sys.exit(str(bad) if bad else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.sweep(keep=1, part=3)
@pytest.mark.parametrize(
    "passes",
    [
        (),
        ("--anvl-gradient=function=main wrt=0", "--anvl-lower-to-stablehlo"),
        ("--anvl-inline", "--anvl-simplify", "--cse", "--canonicalize"),
        ("--anvl-forward=function=main wrt=0", "--anvl-vectorize=function=main size=2"),
    ],
    ids=lambda passes: " ".join(passes) or "none",
)
def test_a_plain_run_of_anvl_opt_needs_no_numpy(tmp_path, passes):
    (tmp_path / "a.mlir").write_text(SUM_OF_SINES)
    code = (
        "import sys; from anvl.tools.opt.main import main\n"
        f"assert main([{str(tmp_path / 'a.mlir')!r}, *{passes!r}]) == 0\n"
        "found = {'numpy', 'ml_dtypes', 'scipy', 'subprocess'} & {*sys.modules}\n"
        "sys.exit(str(found) if found else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.sweep(keep=0)
def test_numpy_comes_when_it_is_needed(tmp_path):
    """Also for the builders of attributes that MLIR's bindings make only where NumPy is found."""
    (tmp_path / "a.mlir").write_text(GOOD)
    code = (
        "import sys; from anvl.tools.opt.main import main\n"
        f"assert main([{str(tmp_path / 'a.mlir')!r}]) == 0 and 'numpy' not in sys.modules\n"
        "from anvl.dialect.core.mlir import _cext; from anvl.dialect.core.context import context\n"
        "def built(kind): return str(_cext.ir.AttrBuilder.get(kind)([1, 2], context()))\n"
        "assert built('I64ElementsAttr') == 'dense<[1, 2]> : tensor<2xi64>'\n"
        "assert built('IndexElementsAttr') == 'dense<[1, 2]> : tensor<2xindex>'\n"
        "assert built('F64ElementsAttr').endswith(' : tensor<2xf64>')\n"
        "import numpy; assert numpy.arange(3).sum() == 3 and 'numpy' in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()


def test_a_wrong_command_line_is_refused_before_mlir_is_imported():
    code = (
        "import sys; from anvl.tools.opt.main import main\n"
        "assert main(['--mlir-elide-elementsattrs-if-larger=x']) == 1\n"
        "sys.exit('torch_mlir' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


# Input that is no MLIR


@pytest.mark.sweep(keep=5)
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"func.func @f(", "<stdin>:1:13: error: "),
        (b"\n  \xff", "<stdin>:2:3: error: not UTF-8 text"),
        (b"\xef\xbb\xbfmodule {}", "<stdin>:1:1: error: begins with a byte order mark; save it as"),
        ("\ufeffmodule {}".encode("utf-16-le"), "<stdin>:1:1: error: begins with a byte order"),
        (b"\n\n  a\0b", "<stdin>:3:4: error: a zero byte"),
        (b'func.func @f() { "anvl.no_such_op"() : () -> () return }', "<stdin>:1:18: error: "),
        (b"ML\xefR", "<stdin>:1:1: error: malformed bytecode"),
        (b"ML\xefR" + bytes(100), "<stdin>:1:1: error: malformed bytecode"),
        (b"module {" * 6000, "<stdin>:1:40008: error: nested deeper than 5000 levels"),
        (b'module attributes {x.a = "' + b"{" * 6000, "<stdin>:1:5026: error: nested "),
        (b"!a0 = i1\n" + b"".join(b"!a%d = tuple<!a%d>\n" % (i + 1, i) for i in range(6000)),
         "error: nested deeper than 5000 levels"),
        (b"module attributes {x.a = affine_map<(d0) -> (" + b"-" * 6000,
         "<stdin>:1:46: error: nested deeper than 5000 levels"),
    ],
    ids=range(12),  # the texts are longer than a name may be
)  # fmt: skip
def test_malformed_input_ends_in_a_diagnostic(data, message):
    assert message in refused("-", stdin=data)


def test_deep_input_is_read():
    deep = "module {" * 1000 + "}" * 1000
    assert opt("--canonicalize", "--verify-roundtrip", stdin=deep).returncode == 0


def test_brackets_in_strings_and_comments_do_not_nest():
    text = "// " + "{" * 6000 + '\nmodule attributes {x.a = "' + "[" * 6000 + '"} {}'
    assert opt(stdin=text).returncode == 0


def test_an_empty_input_is_an_empty_module():
    assert opt(stdin="").stdout == b"module {\n}\n"


def test_mutated_text_never_ends_in_a_traceback(capsys, tmp_path):
    text = (GOOD + '"anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>\n').encode()
    draw = random.Random(0)
    for _ in range(100):
        data = bytearray(text)
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(len(data))] = draw.randrange(1, 128)
        (tmp_path / "a.mlir").write_bytes(data)
        code = main([str(tmp_path / "a.mlir"), "--cse"])
        message = capsys.readouterr().err
        assert code in (0, 1)
        assert code == 0 or "a.mlir:" in message
        assert "internal error" not in message


@pytest.mark.sweep(keep=0, part=0)
def test_mutated_bytecode_never_ends_in_a_signal():
    data = opt("--emit-bytecode", stdin=GOOD).stdout
    draw = random.Random(0)
    for _ in range(3):
        mutated = bytearray(data)
        mutated[draw.randrange(4, len(data))] = draw.randrange(256)
        assert opt(stdin=bytes(mutated)).returncode in (0, 1)


# Passes


def test_an_error_in_a_pass_has_a_place(tmp_path):
    file = tmp_path / "a.mlir"
    file.write_text(GOOD)
    message = refused(str(file), "--anvl-gradient=function=g wrt=0")
    assert message.startswith(f"{file}:1:1: error: anvl-gradient: ")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--no-such"], "no flag or pass 'no-such'"),
        (["--split-input-fil"], "did you mean 'split-input-file'?"),
        (["--verify-diagnostics=some"], "--verify-diagnostics is all or only-expected, got 'some'"),
        (["--pass-pipeline"], "--pass-pipeline needs a value; write --pass-pipeline=TEXT"),
        (["--mlir-elide-elementsattrs-if-larger=-1"], "takes a whole number, 0 or more, got '-1'"),
        (["a.mlir", "b.mlir"], "one input at a time, got a.mlir, b.mlir"),
        (["--anvl-gradient=wrt=x"], "anvl-gradient: option wrt takes int,..., got 'x'"),
        (["--"], "no flag or pass ''"),
    ],
)
def test_a_wrong_command_line(args, message, capsys):
    assert main(args) == 1
    assert message in capsys.readouterr().err


def test_flags_are_read_in_every_spelling():
    read = flags.parse(["--split-input-file", "a.mlir", "-verify-each=false", "-o=b.mlir", "-cse"])
    assert (read.input, read["o"], read["verify-each"]) == ("a.mlir", "b.mlir", False)
    assert read["split-input-file"] == "// -----"
    assert read.passes == [("cse", None)]
    assert flags.parse(["-p", "a", "-"]).input == "-"
    assert flags.parse(["--mlir-print-ir-after=a,b", "--mlir-print-ir-after=c"])[
        "mlir-print-ir-after"
    ] == ("a", "b", "c")


# Diagnostics


@pytest.mark.parametrize(
    ("location", "place"),
    [
        ('loc("a.mlir":3:4)', ("a.mlir", 3, 4)),
        ('loc("-":3:4)', ("here", 3, 4)),
        ('loc("name"("a.mlir":3:4))', ("a.mlir", 3, 4)),
        ('loc(callsite("a.mlir":3:4 at "b.mlir":1:1))', ("a.mlir", 3, 4)),
        (r'loc("a\"b.mlir":3:4)', ('a"b.mlir', 3, 4)),
        ("loc(unknown)", ("here", 0, 0)),
        ("", ("here", 0, 0)),
    ],
)
def test_positions(location, place):
    assert position(location, "here") == place


def test_a_diagnostic_shows_its_line():
    note = Diagnostic("note", "see current operation: module {\n" + "x\n" * 1000)
    shown = rendered(Diagnostic("error", "bad", "f", 2, 4, (note,)), {"f": ["", "\tab"]})
    assert shown == "f:2:4: error: bad\n\tab\n\t  ^\n:1:1: note: see current operation: module {\n"


def found(text, *diagnostics, **kwargs):
    return [d.message for d in mismatches(text, "f", diagnostics, **kwargs)]


def test_expectations_match_by_line_severity_and_text():
    error = Diagnostic("error", "type f32 is bad", "f", 2, 1)
    assert found("// expected-error @+1 {{f32 is}}\nop", error) == []
    assert found("\nop // expected-error {{f32 is}}", error) == []
    assert found("\n\n// expected-error@-1 {{f32 is}}", error) == []
    assert found("\n\n// expected-error @above {{f32}}", error) == []
    assert found("// expected-error-re @below {{f{{[0-9]+}} is}}\nop", error) == []
    assert len(found("// expected-warning @+1 {{f32 is}}\nop", error)) == 2
    assert len(found("// expected-error @+1 {{f.. is}}\nop", error)) == 2
    assert len(found("// expected-error {{f32 is}}\nop", error)) == 2
    assert found("", error) == ["unexpected error: type f32 is bad"]
    assert found("", error, only_expected=True) == []


def test_one_expectation_is_one_diagnostic():
    error = Diagnostic("error", "bad", "f", 1, 1)
    assert found("// expected-error {{bad}}", error, error) == ["unexpected error: bad"]


def test_diagnostics_without_a_place():
    assert found("// expected-error @unknown {{bad}}", Diagnostic("error", "bad", "f")) == []


def test_an_invalid_pattern_is_reported():
    assert "invalid regular expression" in found("// expected-error-re {{ {{(}} }}")[0]


def test_chunks_keep_their_line_numbers(tmp_path):
    (tmp_path / "a.mlir").write_text("a\n// -----\nb\nc\n// -----\n")
    read = source.read(str(tmp_path / "a.mlir"))
    assert [chunk.content for chunk in read.chunks("// -----")] == ["a", "\n\nb\nc", "\n\n\n\n\n"]
    assert Path(next(read.chunks(None)).path) == tmp_path / "a.mlir"


def test_the_recursion_limit_is_that_of_the_caller_again():
    before = sys.getrecursionlimit()
    assert main(["--version"]) == 0
    assert sys.getrecursionlimit() == before
