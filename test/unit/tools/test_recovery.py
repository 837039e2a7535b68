"""The errors of a program that MLIR alone stops reading at the first of: all, and no others."""

import re

import pytest

from anvl.tools.lsp import analysis
from anvl.tools.lsp.outline import Outline
from anvl.tools.lsp.recovery import broken_at

T = "tensor<4xf32>"
FAULTY = f"""\
func.func @f(%x: {T}, %p: tensor<i1>) -> {T} {{
  %0 = "anvl.sin"(%x) : ({T}) -> tensor<3xf32>
  %1 = "anvl.add"(%0, %x) : (tensor<3xf32>, {T}) -> {T}
  %2 = stablehlo.add %x, %1 : (tensor<3xf32>, {T}) -> {T}
  %3 = "stablehlo.sine"(%x) : ({T}) -> tensor<3xf32>
  %4 = "anvl.sum"(%x) : ({T}) -> tensor<f32>
  %5 = "anvl.sin"(%y) : ({T}) -> {T}
  %6 = "anvl.sinn"(%x) : ({T}) -> {T}
  %7:2 = "stablehlo.if"(%p) ({{
    %8 = "anvl.sin"(%x) : (tensor<5xf32>) -> {T}
    stablehlo.return %8, %x : {T}, {T}
  }}, {{
    stablehlo.return %x, %x : {T}, {T}
  }}) : (tensor<i1>) -> ({T}, {T})
  %10 = "anvl.mul"(%5, %x : ({T}, {T}) -> {T}
  %11 = "anvl.mul"(%7#1, %10) : ({T}, {T}) -> {T}
  %12 = "anvl.mul"(%nope, %x) : ({T}, {T}) -> {T}
  return %1 : {T}
}}
func.func @g(%x: {T}) -> {T} {{
  %0 = "anvl.sin"(%x) : ({T}) -> tensor<3xf32>
  return %0 : {T}
}}
"""
GOOD = f"""\
func.func @f(%x: {T}, %p: tensor<i1>) -> {T} {{
  %a = "anvl.sin"(%x) : ({T}) -> {T}
  %b = stablehlo.cosine %a : {T}
  %c = stablehlo.constant dense<1.0> : {T}
  %d = "anvl.mul"(%b, %c) : ({T}, {T}) -> {T}
  %e = stablehlo.compare LT, %d, %x : ({T}, {T}) -> tensor<4xi1>
  %f = stablehlo.select %e, %d, %x : tensor<4xi1>, {T}
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %g = stablehlo.reduce(%f init: %z) across dimensions = [0] : ({T}, tensor<f32>) -> tensor<f32>
    reducer(%l: tensor<f32>, %r: tensor<f32>) {{
      %s = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }}
  %h:2 = "stablehlo.if"(%p) ({{
    stablehlo.return %g, %x : tensor<f32>, {T}
  }}, {{
    stablehlo.return %z, %a : tensor<f32>, {T}
  }}) : (tensor<i1>) -> (tensor<f32>, {T})
  %i = "anvl.add"(%h#1, %d) : ({T}, {T}) -> {T}
  %j = call @g(%i) : ({T}) -> {T}
  return %j : {T}
}}
func.func private @g(%x: {T}) -> {T} {{
  return %x : {T}
}}
"""


def errors(text):
    """The lines of errors, with their messages."""
    question = {"do": "check", "name": "f.mlir", "text": text}
    found = analysis.answer(question)["diagnostics"]
    return [(text.count("\n", 0, x["start"]) + 1, x["message"]) for x in found]


def test_every_error_of_a_program_is_found():
    found = errors(FAULTY)
    assert [line for line, _ in found] == [2, 3, 4, 5, 6, 7, 8, 10, 15, 17, 21, 22]
    said = dict(found)
    assert said[2].startswith("sin: result is tensor<3xf32> but the operands give tensor<4xf32>")
    assert said[6] == "sum: attribute `axes` is missing"
    assert said[7] == said[17] == "use of undeclared SSA value name"
    assert said[15] == "expected ')' to end operand list"


def test_errors_without_a_place_are_told_apart(monkeypatch):
    said = [analysis.Diagnostic("remark", "first"), analysis.Diagnostic("error", "second")]
    monkeypatch.setattr(analysis, "read_chunk", lambda *_, **__: (None, said))
    assert [message for _, message in errors("module {\n")] == ["first", "second"]


def test_a_program_of_many_type_errors_is_read_once(monkeypatch):
    """Each op is checked by its own rule, so one reading finds all."""
    reads = []
    read = analysis.read_chunk
    monkeypatch.setattr(analysis, "read_chunk", lambda *a, **k: reads.append(a) or read(*a, **k))
    wrong = f'  %{{}} = "anvl.sum"(%x) {{{{axes = array<i64: 7>}}}} : ({T}) -> tensor<f32>\n'
    ops = "".join(wrong.format(i) for i in range(100))
    found = errors(f"func.func @f(%x: {T}) {{\n{ops}  return\n}}\n")
    assert [line for line, _ in found] == list(range(2, 102))
    assert len(reads) == 1


@pytest.mark.parametrize("fault", ["tensor<7xf32>", "tensor<4xf33>", "", "(", "?"], ids=repr)
def test_an_error_makes_none_elsewhere(fault):
    """A fault in the last type of a line is said at the op, or where its results are used."""
    assert errors(GOOD) == []
    lines = GOOD.split("\n")
    faulty = 0
    for i, line in enumerate(lines[1:20], 1):
        start = line.rfind("tensor<")
        name = re.match(r"  %(\w+)", line)
        if start < 0 or name is None or "({" in line:
            continue
        text = "\n".join([*lines[:i], line[:start] + fault, *lines[i + 1 :]])
        uses = {n + 1 for n, x in enumerate(lines) if re.search(rf"%{name[1]}\b", x)}
        found = {n for n, _ in errors(text)}
        region = {n + 1 for n in range(9, 13)} if "reduce(" in line else set()
        behind = {i + 2} if not fault.startswith("tensor") else set()  # the next token is there
        assert found and found <= uses | region | behind, (line, errors(text))
        faulty += 1
    assert faulty >= 8


@pytest.mark.parametrize(
    ("op", "stand_in"),
    [
        ('%a = "x.y"(%b) : (f32) -> f32', "%a = {} f32"),
        ('%a:2 = "x.y"(%b) {c = 1 : i64} : (f32) -> (f32, i32)', "%a:2 = {} f32, i32"),
        ('%a, %b = "x.y"() : () -> (tuple<f32, i32>, i32)', "%a, %b = {} tuple<f32, i32>, i32"),
        ('%a = "x.y"(%b : (f32) -> tensor<2xf32>', "%a = {} tensor<2xf32>"),
        ('"x.y"(%b) : (f32) -> ()', ""),
        ('"x.y"(%b) : (f32) -> f32', ""),
        ("%a = stablehlo.add %b, %c : tensor<f32>", "%a = {} tensor<f32>"),
        ("%a = stablehlo.real %b : (tensor<f32>) -> tensor<f32>", "%a = {} tensor<f32>"),
        ("%a = stablehlo.select %p, %b, %c : tensor<i1>, tensor<f32>", None),
        ("%a = stablehlo.while(%b = %c) : i32\n  cond {\n  } do {\n  }", None),
        ("%a = arith.cmpi eq, %b, %c : i32", None),  # of type i1
        ('%a = "x.y"(%b) {m = affine_map<(i) -> (i)>}', None),
        ('%a = "x.y"(%b) : (f32) ->', None),
        ('%a = "x.y"(%b)', None),
        ("%a =", None),
        ("^bb1:", None),
    ],
)
def test_an_op_has_a_stand_in_where_its_types_are_in_the_text(op, stand_in):
    text = f"func.func @f() {{\n  {op}\n  return\n}}\n"
    edit = broken_at(text, Outline(text), text.index(op) + 1)
    cast = "builtin.unrealized_conversion_cast to"
    assert (edit and edit.text) == (stand_in and stand_in.format(cast))
    assert edit is None or text[edit.start : edit.end] == op


@pytest.mark.parametrize(
    ("op", "stand_in"),
    [
        ("return %a : f32", "%r:1 = {} f32 return %r#0 : f32"),
        (
            "func.return %a, %b : tuple<f32, i32>, i32",
            "%r:2 = {} tuple<f32, i32>, i32 return %r#0, %r#1 : tuple<f32, i32>, i32",
        ),
        ("return", None),
        ("return %a : tensor<f32", None),
        ('"func.return"(%a) : (f32) -> ()', None),
    ],
)
def test_a_return_has_a_stand_in_where_its_types_are_in_the_text(op, stand_in):
    text = f"func.func @f() {{\n  %a = stablehlo.constant dense<0> : i32\n  {op}\n}}\n"
    edit = broken_at(text, Outline(text), text.index(op) + 1)
    cast = "builtin.unrealized_conversion_cast to"
    wanted = stand_in and stand_in.format(cast).replace("%r", "%anvl_lsp_returned")
    assert (edit and edit.text) == wanted


def test_a_missing_bracket_does_not_move_the_end_of_a_function():
    text = 'func.func @f() {\n  "x.y"(%a : (\n}\nfunc.func @g() {\n  "x.y"]%a) : ()\n}\n'
    f, g = Outline(text).functions
    assert text[f.start : f.end].startswith("func.func @f") and text[: f.end].count("\n") == 2
    assert text[g.start : g.end].startswith("func.func @g") and text[g.end - 1] == "}"
