"""Attributes that the bindings cannot read do not end a pass: complex values, names with a zero."""

import pytest

from anvl.dialect.core.attributes import entries_of, replaced_entries, with_symbols
from anvl.dialect.core.context import context
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.text.parsing import parsed
from anvl.passes import Donate, Gradient, Lift, Pad, Pipeline

COMPLEX = "dense<(1.0, 2.0)> : tensor<complex<f32>>"
CALL = f"""
func.func @main(%x: tensor<3x3xf64> {{x.z = {COMPLEX}}}) -> tensor<3x3xf64> {{
  %0:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%x) {{
    api_version = 4 : i32, mhlo.backend_config = {{uplo = 76 : ui8, z = {COMPLEX}}}
  }} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<i32>)
  return %0#0 : tensor<3x3xf64>
}}
"""
NEGATED = f"""
func.func @main(%x: tensor<3xf64> {{x.z = {COMPLEX}}}) -> tensor<3xf64> {{
  %0 = "anvl.neg"(%x) {{v.w = {{k = {COMPLEX}}}, "n\\00" = {COMPLEX}}}
      : (tensor<3xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}}
"""
SCAN = """
func.func private @loop(tensor<f64>) -> tensor<f64>
    attributes {anvl.scan = {"body\00" = @step, carry = 1, xs = 0, length = 2, reverse = false}}
func.func private @step(%c: tensor<f64>) -> tensor<f64> { return %c : tensor<f64> }
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @loop(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
"""


def after(text, *passes):
    module = parsed(text, "text", context())
    Pipeline(passes).run(module)
    return str(module)


def test_a_routine_with_an_option_that_cannot_be_read_stays():
    assert "@lapack_dpotrf_ffi" in after(CALL, Lift())
    assert "anvl.cholesky" in after(CALL.replace(f", z = {COMPLEX}", ""), Lift())


@pytest.mark.parametrize("which", [Donate("main", args=(0,)), Pad("main", args=(0,), axes=(0,))])
def test_attributes_of_arguments(which):
    assert "anvl.neg" in after(NEGATED, which)


def test_a_declaration_with_a_zero_in_a_name_is_refused_by_its_form():
    with pytest.raises(PassError, match=r"@loop: anvl.scan must be .body = @b"):
        after(SCAN, Gradient("main"))


def test_entries_that_cannot_be_read_are_left_out():
    with context():
        found = ir.Attribute.parse(f'{{a = 1 : i32, "b\\00" = 2 : i32, c = {COMPLEX}}}')
        one = ir.Attribute.parse("1 : i32")
        assert entries_of(found) == {"a": one}
        assert str(replaced_entries(found, d=one)) == "{a = 1 : i32, d = 1 : i32}"


def test_references_get_other_names_and_strings_stay():
    names = {"f": "g", "a b": "c d", "f.1": "h"}
    text = r'{a = @f, b = [@f.1, @k], c = "@f is \22 @f", d = @"a b", e = @f::@f, z = '
    wanted = r'{a = @g, b = [@h, @k], c = "@f is \22 @f", d = @"c d", e = @g::@g, z = '
    with context():
        found = with_symbols(ir.Attribute.parse(text + COMPLEX + "}"), names)
        assert found == ir.Attribute.parse(wanted + COMPLEX + "}")
