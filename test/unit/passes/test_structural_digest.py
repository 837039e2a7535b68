"""Digests of modules: what they tell apart, and what not."""

import pytest

from anvl.dialect import parse
from anvl.passes.functions.structural_digest import digest_of

PROGRAM = """
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.sine %x : tensor<3xf32>
  %1 = stablehlo.cosine %y : tensor<3xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<3xf32>
  return %2 : tensor<3xf32>
}
"""


def digest(text: str) -> bytes:
    return digest_of(parse(text).operation)


def test_the_order_of_ops_and_equal_ops_do_not_count() -> None:
    other = """
    func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
      %cos = stablehlo.cosine %b : tensor<3xf32>
      %sin = stablehlo.sine %a : tensor<3xf32>
      %d = stablehlo.subtract %sin, %cos : tensor<3xf32>
      return %d : tensor<3xf32>
    }
    """
    assert digest(other) == digest(PROGRAM)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("%0, %1 :", "%1, %0 :"),
        ("sine %x", "sine %y"),
        ("sine %x", "tan %x"),
        ("tensor<3xf32>", "tensor<4xf32>"),
        ("return %2", "return %1"),
        ("stablehlo.sine %x", "stablehlo.sine %x {my.note = 1 : i64}"),
    ],
)
def test_what_is_computed_counts(old: str, new: str) -> None:
    assert digest(PROGRAM.replace(old, new)) != digest(PROGRAM)


LOOP = """
func.func @main(%x: tensor<f32>, %n: tensor<f32>) -> tensor<f32> {
  %0:2 = stablehlo.while(%a = %x, %b = %n) : tensor<f32>, tensor<f32>
  cond {
    %c = stablehlo.compare LT, %a, %n : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %d = stablehlo.add %a, %n : tensor<f32>
    stablehlo.return %d, %b : tensor<f32>, tensor<f32>
  }
  return %0#0 : tensor<f32>
}
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [("%0#0", "%0#1"), ("add %a, %n", "add %b, %n"), ("LT, %a, %n", "LT, %a, %x")],
)
def test_regions_count(old: str, new: str) -> None:
    assert digest(LOOP.replace(old, new)) != digest(LOOP)


def test_complex_constants_count() -> None:
    """The bindings have no class for their attribute."""
    program = """
    func.func @main() -> tensor<2xcomplex<f32>> {
      %0 = stablehlo.constant dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>
      return %0 : tensor<2xcomplex<f32>>
    }
    """
    assert digest(program) == digest(program.replace("%0", "%c"))
    assert digest(program) != digest(program.replace("2.0", "3.0"))


def test_functions_with_a_complex_attribute_differ_by_their_types() -> None:
    """An op without results has no name in front of what tells it apart."""
    program = """
    func.func @main(%x: tensor<3xf32>) attributes {a = dense<(1.0, 2.0)> : tensor<complex<f32>>} {
      return
    }
    """
    assert digest(program) != digest(program.replace("<3xf32>", "<4xf32>"))
