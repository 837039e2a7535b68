"""Saved programs say their version: those of today are kept as files, older names are upgraded."""

import io
from pathlib import Path

import pytest

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir, load_stablehlo, stablehlo
from anvl.dialect.text import versions
from anvl.dialect.text.bytecode import Malformed, answer
from anvl.dialect.text.hazards import InvalidOp
from anvl.dialect.text.parsing import parsed
from anvl.dialect.text.versions import ATTRIBUTE, VERSION, Renamed, mark
from anvl.passes import pipeline

SAVED = Path(__file__).parents[2] / "lit" / "tools" / "Inputs" / "saved"
TEXTS = [
    (f"{path.stem}-{i}", text)
    for path in sorted(SAVED.glob("*.mlir"))
    for i, text in enumerate(path.read_text().split("// -----"))
]
OLD = """
module attributes {anvl.version = "0.0"} {
  func.func private @f_vjp(tensor<3xf32>) -> tensor<3xf32> attributes {anvl.reverse = @f}
  func.func @f(%x: tensor<3xf32>, %p: tensor<i1>) -> tensor<3xf32> {
    %y = "stablehlo.if"(%p) ({
      %0 = "anvl.sinus"(%x) {speed = 1 : i64} : (tensor<3xf32>) -> tensor<3xf32>
      %1 = "anvl.transpose"(%0) {order = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf32>
      "stablehlo.return"(%1) : (tensor<3xf32>) -> ()
    }, {
      "stablehlo.return"(%x) : (tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
"""


def read(content):
    return parsed(content, "a.mlir", context())


def as_bytecode(text):
    """The bytecode of an anvl that has other ops than this one."""
    other = ir.Context()
    other.allow_unregistered_dialects = True
    load_stablehlo(other)
    written = io.BytesIO()
    ir.Module.parse(text, other).operation.write_bytecode(written)
    return written.getvalue()


@pytest.mark.parametrize("version", ["0.9.0", "0.10.0", "0.14.0", "0.20.0", "1.0.0", "1.9.0"])
def test_artifacts_of_all_versions_are_read(version):
    """Each has its own version of the bytecode, which the file begins with."""
    text = "func.func @f(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }"
    data = stablehlo.serialize_portable_artifact(ir.Module.parse(text, context()), version)
    assert answer(data, 200) == (data, {})
    assert "func.func @f" in str(read(data))


@pytest.mark.parametrize("text", [text for _, text in TEXTS], ids=[name for name, _ in TEXTS])
def test_saved_programs_are_read_and_lowered(text):
    assert f"{ATTRIBUTE} = " in text
    module = read(text)
    assert ATTRIBUTE not in module.operation.attributes
    pipeline().run(module, verify_each=True)
    assert '"anvl.' not in str(module)


@pytest.mark.parametrize("path", sorted(SAVED.glob("*.mlirbc")), ids=lambda path: path.name)
def test_saved_bytecode_is_read_and_lowered(path):
    content = path.read_bytes()
    assert ATTRIBUTE.encode() in content
    assert answer(content, 100)[0] == content
    module = read(content)
    assert ATTRIBUTE not in module.operation.attributes
    pipeline().run(module, verify_each=True)


@pytest.fixture
def renamed(monkeypatch):
    rules = [
        Renamed("anvl.sinus", "anvl.sin", {"speed": "hint"}),
        Renamed("anvl.transpose", "anvl.transpose", {"order": "permutation"}),
        Renamed("func.func", "func.func", {"anvl.reverse": "anvl.back"}),
    ]
    monkeypatch.setitem(versions.RENAMED, "0.1", rules)


@pytest.mark.parametrize("write", [str, as_bytecode])
@pytest.mark.parametrize("says", [True, False])
def test_older_names_are_upgraded(renamed, write, says):
    text = OLD if says else OLD.replace(' attributes {anvl.version = "0.0"}', "")
    module = read(write(text))
    shown = str(module)
    assert '"anvl.sin"(%arg0) {hint = 1 : i64}' in shown
    assert '"anvl.transpose"' in shown and "permutation = array<i64: 0>" in shown
    assert "attributes {anvl.back = @f}" in shown
    assert "anvl.version" not in shown
    line = OLD.splitlines().index(next(x for x in OLD.splitlines() if "sinus" in x)) + 1
    assert f'loc("-":{line}:' in module.operation.get_asm(enable_debug_info=True)


def test_names_of_today_are_not_taken_for_old_ones(monkeypatch):
    """`anvl.cos` of this version is no other op, though one had this name before."""
    monkeypatch.setitem(versions.RENAMED, VERSION, [Renamed("anvl.cos", "anvl.sin")])
    body = OLD.replace("anvl.sinus", "anvl.cos").replace("order", "permutation")
    for said in ("", f' attributes {{anvl.version = "{VERSION}"}}'):
        text = body.replace(' attributes {anvl.version = "0.0"}', said)
        assert '"anvl.cos"' in str(read(text))
    assert '"anvl.sin"' in str(read(body))


@pytest.mark.parametrize("write", [str, as_bytecode])
@pytest.mark.parametrize(
    ("version", "said"),
    [
        ('"99.1"', "needs version 99.1 or later; this one reads programs up to"),
        ("3 : i64", 'anvl.version must be a version, as in "0.1", got 3 : i64'),
        ('"new"', 'anvl.version must be a version, as in "0.1", got "new"'),
    ],
)
def test_versions_that_are_refused(write, version, said):
    is_newer = version == '"99.1"'  # with ops that nobody knows here
    text = OLD if is_newer else OLD.replace("sinus", "sin").replace("order", "permutation")
    content = write(text.replace('"0.0"', version))
    with pytest.raises(InvalidOp, match=said):
        read(content)
    if isinstance(content, bytes) and is_newer:
        with pytest.raises(Malformed, match=said):
            answer(content, 100)


def test_words_in_comments_are_no_version():
    text = 'module { // anvl.version = "99.1"\n}'
    assert str(read(text)) == "module {\n}\n"


def test_only_modules_of_anvl_are_marked():
    for text, has in (
        ("func.func @f() { return }", False),
        ("func.func private @f() attributes {anvl.jvp = {callee = @f}}", True),
        ('func.func @f() { "anvl.print"() : () -> () return }', True),
    ):
        other = ir.Context()
        other.allow_unregistered_dialects = True
        module = ir.Module.parse(text, other)
        mark(module)
        assert (ATTRIBUTE in module.operation.attributes) == has
