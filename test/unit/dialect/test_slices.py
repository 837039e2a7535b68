"""Slices of a block: ops and values by the names that they have in the text of the program."""

import pytest
from named_values import Text

from anvl.dialect.interpreters.slices import (
    backward_slice,
    forward_slice,
    live_in,
    values_read,
)
from anvl.dialect.interpreters.subprogram import Program

#: Two ways from x to the result; `other` and `unused` are on neither.
DIAMOND = """
func.func @f(%x: tensor<f32>, %z: tensor<f32>) -> tensor<f32> {
  %left = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
  %right = "anvl.exp"(%x) : (tensor<f32>) -> tensor<f32>
  %other = "anvl.cos"(%z) : (tensor<f32>) -> tensor<f32>
  %y = "anvl.mul"(%left, %right) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %unused = "anvl.neg"(%y) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
"""

#: A choice whose branches read `a` and `b`, which are no operands of it.
CAPTURES = """
func.func @f(%p: tensor<i1>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %a = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
  %b = "anvl.exp"(%x) : (tensor<f32>) -> tensor<f32>
  %y, %z = "stablehlo.if"(%p) ({
    %inner = "anvl.mul"(%a, %a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%inner, %b) : (tensor<f32>, tensor<f32>) -> ()
  }, {
    "stablehlo.return"(%a, %b) : (tensor<f32>, tensor<f32>) -> ()
  }) : (tensor<i1>) -> (tensor<f32>, tensor<f32>)
  return %y, %z : tensor<f32>, tensor<f32>
}
"""

#: A loop with a counter and two carries, which never meet.
LOOP = """
func.func @f(%n: tensor<i32>, %x: tensor<f32>, %z: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %a = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
  %b = "anvl.exp"(%z) : (tensor<f32>) -> tensor<f32>
  %end, %y, %w = "stablehlo.while"(%n, %a, %b) ({
  ^bb0(%i: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>):
    %0 = "anvl.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
    %1 = "anvl.compare"(%i, %0) {comparison_direction = #stablehlo<comparison_direction GT>}
      : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%1) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>):
    %0 = "anvl.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %1 = "anvl.sub"(%i, %0) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = "anvl.neg"(%c) : (tensor<f32>) -> tensor<f32>
    %3 = "anvl.neg"(%d) : (tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1, %2, %3) : (tensor<i32>, tensor<f32>, tensor<f32>) -> ()
  }) : (tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<i32>, tensor<f32>, tensor<f32>)
  return %y, %w : tensor<f32>, tensor<f32>
}
"""


def backward(text, targets, stops="", **options):
    f = Text(text)
    found = backward_slice(f.ops, f(targets), f(stops), **options)
    return f.defined(found.ops), f.named(found.values)


def forward(text, sources, **options):
    f = Text(text)
    found = forward_slice(f.ops, f(sources), **options)
    return f.defined(found.ops), f.named(found.values)


def names(text):
    return set(text.split())


def test_a_diamond_backward():
    assert backward(DIAMOND, "y") == (["left", "right", "y"], names("y left right x"))


def test_a_diamond_forward():
    assert forward(DIAMOND, "x") == (
        ["left", "right", "y", "unused"],
        names("x left right y unused"),
    )


def test_a_slice_ends_at_its_stops():
    assert backward(DIAMOND, "y", "left") == (["right", "y"], names("y left right x"))
    assert backward(DIAMOND, "y", "left right z") == (["y"], names("y left right"))


def test_a_value_that_is_both_argument_and_result():
    assert backward(DIAMOND, "x", "x") == ([], {"x"})
    # The op that defines a target is not in the slice where the target is available.
    assert backward(DIAMOND, "left right", "left x") == (["right"], names("left right x"))
    assert forward(DIAMOND, "y left")[0] == ["y", "unused"]


@pytest.mark.parametrize("text", [DIAMOND, CAPTURES, LOOP])
def test_slices_of_nothing_are_empty(text):
    for whole_ops in (False, True):
        assert backward(text, "", whole_ops=whole_ops) == ([], set())
        assert forward(text, "", whole_ops=whole_ops) == ([], set())


def test_what_regions_capture_is_read():
    f = Text(CAPTURES)
    assert f.named(values_read(f.ops[-1])) == names("p a b")
    ops, values = backward(CAPTURES, "y", whole_ops=True)
    assert ops == ["a", "b", "y"]
    assert values == names("y p a b x")
    assert forward(CAPTURES, "b", whole_ops=True)[1] == names("b y z")


def test_only_what_the_wanted_results_of_a_choice_depend_on():
    f = Text(CAPTURES)
    assert f.named(values_read(f.ops[-1], set(f("z")))) == names("p b")
    assert backward(CAPTURES, "z") == (["b", "y"], names("z p b x"))
    assert forward(CAPTURES, "b") == (["y"], names("b z"))
    assert forward(CAPTURES, "p")[1] == names("p y z")


def test_a_loop_with_an_unread_operand():
    assert backward(LOOP, "y") == (["a", "end"], names("y n a x"))
    assert backward(LOOP, "y", whole_ops=True) == (
        ["a", "b", "end"],
        names("y n a b x z"),
    )
    assert forward(LOOP, "x") == (["a", "end"], names("x a y"))
    assert forward(LOOP, "x", whole_ops=True)[1] == names("x a end y w")


def test_a_result_that_is_available_asks_for_no_operand():
    """One result of a loop is a stop, another is wanted: the loop is read for the latter alone."""
    assert backward(LOOP, "y w", "w n x")[1] == names("y w n a x")


def test_an_op_without_results_is_reached():
    f = Text(DIAMOND)
    ops = [*f.ops, f.terminator]
    assert forward_slice(ops, f("y")).ops[-1] == f.terminator
    assert f.terminator not in forward_slice(ops, f("z")).ops


def test_the_values_that_ops_take_from_outside():
    f = Text(DIAMOND)
    assert [f.names[x] for x in live_in(f.ops)] == ["x", "z"]
    assert [f.names[x] for x in live_in(f.ops[3:])] == ["left", "right"]
    loop = Text(LOOP)
    assert loop.named(live_in(loop.ops[2:])) == names("n a b")
    assert loop.named(live_in(loop.ops[2:], set(loop("w")))) == names("n b")


def test_a_slice_of_a_program_ends_at_its_arguments():
    f = Text(DIAMOND)
    program = Program(f.block, f("y"), f.module)
    assert f.defined(program.slice().ops) == ["left", "right", "y"]
    program.arguments += f("left")
    assert f.defined(program.slice().ops) == ["right", "y"]
    assert f.defined(program.slice(f("unused"), f("right")).ops) == ["y", "unused"]
