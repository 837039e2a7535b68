"""Locations of all kinds come in, and only those of the text itself give values their names."""

import pytest

import anvl
import anvl.numpy as np
from anvl.tools.opt.main import main

OP = '%y = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>'
TYPE, END = "tensor<f32>) -> tensor<f32> {\n  ", "\n  return %y : tensor<f32>\n}"
# Where each location stands.
PLACES = {
    "op": f"func.func @f(%x: {TYPE}{OP} LOC{END}",
    "function": f"func.func @f(%x: {TYPE}{OP}{END} LOC",
    "module": f"module {{ func.func @f(%x: {TYPE}{OP}{END} }} LOC",
    "argument": f"func.func @f(%x: tensor<f32> LOC) -> tensor<f32> {{\n  {OP}{END}",
}
LOCATIONS = (
    "loc(unknown)", 'loc("name")', 'loc("name"("a.py":1:1))', 'loc("a.py":1:2)',
    'loc("a.py":1:2 to 3:4)', 'loc(fused["a.py":1:1, unknown])', 'loc(fused<"jit">["a.py":1:1])',
    'loc(callsite("f" at "a.py":2:3))', 'loc(callsite("sin"("a.py":1:1) at callsite("f" at "g")))',
    r'loc("a\0Ab\C3\A9":1:1)', 'loc("jit(f)/jit(main)/sin"(fused["a.py":1:1, "b"]))',
)  # fmt: skip
PASSES = ["--anvl-gradient=function=f", "--anvl-print-adjoint-map", "--anvl-lower-to-stablehlo"]


@pytest.mark.parametrize("place", PLACES)
def test_every_kind_of_location_comes_in_and_goes_through_passes(place, tmp_path, capsys):
    for location in LOCATIONS:
        (tmp_path / "a.mlir").write_text(PLACES[place].replace("LOC", location))
        for args in (["--mlir-print-debuginfo", "--verify-roundtrip"], PASSES):
            code = main([str(tmp_path / "a.mlir"), *args])
            assert (code, location, capsys.readouterr().err.replace("//", "")[:1]) in (
                (0, location, ""),
                (0, location, " "),  # the adjoint map
            )


@pytest.mark.parametrize("place", PLACES)
def test_names_that_are_not_utf8_are_refused_at_their_place(place, tmp_path, capsys):
    for location in (
        r'loc("\E0":1:1)',
        r'loc("\E0")',
        r'loc("a"("\E0":1:1))',
        r'loc(fused["\C3"])',
    ):
        text = PLACES[place].replace("LOC", location)
        (tmp_path / "a.mlir").write_text(text)
        assert main([str(tmp_path / "a.mlir"), *PASSES]) == 1
        line = text[: text.index('"\\') if '"\\' in text else 0].count("\n") + 1
        message = capsys.readouterr().err
        assert message.startswith(f"{tmp_path / 'a.mlir'}:{line}:")
        assert "is not UTF-8 text; rename the symbol, attribute or file" in message


@pytest.mark.parametrize(
    "text",
    [
        r'func.func @"\E0"() { return }',
        r'func.func @f(%x: tensor<f32> {"a.\E0" = 1 : i32}) { return }',
        r'module attributes {"a.\E0"} {}',
        r'module attributes {a.b = {"\E0" = 1 : i32}} {}',
    ],
)
def test_symbols_and_attributes_that_are_not_utf8_are_refused(text, tmp_path, capsys):
    (tmp_path / "a.mlir").write_text(text)
    assert main([str(tmp_path / "a.mlir"), "--cse"]) == 1
    assert r"\E0" in capsys.readouterr().err


def test_the_value_of_an_attribute_may_be_any_bytes(tmp_path, capsys):
    (tmp_path / "a.mlir").write_text(r'module attributes {a.b = "\E0\FF"} {}')
    assert main([str(tmp_path / "a.mlir"), "--verify-roundtrip"]) == 0
    assert r'a.b = "\E0\FF"' in capsys.readouterr().out


def test_what_anvl_prints_with_debug_info_comes_back_the_same(tmp_path, capsys):
    text = anvl.trace(anvl.grad(lambda w: np.sum(np.sin(w) * w)), anvl.aval("f32", (3,)))
    (tmp_path / "a.mlir").write_text(text.mlir(debug_info=True))
    (tmp_path / "b.mlir").write_text(text.mlir())
    outputs = []
    for name in ("a.mlir", "b.mlir"):
        assert main([str(tmp_path / name), "--anvl-gradient", "--anvl-inline"]) == 0
        outputs.append(capsys.readouterr().out)
    assert "%w" in outputs[0] and "anvl.cos" in outputs[0]
    assert main([str(tmp_path / "a.mlir"), "--mlir-print-debuginfo", "--verify-roundtrip"]) == 0
    assert capsys.readouterr().out.strip() == text.mlir(debug_info=True).strip()


def test_locations_of_another_file_take_no_names_from_this_text(tmp_path, capsys):
    text = (
        'func.func @f(%x: tensor<f32> loc("FILE":3:3)) -> tensor<f32> {\n'
        '  %0 = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32> loc("FILE":3:11)\n'
        '  %late = "anvl.cos"(%0) : (tensor<f32>) -> tensor<f32>\n'
        "  return %late : tensor<f32>\n} loc(MODULE)\n"
    )
    file = tmp_path / "a.mlir"
    for other, module in (
        ("model.py", "unknown"),
        ("model.py", '"model.py":1:1'),
        (file, "unknown"),
    ):
        file.write_text(text.replace("FILE", str(other)).replace("MODULE", module))
        assert main([str(file)]) == 0
        printed = capsys.readouterr().out
        assert '%0 = "anvl.sin"(%arg0)' in printed
        # Where the text itself writes this very place, nobody can tell: no name is better.
        assert ("%late = " in printed) == (other != file)


COMPLEX = "dense<(1.0, 2.0)> : tensor<complex<f32>>"
BY_FUZZING = {
    "an attribute that the bindings have no class for, in a declaration": (
        f"func.func @f(%x: TYPE{OP}{END}\nfunc.func private @g(tensor<f32>, tensor<f32>) -> "
        "(tensor<f32>, tensor<f32>) attributes {anvl.vjp = {callee = @f, other = COMPLEX, "
        "wrt = array<i64: 0>, targets = array<i64: 0>}}",
        ["--anvl-lift", "--anvl-gradient"],
    ),
    "one in a list": (
        f"func.func @f(%x: TYPE{OP}{END}\nfunc.func private @g(tensor<f32>) -> tensor<f32> "
        "attributes {a.b = [COMPLEX, @f], a.c = {d = COMPLEX}}",
        ["--anvl-inline"],
    ),
    "no result to make a derivative of": (
        "func.func @f() { return }",
        ["--anvl-remat=function=f budget=100"],
    ),
    "an op whose name is not UTF-8": (
        r'func.func @f() { %y = "anvl.bi\cast"() : () -> tensor<f32> return }',
        ["--cse"],
    ),
    "a loop without a body": (
        "func.func @f(%i: tensor<i32>, %x: TYPE%y = call @c(%i, %x) : (tensor<i32>, tensor<f32>) "
        f"-> tensor<f32>{END}\nfunc.func private @c(tensor<i32>, tensor<f32>) -> tensor<f32> "
        "attributes {anvl.scan = {body = @f}}",
        ["--anvl-remat=function=f budget=100"],
    ),
    "a text that ends too early": ("func.func @f() attributes {a.b = {c.d", ["--cse"]),
}


@pytest.mark.parametrize("name", BY_FUZZING)
def test_what_fuzzing_found_ends_in_good_order(name, tmp_path, capsys):
    text, args = BY_FUZZING[name]
    (tmp_path / "a.mlir").write_text(text.replace("TYPE", TYPE).replace("COMPLEX", COMPLEX))
    code = main([str(tmp_path / "a.mlir"), *args])
    message = capsys.readouterr().err
    assert code == 0 or message.startswith(f"{tmp_path / 'a.mlir'}:")
    assert "internal error" not in message
