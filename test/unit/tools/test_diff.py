"""Differences of programs: found wherever the texts differ, and the same for both directions."""

import random
import time
from pathlib import Path

import pytest

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.text.parsing import parsed
from anvl.dialect.text.value_names import keep_names
from anvl.dialect.view.difference import changes
from anvl.dialect.view.matching import matched
from anvl.dialect.view.record import recorded
from anvl.passes import Pipeline
from anvl.tools.diff.diff_settings import parse
from anvl.tools.diff.report import Difference, as_text, coloured
from anvl.tools.io.command_line import UsageError

LIT = Path(__file__).resolve().parents[2] / "lit"
PASSES = ["cse", "canonicalize", "anvl-inline", "anvl-gradient", "anvl-lower-to-stablehlo"]


def read(text):
    module = parsed(text, "text", context())
    keep_names(module, text)
    return module


def numbered(module):
    """The text with numbers for names: the same for programs that differ in names alone."""
    return module.operation.get_asm(assume_verified=True)


def compared(before, after, **how):
    return changes(matched(before, after), before, after, **how)


def programs():
    for path in sorted(LIT.rglob("*.mlir")):
        for text in path.read_text().split("// -----"):
            try:
                yield path, read(text), text
            except (ir.MLIRError, ValueError, TypeError):
                continue


@pytest.mark.sweep(keep=0)
def test_programs_differ_where_their_texts_do():
    chosen = random.Random(0).sample(list(programs()), 60)
    kinds = set()
    for path, _, text in chosen:
        for name in PASSES:
            module = read(text)
            before, text_before = recorded(module), numbered(module)
            try:
                Pipeline([name]).run(module)
            except Exception:
                continue
            after = recorded(module)
            found = compared(before, after)
            assert bool(found) is (numbered(module) != text_before), (path, name)
            assert bool(compared(after, before)) is bool(found), (path, name)
            kinds |= {change.kind for change in found}
    assert kinds >= {"added", "removed", "changed"}


def test_the_text_of_a_record_is_that_of_the_printer():
    for path, module, _ in programs():
        record = recorded(module)
        printed = module.operation.get_asm(
            use_name_loc_as_prefix=True, assume_verified=True, large_elements_limit=16
        )
        if "{-#" not in printed:
            assert "\n".join(record.lines).rstrip() == printed.rstrip(), path
        for op in record.ops:
            assert op.line < 0 or all(x.name.startswith("%") for x in op.results), path
            assert op.line < 0 or record.lines[op.line].strip() == op.text


BASE = """
func.func @f(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %one = "anvl.constant"() {value = dense<1.0> : tensor<3xf32>} : () -> tensor<3xf32>
  %two = "anvl.constant"() {value = dense<1.0> : tensor<3xf32>} : () -> tensor<3xf32>
  %a = "anvl.mul"(%x, %one) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %b = "anvl.div"(%y, %two) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %c = "anvl.add"(%a, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %c : tensor<3xf32>
}
"""


def lines_of(before, after, **how):
    one, other = recorded(read(before)), recorded(read(after))
    return as_text([Difference(compared(one, other, **how), one, other)], False).splitlines()


def test_reading_an_equal_value_instead_is_a_change():
    # The cones are equal, so only comparing the operands themselves finds it.
    assert lines_of(BASE, BASE.replace("(%x, %one)", "(%x, %two)"))[1:] == [
        '  ~ %a = "anvl.mul"(%x, %one) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>',
        "      operand 1: %one -> %two",
        "1 changed; 7 ops as before",
    ]


def test_an_equal_program_in_which_every_line_is_another_is_the_same():
    # `%two` is now in the line in which `%one` was.
    text = BASE.replace("%one", "%0").replace("%two", "%1")
    assert lines_of(text, text.replace("\nfunc", "func")) == []
    assert lines_of(text, "\n" + text) == []


def test_a_constant_changes_and_its_users_do_not():
    assert lines_of(BASE, BASE.replace("dense<1.0>", "dense<2.0>", 1))[2:] == [
        "      attribute value: dense<1.000000e+00> : tensor<3xf32> -> "
        "dense<2.000000e+00> : tensor<3xf32>",
        "1 changed; 7 ops as before",
    ]


def test_an_op_between_others_is_added_and_its_user_reads_it():
    new = '%n = "anvl.neg"(%a) : (tensor<3xf32>) -> tensor<3xf32>\n  %b ='
    assert lines_of(BASE, BASE.replace("%b =", new).replace("(%a, %b)", "(%n, %b)"))[1:] == [
        '  + %n = "anvl.neg"(%a) : (tensor<3xf32>) -> tensor<3xf32>',
        '  ~ %c = "anvl.add"(%a, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>',
        "      operand 0: %a -> %n",
        "1 changed, 1 added; 7 ops as before",
    ]


def test_the_order_of_ops_counts_unless_it_is_ignored():
    lines = BASE.split("\n")
    lines[4], lines[5] = lines[5], lines[4]
    other = "\n".join(lines)
    assert lines_of(BASE, other)[-1] == "1 moved; 7 ops as before"
    assert lines_of(BASE, other, ordered=False) == []


def test_arguments_that_are_added_leave_the_others_as_they_are():
    other = BASE.replace("(%x: tensor<3xf32>", "(%w: tensor<2xf32>, %x: tensor<3xf32>")
    assert lines_of(BASE, other)[2:] == [
        "      attribute function_type: (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> -> "
        "(tensor<2xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>",
        "      arguments: (%x, %y) -> (%w, %x, %y)",
        "1 changed; 7 ops as before",
    ]


RESOURCE = """
func.func @f() -> tensor<2xf32> {
  %0 = stablehlo.constant dense_resource<w> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
{-#
  dialect_resources: { builtin: { w: "0x040000000000803F00000040" } }
#-}
"""


def test_resources_are_compared_by_their_bytes():
    # MLIR gives the second resource of a name another one.
    assert lines_of(RESOURCE, RESOURCE) == []
    assert lines_of(RESOURCE, RESOURCE.replace('40"', '41"'))[-1] == "1 changed; 3 ops as before"


def test_complex_constants_are_compared():
    text = (
        "func.func @f() -> tensor<complex<f32>> {\n"
        "  %0 = stablehlo.constant dense<(1.0, 2.0)> : tensor<complex<f32>>\n"
        "  return %0 : tensor<complex<f32>>\n}"
    )
    assert lines_of(text, text) == []
    assert lines_of(text, text.replace("2.0", "3.0"))[-1] == "1 changed; 3 ops as before"


UNREGISTERED = """
"a.b"() ({ ^bb0(%x: i32): "c.d"(%x) {k = 1 : i3} : (i32) -> () }, {}) : () -> ()
%0 = "u.v"() : () -> (i32)
"u.w"(%0, %0) : (i32, i32) -> ()
"""
BRANCHES = """
func.func @f(%c: i1, %x: f32) -> f32 {
  cf.cond_br %c, ^a(%x : f32), ^b(%x : f32)
^a(%y: f32):
  return %y : f32
^b(%z: f32):
  return %x : f32
}
"""


@pytest.mark.parametrize(
    ("text", "change", "lines"),
    [
        (UNREGISTERED, ("c.d", "c.e"), ["      name: c.d -> c.e", "1 changed; 4 ops as before"]),
        (UNREGISTERED, ("k = 1", "k = 2"), ["      attribute k: 1 : i3 -> 2 : i3"]),
        (UNREGISTERED, ("u.w", "u.q"), ["1 removed, 1 added; 4 ops as before"]),
        (BRANCHES, ("^b(%x : f32)", "^a(%x : f32)"), ["      successors: (1, 2) -> (1, 1)"]),
        (BRANCHES, ("return %x", "return %z"), ["      operand 0: %x -> %z"]),
    ],
)
def test_ops_beside_functions_and_branches_are_compared(text, change, lines):
    made = context()
    before = made.allow_unregistered_dialects
    made.allow_unregistered_dialects = True
    try:
        assert lines_of(text, text) == []
        found = lines_of(text, text.replace(*change))
    finally:
        made.allow_unregistered_dialects = before
    assert [line for line in found if line in lines] == lines, found


def chain(n):
    """A function of `n` ops, two sines after each product."""
    one, two = "(tensor<f32>) -> tensor<f32>", "(tensor<f32>, tensor<f32>) -> tensor<f32>"
    lines = ["func.func @f(%x: tensor<f32>) -> tensor<f32> {"]
    for i in range(n):
        x = f"%{i - 1}" if i else "%x"
        lines.append(
            f'  %{i} = "anvl.sin"({x}) : {one}'
            if i % 3
            else f'  %{i} = "anvl.mul"({x}, %x) : {two}'
        )
    return "\n".join([*lines, f"  return %{n - 1} : tensor<f32>", "}"])


@pytest.mark.sweep(keep=0, part=0)
@pytest.mark.parametrize("change", ["early", "lowered"])
def test_ten_thousand_ops_take_seconds(change):
    before = recorded(read(chain(10_000)))
    if change == "early":
        text = chain(10_000).replace("(%1)", "(%0)", 1)
        after = recorded(read(text))
    else:
        module = read(chain(10_000))
        Pipeline(["anvl-lower-to-stablehlo"]).run(module)
        after = recorded(module)
    start = time.process_time()
    found = compared(before, after)
    assert time.process_time() - start < 10
    assert len(found) == (1 if change == "early" else 10_000), found[:5]


def test_colour_is_for_terminals(monkeypatch):
    assert coloured("always", "file")
    assert not coloured("never", "-")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert coloured("auto", "-") and not coloured("auto", "file")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not coloured("auto", "-")


def test_changes_have_a_colour_each_and_a_wrong_word_for_when_is_refused():
    other = BASE.replace("(%x, %one)", "(%x, %two)")
    one, two = recorded(read(BASE)), recorded(read(other))
    text = as_text([Difference(compared(one, two), one, two)], True)
    assert "\033[33m  ~ %a = " in text and text.count("\033[0m") == 2
    with pytest.raises(UsageError, match="--color is auto, always, never, got 'red'"):
        parse(["a.mlir", "b.mlir", "--color=red"])
